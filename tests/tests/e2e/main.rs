//! End-to-end tests: boot the images in QEMU and read what they say.
//!
//! They run only when asked for (`cargo xtask test --ring qemu`), which builds the images and names them in
//! `GEARSHIFT_IMAGE_VEXPRESS_A15` and `GEARSHIFT_IMAGE_QEMU_VIRT`. Each test starts its own machines; at most two
//! machines run at a time, since each has several virtual cores.

mod benches;
mod boot;
mod climate;
mod console;
mod death;
mod machine;
mod record;
mod selftest;
mod trace;

//! Links the program to where QEMU's machine `virt` has memory.

fn main() {
    println!("cargo::rustc-link-arg-bins=--image-base=0x40100000");
}

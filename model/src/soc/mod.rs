//! Devices, one file each, written from the hardware sheet and the public manuals.

pub mod device;
pub mod gic;
pub mod pl011;
pub mod timers;

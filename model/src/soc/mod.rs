//! Devices, one file each, written from the hardware sheet and the public manuals.

pub mod cci;
pub mod chipid;
pub mod cmu;
pub mod combiner;
pub mod counter;
pub mod device;
pub mod gic;
pub mod hsi2c;
pub mod iram;
pub mod mct;
pub mod pl011;
pub mod pmu;
pub mod pwm;
pub mod s2mps11;
pub mod timers;
pub mod tmu;
pub mod uart;

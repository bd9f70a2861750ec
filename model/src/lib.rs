//! A deterministic, functional model of the Exynos5422 and of a generic ARMv7-A machine.
//!
//! It is an independent witness: it shares no code with the kernel it runs. It is a cost model, not a pipeline: every
//! time it tells follows from costs by instruction class, not from a simulated pipeline.

pub mod bus;
pub mod cpu;
pub mod findings;
pub mod gdb;
pub mod load;
pub mod machine;
pub mod power;
pub mod soc;

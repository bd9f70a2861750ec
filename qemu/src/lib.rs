//! How QEMU is started, machine by machine, and what each machine cannot show.
//!
//! A [`Start`] says which image runs on which machine and how: cores, entry mode, clock, boot arguments. Its
//! [`arguments`](Start::arguments) are pure and tested; [`Start::run`] starts QEMU, hands the UART out line by line and
//! always comes back: with the image's exit code, at the time limit, or because QEMU died.
//!
//! ```no_run
//! use qemu::{Clock, Machine, Start};
//!
//! let start = Start { bootargs: "bench=none".into(), clock: Clock::Instructions,
//!     ..Start::new(Machine::VexpressA15, "target/armv7a-none-eabihf/image/vexpress-a15") };
//! let outcome = start.run(|line| println!("{line}"))?;
//! assert_eq!(outcome.ending.code(), 0);
//! # Ok::<(), anyhow::Error>(())
//! ```
//!
//! # What QEMU cannot show
//!
//! On both machines all cores are alike, whatever their names: no operating points, no difference between a Cortex-A15
//! and a Cortex-A7 in speed, no energy, no heat. Caches, write buffers and branch predictors do not exist, so a missing
//! barrier or clean passes unseen; LDREX/STREX work with caches off; WFE does not sleep; a bare end-of-interrupt is
//! accepted; unaligned accesses with the MMU off pass unless SCTLR.A is set. Under [`Clock::Host`] time is the host's,
//! and busy virtual cores compete for host cores. Under [`Clock::Instructions`] one instruction is one nanosecond:
//! exact and repeatable, but every virtual core waits for its turn on that one clock. No time measured here is
//! performance.
//!
//! | | `vexpress-a15` | `qemu-virt` |
//! |---|---|---|
//! | cores | 1 to 4, one cluster | 1 to 8, one cluster |
//! | start | ELF: all cores arrive at `_start` at once | flat binary at RAM + 64 KiB: one core, the rest by PSCI |
//! | boot arguments | semihosting command line (no ATAGs, no DTB for an ELF) | `/chosen/bootargs` of the DTB in r2 |
//! | entry | secure SVC, non-secure SVC or HYP | non-secure SVC or HYP |
//! | cannot show | PSCI, a missing DTB node, cores that come one by one | a holding pen, a secure start, a release from park |

mod find;
mod image;
mod machine;
mod run;
mod start;

pub use find::{Version, find, version};
pub use image::Image;
pub use machine::{Entry, Kernel, Machine, UnknownMachine};
pub use run::{Ending, Outcome};
pub use start::{Clock, Cpu, Start};

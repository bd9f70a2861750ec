//! Ending on purpose, and what only tests ask for.

use core::fmt;
use core::sync::atomic::Ordering::{Acquire, Release};

use abi::types::{Counters, Diagnosis, MAX_HOLD_US};
use abi::{Error, Result};
use arch::IrqsOff;
use sched::{CpuMask, Nanos};

use crate::board::Ending;
use crate::calls::Outcome;
use crate::cpu::Cpu;
use crate::inbox::Message;
use crate::kernel::{Kernel, now};
use crate::options::After;

/// How long each CPU may take to print its trace ring: 512 lines of some 60 characters take 2.7 s at 115200 baud.
const DUMP_TIME: Nanos = Nanos::from_millis(10_000);

impl Kernel {
    /// Ends the system as the boot arguments say, or by a reset if `reboots`.
    pub(crate) fn shut_down(&'static self, irqs: IrqsOff, cpu: &mut Cpu, code: u32, reboots: bool) -> Outcome {
        if self.options().trace {
            self.dump_all_traces(irqs, cpu);
        }
        self.board().end(match self.options().after {
            After::Halt | After::Shell if !reboots => Ending::Halt(code),
            After::Halt | After::Shell | After::Reboot => Ending::Reboot,
        })
    }

    /// Every CPU prints its own ring, one after the other.
    fn dump_all_traces(&'static self, irqs: IrqsOff, cpu: &mut Cpu) {
        self.dump_trace(irqs, cpu);
        for other in self.view.online().without(cpu.id).iter() {
            let deadline = now() + DUMP_TIME;
            self.inboxes[other.index()].push(Message::DumpTrace);
            self.poke(other);
            while !CpuMask::from_bits(self.dumped.load(Acquire)).contains(other) {
                if now() > deadline {
                    self.print(format_args!("trace: cpu {other} did not answer"));
                    break;
                }
                arch::cpu::relax();
            }
        }
    }

    /// Prints this CPU's ring.
    pub(crate) fn dump_trace(&self, _irqs: IrqsOff, cpu: &Cpu) {
        let id = cpu.id;
        if cpu.trace.lost() > 0 {
            self.print(format_args!("trace: cpu {id} lost {} older events", cpu.trace.lost()));
        }
        for (time, event) in cpu.trace.iter() {
            self.print(format_args!("EVENT cpu={id} t_us={} {event}", time.as_micros()));
        }
        self.dumped.fetch_or(CpuMask::of(id).bits(), Release);
    }

    /// What the kernel has counted.
    pub(crate) fn counters(&self) -> Counters {
        use core::sync::atomic::Ordering::Relaxed;
        Counters {
            refused: self.counts.refused.load(Relaxed),
            migrations: self.counts.migrations.load(Relaxed),
            ticks: self.counts.ticks.load(Relaxed),
            ipis: self.counts.ipis.load(Relaxed),
            spurious: arch::gic::spurious(),
            faults: self.counts.faults.load(Relaxed),
            tasks: self.tasks.count(),
            dropped_characters: self.output.dropped(),
        }
    }

    /// Does what a self-test asks for. Cold, so that no other call pays for its loops.
    #[cold]
    pub(crate) fn diagnose(&'static self, irqs: IrqsOff, diagnosis: Diagnosis, argument: u32) -> Result<u32> {
        if !self.options().selftest {
            return Err(Error::Refused);
        }
        match diagnosis {
            Diagnosis::HoldInterrupts if argument <= MAX_HOLD_US => {
                let until = now() + Nanos::from_micros(u64::from(argument));
                while now() < until {
                    arch::cpu::relax();
                }
                Ok(0)
            }
            Diagnosis::HoldInterrupts => Err(Error::BadArgument),
            Diagnosis::Panic => panic!("asked for by the self-test"),
            Diagnosis::KernelFault => {
                arch::cpu::touch_unmapped();
                Ok(0)
            }
            Diagnosis::StackUsed => Ok(arch::stack::used(irqs) as u32),
            Diagnosis::KernelStackOverflow => Ok(deepen(argument)),
            Diagnosis::PanicInConsole => {
                self.print(format_args!("{PanicsInFormatting}"));
                Ok(0)
            }
        }
    }
}

/// Uses up the kernel stack.
#[expect(unconditional_recursion, reason = "the point of it is the guard page")]
fn deepen(depth: u32) -> u32 {
    let room = core::hint::black_box([depth; 64]);
    deepen(depth + 1) + room[0]
}

/// Panics when it is printed, under the console lock.
struct PanicsInFormatting;

impl fmt::Display for PanicsInFormatting {
    fn fmt(&self, _: &mut fmt::Formatter<'_>) -> fmt::Result {
        panic!("asked for by the self-test, while printing")
    }
}

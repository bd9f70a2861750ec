//! The system calls: arguments checked, then handed to the room that does them.

use abi::types::{Diagnosis, MAX_CPUS, MAX_WRITE};
use abi::{Call, Error, Result};
use arch::IrqsOff;
use sched::{CpuMask, Departure, Nanos};

use crate::cpu::Cpu;
use crate::kernel::Kernel;
use crate::{policy, records};

/// What a call leaves in `r0`; nothing when it was written already, or will be by whoever wakes the caller.
pub(crate) type Outcome = Result<Option<u32>>;

const fn done(value: u32) -> Outcome {
    Ok(Some(value))
}

impl Kernel {
    /// Carries out the system call of the running task.
    #[inline]
    pub(crate) fn call(&'static self, irqs: IrqsOff, cpu: &mut Cpu, now: Nanos) {
        let context = &cpu.running().context;
        let outcome = match Call::from_number(context.number()) {
            Some(call) => {
                let arguments = [context.argument(0), context.argument(1), context.argument(2), context.argument(3)];
                self.carry_out(irqs, cpu, call, arguments, now)
            }
            None => Err(Error::NoSuchCall),
        };
        match outcome {
            Ok(None) => {}
            Ok(Some(value)) => cpu.running().context.set_result(value),
            Err(error) => cpu.running().context.set_result(error.code()),
        }
    }

    /// The frequent ones, each inlined or a function of its own; the others are a function together, so that these do
    /// not prepare registers for them.
    #[inline]
    fn carry_out(&'static self, irqs: IrqsOff, cpu: &mut Cpu, call: Call, arguments: [u32; 4], now: Nanos) -> Outcome {
        let [a, b, c, _] = arguments;
        match call {
            Call::Null => done(0),
            Call::Yield => self.yield_cpu(cpu, now),
            Call::Clock => {
                let time = now.as_nanos();
                cpu.running().context.set_result_pair(time as u32, (time >> 32) as u32);
                Ok(None)
            }
            Call::FutexWait => self.futex_wait(cpu, a, b, now),
            Call::FutexWake => self.futex_wake(cpu, a, b, now).map(Some),
            Call::ChannelSend => self.channel_send(cpu, a, b, c, now),
            Call::ChannelReceive => self.channel_receive(cpu, a, b, c, now),
            Call::SleepUntil => self.sleep_until(cpu, Nanos::new(u64::from(b) << 32 | u64::from(a)), now),
            Call::CurrentCpu => done(cpu.id.index() as u32),
            Call::CurrentTask => done(cpu.running().number.raw()),
            _ => self.carry_out_seldom(irqs, cpu, call, arguments, now),
        }
    }

    #[inline(never)]
    fn carry_out_seldom(
        &'static self,
        irqs: IrqsOff,
        cpu: &mut Cpu,
        call: Call,
        [a, b, c, d]: [u32; 4],
        now: Nanos,
    ) -> Outcome {
        match call {
            Call::Exit => self.exit(cpu, a, now),
            Call::Spawn => self.spawn(cpu, [a, b, c], d, now),
            Call::Join => self.join(cpu, a, now),
            Call::ChannelCreate => self.channels.create(a, b).map(Some),
            Call::ChannelClose => self.channel_close(cpu, a, now).map(Some),
            Call::SetAffinity => self.set_affinity(cpu, a, b).map(Some),
            Call::GetAffinity => self.tasks.find(a).map(|task| Some(task.affinity().bits())),
            Call::Statistics => self.statistics(cpu, a, b, now).map(Some),
            Call::ConsoleWrite => self.console_write(a, b).map(Some),
            Call::ConsoleRead => self.console_read(cpu, a, b, now),
            Call::SystemInfo => records::write_info(a, &self.info()).map(|()| Some(0)),
            Call::Counters => records::write_counters(a, &self.counters()).map(|()| Some(0)),
            Call::BootArguments => self.boot_arguments(a, b).map(Some),
            Call::SetPolicy => {
                self.policy.set(policy::from_numbers(a, b).ok_or(Error::BadArgument)?);
                done(0)
            }
            Call::Shutdown => self.shut_down(irqs, cpu, a, b == 1),
            Call::Diagnose => self.diagnose(irqs, Diagnosis::from_number(a).ok_or(Error::BadArgument)?, b).map(Some),
            Call::Climate => records::write_climate(a, &self.climate(now)).map(|()| Some(0)),
            Call::SetClamp => self.set_clamp(a, b, c).map(Some),
            Call::GetClamp => self.get_clamp(cpu, a),
            Call::Panicked => self.kill_panicked(cpu, a, b, now),
            Call::Null
            | Call::Yield
            | Call::Clock
            | Call::FutexWait
            | Call::FutexWake
            | Call::ChannelSend
            | Call::ChannelReceive
            | Call::SleepUntil
            | Call::CurrentCpu
            | Call::CurrentTask => unreachable!("carried out already"),
        }
    }

    /// The result is written first: when the call is over another task may be the running one.
    #[inline]
    fn yield_cpu(&'static self, cpu: &mut Cpu, now: Nanos) -> Outcome {
        cpu.running().context.set_result(0);
        // Where nobody was found who may run, leaving the kernel goes on looking.
        self.give_way(cpu, now, true);
        Ok(None)
    }

    fn sleep_until(&'static self, cpu: &mut Cpu, time: Nanos, now: Nanos) -> Outcome {
        if time <= now {
            return done(0);
        }
        let task = cpu.give_up(now, Departure::Sleeps);
        task.context.set_result(0);
        cpu.put_to_sleep(time, task);
        Ok(None)
    }

    /// The mask that a task asked for, cut to what can ever matter.
    ///
    /// # Errors
    /// [`Error::BadArgument`] when no online CPU is left of it.
    pub(crate) fn allowed(&self, mask: u32) -> Result<CpuMask> {
        let mask = CpuMask::from_bits(mask & ((1 << MAX_CPUS) - 1));
        if (mask & self.view.online()).is_empty() { Err(Error::BadArgument) } else { Ok(mask) }
    }

    fn set_affinity(&'static self, cpu: &mut Cpu, number: u32, mask: u32) -> Result<u32> {
        let mask = self.allowed(mask)?;
        let task = self.tasks.find(number)?;
        task.set_affinity(mask);
        if cpu.running().number.raw() == number {
            cpu.reschedule |= !mask.contains(cpu.id);
        } else {
            // Its CPU looks at the task again. Where it has just left, its new CPU reads the new mask anyway.
            self.poke(task.cpu());
        }
        Ok(0)
    }

    fn console_write(&'static self, address: u32, length: u32) -> Result<u32> {
        if length as usize > MAX_WRITE {
            return Err(Error::TooLong);
        }
        let mut bytes = [0; MAX_WRITE];
        let bytes = &mut bytes[..length as usize];
        arch::user::read(address, bytes).map_err(|_| Error::BadAddress)?;
        let text = core::str::from_utf8(bytes).map_err(|_| Error::BadArgument)?;
        self.output.write(self.board().console(), format_args!("{text}"));
        Ok(0)
    }

    fn boot_arguments(&'static self, address: u32, length: u32) -> Result<u32> {
        let arguments = self.board().boot_arguments().as_bytes();
        let copied = arguments.len().min(length as usize);
        arch::user::write(address, &arguments[..copied]).map_err(|_| Error::BadAddress)?;
        Ok(arguments.len() as u32)
    }
}

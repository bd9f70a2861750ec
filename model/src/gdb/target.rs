//! The machine as the stub sees it.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use gdbstub::common::{Signal, Tid};
use gdbstub::target::ext::base::BaseOps;
use gdbstub::target::ext::base::multithread::{
    MultiThreadBase, MultiThreadResume, MultiThreadResumeOps, MultiThreadSchedulerLocking,
    MultiThreadSchedulerLockingOps, MultiThreadSingleStep, MultiThreadSingleStepOps,
};
use gdbstub::target::ext::breakpoints::{Breakpoints, BreakpointsOps, SwBreakpoint, SwBreakpointOps};
use gdbstub::target::{Target, TargetError, TargetResult};
use gdbstub_arch::arm::reg::ArmCoreRegs;
use gdbstub_arch::arm::{ArmBreakpointKind, Armv4t};

use super::next;
use crate::bus::Time;
use crate::cpu::Activity;
use crate::machine::host::BREAKPOINT;
use crate::machine::{Limits, Machine, Outcome, Show, Soc, Typing};

/// BKPT with the debugger's number.
const BKPT: u32 = 0xe120_0070 | (BREAKPOINT as u32 >> 4) << 8 | BREAKPOINT as u32 & 0xf;

/// The thread that stands for a core.
pub fn thread_of(core: usize) -> Tid {
    Tid::new(core + 1).expect("one more than any number is not zero")
}

fn core_of(thread: Tid) -> usize {
    thread.get() - 1
}

/// A machine under a debugger.
pub struct Debugged<'a, P: Soc> {
    machine: &'a mut Machine<P>,
    show: &'a mut Show<'a>,
    /// The host's time that it may still run.
    left: Duration,
    /// What stood where breakpoints are now.
    breakpoints: BTreeMap<u32, u32>,
    /// The ones among them that a step has set.
    of_step: Vec<u32>,
    step: Option<usize>,
    /// How the guest ended, once it has.
    pub outcome: Option<Outcome>,
}

impl<'a, P: Soc> Debugged<'a, P> {
    /// Nothing is set yet.
    pub fn new(machine: &'a mut Machine<P>, limit: Duration, show: &'a mut Show<'a>) -> Self {
        Self {
            machine,
            show,
            left: limit,
            breakpoints: BTreeMap::new(),
            of_step: Vec::new(),
            step: None,
            outcome: None,
        }
    }

    /// Model time.
    pub fn now(&self) -> u64 {
        self.machine.now()
    }

    /// Lets the machine run until `model`, as long as it still may. What is typed reaches the debugger, not the guest.
    pub fn run_until(&mut self, model: Time) -> Outcome {
        let begun = Instant::now();
        let limits = Limits { model, host: self.left };
        let outcome = self.machine.run_on(&limits, &mut Typing::nothing(), self.show);
        self.left = self.left.saturating_sub(begun.elapsed());
        match outcome {
            // A turn is too short for the machine to look at the host's clock in.
            Outcome::TimeLimit if self.left.is_zero() => Outcome::HostLimit,
            outcome => outcome,
        }
    }

    /// The machine will not run again.
    pub fn finish(&mut self) {
        self.machine.finish(self.show);
    }

    /// Takes the breakpoints of a step away. Whether there was one under way.
    pub fn end_step(&mut self) -> bool {
        for address in std::mem::take(&mut self.of_step) {
            self.remove(address);
        }
        self.step.take().is_some()
    }

    /// Takes all breakpoints away.
    pub fn remove_all(&mut self) {
        let addresses: Vec<u32> = self.breakpoints.keys().copied().collect();
        addresses.into_iter().for_each(|address| self.remove(address));
    }

    fn insert(&mut self, address: u32) -> bool {
        if self.breakpoints.contains_key(&address) {
            return true;
        }
        let Some(old) = self.machine.bus.memory.read_word(address) else { return false };
        self.machine.bus.memory.patch(address, BKPT);
        self.breakpoints.insert(address, old);
        true
    }

    fn remove(&mut self, address: u32) {
        if let Some(old) = self.breakpoints.remove(&address) {
            self.machine.bus.memory.patch(address, old);
        }
    }
}

impl<P: Soc> Target for Debugged<'_, P> {
    type Arch = Armv4t;
    type Error = &'static str;

    fn base_ops(&mut self) -> BaseOps<'_, Self::Arch, Self::Error> {
        BaseOps::MultiThread(self)
    }

    fn support_breakpoints(&mut self) -> Option<BreakpointsOps<'_, Self>> {
        Some(self)
    }
}

impl<P: Soc> MultiThreadBase for Debugged<'_, P> {
    fn read_registers(&mut self, registers: &mut ArmCoreRegs, thread: Tid) -> TargetResult<(), Self> {
        let core = self.machine.cores.get(core_of(thread)).ok_or(TargetError::NonFatal)?;
        registers.r.copy_from_slice(&core.r[..13]);
        (registers.sp, registers.lr) = (core.r[13], core.r[14]);
        (registers.pc, registers.cpsr) = (core.pc, core.cpsr());
        Ok(())
    }

    fn write_registers(&mut self, registers: &ArmCoreRegs, thread: Tid) -> TargetResult<(), Self> {
        let core = self.machine.cores.get_mut(core_of(thread)).ok_or(TargetError::NonFatal)?;
        core.r[..13].copy_from_slice(&registers.r);
        (core.r[13], core.r[14]) = (registers.sp, registers.lr);
        core.pc = registers.pc;
        core.set_cpsr(registers.cpsr);
        Ok(())
    }

    fn read_addrs(&mut self, start: u32, data: &mut [u8], _: Tid) -> TargetResult<usize, Self> {
        // The guest maps memory one to one; devices are not read, for reading changes them.
        let readable = self.machine.bus.memory.read(start, data);
        readable.map(|()| data.len()).ok_or(TargetError::NonFatal)
    }

    fn write_addrs(&mut self, start: u32, data: &[u8], _: Tid) -> TargetResult<(), Self> {
        self.machine.bus.memory.write(start, data).ok_or(TargetError::NonFatal)
    }

    fn list_active_threads(&mut self, register: &mut dyn FnMut(Tid)) -> Result<(), Self::Error> {
        let running = self.machine.cores.iter().filter(|core| core.activity != Activity::Off);
        running.for_each(|core| register(thread_of(core.index)));
        Ok(())
    }

    fn support_resume(&mut self) -> Option<MultiThreadResumeOps<'_, Self>> {
        Some(self)
    }
}

impl<P: Soc> MultiThreadResume for Debugged<'_, P> {
    fn resume(&mut self) -> Result<(), Self::Error> {
        let Some(core) = self.step else { return Ok(()) };
        for address in next::places(&self.machine.cores[core], &mut self.machine.bus.memory) {
            if !self.breakpoints.contains_key(&address) && self.insert(address) {
                self.of_step.push(address);
            }
        }
        Ok(())
    }

    fn clear_resume_actions(&mut self) -> Result<(), Self::Error> {
        self.end_step();
        self.machine.held = 0;
        Ok(())
    }

    fn set_resume_action_continue(&mut self, _: Tid, _: Option<Signal>) -> Result<(), Self::Error> {
        Ok(())
    }

    fn support_single_step(&mut self) -> Option<MultiThreadSingleStepOps<'_, Self>> {
        Some(self)
    }

    fn support_scheduler_locking(&mut self) -> Option<MultiThreadSchedulerLockingOps<'_, Self>> {
        Some(self)
    }
}

impl<P: Soc> MultiThreadSingleStep for Debugged<'_, P> {
    fn set_resume_action_step(&mut self, thread: Tid, _: Option<Signal>) -> Result<(), Self::Error> {
        self.step = Some(core_of(thread)).filter(|core| *core < self.machine.cores.len());
        self.step.map(|_| ()).ok_or("there is no such core")
    }
}

impl<P: Soc> MultiThreadSchedulerLocking for Debugged<'_, P> {
    fn set_resume_action_scheduler_lock(&mut self) -> Result<(), Self::Error> {
        self.machine.held = self.step.map_or(0, |core| !(1 << core));
        Ok(())
    }
}

impl<P: Soc> Breakpoints for Debugged<'_, P> {
    fn support_sw_breakpoint(&mut self) -> Option<SwBreakpointOps<'_, Self>> {
        Some(self)
    }
}

impl<P: Soc> SwBreakpoint for Debugged<'_, P> {
    fn add_sw_breakpoint(&mut self, address: u32, kind: ArmBreakpointKind) -> TargetResult<bool, Self> {
        Ok(matches!(kind, ArmBreakpointKind::Arm32) && self.insert(address))
    }

    fn remove_sw_breakpoint(&mut self, address: u32, _: ArmBreakpointKind) -> TargetResult<bool, Self> {
        let known = self.breakpoints.contains_key(&address);
        self.remove(address);
        Ok(known)
    }
}

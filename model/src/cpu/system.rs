//! Calls, hints, barriers, and what is undefined (ARM ARM A5.6, B9.3).

use super::cp15::{SCR_HCE, SCR_NS};
use super::op::{EXIT, Op};
use super::{Activity, Core, Exception, World};
use crate::bus::{Answer, Call, Misuse};

impl Core {
    /// An undefined instruction.
    #[cold]
    pub(super) fn undefined(&mut self, i: usize) -> usize {
        self.raise(Exception::Undefined, i)
    }

    /// Offers a call to the platform; takes `exception` if it declines.
    fn offer(&mut self, bus: &mut World, call: Call, exception: Exception, i: usize) -> usize {
        let at = self.access(i);
        self.pc = at.pc.wrapping_add(4);
        let answer = bus.platform.call(call, self, &mut bus.memory, &at);
        if answer == Answer::Decline {
            return self.raise(exception, i);
        }
        self.sample_lines(bus);
        self.attention = true;
        if answer == Answer::EndSlice {
            self.end_slice();
        }
        EXIT
    }
}

/// UDF and what the architecture leaves undefined.
pub(super) fn undefined(core: &mut Core, _: &mut World, _: &Op, i: usize) -> usize {
    core.undefined(i)
}

/// An instruction that exists but not here: named, and undefined to the guest. `imm` is its encoding.
pub(super) fn unimplemented(core: &mut Core, bus: &mut World, op: &Op, i: usize) -> usize {
    bus.platform.misuse(Misuse::Unimplemented, op.imm, &core.access(i));
    core.undefined(i)
}

/// SVC.
pub(super) fn supervisor_call(core: &mut Core, bus: &mut World, op: &Op, i: usize) -> usize {
    core.offer(bus, Call::Svc(op.imm), Exception::SupervisorCall, i)
}

/// HVC: needs SCR.HCE, and is not for USR mode or the secure state (ARM ARM B9.3.4).
pub(super) fn hypervisor_call(core: &mut Core, bus: &mut World, op: &Op, i: usize) -> usize {
    if !core.privileged() {
        return core.undefined(i);
    }
    let allowed = core.cp15.scr & (SCR_HCE | SCR_NS) == SCR_HCE | SCR_NS;
    let exception = if allowed { Exception::HypervisorCall } else { Exception::Undefined };
    core.offer(bus, Call::Hvc(op.imm as u16), exception, i)
}

/// SMC.
pub(super) fn monitor_call(core: &mut Core, bus: &mut World, op: &Op, i: usize) -> usize {
    if !core.privileged() {
        return core.undefined(i);
    }
    core.offer(bus, Call::Smc(op.imm as u16), Exception::MonitorCall, i)
}

/// BKPT: without a debugger, a prefetch abort with the debug status.
pub(super) fn breakpoint(core: &mut Core, bus: &mut World, op: &Op, i: usize) -> usize {
    let exception = Exception::PrefetchAbort { status: 0b00010, address: core.progress.pc_of(i) };
    core.offer(bus, Call::Breakpoint(op.imm as u16), exception, i)
}

/// HLT, by which later architectures call a debugger: undefined here unless the platform knows it.
pub(super) fn halt(core: &mut Core, bus: &mut World, op: &Op, i: usize) -> usize {
    core.offer(bus, Call::Halt(op.imm as u16), Exception::Undefined, i)
}

/// NOP, and hints without effect here.
pub(super) fn nothing(_: &mut Core, _: &mut World, _: &Op, i: usize) -> usize {
    i + 1
}

/// ISB: what follows is fetched anew.
pub(super) fn synchronise(core: &mut Core, _: &mut World, _: &Op, i: usize) -> usize {
    core.resume_behind(i)
}

/// WFI: returns at once if an interrupt is already pending, masked or not.
pub(super) fn wait_for_interrupt(core: &mut Core, bus: &mut World, _: &Op, i: usize) -> usize {
    core.sample_lines(bus);
    if !core.lines.irq && !core.lines.fiq {
        core.activity = Activity::WaitingForInterrupt;
        core.attention = true;
    }
    core.resume_behind(i)
}

/// WFE: clears the event register, or waits if it is clear.
pub(super) fn wait_for_event(core: &mut Core, bus: &mut World, _: &Op, i: usize) -> usize {
    let event = bus.events >> core.index & 1 != 0;
    bus.events &= !(1 << core.index);
    core.sample_lines(bus);
    if !event && !core.lines.irq && !core.lines.fiq {
        core.activity = Activity::WaitingForEvent;
        core.attention = true;
    }
    core.resume_behind(i)
}

/// SEV.
pub(super) fn send_event(_: &mut Core, bus: &mut World, _: &Op, i: usize) -> usize {
    bus.events = u32::MAX;
    i + 1
}

//! Interrupts between CPUs, recorded.

use super::{Ipi, gic, machine};
use crate::{IrqsOff, MAX_CPUS};

pub use crate::common::{RESCHEDULE, STOP};

/// Asks `cpu` to look at its inbox.
pub fn reschedule(cpu: usize) {
    send(cpu, RESCHEDULE);
}

/// Stops all CPUs but this one.
pub fn stop_others(irqs: IrqsOff) {
    (0..MAX_CPUS).filter(|&cpu| cpu != irqs.cpu()).for_each(|cpu| send(cpu, STOP));
}

fn send(to: usize, id: u32) {
    machine(|machine| {
        let from = machine.current;
        machine.ipis.push(Ipi { from, to, id });
        machine.pending[to].push(gic::interrupt(id, from));
    });
}

//! The interrupt controller: a list of pending interrupts for each CPU.

use super::machine;
use crate::IrqsOff;
use crate::time;

/// An interrupt that was taken and has to be ended.
#[must_use = "an interrupt that is not ended blocks all others of its priority"]
#[derive(Debug)]
pub struct Acknowledged {
    id: u32,
    source: usize,
}

impl Acknowledged {
    pub(super) const fn new(id: u32, source: usize) -> Self {
        Self { id, source }
    }

    /// The interrupt's number.
    #[must_use]
    pub fn id(&self) -> u32 {
        self.id
    }

    /// Who sent it, for SGIs.
    #[must_use]
    pub fn source(&self) -> usize {
        self.source
    }
}

/// Takes the next pending interrupt of this CPU: the oldest raised one, then the timer's.
pub fn acknowledge(irqs: IrqsOff) -> Option<Acknowledged> {
    machine(|machine| {
        let cpu = irqs.cpu();
        if !machine.has_pending(cpu) {
            machine.spurious += 1;
            return None;
        }
        let queue = &mut machine.pending[cpu];
        let timer = Acknowledged::new(time::INTERRUPT, 0);
        Some(if queue.is_empty() { timer } else { queue.remove(0) })
    })
}

/// Ends an interrupt.
pub fn end(_irqs: IrqsOff, interrupt: Acknowledged) {
    drop(interrupt);
}

/// How often there was nothing to acknowledge.
#[must_use]
pub fn spurious() -> u32 {
    machine(|machine| machine.spurious)
}

/// Sets up what the CPUs share; nothing on the host.
pub fn init_distributor(_irqs: IrqsOff) {}

/// Sets up what belongs to this CPU; nothing on the host.
pub fn init_interface(_irqs: IrqsOff) {}

/// Lets shared interrupt `id` come to `cpu`; on the host they always do.
pub fn enable_shared(_irqs: IrqsOff, _id: u32, _cpu: usize) {}

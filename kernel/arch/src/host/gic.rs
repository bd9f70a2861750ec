//! The interrupt controller: a list of pending interrupts for each CPU.

use super::machine;
use crate::IrqsOff;
use crate::interrupts::IAR;
use crate::time;

pub use crate::interrupts::Acknowledged;

/// Interrupt `id` as GICC_IAR shows it when the GIC's CPU `source` sent it.
pub(super) fn interrupt(id: u32, source: usize) -> Acknowledged {
    let register = IAR::ID.val(id) + IAR::SOURCE.val(source as u32);
    Acknowledged::from_register(register.value).expect("this number means no interrupt")
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
        let timer = interrupt(time::INTERRUPT, 0);
        Some(if queue.is_empty() { timer } else { queue.remove(0) })
    })
}

/// Ends an interrupt; [`super::take_ended`] tells which were.
pub fn end(_irqs: IrqsOff, interrupt: Acknowledged) {
    machine(|machine| machine.ended.push(interrupt.into_register()));
}

/// How often there was nothing to acknowledge.
#[must_use]
pub fn spurious() -> u32 {
    machine(|machine| machine.spurious)
}

/// Sets up what the CPUs share; nothing on the host.
pub fn set_up_distributor(_irqs: IrqsOff) {}

/// Sets up what belongs to this CPU; nothing on the host.
pub fn set_up_interface(_irqs: IrqsOff) {}

/// Lets shared interrupt `id` come to `cpu`; on the host they always do.
pub fn enable_shared(_irqs: IrqsOff, _id: u32, _cpu: usize) {}

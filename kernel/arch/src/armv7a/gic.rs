//! The interrupt controller: GICv2 (ARM IHI 0048B).
//!
//! The distributor is shared, so it sits behind a lock; the CPU interface is banked, so it needs none. Both work in the
//! secure and in the non-secure world: the groups stay as the firmware left them, and bit 0 of the control registers
//! enables the group that this world sees.
#![expect(unsafe_code, reason = "device registers at addresses that the board gives")]

use core::sync::atomic::{AtomicU8, AtomicU32, Ordering};

use aarch32_cpu::asm::dsb;
use spin::Mutex;
use tock_registers::interfaces::{Readable, Writeable};
use tock_registers::register_structs;
use tock_registers::registers::{ReadOnly, ReadWrite, WriteOnly};

use super::boot::platform;
use crate::interrupts::{FIRST_SPECIAL, IAR, PRIVATE, SGIR, own_target, retarget};
use crate::time;
use crate::{IrqsOff, MAX_CPUS};

pub use crate::interrupts::Acknowledged;

register_structs! {
    DistributorRegisters {
        (0x000 => control: ReadWrite<u32>),
        (0x004 => types: ReadOnly<u32>),
        (0x008 => _gap0),
        (0x100 => set_enable: [ReadWrite<u32>; 32]),
        (0x180 => clear_enable: [ReadWrite<u32>; 32]),
        (0x200 => _gap1),
        (0x400 => priorities: [ReadWrite<u32>; 255]),
        (0x7fc => _gap2),
        (0x800 => targets: [ReadWrite<u32>; 255]),
        (0xbfc => _gap3),
        (0xf00 => software: WriteOnly<u32, SGIR::Register>),
        (0xf04 => @END),
    }
}

register_structs! {
    InterfaceRegisters {
        (0x00 => control: ReadWrite<u32>),
        (0x04 => priority_mask: ReadWrite<u32>),
        (0x08 => _gap0),
        (0x0c => acknowledge: ReadOnly<u32, IAR::Register>),
        (0x10 => end: WriteOnly<u32>),
        (0x14 => @END),
    }
}

const ENABLE: u32 = 1;
/// Lets every priority pass that a non-secure world can set.
const PRIORITY_MASK: u32 = 0xf0;
/// All interrupts have one priority: none preempts another, as the kernel is never interrupted.
const PRIORITIES: u32 = 0xa0a0_a0a0;
/// Words that hold one byte for each private interrupt.
const PRIVATE_WORDS: usize = PRIVATE as usize / 4;

/// What the CPUs share. Locked for a few register accesses at a time, never while anything else is locked.
static DISTRIBUTOR: Mutex<Distributor> = Mutex::new(Distributor);
/// Each CPU's bit in the distributor's target fields, by dense number; 0 until its interface is set up.
static TARGETS: [AtomicU8; MAX_CPUS] = [const { AtomicU8::new(0) }; MAX_CPUS];
/// Acknowledgements with nothing to acknowledge.
static SPURIOUS: AtomicU32 = AtomicU32::new(0);

/// The only path to the distributor's registers, except for sending SGIs, which is one write.
struct Distributor;

impl Distributor {
    fn registers(&self) -> &'static DistributorRegisters {
        distributor_registers()
    }

    fn init(&mut self) {
        let registers = self.registers();
        registers.control.set(0);
        let groups_of_32 = (registers.types.get() & 0x1f) as usize + 1;
        for group in 1..groups_of_32 {
            registers.clear_enable[group].set(!0);
        }
        for word in PRIVATE_WORDS..(groups_of_32 * 32 / 4).min(registers.priorities.len()) {
            registers.priorities[word].set(PRIORITIES);
        }
        registers.control.set(ENABLE);
    }

    fn enable_shared(&mut self, id: usize, target: u8) {
        let registers = self.registers();
        let word = &registers.targets[id / 4];
        word.set(retarget(word.get(), id, target));
        registers.set_enable[id / 32].set(1 << (id % 32));
    }
}

#[inline(always)]
fn distributor_registers() -> &'static DistributorRegisters {
    // SAFETY: the board's fact; the area is mapped as device memory, and register cells allow shared access.
    unsafe { &*(platform().gic_distributor as *const DistributorRegisters) }
}

/// The executing CPU's interface: the address is one, the registers are banked.
#[inline(always)]
fn interface(_irqs: IrqsOff) -> &'static InterfaceRegisters {
    // SAFETY: as for the distributor.
    unsafe { &*(platform().gic_interface as *const InterfaceRegisters) }
}

/// Sets up what the CPUs share. Once, on the boot CPU.
pub fn set_up_distributor(_irqs: IrqsOff) {
    DISTRIBUTOR.lock().init();
}

/// Sets up what belongs to the executing CPU: SGIs and the timer come through.
pub fn set_up_interface(irqs: IrqsOff) {
    let banked = distributor_registers();
    TARGETS[irqs.cpu()].store(own_target(banked.targets[0].get()), Ordering::Release);
    for word in 0..PRIVATE_WORDS {
        banked.priorities[word].set(PRIORITIES);
    }
    banked.clear_enable[0].set(!0);
    banked.set_enable[0].set(0xffff | 1 << time::INTERRUPT);
    let interface = interface(irqs);
    interface.priority_mask.set(PRIORITY_MASK);
    interface.control.set(ENABLE);
}

/// Lets shared interrupt `id`, level or edge as it is after reset, come to `cpu`.
///
/// # Panics
///
/// If `id` is no shared interrupt, or the interface of `cpu` is not set up.
pub fn enable_shared(_irqs: IrqsOff, id: u32, cpu: usize) {
    assert!((PRIVATE..FIRST_SPECIAL).contains(&id), "there is no such shared interrupt");
    let target = TARGETS[cpu].load(Ordering::Acquire);
    assert!(target != 0, "the target's interface is not set up");
    DISTRIBUTOR.lock().enable_shared(id as usize, target);
}

/// Takes the executing CPU's most urgent pending interrupt. `None`, counted, if there is none.
#[inline]
pub fn acknowledge(irqs: IrqsOff) -> Option<Acknowledged> {
    let interrupt = Acknowledged::from_register(interface(irqs).acknowledge.get());
    if interrupt.is_none() {
        SPURIOUS.fetch_add(1, Ordering::Relaxed);
    }
    interrupt
}

/// Ends an interrupt: the next one may come.
#[inline]
pub fn end(irqs: IrqsOff, interrupt: Acknowledged) {
    interface(irqs).end.set(interrupt.into_register());
}

/// How often there was nothing to acknowledge, on all CPUs.
#[must_use]
pub fn spurious() -> u32 {
    SPURIOUS.load(Ordering::Relaxed)
}

/// Sends SGI `id` to `cpu`. Lost if that CPU's interface is not set up yet; it looks at its inbox when it starts.
#[inline]
pub(super) fn send(cpu: usize, id: u32) {
    let target = u32::from(TARGETS[cpu].load(Ordering::Relaxed));
    // What the SGI tells about must be visible before it.
    dsb();
    distributor_registers().software.write(SGIR::TARGETS.val(target) + SGIR::ID.val(id));
}

/// Sends SGI `id` to every CPU but the executing one.
pub(super) fn send_to_others(id: u32) {
    dsb();
    distributor_registers().software.write(SGIR::TARGET_FILTER::Others + SGIR::ID.val(id));
}

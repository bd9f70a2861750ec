//! The CPU interfaces' registers (ARM IHI 0048B, 4.4).

use super::{Gic, Interface, SPURIOUS};
use crate::bus::{Access, BusFault, Size};
use crate::findings::FindingKind;
use crate::soc::device::{Device, Effects};

const CTLR: u32 = 0x00;
const PMR: u32 = 0x04;
const BPR: u32 = 0x08;
const IAR: u32 = 0x0c;
const EOIR: u32 = 0x10;
const RPR: u32 = 0x14;
const HPPIR: u32 = 0x18;
const ABPR: u32 = 0x1c;
const IIDR: u32 = 0xfc;
const DIR: u32 = 0x1000;

/// Interrupt numbers from here on are no interrupts.
const FIRST_SPECIAL: u32 = 1020;
/// GICv2, Arm.
const IMPLEMENTER: u32 = 0x0202_143b;

/// The accessing core's interface as it sees it on the bus.
#[derive(Debug)]
pub struct CpuInterface<'a>(pub &'a mut Gic);

impl Device for CpuInterface<'_> {
    fn read(&mut self, offset: u32, size: Size, at: &Access, effects: &mut Effects) -> Result<u32, BusFault> {
        let gic = &mut *self.0;
        effects.expect_word(size, "GIC CPU interface", offset, at);
        let number = gic.layout.interfaces[at.core];
        let restricted = gic.restricted(at);
        let interface = &gic.interfaces[number];
        Ok(match offset {
            CTLR => interface.control(restricted),
            PMR => shown(interface.priority_mask, restricted).into(),
            BPR if restricted => interface.binary_points[1].into(),
            BPR => interface.binary_points[0].into(),
            ABPR if !restricted => interface.binary_points[1].into(),
            IAR => gic.acknowledge(number, restricted),
            RPR => shown_running(interface.running_priority(), restricted).into(),
            HPPIR => gic.best[number].unwrap_or(SPURIOUS),
            IIDR => IMPLEMENTER,
            _ => 0,
        })
    }

    fn write(
        &mut self,
        offset: u32,
        size: Size,
        value: u32,
        at: &Access,
        effects: &mut Effects,
    ) -> Result<(), BusFault> {
        let gic = &mut *self.0;
        effects.expect_word(size, "GIC CPU interface", offset, at);
        let number = gic.layout.interfaces[at.core];
        let restricted = gic.restricted(at);
        let bits = gic.priority_bits();
        let interface = &mut gic.interfaces[number];
        match offset {
            CTLR => interface.set_control(value, restricted),
            // A mask in the secure half is out of the non-secure world's reach (4.4.2).
            PMR if restricted && interface.priority_mask < 0x80 => {}
            PMR if restricted => interface.priority_mask = (value as u8 >> 1 | 0x80) & bits,
            PMR => interface.priority_mask = value as u8 & bits,
            BPR if restricted => interface.binary_points[1] = (value as u8 & 7).max(3),
            BPR => interface.binary_points[0] = (value as u8 & 7).max(2),
            ABPR if !restricted => interface.binary_points[1] = (value as u8 & 7).max(3),
            EOIR => gic.end(number, value, restricted, at, effects),
            DIR => gic.deactivate(number, value, at, effects),
            _ => {}
        }
        gic.settle_one(number);
        Ok(())
    }
}

impl Gic {
    fn acknowledge(&mut self, number: usize, restricted: bool) -> u32 {
        let Some(id) = self.best[number] else { return SPURIOUS };
        let Some(interrupt) = self.interrupt_mut(number, id as usize) else { return SPURIOUS };
        if restricted && !interrupt.group1 {
            return SPURIOUS;
        }
        let mut value = id;
        if id < 16 {
            // One acknowledgement is for one sender; the SGI stays pending while others have sent it, too.
            let sender = interrupt.senders.trailing_zeros();
            interrupt.senders &= !(1 << sender);
            value |= sender << 10;
        }
        interrupt.latched = false;
        interrupt.active = true;
        let interrupt = *interrupt;
        let interface = &mut self.interfaces[number];
        let priority = interface.group_priority(&interrupt) as u8;
        interface.running.push((value, priority));
        // A shared interrupt that this core took is nobody else's any more.
        self.settle_after(number, id as usize);
        value
    }

    fn end(&mut self, number: usize, value: u32, restricted: bool, at: &Access, effects: &mut Effects) {
        if value & 0x3ff >= FIRST_SPECIAL {
            let what = format!("{value:#x} is no interrupt: a spurious acknowledgement must not be ended");
            effects.find(FindingKind::EndOfInterrupt, at, what);
            return;
        }
        let interface = &mut self.interfaces[number];
        match interface.running.last() {
            Some(&(acknowledged, _)) if acknowledged == value => {}
            Some(&(acknowledged, _)) => {
                let what = format!("{value:#x} was written, {acknowledged:#x} was acknowledged last");
                effects.find(FindingKind::EndOfInterrupt, at, what);
                return;
            }
            None => {
                let what = format!("{value:#x} was written, nothing was acknowledged");
                effects.find(FindingKind::EndOfInterrupt, at, what);
                return;
            }
        }
        interface.running.pop();
        let split = interface.split_end[usize::from(restricted)];
        if !split {
            self.set_inactive(number, value);
        }
    }

    fn deactivate(&mut self, number: usize, value: u32, at: &Access, effects: &mut Effects) {
        let id = (value & 0x3ff) as usize;
        if !self.interrupt(number, id).is_some_and(|interrupt| interrupt.active) {
            effects.find(FindingKind::EndOfInterrupt, at, format!("{value:#x} is deactivated but not active"));
        }
        self.set_inactive(number, value);
    }

    fn set_inactive(&mut self, number: usize, value: u32) {
        let id = (value & 0x3ff) as usize;
        if let Some(interrupt) = self.interrupt_mut(number, id) {
            interrupt.active = false;
        }
        self.settle_after(number, id);
    }
}

impl Interface {
    fn control(&self, restricted: bool) -> u32 {
        let split = |world: usize, bit: u32| u32::from(self.split_end[world]) << bit;
        match restricted {
            true => u32::from(self.group1) | split(1, 9),
            false => u32::from(self.group0) | u32::from(self.group1) << 1 | split(0, 9) | split(1, 10),
        }
    }

    fn set_control(&mut self, value: u32, restricted: bool) {
        if restricted {
            self.group1 = value & 1 != 0;
            self.split_end[1] = value >> 9 & 1 != 0;
        } else {
            self.group0 = value & 1 != 0;
            self.group1 = value & 2 != 0;
            self.split_end = [value >> 9 & 1 != 0, value >> 10 & 1 != 0];
        }
    }
}

/// A priority as the world sees it: the non-secure one sees its half as the whole (3.8.1).
fn shown(priority: u8, restricted: bool) -> u8 {
    match restricted {
        true if priority < 0x80 => 0,
        true => priority << 1,
        false => priority,
    }
}

/// The same for the running priority, where "idle" stays what it is.
fn shown_running(priority: u8, restricted: bool) -> u8 {
    if priority == super::IDLE_PRIORITY { priority } else { shown(priority, restricted) }
}

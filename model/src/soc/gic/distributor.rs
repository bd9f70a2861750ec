//! The distributor's registers (ARM IHI 0048B, 4.3).

use super::{Gic, PRIVATE};
use crate::bus::{Access, BusFault, Size};
use crate::soc::device::{Device, Effects};

const CTLR: u32 = 0x000;
const TYPER: u32 = 0x004;
const IIDR: u32 = 0x008;
const IGROUPR: u32 = 0x080;
const ISENABLER: u32 = 0x100;
const ICENABLER: u32 = 0x180;
const ISPENDR: u32 = 0x200;
const ICPENDR: u32 = 0x280;
const ISACTIVER: u32 = 0x300;
const ICACTIVER: u32 = 0x380;
const IPRIORITYR: u32 = 0x400;
const ITARGETSR: u32 = 0x800;
const ICFGR: u32 = 0xc00;
const NSACR: u32 = 0xe00;
const SGIR: u32 = 0xf00;
const CPENDSGIR: u32 = 0xf10;
const SPENDSGIR: u32 = 0xf20;
/// Peripheral ID2: architecture version 2.
const PIDR2: u32 = 0xfe8;

/// GIC-400 r0p1, Arm.
const IMPLEMENTER: u32 = 0x0200_143b;

/// The distributor as the cores see it on the bus.
#[derive(Debug)]
pub struct Distributor<'a>(pub &'a mut Gic);

impl Device for Distributor<'_> {
    fn read(&mut self, offset: u32, size: Size, at: &Access, effects: &mut Effects) -> Result<u32, BusFault> {
        let interface = self.0.layout.interfaces[at.core];
        let bytewise = (IPRIORITYR..ICFGR).contains(&offset) || (CPENDSGIR..PIDR2).contains(&offset);
        if !bytewise {
            effects.expect_word(size, "GIC distributor", offset, at);
        }
        Ok(match offset {
            CTLR if self.0.restricted(at) => u32::from(self.0.group1),
            CTLR => u32::from(self.0.group0) | u32::from(self.0.group1) << 1,
            TYPER => self.0.types(),
            IIDR => IMPLEMENTER,
            IGROUPR..NSACR => (0..size.bytes()).fold(0, |word, byte| {
                let value = self.0.read_byte(interface, offset + byte, at);
                word | u32::from(value) << (8 * byte)
            }),
            CPENDSGIR..0xf30 => (0..size.bytes()).fold(0, |word, byte| {
                let id = ((offset - CPENDSGIR) & 0xf) + byte;
                word | u32::from(self.0.interfaces[interface].private[id as usize].senders) << (8 * byte)
            }),
            PIDR2 => 0x20,
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
        let interface = gic.layout.interfaces[at.core];
        let bytewise = (IPRIORITYR..ICFGR).contains(&offset) || (CPENDSGIR..0xf30).contains(&offset);
        if !bytewise {
            effects.expect_word(size, "GIC distributor", offset, at);
        }
        match offset {
            CTLR if gic.restricted(at) => gic.group1 = value & 1 != 0,
            CTLR => {
                gic.group0 = value & 1 != 0;
                gic.group1 = value & 2 != 0;
            }
            IGROUPR..NSACR => (0..size.bytes())
                .for_each(|byte| gic.write_byte(interface, offset + byte, (value >> (8 * byte)) as u8, at)),
            SGIR => gic.send(interface, value, at),
            CPENDSGIR..0xf30 => (0..size.bytes()).for_each(|byte| {
                let id = ((offset - CPENDSGIR) & 0xf) + byte;
                let senders = &mut gic.interfaces[interface].private[id as usize].senders;
                let mask = (value >> (8 * byte)) as u8;
                *senders = if offset < SPENDSGIR { *senders & !mask } else { *senders | mask };
            }),
            _ => {}
        }
        gic.settle();
        Ok(())
    }
}

impl Gic {
    fn types(&self) -> u32 {
        let lines = self.layout.interrupts as u32 / 32 - 1;
        let interfaces = self.interfaces.len() as u32 - 1;
        lines | interfaces << 5 | u32::from(self.layout.two_worlds) << 10
    }

    /// One byte of the registers that have a field for each interrupt.
    fn read_byte(&self, interface: usize, offset: u32, at: &Access) -> u8 {
        let restricted = self.restricted(at);
        let visible = |id: usize| {
            self.interrupt(interface, id)
                .filter(|interrupt| !restricted || interrupt.group1)
                .copied()
                .unwrap_or_default()
        };
        let bits = |base: u32, field: fn(&super::Interrupt) -> bool| {
            let first = (offset - base) as usize * 8;
            (0..8).fold(0, |byte, bit| byte | u8::from(field(&visible(first + bit))) << bit)
        };
        match offset {
            IGROUPR..ISENABLER if restricted => 0,
            IGROUPR..ISENABLER => bits(IGROUPR, |interrupt| interrupt.group1),
            ISENABLER..ICENABLER => bits(ISENABLER, |interrupt| interrupt.enabled),
            ICENABLER..ISPENDR => bits(ICENABLER, |interrupt| interrupt.enabled),
            ISPENDR..ICPENDR => bits(ISPENDR, super::Interrupt::pending),
            ICPENDR..ISACTIVER => bits(ICPENDR, super::Interrupt::pending),
            ISACTIVER..ICACTIVER => bits(ISACTIVER, |interrupt| interrupt.active),
            ICACTIVER..IPRIORITYR => bits(ICACTIVER, |interrupt| interrupt.active),
            IPRIORITYR..ITARGETSR => {
                let priority = visible((offset - IPRIORITYR) as usize).priority;
                if restricted { priority << 1 } else { priority }
            }
            ITARGETSR..ICFGR => match (offset - ITARGETSR) as usize {
                // Each core reads its own bit here, which is how it learns its number (4.3.12).
                0..PRIVATE => 1 << interface,
                id => visible(id).targets,
            },
            _ => {
                let first = (offset - ICFGR) as usize * 4;
                (0..4).fold(0, |byte, field| byte | u8::from(visible(first + field).edge) << (2 * field + 1))
            }
        }
    }

    fn write_byte(&mut self, interface: usize, offset: u32, value: u8, at: &Access) {
        let restricted = self.restricted(at);
        let mask = self.priority_bits();
        let single = (IPRIORITYR..ICFGR).contains(&offset);
        let (base, per_byte) = match offset {
            IGROUPR..IPRIORITYR => (offset & !0x7f, 8),
            IPRIORITYR..ITARGETSR => (IPRIORITYR, 1),
            ITARGETSR..ICFGR => (ITARGETSR, 1),
            _ => (ICFGR, 4),
        };
        let first = (offset - base) as usize * per_byte;
        for field in 0..per_byte {
            let id = first + field;
            let bit = single || value >> field & 1 != 0;
            let Some(interrupt) = self.interrupt_mut(interface, id) else { return };
            if restricted && !interrupt.group1 {
                continue;
            }
            match base {
                IGROUPR if !restricted => interrupt.group1 = bit,
                ISENABLER if bit => interrupt.enabled = true,
                ICENABLER if bit => interrupt.enabled = false,
                ISPENDR if bit && id >= 16 => interrupt.latched = true,
                ICPENDR if bit && id >= 16 => interrupt.latched = false,
                ISACTIVER if bit => interrupt.active = true,
                ICACTIVER if bit => interrupt.active = false,
                IPRIORITYR if restricted => interrupt.priority = (value >> 1 | 0x80) & mask,
                IPRIORITYR => interrupt.priority = value & mask,
                ITARGETSR if id >= PRIVATE => interrupt.targets = value,
                ICFGR if id >= PRIVATE => interrupt.edge = value >> (2 * field + 1) & 1 != 0,
                _ => {}
            }
        }
    }

    /// GICD_SGIR (4.3.15).
    fn send(&mut self, sender: usize, value: u32, at: &Access) {
        let id = (value & 0xf) as usize;
        let restricted = self.restricted(at);
        let group1 = value >> 15 & 1 != 0;
        let targets = match value >> 24 & 3 {
            0 => (value >> 16 & 0xff) as u8,
            1 => !(1_u8 << sender),
            2 => 1 << sender,
            _ => 0,
        };
        for target in (0..self.interfaces.len()).filter(|target| targets >> target & 1 != 0) {
            let sgi = &mut self.interfaces[target].private[id];
            // The non-secure world can send only what the target has in group 1; the secure one says which group.
            let forwarded = if restricted || !self.layout.two_worlds {
                sgi.group1 || !self.layout.two_worlds
            } else {
                sgi.group1 == group1
            };
            if forwarded {
                sgi.senders |= 1 << sender;
            }
        }
    }
}

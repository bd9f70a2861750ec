//! The interrupt controller: a GIC-400 (ARM IHI 0048B, ARM DDI 0471), with or without the two security views.
//!
//! On the Exynos5422 the kernel lives in the non-secure world: all its interrupts are group 1, as the firmware left
//! them, what belongs to group 0 reads as zero, and priorities are shifted by one bit, so that nothing non-secure is as
//! urgent as anything secure. QEMU's `virt` machine has no such views.

mod distributor;
mod interface;
#[cfg(test)]
mod tests;

pub use distributor::Distributor;
pub use interface::CpuInterface;

use crate::bus::{Access, Lines};

/// Private interrupts of each core: SGIs 0-15 and PPIs 16-31.
pub const PRIVATE: usize = 32;
/// "Nothing to acknowledge" (3.2.5).
pub const SPURIOUS: u32 = 1023;
/// Priority of a core that runs no interrupt.
const IDLE_PRIORITY: u8 = 0xff;

/// One interrupt, of one core if it is private.
#[derive(Clone, Copy, Debug, Default)]
struct Interrupt {
    enabled: bool,
    /// Set by an edge or by software, cleared by the acknowledgement.
    latched: bool,
    /// The line from the device.
    level: bool,
    active: bool,
    edge: bool,
    /// Group 1, which is all that the non-secure world sees.
    group1: bool,
    priority: u8,
    /// Bit n: may go to interface n. Shared interrupts only.
    targets: u8,
    /// Bit n: interface n sent this SGI.
    senders: u8,
}

impl Interrupt {
    fn pending(&self) -> bool {
        self.latched || (self.level && !self.edge) || self.senders != 0
    }

    /// Whether somebody should acknowledge it.
    fn waits(&self) -> bool {
        self.enabled && !self.active && self.pending()
    }

    fn drive(&mut self, level: bool) {
        self.latched |= self.edge && level && !self.level;
        self.level = level;
    }
}

/// One core's interface.
#[derive(Clone, Debug)]
struct Interface {
    group0: bool,
    group1: bool,
    /// GICC_CTLR.EOImode of the two worlds: end of interrupt only drops the priority.
    split_end: [bool; 2],
    priority_mask: u8,
    /// Binary points of group 0 and group 1.
    binary_points: [u8; 2],
    /// What was acknowledged and not ended: value of IAR and priority, the most urgent last.
    running: Vec<(u32, u8)>,
    private: [Interrupt; PRIVATE],
}

/// How a GIC is built and how the firmware left it.
#[derive(Clone, Debug)]
pub struct Layout {
    /// Which interface each core has, by the core's number.
    pub interfaces: Vec<usize>,
    /// Interrupt numbers, a multiple of 32.
    pub interrupts: usize,
    /// Implemented bits of a priority.
    pub priority_bits: u32,
    /// Whether the secure and the non-secure world see different registers, with everything left to group 1.
    pub two_worlds: bool,
}

/// The controller.
#[derive(Clone, Debug)]
pub struct Gic {
    layout: Layout,
    group0: bool,
    group1: bool,
    shared: Vec<Interrupt>,
    /// Numbers of those shared interrupts that wait to be acknowledged by somebody. There are hundreds, and hardly ever
    /// one that does.
    ready: Vec<usize>,
    interfaces: Vec<Interface>,
    /// Most urgent deliverable interrupt of each interface.
    best: Vec<Option<u32>>,
}

impl Gic {
    /// A controller as the firmware leaves it: nothing enabled.
    #[must_use]
    pub fn new(layout: Layout) -> Self {
        let fresh = Interrupt { group1: layout.two_worlds, priority: 0, ..Interrupt::default() };
        let mut private = [fresh; PRIVATE];
        // SGIs are edges by definition; the PPIs of this GIC are levels.
        private[..16].iter_mut().for_each(|sgi| {
            sgi.edge = true;
            sgi.enabled = true;
        });
        let interface = Interface {
            group0: false,
            group1: false,
            split_end: [false; 2],
            // The firmware has to open the upper half, or the non-secure world could never set a mask (4.4.2).
            priority_mask: if layout.two_worlds { 0xf8 } else { 0 },
            binary_points: [2, 3],
            running: Vec::new(),
            private,
        };
        let count = layout.interfaces.len();
        Self {
            group0: false,
            group1: false,
            shared: vec![Interrupt { targets: u8::from(count == 1), ..fresh }; layout.interrupts - PRIVATE],
            ready: Vec::new(),
            interfaces: vec![interface; count],
            best: vec![None; count],
            layout,
        }
    }

    /// Drives the line of shared interrupt `id`.
    pub fn drive_shared(&mut self, id: u32, level: bool) {
        if let Some(interrupt) = self.shared.get_mut((id as usize).wrapping_sub(PRIVATE)) {
            interrupt.drive(level);
            self.settle();
        }
    }

    /// Drives the line of private interrupt `id` (16-31) of `core`.
    pub fn drive_private(&mut self, core: usize, id: u32, level: bool) {
        let interface = self.layout.interfaces[core];
        let interrupt = &mut self.interfaces[interface].private[id as usize];
        if interrupt.level != level {
            interrupt.drive(level);
            self.settle_one(interface);
        }
    }

    /// Level of shared interrupt `id`.
    #[must_use]
    pub fn level(&self, id: u32) -> bool {
        self.shared.get((id as usize).wrapping_sub(PRIVATE)).is_some_and(|interrupt| interrupt.level)
    }

    /// What the controller tells `core`. All of this model's interrupts arrive as IRQ: nobody routes group 0 to FIQ.
    #[must_use]
    pub fn lines(&self, core: usize) -> Lines {
        Lines { irq: self.best[self.layout.interfaces[core]].is_some(), fiq: false }
    }

    /// Whether the access sees only group 1.
    fn restricted(&self, at: &Access) -> bool {
        self.layout.two_worlds && !at.secure
    }

    fn interrupt(&self, interface: usize, id: usize) -> Option<&Interrupt> {
        match id.checked_sub(PRIVATE) {
            None => Some(&self.interfaces[interface].private[id]),
            Some(index) => self.shared.get(index),
        }
    }

    fn interrupt_mut(&mut self, interface: usize, id: usize) -> Option<&mut Interrupt> {
        match id.checked_sub(PRIVATE) {
            None => Some(&mut self.interfaces[interface].private[id]),
            Some(index) => self.shared.get_mut(index),
        }
    }

    /// The bits of a priority that exist.
    fn priority_bits(&self) -> u8 {
        !(0xff_u32 >> self.layout.priority_bits) as u8
    }

    /// Finds anew what each interface has to deliver.
    fn settle(&mut self) {
        let ready = self.shared.iter().enumerate().filter(|(_, interrupt)| interrupt.waits());
        self.ready.clear();
        self.ready.extend(ready.map(|(index, _)| index + PRIVATE));
        (0..self.interfaces.len()).for_each(|interface| self.settle_one(interface));
    }

    /// The same after a change of interrupt `id` that concerns the interface `number` alone if `id` is private.
    fn settle_after(&mut self, number: usize, id: usize) {
        if id < PRIVATE { self.settle_one(number) } else { self.settle() }
    }

    /// Finds anew what one interface has to deliver.
    fn settle_one(&mut self, number: usize) {
        let interface = &self.interfaces[number];
        let threshold = interface.threshold();
        let enabled = |interrupt: &Interrupt| match interrupt.group1 {
            false => self.group0 && interface.group0,
            true => self.group1 && interface.group1,
        };
        let private = interface.private.iter().enumerate().filter(|(_, interrupt)| interrupt.waits());
        let shared = self.ready.iter().map(|&id| (id, &self.shared[id - PRIVATE]));
        let best = private
            .chain(shared.filter(|(_, interrupt)| interrupt.targets >> number & 1 != 0))
            .filter(|(_, interrupt)| enabled(interrupt) && interrupt.priority < interface.priority_mask)
            .filter(|(_, interrupt)| interface.group_priority(interrupt) < threshold)
            .min_by_key(|(id, interrupt)| (interrupt.priority, *id));
        self.best[number] = best.map(|(id, _)| id as u32);
    }
}

impl Interface {
    /// Only a more urgent group priority than this interrupts.
    fn threshold(&self) -> u16 {
        self.running.last().map_or(0x100, |&(_, priority)| u16::from(priority))
    }

    /// The part of a priority by which interrupts preempt each other (3.3.3).
    fn group_priority(&self, interrupt: &Interrupt) -> u16 {
        let ignored = match interrupt.group1 {
            false => u32::from(self.binary_points[0]) + 1,
            true => u32::from(self.binary_points[1]),
        };
        u16::from(interrupt.priority) & (0xff_u16 << ignored)
    }

    fn running_priority(&self) -> u8 {
        self.running.last().map_or(IDLE_PRIORITY, |&(_, priority)| priority)
    }
}

//! The performance monitor, PMUv2 (ARM ARM C12): the cycle counter, and event counters for retired instructions and
//! cycles. Other events count nothing.

use super::{Core, Kind};

/// PMCR bits.
const ENABLE: u32 = 1;
const RESET_EVENTS: u32 = 1 << 1;
const RESET_CYCLES: u32 = 1 << 2;
const DIVIDE: u32 = 1 << 3;
/// Index of the cycle counter in the enable and overflow registers.
const CYCLES: usize = 31;
/// Events.
const INSTRUCTIONS_RETIRED: u32 = 0x08;
const CPU_CYCLES: u32 = 0x11;

/// One counter: its value when `origin` was sampled, from then on it follows its source while it runs.
#[derive(Clone, Copy, Debug, Default)]
struct Counter {
    value: u32,
    origin: u64,
    event: u32,
}

/// The performance monitor of a core.
#[derive(Clone, Debug)]
pub(super) struct Pmu {
    control: u32,
    enabled: u32,
    overflows: u32,
    interrupts: u32,
    user: u32,
    select: u32,
    cycle_filter: u32,
    events: u32,
    counters: [Counter; 32],
    identity: u32,
}

impl Pmu {
    pub fn new(kind: Kind) -> Self {
        // PMCR.IMP, IDCODE and N (Cortex-A15 TRM 11.4.1, Cortex-A7 TRM 11.3.1).
        let (events, identity) = match kind {
            Kind::A15 => (6, 0x410f_3000),
            Kind::A7 => (4, 0x4107_2000),
        };
        Self {
            control: 0,
            enabled: 0,
            overflows: 0,
            interrupts: 0,
            user: 0,
            select: 0,
            cycle_filter: 0,
            events,
            counters: [Counter::default(); 32],
            identity,
        }
    }

    /// PMUSERENR.EN.
    pub fn open_to_user(&self) -> bool {
        self.user & 1 != 0
    }

    fn runs(&self, number: usize) -> bool {
        self.control & ENABLE != 0 && self.enabled >> number & 1 != 0
    }
}

impl Core {
    /// What counter `number` counts, from the core's beginning.
    fn counted(&self, number: usize) -> u64 {
        match number {
            CYCLES if self.pmu.control & DIVIDE != 0 => self.cycles() / 64,
            CYCLES => self.cycles(),
            _ => match self.pmu.counters[number].event & 0xff {
                INSTRUCTIONS_RETIRED => self.statistics.instructions,
                CPU_CYCLES => self.cycles(),
                _ => 0,
            },
        }
    }

    fn counter(&self, number: usize) -> u32 {
        let counter = self.pmu.counters[number];
        if self.pmu.runs(number) {
            counter.value.wrapping_add(self.counted(number).wrapping_sub(counter.origin) as u32)
        } else {
            counter.value
        }
    }

    fn set_counter(&mut self, number: usize, value: u32) {
        let origin = self.counted(number);
        let counter = &mut self.pmu.counters[number];
        counter.value = value;
        counter.origin = origin;
    }

    /// Changes what decides which counters run, letting each keep its value.
    fn reconfigure(&mut self, change: impl FnOnce(&mut Pmu)) {
        let values: [u32; 32] = std::array::from_fn(|number| self.counter(number));
        change(&mut self.pmu);
        for (number, value) in values.into_iter().enumerate() {
            self.set_counter(number, value);
        }
    }

    /// The counter that PMSELR selects, if it exists.
    fn selected(&self) -> Option<usize> {
        (self.pmu.select < self.pmu.events).then_some(self.pmu.select as usize)
    }

    /// Reads c9, c12 to c14.
    pub(super) fn read_pmu(&self, crm: u8, opc2: u8) -> Option<u32> {
        let pmu = &self.pmu;
        Some(match (crm, opc2) {
            (12, 0) => pmu.identity | pmu.control & 0x39,
            (12, 1 | 2) => pmu.enabled,
            (12, 3) => pmu.overflows,
            (12, 4) => 0,
            (12, 5) => pmu.select,
            // Events 0x08 and 0x11.
            (12, 6) => 1 << INSTRUCTIONS_RETIRED | 1 << CPU_CYCLES,
            (12, 7) => 0,
            (13, 0) => self.counter(CYCLES),
            (13, 1) if pmu.select == CYCLES as u32 => pmu.cycle_filter,
            (13, 1) => self.selected().map_or(0, |number| pmu.counters[number].event),
            (13, 2) => self.selected().map_or(0, |number| self.counter(number)),
            (14, 0) => pmu.user,
            (14, 1 | 2) => pmu.interrupts,
            (14, 3) => pmu.overflows,
            _ => return None,
        })
    }

    /// Writes c9, c12 to c14.
    pub(super) fn write_pmu(&mut self, crm: u8, opc2: u8, value: u32) -> Option<()> {
        let existing = 1 << CYCLES | ((1 << self.pmu.events) - 1);
        match (crm, opc2) {
            (12, 0) => {
                self.reconfigure(|pmu| pmu.control = value & 0x39);
                if value & RESET_EVENTS != 0 {
                    (0..self.pmu.events as usize).for_each(|number| self.set_counter(number, 0));
                }
                if value & RESET_CYCLES != 0 {
                    self.set_counter(CYCLES, 0);
                }
            }
            (12, 1) => self.reconfigure(|pmu| pmu.enabled |= value & existing),
            (12, 2) => self.reconfigure(|pmu| pmu.enabled &= !value),
            (12, 3) => self.pmu.overflows &= !value,
            (12, 4) => {}
            (12, 5) => self.pmu.select = value & 0x1f,
            (13, 0) => self.set_counter(CYCLES, value),
            (13, 1) if self.pmu.select == CYCLES as u32 => self.pmu.cycle_filter = value,
            (13, 1) => {
                if let Some(number) = self.selected() {
                    self.reconfigure(|pmu| pmu.counters[number].event = value);
                }
            }
            (13, 2) => {
                if let Some(number) = self.selected() {
                    self.set_counter(number, value);
                }
            }
            (14, 0) => self.pmu.user = value & 1,
            (14, 1) => self.pmu.interrupts |= value & existing,
            (14, 2) => self.pmu.interrupts &= !value,
            (14, 3) => self.pmu.overflows |= value & existing,
            _ => return None,
        }
        Some(())
    }
}

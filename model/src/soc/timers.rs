//! The generic timer (ARM DDI 0406C, B8): one counter for all cores, four timers a core.
//!
//! The counter itself is somewhere else in the chip: on the Exynos5422 it is the free-running counter of the MCT, which
//! stands still until software starts it, however healthy the registers here look.

use super::counter::Counter;
use crate::bus::{Access, Time, TimerRegister};
use crate::findings::FindingKind;
use crate::soc::device::Effects;

const ENABLE: u32 = 1;
const MASK: u32 = 2;
const STATUS: u32 = 4;

/// One timer of one core.
#[derive(Clone, Copy, Debug, Default)]
struct Timer {
    control: u32,
    compare: u64,
}

impl Timer {
    fn expired(&self, count: u64) -> bool {
        self.control & ENABLE != 0 && count >= self.compare
    }

    fn interrupts(&self, count: u64) -> bool {
        self.control & MASK == 0 && self.expired(count)
    }

    fn control(&self, count: u64) -> u32 {
        self.control | if self.expired(count) { STATUS } else { 0 }
    }
}

/// The four timers of a core, in the order of [`INTERRUPTS`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Which {
    Hyp,
    Virtual,
    Secure,
    Physical,
}

/// Their private interrupts.
pub const INTERRUPTS: [u32; 4] = [26, 27, 29, 30];

/// The timers of one core.
#[derive(Clone, Debug, Default)]
struct CoreTimers {
    timers: [Timer; 4],
    offset: u64,
    /// Nobody has written the offset: it is what the flip-flops came up with.
    offset_is_random: bool,
}

impl CoreTimers {
    /// What the timer compares with.
    fn count(&self, which: Which, count: u64) -> u64 {
        if which == Which::Virtual { count.wrapping_sub(self.offset) } else { count }
    }
}

/// The timers of all cores.
#[derive(Clone, Debug)]
pub struct Timers {
    cores: Vec<CoreTimers>,
    frequency: u32,
}

impl Timers {
    /// Timers of `cores` cores; CNTFRQ reads as `frequency`.
    #[must_use]
    pub fn new(cores: usize, frequency: u32) -> Self {
        Self { cores: vec![CoreTimers::default(); cores], frequency }
    }

    /// The virtual offset of `core` is arbitrary until somebody writes it, as after a reset (B8.1.2).
    pub fn randomise_offset(&mut self, core: usize, offset: u64) {
        self.cores[core].offset = offset;
        self.cores[core].offset_is_random = true;
    }

    /// Reads a register.
    pub fn read(&mut self, register: TimerRegister, counter: &Counter, at: &Access, effects: &mut Effects) -> u64 {
        let count = counter.count(at.time);
        let core = &self.cores[at.core];
        if !counter.runs() && !matches!(register, TimerRegister::Frequency | TimerRegister::VirtualOffset) {
            effects.find(FindingKind::CounterStopped, at, format!("{register:?} is read, the counter stands still"));
        }
        if let Some((which, view)) = timer(register, at.secure) {
            if register == TimerRegister::VirtualCompare {
                core.check_offset(register, at, effects);
            }
            let timer = core.timers[which as usize];
            let count = core.count(which, count);
            return match view {
                View::Compare => timer.compare,
                View::Value => u64::from(timer.compare.wrapping_sub(count) as u32),
                View::Control => timer.control(count).into(),
            };
        }
        match register {
            TimerRegister::Frequency => {
                if self.frequency == 0 {
                    effects.find(FindingKind::CounterFrequency, at, "CNTFRQ is read");
                }
                self.frequency.into()
            }
            TimerRegister::VirtualCount => {
                core.check_offset(register, at, effects);
                count.wrapping_sub(core.offset)
            }
            TimerRegister::VirtualOffset => core.offset,
            _ => count,
        }
    }

    /// Writes a register.
    pub fn write(
        &mut self,
        register: TimerRegister,
        value: u64,
        counter: &Counter,
        at: &Access,
        effects: &mut Effects,
    ) {
        let count = counter.count(at.time);
        let core = &mut self.cores[at.core];
        if let Some((which, view)) = timer(register, at.secure) {
            if register == TimerRegister::VirtualCompare {
                core.check_offset(register, at, effects);
            }
            let count = core.count(which, count);
            let timer = &mut core.timers[which as usize];
            match view {
                View::Compare => timer.compare = value,
                View::Value => timer.compare = count.wrapping_add(value as u32 as i32 as u64),
                View::Control => timer.control = value as u32 & (ENABLE | MASK),
            }
            return;
        }
        match register {
            TimerRegister::VirtualOffset => {
                core.offset = value;
                core.offset_is_random = false;
            }
            TimerRegister::Frequency => {
                effects.find(FindingKind::Secure, at, "CNTFRQ is written");
            }
            _ => {}
        }
    }

    /// Level of each of the core's timer interrupts at `now`, in the order of [`INTERRUPTS`].
    #[must_use]
    pub fn levels(&self, core: usize, counter: &Counter, now: Time) -> [bool; 4] {
        let core = &self.cores[core];
        if core.timers.iter().all(|timer| timer.control & ENABLE == 0) {
            return [false; 4];
        }
        let count = counter.count(now);
        WHICH.map(|which| core.timers[which as usize].interrupts(core.count(which, count)))
    }

    /// When the next of the core's interrupts rises, strictly after `now`.
    #[must_use]
    pub fn next_event(&self, core: usize, counter: &Counter, now: Time) -> Option<Time> {
        let core = &self.cores[core];
        let armed = |which: &Which| core.timers[*which as usize].control & (ENABLE | MASK) == ENABLE;
        let count = counter.count(now);
        let due = |which: Which| {
            // By how far it still is: an offset that nobody set may make the virtual count as large as any.
            let left = core.timers[which as usize].compare.checked_sub(core.count(which, count))?;
            counter.when(count.saturating_add(left))
        };
        WHICH.into_iter().filter(armed).filter_map(due).filter(|at| *at > now).min()
    }
}

const WHICH: [Which; 4] = [Which::Hyp, Which::Virtual, Which::Secure, Which::Physical];

impl CoreTimers {
    /// Counts and deadlines of the virtual counter mean nothing before its offset is set; how long to wait does.
    fn check_offset(&self, register: TimerRegister, at: &Access, effects: &mut Effects) {
        if self.offset_is_random {
            effects.find(FindingKind::CounterOffset, at, format!("{register:?} is used, CNTVOFF was never written"));
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum View {
    Compare,
    Value,
    Control,
}

/// Which timer a register belongs to, and how it shows it.
fn timer(register: TimerRegister, secure: bool) -> Option<(Which, View)> {
    let physical = if secure { Which::Secure } else { Which::Physical };
    Some(match register {
        TimerRegister::PhysicalCompare => (physical, View::Compare),
        TimerRegister::PhysicalValue => (physical, View::Value),
        TimerRegister::PhysicalControl => (physical, View::Control),
        TimerRegister::VirtualCompare => (Which::Virtual, View::Compare),
        TimerRegister::VirtualValue => (Which::Virtual, View::Value),
        TimerRegister::VirtualControl => (Which::Virtual, View::Control),
        TimerRegister::HypCompare => (Which::Hyp, View::Compare),
        TimerRegister::HypValue => (Which::Hyp, View::Value),
        TimerRegister::HypControl => (Which::Hyp, View::Control),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(time: Time) -> Access {
        Access { core: 0, time, pc: 0, secure: false }
    }

    #[test]
    fn a_stopped_counter_is_a_finding_to_read() {
        let mut timers = Timers::new(1, 0);
        let mut effects = Effects::default();
        let counter = Counter::stopped(24_000_000);
        assert_eq!(timers.read(TimerRegister::PhysicalCount, &counter, &at(5000), &mut effects), 0);
        assert_eq!(effects.findings[0].kind, FindingKind::CounterStopped);
    }

    #[test]
    fn a_random_offset_is_a_finding_until_it_is_written() {
        let mut timers = Timers::new(1, 0);
        timers.randomise_offset(0, 0x1234_5678_9abc);
        let mut effects = Effects::default();
        let counter = Counter::running(24_000_000);
        timers.read(TimerRegister::VirtualCount, &counter, &at(5000), &mut effects);
        assert_eq!(effects.findings[0].kind, FindingKind::CounterOffset);
        timers.write(TimerRegister::VirtualOffset, 0, &counter, &at(5000), &mut effects);
        assert_eq!(timers.read(TimerRegister::VirtualCount, &counter, &at(1_000_000), &mut effects), 24_000);
        assert_eq!(effects.findings.len(), 1);
    }

    #[test]
    fn reading_the_frequency_that_nobody_set_is_a_finding() {
        let mut effects = Effects::default();
        let counter = Counter::running(24_000_000);
        let zero = Timers::new(1, 0).read(TimerRegister::Frequency, &counter, &at(0), &mut effects);
        assert_eq!((zero, effects.findings[0].kind), (0, FindingKind::CounterFrequency));
    }

    #[test]
    fn an_alarm_is_a_level_that_a_past_deadline_raises_at_once() {
        let mut timers = Timers::new(1, 24_000_000);
        let mut effects = Effects::default();
        let counter = Counter::running(24_000_000);
        timers.write(TimerRegister::VirtualCompare, 24_000, &counter, &at(0), &mut effects);
        timers.write(TimerRegister::VirtualControl, 1, &counter, &at(0), &mut effects);
        assert_eq!(timers.next_event(0, &counter, 0), Some(1_000_000));
        assert_eq!(timers.levels(0, &counter, 999_999), [false; 4]);
        assert_eq!(timers.levels(0, &counter, 1_000_000), [false, true, false, false]);
        assert_eq!(timers.read(TimerRegister::VirtualControl, &counter, &at(1_000_000), &mut effects), 5);
        assert_eq!(timers.next_event(0, &counter, 1_000_000), None);
    }

    #[test]
    fn a_timer_value_counts_down_through_zero() {
        let mut timers = Timers::new(1, 24_000_000);
        let mut effects = Effects::default();
        let counter = Counter::running(1_000_000_000);
        timers.write(TimerRegister::PhysicalValue, 100, &counter, &at(1000), &mut effects);
        assert_eq!(timers.read(TimerRegister::PhysicalCompare, &counter, &at(1000), &mut effects), 1100);
        assert_eq!(timers.read(TimerRegister::PhysicalValue, &counter, &at(1103), &mut effects) as i32, -3);
    }

    #[test]
    fn a_wait_needs_no_offset() {
        let mut timers = Timers::new(1, 24_000_000);
        timers.randomise_offset(0, 0x1234_5678_9abc);
        let mut effects = Effects::default();
        let counter = Counter::running(1_000_000_000);
        timers.write(TimerRegister::VirtualValue, 100, &counter, &at(1000), &mut effects);
        timers.write(TimerRegister::VirtualControl, 1, &counter, &at(1000), &mut effects);
        assert_eq!(timers.next_event(0, &counter, 1000), Some(1100));
        assert_eq!(timers.levels(0, &counter, 1100), [false, true, false, false]);
        assert!(effects.findings.is_empty());
        timers.write(TimerRegister::VirtualCompare, 5000, &counter, &at(1200), &mut effects);
        assert_eq!(effects.findings[0].kind, FindingKind::CounterOffset);
    }
}

//! A machine: cores, what surrounds them, and whose turn it is.
//!
//! One thread. Model time advances in slices of a microsecond; in each, every core that is awake executes until its own
//! clock has caught up, one after the other. So cores see each other's acts up to one slice late, always in the same
//! order: the same input gives the same bytes and the same counts, on any host. Where nobody is awake, time jumps to
//! the next thing that a device will do.
//!
//! Times follow from the costs of instruction classes (`cpu::cost`): a cost model, not a pipeline.

mod backtrace;
mod costs;
pub mod exynos5422;
pub(crate) mod host;
mod options;
mod outcome;
mod requests;
mod usage;
pub mod virt;

pub use options::{Limits, Show, Typing};
pub use outcome::Outcome;
pub use usage::Usage;

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use crate::bus::{Bus, Platform, Time};
use crate::cpu::{Activity, Code, Core, Exit, ResetMode};
use crate::findings::Findings;
use crate::load::Symbols;
use crate::soc::device::Effects;

/// Length of a slice: the longest time by which a core sees another one late.
const SLICE: Time = 1000;
/// Slices after which the host's clock is looked at.
const PATIENCE: u32 = 1024;
/// Longest time between two advances of the devices, even if none asked for it: power and heat are integrated then.
const STRIDE: Time = 100_000;

/// What a machine needs of the chip around its cores.
pub trait Soc: Platform + 'static {
    /// What devices asked of the machine since it last looked.
    fn effects(&mut self) -> &mut Effects;

    /// When a device will next do something by itself, after `now`.
    fn next_event(&mut self, now: Time) -> Option<Time>;

    /// Does what is due until `now`.
    fn advance(&mut self, now: Time);

    /// The core's clock.
    fn khz(&self, core: usize) -> u32;

    /// `core` executed for `busy` nanoseconds.
    fn account(&mut self, core: usize, busy: Time);

    /// A core that was told to stop has gone to sleep and lost its power.
    fn powered_off(&mut self, _core: usize) {}

    /// A core comes out of the firmware, reset: what the firmware made of it, and the part of its state that is
    /// outside.
    fn starts(&mut self, _core: &mut Core) {}

    /// The state in which the firmware lets a core go.
    fn start_mode(&self) -> ResetMode;

    /// Somebody types on the console.
    fn receive(&mut self, bytes: &[u8], now: Time);

    /// The run is over: what is still in a UART goes out.
    fn flush(&mut self) {}
}

/// Cores and chip.
pub struct Machine<P: Soc> {
    /// Memory and devices.
    pub bus: Bus<P>,
    /// The cores, by number.
    pub cores: Vec<Core>,
    /// What was found so far.
    pub findings: Findings,
    /// How long each core executed, and how fast.
    pub usage: Vec<Usage>,
    /// Names of the program's functions.
    pub symbols: Symbols,
    code: Code,
    now: Time,
    advanced: Time,
    /// Bit n: core n loses its power when it next waits.
    stopping: u32,
    /// Bit n: the debugger holds core n.
    pub(crate) held: u32,
}

impl<P: Soc> Machine<P> {
    /// A machine of which no core runs yet.
    pub fn new(bus: Bus<P>, cores: Vec<Core>, code: Code, findings: Findings) -> Self {
        let usage = vec![Usage::default(); cores.len()];
        Self {
            bus,
            cores,
            findings,
            usage,
            symbols: Symbols::default(),
            code,
            now: 0,
            advanced: 0,
            stopping: 0,
            held: 0,
        }
    }

    /// Model time since power-on.
    #[must_use]
    pub fn now(&self) -> Time {
        self.now
    }

    /// Instructions that all cores executed.
    #[must_use]
    pub fn instructions(&self) -> u64 {
        self.cores.iter().map(|core| core.statistics.instructions).sum()
    }

    /// Runs until something ends it. `show` gets what leaves the console.
    pub fn run(&mut self, limits: &Limits, typing: &mut Typing, show: &mut dyn FnMut(&[u8])) -> Outcome {
        self.run_while(limits, typing, &mut |bytes| {
            show(bytes);
            ControlFlow::Continue(())
        })
    }

    /// The same for somebody who may stop to listen, which ends it too.
    pub fn run_while(&mut self, limits: &Limits, typing: &mut Typing, show: &mut Show<'_>) -> Outcome {
        let outcome = self.run_on(limits, typing, show);
        self.finish(show);
        outcome
    }

    /// The run is over: what is under way arrives.
    pub(crate) fn finish(&mut self, show: &mut Show<'_>) {
        self.advance();
        self.bus.platform.flush();
        // It is over already; whoever is gone misses nothing but this.
        let _end = self.carry_out(show);
    }

    /// The same, from where an earlier call ended.
    pub(crate) fn run_on(&mut self, limits: &Limits, typing: &mut Typing, show: &mut Show<'_>) -> Outcome {
        let begun = Instant::now();
        let mut slices = 0;
        loop {
            if let Some(outcome) = self.carry_out(show) {
                return outcome;
            }
            if self.now >= limits.model {
                return Outcome::TimeLimit;
            }
            slices += 1;
            if slices % PATIENCE == 0 && begun.elapsed() > limits.host {
                return Outcome::HostLimit;
            }
            for bytes in typing.due(self.now) {
                self.bus.platform.receive(&bytes, self.now);
            }
            if self.slice() {
                continue;
            }
            // Everybody sleeps.
            let next = [self.bus.platform.next_event(self.now), typing.next()].into_iter().flatten().min();
            match next {
                Some(next) => self.now = next.clamp(self.now + 1, limits.model.max(self.now + 1)),
                None if typing.is_live() => {
                    // Nothing is to be done but to wait for a person; no need to make the host hot meanwhile.
                    std::thread::sleep(Duration::from_nanos(STRIDE));
                    self.now += STRIDE;
                }
                None => return Outcome::Asleep,
            }
            self.advance();
        }
    }

    /// One slice of every core that is awake. Whether there was one.
    fn slice(&mut self) -> bool {
        let next = self.bus.platform.next_event(self.now);
        let end = next.map_or(self.now + SLICE, |next| next.clamp(self.now + 1, self.now + SLICE));
        let mut anyone = false;
        for index in 0..self.cores.len() {
            anyone |= self.turn(index, end);
        }
        if anyone {
            self.now = end;
            let due = next.is_some_and(|next| next <= end);
            if due || end - self.advanced >= STRIDE {
                self.advance();
            }
        }
        anyone
    }

    /// Lets one core catch up to `end`. Whether it is awake.
    fn turn(&mut self, index: usize, end: Time) -> bool {
        let core = &mut self.cores[index];
        match core.activity {
            _ if self.held >> index & 1 != 0 => return false,
            Activity::Off => return false,
            Activity::Running => {}
            Activity::WaitingForInterrupt | Activity::WaitingForEvent => {
                // Its timers are looked at in its own time.
                core.advance_to(self.now);
                if !core.runnable(&mut self.bus) {
                    return false;
                }
            }
        }
        // A core whose clock was taken away stands as good as still.
        let khz = self.bus.platform.khz(index).max(1);
        if core.frequency() != khz {
            core.set_frequency(khz);
        }
        let begun = core.time();
        while core.time() < end {
            match core.run(&mut self.code, &mut self.bus, end) {
                Exit::Time => {}
                Exit::EndSlice => break,
                Exit::Waiting | Exit::Off => {
                    self.cut_power(index);
                    break;
                }
            }
        }
        let busy = self.cores[index].time().saturating_sub(begun);
        self.usage[index].add(khz, busy);
        self.bus.platform.account(index, busy);
        true
    }

    fn advance(&mut self) {
        self.advanced = self.now;
        self.bus.platform.advance(self.now);
    }
}

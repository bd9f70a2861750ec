//! Boot arguments: `key=value` words. Unknown keys and bad values are named on one line each, the default is used, boot
//! goes on.

use core::fmt;

use sched::{Goal, GovernorKind, HeatKind, MilliCelsius, Nanos, Policy, PolicyKind, PressureKind};

use crate::board::Facts;

/// What happens when the first program ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum After {
    /// Power off with the exit code.
    Halt,
    /// The first program asks at the console what to do; then as [`After::Halt`].
    Shell,
    /// Warm reset.
    Reboot,
}

/// The kernel's own boot arguments, parsed. `bench=` is the first program's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// Placement policy and its goal.
    pub policy: Policy,
    /// Whether `policy=` was given.
    pub policy_chosen: bool,
    /// How heat is shown to the policy.
    pub pressure: PressureKind,
    /// The rule for the clocks.
    pub governor: GovernorKind,
    /// Whether the clocks of a board may be changed at all.
    pub clocks: bool,
    /// What holds the clocks back when it gets hot.
    pub heat: HeatKind,
    /// Whether the plan may give part of a task's period to one CPU and the rest to another.
    pub split: bool,
    /// The temperature of the air around a virtual plant.
    pub ambient: MilliCelsius,
    /// What happens at the end.
    pub after: After,
    /// Whether the trace rings are printed at the end.
    pub trace: bool,
    /// Whether unequal cores are emulated where the board has equal ones.
    pub pace: bool,
    /// Whether the system was booted to test itself: `bench=selftest…`.
    pub selftest: bool,
}

impl Options {
    /// What an empty string gives.
    pub const DEFAULT: Options = Options {
        policy: Policy { kind: PolicyKind::Gear, goal: Goal::Mean },
        policy_chosen: false,
        pressure: PressureKind::Decay(Nanos::from_millis(250)),
        governor: GovernorKind::Planner,
        clocks: true,
        heat: HeatKind::LookAhead,
        split: true,
        ambient: MilliCelsius::from_celsius(25),
        after: After::Halt,
        trace: false,
        pace: true,
        selftest: false,
    };

    /// The word that chooses the pressure in force.
    pub fn pressure_name(&self) -> PressureName {
        PressureName(self.pressure)
    }

    /// What an empty string gives on a board with these facts: where a person sits at the console, the shell.
    pub fn of(facts: &Facts) -> Options {
        Options { after: if facts.interactive { After::Shell } else { After::Halt }, ..Options::DEFAULT }
    }

    /// Parses boot arguments; what they do not name is as in `defaults`. `complain` is called once for each word that
    /// cannot be used.
    pub fn parse<'a>(defaults: Options, arguments: &'a str, mut complain: impl FnMut(Complaint<'a>)) -> Options {
        let mut options = defaults;
        for word in arguments.split_ascii_whitespace() {
            if let Err(expected) = options.apply(word) {
                complain(Complaint { word, expected });
            }
        }
        options
    }

    /// Applies one word; the error says what was expected in its place.
    fn apply(&mut self, word: &str) -> Result<(), &'static str> {
        let Some((key, value)) = word.split_once('=') else {
            return Err("key=value");
        };
        match key {
            "policy" => {
                self.policy.kind = PolicyKind::parse(value).ok_or("policy=pinned, pull, gear, eas or walt")?;
                self.policy_chosen = true;
            }
            "goal" => self.policy.goal = Goal::parse(value).ok_or("goal=mean, makespan or energy")?,
            "pressure" => {
                self.pressure = pressure(value).ok_or("pressure=none, instant, pelt or periodic:MS")?;
            }
            "governor" => {
                self.governor =
                    GovernorKind::parse(value).ok_or("governor=performance, powersave, schedutil or planner")?;
            }
            "clocks" => {
                self.clocks = match value {
                    "govern" => true,
                    "keep" => false,
                    _ => return Err("clocks=govern or keep"),
                }
            }
            "heat" => self.heat = HeatKind::parse(value).ok_or("heat=none, step-wise, ipa or look-ahead")?,
            "ambient" => self.ambient = celsius(value).ok_or("ambient= a temperature from -20 to 100")?,
            "after" => {
                self.after = match value {
                    "halt" => After::Halt,
                    "shell" => After::Shell,
                    "reboot" => After::Reboot,
                    _ => return Err("after=halt, shell or reboot"),
                }
            }
            "split" => self.split = switch(value).ok_or("split=on or off")?,
            "trace" => self.trace = switch(value).ok_or("trace=on or off")?,
            "pace" => self.pace = switch(value).ok_or("pace=on or off")?,
            "log" if value == "text" => {}
            "log" => return Err("log=text"),
            "bench" => self.selftest = value.split('+').any(|bench| bench.split(':').next() == Some("selftest")),
            _ => {
                return Err(
                    "one of policy, goal, pressure, governor, clocks, heat, split, ambient, after, trace, pace, log, bench",
                );
            }
        }
        Ok(())
    }
}

/// `periodic:250` averages over periods of 250 ms.
fn pressure(value: &str) -> Option<PressureKind> {
    match value.strip_prefix("periodic:") {
        Some(period) => {
            let millis = period.parse().ok().filter(|millis| (1..=10_000).contains(millis))?;
            Some(PressureKind::Decay(Nanos::from_millis(millis)))
        }
        None => PressureKind::parse(value).filter(|kind| !matches!(kind, PressureKind::Decay(_))),
    }
}

fn celsius(value: &str) -> Option<MilliCelsius> {
    value.parse().ok().filter(|degrees| (-20..=100).contains(degrees)).map(MilliCelsius::from_celsius)
}

fn switch(value: &str) -> Option<bool> {
    match value {
        "on" => Some(true),
        "off" => Some(false),
        _ => None,
    }
}

/// How a pressure is written in boot arguments.
pub struct PressureName(PressureKind);

impl fmt::Display for PressureName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            PressureKind::Decay(period) => write!(f, "periodic:{}", period.as_millis()),
            kind => kind.fmt(f),
        }
    }
}

/// A word of the boot arguments that could not be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Complaint<'a> {
    word: &'a str,
    expected: &'static str,
}

impl fmt::Display for Complaint<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "bootargs: {}: expected {}; the default is used", self.word, self.expected)
    }
}

#[cfg(test)]
mod tests {
    extern crate std;
    use std::string::{String, ToString};
    use std::vec::Vec;

    use super::*;

    fn parse(arguments: &str) -> (Options, Vec<String>) {
        let mut complaints = Vec::new();
        let options = Options::parse(Options::DEFAULT, arguments, |complaint| complaints.push(complaint.to_string()));
        (options, complaints)
    }

    #[test]
    fn nothing_gives_the_defaults() {
        assert_eq!(parse("  "), (Options::DEFAULT, Vec::new()));
    }

    #[test]
    fn every_key_is_understood() {
        let (options, complaints) =
            parse("policy=pull goal=makespan after=reboot trace=on pace=off log=text bench=none+selftest:only=task");
        assert!(complaints.is_empty());
        assert_eq!(options.policy, Policy { kind: PolicyKind::Pull, goal: Goal::Makespan });
        assert!(options.policy_chosen && options.trace && options.selftest && !options.pace);
        assert_eq!(options.after, After::Reboot);
    }

    #[test]
    fn heat_and_clocks_are_chosen() {
        let (options, complaints) =
            parse("pressure=periodic:125 governor=schedutil clocks=keep heat=ipa ambient=60 split=off");
        assert!(complaints.is_empty());
        assert!(!options.clocks && !options.split);
        assert_eq!(options.pressure, PressureKind::Decay(Nanos::from_millis(125)));
        assert_eq!(options.pressure_name().to_string(), "periodic:125");
        assert_eq!((options.governor, options.heat), (GovernorKind::Schedutil, HeatKind::Ipa));
        assert_eq!(options.ambient, MilliCelsius::from_celsius(60));
        let (options, complaints) =
            parse("pressure=250ms pressure=periodic:0 governor=fast clocks=on heat=hot ambient=warm");
        assert_eq!((options, complaints.len()), (Options::DEFAULT, 6));
        assert!(complaints[0].contains("periodic:MS"));
    }

    #[test]
    fn each_bad_word_is_named_once_and_changes_nothing() {
        let (options, complaints) = parse("policy=fast wibble pace=maybe colour=red goal=");
        assert_eq!(options, Options::DEFAULT);
        assert_eq!(complaints.len(), 5);
        assert!(complaints[0].contains("policy=fast") && complaints[0].contains("gear, eas or walt"));
        assert!(complaints[3].contains("colour=red"));
    }
}

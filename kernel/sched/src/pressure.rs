//! How much of a CPU's capacity heat takes away, as placement should see it.
//!
//! A cap changes in steps and may swing; what placement wants to know is how much capacity there will be in the next
//! while. Four answers can be chosen, so that they can be compared: none, the cap of this moment, its average with the
//! half-life of load tracking, and an average that halves once a period (the form of the kernel patches of 2019, in
//! which 125, 250 and 500 ms were tried).

use core::fmt;

use crate::Nanos;
use crate::pelt::Load;
use crate::{Capacity, Cluster, Rate};

/// How a cap becomes pressure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PressureKind {
    /// It does not.
    None,
    /// At once.
    Instant,
    /// Averaged like load, with a half-life of 33 ms.
    Pelt,
    /// Averaged over periods of this length.
    Decay(Nanos),
}

impl PressureKind {
    /// The kind of that name, as in the boot argument `pressure=`: `none`, `instant`, `pelt`, or a period such as
    /// `250ms`.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        match name {
            "none" => Some(Self::None),
            "instant" => Some(Self::Instant),
            "pelt" => Some(Self::Pelt),
            period => {
                let millis: u64 = period.strip_suffix("ms")?.parse().ok()?;
                (1..=10_000).contains(&millis).then_some(Self::Decay(Nanos::from_millis(millis)))
            }
        }
    }
}

impl fmt::Display for PressureKind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::None => formatter.pad("none"),
            Self::Instant => formatter.pad("instant"),
            Self::Pelt => formatter.pad("pelt"),
            Self::Decay(period) => write!(formatter, "{}ms", period.as_millis()),
        }
    }
}

/// The capacity that a cluster's CPUs lose when no level above `cap` is allowed.
#[must_use]
pub fn lost(cluster: &Cluster, cap: usize) -> u32 {
    let speed = |level: usize| cluster.levels().get(level.min(cluster.top())).map_or(Rate::ZERO, |level| level.speed);
    speed(cluster.top()).utilisation().saturating_sub(speed(cap).utilisation())
}

/// The pressure on one CPU.
#[derive(Clone, Debug)]
pub struct Pressure {
    kind: PressureKind,
    /// What is lost now, in capacity.
    raw: u32,
    stamp: Nanos,
    load: Load,
    /// Of the periodic average: capacity · ns since long ago, halved once a period; and when it was last halved.
    sum: u64,
    halved: Nanos,
}

impl Pressure {
    /// No pressure.
    #[must_use]
    pub const fn new(kind: PressureKind) -> Self {
        Self { kind, raw: 0, stamp: Nanos::ZERO, load: Load::new(), sum: 0, halved: Nanos::ZERO }
    }

    /// From `now` on this much capacity is lost, out of 1024.
    pub fn set(&mut self, now: Nanos, lost: u32) {
        self.advance(now);
        self.raw = lost.min(Capacity::FULL.get());
    }

    /// The pressure at `now`. To be read fresh by whoever places a task: an old value is the fault that was found with
    /// the patches of 2019.
    pub fn value(&mut self, now: Nanos) -> u32 {
        self.advance(now);
        match self.kind {
            PressureKind::None => 0,
            PressureKind::Instant => self.raw,
            PressureKind::Pelt => self.load.utilisation(),
            PressureKind::Decay(period) => self.average(now, period),
        }
    }

    fn advance(&mut self, now: Nanos) {
        let elapsed = now.since(self.stamp);
        match self.kind {
            PressureKind::None | PressureKind::Instant => {}
            PressureKind::Pelt => self.load.weighs(elapsed, self.raw),
            PressureKind::Decay(period) => self.accumulate(now, period),
        }
        self.stamp = now;
    }

    fn accumulate(&mut self, now: Nanos, period: Nanos) {
        // After 32 halvings nothing is left of the past.
        if now.saturating_sub(self.halved).as_nanos() > 32 * period.as_nanos() {
            (self.sum, self.halved) = (u64::from(self.raw) * period.as_nanos(), now);
            return;
        }
        while now.saturating_sub(self.halved) >= period {
            let border = self.halved + period;
            self.sum += u64::from(self.raw) * border.saturating_sub(self.stamp).as_nanos();
            self.sum /= 2;
            self.halved = border;
            self.stamp = border.max(self.stamp);
        }
        self.sum += u64::from(self.raw) * now.saturating_sub(self.stamp).as_nanos();
    }

    /// For a constant loss the sum is that times a period right after a halving and times two periods right before the
    /// next.
    fn average(&self, now: Nanos, period: Nanos) -> u32 {
        let age = now.saturating_sub(self.halved).as_nanos();
        u32::try_from(self.sum / (period.as_nanos() + age).max(1)).unwrap_or(0).min(Capacity::FULL.get())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const KINDS: [PressureKind; 6] = [
        PressureKind::None,
        PressureKind::Instant,
        PressureKind::Pelt,
        PressureKind::Decay(Nanos::from_millis(125)),
        PressureKind::Decay(Nanos::from_millis(250)),
        PressureKind::Decay(Nanos::from_millis(500)),
    ];

    fn after(kind: PressureKind, steps: &[(u64, u32)], at: u64) -> u32 {
        let mut pressure = Pressure::new(kind);
        for &(when, lost) in steps {
            pressure.set(Nanos::from_millis(when), lost);
        }
        // Read often or seldom: the value is the same.
        for millis in (steps.last().map_or(0, |step| step.0)..at).step_by(7) {
            let _ = pressure.value(Nanos::from_millis(millis));
        }
        pressure.value(Nanos::from_millis(at))
    }

    #[test]
    fn constant_loss_is_seen_in_full_by_all_but_none() {
        for kind in KINDS {
            let expected = if kind == PressureKind::None { 0 } else { 400 };
            let seen = after(kind, &[(0, 400)], 10_000);
            assert!(seen.abs_diff(expected) <= 1 + expected / 100, "{kind}: {seen}");
        }
    }

    #[test]
    fn a_cap_that_goes_is_forgotten_by_a_half_each_period() {
        let steps = [(0, 400), (10_000, 0)];
        assert_eq!(after(PressureKind::Instant, &steps, 10_001), 0);
        let pelt = after(PressureKind::Pelt, &steps, 10_034);
        assert!(pelt.abs_diff(200) <= 8, "{pelt}");
        for millis in [125, 250, 500] {
            let seen = after(PressureKind::Decay(Nanos::from_millis(millis)), &steps, 10_000 + millis);
            assert!(seen.abs_diff(200) <= 4, "{millis}: {seen}");
        }
    }

    #[test]
    fn names_lead_back() {
        for kind in KINDS {
            assert_eq!(PressureKind::parse(&std::format!("{kind}")), Some(kind));
        }
        assert_eq!(
            (PressureKind::parse("0ms"), PressureKind::parse("ms"), PressureKind::parse("x")),
            (None, None, None)
        );
    }
}

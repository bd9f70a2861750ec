//! Tasks whose jobs become longer and shorter: nobody can know that beforehand, so what counts is how soon plan and clock follow.

mod common;

use std::borrow::Cow;
use std::fmt;
use std::path::Path;

use common::{EAS, OURS, outcome};
use sim::file::{load, read_rt_app};
use sim::random::Random;
use sim::{Outcome, Scenario};

/// How long each is run, in microseconds.
const DURATION: u32 = 8_000_000;

/// A task that goes through phases again and again.
struct Changing {
    name: &'static str,
    /// From job to job, in microseconds.
    period: u32,
    /// How many jobs, and what each takes of a big CPU at its top in microseconds.
    phases: Cow<'static, [(u32, u32)]>,
}

const SET: [Changing; 10] = [
    Changing { name: "two phases", period: 16_667, phases: Cow::Borrowed(&[(60, 1_000), (60, 11_000)]) },
    Changing { name: "short phases", period: 16_667, phases: Cow::Borrowed(&[(12, 1_000), (12, 11_000)]) },
    Changing { name: "30 a second", period: 33_333, phases: Cow::Borrowed(&[(30, 2_000), (30, 20_000)]) },
    Changing { name: "100 a second", period: 10_000, phases: Cow::Borrowed(&[(100, 500), (100, 5_000)]) },
    Changing { name: "up", period: 16_667, phases: Cow::Borrowed(&[(40, 1_000), (40, 5_000), (40, 10_000)]) },
    Changing { name: "down", period: 16_667, phases: Cow::Borrowed(&[(40, 9_000), (40, 4_000), (40, 1_000)]) },
    Changing { name: "small", period: 16_667, phases: Cow::Borrowed(&[(60, 500), (60, 3_000)]) },
    Changing { name: "20 a second", period: 50_000, phases: Cow::Borrowed(&[(20, 3_000), (20, 30_000)]) },
    Changing { name: "never light", period: 20_000, phases: Cow::Borrowed(&[(50, 8_000), (50, 14_000)]) },
    Changing { name: "10 a second", period: 100_000, phases: Cow::Borrowed(&[(10, 5_000), (10, 60_000)]) },
];

impl Changing {
    /// Two to four phases of a quarter of a second to one and a half, with up to four fifths of a big CPU.
    fn any(random: &mut Random) -> Self {
        let between = |random: &mut Random, least: u32, most: u32| least + random.below(u64::from(most - least)) as u32;
        let period = between(random, 8_000, 100_000);
        let phase = |random: &mut Random| {
            let work = period / 100 * between(random, 2, 80);
            (between(random, 250_000, 1_500_000).div_ceil(period), work)
        };
        let phases = (0..between(random, 2, 5)).map(|_| phase(random)).collect();
        Self { name: "any", period, phases }
    }

    /// Beside so many others that run and sleep.
    fn beside(&self, others: u32) -> Scenario {
        let timer = format!(r#""timer": {{ "ref": "unique", "period": {}, "mode": "absolute" }}"#, self.period);
        let phase = |(index, (loops, run)): (usize, &(u32, u32))| {
            format!(r#""{index}": {{ "loop": {loops}, "run": {run}, {timer} }}"#)
        };
        let phases = self.phases.iter().enumerate().map(phase).collect::<Vec<_>>().join(", ");
        let mut tasks = format!(r#""changing": {{ "loop": -1, "phases": {{ {phases} }} }}"#);
        if others > 0 {
            tasks += &format!(r#", "other": {{ "instance": {others}, "loop": -1, "run": 800, "sleep": 9000 }}"#);
        }
        let global = format!(r#""duration": {}, "calibration": "CPU4""#, DURATION / 1_000_000);
        let text = format!(r#"{{ "global": {{ {global} }}, "tasks": {{ {tasks} }} }}"#);
        read_rt_app(self.name, &text).expect("it is right")
    }

    /// How often its jobs become longer.
    fn rises(&self) -> u64 {
        let jobs = self.phases.iter().map(|(jobs, _)| jobs);
        let next = self.phases.iter().cycle().skip(1);
        let rises = self.phases.iter().zip(next).filter(|(this, next)| this.1 < next.1).count();
        u64::from(DURATION.div_ceil(jobs.sum::<u32>() * self.period)) * rises as u64
    }
}

/// Ours against `eas`.
struct Comparison {
    /// The first task's late jobs: ours, theirs.
    late: [u64; 2],
    /// Energy for the same work. Who sleeps after a job and not until a time does more where it is fast.
    energy: f64,
}

impl Comparison {
    fn of(scenario: &Scenario) -> Self {
        let [ours, linux] = [OURS, EAS].map(|setup| outcome(scenario, setup));
        let late = [&ours, &linux].map(|outcome| outcome.tasks[0].statistics.misses);
        let price = |outcome: &Outcome| outcome.milliwatts() / outcome.throughput();
        Self { late, energy: price(&ours) / price(&linux) }
    }

    /// No more are late than with `eas`, or one for each time that the jobs become longer: that nobody can know beforehand.
    fn is_in_time(&self, changing: &Changing) -> bool {
        self.late[0] <= self.late[1].max(changing.rises())
    }
}

impl fmt::Display for Comparison {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { late: [ours, linux], energy } = self;
        write!(formatter, "{ours} late, eas {linux}; {energy:.3} of its energy for the same work")
    }
}

/// The late jobs of all, ours and theirs, and the mean energy.
fn together(all: &[Comparison]) -> Comparison {
    let late = [0, 1].map(|whose| all.iter().map(|one| one.late[whose]).sum());
    Comparison { late, energy: all.iter().map(|one| one.energy).sum::<f64>() / all.len() as f64 }
}

#[test]
fn a_page_that_is_scrolled_is_late_no_more_often_than_with_eas() {
    let loaded = load("two-phases", Path::new(env!("CARGO_MANIFEST_DIR"))).expect("it is right");
    let comparison = Comparison::of(&loaded.scenario);
    println!("{comparison}");
    assert!(comparison.late[0] <= comparison.late[1] && comparison.energy <= 1.0, "{comparison}");
}

#[test]
fn plan_and_clock_follow_a_task_that_changes() {
    let mut all = Vec::new();
    for changing in &SET {
        for others in [0, 6, 12] {
            let comparison = Comparison::of(&changing.beside(others));
            println!("{}, {others} others: {comparison}", changing.name);
            assert!(comparison.is_in_time(changing) && comparison.energy <= 1.1, "{}: {comparison}", changing.name);
            all.push(comparison);
        }
    }
    let all = together(&all);
    println!("{all}");
    assert!(all.late[0] * 2 <= all.late[1] && all.energy <= 0.95, "{all}");
}

/// Sets that nothing was chosen by.
#[test]
fn and_any_task_that_changes() {
    let any = (1..=60).map(|seed| {
        let mut random = Random::new(seed);
        let changing = Changing::any(&mut random);
        let comparison = Comparison::of(&changing.beside(random.below(13) as u32));
        assert!(comparison.is_in_time(&changing) && comparison.energy <= 1.25, "seed {seed}: {comparison}");
        comparison
    });
    let all = together(&any.collect::<Vec<_>>());
    println!("{all}");
    assert!(all.late[0] * 2 <= all.late[1] && all.energy <= 0.95, "{all}");
}

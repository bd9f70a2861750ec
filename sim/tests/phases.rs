//! Tasks whose jobs become longer and shorter: nobody can know that beforehand, so what counts is how soon plan and clock follow.

mod common;

use std::path::Path;

use common::{EAS, OURS, outcome};
use sim::file::{load, read_rt_app};
use sim::{Outcome, Scenario};

/// How long each is run, in microseconds.
const DURATION: u32 = 8_000_000;

/// A task that goes through phases again and again.
struct Changing {
    name: &'static str,
    /// From job to job, in microseconds.
    period: u32,
    /// How many jobs, and what each takes of a big CPU at its top in microseconds.
    phases: &'static [(u32, u32)],
}

const SET: [Changing; 10] = [
    Changing { name: "two phases", period: 16_667, phases: &[(60, 1_000), (60, 11_000)] },
    Changing { name: "short phases", period: 16_667, phases: &[(12, 1_000), (12, 11_000)] },
    Changing { name: "30 a second", period: 33_333, phases: &[(30, 2_000), (30, 20_000)] },
    Changing { name: "100 a second", period: 10_000, phases: &[(100, 500), (100, 5_000)] },
    Changing { name: "up", period: 16_667, phases: &[(40, 1_000), (40, 5_000), (40, 10_000)] },
    Changing { name: "down", period: 16_667, phases: &[(40, 9_000), (40, 4_000), (40, 1_000)] },
    Changing { name: "small", period: 16_667, phases: &[(60, 500), (60, 3_000)] },
    Changing { name: "20 a second", period: 50_000, phases: &[(20, 3_000), (20, 30_000)] },
    Changing { name: "never light", period: 20_000, phases: &[(50, 8_000), (50, 14_000)] },
    Changing { name: "10 a second", period: 100_000, phases: &[(10, 5_000), (10, 60_000)] },
];

impl Changing {
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

/// The first task's late jobs.
fn late(outcome: &Outcome) -> u64 {
    outcome.tasks[0].statistics.misses
}

/// Energy for the work that was done, against that of another run. Who sleeps after a job and not until a time does more where it is fast.
fn energy_against(ours: &Outcome, theirs: &Outcome) -> f64 {
    ours.milliwatts() / ours.throughput() / (theirs.milliwatts() / theirs.throughput())
}

#[test]
fn a_page_that_is_scrolled_is_late_no_more_often_than_with_eas() {
    let loaded = load("two-phases", Path::new(env!("CARGO_MANIFEST_DIR"))).expect("it is right");
    let [ours, linux] = [OURS, EAS].map(|setup| outcome(&loaded.scenario, setup));
    let energy = energy_against(&ours, &linux);
    let jobs = [&ours, &linux].map(|outcome| (late(outcome), outcome.jobs()));
    println!("late, jobs: {jobs:?}; {energy:.3} of the energy of eas for the same work");
    assert!(late(&ours) <= late(&linux) && energy <= 1.0, "{jobs:?}, {energy:.3}");
}

/// No more are late than with `eas`, or one for each time that they become longer; of all of them together less than half as many.
#[test]
fn plan_and_clock_follow_a_task_that_changes() {
    let mut all = Vec::new();
    let (mut late_ours, mut late_linux) = (0, 0);
    for changing in &SET {
        for others in [0, 6, 12] {
            let scenario = changing.beside(others);
            let [ours, linux] = [OURS, EAS].map(|setup| outcome(&scenario, setup));
            let (energy, most) = (energy_against(&ours, &linux), late(&linux).max(changing.rises()));
            println!(
                "{}, {others} others: {} late, eas {}, {energy:.3} of its energy for the same work",
                changing.name,
                late(&ours),
                late(&linux)
            );
            assert!(late(&ours) <= most && energy <= 1.1, "{}, {others}: {} {energy:.3}", changing.name, late(&ours));
            late_ours += late(&ours);
            late_linux += late(&linux);
            all.push(energy);
        }
    }
    let mean = all.iter().sum::<f64>() / all.len() as f64;
    println!("{late_ours} late, eas {late_linux}; {mean:.3} of its energy");
    assert!(late_ours * 2 <= late_linux && mean <= 0.95, "{late_ours} {late_linux} {mean:.3}");
}

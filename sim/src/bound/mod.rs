//! The best that any schedule could do on the true machine. Nothing here looks at a policy.
//!
//! | function | what it bounds |
//! |---|---|
//! | [`makespan`] | the end of the last of several jobs, at top clocks: a linear programme |
//! | [`energy_floor`] | the mean power of a steady load: tasks divisible, clocks switched at will |
//! | [`exact_equal`], [`exhaustive`] | the same with every task on one CPU and constant clocks |
//! | [`best_constant`] | the work that can go on for ever below a temperature, at constant clocks |
//! | [`most_throughput`] | the same at clocks and on cores that change at will |

mod exact;
mod heat;

pub use exact::{Partition, exact_equal, exhaustive};
pub use heat::{best_constant, most_throughput};

use sched::CoreType;

use crate::plant::{IdlePower, Plant};

/// Work of one class, in seconds of the fastest CPU at its top (of that class of work).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Job {
    /// How much.
    pub work: f64,
    /// The class.
    pub class: usize,
}

/// The earliest end of the last of `jobs`, in seconds, at the operating points `levels` (big, LITTLE), if moves cost
/// nothing.
///
/// Speeds may differ from class to class, so this is the linear programme of Lawler and Labetoulle (JACM 25(4), 1978):
/// shares of time per job and kind of core such that no job and no core is used for longer than T; an open-shop
/// schedule then attains T. With two kinds of core the programme is solved by giving the big cores first to those that
/// gain most by them.
#[must_use]
pub fn makespan(plant: &Plant, jobs: &[Job], levels: [usize; 2]) -> f64 {
    let (mut low, mut high) = (0.0, 1.0);
    while !feasible(plant, jobs, levels, high) {
        (low, high) = (high, high * 2.0);
        if high > 1e9 {
            return f64::INFINITY;
        }
    }
    while high - low > 1e-9 * high {
        let middle = f64::midpoint(low, high);
        if feasible(plant, jobs, levels, middle) { high = middle } else { low = middle }
    }
    high
}

fn feasible(plant: &Plant, jobs: &[Job], levels: [usize; 2], time: f64) -> bool {
    let cores = CoreType::BOTH.map(|core| plant.cluster(core).len() as f64 * time);
    // Of each job: how much faster big is, the least time it needs there, the most it can use, and its speeds.
    let mut wants = Vec::with_capacity(jobs.len());
    let (mut left, mut little) = (cores[0], 0.0);
    for job in jobs {
        let speed = |core: CoreType| {
            let there = !plant.cluster(core).is_empty();
            if there { plant.speed(job.class, core, levels[core.index()]) as f64 / 16_384.0 } else { 0.0 }
        };
        let (big_speed, little_speed) = (speed(CoreType::Big), speed(CoreType::Little));
        let least = if big_speed > little_speed {
            ((job.work - little_speed * time) / (big_speed - little_speed)).max(0.0)
        } else if little_speed * time < job.work {
            return false;
        } else {
            0.0
        };
        if least > time * (1.0 + 1e-12) {
            return false;
        }
        left -= least;
        let rest = (job.work - big_speed * least).max(0.0);
        if little_speed > 0.0 {
            little += rest / little_speed;
            wants.push((big_speed / little_speed, rest / big_speed.max(1e-12)));
        } else {
            left -= rest / big_speed;
        }
    }
    wants.sort_by(|one, other| other.0.total_cmp(&one.0));
    for (gain, most) in wants {
        let given = most.min(left.max(0.0));
        left -= given;
        little -= given * gain;
    }
    left >= -1e-9 * time && little <= cores[1] * (1.0 + 1e-12)
}

/// The least mean power, in milliwatts, at which a steady load of `work` (in full CPUs) of one class can be done: tasks
/// may be divided at will and clocks switched at no cost. Idle power is counted where it is gated or lingers, as if all
/// CPUs of a cluster always worked at once, which is the best that can be.
///
/// Per cluster the lower hull of (work, power) over all operating points, from rest on; segments of both in order of
/// their slope.
#[must_use]
pub fn energy_floor(plant: &Plant, class: usize, work: f64) -> Option<f64> {
    let mut segments: Vec<(f64, f64)> = CoreType::BOTH.into_iter().flat_map(|core| hull(plant, class, core)).collect();
    segments.sort_by(|one, other| one.0.total_cmp(&other.0));
    let (mut left, mut power) = (work, 0.0);
    for (slope, length) in segments {
        let used = length.min(left);
        power += slope * used;
        left -= used;
    }
    (left <= 1e-9).then_some(power)
}

/// Slope in milliwatts per full CPU, and length in full CPUs, of the segments of a cluster's lower hull.
fn hull(plant: &Plant, class: usize, core: CoreType) -> Vec<(f64, f64)> {
    let cpus = plant.cluster(core).len() as f64;
    let point = |level: usize| {
        let idle = if plant.idle == IdlePower::None { 0 } else { plant.idle_power(core, level) };
        let power = plant.busy_power(class, core, level) as f64 * cpus + idle as f64;
        (plant.speed(class, core, level) as f64 / 16_384.0 * cpus, power / 1e3)
    };
    let points: Vec<_> = (0..plant.levels(core)).map(point).collect();
    let mut segments = Vec::new();
    let mut here = (0.0, 0.0);
    if cpus == 0.0 {
        return segments;
    }
    loop {
        let ahead = points.iter().filter(|point| point.0 > here.0 + 1e-12);
        let slope = |point: &(f64, f64)| (point.1 - here.1) / (point.0 - here.0);
        let Some(&next) = ahead.min_by(|one, other| slope(one).total_cmp(&slope(other))) else { break };
        segments.push((slope(&next), next.0 - here.0));
        here = next;
    }
    segments
}

#[cfg(test)]
mod tests;

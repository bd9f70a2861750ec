//! How fast a cluster's clock should run.
//!
//! Called whenever the load of a CPU may have changed: on its tick, when a task arrives, when it falls idle. The CPUs
//! of a cluster share the clock, so the one that wants most decides.

use crate::words::words;
use crate::{Clamp, Cluster, CpuId, Cpus, Nanos, Plan, Rate};

/// The rule (boot argument `governor=`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GovernorKind {
    /// The highest operating point.
    Performance,
    /// The lowest one.
    Powersave,
    /// 1.25 times what the busiest CPU uses, skipping points that a faster one undercuts: Linux' default with
    /// energy-aware scheduling (`kernel/sched/cpufreq_schedutil.c`).
    Schedutil,
    /// What the plan says; more, at once, when a task overruns what is known of it; without a valid plan as
    /// `schedutil`.
    Planner,
}

words!(GovernorKind { Performance = "performance", Powersave = "powersave", Schedutil = "schedutil", Planner = "planner" });

/// What a utilisation asks for: a quarter more, within the bounds of the tasks (`sugov_effective_cpu_perf`).
#[inline]
#[must_use]
pub fn with_headroom(utilisation: u32, clamp: Clamp) -> u32 {
    clamp.min.max((utilisation + utilisation / 4).min(clamp.max))
}

/// The clock of one cluster.
#[derive(Clone, Debug)]
pub struct Governor {
    kind: GovernorKind,
    /// The least time between two changes.
    rate_limit: Nanos,
    level: usize,
    cap: usize,
    changed: Option<Nanos>,
}

impl Governor {
    /// A governor for a clock that takes `latency` to change; as in Linux it is left alone for half as long again.
    #[must_use]
    pub fn new(kind: GovernorKind, latency: Nanos, level: usize) -> Self {
        let rate_limit = Nanos::new(latency.as_nanos() * 3 / 2);
        Self { kind, rate_limit, level, cap: usize::MAX, changed: None }
    }

    /// The level in force.
    #[inline]
    #[must_use]
    pub fn level(&self) -> usize {
        self.level
    }

    /// The rule.
    #[must_use]
    pub fn kind(&self) -> GovernorKind {
        self.kind
    }

    /// The level that the cluster should run at from `now` on; [`None`] if the present one is right or was chosen too
    /// recently. `cap` is the highest level that heat allows: a lower cap is obeyed at once.
    pub fn update(&mut self, now: Nanos, cluster: &Cluster, cpus: &impl Cpus, cap: usize) -> Option<usize> {
        if cluster.cpus.is_empty() {
            return None;
        }
        let wanted = self.wanted(now, cluster, cpus).min(cap).min(cluster.top());
        let too_soon = self.changed.is_some_and(|changed| now.saturating_sub(changed) < self.rate_limit);
        let cap_changed = cap != self.cap;
        if wanted == self.level || too_soon && !cap_changed {
            return None;
        }
        (self.level, self.changed, self.cap) = (wanted, Some(now), cap);
        Some(wanted)
    }

    fn wanted(&self, now: Nanos, cluster: &Cluster, cpus: &impl Cpus) -> usize {
        match self.kind {
            GovernorKind::Performance => cluster.top(),
            GovernorKind::Powersave => 0,
            GovernorKind::Schedutil => by_utilisation(cluster, cpus),
            GovernorKind::Planner => match cpus.plan().filter(|plan| plan.is_feasible()) {
                Some(plan) => by_plan(plan, now, cluster, cpus),
                None => by_utilisation(cluster, cpus).max(overruns(cluster, cpus)),
            },
        }
    }
}

fn by_utilisation(cluster: &Cluster, cpus: &impl Cpus) -> usize {
    let wanted = |cpu: CpuId| {
        let load = cpus.load(cpu);
        let room = cpus.capacities().capacity(cpu).get();
        with_headroom(load.expected().min(room), load.clamp)
    };
    let busiest = (cluster.cpus & cpus.online()).iter().map(wanted).max().unwrap_or(0);
    cluster.efficient_from(cluster.reaching(Rate::of(busiest)), cluster.top())
}

fn by_plan(plan: &Plan, now: Nanos, cluster: &Cluster, cpus: &impl Cpus) -> usize {
    let planned = plan.clock(cluster.core, now);
    // A cluster that the plan has no use for may still have a task that the plan does not know yet.
    let base = planned.unwrap_or_else(|| if works(cluster, cpus) { cluster.critical(1) } else { 0 });
    base.max(overruns(cluster, cpus)).max(dues(cluster, cpus))
}

fn works(cluster: &Cluster, cpus: &impl Cpus) -> bool {
    !(cluster.cpus & cpus.online() & !cpus.idle()).is_empty()
}

/// The level for the tasks that take longer than is known of them.
fn overruns(cluster: &Cluster, cpus: &impl Cpus) -> usize {
    let floor = |cpu: CpuId| cpus.view(cpu).running.map_or(0, |task| cpus.hints(task.task).floor);
    let most = (cluster.cpus & cpus.online()).iter().map(floor).max().unwrap_or(0);
    if most == 0 { 0 } else { cluster.reaching(Rate::of(most)) }
}

/// The level for the tasks that are awake and to which a speed is due.
fn dues(cluster: &Cluster, cpus: &impl Cpus) -> usize {
    let most = (cluster.cpus & cpus.online()).iter().map(|cpu| cpus.load(cpu).clamp.min).max().unwrap_or(0);
    if most == 0 { 0 } else { cluster.reaching(Rate::of(most)) }
}

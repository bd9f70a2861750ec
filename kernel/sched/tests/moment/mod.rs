//! Made-up moments in the life of a small machine.
#![allow(dead_code, reason = "each test file uses some of it")]

use sched::energy::derive;
use sched::planner::{self, Limits};
use sched::{
    Beside, CapacityTable, CoreType, CpuFacts, CpuId, CpuKind, CpuLoad, CpuMask, CpuView, Cpus, Demand, Energy, Goal,
    Hints, IdleCost, Kilohertz, Machine, Microvolts, Microwatts, Nanos, Opp, Plan, Point, Policy, PolicyKind, Profile,
    Rate, RunningView, Shift, TaskId, Wake,
};

pub const OPPS: &[Opp] = &[Opp { frequency: Kilohertz::from_mhz(1000), voltage: Microvolts::new(1_000_000) }];
pub static BIG: CpuKind = CpuKind { core: CoreType::Big, dmips_per_mhz: 62, opps: OPPS };
pub static LITTLE: CpuKind = CpuKind { core: CoreType::Little, dmips_per_mhz: 28, opps: OPPS };
/// Two LITTLE CPUs, then two big ones.
pub static MACHINE: Machine = Machine {
    name: "2+2",
    cpus: &[
        CpuFacts { mpidr: 0, kind: &LITTLE },
        CpuFacts { mpidr: 1, kind: &LITTLE },
        CpuFacts { mpidr: 2, kind: &BIG },
        CpuFacts { mpidr: 3, kind: &BIG },
    ],
};

static BIG_POINTS: [Point; 1] = derive(OPPS, 310, Rate::FULL);
static LITTLE_POINTS: [Point; 1] = derive(OPPS, 90, Rate::new(7_399));
static PROFILE: Profile = Profile {
    name: "moment",
    source: "made up",
    big: &BIG_POINTS,
    little: &LITTLE_POINTS,
    idle_big: &[Microwatts::ZERO],
    idle_little: &[Microwatts::ZERO],
};

pub const GEAR: Policy = Policy { kind: PolicyKind::Gear, goal: Goal::Mean };
pub const MAKESPAN: Policy = Policy { kind: PolicyKind::Gear, goal: Goal::Makespan };
pub const PULL: Policy = Policy { kind: PolicyKind::Pull, goal: Goal::Mean };
pub const ENERGY: Policy = Policy { kind: PolicyKind::Gear, goal: Goal::Energy };
pub const EAS: Policy = Policy { kind: PolicyKind::Eas, goal: Goal::Mean };
pub const WALT: Policy = Policy { kind: PolicyKind::Walt, goal: Goal::Mean };
pub const PINNED: Policy = Policy { kind: PolicyKind::Pinned, goal: Goal::Mean };
pub const NOW: Nanos = Nanos::from_millis(1_000);

/// A moment in the life of the machine.
#[derive(Clone, Debug)]
pub struct Moment {
    pub capacities: CapacityTable,
    pub views: [CpuView; 4],
    /// What each task is known to need since it began to run.
    pub floor: u32,
    /// Whether each task should be near its waker, and for how long all of them run at a stretch.
    pub beside: Beside,
    pub stint: Nanos,
    /// What heat takes from the big CPUs.
    pub pressure: u32,
    /// What work costs, for the policies that ask.
    pub energy: Energy,
    pub plan: Option<Plan>,
}

impl Cpus for Moment {
    fn online(&self) -> CpuMask {
        self.capacities.present()
    }
    fn idle(&self) -> CpuMask {
        self.online().iter().filter(|&cpu| self.view(cpu).tasks() == 0).collect()
    }
    fn capacities(&self) -> &CapacityTable {
        &self.capacities
    }
    fn view(&self, cpu: CpuId) -> CpuView {
        self.views[cpu.index()]
    }
    fn energy(&self) -> Option<&Energy> {
        Some(&self.energy)
    }
    fn plan(&self) -> Option<&Plan> {
        self.plan.as_ref()
    }
    fn load(&self, cpu: CpuId) -> CpuLoad {
        let pressure = if self.capacities.core_type(cpu) == CoreType::Big { self.pressure } else { 0 };
        CpuLoad { pressure, ..CpuLoad::default() }
    }
    fn hints(&self, _task: TaskId) -> Hints {
        Hints { floor: self.floor, beside: self.beside, ..Hints::default() }
    }
    fn stint(&self, _cpu: CpuId) -> Nanos {
        self.stint
    }
}

pub fn moment(views: [CpuView; 4]) -> Moment {
    moment_of(CpuMask::ALL, views)
}

/// The same where only some CPUs came up.
pub fn moment_of(present: CpuMask, views: [CpuView; 4]) -> Moment {
    let energy = Energy::new(&MACHINE, present, &PROFILE, IdleCost::Ignored);
    Moment {
        capacities: CapacityTable::new(&MACHINE, present),
        views,
        floor: 0,
        beside: Beside::Anywhere,
        stint: Nanos::from_millis(1),
        pressure: 0,
        energy,
        plan: None,
    }
}

/// The same with a plan for tasks that want so much.
pub fn planned(views: [CpuView; 4], wanted: &[(u32, u32)]) -> Moment {
    let now = moment(views);
    let steady = |&(task, work): &(u32, u32)| Demand::steady(TaskId::new(task), Rate::new(work));
    let demands: Vec<Demand> = wanted.iter().map(steady).collect();
    let plan = planner::plan(&now.energy, &demands, &Limits::all(&now.energy), &Plan::none(), NOW);
    Moment { plan: Some(plan), ..now }
}

pub const IDLE: CpuView = CpuView { running: None, queued: 0, utilisation: 0 };

/// A CPU that runs a task which has been there for long.
pub fn runs(task: u32, utilisation: u32, progress_ms: u64) -> CpuView {
    let running = RunningView {
        task: TaskId::new(task),
        utilisation,
        runnable: utilisation,
        progress: Nanos::from_millis(progress_ms),
        last_moved: Nanos::ZERO,
        affinity: CpuMask::ALL,
    };
    CpuView { running: Some(running), queued: 0, utilisation }
}

pub fn with_queue(view: CpuView, queued: u32) -> CpuView {
    CpuView { queued, ..view }
}

pub fn on(cpu: usize) -> CpuId {
    CpuId::new(cpu)
}

pub fn wake(previous: usize, utilisation: u32, affinity: CpuMask) -> Wake {
    Wake { task: TaskId::new(9), previous: on(previous), waker: on(previous), utilisation, affinity, fresh: false }
}

pub fn tick(policy: Policy, me: usize, moment: &Moment) -> Option<Shift> {
    let view = moment.view(on(me));
    sched::on_tick(policy, on(me), NOW, &view.running.expect("a tick interrupts a task"), view.queued, moment)
}

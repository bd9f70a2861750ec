//! The peers and the governors on hand-made states of a machine: what they decide, and for which reason.

use sched::energy::derive;
use sched::planner::{self, Limits};
use sched::{
    CapacityTable, Clamp, CoreType, CpuFacts, CpuId, CpuKind, CpuLoad, CpuMask, CpuView, Cpus, Demand, Energy, Goal,
    Governor, GovernorKind, Hints, IdleCost, Kilohertz, Machine, Microvolts, Microwatts, Nanos, Opp, Plan, Point,
    Policy, PolicyKind, Profile, Rate, RunningView, Shift, TaskId, Wake, Why, on_idle, on_tick, place,
};

const fn opp(mhz: u32, microvolts: u32) -> Opp {
    Opp { frequency: Kilohertz::from_mhz(mhz), voltage: Microvolts::new(microvolts) }
}

/// The middle one of the big cluster's levels is undercut by the top one.
const BIG_OPPS: &[Opp] = &[opp(800, 900_000), opp(1600, 1_250_000), opp(1800, 1_200_000)];
const LITTLE_OPPS: &[Opp] = &[opp(600, 900_000), opp(1400, 1_100_000)];
static BIG: CpuKind = CpuKind { core: CoreType::Big, dmips_per_mhz: 1024, opps: BIG_OPPS };
static LITTLE: CpuKind = CpuKind { core: CoreType::Little, dmips_per_mhz: 527, opps: LITTLE_OPPS };
static BIG_POINTS: [Point; 3] = derive(BIG_OPPS, 310, Rate::FULL);
static LITTLE_POINTS: [Point; 2] = derive(LITTLE_OPPS, 90, Rate::new(6_554));
static PROFILE: Profile = Profile {
    name: "test",
    source: "made up",
    big: &BIG_POINTS,
    little: &LITTLE_POINTS,
    idle_big: &[Microwatts::ZERO; 3],
    idle_little: &[Microwatts::ZERO; 2],
};

const fn cpu(mpidr: u32, kind: &'static CpuKind) -> CpuFacts {
    CpuFacts { mpidr, kind }
}

/// CPUs 0 and 1 are LITTLE (capacity 400), 2 and 3 big.
static MACHINE: Machine =
    Machine { name: "2+2", cpus: &[cpu(0x100, &LITTLE), cpu(0x101, &LITTLE), cpu(0, &BIG), cpu(1, &BIG)] };

struct State {
    capacities: CapacityTable,
    energy: Energy,
    utilisation: [u32; 4],
    running: [Option<RunningView>; 4],
    queued: [u32; 4],
    /// What heat takes from the big CPUs.
    pressure: u32,
    floor: u32,
    clamp: Clamp,
    plan: Option<Plan>,
}

impl State {
    fn new(utilisation: [u32; 4]) -> Self {
        Self {
            capacities: CapacityTable::new(&MACHINE, CpuMask::ALL),
            energy: Energy::new(&MACHINE, CpuMask::ALL, &PROFILE, IdleCost::Ignored),
            utilisation,
            running: [None; 4],
            queued: [0; 4],
            pressure: 0,
            floor: 0,
            clamp: Clamp::NONE,
            plan: None,
        }
    }

    /// A task of that utilisation runs on a CPU, since long ago.
    fn runs(mut self, cpu: usize, utilisation: u32) -> Self {
        self.running[cpu] = Some(running(u32::try_from(cpu).expect("small"), utilisation));
        self
    }
}

fn running(task: u32, utilisation: u32) -> RunningView {
    RunningView {
        task: TaskId::new(task),
        utilisation,
        runnable: utilisation,
        progress: Nanos::ZERO,
        last_moved: Nanos::ZERO,
        affinity: CpuMask::ALL,
    }
}

impl Cpus for State {
    fn online(&self) -> CpuMask {
        CpuMask::first_n(4)
    }
    fn idle(&self) -> CpuMask {
        self.online().iter().filter(|cpu| self.running[cpu.index()].is_none()).collect()
    }
    fn capacities(&self) -> &CapacityTable {
        &self.capacities
    }
    fn view(&self, cpu: CpuId) -> CpuView {
        CpuView {
            running: self.running[cpu.index()],
            queued: self.queued[cpu.index()],
            utilisation: self.utilisation[cpu.index()],
        }
    }
    fn energy(&self) -> Option<&Energy> {
        Some(&self.energy)
    }
    fn plan(&self) -> Option<&Plan> {
        self.plan.as_ref()
    }
    fn load(&self, cpu: CpuId) -> CpuLoad {
        let utilisation = self.utilisation[cpu.index()];
        let pressure = if self.capacities.core_type(cpu) == CoreType::Big { self.pressure } else { 0 };
        CpuLoad { utilisation, estimate: 0, runnable: utilisation, clamp: self.clamp, pressure }
    }
    fn hints(&self, _: TaskId) -> Hints {
        Hints { floor: self.floor, clamp: self.clamp, ..Hints::default() }
    }
}

const EAS: Policy = Policy { kind: PolicyKind::Eas, goal: Goal::Mean };
const WALT: Policy = Policy { kind: PolicyKind::Walt, goal: Goal::Mean };
const ENERGY: Policy = Policy { kind: PolicyKind::Gear, goal: Goal::Energy };
const LATER: Nanos = Nanos::from_millis(1_000);

fn wake(utilisation: u32, previous: usize) -> Wake {
    let (previous, waker) = (CpuId::new(previous), CpuId::new(0));
    Wake { task: TaskId::new(9), previous, waker, utilisation, affinity: CpuMask::ALL, fresh: false }
}

#[test]
fn eas_goes_where_the_added_energy_is_least() {
    let verdict = place(EAS, &wake(50, 2), &State::new([40, 80, 60, 60]));
    assert_eq!((verdict.cpu, verdict.why), (CpuId::new(0), Why::Energy), "LITTLE with most room");
    let verdict = place(EAS, &wake(50, 1), &State::new([40, 40, 60, 60]));
    assert_eq!((verdict.cpu, verdict.why), (CpuId::new(1), Why::Previous), "a tie keeps the previous CPU");
}

#[test]
fn eas_stops_thinking_of_energy_when_one_cpu_is_overutilised() {
    let busy = State::new([40, 390, 60, 60]).runs(1, 390);
    let verdict = place(EAS, &wake(50, 1), &busy);
    assert_eq!(verdict.why, Why::Fits, "{:?}: any idle CPU that it fits", verdict.cpu);
    assert_eq!(
        on_idle(EAS, CpuId::new(2), &State::new([40, 40, 60, 60])),
        None,
        "while energy decides nothing is pulled"
    );
}

#[test]
fn eas_moves_a_misfit_on_the_tick() {
    let state = State::new([390, 0, 0, 0]).runs(0, 390);
    let shift = on_tick(EAS, CpuId::new(0), LATER, &running(0, 390), 0, &state);
    assert!(matches!(shift, Some(Shift::Push { why: Why::Misfit, to }) if to.index() >= 2), "{shift:?}");
    let capped = State { clamp: Clamp { min: 0, max: 200 }, ..State::new([390, 0, 0, 0]).runs(0, 390) };
    assert_eq!(on_tick(EAS, CpuId::new(0), LATER, &running(0, 390), 0, &capped), None, "bounded, it fits");
}

#[test]
fn walt_rotates_when_every_cpu_has_a_giant_and_not_before() {
    let full = State::new([400, 400, 1024, 1024]).runs(0, 400).runs(1, 400).runs(2, 1000).runs(3, 1000);
    let shift = on_tick(WALT, CpuId::new(0), LATER, &running(0, 400), 0, &full);
    assert!(matches!(shift, Some(Shift::Exchange { why: Why::Rotation, .. })), "{shift:?}");
    let three = State::new([400, 400, 1024, 0]).runs(0, 400).runs(1, 400).runs(2, 1000);
    let shift = on_tick(WALT, CpuId::new(0), LATER, &running(0, 400), 0, &three);
    assert!(matches!(shift, Some(Shift::Push { why: Why::Misfit, .. })), "a free big CPU is better than an exchange");
}

/// All together a task has 2848 / 10 here: a big CPU (1024) is due 3.6, a LITTLE one (400) 1.4.
#[test]
fn eas_evens_out_what_busy_cpus_have_to_do_for_their_capacity() {
    let busy = |tasks: [u32; 4], pressure| {
        let all = (0..4).fold(State::new([400, 400, 1024, 1024]), |state, cpu| state.runs(cpu, 400));
        State { queued: tasks.map(|tasks| tasks - 1), pressure, ..all }
    };
    let push = |to| Some(Shift::Push { to: CpuId::new(to), why: Why::Balance });
    let tick =
        |me: usize, state: &State| on_tick(EAS, CpuId::new(me), LATER, &running(9, 400), state.queued[me], state);
    assert_eq!(tick(0, &busy([2, 2, 3, 3], 0)), push(2));
    assert_eq!(tick(2, &busy([1, 1, 4, 4], 0)), None, "it would be too much there");
    assert_eq!(tick(2, &busy([1, 1, 4, 4], 500)), push(0), "heat leaves 524: due are 2.8 and 2.2");
    let young = RunningView { last_moved: LATER - Nanos::from_millis(127), ..running(9, 400) };
    assert_eq!(on_tick(EAS, CpuId::new(0), LATER, &young, 1, &busy([2, 2, 3, 3], 0)), None, "not before its time");
}

/// A task is a giant above 70 % of a LITTLE CPU: of 410 here, 527·1400 of 1024·1800.
#[test]
fn walt_counts_giants_by_the_capacity_of_a_little_cpu() {
    assert!(State::new([0; 4]).capacities.capacity(CpuId::new(0)).get().abs_diff(410) <= 1);
    for (least, rotates) in [(280, false), (286, false), (287, true), (330, true)] {
        let full = State::new([400, 400, 1024, 1024]).runs(0, 400).runs(1, least).runs(2, 1000).runs(3, 1000);
        let shift = on_tick(WALT, CpuId::new(0), LATER, &running(0, 400), 0, &full);
        let is_rotation = matches!(shift, Some(Shift::Exchange { why: Why::Rotation, .. }));
        assert_eq!(is_rotation, rotates, "{least}: {shift:?}");
    }
}

/// As `newidle_balance` of Linux does when energy no longer decides.
#[test]
fn an_idle_cpu_pulls_from_an_overutilised_one() {
    let busy = State::new([400, 400, 1024, 0]).runs(0, 400).runs(1, 400).runs(2, 1000);
    for policy in [EAS, WALT] {
        let pull = on_idle(policy, CpuId::new(3), &busy);
        assert!(pull.is_some_and(|pull| pull.running && pull.from.index() < 2), "{policy:?}: {pull:?}");
    }
}

#[test]
fn schedutil_takes_a_quarter_more_and_skips_what_is_undercut() {
    let mut governor = Governor::new(GovernorKind::Schedutil, Nanos::from_micros(140), 0);
    let state = State::new([0, 0, 600, 0]);
    let big = state.energy.cluster(CoreType::Big);
    // 600 · 1.25 = 750 of 1024 asks for 1600 MHz (910); 1800 MHz does it for less.
    assert_eq!(governor.update(LATER, big, &state, usize::MAX), Some(2));
    assert_eq!(governor.update(LATER, big, &state, 0), Some(0), "a cap is obeyed at once");
    let mut slow = Governor::new(GovernorKind::Schedutil, Nanos::from_micros(140), 0);
    let idle = State::new([0; 4]);
    assert_eq!(slow.update(LATER, big, &state, 2), Some(2));
    assert_eq!(slow.update(LATER + Nanos::from_micros(200), big, &idle, 2), None, "210 µs must go by");
    assert_eq!(slow.update(LATER + Nanos::from_micros(211), big, &idle, 2), Some(0));
}

#[test]
fn the_plan_sets_the_level_and_an_overrun_raises_it() {
    let mut state = State::new([100, 0, 0, 0]).runs(0, 100);
    let demands = [Demand::steady(TaskId::new(0), Rate::of(100)), Demand::steady(TaskId::new(9), Rate::of(50))];
    let limits = Limits::all(&state.energy);
    state.plan = Some(planner::plan(&state.energy, &demands, &limits, &Plan::none(), LATER));
    let mut governor = Governor::new(GovernorKind::Planner, Nanos::ZERO, 1);
    let little = state.energy.cluster(CoreType::Little).clone();
    assert_eq!(governor.update(LATER, &little, &state, usize::MAX), Some(0), "both fit the slowest level");
    let home = state.plan.as_ref().and_then(|plan| plan.home(TaskId::new(9))).expect("planned").cpu;
    assert_eq!(
        (place(ENERGY, &wake(50, 3), &state).cpu, place(ENERGY, &wake(50, 3), &state).why),
        (home, Why::Planned)
    );
    state.floor = 512;
    assert_eq!(governor.update(LATER, &little, &state, usize::MAX), Some(1), "what takes longer than known gets more");
    let shift = on_tick(ENERGY, CpuId::new(0), LATER, &running(0, 100), 0, &state);
    assert!(matches!(shift, Some(Shift::Push { why: Why::Misfit, .. })), "and goes to a big CPU: {shift:?}");
}

#[test]
fn names_lead_back() {
    for kind in [PolicyKind::Pinned, PolicyKind::Pull, PolicyKind::Gear, PolicyKind::Eas, PolicyKind::Walt] {
        assert_eq!(PolicyKind::parse(&kind.to_string()), Some(kind));
    }
    for kind in [GovernorKind::Performance, GovernorKind::Powersave, GovernorKind::Schedutil, GovernorKind::Planner] {
        assert_eq!(GovernorKind::parse(&kind.to_string()), Some(kind));
    }
}

use super::*;
use crate::Weight;

const PERIOD: Nanos = Nanos::from_millis(16);

/// A stretch at a clock, on a big core with a top of 2 GHz, or a LITTLE one with a top of 1.4 GHz and half of the speed there; by the list speed is
/// proportional to the clock.
fn stint(core: CoreType, megahertz: u32, cycles: u64, instructions: u64) -> Stint {
    let (top, full) = match core {
        CoreType::Big => (2000, Rate::FULL),
        CoreType::Little => (1400, Rate::permyriad(5_000)),
    };
    let listed = Listed {
        frequency: Kilohertz::from_mhz(megahertz),
        speed: Rate::new(full.get() * megahertz / top),
        top_frequency: Kilohertz::from_mhz(top),
        top_speed: full,
        stall: 0,
    };
    Stint { core, listed, busy: Nanos::new(cycles * 1_000 / u64::from(megahertz)), cycles, instructions }
}

/// Jobs of `work` at full speed, `count` of them, a period apart.
fn periodic(work: &[u64]) -> Signals {
    let mut signals = Signals::new();
    for (job, micros) in (1..).zip(work) {
        signals.woke(Nanos::new(PERIOD.as_nanos() * job), Waker::Clock);
        let busy = Nanos::from_micros(*micros);
        signals.ran(&Stint { busy, ..stint(CoreType::Big, 2000, 0, 0) });
        signals.slept();
    }
    signals
}

fn demand(signals: &Signals) -> Demand {
    let entity = Entity::new(Weight::NORMAL);
    signals.demand(TaskId::new(1), &entity, CpuMask::ALL, Nanos::from_millis(200))
}

#[test]
fn reserves_the_mean_and_not_the_peak() {
    let wanted = demand(&periodic(&[1_600; 10]));
    assert_eq!(wanted.work.utilisation(), 102, "1.6 ms of 16 ms; load tracking would say 119");
    assert_eq!((wanted.slack, wanted.hungry), (0, false));
}

#[test]
fn jobs_that_differ_get_slack() {
    let wanted = demand(&periodic(&[1_500, 1_700, 1_500, 1_700, 1_500, 1_700, 1_500, 1_700]));
    assert_eq!(wanted.work.utilisation(), 102);
    assert!((60..=80).contains(&wanted.slack), "the longest is 6.25 % above the mean: {}", wanted.slack);
}

/// What is reserved for `jobs` (beginning and work in milliseconds of a full CPU), in tenths of a millisecond for each period.
fn reserved(jobs: impl Iterator<Item = (u64, u64)>, period: u64, by: Waker) -> u32 {
    let mut signals = Signals::new();
    for (begin, work) in jobs {
        signals.woke(Nanos::from_millis(begin), by);
        signals.ran(&Stint { busy: Nanos::from_millis(work), ..stint(CoreType::Big, 2000, 0, 0) });
        signals.slept();
    }
    assert_eq!(signals.rhythm().period().map(Nanos::as_millis), Some(period));
    let wanted = demand(&signals);
    (u64::from(wanted.reserve(0).get()) * period * 10).div_ceil(1 << 14) as u32
}

/// Large frames among small ones, whichever of them are remembered.
#[test]
fn reserves_for_the_longest_job_at_any_time() {
    let job = |frame: u64| (frame * 33, if frame.is_multiple_of(3) { 12 } else { 4 });
    for frames in 8..16 {
        let reserved = reserved((1..frames).map(job), 33, Waker::Clock);
        assert!((119..=125).contains(&reserved), "{frames} frames: {reserved}");
    }
}

/// Where the large frame takes so long that it takes the next one along, there are jobs of 16 and of 4.
#[test]
fn who_is_late_does_not_pass_for_one_who_needs_less() {
    let jobs = (1..6).flat_map(|round| [(round * 99, 16), (round * 99 + 66, 4)]);
    let reserved = reserved(jobs, 33, Waker::Clock);
    assert!((115..=130).contains(&reserved), "{reserved}");
}

/// A stage of a chain gets its jobs when the stage before has done them, and that is not by the clock.
#[test]
fn the_next_stage_has_the_rhythm_of_the_one_that_wakes_it() {
    let jobs = (1..6).flat_map(|round| [(round * 99, 6), (round * 99 + 15, 2), (round * 99 + 60, 2)]);
    let waker = Waker::Task(Some(Nanos::from_millis(33)));
    let reserved = reserved(jobs, 33, waker);
    assert!((58..=70).contains(&reserved), "{reserved}");
    assert_eq!(periodic_by(Waker::Task(None), 3).rhythm().period(), None, "a chance");
    assert_eq!(periodic_by(Waker::Clock, 3).rhythm().period(), Some(PERIOD), "a clock");
}

fn periodic_by(by: Waker, jobs: u64) -> Signals {
    let mut signals = Signals::new();
    for job in 1..=jobs {
        signals.woke(Nanos::new(PERIOD.as_nanos() * job), by);
        signals.slept();
    }
    signals
}

#[test]
fn without_a_rhythm_load_tracking_stands_in() {
    let mut signals = Signals::new();
    for at in [10, 20, 80, 81, 200, 290] {
        signals.woke(Nanos::from_millis(at), Waker::Clock);
        signals.slept();
    }
    assert_eq!(signals.rhythm().period(), None);
    assert_eq!(demand(&signals).work, Rate::ZERO, "and it says that the task has never run");
}

#[test]
fn an_overrun_is_credited_in_four_steps() {
    let mut signals = periodic(&[1_600; 8]);
    signals.woke(Nanos::from_millis(200), Waker::Clock);
    let floor = |millis| signals.floor(Nanos::from_millis(millis), Rate::FULL);
    assert_eq!([1, 2, 3, 5, 7, 11, 19].map(floor), [0, 0, 0, 256, 512, 768, 1024]);
    let fresh = Signals::new();
    assert_eq!([2, 4, 8, 16].map(|millis| fresh.floor(Nanos::from_millis(millis), Rate::FULL)), [256, 512, 768, 1024]);
}

#[test]
fn who_never_sleeps_is_hungry_unless_it_is_bounded() {
    let mut signals = Signals::new();
    signals.woke(Nanos::from_millis(100), Waker::Clock);
    signals.ran(&Stint { busy: Nanos::from_millis(60), ..stint(CoreType::Big, 2000, 0, 0) });
    assert!(demand(&signals).hungry);
    signals.clamp.max = 200;
    assert!(!demand(&signals).hungry);
}

/// A stretch of so many milliseconds of a task whose instructions take `cycles` of the core and `nanos` of waiting for memory each.
fn runs(core: CoreType, megahertz: u32, millis: u64, cycles: f64, nanos: f64) -> Stint {
    let all = millis * 1_000 * u64::from(megahertz);
    let each = cycles + nanos * f64::from(megahertz) / 1_000.0;
    stint(core, megahertz, all, (all as f64 / each) as u64)
}

#[test]
fn tells_the_ratio_from_both_cores() {
    let mut signals = Signals::new();
    signals.ran(&stint(CoreType::Big, 2000, 4_800_000, 4_800_000));
    assert_eq!(signals.speeds().correction(), 0, "only one of both is known");
    // A move's cold caches: 200 µs with half of the instructions. Nothing is to be made of that.
    signals.ran(&stint(CoreType::Little, 1400, 280_000, 80_000));
    assert_eq!((signals.speeds().correction(), signals.speeds().stall(CoreType::Big)), (0, 0));
    // The list says 0.5 for this LITTLE core, and it does 0.4 of the big one's instructions in the same time.
    signals.ran(&stint(CoreType::Little, 1400, 6_720_000, 3_840_000));
    // The first 200 µs are still in it.
    assert!(signals.speeds().correction().abs_diff(801) <= 8, "{}", signals.speeds().correction());
    assert_eq!(CoreType::BOTH.map(|core| signals.speeds().stall(core)), [0, 0]);
    assert_eq!(signals.progress().map(Nanos::as_micros), Some(2_400 + 1_920 + 40), "by instructions, not by the list");
}

#[test]
fn tells_the_stalls_from_two_clocks_of_a_core() {
    let mut signals = Signals::new();
    signals.ran(&runs(CoreType::Big, 1400, 4, 1.0, 0.5));
    signals.ran(&runs(CoreType::Big, 1000, 4, 1.0, 0.5));
    assert_eq!(signals.speeds().stall(CoreType::Big), 0, "the two hardly differ");
    signals.ran(&runs(CoreType::Big, 500, 4, 1.0, 0.5));
    let [big, little] = CoreType::BOTH.map(|core| signals.speeds().stall(core));
    assert!(big.abs_diff(512) <= 3, "half of the time at 2 GHz, where it has never been: {big}");
    assert!(little.abs_diff(512) <= 3, "until more is known: {little}");
    signals.ran(&runs(CoreType::Little, 1400, 4, 4.0, 0.5));
    signals.ran(&runs(CoreType::Little, 700, 4, 4.0, 0.5));
    assert_eq!(signals.speeds().stall(CoreType::Little), 0, "a seventh of the time is not told from noise");
    // At the tops an instruction takes 1 ns and 3.36 ns, and the list says twice as long; at 700 MHz it was a little less than twice that.
    assert!(signals.speeds().correction().abs_diff(610) <= 40, "{}", signals.speeds().correction());
}

/// By the list a job of a task that waits for memory would be five times as much work at one clock as at another.
#[test]
fn what_a_job_is_worth_does_not_depend_on_the_clocks_that_it_ran_at() {
    let mut signals = Signals::new();
    let clocks = [2000, 400, 1000, 2000, 200, 1400, 600, 2000, 300, 1800];
    for (job, clock) in (1..).zip(clocks.iter().cycle().take(30)) {
        signals.woke(Nanos::new(PERIOD.as_nanos() * job), Waker::Clock);
        // 1.5 million instructions.
        let all = runs(CoreType::Big, *clock, 4, 0.1, 1.0);
        let part = |whole: u64| whole * 1_500_000 / all.instructions;
        let busy = Nanos::new(part(all.busy.as_nanos()));
        signals.ran(&Stint { busy, cycles: part(all.cycles), instructions: 1_500_000, ..all });
        signals.slept();
    }
    let wanted = demand(&signals);
    assert!(wanted.stall[0].abs_diff(975) <= 5, "{}", wanted.stall[0]);
    // 1.05 ns each at the top.
    assert!(wanted.work.get().abs_diff(16_384 * 1_575 / 16_000) <= 20, "{}", wanted.work.get());
    assert!(wanted.slack <= 10, "all jobs are alike: {}", wanted.slack);
}

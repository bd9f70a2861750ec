//! Where the policies lead, on machines of 2+2 and 4+4 CPUs with the looper's ratio of 0.452.

mod world;

use sched::{CpuId, CpuMask, Cpus, Goal, Machine, Nanos, Policy, PolicyKind, Why, fluid_bound};
use world::{FOUR_AND_FOUR, Life, TICK, TWO_AND_TWO, World};

const PINNED: Policy = Policy { kind: PolicyKind::Pinned, goal: Goal::Mean };
const PULL: Policy = Policy { kind: PolicyKind::Pull, goal: Goal::Mean };
const MEAN: Policy = Policy { kind: PolicyKind::Gear, goal: Goal::Mean };
const MAKESPAN: Policy = Policy { kind: PolicyKind::Gear, goal: Goal::Makespan };

const MACHINES: [(&Machine, u32); 2] = [(&TWO_AND_TWO, 4), (&FOUR_AND_FOUR, 8)];
const LITTLE: CpuMask = CpuMask::from_bits(0b0000_1111);
const BIG: CpuMask = CpuMask::from_bits(0b1111_0000);
/// T: one loop alone on a big CPU.
const WORK: Nanos = Nanos::from_millis(200);
const LONG: Nanos = Nanos::from_millis(600_000);

/// `count` loops, created at once by somebody on CPU 0.
fn loops(machine: &'static Machine, policy: Policy, count: u32, work: Nanos) -> World {
    let mut world = World::new(machine, CpuMask::ALL, policy);
    for _ in 0..count {
        world.spawn(CpuId::new(0), Life::Loop(work), CpuMask::ALL);
    }
    world
}

/// Runs to the end and returns when the last task ended and the mean, in thousandths of `work`.
fn outcome(world: &mut World, count: u32, work: Nanos) -> (u64, u64) {
    let start = world.now;
    world.run(LONG);
    assert_eq!(world.ended.len(), count as usize, "every task ends, once");
    assert_eq!(world.lapsed, 0, "nothing changes between a verdict and its execution here");
    let spans = || world.ended.iter().map(|task| (task.end - start).as_nanos() * 1000 / work.as_nanos());
    (spans().max().unwrap_or(0), spans().sum::<u64>() / u64::from(count))
}

#[test]
fn pinned_repeats_the_seed() {
    for (machine, cpus) in MACHINES {
        let (makespan, _) = outcome(&mut loops(machine, PINNED, cpus, WORK), cpus, WORK);
        assert!((2210..=2240).contains(&makespan), "{}: {makespan}", machine.name);
    }
}

#[test]
fn a_pull_on_idle_saves_the_second_half() {
    for (machine, cpus) in MACHINES {
        for policy in [PULL, MEAN] {
            let mut world = loops(machine, policy, cpus, WORK);
            let (makespan, mean) = outcome(&mut world, cpus, WORK);
            assert!(makespan <= 1548 * 102 / 100, "{} {}: {makespan}", machine.name, policy.kind);
            assert!(mean <= 1274 * 102 / 100, "{} {}: mean {mean}", machine.name, policy.kind);
            assert_eq!(world.moves.len(), cpus as usize / 2, "one move for each loop that was slow, and no more");
        }
    }
}

/// For every number of loops, not only for as many as CPUs: between 5 and 9 on eight is where most is to be won.
#[test]
fn rotation_keeps_to_the_fluid_bound() {
    for (machine, _) in MACHINES {
        for count in 1..=20 {
            let mut world = loops(machine, MAKESPAN, count, WORK);
            let bound = fluid_bound(WORK, count as usize, world.capacities()).as_nanos() * 1000 / WORK.as_nanos();
            let (makespan, _) = outcome(&mut world, count, WORK);
            assert!(makespan <= bound * 102 / 100, "{} n={count}: {makespan} against {bound}", machine.name);
        }
    }
}

#[test]
fn rotation_moves_no_more_than_its_quantum_allows() {
    for (machine, cpus) in MACHINES {
        let work = Nanos::from_millis(2_800);
        let mut world = loops(machine, MAKESPAN, cpus, work);
        let (makespan, _) = outcome(&mut world, cpus, work);
        let quanta = makespan * work.as_millis() / 1000 / 16;
        let most = world.ended.iter().map(|task| task.moves).max().unwrap_or(0);
        assert!(u64::from(most) <= quanta, "{}: {most} moves in {quanta} quanta", machine.name);
        assert!(world.moves.iter().all(|(.., why)| matches!(why, Why::Rotation | Why::PulledRunning)));
    }
}

#[test]
fn twice_as_many_loops_as_cpus_end_together() {
    for (machine, cpus) in MACHINES {
        let mut world = loops(machine, MAKESPAN, 2 * cpus, WORK);
        outcome(&mut world, 2 * cpus, WORK);
        let ends = || world.ended.iter().map(|task| task.end.as_millis());
        let (first, last) = (ends().min().unwrap_or(0), ends().max().unwrap_or(0));
        assert!(last - first <= last / 20, "{}: from {first} to {last} ms", machine.name);
    }
}

/// The creator occupies a CPU while it creates, and then waits: all the same each CPU gets one loop.
#[test]
fn fresh_loops_end_one_a_cpu_wherever_their_creator_runs() {
    for policy in [PINNED, PULL, MEAN, MAKESPAN] {
        for (machine, cpus) in MACHINES {
            for creator in 0..cpus as usize {
                let mut world = World::new(machine, CpuMask::ALL, policy);
                let creator = CpuId::new(creator);
                world.spawn(creator, Life::Loop(TICK), CpuMask::of(creator));
                for _ in 0..cpus {
                    world.spawn(creator, Life::Loop(WORK), CpuMask::ALL);
                }
                world.run(Nanos::from_millis(10));
                let shared = world.online().iter().find(|&cpu| world.view(cpu).tasks() != 1);
                assert_eq!(shared, None, "{} {} creator on {creator}", machine.name, policy.kind);
            }
        }
    }
}

/// A loop never wakes up, so it must be seen on the tick (field report V42).
#[test]
fn a_loop_leaves_the_little_cpu_when_a_big_one_is_free() {
    let mut world = World::new(&FOUR_AND_FOUR, CpuMask::ALL, MEAN);
    // Four short jobs hold the big CPUs just long enough for the loop to start on a LITTLE one.
    for _ in 0..4 {
        world.spawn(CpuId::new(0), Life::Loop(Nanos::from_millis(3)), BIG);
    }
    world.spawn(CpuId::new(0), Life::Loop(WORK), CpuMask::ALL);
    world.run(Nanos::from_millis(30));
    let &(when, _, why) = world.moves.first().expect("the loop moves");
    assert!(when <= Nanos::from_millis(30) && why == Why::Misfit, "{why} at {when}");
    world.run(LONG);
    assert_eq!(world.moves.len(), 1, "and stays");
}

#[test]
fn loops_held_on_four_little_cpus_end_two_each() {
    for policy in [PINNED, PULL, MEAN, MAKESPAN] {
        let mut world = World::new(&FOUR_AND_FOUR, CpuMask::ALL, policy);
        for _ in 0..8 {
            world.spawn(CpuId::new(4), Life::Loop(WORK), LITTLE);
        }
        world.run(Nanos::from_millis(50));
        let tasks: Vec<_> = world.online().iter().map(|cpu| world.view(cpu).tasks()).collect();
        assert_eq!(tasks, [2, 2, 2, 2, 0, 0, 0, 0], "{}", policy.kind);
        assert!(world.moves.is_empty(), "a task that may not leave is no misfit");
    }
}

/// One half of the machine did not come up (field report V2), or only one big CPU did (V44).
#[test]
fn all_that_is_present_is_used_whatever_it_is() {
    for present in [LITTLE, BIG, CpuMask::from_bits(0b1_0111), CpuMask::of(CpuId::new(2))] {
        for policy in [PINNED, PULL, MEAN, MAKESPAN] {
            let mut world = World::new(&FOUR_AND_FOUR, present, policy);
            let count = u32::try_from(present.len()).expect("at most eight");
            for _ in 0..count {
                world.spawn(present.first().expect("one at least"), Life::Loop(WORK), CpuMask::ALL);
            }
            world.run(TICK + TICK);
            assert!(present.iter().all(|cpu| world.view(cpu).tasks() == 1), "{present} {}", policy.kind);
            outcome(&mut world, count, WORK);
        }
    }
}

#[test]
fn small_periodic_tasks_stay_where_they_are() {
    for policy in [PULL, MEAN, MAKESPAN] {
        let mut world = World::new(&FOUR_AND_FOUR, CpuMask::ALL, policy);
        for _ in 0..6 {
            let (work, period) = (Nanos::from_millis(2), Nanos::from_millis(16));
            world.spawn(CpuId::new(0), Life::Periodic { work, period }, CpuMask::ALL);
        }
        world.run(Nanos::from_millis(2_000));
        assert!(world.moves.is_empty(), "{}: {:?}", policy.kind, world.moves);
    }
}

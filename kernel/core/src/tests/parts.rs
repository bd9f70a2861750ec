//! Tasks whose periods the plan gives to two CPUs, played by the test: jobs of a known size, released together.

use std::vec::Vec;

use abi::Call;
use arch::host;
use sched::Why;
use sched::trace::Event;

use super::governing::Oven;
use super::world::World;
use crate::task::Task;

/// In nanoseconds.
const STEP: u64 = 20_000;
const PERIOD: u64 = 16_000_000;

/// Equal periodic tasks.
struct Orchestra {
    world: World,
    tasks: Vec<Player>,
    /// What a job takes, as nanoseconds on a full CPU.
    work: u64,
    misses: u32,
}

struct Player {
    number: u32,
    release: u64,
    left: u64,
}

impl Orchestra {
    fn new(arguments: &str, count: usize, work: u64) -> Orchestra {
        let world = World::with_plant(&format!("policy=gear goal=energy {arguments}"), Some(Oven::at(30)));
        let begin = world.now().as_nanos() + PERIOD;
        let conductor = world.running(0).expect("it runs");
        let mut tasks = Vec::new();
        for _ in 0..count {
            tasks.push(Player { number: world.spawn(0, 0xf), release: begin, left: 0 });
        }
        let never = begin + 1_000 * PERIOD;
        world.settle();
        let cpu = (0..4).find(|cpu| world.running(*cpu) == Some(conductor)).expect("it runs somewhere");
        world.call(cpu, Call::SleepUntil, [never as u32, (never >> 32) as u32, 0, 0]);
        Orchestra { world, tasks, work, misses: 0 }
    }

    /// Lets so many periods go by.
    fn play(&mut self, periods: u64) {
        (0..periods * PERIOD / STEP).for_each(|_| self.step());
    }

    fn step(&mut self) {
        let ran = [0, 1, 2, 3].map(|cpu| self.world.running(cpu));
        host::advance(STEP);
        for (cpu, number) in ran.into_iter().enumerate() {
            if let Some(number) = number {
                self.work(cpu, number);
            }
        }
        self.world.settle();
    }

    /// The task has run on that CPU for a step.
    fn work(&mut self, cpu: usize, number: u32) {
        let now = self.world.now().as_nanos();
        let speed = self.world.kernel.cpus.with(host::irqs_off(cpu), |cpu| u64::from(cpu.meter.speed().get()));
        let player = self.tasks.iter_mut().find(|player| player.number == number).expect("nobody else runs");
        player.left = player.left.saturating_sub((STEP * speed) >> 14);
        if player.left == 0 {
            self.misses += u32::from(now > player.release + PERIOD);
            player.release += PERIOD;
            player.left = self.work;
            let until = player.release;
            self.world.call(cpu, Call::SleepUntil, [until as u32, (until >> 32) as u32, 0, 0]);
        }
    }

    fn energy(&self) -> u64 {
        self.world.kernel.climate(self.world.now()).energy_uj
    }

    fn splits(&self) -> usize {
        let of = |cpu: usize| {
            self.world.kernel.cpus.with(host::irqs_off(cpu), |cpu| {
                cpu.trace.iter().filter(|(_, event)| matches!(event, Event::Migrate { why: Why::Split, .. })).count()
            })
        };
        (0..4).map(of).sum()
    }
}

/// Power over some periods in mW, jobs that were late in them, and moves from one part to the other.
fn measure(orchestra: &mut Orchestra, periods: u64) -> (u64, u32, usize) {
    let (energy, misses, splits) = (orchestra.energy(), orchestra.misses, orchestra.splits());
    orchestra.play(periods);
    let milliwatts = (orchestra.energy() - energy) * 1_000 / (periods * PERIOD / 1_000);
    (milliwatts, orchestra.misses - misses, orchestra.splits() - splits)
}

/// Thirteen tasks of 10 % on two A15s and two A7s: one A7 would have to take one more than the other, and both would have to run as if they did.
#[test]
fn a_task_that_is_cut_goes_on_elsewhere_in_each_period_and_all_are_in_time() {
    let [cut, whole] = ["split=on", "split=off"].map(|arguments| {
        let mut orchestra = Orchestra::new(arguments, 13, 1_600_000);
        orchestra.play(100);
        let measured = measure(&mut orchestra, 40);
        assert_eq!(orchestra.world.kernel.counters().refused, 0);
        measured
    });
    assert_eq!((cut.1, cut.2), (0, 40), "one move on in each period, and nobody is late");
    assert_eq!((whole.1, whole.2), (0, 0));
    assert!(cut.0 * 100 <= whole.0 * 90, "{} mW, and {} mW without", cut.0, whole.0);
}

/// Who was cut when he began his job is bound to that CPU and never sleeps again: his part ends all the same, and the others get on.
#[test]
fn an_urgent_task_that_stays_is_like_any_other_after_its_part() {
    let mut orchestra = Orchestra::new("split=on", 13, 1_600_000);
    orchestra.play(100);
    let urgent = |world: &World| {
        (0..4).find_map(|cpu| {
            world.kernel.cpus.with(host::irqs_off(cpu), |cpu| {
                cpu.current
                    .as_ref()
                    .filter(|task| task.entity.goes_on_elsewhere())
                    .map(|task| (cpu.id.index(), task.number.raw()))
            })
        })
    };
    let (cpu, task) = (0..2 * PERIOD / STEP)
        .find_map(|_| {
            orchestra.step();
            urgent(&orchestra.world)
        })
        .expect("one task is cut");
    orchestra.world.call(cpu, Call::SetAffinity, [task, 1 << cpu, 0, 0]);
    orchestra.tasks.iter_mut().for_each(|player| player.left += if player.number == task { u64::MAX / 2 } else { 0 });
    orchestra.play(3);
    assert_eq!(urgent(&orchestra.world).filter(|(_, number)| *number == task), None);
    let before = orchestra.tasks.iter().map(|player| player.release).min();
    orchestra.play(20);
    let after = orchestra.tasks.iter().filter(|player| player.number != task).map(|player| player.release).min();
    assert!(after > before, "everybody else has finished jobs since");
}

/// Nearly all that the machine has is wanted, so at first no plan holds and tasks are anywhere. When one does, those who have begun a job elsewhere
/// must not wait there for all for whom time is reserved now.
#[test]
fn whoever_waits_elsewhere_goes_home_on_the_next_tick() {
    let mut orchestra = Orchestra::new("split=off", 24, 1_600_000);
    let away = |world: &World| {
        let of = |cpu: usize| {
            world.kernel.cpus.with(host::irqs_off(cpu), |cpu| {
                let beat = |task: &Task| task.learned.signals.rhythm().beat();
                let home = |task: &Task| cpu.plan.way_home(task, beat(task), cpu.id);
                let away = cpu.queue.waiting().filter(|task| home(task).is_some());
                away.map(|task| task.number.raw()).collect::<Vec<_>>()
            })
        };
        (0..4).flat_map(of).collect::<Vec<_>>()
    };
    let (mut since, mut most) = (std::collections::BTreeMap::new(), 0);
    for step in 0..60 * PERIOD / STEP {
        orchestra.step();
        let now = away(&orchestra.world);
        since.retain(|task, _| now.contains(task));
        for task in now {
            let since = *since.entry(task).or_insert(step);
            most = most.max((step - since) * STEP);
        }
    }
    assert!((1..=1_200_000).contains(&most), "{most} ns");
}

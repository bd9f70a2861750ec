//! The three heat controllers on the thermal network of the Odroid XU4, without its fan, under eight endless loops.
//!
//! The plant is the same network as the controllers' facts, integrated here on its own in floating point; what differs is said in
//! each test: the air, the fan, the power of the work, the sensors.

use sched::{
    Activity, Caps, CoreType, CpuMask, Energy, Heat, HeatKind, IdleCost, MAX_CPUS, MilliCelsius, Nanos, Profile,
};
use soc::exynos5422::{self, CACHE_RESIDENT, DEVICE_TREE, HASH, HEAT};

const POLL: f64 = 0.1;

struct Plant {
    temperature: Vec<f64>,
    air: f64,
    fan: usize,
}

impl Plant {
    fn new(air: f64, fan: usize) -> Self {
        Self { temperature: vec![air; HEAT.network.nodes.len()], air, fan }
    }

    fn advance(&mut self, seconds: f64, big: f64, little: f64) {
        let network = HEAT.network;
        let step = 0.005;
        for _ in 0..(seconds / step).round() as u32 {
            let mut flow = vec![0.0; network.nodes.len()];
            for link in network.links {
                let heat =
                    f64::from(link.conductance) / 1000.0 * (self.temperature[link.from] - self.temperature[link.to]);
                flow[link.from] -= heat;
                flow[link.to] += heat;
            }
            flow[network.sink] -=
                f64::from(network.fan[self.fan]) / 1000.0 * (self.temperature[network.sink] - self.air);
            for node in network.big {
                flow[*node] += big / 4.0;
            }
            flow[network.little] += little;
            for ((temperature, flow), node) in self.temperature.iter_mut().zip(&flow).zip(network.nodes) {
                *temperature += flow * step * 1000.0 / f64::from(node.capacity);
            }
        }
    }

    fn hottest(&self) -> f64 {
        HEAT.network.sensors.iter().map(|node| self.temperature[*node]).fold(f64::MIN, f64::max)
    }
}

struct Run<'a> {
    policy: &'a Energy,
    truth: &'a Energy,
    plant: Plant,
    heat: Heat,
    levels: [usize; 2],
    polls: u64,
    peak: f64,
    changes: u32,
    speed: f64,
    caps: Option<Caps>,
    /// The share of its time that a CPU of each cluster works; and whether there is a clock.
    busy: [f64; 2],
    scales: bool,
}

impl<'a> Run<'a> {
    fn new(kind: HeatKind, policy: &'a Energy, truth: &'a Energy, plant: Plant) -> Self {
        let levels = CoreType::BOTH.map(|core| truth.cluster(core).top());
        let heat = Heat::new(kind, &HEAT, policy);
        Self {
            policy,
            truth,
            plant,
            heat,
            levels,
            polls: 0,
            peak: 0.0,
            changes: 0,
            speed: 0.0,
            caps: None,
            busy: [1.0; 2],
            scales: true,
        }
    }

    fn power(&self, core: CoreType, level: usize) -> f64 {
        let level = self.truth.cluster(core).level(level);
        (f64::from(level.busy.get()) * self.working(core) + f64::from(level.idle.get())) / 1e6
    }

    /// CPUs of a cluster that work, on average.
    fn working(&self, core: CoreType) -> f64 {
        let parked = self.caps.map_or(CpuMask::EMPTY, |caps| caps.parked);
        (self.truth.cluster(core).cpus & !parked).len() as f64 * self.busy[core.index()]
    }

    fn poll_with(&mut self, readings: &[Option<MilliCelsius>]) {
        let mut busy = [0; MAX_CPUS];
        for core in CoreType::BOTH {
            let cpus = self.truth.cluster(core).cpus;
            cpus.iter().for_each(|cpu| busy[cpu.index()] = (self.working(core) / cpus.len() as f64 * 1024.0) as u32);
        }
        let activity = Activity { levels: self.levels, busy, scales: self.scales };
        let now = Nanos::from_millis(self.polls * 100 + 100);
        let caps = self.heat.poll(now, readings, &activity, self.policy);
        for (level, cap) in self.levels.iter_mut().zip(caps.top).filter(|_| self.scales) {
            self.changes += u32::from(*level != cap);
            *level = cap;
        }
        self.caps = Some(caps);
        let [big, little] = CoreType::BOTH.map(|core| self.power(core, self.levels[core.index()]));
        self.plant.advance(POLL, big, little);
        self.peak = self.peak.max(self.plant.hottest());
        let speed = |core: CoreType| f64::from(self.truth.cluster(core).level(self.levels[core.index()]).speed.get());
        self.speed += (speed(CoreType::Big) + speed(CoreType::Little)) * 4.0 / 16.0;
        self.polls += 1;
    }

    /// Sensors that show whole degrees, as the TMU does.
    fn run(&mut self, polls: u32) -> &mut Self {
        for _ in 0..polls {
            let degrees = |node: &usize| Some(MilliCelsius::from_celsius(self.plant.temperature[*node].round() as i32));
            let readings: Vec<_> = HEAT.network.sensors.iter().map(degrees).collect();
            self.poll_with(&readings);
        }
        self
    }
}

fn energy(profile: &Profile) -> Energy {
    Energy::new(&exynos5422::MACHINE, CpuMask::ALL, profile, IdleCost::Always)
}

/// The fastest pair of levels that stays below the limit for ever.
fn best_constant(truth: &Energy, air: f64, fan: usize) -> f64 {
    let mut best: f64 = 0.0;
    for big in 0..truth.cluster(CoreType::Big).levels().len() {
        for little in 0..truth.cluster(CoreType::Little).levels().len() {
            let mut plant = Plant::new(air, fan);
            let run = Run::new(HeatKind::None, truth, truth, Plant::new(air, fan));
            let (p, q) = (run.power(CoreType::Big, big), run.power(CoreType::Little, little));
            // Coarse: the network settles with its sink, which is known in closed form.
            plant.temperature.fill(air + (p + q) * 1000.0 / f64::from(HEAT.network.fan[fan]));
            plant.advance(12.0, p, q);
            if plant.hottest() <= f64::from(HEAT.limit.get()) / 1000.0 {
                let speed = |core: CoreType, level| f64::from(truth.cluster(core).level(level).speed.get());
                best = best.max((speed(CoreType::Big, big) + speed(CoreType::Little, little)) * 4.0 / 16.0);
            }
        }
    }
    best
}

/// What a run of two times five minutes came to.
struct Outcome {
    peak: f64,
    changes: u32,
    speed: f64,
}

fn soak(kind: HeatKind, profile: &Profile) -> Outcome {
    let truth = energy(profile);
    let mut run = Run::new(kind, &truth, &truth, Plant::new(25.0, 0));
    run.run(3000);
    run.speed = 0.0;
    run.run(3000);
    println!(
        "{:16} {kind:12} peak {:.2} changes {} speed {:.0}",
        profile.name,
        run.peak,
        run.changes,
        run.speed / 3000.0
    );
    Outcome { peak: run.peak, changes: run.changes, speed: run.speed / 3000.0 }
}

#[test]
fn looking_ahead_gets_the_most_out_of_the_limit() {
    for profile in [&DEVICE_TREE, &HASH, &CACHE_RESIDENT] {
        let [step_wise, ipa, ours] =
            [HeatKind::StepWise, HeatKind::Ipa, HeatKind::LookAhead].map(|kind| soak(kind, profile));
        let best = best_constant(&energy(profile), 25.0, 0);
        println!(
            "best {best:.0}: {:.3}, {:.3} of step-wise, {:.3} of ipa",
            ours.speed / best,
            ours.speed / step_wise.speed,
            ours.speed / ipa.speed
        );
        assert!(ours.peak <= 85.5, "{}: {:.2} degrees", profile.name, ours.peak);
        assert!(ours.speed >= 0.97 * best, "{}: {:.0} of {best:.0}", profile.name, ours.speed);
        assert!(ours.speed > step_wise.speed && ours.speed > ipa.speed);
        assert!(ours.changes < ipa.changes, "{}: {} changes, IPA {}", profile.name, ours.changes, ipa.changes);
    }
}

/// Work that draws 1.7 times the power of the price list on the big cores.
#[test]
fn work_that_is_hotter_than_the_price_list_says_is_found_out() {
    let (believed, truth) = (energy(&DEVICE_TREE), energy(&HASH));
    let mut run = Run::new(HeatKind::LookAhead, &believed, &truth, Plant::new(25.0, 0));
    run.run(6000);
    assert!(run.peak <= 85.5, "{:.2} degrees", run.peak);
}

#[test]
fn a_warmer_room_and_a_fan_that_stops_are_followed_without_oscillation() {
    let truth = energy(&HASH);
    let mut run = Run::new(HeatKind::LookAhead, &truth, &truth, Plant::new(25.0, 3));
    run.run(1200);
    let cool = run.levels;
    run.plant.fan = 0;
    run.run(3000);
    run.plant.air = 40.0;
    run.run(3000);
    assert!(run.peak <= 85.5, "{:.2}", run.peak);
    run.changes = 0;
    run.run(600);
    assert!(run.changes <= 20, "{} changes in a minute", run.changes);
    (run.plant.air, run.plant.fan) = (25.0, 3);
    run.run(1800);
    let lost = (cool[0] + cool[1]).saturating_sub(run.levels[0] + run.levels[1]);
    assert!(lost <= 2, "the caps must come back (field report V37): {:?}, they were {cool:?}", run.levels);
}

fn readings(degrees: [i32; 4]) -> [Option<MilliCelsius>; 4] {
    degrees.map(|degrees| Some(MilliCelsius::from_celsius(degrees)))
}

const KINDS: [HeatKind; 3] = [HeatKind::StepWise, HeatKind::Ipa, HeatKind::LookAhead];

/// Whatever a disturbed line says, the caps are those of an undisturbed run.
#[test]
fn garbage_changes_nothing() {
    let truth = energy(&HASH);
    for kind in KINDS {
        let mut undisturbed = Run::new(kind, &truth, &truth, Plant::new(25.0, 3));
        let mut disturbed = Run::new(kind, &truth, &truth, Plant::new(25.0, 3));
        for poll in 0..600 {
            let honest: [i32; 4] = core::array::from_fn(|core| undisturbed.plant.temperature[core].round() as i32);
            undisturbed.poll_with(&readings(honest));
            let mut garbage = readings(core::array::from_fn(|core| disturbed.plant.temperature[core].round() as i32));
            if poll > 10 && poll % 3 == 0 {
                let nonsense = [255, -60, 0, 126, 115][poll % 5];
                garbage[poll % 4] = Some(MilliCelsius::from_celsius(nonsense));
            }
            disturbed.poll_with(&garbage);
            assert!(!disturbed.caps.expect("polled").critical, "{kind}: poll {poll}");
        }
        // One sensor less now and then may delay a degree by a poll, and no more.
        let difference = (undisturbed.speed - disturbed.speed).abs() / undisturbed.speed;
        assert!(difference < 0.005, "{kind}: {difference}");
    }
}

/// A real rise, even one that begins with a jump, acts in time.
#[test]
fn a_real_rise_is_believed() {
    let truth = energy(&HASH);
    for kind in KINDS {
        let mut run = Run::new(kind, &truth, &truth, Plant::new(25.0, 3));
        run.run(50);
        for degrees in 0..30 {
            run.poll_with(&readings([60 + degrees * 2; 4]));
        }
        let caps = run.caps.expect("polled");
        assert!(caps.critical, "{kind}: 118 degrees are critical");
        assert!(caps.top[0] < truth.cluster(CoreType::Big).top(), "{kind}");
    }
}

/// Neither cluster is allowed more at a higher temperature (field report V36).
#[test]
fn no_cap_rises_with_the_temperature() {
    let truth = energy(&HASH);
    for kind in KINDS {
        let caps_at = |degrees: i32| {
            let mut run = Run::new(kind, &truth, &truth, Plant::new(25.0, 3));
            for step in 0..40 {
                run.poll_with(&readings([(40 + step).min(degrees); 4]));
            }
            run.caps.expect("polled").top
        };
        for degrees in 60..78 {
            let (cooler, hotter) = (caps_at(degrees), caps_at(degrees + 1));
            assert!(
                hotter[0] <= cooler[0] && hotter[1] <= cooler[1],
                "{kind} at {degrees}: {cooler:?}, then {hotter:?}"
            );
        }
    }
}

/// Without a clock to turn down the big cores are parked, long before the critical temperature, and come back (V40, V37).
#[test]
fn without_clocks_the_big_cores_are_parked() {
    let truth = energy(&HASH);
    for kind in [HeatKind::None, HeatKind::StepWise, HeatKind::Ipa, HeatKind::LookAhead] {
        let mut run = Run::new(kind, &truth, &truth, Plant::new(25.0, 0));
        run.scales = false;
        let mut most = 0;
        for _ in 0..3000 {
            run.run(1);
            let caps = run.caps.expect("polled");
            most = most.max(caps.parked.len());
            assert!(!caps.critical, "{kind}");
        }
        assert!(most > 0 && run.peak < 95.0, "{kind}: {most} parked, {:.1} degrees", run.peak);
        (run.plant.fan, run.busy) = (3, [0.1; 2]);
        run.run(300);
        assert_eq!(run.caps.expect("polled").parked, CpuMask::EMPTY, "{kind}: all come back");
    }
}

/// When nothing is known of the temperature, the slowest levels are the only safe ones.
#[test]
fn silent_sensors_mean_caution() {
    let truth = energy(&HASH);
    let mut run = Run::new(HeatKind::LookAhead, &truth, &truth, Plant::new(25.0, 3));
    run.run(20);
    for _ in 0..25 {
        run.poll_with(&[None; 4]);
    }
    assert_eq!(run.levels, [0, 0]);
    run.run(100);
    assert!(run.levels[0] > 10, "and it goes on when they are back: {:?}", run.levels);
}

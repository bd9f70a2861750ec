//! Heat as physics: the thermal network in floating point, and sensors that are not perfect.
//!
//! The facts are those of crate `soc`; how they are integrated is this module's own. The controllers of the policy have
//! a predictor of their own in integers, so that agreement between the two says something.

use sched::heat::Network;
use sched::{CoreType, MilliCelsius};
use soc::exynos5422::heat::FAN_TRIPS;

use crate::random::Random;

/// The surroundings at the start.
#[derive(Clone, Debug, PartialEq)]
pub struct Surroundings {
    /// Of the air, in degrees.
    pub ambient: f64,
    /// Of all nodes at the start, if the chip is not as cold as the air.
    pub start: Option<f64>,
    /// The level of the fan, or by the trips of the board if there is none.
    pub fan: Option<usize>,
    /// Standard deviation of what a sensor shows, in degrees, before it is rounded to whole ones.
    pub noise: f64,
    /// How this body differs from the one that the policy has the facts of.
    pub deviation: Deviation,
}

/// How far a body may be from the facts, and which one of all such bodies it is.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Deviation {
    /// Chooses the body.
    pub seed: u64,
    /// Each heat capacity and each conductance is right to this part.
    pub network: f64,
    /// So is the power of each cluster.
    pub power: f64,
}

impl Default for Surroundings {
    fn default() -> Self {
        Self { ambient: 25.0, start: None, fan: Some(0), noise: 0.0, deviation: Deviation::default() }
    }
}

/// Something that happens from outside.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Disturbance {
    /// The air has this temperature from now on.
    Ambient(f64),
    /// The fan runs at this level from now on.
    Fan(usize),
    /// Somebody else allows a kind of core no more than this operating point from now on.
    Cap(CoreType, usize),
    /// A sensor shows this from now on, whatever is true.
    Shows(usize, f64),
    /// A sensor shows from now on what it has shown last.
    Stuck(usize),
    /// A sensor shows something else each time, from -60 to 240 degrees.
    Babbles(usize),
    /// A sensor does not answer any more.
    Silent(usize),
    /// A sensor is well again.
    Well(usize),
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Health {
    Well,
    Shows(f64),
    Babbles,
    Silent,
}

/// The body of the chip.
#[derive(Clone, Debug)]
pub(crate) struct Body {
    network: &'static Network,
    /// In W/K and J/K: of the links, of the fan's levels, of the nodes.
    conductances: Vec<f64>,
    losses: Vec<f64>,
    capacities: Vec<f64>,
    /// True power of each cluster, of what is drawn by the tables.
    power: [f64; 2],
    temperatures: Vec<f64>,
    flow: Vec<f64>,
    ambient: f64,
    fan: usize,
    automatic: bool,
    noise: f64,
    health: Vec<Health>,
    shown: Vec<f64>,
    /// What others than the policy allow: big, LITTLE.
    pub caps: [usize; 2],
}

/// Seconds of one step of integration: a hundredth of the fastest time constant of the network.
const STEP: f64 = 0.01;

impl Body {
    pub fn new(network: &'static Network, surroundings: &Surroundings) -> Self {
        let deviation = surroundings.deviation;
        let mut random = Random::new(deviation.seed);
        let mut stray = |part: f64| 1.0 + part * (random.below(1 << 20) as f64 / f64::from(1 << 19) - 1.0);
        let mut true_one = |fact: u32| f64::from(fact) / 1e3 * stray(deviation.network);
        let conductances = network.links.iter().map(|link| true_one(link.conductance)).collect();
        let capacities = network.nodes.iter().map(|node| true_one(node.capacity)).collect();
        let fan = true_one(1_000);
        Self {
            network,
            conductances,
            losses: network.fan.iter().map(|&fact| f64::from(fact) / 1e3 * fan).collect(),
            capacities,
            power: [(); 2].map(|()| stray(deviation.power)),
            temperatures: vec![surroundings.start.unwrap_or(surroundings.ambient); network.nodes.len()],
            flow: vec![0.0; network.nodes.len()],
            ambient: surroundings.ambient,
            fan: surroundings.fan.unwrap_or(0),
            automatic: surroundings.fan.is_none(),
            noise: surroundings.noise,
            health: vec![Health::Well; network.sensors.len()],
            shown: vec![surroundings.ambient; network.sensors.len()],
            caps: [usize::MAX; 2],
        }
    }

    pub fn disturb(&mut self, disturbance: Disturbance) {
        match disturbance {
            Disturbance::Ambient(degrees) => self.ambient = degrees,
            Disturbance::Fan(level) => (self.fan, self.automatic) = (level.min(self.network.fan.len() - 1), false),
            Disturbance::Cap(core, level) => self.caps[core.index()] = level,
            Disturbance::Shows(sensor, degrees) => self.health[sensor] = Health::Shows(degrees),
            Disturbance::Stuck(sensor) => self.health[sensor] = Health::Shows(self.shown[sensor]),
            Disturbance::Babbles(sensor) => self.health[sensor] = Health::Babbles,
            Disturbance::Silent(sensor) => self.health[sensor] = Health::Silent,
            Disturbance::Well(sensor) => self.health[sensor] = Health::Well,
        }
    }

    /// Lets heat flow for some seconds, with these powers in watts: of each big CPU, and of the LITTLE cluster.
    pub fn advance(&mut self, seconds: f64, big: &[f64], little: f64) {
        let steps = (seconds / STEP).ceil().max(1.0);
        for _ in 0..steps as u32 {
            self.step(seconds / steps, big, little);
        }
        if self.automatic {
            self.turn_fan();
        }
    }

    fn step(&mut self, seconds: f64, big: &[f64], little: f64) {
        let (network, temperatures, flow) = (self.network, &mut self.temperatures, &mut self.flow);
        flow.fill(0.0);
        for (link, conductance) in network.links.iter().zip(&self.conductances) {
            let watts = conductance * (temperatures[link.from] - temperatures[link.to]);
            flow[link.from] -= watts;
            flow[link.to] += watts;
        }
        flow[network.sink] -= self.losses[self.fan] * (temperatures[network.sink] - self.ambient);
        network.big.iter().zip(big).for_each(|(&node, watts)| flow[node] += watts * self.power[0]);
        flow[network.little] += little * self.power[1];
        for ((temperature, watts), capacity) in temperatures.iter_mut().zip(flow).zip(&self.capacities) {
            *temperature += *watts * seconds / capacity;
        }
    }

    /// By the trips of the board, each with its hysteresis.
    fn turn_fan(&mut self) {
        let hottest = MilliCelsius::new((self.hottest() * 1e3) as i32).get();
        let risen = FAN_TRIPS.iter().filter(|(at, _)| hottest >= at.get()).count();
        let held = FAN_TRIPS.iter().filter(|(at, below)| hottest >= at.get() - below.get()).count();
        self.fan = self.fan.clamp(risen, held.max(risen));
    }

    /// The temperatures of all nodes.
    pub fn temperatures(&self) -> &[f64] {
        &self.temperatures
    }

    /// The highest temperature where there is a sensor.
    pub fn hottest(&self) -> f64 {
        self.network.sensors.iter().map(|&node| self.temperatures[node]).fold(f64::MIN, f64::max)
    }

    /// What the sensors show: whole degrees, as the thermal management unit does.
    pub fn read(&mut self, random: &mut Random) -> Vec<Option<MilliCelsius>> {
        let sensors = self.network.sensors.iter().zip(&self.health).zip(&mut self.shown);
        let readings = sensors.map(|((&node, health), shown)| {
            *shown = match health {
                Health::Well => self.temperatures[node] + random.normal(self.noise),
                Health::Shows(degrees) => *degrees,
                Health::Babbles => random.below(300) as f64 - 60.0,
                Health::Silent => return None,
            };
            Some(MilliCelsius::from_celsius(shown.round() as i32))
        });
        readings.collect()
    }

    /// What a watt in each big CPU, and one in the LITTLE cluster, adds to the temperature of each sensor in the end.
    pub fn rises(&self) -> Vec<Vec<f64>> {
        let count = self.network.big.len();
        let rise = |source: usize| {
            let mut body = self.clone();
            let big: Vec<f64> = (0..count).map(|core| f64::from(u8::from(core == source))).collect();
            body.settle(&big, f64::from(u8::from(source == count)));
            self.network.sensors.iter().map(|&node| body.temperatures[node] - self.ambient).collect()
        };
        (0..=count).map(rise).collect()
    }

    /// Lets the temperatures settle with these powers, fan as it is.
    pub fn settle(&mut self, big: &[f64], little: f64) {
        let total: f64 = big.iter().sum::<f64>() * self.power[0] + little * self.power[1];
        let rise = total / self.losses[self.fan];
        self.temperatures.fill(self.ambient + rise);
        // The sink is right already, if it is held there; the die follows within seconds.
        for _ in 0..400 {
            self.step(0.1, big, little);
            self.temperatures[self.network.sink] = self.ambient + rise;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use soc::exynos5422::heat::NETWORK;

    fn body(fan: Option<usize>) -> Body {
        Body::new(&NETWORK, &Surroundings { fan, ..Surroundings::default() })
    }

    /// 8 K/W with the fan at its highest, 20 K/W without (from the cores to the air).
    #[test]
    fn resistance_is_what_was_measured() {
        for (fan, expected) in [(3, 8.0), (0, 20.0)] {
            let mut body = body(Some(fan));
            body.settle(&[1.0; 4], 0.5);
            let resistance = (body.hottest() - 25.0) / 4.5;
            assert!((resistance / expected - 1.0_f64).abs() < 0.15, "{resistance} K/W at fan level {fan}");
        }
    }

    #[test]
    fn settling_agrees_with_waiting() {
        let (mut settled, mut waited) = (body(Some(0)), body(Some(0)));
        settled.settle(&[0.6, 0.6, 0.2, 0.0], 0.4);
        waited.advance(1_500.0, &[0.6, 0.6, 0.2, 0.0], 0.4);
        assert!((settled.hottest() - waited.hottest()).abs() < 0.2, "{} {}", settled.hottest(), waited.hottest());
    }

    #[test]
    fn the_fan_follows_its_trips() {
        let mut body = body(None);
        (0..600).for_each(|_| body.advance(1.0, &[1.2; 4], 0.8));
        assert!(body.fan > 0 && body.hottest() < 90.0, "level {} {}", body.fan, body.hottest());
        (0..900).for_each(|_| body.advance(1.0, &[0.0; 4], 0.05));
        assert_eq!(body.fan, 0, "{}", body.hottest());
    }

    #[test]
    fn a_sick_sensor_does_not_tell_the_truth() {
        let mut body = body(Some(0));
        body.disturb(Disturbance::Shows(1, 120.0));
        body.disturb(Disturbance::Silent(2));
        let shown = body.read(&mut Random::new(1));
        assert_eq!(shown[..3], [Some(MilliCelsius::from_celsius(25)), Some(MilliCelsius::from_celsius(120)), None]);
        body.disturb(Disturbance::Well(1));
        assert_eq!(body.read(&mut Random::new(1))[1], Some(MilliCelsius::from_celsius(25)));
        body.disturb(Disturbance::Stuck(1));
        body.advance(10.0, &[2.0; 4], 1.0);
        assert_eq!(body.read(&mut Random::new(1))[1], Some(MilliCelsius::from_celsius(25)));
    }

    #[test]
    fn deviating_bodies_differ_and_come_back_by_their_seed() {
        let settled = |seed: u64| {
            let deviation = Deviation { seed, network: 0.25, power: 0.2 };
            let mut body = Body::new(&NETWORK, &Surroundings { deviation, ..Surroundings::default() });
            body.settle(&[1.0; 4], 0.5);
            body.hottest()
        };
        assert_eq!(settled(3), settled(3));
        assert!((settled(3) - settled(4)).abs() > 1.0);
    }
}

//! Heat as physics: the thermal network in floating point, and sensors that are not perfect.
//!
//! The facts are those of crate `soc`; how they are integrated is this module's own. The controllers of the policy have
//! a predictor of their own in integers, so that agreement between the two says something.

use sched::MilliCelsius;
use sched::heat::Network;
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
}

impl Default for Surroundings {
    fn default() -> Self {
        Self { ambient: 25.0, start: None, fan: Some(0), noise: 0.0 }
    }
}

/// Something that happens from outside.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Disturbance {
    /// The air has this temperature from now on.
    Ambient(f64),
    /// The fan runs at this level from now on.
    Fan(usize),
    /// A sensor shows this from now on, whatever is true.
    Shows(usize, f64),
    /// A sensor does not answer any more.
    Silent(usize),
    /// A sensor is well again.
    Well(usize),
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Health {
    Well,
    Shows(f64),
    Silent,
}

/// The body of the chip.
#[derive(Clone, Debug)]
pub(crate) struct Body {
    network: &'static Network,
    temperatures: Vec<f64>,
    flow: Vec<f64>,
    ambient: f64,
    fan: usize,
    automatic: bool,
    noise: f64,
    health: Vec<Health>,
}

/// Seconds of one step of integration: a hundredth of the fastest time constant of the network.
const STEP: f64 = 0.01;

impl Body {
    pub fn new(network: &'static Network, surroundings: &Surroundings) -> Self {
        Self {
            network,
            temperatures: vec![surroundings.start.unwrap_or(surroundings.ambient); network.nodes.len()],
            flow: vec![0.0; network.nodes.len()],
            ambient: surroundings.ambient,
            fan: surroundings.fan.unwrap_or(0),
            automatic: surroundings.fan.is_none(),
            noise: surroundings.noise,
            health: vec![Health::Well; network.sensors.len()],
        }
    }

    pub fn disturb(&mut self, disturbance: Disturbance) {
        match disturbance {
            Disturbance::Ambient(degrees) => self.ambient = degrees,
            Disturbance::Fan(level) => (self.fan, self.automatic) = (level.min(self.network.fan.len() - 1), false),
            Disturbance::Shows(sensor, degrees) => self.health[sensor] = Health::Shows(degrees),
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
        for link in network.links {
            let watts = f64::from(link.conductance) / 1e3 * (temperatures[link.from] - temperatures[link.to]);
            flow[link.from] -= watts;
            flow[link.to] += watts;
        }
        let loss = f64::from(network.fan[self.fan]) / 1e3;
        flow[network.sink] -= loss * (temperatures[network.sink] - self.ambient);
        network.big.iter().zip(big).for_each(|(&node, watts)| flow[node] += watts);
        flow[network.little] += little;
        for ((temperature, watts), node) in temperatures.iter_mut().zip(flow).zip(network.nodes) {
            *temperature += *watts * seconds * 1e3 / f64::from(node.capacity);
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
    pub fn read(&self, random: &mut Random) -> Vec<Option<MilliCelsius>> {
        let sensors = self.network.sensors.iter().zip(&self.health);
        let shown = sensors.map(|(&node, health)| match health {
            Health::Well => Some(self.temperatures[node] + random.normal(self.noise)),
            Health::Shows(degrees) => Some(*degrees),
            Health::Silent => None,
        });
        shown.map(|degrees| degrees.map(|degrees| MilliCelsius::from_celsius(degrees.round() as i32))).collect()
    }

    /// Lets the temperatures settle with these powers, fan as it is.
    pub fn settle(&mut self, big: &[f64], little: f64) {
        let total: f64 = big.iter().sum::<f64>() + little;
        let rise = total * 1e3 / f64::from(self.network.fan[self.fan]);
        self.temperatures.fill(self.ambient + rise);
        // The sink is right already, if it is held there; the die follows within seconds.
        for _ in 0..200 {
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
    }
}

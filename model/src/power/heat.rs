//! How heat spreads: each A15 a hot spot of its own, the A7s together, the package, the heatsink, the air.
//!
//! A network of resistances and capacities. The whole is fitted to what people saw: about 72 °C with the stock fan and
//! all eight cores busy at 2.0/1.4 GHz, 25-30 °C idle (ThomasKaiser/sbc-bench:results/3GnC.txt), with the powers of
//! this module. Time constants: some 10 ms for a core, 2 s for the package, 45 s for the heatsink.

use crate::bus::Time;

/// Places with a temperature.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Node {
    /// An A15 core, 0 to 3.
    Big(usize),
    /// The A7 cluster.
    Little,
    /// Die and package.
    Package,
    /// The heatsink.
    Sink,
}

const NODES: usize = 7;
const AMBIENT: f64 = 25.0;
/// Watts that the rest of the chip and the memory on top of it draw.
const REST: f64 = 0.35;
/// Kelvin per watt: core to package, A7 cluster to package, package to heatsink.
const CORE_TO_PACKAGE: f64 = 1.6;
const LITTLE_TO_PACKAGE: f64 = 1.2;
const PACKAGE_TO_SINK: f64 = 1.1;
/// Kelvin per watt from the heatsink to the air, without the fan and with it at full speed.
const SINK_TO_AIR: [f64; 2] = [10.0, 3.0];
/// Joules per kelvin: core, A7 cluster, package, heatsink.
const CORE: f64 = 0.01;
const LITTLE: f64 = 0.02;
const PACKAGE: f64 = 2.0;
const SINK: f64 = 9.0;
/// Longest step of the integration, well below the shortest time constant.
const STEP: f64 = 0.002;

/// The temperatures.
#[derive(Clone, Debug)]
pub struct Heat {
    celsius: [f64; NODES],
}

impl Default for Heat {
    fn default() -> Self {
        // Not quite cold: the boot loader has run for some seconds.
        Self::all_at(AMBIENT + 6.0)
    }
}

impl Heat {
    /// Everything equally warm.
    #[must_use]
    pub fn all_at(celsius: f64) -> Self {
        Self { celsius: [celsius; NODES] }
    }

    /// Temperature of a place in degrees Celsius.
    #[must_use]
    pub fn celsius(&self, node: Node) -> f64 {
        self.celsius[Self::index(node)]
    }

    /// The hottest place's.
    #[must_use]
    pub fn hottest(&self) -> f64 {
        self.celsius.iter().copied().fold(AMBIENT, f64::max)
    }

    /// Lets `time` pass with these powers in watts: A15 cores, A7 cluster, and what the A15s share. `fan` is 0 to 1.
    pub fn pass(&mut self, big: [f64; 4], little: f64, shared: f64, fan: f64, time: Time) {
        let mut left = time as f64 / 1e9;
        while left > 0.0 {
            let step = left.min(STEP);
            self.step(big, little, shared, fan, step);
            left -= step;
        }
    }

    fn step(&mut self, big: [f64; 4], little: f64, shared: f64, fan: f64, step: f64) {
        let [.., little_now, package, sink] = self.celsius;
        let to_air = SINK_TO_AIR[0] + fan * (SINK_TO_AIR[1] - SINK_TO_AIR[0]);
        let mut into_package = shared + REST;
        for (celsius, watts) in self.celsius.iter_mut().zip(big) {
            let flow = (*celsius - package) / CORE_TO_PACKAGE;
            *celsius += (watts - flow) * step / CORE;
            into_package += flow;
        }
        let flow = (little_now - package) / LITTLE_TO_PACKAGE;
        into_package += flow;
        let away = (package - sink) / PACKAGE_TO_SINK;
        self.celsius[4] += (little - flow) * step / LITTLE;
        self.celsius[5] += (into_package - away) * step / PACKAGE;
        self.celsius[6] += (away - (sink - AMBIENT) / to_air) * step / SINK;
    }

    fn index(node: Node) -> usize {
        match node {
            Node::Big(core) => core,
            Node::Little => 4,
            Node::Package => 5,
            Node::Sink => 6,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MINUTES: Time = 300_000_000_000;

    fn after(big: f64, little: f64, shared: f64, fan: f64) -> f64 {
        let mut heat = Heat::default();
        heat.pass([big; 4], little, shared, fan, MINUTES);
        heat.hottest()
    }

    #[test]
    fn eight_busy_cores_settle_where_people_measured() {
        let hottest = after(2.2, 0.8, 0.55, 1.0);
        assert!((70.0..78.0).contains(&hottest), "{hottest}");
    }

    #[test]
    fn idle_is_little_above_the_room() {
        let hottest = after(0.0, 0.1, 0.15, 1.0);
        assert!((25.0..31.0).contains(&hottest), "{hottest}");
    }

    #[test]
    fn without_the_fan_full_load_is_too_much() {
        assert!(after(2.2, 0.8, 0.55, 0.0) > 110.0);
    }

    #[test]
    fn a_busy_core_is_the_hottest_place_within_a_moment() {
        let mut heat = Heat::default();
        heat.pass([0.0, 2.2, 0.0, 0.0], 0.0, 0.1, 1.0, 100_000_000);
        assert_eq!(heat.hottest(), heat.celsius(Node::Big(1)));
        assert!(heat.celsius(Node::Big(1)) > heat.celsius(Node::Big(0)) + 2.0);
    }
}

//! Heat: a small thermal network, trips and fan of the Odroid XU4.
//!
//! Nobody has published a network of this chip that could be copied. This one is made to give what was measured:
//! - with the stock fan, eight cores of 7-zip at 2.0 / 1.4 GHz settle at 70 to 74 °C, idle at 24 to 31 °C
//!   (`ThomasKaiser/sbc-bench`, `results/3GnC.txt`): about 8 K/W from the cores to 25 °C of air;
//! - the same without a fan about 20 K/W;
//! - the die follows a step of power within 1 to 3 s, the heat sink within 30 to 60 s (identification of an XU4:
//!   Oehrling et al., SAMOS 2021, arXiv 2112.10121; of an XU3: Bhat et al., arXiv 1904.09814).
//!
//! It is good for the order of controllers, not for degrees.

use sched::heat::{Link, Network, Node, Trip};
use sched::rest::PowerDown;
use sched::{HeatFacts, Microwatts, MilliCelsius, Nanos};

/// The A15 cores each have a node, because a sensor sits on each; the A7 cluster has one, the package with its heat
/// sink the last.
pub static NETWORK: Network = Network {
    nodes: &[
        Node { name: "a15-0", capacity: 200 },
        Node { name: "a15-1", capacity: 200 },
        Node { name: "a15-2", capacity: 200 },
        Node { name: "a15-3", capacity: 200 },
        Node { name: "a7", capacity: 300 },
        Node { name: "sink", capacity: 8_000 },
    ],
    links: &[
        Link { from: 0, to: 5, conductance: 100 },
        Link { from: 1, to: 5, conductance: 100 },
        Link { from: 2, to: 5, conductance: 100 },
        Link { from: 3, to: 5, conductance: 100 },
        Link { from: 0, to: 1, conductance: 40 },
        Link { from: 1, to: 2, conductance: 40 },
        Link { from: 2, to: 3, conductance: 40 },
        Link { from: 3, to: 4, conductance: 40 },
        Link { from: 4, to: 5, conductance: 170 },
    ],
    sink: 5,
    fan: &[57, 110, 150, 182],
    big: &[0, 1, 2, 3],
    little: 4,
    // The four sensors of the A15 cores (thermal zones cpu0 to cpu3); that zone n is core n is not verified.
    sensors: &[0, 1, 2, 3],
};

/// Where the fan goes up by a level, and how far below it goes down again (`cpu_alert0` to `cpu_alert2`).
pub static FAN_TRIPS: [(MilliCelsius, MilliCelsius); 3] = [
    (MilliCelsius::from_celsius(50), MilliCelsius::from_celsius(5)),
    (MilliCelsius::from_celsius(60), MilliCelsius::from_celsius(5)),
    (MilliCelsius::from_celsius(70), MilliCelsius::from_celsius(5)),
];

/// Trips of exynos5422-odroidxu3-common.dtsi (`cpu_alert3` and `cpu_alert4`, `cpu_crit0`): cooling states 0 to 2 of all
/// CPUs from 70 °C, from 85 °C down to 600 MHz on both clusters.
pub static HEAT: HeatFacts = HeatFacts {
    network: &NETWORK,
    trips: &[
        Trip {
            at: MilliCelsius::from_celsius(70),
            hysteresis: MilliCelsius::from_celsius(10),
            states: [(0, 2), (0, 2)],
        },
        Trip {
            at: MilliCelsius::from_celsius(85),
            hysteresis: MilliCelsius::from_celsius(10),
            states: [(3, 14), (3, 8)],
        },
    ],
    switch_on: MilliCelsius::from_celsius(70),
    // No device tree of this board has `sustainable-power`; (85 - 25) K / 20 K/W without a fan.
    sustainable: Microwatts::from_milliwatts(3_000),
    limit: MilliCelsius::from_celsius(85),
    critical: MilliCelsius::from_celsius(115),
    poll: Nanos::from_millis(100),
};

/// Where a sensor cuts the power by itself, whatever the software does (`cpu_crit0`).
pub const POWER_CUT: MilliCelsius = MilliCelsius::from_celsius(120);

/// What a clock takes to go up here: three transfers at 100 kHz, of 29, 20 and 20 bits, the rail's ramp and the PLL's
/// lock are 0.83 ms at most, and the alarms between them take a little. Twice that once, where the interconnect's rail
/// has to be raised first.
pub const SCALING_LATENCY: Nanos = Nanos::from_millis(1);

/// `clock-latency-ns` of the operating points: 140 µs.
pub const OPP_LATENCY: Nanos = Nanos::from_micros(140);

/// Exit latency and least residency of a switched-off cluster: big, LITTLE. They are those of another board with the
/// same cores (`drivers/cpuidle/cpuidle-big_little.c`, TC2); Linux does not switch clusters off on the Odroid.
pub const CLUSTER_OFF: [PowerDown; 2] = [
    PowerDown { exit: Nanos::from_micros(500), residency: Nanos::from_micros(2_000) },
    PowerDown { exit: Nanos::from_micros(700), residency: Nanos::from_micros(2_500) },
];

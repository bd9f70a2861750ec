//! Where every node of the thermal network is by now, whatever the sensors show.
//!
//! At each poll the network is moved on by the power that the price list gives, and then towards the readings that are
//! believed. What the model does not know shows as a difference between the two. It is booked to where it can come
//! from: work that draws more or less than its price, core by core, and what all cores have in common, a warmer heat
//! sink and, more slowly, warmer air. A sensor that is not believed is not missed: its node follows the power of its
//! core, with what was learnt of that core while the sensor was well, and the differences that the other sensors have
//! in common.

use super::model::{LITTLE, MAX_BIG, Powers, SOURCES, Span, Temperatures};
use super::network::{MAX_NODES, Network};
use super::sensors::middle;
use super::{Activity, MAX_SENSORS, MilliCelsius, Sensors};
use crate::{CoreType, CpuMask, Energy};

/// By what part of the difference between reading and prediction, as a power of two, the estimates move: of a sensor's
/// node, of the sink, of the air. Faster, and the rounding of the sensors to whole degrees makes the caps swing.
const CORE_SHIFT: u32 = 3;
const SINK_SHIFT: u32 = 3;
const AIR_SHIFT: u32 = 4;
/// How fast the price of a core's work is learnt, for each thousandth of a degree at a watt.
const PRICE_SHIFT: u32 = 6;
/// A core that draws less than this, in milliwatts, says nothing of its price.
const TELLING: i32 = 150;
/// The price list is right to this factor, in 1/1024.
const PRICES: core::ops::RangeInclusive<i32> = 512..=2048;
/// A sensor that shows so much less than expected beyond what the others do is wrong, whatever it shows. One that shows
/// more may be.
const COOLER: i32 = 8_000;
/// What is more than this is hardly the price of the work: no more than this is learnt from.
const STRANGE: i32 = 2_000;
/// If no reading is new while by the power alone all should have moved so far in so many polls, all sensors are dead.
const CONTRADICTION: i32 = 8_000;
const ANCHORED_FOR: u32 = 300;
/// Polls without a new reading after which the sensors are put to the test.
const PROBED_AFTER: u32 = 600;
/// Polls for which something is learnt from readings that do not change: not for ever, since they may be dead.
const LEARNS_FOR: u32 = 10;
/// The air where the machine stands, in thousandths of a degree.
const AIR: core::ops::RangeInclusive<i32> = -20_000..=80_000;
/// If nothing is known of it.
const ROOM: i32 = 25_000;

#[derive(Clone, Debug)]
pub(super) struct Observer {
    poll: Span,
    /// Above the air.
    pub estimate: Temperatures,
    pub air: i32,
    /// What the work of each big core draws, in 1/1024 of what the price list says.
    prices: [i32; MAX_BIG],
    /// What was drawn since the last poll.
    powers: Powers,
    /// Where the power alone would have brought the estimates since any reading was new, or for a while, and the air
    /// then.
    alone: Temperatures,
    alone_air: i32,
    /// For how many polls none has been.
    still: u32,
    /// They should have moved far since then.
    contradicted: bool,
    begun: bool,
}

impl Observer {
    /// Knows nothing yet.
    pub const NEW: Self = Self {
        poll: Span::EMPTY,
        estimate: [0; MAX_NODES],
        air: 0,
        prices: [0; MAX_BIG],
        powers: [0; SOURCES],
        alone: [0; MAX_NODES],
        alone_air: 0,
        still: 0,
        contradicted: false,
        begun: false,
    };

    /// Takes over the span of a poll.
    pub fn start(&mut self, poll: &Span) {
        self.poll.clone_from(poll);
        self.prices = [1024; MAX_BIG];
        (self.air, self.begun) = (ROOM, false);
    }

    /// Moves on by one poll, by the power alone.
    pub fn advance(&mut self, network: &Network, activity: &Activity, energy: &Energy) {
        self.powers = self.powers(network, energy, activity.levels, &activity.busy);
        self.estimate = self.poll.after(&self.estimate, &self.powers);
        self.alone = self.poll.after(&self.alone, &self.powers);
    }

    /// And towards what the sensors show.
    pub fn correct(&mut self, network: &Network, sensors: &Sensors) {
        if !self.begun {
            return self.begin(network, sensors);
        }
        let mut errors = self.errors(network, sensors);
        let Some(common) = self.common(&mut errors) else { return };
        let learns = self.still < LEARNS_FOR;
        for (node, error) in network.sensors.iter().zip(errors) {
            self.estimate[*node] += error.unwrap_or(common) >> CORE_SHIFT;
            if let (true, Some(error), Some(core)) = (learns, error, network.big.iter().position(|big| big == node)) {
                self.learn(core, error);
            }
        }
        self.estimate[network.sink] += common >> SINK_SHIFT;
        self.estimate[network.little] += common >> CORE_SHIFT;
        if learns {
            self.air = (self.air + (common >> AIR_SHIFT)).clamp(*AIR.start(), *AIR.end());
        }
        self.still = if sensors.moved() { 0 } else { self.still.saturating_add(1) };
        // Once contradicted they stay so until one moves: power that is taken back on that account would soon agree
        // with them.
        let apart = |node: &usize| self.alone[*node] + self.alone_air - self.estimate[*node] - self.air;
        let should_have_moved = network.sensors.iter().all(|node| apart(node).abs() >= CONTRADICTION);
        self.contradicted = !sensors.moved() && (self.contradicted || should_have_moved);
        if sensors.moved() || !self.contradicted && self.still.is_multiple_of(ANCHORED_FOR) {
            (self.alone, self.alone_air) = (self.estimate, self.air);
        }
    }

    /// What each sensor that is believed shows beyond what was expected.
    fn errors(&self, network: &Network, sensors: &Sensors) -> [Option<i32>; MAX_SENSORS] {
        core::array::from_fn(|index| {
            let node = network.sensors.get(index)?;
            Some(sensors.heard(index)?.get() - self.air - self.estimate[*node])
        })
    }

    /// What the sensors have in common, without those that show far less than the middle one.
    fn common(&self, errors: &mut [Option<i32>; MAX_SENSORS]) -> Option<i32> {
        let middle = middle(errors.iter().copied())?;
        errors.iter_mut().for_each(|error| *error = error.filter(|error| *error > middle - COOLER));
        let sound = errors.iter().flatten().map(|error| (*error).min(middle + STRANGE));
        Some(sound.clone().sum::<i32>() / sound.count().max(1) as i32)
    }

    fn learn(&mut self, core: usize, error: i32) {
        if let (Some(price), Some(&power)) = (self.prices.get_mut(core), self.powers.get(core))
            && power > TELLING
        {
            let step = i64::from(error.clamp(-STRANGE, STRANGE)) * 1_000 / i64::from(power);
            *price = (*price + (step >> PRICE_SHIFT) as i32).clamp(*PRICES.start(), *PRICES.end());
        }
    }

    /// The power into the network at these levels, with each CPU busy for so much of the time, in 1/1024.
    pub fn powers(&self, network: &Network, energy: &Energy, levels: [usize; 2], busy: &[u32]) -> Powers {
        let mut powers = [0; SOURCES];
        let work = |core: CoreType, cpus: CpuMask| -> u64 {
            let busy: u32 = cpus.iter().filter_map(|cpu| busy.get(cpu.index())).sum();
            (u64::from(energy.cluster(core).level(levels[core.index()]).busy.get()) * u64::from(busy)) >> 10
        };
        let little = energy.cluster(CoreType::Little);
        if !little.cpus.is_empty() {
            let idle = u64::from(little.level(levels[1]).idle.get());
            powers[LITTLE] = ((work(CoreType::Little, little.cpus) + idle) / 1_000) as i32;
        }
        let big = energy.cluster(CoreType::Big);
        let nodes = network.big.len().min(MAX_BIG);
        if big.cpus.is_empty() || nodes == 0 {
            return powers;
        }
        let idle = u64::from(big.level(levels[0]).idle.get()) / nodes as u64;
        // A machine with fewer big cores than the chip: each stands for several of them.
        let each = (nodes / big.cpus.len()).max(1);
        for (rank, cpu) in big.cpus.iter().enumerate() {
            let share = (work(CoreType::Big, CpuMask::of(cpu)) / each as u64 + idle) / 1_000;
            for core in (rank * each..(rank + 1) * each).take_while(|core| *core < nodes) {
                powers[core] = (share as i32 * self.prices[core]) >> 10;
            }
        }
        powers
    }

    /// Whether all sensors may be dead: they stand still though by the power they should have moved far, or for a
    /// minute. The second is no proof, but to go slow then is one: sensors that live show that at once.
    pub fn is_contradicted(&self) -> bool {
        let works = self.powers.iter().sum::<i32>() > TELLING;
        self.begun && (self.contradicted || works && self.still >= PROBED_AFTER)
    }

    /// The estimate for one node; [`None`] before the first reading.
    pub fn temperature(&self, node: usize) -> Option<MilliCelsius> {
        self.begun.then(|| MilliCelsius::new(self.estimate[node] + self.air))
    }

    /// Everything has the temperature of its sensor, the rest that of the coolest.
    fn begin(&mut self, network: &Network, sensors: &Sensors) {
        let readings = || (0..network.sensors.len()).filter_map(|index| sensors.heard(index));
        let Some(coolest) = readings().map(MilliCelsius::get).min() else { return };
        self.air = self.air.min(coolest);
        self.estimate = [coolest - self.air; MAX_NODES];
        for (index, node) in network.sensors.iter().enumerate() {
            if let Some(reading) = sensors.heard(index) {
                self.estimate[*node] = reading.get() - self.air;
            }
        }
        (self.alone, self.alone_air, self.begun) = (self.estimate, self.air, true);
    }
}

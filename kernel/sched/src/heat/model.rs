//! The thermal network as a predictor: temperatures some time ahead from those of now and the power.
//!
//! The network is linear, so the temperatures after a span are a matrix times those of now plus a vector for each watt.
//! Both are worked out once for spans of 100 ms · 2^n, each from the one before by squaring. All in integers:
//! temperatures above ambient in thousandths of a degree, matrices in 2^-28, what power adds in 2^-24.

use super::network::{MAX_NODES, Network};

/// The most big CPUs that a network knows one by one.
pub(super) const MAX_BIG: usize = 4;
/// Where power enters: each big CPU by its rank, and then the LITTLE cluster.
pub(super) const SOURCES: usize = MAX_BIG + 1;
/// The last one.
pub(super) const LITTLE: usize = MAX_BIG;

const ONE: i64 = 1 << 28;
const RISE_SHIFT: u32 = 24;
/// The shortest span, in milliseconds; the network is integrated in so many doublings of a step.
const SPAN: i64 = 100;
const DOUBLINGS: u32 = 7;

/// In thousandths of a degree above the air.
pub(super) type Temperatures = [i32; MAX_NODES];
/// In milliwatts.
pub(super) type Powers = [i32; SOURCES];

/// What becomes of the network after one span.
#[derive(Clone, Debug)]
pub(super) struct Span {
    transition: [[i32; MAX_NODES]; MAX_NODES],
    /// Thousandths of a degree for each milliwatt of each source.
    rise: [[i32; SOURCES]; MAX_NODES],
}

impl Span {
    /// To be filled in.
    pub const EMPTY: Self = Self { transition: [[0; MAX_NODES]; MAX_NODES], rise: [[0; SOURCES]; MAX_NODES] };

    /// 100 ms.
    pub fn shortest(network: &Network, fan: usize) -> Self {
        let mut span = Self::step(network, fan);
        for _ in 0..DOUBLINGS {
            span = span.doubled();
        }
        span
    }

    fn step(network: &Network, fan: usize) -> Self {
        let mut flow = [[0_i64; MAX_NODES]; MAX_NODES];
        for link in network.links {
            let conductance = i64::from(link.conductance);
            flow[link.from][link.from] -= conductance;
            flow[link.to][link.to] -= conductance;
            flow[link.from][link.to] += conductance;
            flow[link.to][link.from] += conductance;
        }
        let fan = network.fan.get(fan).or(network.fan.last());
        flow[network.sink][network.sink] -= fan.map_or(0, |conductance| i64::from(*conductance));
        let mut span = Self::EMPTY;
        for (node, facts) in network.nodes.iter().enumerate() {
            // mW/K · ms / (mJ/K) is a number in thousandths.
            let divisor = (1_000 << DOUBLINGS) * i64::from(facts.capacity);
            for (other, conductance) in flow[node].iter().enumerate() {
                let one = if other == node { ONE } else { 0 };
                span.transition[node][other] = (one + conductance * ONE * SPAN / divisor) as i32;
            }
            // Thousandths of a degree for a milliwatt: mW · ms / (mJ/K) = K / 1000.
            let rise = ((SPAN << RISE_SHIFT) / (i64::from(facts.capacity) << DOUBLINGS)) as i32;
            for (source, heats) in network.big.iter().take(MAX_BIG).chain([&network.little]).enumerate() {
                let source = if source < network.big.len().min(MAX_BIG) { source } else { LITTLE };
                span.rise[node][source] = if *heats == node { rise } else { 0 };
            }
        }
        span
    }

    /// Twice the span: this one, and then again.
    pub fn doubled(&self) -> Self {
        let mut twice = Self::EMPTY;
        for node in 0..MAX_NODES {
            let by = &self.transition[node];
            let through = |term: &dyn Fn(usize) -> i32| {
                let terms = by.iter().enumerate().map(|(middle, factor)| i64::from(*factor) * i64::from(term(middle)));
                ((terms.sum::<i64>() + ONE / 2) >> 28) as i32
            };
            for other in 0..MAX_NODES {
                twice.transition[node][other] = through(&|middle| self.transition[middle][other]);
            }
            for source in 0..SOURCES {
                twice.rise[node][source] = self.rise[node][source] + through(&|middle| self.rise[middle][source]);
            }
        }
        twice
    }

    /// All temperatures after this span with constant power.
    pub fn after(&self, now: &Temperatures, powers: &Powers) -> Temperatures {
        core::array::from_fn(|node| self.cooled(node, now) + self.heated(node, powers))
    }

    /// The temperature of one node after this span without any power.
    pub fn cooled(&self, node: usize, now: &Temperatures) -> i32 {
        let terms = self.transition[node].iter().zip(now).map(|(factor, now)| i64::from(*factor) * i64::from(*now));
        (terms.sum::<i64>() >> 28) as i32
    }

    /// What constant power adds to that.
    pub fn heated(&self, node: usize, powers: &Powers) -> i32 {
        let terms = self.rise[node].iter().zip(powers).map(|(rise, power)| i64::from(*rise) * i64::from(*power));
        (terms.sum::<i64>() >> RISE_SHIFT) as i32
    }
}

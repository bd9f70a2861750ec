//! The thermal network as a predictor: temperatures some time ahead from those of now and the power.
//!
//! The network is linear, so the temperatures after a span are a matrix times those of now plus a vector for each watt. Both
//! are worked out once for spans of 100 ms · 2^n, each from the one before by squaring. All in integers: temperatures
//! above ambient in thousandths of a degree, matrices in 2^-28.

use super::network::{MAX_NODES, Network};

const ONE: i64 = 1 << 28;
/// The shortest span, in milliseconds; the network is integrated in steps of a hundredth of it.
const SPAN: i64 = 100;
const STEPS: i64 = 100;

pub(super) type Temperatures = [i32; MAX_NODES];
type Matrix = [[i64; MAX_NODES]; MAX_NODES];

/// What becomes of the network after one span.
#[derive(Clone, Debug)]
pub(super) struct Span {
    transition: Matrix,
    /// Thousandths of a degree for each milliwatt in the big and in the LITTLE cluster, in 2^-28.
    rise: [[i64; MAX_NODES]; 2],
}

impl Span {
    /// 100 ms.
    pub fn shortest(network: &Network, fan: usize) -> Self {
        let step = Self::step(network, fan);
        // By binary powers of the small step: 100 = 64 + 32 + 4.
        let mut power = step;
        let mut result: Option<Self> = None;
        let mut left = STEPS;
        while left > 0 {
            if left & 1 == 1 {
                result = Some(result.map_or_else(|| power.clone(), |result| result.then(&power)));
            }
            power = power.then(&power);
            left >>= 1;
        }
        result.unwrap_or(power)
    }

    /// Twice the span.
    pub fn doubled(&self) -> Self {
        self.then(self)
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
        let mut span = Self { transition: [[0; MAX_NODES]; MAX_NODES], rise: [[0; MAX_NODES]; 2] };
        for (node, facts) in network.nodes.iter().enumerate() {
            // mW/K · ms / (mJ/K) is a number in thousandths.
            let scale = |value: i64| value * ONE * SPAN / (STEPS * 1_000 * i64::from(facts.capacity));
            for (other, conductance) in flow[node].iter().enumerate() {
                span.transition[node][other] = scale(*conductance);
            }
            span.transition[node][node] += ONE;
            let cores = network.big.iter().filter(|core| **core == node).count() as i64;
            // Thousandths of a degree for a milliwatt: mW · ms / (mJ/K) = K / 1000.
            let rise = ONE * SPAN / (STEPS * i64::from(facts.capacity));
            span.rise[0][node] = rise * cores / network.big.len().max(1) as i64;
            span.rise[1][node] = if network.little == node { rise } else { 0 };
        }
        span
    }

    /// This span and then another one.
    fn then(&self, next: &Self) -> Self {
        let mut both = Self { transition: [[0; MAX_NODES]; MAX_NODES], rise: next.rise };
        for row in 0..MAX_NODES {
            for column in 0..MAX_NODES {
                let terms = (0..MAX_NODES).map(|middle| next.transition[row][middle] * self.transition[middle][column]);
                both.transition[row][column] = (terms.sum::<i64>() + ONE / 2) >> 28;
            }
            for cluster in 0..2 {
                let terms = (0..MAX_NODES).map(|middle| next.transition[row][middle] * self.rise[cluster][middle]);
                both.rise[cluster][row] += (terms.sum::<i64>() + ONE / 2) >> 28;
            }
        }
        both
    }

    /// The temperature of one node after this span without any power.
    pub fn cooled(&self, node: usize, now: &Temperatures) -> i32 {
        let terms = self.transition[node].iter().zip(now).map(|(factor, now)| factor * i64::from(*now));
        (terms.sum::<i64>() >> 28) as i32
    }

    /// What constant power in the two clusters, in milliwatts, adds to that.
    pub fn heated(&self, node: usize, milliwatts: [u32; 2]) -> i32 {
        let added = |cluster: usize| self.rise[cluster][node] * i64::from(milliwatts[cluster]);
        ((added(0) + added(1)) >> 28) as i32
    }
}

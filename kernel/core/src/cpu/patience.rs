//! How soon an idle CPU asks for work again where it found none: others were quicker, or what waits elsewhere may not
//! run here.

use sched::Nanos;

use super::Cpu;

/// Pulls in a row that found nothing, after which there is a pause before the next one.
const PATIENCE: u8 = 3;
/// The first pause; each next one is twice as long,
const PAUSE: Nanos = Nanos::from_micros(50);
/// so many times: 25.6 ms at last.
const MOST_DOUBLINGS: u8 = 9;

impl Cpu {
    /// Before this an idle CPU does not ask for work.
    pub fn pulls_again(&self) -> Nanos {
        self.pulls_again
    }

    /// A pull found nothing.
    pub fn pull_failed(&mut self, now: Nanos) {
        self.awaiting = false;
        self.fruitless_pulls = self.fruitless_pulls.saturating_add(1);
        if let Some(pauses) = self.fruitless_pulls.checked_sub(PATIENCE) {
            self.pulls_again = now + Nanos::new(PAUSE.as_nanos() << pauses.min(MOST_DOUBLINGS));
        }
    }

    /// Work arrived.
    pub fn work_arrived(&mut self) {
        self.fruitless_pulls = 0;
        self.pulls_again = Nanos::ZERO;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_begin_with_the_third_failure_double_up_to_a_bound_and_end_with_work() {
        let mut cpu = Box::new(Cpu::new());
        let now = Nanos::from_millis(7);
        let pauses: [u64; 14] = core::array::from_fn(|_| {
            cpu.pull_failed(now);
            cpu.pulls_again().saturating_sub(now).as_micros()
        });
        assert_eq!(pauses, [0, 0, 50, 100, 200, 400, 800, 1_600, 3_200, 6_400, 12_800, 25_600, 25_600, 25_600]);
        cpu.work_arrived();
        cpu.pull_failed(now);
        assert_eq!(cpu.pulls_again(), Nanos::ZERO, "it is patient again");
    }
}

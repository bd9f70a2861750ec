//! How the time that an instruction takes depends on the clock: a / f + b, a line through what was seen at slow and at fast clocks.
//!
//! Work in the caches takes cycles, and what waits for memory takes time, which no clock shortens. Cycles for each instruction
//! are a + b · f, so clocks that are far enough apart tell both. Whatever clocks a sample is of, its sums lie on that line.

/// Before it has run for so long, in nanoseconds, nothing is made of it: the cold caches of a single move (50 µs and more)
/// would pass for another speed, and a task that never goes there again would never learn better.
pub(super) const WORTH_COMPARING: u64 = 2_000_000;
/// So many cycles are remembered at full weight: 134 ms at 2 GHz.
const MEMORY: u64 = 1 << 28;
/// Clocks are told apart by how often they can be doubled up to the top: not at all, once, more often.
const OCTAVES: usize = 3;

/// What was counted at clocks of one octave. It fades only as more comes in: a clock that has not been used for long is not forgotten.
#[derive(Clone, Copy, Debug)]
struct Sample {
    cycles: u64,
    instructions: u64,
    /// Instructions times kilohertz.
    clocked: u64,
}

impl Sample {
    const NONE: Self = Self { cycles: 0, instructions: 0, clocked: 0 };

    fn take(&mut self, kilohertz: u32, cycles: u64, instructions: u64) {
        self.cycles += cycles;
        self.instructions += instructions;
        self.clocked += instructions * u64::from(kilohertz);
        if self.cycles > MEMORY {
            let Self { cycles, instructions, clocked } = *self;
            *self = Self { cycles: cycles / 2, instructions: instructions / 2, clocked: clocked / 2 };
        }
    }

    /// Its clock in kilohertz, on average over the instructions, and cycles for each of them in 1/1024; [`None`] if it has not run long enough.
    fn point(&self) -> Option<(u64, u64)> {
        let kilohertz = self.clocked.checked_div(self.instructions)?;
        let long_enough = self.cycles >= kilohertz * (WORTH_COMPARING / 1_000_000);
        long_enough.then(|| (kilohertz, (self.cycles << 10) / self.instructions))
    }
}

/// What was seen of a task on one kind of core, by octave, the fastest first.
#[derive(Clone, Debug)]
pub(super) struct Line {
    samples: [Sample; OCTAVES],
}

impl Line {
    pub const fn new() -> Self {
        Self { samples: [Sample::NONE; OCTAVES] }
    }

    /// Takes in what was counted at a clock; `top` is the fastest one of this core, both in kilohertz.
    pub fn observe(&mut self, kilohertz: u32, top: u32, cycles: u64, instructions: u64) {
        let octave = (1..OCTAVES).take_while(|octave| kilohertz << octave <= top).count();
        self.samples[octave].take(kilohertz, cycles, instructions);
    }

    /// The part of its time at the clock `top` that no clock shortens, in 1/1024; [`None`] as long as the clocks that it was seen at hardly
    /// differ: they would make a line of nothing but noise.
    pub fn stall(&self, top: u32) -> Option<u32> {
        let mut points = self.samples.iter().filter_map(Sample::point);
        let (fast, at_fast) = points.next()?;
        let (slow, at_slow) = points.next_back().filter(|(slow, _)| slow * 3 <= fast * 2)?;
        let (top, rise) = (u64::from(top), at_fast.saturating_sub(at_slow));
        // b · f at the top, beside all of a + b · f.
        let stalled = rise * top / (fast - slow);
        let all = at_fast + rise * top.saturating_sub(fast) / (fast - slow);
        Some(u32::try_from((stalled << 10) / all.max(1)).unwrap_or(1024).min(1024))
    }
}

//! A guest program: for each sequence, load all registers, execute it, store all registers; at the end, write the
//! results to standard output.

use crate::generate::{self, Kind};
use crate::random::Random;

/// Where the program lies. All of it is in one region, readable, writable and executable.
pub const BASE: u32 = 0x0010_0000;
/// Room for code, inputs, results.
pub const SIZE: u32 = 0x0040_0000;
/// Words that a sequence leaves: r0-r12, CPSR, FPSCR, d0-d15, and its piece of memory.
pub const RESULT_WORDS: usize = 13 + 2 + 32 + SCRATCH_WORDS;
/// Memory of each sequence: r10 points to its middle.
const SCRATCH_WORDS: usize = 64;
/// Words that a sequence is given.
const INPUT_WORDS: usize = 32 + 2 + 13;

/// Names of the result words.
pub fn names() -> impl Iterator<Item = String> {
    let fixed = (0..13).map(|n| format!("r{n}")).chain(["cpsr".into(), "fpscr".into()]);
    fixed.chain((0..32).map(|n| format!("s{n}"))).chain((0..SCRATCH_WORDS).map(|n| format!("memory[{n}]")))
}

pub struct Program {
    /// The program as words from [`BASE`] on.
    pub words: Vec<u32>,
    bodies: Vec<Vec<u32>>,
}

/// Instructions of the frame around the sequences.
mod a32 {
    pub fn movw(d: u32, value: u32) -> u32 {
        0xe300_0000 | (value >> 12 & 0xf) << 16 | d << 12 | value & 0xfff
    }
    pub fn movt(d: u32, value: u32) -> u32 {
        0xe340_0000 | (value >> 28) << 16 | d << 12 | value >> 16 & 0xfff
    }
    pub const VLDMIA_LR_D0_D15: u32 = 0xecbe_0b20;
    pub const VSTMIA_LR_D0_D15: u32 = 0xecae_0b20;
    pub const LDR_R12_LR_4: u32 = 0xe49e_c004;
    pub const VMSR_FPSCR_R12: u32 = 0xeee1_ca10;
    pub const MSR_CPSR_FS_R12: u32 = 0xe12c_f00c;
    pub const LDMIA_LR_R0_R12: u32 = 0xe89e_1fff;
    pub const STMIA_LR_R0_R12: u32 = 0xe8ae_1fff;
    pub const MRS_R0_CPSR: u32 = 0xe10f_0000;
    pub const STR_R0_LR_4: u32 = 0xe48e_0004;
    pub const VMRS_R0_FPSCR: u32 = 0xeef1_0a10;
    pub const SVC_0: u32 = 0xef00_0000;
    /// BIC r0, r0, #0x07f0_0000 and the lower half: what is left are the flags that user mode sees.
    pub const KEEP_FLAGS: [u32; 3] = [0xe3c0_067f, 0xe1a0_0820, 0xe1a0_0800];
}

impl Program {
    pub fn random(kind: Kind, seed: u64, sequences: usize, length: usize) -> Self {
        let mut random = Random::new(seed ^ (kind as u64) << 32);
        let bodies: Vec<Vec<u32>> =
            (0..sequences).map(|_| (0..length).map(|_| generate::instruction(kind, &mut random)).collect()).collect();
        let frame = 17 + a32::KEEP_FLAGS.len();
        let code_words = sequences * (frame + length) + 16;
        let inputs_at = BASE + 4 * code_words as u32;
        let results_at = inputs_at + 4 * (sequences * INPUT_WORDS) as u32;
        let mut words = Vec::new();
        let mut inputs = Vec::new();
        let mut results = Vec::new();
        for (number, body) in bodies.iter().enumerate() {
            let input = inputs_at + 4 * (number * INPUT_WORDS) as u32;
            let result = results_at + 4 * (number * RESULT_WORDS) as u32;
            let scratch = result + 4 * (RESULT_WORDS - SCRATCH_WORDS) as u32;
            enter(&mut words, input);
            words.extend(body);
            leave(&mut words, result);
            inputs.extend(generate::floats(&mut random, 32));
            inputs.push(generate::fpscr(&mut random));
            inputs.push(random.word() & 0xf80f_0000);
            inputs.extend((0..10).map(|_| generate::integer(&mut random)));
            inputs.extend([
                scratch + 4 * SCRATCH_WORDS as u32 / 2,
                random.below(25) * 4,
                generate::integer(&mut random),
            ]);
            results.extend((0..RESULT_WORDS).map(|_| random.word()));
        }
        finish(&mut words, results_at, 4 * results.len() as u32);
        assert!(words.len() <= code_words, "the frame's size is known");
        words.resize(code_words, 0);
        words.extend(inputs);
        words.extend(results);
        assert!(words.len() * 4 <= SIZE as usize, "the program fits its region");
        Self { words, bodies }
    }

    /// The instructions of one sequence.
    pub fn body(&self, sequence: usize) -> &[u32] {
        &self.bodies[sequence]
    }

    pub fn bytes(&self) -> Vec<u8> {
        self.words.iter().flat_map(|word| word.to_le_bytes()).collect()
    }
}

fn enter(words: &mut Vec<u32>, input: u32) {
    words.extend([
        a32::movw(14, input),
        a32::movt(14, input),
        a32::VLDMIA_LR_D0_D15,
        a32::LDR_R12_LR_4,
        a32::VMSR_FPSCR_R12,
        a32::LDR_R12_LR_4,
        a32::MSR_CPSR_FS_R12,
        a32::LDMIA_LR_R0_R12,
    ]);
}

fn leave(words: &mut Vec<u32>, result: u32) {
    words.extend([a32::movw(14, result), a32::movt(14, result), a32::STMIA_LR_R0_R12, a32::MRS_R0_CPSR]);
    words.extend(a32::KEEP_FLAGS);
    words.extend([a32::STR_R0_LR_4, a32::VMRS_R0_FPSCR, a32::STR_R0_LR_4, a32::VSTMIA_LR_D0_D15]);
}

/// write(1, results, length); exit(0).
fn finish(words: &mut Vec<u32>, results: u32, length: u32) {
    for (register, value) in [(0, 1), (1, results), (2, length), (7, 4)] {
        words.extend([a32::movw(register, value), a32::movt(register, value)]);
    }
    words.push(a32::SVC_0);
    words.extend([a32::movw(0, 0), a32::movw(7, 1), a32::SVC_0]);
}

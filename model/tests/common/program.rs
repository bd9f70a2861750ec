//! Small A32 programs, written down instruction by instruction.

/// Instructions, in the order in which they execute.
#[derive(Clone, Debug, Default)]
pub struct Program(Vec<u32>);

impl Program {
    /// An empty program.
    pub fn new() -> Self {
        Self::default()
    }

    /// Any instruction.
    pub fn word(mut self, word: u32) -> Self {
        self.0.push(word);
        self
    }

    /// MOVW and MOVT: `register` = `value`.
    pub fn set(self, register: u32, value: u32) -> Self {
        let half = |opcode: u32, half: u32| opcode | (half >> 12) << 16 | register << 12 | half & 0xfff;
        self.word(half(0xe300_0000, value & 0xffff)).word(half(0xe340_0000, value >> 16))
    }

    /// STR: the word at `address` = `value`. Uses r0 and r1.
    pub fn store(self, address: u32, value: u32) -> Self {
        self.set(0, address).set(1, value).word(0xe580_1000)
    }

    /// STRB: the byte at `address` = `value`. Uses r0 and r1.
    pub fn store_byte(self, address: u32, value: u32) -> Self {
        self.set(0, address).set(1, value).word(0xe5c0_1000)
    }

    /// LDR: r1 = the word at `address`. Uses r0.
    pub fn load(self, address: u32) -> Self {
        self.set(0, address).word(0xe590_1000)
    }

    /// MCR p15: the system register = `value`. Uses r1.
    pub fn system(self, opc1: u32, crn: u32, crm: u32, opc2: u32, value: u32) -> Self {
        self.set(1, value).word(0xee00_1f10 | opc1 << 21 | crn << 16 | opc2 << 5 | crm)
    }

    /// MCRR p15 of two registers that are zero. Uses r1.
    pub fn system_long_zero(self, opc1: u32, crm: u32) -> Self {
        self.set(1, 0).word(0xec41_1f00 | opc1 << 4 | crm)
    }

    /// MRRC p15 into r1 and r2.
    pub fn read_long(self, opc1: u32, crm: u32) -> Self {
        self.word(0xec52_1f00 | opc1 << 4 | crm)
    }

    /// Does nothing for about `rounds` times three cycles. Uses r3.
    pub fn wait(self, rounds: u32) -> Self {
        self.set(3, rounds).word(0xe253_3001).word(0x1aff_fffd)
    }

    /// Executes `body` as often as `rounds` says. Uses r2.
    pub fn repeat(self, rounds: u32, body: &[u32]) -> Self {
        let begun = self.set(2, rounds);
        let back = (body.len() as u32 + 3).wrapping_neg() & 0xff_ffff;
        body.iter().fold(begun, |program, word| program.word(*word)).word(0xe252_2001).word(0x1a00_0000 | back)
    }

    /// Leaves HYP mode for SVC with interrupts masked; PL1's MMU and caches off. Uses r1.
    pub fn leave_hyp(self) -> Self {
        self.system(0, 1, 0, 0, 0x00c5_0878)
            .set(1, 0x1d3)
            .word(0xe16e_f301) // msr  SPSR_hyp, r1
            .word(0xe28f_1008) // add  r1, pc, #8: behind the return
            .word(0xe12e_f301) // msr  ELR_hyp, r1
            .word(0xf57f_f06f) // isb
            .word(0xe160_006e) // eret
    }

    /// The rest of the program sleeps.
    pub fn sleep(self) -> Self {
        self.word(0xe320_f003).word(0xeaff_fffd)
    }

    /// The bytes, to be loaded.
    pub fn bytes(&self) -> Vec<u8> {
        self.0.iter().flat_map(|word| word.to_le_bytes()).collect()
    }

    /// How many bytes they are.
    pub fn len(&self) -> u32 {
        4 * self.0.len() as u32
    }
}

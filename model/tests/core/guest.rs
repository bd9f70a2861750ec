//! Small guests on bare cores: memory, a flat translation table, and a platform that only takes notes.

use model::bus::{Access, Answer, Bus, BusFault, Call, Lines, Memory, Misuse, Platform, Size, Time, TimerRegister};
use model::cpu::{Code, Core, Costs, Exit, Identity, ResetMode};

/// RAM from zero on.
pub const RAM_SIZE: u32 = 0x0100_0000;
/// Vectors: VBAR, and HVBAR.
pub const VECTORS: u32 = 0x1000;
pub const HYP_VECTORS: u32 = 0x2000;
/// Code of core 0; that of core 1 is 64 KiB behind.
pub const CODE: u32 = 0x8000;
/// Data.
pub const DATA: u32 = 0x2_0000;
/// Top of the stack.
pub const STACK: u32 = 0x3_0000;
/// The first-level table: RAM is mapped to itself in megabytes, all rights, cacheable. A device is at 0x8000_0000.
pub const TABLE: u32 = 0x8_0000;
/// A second-level table that a test may use.
pub const SECOND_TABLE: u32 = 0x9_0000;
/// A device.
pub const DEVICE: u32 = 0x8000_0000;
/// HLT #1 ends a guest.
pub const END: u32 = 0xe100_0071;
/// SCTLR: MMU, caches, branch prediction.
pub const SCTLR_ON: u32 = 1 << 12 | 1 << 11 | 1 << 2 | 1;

/// Takes notes.
#[derive(Default)]
pub struct Notes {
    pub misuses: Vec<(Misuse, u32)>,
    pub accesses: Vec<(u32, Size, Option<u32>)>,
    pub lines: [Lines; 2],
    ended: [bool; 2],
    incoherent: bool,
}

impl Platform for Notes {
    fn read(&mut self, address: u32, size: Size, _: &Access) -> Result<u32, BusFault> {
        self.accesses.push((address, size, None));
        if address >> 12 == DEVICE >> 12 { Ok(0x1234_5678) } else { Err(BusFault) }
    }

    fn write(&mut self, address: u32, size: Size, value: u32, _: &Access) -> Result<(), BusFault> {
        self.accesses.push((address, size, Some(value)));
        if address >> 12 == DEVICE >> 12 { Ok(()) } else { Err(BusFault) }
    }

    fn timer_read(&mut self, _: TimerRegister, at: &Access) -> u64 {
        at.time
    }

    fn timer_write(&mut self, _: TimerRegister, _: u64, _: &Access) {}

    fn lines(&mut self, core: usize, _: Time) -> Lines {
        self.lines[core]
    }

    fn call(&mut self, call: Call, core: &mut Core, _: &mut Memory, _: &Access) -> Answer {
        match call {
            Call::Halt(1) => {
                self.ended[core.index] = true;
                Answer::EndSlice
            }
            _ => Answer::Decline,
        }
    }

    fn misuse(&mut self, misuse: Misuse, address: u32, _: &Access) {
        self.misuses.push((misuse, address));
    }

    fn coherent(&self, _: usize) -> bool {
        !self.incoherent
    }
}

/// Two cores, of which usually only the first one runs.
pub struct Guest {
    pub bus: Bus<Notes>,
    pub cores: [Core; 2],
    code: Code,
}

impl Guest {
    /// `words` in SVC mode, with MMU, caches and floating-point unit on. All vectors end the guest.
    pub fn new(words: &[u32]) -> Self {
        let mut guest = Self::bare(words, ResetMode::SecureSvc);
        for core in &mut guest.cores {
            core.cp15.ttbr0 = TABLE;
            core.cp15.dacr = 1;
            core.cp15.sctlr |= SCTLR_ON;
            core.cp15.actlr |= 1 << 6;
            core.enable_float();
        }
        guest
    }

    /// `words` as after a reset in `mode`.
    pub fn bare(words: &[u32], mode: ResetMode) -> Self {
        let mut bus = Bus::new(Memory::new(&[(0, RAM_SIZE)]), Notes::default());
        for megabyte in 0..RAM_SIZE >> 20 {
            put(&mut bus, TABLE + 4 * megabyte, &[megabyte << 20 | 0b11 << 10 | 0b11 << 2 | 0b10]);
        }
        put(&mut bus, TABLE + 4 * (DEVICE >> 20), &[DEVICE | 1 << 4 | 0b11 << 10 | 0b01 << 2 | 0b10]);
        put(&mut bus, VECTORS, &[END; 8]);
        put(&mut bus, HYP_VECTORS, &[END; 8]);
        let mut cores = [0, 1].map(|n| {
            let identity = Identity::cortex_a15(0x8000_0000 | n as u32, 2, 0);
            let mut core = Core::new(n, 0, identity, Costs::unit());
            core.reset(CODE + 0x1_0000 * n as u32, mode);
            core.cp15.vbar = VECTORS;
            core.cp15.hvbar = HYP_VECTORS;
            core.r[13] = STACK;
            core.r[10] = DATA;
            core
        });
        cores[1].power_off();
        let mut guest = Self { bus, cores, code: Code::new([Costs::unit(), Costs::unit()]) };
        guest.put(CODE, words);
        guest.put(CODE + 4 * words.len() as u32, &[END]);
        guest
    }

    /// Lets core 1 execute `words`, too.
    pub fn beside(mut self, words: &[u32]) -> Self {
        self.put(CODE + 0x1_0000, words);
        self.put(CODE + 0x1_0000 + 4 * words.len() as u32, &[END]);
        self.cores[1].activity = model::cpu::Activity::Running;
        self
    }

    /// Puts words into memory.
    pub fn put(&mut self, address: u32, words: &[u32]) {
        put(&mut self.bus, address, words);
    }

    pub fn word(&mut self, address: u32) -> u32 {
        self.bus.memory.read_word(address).expect("it is RAM")
    }

    /// Runs core 0 to its end.
    pub fn run(mut self) -> Self {
        self.finish(0);
        self
    }

    /// Runs a core to its end.
    pub fn finish(&mut self, core: usize) {
        let limit = self.cores[core].time() + 1_000_000;
        while !self.bus.platform.ended[core] {
            let exit = self.slice(core, 1_000);
            assert!(
                self.cores[core].time() < limit || exit == Exit::Waiting,
                "the guest does not end, but is at {:#x}",
                self.cores[core].pc
            );
            assert_ne!(exit, Exit::Waiting, "the guest waits");
        }
        self.bus.platform.ended[core] = false;
    }

    /// Runs a core for some nanoseconds: with one cycle of one nanosecond an instruction, about as many instructions.
    pub fn slice(&mut self, core: usize, nanoseconds: Time) -> Exit {
        let until = self.cores[core].time() + nanoseconds;
        self.cores[core].run(&mut self.code, &mut self.bus, until)
    }

    pub fn r(&self, number: usize) -> u32 {
        self.cores[0].r[number]
    }

    /// N, Z, C, V as a number.
    pub fn flags(&self) -> u32 {
        self.cores[0].cpsr() >> 28
    }

    /// Exceptions that core 0 took, by vector.
    pub fn exceptions(&self) -> [u64; 8] {
        self.cores[0].statistics.exceptions
    }

    /// What was found fault with.
    pub fn misuses(&self) -> Vec<Misuse> {
        self.bus.platform.misuses.iter().map(|&(misuse, _)| misuse).collect()
    }
}

fn put(bus: &mut Bus<Notes>, address: u32, words: &[u32]) {
    for (number, word) in words.iter().enumerate() {
        bus.memory.write_word(address + 4 * number as u32, *word).expect("it is RAM");
    }
}

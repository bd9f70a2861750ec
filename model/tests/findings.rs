//! For every kind of finding a small program that provokes it: what an ordinary emulator would let pass.

mod common;

use common::program::Program;
use common::{ORIGIN, board, cached, run, translated};
use model::findings::{FindingKind, Findings};
use model::machine::exynos5422::{Entry, Options};
use model::machine::{Machine, Outcome};

const MCT_TCON: u32 = 0x101c_0240;
const PMU: u32 = 0x1004_0000;
const CMU_KFC: u32 = 0x1003_8000;
const HSI2C: u32 = 0x12ca_0000;
const TMU: u32 = 0x1006_0000;
const SCRATCH: u32 = 0x4500_0000;
const MOV_R0_7: u32 = 0xe3a0_0007;
const BX_LR: u32 = 0xe12f_ff1e;
const BLX_R0: u32 = 0xe12f_ff30;
const LDREX_R1_R0: u32 = 0xe190_1f9f;

fn findings(program: Program) -> Findings {
    findings_with(program, &Options::default())
}

fn findings_with(program: Program, options: &Options) -> Findings {
    let mut machine = board(&program.sleep(), options);
    run(&mut machine);
    machine.findings
}

/// Writes a register of the PMIC: the bus's own way, with enough patience.
fn pmic(program: Program, register: u32, value: u32) -> Program {
    program
        .store(HSI2C, 1 << 31)
        .store(HSI2C, 0x89)
        .store(HSI2C + 0x40, 1 << 31)
        .store(HSI2C + 0x70, 0x66 << 10)
        .store(HSI2C + 0x34, register)
        .store(HSI2C + 0x34, value)
        .store(HSI2C + 0x44, 1 << 31 | 1 << 17 | 2)
        .wait(400_000)
}

/// Switches the data cache off, as nothing that goes on should.
fn uncached(program: Program) -> Program {
    program.system(0, 1, 0, 0, 0x00c5_1879)
}

/// What a program finds that does just this one thing wrong.
fn provoke(kind: FindingKind) -> Findings {
    let new = Program::new;
    match kind {
        // VADD.I32 of NEON.
        FindingKind::Unimplemented => findings(cached(new()).word(0xf220_0840)),
        FindingKind::UnknownSystemRegister => findings(new().leave_hyp().word(0xee1f_1ff7)),
        // MSR CPSR_c, r1 with a mode that does not exist.
        FindingKind::Unpredictable => findings(new().leave_hyp().set(1, 0x1d5).word(0xe121_f001)),
        FindingKind::Unaligned => findings(new().load(SCRATCH + 1)),
        FindingKind::ExclusiveUncached => findings(new().set(0, SCRATCH).word(LDREX_R1_R0)),
        FindingKind::ExclusiveDevice => findings(cached(new()).set(0, PMU).word(LDREX_R1_R0)),
        FindingKind::CachesBeforeSmp => findings(translated(new().leave_hyp().store(0x10d2_4000, 3))),
        FindingKind::CachesBeforeCci => findings(translated(new().leave_hyp().system(0, 1, 0, 1, 0x40))),
        FindingKind::CodeNotCleaned => {
            let written = cached(new()).store(SCRATCH, MOV_R0_7).store(SCRATCH + 4, BX_LR);
            findings(written.set(0, SCRATCH).word(BLX_R0))
        }
        FindingKind::CodeNotInvalidated => {
            let clean = |program: Program| program.system(0, 7, 11, 1, SCRATCH).word(0xf57f_f04f);
            let first = clean(cached(new()).store(SCRATCH, MOV_R0_7).store(SCRATCH + 4, BX_LR));
            let second = first.system(0, 7, 5, 1, SCRATCH).word(0xf57f_f06f).set(0, SCRATCH).word(BLX_R0);
            findings(clean(second.store(SCRATCH, MOV_R0_7 + 1)).set(0, SCRATCH).word(BLX_R0))
        }
        FindingKind::StaleRead => findings(uncached(cached(new()).store(SCRATCH, 1)).load(SCRATCH)),
        FindingKind::LostWrite => findings(uncached(cached(new()).store(SCRATCH, 1)).store(SCRATCH, 2)),
        FindingKind::StaleCopy => {
            let written = uncached(cached(new()).load(SCRATCH)).store(SCRATCH, 2);
            findings(written.system(0, 1, 0, 0, 0x00c5_187d).load(SCRATCH))
        }
        FindingKind::MmuWithoutInvalidate => {
            let program = new().leave_hyp().system(0, 1, 0, 1, 0x40).store(0x10d2_4000, 3);
            findings(program.system(0, 2, 0, 0, common::TABLE).system(0, 3, 0, 0, 1).system(0, 1, 0, 0, 0x00c5_187d))
        }
        FindingKind::EndOfInterrupt => findings(new().store(0x1048_2010, 27)),
        FindingKind::AccessSize => findings(new().store_byte(0x1048_1100, 1)),
        FindingKind::NothingThere => findings(new().load(0x1300_0000)),
        // MRRC CNTPCT.
        FindingKind::CounterStopped => findings(new().read_long(0, 14)),
        // MRC CNTFRQ.
        FindingKind::CounterFrequency => findings(new().word(0xee1e_1f10)),
        // MRRC CNTVCT, with the counter running.
        FindingKind::CounterOffset => findings(new().store(MCT_TCON, 1 << 8).wait(1000).read_long(1, 14)),
        FindingKind::WriteStatus => findings(new().store(MCT_TCON, 1 << 8).store(MCT_TCON, 1 << 8)),
        FindingKind::Overclock => {
            let program = new().store(CMU_KFC + 0x200, 0x1_0001).store(CMU_KFC, 810);
            let program = program.store(CMU_KFC + 0x100, 0x80af_0300).wait(100_000);
            findings(program.store(CMU_KFC + 0x200, 1))
        }
        FindingKind::VoltageSpread => findings(pmic(new(), 0x28, 0x80)),
        FindingKind::Overheated => {
            let options = Options { initial_celsius: Some(130.0), ..Options::default() };
            findings_with(new().wait(1_000_000), &options)
        }
        FindingKind::PllUnlocked => findings(new().store(CMU_KFC + 0x100, 0x80af_0300)),
        FindingKind::EndlessWait => {
            // LDR r1, [r0]; B back.
            findings(new().set(0, PMU + 0x2004).word(0xe590_1000).word(0xeaff_fffd))
        }
        FindingKind::UartOverrun => findings((0..20).fold(new(), |program, _| program.store(0x12c2_0020, 0x41))),
        FindingKind::ResetTooEarly => findings(new().store(PMU + 0x2280, 3).store(PMU + 0x400, 0x0010_0100 << 1)),
        FindingKind::Mailbox => {
            // An A15 whose state word says "reset" lands where the boot loader was.
            findings(new().store(0x0207_3028, 1).store(PMU + 0x2500, 3).store(PMU + 0x2000, 3))
        }
        FindingKind::Secure => findings(new().store(0x10c2_0000, 1)),
        // SMC with CPU1BOOT.
        FindingKind::MonitorCall => findings(new().set(0, -4_i32 as u32).word(0xe160_0070)),
        FindingKind::Pmic => findings(new().store(HSI2C + 0x44, 1 << 31 | 1 << 17 | 2)),
        FindingKind::PowerCut => findings(cached(new()).store(PMU + 0x2200, 0)),
    }
}

#[test]
fn every_kind_is_provoked_by_a_program() {
    let silent = FindingKind::ALL.iter().filter_map(|kind| {
        let findings = provoke(*kind);
        let found: Vec<String> = findings.iter().map(|(finding, _)| finding.to_string()).collect();
        (!findings.has(*kind)).then(|| format!("{kind} was not found, but {found:?}"))
    });
    let silent: Vec<String> = silent.collect();
    assert!(silent.is_empty(), "{silent:#?}");
}

#[test]
fn a_finding_says_where_and_what_the_hardware_would_do() {
    let findings = findings(Program::new().load(SCRATCH + 1));
    let (finding, count) = findings.iter().next().expect("one finding");
    assert_eq!((finding.core, finding.pc, count), (4, ORIGIN + 8, 1));
    let text = finding.to_string();
    assert!(text.contains("unaligned core 4 pc 0x42000008") && text.contains("alignment fault"), "{text}");
}

#[test]
fn the_right_order_finds_nothing() {
    let findings = findings(cached(Program::new()).store(SCRATCH, 1).load(SCRATCH));
    assert_eq!(findings.iter().count(), 0, "{:?}", findings.iter().collect::<Vec<_>>());
}

#[test]
fn what_is_cleaned_and_invalidated_may_be_used_past_the_caches() {
    let maintain = |program: Program, operation| program.system(0, 7, operation, 1, SCRATCH).word(0xf57f_f04f);
    let cleaned = uncached(maintain(cached(Program::new()).store(SCRATCH, 1), 10)).load(SCRATCH);
    let written = maintain(cleaned, 14).store(SCRATCH, 2);
    let findings = findings(written.system(0, 1, 0, 0, 0x00c5_187d).load(SCRATCH));
    assert_eq!(findings.iter().count(), 0, "{findings:?}");
}

#[test]
fn a_core_that_drops_its_own_cache_cleans_nobody_elses() {
    // DCISW, as every core does it when it comes up.
    let dropped = uncached(cached(Program::new()).store(SCRATCH, 1).system(0, 7, 6, 2, 0)).load(SCRATCH);
    assert!(findings(dropped).has(FindingKind::StaleRead));
}

#[test]
fn a_trip_that_was_armed_takes_the_power() {
    let armed = Program::new().store(PMU + 0x330c, 0x8000_5300).store(TMU + 0x50, 100 << 24).store(TMU + 0x20, 0x1001);
    let mut machine: Machine<_> =
        board(&armed.store(TMU + 0x80, 0x57f0 << 16 | 120 << 8 | 1).sleep(), &Options::default());
    assert_eq!(run(&mut machine), Outcome::Ended(model::soc::device::Ending::ThermalTrip));
    assert_eq!(machine.findings.failures(), 0);
}

#[test]
fn an_entry_by_go_leaves_the_old_translation_in_the_way() {
    let options = Options { entry: Entry::Go, ..Options::default() };
    let machine = board(&Program::new().sleep(), &options);
    assert_eq!(machine.cores[4].cp15.sctlr & 5, 5);
}

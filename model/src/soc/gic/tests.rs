//! The controller, as a kernel sees it.

use super::distributor::Distributor;
use super::interface::CpuInterface;
use super::{Gic, Layout};
use crate::bus::{Access, Size};
use crate::findings::FindingKind;
use crate::soc::device::{Device, Effects};

struct Bench {
    gic: Gic,
    effects: Effects,
}

impl Bench {
    fn new(two_worlds: bool) -> Self {
        let interfaces = vec![0, 1, 2, 3, 4, 5, 6, 7];
        let layout = Layout { interfaces, interrupts: 288, priority_bits: 5, two_worlds };
        Self { gic: Gic::new(layout), effects: Effects::default() }
    }

    /// A controller that a non-secure kernel has set up on all cores.
    fn ready() -> Self {
        let mut bench = Self::new(true);
        bench.distributor(0, 0x000, 1);
        for core in 0..8 {
            bench.distributor(core, 0x400, 0xa0a0_a0a0);
            bench.distributor(core, 0x418, 0xa0a0_a0a0);
            bench.interface(core, 0x04, 0xf0);
            bench.interface(core, 0x00, 1);
        }
        bench
    }

    fn at(core: usize) -> Access {
        Access { core, time: 0, pc: 0x8000, secure: false }
    }

    fn distributor(&mut self, core: usize, offset: u32, value: u32) {
        let at = Self::at(core);
        Distributor(&mut self.gic).write(offset, Size::Word, value, &at, &mut self.effects).expect("answers");
    }

    fn read_distributor(&mut self, core: usize, offset: u32) -> u32 {
        let at = Self::at(core);
        Distributor(&mut self.gic).read(offset, Size::Word, &at, &mut self.effects).expect("answers")
    }

    fn interface(&mut self, core: usize, offset: u32, value: u32) {
        let at = Self::at(core);
        CpuInterface(&mut self.gic).write(offset, Size::Word, value, &at, &mut self.effects).expect("answers");
    }

    fn read_interface(&mut self, core: usize, offset: u32) -> u32 {
        let at = Self::at(core);
        CpuInterface(&mut self.gic).read(offset, Size::Word, &at, &mut self.effects).expect("answers")
    }
}

const IAR: u32 = 0x0c;
const EOIR: u32 = 0x10;

#[test]
fn an_sgi_carries_its_sender() {
    let mut bench = Bench::ready();
    bench.distributor(5, 0xf00, 1 << (16 + 2) | 3);
    assert!(bench.gic.lines(2).irq);
    assert_eq!(bench.read_interface(2, IAR), 5 << 10 | 3);
    assert!(!bench.gic.lines(2).irq);
    bench.interface(2, EOIR, 5 << 10 | 3);
    assert!(bench.effects.findings.is_empty());
    assert_eq!(bench.read_interface(2, IAR), 1023);
}

#[test]
fn an_end_without_the_sender_is_a_finding_and_blocks() {
    let mut bench = Bench::ready();
    bench.distributor(5, 0xf00, 1 << (16 + 2) | 3);
    bench.read_interface(2, IAR);
    bench.interface(2, EOIR, 3);
    assert_eq!(bench.effects.findings[0].kind, FindingKind::EndOfInterrupt);
    bench.distributor(4, 0xf00, 1 << (16 + 2) | 2);
    assert!(!bench.gic.lines(2).irq, "the priority was never dropped");
}

#[test]
fn ending_what_was_spurious_is_a_finding() {
    let mut bench = Bench::ready();
    assert_eq!(bench.read_interface(0, IAR), 1023);
    bench.interface(0, EOIR, 1023);
    assert_eq!(bench.effects.findings[0].kind, FindingKind::EndOfInterrupt);
}

#[test]
fn a_level_stays_pending_until_the_device_lets_go() {
    let mut bench = Bench::ready();
    bench.distributor(0, 0x100, 1 << 27);
    bench.gic.drive_private(0, 27, true);
    assert_eq!(bench.read_interface(0, IAR), 27);
    bench.interface(0, EOIR, 27);
    assert!(bench.gic.lines(0).irq);
    bench.gic.drive_private(0, 27, false);
    assert!(!bench.gic.lines(0).irq);
}

#[test]
fn a_shared_interrupt_goes_to_its_targets_and_only_one_takes_it() {
    let mut bench = Bench::ready();
    bench.distributor(0, 0x800 + 84, 0b110 << 8);
    bench.distributor(0, 0x400 + 84, 0xa0a0_a0a0);
    bench.distributor(0, 0x100 + 8, 1 << 21);
    bench.gic.drive_shared(85, true);
    assert_eq!([0, 1, 2].map(|core| bench.gic.lines(core).irq), [false, true, true]);
    assert_eq!(bench.read_interface(2, IAR), 85);
    assert!(!bench.gic.lines(1).irq);
}

#[test]
fn every_core_reads_its_own_number() {
    let mut bench = Bench::new(true);
    for core in 0..8 {
        assert_eq!(bench.read_distributor(core, 0x800) & 0xff, 1 << core);
    }
}

#[test]
fn the_non_secure_world_sees_half_the_priorities() {
    let mut bench = Bench::ready();
    bench.distributor(0, 0x400, 0x0000_00ff);
    assert_eq!(bench.read_distributor(0, 0x400) & 0xff, 0xf0, "five bits, one of them the world's");
    let raw = bench.gic.interfaces[0].private[0].priority;
    assert_eq!(raw, 0xf8);
    assert_eq!(bench.read_distributor(0, 0x080), 0, "groups read as zero");
    bench.interface(0, 0x04, 0xf0);
    assert_eq!(bench.read_interface(0, 0x04), 0xf0);
}

#[test]
fn a_byte_wide_enable_is_a_finding() {
    let mut bench = Bench::ready();
    let at = Bench::at(0);
    Distributor(&mut bench.gic).write(0x100, Size::Byte, 1, &at, &mut bench.effects).expect("answers");
    assert_eq!(bench.effects.findings[0].kind, FindingKind::AccessSize);
}

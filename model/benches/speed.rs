//! How fast the model is: eight busy cores of the generic machine on one host core, by what they are busy with.
//!
//! The goal is 150 million guest instructions a second. `cargo bench -p model`; the throughput's "elements" are guest
//! instructions.

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use model::load::Image;
use model::machine::virt::{self, Options, Virt};
use model::machine::{Limits, Machine, Outcome, Typing};

/// Where the programs lie, and a translation table: RAM cacheable, where it is.
const ORIGIN: u32 = 0x4001_0000;
const TABLE: u32 = 0x4010_0000;
/// Each core has a megabyte of data of its own from here on, its number taken from MPIDR.
const DATA: u32 = 0x4200_0000;
/// Model time of one measurement, in nanoseconds: about as many instructions on each core.
const DURATION: u64 = 2_000_000;

/// Switches MMU, caches and the floating-point unit on; leaves the core's data area in r10.
const PROLOGUE: &[u32] = &[
    0xe3a0_0000, // mov r0, #0
    0xee08_0f17, // mcr p15, #0, r0, c8, c7, #0
    0xe3a0_1040, // mov r1, #0x40
    0xee01_1f30, // mcr p15, #0, r1, c1, c0, #1
    0xe300_1000, // movw r1, #0
    0xe344_1010, // movt r1, #0x4010
    0xee02_1f10, // mcr p15, #0, r1, c2, c0, #0
    0xe3a0_1001, // mov r1, #1
    0xee03_1f10, // mcr p15, #0, r1, c3, c0, #0
    0xe3a0_160f, // mov r1, #0xf00000
    0xee01_1f50, // mcr p15, #0, r1, c1, c0, #2
    0xe3a0_1101, // mov r1, #0x40000000
    0xeee8_1a10, // vmsr fpexc, r1
    0xe301_187d, // movw r1, #0x187d
    0xe340_10c5, // movt r1, #0xc5
    0xee01_1f10, // mcr p15, #0, r1, c1, c0, #0
    0xf57f_f06f, // isb
    0xee10_1fb0, // mrc p15, #0, r1, c0, c0, #5
    0xe201_1007, // and r1, r1, #7
    0xe3a0_a442, // mov r10, #0x42000000
    0xe08a_aa01, // add r10, r10, r1, lsl #20
    0xe3a0_b000, // mov r11, #0
    0xe28a_d702, // add sp, r10, #0x80000
];

/// Arithmetic in registers.
const INTEGERS: &[u32] = &[
    0xe306_160d, // movw r1, #0x660d
    0xe340_1019, // movt r1, #0x19
    0xe3a0_2007, // mov r2, #7
    0xe002_0192, // 1: mul r2, r2, r1
    0xe282_203c, // add r2, r2, #0x3c
    0xe022_36a2, // eor r3, r2, r2, lsr #13
    0xe25b_b001, // subs r11, r11, #1
    0xe084_4003, // add r4, r4, r3
    0x1aff_fff9, // bne 1b
    0xeaff_fff8, // b 1b
];

/// Words copied one by one, 4 KiB over and over.
const WORDS: &[u32] = &[
    0xe3a0_0b01, // 2: mov r0, #1024
    0xe1a0_100a, // mov r1, r10
    0xe28a_2801, // add r2, r10, #0x10000
    0xe491_3004, // 1: ldr r3, [r1], #4
    0xe250_0001, // subs r0, r0, #1
    0xe482_3004, // str r3, [r2], #4
    0x1aff_fffb, // bne 1b
    0xeaff_fff7, // b 2b
];

/// Eight words at a time, 16 KiB over and over.
const BLOCKS: &[u32] = &[
    0xe3a0_0c02, // 2: mov r0, #512
    0xe1a0_100a, // mov r1, r10
    0xe28a_2801, // add r2, r10, #0x10000
    0xe8b1_13f8, // 1: ldm r1!, {r3-r9, r12}
    0xe250_0001, // subs r0, r0, #1
    0xe8a2_13f8, // stm r2!, {r3-r9, r12}
    0x1aff_fffb, // bne 1b
    0xeaff_fff7, // b 2b
];

/// Calls, branches that go both ways, bytes, a table: what compiled code does.
const MIXED: &[u32] = &[
    0xe1a0_000a, // 0: mov r0, r10
    0xe3a0_1c01, // mov r1, #256
    0xe3e0_5000, // mvn r5, #0
    0xe4d0_2001, // 1: ldrb r2, [r0], #1
    0xeb00_000b, // bl 4f
    0xe315_0001, // tst r5, #1
    0x1286_6001, // addne r6, r6, #1
    0x0026_6002, // eoreq r6, r6, r2
    0xe356_0ffa, // cmp r6, #1000
    0x8a00_0001, // bhi 2f
    0xe087_7006, // add r7, r7, r6
    0xea00_0000, // b 3f
    0xe246_6ffa, // 2: sub r6, r6, #1000
    0xe78a_6102, // 3: str r6, [r10, r2, lsl #2]
    0xe251_1001, // subs r1, r1, #1
    0x1aff_fff2, // bne 1b
    0xeaff_ffee, // b 0b
    0xe92d_4010, // 4: push {r4, lr}
    0xe025_5002, // eor r5, r5, r2
    0xe3a0_4008, // mov r4, #8
    0xe1b0_50a5, // 5: movs r5, r5, lsr #1
    0x2225_50d5, // eorcs r5, r5, #0xd5
    0xe254_4001, // subs r4, r4, #1
    0x1aff_fffb, // bne 5b
    0xe8bd_8010, // pop {r4, pc}
];

/// Double and single precision.
const FLOATS: &[u32] = &[
    0xeeb7_0b00, // vmov.f64 d0, #1.0
    0xeeb6_1b00, // vmov.f64 d1, #0.5
    0xeeb0_2b08, // vmov.f64 d2, #3.0
    0xee80_3b02, // vdiv.f64 d3, d0, d2
    0xeef6_6a00, // vmov.f32 s13, #0.5
    0xeeb0_7a08, // vmov.f32 s14, #3.0
    0xeec6_7a87, // vdiv.f32 s15, s13, s14
    0xee23_5b01, // 1: vmul.f64 d5, d3, d1
    0xee35_3b01, // vadd.f64 d3, d5, d1
    0xee07_6aa6, // vmla.f32 s12, s15, s13
    0xee36_6a67, // vsub.f32 s12, s12, s15
    0xe25b_b001, // subs r11, r11, #1
    0x1aff_fff9, // bne 1b
    0xeaff_fff8, // b 1b
];

fn machine(work: &[u32]) -> Machine<Virt> {
    let words = PROLOGUE.iter().chain(work);
    let bytes: Vec<u8> = words.flat_map(|word| word.to_le_bytes()).collect();
    let image = Image::flat(&bytes, ORIGIN);
    let mut machine = virt::machine(&image, &Options::default()).expect("it fits");
    for section in 0..0x200_u32 {
        let section = 0x400 + section;
        machine.bus.memory.write_word(TABLE + 4 * section, section << 20 | 0x1_1c0e).expect("it is RAM");
    }
    machine.bus.memory.write(DATA, &[0x5a; 4096]).expect("it is RAM");
    for core in 1..8 {
        machine.start(core, ORIGIN, 0);
    }
    machine
}

fn run(machine: &mut Machine<Virt>) -> u64 {
    let before = machine.instructions();
    let limits = Limits { model: machine.now() + DURATION, ..Limits::default() };
    assert_eq!(machine.run(&limits, &mut Typing::nothing(), &mut |_| ()), Outcome::TimeLimit);
    assert_eq!(machine.findings.failures(), 0);
    machine.instructions() - before
}

fn eight_busy_cores(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("eight busy cores");
    for (name, work) in
        [("integers", INTEGERS), ("words", WORDS), ("blocks", BLOCKS), ("mixed", MIXED), ("floats", FLOATS)]
    {
        let mut machine = machine(work);
        // Everything is decoded and mapped after this.
        let instructions = run(&mut machine);
        group.throughput(Throughput::Elements(instructions));
        group.bench_function(BenchmarkId::from_parameter(name), |bencher| bencher.iter(|| run(&mut machine)));
    }
    group.finish();
}

criterion_group!(benches, eight_busy_cores);
criterion_main!(benches);

//! Running a program on the model's core and on `qemu-arm`.

use std::process::{Command, Stdio};

use model::bus::{Access, Answer, Bus, BusFault, Call, Lines, Memory, Misuse, Platform, Size, Time, TimerRegister};
use model::cpu::{Code, Core, Costs, Exit, Identity, ResetMode};

use crate::program::{BASE, Program, SIZE};

/// Translation table: behind the program, megabytes mapped to themselves.
const TABLE: u32 = 0x0080_0000;
const RAM_SIZE: u32 = 0x0100_0000;

/// The two system calls of a program.
#[derive(Default)]
struct Kernel {
    output: Vec<u8>,
    exited: bool,
}

impl Platform for Kernel {
    fn read(&mut self, _: u32, _: Size, _: &Access) -> Result<u32, BusFault> {
        Err(BusFault)
    }

    fn write(&mut self, _: u32, _: Size, _: u32, _: &Access) -> Result<(), BusFault> {
        Err(BusFault)
    }

    fn timer_read(&mut self, _: TimerRegister, _: &Access) -> u64 {
        0
    }

    fn timer_write(&mut self, _: TimerRegister, _: u64, _: &Access) {}

    fn lines(&mut self, _: usize, _: Time) -> Lines {
        Lines::default()
    }

    fn call(&mut self, call: Call, core: &mut Core, memory: &mut Memory, at: &Access) -> Answer {
        match (call, core.r[7]) {
            (Call::Svc(0), 4) => {
                self.output.resize(core.r[2] as usize, 0);
                memory.read(core.r[1], &mut self.output).expect("the results are in memory");
                Answer::Done
            }
            (Call::Svc(0), 1) => {
                self.exited = true;
                Answer::EndSlice
            }
            _ => panic!("{call:?} at {:#x}", at.pc),
        }
    }

    fn misuse(&mut self, misuse: Misuse, address: u32, at: &Access) {
        panic!("{misuse:?} of {address:#x} at {:#x}", at.pc);
    }

    fn coherent(&self, _: usize) -> bool {
        true
    }
}

/// The results as words.
pub fn on_model(program: &Program) -> Vec<u32> {
    let mut memory = Memory::new(&[(0, RAM_SIZE)]);
    memory.write(BASE, &program.bytes()).expect("the program is in memory");
    for megabyte in 0..RAM_SIZE >> 20 {
        // Section, full access, normal write-back, domain 0.
        memory.write_word(TABLE + 4 * megabyte, megabyte << 20 | 0b11 << 10 | 0b11 << 2 | 0b10).expect("it is memory");
    }
    let mut bus = Bus::new(memory, Kernel::default());
    let mut code = Code::new([Costs::unit(), Costs::unit()]);
    let mut core = Core::new(0, 0, Identity::cortex_a15(0x8000_0000, 1, 0), Costs::unit());
    core.reset(BASE, ResetMode::SecureSvc);
    core.cp15.ttbr0 = TABLE;
    core.cp15.dacr = 1;
    core.cp15.sctlr |= 1 << 2 | 1;
    core.enable_float();
    core.set_cpsr(0x10);
    let mut until = 0;
    while !bus.platform.exited {
        until += 1_000_000;
        let exit = core.run(&mut code, &mut bus, until);
        assert!(matches!(exit, Exit::Time | Exit::EndSlice), "{exit:?}");
        if core.statistics.exceptions != [0; 8] {
            let at = core.r[14].wrapping_sub(4);
            panic!("exceptions {:?}, LR at {:x?}", core.statistics.exceptions, bus.memory.read_word(at));
        }
    }
    words(&bus.platform.output)
}

pub fn qemu_is_there() -> bool {
    Command::new("qemu-arm").arg("--version").stdout(Stdio::null()).status().is_ok_and(|status| status.success())
}

pub fn on_qemu(program: &Program) -> Vec<u32> {
    let path = std::env::temp_dir().join(format!("differential-{}-{:x}.elf", std::process::id(), address_of(program)));
    std::fs::write(&path, elf(&program.bytes())).expect("the temporary folder is writable");
    make_executable(&path);
    let output = Command::new("qemu-arm").args(["-cpu", "cortex-a15"]).arg(&path).output().expect("qemu-arm starts");
    std::fs::remove_file(&path).expect("the file is there");
    assert!(output.status.success(), "qemu-arm: {}", String::from_utf8_lossy(&output.stderr));
    words(&output.stdout)
}

/// Two programs that exist at the same time differ in it.
fn address_of(program: &Program) -> usize {
    std::ptr::from_ref(program).addr()
}

#[cfg(unix)]
fn make_executable(path: &std::path::Path) {
    use std::os::unix::fs::PermissionsExt;
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).expect("the file is ours");
}

#[cfg(not(unix))]
fn make_executable(_: &std::path::Path) {}

fn words(bytes: &[u8]) -> Vec<u32> {
    bytes.chunks_exact(4).map(|word| u32::from_le_bytes(word.try_into().expect("four bytes"))).collect()
}

/// A static executable of one segment that is readable, writable and executable.
fn elf(program: &[u8]) -> Vec<u8> {
    const HEADERS: u32 = 0x1000;
    let mut file = Vec::new();
    let mut words = |values: &[u32]| values.iter().for_each(|value| file.extend(value.to_le_bytes()));
    words(&[0x464c_457f, 0x0001_0101, 0, 0]);
    // Executable for ARM; entry, program headers behind this one, EABI 5 with hard float.
    words(&[40 << 16 | 2, 1, BASE, 52, 0, 0x0500_0400, 32 << 16 | 52, 1, 0]);
    words(&[1, HEADERS, BASE, BASE, program.len() as u32, SIZE, 7, 0x1000]);
    file.resize(HEADERS as usize, 0);
    file.extend(program);
    file
}

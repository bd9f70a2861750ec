//! One start of QEMU as a value, and the arguments it becomes.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Result, bail};

use crate::machine::{Entry, Kernel, Machine};

/// The core type that QEMU emulates; the speed is the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cpu {
    /// 64-byte instruction cache lines.
    CortexA15,
    /// 32-byte instruction cache lines.
    CortexA7,
}

impl Cpu {
    const fn name(self) -> &'static str {
        match self {
            Self::CortexA15 => "cortex-a15",
            Self::CortexA7 => "cortex-a7",
        }
    }
}

/// What drives the guest's clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Clock {
    /// The host's clock; a host thread for each virtual core.
    Host,
    /// Executed instructions, one a nanosecond: deterministic, one virtual core at a time.
    Instructions,
}

/// How an image is to be started. Make one with [`Start::new`] and change what differs.
#[derive(Clone, Debug)]
pub struct Start {
    /// The machine.
    pub machine: Machine,
    /// The linked ELF, also for machines that take a flat binary: that is made beside it.
    pub image: PathBuf,
    /// `K=V ...` for the kernel.
    pub bootargs: String,
    /// Cores that the machine has; the image may expect more.
    pub cores: u32,
    /// The core type.
    pub cpu: Cpu,
    /// The mode in which cores start.
    pub entry: Entry,
    /// What drives time.
    pub clock: Clock,
    /// Fills the memory that the image claims and no file fills, as silicon's RAM would be after power-up.
    pub filler: Option<u8>,
    /// What is typed on the UART, from the start.
    pub input: Vec<u8>,
    /// More QEMU arguments, last.
    pub extra: Vec<OsString>,
    /// Wall time after which QEMU is stopped.
    pub limit: Duration,
}

/// The files that stand behind the arguments, made before QEMU starts.
#[derive(Debug)]
pub(crate) struct Files {
    pub kernel: PathBuf,
    pub filler: Option<(PathBuf, u32)>,
}

impl Start {
    /// All cores, Cortex-A15, the usual entry, the host's clock, no boot arguments, at most a minute.
    #[must_use]
    pub fn new(machine: Machine, image: impl Into<PathBuf>) -> Self {
        Self {
            machine,
            image: image.into(),
            bootargs: String::new(),
            cores: machine.cores(),
            cpu: Cpu::CortexA15,
            entry: machine.usual_entry(),
            clock: Clock::Host,
            filler: None,
            input: Vec::new(),
            extra: Vec::new(),
            limit: Duration::from_secs(60),
        }
    }

    /// The kernel file that QEMU will be given.
    pub(crate) fn kernel_file(&self) -> PathBuf {
        match self.machine.kernel() {
            Kernel::Elf => self.image.clone(),
            Kernel::Flat => self.image.with_extension("bin"),
        }
    }

    /// QEMU's arguments.
    ///
    /// # Errors
    ///
    /// If the machine has fewer cores or cannot start in the wanted mode.
    pub fn arguments(&self) -> Result<Vec<OsString>> {
        self.arguments_for(&Files { kernel: self.kernel_file(), filler: None })
    }

    pub(crate) fn arguments_for(&self, files: &Files) -> Result<Vec<OsString>> {
        let machine = self.machine;
        let Some(option) = machine.option(self.entry) else {
            bail!("{machine} cannot start in {:?}", self.entry);
        };
        if !(1..=machine.cores()).contains(&self.cores) {
            bail!("{machine} has 1 to {} cores, not {}", machine.cores(), self.cores);
        }
        let cores = self.cores.to_string();
        let mut arguments: Vec<OsString> = Vec::new();
        let mut add = |words: &[&str]| arguments.extend(words.iter().map(OsString::from));
        add(&["-machine", option, "-cpu", self.cpu.name(), "-smp", &cores]);
        add(&["-display", "none", "-monitor", "none", "-serial", "stdio", "-nic", "none"]);
        if machine == Machine::VexpressA15 {
            // Its sound chip would look for the host's; this form is understood from 7.2 to 10.
            add(&["-audiodev", "none,id=mute", "-global", "pl041.audiodev=mute"]);
        }
        // The exit code leaves by semihosting, and the boot arguments enter by it on vexpress.
        add(&["-semihosting"]);
        if self.clock == Clock::Instructions {
            add(&["-icount", "shift=0,sleep=off"]);
        }
        if !self.bootargs.is_empty() {
            add(&["-append", &self.bootargs]);
        }
        arguments.extend(["-kernel".into(), files.kernel.clone().into_os_string()]);
        if let Some((file, address)) = &files.filler {
            let loader = loader_device(file, *address);
            arguments.extend(["-device".into(), loader]);
        }
        arguments.extend(self.extra.iter().cloned());
        Ok(arguments)
    }
}

/// The generic loader for raw bytes; a comma in a file name is doubled, as QEMU's option syntax wants it.
fn loader_device(file: &Path, address: u32) -> OsString {
    let file = file.to_string_lossy().replace(',', ",,");
    format!("loader,file={file},addr={address:#x},force-raw=on").into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(start: &Start) -> String {
        let arguments = start.arguments().expect("a valid start");
        arguments.join(" ".as_ref()).into_string().expect("test paths are plain text")
    }

    #[test]
    fn vexpress_takes_the_elf_and_its_command_line_by_semihosting() {
        let start = Start { bootargs: "policy=pull trace=on".into(), ..Start::new(Machine::VexpressA15, "a/kernel") };
        assert_eq!(
            words(&start),
            "-machine vexpress-a15 -cpu cortex-a15 -smp 4 -display none -monitor none -serial stdio -nic none \
             -audiodev none,id=mute -global pl041.audiodev=mute -semihosting -append policy=pull trace=on -kernel a/kernel"
        );
    }

    #[test]
    fn virt_takes_the_flat_binary_that_lies_beside_the_elf() {
        let start = Start {
            cpu: Cpu::CortexA7,
            clock: Clock::Instructions,
            entry: Entry::Hyp,
            cores: 2,
            ..Start::new(Machine::QemuVirt, "a/kernel")
        };
        assert_eq!(
            words(&start),
            "-machine virt,gic-version=2,virtualization=on -cpu cortex-a7 -smp 2 -display none -monitor none \
             -serial stdio -nic none -semihosting -icount shift=0,sleep=off -kernel a/kernel.bin"
        );
    }

    #[test]
    fn extra_arguments_come_last() {
        let start = Start { extra: vec!["-S".into()], ..Start::new(Machine::QemuVirt, "k") };
        assert!(words(&start).ends_with(" -S"));
    }

    #[test]
    fn more_cores_than_the_machine_has_are_refused() {
        for cores in [0, 5] {
            let start = Start { cores, ..Start::new(Machine::VexpressA15, "k") };
            assert!(start.arguments().is_err());
        }
    }

    #[test]
    fn a_mode_that_the_machine_cannot_start_in_is_refused() {
        let start = Start { entry: Entry::SecureSvc, ..Start::new(Machine::QemuVirt, "k") };
        assert!(start.arguments().is_err());
    }

    #[test]
    fn commas_in_file_names_are_doubled() {
        assert_eq!(loader_device(Path::new("a,b"), 0x8000), "loader,file=a,,b,addr=0x8000,force-raw=on");
    }
}

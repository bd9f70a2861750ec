//! `test`: the rings of tests, from the fastest outwards.

use std::process::{Command, ExitCode};
use std::time::Instant;

use anyhow::Result;
use clap::{Args, ValueEnum};
use qemu::Machine;

use crate::board::Board;
use crate::process::read_along;
use crate::rust::{self, Here};
use crate::tally::Tally;
use crate::way::{self, Way};
use crate::workspace::Workspace;
use crate::{image, out, setup};

/// What `test` takes.
#[derive(Args, Default)]
pub struct Options {
    /// Only this ring; without it, all rings that exist
    #[arg(long, value_enum)]
    ring: Option<Ring>,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Ring {
    /// Format, lints, unit and property tests on this machine
    Host,
    /// Scenarios on the physical model of the chip: the simulator's own tests; the ring host runs them too
    Sim,
    /// The images, booted in QEMU
    Qemu,
    /// The image of the real board on the model of its chip, and QEMU's on the model's generic machine
    Model,
}

/// The boards of the ring of QEMU.
const EMULATED: [Board; 2] = [Board::Emulated(Machine::VexpressA15), Board::Emulated(Machine::QemuVirt)];

/// The boards of the ring of the model.
const MODELLED: [Board; 2] = [Board::OdroidXu4, Board::Emulated(Machine::QemuVirt)];

/// Runs the rings and prints the sum as the last line.
///
/// # Errors
///
/// If a tool cannot be had. Failed tests are an exit code, no error.
pub fn run(workspace: &Workspace, options: &Options) -> Result<ExitCode> {
    let mut session = Session { workspace, sum: Tally::default() };
    match options.ring {
        None => {
            // First of all, so that a machine that lacks something says so at once.
            let way = prepare(workspace)?;
            session.host_ring(Some(way))?;
            session.qemu_ring(way)?;
            session.model_ring(way)?;
        }
        Some(Ring::Host) => {
            setup::checkers();
            session.host_ring(setup::remembered(workspace).or_else(|| way::find(&Here)))?;
        }
        Some(Ring::Qemu) => session.qemu_ring(prepare(workspace)?)?,
        Some(Ring::Sim) => {
            session.tests("sim: tests", session.cargo("test").args(["--no-fail-fast", "--package", "sim"]))?
        }
        Some(Ring::Model) => session.model_ring(setup::arm_target(workspace)?)?,
    }
    out::line(session.sum)?;
    Ok(if session.sum.failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn prepare(workspace: &Workspace) -> Result<Way> {
    setup::emulator()?;
    setup::checkers();
    setup::arm_target(workspace)
}

/// Checks done so far.
struct Session<'a> {
    workspace: &'a Workspace,
    sum: Tally,
}

impl Session<'_> {
    fn host_ring(&mut self, way: Option<Way>) -> Result<()> {
        if rust::has_checkers() {
            self.check("host: format", self.cargo("fmt").args(["--all", "--check"]))?;
            let lints = ["--all-targets", "--", "--deny", "warnings"];
            self.check("host: lints", self.cargo("clippy").args(lints))?;
        } else {
            skip("host: format and lints", "rustfmt or clippy is not installed")?;
        }
        self.arm_lints(way)?;
        self.tests("host: tests", self.cargo("test").arg("--no-fail-fast"))
    }

    /// The half of the kernel that the host never compiles.
    fn arm_lints(&mut self, way: Option<Way>) -> Result<()> {
        let name = "host: lints for the ARM target";
        let Some(way) = way else {
            return skip(name, "no compiler for it is set up yet");
        };
        if !rust::has_arm_clippy(way) {
            return skip(name, "its compiler has no clippy");
        }
        let mut clippy = rust::arm_cargo(way, "clippy")?;
        clippy.current_dir(self.workspace.root()).args(image::packages(&Board::ALL));
        clippy.args(["--package", image::PLAN_COST]);
        clippy.args(["--", "--deny", "warnings"]);
        self.check(name, &mut clippy)
    }

    fn qemu_ring(&mut self, way: Way) -> Result<()> {
        match image::build_plan_cost(self.workspace, way) {
            Ok(program) => {
                let mut cargo = self.cargo("test");
                cargo.args(["--test", "plan_cost"]).env("GEARSHIFT_PLAN_COST", program);
                self.tests("qemu: cost of a plan", &mut cargo)?;
            }
            Err(error) => {
                eprintln!("error: {error:#}");
                self.count("qemu: cost of a plan", Tally::one(false), Instant::now())?;
            }
        }
        self.on_images("qemu", way, &EMULATED, &["--test", "e2e"])
    }

    fn model_ring(&mut self, way: Way) -> Result<()> {
        self.on_images("model", way, &MODELLED, &["--package", "model", "--test", "xu4", "--test", "virt"])
    }

    /// The tests that `arguments` choose, which find the images of `boards` by variables.
    fn on_images(&mut self, ring: &str, way: Way, boards: &[Board], arguments: &[&str]) -> Result<()> {
        let images = match image::build(self.workspace, way, boards) {
            Ok(images) => images,
            Err(error) => {
                eprintln!("error: {error:#}");
                return self.count(&format!("{ring}: images"), Tally::one(false), Instant::now());
            }
        };
        let mut cargo = self.cargo("test");
        cargo.args(arguments);
        for (board, image) in boards.iter().zip(images) {
            cargo.env(variable(*board), image);
        }
        self.tests(&format!("{ring}: end to end"), &mut cargo)
    }

    fn cargo(&self, verb: &str) -> Command {
        let mut command = Command::new("cargo");
        command.arg(verb).current_dir(self.workspace.root());
        command
    }

    /// A command that as a whole passes or fails.
    fn check(&mut self, name: &str, command: &mut Command) -> Result<()> {
        let begun = Instant::now();
        let passed = command.status()?.success();
        self.count(name, Tally::one(passed), begun)
    }

    /// A `cargo test`, counted by its test binaries' closing lines.
    fn tests(&mut self, name: &str, command: &mut Command) -> Result<()> {
        let begun = Instant::now();
        let mut tally = Tally::default();
        let status = read_along(command, |line| tally += Tally::from_line(line).unwrap_or_default())?;
        if !status.success() && tally.failed == 0 {
            // It did not build, or died before it could count.
            tally += Tally::one(false);
        }
        self.count(name, tally, begun)
    }

    fn count(&mut self, name: &str, tally: Tally, begun: Instant) -> Result<()> {
        self.sum += tally;
        out::line(format_args!("{name}: {tally} in {:.1} s\n", begun.elapsed().as_secs_f32()))
    }
}

fn skip(name: &str, why: &str) -> Result<()> {
    out::line(format_args!("{name}: skipped, {why}\n"))
}

/// The variable by which an end-to-end test finds an image: `GEARSHIFT_IMAGE_QEMU_VIRT`.
fn variable(board: Board) -> String {
    format!("GEARSHIFT_IMAGE_{}", board.name().to_uppercase().replace('-', "_"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn images_are_handed_over_by_the_names_of_their_boards() {
        let names = EMULATED.map(variable);
        assert_eq!(names, ["GEARSHIFT_IMAGE_VEXPRESS_A15", "GEARSHIFT_IMAGE_QEMU_VIRT"]);
    }
}

//! What the kernel's own operations cost, in instructions, beside what others pay.
//!
//! The peers were measured in QEMU with the same counter, as privileged threads without any isolation: LK, NuttX and
//! ThreadX on several cores, FreeRTOS on one. Our tasks are unprivileged, and their floating-point registers are kept.

pub mod counter;
mod operations;
mod samples;

use core::fmt;

use abi::println;
use abi::task::Entry;

use crate::init::Outcome;
use crate::machine::Machine;
use crate::request::Request;
use operations as op;
use samples::{Samples, Summary};

/// Costs of the peers, in instructions: LK, NuttX, ThreadX, FreeRTOS; 0 where there is none.
type Peers = [u32; 4];

/// What an operation needs of the machine before it can be measured.
#[derive(Clone, Copy)]
enum Needs {
    /// One CPU.
    Nothing,
    /// A CPU whose time is not divided: a window of rest would count as part of the operation.
    NoPace,
    /// A mark inside the kernel, which a task cannot set.
    Mark,
}

impl Needs {
    /// Why this machine does not offer it, where that is so.
    const fn missing(self, machine: &Machine) -> Option<&'static str> {
        match self {
            Needs::NoPace if machine.paced() => Some("pace"),
            Needs::Nothing | Needs::NoPace => None,
            Needs::Mark => Some("no_mark_inside_the_kernel"),
        }
    }
}

/// One operation: its name, its peers, what it needs, and where its measurements are found.
struct Operation {
    name: &'static str,
    peers: Peers,
    needs: Needs,
    samples: &'static Samples,
}

/// Tasks that provoke some operations: an entry, whether it runs on the other CPU, and its argument.
type Part = (Entry, bool, usize);

/// One performance, and the operations that it measures.
struct Scene {
    parts: &'static [Part],
    operations: &'static [Operation],
}

const NONE: Peers = [0; 4];

const fn operation(name: &'static str, peers: Peers, needs: Needs, samples: &'static Samples) -> Operation {
    Operation { name, peers, needs, samples }
}

static SCENES: [Scene; 8] = [
    Scene {
        parts: &[(op::null_call, false, 0)],
        operations: &[operation("null_call", NONE, Needs::Nothing, &op::SAMPLES)],
    },
    Scene {
        parts: &[(op::read_clock, false, 0)],
        operations: &[operation("read_clock", NONE, Needs::Nothing, &op::SAMPLES)],
    },
    Scene {
        parts: &[(op::yielder, false, 1), (op::yielder, false, 2)],
        operations: &[operation("yield", [186, 184, 203, 70], Needs::Nothing, &op::SAMPLES)],
    },
    Scene {
        parts: &[(op::sleeper, false, 0), (op::waker, false, 0)],
        operations: &[
            operation("wake_to_waiter", [288, 180, 306, 283], Needs::Nothing, &op::SAMPLES),
            operation("block_to_other", NONE, Needs::Nothing, &op::SECOND),
        ],
    },
    Scene {
        parts: &[(op::create, false, HOME)],
        operations: &[operation("task_create", NONE, Needs::Nothing, &op::SAMPLES)],
    },
    Scene {
        parts: &[(op::answerer, true, 0), (op::caller, false, 0)],
        operations: &[
            operation("cross_wake_waker", [237, 249, 235, 0], Needs::Nothing, &op::SAMPLES),
            operation("cross_wake_total", [237 + 421, 249 + 228, 235 + 109, 0], Needs::NoPace, &op::SECOND),
        ],
    },
    Scene {
        parts: &[(op::through_ticks, false, 0)],
        operations: &[operation("tick_nothing_due", [264, 419, 186, 134], Needs::NoPace, &op::SAMPLES)],
    },
    Scene { parts: &[], operations: &[operation("vector_to_handler", [20, 18, 27, 20], Needs::Mark, &op::SAMPLES)] },
];

/// Stands for the number of the home CPU in the arguments of a part.
const HOME: usize = usize::MAX;

/// Operations of all scenes.
const OPERATIONS: usize = {
    let mut count = 0;
    let mut scene = 0;
    while scene < SCENES.len() {
        count += SCENES[scene].operations.len();
        scene += 1;
    }
    count
};

/// What an operation costs, or why nobody knows.
type Cost = Result<Summary, &'static str>;

/// Runs the benchmark. It has no arguments.
pub fn run(request: &Request<'_>, machine: &Machine) -> Outcome {
    request.expect_only(&[]);
    if !counter::counts_instructions() {
        return Outcome::Skipped("no_instruction_counter");
    }
    let mut costs = [Err("not_reached"); OPERATIONS];
    let outcome = match measure_all(&mut costs, machine) {
        Ok(true) => Outcome::Passed,
        Ok(false) => Outcome::Failed,
        Err(error) => {
            println!("micro: a system call was refused ({error:?})");
            Outcome::Failed
        }
    };
    let operations = || SCENES.iter().flat_map(|scene| scene.operations).zip(&costs);
    for (operation, cost) in operations() {
        print_line(operation, cost, machine);
    }
    print_table(operations(), machine);
    outcome
}

/// Plays every scene and notes the costs of its operations; false when a task of one did not end well.
fn measure_all(costs: &mut [Cost; OPERATIONS], machine: &Machine) -> abi::Result<bool> {
    let home = machine.reference_cpu();
    let mut well = op::perform(&[(home, op::empty, 0)])?;
    let overhead = op::SAMPLES.summary(0).map_or(0, |summary| summary.least);
    let mut costs = costs.iter_mut();
    for scene in &SCENES {
        let played = performers(scene, home, machine);
        if let Ok((parts, size)) = played {
            well &= op::perform(&parts[..size])?;
        }
        for (operation, cost) in scene.operations.iter().zip(&mut costs) {
            *cost = match (operation.needs.missing(machine), played) {
                (Some(why), _) | (None, Err(why)) => Err(why),
                (None, Ok(_)) => operation.samples.summary(overhead).ok_or("no_samples"),
            };
        }
    }
    Ok(well)
}

/// The tasks of a scene with their CPUs, or why it is not played here.
fn performers(scene: &Scene, home: usize, machine: &Machine) -> Result<([op::Part; 2], usize), &'static str> {
    if scene.operations.iter().all(|operation| operation.needs.missing(machine).is_some()) {
        return Err("nothing_to_measure");
    }
    let mut parts = [(home, op::empty as Entry, 0); 2];
    for (place, &(entry, elsewhere, argument)) in parts.iter_mut().zip(scene.parts) {
        let cpu = if elsewhere { machine.neighbour_of(home).ok_or("one_cpu")? } else { home };
        *place = (cpu, entry, if argument == HOME { home } else { argument });
    }
    Ok((parts, scene.parts.len()))
}

fn print_line(operation: &Operation, cost: &Cost, machine: &Machine) {
    let (name, pace) = (operation.name, machine.pace());
    match cost {
        Ok(Summary { least, median }) => {
            println!("BENCH name=micro op={name} pace={pace} least_insn={least} median_insn={median}");
        }
        Err(why) => println!("BENCH name=micro op={name} pace={pace} skipped why={why}"),
    }
}

fn print_table<'a>(operations: impl Iterator<Item = (&'a Operation, &'a Cost)>, machine: &Machine) {
    println!();
    println!("micro: instructions of the kernel's operations, least of {}; pace {}", samples::ROUNDS, machine.pace());
    println!("  {:<20}{:>8}{:>8}{:>10}{:>8}{:>8}{:>9}", "", "least", "median", "LK", "NuttX", "ThreadX", "FreeRTOS");
    for (operation, cost) in operations {
        let Ok(Summary { least, median }) = cost else { continue };
        let [lk, nuttx, threadx, freertos] = operation.peers.map(Known);
        let name = operation.name;
        println!("  {name:<20}{least:>8}{median:>8}{lk:>10}{nuttx:>8}{threadx:>8}{freertos:>9}");
    }
    println!("  peers: privileged threads, no isolation; ours are unprivileged, behind checked calls and guard pages");
    println!();
}

/// A peer's cost; a dash where there is none.
struct Known(u32);

impl fmt::Display for Known {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0 == 0 { formatter.pad("-") } else { self.0.fmt(formatter) }
    }
}

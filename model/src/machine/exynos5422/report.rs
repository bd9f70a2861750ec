//! What a run tells of itself: work, time, energy, heat.

use std::fmt::Write;

use super::Chip;
use crate::cpu::Kind;
use crate::machine::Machine;
use crate::power::Node;

/// The statistics as text: one line a core, then the sums. Times are model time: a cost model, not a pipeline.
#[must_use]
pub fn report(machine: &Machine<Chip>) -> String {
    let mut text = String::new();
    // Writing into a String cannot fail.
    let _ = write(&mut text, machine);
    text
}

fn write(text: &mut String, machine: &Machine<Chip>) -> std::fmt::Result {
    let chip = &machine.bus.platform;
    let now = machine.now().max(1);
    writeln!(text, "core type  busy %  instructions   per us  MHz: ms of execution at that clock")?;
    for (core, usage) in machine.cores.iter().zip(&machine.usage) {
        let name = if core.identity().kind == Kind::A15 { "A15" } else { "A7" };
        let busy = usage.busy();
        let instructions = core.statistics.instructions;
        let share = busy as f64 * 100.0 / now as f64;
        let rate = if busy == 0 { 0.0 } else { instructions as f64 * 1000.0 / busy as f64 };
        write!(text, "{:>4} {name:<4} {share:>7.1} {instructions:>13} {rate:>8.0}  ", core.index)?;
        for (khz, time) in usage.residency() {
            write!(text, " {}: {:.1}", khz / 1000, time as f64 / 1e6)?;
        }
        writeln!(text)?;
    }
    let milliseconds = now as f64 / 1e6;
    writeln!(text, "{milliseconds:.3} ms of model time (a cost model, not a pipeline)")?;
    let energy = chip.energy();
    let (big, little) = (energy.cluster(0) * 1e3, energy.cluster(1) * 1e3);
    let watts = energy.total() * 1e9 / now as f64;
    writeln!(text, "energy: A15 {big:.1} mJ, A7 {little:.1} mJ, {watts:.2} W on average (absolute values +-50 %)")?;
    let heat = chip.heat();
    let cores = [0, 1, 2, 3].map(|core| format!("{:.1}", heat.celsius(Node::Big(core))));
    let (little, package) = (heat.celsius(Node::Little), heat.celsius(Node::Package));
    writeln!(text, "degrees Celsius: A15 {}, A7 {little:.1}, package {package:.1}", cores.join(" "))
}

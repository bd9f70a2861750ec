//! What devices ask of the machine: output, findings, cores to be started and stopped, the end.

use super::{Machine, Outcome, Show, Soc};
use crate::cpu::Activity;
use crate::findings::{Finding, FindingKind};
use crate::soc::device::Request;

/// SCTLR.C.
const DATA_CACHE: u32 = 1 << 2;

impl<P: Soc> Machine<P> {
    /// Takes the power from a core that was told to stop and has gone to sleep.
    pub(super) fn cut_power(&mut self, index: usize) {
        if self.stopping >> index & 1 == 0 {
            return;
        }
        self.stopping &= !(1 << index);
        let core = &mut self.cores[index];
        if core.cp15.sctlr & DATA_CACHE != 0 {
            self.findings.note(Finding::new(FindingKind::PowerCut, index, core.pc, "SCTLR.C is set"));
        }
        core.power_off();
        self.bus.platform.powered_off(index);
    }

    /// Does what devices asked for.
    pub(super) fn carry_out(&mut self, show: &mut Show<'_>) -> Option<Outcome> {
        let effects = self.bus.platform.effects();
        let mut outcome = None;
        if !effects.output.is_empty() {
            outcome = show(&effects.output).is_break().then_some(Outcome::Unheard);
            effects.output.clear();
        }
        let findings = std::mem::take(&mut effects.findings);
        let requests = std::mem::take(&mut effects.requests);
        for mut finding in findings {
            finding.function = self.symbols.describe(finding.pc);
            let core = finding.core;
            if self.findings.note(finding) {
                let trace = self.backtrace(core);
                self.findings.explain(trace);
            }
        }
        for request in requests {
            match request {
                Request::Start { core, entry, argument } => self.start(core, entry, argument),
                Request::Stop { core } => {
                    self.stopping |= 1 << core;
                    if self.cores[core].activity != Activity::Running {
                        self.cut_power(core);
                    }
                }
                Request::Break { core, pc } => {
                    self.cores[core].pc = pc;
                    outcome = outcome.or(Some(Outcome::Break(core)));
                }
                Request::End(why) => outcome = outcome.or(Some(Outcome::Ended(why))),
            }
        }
        outcome
    }

    /// Lets a core begin at `entry` as it comes out of the firmware.
    pub fn start(&mut self, index: usize, entry: u32, argument: u32) {
        let mode = self.bus.platform.start_mode();
        self.stopping &= !(1 << index);
        let core = &mut self.cores[index];
        core.reset(entry, mode);
        core.r[0] = argument;
        core.advance_to(self.now);
        self.bus.platform.starts(core);
    }
}

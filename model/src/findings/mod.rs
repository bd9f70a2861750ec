//! What the guest did that the real chip would not have forgiven.
//!
//! An emulator that forgives hides bugs: a kernel that reads the counter before it runs, or turns the caches on before
//! the interconnect snoops, works on every emulator and dies on the board, silently. Here each such act is a finding:
//! who, where, and what the hardware would have done. Any finding fails the run, unless its kind was allowed by name.

mod kinds;

pub use kinds::{FindingKind, UnknownKind};

use std::collections::BTreeMap;
use std::fmt;

/// One act that the hardware would not have forgiven.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// What kind of act.
    pub kind: FindingKind,
    /// Number of the core in the model.
    pub core: usize,
    /// Address of the instruction.
    pub pc: u32,
    /// The function in which it is, if that is known.
    pub function: Option<String>,
    /// What exactly.
    pub detail: String,
    /// Where the core was at the end of that slice, innermost function first.
    pub trace: Vec<String>,
}

impl Finding {
    /// A finding of `core` at `pc`.
    pub fn new(kind: FindingKind, core: usize, pc: u32, detail: impl Into<String>) -> Self {
        Self { kind, core, pc, function: None, detail: detail.into(), trace: Vec::new() }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} core {} pc {:#010x}", self.kind, self.core, self.pc)?;
        if let Some(function) = &self.function {
            write!(f, " in {function}")?;
        }
        write!(f, ": {}; ", self.detail)?;
        write!(f, "the hardware would {}", self.kind.hardware())
    }
}

/// All findings of a run. The same act at the same place is kept once and counted.
#[derive(Debug, Default)]
pub struct Findings {
    allowed: Vec<FindingKind>,
    list: Vec<(Finding, u64)>,
    places: BTreeMap<(FindingKind, usize, u32), usize>,
}

impl Findings {
    /// Findings of which these kinds do not fail the run.
    #[must_use]
    pub fn allowing(allowed: &[FindingKind]) -> Self {
        Self { allowed: allowed.to_vec(), ..Self::default() }
    }

    /// Notes a finding. Whether it is new.
    pub fn note(&mut self, finding: Finding) -> bool {
        let place = (finding.kind, finding.core, finding.pc);
        if let Some(&index) = self.places.get(&place) {
            self.list[index].1 += 1;
            return false;
        }
        self.places.insert(place, self.list.len());
        self.list.push((finding, 1));
        true
    }

    /// Adds to the newest finding where its core was.
    pub fn explain(&mut self, trace: Vec<String>) {
        if let Some((finding, _)) = self.list.last_mut() {
            finding.trace = trace;
        }
    }

    /// Each finding in the order of its first occurrence, and how often it occurred.
    pub fn iter(&self) -> impl Iterator<Item = (&Finding, u64)> {
        self.list.iter().map(|(finding, count)| (finding, *count))
    }

    /// Whether something was found of this kind.
    #[must_use]
    pub fn has(&self, kind: FindingKind) -> bool {
        self.list.iter().any(|(finding, _)| finding.kind == kind)
    }

    /// Whether the kind is allowed.
    #[must_use]
    pub fn allows(&self, kind: FindingKind) -> bool {
        self.allowed.contains(&kind)
    }

    /// How many different findings fail the run.
    #[must_use]
    pub fn failures(&self) -> usize {
        self.list.iter().filter(|(finding, _)| !self.allows(finding.kind)).count()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_leads_back_to_its_kind() {
        for kind in FindingKind::ALL {
            assert_eq!(kind.name().parse(), Ok(*kind));
        }
        let error = "nonsense".parse::<FindingKind>().expect_err("not a kind");
        assert!(error.to_string().contains("code_not_cleaned"));
    }

    #[test]
    fn the_same_act_is_counted_not_repeated() {
        let mut findings = Findings::default();
        for _ in 0..3 {
            findings.note(Finding::new(FindingKind::Overclock, 0, 0x4000, "2000 MHz at 0.9 V"));
        }
        findings.note(Finding::new(FindingKind::Overclock, 1, 0x4000, "2000 MHz at 0.9 V"));
        assert_eq!(findings.iter().map(|(_, count)| count).collect::<Vec<_>>(), [3, 1]);
        assert_eq!(findings.failures(), 2);
    }

    #[test]
    fn allowed_kinds_are_reported_but_do_not_fail() {
        let mut findings = Findings::allowing(&[FindingKind::Overclock]);
        findings.note(Finding::new(FindingKind::Overclock, 0, 0, ""));
        assert!(findings.has(FindingKind::Overclock));
        assert_eq!(findings.failures(), 0);
    }
}

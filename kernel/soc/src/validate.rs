//! Tables that lie are found when the crate is built.
//!
//! An energy table with power that falls as the clock rises, or with one figure too few, makes a scheduler that is
//! wrong in a way that looks like a policy (field report V46). [`profile`] is called in constant evaluation for every
//! table of this crate, so such a table does not compile. What is odd but true is not refused; it is flagged by
//! [`undercut`] and [`dearer_than`], and the planner's answer to it is a matter of its tests.

use sched::{CpuKind, Microwatts, Point, Profile};

/// Checks a table: one entry for each operating point; power rises with the clock, busy and idle; a source is named.
///
/// # Panics
/// If one of these does not hold: when the crate is built.
pub const fn profile(profile: &Profile, big: &CpuKind, little: &CpuKind) {
    assert!(!profile.source.is_empty(), "every number has a source");
    assert!(profile.big.len() == big.opps.len() && profile.little.len() == little.opps.len(), "one point for each OPP");
    assert!(profile.idle_big.len() == big.opps.len(), "one idle power for each OPP of the big cluster");
    assert!(profile.idle_little.len() == little.opps.len(), "one idle power for each OPP of the LITTLE cluster");
    assert!(power_rises(profile.big) && power_rises(profile.little), "a faster OPP takes more power");
    assert!(idle_rises(profile.idle_big) && idle_rises(profile.idle_little), "a faster clock takes more power idle");
    assert!(has_speed(profile.big) && has_speed(profile.little), "no CPU stands still");
}

const fn power_rises(points: &[Point]) -> bool {
    let mut index = 1;
    while index < points.len() {
        if points[index].busy.get() <= points[index - 1].busy.get() {
            return false;
        }
        index += 1;
    }
    true
}

const fn idle_rises(powers: &[Microwatts]) -> bool {
    let mut index = 1;
    while index < powers.len() {
        if powers[index].get() < powers[index - 1].get() {
            return false;
        }
        index += 1;
    }
    true
}

const fn has_speed(points: &[Point]) -> bool {
    let mut index = 0;
    while index < points.len() {
        if points[index].speed.get() == 0 {
            return false;
        }
        index += 1;
    }
    true
}

/// Whether a faster operating point does the same work for less: the slower one is dominated, and worth running at only
/// to be slow.
#[must_use]
pub const fn undercut(points: &[Point], index: usize) -> bool {
    let mut faster = index + 1;
    while faster < points.len() {
        if dearer_than(&points[index], &points[faster]) {
            return true;
        }
        faster += 1;
    }
    false
}

/// Whether a unit of work costs more at `one` than at `other`, by more than the half per cent of rounded figures. Where
/// `one` is a LITTLE core and `other` a big one, the usual order of the clusters is reversed.
#[must_use]
pub const fn dearer_than(one: &Point, other: &Point) -> bool {
    let (mine, theirs) =
        (one.busy.get() as u64 * other.speed.get() as u64, other.busy.get() as u64 * one.speed.get() as u64);
    mine * 200 > theirs * 201
}

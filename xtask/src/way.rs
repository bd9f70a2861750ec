//! The four ways to a compiler for the ARM target, and the order in which they are tried.

use std::fmt;

use anyhow::Result;

/// The target of every image.
pub const TARGET: &str = "armv7a-none-eabihf";

/// Where `core` for the target comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// Rustup's own build of it.
    Prebuilt,
    /// Built here from the toolchain's `rust-src`.
    Source,
    /// Built here by Debian's compiler from Debian's sources, linked with rustup's `rust-lld`.
    Debian,
}

impl Way {
    /// The word by which the choice is remembered.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Prebuilt => "prebuilt",
            Self::Source => "source",
            Self::Debian => "debian",
        }
    }

    /// The way that `word` remembers.
    pub fn from_word(word: &str) -> Option<Self> {
        [Self::Prebuilt, Self::Source, Self::Debian].into_iter().find(|way| way.word() == word)
    }
}

impl fmt::Display for Way {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Prebuilt => "rustup's armv7a-none-eabihf",
            Self::Source => "core built from rustup's rust-src",
            Self::Debian => "core built by Debian's rustc from rust-web-src",
        })
    }
}

/// What this machine has and can get. A trait, so that the order is tested without a machine.
pub trait Host {
    /// Whether `way` works as things are.
    fn has(&self, way: Way) -> bool;

    /// Gets what `way` needs, in bounded time.
    ///
    /// # Errors
    ///
    /// If it cannot be had; the reason is worth printing only if no other way works.
    fn get(&self, way: Way) -> Result<()>;
}

/// The first way that works, getting what it needs.
///
/// # Errors
///
/// One line a way, with the reason why it does not work.
pub fn choose(host: &impl Host) -> Result<Way, Vec<String>> {
    let mut reasons = Vec::new();
    for way in [Way::Prebuilt, Way::Source, Way::Debian] {
        if host.has(way) {
            return Ok(way);
        }
        match host.get(way) {
            Ok(()) if host.has(way) => return Ok(way),
            Ok(()) => reasons.push(format!("{way}: installed, but it is not usable")),
            Err(reason) => reasons.push(format!("{way}: {reason:#}")),
        }
    }
    Err(reasons)
}

/// The first way that works as things are.
pub fn find(host: &impl Host) -> Option<Way> {
    [Way::Prebuilt, Way::Source, Way::Debian].into_iter().find(|way| host.has(*way))
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use super::*;

    /// A machine that has `present`, can get `offered` and writes down what was asked for.
    #[derive(Default)]
    struct Fake {
        present: RefCell<Vec<Way>>,
        offered: Vec<Way>,
        asked: RefCell<Vec<Way>>,
    }

    impl Host for Fake {
        fn has(&self, way: Way) -> bool {
            self.present.borrow().contains(&way)
        }

        fn get(&self, way: Way) -> Result<()> {
            self.asked.borrow_mut().push(way);
            anyhow::ensure!(self.offered.contains(&way), "not offered");
            self.present.borrow_mut().push(way);
            Ok(())
        }
    }

    #[test]
    fn an_installed_target_is_used_without_asking_for_anything() {
        let host = Fake { present: vec![Way::Debian, Way::Prebuilt].into(), ..Fake::default() };
        assert_eq!(choose(&host), Ok(Way::Prebuilt));
        assert!(host.asked.borrow().is_empty());
    }

    #[test]
    fn the_target_is_asked_for_before_present_sources_are_used() {
        let host = Fake { present: vec![Way::Source].into(), ..Fake::default() };
        assert_eq!(choose(&host), Ok(Way::Source));
        assert_eq!(*host.asked.borrow(), [Way::Prebuilt]);
    }

    #[test]
    fn each_way_is_asked_for_in_turn() {
        let host = Fake { offered: vec![Way::Debian], ..Fake::default() };
        assert_eq!(choose(&host), Ok(Way::Debian));
        assert_eq!(*host.asked.borrow(), [Way::Prebuilt, Way::Source, Way::Debian]);
    }

    #[test]
    fn a_machine_without_any_way_says_why_for_each() {
        let reasons = choose(&Fake::default()).expect_err("nothing is there");
        assert_eq!(reasons.len(), 3);
        assert!(reasons.iter().all(|reason| reason.ends_with("not offered")));
    }

    #[test]
    fn looking_changes_nothing() {
        let host = Fake { offered: vec![Way::Prebuilt], ..Fake::default() };
        assert_eq!(find(&host), None);
        assert!(host.asked.borrow().is_empty());
    }

    #[test]
    fn a_way_is_remembered_by_its_word() {
        for way in [Way::Prebuilt, Way::Source, Way::Debian] {
            assert_eq!(Way::from_word(way.word()), Some(way));
        }
        assert_eq!(Way::from_word("else"), None);
    }
}

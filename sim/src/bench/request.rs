//! The arguments of a benchmark, in the words of the boot arguments: `looper:n=8,work=28s`.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::ops::RangeInclusive;

use sched::{Nanos, Profile};

use crate::plant::{profile, profile_names};
use crate::units::positive_time;

/// The arguments; each is taken out once, and what is left at the end is unknown.
pub(super) struct Request<'a> {
    arguments: RefCell<BTreeMap<&'a str, &'a str>>,
}

impl<'a> Request<'a> {
    pub fn new(text: &'a str) -> Self {
        let words = text.split(',').filter(|word| !word.is_empty());
        let pairs = words.map(|word| word.split_once('=').unwrap_or((word, "")));
        Self { arguments: RefCell::new(pairs.collect()) }
    }

    fn take(&self, key: &str) -> Option<&'a str> {
        self.arguments.borrow_mut().remove(key)
    }

    /// A number in a range; `default`, which need not be in it, if it is not there.
    pub fn number(&self, key: &str, default: u32, range: RangeInclusive<u32>) -> Result<u32, String> {
        let Some(text) = self.take(key) else { return Ok(default) };
        text.parse().ok().filter(|number| range.contains(number)).ok_or_else(|| {
            format!("expected for {key} a number from {} to {}, found \"{text}\"", range.start(), range.end())
        })
    }

    /// A time above 0: nothing that a benchmark does takes none.
    pub fn time(&self, key: &str, default: Nanos) -> Result<Nanos, String> {
        self.take(key).map_or(Ok(default), |text| positive_time(text).map_err(|wrong| format!("{key}: {wrong}")))
    }

    pub fn class(&self, key: &str, default: &'static Profile) -> Result<&'static Profile, String> {
        let Some(name) = self.take(key) else { return Ok(default) };
        profile(name).ok_or_else(|| format!("expected for {key} one of {}; found \"{name}\"", profile_names()))
    }

    pub fn choice(&self, key: &str, words: &[&'static str]) -> Result<&'static str, String> {
        let Some(text) = self.take(key) else { return Ok(words[0]) };
        let known = words.iter().copied().find(|word| *word == text);
        known.ok_or_else(|| format!("expected for {key} one of {}; found \"{text}\"", words.join(", ")))
    }

    /// Whether all arguments were asked for.
    pub fn done(&self) -> Result<(), String> {
        match self.arguments.borrow().keys().next() {
            Some(key) => Err(format!("unknown argument {key}")),
            None => Ok(()),
        }
    }
}

//! The boot argument `bench=`: which benchmarks to run, and with which arguments.
//!
//! `looper:n=8,work=2800ms+hackbench:groups=1` · `all` · `none`; without the key, `all`. What cannot be read is named
//! in one line and the default is used.

use core::ops::RangeInclusive;

use abi::println;

/// One benchmark to run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Request<'a> {
    /// Its name.
    pub name: &'a str,
    /// What stands behind the colon: `key=value` separated by commas.
    arguments: &'a str,
}

/// The value of `bench=` in the boot arguments; the last one counts, as for every key.
pub fn bench_value(boot_arguments: &str) -> &str {
    boot_arguments.split_ascii_whitespace().filter_map(|word| word.strip_prefix("bench=")).next_back().unwrap_or("all")
}

/// The benchmarks that a value of `bench=` asks for, in its order; `all` stands for every name of `every`.
pub fn requests<'a>(value: &'a str, every: &'static [&'static str]) -> impl Iterator<Item = Request<'a>> {
    value.split('+').flat_map(move |part| {
        let (set, single) = match part {
            "all" => (every, None),
            "none" => (&[][..], None),
            _ => (&[][..], Some(Request::parse(part))),
        };
        set.iter().map(|name| Request { name, arguments: "" }).chain(single)
    })
}

impl<'a> Request<'a> {
    fn parse(part: &'a str) -> Request<'a> {
        let (name, arguments) = part.split_once(':').unwrap_or((part, ""));
        Request { name, arguments }
    }

    fn pairs(&self) -> impl Iterator<Item = (&'a str, &'a str)> {
        let words = self.arguments.split(',').filter(|word| !word.is_empty());
        words.map(|word| word.split_once('=').unwrap_or((word, "")))
    }

    /// The value of a key, where it was given.
    pub fn value(&self, key: &str) -> Option<&'a str> {
        self.pairs().filter(|&(name, _)| name == key).map(|(_, value)| value).last()
    }

    /// The number of a key, in a range; without it, or when it is no such number, `None`.
    pub fn number(&self, key: &str, range: RangeInclusive<u32>) -> Option<u32> {
        let value = self.value(key)?;
        let number = value.parse().ok().filter(|number| range.contains(number));
        if number.is_none() {
            let (least, most) = range.into_inner();
            println!("bench={}: {key}={value} ignored, expected a number from {least} to {most}", self.name);
        }
        number
    }

    /// The time of a key in nanoseconds (`200ms`, `2s`, `500us`), at least 1 us and at most 1000 s; else `None`.
    pub fn duration(&self, key: &str) -> Option<u64> {
        let value = self.value(key)?;
        let duration = parse_duration(value);
        if duration.is_none() {
            println!("bench={}: {key}={value} ignored, expected a time such as 200ms or 2s", self.name);
        }
        duration
    }

    /// One of these words for a key; without it, or when it is none of them, `None`.
    pub fn choice(&self, key: &str, words: &[&'static str]) -> Option<&'static str> {
        let value = self.value(key)?;
        let choice = words.iter().copied().find(|&word| word == value);
        if choice.is_none() {
            println!("bench={}: {key}={value} ignored, expected one of {words:?}", self.name);
        }
        choice
    }

    /// Names the arguments that this benchmark does not have.
    pub fn expect_only(&self, keys: &[&'static str]) {
        for (key, _) in self.pairs().filter(|(key, _)| !keys.contains(key)) {
            println!("bench={}: argument {key} ignored, expected one of {keys:?}", self.name);
        }
    }
}

fn parse_duration(text: &str) -> Option<u64> {
    const LONGEST: u64 = 1_000_000_000_000;
    let (number, unit) = text.split_at(text.find(|character: char| !character.is_ascii_digit())?);
    let scale = match unit {
        "us" => 1_000,
        "ms" => 1_000_000,
        "s" => 1_000_000_000,
        _ => return None,
    };
    let duration = number.parse::<u64>().ok()?.checked_mul(scale)?;
    (1_000..=LONGEST).contains(&duration).then_some(duration)
}

#[cfg(test)]
mod tests {
    extern crate std;
    use super::*;
    use std::vec::Vec;

    const EVERY: &[&str] = &["looper", "micro"];

    fn names(value: &str) -> Vec<&str> {
        requests(value, EVERY).map(|request| request.name).collect()
    }

    #[test]
    fn everything_is_the_default() {
        assert_eq!(bench_value("policy=gear trace=off"), "all");
        assert_eq!(names("all"), ["looper", "micro"]);
    }

    #[test]
    fn the_last_value_counts() {
        assert_eq!(bench_value("bench=none pace=off bench=looper:n=4"), "looper:n=4");
    }

    #[test]
    fn lists_and_sets_mix() {
        assert_eq!(names("pingpong+all+nonsense"), ["pingpong", "looper", "micro", "nonsense"]);
        assert!(names("none").is_empty());
    }

    #[test]
    fn arguments_are_found_by_key() {
        let request = requests("looper:n=8,work=2800ms,flag", EVERY).next().expect("one was asked for");
        assert_eq!(request.number("n", 1..=32), Some(8));
        assert_eq!(request.duration("work"), Some(2_800_000_000));
        assert_eq!(request.value("flag"), Some(""));
        assert_eq!(request.value("size"), None);
        assert_eq!(request.number("n", 1..=4), None, "outside its range");
        assert_eq!(request.number("work", 1..=4), None, "not a number");
    }

    #[test]
    fn choices_are_among_the_words() {
        let request = Request::parse("pingpong:place=same");
        assert_eq!(request.choice("place", &["free", "same"]), Some("same"));
        assert_eq!(request.choice("place", &["free"]), None);
    }

    #[test]
    fn times_have_units() {
        assert_eq!(parse_duration("500us"), Some(500_000));
        assert_eq!(parse_duration("2s"), Some(2_000_000_000));
        for bad in ["", "5", "ms", "5min", "0ms", "-3ms", "99999999999999999999s", "2000s"] {
            assert_eq!(parse_duration(bad), None, "{bad}");
        }
    }
}

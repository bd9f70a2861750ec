//! A machine line: a keyword, then `key=value`.

use std::str::FromStr;

/// One machine line, taken apart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record<'a> {
    pub keyword: &'a str,
    fields: Vec<(&'a str, &'a str)>,
}

impl<'a> Record<'a> {
    /// Takes a line apart; `None` for text that is meant for people.
    pub fn parse(line: &'a str) -> Option<Record<'a>> {
        let mut words = line.split_whitespace();
        let keyword = words.next().filter(|word| word.bytes().all(|byte| byte.is_ascii_uppercase()))?;
        let fields: Vec<_> = words.map(|word| word.split_once('=').unwrap_or((word, ""))).collect();
        Some(Record { keyword, fields })
    }

    /// The value of a key, where the line has it.
    pub fn find(&self, key: &str) -> Option<&'a str> {
        self.fields.iter().find(|(name, _)| *name == key).map(|(_, value)| *value)
    }

    /// The value of a key that the line must have.
    pub fn text(&self, key: &str) -> &'a str {
        self.find(key).unwrap_or_else(|| panic!("{key}= in {self:?}"))
    }

    /// The number of a key that the line must have.
    pub fn number<T: FromStr>(&self, key: &str) -> T {
        self.text(key).parse().unwrap_or_else(|_| panic!("a number for {key} in {self:?}"))
    }
}

#[test]
fn machine_lines_are_taken_apart() {
    let record = Record::parse("BENCH name=looper n=8 makespan_ms=12.50 skipped").expect("a machine line");
    assert_eq!(record.keyword, "BENCH");
    assert_eq!(record.text("name"), "looper");
    assert_eq!(record.number::<f64>("makespan_ms"), 12.5);
    assert_eq!(record.find("skipped"), Some(""));
    assert_eq!(record.find("policy"), None);
    assert_eq!(Record::parse("looper: 4 loops"), None);
}

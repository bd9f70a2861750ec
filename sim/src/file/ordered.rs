//! JSON in which the order of the keys of an object counts, and which may hold comments, as rt-app's does.

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use std::fmt;

/// A value. Numbers are whole: rt-app knows no others.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// `true` or `false`, or nothing.
    Other,
    /// A number.
    Number(i64),
    /// A text.
    Text(String),
    /// Several values.
    List(Vec<Value>),
    /// Names with values, in the order of the file.
    Object(Vec<(String, Value)>),
}

impl Value {
    /// What is called `name` in this object.
    pub fn get(&self, name: &str) -> Option<&Self> {
        let Self::Object(members) = self else { return None };
        members.iter().find(|(key, _)| key == name).map(|(_, value)| value)
    }
}

impl<'de> Deserialize<'de> for Value {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Reader)
    }
}

struct Reader;

impl<'de> Visitor<'de> for Reader {
    type Value = Value;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an object, a list, a text or a whole number")
    }

    fn visit_bool<E>(self, _: bool) -> Result<Value, E> {
        Ok(Value::Other)
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Other)
    }

    fn visit_i64<E>(self, number: i64) -> Result<Value, E> {
        Ok(Value::Number(number))
    }

    fn visit_u64<E: serde::de::Error>(self, number: u64) -> Result<Value, E> {
        i64::try_from(number).map(Value::Number).map_err(|_| E::custom("expected a number of 63 bits"))
    }

    fn visit_str<E>(self, text: &str) -> Result<Value, E> {
        Ok(Value::Text(text.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Value, A::Error> {
        let mut values = Vec::new();
        while let Some(value) = list.next_element()? {
            values.push(value);
        }
        Ok(Value::List(values))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut object: A) -> Result<Value, A::Error> {
        let mut members = Vec::new();
        while let Some(member) = object.next_entry()? {
            members.push(member);
        }
        Ok(Value::Object(members))
    }
}

/// `text` with blanks in the place of comments, so that lines keep their numbers.
pub fn without_comments(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let (mut in_text, mut in_comment, mut in_line) = (false, false, false);
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        let next = characters.peek().copied();
        if in_line || in_comment {
            if character == '\n' {
                in_line = false;
                out.push('\n');
            } else if in_comment && character == '*' && next == Some('/') {
                in_comment = false;
                characters.next();
            }
            continue;
        }
        match (character, next) {
            ('\\', Some(escaped)) if in_text => {
                out.push(character);
                out.push(escaped);
                characters.next();
                continue;
            }
            ('"', _) => in_text = !in_text,
            ('/', Some('*')) if !in_text => in_comment = true,
            ('/', Some('/')) if !in_text => in_line = true,
            _ => {}
        }
        if !in_comment && !in_line {
            out.push(character);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_the_order_of_keys() {
        let value: Value = serde_json::from_str(r#"{"run": 1, "b": [true, "x"], "a": {"n": -2}}"#).expect("it is JSON");
        let Value::Object(members) = &value else { panic!("{value:?}") };
        let keys: Vec<_> = members.iter().map(|(key, _)| key.as_str()).collect();
        assert_eq!(keys, ["run", "b", "a"]);
        assert_eq!(value.get("a").and_then(|a| a.get("n")), Some(&Value::Number(-2)));
    }

    #[test]
    fn comments_leave_their_lines() {
        let text = "{ /* one\n two */ \"a\": \"/*no*/ \\\" //\", // rest\n \"b\": 1 }";
        let stripped = without_comments(text);
        assert_eq!(stripped.lines().count(), 3);
        let value: Value = serde_json::from_str(&stripped).expect("it is JSON");
        assert_eq!(value.get("a"), Some(&Value::Text("/*no*/ \" //".to_owned())));
    }
}

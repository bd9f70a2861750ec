//! The tables of a page in Markdown.

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

/// A table, as text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Table {
    /// The heading that it stands below.
    pub section: String,
    /// The names of its columns.
    pub head: Vec<String>,
    /// Its rows; the first cell names the row.
    pub rows: Vec<Vec<String>>,
}

impl Table {
    /// It in Markdown, without its heading.
    pub fn markdown(&self) -> String {
        let line = |cells: &[String]| format!("| {} |\n", cells.join(" | "));
        let rule: Vec<String> = self.head.iter().map(|_| "---".to_owned()).collect();
        line(&self.head) + &line(&rule) + &self.rows.iter().map(|row| line(row)).collect::<String>()
    }
}

/// All tables of a page, in order.
pub fn of(markdown: &str) -> Vec<Table> {
    let (mut tables, mut section, mut text) = (Vec::new(), String::new(), String::new());
    let mut row = Vec::new();
    for event in Parser::new_ext(markdown, Options::ENABLE_TABLES) {
        match event {
            Event::Start(Tag::Heading { .. } | Tag::TableCell) => text.clear(),
            Event::Text(words) | Event::Code(words) => text += &words,
            Event::End(TagEnd::Heading(_)) => section.clone_from(&text),
            Event::Start(Tag::Table(_)) => tables.push(Table { section: section.clone(), ..Table::default() }),
            Event::End(TagEnd::TableCell) => row.push(text.trim().to_owned()),
            Event::End(end @ (TagEnd::TableHead | TagEnd::TableRow)) => {
                let cells = std::mem::take(&mut row);
                if let Some(table) = tables.last_mut() {
                    if end == TagEnd::TableHead { table.head = cells } else { table.rows.push(cells) }
                }
            }
            _ => {}
        }
    }
    tables
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let words = |words: &str| words.split(' ').map(str::to_owned).collect::<Vec<_>>();
        let table = Table { section: "S".into(), head: words("a b"), rows: vec![words("1 2"), words("3 4")] };
        let page = format!("# T\n\n## S\n\nSome `words`.\n\n{}\nMore.\n", table.markdown());
        assert_eq!(of(&page), [table]);
    }
}

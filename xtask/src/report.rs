//! From a page in Markdown with tables: the page, the same for a browser, its figures, its pictures.

mod chart;
mod tables;

use std::path::{Path, PathBuf};

use anyhow::Result;
use pulldown_cmark::{Options, Parser, html};

pub use tables::Table;

const STYLE: &str = "body{font:16px/1.5 system-ui,sans-serif;max-width:75em;margin:2em auto;padding:0 1em;color:#222;background:#fff}\
                     table{border-collapse:collapse;margin:1em 0;display:block;overflow-x:auto}\
                     th,td{padding:.2em .7em;border-bottom:1px solid #ccc}svg{max-width:100%;height:auto}\
                     h2{margin-top:2em;border-bottom:1px solid #ccc}\
                     @media(prefers-color-scheme:dark){body{background:#181818;color:#ddd}svg{background:#fff}}";

/// Writes `report.md`, `report.html`, `results.csv` and an SVG for each table that shows a course, and gives their
/// paths. All of it is made before anything is written.
///
/// # Errors
///
/// If a picture cannot be drawn or a file not be written.
pub fn write(markdown: &str, folder: &Path) -> Result<Vec<PathBuf>> {
    let tables = tables::of(markdown);
    let mut files = vec![("report.md".to_owned(), markdown.to_owned())];
    files.push(("results.csv".to_owned(), figures(&tables)?));
    let mut pictures = String::new();
    for (number, table) in tables.iter().enumerate() {
        if let Some(svg) = chart::of(table)? {
            pictures += &format!("<figure>{svg}</figure>\n");
            files.push((format!("plot-{}.svg", number + 1), svg));
        }
    }
    files.push(("report.html".to_owned(), page(markdown, &pictures)));
    sim::report::write_all(files, folder)
}

fn page(markdown: &str, pictures: &str) -> String {
    let mut body = String::new();
    html::push_html(&mut body, Parser::new_ext(markdown, Options::ENABLE_TABLES));
    format!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" \
         content=\"width=device-width\"><title>Gearshift: results</title><style>{STYLE}</style></head>\n<body>\n{body}\
         <h2>Pictures</h2>\n{pictures}</body></html>\n"
    )
}

/// One figure a line, whatever table it stands in.
fn figures(tables: &[Table]) -> Result<String> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.write_record(["section", "table", "row", "column", "value"])?;
    for (number, table) in tables.iter().enumerate() {
        for row in &table.rows {
            for (column, value) in table.head.iter().zip(row).skip(1) {
                writer.write_record([&table.section, &(number + 1).to_string(), &row[0], column, value])?;
            }
        }
    }
    Ok(String::from_utf8(writer.into_inner()?)?)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    const PAGE: &str = "# Results\n\n## Loops, many\n\n| n | pull | gear |\n| --- | ---: | ---: |\n| 5 | 1.38 | 1.00 |\n\
                        | 6 | 1.27 | 1.00 |\n| 7 | 1.18 | 1.01 |\n\n## A word\n\n| what | ms |\n| --- | --- |\n| a, b | 3 |\n";

    #[test]
    fn a_page_becomes_four_kinds_of_file() {
        let folder = tempfile::tempdir().expect("a folder");
        write(PAGE, folder.path()).expect("written");
        let read = |name: &str| fs::read_to_string(folder.path().join(name)).expect(name);
        assert_eq!(read("report.md"), PAGE);
        assert!(read("report.html").contains(">1.38</td>"));
        let figures = read("results.csv");
        assert!(figures.contains("\"Loops, many\",1,6,pull,1.27\n"), "{figures}");
        assert!(figures.contains("A word,2,\"a, b\",ms,3\n"), "{figures}");
        assert!(read("plot-1.svg").contains("gear"));
        assert!(!folder.path().join("plot-2.svg").exists(), "one row has no course");
    }
}

//! A page of what a machine printed: a table for each benchmark.

use std::collections::BTreeSet;

use crate::board::Board;
use crate::report::Table;

/// The figure that a benchmark is about; the first of these that it has.
const CHIEF: [&str; 7] = ["makespan_ms", "time_ms", "round_trip_us", "wake_p99_us", "p99_us", "avg_us", "last_end_ms"];
/// What names a row.
const NAMES: [&str; 8] = ["policy", "goal", "n", "place", "class", "groups", "threads", "what"];

type Record<'a> = Vec<(&'a str, &'a str)>;

/// The page.
pub fn page(board: Board, bootargs: &str, log: &str) -> String {
    let records: Vec<Record<'_>> = log.lines().filter_map(record).collect();
    let mut page = format!(
        "# Results of {board}\n\nMade by `cargo xtask bench {board}` with `{bootargs}`. {}\n",
        match board {
            Board::Emulated(_) => "It ran in QEMU: no time here is performance; read shares, orders and ratios.",
            Board::OdroidXu4 => "It ran on a model of the chip: times, energy and heat follow from a cost model.",
        }
    );
    let mut told = BTreeSet::new();
    for name in records.iter().filter_map(|record| find(record, "name")) {
        if told.insert(name) {
            let group: Vec<_> = records.iter().filter(|record| find(record, "name") == Some(name)).collect();
            page += &section(name, &group);
        }
    }
    page
}

fn record(line: &str) -> Option<Record<'_>> {
    let words = line.trim().strip_prefix("BENCH ")?.split(' ');
    Some(words.map(|word| word.split_once('=').unwrap_or((word, "yes"))).collect())
}

fn find<'a>(record: &Record<'a>, key: &str) -> Option<&'a str> {
    record.iter().find(|(name, _)| *name == key).map(|(_, value)| *value)
}

fn section(name: &str, group: &[&Record<'_>]) -> String {
    let mut keys: Vec<&str> = Vec::new();
    for (key, _) in group.iter().flat_map(|record| record.iter()) {
        if *key != "name" && !keys.contains(key) {
            keys.push(key);
        }
    }
    let chief = CHIEF.into_iter().find(|chief| keys.contains(chief));
    let (same, varied): (Vec<&str>, Vec<&str>) =
        keys.into_iter().partition(|key| group.iter().all(|record| find(record, key) == find(group[0], key)));
    let shared: Vec<_> = same.iter().filter_map(|key| Some(format!("`{key}={}`", find(group[0], key)?))).collect();
    let mut page = format!("\n## {name}\n\n{}\n", shared.join(" "));
    if !varied.is_empty() {
        page += "\n";
        page += &table(name, group, &varied, chief).markdown();
    }
    page
}

fn table(name: &str, group: &[&Record<'_>], varied: &[&str], chief: Option<&str>) -> Table {
    let (names, mut figures): (Vec<&str>, Vec<&str>) = varied.iter().partition(|key| NAMES.contains(key));
    figures.sort_by_key(|key| Some(*key) != chief);
    let row = |record: &&Record<'_>| {
        let label: Vec<_> = names.iter().filter_map(|key| find(record, key)).collect();
        let cells = figures.iter().map(|key| find(record, key).unwrap_or("-").to_owned());
        std::iter::once(label.join(" ")).chain(cells).collect()
    };
    let head = std::iter::once(names.join(" ")).chain(figures.iter().map(|key| (*key).to_owned())).collect();
    Table { section: name.to_owned(), head, rows: group.iter().map(row).collect() }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOG: &str = "BOOT version=1\r
BENCH name=looper policy=pinned n=8 work_ms=20 mean_ms=45.1 makespan_ms=62.0\r
BENCH name=looper policy=pull n=8 work_ms=20 mean_ms=36.1 makespan_ms=43.4\r
BENCH name=soak skipped why=no_sensors\r
";

    #[test]
    fn what_varies_is_a_table_and_the_rest_a_line() {
        let page = page(Board::OdroidXu4, "bench=all", LOG);
        assert!(page.contains("`n=8` `work_ms=20`\n\n| policy | makespan_ms | mean_ms |"), "{page}");
        assert!(page.contains("| pull | 43.4 | 36.1 |"), "{page}");
        assert!(page.contains("## soak\n\n`skipped=yes` `why=no_sensors`\n"), "{page}");
        assert!(page.contains("model"), "it says what it ran on");
    }
}

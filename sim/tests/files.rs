//! The corpus runs, and a file that is wrong leaves nothing behind.

use std::fs;
use std::path::{Path, PathBuf};

use sim::file::load;
use sim::{Setup, report, run};

fn room() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn corpus() -> Vec<PathBuf> {
    let files = ["scenarios", "rt-app"].into_iter().flat_map(|folder| {
        let entries = fs::read_dir(room().join(folder)).expect("the corpus is here");
        entries.map(|entry| entry.expect("it can be read").path())
    });
    files.collect()
}

#[test]
fn every_file_of_the_corpus_runs() {
    let files = corpus();
    assert!(files.len() >= 10, "{files:?}");
    for file in files {
        let loaded = load(&file.display().to_string(), room()).unwrap_or_else(|mistake| panic!("{mistake}"));
        let outcome = run(&loaded.scenario, &Setup::parse("gear/energy").expect("it is a setup"));
        assert_eq!(outcome.counts.refused, 0, "{}", file.display());
        assert!(outcome.energy.total() > 0 && outcome.counts.switches > 0, "{}", file.display());
        loaded.compare.iter().for_each(|setup| assert!(Setup::parse(setup).is_ok(), "{setup}"));
    }
}

#[test]
fn names_of_the_corpus_and_benchmarks_are_found() {
    for name in ["looper-8", "gang", "looper:n=4,work=1s"] {
        assert!(load(name, room()).is_ok(), "{name}");
    }
    let missing = load("no-such-thing", room()).expect_err("there is no such thing").to_string();
    assert!(missing.starts_with("no-such-thing: neither a file, nor a scenario"), "{missing}");
}

#[test]
fn a_mistake_has_a_file_a_line_and_an_expectation() {
    let folder = std::env::temp_dir().join(format!("sim-files-{}", std::process::id()));
    fs::create_dir_all(&folder).expect("there is room");
    for (name, text, line, expected) in [
        ("a.toml", "about = \"x\"\n[[task]]\nname = \"a\"\nrun = \"soon\"\n", 4, "expected a time"),
        ("b.json", "{\n \"tasks\": { \"a\": {\n \"run\": \"x\" } } }", 3, "expected a whole number of microseconds"),
        ("d.toml", "duration = \"0s\"\n[[task]]\nname = \"a\"\nrun = \"1s\"\n", 1, "expected a time above 0"),
        ("e.toml", "[[task]]\nname = \"a\"\nrun = \"1s\"\ncount = 0\n", 4, "expected a number from 1"),
        ("f.toml", "[[task]]\nname = \"a\"\nrun = \"1s\"\ncount = 1025\n", 4, "expected at most 1024 tasks"),
        ("g.toml", "[[task]]\nname = \"a\"\nrun = \"1s\"\nevery = \"0ms\"\n", 4, "expected a time above 0"),
        ("h.toml", "[[task]]\nname = \"a\"\nrun = \"1s\"\njobs = 0\n", 4, "expected a number from 1"),
        ("i.toml", "[[task]]\nname = \"a\"\nrun = \"9999999s\"\n", 3, "expected a time of at most"),
        (
            "j.json",
            "{ \"global\":\n{ \"duration\": 0 },\n\"tasks\": { \"a\": { \"run\": 5 } } }",
            2,
            "expected a duration from 1",
        ),
        ("k.json", "{ \"tasks\": { \"a\": {\n\"instance\": 2000, \"run\": 5 } } }", 2, "instances from 1 to 1024"),
        ("c.json", "{\n \"tasks\": {\n", 3, "EOF"),
    ] {
        let path = folder.join(name);
        fs::write(&path, text).expect("there is room");
        let mistake = load(&path.display().to_string(), room()).expect_err("it is wrong");
        assert!(mistake.line == line && mistake.what.contains(expected), "{mistake}");
        assert!(mistake.to_string().starts_with(&format!("{}:{line}: ", path.display())), "{mistake}");
    }
    fs::remove_dir_all(&folder).expect("it was made above");
}

#[test]
fn numbers_that_nothing_has_are_refused_where_they_stand() {
    let folder = std::env::temp_dir().join(format!("sim-numbers-{}", std::process::id()));
    fs::create_dir_all(&folder).expect("there is room");
    let most = i64::MAX;
    let events = [
        (format!("\"run\": {most}"), "at most 1000000 s"),
        (format!("\"sleep\": {most}"), "at most 1000000 s"),
        (format!("\"run\": 5, \"timer\": {{ \"period\": {most} }}"), "at most 1000000 s"),
        (format!("\"run\": 5, \"delay\": {most}"), "at most 1000000 s"),
        ("\"run\": 5, \"delay\": -5".to_owned(), "at most 1000000 s"),
        ("\"run\": 5, \"priority\": 99".to_owned(), "from -20 to 19"),
    ];
    let tasks = events.map(|(events, what)| ("json", format!("{{ \"tasks\": {{ \"a\": {{\n{events} }} }} }}"), what));
    let lines = [
        ("[heat]\nambient = nan", "from -40 to 150"),
        ("[heat]\nambient = 1e300", "from -40 to 150"),
        ("[heat]\nstart = -400.0", "from -40 to 150"),
        ("[heat]\nfan = 99", "from 0 to 3"),
        ("[heat]\nnoise = inf", "from 0 to 50"),
        ("[[heat.event]]\nat = \"1 ms\"\nfan = 4", "from 0 to 3"),
        ("[[heat.event]]\nat = \"1 ms\"\nsensor = 5\nsilent = true", "from 0 to 3"),
        ("[costs]\nswitch = \"1 s\"", "at most 100 ms"),
        ("[[task]]\nname = \"b\"\nrun = \"1 ms\"\nnice = 20", "from -20 to 19"),
        ("[[task]]\nname = \"b\"\nrun = \"1 ms\"\nclamp = [512, 256]", "of at most 1024"),
        ("[[task]]\nname = \"b\"\nrun = \"1 ms\"\nclamp = [5000, 20]", "of at most 1024"),
        ("[[task]]\nname = \"b\"\nrun = \"1 ms\"\nclamp = [0, 1025]", "of at most 1024"),
        ("[[task]]\nname = \"b\"\nrun = \"1 ms\"\nnice = 100", "from -20 to 19"),
        ("[heat]\nnoise = nan", "from 0 to 50"),
        ("[[heat.event]]\nat = \"1 ms\"\nambient = 1e300", "from -40 to 150"),
        ("\ncompare = [\"gear\",\n\"nonsense\"]", "expected a policy"),
        ("\ncompare = [\"gear/heat:ipa\"]", "expected a scenario with heat"),
        ("cpus = [0, 1]\n[[task]]\nname = \"b\"\nrun = \"1 ms\"\ncpus = [7]", "expected CPUs that came up, found 7"),
        ("bench = \"cyclictest\"\ncpus = [0, 1]", "expected a CPU for each task, found none for cyclic"),
    ];
    let task = "[[task]]\nname = \"a\"\nrun = \"1 ms\"\n";
    let tables = lines.map(|(lines, what)| ("toml", format!("{lines}\n{task}"), what));
    for (ending, text, expected) in tasks.into_iter().chain(tables) {
        let path = folder.join(format!("wrong.{ending}"));
        fs::write(&path, &text).expect("there is room");
        let mistake = load(&path.display().to_string(), room()).expect_err(&text);
        assert!(mistake.line >= 2 && mistake.what.contains(expected), "{text}: {mistake}");
    }
    fs::remove_dir_all(&folder).expect("it was made above");
}

#[test]
fn everything_that_is_promised_is_written() {
    let folder = std::env::temp_dir().join(format!("sim-report-{}", std::process::id()));
    let loaded = load("looper:n=5,work=300ms", room()).expect("it is right");
    let setups = ["pull".to_owned(), "gear/makespan".to_owned()];
    let comparison = report::compare(&loaded.scenario, &setups, true).expect("they are setups");
    let files = report::write(&comparison, &folder).expect("there is room");
    let read = |name: &str| fs::read_to_string(folder.join(name)).unwrap_or_else(|error| panic!("{name}: {error}"));
    assert!(files.len() >= 10 && read("table.txt").contains("bound: makespan"));
    assert_eq!(read("runs.csv").lines().count(), 3);
    assert!(read("pull-timeline.svg").starts_with("<svg") && read("gear-makespan-frequency.svg").contains("<svg"));
    let page = read("index.html");
    assert!(page.contains("<svg") && !page.contains("src=") && !page.contains("href="), "it needs nothing else");
    let trace: serde_json::Value = serde_json::from_str(&read("gear-makespan.trace.json")).expect("it is JSON");
    assert!(trace["traceEvents"].as_array().is_some_and(|events| events.len() > 20));
    fs::remove_dir_all(&folder).expect("it was made above");
}

use super::*;

fn wrong(text: &str) -> Wrong {
    read("test", text).expect_err("it is wrong")
}

#[test]
fn reads_a_scenario() {
    let text = r#"
        about = "two kinds"
        profile = "hash"
        duration = "10 s"
        idle = "20 ms"
        cpus = [0, 1, 4]
        compare = ["gear", "pull"]
        costs = { far = "1 ms" }
        [[task]]
        name = "small"
        count = 24
        run = "1.6 ms"
        reference = 0
        every = "16 ms"
        scattered = true
        [[task]]
        name = "busy"
        run = "3 s"
        class = "cache-killer"
        cpus = [4]
    "#;
    let Loaded { scenario, compare } = read("test", text).expect("it is right");
    assert_eq!((scenario.tasks.len(), compare.len(), scenario.plant.classes.len()), (25, 2, 2));
    assert_eq!(scenario.plant.costs.far, 1_000_000);
    assert_eq!(scenario.tasks[24].affinity.bits(), 0x10);
    assert!(scenario.tasks[0].start != scenario.tasks[1].start && !scenario.tasks[0].awaited);
    let Step::Run(work) = scenario.tasks[0].program.steps()[0] else { panic!("it runs") };
    assert_eq!(work.as_micros(), 637, "a Cortex-A7 has 0.3987 of the speed when it hashes");
}

#[test]
fn says_the_line_and_what_was_expected() {
    assert_eq!(wrong("seed = 1").1, "expected a [[task]] or a bench");
    assert_eq!(wrong("\n\nduration = \"soon\"\n[[task]]\nname = \"a\"\nrun = \"1 s\"").0, 3);
    let (line, what) = wrong("[[task]]\nname = \"a\"\nrun = \"1 s\"\nclass = \"music\"");
    assert!(line == 4 && what.contains("expected a class of work (device-tree"), "{line} {what}");
    assert_eq!(wrong("[[task]]\nname = \"a\"\n").0, 1, "run is not there");
    let (line, what) = wrong("[[task]]\nname = \"a\"\nrun = \"1 s\"\ncolour = 3\n");
    assert!(line == 4 && what.contains("unknown field `colour`"), "{line} {what}");
    assert_eq!(wrong("[[task]]\nname = \"a\"\nrun = \"1 s\"\ncpus = [9]").0, 4);
    assert_eq!(wrong("seed = 1\nprofile = 3\n").0, 2);
}

//! How fast the simulator is: a second of eight CPUs with 24 tasks must take less than 50 ms.

use std::hint::black_box;
use std::time::Duration;

use criterion::{Criterion, criterion_group, criterion_main};
use sim::{Setup, bench, run};

fn a_second_of_24_tasks(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("a second of 8 CPUs");
    group.sample_size(20).measurement_time(Duration::from_secs(3));
    for setup in ["pull", "eas", "gear/energy", "gear/makespan"] {
        let parsed = Setup::parse(setup).expect("it is a setup");
        let periodic = bench::parse("periodic:n=24,time=1s").expect("it is known").expect("it is right");
        group.bench_function(format!("24 periodic, {setup}"), |bencher| {
            bencher.iter(|| black_box(run(&periodic, &parsed)));
        });
        let mut busy = bench::parse("soak:n=24,time=1s").expect("it is known").expect("it is right");
        busy.heat = None;
        group.bench_function(format!("24 busy, {setup}"), |bencher| bencher.iter(|| black_box(run(&busy, &parsed))));
    }
    group.finish();
}

criterion_group!(benches, a_second_of_24_tasks);
criterion_main!(benches);

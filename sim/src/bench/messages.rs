//! Benchmarks whose tasks wait for each other.

use sched::{CpuId, CpuMask, Nanos};
use soc::exynos5422::{CACHE_RESIDENT, DEVICE_TREE, GZIP};

use super::request::Request;
use super::{Made, TASKS, TIMES};
use crate::plant::Plant;
use crate::program::{Program, Step};
use crate::scenario::Scenario;
use crate::task::TaskSpec;

/// Two big CPUs, and a LITTLE one.
const BIG: [CpuId; 2] = [CpuId::new(4), CpuId::new(5)];
const LITTLE: CpuId = CpuId::new(0);

/// Where two tasks may run.
fn places(place: &str) -> (CpuMask, CpuMask) {
    match place {
        "same" => (CpuMask::of(BIG[0]), CpuMask::of(BIG[0])),
        "different" => (CpuMask::of(BIG[0]), CpuMask::of(BIG[1])),
        "split" => (CpuMask::of(BIG[0]), CpuMask::of(LITTLE)),
        _ => (CpuMask::ALL, CpuMask::ALL),
    }
}

/// gtkperf and its X server: 49.02 % and 30.54 % of the time in the profile of the seed, so 616 to 384.
pub(super) fn pair(request: &Request<'_>) -> Made {
    let place = request.choice("place", &["free", "same", "different", "split"])?;
    let requests = request.number("requests", 2_000, TIMES)?;
    let work = request.time("work", Nanos::from_millis(10))?.as_nanos();
    let mut scenario = Scenario::new("pair", Plant::odroid(&DEVICE_TREE));
    let (asked, answered) = (scenario.channel(2), scenario.channel(2));
    let part = |share: u64| Step::Run(Nanos::new(work * share / 1_000));
    // Two requests are under way: the client works on the next one while the server answers this one.
    let client = Program::new()
        .step(part(616))
        .step(Step::Send(asked))
        .repeat(requests - 1, |body| body.step(part(616)).step(Step::Send(asked)).step(Step::Receive(answered)))
        .step(Step::Receive(answered));
    let server = Program::new()
        .repeat(requests, |body| body.step(Step::Receive(asked)).step(part(384)).step(Step::Send(answered)));
    let (one, two) = places(place);
    let client = TaskSpec { affinity: one, ..TaskSpec::new("client", client) };
    let server = TaskSpec { affinity: two, ..TaskSpec::new("server", server) };
    Ok(scenario.tasks(1, &client).tasks(1, &server))
}

pub(super) fn pingpong(request: &Request<'_>) -> Made {
    let place = request.choice("place", &["free", "same", "different"])?;
    let rounds = request.number("rounds", 2_000, TIMES)?;
    let mut scenario = Scenario::new("pingpong", Plant::odroid(&GZIP));
    let (ping, pong) = (scenario.channel(1), scenario.channel(1));
    let hit = Step::Run(Nanos::from_micros(1));
    let serves = Program::new().repeat(rounds, |body| body.step(hit).step(Step::Send(ping)).step(Step::Receive(pong)));
    let returns = Program::new().repeat(rounds, |body| body.step(Step::Receive(ping)).step(hit).step(Step::Send(pong)));
    let (one, two) = places(place);
    let serves = TaskSpec { affinity: one, ..TaskSpec::new("serves", serves) };
    let returns = TaskSpec { affinity: two, ..TaskSpec::new("returns", returns) };
    Ok(scenario.tasks(1, &serves).tasks(1, &returns))
}

/// A video at 30 frames a second: five stages, the first by the clock, with a large frame from time to time. The screen
/// has a clock of its own that begins when so many frames are buffered: a frame that comes later than its turn is late,
/// and the next one is due as before.
pub(super) fn chain(request: &Request<'_>) -> Made {
    let frames = request.number("frames", 300, TIMES)?;
    let period = request.time("period", Nanos::from_millis(33))?;
    let buffered = u64::from(request.number("buffered", 2, 0..=3)?);
    let load = u64::from(request.number("load", 100, 1..=1_000)?);
    let first = request.number("first", 2, 0..=2)? as usize;
    let mut scenario = Scenario::new("chain", Plant::odroid(request.class("class", &DEVICE_TREE)?));
    let links: Vec<usize> = (0..4).map(|_| scenario.channel(3)).collect();
    // Two usual frames and one of three times the work, which is the first, the second or the third of all.
    let mut sizes = [1; 3];
    sizes[first] = 3;
    let rounds = frames.div_ceil(3);
    // Demultiplex, decode, filter, scale, show: in microseconds on the fastest CPU.
    for (stage, micros) in [300, 4_000, 1_500, 1_000, 400].into_iter().enumerate() {
        let program = Program::new().repeat(rounds, |mut body| {
            for size in sizes {
                if stage > 0 {
                    body = body.step(Step::Receive(links[stage - 1]));
                }
                body = body.step(Step::Run(Nanos::from_micros(micros * size * load / 100)));
                body = match links.get(stage) {
                    Some(&link) => body.step(Step::Send(link)),
                    None => body.step(Step::Done).step(Step::Timer { period, resets: false }),
                };
                if stage == 0 {
                    body = body.step(Step::Timer { period, resets: false });
                }
            }
            body
        });
        let start = if stage == links.len() { buffered * period.as_nanos() } else { 0 };
        scenario = scenario.tasks(1, &TaskSpec { start, ..TaskSpec::new(&format!("stage {stage}"), program) });
    }
    Ok(scenario)
}

/// Ambient occlusion: a picture in tiles of 64 x 64 points, which workers take one by one or have from the start.
pub(super) fn aobench(request: &Request<'_>) -> Made {
    let size = request.number("size", 0, 8..=2_048)?;
    let tiles = request.number("tiles", if size == 0 { 64 } else { size.div_ceil(64).pow(2) }, TIMES)?;
    let count = request.number("n", 16, TASKS)?;
    let dealt = request.choice("split", &["dynamic", "static"])? == "dynamic";
    let work = request.time("work", Nanos::from_millis(50))?;
    let mut scenario = Scenario::new("aobench", Plant::odroid(&CACHE_RESIDENT));
    let per_worker = tiles.div_ceil(count);
    let tile = |body: Program| body.step(Step::Run(work)).step(Step::Done);
    if !dealt {
        let worker = Program::new().repeat(per_worker, tile);
        return Ok(scenario.tasks(count as usize, &TaskSpec::new("tile", worker)));
    }
    let queue = scenario.channel(tiles);
    let dealer = Program::new().repeat(per_worker * count, |body| body.step(Step::Send(queue)));
    let worker = Program::new().repeat(per_worker, |body| tile(body.step(Step::Receive(queue))));
    Ok(scenario.tasks(1, &TaskSpec::new("dealer", dealer)).tasks(count as usize, &TaskSpec::new("tile", worker)))
}

/// The senders of a group, and its receivers.
pub(super) const SIDE: u32 = 20;

/// In each group 20 senders write to each of 20 receivers; a receiver has one bounded channel.
pub(super) fn hackbench(request: &Request<'_>) -> Made {
    let groups = request.number("groups", 1, 1..=TASKS.end() / (2 * SIDE))?;
    let loops = request.number("loops", 20, TIMES)?;
    let size = u64::from(request.number("size", 100, 1..=4_096)?);
    let scenario = Scenario::new("hackbench", Plant::odroid(&GZIP));
    Ok((0..groups).fold(scenario, |scenario, _| group(scenario, loops, size)))
}

/// One group of hackbench, for ever with `loops` 0.
pub(super) fn group(mut scenario: Scenario, loops: u32, size: u64) -> Scenario {
    // A system call and a copy: 2 µs, and 2.3 GB/s (memcpy on the A15; sbc-bench, results/3GnC.txt).
    let copy = Step::Run(Nanos::new(2_000 + size * 10 / 23));
    let channels: Vec<usize> = (0..SIDE).map(|_| scenario.channel(16)).collect();
    let sender = Program::new().repeat(loops, |mut body| {
        for &channel in &channels {
            body = body.step(copy).step(Step::Send(channel));
        }
        body
    });
    scenario = scenario.tasks(SIDE as usize, &TaskSpec::new("sender", sender));
    for channel in channels {
        let receiver = Program::new().repeat(loops * SIDE, |body| body.step(Step::Receive(channel)).step(copy));
        scenario = scenario.tasks(1, &TaskSpec::new("receiver", receiver));
    }
    scenario
}

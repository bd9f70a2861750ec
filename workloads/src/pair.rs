//! A client that sends work to a server and goes on meanwhile: on one core, on two, on a big and a LITTLE one, or as
//! the policy likes.
//!
//! The shares are those of gtkperf and its X server, 49.02 % to 30.54 % of the CPU; up to four requests may wait.

use core::sync::atomic::{AtomicU32, Ordering};

use abi::channel::Channel;
use abi::crew::Crew;
use abi::println;

use crate::decimal::Decimal;
use crate::init::Outcome;
use crate::load::{Load, burn};
use crate::machine::Machine;
use crate::request::Request;
use crate::scene::{Drawn, Labels, Scene, moves, refused};

const PLACES: [&str; 4] = ["same", "different", "split", "free"];
const DEFAULT_REQUESTS: u32 = 60;
/// The work of one request for both together, in nanoseconds, and the client's part of it in 1/1000.
const WORK: u64 = 1_000_000;
const CLIENT: u64 = 616;
const WAITING: usize = 4;

static REQUESTS: AtomicU32 = AtomicU32::new(0);
static CLIENT_UNITS: AtomicU32 = AtomicU32::new(0);
static SERVER_UNITS: AtomicU32 = AtomicU32::new(0);
static CHANNEL: AtomicU32 = AtomicU32::new(0);
static MOVES: AtomicU32 = AtomicU32::new(0);

/// Runs the benchmark: arguments `place` (default: each in turn) and `requests`.
pub fn run(request: &Request<'_>, machine: &Machine) -> Outcome {
    request.expect_only(&["place", "requests"]);
    match measure(request, machine) {
        Ok(outcome) => outcome,
        Err(error) => refused("pair", error),
    }
}

fn measure(request: &Request<'_>, machine: &Machine) -> abi::Result<Outcome> {
    let requests = request.number("requests", 1..=1_000_000).unwrap_or(DEFAULT_REQUESTS);
    let wanted = request.choice("place", &PLACES);
    let Some(load) = Load::measure(machine)? else { return Ok(Outcome::Failed) };
    REQUESTS.store(requests, Ordering::Relaxed);
    CLIENT_UNITS.store(load.units(WORK * CLIENT / 1_000), Ordering::Relaxed);
    SERVER_UNITS.store(load.units(WORK * (1_000 - CLIENT) / 1_000), Ordering::Relaxed);
    let mut different = 0;
    for place in PLACES.into_iter().filter(|place| wanted.is_none_or(|wanted| wanted == *place)) {
        let Some(masks) = masks(place, machine) else {
            println!("BENCH name=pair place={place} {} skipped why=no_such_cpu", Labels(machine));
            continue;
        };
        let Some(drawn) = play(masks)? else { return Ok(Outcome::Failed) };
        if place == "different" {
            different = drawn.elapsed;
        }
        println!(
            "BENCH name=pair {} place={place} requests={requests} to_different={} moves={} {drawn}",
            Labels(machine),
            Decimal::ratio(drawn.elapsed, different),
            MOVES.load(Ordering::Relaxed),
        );
    }
    Ok(Outcome::Passed)
}

/// The affinity masks of client and server.
fn masks(place: &str, machine: &Machine) -> Option<(u32, u32)> {
    let home = machine.reference_cpu();
    let other = match place {
        "same" => home,
        "different" => machine.neighbour_of(home)?,
        "split" => machine.online().find(|&cpu| machine.0.capacity[cpu] < machine.0.capacity[home])?,
        _ => return Some((machine.0.online, machine.0.online)),
    };
    Some((1 << home, 1 << other))
}

/// One run; `None` when a task did not end well.
fn play((client_mask, server_mask): (u32, u32)) -> abi::Result<Option<Drawn>> {
    let channel = Channel::create(WAITING, 4)?;
    CHANNEL.store(channel.number(), Ordering::Relaxed);
    MOVES.store(0, Ordering::Relaxed);
    let scene = Scene::begin()?;
    let mut crew = Crew::<2>::new();
    crew.start(server_mask, server, 0)?;
    crew.start(client_mask, client, 0)?;
    let unwell = crew.wait()?;
    let drawn = scene.end()?;
    channel.close()?;
    Ok((unwell == 0).then_some(drawn))
}

fn client(_: usize) {
    let channel = Channel::from_number(CHANNEL.load(Ordering::Relaxed));
    for number in 0..REQUESTS.load(Ordering::Relaxed) {
        burn(CLIENT_UNITS.load(Ordering::Relaxed));
        if channel.send(&number.to_le_bytes()).is_err() {
            abi::task::exit(1);
        }
    }
    MOVES.fetch_add(moves(), Ordering::Relaxed);
}

fn server(_: usize) {
    let channel = Channel::from_number(CHANNEL.load(Ordering::Relaxed));
    let mut message = [0; 4];
    for number in 0..REQUESTS.load(Ordering::Relaxed) {
        if channel.receive(&mut message) != Ok(4) || message != number.to_le_bytes() {
            abi::task::exit(1);
        }
        burn(SERVER_UNITS.load(Ordering::Relaxed));
    }
    MOVES.fetch_add(moves(), Ordering::Relaxed);
}

//! Two tasks that wait for each other in turn, through a pair of semaphores: on one CPU, on two, or wherever they are put.

use core::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use abi::crew::Crew;
use abi::futex::Semaphore;
use abi::{clock, println};

use crate::decimal::Decimal;
use crate::init::Outcome;
use crate::machine::Machine;
use crate::request::Request;

const PLACES: &[&str] = &["same", "different", "free"];
const DEFAULT_ROUNDS: u32 = 500;

static ROUNDS: AtomicU32 = AtomicU32::new(0);
static PING: Semaphore = Semaphore::new(0);
static PONG: Semaphore = Semaphore::new(0);
/// Time of all rounds, as the player who serves saw it, in nanoseconds.
static ELAPSED: AtomicU64 = AtomicU64::new(0);
/// Moves of both players.
static MOVES: AtomicU32 = AtomicU32::new(0);

/// Runs the benchmark: arguments `place` (default: each of them in turn) and `rounds` (round trips).
pub fn run(request: &Request<'_>, machine: &Machine) -> Outcome {
    request.expect_only(&["place", "rounds"]);
    let rounds = request.number("rounds", 1..=1_000_000).unwrap_or(DEFAULT_ROUNDS);
    let wanted = request.choice("place", PLACES);
    println!("pingpong: {rounds} round trips of two tasks; pace {}, not a performance figure", machine.pace());
    for &place in PLACES.iter().filter(|&&place| wanted.is_none_or(|wanted| wanted == place)) {
        let home = machine.reference_cpu();
        let masks = match place {
            "same" => Some((1 << home, 1 << home)),
            "different" => machine.neighbour_of(home).map(|other| (1 << home, 1 << other)),
            _ => Some((machine.0.online, machine.0.online)),
        };
        let Some(masks) = masks else {
            println!("BENCH name=pingpong place={place} skipped why=one_cpu");
            continue;
        };
        match play(rounds, masks) {
            Ok(true) => report(place, rounds, machine),
            Ok(false) => return Outcome::Failed,
            Err(error) => {
                println!("pingpong: a system call was refused ({error:?})");
                return Outcome::Failed;
            }
        }
    }
    Outcome::Passed
}

/// One game; false when a player did not end well.
fn play(rounds: u32, (server_mask, client_mask): (u32, u32)) -> abi::Result<bool> {
    ROUNDS.store(rounds, Ordering::Relaxed);
    MOVES.store(0, Ordering::Relaxed);
    let mut players = Crew::<2>::new();
    players.start(client_mask, client, 0)?;
    players.start(server_mask, server, 0)?;
    Ok(players.wait()? == 0)
}

fn server(_: usize) {
    let start = clock::now();
    for _ in 0..ROUNDS.load(Ordering::Relaxed) {
        PING.give();
        PONG.take();
    }
    ELAPSED.store(clock::now() - start, Ordering::Release);
    count_moves();
}

fn client(_: usize) {
    for _ in 0..ROUNDS.load(Ordering::Relaxed) {
        PING.take();
        PONG.give();
    }
    count_moves();
}

fn count_moves() {
    if let Ok(statistics) = abi::task::current().statistics() {
        MOVES.fetch_add(statistics.migrations, Ordering::Relaxed);
    }
}

fn report(place: &str, rounds: u32, machine: &Machine) {
    let elapsed = ELAPSED.load(Ordering::Acquire);
    let moves = MOVES.load(Ordering::Relaxed);
    let round_trip = Decimal::microseconds(elapsed / u64::from(rounds));
    println!(
        "BENCH name=pingpong place={place} pace={} rounds={rounds} time_ms={} round_trip_us={round_trip} moves={moves}",
        machine.pace(),
        Decimal::milliseconds(elapsed),
    );
    println!("  {place:<10}{round_trip:>12} us a round trip{moves:>8} moves");
}

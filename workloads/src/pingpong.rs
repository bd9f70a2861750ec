//! Two tasks that wait for each other in turn, through a pair of semaphores: on one CPU, on two, or wherever they are
//! put.

use core::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use abi::crew::Crew;
use abi::futex::Semaphore;
use abi::{clock, println};

use crate::decimal::Decimal;
use crate::init::Outcome;
use crate::machine::Machine;
use crate::request::Request;
use crate::scene::Labels;

const PLACES: &[&str] = &["same", "different", "free"];
const DEFAULT_ROUNDS: u32 = 500;

static ROUNDS: AtomicU32 = AtomicU32::new(0);
static PING: Semaphore = Semaphore::new(0);
static PONG: Semaphore = Semaphore::new(0);
/// Time of all rounds, as the player who serves saw it, in nanoseconds.
static ELAPSED: AtomicU64 = AtomicU64::new(0);
/// Moves of both players.
static MOVES: AtomicU32 = AtomicU32::new(0);

/// One game that came to its end.
struct Game {
    place: &'static str,
    rounds: u32,
    /// Time of all rounds in nanoseconds.
    elapsed: u64,
    moves: u32,
}

/// Runs the benchmark: arguments `place` (default: each of them in turn) and `rounds` (round trips).
pub fn run(request: &Request<'_>, machine: &Machine) -> Outcome {
    request.expect_only(&["place", "rounds"]);
    let rounds = request.number("rounds", 1..=1_000_000).unwrap_or(DEFAULT_ROUNDS);
    let wanted = request.choice("place", PLACES);
    let mut games = [const { None }; PLACES.len()];
    for (&place, game) in
        PLACES.iter().zip(&mut games).filter(|(place, _)| wanted.is_none_or(|wanted| wanted == **place))
    {
        let Some(masks) = masks(place, machine) else {
            println!("BENCH name=pingpong place={place} pace={} skipped why=one_cpu", machine.pace());
            continue;
        };
        match play(place, rounds, masks) {
            Ok(Some(played)) => *game = Some(played),
            Ok(None) => return Outcome::Failed,
            Err(error) => {
                println!("pingpong: a system call was refused ({error:?})");
                return Outcome::Failed;
            }
        }
    }
    report(games.iter().flatten(), machine);
    Outcome::Passed
}

/// The affinity masks of server and client; `None` when the machine has too few CPUs for that.
fn masks(place: &str, machine: &Machine) -> Option<(u32, u32)> {
    let home = machine.reference_cpu();
    match place {
        "same" => Some((1 << home, 1 << home)),
        "different" => machine.neighbour_of(home).map(|other| (1 << home, 1 << other)),
        _ => Some((machine.0.online, machine.0.online)),
    }
}

/// Plays one game; `None` when a player did not end well.
fn play(place: &'static str, rounds: u32, (server_mask, client_mask): (u32, u32)) -> abi::Result<Option<Game>> {
    ROUNDS.store(rounds, Ordering::Relaxed);
    MOVES.store(0, Ordering::Relaxed);
    let mut players = Crew::<2>::new();
    players.start(client_mask, client, 0)?;
    players.start(server_mask, server, 0)?;
    let unwell = players.wait()?;
    let (elapsed, moves) = (ELAPSED.load(Ordering::Acquire), MOVES.load(Ordering::Relaxed));
    Ok((unwell == 0).then_some(Game { place, rounds, elapsed, moves }))
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

fn report<'a>(games: impl Iterator<Item = &'a Game> + Clone, machine: &Machine) {
    for Game { place, rounds, elapsed, moves } in games.clone() {
        println!(
            "BENCH name=pingpong {} place={place} rounds={rounds} time_ms={} round_trip_us={} moves={moves}",
            Labels(machine),
            Decimal::milliseconds(*elapsed),
            Decimal::microseconds(elapsed / u64::from(*rounds)),
        );
    }
    println!();
    println!("pingpong: two tasks wake each other in turn; pace {}, not a performance figure", machine.pace());
    println!("  {:<12}{:>16}{:>8}", "place", "us a round trip", "moves");
    for Game { place, rounds, elapsed, moves } in games {
        println!("  {place:<12}{:>16}{moves:>8}", Decimal::microseconds(elapsed / u64::from(*rounds)));
    }
    println!();
}

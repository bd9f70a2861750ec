//! Ambient occlusion of three balls on a plane, in floating point: aobench (Syoyo Fujita) in the shape that fits here.
//!
//! The picture is cut into rows; tasks take the next row that nobody has, or each has its own. The rays of a point are
//! drawn from a generator that is seeded by the point, so the picture does not depend on who draws what when.

use core::sync::atomic::{AtomicU32, Ordering};

use abi::crew::Crew;
use abi::println;

use crate::init::Outcome;
use crate::machine::Machine;
use crate::request::Request;
use crate::scene::{Labels, Scene, moves, refused};

const MAX_TASKS: usize = 16;
const DEFAULT_TASKS: u32 = 8;
const DEFAULT_SIZE: u32 = 24;
/// Rays for each point: this squared.
const SAMPLES: u32 = 4;
const EPSILON: f32 = 1.0e-3;
const FAR: f32 = 1.0e17;

static SIZE: AtomicU32 = AtomicU32::new(0);
static TASKS: AtomicU32 = AtomicU32::new(0);
/// 1: rows are dealt out beforehand.
static STATIC: AtomicU32 = AtomicU32::new(0);
static NEXT: AtomicU32 = AtomicU32::new(0);
/// The sum of all points' brightness, 0 to 255 each.
static BRIGHTNESS: AtomicU32 = AtomicU32::new(0);
static MOVES: AtomicU32 = AtomicU32::new(0);

/// Runs the benchmark: arguments `size` (points a side), `n` (tasks), `split` (dynamic or static).
pub fn run(request: &Request<'_>, machine: &Machine) -> Outcome {
    request.expect_only(&["size", "n", "split"]);
    match measure(request, machine) {
        Ok(outcome) => outcome,
        Err(error) => refused("aobench", error),
    }
}

fn measure(request: &Request<'_>, machine: &Machine) -> abi::Result<Outcome> {
    let size = request.number("size", 8..=2048).unwrap_or(DEFAULT_SIZE);
    let tasks = request.number("n", 1..=MAX_TASKS as u32).unwrap_or(DEFAULT_TASKS);
    let split = request.choice("split", &["dynamic", "static"]).unwrap_or("dynamic");
    SIZE.store(size, Ordering::Relaxed);
    TASKS.store(tasks, Ordering::Relaxed);
    STATIC.store(u32::from(split == "static"), Ordering::Relaxed);
    for counter in [&NEXT, &BRIGHTNESS, &MOVES] {
        counter.store(0, Ordering::Relaxed);
    }
    let scene = Scene::begin()?;
    let mut crew = Crew::<MAX_TASKS>::new();
    for index in 0..tasks {
        crew.start(machine.0.online, painter, index as usize)?;
    }
    let unwell = crew.wait()?;
    let drawn = scene.end()?;
    let brightness = BRIGHTNESS.load(Ordering::Relaxed);
    println!(
        "BENCH name=aobench {} size={size} n={tasks} split={split} samples={} brightness={brightness} moves={} {drawn}",
        Labels(machine),
        SAMPLES * SAMPLES,
        MOVES.load(Ordering::Relaxed),
    );
    // Neither black nor white: there is a picture.
    let mean = brightness / (size * size);
    Ok(if unwell == 0 && (40..250).contains(&mean) { Outcome::Passed } else { Outcome::Failed })
}

fn painter(index: usize) {
    let (size, tasks) = (SIZE.load(Ordering::Relaxed), TASKS.load(Ordering::Relaxed));
    if STATIC.load(Ordering::Relaxed) == 1 {
        (index as u32..size).step_by(tasks as usize).for_each(|row| paint(row, size));
    } else {
        loop {
            let row = NEXT.fetch_add(1, Ordering::Relaxed);
            if row >= size {
                break;
            }
            paint(row, size);
        }
    }
    MOVES.fetch_add(moves(), Ordering::Relaxed);
}

fn paint(row: u32, size: u32) {
    let sum = (0..size).map(|column| (point(column, row, size) * 255.0) as u32).sum::<u32>();
    BRIGHTNESS.fetch_add(sum, Ordering::Relaxed);
}

#[derive(Clone, Copy)]
struct Vector(f32, f32, f32);

impl Vector {
    fn plus(self, other: Vector, times: f32) -> Vector {
        Vector(self.0 + other.0 * times, self.1 + other.1 * times, self.2 + other.2 * times)
    }

    fn dot(self, other: Vector) -> f32 {
        self.0 * other.0 + self.1 * other.1 + self.2 * other.2
    }

    fn cross(self, other: Vector) -> Vector {
        Vector(
            self.1 * other.2 - self.2 * other.1,
            self.2 * other.0 - self.0 * other.2,
            self.0 * other.1 - self.1 * other.0,
        )
    }

    fn unit(self) -> Vector {
        let length = root(self.dot(self));
        let scale = if length > 1.0e-9 { 1.0 / length } else { 0.0 };
        Vector(self.0 * scale, self.1 * scale, self.2 * scale)
    }
}

/// The square root by Newton's method, as `core` has none: from half the exponent, four steps reach the last bit but
/// one.
fn root(value: f32) -> f32 {
    if value <= 0.0 {
        return 0.0;
    }
    let guess = f32::from_bits((value.to_bits() >> 1) + 0x1fbd_1df5);
    (0..4).fold(guess, |guess, _| 0.5 * (guess + value / guess))
}

struct Hit {
    distance: f32,
    at: Vector,
    normal: Vector,
}

const BALLS: [Vector; 3] = [Vector(-2.0, 0.0, -3.5), Vector(-0.5, 0.0, -3.0), Vector(1.0, 0.0, -2.2)];
const RADIUS: f32 = 0.5;
/// The plane lies this far below the eye.
const GROUND: f32 = -0.5;

fn hit(from: Vector, towards: Vector) -> Option<Hit> {
    let mut nearest: Option<Hit> = None;
    let mut limit = FAR;
    for ball in BALLS {
        let between = from.plus(ball, -1.0);
        let along = between.dot(towards);
        let inside = along * along - (between.dot(between) - RADIUS * RADIUS);
        let distance = -along - root(inside);
        if inside > 0.0 && distance > 0.0 && distance < limit {
            limit = distance;
            let at = from.plus(towards, distance);
            nearest = Some(Hit { distance, at, normal: at.plus(ball, -1.0).unit() });
        }
    }
    let distance = (GROUND - from.1) / if towards.1 == 0.0 { EPSILON } else { towards.1 };
    if towards.1 != 0.0 && distance > 0.0 && distance < limit {
        nearest = Some(Hit { distance, at: from.plus(towards, distance), normal: Vector(0.0, 1.0, 0.0) });
    }
    nearest.filter(|hit| hit.distance < FAR)
}

/// The brightness of one point, 0 to 1.
fn point(column: u32, row: u32, size: u32) -> f32 {
    let half = size as f32 / 2.0;
    let towards = Vector((column as f32 - half) / half, (half - row as f32) / half, -1.0).unit();
    let Some(hit) = hit(Vector(0.0, 0.0, 0.0), towards) else { return 0.0 };
    let from = hit.at.plus(hit.normal, EPSILON);
    let side = if hit.normal.0.abs() < 0.6 { Vector(1.0, 0.0, 0.0) } else { Vector(0.0, 1.0, 0.0) };
    let right = side.cross(hit.normal).unit();
    let up = hit.normal.cross(right);
    let mut random = Random(row * size + column + 1);
    let free = (0..SAMPLES * SAMPLES).filter(|_| {
        let (x, y) = random.in_disc();
        // Lifted from the disc to the half ball: the density that a matt surface needs.
        let z = root(1.0 - x * x - y * y);
        let ray = Vector(0.0, 0.0, 0.0).plus(right, x).plus(up, y).plus(hit.normal, z);
        self::hit(from, ray).is_none()
    });
    free.count() as f32 / (SAMPLES * SAMPLES) as f32
}

/// Marsaglia's xorshift of 32 bits.
struct Random(u32);

impl Random {
    fn next(&mut self) -> f32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 17;
        self.0 ^= self.0 << 5;
        (self.0 >> 8) as f32 / (1 << 23) as f32 - 1.0
    }

    /// A point of the unit disc, by trial.
    fn in_disc(&mut self) -> (f32, f32) {
        loop {
            let (x, y) = (self.next(), self.next());
            if x * x + y * y < 1.0 {
                return (x, y);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    extern crate std;
    use super::*;

    #[test]
    fn roots_are_roots() {
        for value in [1.0e-6_f32, 0.25, 1.0, 2.0, 3.0e4, 1.0e12] {
            assert!((root(value) / value.sqrt() - 1.0).abs() < 1.0e-6, "{value}");
        }
        assert_eq!(root(-1.0), 0.0);
    }

    #[test]
    fn the_sky_is_dark_and_the_open_ground_bright() {
        assert_eq!(point(16, 0, 32), 0.0);
        assert!(point(16, 31, 32) > 0.7);
        let mean = (0..32).flat_map(|row| (0..32).map(move |column| point(column, row, 32))).sum::<f32>() / 1024.0;
        assert!((0.2..0.9).contains(&mean), "{mean}");
    }
}

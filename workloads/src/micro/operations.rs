//! How each operation is provoked and timed. All tasks are bound to the CPU that the argument `home` names.

use core::sync::atomic::{AtomicU32, Ordering};

use abi::crew::Crew;
use abi::types::MAX_CPUS;
use abi::{clock, futex, task};

use super::counter;
use super::samples::{ROUNDS, Samples};

/// The measurements of the operation at hand.
pub static SAMPLES: Samples = Samples::new();
/// Where one operation yields two figures: the second.
pub static SECOND: Samples = Samples::new();

/// When the measured stretch began, written by the task that begins it.
static STAMP: AtomicU32 = AtomicU32::new(0);
/// Which task wrote [`STAMP`].
static STAMPED_BY: AtomicU32 = AtomicU32::new(0);
/// Tasks of this operation that have begun.
static READY: AtomicU32 = AtomicU32::new(0);
/// The word that waiters sleep on: a round number.
static WORD: AtomicU32 = AtomicU32::new(0);
/// Rounds that the waiter has seen.
static SEEN: AtomicU32 = AtomicU32::new(0);
/// The word that the task sleeps on which woke another CPU's.
static ANSWER: AtomicU32 = AtomicU32::new(0);
/// The way there, of the way there and back.
static THERE: AtomicU32 = AtomicU32::new(0);

/// Time between rounds that gives another CPU the occasion to fall asleep, in nanoseconds; two ticks.
const PAUSE: u64 = 2_000_000;

/// A task of an operation: its CPU, its program and the argument of that.
pub type Part = (usize, task::Entry, usize);

/// Runs tasks to their ends, each bound to its CPU. True when all ended well.
pub fn perform(parts: &[Part]) -> abi::Result<bool> {
    SAMPLES.clear();
    SECOND.clear();
    for word in [&STAMP, &STAMPED_BY, &READY, &WORD, &SEEN, &ANSWER] {
        word.store(0, Ordering::Relaxed);
    }
    let mut crew = Crew::<2>::new();
    for &(cpu, entry, argument) in parts {
        debug_assert!(cpu < MAX_CPUS);
        crew.start(1 << cpu, entry, argument)?;
    }
    Ok(crew.wait()? == 0)
}

/// Nothing: the price of measuring.
pub fn empty(_: usize) {
    SAMPLES.measure(|| {});
}

/// Into the kernel and back.
pub fn null_call(_: usize) {
    SAMPLES.measure(task::null_call);
}

/// Reading the clock.
pub fn read_clock(_: usize) {
    SAMPLES.measure(|| {
        core::hint::black_box(clock::now());
    });
}

/// Starting a task that is bound to the same CPU and therefore waits for its turn.
pub fn create(home: usize) {
    fn nothing(_: usize) {}
    for _ in 0..ROUNDS {
        let start = counter::now();
        let child = task::spawn_on(1 << home, nothing, 0);
        let end = counter::now();
        SAMPLES.add(end.wrapping_sub(start));
        if child.and_then(task::Task::join).is_err() {
            task::exit(1);
        }
    }
}

/// One of two equal tasks that yield to each other; `me` is 1 or 2. The stretch reaches from before one's yield to
/// after the other's.
pub fn yielder(me: usize) {
    wait_for_both();
    for _ in 0..ROUNDS {
        STAMPED_BY.store(me as u32, Ordering::Relaxed);
        STAMP.store(counter::now(), Ordering::Relaxed);
        task::yield_now();
        let end = counter::now();
        if STAMPED_BY.load(Ordering::Relaxed) != me as u32 {
            SAMPLES.add(end.wrapping_sub(STAMP.load(Ordering::Relaxed)));
        }
    }
}

/// Until both tasks of an operation run.
fn wait_for_both() {
    READY.fetch_add(1, Ordering::Relaxed);
    while READY.load(Ordering::Relaxed) < 2 {
        task::yield_now();
    }
}

/// The task that is woken in [`waker`]; begins the stretch "block → other runs" when it goes to sleep again.
pub fn sleeper(_: usize) {
    wait_for_both();
    for round in 0..ROUNDS as u32 {
        STAMPED_BY.store(round + 1, Ordering::Relaxed);
        STAMP.store(counter::now(), Ordering::Relaxed);
        sleep_through(&WORD, round);
        SAMPLES.add(counter::now().wrapping_sub(STAMP.load(Ordering::Relaxed)));
        SEEN.store(round + 1, Ordering::Relaxed);
    }
}

/// Wakes [`sleeper`], bound to the same CPU, and steps aside if that did not run at once. [`SAMPLES`]: from before the
/// wake-up to the woken task's own code. [`SECOND`]: from before the sleeper's call to this task's own code.
pub fn waker(_: usize) {
    wait_for_both();
    for round in 0..ROUNDS as u32 {
        while STAMPED_BY.load(Ordering::Relaxed) != round + 1 {
            task::yield_now();
        }
        SECOND.add(counter::now().wrapping_sub(STAMP.load(Ordering::Relaxed)));
        WORD.store(round + 1, Ordering::Relaxed);
        STAMP.store(counter::now(), Ordering::Relaxed);
        // Waking a valid word cannot fail.
        let _ = futex::wake(&WORD, 1);
        while SEEN.load(Ordering::Relaxed) != round + 1 {
            task::yield_now();
        }
    }
}

/// Wakes [`answerer`], which sleeps on another CPU, and is woken by it in turn. [`SAMPLES`]: its own call. [`SECOND`]:
/// from before a call to the woken task's own code, the mean of there and back: each CPU counts from another zero, and
/// the sum of both ways does not depend on that.
pub fn caller(_: usize) {
    for round in 0..ROUNDS as u32 {
        SAMPLES.add(wake_sleeping(&WORD, round));
        sleep_through(&ANSWER, round);
        let back = counter::now().wrapping_sub(STAMP.load(Ordering::Relaxed));
        SECOND.add(THERE.load(Ordering::Relaxed).wrapping_add(back) / 2);
    }
}

/// The other end of [`caller`].
pub fn answerer(_: usize) {
    for round in 0..ROUNDS as u32 {
        sleep_through(&WORD, round);
        THERE.store(counter::now().wrapping_sub(STAMP.load(Ordering::Relaxed)), Ordering::Relaxed);
        wake_sleeping(&ANSWER, round);
    }
}

/// Waits until the other CPU sleeps and wakes the task that sleeps there on `word`. Returns what the call cost.
fn wake_sleeping(word: &AtomicU32, round: u32) -> u32 {
    clock::sleep(PAUSE);
    word.store(round + 1, Ordering::Release);
    let start = counter::now();
    STAMP.store(start, Ordering::Release);
    // Waking a valid word cannot fail.
    let _ = futex::wake(word, 1);
    counter::now().wrapping_sub(start)
}

/// Sleeps while `word` holds `round`.
fn sleep_through(word: &AtomicU32, round: u32) {
    while word.load(Ordering::Acquire) == round {
        // Woken, or the word changed before we slept: it is looked at again.
        let _ = futex::wait(word, round);
    }
}

/// A task that runs through ticks and takes the gaps in its own progress for their price. Needs a CPU without pace.
pub fn through_ticks(_: usize) {
    /// Longer than the loop itself, shorter than any interrupt.
    const GAP: u32 = 40;
    let mut found = 0;
    let mut last = counter::now();
    while found < ROUNDS / 3 {
        let now = counter::now();
        let step = now.wrapping_sub(last);
        if step > GAP {
            SAMPLES.add(step);
            found += 1;
        }
        last = now;
    }
}

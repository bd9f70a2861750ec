//! The state of one CPU. Only that CPU touches it, with interrupts off (`arch::percpu::PerCpu`).

use abi::types::MAX_TASKS;
use sched::trace::{Event, Ring};
use sched::{Capacity, CpuId, Departure, Nanos, Plan, RunQueue};

use crate::kernel::now;
use crate::meter::Meter;
use crate::pace::{Grid, Pace};
use crate::sleepers::{NEVER, Sleepers};
use crate::task::TaskRef;

mod patience;
mod timetable;

/// Trace events a CPU remembers.
const TRACE_EVENTS: usize = 512;

/// One CPU.
///
/// The order of the fields is kept, and the large ones come last: what each entry to the kernel touches lies within
/// reach of the short offset of a load.
#[repr(C)]
pub struct Cpu {
    /// The task it runs, if any.
    pub current: Option<TaskRef>,
    /// Up to when time has been charged to the current task. The low word of the nanoseconds is enough, here and below:
    /// whoever runs or waits is interrupted by a tick long before four seconds have passed.
    charged: u32,
    /// Up to when the current task's time on this CPU is in its statistics.
    counted: u32,
    /// Which one.
    pub id: CpuId,
    /// Set when another task should run before the kernel is left; always when none runs.
    pub reschedule: bool,
    /// Set when the alarm or the phase of the pace may have changed.
    stale: bool,
    /// Whether wake-ups, switches and sleeps are remembered as well.
    pub tracing: bool,
    /// A task was asked for or offered in exchange, and the answer is not here yet. Only the answer clears it, so that
    /// no CPU ever has two requests open.
    pub awaiting: bool,
    fruitless_pulls: u8,
    /// Before this it does not ask for work.
    pulls_again: Nanos,
    /// The next tick; [`NEVER`] while idle.
    tick: Nanos,
    /// When the clocks that it attends to can be carried on; [`NEVER`] while it attends to none.
    clocks: Nanos,
    /// When the running task's part of its period here is over ([`crate::parts`]); [`NEVER`] without one.
    part: Nanos,
    /// What the hardware alarm is set to; [`NEVER`] when it is off.
    alarm: Nanos,
    /// Its grid of ticks and windows.
    grid: Grid,
    /// When its tasks may run.
    pub pace: Pace,
    /// What running here is worth.
    pub meter: Meter,
    /// Which plan `plan` is a copy of: 0 for none.
    pub plan_version: u32,
    /// The tasks that wait for it.
    pub queue: RunQueue<TaskRef, MAX_TASKS>,
    /// The tasks that sleep here.
    pub sleepers: Sleepers,
    /// Its own copy of the plan.
    pub plan: Plan,
    /// What happened here: rare events always, frequent ones when `tracing` is set.
    pub trace: Ring<TRACE_EVENTS>,
}

/// What a CPU is told when the system opens.
pub struct Opening {
    /// Which one it is.
    pub id: CpuId,
    /// What it is worth.
    pub capacity: Capacity,
    /// Its grid of ticks and windows.
    pub grid: Grid,
    /// When its tasks may run.
    pub pace: Pace,
    /// Whether wake-ups, switches and sleeps are remembered as well.
    pub tracing: bool,
}

impl Cpu {
    /// A CPU before [`Cpu::open`]. All zero, so that it costs no byte of the image.
    pub const fn new() -> Cpu {
        Cpu {
            current: None,
            charged: 0,
            counted: 0,
            id: CpuId::new(0),
            reschedule: false,
            stale: false,
            tracing: false,
            awaiting: false,
            fruitless_pulls: 0,
            pulls_again: Nanos::ZERO,
            tick: Nanos::ZERO,
            clocks: Nanos::ZERO,
            part: Nanos::ZERO,
            alarm: Nanos::ZERO,
            grid: Grid::UNPLACED,
            pace: Pace::NONE,
            meter: Meter::NONE,
            plan_version: 0,
            queue: RunQueue::new(Capacity::ZERO),
            sleepers: Sleepers::new(),
            plan: Plan::none(),
            trace: Ring::new(),
        }
    }

    /// Makes it the CPU it is, idle, before its first task comes.
    pub fn open(&mut self, opening: Opening) {
        self.id = opening.id;
        self.queue.set_capacity(opening.capacity);
        self.grid = opening.grid;
        self.pace = opening.pace;
        self.tracing = opening.tracing;
        (self.tick, self.clocks, self.part, self.alarm) = (NEVER, NEVER, NEVER, NEVER);
        (self.reschedule, self.stale) = (true, true);
    }

    /// The task that made the system call or was interrupted.
    ///
    /// # Panics
    /// When none runs: only a running task enters the kernel that way.
    #[inline]
    pub fn running(&mut self) -> &mut TaskRef {
        self.current.as_mut().expect("a running task entered the kernel")
    }

    /// Charges the time since the last charge to the running task's own code.
    #[inline]
    pub fn charge_user(&mut self, now: Nanos) {
        let elapsed = self.charge_nobody(now);
        if let Some(task) = &mut self.current {
            task.usage.user_ns += u64::from(elapsed);
        }
    }

    /// Charges the time since the last charge to the kernel on behalf of the running task, which it returns.
    #[inline]
    pub fn charge_system(&mut self, now: Nanos) -> &TaskRef {
        let elapsed = self.charge_nobody(now);
        let task = self.running();
        task.usage.system_ns += u64::from(elapsed);
        task
    }

    /// Charges the time since the last charge, which it returns, to nobody: the CPU rested.
    #[inline]
    pub fn charge_nobody(&mut self, now: Nanos) -> u32 {
        let elapsed = low(now).wrapping_sub(self.charged);
        self.charged = low(now);
        elapsed
    }

    /// Adds the running task's time on this CPU to its statistics.
    #[inline]
    pub fn count_time(&mut self, now: Nanos) {
        if let Some(task) = &mut self.current {
            let elapsed = low(now).wrapping_sub(self.counted);
            task.usage.on_cpu_ns[self.id.index()] += u64::from(elapsed);
            self.counted = low(now);
            if self.meter.is_on() {
                self.meter.note(&mut task.learned, elapsed);
            }
        }
    }

    /// Brings what is known of the running task up to date: once a tick.
    pub fn account(&mut self, now: Nanos) {
        self.count_time(now);
        if let Some(task) = &mut self.current {
            self.queue.account(&mut task.entity, now);
            task.shared.publish(&task.entity);
        }
    }

    /// Takes the running task off the CPU for good: it sleeps, moves or ends.
    pub fn give_up(&mut self, now: Nanos, how: Departure) -> TaskRef {
        let task = self.set_down(now);
        if how == Departure::Sleeps {
            self.record_frequent(Event::Sleep { task: task.number });
        }
        self.queue.leave(&mut task.entity, now, how);
        if self.meter.is_on() {
            self.meter.end_stint(&mut task.learned);
            if how == Departure::Sleeps {
                task.job_ends(now, self.meter.learns);
            }
        }
        task
    }

    /// Takes the running task off the CPU to be queued here again; the queue charges it then. What the kernel does from
    /// here on is charged to whoever comes next.
    #[inline]
    pub fn set_down(&mut self, now: Nanos) -> TaskRef {
        self.count_time(now);
        self.reschedule = true;
        self.current.take().expect("only a running task can be set down")
    }

    /// Puts a task on the CPU.
    #[inline(always)]
    pub fn run(&mut self, task: TaskRef, now: Nanos) {
        self.record_frequent(Event::Switch { task: task.number });
        task.usage.switches += 1;
        // Both from the same moment, so that what a task used never exceeds its time on the CPU.
        self.charged = low(now);
        self.counted = low(now);
        self.reschedule = false;
        let urgent = self.meter.is_on() && {
            self.meter.begin();
            task.entity.goes_on_elsewhere()
        };
        self.current = Some(task);
        if urgent {
            self.await_end_of_part(now);
        }
    }

    /// Puts a task that it gave up to sleep here until `wake_at`.
    pub fn put_to_sleep(&mut self, wake_at: Nanos, task: TaskRef) {
        self.sleepers.insert(wake_at, task);
        self.stale = true;
    }

    /// Remembers an event. `now`, when the kernel was entered, is exact enough for it alone; among the frequent ones it
    /// gets a time as they do.
    pub fn record(&mut self, now: Nanos, event: Event) {
        match self.tracing {
            true => self.record_as_it_happens(event),
            false => self.trace.record(now, event),
        }
    }

    /// Remembers an event of a kind that would soon push all others out, if that is wanted.
    #[inline]
    pub fn record_frequent(&mut self, event: Event) {
        if self.tracing {
            self.record_as_it_happens(event);
        }
    }

    /// Remembers an event with its own time. What happens to a task is recorded by the CPU that has it in hand, before
    /// it lets go of it and after it was given it; since the clock is one for all CPUs, the times of different CPUs
    /// then are in the order of cause and effect, however long a stay in the kernel takes: in an emulator its CPU may
    /// stand still for milliseconds.
    #[cold]
    #[inline(never)]
    fn record_as_it_happens(&mut self, event: Event) {
        self.trace.record(now(), event);
    }
}

/// The low word of a time.
#[inline]
fn low(time: Nanos) -> u32 {
    time.as_nanos() as u32
}

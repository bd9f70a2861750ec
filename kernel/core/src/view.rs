//! What every CPU publishes for the policy of the others. Lazily read: the policy asks for what it needs, no snapshot is copied.

use core::sync::atomic::{AtomicBool, AtomicU32, Ordering::Relaxed};

use abi::types::MAX_CPUS;
use sched::{
    CapacityTable, Clamp, CpuId, CpuLoad, CpuMask, CpuView, Cpus, Energy, Hints, MilliCelsius, Nanos, Plan, RunQueue,
    Schedulable, TaskId,
};
use spin::Once;

use crate::clamp::AtomicClamp;
use crate::govern::Governance;
use crate::table::{TaskTable, slot_of};

/// No task has this number.
const NOBODY: u32 = 0;

struct Published {
    /// Number of the running task, or [`NOBODY`].
    running: AtomicU32,
    queued: AtomicU32,
    /// Tasks in its inbox.
    arriving: AtomicU32,
    utilisation: AtomicU32,
    estimate: AtomicU32,
    runnable: AtomicU32,
    clamp: AtomicClamp,
    /// Nanoseconds: see [`RunQueue::stint`].
    stint: AtomicU32,
    /// The readings of its meter.
    busy: AtomicU32,
    drawn: AtomicU32,
}

/// The public face of all CPUs.
pub struct View {
    online: AtomicU32,
    idle: AtomicU32,
    /// Whether anybody has ever set bounds.
    clamps: AtomicBool,
    capacities: Once<CapacityTable>,
    cpus: [Published; MAX_CPUS],
}

impl View {
    /// No CPU is online.
    pub const fn new() -> View {
        View {
            online: AtomicU32::new(0),
            idle: AtomicU32::new(0),
            clamps: AtomicBool::new(false),
            capacities: Once::new(),
            cpus: [const {
                Published {
                    running: AtomicU32::new(NOBODY),
                    queued: AtomicU32::new(0),
                    arriving: AtomicU32::new(0),
                    utilisation: AtomicU32::new(0),
                    estimate: AtomicU32::new(0),
                    runnable: AtomicU32::new(0),
                    clamp: AtomicClamp::new(),
                    stint: AtomicU32::new(0),
                    busy: AtomicU32::new(0),
                    drawn: AtomicU32::new(0),
                }
            }; MAX_CPUS],
        }
    }

    /// A CPU has arrived.
    pub fn set_online(&self, cpu: CpuId) {
        self.online.fetch_or(CpuMask::of(cpu).bits(), Relaxed);
    }

    /// Fixes the capacities, once the CPUs that are present are known.
    pub fn set_capacities(&self, capacities: CapacityTable) {
        self.capacities.call_once(|| capacities);
    }

    /// Whether the capacities are known: the system is open.
    pub fn is_open(&self) -> bool {
        self.capacities.is_completed()
    }

    /// The CPU runs nobody, and nobody waits there.
    pub fn set_nobody(&self, cpu: CpuId) {
        self.cpus[cpu.index()].running.store(NOBODY, Relaxed);
        self.set_queued(cpu, 0);
    }

    /// The CPU can be given something to run.
    pub fn set_idle(&self, cpu: CpuId) {
        self.idle.fetch_or(CpuMask::of(cpu).bits(), Relaxed);
    }

    /// The CPU has something to run, or is about to be given it: it is not idle for anyone else from now on. False when it was not.
    pub fn claim(&self, cpu: CpuId) -> bool {
        let bit = CpuMask::of(cpu).bits();
        self.idle.load(Relaxed) & bit != 0 && self.idle.fetch_and(!bit, Relaxed) & bit != 0
    }

    /// A task is on its way to the CPU.
    pub fn add_arriving(&self, cpu: CpuId) {
        self.cpus[cpu.index()].arriving.fetch_add(1, Relaxed);
    }

    /// A task has arrived at the CPU.
    pub fn remove_arriving(&self, cpu: CpuId) {
        self.cpus[cpu.index()].arriving.fetch_sub(1, Relaxed);
    }

    /// The CPU runs this task.
    #[inline]
    pub fn set_running(&self, cpu: CpuId, task: TaskId) {
        self.cpus[cpu.index()].running.store(task.raw(), Relaxed);
    }

    /// How many tasks wait in the CPU's queue.
    #[inline]
    pub fn set_queued(&self, cpu: CpuId, queued: usize) {
        self.cpus[cpu.index()].queued.store(queued as u32, Relaxed);
    }

    /// The CPU's load.
    #[inline]
    pub fn set_load<T: Schedulable, const N: usize>(&self, cpu: CpuId, queue: &RunQueue<T, N>) {
        let published = &self.cpus[cpu.index()];
        published.utilisation.store(queue.utilisation(), Relaxed);
        published.estimate.store(queue.estimate(), Relaxed);
        published.runnable.store(queue.runnable(), Relaxed);
        published.stint.store(queue.stint().as_nanos() as u32, Relaxed);
    }

    /// Whether anybody has ever set bounds.
    #[inline]
    pub fn has_clamps(&self) -> bool {
        self.clamps.load(Relaxed)
    }

    /// Somebody sets bounds.
    pub fn note_clamps(&self) {
        self.clamps.store(true, Relaxed);
    }

    /// The bounds of those who run or wait on the CPU.
    pub fn set_clamp(&self, cpu: CpuId, clamp: Clamp) {
        self.cpus[cpu.index()].clamp.set(clamp);
    }

    /// The readings of the CPU's meter: see [`crate::meter::Meter::readings`].
    pub fn set_meter(&self, cpu: CpuId, (busy, drawn): (u32, u32)) {
        let published = &self.cpus[cpu.index()];
        published.busy.store(busy, Relaxed);
        published.drawn.store(drawn, Relaxed);
    }

    /// What [`View::set_meter`] published.
    pub fn meter(&self, cpu: CpuId) -> (u32, u32) {
        let published = &self.cpus[cpu.index()];
        (published.busy.load(Relaxed), published.drawn.load(Relaxed))
    }

    /// The view through the eyes of the policy, which is to know of the CPUs in `online` only.
    #[inline]
    pub fn through<'a>(
        &'a self,
        tasks: &'a TaskTable,
        governance: &'a Governance,
        plan: Option<&'a Plan>,
        online: CpuMask,
    ) -> Eyes<'a> {
        Eyes { view: self, tasks, governance, plan, online, capacities: self.capacities() }
    }

    /// The CPUs that are online.
    #[inline]
    pub fn online(&self) -> CpuMask {
        CpuMask::from_bits(self.online.load(Relaxed))
    }

    /// The CPUs that have nothing to run and nothing coming.
    #[inline]
    pub fn idle(&self) -> CpuMask {
        CpuMask::from_bits(self.idle.load(Relaxed))
    }

    /// The capacities of the CPUs that are present.
    ///
    /// # Panics
    /// Before [`View::set_capacities`]: no task exists then.
    #[inline]
    pub fn capacities(&self) -> &CapacityTable {
        self.capacities.get().expect("capacities are known before the first task")
    }
}

impl Default for View {
    fn default() -> Self {
        View::new()
    }
}

/// [`View`] and the public words of the tasks together: what the policy reads.
pub struct Eyes<'a> {
    view: &'a View,
    tasks: &'a TaskTable,
    governance: &'a Governance,
    plan: Option<&'a Plan>,
    online: CpuMask,
    capacities: &'a CapacityTable,
}

impl Cpus for Eyes<'_> {
    fn online(&self) -> CpuMask {
        self.online
    }

    fn idle(&self) -> CpuMask {
        self.view.idle() & self.online
    }

    fn capacities(&self) -> &CapacityTable {
        self.capacities
    }

    fn view(&self, cpu: CpuId) -> CpuView {
        let published = &self.view.cpus[cpu.index()];
        let task = published.running.load(Relaxed);
        CpuView {
            running: (task != NOBODY).then(|| self.tasks.shared(slot_of(task)).view()),
            queued: published.queued.load(Relaxed) + published.arriving.load(Relaxed),
            utilisation: published.utilisation.load(Relaxed),
        }
    }

    fn stint(&self, cpu: CpuId) -> Nanos {
        Nanos::new(u64::from(self.view.cpus[cpu.index()].stint.load(Relaxed)))
    }

    fn energy(&self) -> Option<&Energy> {
        self.governance.energy()
    }

    fn plan(&self) -> Option<&Plan> {
        self.plan
    }

    fn load(&self, cpu: CpuId) -> CpuLoad {
        let published = &self.view.cpus[cpu.index()];
        CpuLoad {
            utilisation: published.utilisation.load(Relaxed),
            estimate: published.estimate.load(Relaxed),
            runnable: published.runnable.load(Relaxed),
            clamp: published.clamp.get(),
            pressure: self.governance.pressure(self.capacities.core_type(cpu)),
        }
    }

    fn room(&self, cpu: CpuId) -> Option<MilliCelsius> {
        self.governance.room(cpu)
    }

    fn hints(&self, task: TaskId) -> Hints {
        let shared = self.tasks.shared(slot_of(task.raw()));
        Hints { clamp: shared.clamp.get(), ..shared.insight.hints() }
    }
}

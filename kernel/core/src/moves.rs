//! Where tasks go: waking, placing, moving. The policy decides on what all CPUs publish; the mechanism checks each verdict, and
//! counts and drops what it cannot do.

use arch::IrqsOff;
use sched::trace::Event;
use sched::{Arrival, CpuId, CpuMask, Departure, Nanos, Placement, Plan, RunningView, Shift, TaskId, Wake, Why};

use crate::cpu::Cpu;
use crate::inbox::Message;
use crate::kernel::{Kernel, count};
use crate::sleepers::NEVER;
use crate::task::{Task, TaskRef, Wait};

impl Kernel {
    /// Makes a task that waited runnable again, wherever the policy wants it. A function of its own: whoever wakes one task after the other
    /// would otherwise prepare a loop for all that can happen to it, and mostly there is one task.
    #[inline(never)]
    pub(crate) fn wake(&'static self, cpu: &mut Cpu, task: TaskRef, now: Nanos) {
        if cpu.meter.is_on() {
            let waker = cpu.current.as_ref().map(|waker| (waker.shared, waker.number));
            task.job_begins(now, waker, cpu.meter.learns);
        }
        self.place(cpu, task, Arrival::Woken, now);
    }

    /// The same for a task whose time has come. Whoever runs meanwhile has nothing to do with it.
    #[inline(never)]
    pub(crate) fn wake_by_clock(&'static self, cpu: &mut Cpu, task: TaskRef, now: Nanos) {
        if cpu.meter.is_on() {
            task.job_begins(now, None, cpu.meter.learns);
        }
        self.place(cpu, task, Arrival::Woken, now);
    }

    /// Puts a task that may not stay here on a CPU where it may run.
    #[inline(never)]
    pub(crate) fn replace(&'static self, cpu: &mut Cpu, task: TaskRef, now: Nanos) {
        self.place(cpu, task, Arrival::Moved, now);
    }

    /// Sends a task where it should run. Bound to the CPU where it ran last it has no choice (as in Linux' `select_task_rq`); otherwise
    /// the policy is asked. Inlined, because the callers know how it arrives, and most of this is gone then.
    #[inline(always)]
    pub(crate) fn place(&'static self, cpu: &mut Cpu, task: TaskRef, arrival: Arrival, now: Nanos) {
        if matches!(arrival, Arrival::New) && cpu.meter.is_on() {
            task.job_begins(now, None, cpu.meter.learns);
        }
        let Placement { cpu: to, why } = if task.shared.affinity() & self.view.online() == CpuMask::of(task.cpu) {
            Placement { cpu: task.cpu, why: Why::Previous }
        } else {
            self.choose(cpu, task, arrival, now)
        };
        let number = task.number;
        cpu.record_frequent(match arrival {
            Arrival::New => Event::Spawn { task: number, cpu: to, why },
            _ => Event::Wake { task: number, cpu: to, why },
        });
        self.send(cpu, to, task, arrival, why, now);
    }

    /// Asks the policy where a task should run.
    #[inline(never)]
    fn choose(&'static self, cpu: &mut Cpu, task: &Task, arrival: Arrival, now: Nanos) -> Placement {
        self.refresh_plan(cpu);
        let asleep = matches!(arrival, Arrival::Woken);
        let wake = Wake {
            task: task.number,
            previous: task.cpu,
            waker: cpu.id,
            utilisation: if asleep { task.entity.utilisation_asleep(now) } else { task.entity.utilisation() },
            affinity: task.shared.affinity(),
            fresh: matches!(arrival, Arrival::New),
        };
        let verdict = sched::place(self.policy(), &wake, &self.eyes(cpu, wake.affinity));
        if self.may_run(&wake, verdict.cpu) {
            return verdict;
        }
        self.refuse(cpu, task.number, verdict.cpu, verdict.why, now);
        Placement { cpu: (wake.affinity & self.view.online()).first().unwrap_or(cpu.id), ..verdict }
    }

    fn may_run(&self, wake: &Wake, to: CpuId) -> bool {
        let allowed = wake.affinity & self.view.online();
        // A mask that names no online CPU binds nobody: the task has to run somewhere.
        self.view.online().contains(to) && (allowed.is_empty() || allowed.contains(to))
    }

    /// A verdict that cannot be carried out. It costs at most energy; there must be none.
    fn refuse(&self, cpu: &mut Cpu, task: TaskId, to: CpuId, why: Why, now: Nanos) {
        count(&self.counts.refused);
        cpu.record(now, Event::Refused { task, to, why });
    }

    /// Gives a task to a CPU: into its own queue here, into its inbox elsewhere.
    #[inline]
    pub(crate) fn send(&'static self, cpu: &mut Cpu, to: CpuId, task: TaskRef, arrival: Arrival, why: Why, now: Nanos) {
        if to == cpu.id {
            self.receive(cpu, task, arrival, why, now);
        } else {
            self.post(to, Message::Take { task, arrival, why });
        }
    }

    /// Sends another CPU a task.
    #[inline(never)]
    fn post(&self, to: CpuId, message: Message) {
        // From here on it is not idle for anyone else who looks for an idle CPU.
        self.view.claim(to);
        self.view.add_arriving(to);
        self.inboxes[to.index()].push(message);
        self.poke(to);
    }

    /// A task arrives at this CPU.
    #[inline(never)]
    fn receive(&'static self, cpu: &mut Cpu, task: TaskRef, arrival: Arrival, why: Why, now: Nanos) {
        cpu.work_arrived();
        task.wait = Wait::None;
        if task.cpu != cpu.id {
            if !matches!(arrival, Arrival::New) {
                count(&self.counts.migrations);
                task.usage.migrations += 1;
                cpu.record(now, Event::Migrate { task: task.number, from: task.cpu, to: cpu.id, why });
            }
            task.cpu = cpu.id;
            task.shared.set_cpu(cpu.id);
        }
        if matches!(arrival, Arrival::New | Arrival::Moved) {
            // Others see at once that it has only just come.
            task.shared.publish(&task.entity);
            task.shared.publish_move(now);
        }
        if cpu.meter.is_on() {
            self.reserve(cpu, task);
        }
        cpu.queue.enqueue(task, now, arrival);
        self.view.set_queued(cpu.id, cpu.queue.len());
        self.load_changed(cpu, now);
        if let Some(running) = &cpu.current
            && cpu.queue.should_preempt(&running.entity)
        {
            cpu.reschedule = true;
        }
    }

    /// On the tick: whoever waits without time reserved goes where the plan has some for it.
    #[inline(never)]
    pub(crate) fn send_home(&'static self, cpu: &mut Cpu, now: Nanos) {
        let (id, awake) = (cpu.id, self.view.online() & !self.governance.parked());
        let home = |plan: &Plan, task: &Task| {
            let beat = task.learned.signals.rhythm().beat();
            plan.way_home(task, beat, id).filter(|home| awake.contains(*home))
        };
        while let Some(task) = cpu.queue.take_where(now, |task| home(&cpu.plan, task).is_some()) {
            let to = home(&cpu.plan, task).unwrap_or(id);
            self.view.set_queued(id, cpu.queue.len());
            self.send(cpu, to, task, Arrival::Moved, Why::Planned, now);
        }
    }

    /// On the tick: should the running task be somewhere else?
    #[inline(never)]
    pub(crate) fn consider_moving(&'static self, cpu: &mut Cpu, now: Nanos) {
        if cpu.awaiting {
            return;
        }
        let Some(task) = &cpu.current else {
            return;
        };
        let eyes = self.eyes(cpu, task.shared.affinity());
        let (policy, queued) = (self.policy(), cpu.queue.len() as u32);
        if sched::is_at_peace(policy, cpu.id, queued, &eyes) {
            return;
        }
        let running = RunningView::of(task);
        let idle = self.view.idle();
        match sched::on_tick(policy, cpu.id, now, &running, queued, &eyes) {
            None => {}
            Some(Shift::Push { to, why }) if self.can_move(cpu, running.affinity, to) => {
                self.push_away(cpu, to, idle.contains(to), why, now);
            }
            Some(Shift::Exchange { with, expected, why }) if self.can_move(cpu, running.affinity, with) => {
                let task = cpu.give_up(now, Departure::Moves);
                cpu.awaiting = true;
                self.inboxes[with.index()].push(Message::Exchange { task, from: cpu.id, expected, why });
                self.poke(with);
            }
            Some(Shift::Push { to, why } | Shift::Exchange { with: to, why, .. }) => {
                self.refuse(cpu, running.task, to, why, now)
            }
        }
    }

    /// Gives the running task to another CPU. Two CPUs may have found the same idle CPU: the second one keeps its task.
    fn push_away(&'static self, cpu: &mut Cpu, to: CpuId, was_idle: bool, why: Why, now: Nanos) {
        if was_idle && !self.view.claim(to) {
            cpu.record(now, Event::Lapsed { by: cpu.id, why });
            return;
        }
        let task = cpu.give_up(now, Departure::Moves);
        self.send(cpu, to, task, Arrival::Moved, why, now);
    }

    fn can_move(&self, cpu: &Cpu, affinity: CpuMask, to: CpuId) -> bool {
        to != cpu.id && (affinity & self.view.online()).contains(to)
    }

    /// An idle CPU looks for a task elsewhere. Returns when it is to look again if nothing happens before.
    pub(crate) fn look_for_work(&'static self, cpu: &mut Cpu, now: Nanos) -> Nanos {
        if cpu.awaiting || self.governance.parked().contains(cpu.id) {
            return NEVER;
        }
        let Some(pull) = sched::on_idle(self.policy(), cpu.id, &self.eyes(cpu, CpuMask::ALL)) else {
            return NEVER;
        };
        if pull.from == cpu.id || !self.view.online().contains(pull.from) {
            self.refuse(cpu, TaskId::new(0), pull.from, pull.why, now);
            return NEVER;
        }
        if now < cpu.pulls_again() {
            return cpu.pulls_again();
        }
        cpu.awaiting = true;
        self.inboxes[pull.from.index()].push(Message::Pull { to: cpu.id, running: pull.running, why: pull.why });
        self.poke(pull.from);
        NEVER
    }

    /// Reads the mail. Also looks whether the running task was forbidden to stay, which is announced by a poke alone.
    pub(crate) fn read_inbox(&'static self, irqs: IrqsOff, cpu: &mut Cpu, now: Nanos) {
        while let Some(message) = self.inboxes[cpu.id.index()].pop() {
            match message {
                Message::Take { task, arrival, why } => {
                    // In this order, so that nobody sees a CPU without the task in between and sends it another one.
                    self.receive(cpu, task, arrival, why, now);
                    self.view.remove_arriving(cpu.id);
                }
                Message::Answer { task, why } => {
                    cpu.awaiting = false;
                    self.receive(cpu, task, Arrival::Moved, why, now);
                    self.view.remove_arriving(cpu.id);
                }
                Message::Pull { to, running, why } => self.hand_over(cpu, to, running, why, now),
                Message::Exchange { task, from, expected, why } => self.exchange(cpu, task, from, expected, why, now),
                Message::Nothing => cpu.pull_failed(now),
                Message::DumpTrace => self.dump_trace(irqs, cpu),
            }
        }
        if let Some(task) = &cpu.current
            && !task.shared.affinity().contains(cpu.id)
        {
            cpu.reschedule = true;
        }
    }

    /// Another CPU has nothing to do and asks for a task of this one.
    fn hand_over(&'static self, cpu: &mut Cpu, to: CpuId, running: bool, why: Why, now: Nanos) {
        let allowed = |task: &TaskRef| task.shared.affinity().contains(to);
        let task = if running && cpu.current.as_ref().is_some_and(allowed) {
            Some(cpu.give_up(now, Departure::Moves))
        } else {
            cpu.queue.take_where(now, allowed)
        };
        match task {
            Some(task) => {
                self.view.set_queued(cpu.id, cpu.queue.len());
                self.answer(to, task, why);
            }
            None => {
                cpu.record(now, Event::Lapsed { by: to, why });
                self.inboxes[to.index()].push(Message::Nothing);
                self.poke(to);
            }
        }
    }

    /// Another CPU offers its task for the one that runs here. When that is another one by now, the offer goes back.
    fn exchange(&'static self, cpu: &mut Cpu, offered: TaskRef, from: CpuId, expected: TaskId, why: Why, now: Nanos) {
        let fits =
            cpu.current.as_ref().is_some_and(|task| task.number == expected && task.shared.affinity().contains(from));
        if fits {
            let wanted = cpu.give_up(now, Departure::Moves);
            self.answer(from, wanted, why);
            self.receive(cpu, offered, Arrival::Moved, why, now);
        } else {
            cpu.record(now, Event::Lapsed { by: from, why });
            self.answer(from, offered, why);
        }
    }

    /// Gives a task to the CPU that asked for it.
    fn answer(&self, to: CpuId, task: TaskRef, why: Why) {
        self.post(to, Message::Answer { task, why });
    }
}

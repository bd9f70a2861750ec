//! Leaving the kernel: who runs next, rest and idle. And the interrupts that change it.
//!
//! Every entry passes here, so the usual ways are inlined and what is rare is a function of its own, whose registers and loops burden
//! nobody else. `bench=micro` shows what each of these marks is worth.

use arch::IrqsOff;
use arch::context::Resume;
use sched::{Departure, Nanos};

use crate::cpu::Cpu;
use crate::kernel::{Kernel, count, now};
use crate::pace::Phase;
use crate::task::TaskRef;

impl Kernel {
    /// The end of every way into the kernel: settles which task runs on this CPU, waiting for one if there is none.
    #[inline(always)]
    pub(crate) fn leave(&'static self, irqs: IrqsOff, cpu: &mut Cpu) -> Resume {
        if cpu.reschedule {
            self.switch(irqs, cpu, now());
        }
        if cpu.is_stale() {
            self.refresh(irqs, cpu);
        }
        cpu.charge_system(now()).context.resume()
    }

    /// Rests where the pace demands it, and sets the alarm anew.
    #[inline(never)]
    fn refresh(&'static self, irqs: IrqsOff, cpu: &mut Cpu) {
        let appointment = match cpu.pace.rests() {
            true => self.rest(irqs, cpu, now()).min(cpu.appointment()),
            false => cpu.appointment(),
        };
        cpu.set_alarm(irqs, appointment);
    }

    /// Puts the task on the CPU that deserves it most, idling until there is one. Returns the time.
    #[inline(never)]
    fn switch(&'static self, irqs: IrqsOff, cpu: &mut Cpu, time: Nanos) -> Nanos {
        if let Some(running) = &cpu.current {
            if !running.shared.affinity().contains(cpu.id) {
                let task = cpu.give_up(time, Departure::Moves);
                self.replace(cpu, task, time);
            } else if self.give_way(cpu, time, false) {
                return time;
            }
        }
        if let Some(task) = cpu.queue.pick(time)
            && self.start_picked(cpu, task, time)
        {
            return time;
        }
        self.find_work(irqs, cpu, time)
    }

    /// The rest of [`Kernel::switch`] where the first pick did not do: idles until there is a task that may run here.
    #[inline(never)]
    fn find_work(&'static self, irqs: IrqsOff, cpu: &mut Cpu, mut time: Nanos) -> Nanos {
        loop {
            while let Some(task) = cpu.queue.pick(time) {
                if self.start_picked(cpu, task, time) {
                    return time;
                }
            }
            time = self.idle(irqs, cpu, time);
        }
    }

    /// Puts the task on the CPU that was picked after another one had left it, or after idleness. Answers as [`Kernel::install`].
    #[inline(always)]
    fn start_picked(&'static self, cpu: &mut Cpu, task: TaskRef, time: Nanos) -> bool {
        if cpu.resume_ticks(time) {
            self.view.claim(cpu.id);
        }
        let installed = self.install(cpu, task, time);
        // Behind the running task: in between the CPU must not look as if it had nobody.
        self.view.set_queued(cpu.id, cpu.queue.len());
        installed
    }

    /// Lets the running task queue again behind those that deserve the CPU more. False when nobody was found who may run.
    #[inline(never)]
    pub(crate) fn give_way(&'static self, cpu: &mut Cpu, time: Nanos, yields: bool) -> bool {
        if cpu.queue.is_empty() {
            cpu.reschedule = false;
            return true;
        }
        let task = cpu.set_down(time);
        let next = cpu.queue.give_way(task, time, yields);
        self.install(cpu, next, time)
    }

    /// Puts a task that the queue picked on the CPU. One that may not run here any more is sent on its way instead: false.
    #[inline(always)]
    fn install(&'static self, cpu: &mut Cpu, task: TaskRef, time: Nanos) -> bool {
        if !task.shared.affinity().contains(cpu.id) {
            return self.turn_away(cpu, task, time);
        }
        self.view.set_running(cpu.id, task.number);
        cpu.run(task, time);
        true
    }

    /// Sends a task on its way that was picked and may not run here. Always false.
    #[cold]
    fn turn_away(&'static self, cpu: &mut Cpu, task: TaskRef, time: Nanos) -> bool {
        cpu.queue.leave(&mut task.entity, time, Departure::Moves);
        self.replace(cpu, task, time);
        false
    }

    /// Nothing to run: asks for work, then sleeps until something happens.
    #[inline(never)]
    fn idle(&'static self, irqs: IrqsOff, cpu: &mut Cpu, time: Nanos) -> Nanos {
        cpu.queue.idle(time);
        self.view.set_nobody(cpu.id);
        self.publish_load(cpu);
        self.publish_meter(cpu);
        if !cpu.awaiting {
            // While an answer is on its way the CPU is as good as busy.
            self.view.set_idle(cpu.id);
        }
        self.load_changed(cpu, time);
        let again = self.look_for_work(cpu, time);
        let time = self.wait(irqs, cpu, again);
        cpu.charge_nobody(time);
        cpu.queue.idle(time);
        self.follow_clock(cpu);
        time
    }

    /// Outside its window the running task rests. Returns the end of the window in which it may go on.
    #[inline(never)]
    fn rest(&'static self, irqs: IrqsOff, cpu: &mut Cpu, mut time: Nanos) -> Nanos {
        loop {
            match cpu.phase(time) {
                Phase::Run(window_end) => return window_end,
                Phase::Rest(window_start) => {
                    cpu.charge_system(time);
                    time = self.wait(irqs, cpu, window_start);
                    cpu.charge_nobody(time);
                    if cpu.reschedule {
                        time = self.switch(irqs, cpu, time);
                    }
                }
            }
        }
    }

    /// Waits for one interrupt, at the latest for the alarm at `until`, and handles it. Returns the time before it was handled, so
    /// that its cost is charged.
    fn wait(&'static self, irqs: IrqsOff, cpu: &mut Cpu, until: Nanos) -> Nanos {
        cpu.set_alarm(irqs, until.min(cpu.appointment()));
        arch::cpu::wait_for_interrupt(irqs);
        let time = now();
        self.take_interrupt(irqs, cpu, time);
        time
    }

    /// Handles what is pending, if anything is.
    #[inline(never)]
    pub(crate) fn take_interrupt(&'static self, irqs: IrqsOff, cpu: &mut Cpu, time: Nanos) {
        let Some(interrupt) = arch::gic::acknowledge(irqs) else {
            return;
        };
        match interrupt.id() {
            arch::time::INTERRUPT => self.alarm(cpu, time),
            arch::ipi::RESCHEDULE => self.read_inbox(irqs, cpu, time),
            arch::ipi::STOP => arch::cpu::halt(),
            id if id == self.board().facts().console_interrupt => self.console_interrupt(cpu, time),
            id => panic!("interrupt {id} has no handler"),
        }
        arch::gic::end(irqs, interrupt);
    }

    /// The alarm went off: wakes sleepers, ticks. Its line stays up until the hardware is set anew, which leaving the kernel or
    /// waiting does, with interrupts still masked.
    #[inline(always)]
    fn alarm(&'static self, cpu: &mut Cpu, time: Nanos) {
        cpu.alarm_fired();
        if cpu.sleepers.next() <= time {
            self.wake_sleepers(cpu, time);
        }
        if cpu.take_tick(time) {
            self.tick(cpu, time);
        } else if cpu.appointment() <= time {
            self.keep_appointments(cpu, time);
        }
    }

    /// What is due beside ticks and sleepers. Where a tick is due at the same time the alarm goes off again for this, so that no tick looks.
    #[cold]
    fn keep_appointments(&'static self, cpu: &mut Cpu, time: Nanos) {
        if cpu.take_clocks(time) {
            self.attend_to_clocks(cpu, time);
        }
        if cpu.take_part(time) {
            self.end_part(cpu, time);
        }
    }

    #[inline(never)]
    fn wake_sleepers(&'static self, cpu: &mut Cpu, time: Nanos) {
        while let Some(task) = cpu.sleepers.pop_due(time) {
            self.wake_by_clock(cpu, task, time);
        }
    }

    /// One tick of a CPU that runs something.
    fn tick(&'static self, cpu: &mut Cpu, time: Nanos) {
        count(&self.counts.ticks);
        cpu.account(time);
        self.publish_load(cpu);
        self.govern(cpu, time);
        let Some(task) = &cpu.current else {
            return;
        };
        if !task.shared.affinity().contains(cpu.id) || cpu.queue.should_preempt(&task.entity) {
            cpu.reschedule = true;
        }
        self.consider_moving(cpu, time);
    }
}

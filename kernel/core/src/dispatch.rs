//! Leaving the kernel: who runs next, rest and idle. And the interrupts that change it.

use arch::IrqsOff;
use arch::context::Resume;
use sched::{Departure, Nanos};

use crate::cpu::Cpu;
use crate::kernel::{Kernel, count, now};
use crate::pace::Phase;
use crate::table::slot_of;
use crate::task::TaskRef;

impl Kernel {
    /// The end of every way into the kernel: settles which task runs on this CPU, waiting for one if there is none.
    #[inline]
    pub(crate) fn leave(&'static self, irqs: IrqsOff, cpu: &mut Cpu) -> Resume {
        if cpu.reschedule {
            self.switch(irqs, cpu, now());
        }
        if cpu.is_stale() {
            let time = self.rest(irqs, cpu, now());
            cpu.set_alarm(irqs, time);
        }
        cpu.charge_system(now());
        cpu.running().context.resume()
    }

    /// Puts the task on the CPU that deserves it most, idling until there is one. Returns the time.
    fn switch(&'static self, irqs: IrqsOff, cpu: &mut Cpu, mut time: Nanos) -> Nanos {
        if let Some(running) = &cpu.current {
            if !running.shared.affinity().contains(cpu.id) {
                let task = cpu.give_up(time, Departure::Moves);
                self.replace(cpu, task, time);
            } else if self.give_way(cpu, time, false) {
                return time;
            }
        }
        loop {
            while let Some(task) = cpu.queue.pick(time) {
                if self.install(cpu, task, time) {
                    return time;
                }
            }
            time = self.idle(irqs, cpu, time);
        }
    }

    /// Lets the running task queue again behind those that deserve the CPU more. False when nobody was found who may run.
    #[inline]
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
    #[inline]
    fn install(&'static self, cpu: &mut Cpu, task: TaskRef, time: Nanos) -> bool {
        if !task.shared.affinity().contains(cpu.id) {
            cpu.queue.leave(&mut task.entity, time, Departure::Moves);
            self.replace(cpu, task, time);
            return false;
        }
        self.view.claim(cpu.id);
        self.view.set_running(cpu.id, slot_of(task.number.raw()));
        self.view.set_queued(cpu.id, cpu.queue.len());
        cpu.run(task, time);
        true
    }

    /// Nothing to run: asks for work, then sleeps until something happens.
    fn idle(&'static self, irqs: IrqsOff, cpu: &mut Cpu, time: Nanos) -> Nanos {
        cpu.queue.idle(time);
        self.view.set_nobody(cpu.id);
        self.view.set_load(cpu.id, &cpu.queue);
        self.publish_meter(cpu);
        if !cpu.awaiting {
            // While an answer is on its way the CPU is as good as busy.
            self.view.set_idle(cpu.id);
        }
        self.load_changed(cpu, time);
        self.look_for_work(cpu, time);
        let time = self.wait(irqs, cpu, time);
        cpu.charge_nobody(time);
        cpu.queue.idle(time);
        self.follow_clock(cpu);
        time
    }

    /// Outside its window the running task rests. Returns the time at which it may go on.
    fn rest(&'static self, irqs: IrqsOff, cpu: &mut Cpu, mut time: Nanos) -> Nanos {
        while cpu.pace.rests()
            && let Phase::Rest(_) = cpu.phase(time)
        {
            cpu.charge_system(time);
            time = self.wait(irqs, cpu, time);
            cpu.charge_nobody(time);
            if cpu.reschedule {
                time = self.switch(irqs, cpu, time);
            }
        }
        time
    }

    /// Waits for one interrupt and handles it. Returns the time before it was handled, so that its cost is charged.
    fn wait(&'static self, irqs: IrqsOff, cpu: &mut Cpu, time: Nanos) -> Nanos {
        cpu.set_alarm(irqs, time);
        arch::cpu::wait_for_interrupt(irqs);
        let time = now();
        self.take_interrupt(irqs, cpu, time);
        time
    }

    /// Handles what is pending, if anything is.
    #[inline]
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
    fn alarm(&'static self, cpu: &mut Cpu, time: Nanos) {
        cpu.alarm_fired();
        while let Some(task) = cpu.sleepers.pop_due(time) {
            self.wake(cpu, task, time);
        }
        if cpu.take_tick(time) {
            self.tick(cpu, time);
        }
    }

    /// One tick of a CPU that runs something.
    fn tick(&'static self, cpu: &mut Cpu, time: Nanos) {
        count(&self.counts.ticks);
        cpu.account(time);
        self.view.set_load(cpu.id, &cpu.queue);
        self.govern(cpu, time);
        let Some(task) = &mut cpu.current else {
            return;
        };
        if !task.shared.affinity().contains(cpu.id) || cpu.queue.should_preempt(&task.entity) {
            cpu.reschedule = true;
        }
        self.consider_moving(cpu, time);
    }
}

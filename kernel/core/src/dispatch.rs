//! Leaving the kernel: who runs next, rest and idle. And the interrupts that change it.

use arch::IrqsOff;
use arch::context::Resume;
use sched::trace::Event;
use sched::{Arrival, Nanos};

use crate::cpu::Cpu;
use crate::kernel::{Kernel, count, now};
use crate::pace::Phase;

impl Kernel {
    /// The end of every way into the kernel: settles which task runs on this CPU, waiting for one if there is none.
    #[inline]
    pub(crate) fn leave(&'static self, irqs: IrqsOff, cpu: &mut Cpu) -> Resume {
        let mut time = now();
        if cpu.reschedule || cpu.current.is_none() {
            time = self.switch(irqs, cpu, time);
        }
        if cpu.pace.rests() {
            time = self.rest(irqs, cpu, time);
        }
        cpu.set_alarm(irqs, time);
        cpu.charge_system(time);
        cpu.running().context.resume()
    }

    /// Puts the task on the CPU that deserves it most, idling until there is one. Returns the time.
    fn switch(&'static self, irqs: IrqsOff, cpu: &mut Cpu, mut time: Nanos) -> Nanos {
        if cpu.current.is_some() {
            let task = cpu.set_down(time);
            self.requeue(cpu, task, Arrival::Preempted, time);
        }
        loop {
            if let Some(task) = self.pick(cpu, time) {
                self.view.set_running(cpu.id, crate::table::slot_of(task.number.raw()));
                self.view.set_queued(cpu.id, cpu.queue.len());
                cpu.run(task, time);
                return time;
            }
            time = self.idle(irqs, cpu, time);
        }
    }

    /// The next task that may run here; those that may not any more are sent on their way.
    fn pick(&'static self, cpu: &mut Cpu, time: Nanos) -> Option<crate::task::TaskRef> {
        while let Some(task) = cpu.queue.pick(time) {
            if task.shared.affinity().contains(cpu.id) {
                return Some(task);
            }
            self.replace(cpu, task, time);
        }
        None
    }

    /// Nothing to run: asks for work, then sleeps until something happens.
    fn idle(&'static self, irqs: IrqsOff, cpu: &mut Cpu, time: Nanos) -> Nanos {
        cpu.queue.idle(time);
        self.view.set_queued(cpu.id, 0);
        self.view.set_utilisation(cpu.id, cpu.queue.utilisation());
        self.view.set_idle(cpu.id);
        cpu.record(time, Event::Idle);
        self.look_for_work(cpu, time);
        let time = self.wait(irqs, cpu, time);
        cpu.queue.idle(time);
        self.view.set_busy(cpu.id);
        time
    }

    /// Outside its window the running task rests. Returns the time at which it may go on.
    fn rest(&'static self, irqs: IrqsOff, cpu: &mut Cpu, mut time: Nanos) -> Nanos {
        while let Phase::Rest(_) = cpu.phase(time) {
            cpu.charge_system(time);
            time = self.wait(irqs, cpu, time);
            cpu.charge_nobody(time);
            if cpu.reschedule || cpu.current.is_none() {
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
            arch::time::INTERRUPT => {
                self.alarm(irqs, cpu, time);
            }
            arch::ipi::RESCHEDULE => self.read_inbox(irqs, cpu, time),
            arch::ipi::STOP => arch::cpu::halt(),
            id if id == self.board().console_interrupt() => self.console_interrupt(cpu, time),
            id => panic!("interrupt {id} has no handler"),
        }
        arch::gic::end(irqs, interrupt);
    }

    /// The alarm went off: wakes sleepers, ticks. The hardware is set anew at once, since its line stays up until then.
    fn alarm(&'static self, irqs: IrqsOff, cpu: &mut Cpu, time: Nanos) {
        cpu.alarm_fired();
        while let Some(task) = cpu.sleepers.pop_due(time) {
            self.wake(cpu, task, time);
        }
        if cpu.take_tick(time) {
            self.tick(cpu, time);
        }
        cpu.set_alarm(irqs, time);
    }

    /// One tick of a CPU that runs something.
    fn tick(&'static self, cpu: &mut Cpu, time: Nanos) {
        count(&self.counts.ticks);
        cpu.account(time);
        let Some(task) = &mut cpu.current else {
            return;
        };
        self.view.set_utilisation(cpu.id, cpu.queue.utilisation());
        if !task.shared.affinity().contains(cpu.id) || cpu.queue.should_preempt(&task.entity) {
            cpu.reschedule = true;
        }
        self.consider_moving(cpu, time);
    }
}

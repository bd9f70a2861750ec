//! The life of a task: made, ended, joined, killed.

use core::fmt;
use core::sync::atomic::Ordering::Relaxed;

use abi::types::{EndKind, FaultKind, MAX_TASKS};
use abi::{Error, Result};
use arch::entry::Fault;
use sched::trace::Event;
use sched::{Arrival, Clamp, CpuMask, Departure, Entity, Nanos, Weight};

use crate::board::Ending;
use crate::calls::Outcome;
use crate::cpu::Cpu;
use crate::kernel::{Kernel, count};
use crate::learned::Learned;
use crate::records;
use crate::table::{End, Joined, slot_of};
use crate::task::{TaskRef, Usage, Wait};

/// The exit code of a system whose first task died or returned: nobody is left to end it in order.
const FIRST_TASK_LOST: u32 = 102;

/// Bytes of the longest panic message of a task that is printed.
const LONGEST_MESSAGE: usize = 160;

const _: () = assert!(arch::user::STACK_SLOTS >= MAX_TASKS, "every task has a stack of its own");

impl Kernel {
    /// A new task that begins at `entry` with two arguments; it is in nobody's queue yet. It inherits the bounds of the
    /// running one.
    pub(crate) fn create(&self, cpu: &Cpu, entry: u32, arguments: [u32; 2], affinity: CpuMask) -> Result<TaskRef> {
        if !arch::user::is_code(entry) {
            return Err(Error::BadAddress);
        }
        let clamp = cpu.current.as_ref().map_or(Clamp::NONE, |parent| parent.shared.clamp.get());
        let task = self.tasks.create(affinity, clamp)?;
        let stack_top = arch::user::stack_top(slot_of(task.number.raw()));
        task.context.prepare(entry, stack_top, [arguments[0], arguments[1], 0]);
        task.entity = Entity::new(Weight::NORMAL);
        if cpu.meter.is_on() {
            // Otherwise nobody has ever written there.
            task.learned = Learned::new();
            task.shared.insight.clear();
        }
        task.usage = Usage::default();
        task.wait = Wait::None;
        task.cpu = cpu.id;
        task.shared.set_cpu(cpu.id);
        task.shared.publish(&task.entity);
        Ok(task)
    }

    pub(crate) fn spawn(
        &'static self,
        cpu: &mut Cpu,
        [entry, first, second]: [u32; 3],
        mask: u32,
        now: Nanos,
    ) -> Outcome {
        let affinity = match mask {
            0 => cpu.running().shared.affinity(),
            _ => self.allowed(mask)?,
        };
        let task = self.create(cpu, entry, [first, second], affinity)?;
        let number = task.number.raw();
        self.place(cpu, task, Arrival::New, now);
        Ok(Some(number))
    }

    pub(crate) fn exit(&'static self, cpu: &mut Cpu, code: u32, now: Nanos) -> Outcome {
        self.end(cpu, End { kind: EndKind::Exited, value: code }, now);
        Ok(None)
    }

    /// Ends the running task and tells its joiner.
    fn end(&'static self, cpu: &mut Cpu, end: End, now: Nanos) {
        let task = cpu.give_up(now, Departure::Exits);
        cpu.record(now, Event::Exit { task: task.number });
        if task.number.raw() == self.first.load(Relaxed) {
            self.print(format_args!("the first task ended without ending the system: {end:?}"));
            self.board().end(Ending::Halt(FIRST_TASK_LOST));
        }
        if let Some(joiner) = self.tasks.end(task, end) {
            joiner.context.set_result_pair(end.kind as u32, end.value);
            self.wake(cpu, joiner, now);
        }
    }

    pub(crate) fn join(&'static self, cpu: &mut Cpu, number: u32, now: Nanos) -> Outcome {
        if cpu.running().number.raw() == number {
            return Err(Error::BadArgument);
        }
        if let Joined::Ended(end) = self.tasks.join(number, || cpu.give_up(now, Departure::Sleeps))? {
            cpu.running().context.set_result_pair(end.kind as u32, end.value);
        }
        Ok(None)
    }

    pub(crate) fn statistics(&'static self, cpu: &mut Cpu, number: u32, address: u32, now: Nanos) -> Result<u32> {
        if cpu.running().number.raw() != number {
            let statistics = self.tasks.ended(number, |task| task.statistics(self.listed_ratio()))?;
            return records::write_statistics(address, &statistics).map(|()| 0);
        }
        cpu.count_time(now);
        let listed = self.listed_ratio();
        let Cpu { current, meter, .. } = cpu;
        let task = current.as_mut().expect("a running task asks");
        meter.end_stint(&mut task.learned);
        records::write_statistics(address, &task.statistics(listed)).map(|()| 0)
    }

    /// The running task did what a task may not do.
    pub(crate) fn kill_faulty(&'static self, cpu: &mut Cpu, now: Nanos, fault: &Fault) {
        let kind = match fault.kind {
            arch::entry::FaultKind::PrefetchAbort => FaultKind::PrefetchAbort,
            arch::entry::FaultKind::DataAbort => FaultKind::DataAbort,
            arch::entry::FaultKind::Undefined | arch::entry::FaultKind::Unexpected => FaultKind::Undefined,
        };
        let why = format_args!(
            "kind={} pc={:#010x} addr={:#010x} status={:#x}",
            fault.kind, fault.pc, fault.address, fault.status
        );
        self.kill(cpu, kind, why, now);
    }

    /// The running task panicked.
    pub(crate) fn kill_panicked(&'static self, cpu: &mut Cpu, address: u32, length: u32, now: Nanos) -> Outcome {
        let mut bytes = [0; LONGEST_MESSAGE];
        let bytes = &mut bytes[..LONGEST_MESSAGE.min(length as usize)];
        let message = match arch::user::read(address, bytes) {
            Ok(()) => core::str::from_utf8(bytes).unwrap_or("(not UTF-8)"),
            Err(_) => "(not readable)",
        };
        let pc = cpu.running().context.link_register();
        self.kill(cpu, FaultKind::Panic, format_args!("kind=panic pc={pc:#010x} message={message:?}"), now);
        Ok(None)
    }

    fn kill(&'static self, cpu: &mut Cpu, kind: FaultKind, why: fmt::Arguments<'_>, now: Nanos) {
        count(&self.counts.faults);
        let task = cpu.running().number;
        self.print(format_args!("FAULT cpu={} task={} {why} action=killed", cpu.id.index(), task.raw()));
        self.end(cpu, End { kind: EndKind::Killed, value: kind as u32 }, now);
    }
}

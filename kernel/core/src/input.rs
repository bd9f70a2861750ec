//! Console input: bytes from the interrupt to whoever reads.

use abi::{Error, Result};
use heapless::Deque;
use sched::{Departure, Nanos};
use spin::Mutex;

use crate::cpu::Cpu;
use crate::kernel::Kernel;
use crate::task::{TaskRef, Wait};

/// Bytes that may be typed ahead.
const TYPED_AHEAD: usize = 256;
/// Tasks that may wait for input at once.
const READERS: usize = 4;

struct State {
    bytes: Deque<u8, TYPED_AHEAD>,
    readers: Deque<TaskRef, READERS>,
}

/// The input side of the console. Its lock is a leaf.
pub struct Input(Mutex<State>);

impl Input {
    /// Nothing typed.
    pub const fn new() -> Input {
        Input(Mutex::new(State { bytes: Deque::new(), readers: Deque::new() }))
    }
}

impl Default for Input {
    fn default() -> Self {
        Input::new()
    }
}

impl State {
    /// Moves typed bytes into a user buffer that was checked before. Returns how many.
    fn deliver(&mut self, address: u32, length: usize) -> u32 {
        let mut taken = 0;
        while taken < length as u32 {
            let Some(byte) = self.bytes.pop_front() else {
                break;
            };
            if arch::user::write(address + taken, &[byte]).is_err() {
                unreachable!("the buffer was checked when its task began to wait");
            }
            taken += 1;
        }
        taken
    }
}

impl Kernel {
    /// The console's interrupt: takes what came, and finishes the read of the task that waits longest. What nobody
    /// reads in time and does not fit is lost, as on any serial line.
    pub(crate) fn console_interrupt(&'static self, cpu: &mut Cpu, now: Nanos) {
        let console = self.board().console();
        let mut state = self.input.0.lock();
        while let Some(byte) = console.take() {
            // A full buffer loses the newest byte.
            let _ = state.bytes.push_back(byte);
        }
        if state.bytes.is_empty() {
            return;
        }
        let Some(reader) = state.readers.pop_front() else {
            return;
        };
        if let Wait::Buffer { address, length } = reader.wait {
            let taken = state.deliver(address, length);
            reader.context.set_result(taken);
        }
        drop(state);
        self.wake(cpu, reader, now);
    }

    /// Reads what was typed, or waits for it.
    pub(crate) fn console_read(
        &'static self,
        cpu: &mut Cpu,
        address: u32,
        length: u32,
        now: Nanos,
    ) -> Result<Option<u32>> {
        if length == 0 {
            return Err(Error::BadArgument);
        }
        arch::user::writable(address, length).map_err(|_| Error::BadAddress)?;
        let length = length as usize;
        let mut state = self.input.0.lock();
        if !state.bytes.is_empty() {
            return Ok(Some(state.deliver(address, length)));
        }
        if state.readers.is_full() {
            return Err(Error::Exhausted);
        }
        let task = cpu.give_up(now, Departure::Sleeps);
        task.wait = Wait::Buffer { address, length };
        if state.readers.push_back(task).is_err() {
            unreachable!("there was room a moment ago");
        }
        Ok(None)
    }
}

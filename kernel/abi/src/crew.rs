//! A crew: tasks that are started one after the other and waited for together.

use crate::error::{Error, Result};
use crate::task::{End, Entry, Task, spawn_on};

/// Up to `N` tasks whose end one task waits for.
#[derive(Debug)]
pub struct Crew<const N: usize> {
    tasks: [Option<Task>; N],
    size: usize,
}

impl<const N: usize> Crew<N> {
    /// A crew of nobody.
    pub const fn new() -> Crew<N> {
        Crew { tasks: [None; N], size: 0 }
    }

    /// Starts one more task on the CPUs of `affinity`; 0 stands for the caller's own mask.
    ///
    /// # Errors
    /// As [`spawn_on`]; [`Error::Exhausted`] also when the crew is full.
    pub fn start(&mut self, affinity: u32, entry: Entry, argument: usize) -> Result<Task> {
        let place = self.tasks.get_mut(self.size).ok_or(Error::Exhausted)?;
        let task = spawn_on(affinity, entry, argument)?;
        *place = Some(task);
        self.size += 1;
        Ok(task)
    }

    /// How many were started.
    pub const fn size(&self) -> usize {
        self.size
    }

    /// Waits for all of them. Returns how many did not exit with code 0.
    ///
    /// # Errors
    /// As [`Task::join`], from the first that could not be waited for.
    pub fn wait(self) -> Result<usize> {
        let mut unwell = 0;
        for task in self.tasks.iter().flatten() {
            if task.join()? != End::Exited(0) {
                unwell += 1;
            }
        }
        Ok(unwell)
    }
}

impl<const N: usize> Default for Crew<N> {
    fn default() -> Self {
        Crew::new()
    }
}

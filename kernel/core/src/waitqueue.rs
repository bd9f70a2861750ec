//! Tasks that wait for the same thing, in the order in which they came.
//!
//! A queue is threaded through the task blocks, so it has room for everyone and costs two words. Each block owns the
//! next one, as `&'static mut` demands, which makes the far end of a chain hard to reach: so those who come are chained
//! newest first, and when the older ones are used up that chain is turned round. Every task is turned once.

use crate::task::{Task, TaskRef};

/// See the [module](self).
pub struct WaitQueue {
    /// From the one that came first on.
    oldest: Option<TaskRef>,
    /// From the one that came last back to those that `oldest` does not hold.
    newest: Option<TaskRef>,
}

impl WaitQueue {
    /// Nobody waits.
    pub const fn new() -> WaitQueue {
        WaitQueue { oldest: None, newest: None }
    }

    /// Whether nobody waits.
    pub fn is_empty(&self) -> bool {
        self.oldest.is_none() && self.newest.is_none()
    }

    /// Adds a task.
    #[inline]
    pub fn push(&mut self, task: TaskRef) {
        task.next = self.newest.take();
        self.newest = Some(task);
    }

    /// Takes the one that came first.
    #[inline]
    pub fn pop(&mut self) -> Option<TaskRef> {
        self.take_where(|_| true)
    }

    /// Takes the one that came first of those that `wanted` accepts.
    #[inline]
    pub fn take_where(&mut self, wanted: impl Fn(&Task) -> bool) -> Option<TaskRef> {
        let mut place = &mut self.oldest;
        loop {
            if place.is_none() {
                *place = turned(self.newest.take());
            }
            if wanted(place.as_ref()?) {
                break;
            }
            place = &mut place.as_mut()?.next;
        }
        let task = place.take()?;
        *place = task.next.take();
        Some(task)
    }
}

impl Default for WaitQueue {
    fn default() -> Self {
        WaitQueue::new()
    }
}

/// The same chain the other way round.
#[inline]
fn turned(mut chain: Option<TaskRef>) -> Option<TaskRef> {
    let mut turned = None;
    while let Some(task) = chain {
        chain = core::mem::replace(&mut task.next, turned);
        turned = Some(task);
    }
    turned
}

#[cfg(test)]
mod tests {
    use std::boxed::Box;
    use std::vec::Vec;

    use sched::TaskId;

    use super::*;
    use crate::task::Shared;

    fn task(number: u32) -> TaskRef {
        Box::leak(Box::new(Task::new(TaskId::new(number), Box::leak(Box::new(Shared::new())))))
    }

    #[test]
    fn who_comes_first_goes_first_whatever_happens_in_between() {
        let mut queue = WaitQueue::new();
        let mut model = Vec::new();
        for step in 0..200_u32 {
            // A fixed mixture: twice as many come as go, and some go out of turn.
            match step * 7 % 5 {
                0 => {
                    let first = (!model.is_empty()).then(|| model.remove(0));
                    assert_eq!(queue.pop().map(|task| task.number.raw()), first);
                }
                1 => {
                    let odd = |number: u32| number % 2 == 1;
                    let place = model.iter().position(|number| odd(*number));
                    let taken = queue.take_where(|task| odd(task.number.raw())).map(|task| task.number.raw());
                    assert_eq!(taken, place.map(|place| model.remove(place)));
                }
                _ => {
                    queue.push(task(step));
                    model.push(step);
                }
            }
        }
        let rest: Vec<u32> = core::iter::from_fn(|| queue.pop()).map(|task| task.number.raw()).collect();
        assert_eq!(rest, model);
        assert!(rest.len() > 20);
    }
}

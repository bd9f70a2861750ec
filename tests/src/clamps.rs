//! Bounds of utilisation: who has which, and that wrong ones are refused.

use abi::Error;
use abi::task::{Clamp, End, Task, current, exit, spawn};

use crate::harness::{Detail, Verdict, expect, expect_end, expect_refused};

const SOME: Clamp = Clamp { min: 128, max: 512 };

/// A task begins with the bounds of the one that starts it, and keeps them whatever becomes of that one's.
pub fn inherited() -> Verdict {
    fn child(_: usize) {
        let well = current().clamp() == Ok(SOME) && current().set_clamp(Clamp::NONE).is_ok();
        exit(u32::from(!(well && current().clamp() == Ok(Clamp::NONE))))
    }
    let me = current();
    let before = me.clamp()?;
    me.set_clamp(SOME)?;
    let child = spawn(child, 0);
    let mine = me.clamp();
    me.set_clamp(before)?;
    expect_end(End::Exited(0), child?.join()?)?;
    expect("bounds that a child does not change", mine == Ok(SOME))?;
    expect("bounds as they were", me.clamp() == Ok(before))?;
    Ok(Detail::Plain)
}

/// Bounds above a full CPU or in the wrong order are refused, and so is a task that does not exist; the task's own
/// bounds stay.
pub fn mistakes() -> Verdict {
    let before = current().clamp()?;
    for (min, max) in [(0, 1025), (1025, 2000), (512, 511), (0, u32::MAX), (u32::MAX, 1024), (0x8000_0000, 0x8000_0001)]
    {
        expect_refused("bounds that are none", Error::BadArgument, current().set_clamp(Clamp { min, max }))?;
    }
    let nobody = Task::from_number(u32::MAX);
    expect_refused("bounds for nobody", Error::NoSuchTask, nobody.set_clamp(SOME))?;
    expect_refused("the bounds of nobody", Error::NoSuchTask, nobody.clamp())?;
    expect("bounds after refusals", current().clamp() == Ok(before))?;
    Ok(Detail::Plain)
}

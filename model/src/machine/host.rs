//! What the host answers on every machine: Arm semihosting, of which only the ways out (a debugger would offer the same
//! on a real board), and the debugger's breakpoints.

use crate::bus::{Access, Answer, Call, Memory};
use crate::cpu::{Core, Mode};
use crate::soc::device::{Effects, Ending, Request};

/// The number of the supervisor call in A32.
const CALL: u32 = 0x12_3456;
const SYS_EXIT: u32 = 0x18;
const SYS_EXIT_EXTENDED: u32 = 0x20;
/// "The application ended": the reason with which an exit code comes.
const APPLICATION_EXIT: u32 = 0x2_0026;

/// Number of the BKPT instruction that stands for a breakpoint of the debugger.
pub(crate) const BREAKPOINT: u16 = 0xdb06;

/// Answers a call that is none of the machine's own.
pub fn call(call: Call, core: &mut Core, memory: &mut Memory, at: &Access, effects: &mut Effects) -> Answer {
    match call {
        Call::Svc(number) => semihosting(number, core, memory, effects),
        Call::Breakpoint(BREAKPOINT) => {
            effects.requests.push(Request::Break { core: core.index, pc: at.pc });
            Answer::EndSlice
        }
        _ => Answer::Decline,
    }
}

/// Answers supervisor call `number`, if it is semihosting and comes from the kernel. The parameter block is read where
/// it lies: the guest maps memory one to one.
fn semihosting(number: u32, core: &mut Core, memory: &mut Memory, effects: &mut Effects) -> Answer {
    if number != CALL || core.mode() == Mode::User {
        return Answer::Decline;
    }
    let block = core.r[1];
    let (reason, code) = match core.r[0] {
        SYS_EXIT => (block, 0),
        SYS_EXIT_EXTENDED => match (memory.read_word(block), memory.read_word(block.wrapping_add(4))) {
            (Some(reason), Some(code)) => (reason, code),
            _ => return Answer::Decline,
        },
        _ => {
            core.r[0] = !0;
            return Answer::Done;
        }
    };
    effects.requests.push(Request::End(Ending::Exit(if reason == APPLICATION_EXIT { code } else { 1 })));
    Answer::EndSlice
}

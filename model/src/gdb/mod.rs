//! A debugger for the guest: GDB's remote protocol over TCP. Each core is a thread, thread n + 1 being core n.
//!
//! Breakpoints are BKPT instructions in the guest's memory, behind its back. A step is a run to the places where the
//! core can be next. While somebody debugs, runs are not repeatable.

mod next;
mod target;

use std::io;
use std::net::{TcpListener, TcpStream};

use gdbstub::common::Signal;
use gdbstub::conn::ConnectionExt;
use gdbstub::stub::run_blocking::{BlockingEventLoop, Event, WaitForStopReasonError};
use gdbstub::stub::{DisconnectReason, GdbStub, MultiThreadStopReason};

use crate::machine::{Limits, Machine, Outcome, Soc, Typing};
use target::{Debugged, thread};

/// Model time between two looks at what the debugger wants.
const TURN: u64 = 1_000_000;

/// Waits for a debugger, then runs the machine as it says. `show` gets what leaves the console.
///
/// # Errors
///
/// If the connection breaks.
pub fn serve<P: Soc>(
    machine: &mut Machine<P>,
    listener: &TcpListener,
    show: &mut dyn FnMut(&[u8]),
) -> io::Result<Outcome> {
    let (stream, _) = listener.accept()?;
    // Its answers are small and many.
    stream.set_nodelay(true)?;
    let mut debugged = Debugged::new(machine, show);
    let ended = GdbStub::new(stream).run_blocking::<Loop<'_, P>>(&mut debugged);
    debugged.remove_all();
    let outcome = match ended {
        // The debugger has gone; the machine runs on.
        Ok(DisconnectReason::Disconnect) => Ok(debugged.run_on(&Limits::default())),
        Ok(_) => Ok(debugged.outcome.unwrap_or(Outcome::HostLimit)),
        Err(error) => Err(io::Error::other(error.to_string())),
    };
    debugged.finish();
    outcome
}

/// How the stub and the machine take turns.
struct Loop<'a, P: Soc>(std::marker::PhantomData<&'a P>);

impl<'a, P: Soc> BlockingEventLoop for Loop<'a, P> {
    type Target = Debugged<'a, P>;
    type Connection = TcpStream;
    type StopReason = MultiThreadStopReason<u32>;

    fn wait_for_stop_reason(
        target: &mut Debugged<'a, P>,
        connection: &mut TcpStream,
    ) -> Result<Event<Self::StopReason>, WaitForStopReasonError<&'static str, io::Error>> {
        loop {
            if connection.peek().map_err(WaitForStopReasonError::Connection)?.is_some() {
                let byte = connection.read().map_err(WaitForStopReasonError::Connection)?;
                return Ok(Event::IncomingData(byte));
            }
            let model = target.now() + TURN;
            match target.run_on(&Limits { model, ..Limits::default() }) {
                Outcome::TimeLimit | Outcome::HostLimit => {}
                Outcome::Break(core) => {
                    let reason = if target.end_step() {
                        MultiThreadStopReason::SignalWithThread { tid: thread(core), signal: Signal::SIGTRAP }
                    } else {
                        MultiThreadStopReason::SwBreak(thread(core))
                    };
                    return Ok(Event::TargetStopped(reason));
                }
                outcome => {
                    target.outcome = Some(outcome);
                    let code = u8::try_from(outcome.code()).unwrap_or(1);
                    return Ok(Event::TargetStopped(MultiThreadStopReason::Exited(code)));
                }
            }
        }
    }

    fn on_interrupt(_: &mut Debugged<'a, P>) -> Result<Option<Self::StopReason>, &'static str> {
        Ok(Some(MultiThreadStopReason::Signal(Signal::SIGINT)))
    }
}

/// What is typed reaches the debugger, not the guest.
fn nobody() -> Typing {
    Typing::nothing()
}

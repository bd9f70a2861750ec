//! A debugger for the guest: GDB's remote protocol over TCP. Each core is a thread, thread n + 1 being core n.
//!
//! Breakpoints are BKPT instructions in the guest's memory, behind its back. A step is a run to the places where the
//! core can be next. While somebody debugs, runs are not repeatable.

mod next;
mod target;

use std::io::{self, ErrorKind};
use std::net::{TcpListener, TcpStream};
use std::thread;
use std::time::{Duration, Instant};

use gdbstub::common::Signal;
use gdbstub::conn::ConnectionExt;
use gdbstub::stub::run_blocking::{BlockingEventLoop, Event, WaitForStopReasonError};
use gdbstub::stub::{DisconnectReason, GdbStub, MultiThreadStopReason};

use crate::bus::Time;
use crate::machine::{Machine, Outcome, Show, Soc};
use target::{Debugged, thread_of};

/// Model time between two looks at what the debugger wants.
const TURN: u64 = 1_000_000;

/// How often it is looked whether a debugger has come.
const GLANCE: Duration = Duration::from_millis(20);

/// Waits for a debugger, then runs the machine as it says. `show` gets what leaves the console. `limit` is the longest
/// that nobody may come, and the longest that the machine may run; how long it stands still while somebody looks at it
/// does not count.
///
/// # Errors
///
/// If the connection breaks.
pub fn serve<P: Soc>(
    machine: &mut Machine<P>,
    listener: &TcpListener,
    limit: Duration,
    show: &mut Show<'_>,
) -> io::Result<Outcome> {
    let Some(stream) = accept(listener, limit)? else { return Ok(Outcome::HostLimit) };
    // Its answers are small and many.
    stream.set_nodelay(true)?;
    let mut debugged = Debugged::new(machine, limit, show);
    let ended = GdbStub::new(stream).run_blocking::<Loop<'_, P>>(&mut debugged);
    debugged.remove_all();
    let outcome = match ended {
        // The debugger has gone; the machine runs on.
        Ok(DisconnectReason::Disconnect) => Ok(debugged.run_until(Time::MAX)),
        Ok(_) => Ok(debugged.outcome.unwrap_or(Outcome::HostLimit)),
        Err(error) => Err(io::Error::other(error.to_string())),
    };
    debugged.finish();
    outcome
}

/// The debugger, if one comes in time.
fn accept(listener: &TcpListener, limit: Duration) -> io::Result<Option<TcpStream>> {
    listener.set_nonblocking(true)?;
    let begun = Instant::now();
    loop {
        match listener.accept() {
            Ok((stream, _)) => {
                stream.set_nonblocking(false)?;
                return Ok(Some(stream));
            }
            Err(error) if error.kind() != ErrorKind::WouldBlock => return Err(error),
            Err(_) if begun.elapsed() >= limit => return Ok(None),
            Err(_) => thread::sleep(GLANCE.min(limit)),
        }
    }
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
            match target.run_until(target.now() + TURN) {
                Outcome::TimeLimit => {}
                Outcome::Break(core) => {
                    let reason = if target.end_step() {
                        MultiThreadStopReason::SignalWithThread { tid: thread_of(core), signal: Signal::SIGTRAP }
                    } else {
                        MultiThreadStopReason::SwBreak(thread_of(core))
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

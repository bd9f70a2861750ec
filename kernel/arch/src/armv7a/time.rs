//! The clock and the alarm: the physical counter and the virtual timer of the generic timer (ARM DDI 0406C B8.1).
//!
//! The counter is one for all cores. The virtual one differs from it by an offset of each core, which holds anything
//! after a reset; only HYP can set it, and firmware that enters us in SVC may not have. The timer is the virtual one
//! all the same, because its interrupt has one number in both security states: it is set by how long it has to wait,
//! whatever it counts.
#![expect(unsafe_code, reason = "timer registers without a safe writer")]

use core::sync::atomic::{AtomicBool, Ordering};

use aarch32_cpu::asm::isb;
use aarch32_cpu::register::{
    SysRegRead, SysRegRead64, SysRegWrite,
    generic_timer::{CntPct, Cntfrq, CntvCtl, CntvTval, cntkctl::Cntkctl},
};

use crate::IrqsOff;
use crate::rate::Rate;

pub use crate::common::TIMER_INTERRUPT as INTERRUPT;

const ENABLE: u32 = 1;
/// Reads of the counter after which it counts as standing still: some hundred ticks on the fastest core.
const PROBES: u32 = 10_000;

/// The timer counts down from a signed 32-bit number.
const LONGEST_WAIT: u64 = i32::MAX as u64;

/// Whether the counter runs at 24 MHz; otherwise it is 62.5 MHz. A flag, because `now` asks each time.
static IS_24_MHZ: AtomicBool = AtomicBool::new(false);

#[inline(always)]
fn rate() -> Rate {
    if IS_24_MHZ.load(Ordering::Relaxed) { Rate::Mhz24 } else { Rate::Mhz62_5 }
}

/// Makes the clock ready on the executing CPU, whose counter runs at `hz`.
///
/// # Panics
///
/// If `hz` is none of the rates for which there is exact arithmetic: 62.5 MHz and 24 MHz.
pub fn init(irqs: IrqsOff, hz: u32) {
    let rate = Rate::from_hz(hz).expect("the board's counter has a known rate");
    IS_24_MHZ.store(rate == Rate::Mhz24, Ordering::Relaxed);
    // SAFETY: tasks get no access to counters and timers; the kernel's alarm is its own.
    unsafe { Cntkctl::write_raw(0) };
    clear_alarm(irqs);
}

/// The executing CPU's CNTFRQ: no property of the counter, only a note in hertz that firmware leaves for software, and
/// forgets on some cores or on all. Nothing here computes with it.
#[must_use]
pub fn noted_hz() -> u32 {
    Cntfrq::read_raw()
}

/// Nanoseconds since the counter started. Never goes back, not even from one CPU to another.
#[inline]
#[must_use]
pub fn now() -> u64 {
    // Without the barrier the counter may be read before what precedes in program order.
    isb();
    rate().nanoseconds(CntPct::read_raw())
}

/// Asks for an interrupt on the executing CPU at `at`, in nanoseconds since boot.
///
/// The comparison is a level: a deadline that has passed interrupts at once, and the interrupt stays until the alarm is
/// moved into the future or cleared. One that is further away than the timer can wait, 34 s or more, interrupts early.
#[inline]
pub fn set_alarm(_irqs: IrqsOff, at: u64) {
    isb();
    let ticks = rate().ticks(at).saturating_sub(CntPct::read_raw()).min(LONGEST_WAIT);
    // SAFETY: the timer is the kernel's, and its interrupt is expected whenever it is enabled.
    unsafe {
        CntvTval::write_raw(ticks as u32);
        CntvCtl::write_raw(ENABLE);
    }
}

/// Withdraws the executing CPU's alarm.
#[inline]
pub fn clear_alarm(_irqs: IrqsOff) {
    // SAFETY: stopping the timer only withholds its interrupt.
    unsafe { CntvCtl::write_raw(0) };
}

/// Whether the counter counts. On some chips it stands still until another timer was started. Takes bounded time.
#[must_use]
pub fn counter_moves() -> bool {
    let first = CntPct::read_raw();
    (0..PROBES).any(|_| {
        isb();
        CntPct::read_raw() != first
    })
}

//! The whole system: what it is, how it was booted, how it ends.

use crate::call::Call;
use crate::error::{Error, Result};
use crate::trap::{address, trap};
use crate::types::{Climate, Counters, Diagnosis, Goal, Policy, SystemInfo};

/// What machine this is and which policy is in force.
pub fn info() -> Result<SystemInfo> {
    let mut info = SystemInfo::EMPTY;
    Error::decode(trap(Call::SystemInfo, address(&raw mut info), 0, 0, 0).0).map(|_| info)
}

/// What the kernel has counted since boot.
pub fn counters() -> Result<Counters> {
    let mut counters = Counters::default();
    Error::decode(trap(Call::Counters, address(&raw mut counters), 0, 0, 0).0).map(|_| counters)
}

/// Clocks, temperature and energy.
pub fn climate() -> Result<Climate> {
    let mut climate = Climate::default();
    Error::decode(trap(Call::Climate, address(&raw mut climate), 0, 0, 0).0).map(|_| climate)
}

/// The boot arguments, as far as the buffer takes them; empty when they are no UTF-8.
pub fn boot_arguments(buffer: &mut [u8]) -> Result<&str> {
    let (result, _) = trap(Call::BootArguments, address(buffer.as_mut_ptr()), buffer.len() as u32, 0, 0);
    let length = Error::decode(result)? as usize;
    Ok(core::str::from_utf8(&buffer[..length.min(buffer.len())]).unwrap_or(""))
}

/// Selects the policy for the whole system.
pub fn set_policy(policy: Policy, goal: Goal) -> Result<()> {
    Error::decode(trap(Call::SetPolicy, policy as u32, goal as u32, 0, 0).0).map(|_| ())
}

/// Ends the system with an exit code.
pub fn shutdown(code: u32) -> ! {
    trap(Call::Shutdown, code, 0, 0, 0);
    crate::task::exit(code)
}

/// Asks the kernel to do, or to tell, something that only a test wants.
pub fn diagnose(diagnosis: Diagnosis, argument: u32) -> Result<u32> {
    Error::decode(trap(Call::Diagnose, diagnosis as u32, argument, 0, 0).0)
}

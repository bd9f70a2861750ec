//! Firmware calls; the host has no firmware.

pub use crate::common::{Conduit, PsciError};

/// Starts a core.
///
/// # Errors
///
/// Always: there is no firmware.
pub fn cpu_on(_conduit: Conduit, _mpidr: u32, _entry: u32) -> Result<(), PsciError> {
    Err(PsciError::NotSupported)
}

/// Switches the machine off, if the firmware can.
pub fn system_off(_conduit: Conduit) {}

/// Restarts the machine, if the firmware can.
pub fn system_reset(_conduit: Conduit) {}

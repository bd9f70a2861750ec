//! The cores: ARMv7-A in A32.

/// One core.
pub struct Core {
    /// The registers of the current mode.
    pub r: [u32; 16],
}

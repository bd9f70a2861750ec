//! What a core says of itself: identification registers of Cortex-A15 r2p3 and Cortex-A7 r0p3 (their technical
//! reference manuals, ARM DDI 0438 and DDI 0464, chapters 4).

/// The core types of the Exynos5422.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Cortex-A15, the big one.
    A15,
    /// Cortex-A7, the LITTLE one.
    A7,
}

/// The registers that identify a core.
#[derive(Clone, Debug)]
pub struct Identity {
    /// The core type.
    pub kind: Kind,
    /// MIDR.
    pub midr: u32,
    /// MPIDR.
    pub mpidr: u32,
    /// CTR: cache types.
    pub ctr: u32,
    /// CLIDR: cache levels.
    pub clidr: u32,
    /// CCSIDR of the L1 data, L1 instruction and L2 cache.
    pub ccsidr: [u32; 3],
    /// L2CTLR: cores of the cluster at 25:24.
    pub l2ctlr: u32,
    /// CBAR: where the private peripherals are.
    pub cbar: u32,
    /// ID_PFR0, ID_PFR1, ID_DFR0, ID_AFR0, ID_MMFR0-3.
    pub features: [u32; 8],
    /// ID_ISAR0-5.
    pub instructions: [u32; 8],
    /// FPSID, MVFR1, MVFR0.
    pub float: [u32; 3],
}

impl Identity {
    /// A Cortex-A15 r2p3 with the given MPIDR in a cluster of `cores`.
    pub fn cortex_a15(mpidr: u32, cores: u32, cbar: u32) -> Self {
        Self {
            kind: Kind::A15,
            midr: 0x412f_c0f3,
            mpidr,
            ctr: 0x8444_c004,
            clidr: 0x0a20_0023,
            ccsidr: [0x701f_e00a, 0x201f_e00a, 0x70ff_e07a],
            l2ctlr: (cores - 1) << 24,
            cbar,
            features: [0x0000_1131, 0x0001_1011, 0x0201_0555, 0, 0x1020_1105, 0x2000_0000, 0x0124_0000, 0x0210_2211],
            instructions: [0x0210_1110, 0x1311_2111, 0x2123_2041, 0x1111_2131, 0x1001_1142, 0, 0, 0],
            float: [0x4103_30f0, 0x1111_1111, 0x1011_0222],
        }
    }

    /// A Cortex-A7 r0p3 with the given MPIDR in a cluster of `cores`.
    pub fn cortex_a7(mpidr: u32, cores: u32, cbar: u32) -> Self {
        Self {
            kind: Kind::A7,
            midr: 0x410f_c073,
            mpidr,
            ctr: 0x8444_8003,
            clidr: 0x0a20_0023,
            ccsidr: [0x700f_e01a, 0x203f_e009, 0x707f_e03a],
            l2ctlr: (cores - 1) << 24,
            cbar,
            features: [0x0000_1131, 0x0001_1011, 0x0201_0555, 0, 0x1010_1105, 0x4000_0000, 0x0124_0000, 0x0210_2211],
            instructions: [0x0210_1110, 0x1311_2111, 0x2123_2041, 0x1111_2131, 0x1001_1142, 0, 0, 0],
            float: [0x4102_3075, 0x1111_1111, 0x1011_0222],
        }
    }
}

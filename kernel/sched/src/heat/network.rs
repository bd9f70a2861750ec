//! Where heat flows: facts, as crate `soc` has them for a chip.

/// Something that has one temperature.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Node {
    /// Its name, for reports.
    pub name: &'static str,
    /// Heat capacity in millijoules per kelvin.
    pub capacity: u32,
}

/// A path for heat between two nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Link {
    /// One end, as a position in [`Network::nodes`].
    pub from: usize,
    /// The other end.
    pub to: usize,
    /// Milliwatts per kelvin.
    pub conductance: u32,
}

/// Nodes, paths, where power goes in and where it leaves.
#[derive(Debug, PartialEq, Eq)]
pub struct Network {
    /// At most [`MAX_NODES`].
    pub nodes: &'static [Node],
    /// Paths between them.
    pub links: &'static [Link],
    /// The node that gives heat to the ambient air.
    pub sink: usize,
    /// How well, in milliwatts per kelvin, at each fan level.
    pub fan: &'static [u32],
    /// The node of each big CPU, in the order of the machine's table.
    pub big: &'static [usize],
    /// The node of the LITTLE cluster.
    pub little: usize,
    /// The node that each sensor sits on.
    pub sensors: &'static [usize],
}

/// The most nodes of a network.
pub const MAX_NODES: usize = 8;

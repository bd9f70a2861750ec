//! A small writer of flattened device trees (Devicetree Specification 0.4, chapter 5).

const MAGIC: u32 = 0xd00d_feed;
const VERSION: u32 = 17;
const LAST_COMPATIBLE: u32 = 16;
const BEGIN_NODE: u32 = 1;
const END_NODE: u32 = 2;
const PROPERTY: u32 = 3;
const END: u32 = 9;
const HEADER: usize = 40;
/// One empty entry ends the list of reserved memory.
const RESERVATIONS: usize = 16;

/// One node: properties, then children.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Node {
    properties: Vec<(String, Vec<u8>)>,
    children: Vec<(String, Node)>,
}

impl Node {
    /// An empty node.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// With a property of cells.
    #[must_use]
    pub fn cells(self, name: &str, cells: &[u32]) -> Self {
        self.bytes(name, cells.iter().flat_map(|cell| cell.to_be_bytes()).collect())
    }

    /// With a property of text.
    #[must_use]
    pub fn text(self, name: &str, text: &str) -> Self {
        self.bytes(name, [text.as_bytes(), &[0]].concat())
    }

    /// With a property of bytes, which may be none.
    #[must_use]
    pub fn bytes(mut self, name: &str, bytes: Vec<u8>) -> Self {
        self.properties.push((name.to_owned(), bytes));
        self
    }

    /// With a child.
    #[must_use]
    pub fn child(mut self, name: &str, child: Node) -> Self {
        self.children.push((name.to_owned(), child));
        self
    }

    /// The tree of which this is the root, as a blob.
    #[must_use]
    pub fn flatten(&self) -> Vec<u8> {
        let mut writer = Writer::default();
        writer.node("", self);
        writer.word(END);
        let structure = HEADER + RESERVATIONS;
        let strings = structure + writer.structure.len();
        let total = strings + writer.strings.len();
        let header = [
            MAGIC,
            total as u32,
            structure as u32,
            strings as u32,
            HEADER as u32,
            VERSION,
            LAST_COMPATIBLE,
            0,
            writer.strings.len() as u32,
            writer.structure.len() as u32,
        ];
        let mut blob: Vec<u8> = header.iter().flat_map(|word| word.to_be_bytes()).collect();
        blob.extend([0; RESERVATIONS]);
        blob.extend(writer.structure);
        blob.extend(writer.strings);
        blob
    }
}

#[derive(Default)]
struct Writer {
    structure: Vec<u8>,
    strings: Vec<u8>,
}

impl Writer {
    fn word(&mut self, word: u32) {
        self.structure.extend(word.to_be_bytes());
    }

    fn padded(&mut self, bytes: &[u8]) {
        self.structure.extend(bytes);
        self.structure.resize(self.structure.len().next_multiple_of(4), 0);
    }

    fn node(&mut self, name: &str, node: &Node) {
        self.word(BEGIN_NODE);
        self.padded(&[name.as_bytes(), &[0]].concat());
        for (name, bytes) in &node.properties {
            let offset = self.string(name);
            self.word(PROPERTY);
            self.word(bytes.len() as u32);
            self.word(offset);
            self.padded(bytes);
        }
        node.children.iter().for_each(|(name, child)| self.node(name, child));
        self.word(END_NODE);
    }

    /// Where a property's name stands, shared among all that have the same.
    fn string(&mut self, name: &str) -> u32 {
        let wanted = [name.as_bytes(), &[0]].concat();
        let known = self.strings.windows(wanted.len()).position(|window| window == wanted);
        let offset = known.unwrap_or(self.strings.len());
        if known.is_none() {
            self.strings.extend(wanted);
        }
        offset as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_independent_reader_understands_it() {
        let chosen = Node::new().text("bootargs", "bench=selftest");
        let memory = Node::new().text("device_type", "memory").cells("reg", &[0x4000_0000, 0x7ea0_0000]);
        let root = Node::new()
            .cells("#address-cells", &[1])
            .cells("#size-cells", &[1])
            .text("compatible", "hardkernel,odroid-xu4")
            .text("model", "Odroid XU4")
            .child("chosen", chosen)
            .child("memory@40000000", memory)
            .child("cpus", Node::new().cells("#address-cells", &[1]).cells("#size-cells", &[0]));
        let blob = root.flatten();
        let tree = fdt::Fdt::new(&blob).expect("a device tree");
        assert_eq!(tree.chosen().bootargs(), Some("bench=selftest"));
        let region = tree.memory().regions().next().expect("one region");
        assert_eq!((region.starting_address as usize, region.size), (0x4000_0000, Some(0x7ea0_0000)));
        assert_eq!(tree.total_size(), blob.len());
    }
}

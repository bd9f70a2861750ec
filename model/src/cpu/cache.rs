//! A light cache model: which lines a set-associative cache holds, for what an access costs. It holds no data.

use crate::bus::LINE_SIZE;

/// An address that no line has.
const EMPTY: u32 = u32::MAX;

/// A set-associative cache with replacement in the order of filling.
#[derive(Clone, Debug)]
pub struct Cache {
    tags: Vec<u32>,
    /// The way to be replaced next, by set.
    next: Vec<u8>,
    ways: usize,
}

impl Cache {
    /// An empty cache of `size` bytes in `ways` ways. The number of sets must be a power of two.
    ///
    /// # Panics
    /// If it is not.
    pub fn new(size: u32, ways: u32) -> Self {
        let sets = (size / LINE_SIZE / ways) as usize;
        assert!(sets.is_power_of_two(), "sets are selected by address bits");
        Self { tags: vec![EMPTY; sets * ways as usize], next: vec![0; sets], ways: ways as usize }
    }

    /// Touches the line of physical `address`. Whether it was there; it is afterwards.
    pub fn touch(&mut self, address: u32) -> bool {
        let line = address / LINE_SIZE;
        let set = line as usize & (self.next.len() - 1);
        let ways = &mut self.tags[set * self.ways..(set + 1) * self.ways];
        if ways.contains(&line) {
            return true;
        }
        let victim = usize::from(self.next[set]);
        ways[victim] = line;
        self.next[set] = ((victim + 1) % self.ways) as u8;
        false
    }

    /// Empties the cache.
    pub fn clear(&mut self) {
        self.tags.fill(EMPTY);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn holds_as_many_lines_of_a_set_as_it_has_ways() {
        let mut cache = Cache::new(1024, 2);
        let stride = 512;
        assert!(!cache.touch(0) && cache.touch(63));
        assert!(!cache.touch(stride) && cache.touch(0));
        assert!(!cache.touch(2 * stride), "the third line of the set is new");
        assert!(!cache.touch(0), "and put the first one out");
        cache.clear();
        assert!(!cache.touch(2 * stride));
    }
}

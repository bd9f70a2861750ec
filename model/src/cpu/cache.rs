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

/// What the prefetcher of a core follows: runs of lines, each of which it expects to go on.
#[derive(Clone, Debug)]
pub struct Streams {
    expected: [u32; STREAMS],
    next: usize,
}

/// Runs that are followed at once: enough for a copy and what happens beside it.
const STREAMS: usize = 4;

impl Default for Streams {
    fn default() -> Self {
        Self { expected: [EMPTY; STREAMS], next: 0 }
    }
}

impl Streams {
    /// The line of physical `address` missed. Whether a run led there; the run goes on behind it, or begins.
    pub fn follow(&mut self, address: u32) -> bool {
        let line = address / LINE_SIZE;
        let known = self.expected.iter().position(|expected| *expected == line);
        let slot = known.unwrap_or_else(|| {
            self.next = (self.next + 1) % STREAMS;
            self.next
        });
        self.expected[slot] = line + 1;
        known.is_some()
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

    #[test]
    fn two_runs_side_by_side_are_followed() {
        let mut streams = Streams::default();
        assert!(!streams.follow(0x1000) && !streams.follow(0x8000));
        assert!(streams.follow(0x1040) && streams.follow(0x8040) && streams.follow(0x1080));
        assert!(!streams.follow(0x2000));
    }
}

//! A device as words at byte offsets: for blocks whose registers lie far apart and where the order of accesses counts.
//!
//! A driver over [`Words`] is tested by a script that plays the device and writes down what was accessed, in order.
#![expect(unsafe_code, reason = "device registers at an address that the board gives")]

/// The words of one device.
pub trait Words {
    /// Reads the word at `offset` bytes from the base.
    fn read(&self, offset: usize) -> u32;
    /// Writes it.
    fn write(&self, offset: usize, value: u32);

    /// Sets bits in a word.
    fn set(&self, offset: usize, bits: u32) {
        self.write(offset, self.read(offset) | bits);
    }

    /// Clears bits in a word.
    fn clear(&self, offset: usize, bits: u32) {
        self.write(offset, self.read(offset) & !bits);
    }

    /// Reads a word until `done` likes it, `polls` times at most. Whether it did.
    fn poll(&self, offset: usize, polls: u32, done: impl Fn(u32) -> bool) -> bool
    where
        Self: Sized,
    {
        (0..polls).any(|_| {
            core::hint::spin_loop();
            done(self.read(offset))
        })
    }
}

/// Registers in memory.
#[derive(Clone, Copy, Debug)]
pub struct Mapped {
    base: usize,
}

impl Mapped {
    /// The registers at `base`.
    ///
    /// # Safety
    ///
    /// They are mapped as device memory for ever, or the MMU is off; every offset that the driver uses is part of the
    /// device; and nobody else drives it.
    pub(crate) const unsafe fn at(base: usize) -> Self {
        Self { base }
    }
}

impl Words for Mapped {
    fn read(&self, offset: usize) -> u32 {
        // SAFETY: the promise to `at`.
        unsafe { ((self.base + offset) as *const u32).read_volatile() }
    }

    fn write(&self, offset: usize, value: u32) {
        // SAFETY: the promise to `at`.
        unsafe { ((self.base + offset) as *mut u32).write_volatile(value) }
    }
}

/// A played device.
#[cfg(test)]
pub(crate) mod script {
    use super::Words;
    use std::cell::RefCell;
    use std::collections::BTreeMap;
    use std::vec::Vec;

    /// What a driver did.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub(crate) enum Did {
        /// It read the word at this offset.
        Read(usize),
        /// It wrote this value there.
        Wrote(usize, u32),
    }

    type Memory = BTreeMap<usize, u32>;

    /// Words that hold what is written, and a reaction that may change others.
    pub(crate) struct Script {
        words: RefCell<Memory>,
        log: RefCell<Vec<Did>>,
        react: fn(&mut Memory, Did),
    }

    impl Script {
        /// A device whose words hold what `words` says, or 0, and that reacts to each access before it takes effect.
        pub(crate) fn new(words: &[(usize, u32)], react: fn(&mut Memory, Did)) -> Self {
            Self { words: RefCell::new(words.iter().copied().collect()), log: RefCell::default(), react }
        }

        /// All writes so far, in order.
        pub(crate) fn writes(&self) -> Vec<(usize, u32)> {
            let wrote = |did: &Did| if let Did::Wrote(offset, value) = *did { Some((offset, value)) } else { None };
            self.log.borrow().iter().filter_map(wrote).collect()
        }

        /// All accesses so far, in order; repeated reads of one word count once.
        pub(crate) fn accesses(&self) -> Vec<Did> {
            let mut log = self.log.borrow().clone();
            log.dedup();
            log
        }

        /// What a word holds.
        pub(crate) fn word(&self, offset: usize) -> u32 {
            self.words.borrow().get(&offset).copied().unwrap_or(0)
        }
    }

    impl Words for &Script {
        fn read(&self, offset: usize) -> u32 {
            self.log.borrow_mut().push(Did::Read(offset));
            (self.react)(&mut self.words.borrow_mut(), Did::Read(offset));
            self.word(offset)
        }

        fn write(&self, offset: usize, value: u32) {
            self.log.borrow_mut().push(Did::Wrote(offset, value));
            self.words.borrow_mut().insert(offset, value);
            (self.react)(&mut self.words.borrow_mut(), Did::Wrote(offset, value));
        }
    }
}

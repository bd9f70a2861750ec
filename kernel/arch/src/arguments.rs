//! Boot arguments of a loader that passes no device tree.
//!
//! Two ways are known. U-Boot's `go ADDRESS WORD ...` enters with the number of words, the address itself the first, in
//! r0, and the address of their addresses in r1 (`u-boot/u-boot:cmd/boot.c`). Linux's older protocol has 0 in r0 and
//! the address of a tagged list in r2, of which one tag is the command line (`Documentation/arch/arm/booting.rst` of
//! Linux).
//!
//! Both are read by the boot CPU before its MMU is on, so nothing needs to be mapped. And nothing is believed: an
//! address counts only where all of what it leads to lies in RAM, lengths are bounded, text is printable. One thing
//! wrong, and there are no arguments.

/// The longest arguments that are taken, in bytes.
pub const CAPACITY: usize = 1024;

/// More words than U-Boot's command line takes (CONFIG_SYS_MAXARGS is 64 at most on the boards that this is for).
const MOST_WORDS: u32 = 64;
/// Tags of a list: the first, the last, and the command line.
const CORE: u32 = 0x5441_0001;
const NONE: u32 = 0;
const COMMAND_LINE: u32 = 0x5441_0009;
/// Words of a tag's header, of the longest tag and tags of the longest list.
const HEADER_WORDS: u32 = 2;
const MOST_TAG_WORDS: u32 = 2 + CAPACITY as u32 / 4;
const MOST_TAGS: usize = 32;

/// RAM, and how its bytes are read.
pub(crate) struct Ram<R> {
    /// Base and size in bytes.
    pub area: (u32, u32),
    /// Called only with addresses in that area.
    pub read: R,
}

impl<R: Fn(u32) -> u8> Ram<R> {
    fn byte(&self, address: u32) -> Option<u8> {
        (address.wrapping_sub(self.area.0) < self.area.1).then(|| (self.read)(address))
    }

    /// The word at an aligned address.
    fn word(&self, address: u32) -> Option<u32> {
        if !address.is_multiple_of(4) {
            return None;
        }
        (0..4).rev().try_fold(0, |word, byte| Some(word << 8 | u32::from(self.byte(address.checked_add(byte)?)?)))
    }
}

/// The arguments while they are put together.
struct Line<'a> {
    into: &'a mut [u8; CAPACITY],
    length: usize,
}

impl Line<'_> {
    fn push(&mut self, byte: u8) -> Option<()> {
        let printable = byte == b' ' || byte.is_ascii_graphic();
        *self.into.get_mut(self.length).filter(|_| printable)? = byte;
        self.length += 1;
        Some(())
    }

    /// Appends the text at an address, which ends with a zero within `most` bytes.
    fn text<R: Fn(u32) -> u8>(&mut self, ram: &Ram<R>, address: u32, most: u32) -> Option<()> {
        for offset in 0..most {
            match ram.byte(address.checked_add(offset)?)? {
                0 => return Some(()),
                byte => self.push(byte)?,
            }
        }
        None
    }
}

/// Puts the arguments that the registers r0 to r2 lead to into `into`. Returns their length, 0 if there are none.
pub(crate) fn collect<R: Fn(u32) -> u8>(registers: [u32; 3], ram: &Ram<R>, into: &mut [u8; CAPACITY]) -> usize {
    let mut line = Line { into, length: 0 };
    let [words, list, tags] = registers;
    let found = if words == 0 { from_tags(tags, ram, &mut line) } else { from_words(words, list, ram, &mut line) };
    if found.is_some() { line.length } else { 0 }
}

fn from_words<R: Fn(u32) -> u8>(words: u32, list: u32, ram: &Ram<R>, line: &mut Line<'_>) -> Option<()> {
    if words > MOST_WORDS {
        return None;
    }
    for word in 1..words {
        if word > 1 {
            line.push(b' ')?;
        }
        let text = ram.word(list.checked_add(4 * word)?)?;
        line.text(ram, text, CAPACITY as u32)?;
    }
    Some(())
}

fn from_tags<R: Fn(u32) -> u8>(tags: u32, ram: &Ram<R>, line: &mut Line<'_>) -> Option<()> {
    let mut at = tags;
    for number in 0..MOST_TAGS {
        let (size, tag) = (ram.word(at)?, ram.word(at.checked_add(4)?)?);
        match tag {
            NONE => return None,
            _ if !(HEADER_WORDS..=MOST_TAG_WORDS).contains(&size) || (tag == CORE) != (number == 0) => return None,
            COMMAND_LINE => return line.text(ram, at.checked_add(4 * HEADER_WORDS)?, 4 * (size - HEADER_WORDS)),
            _ => at = at.checked_add(4 * size)?,
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    use std::string::String;
    use std::vec::Vec;

    const BASE: u32 = 0x4000_0000;
    const SIZE: u32 = 0x4000;

    /// Memory in which words and texts are put, and nothing outside of it may be read.
    struct Memory(Vec<u8>);

    impl Memory {
        fn new() -> Self {
            Self(std::vec![0xa5; SIZE as usize])
        }

        fn put(mut self, address: u32, bytes: &[u8]) -> Self {
            let offset = (address - BASE) as usize;
            self.0[offset..offset + bytes.len()].copy_from_slice(bytes);
            self
        }

        fn words(self, address: u32, words: &[u32]) -> Self {
            let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
            self.put(address, &bytes)
        }

        fn collect(&self, registers: [u32; 3]) -> String {
            let ram = Ram { area: (BASE, SIZE), read: |address| self.0[(address - BASE) as usize] };
            let mut into = [0; CAPACITY];
            let length = collect(registers, &ram, &mut into);
            String::from_utf8(into[..length].to_vec()).expect("what is taken is printable")
        }
    }

    fn went() -> Memory {
        Memory::new()
            .words(BASE + 0x100, &[BASE + 0x200, BASE + 0x300, BASE + 0x3021])
            .put(BASE + 0x200, b"42000000\0")
            .put(BASE + 0x300, b"bench=selftest\0")
            .put(BASE + 0x3021, b"policy=pull\0")
    }

    #[test]
    fn the_words_behind_the_address_are_the_arguments() {
        assert_eq!(went().collect([3, BASE + 0x100, 0xdead_beef]), "bench=selftest policy=pull");
        assert_eq!(went().collect([2, BASE + 0x100, 0]), "bench=selftest");
        assert_eq!(went().collect([1, BASE + 0x100, 0]), "");
    }

    #[test]
    fn what_leads_out_of_ram_is_nothing() {
        for list in [0, BASE - 4, BASE + SIZE - 4, BASE + 0x102, 0xffff_fffc] {
            assert_eq!(went().collect([3, list, 0]), "", "{list:#x}");
        }
        for text in [0, BASE - 1, BASE + SIZE, u32::MAX] {
            let memory = went().words(BASE + 0x108, &[text]);
            assert_eq!(memory.collect([3, BASE + 0x100, 0]), "", "{text:#x}");
        }
        let cut = went().words(BASE + 0x108, &[BASE + SIZE - 4]).put(BASE + SIZE - 4, b"abcd");
        assert_eq!(cut.collect([3, BASE + 0x100, 0]), "", "a text without an end");
    }

    #[test]
    fn rubbish_is_nothing() {
        assert_eq!(went().put(BASE + 0x305, &[0x07]).collect([3, BASE + 0x100, 0]), "", "not printable");
        assert_eq!(went().collect([65, BASE + 0x100, 0]), "", "more words than a command line has");
        assert_eq!(Memory::new().collect([3, BASE + 0x100, 0]), "");
        let long = went().put(BASE + 0x300, &[b'x'; CAPACITY + 1]);
        assert_eq!(long.collect([2, BASE + 0x100, 0]), "", "longer than there is room");
    }

    fn tagged(line: &[u8]) -> Memory {
        let words = line.len().div_ceil(4) as u32 + 2;
        Memory::new()
            .words(BASE + 0x100, &[5, CORE, 0, 0, 0, 4, 0x5441_0002, SIZE, BASE, words, COMMAND_LINE])
            .put(BASE + 0x12c, line)
            .words(BASE + 0x12c + 4 * (words - 2), &[0, NONE])
    }

    #[test]
    fn the_command_line_of_a_tagged_list_is_taken() {
        assert_eq!(tagged(b"bench=none after=halt\0").collect([0, 4151, BASE + 0x100]), "bench=none after=halt");
    }

    #[test]
    fn a_list_that_is_none_is_nothing() {
        for tags in [0, BASE + 0x102, BASE + 0x114, BASE + SIZE] {
            assert_eq!(tagged(b"bench=none\0").collect([0, 4151, tags]), "", "{tags:#x}");
        }
        assert_eq!(tagged(b"bench=none...").collect([0, 4151, BASE + 0x100]), "", "a line without an end");
        let endless = tagged(b"x\0").words(BASE + 0x114, &[0, 0x5441_0002]);
        assert_eq!(endless.collect([0, 4151, BASE + 0x100]), "", "a tag without a size");
        assert_eq!(Memory::new().collect([0, 4151, BASE]), "");
    }
}

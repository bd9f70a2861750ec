//! What is put into memory before the first instruction: images and device trees.

mod symbols;
pub mod tree;
mod uimage;

pub use symbols::Symbols;

use std::fmt;

use object::elf::{FileHeader32, PT_LOAD};
use object::read::elf::{FileHeader, ProgramHeader};
use object::{LittleEndian, U32};

use crate::bus::Memory;

/// Bytes with their places, the entry and the names.
#[derive(Clone, Debug, Default)]
pub struct Image {
    /// Address of the first instruction.
    pub entry: u32,
    /// Bytes by physical address.
    pub segments: Vec<(u32, Vec<u8>)>,
    /// Names of functions, if the file has them.
    pub symbols: Symbols,
}

/// Why a file is no image, or does not fit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoadError(pub String);

impl fmt::Display for LoadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for LoadError {}

impl From<object::Error> for LoadError {
    fn from(error: object::Error) -> Self {
        Self(error.to_string())
    }
}

impl Image {
    /// A 32-bit little-endian ELF: what a boot loader would load, and the symbols.
    ///
    /// # Errors
    ///
    /// If it is something else or loads nothing.
    pub fn elf(bytes: &[u8]) -> Result<Self, LoadError> {
        let endian = LittleEndian;
        let header = FileHeader32::<LittleEndian>::parse(bytes)?;
        let word = |value: U32<LittleEndian>| value.get(endian);
        let mut segments = Vec::new();
        for segment in header.program_headers(endian, bytes)? {
            if word(segment.p_type) == PT_LOAD && word(segment.p_filesz) > 0 {
                let data =
                    segment.data(endian, bytes).map_err(|()| LoadError("a segment ends behind the file".into()))?;
                segments.push((word(segment.p_paddr), data.to_vec()));
            }
        }
        if segments.is_empty() {
            return Err(LoadError("the ELF has no loadable segment".into()));
        }
        Ok(Self { entry: word(header.e_entry), segments, symbols: Symbols::of(header, bytes)? })
    }

    /// A flat binary that is copied to `address` and entered at its first byte.
    #[must_use]
    pub fn flat(bytes: &[u8], address: u32) -> Self {
        Self { entry: address, segments: vec![(address, bytes.to_vec())], symbols: Symbols::default() }
    }

    /// A legacy uImage: what U-Boot's `bootm` makes of it.
    ///
    /// # Errors
    ///
    /// If U-Boot would refuse it.
    pub fn uimage(bytes: &[u8]) -> Result<Self, LoadError> {
        let (header, data) = uimage::parse(bytes)?;
        Ok(Self { entry: header.entry, segments: vec![(header.load, data.to_vec())], symbols: Symbols::default() })
    }

    /// Whatever the file is: an ELF, a uImage, or else a flat binary for `address`.
    ///
    /// # Errors
    ///
    /// If it looks like one of the first two and is none.
    pub fn any(bytes: &[u8], address: u32) -> Result<Self, LoadError> {
        match bytes {
            [0x7f, b'E', b'L', b'F', ..] => Self::elf(bytes),
            [0x27, 0x05, 0x19, 0x56, ..] => Self::uimage(bytes),
            _ => Ok(Self::flat(bytes, address)),
        }
    }

    /// Copies it into memory, as a loader that cleans its caches.
    ///
    /// # Errors
    ///
    /// If a part of it lies outside RAM.
    pub fn load(&self, memory: &mut Memory) -> Result<(), LoadError> {
        self.segments.iter().try_for_each(|(address, bytes)| {
            let last = *address as usize + bytes.len();
            memory
                .write(*address, bytes)
                .ok_or_else(|| LoadError(format!("{address:#010x}..{last:#010x} is not RAM of this machine")))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flat_binary_is_entered_where_it_lies() {
        let image = Image::any(&[1, 2, 3, 4], 0x4001_0000).expect("anything is a flat binary");
        let mut memory = Memory::new(&[(0x4000_0000, 0x2_0000)]);
        image.load(&mut memory).expect("it is RAM");
        assert_eq!(memory.read_word(0x4001_0000), Some(0x0403_0201));
        assert_eq!(image.entry, 0x4001_0000);
    }

    #[test]
    fn what_lies_outside_ram_is_refused() {
        let mut memory = Memory::new(&[(0x4000_0000, 0x2_0000)]);
        let error = Image::flat(&[0; 8], 0x4001_fffc).load(&mut memory).expect_err("it ends behind");
        assert!(error.to_string().contains("not RAM"));
    }

    #[test]
    fn nonsense_that_looks_like_an_elf_is_refused() {
        assert!(Image::any(b"\x7fELF", 0).is_err());
    }
}

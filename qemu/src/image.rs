//! What an image occupies: the flat form for machines that want one, and the memory no file fills.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process;
use std::sync::atomic::{AtomicU32, Ordering};

use anyhow::{Context, Result, ensure};
use object::elf::{FileHeader32, PT_LOAD, SHF_ALLOC};
use object::read::elf::{FileHeader, ProgramHeader, SectionHeader};
use object::{LittleEndian, U32};

/// A linked image: its loadable bytes and the whole range of memory it claims.
#[derive(Debug)]
pub struct Image {
    path: PathBuf,
    /// Loadable bytes by physical address, lowest first.
    loads: Vec<(u32, Vec<u8>)>,
    /// One past the last byte that the loader writes.
    loaded_end: u32,
    /// One past the last byte of any section, .bss, stacks and .noinit included.
    memory_end: u32,
}

impl Image {
    /// Reads the ELF at `path`.
    ///
    /// # Errors
    ///
    /// If the file is missing, is no 32-bit little-endian ELF, or loads nothing.
    pub fn open(path: &Path) -> Result<Self> {
        let bytes = fs::read(path).with_context(|| format!("reading {}", path.display()))?;
        Self::parse(path, &bytes).with_context(|| format!("{} is no image", path.display()))
    }

    fn parse(path: &Path, bytes: &[u8]) -> Result<Self> {
        let endian = LittleEndian;
        let header = FileHeader32::<LittleEndian>::parse(bytes)?;
        let word = |value: U32<LittleEndian>| value.get(endian);
        let mut loads = Vec::new();
        let mut loaded_end = 0;
        for segment in header.program_headers(endian, bytes)? {
            if word(segment.p_type) == PT_LOAD && word(segment.p_memsz) > 0 {
                let start = word(segment.p_paddr);
                let data = segment.data(endian, bytes).ok().context("a segment ends behind the file")?;
                loads.push((start, data.to_vec()));
                loaded_end = loaded_end.max(start + word(segment.p_memsz));
            }
        }
        ensure!(!loads.is_empty(), "it has no loadable segment");
        loads.sort_by_key(|(start, _)| *start);
        let sections = header.section_headers(endian, bytes)?.iter();
        let memory_end = sections
            .filter(|section| section.sh_flags(endian) & SHF_ALLOC != 0)
            .map(|section| word(section.sh_addr) + word(section.sh_size))
            .fold(loaded_end, u32::max);
        Ok(Self { path: path.to_owned(), loads, loaded_end, memory_end })
    }

    /// The lowest physical address that is loaded; an image is entered there.
    #[must_use]
    pub fn origin(&self) -> u32 {
        self.loads.first().map_or(0, |(start, _)| *start)
    }

    /// The loadable bytes laid out from the lowest physical address, gaps as zeros.
    #[must_use]
    pub fn flat(&self) -> Vec<u8> {
        let first = self.origin();
        let mut flat = Vec::new();
        for (start, data) in &self.loads {
            let offset = (start - first) as usize;
            flat.resize(flat.len().max(offset + data.len()), 0);
            flat[offset..offset + data.len()].copy_from_slice(data);
        }
        flat
    }

    /// Writes the flat form beside the ELF, as `<name>.bin`.
    ///
    /// # Errors
    ///
    /// If the folder cannot be written to.
    pub fn write_flat(&self) -> Result<PathBuf> {
        self.write_beside("bin", &self.flat())
    }

    /// Writes a file for the memory that the image claims and no file fills, each byte `filler`, as
    /// `<name>.fill`; gives its path and the address it belongs to. `None` if there is no such memory.
    ///
    /// # Errors
    ///
    /// If the folder cannot be written to.
    pub fn write_filler(&self, filler: u8) -> Result<Option<(PathBuf, u32)>> {
        let size = (self.memory_end - self.loaded_end) as usize;
        if size == 0 {
            return Ok(None);
        }
        let path = self.write_beside("fill", &vec![filler; size])?;
        Ok(Some((path, self.loaded_end)))
    }

    /// Replaces the file at one stroke: tests that run side by side write the same bytes to the same name.
    fn write_beside(&self, extension: &str, bytes: &[u8]) -> Result<PathBuf> {
        static TURN: AtomicU32 = AtomicU32::new(0);
        let path = self.path.with_extension(extension);
        let turn = TURN.fetch_add(1, Ordering::Relaxed);
        let draft = path.with_extension(format!("{extension}.{}-{turn}", process::id()));
        let written: io::Result<()> = fs::write(&draft, bytes).and_then(|()| fs::rename(&draft, &path));
        written.with_context(|| format!("writing {}", path.display()))?;
        Ok(path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn image(loads: Vec<(u32, Vec<u8>)>) -> Image {
        Image { path: "unused".into(), loads, loaded_end: 0x8000_2000, memory_end: 0x8000_2000 }
    }

    #[test]
    fn a_flat_image_starts_at_the_lowest_address_and_zeroes_the_gaps() {
        let image = image(vec![(0x8000_0000, vec![1, 2]), (0x8000_0004, vec![3])]);
        assert_eq!((image.origin(), image.flat()), (0x8000_0000, vec![1, 2, 0, 0, 3]));
    }

    #[test]
    fn memory_that_files_fill_needs_no_filler() {
        let filler = image(vec![(0x8000_0000, vec![1])]).write_filler(0xA5);
        assert_eq!(filler.expect("writes nothing, so nothing can fail"), None);
    }

    #[test]
    fn what_is_no_elf_is_refused() {
        assert!(Image::parse(Path::new("x"), b"#!/bin/sh\n").is_err());
    }
}

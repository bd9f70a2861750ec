//! The first FAT partition of a card, or of an image file of one, written without mounting it.

use std::fs::{File, OpenOptions};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::Path;

use anyhow::{Context, Result, ensure};
use fatfs::{FileSystem, FsOptions};
use fscommon::StreamSlice;

use super::{Store, head_of};

const SECTOR: u64 = 512;
/// Where a master boot record has its four entries of 16 bytes, and where any boot sector has its mark.
const ENTRIES: usize = 446;
const MARK: (usize, [u8; 2]) = (510, [0x55, 0xaa]);
/// The types of partitions that hold FAT, as fdisk lists them.
const FAT_TYPES: [u8; 6] = [0x01, 0x04, 0x06, 0x0b, 0x0c, 0x0e];

/// The type of the partition that says: the table is a GPT, and not here.
const PROTECTS_GPT: u8 = 0xee;

/// An open file system.
pub struct Fat {
    system: FileSystem<StreamSlice<File>>,
    /// A second hand on the file, to wait for the card with.
    file: File,
}

impl Fat {
    /// Opens the file system at `path`: of a disk its first FAT partition.
    ///
    /// # Errors
    ///
    /// If it cannot be opened for writing, or holds no FAT.
    pub fn open(path: &Path) -> Result<Self> {
        let mut file = OpenOptions::new().read(true).write(true).open(path)?;
        let (start, end) = extent(&mut file)?;
        let slice = StreamSlice::new(file.try_clone()?, start, end)?;
        let system = FileSystem::new(slice, FsOptions::new()).context("its FAT cannot be read")?;
        Ok(Self { system, file })
    }
}

/// Where the file system lies, in bytes.
fn extent(file: &mut File) -> Result<(u64, u64)> {
    let mut sector = [0; SECTOR as usize];
    let end = file.seek(SeekFrom::End(0))?;
    file.rewind()?;
    file.read_exact(&mut sector).context("it has no boot sector")?;
    ensure!(sector[MARK.0..] == MARK.1, "it has no boot sector; expected a card that already starts the board");
    if is_fat(&sector) {
        return Ok((0, end));
    }
    let number = |bytes: &[u8]| u64::from(u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]));
    let mut entries = sector[ENTRIES..MARK.0].chunks_exact(16);
    let is_gpt = entries.clone().any(|entry| entry[4] == PROTECTS_GPT);
    ensure!(!is_gpt, "it has a GPT, in whose place the board's boot loader lies; expected a card with an MBR");
    let entry = entries.find(|entry| FAT_TYPES.contains(&entry[4])).context("it has no FAT partition")?;
    let start = number(&entry[8..12]) * SECTOR;
    let behind = start + number(&entry[12..16]) * SECTOR;
    ensure!(0 < start && start < behind && behind <= end, "its first FAT partition reaches beyond its end");
    Ok((start, behind))
}

/// Whether a boot sector is that of a FAT file system rather than of a disk with partitions: it names its kind, FAT12
/// and FAT16 at 54, FAT32 at 82.
fn is_fat(sector: &[u8]) -> bool {
    sector[54..].starts_with(b"FAT") || sector[82..].starts_with(b"FAT32")
}

impl Store for Fat {
    fn head(&mut self, name: &str) -> Result<Option<Vec<u8>>> {
        head_of(self.system.root_dir().open_file(name))
    }

    fn write(&mut self, name: &str, bytes: &[u8]) -> Result<()> {
        let mut file = self.system.root_dir().create_file(name)?;
        file.truncate()?;
        file.write_all(bytes)?;
        Ok(file.flush()?)
    }

    fn rename(&mut self, from: &str, to: &str) -> Result<()> {
        let root = self.system.root_dir();
        Ok(root.rename(from, &root, to)?)
    }

    fn remove(&mut self, name: &str) -> Result<()> {
        Ok(self.system.root_dir().remove(name)?)
    }

    fn settle(self: Box<Self>) -> Result<()> {
        self.system.unmount()?;
        Ok(self.file.sync_all()?)
    }
}

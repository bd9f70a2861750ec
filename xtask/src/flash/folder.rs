//! A folder, such as where the card's first partition is mounted.

use std::fs::{self, File};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

use anyhow::Result;

use super::{Store, head_of};

/// Files in a folder.
pub struct Folder(pub PathBuf);

/// Where this machine's own files are, or no files at all.
const SYSTEM: [&str; 8] = ["/boot", "/efi", "/usr", "/etc", "/dev", "/proc", "/sys", "/run/systemd"];

/// Refuses the folders that this machine itself lives in.
pub fn may_be_written(folder: &Path) -> Result<(), String> {
    if folder == Path::new("/") || SYSTEM.iter().any(|system| folder.starts_with(system)) {
        return Err("this machine lives there; expected the folder where the card is mounted".into());
    }
    Ok(())
}

impl Store for Folder {
    fn head(&mut self, name: &str) -> Result<Option<Vec<u8>>> {
        head_of(File::open(self.0.join(name)))
    }

    fn write(&mut self, name: &str, bytes: &[u8]) -> Result<()> {
        let path = self.0.join(name);
        // What is left of an earlier attempt, be it a link to somewhere else, is not written through.
        match fs::remove_file(&path) {
            Err(error) if error.kind() != ErrorKind::NotFound => return Err(error.into()),
            _ => {}
        }
        let mut file = File::create_new(&path)?;
        file.write_all(bytes)?;
        Ok(file.sync_all()?)
    }

    fn rename(&mut self, from: &str, to: &str) -> Result<()> {
        Ok(fs::rename(self.0.join(from), self.0.join(to))?)
    }

    fn remove(&mut self, name: &str) -> Result<()> {
        Ok(fs::remove_file(self.0.join(name))?)
    }

    fn settle(self: Box<Self>) -> Result<()> {
        Ok(File::open(&self.0)?.sync_all()?)
    }
}

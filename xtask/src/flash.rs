//! `flash`: puts the image onto a card that already starts the board.
//!
//! Only files are written, into the first FAT partition: the boot loader lies in sectors outside of it, and nobody here
//! can make another one.

mod disk;
mod fat;
mod folder;

use std::io::{self, ErrorKind, Read};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use clap::Args;

use crate::card::Card;
use crate::failure::Failure;
use crate::out;
use crate::workspace::Workspace;

/// What `flash` takes.
#[derive(Args)]
pub struct Options {
    /// The card (/dev/sdX, its partition, or an image file of it), or the folder where its first partition is mounted
    target: PathBuf,
    /// What the boot scripts pass to the kernel
    #[arg(long, value_name = "K=V ...", default_value = "", hide_default_value = true)]
    bootargs: String,
}

/// What U-Boot looks for. The other files of `image` are for people.
const WANTED: [&str; 3] = ["uImage", "boot.scr", "boot.ini"];
/// Each of our files has this in its first bytes.
const OURS: &[u8] = b"Gearshift";
/// How far into a file that is looked for.
const HEAD: usize = 256;

/// A place that keeps files by name.
trait Store {
    /// The first [`HEAD`] bytes of a file; [`None`] if there is none.
    fn head(&mut self, name: &str) -> Result<Option<Vec<u8>>>;
    /// Makes a file anew.
    fn write(&mut self, name: &str, bytes: &[u8]) -> Result<()>;
    /// Renames a file; nothing has the new name yet.
    fn rename(&mut self, from: &str, to: &str) -> Result<()>;
    /// Forgets a file.
    fn remove(&mut self, name: &str) -> Result<()>;
    /// Comes back when all of it is on the card.
    fn settle(self: Box<Self>) -> Result<()>;
}

/// Puts the files of the board's image where U-Boot finds them.
///
/// # Errors
///
/// [`Failure::Usage`] if the target is in use or nothing that takes files; if the image does not build or does not fit.
pub fn run(workspace: &Workspace, options: &Options) -> Result<ExitCode> {
    let target = &options.target;
    let mut store = open(target)?;
    let card = Card::build(workspace, &options.bootargs)?;
    let files: Vec<_> = card.files.iter().filter(|(name, _)| WANTED.contains(name)).collect();
    let kept = put(store.as_mut(), &files).and_then(|kept| store.settle().map(|()| kept));
    let kept = kept.with_context(|| format!("writing to {}", target.display()))?;
    kept.iter().try_for_each(|(name, other)| out::line(format_args!("{name} was not ours: it is {other} now")))?;
    files.iter().try_for_each(|(name, bytes)| out::line(format_args!("{:>9} bytes  {name}", bytes.len())))?;
    let ready = target.display();
    out::line(format_args!("{ready} is ready. Put the card into the board; `cargo xtask console TTY` listens."))?;
    Ok(ExitCode::SUCCESS)
}

fn open(target: &Path) -> Result<Box<dyn Store>> {
    let refuse = |why: String| anyhow::Error::new(Failure::Usage(format!("{}: {why}", target.display())));
    let real = target
        .canonicalize()
        .map_err(|error| refuse(format!("{error}; expected a card, an image file of one, or a folder")))?;
    if real.is_dir() {
        folder::may_be_written(&real).map_err(refuse)?;
        return Ok(Box::new(folder::Folder(real)));
    }
    disk::may_be_written(&real).map_err(refuse)?;
    Ok(Box::new(fat::Fat::open(&real).map_err(|error| refuse(format!("{error:#}")))?))
}

/// Writes all files beside the old ones first, and swaps then, so that a card that is full or pulled out keeps what it
/// had. Files of others are kept under another name; gives these pairs.
fn put(store: &mut dyn Store, files: &[&(&'static str, Vec<u8>)]) -> Result<Vec<(&'static str, String)>> {
    let mut kept = Vec::new();
    for (name, _) in files {
        let head = store.head(name).with_context(|| (*name).to_owned())?;
        if head.is_some_and(|head| !is_ours(&head)) {
            let other = format!("{name}.before-gearshift");
            if store.head(&other)?.is_some() {
                bail!("neither {name} nor {other} is ours; move one of them away");
            }
            kept.push((*name, other));
        }
    }
    if let Err(error) = write_beside(store, files) {
        // Most likely it is full; what there is of them is of no use.
        files.iter().for_each(|(name, _)| drop(store.remove(&fresh(name))));
        return Err(error);
    }
    for (name, _) in files {
        match kept.iter().find(|(foreign, _)| foreign == name) {
            Some((_, other)) => store.rename(name, other)?,
            None if store.head(name)?.is_some() => store.remove(name)?,
            None => {}
        }
        store.rename(&fresh(name), name)?;
    }
    Ok(kept)
}

/// The first [`HEAD`] bytes of a file that was opened, if there is one.
fn head_of(opened: io::Result<impl Read>) -> Result<Option<Vec<u8>>> {
    match opened {
        Ok(file) => {
            let mut head = Vec::new();
            file.take(HEAD as u64).read_to_end(&mut head)?;
            Ok(Some(head))
        }
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error.into()),
    }
}

fn is_ours(head: &[u8]) -> bool {
    head.windows(OURS.len()).any(|window| window == OURS)
}

fn write_beside(store: &mut dyn Store, files: &[&(&'static str, Vec<u8>)]) -> Result<()> {
    files.iter().try_for_each(|(name, bytes)| store.write(&fresh(name), bytes).with_context(|| fresh(name)))
}

fn fresh(name: &str) -> String {
    format!("{name}.new")
}

#[cfg(test)]
mod tests;

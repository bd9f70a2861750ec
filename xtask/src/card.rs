//! `image`: what goes on the card of a real board.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result};
use clap::Args;
use qemu::Image;

use crate::board::Board;
use crate::bootargs::{self, Limit};
use crate::failure::Failure;
use crate::uimage::{self, Kind};
use crate::workspace::Workspace;
use crate::{files, image, out, setup};

/// What `image` takes.
#[derive(Args)]
#[group(skip)]
pub struct Options {
    /// odroid-xu4, the board that starts from a card
    #[arg(default_value = "odroid-xu4")]
    board: Board,
    /// Where the files go; without it, a folder of the board's name below target/card
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// What the boot scripts pass to the kernel
    #[arg(long, value_name = "K=V ...", default_value = "", hide_default_value = true)]
    bootargs: String,
}

/// Where the boot scripts load the file: clear of the kernel's own place, of the script and of U-Boot.
const LOADED_AT: u32 = 0x5200_0000;
/// The device tree moves below this address: where the kernel looks for it, and where there is room for boot arguments.
const TREE_BELOW: u32 = 0x5000_0000;

/// Builds the image and writes the card's files.
///
/// # Errors
///
/// If the board takes no card, the image does not build or the folder cannot be written.
pub fn run(workspace: &Workspace, options: &Options) -> Result<ExitCode> {
    if options.board != Board::OdroidXu4 {
        let text = format!("{} runs in QEMU and has no card; try `cargo xtask image odroid-xu4`", options.board);
        return Err(Failure::Usage(text).into());
    }
    let folder = options.out.clone().unwrap_or_else(|| workspace.target().join("card").join(options.board.name()));
    files::folder(&folder)?;
    ours_or_nobodys(&folder.join(READ_ME))?;
    let card = Card::build(workspace, &options.bootargs)?;
    card.write(&folder).with_context(|| format!("writing to {}", folder.display()))?;
    for (name, bytes) in &card.files {
        out::line(format_args!("{:>9} bytes  {}", bytes.len(), folder.join(name).display()))?;
    }
    out::line(format_args!("{READ_ME} there says how to start it."))?;
    Ok(ExitCode::SUCCESS)
}

/// The only file of them that has a name which others have too.
const READ_ME: &str = "README.md";

/// Whether the file is none, or one that an earlier call wrote.
fn ours_or_nobodys(file: &Path) -> Result<()> {
    let first = |text: &str| text.lines().next().map(str::to_owned);
    match fs::read_to_string(file) {
        Ok(text) if first(&text) != first(include_str!("card/README.md")) => {
            let text =
                format!("{} is somebody else's; expected with --out a folder for the card's files", file.display());
            Err(Failure::Usage(text).into())
        }
        // What cannot be read cannot be written either, and says so then.
        Ok(_) | Err(_) => Ok(()),
    }
}

/// A line of boot.ini that is longer is dropped by Hardkernel's U-Boot of 2012 (`cmd[512]` in its `do_fat_cfgload`),
/// which writes behind its buffer first; mainline's takes 1024 (CONFIG_SYS_CBSIZE).
const LONGEST_LINE: usize = 511;
/// What is around the boot arguments in that line.
const AROUND: &str = "setenv bootargs \"\"";
/// What the boot scripts can pass on.
const LIMIT: Limit = Limit {
    most: LONGEST_LINE - AROUND.len(),
    whose: "U-Boot of 2012 takes lines of 511 in boot.ini (do_fat_cfgload)",
};

/// A boot argument must fit into a line of U-Boot's script, and survive its quotes.
fn check(bootargs: &str) -> Result<()> {
    bootargs::check(bootargs, &LIMIT)?;
    match bootargs.chars().find(|byte| matches!(byte, '"' | '\'' | '\\' | '$' | ';')) {
        Some(byte) => {
            Err(Failure::Usage(format!("{byte:?} in boot arguments would not survive U-Boot's script")).into())
        }
        None => Ok(()),
    }
}

/// The files, by name.
pub struct Card {
    pub files: Vec<(&'static str, Vec<u8>)>,
}

impl Card {
    /// Builds the image and makes its files, which pass `bootargs`.
    ///
    /// # Errors
    ///
    /// If the boot arguments cannot be passed, or the image does not build.
    pub fn build(workspace: &Workspace, bootargs: &str) -> Result<Self> {
        check(bootargs)?;
        let way = setup::arm_target(workspace)?;
        let images = image::build(workspace, way, &[Board::OdroidXu4])?;
        Ok(Self::new(&Image::open(&images[0])?, bootargs))
    }

    fn new(kernel: &Image, bootargs: &str) -> Self {
        let data = kernel.flat();
        // The linker script puts the first instruction first.
        let origin = kernel.origin();
        let fill = |template: &str| {
            template
                .replace("{bootargs}", bootargs)
                .replace("{loaded_at}", &format!("{LOADED_AT:#x}"))
                .replace("{tree_below}", &format!("{TREE_BELOW:#x}"))
                .replace("{origin}", &format!("{origin:#x}"))
                .replace("{size}", &data.len().to_string())
        };
        let script = fill(include_str!("card/boot.cmd"));
        let name = concat!("Gearshift ", env!("CARGO_PKG_VERSION"));
        let files = vec![
            ("uImage", uimage::write(Kind::Kernel { load: origin, entry: origin }, name, &data)),
            ("boot.scr", uimage::write(Kind::Script, "Gearshift boot script", script.as_bytes())),
            ("boot.cmd", script.into_bytes()),
            ("boot.ini", fill(include_str!("card/boot.ini")).into_bytes()),
            (READ_ME, fill(include_str!("card/README.md")).into_bytes()),
        ];
        Self { files }
    }

    fn write(&self, folder: &Path) -> std::io::Result<()> {
        fs::create_dir_all(folder)?;
        self.files.iter().try_for_each(|(name, bytes)| fs::write(folder.join(name), bytes))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn templates_have_no_other_gaps() {
        for template in [include_str!("card/boot.cmd"), include_str!("card/boot.ini"), include_str!("card/README.md")] {
            let mut rest = template;
            while let Some((_, after)) = rest.split_once('{') {
                let (gap, behind) = after.split_once('}').expect("braces come in pairs");
                // U-Boot's own variables are written ${name}.
                let known = ["bootargs", "loaded_at", "tree_below", "origin", "size"];
                let theirs = ["devtype", "devnum", "distro_bootpart", "prefix", "fdtcontroladdr"];
                assert!(known.contains(&gap) || theirs.contains(&gap), "{{{gap}}}");
                rest = behind;
            }
        }
    }

    #[test]
    fn the_vendors_boot_loader_knows_its_script_by_the_first_line() {
        assert!(include_str!("card/boot.ini").starts_with("ODROIDXU-UBOOT-CONFIG\n"));
    }

    #[test]
    fn what_would_break_a_script_is_refused() {
        assert!(check("policy=pull bench=looper:n=8,work=200ms").is_ok());
        for bad in ["a\"b", "x;reset", "$(x)", "two\nlines"] {
            assert!(check(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn no_line_is_longer_than_any_boot_loader_takes() {
        let longest = "x".repeat(LIMIT.most);
        assert!(check(&longest).is_ok() && check(&format!("{longest}x")).is_err());
        for template in [include_str!("card/boot.cmd"), include_str!("card/boot.ini")] {
            let script = template.replace("{bootargs}", &longest);
            assert!(script.lines().all(|line| line.len() <= LONGEST_LINE), "{script}");
            assert!(script.lines().any(|line| line.len() == LONGEST_LINE), "the limit is no lower than it must be");
        }
        const { assert!(LIMIT.most <= bootargs::KEPT, "the kernel keeps all of it") };
    }
}

//! U-Boot's legacy image format (`u-boot/u-boot:include/image.h`): what `mkimage` writes, without needing it.

/// What an image is for, as `bootm` and `source` see it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A kernel that is entered as if it were Linux.
    Kernel {
        /// Where `bootm` copies it.
        load: u32,
        /// Where it is entered.
        entry: u32,
    },
    /// Commands for `source`.
    Script,
}

const MAGIC: u32 = 0x2705_1956;
const HEADER: usize = 64;
const NAME: usize = 32;
/// The header's own checksum; it counts as zero in the sum.
const CHECKSUM: std::ops::Range<usize> = 4..8;
const LINUX: u8 = 5;
const ARM: u8 = 2;
const KERNEL: u8 = 2;
const SCRIPT: u8 = 6;
const UNCOMPRESSED: u8 = 0;

/// Header and data of an image. The time of making is left at zero, so that the same kernel gives the same file.
///
/// # Panics
///
/// If `data` has 4 GiB or more.
pub fn write(kind: Kind, name: &str, data: &[u8]) -> Vec<u8> {
    let (kind, load, entry, data) = match kind {
        Kind::Kernel { load, entry } => (KERNEL, load, entry, data.to_vec()),
        Kind::Script => (SCRIPT, 0, 0, listed(data)),
    };
    let size = length(&data);
    let mut image = Vec::with_capacity(HEADER + data.len());
    for word in [MAGIC, 0, 0, size, load, entry, crc32fast::hash(&data)] {
        image.extend(word.to_be_bytes());
    }
    image.extend([LINUX, ARM, kind, UNCOMPRESSED]);
    // One byte less than there is room for: the name ends with a zero.
    image.extend(name.bytes().take(NAME - 1));
    image.resize(HEADER, 0);
    let sum = crc32fast::hash(&image);
    image[CHECKSUM].copy_from_slice(&sum.to_be_bytes());
    image.extend(data);
    image
}

/// A script is a list of one file: its length, the end of the list, and the file.
fn listed(script: &[u8]) -> Vec<u8> {
    [&length(script).to_be_bytes(), &[0; 4], script].concat()
}

fn length(bytes: &[u8]) -> u32 {
    u32::try_from(bytes.len()).expect("an image is smaller than the memory it goes into")
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::{Path, PathBuf};
    use std::process::Command;

    use super::*;

    const KERNEL: Kind = Kind::Kernel { load: 0x4800_0000, entry: 0x4800_0000 };

    /// What `mkimage` makes of the same; `None` if this machine has none.
    fn mkimage(name: &str, data: &[u8], words: &[&str]) -> Option<Vec<u8>> {
        let folder = scratch(name);
        let (input, output) = (folder.join("data"), folder.join("image"));
        fs::write(&input, data).expect("the scratch folder can be written");
        let mut command = Command::new("mkimage");
        command.args(["-A", "arm", "-O", "linux", "-C", "none", "-n", name]).args(words);
        command.arg("-d").args([&input, &output]).env("SOURCE_DATE_EPOCH", "0");
        let made = command.output().ok()?;
        assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
        fs::read(output).ok()
    }

    fn scratch(name: &str) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("gearshift-{name}-{}", std::process::id()));
        fs::create_dir_all(&folder).expect("there is room for temporary files");
        folder
    }

    fn same(name: &str, data: &[u8], words: &[&str], kind: Kind) {
        match mkimage(name, data, words) {
            Some(theirs) => assert_eq!(write(kind, name, data), theirs),
            None => eprintln!("skipped: mkimage (u-boot-tools) is not installed"),
        }
        let _gone = fs::remove_dir_all(Path::new(&scratch(name)));
    }

    #[test]
    fn a_kernel_is_what_mkimage_makes_of_it() {
        same("kernel", b"\x0f\xc0\xc0\xf1code", &["-T", "kernel", "-a", "48000000", "-e", "48000000"], KERNEL);
    }

    #[test]
    fn a_script_is_what_mkimage_makes_of_it() {
        same("script", b"echo hello\n", &["-T", "script"], Kind::Script);
    }

    #[test]
    fn header_and_data_are_summed() {
        let image = write(KERNEL, "a name that is far too long for the room it has", b"abc");
        assert_eq!(image.len(), HEADER + 3);
        assert_eq!(image[63], 0, "the name ends");
        assert_eq!(image[24..28], crc32fast::hash(b"abc").to_be_bytes());
        assert_eq!(image[16..24], [0x48, 0, 0, 0, 0x48, 0, 0, 0]);
    }

    #[test]
    fn the_model_loads_it() {
        let image = model::load::Image::any(&write(KERNEL, "gearshift", b"abcd"), 0).expect("a sound uImage");
        assert_eq!((image.entry, &image.segments[..]), (0x4800_0000, &[(0x4800_0000, b"abcd".to_vec())][..]));
    }
}

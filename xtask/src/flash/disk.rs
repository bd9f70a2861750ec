//! Which devices may be written to: none that this machine uses.

use std::fs;
use std::os::linux::fs::MetadataExt;
use std::os::unix::fs::FileTypeExt;
use std::path::{Path, PathBuf};

/// A disk and its partitions, as Linux lists them in /sys/class/block.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Part {
    /// Such as `sdb1`.
    name: String,
    /// Its device number, as in /proc/self/mountinfo.
    number: String,
    /// Whether a volume manager or an encryption holds it.
    held: bool,
}

/// Refuses what is neither a disk nor a plain file, and a disk of which anything is in use.
pub fn may_be_written(path: &Path) -> Result<(), String> {
    let metadata = fs::metadata(path).map_err(|error| error.to_string())?;
    if metadata.is_file() {
        return Ok(());
    }
    if !metadata.file_type().is_block_device() {
        return Err("expected a card, an image file of a card, or a folder".into());
    }
    // The kernel's numbering of devices: bits 8-19 major, the others minor.
    let device = metadata.st_rdev();
    let (major, minor) = (device >> 8 & 0xfff, device & 0xff | device >> 12 & 0xf_ff00);
    let folder = PathBuf::from(format!("/sys/dev/block/{major}:{minor}"));
    let folder = folder.canonicalize().map_err(|error| format!("{}: {error}", folder.display()))?;
    let parts = parts_of(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let read = |path: &str| fs::read_to_string(path).map_err(|error| format!("{path}: {error}"));
    match in_use(&parts, &read("/proc/self/mountinfo")?, &read("/proc/swaps")?) {
        Some(why) => Err(why),
        None => Ok(()),
    }
}

/// The device of a /sys folder, and its partitions. Of a partition, itself alone: another partition of a card may be in
/// use.
fn parts_of(folder: &Path) -> std::io::Result<Vec<Part>> {
    let mut folders = vec![folder.to_owned()];
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.join("partition").exists() {
            folders.push(path);
        }
    }
    let part = |folder: &PathBuf| {
        let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let number = fs::read_to_string(folder.join("dev"))?.trim().to_owned();
        let held = fs::read_dir(folder.join("holders")).is_ok_and(|mut holders| holders.next().is_some());
        Ok(Part { name, number, held })
    };
    folders.iter().map(part).collect()
}

/// Why none of these parts may be written to, if so; from the texts of /proc/self/mountinfo and /proc/swaps.
fn in_use(parts: &[Part], mounts: &str, swaps: &str) -> Option<String> {
    for line in mounts.lines() {
        let words: Vec<&str> = line.split(' ').collect();
        let (Some(number), Some(place)) = (words.get(2), words.get(4)) else { continue };
        let Some(part) = parts.iter().find(|part| part.number == *number) else { continue };
        let name = &part.name;
        let system =
            *place == "/" || ["/boot", "/efi", "/usr", "/var", "/home"].iter().any(|top| place.starts_with(top));
        return Some(match system {
            true => format!("it holds this machine's system: /dev/{name} is mounted at {place}"),
            false => format!("/dev/{name} is mounted at {place}; unmount it, or name that folder"),
        });
    }
    for part in parts {
        let device = format!("/dev/{}", part.name);
        if part.held {
            return Some(format!("{device} belongs to a volume that is in use"));
        }
        if swaps.lines().any(|line| line.split_whitespace().next() == Some(&device)) {
            return Some(format!("this machine swaps to {device}"));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    const MOUNTS: &str = "22 1 8:2 / / rw,relatime shared:1 - ext4 /dev/sda2 rw
40 22 8:17 / /media/card rw,nosuid shared:30 - vfat /dev/sdb1 rw
";
    const SWAPS: &str = "Filename\tType\tSize\tUsed\tPriority\n/dev/sdc1                 partition\t99\t0\t-2\n";

    fn disk(letter: char, major_minor: [&str; 2]) -> Vec<Part> {
        let part = |name: String, number: &str| Part { name, number: number.into(), held: false };
        vec![part(format!("sd{letter}"), major_minor[0]), part(format!("sd{letter}1"), major_minor[1])]
    }

    #[test]
    fn a_disk_that_is_in_use_is_refused() {
        let why = |parts: &[Part]| in_use(parts, MOUNTS, SWAPS).expect("it is in use");
        assert!(why(&disk('a', ["8:0", "8:2"])).contains("this machine's system"));
        assert!(why(&disk('b', ["8:16", "8:17"])).contains("/media/card"));
        assert!(why(&disk('c', ["8:32", "8:33"])).contains("swaps"));
        let mut held = disk('d', ["8:48", "8:49"]);
        held[1].held = true;
        assert!(why(&held).contains("volume"));
    }

    #[test]
    fn a_free_disk_is_not() {
        assert_eq!(in_use(&disk('d', ["8:48", "8:49"]), MOUNTS, SWAPS), None);
    }

    #[test]
    fn what_takes_no_files_is_refused() {
        assert!(may_be_written(Path::new("/dev/null")).expect_err("no disk").contains("expected"));
    }
}

//! Files that are read and files that are written must not be the same.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use anyhow::Result;

use crate::failure::Failure;

/// Whether writing `to` leaves `from` alone, whatever the two are called.
///
/// # Errors
///
/// [`Failure::Usage`] if they are one and the same.
pub fn apart(from: &Path, to: &Path) -> Result<()> {
    if same(from, to) {
        let (from, to) = (from.display(), to.display());
        let text = format!("{to} is {from} itself, which is read; expected another file to write to");
        return Err(Failure::Usage(text).into());
    }
    Ok(())
}

/// Whether a folder is or can be made there, as far as that is seen before there is anything to put into it.
///
/// # Errors
///
/// [`Failure::Usage`] if something else is there.
pub fn folder(path: &Path) -> Result<()> {
    if path.exists() && !path.is_dir() {
        let text = format!("{} is no folder; expected one, or the name of one to be made", path.display());
        return Err(Failure::Usage(text).into());
    }
    Ok(())
}

/// Whether two names lead to one file or folder, through links or not.
pub fn same(one: &Path, other: &Path) -> bool {
    let identity = |path: &Path| fs::metadata(path).ok().map(|data| (data.dev(), data.ino()));
    identity(one).is_some_and(|one| identity(other) == Some(one))
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn a_file_is_known_by_all_its_names() {
        let folder = tempfile::tempdir().expect("a folder");
        let name = |name: &str| folder.path().join(name);
        fs::write(name("log"), "EVENT").expect("there is room");
        fs::hard_link(name("log"), name("hard")).expect("linked");
        symlink(name("log"), name("soft")).expect("linked");
        for other in ["log", "hard", "soft", "./log"] {
            assert!(apart(&name("log"), &name(other)).is_err(), "{other}");
        }
        fs::write(name("other"), "EVENT").expect("there is room");
        for other in ["other", "not-yet"] {
            assert!(apart(&name("log"), &name(other)).is_ok(), "{other}");
        }
        assert!(!same(&name("none"), &name("none")), "what is not there is not overwritten");
    }
}

//! Where things lie.

use std::env;
use std::path::{Path, PathBuf};

/// The source tree and its target folder.
pub struct Workspace {
    root: PathBuf,
    target: PathBuf,
}

impl Workspace {
    /// The tree that this program was built from; `CARGO_TARGET_DIR` moves the target folder as it does for cargo.
    pub fn here() -> Self {
        let xtask = Path::new(env!("CARGO_MANIFEST_DIR"));
        let root = xtask.parent().expect("xtask lies in the workspace").to_owned();
        let target = env::var_os("CARGO_TARGET_DIR").unwrap_or_else(|| "target".into());
        Self { target: root.join(target), root }
    }

    /// The folder of the top `Cargo.toml`.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Where cargo puts what it builds.
    pub fn target(&self) -> &Path {
        &self.target
    }
}

//! A device tree out of Debian's kernel package, without touching the system's own apt state.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The blob of that name.
pub fn device_tree(name: &str) -> Result<Vec<u8>, String> {
    if let Some(path) = std::env::var_os("EXYNOS5422_DTB") {
        return fs::read(&path).map_err(|error| format!("{}: {error}", Path::new(&path).display()));
    }
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("device-trees");
    let cached = folder.join(name);
    if !cached.exists() {
        let blob = download(&folder, name)?;
        // By a rename, so that an interrupted test leaves no half of a file.
        let partial = folder.join(format!("{name}.{}", std::process::id()));
        fs::write(&partial, blob).and_then(|()| fs::rename(&partial, &cached)).map_err(|error| error.to_string())?;
    }
    fs::read(&cached).map_err(|error| error.to_string())
}

fn download(folder: &Path, name: &str) -> Result<Vec<u8>, String> {
    let apt = Apt::new(folder)?;
    apt.update()?;
    let package = apt.kernel_package()?;
    let archive = apt.download(&package)?;
    let listed = output(Command::new("dpkg-deb").arg("--contents").arg(&archive))?;
    let member =
        listed.split_whitespace().find(|word| word.ends_with(name)).ok_or(format!("{package} has no {name}"))?;
    let extract = format!("dpkg-deb --fsys-tarfile '{}' | tar --extract --to-stdout '{member}'", archive.display());
    let done = Command::new("sh").args(["-c", &extract]).output().map_err(|error| format!("tar: {error}"))?;
    // The package is large and the tree is all that is wanted of it.
    let _ = fs::remove_file(&archive);
    if done.stdout.is_empty() { Err(format!("{member} could not be extracted")) } else { Ok(done.stdout) }
}

/// apt with lists and a cache of its own, looking at armhf only.
struct Apt {
    folder: PathBuf,
    options: Vec<String>,
}

impl Apt {
    fn new(folder: &Path) -> Result<Self, String> {
        for part in ["state/lists/partial", "cache/archives/partial"] {
            fs::create_dir_all(folder.join(part)).map_err(|error| error.to_string())?;
        }
        let status = folder.join("status");
        fs::write(&status, "").map_err(|error| error.to_string())?;
        let options = [
            format!("Dir::State={}", folder.join("state").display()),
            format!("Dir::State::status={}", status.display()),
            format!("Dir::Cache={}", folder.join("cache").display()),
            "APT::Architecture=armhf".into(),
            "APT::Architectures=armhf".into(),
            "Acquire::http::Timeout=10".into(),
            "Acquire::https::Timeout=10".into(),
            "Acquire::Retries=0".into(),
            "APT::Sandbox::User=root".into(),
        ];
        let options = options.into_iter().flat_map(|option: String| ["-o".into(), option]).collect();
        Ok(Self { folder: folder.to_path_buf(), options })
    }

    fn command(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        command.args(&self.options).current_dir(&self.folder);
        command
    }

    /// Some list of a foreign repository may fail; what counts is whether the kernel is found afterwards.
    fn update(&self) -> Result<(), String> {
        let quiet = self.command("apt-get").arg("update").stdout(Stdio::null()).stderr(Stdio::null()).status();
        quiet.map(|_| ()).map_err(|error| format!("apt-get: {error}"))
    }

    /// The package that the general one of the architecture stands for at present.
    fn kernel_package(&self) -> Result<String, String> {
        let depends = output(self.command("apt-cache").args(["depends", "linux-image-armmp"]))?;
        let mut words = depends.lines().filter_map(|line| line.trim().strip_prefix("Depends: "));
        words.next().map(str::to_owned).ok_or("no list of Debian packages for armhf".into())
    }

    fn download(&self, package: &str) -> Result<PathBuf, String> {
        output(self.command("apt-get").args(["download", package]))?;
        let files = fs::read_dir(&self.folder).map_err(|error| error.to_string())?;
        let is_it = |path: &PathBuf| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(package));
        let archive = files.filter_map(Result::ok).map(|entry| entry.path()).find(is_it);
        archive.ok_or(format!("apt-get has not fetched {package}"))
    }
}

fn output(command: &mut Command) -> Result<String, String> {
    let done = command.stdin(Stdio::null()).output().map_err(|error| format!("{command:?}: {error}"))?;
    if done.status.success() {
        Ok(String::from_utf8_lossy(&done.stdout).into_owned())
    } else {
        Err(format!("{:?} ended with {}", command.get_program(), done.status))
    }
}

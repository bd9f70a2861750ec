//! The board's real device tree, out of Debian's kernel package for 32-bit Arm.
//!
//! It is fetched once into the target folder. apt works in a folder of its own there, with no effect on the system's
//! settings and no need for root. `GEARSHIFT_DEVICE_TREE` names a file to use instead.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;
use std::thread;
use std::time::{Duration, Instant};

const FILE: &str = "exynos5422-odroidxu4.dtb";
/// Depends on the package of the newest kernel.
const NEWEST_KERNEL: &str = "linux-image-armmp";
/// Some 15 MB of package lists, and some 30 MB of kernel.
const PATIENCE: Duration = Duration::from_secs(180);

/// The tree, or `None` after having said why not. Looked for once, however many tests ask.
pub fn odroid_xu4() -> Option<&'static [u8]> {
    static TREE: OnceLock<Option<Vec<u8>>> = OnceLock::new();
    let tree = TREE.get_or_init(|| match find() {
        Ok(tree) => Some(tree),
        Err(why) => {
            eprintln!("skipped: the device tree of the Odroid XU4 cannot be had: {why}");
            None
        }
    });
    tree.as_deref()
}

fn find() -> Result<Vec<u8>, String> {
    let cache = Path::new(env!("CARGO_TARGET_TMPDIR")).join("device-tree");
    let file = env::var_os("GEARSHIFT_DEVICE_TREE").map_or_else(|| cache.join(FILE), PathBuf::from);
    if let Ok(tree) = fs::read(&file) {
        return Ok(tree);
    }
    let tree = fetch(&cache)?;
    fs::write(&file, &tree).map_err(|error| error.to_string())?;
    Ok(tree)
}

/// Asks apt for the kernel and takes the tree out of it.
fn fetch(cache: &Path) -> Result<Vec<u8>, String> {
    let apt = Apt::new(cache)?;
    // Fails as a whole when one of many lists is being replaced; what counts is whether the kernel is known afterwards.
    let _some_lists = apt.run("apt-get", &["update"]);
    let depends = apt.run("apt-cache", &["depends", NEWEST_KERNEL])?;
    let depends = String::from_utf8_lossy(&depends).into_owned();
    let kernel = depends.lines().find_map(|line| line.trim().strip_prefix("Depends: "));
    let kernel = kernel.ok_or_else(|| format!("{NEWEST_KERNEL} depends on no kernel"))?;
    apt.run("apt-get", &["download", kernel])?;
    let packages = fs::read_dir(cache).map_err(|error| error.to_string())?;
    let package =
        packages.flatten().map(|entry| entry.path()).find(|path| path.extension().is_some_and(|e| e == "deb"));
    let package = package.ok_or("apt-get downloaded nothing")?;
    let tree = extract(&package, &format!("./usr/lib/{kernel}/{FILE}"))?;
    // The package is large; the tree is all that is kept.
    fs::remove_file(package).map_err(|error| error.to_string())?;
    Ok(tree)
}

fn extract(package: &Path, member: &str) -> Result<Vec<u8>, String> {
    let mut unpack = Command::new("dpkg-deb");
    let mut archive = start(unpack.arg("--fsys-tarfile").arg(package))?;
    let stdout = archive.stdout.take().ok_or("dpkg-deb has no output")?;
    let mut tar = Command::new("tar");
    let tree = finish(start(tar.args(["--extract", "--to-stdout", member]).stdin(stdout))?, "tar");
    finish(archive, "dpkg-deb")?;
    tree
}

/// apt with lists, cache and status of its own.
struct Apt<'a> {
    folder: &'a Path,
}

impl<'a> Apt<'a> {
    fn new(folder: &'a Path) -> Result<Self, String> {
        let made = ["lists/partial", "cache/archives/partial"]
            .iter()
            .try_for_each(|name| fs::create_dir_all(folder.join(name)));
        made.and_then(|()| fs::write(folder.join("status"), "")).map_err(|error| error.to_string())?;
        Ok(Self { folder })
    }

    fn run(&self, program: &str, words: &[&str]) -> Result<Vec<u8>, String> {
        let mut command = Command::new(program);
        for (option, name) in
            [("State", ""), ("State::Lists", "lists"), ("State::Status", "status"), ("Cache", "cache")]
        {
            command.arg("-o").arg(format!("Dir::{option}={}", self.folder.join(name).display()));
        }
        for option in
            ["APT::Architecture=armhf", "APT::Architectures=armhf", "APT::Sandbox::User=", "Acquire::Retries=1"]
        {
            command.args(["-o", option]);
        }
        finish(start(command.args(words).current_dir(self.folder).stdin(Stdio::null()))?, program)
    }
}

fn start(command: &mut Command) -> Result<Child, String> {
    let child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn();
    child.map_err(|error| format!("{}: {error}", command.get_program().to_string_lossy()))
}

/// What the program wrote, if it ends well and in time.
fn finish(mut child: Child, name: &str) -> Result<Vec<u8>, String> {
    let stdout = child.stdout.take();
    let reader = thread::spawn(move || {
        let mut bytes = Vec::new();
        stdout.map(|mut stdout| std::io::Read::read_to_end(&mut stdout, &mut bytes));
        bytes
    });
    let deadline = Instant::now() + PATIENCE;
    let status = loop {
        match child.try_wait() {
            Ok(Some(status)) => break status,
            Ok(None) if Instant::now() < deadline => thread::sleep(Duration::from_millis(50)),
            _ => {
                let _killed = child.kill();
                let _reaped = child.wait();
                return Err(format!("{name} took too long"));
            }
        }
    };
    let bytes = reader.join().map_err(|_| format!("{name} could not be read"))?;
    if status.success() { Ok(bytes) } else { Err(format!("{name} failed ({status})")) }
}

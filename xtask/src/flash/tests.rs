//! Cards as image files and folders.

use std::fs::{self, File};
use std::io::{Seek, SeekFrom, Write};

use fatfs::{FormatVolumeOptions, format_volume};
use fscommon::StreamSlice;

use super::*;

const FILES: [(&str, &[u8]); 2] = [("uImage", b"Gearshift 1"), ("boot.ini", b"CONFIG\n# Gearshift")];

fn files() -> Vec<(&'static str, Vec<u8>)> {
    FILES.iter().map(|(name, bytes)| (*name, bytes.to_vec())).collect()
}

fn put_into(store: &mut dyn Store, files: &[(&'static str, Vec<u8>)]) -> Result<Vec<(&'static str, String)>> {
    put(store, &files.iter().collect::<Vec<_>>())
}

/// A card of `megabytes` with a boot loader before its one partition.
fn card(folder: &Path, megabytes: u64) -> PathBuf {
    let path = folder.join("card.img");
    let mut file = File::options().read(true).write(true).create_new(true).open(&path).expect("a new file");
    let (start, end) = (1 << 20, megabytes << 20);
    file.set_len(end).expect("room");
    let slice = StreamSlice::new(file.try_clone().expect("a second hand"), start, end).expect("it lies inside");
    format_volume(slice, FormatVolumeOptions::new()).expect("formatted");
    let mut entry = [0_u8; 16];
    entry[4] = 0x0c;
    entry[8..12].copy_from_slice(&u32::to_le_bytes((start / 512) as u32));
    entry[12..16].copy_from_slice(&u32::to_le_bytes(((end - start) / 512) as u32));
    file.seek(SeekFrom::Start(446)).and_then(|_| file.write_all(&entry)).expect("an entry");
    file.seek(SeekFrom::Start(510)).and_then(|_| file.write_all(&[0x55, 0xaa])).expect("the mark");
    file.write_all(&[0xb1; 4096]).expect("a boot loader");
    path
}

/// Each store after files came twice, the first time over somebody else's.
fn comes_twice(path: &Path) {
    let mut opened = open(path).expect("it takes files");
    let store = opened.as_mut();
    store.write("boot.ini", b"Linux").expect("it fits");
    let kept = put_into(store, &files()).expect("it fits");
    assert_eq!(kept, [("boot.ini", "boot.ini.before-gearshift".to_owned())]);
    assert_eq!(put_into(store, &files()).expect("it fits"), [], "ours is replaced without a trace");
    opened.settle().expect("the disk is well");
    let mut opened = open(path).expect("it takes files");
    let store = opened.as_mut();
    for (name, bytes) in FILES {
        assert_eq!(store.head(name).expect("readable").as_deref(), Some(bytes));
        assert_eq!(store.head(&fresh(name)).expect("readable"), None);
    }
    assert_eq!(store.head("boot.ini.before-gearshift").expect("readable").as_deref(), Some(&b"Linux"[..]));
    store.remove("boot.ini").and_then(|()| store.write("boot.ini", b"Linux 2")).expect("writable");
    let error = put_into(store, &files()).expect_err("nobody's file is lost");
    assert!(format!("{error:#}").contains("move one"), "{error:#}");
    assert_eq!(store.head("boot.ini").expect("readable").as_deref(), Some(&b"Linux 2"[..]));
    assert_eq!(store.head("boot.ini.new").expect("readable"), None, "and nothing is left lying about");
}

#[test]
fn a_folder_takes_files_and_keeps_those_of_others() {
    let folder = tempfile::tempdir().expect("a folder");
    comes_twice(folder.path());
}

#[test]
fn a_link_that_lies_in_the_way_is_not_followed() {
    let folder = tempfile::tempdir().expect("a folder");
    let elsewhere = folder.path().join("elsewhere");
    fs::write(&elsewhere, "precious").expect("writable");
    std::os::unix::fs::symlink(&elsewhere, folder.path().join("uImage.new")).expect("a link");
    put_into(open(folder.path()).expect("a folder").as_mut(), &files()).expect("it fits");
    assert_eq!(fs::read(&elsewhere).expect("readable"), b"precious");
}

#[test]
fn a_card_takes_files_and_keeps_those_of_others() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = card(folder.path(), 8);
    comes_twice(&path);
    let bytes = fs::read(&path).expect("readable");
    assert!(bytes[512..4608].iter().all(|byte| *byte == 0xb1), "the boot loader is untouched");
}

#[test]
fn a_partition_alone_is_a_card_too() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("partition.img");
    let file = File::options().read(true).write(true).create_new(true).open(&path).expect("a new file");
    file.set_len(4 << 20).expect("room");
    format_volume(file, FormatVolumeOptions::new()).expect("formatted");
    comes_twice(&path);
}

#[test]
fn a_card_that_is_full_keeps_what_it_had() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = card(folder.path(), 2);
    let mut store = open(&path).expect("a card");
    put_into(store.as_mut(), &files()).expect("it fits");
    let large = [("boot.ini", b"Gearshift 2".to_vec()), ("uImage", vec![7; 2 << 20])];
    put_into(store.as_mut(), &large).expect_err("it does not fit");
    for (name, bytes) in FILES {
        assert_eq!(store.head(name).expect("readable").as_deref(), Some(bytes), "{name}");
    }
}

#[test]
fn what_is_no_card_is_named() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("text");
    fs::write(&path, vec![b'x'; 1024]).expect("writable");
    let error = |path: &Path| format!("{:#}", open(path).err().expect("no card"));
    assert!(error(&path).contains("boot sector"));
    assert!(error(&folder.path().join("nothing")).contains("nothing"));
    assert!(error(Path::new("/boot")).contains("lives there"));
}

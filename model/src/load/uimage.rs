//! U-Boot's legacy image format (u-boot/u-boot:include/image.h): 64 bytes of header, big-endian, then the data.

use super::LoadError;

const MAGIC: u32 = 0x2705_1956;
const SIZE: usize = 64;
/// Where the header's own checksum stands; it counts as zero in the sum.
const CHECKSUM: std::ops::Range<usize> = 4..8;
const OS_LINUX: u8 = 5;
const ARCHITECTURE_ARM: u8 = 2;
const KERNEL: u8 = 2;
const UNCOMPRESSED: u8 = 0;

/// What the header says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    /// Where the data is copied to.
    pub load: u32,
    /// Where it is entered.
    pub entry: u32,
}

/// Splits a uImage into what its header says and its data.
///
/// # Errors
///
/// If U-Boot's `bootm` would not start it as a Linux kernel for Arm.
pub fn parse(bytes: &[u8]) -> Result<(Header, &[u8]), LoadError> {
    let refuse = |why: &str| Err(LoadError(format!("bootm would refuse the uImage: {why}")));
    let Some((header, rest)) = bytes.split_at_checked(SIZE) else { return refuse("it is too short") };
    let word = |index: usize| {
        let bytes = [0, 1, 2, 3].map(|byte| header[4 * index + byte]);
        u32::from_be_bytes(bytes)
    };
    if word(0) != MAGIC {
        return refuse("bad magic number");
    }
    let mut cleared = header.to_vec();
    cleared[CHECKSUM].fill(0);
    if crc32fast::hash(&cleared) != word(1) {
        return refuse("bad header checksum");
    }
    let Some(data) = rest.get(..word(3) as usize) else { return refuse("the data is cut off") };
    if crc32fast::hash(data) != word(6) {
        return refuse("bad data checksum");
    }
    if header[28..32] != [OS_LINUX, ARCHITECTURE_ARM, KERNEL, UNCOMPRESSED] {
        return refuse("it is not an uncompressed Linux kernel for Arm");
    }
    Ok((Header { load: word(4), entry: word(5) }, data))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn image(data: &[u8]) -> Vec<u8> {
        let mut bytes = Vec::new();
        let words = [MAGIC, 0, 0, data.len() as u32, 0x4200_0000, 0x4200_0040, crc32fast::hash(data)];
        words.iter().for_each(|word| bytes.extend(word.to_be_bytes()));
        bytes.extend([OS_LINUX, ARCHITECTURE_ARM, KERNEL, UNCOMPRESSED]);
        bytes.resize(SIZE, 0);
        let sum = crc32fast::hash(&bytes);
        bytes[CHECKSUM].copy_from_slice(&sum.to_be_bytes());
        bytes.extend(data);
        bytes
    }

    #[test]
    fn a_sound_image_is_taken_apart() {
        let bytes = image(b"kernel");
        let (header, data) = parse(&bytes).expect("sound");
        assert_eq!(header, Header { load: 0x4200_0000, entry: 0x4200_0040 });
        assert_eq!(data, b"kernel");
    }

    #[test]
    fn what_bootm_refuses_is_refused() {
        for (spoilt, why) in [(0, "magic"), (20, "header checksum"), (64, "data checksum")] {
            let mut bytes = image(b"kernel");
            bytes[spoilt] ^= 1;
            let error = parse(&bytes).expect_err("spoilt").to_string();
            assert!(error.contains(why), "{error}");
        }
        assert!(parse(&image(b"kernel")[..66]).is_err());
    }
}

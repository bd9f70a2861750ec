//! Names of functions by address, so that a finding or a fault reads like a line of the program.

use object::elf::{FileHeader32, STT_FUNC};
use object::read::elf::{FileHeader, Sym};
use object::{LittleEndian, SectionIndex};

use super::LoadError;

/// Functions in the order of their addresses.
#[derive(Clone, Debug, Default)]
pub struct Symbols {
    functions: Vec<(u32, u32, String)>,
}

impl Symbols {
    /// The functions that an ELF names.
    pub(super) fn of(header: &FileHeader32<LittleEndian>, bytes: &[u8]) -> Result<Self, LoadError> {
        let endian = LittleEndian;
        let sections = header.sections(endian, bytes)?;
        let table = sections.symbols(endian, bytes, object::elf::SHT_SYMTAB)?;
        let mut functions = Vec::new();
        for symbol in table.iter() {
            if symbol.st_type() == STT_FUNC && SectionIndex(symbol.st_shndx(endian).into()) != SectionIndex(0) {
                let name = table.symbol_name(endian, symbol)?;
                let name = format!("{:#}", rustc_demangle::demangle(&String::from_utf8_lossy(name)));
                functions.push((symbol.st_value(endian) & !1, symbol.st_size(endian), name));
            }
        }
        functions.sort();
        Ok(Self { functions })
    }

    /// "function+0x12", or nothing if no function covers the address.
    #[must_use]
    pub fn describe(&self, address: u32) -> Option<String> {
        let behind = self.functions.partition_point(|(start, ..)| *start <= address);
        let (start, size, name) = &self.functions[behind.checked_sub(1)?];
        let offset = address - start;
        (offset < (*size).max(4)).then(|| format!("{name}+{offset:#x}"))
    }

    /// The address of the function called `name`.
    #[must_use]
    pub fn address(&self, name: &str) -> Option<u32> {
        self.functions.iter().find(|(.., other)| other == name).map(|(start, ..)| *start)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_inside_a_function_is_described() {
        let functions = vec![(0x8000, 0x20, "main".to_owned()), (0x8020, 8, "tail".to_owned())];
        let symbols = Symbols { functions };
        assert_eq!(symbols.describe(0x8010).as_deref(), Some("main+0x10"));
        assert_eq!(symbols.describe(0x8024).as_deref(), Some("tail+0x4"));
        assert_eq!(symbols.describe(0x8028), None);
        assert_eq!(symbols.describe(0x7fff), None);
        assert_eq!(symbols.address("tail"), Some(0x8020));
    }
}

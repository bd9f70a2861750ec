//! Where a core probably came from.
//!
//! Images carry no unwind tables. But every call leaves its return address on the stack or in LR, and a word on the
//! stack that points behind a call instruction inside a known function is hardly ever anything else.

use super::{Machine, Soc};

/// Words of the stack that are looked at.
const DEPTH: u32 = 256;
/// Callers that are told.
const CALLERS: usize = 12;

impl<P: Soc> Machine<P> {
    /// The functions in which `core` is, innermost first, as "address function+offset".
    pub fn backtrace(&mut self, core: usize) -> Vec<String> {
        let core = &self.cores[core];
        let (pc, link, stack) = (core.pc, core.r[14], core.r[13]);
        let mut addresses = vec![pc];
        if self.is_behind_call(link) {
            addresses.push(link);
        }
        for index in 0..DEPTH {
            let Some(word) = self.bus.memory.read_word(stack.wrapping_add(4 * index)) else { break };
            if word != link && self.is_behind_call(word) {
                addresses.push(word);
            }
        }
        let name = |address: u32| Some(format!("{address:#010x} {}", self.symbols.describe(address)?));
        addresses.into_iter().take(CALLERS).map(|address| name(address).unwrap_or(format!("{address:#010x}"))).collect()
    }

    /// Whether the instruction before `address` is a call, in a known function.
    fn is_behind_call(&mut self, address: u32) -> bool {
        let Some(call) = address.checked_sub(4).filter(|call| call % 4 == 0) else { return false };
        if self.symbols.describe(call).is_none() {
            return false;
        }
        // BL and BLX to a register, with any condition.
        let is_call = |word: u32| word & 0x0f00_0000 == 0x0b00_0000 || word & 0x0fff_fff0 == 0x012f_ff30;
        self.bus.memory.read_word(call).is_some_and(is_call)
    }
}

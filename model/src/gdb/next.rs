//! Where a core can be after its next instruction.

use crate::bus::Memory;
use crate::cpu::Core;

/// The address behind the instruction and, if it can go elsewhere, that place. Exceptions are stepped over.
pub fn places(core: &Core, memory: &mut Memory) -> Vec<u32> {
    let behind = core.pc.wrapping_add(4);
    let word = memory.read_word(core.pc).unwrap_or(0);
    let mut places = vec![behind];
    places.extend(target(core, word, memory).filter(|target| *target != behind));
    places
}

fn target(core: &Core, word: u32, memory: &mut Memory) -> Option<u32> {
    let pc = core.pc.wrapping_add(8);
    let register = |number: u32| if number == 15 { pc } else { core.r[number as usize & 15] };
    let (n, m) = (word >> 16 & 15, word & 15);
    let (before, up) = (word >> 24 & 1 != 0, word >> 23 & 1 != 0);
    match word & 0x0fff_ffff {
        // B, BL.
        bits if bits & 0x0e00_0000 == 0x0a00_0000 => Some(pc.wrapping_add_signed((word << 8) as i32 >> 6)),
        // BX, BLX, MOV pc.
        bits if bits & 0x0fff_ffd0 == 0x012f_ff10 || bits & 0x0fef_fff0 == 0x01a0_f000 => Some(register(m) & !1),
        // LDR pc, with an immediate offset.
        bits if bits & 0x0e10_f000 == 0x0410_f000 => {
            let offset = word & 0xfff;
            let moved = if up { register(n).wrapping_add(offset) } else { register(n).wrapping_sub(offset) };
            memory.read_word(if before { moved } else { register(n) })
        }
        // LDM with the PC, which is the highest word.
        bits if bits & 0x0e10_8000 == 0x0810_8000 => {
            let bytes = 4 * (word & 0xffff).count_ones();
            let end = if up { register(n).wrapping_add(bytes) } else { register(n).wrapping_add(4) };
            let end = if before == up { end.wrapping_add(4) } else { end };
            memory.read_word(end.wrapping_sub(if up { 4 } else { 8 }))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cpu::{Costs, Identity, ResetMode};

    const HERE: u32 = 0x4000_0100;
    const STACK: u32 = 0x4000_0800;

    fn after(word: u32) -> Vec<u32> {
        let mut memory = Memory::new(&[(0x4000_0000, 0x1000)]);
        let words = [(HERE, word), (STACK - 4, 0x4000_0a00), (STACK, 0x4000_0b00), (STACK + 4, 0x4000_0c00)];
        words.iter().for_each(|(address, word)| memory.write_word(*address, *word).expect("it is RAM"));
        let mut core = Core::new(0, 0, Identity::cortex_a7(0x8000_0000, 1, 0), Costs::unit());
        core.reset(HERE, ResetMode::NonSecureSvc);
        core.r[13] = STACK;
        core.r[14] = 0x4000_0d00;
        places(&core, &mut memory)
    }

    #[test]
    fn an_ordinary_instruction_leads_behind_itself() {
        assert_eq!(after(0xe1a0_0001), [HERE + 4]);
    }

    #[test]
    fn branches_lead_to_their_targets() {
        assert_eq!(after(0x0aff_fffe), [HERE + 4, HERE], "beq .");
        assert_eq!(after(0xe12f_ff1e), [HERE + 4, 0x4000_0d00], "bx lr");
        assert_eq!(after(0xe1a0_f00e), [HERE + 4, 0x4000_0d00], "mov pc, lr");
    }

    #[test]
    fn loads_of_the_pc_lead_to_what_is_loaded() {
        assert_eq!(after(0xe8bd_8010), [HERE + 4, 0x4000_0c00], "pop r4 and pc");
        assert_eq!(after(0xe49d_f004), [HERE + 4, 0x4000_0b00], "pop pc");
        assert_eq!(after(0xe51d_f004), [HERE + 4, 0x4000_0a00], "ldr pc, [sp, #-4]");
        assert_eq!(after(0xe91d_8000), [HERE + 4, 0x4000_0a00], "ldmdb sp with pc");
    }
}

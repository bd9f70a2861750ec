//! The program, written down instruction by instruction. It notes words at r9 (0x4030_0000 on) and sends them to the
//! UART in the end. Words are numbered through all parts, which follow each other from 0x4001_0000 on.

mod modes;
mod rest;
mod translation;
mod vectors;

/// All words in their order.
pub fn words() -> impl Iterator<Item = u32> {
    let parts: [&[u32]; 4] = [&vectors::WORDS, &modes::WORDS, &translation::WORDS, &rest::WORDS];
    parts.concat().into_iter()
}

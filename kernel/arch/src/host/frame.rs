//! Clearing the registers of a fresh task.

use crate::context::Frame;

/// Makes a frame all zero.
pub(crate) fn clear(frame: &mut Frame) {
    *frame = Frame::EMPTY;
}

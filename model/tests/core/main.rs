//! Fixed cases for each class of instructions and for the system level, with the values that the ARM Architecture
//! Reference Manual (ARM DDI 0406C.c) prescribes. Random cases are in `differential`.

mod guest;

mod exceptions;
mod flow;
mod memory;
mod modes;
mod numbers;
mod several;
mod time;
mod translation;

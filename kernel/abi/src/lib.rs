//! Stub.
#![no_std]


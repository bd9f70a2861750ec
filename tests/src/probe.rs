//! What no safe program does: forbidden accesses, raw system calls, register patterns. The only unsafe code of the
//! self-test.
#![expect(unsafe_code, reason = "the tests of protection must try what is forbidden")]

/// Loads from an address that is not the task's: it must not live to see the result.
pub fn load(address: usize) {
    // SAFETY: an aligned address of a live page or of nothing; the load has no effect but the fault that is wanted.
    unsafe { core::ptr::with_exposed_provenance::<u32>(address).read_volatile() };
}

/// Stores to an address that is not the task's: it must not live to see the result.
pub fn store(address: usize) {
    let target = core::ptr::with_exposed_provenance_mut::<u32>(address);
    // SAFETY: the callers name read-only or privileged memory; the store faults. Where protection is broken it may do
    // harm, and the test that called it reports that.
    unsafe { target.write_volatile(0xDEAD_BEEF) };
}

/// Executes what stands at an address from which nothing may be executed.
pub fn execute(address: usize) {
    let target = core::ptr::with_exposed_provenance::<()>(address);
    // SAFETY: the callers name memory that is mapped execute-never or privileged, so that the fetch faults; what stands
    // there is a return instruction or the kernel's own text.
    let target = unsafe { core::mem::transmute::<*const (), extern "C" fn()>(target) };
    target();
}

#[cfg(target_os = "none")]
mod target {
    use abi::Call;

    // Set by the linker script of every board; never read as variables.
    unsafe extern "C" {
        static __kernel_text_start: u32;
        static __kernel_bss_start: u32;
        static __user_stacks_start: u32;
    }

    /// The first address of the kernel's text.
    pub fn kernel_text() -> usize {
        (&raw const __kernel_text_start).addr()
    }

    /// The first address of the kernel's zeroed data.
    pub fn kernel_data() -> usize {
        (&raw const __kernel_bss_start).addr()
    }

    /// The first address of the guard page under the first user stack.
    pub fn stack_guard() -> usize {
        (&raw const __user_stacks_start).addr()
    }

    /// Executes an instruction that is undefined for ever (Arm ARM DDI 0406C, A8.8.247 UDF).
    pub fn undefined_instruction(_: usize) {
        // SAFETY: faults; the kernel kills the task.
        unsafe { core::arch::asm!("udf #0") };
    }

    /// Writes the system control register, which is undefined in USR mode (Arm ARM DDI 0406C, B4.1.130).
    pub fn privileged_instruction(_: usize) {
        // SAFETY: faults; the kernel kills the task. It would write back what it read.
        unsafe { core::arch::asm!("mrc p15, 0, {0}, c1, c0, 0", "mcr p15, 0, {0}, c1, c0, 0", out(reg) _) };
    }

    /// Tries to mask interrupts by a write to CPSR, which USR mode ignores; returns mode and interrupt mask afterwards.
    pub fn mask_interrupts() -> u32 {
        let status: u32;
        // SAFETY: USR mode may write the flags only, and those are clobbered here.
        unsafe {
            core::arch::asm!(
                "mrs {0}, cpsr",
                "orr {0}, {0}, #0xC0",
                "bic {0}, {0}, #0x0C",
                "msr cpsr_fc, {0}",
                "mrs {0}, cpsr",
                out(reg) status,
                options(nostack),
            );
        }
        status & 0x9F
    }

    /// A system call with any number and any words. Returns `r0`.
    pub fn call(number: u32, arguments: [u32; 4]) -> u32 {
        let result;
        // SAFETY: the callers see to it that no word names memory in which the kernel may write but a buffer made for
        // it.
        unsafe {
            core::arch::asm!(
                "svc #0",
                in("r12") number,
                inlateout("r0") arguments[0] => result,
                inlateout("r1") arguments[1] => _,
                in("r2") arguments[2],
                in("r3") arguments[3],
                options(nostack),
            );
        }
        result
    }

    /// A task that exits with the low three bits of the stack pointer it started with. Never called, only started.
    #[unsafe(naked)]
    pub extern "C" fn exit_with_alignment() {
        core::arch::naked_asm!("and r0, sp, #7", "mov r12, #{exit}", "svc #0", exit = const Call::Exit as u32);
    }

    /// A task that exits with the bitwise or of every register that should be 0 when it starts: all but `r0`-`r2` and
    /// `sp`.
    #[unsafe(naked)]
    pub extern "C" fn exit_with_leftovers() {
        core::arch::naked_asm!(
            "orr r3, r3, r4",
            "orr r3, r3, r5",
            "orr r3, r3, r6",
            "orr r3, r3, r7",
            "orr r3, r3, r8",
            "orr r3, r3, r9",
            "orr r3, r3, r10",
            "orr r3, r3, r11",
            "orr r0, r3, r12",
            "vmov r4, r5, d0",
            "orr r0, r0, r4",
            "orr r0, r0, r5",
            "vmov r4, r5, d15",
            "orr r0, r0, r4",
            "orr r0, r0, r5",
            "mov r12, #{exit}",
            "svc #0",
            exit = const Call::Exit as u32,
        );
    }

    /// Fills `r1`-`r12` and `lr` with patterns made of `seed`, spends `rounds` rounds in a loop that interrupts may
    /// break anywhere, and returns the bitwise or of all differences: 0.
    #[unsafe(naked)]
    pub extern "C" fn differences_in_core_registers(seed: u32, rounds: u32) -> u32 {
        core::arch::naked_asm!(
            "push {{r4-r12, lr}}",
            "add r2, r0, #2",
            "add r3, r0, #3",
            "add r4, r0, #4",
            "add r5, r0, #5",
            "add r6, r0, #6",
            "add r7, r0, #7",
            "add r8, r0, #8",
            "add r9, r0, #9",
            "add r10, r0, #10",
            "add r11, r0, #11",
            "add r12, r0, #12",
            "add lr, r0, #14",
            "2: subs r1, r1, #1",
            "bne 2b",
            "sub r2, r2, #2",
            "eor r2, r2, r0",
            // Each register less its number must be the seed again; what differs is gathered in r2.
            "sub r3, r3, #3",
            "eor r3, r3, r0",
            "orr r2, r2, r3",
            "sub r4, r4, #4",
            "eor r4, r4, r0",
            "orr r2, r2, r4",
            "sub r5, r5, #5",
            "eor r5, r5, r0",
            "orr r2, r2, r5",
            "sub r6, r6, #6",
            "eor r6, r6, r0",
            "orr r2, r2, r6",
            "sub r7, r7, #7",
            "eor r7, r7, r0",
            "orr r2, r2, r7",
            "sub r8, r8, #8",
            "eor r8, r8, r0",
            "orr r2, r2, r8",
            "sub r9, r9, #9",
            "eor r9, r9, r0",
            "orr r2, r2, r9",
            "sub r10, r10, #10",
            "eor r10, r10, r0",
            "orr r2, r2, r10",
            "sub r11, r11, #11",
            "eor r11, r11, r0",
            "orr r2, r2, r11",
            "sub r12, r12, #12",
            "eor r12, r12, r0",
            "orr r2, r2, r12",
            "sub lr, lr, #14",
            "eor lr, lr, r0",
            "orr r0, r2, lr",
            "pop {{r4-r12, pc}}",
        );
    }

    /// Loads `d0`-`d15` from `patterns` and FPSCR from `status`, spends `rounds` rounds, makes a system call, spends as
    /// many again, stores all registers back to `patterns` and returns FPSCR.
    pub fn hold_floating_point(patterns: &mut [u64; 16], status: u32, rounds: u32) -> u32 {
        let mut after = status;
        // SAFETY: loads and stores the sixteen words it was lent; all changed registers are declared, and FPSCR is put
        // back.
        unsafe {
            core::arch::asm!(
                "vmrs {before}, fpscr",
                "vldmia {at}, {{d0-d15}}",
                "vmsr fpscr, {status}",
                "mov {count}, {rounds}",
                "2: subs {count}, {count}, #1",
                "bne 2b",
                "mov r12, #{yield_call}",
                "svc #0",
                "mov {count}, {rounds}",
                "3: subs {count}, {count}, #1",
                "bne 3b",
                "vmrs {status}, fpscr",
                "vstmia {at}, {{d0-d15}}",
                "vmsr fpscr, {before}",
                at = in(reg) patterns.as_mut_ptr(),
                status = inout(reg) after,
                rounds = in(reg) rounds,
                count = out(reg) _,
                before = out(reg) _,
                yield_call = const Call::Yield as u32,
                out("r0") _, out("r1") _, out("r12") _,
                out("d0") _, out("d1") _, out("d2") _, out("d3") _, out("d4") _, out("d5") _, out("d6") _, out("d7") _,
                out("d8") _, out("d9") _, out("d10") _, out("d11") _, out("d12") _, out("d13") _, out("d14") _, out("d15") _,
                options(nostack),
            );
        }
        after
    }
}

#[cfg(target_os = "none")]
pub use target::*;

/// The host's twins: nothing to test there, only to compile and to lint.
#[cfg(not(target_os = "none"))]
mod host {
    pub fn kernel_text() -> usize {
        0
    }
    pub fn kernel_data() -> usize {
        4
    }
    pub fn stack_guard() -> usize {
        0
    }
    pub fn undefined_instruction(_: usize) {}
    pub fn privileged_instruction(_: usize) {}
    pub fn mask_interrupts() -> u32 {
        0x10
    }
    pub fn call(_number: u32, _arguments: [u32; 4]) -> u32 {
        abi::Error::Unsupported.code()
    }
    pub extern "C" fn exit_with_alignment() {}
    pub extern "C" fn exit_with_leftovers() {}
    pub extern "C" fn differences_in_core_registers(_seed: u32, _rounds: u32) -> u32 {
        0
    }
    pub fn hold_floating_point(_patterns: &mut [u64; 16], status: u32, _rounds: u32) -> u32 {
        status
    }
}

#[cfg(not(target_os = "none"))]
pub use host::*;

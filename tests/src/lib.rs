//! The self-test: what the kernel promises to tasks, checked on the target by unprivileged tasks.
//!
//! [`first`] is the first task of every image: the image that is tested is the image that ships. `bench=selftest` runs
//! [`self_test`], which prints one line a test (`TEST name … ok`) and adds to the count of the `DONE` line. The library
//! knows [`abi`] and the programs of [`workloads`] only, so the same tests run on every board; where they bind tasks to
//! CPUs they take those that are online.
//!
//! What is asserted is the contract and no more: bound tasks stay, unbound ones may go anywhere. Waiting times are
//! asserted tightly only where the clock counts instructions; elsewhere a busy host may stop any CPU for long.
#![no_std]

mod affinity;
mod calls;
mod channels;
mod clamps;
mod cpus;
mod faults;
mod futexes;
mod harness;
mod host;
mod memory;
mod probe;
mod registers;
mod support;
mod tasks;
mod time;
mod wakes;
mod yields;

use abi::task::exit;
use abi::types::MAX_BOOT_ARGUMENTS;
use harness::{Case, case};
use workloads::init::request_of;

/// All tests, in the order in which they run: what others rest on comes first.
const CASES: &[Case] = &[
    case("cpus.online", cpus::online),
    case("cpus.capacities", cpus::capacities),
    case("time.one_clock", time::one_clock),
    case("time.never_early", time::never_early),
    case("time.past_deadline", time::past_deadline),
    case("time.grid_over_masked_section", time::grid_over_masked_section),
    case("task.join", tasks::join),
    case("task.join_mistakes", tasks::join_mistakes),
    case("task.exhaustion", tasks::exhaustion),
    case("task.statistics", tasks::statistics),
    case("registers.stack_alignment", registers::stack_alignment),
    case("registers.fresh", registers::fresh),
    case("registers.over_interrupts", registers::over_interrupts),
    case("registers.floating_point", registers::floating_point),
    case("futex.semantics", futexes::semantics),
    case("futex.mistakes", futexes::mistakes),
    case("yield.alternation", yields::alternation),
    case("yield.storm", yields::storm),
    case("wake.all_pairs", wakes::all_pairs),
    case("wake.none_lost", wakes::none_lost),
    case("affinity.bound", affinity::bound),
    case("affinity.change_running", affinity::change_running),
    case("affinity.change_sleeping", affinity::change_sleeping),
    case("affinity.mistakes", affinity::mistakes),
    case("affinity.migration_storm", affinity::migration_storm),
    case("clamp.inherited", clamps::inherited),
    case("clamp.mistakes", clamps::mistakes),
    case("channel.order", channels::order),
    case("channel.limits", channels::limits),
    case("channel.close", channels::close),
    case("memory.write_text", memory::write_text),
    case("memory.write_constant", memory::write_constant),
    case("memory.execute_data", memory::execute_data),
    case("memory.execute_stack", memory::execute_stack),
    case("memory.null", memory::null),
    case("memory.kernel_text", memory::kernel_text),
    case("memory.kernel_data", memory::kernel_data),
    case("memory.stack_overflow", memory::stack_overflow),
    case("fault.undefined", faults::undefined),
    case("fault.privileged", faults::privileged),
    case("fault.panic", faults::panic),
    case("fault.others_unharmed", faults::others_unharmed),
    case("call.unknown", calls::unknown),
    case("call.bad_addresses", calls::bad_addresses),
    case("call.all_of_memory", calls::all_of_memory),
    case("call.hostile_words", calls::hostile_words),
    case("kernel.quiet_when_idle", cpus::quiet_when_idle),
    case("kernel.stack_headroom", cpus::stack_headroom),
    case("kernel.nothing_leaked", cpus::nothing_leaked),
    case("kernel.no_verdict_refused", cpus::no_verdict_refused),
];

/// The first task of an image: runs what the boot arguments name, the self-test among it.
pub fn first(_argument: usize) {
    workloads::run(Some(self_test))
}

/// The program behind `bench=selftest`; its argument is the number of its request. Arguments of the request: `only`
/// (tests whose names begin so), or instead of the tests what a host judges ([`host`]): `die`, `talk`, `listen`.
pub fn self_test(index: usize) {
    let mut buffer = [0; MAX_BOOT_ARGUMENTS];
    let Some(request) = request_of(index, &mut buffer) else { exit(1) };
    request.expect_only(&["only", "die", "talk", "listen"]);
    if let Some(kind) = request.choice("die", &host::DEATHS) {
        host::die(kind)
    } else if let Some(lines) = request.number("talk", 1..=1000) {
        host::talk(lines)
    } else if let Some(lines) = request.number("listen", 1..=1000) {
        host::listen(lines)
    } else {
        harness::run(CASES, request.value("only").unwrap_or(""))
    }
}

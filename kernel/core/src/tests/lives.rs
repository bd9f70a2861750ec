//! Spawning, exiting, joining, dying; and what bad callers get.

use abi::types::{EndKind, FaultKind, MAX_TASKS};
use abi::{Call, Error};
use arch::entry::{Fault, FaultKind as Kind, Kernel as _};
use arch::host;

use super::world::{ENTRY, World};

#[test]
fn a_joiner_is_told_the_exit_code_and_the_number_is_gone() {
    let world = World::new("policy=pinned");
    let child = world.spawn(0, 0b10);
    world.settle();
    assert_eq!(world.running(1), Some(child));
    assert_eq!(world.call(0, Call::Join, [child, 0, 0, 0]), None);
    assert_eq!(world.running(0), None);
    world.call(1, Call::Exit, [42, 0, 0, 0]);
    world.settle();
    assert_eq!(world.result(0), Ok(EndKind::Exited as u32));
    let value = world.kernel.cpus.with(host::irqs_off(0), |cpu| cpu.running().context.register(1));
    assert_eq!(value, 42);
    assert_eq!(world.call(0, Call::Join, [child, 0, 0, 0]), Some(Err(Error::NoSuchTask)));
}

#[test]
fn an_end_is_kept_for_a_late_joiner() {
    let world = World::new("policy=pinned");
    let child = world.spawn(0, 0b10);
    world.settle();
    world.call(1, Call::Exit, [7, 0, 0, 0]);
    assert_eq!(world.call(0, Call::Join, [child, 0, 0, 0]), Some(Ok(0)));
}

#[test]
fn a_faulting_task_is_killed_alone_and_reported() {
    let world = World::new("policy=pinned");
    let child = world.spawn(0, 0b10);
    world.settle();
    let fault = Fault { kind: Kind::DataAbort, pc: ENTRY + 8, address: 0x1234, status: 0x805 };
    let irqs = host::irqs_off(1);
    host::run(|| world.kernel.fault(irqs, fault));
    assert!(world.printed().contains(&format!(
        "FAULT cpu=1 task={child} kind=data_abort pc=0x10000008 addr=0x00001234 status=0x805 action=killed\r\n"
    )));
    assert_eq!(world.call(0, Call::Join, [child, 0, 0, 0]), Some(Ok(EndKind::Killed as u32)));
    let value = world.kernel.cpus.with(host::irqs_off(0), |cpu| cpu.running().context.register(1));
    assert_eq!(value, FaultKind::DataAbort as u32);
}

#[test]
fn the_table_fills_up_and_recovers() {
    let world = World::new("policy=pinned");
    let mut children = Vec::new();
    loop {
        match world.call(0, Call::Spawn, [ENTRY, 0, 0, 0b10]).expect("spawning does not block") {
            Ok(child) => children.push(child),
            Err(error) => {
                assert_eq!(error, Error::Exhausted);
                break;
            }
        }
    }
    assert_eq!(children.len(), MAX_TASKS - 1);
    world.settle();
    for _ in &children {
        world.call(1, Call::Exit, [0; 4]);
        world.settle();
    }
    for child in &children {
        assert_eq!(world.call(0, Call::Join, [*child, 0, 0, 0]), Some(Ok(0)));
    }
    let again = world.spawn(0, 0b10);
    assert!(!children.contains(&again), "a number is not used again at once");
}

#[test]
fn a_task_cannot_join_itself_nor_be_joined_twice() {
    let world = World::new("policy=pinned");
    let me = world.running(0).expect("the first task runs");
    assert_eq!(world.call(0, Call::Join, [me, 0, 0, 0]), Some(Err(Error::BadArgument)));
    let child = world.spawn(0, 0b10);
    let rival = world.spawn(0, 0b100);
    world.settle();
    assert_eq!(world.running(2), Some(rival));
    world.call(0, Call::Join, [child, 0, 0, 0]);
    assert_eq!(world.call(2, Call::Join, [child, 0, 0, 0]), Some(Err(Error::Refused)));
}

#[test]
fn hostile_arguments_get_an_error_from_every_call() {
    let hostile = [0, 1, 3, 0x1000, 0x7fff_ffff, 0x8000_0000, 0xffff_fffc, u32::MAX, ENTRY, host::USER_DATA.end - 2];
    for number in (0..64).chain([u32::MAX, 0x8000_0000]) {
        // Those that end the caller, put it to sleep or end the system do as they are told.
        let ends = [Call::Exit, Call::Panicked, Call::Shutdown, Call::SleepUntil, Call::ConsoleRead];
        if ends.iter().any(|call| *call as u32 == number) {
            continue;
        }
        let world = World::new("policy=pinned");
        for first in hostile {
            for second in hostile {
                let result = world.raw_call(0, number, [first, second, first, second]);
                assert!(result.is_some(), "call {number} with {first:#x}, {second:#x} blocked");
                if Call::from_number(number).is_none() {
                    assert_eq!(result, Some(Err(Error::NoSuchCall)));
                }
                world.settle();
            }
        }
        for record in [Call::Statistics, Call::SystemInfo, Call::Counters] {
            if record as u32 == number {
                let me = world.running(0).expect("it runs");
                let (first, second) = if record == Call::Statistics { (me, 0) } else { (0, me) };
                assert_eq!(world.call(0, record, [first, second, 0, 0]), Some(Err(Error::BadAddress)));
            }
        }
    }
}

#[test]
fn diagnosis_is_refused_unless_asked_for_at_boot() {
    let world = World::new("bench=none");
    assert_eq!(world.call(0, Call::Diagnose, [1, 0, 0, 0]), Some(Err(Error::Refused)));
}

/// How the system ends when its first task shuts it down with code 3.
fn ending(world: &World) -> String {
    world.ends(|| {
        world.call(0, Call::Shutdown, [3, 0, 0, 0]);
    })
}

#[test]
fn shutdown_hands_its_code_to_the_board() {
    let world = World::new("");
    assert_eq!(ending(&world), "the system ended: Halt(3)");
    let world = World::new("after=reboot");
    assert_eq!(ending(&world), "the system ended: Reboot");
    let world = World::new("after=shell");
    assert_eq!(ending(&world), "the system ended: Halt(3)", "the shell ends the system as anybody does");
    let reboot = world.ends(|| {
        world.call(0, Call::Shutdown, [0, 1, 0, 0]);
    });
    assert_eq!(reboot, "the system ended: Reboot", "whatever the boot arguments say");
}

#[test]
fn the_system_ends_with_its_first_task() {
    let world = World::new("");
    let how = world.ends(|| {
        world.call(0, Call::Exit, [0; 4]);
    });
    assert_eq!(how, "the system ended: Halt(102)");
    assert!(world.printed().contains("the first task ended without ending the system"));
}

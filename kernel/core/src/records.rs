//! Records that go to user memory, field by field at the place the interface gives it.

use core::mem::{align_of, offset_of};

use abi::types::{Climate, Counters, Statistics, SystemInfo};
use abi::{Error, Result};

/// Writes fields of a record; an element of an array is named by its index.
macro_rules! put {
    ($base:expr, $record:ty, $($field:ident: $value:expr),+ $(,)?) => {
        $(write($base, offset_of!($record, $field), &$value.to_le_bytes())?;)+
    };
}

fn write(base: u32, offset: usize, bytes: &[u8]) -> Result<()> {
    arch::user::write(base + offset as u32, bytes).map_err(|_| Error::BadAddress)
}

fn check<T>(base: u32) -> Result<()> {
    if !base.is_multiple_of(align_of::<T>() as u32) {
        return Err(Error::BadAddress);
    }
    arch::user::writable(base, size_of::<T>() as u32).map_err(|_| Error::BadAddress)
}

/// Writes the statistics of a task.
pub(crate) fn write_statistics(base: u32, from: &Statistics) -> Result<()> {
    check::<Statistics>(base)?;
    put!(base, Statistics, user_ns: from.user_ns, system_ns: from.system_ns, migrations: from.migrations, switches: from.switches,
        energy_nj: from.energy_nj, cycles: from.cycles, instructions: from.instructions, little_ratio: from.little_ratio,
        reserved: from.reserved);
    for (cpu, time) in from.on_cpu_ns.iter().enumerate() {
        write(base, offset_of!(Statistics, on_cpu_ns) + 8 * cpu, &time.to_le_bytes())?;
    }
    Ok(())
}

/// Writes the description of the system.
pub(crate) fn write_info(base: u32, from: &SystemInfo) -> Result<()> {
    check::<SystemInfo>(base)?;
    write(base, offset_of!(SystemInfo, board), &from.board)?;
    put!(base, SystemInfo,
        cpus: from.cpus, online: from.online, big: from.big, timer_hz: from.timer_hz, pace_slots: from.pace_slots,
        policy: from.policy, goal: from.goal, policy_chosen: from.policy_chosen, plant: from.plant, governor: from.governor);
    for (cpu, capacity) in from.capacity.iter().enumerate() {
        write(base, offset_of!(SystemInfo, capacity) + 4 * cpu, &capacity.to_le_bytes())?;
    }
    Ok(())
}

/// Writes what the kernel counts.
pub(crate) fn write_counters(base: u32, from: &Counters) -> Result<()> {
    check::<Counters>(base)?;
    put!(base, Counters,
        refused: from.refused, migrations: from.migrations, ticks: from.ticks, ipis: from.ipis, spurious: from.spurious,
        faults: from.faults, tasks: from.tasks, dropped_characters: from.dropped_characters);
    Ok(())
}

/// Writes clocks, temperature and energy.
pub(crate) fn write_climate(base: u32, from: &Climate) -> Result<()> {
    check::<Climate>(base)?;
    put!(base, Climate,
        temperature_mc: from.temperature_mc, energy_uj: from.energy_uj, plans: from.plans, parked: from.parked);
    for (offset, pair) in [
        (offset_of!(Climate, clock_khz), from.clock_khz),
        (offset_of!(Climate, cap_khz), from.cap_khz),
        (offset_of!(Climate, pressure), from.pressure),
        (offset_of!(Climate, clock_changes), from.clock_changes),
    ] {
        write(base, offset, &pair[0].to_le_bytes())?;
        write(base, offset + 4, &pair[1].to_le_bytes())?;
    }
    Ok(())
}

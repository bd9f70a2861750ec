//! The generic timer's registers (ARM ARM B8): access rights here, the timer itself on the platform.

use super::{Name, Undefined};
use crate::bus::TimerRegister;
use crate::cpu::{Core, Mode, World};

/// CNTKCTL bits: what USR mode may use.
const USER_PHYSICAL_COUNT: u32 = 1;
const USER_VIRTUAL_COUNT: u32 = 1 << 1;
const USER_VIRTUAL_TIMER: u32 = 1 << 8;
const USER_PHYSICAL_TIMER: u32 = 1 << 9;
/// CNTHCTL bits: what non-secure PL1 may use.
const PL1_PHYSICAL_COUNT: u32 = 1;
const PL1_PHYSICAL_TIMER: u32 = 1 << 1;

impl Core {
    /// Whether the current mode may use a timer register.
    fn timer_open(&self, register: TimerRegister) -> bool {
        use TimerRegister as T;
        let (user, pl1) = match register {
            T::Frequency => (USER_PHYSICAL_COUNT | USER_VIRTUAL_COUNT, 0),
            T::PhysicalCount => (USER_PHYSICAL_COUNT, PL1_PHYSICAL_COUNT),
            T::VirtualCount => (USER_VIRTUAL_COUNT, 0),
            T::PhysicalCompare | T::PhysicalValue | T::PhysicalControl => (USER_PHYSICAL_TIMER, PL1_PHYSICAL_TIMER),
            T::VirtualCompare | T::VirtualValue | T::VirtualControl => (USER_VIRTUAL_TIMER, 0),
            T::HypCompare | T::HypValue | T::HypControl | T::VirtualOffset => {
                return matches!(self.mode(), Mode::Hyp | Mode::Monitor);
            }
        };
        let below_hyp = !self.secure() && self.mode() != Mode::Hyp;
        (self.privileged() || self.cp15.cntkctl & user != 0) && (!below_hyp || pl1 == 0 || self.cp15.cnthctl & pl1 != 0)
    }

    fn timer_register(&self, name: Name) -> Result<TimerRegister, Undefined> {
        use TimerRegister as T;
        let register = match (name.opc1, name.crm, name.opc2) {
            (0, 0, 0) => T::Frequency,
            (0, 2, 0) => T::PhysicalValue,
            (0, 2, 1) => T::PhysicalControl,
            (0, 3, 0) => T::VirtualValue,
            (0, 3, 1) => T::VirtualControl,
            (4, 2, 0) => T::HypValue,
            (4, 2, 1) => T::HypControl,
            _ => return Err(Undefined),
        };
        if self.timer_open(register) { Ok(register) } else { Err(Undefined) }
    }

    fn timer_register_long(&self, opc1: u32, reads: bool) -> Result<TimerRegister, Undefined> {
        use TimerRegister as T;
        let register = match opc1 {
            0 if reads => T::PhysicalCount,
            1 if reads => T::VirtualCount,
            2 => T::PhysicalCompare,
            3 => T::VirtualCompare,
            4 => T::VirtualOffset,
            6 => T::HypCompare,
            _ => return Err(Undefined),
        };
        if self.timer_open(register) { Ok(register) } else { Err(Undefined) }
    }

    pub(super) fn read_timer(&mut self, bus: &mut World, name: Name, i: usize) -> Result<u32, Undefined> {
        match (name.opc1, name.crm, name.opc2) {
            (0, 1, 0) => return Ok(self.cp15.cntkctl),
            (4, 1, 0) => return Ok(self.cp15.cnthctl),
            _ => {}
        }
        let register = self.timer_register(name)?;
        Ok(bus.platform.timer_read(register, &self.access(i)) as u32)
    }

    pub(super) fn write_timer(&mut self, bus: &mut World, name: Name, value: u32, i: usize) -> Result<(), Undefined> {
        match (name.opc1, name.crm, name.opc2) {
            (0, 1, 0) => self.cp15.cntkctl = value,
            (4, 1, 0) => self.cp15.cnthctl = value,
            _ => {
                let register = self.timer_register(name)?;
                if register == TimerRegister::Frequency && !(self.privileged() && self.secure()) {
                    return Err(Undefined);
                }
                bus.platform.timer_write(register, u64::from(value), &self.access(i));
                self.sample_lines(bus);
            }
        }
        Ok(())
    }

    pub(super) fn read_timer_long(&mut self, bus: &mut World, opc1: u32, i: usize) -> Result<u64, Undefined> {
        let register = self.timer_register_long(opc1, true)?;
        Ok(bus.platform.timer_read(register, &self.access(i)))
    }

    pub(super) fn write_timer_long(
        &mut self,
        bus: &mut World,
        opc1: u32,
        value: u64,
        i: usize,
    ) -> Result<(), Undefined> {
        let register = self.timer_register_long(opc1, false)?;
        bus.platform.timer_write(register, value, &self.access(i));
        self.sample_lines(bus);
        Ok(())
    }
}

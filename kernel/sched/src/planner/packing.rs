//! Packing tasks into the CPUs of a cluster.

use super::item::{ItemSet, Items};
use super::{Free, free_time};
use crate::{CoreType, CpuMask};

/// What is packed into a cluster.
pub(super) struct Packing {
    cpus: CpuMask,
    /// Those of them where somebody never sleeps: the last resort.
    hungry: CpuMask,
    before: Free,
    /// The free time of each CPU.
    pub free: Free,
    /// The items that found room.
    pub placed: ItemSet,
    /// The time that they take together.
    pub used: u32,
}

impl Packing {
    pub fn new(cpus: CpuMask, hungry: CpuMask) -> Self {
        let free = free_time(cpus, hungry);
        Self { cpus, hungry, before: free, free, placed: ItemSet::EMPTY, used: 0 }
    }

    /// Each item into the first CPU that has room. Returns the number of looks at a CPU.
    pub fn first_fit(&mut self, items: &Items, from: ItemSet, core: CoreType, inverse: u32) -> u32 {
        let mut looks = 0;
        for index in from.iter() {
            let size = items.get(index).share(core, inverse);
            let allowed = items.allows(index, self.cpus);
            for cpu in (allowed & !self.hungry).iter().chain((allowed & self.hungry).iter()) {
                looks += 1;
                if self.free[cpu.index()] >= size {
                    self.free[cpu.index()] -= size;
                    self.placed.insert(index);
                    self.used += size;
                    break;
                }
            }
        }
        looks
    }

    /// As if the cluster were one large CPU: whoever does not fit at the end of one goes on at the start of the next
    /// (McNaughton's wrap-around rule, Management Science 6(1), 1959). Nobody may be larger than a CPU.
    pub fn pour(&mut self, items: &Items, from: ItemSet, core: CoreType, inverse: u32) -> u32 {
        let mut looks = 0;
        for index in from.iter() {
            looks += 1;
            let mut size = items.get(index).share(core, inverse);
            let cpus = items.allows(index, self.cpus);
            let room: u32 = cpus.iter().map(|cpu| self.free[cpu.index()]).sum();
            if size > room || size > super::WHOLE {
                continue;
            }
            self.placed.insert(index);
            self.used += size;
            for cpu in cpus.iter() {
                let taken = size.min(self.free[cpu.index()]);
                self.free[cpu.index()] -= taken;
                size -= taken;
            }
        }
        looks
    }

    /// The time for which the fullest CPU works.
    pub fn fullest(&self) -> u32 {
        self.cpus.iter().map(|cpu| self.before[cpu.index()] - self.free[cpu.index()]).max().unwrap_or(0)
    }
}

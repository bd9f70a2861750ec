//! Packing tasks into the CPUs of a cluster: the inner loop of the search.

use heapless::Vec;

use super::item::{ItemSet, Items, Total};
use super::{WHOLE, free_time};
use crate::{CoreType, CpuId, CpuMask, MAX_CPUS};

/// The CPUs of a cluster as places to pack into, those last where somebody never sleeps.
#[derive(Clone, Debug)]
pub(super) struct Bins {
    cpus: Vec<CpuId, MAX_CPUS>,
    free: [u32; MAX_CPUS],
}

impl Bins {
    pub fn new(cpus: CpuMask, hungry: CpuMask) -> Self {
        let free = free_time(cpus, hungry);
        let cpus: Vec<CpuId, MAX_CPUS> = (cpus & !hungry).iter().chain((cpus & hungry).iter()).collect();
        let mut bins = Self { cpus, free: [0; MAX_CPUS] };
        for (bin, cpu) in bins.cpus.iter().enumerate() {
            bins.free[bin] = free[cpu.index()];
        }
        bins
    }

    pub fn len(&self) -> usize {
        self.cpus.len()
    }

    /// What each gets of something that is shared equally, rounded down.
    #[inline]
    pub fn each(&self, whole: u32) -> u32 {
        // The target divides in a subroutine; clusters of one, two and four need none.
        let count = self.cpus.len().max(1) as u32;
        if count.is_power_of_two() { whole >> count.trailing_zeros() } else { whole / count }
    }

    /// The places of the CPUs in `mask`.
    pub fn places(&self, mask: CpuMask) -> u8 {
        let chosen = self.cpus.iter().enumerate().filter(|(_, cpu)| mask.contains(**cpu));
        chosen.fold(0, |places, (bin, _)| places | 1 << bin)
    }
}

/// What is packed into a cluster.
pub(super) struct Packing<'a> {
    bins: &'a Bins,
    free: [u32; MAX_CPUS],
    /// The items that found room.
    pub placed: ItemSet,
    /// The time that they take together.
    pub used: u32,
    /// Their sizes on the other kind of core.
    pub elsewhere: Total,
}

impl<'a> Packing<'a> {
    pub fn new(bins: &'a Bins) -> Self {
        Self { bins, free: bins.free, placed: ItemSet::EMPTY, used: 0, elsewhere: Total::default() }
    }

    /// Each item into the first CPU that has room. With `all` the first one that finds none ends it. Returns the number of looks at a
    /// CPU.
    pub fn first_fit(&mut self, items: &Items<'_>, from: ItemSet, core: CoreType, inverse: u32, all: bool) -> u32 {
        let mut looks = 0;
        // Sizes fall, so a CPU that has no room for the last item is closed for good.
        let least = from.last().map_or(0, |last| items.get(last).share(core, inverse));
        let mut open = u8::MAX;
        for index in from.iter() {
            let item = items.get(index);
            let size = item.share(core, inverse);
            let mut candidates = item.places(core) & open;
            loop {
                looks += 1;
                let bin = candidates.trailing_zeros() as usize % MAX_CPUS;
                if candidates == 0 {
                    if all {
                        return looks;
                    }
                    break;
                }
                if self.free[bin] >= size {
                    self.free[bin] -= size;
                    self.used += size;
                    self.elsewhere += (item, core.other());
                    self.placed.insert(index);
                    if self.free[bin] < least {
                        open &= !(1 << bin);
                    }
                    break;
                }
                candidates &= candidates - 1;
            }
        }
        looks
    }

    /// As if the cluster were one large CPU, for tasks that may use all of it; the others are packed first. That all this can be dealt out is
    /// McNaughton's theorem (Management Science 6(1), 1959), if nobody is larger than a CPU.
    pub fn pour(&mut self, items: &Items<'_>, from: ItemSet, core: CoreType, inverse: u32, all: bool) -> u32 {
        let everywhere = u8::MAX >> (8 - self.bins.len().clamp(1, 8));
        let divides = |index: &usize| items.get(*index).places(core) == everywhere;
        let mut whole = ItemSet::EMPTY;
        from.iter().filter(|index| !divides(index)).for_each(|index| whole.insert(index));
        let mut looks = self.first_fit(items, whole, core, inverse, all);
        if all && self.placed != whole {
            return looks;
        }
        let mut room: u32 = self.free.iter().sum();
        for index in (from - whole).iter() {
            looks += 1;
            let item = items.get(index);
            let size = item.share(core, inverse);
            if size > room.min(WHOLE) {
                if all {
                    return looks;
                }
                continue;
            }
            room -= size;
            self.used += size;
            self.placed.insert(index);
            self.elsewhere += (item, core.other());
        }
        looks
    }

    /// The time for which the fullest CPU works at least, once all is dealt out evenly: an equal part of the work, the longest task, or as many
    /// as one CPU gets whatever is done, of the shortest. For equal tasks it is exact.
    pub fn fullest(&self, items: &Items<'_>, core: CoreType, inverse: u32) -> u32 {
        let (Some(longest), Some(shortest)) = (self.placed.first(), self.placed.last()) else { return 0 };
        let [longest, shortest] = [longest, shortest].map(|index| items.get(index).share(core, inverse));
        let rounds = self.bins.each(self.placed.len() + self.bins.len().max(1) as u32 - 1);
        self.bins.each(self.used).max(longest).max(shortest * rounds)
    }
}

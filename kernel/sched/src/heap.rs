//! A binary heap by (virtual time, order of arrival) from which any element can be taken.

use heapless::Vec;

use crate::virtual_time::VirtualTime;

/// An element of the heap. The key is kept beside the element, so that sifting follows no pointer.
#[derive(Debug)]
pub(crate) struct Node<T> {
    key: VirtualTime,
    arrival: u32,
    item: T,
}

impl<T> Node<T> {
    /// Puts another element here and takes this one.
    #[inline]
    pub(crate) fn replace(&mut self, key: VirtualTime, arrival: u32, item: T) -> T {
        core::mem::replace(self, Self { key, arrival, item }).item
    }

    #[inline]
    fn before(&self, other: &Self) -> bool {
        let ahead = self.key.ahead_of(other.key);
        // Fewer than 2^31 arrivals lie between two elements, so here too the sign of the difference is the order.
        ahead < 0 || ahead == 0 && self.arrival.wrapping_sub(other.arrival).cast_signed() < 0
    }
}

#[derive(Debug)]
pub(crate) struct Heap<T, const N: usize> {
    nodes: Vec<Node<T>, N>,
}

impl<T, const N: usize> Heap<T, N> {
    pub(crate) const fn new() -> Self {
        Self { nodes: Vec::new() }
    }

    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.nodes.len()
    }

    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// The least key.
    #[inline]
    pub(crate) fn earliest(&self) -> Option<VirtualTime> {
        Some(self.nodes.first()?.key)
    }

    /// The only element, if there is just one and `wanted` accepts its key.
    #[inline]
    pub(crate) fn only(&mut self, wanted: impl Fn(VirtualTime) -> bool) -> Option<&mut Node<T>> {
        match &mut self.nodes[..] {
            [only] if wanted(only.key) => Some(only),
            _ => None,
        }
    }

    /// Adds the element that is the `arrival`-th of all, or gives it back if the heap is full.
    #[inline]
    pub(crate) fn push(&mut self, key: VirtualTime, arrival: u32, item: T) -> Result<(), T> {
        self.nodes.push(Node { key, arrival, item }).map_err(|node| node.item)?;
        self.sift_up(self.nodes.len() - 1);
        Ok(())
    }

    /// Takes the element of least key, among equals the one that came first; with its number.
    #[inline]
    pub(crate) fn pop(&mut self) -> Option<(u32, T)> {
        if self.nodes.is_empty() { None } else { Some(self.take(0)) }
    }

    /// Adds an element and takes the first one, which may be the same.
    #[inline]
    pub(crate) fn exchange(&mut self, key: VirtualTime, arrival: u32, item: T) -> T {
        let mut node = Node { key, arrival, item };
        if let Some(first) = self.nodes.first_mut().filter(|first| first.before(&node)) {
            core::mem::swap(first, &mut node);
            self.sift_down(0);
        }
        node.item
    }

    /// Where the element stands that came first of those that `wanted` accepts, and how many arrivals ago that was.
    pub(crate) fn oldest(&self, arrivals: u32, wanted: impl Fn(&T) -> bool) -> Option<(u32, usize)> {
        let candidates = self.nodes.iter().enumerate().filter(|(_, node)| wanted(&node.item));
        candidates.map(|(index, node)| (arrivals.wrapping_sub(node.arrival), index)).max()
    }

    /// Takes the element at that place; with its number.
    pub(crate) fn take(&mut self, index: usize) -> (u32, T) {
        let node = self.nodes.swap_remove(index);
        if index < self.nodes.len() {
            self.sift_down(index);
            self.sift_up(index);
        }
        (node.arrival, node.item)
    }

    fn sift_up(&mut self, mut index: usize) {
        while index > 0 {
            let parent = (index - 1) / 2;
            if !self.nodes[index].before(&self.nodes[parent]) {
                break;
            }
            self.nodes.swap(index, parent);
            index = parent;
        }
    }

    #[inline]
    fn sift_down(&mut self, index: usize) {
        if 2 * index + 1 < self.nodes.len() {
            self.sink(index);
        }
    }

    /// [`Heap::sift_down`] of an element that has something below it.
    fn sink(&mut self, mut index: usize) {
        loop {
            let mut least = 2 * index + 1;
            if least >= self.nodes.len() {
                break;
            }
            let right = least + 1;
            if right < self.nodes.len() && self.nodes[right].before(&self.nodes[least]) {
                least = right;
            }
            if !self.nodes[least].before(&self.nodes[index]) {
                break;
            }
            self.nodes.swap(index, least);
            index = least;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Keys on both sides of the wrap.
    fn at(key: u32) -> VirtualTime {
        VirtualTime::ZERO.plus(u32::MAX - 9).plus(key)
    }

    #[test]
    fn equal_keys_leave_in_the_order_of_arrival_even_when_the_count_wraps() {
        let mut heap = Heap::<u32, 16>::new();
        let first = u32::MAX - 3;
        for item in 0..8 {
            heap.push(at(7), first.wrapping_add(item), item).expect("there is room");
        }
        let (_, oldest) = heap.oldest(first.wrapping_add(8), |&item| item > 4).expect("three of them");
        assert_eq!(heap.take(oldest).1, 5);
        let order: std::vec::Vec<_> = core::iter::from_fn(|| heap.pop()).map(|(_, item)| item).collect();
        assert_eq!(order, [0, 1, 2, 3, 4, 6, 7]);
    }

    #[test]
    fn a_full_heap_gives_the_element_back() {
        let mut heap = Heap::<u32, 1>::new();
        assert_eq!(heap.push(at(1), 0, 10), Ok(()));
        assert_eq!(heap.push(at(0), 1, 11), Err(11));
    }

    proptest! {
        #[test]
        fn behaves_like_a_sorted_list(steps in prop::collection::vec((0_u8..5, 0_u32..20), 1..200)) {
            let mut heap = Heap::<u32, 256>::new();
            let mut model = std::vec::Vec::<(u32, u32)>::new();
            for (count, (kind, key)) in (0_u32..).zip(steps) {
                match kind {
                    0 | 1 => {
                        heap.push(at(key), count, count).expect("there is room");
                        model.push((key, count));
                    }
                    2 => {
                        model.sort_unstable();
                        let first = if model.is_empty() { None } else { Some(model.remove(0).1) };
                        prop_assert_eq!(heap.pop().map(|(_, item)| item), first);
                    }
                    3 => {
                        model.push((key, count));
                        model.sort_unstable();
                        prop_assert_eq!(heap.exchange(at(key), count, count), model.remove(0).1);
                    }
                    _ => {
                        let odd = model.iter().map(|node| node.1).filter(|item| item % 2 == 1).min();
                        model.retain(|node| Some(node.1) != odd);
                        let oldest = heap.oldest(count, |item| item % 2 == 1);
                        prop_assert_eq!(oldest.map(|(_, index)| heap.take(index).1), odd);
                    }
                }
                prop_assert_eq!(heap.len(), model.len());
                prop_assert_eq!(heap.earliest(), model.iter().map(|node| at(node.0)).min_by_key(|first| first.ahead_of(at(0))));
            }
        }
    }
}

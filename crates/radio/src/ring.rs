//! Ring buffer that only grows. Unlike the queue of the standard library it is always inlined: an element is written field by field
//! in its place, and the processor does not wait for a copy of data that it has just written.

/// Items in the order of insertion.
#[derive(Debug)]
pub(crate) struct Ring<T> {
    /// Slots, a power of two of them, or none.
    slots: Vec<Option<T>>,
    first: usize,
    len: usize,
}

/// Place in a ring.
#[derive(Clone, Copy)]
pub(crate) struct RingIndex(usize);

impl<T> Default for Ring<T> {
    fn default() -> Self {
        Ring { slots: Vec::new(), first: 0, len: 0 }
    }
}

impl<T> Ring<T> {
    #[inline(always)]
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    #[inline(always)]
    pub(crate) fn is_empty(&self) -> bool {
        self.len == 0
    }

    #[inline(always)]
    pub(crate) fn push(&mut self, one: T) {
        if self.len == self.slots.len() {
            self.grow();
        }
        let place = (self.first + self.len) & (self.slots.len() - 1);
        self.slots[place] = Some(one);
        self.len += 1;
    }

    #[inline(always)]
    pub(crate) fn first(&self) -> Option<&T> {
        if self.len == 0 {
            return None;
        }
        self.slots[self.first].as_ref()
    }

    /// The item at position `number`, counted from the oldest.
    #[inline(always)]
    pub(crate) fn get(&self, number: usize) -> Option<&T> {
        if number >= self.len {
            return None;
        }
        self.slots[(self.first + number) & (self.slots.len() - 1)].as_ref()
    }

    /// All items, in order.
    pub(crate) fn iter(&self) -> impl ExactSizeIterator<Item = &T> {
        (0..self.len).map(|number| self.get(number).expect("there are so many"))
    }

    /// Index of the item at position `number`, valid until the next insertion or removal.
    #[inline(always)]
    pub(crate) fn index_of(&self, number: usize) -> RingIndex {
        debug_assert!(number < self.len);
        RingIndex((self.first + number) & self.slots.len().wrapping_sub(1))
    }

    #[inline(always)]
    pub(crate) fn get_at(&self, RingIndex(place): RingIndex) -> &T {
        self.slots[place].as_ref().expect("somebody is there")
    }

    #[inline(always)]
    pub(crate) fn get_at_mut(&mut self, RingIndex(place): RingIndex) -> &mut T {
        self.slots[place].as_mut().expect("somebody is there")
    }

    #[inline(always)]
    pub(crate) fn pop(&mut self) -> Option<T> {
        if self.len == 0 {
            return None;
        }
        let one = self.slots[self.first].take();
        self.first = (self.first + 1) & (self.slots.len() - 1);
        self.len -= 1;
        one
    }

    #[cold]
    fn grow(&mut self) {
        self.slots.rotate_left(self.first);
        self.first = 0;
        let room = (2 * self.slots.len()).max(8);
        self.slots.resize_with(room, || None);
    }
}

#[cfg(test)]
mod tests {
    use super::Ring;
    use std::collections::VecDeque;

    #[test]
    fn it_is_a_queue() {
        let (mut ring, mut queue) = (Ring::default(), VecDeque::new());
        for step in 0_u32..5000 {
            // More go in than out at first, and more out than in later.
            match step.wrapping_mul(2_654_435_761) >> 28 {
                0..6 => assert_eq!(ring.pop(), queue.pop_front()),
                6..12 if step > 2500 => assert_eq!(ring.pop(), queue.pop_front()),
                _ => {
                    ring.push(step);
                    queue.push_back(step);
                }
            }
            assert_eq!((ring.len(), ring.first()), (queue.len(), queue.front()));
        }
        assert!(ring.slots.len() > 8, "it has grown");
    }
}

//! Bytes by position in a stream: a window of fixed size that moves on.

/// Bytes `[from, from + capacity)` of a stream, wherever `from` is.
#[derive(Clone, Debug)]
pub(super) struct Ring {
    bytes: Box<[u8]>,
}

impl Ring {
    pub(super) fn new(capacity: u32) -> Self {
        Ring { bytes: vec![0; capacity as usize].into() }
    }

    pub(super) fn capacity(&self) -> u64 {
        self.bytes.len() as u64
    }

    /// Puts `data` at position `at` of the stream.
    pub(super) fn write_at(&mut self, at: u64, data: &[u8]) {
        let place = self.offset_of(at);
        let (now, wrapped) = data.split_at(data.len().min(self.bytes.len() - place));
        self.bytes[place..place + now.len()].copy_from_slice(now);
        self.bytes[..wrapped.len()].copy_from_slice(wrapped);
    }

    /// Fills `data` from position `at` of the stream on.
    pub(super) fn read_at(&self, at: u64, data: &mut [u8]) {
        let place = self.offset_of(at);
        let split = data.len().min(self.bytes.len() - place);
        let (now, wrapped) = data.split_at_mut(split);
        now.copy_from_slice(&self.bytes[place..place + now.len()]);
        wrapped.copy_from_slice(&self.bytes[..wrapped.len()]);
    }

    fn offset_of(&self, at: u64) -> usize {
        (at % self.capacity()) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_wrap() {
        let mut ring = Ring::new(5);
        for at in 0..23 {
            let data = [at as u8, 1, 2, 3, at as u8];
            ring.write_at(at, &data);
            let mut back = [9; 5];
            ring.read_at(at, &mut back);
            assert_eq!(back, data);
            let mut part = [9; 2];
            ring.read_at(at + 3, &mut part);
            assert_eq!(part, data[3..]);
        }
    }
}

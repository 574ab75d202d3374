//! What was written and not sent: buffers as the application's calls made them
//! [linux/sending.md rules 2.3, 17, 18].

use std::collections::VecDeque;

/// Data of at most one burst.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Buffer {
    /// Bytes.
    pub len: u32,
    /// PSH on its last segment.
    pub psh: bool,
    /// FIN after its last byte.
    pub fin: bool,
    /// A record ends with it.
    pub eor: bool,
}

impl Buffer {
    /// Numbers it takes.
    pub(super) fn numbers(&self) -> u32 {
        self.len + u32::from(self.fin)
    }

    /// With PSH.
    pub(super) fn pushed(self) -> Self {
        Buffer { psh: true, ..self }
    }
}

/// The buffers in order.
#[derive(Clone, Debug, Default)]
pub(super) struct Unsent {
    buffers: VecDeque<Buffer>,
}

impl Unsent {
    #[inline]
    pub(super) fn is_empty(&self) -> bool {
        self.buffers.is_empty()
    }

    #[inline]
    pub(super) fn len(&self) -> usize {
        self.buffers.len()
    }

    #[inline]
    pub(super) fn front(&self) -> Option<&Buffer> {
        self.buffers.front()
    }

    pub(super) fn back(&mut self) -> Option<&mut Buffer> {
        self.buffers.back_mut()
    }

    pub(super) fn push(&mut self, buffer: Buffer) {
        self.buffers.push_back(buffer);
    }

    /// Moves bytes of the buffer that follows into the first one, up to `most` bytes. One buffer a time: what
    /// is still missing is added when the send routine comes by again [linux/sending.md rule 2.3].
    #[inline]
    pub(super) fn fill_front(&mut self, most: u64) {
        if self.buffers.len() < 2 {
            return;
        }
        let (front, next) = (self.buffers[0], self.buffers[1]);
        if u64::from(front.len) >= most || front.eor || front.fin {
            return;
        }
        let moved = u64::from(next.len).min(most - u64::from(front.len)) as u32;
        self.buffers[0].len += moved;
        if moved < next.len {
            self.buffers[1].len -= moved;
            return;
        }
        let front = &mut self.buffers[0];
        front.psh |= next.psh;
        (front.fin, front.eor) = (next.fin, next.eor);
        self.buffers.remove(1);
    }

    /// Takes the first `len` bytes of the first buffer, or all of it; PSH and FIN stay with the rest.
    #[inline]
    pub(super) fn take(&mut self, len: u32) -> Buffer {
        let front = &mut self.buffers[0];
        if len < front.len {
            front.len -= len;
            return Buffer { len, ..Buffer::default() };
        }
        self.buffers.pop_front().expect("a buffer waits")
    }
}

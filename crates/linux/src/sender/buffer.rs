//! Data written and not sent: buffers as the application's calls made them
//! [rules/sending.md rules 2.3, 17, 18].

use std::collections::VecDeque;

/// Data of at most one burst.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct UnsentBuffer {
    /// Bytes.
    pub len: u32,
    /// PSH on its last segment.
    pub psh: bool,
    /// FIN after its last byte.
    pub fin: bool,
    /// A record ends with it.
    pub eor: bool,
}

impl UnsentBuffer {
    /// Sequence numbers that it occupies.
    pub(super) fn sequence_length(&self) -> u32 {
        self.len + u32::from(self.fin)
    }

    /// The buffer with PSH set.
    pub(super) fn with_push(self) -> Self {
        UnsentBuffer { psh: true, ..self }
    }
}

/// The buffers in order; the first, which the send routine looks at all the time, has a place of its own.
#[derive(Clone, Debug, Default)]
pub(super) struct UnsentQueue {
    front: UnsentBuffer,
    others: VecDeque<UnsentBuffer>,
    len: usize,
}

impl UnsentQueue {
    #[inline]
    pub(super) fn is_empty(&self) -> bool {
        self.len == 0
    }

    #[inline]
    pub(super) fn len(&self) -> usize {
        self.len
    }

    #[inline]
    pub(super) fn front(&self) -> Option<&UnsentBuffer> {
        (self.len > 0).then_some(&self.front)
    }

    #[inline]
    pub(super) fn back(&mut self) -> Option<&mut UnsentBuffer> {
        if self.len == 1 { Some(&mut self.front) } else { self.others.back_mut() }
    }

    pub(super) fn push(&mut self, buffer: UnsentBuffer) {
        if self.len == 0 {
            self.front = buffer;
        } else {
            self.others.push_back(buffer);
        }
        self.len += 1;
    }

    /// Moves bytes of the buffer that follows into the first one, up to `most` bytes. One buffer per call; the send
    /// routine adds more when it runs again [rules/sending.md rule 2.3].
    #[inline]
    pub(super) fn fill_front(&mut self, most: u64) {
        let front = &self.front;
        if self.len > 1 && u64::from(front.len) < most && !front.eor && !front.fin {
            self.move_to_front(most);
        }
    }

    fn move_to_front(&mut self, most: u64) {
        let (front, next) = (&mut self.front, &mut self.others[0]);
        let moved = u64::from(next.len).min(most - u64::from(front.len)) as u32;
        front.len += moved;
        if moved < next.len {
            next.len -= moved;
            return;
        }
        front.psh |= next.psh;
        (front.fin, front.eor) = (next.fin, next.eor);
        self.others.pop_front();
        self.len -= 1;
    }

    /// Takes the first `len` bytes of the first buffer, or all of it; PSH and FIN stay with the rest.
    #[inline]
    pub(super) fn take(&mut self, len: u32) -> UnsentBuffer {
        if len < self.front.len {
            self.front.len -= len;
            return UnsentBuffer { len, ..UnsentBuffer::default() };
        }
        self.take_front()
    }

    fn take_front(&mut self) -> UnsentBuffer {
        self.len -= 1;
        let next = self.others.pop_front().unwrap_or_default();
        std::mem::replace(&mut self.front, next)
    }
}

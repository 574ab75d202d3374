//! Data that come next where nothing else is under way, and are read as they come [rules/receiver.md B].

use super::data::GROWS;
use super::{Path, Receiver};
use crate::clock::Now;
use crate::segment::Timestamps;

/// Fields of an ACK that has neither blocks nor an echo of congestion.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Told {
    pub(crate) ack: u64,
    /// Field of the window.
    pub(crate) window: u16,
}

/// Data of one segment without options but timestamps.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NextData {
    pub(crate) len: u32,
    pub(crate) push: bool,
    pub(crate) timestamps: Option<Timestamps>,
}

impl Receiver {
    /// Returns whether nothing is held or waits to be read, there is room, and marks do not count.
    #[inline(always)]
    pub(crate) fn is_plain(&self) -> bool {
        let nothing = self.held.is_empty() && self.unread.is_empty();
        nothing && !self.ecn && self.window.held <= self.window.buffer
    }

    /// Takes what comes next, to be read at once, where [`Receiver::is_plain`]: what [`Receiver::on_echo`],
    /// [`Receiver::on_data`], [`Receiver::ack_check`] and [`Receiver::read`] come to in turn. Returns the ACK that leaves before
    /// the data are read; one that leaves after that is handed out as any other.
    #[inline(always)]
    pub(crate) fn read_next(
        &mut self,
        now: Now,
        data: NextData,
        path: &Path,
        ms: impl Fn() -> u32,
    ) -> Option<Told> {
        if let Some(stamps) = data.timestamps {
            self.on_echoed(stamps.echo, data.len, ms);
        }
        let memory = self.settings.memory.of(data.len, 1);
        self.sack.forget_duplicate();
        self.window.refused = false;
        self.nxt += u64::from(data.len);
        self.received += u64::from(data.len);
        self.window.held += memory;
        self.note_next(now, data, memory, path);
        let told = if self.answers(now, path) { Some(self.tell()) } else { None };
        self.window.held -= memory;
        self.copied = self.nxt;
        self.space.on_read(now.us, self.copied, 0, 0, &mut self.window);
        self.cleanup(true);
        told
    }

    /// Learns from data how the other end sends [rules/receiver.md rule 2].
    #[inline(always)]
    fn note_next(&mut self, now: Now, data: NextData, memory: u64, path: &Path) {
        self.acks.schedule();
        let options = if data.timestamps.is_some() { 12 } else { 0 };
        self.measure(data.len, data.len, 20 + options, memory, data.push);
        self.space.on_window(self.nxt, self.window.advertised, now.us);
        self.adapt_delay(now, path);
        if data.len >= GROWS {
            self.grow(data.len, memory);
        }
    }

    /// Returns whether [`Receiver::header`] says nothing but what [`Receiver::tell`] does.
    #[inline(always)]
    pub(crate) fn tells_no_more(&self) -> bool {
        !self.ecn && self.sack.pending(self.timestamps) == 0
    }

    /// An ACK without blocks, as [`Receiver::header`].
    #[inline(always)]
    pub(crate) fn tell(&mut self) -> Told {
        debug_assert_eq!(self.sack.pending(self.timestamps), 0);
        let (window, scarce) = self.window.advertise(self.nxt, self.acks.mss.into());
        if scarce {
            self.acks.quick = 0;
        }
        self.acks.sent();
        Told { ack: self.nxt, window }
    }
}

//! One direction of a connection.

use super::record::{Blocks, Record};
use airtcp_capture::{Flags, Place, Whereabouts};

/// Records of a connection, seen from the end that sends the data in question.
#[derive(Clone, Copy, Debug)]
pub(super) struct Direction<'a> {
    pub records: &'a [Record],
    pub blocks: &'a [Blocks],
    /// True if the data is what the end sent that sent first.
    pub outgoing: bool,
    /// The MSS that the receiver takes, as it said in the handshake.
    pub mss: Option<u16>,
}

impl<'a> Direction<'a> {
    /// Segments with data.
    pub(super) fn data(self) -> impl Iterator<Item = &'a Record> {
        let outgoing = self.outgoing;
        self.records.iter().filter(move |one| one.length > 0 && one.is_outgoing() == outgoing)
    }

    /// The first number of its data; `None` if it has none.
    pub(super) fn first(self) -> Option<u32> {
        self.data().next().map(|one| one.seq)
    }

    /// The place where the capture was taken; by the handshake only where nothing else tells.
    pub(super) fn place(self) -> (Place, Whereabouts) {
        let segments = |with_handshake: bool| {
            let all =
                self.records.iter().filter(move |one| with_handshake || !one.flags.has(Flags::SYN));
            Place::of(all.map(|one| (one.is_outgoing() == self.outgoing, one.segment())))
        };
        let mut place = segments(false);
        if place.sender.is_none() || place.receiver.is_none() {
            let shake = segments(true);
            place = Place {
                sender: place.sender.or(shake.sender),
                receiver: place.receiver.or(shake.receiver),
            };
        }
        (place, place.whereabouts())
    }
}

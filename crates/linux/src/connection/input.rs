//! A segment in a connection that is open, or half open.

use super::{Connection, Plain, State};
use crate::clock::Now;
use crate::segment::{Flags, Segment};
use crate::sender::{AckIn, AckVerdict};

impl Connection {
    /// Takes a segment. `room`: a listening socket could hand the connection over if this one completes the
    /// handshake.
    pub fn on_segment(&mut self, now: Now, segment: &Segment, room: bool) {
        if self.state != State::Closed {
            self.counts.received(segment);
        }
        match self.state {
            State::Closed => {}
            State::SynSent => self.on_answer(now, segment),
            State::TimeWait => self.on_late(now, segment),
            State::SynReceived => {
                if self.on_final(now, segment, room) {
                    self.on_open(now, segment);
                }
            }
            _ => {
                if self.early.open {
                    self.on_late_answer(now, segment);
                }
                self.on_open(now, segment);
            }
        }
    }

    /// A segment while the SYN-ACK is not acknowledged though the connection is open.
    fn on_late_answer(&mut self, now: Now, segment: &Segment) {
        let plain = segment.flags.0 & (Flags::SYN.0 | Flags::RST.0) == 0;
        if plain && segment.flags.has(Flags::ACK) && segment.ack >= 1 {
            self.complete(now);
        }
    }

    fn on_open(&mut self, now: Now, segment: &Segment) {
        let plain = Plain::of(segment);
        if plain.is_some_and(|plain| self.takes_data(now, segment, &plain)) {
            return self.receive_alone(now, segment);
        }
        let predicted = plain.is_some_and(|plain| self.predicts(now, &plain));
        if !predicted && !self.acceptable(now, segment) {
            return self.flush(now);
        }
        if !segment.flags.has(Flags::ACK) || !self.acknowledge(now, segment, predicted) {
            return self.flush(now);
        }
        self.flush(now);
        if !self.on_fin_acknowledged(now, segment) {
            return;
        }
        if predicted && segment.len == 0 {
            self.receiver.mark_echo(segment.timestamps);
            self.sender.data_snd_check(now);
            return self.flush(now);
        }
        if self.stamps.on {
            self.receiver.on_echo(segment, self.stamps.clock(now.instant));
        }
        self.receive(now, segment);
        if matches!(self.state, State::Closed | State::TimeWait) {
            return self.flush(now);
        }
        self.flush(now);
        self.sender.data_snd_check(now);
        self.flush(now);
        let path = self.path();
        self.receiver.ack_check(now, &path);
        self.flush(now);
    }

    /// Takes what a segment says besides its data, in order or not, to a host that sends none. Whether it is such a segment; if not,
    /// nothing has been done.
    fn takes_data(&mut self, now: Now, segment: &Segment, plain: &Plain) -> bool {
        segment.len > 0
            && self.state == State::Established
            && self.scaled(plain.window) == self.sender.snd_wnd()
            && !self.stamps.old(now, segment, 0)
            && self.in_window(segment)
            && self.sender.takes_plain_data(now, segment.ack, segment.seq)
    }

    /// Takes the data themselves: what follows in [`Connection::on_open`] comes to the same, step by step.
    fn receive_alone(&mut self, now: Now, segment: &Segment) {
        self.stamps.replace(now, segment, self.receiver.acknowledged());
        if self.stamps.on {
            self.receiver.on_echo(segment, self.stamps.clock(now.instant));
        }
        let path = self.path();
        self.receiver.on_data(now, segment, &path);
        self.flush(now);
        self.receiver.ack_check(now, &path);
        self.flush(now);
    }

    /// Hands the acknowledgement to the sender; whether the segment is processed further.
    fn acknowledge(&mut self, now: Now, segment: &Segment, predicted: bool) -> bool {
        let una = self.sender.una();
        let has_data = segment.len > 0;
        if segment.ack >= una && segment.ack <= self.sender.nxt() {
            self.stamps.replace(now, segment, self.receiver.acknowledged());
        }
        self.sender.set_sack_bytes(self.receiver.sack_bytes());
        let verdict = self.sender.on_ack(
            now,
            &AckIn {
                ack: segment.ack,
                seq: segment.seq,
                has_data,
                window: self.window_of(segment),
                sack: segment.sack.as_slice(),
                ts: segment.timestamps.filter(|_| self.stamps.on).map(|s| (s.value, s.echo)),
                ece: segment.flags.has(Flags::ECE),
                header_predicted: predicted,
                syn: false,
            },
        );
        match verdict {
            AckVerdict::Ok => {}
            AckVerdict::Drop => return false,
            AckVerdict::Challenge => {
                self.challenge(now);
                return false;
            }
        }
        self.receiver.on_cwr(segment);
        true
    }

    /// Data and FIN, as far as the state takes them [rules/sockets.md rules 9, 10].
    fn receive(&mut self, now: Now, segment: &Segment) {
        let fin = segment.flags.has(Flags::FIN);
        if segment.len == 0 && !fin {
            return;
        }
        if !self.state.receives() && segment.seq >= self.receiver.nxt() {
            return;
        }
        let beyond = segment.end() - u64::from(fin) > self.receiver.nxt();
        if self.orphan && self.state != State::Established && segment.len > 0 && beyond {
            self.refuse(segment);
            return self.end(None);
        }
        let had_fin = self.receiver.fin();
        let path = self.path();
        self.receiver.on_data(now, segment, &path);
        if self.receiver.fin() && !had_fin {
            self.on_fin(now);
        }
    }
}

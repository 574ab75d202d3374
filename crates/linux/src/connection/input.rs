//! A segment in a connection that is open, or half open.

use super::{Connection, PlainSegment, State};
use crate::clock::TimeInUnits;
use crate::segment::{Flags, Segment};
use crate::sender::{AckIn, AckVerdict};

impl Connection {
    /// Takes a segment. `room`: a listening socket could hand the connection over if this one completes the
    /// handshake.
    pub fn on_segment(&mut self, now: TimeInUnits, segment: &Segment, room: bool) {
        if self.state != State::Closed {
            self.counts.count_received(segment);
        }
        match self.state {
            State::Closed => {}
            State::SynSent => self.on_syn_ack(now, segment),
            State::TimeWait => self.on_segment_in_time_wait(now, segment),
            State::SynReceived => {
                if self.on_handshake_ack(now, segment, room) {
                    self.on_open(now, segment);
                }
            }
            _ => {
                if self.fast_open.open_before_ack {
                    self.on_ack_after_open(now, segment);
                }
                self.on_open(now, segment);
            }
        }
    }

    /// A segment while the SYN-ACK is not acknowledged though the connection is open.
    fn on_ack_after_open(&mut self, now: TimeInUnits, segment: &Segment) {
        let plain = segment.flags.0 & (Flags::SYN.0 | Flags::RST.0) == 0;
        if plain && segment.flags.has(Flags::ACK) && segment.ack >= 1 {
            self.complete(now);
        }
    }

    fn on_open(&mut self, now: TimeInUnits, segment: &Segment) {
        let plain = PlainSegment::from_segment(segment);
        if plain.is_some_and(|plain| self.accept_plain_data(now, segment, &plain)) {
            return self.receive_general(now, segment);
        }
        let predicted = plain.is_some_and(|plain| self.matches_header_prediction(now, &plain));
        if !predicted && !self.check_segment(now, segment) {
            return self.flush(now);
        }
        if !segment.flags.has(Flags::ACK) || !self.process_ack(now, segment, predicted) {
            return self.flush(now);
        }
        self.flush(now);
        if !self.on_fin_acknowledged(now, segment) {
            return;
        }
        if predicted && segment.len == 0 {
            self.receiver.record_echo(segment.timestamps);
            self.sender.data_snd_check(now);
            return self.flush(now);
        }
        if self.stamps.is_enabled {
            self.receiver.measure_rtt_from_echo(segment, self.stamps.timestamp_at(now.instant));
        }
        self.process_data(now, segment);
        if matches!(self.state, State::Closed | State::TimeWait) {
            return self.flush(now);
        }
        self.flush(now);
        self.sender.data_snd_check(now);
        self.flush(now);
        let path = self.receiver_path();
        self.receiver.check_ack(now, &path);
        self.flush(now);
    }

    /// Takes the ACK of a data segment, in order or not, at a host that sends no data. Returns whether the segment
    /// qualifies; if not, nothing has changed.
    fn accept_plain_data(
        &mut self,
        now: TimeInUnits,
        segment: &Segment,
        plain: &PlainSegment,
    ) -> bool {
        segment.len > 0
            && self.state == State::Established
            && self.scale_window_field(plain.window) == self.sender.snd_wnd()
            && !self.stamps.segment_is_old(now, segment, 0)
            && self.is_in_window(segment)
            && self.sender.accept_ack_of_plain_data(now, segment.ack, segment.seq)
    }

    /// Takes the data of a segment, with the same result as the steps of [`Connection::on_open`].
    fn receive_general(&mut self, now: TimeInUnits, segment: &Segment) {
        self.stamps.update_recent(now, segment, self.receiver.acknowledged());
        if self.stamps.is_enabled {
            self.receiver.measure_rtt_from_echo(segment, self.stamps.timestamp_at(now.instant));
        }
        let path = self.receiver_path();
        self.receiver.on_data(now, segment, &path);
        self.flush(now);
        self.receiver.check_ack(now, &path);
        self.flush(now);
    }

    /// Hands the acknowledgement to the sender; whether the segment is processed further.
    fn process_ack(&mut self, now: TimeInUnits, segment: &Segment, predicted: bool) -> bool {
        let una = self.sender.una();
        let has_data = segment.len > 0;
        if segment.ack >= una && segment.ack <= self.sender.nxt() {
            self.stamps.update_recent(now, segment, self.receiver.acknowledged());
        }
        self.sender.set_sack_bytes(self.receiver.sack_bytes());
        let verdict = self.sender.on_ack(
            now,
            &AckIn {
                ack: segment.ack,
                seq: segment.seq,
                has_data,
                window: self.scale_window(segment),
                sack: segment.sack.as_slice(),
                ts: segment
                    .timestamps
                    .filter(|_| self.stamps.is_enabled)
                    .map(|s| (s.value, s.echo)),
                ece: segment.flags.has(Flags::ECE),
                header_predicted: predicted,
                syn: false,
            },
        );
        match verdict {
            AckVerdict::Ok => {}
            AckVerdict::Drop => return false,
            AckVerdict::Challenge => {
                self.send_challenge_ack(now);
                return false;
            }
        }
        self.receiver.on_cwr(segment);
        true
    }

    /// Data and FIN, as far as the state takes them [rules/sockets.md rules 9, 10].
    fn process_data(&mut self, now: TimeInUnits, segment: &Segment) {
        let fin = segment.flags.has(Flags::FIN);
        if segment.len == 0 && !fin {
            return;
        }
        if !self.state.can_receive() && segment.seq >= self.receiver.nxt() {
            return;
        }
        let beyond = segment.end() - u64::from(fin) > self.receiver.nxt();
        if self.orphan && self.state != State::Established && segment.len > 0 && beyond {
            self.send_reset_for(segment);
            return self.end_connection(None);
        }
        let had_fin = self.receiver.fin();
        let path = self.receiver_path();
        self.receiver.on_data(now, segment, &path);
        if self.receiver.fin() && !had_fin {
            self.on_fin(now);
        }
    }
}

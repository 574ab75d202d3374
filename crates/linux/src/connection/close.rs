//! The end of a connection, and calls of the application [rules/sockets.md C].

use super::{Connection, EndReason, SocketOptions, State};
use crate::clock::{TimeInUnits, ms_to_jiffies};
use crate::segment::{Flags, Segment};
use crate::sender::WriteFlags;

/// TIME-WAIT in milliseconds.
const TIME_WAIT: u64 = 60_000;

impl Connection {
    /// The application writes `bytes`; how many were taken at once. With [`WriteFlags::blocking`] the rest
    /// follows by itself.
    pub fn write(&mut self, now: TimeInUnits, bytes: u64, flags: impl Into<WriteFlags>) -> u64 {
        if !self.state.can_send() {
            return 0;
        }
        self.sender.set_sack_bytes(self.receiver.sack_bytes());
        let taken = self.sender.write(now, bytes, flags);
        self.flush(now);
        taken
    }

    /// The application writes `bytes` in a call that waits until all are taken; `u64::MAX` bytes are data without end.
    pub fn write_all(&mut self, now: TimeInUnits, bytes: u64) {
        if self.state.can_send() {
            self.sender.set_sack_bytes(self.receiver.sack_bytes());
            self.sender.write(now, bytes, WriteFlags::blocking_call());
            self.flush(now);
        }
    }

    /// The application reads up to `most` bytes; how many it got.
    pub fn read(&mut self, now: TimeInUnits, most: u64) -> u64 {
        let read = self.receiver.read(now, most);
        self.flush(now);
        read
    }

    /// `shutdown(SHUT_WR)`: data end here.
    pub fn shutdown(&mut self, now: TimeInUnits) {
        self.state = match self.state {
            State::Established => State::FinWait1,
            State::CloseWait => State::LastAck,
            _ => return,
        };
        self.sender.set_sack_bytes(self.receiver.sack_bytes());
        self.sender.close(now);
        self.flush(now);
    }

    /// `close`.
    pub fn close(&mut self, now: TimeInUnits) {
        self.orphan = true;
        self.sender.set_orphan(true);
        let open = !matches!(self.state, State::SynSent | State::SynReceived | State::Closed);
        if !open || self.state == State::TimeWait {
            if self.state != State::TimeWait {
                self.end_connection(None);
            }
            return;
        }
        if self.receiver.unread() > 0 || self.options.linger == Some(0) {
            self.abort(now);
            return self.end_connection(None);
        }
        match self.state {
            State::FinWait2 => self.set_state_end(now, self.sysctl.tcp_fin_timeout * 1000),
            _ => self.shutdown(now),
        }
    }

    /// The other end's FIN arrived [rules/receiver.md rule 11].
    pub(super) fn on_fin(&mut self, now: TimeInUnits) {
        match self.state {
            State::Established => {
                self.state = State::CloseWait;
                self.receiver.on_fin();
            }
            State::FinWait1 => {
                self.state = State::Closing;
                self.receiver.send_ack();
            }
            State::FinWait2 => {
                self.receiver.send_ack();
                self.enter_time_wait(now);
            }
            _ => {}
        }
    }

    /// Acts on the ACK of its own FIN; returns whether the segment is processed further.
    pub(super) fn on_fin_acknowledged(&mut self, now: TimeInUnits, segment: &Segment) -> bool {
        if self.sender.una() < self.sender.write_seq() {
            return true;
        }
        match self.state {
            State::FinWait1 => {
                self.state = State::FinWait2;
                let end = segment.end() - u64::from(segment.flags.has(Flags::FIN));
                if self.orphan && segment.len > 0 && end > self.receiver.nxt() {
                    self.send_reset_for(segment);
                    self.end_connection(None);
                    return false;
                }
                if self.orphan {
                    self.set_state_end(now, self.sysctl.tcp_fin_timeout * 1000);
                }
            }
            State::Closing => {
                self.enter_time_wait(now);
                return false;
            }
            State::LastAck => {
                self.end_connection(None);
                return false;
            }
            _ => {}
        }
        true
    }

    fn set_state_end(&mut self, now: TimeInUnits, ms: u64) {
        let jiffies = ms_to_jiffies(ms);
        self.end_time = Some(self.clock.timer_fires_at(now.jiffies, now.jiffies + jiffies));
    }

    /// Milliseconds in TIME-WAIT, if it is.
    #[must_use]
    pub fn time_wait_ms(&self, now: TimeInUnits) -> Option<u64> {
        let since = self.wait_start.filter(|_| self.state == State::TimeWait)?;
        Some((now.us / 1000).saturating_sub(since))
    }

    /// The timestamp that it echoes.
    #[must_use]
    pub fn recent_stamp(&self) -> u32 {
        self.stamps.recent()
    }

    fn enter_time_wait(&mut self, now: TimeInUnits) {
        self.state = State::TimeWait;
        self.wait_start.get_or_insert(now.us / 1000);
        self.set_state_end(now, TIME_WAIT);
    }

    /// A segment in TIME-WAIT [rules/sockets.md rule 9].
    pub(super) fn on_segment_in_time_wait(&mut self, now: TimeInUnits, segment: &Segment) {
        if segment.flags.has(Flags::RST) {
            if segment.seq == self.receiver.nxt() {
                self.end_connection(None);
            }
            return;
        }
        let empty = segment.end() == segment.seq;
        let in_place = empty && segment.seq == self.receiver.nxt();
        let limit = self.sysctl.tcp_invalid_ratelimit;
        if !in_place && (!empty || self.challenge_limit.allows_now(now, limit)) {
            self.receiver.send_ack();
            self.flush(now);
        }
        if segment.flags.has(Flags::FIN) {
            self.enter_time_wait(now);
        }
    }

    /// Takes options that were changed since it began.
    pub fn reconfigure(&mut self, now: TimeInUnits, options: &SocketOptions) {
        let before = std::mem::replace(&mut self.options, options.clone());
        self.sender.set_sack_bytes(self.receiver.sack_bytes());
        if options.nodelay != before.nodelay {
            self.sender.set_nodelay(now, options.nodelay);
        }
        self.sender.set_notsent_lowat(options.notsent_lowat_bytes(&self.sysctl));
        self.sender.set_user_timeout(options.user_timeout);
        if options.keepalive != before.keepalive {
            self.start_keepalive(now);
        }
        if options.cork != before.cork {
            self.sender.set_cork(now, options.cork);
        }
        if let Some(bytes) =
            options.send_buffer.filter(|_| options.send_buffer != before.send_buffer)
        {
            self.sender.set_sndbuf(bytes);
        }
        if let Some(bytes) =
            options.receive_buffer.filter(|_| options.receive_buffer != before.receive_buffer)
        {
            self.receiver.set_buffer(bytes);
        }
        if options.window_clamp != before.window_clamp {
            self.receiver.set_clamp(options.window_clamp);
        }
        self.sender.set_max_pacing_rate(options.max_pacing_rate);
        self.flush(now);
    }

    /// `TCP_NODELAY` was set, perhaps again, so that waiting data leave [rules/sockets.md rule 12].
    pub fn send_waiting(&mut self, now: TimeInUnits) {
        self.sender.set_sack_bytes(self.receiver.sack_bytes());
        self.sender.set_nodelay(now, true);
        self.flush(now);
    }

    /// `TCP_WINDOW_CLAMP` from now on.
    pub fn set_window_clamp(&mut self, bytes: u64) {
        self.options.window_clamp = bytes;
        self.receiver.set_clamp(bytes);
    }

    /// `TCP_QUICKACK` [rules/sockets.md rule 13].
    pub fn set_quickack(&mut self, now: TimeInUnits, on: bool) {
        self.receiver.set_quick(on);
        self.flush(now);
    }

    /// The queue before the device refuses everything, or takes it again.
    pub fn set_local_drop(&mut self, drops: bool) {
        self.sender.set_local_drop(drops);
    }

    /// The route takes packets of `mtu` bytes only.
    pub fn set_mtu(&mut self, now: TimeInUnits, mtu: u32) {
        self.route.mtu = mtu;
        self.sender.set_mtu(now, mtu);
        self.flush(now);
    }

    /// Returns whether a write would take something (`poll`).
    #[must_use]
    pub fn writable(&self) -> bool {
        self.state.can_send() && self.sender.writable()
    }

    /// Notes whether `accept` has handed it to a process.
    pub fn set_accepted_by_application(&mut self, accepted: bool) {
        self.receiver.set_accepted(accepted);
    }

    /// `poll` has found no space [rules/sockets.md rule 2].
    pub fn request_space(&mut self) {
        self.sender.want_space();
    }

    /// The send buffer in bytes of memory.
    #[must_use]
    pub fn send_buffer(&self) -> u64 {
        self.sender.sndbuf()
    }

    /// Ends at once, as `close` with `SO_LINGER` of 0 or `connect(AF_UNSPEC)` does.
    pub fn disconnect(&mut self, now: TimeInUnits) {
        if !matches!(self.state, State::Closed | State::SynSent | State::TimeWait) {
            self.abort(now);
        }
        self.end_connection(Some(EndReason::Reset));
    }
}

//! The start of a connection [rules/rtt.md rules 8, 9, rules/timers.md rules 16, 17].

use super::Sender;
use super::wire::Establishment;
use crate::clock::{HZ, TimeInUnits};
use crate::rate::APP_LIMITED_AT_START;

impl Sender {
    /// The first number that is not acknowledged as the connection opens: data of a SYN may be.
    pub fn set_initial_seq(&mut self, number: u64) {
        (self.una, self.nxt, self.write_seq) = (number, number, number);
    }

    /// The round trip of a handshake that ends after the connection was opened.
    pub fn sample_handshake_rtt_after_open(&mut self, now: TimeInUnits, rtt: u64) {
        let window = self.sysctl.tcp_min_rtt_wlen as u32 * HZ;
        let least = if rtt == 0 { crate::clock::TICK_US } else { rtt };
        self.min_rtt.running_min(window, now.jiffies as u32, least as u32);
        self.rtt.add_sample(rtt, self.una, self.nxt);
    }

    /// The handshake is over; data may be sent.
    pub fn establish(&mut self, now: TimeInUnits, e: &Establishment) {
        (self.mss_clamp, self.mtu) = (e.mss_clamp, e.mtu);
        (self.sack, self.timestamps, self.ecn) = (e.sack, e.timestamps, e.ecn);
        (self.snd_wnd, self.wl1) = (e.window, e.seq);
        self.max_window = self.max_window.max(e.window);
        self.sync_mss();
        (self.high_seq, self.pushed_seq, self.snd_sml) = (self.una, self.una, self.una);
        self.usage.seq = self.una;
        (self.usage.stamp, self.last_sent) = (now.jiffies, now.jiffies);
        self.last_ack = now.jiffies;
        self.totals.retrans = e.syn_copies;
        self.totals.bytes_acked = u64::from(e.client);
        self.rate.delivered = 1;
        self.cc_window.app_limited = if e.client { 0 } else { APP_LIMITED_AT_START };
        match e.rtt_us {
            Some(rtt) => self.sample_handshake_rtt(now, e, rtt),
            None => self.rtt.set_initial_rto(),
        }
        self.cc_window.cwnd = e.initial_window;
        let late = e.syn_copies > 1 && (e.client || e.timeouts > 0);
        if late && !e.first_syn_echoed {
            self.cc_window.cwnd = 1;
        }
        if !self.full_control {
            self.update_pacing_rate();
        }
        self.expand_sndbuf();
        let tcp_sock = self.tcp_sock(now);
        self.control.init(&tcp_sock, &mut self.cc_window);
    }

    fn sample_handshake_rtt(&mut self, now: TimeInUnits, e: &Establishment, rtt: u64) {
        let window = self.sysctl.tcp_min_rtt_wlen as u32 * HZ;
        let least = if rtt == 0 { crate::clock::TICK_US } else { rtt };
        self.min_rtt.running_min(window, now.jiffies as u32, least as u32);
        self.rtt.add_sample(rtt, self.una, self.nxt);
        if e.client && e.sack {
            // The SYN was a packet that was delivered.
            let sent = now.us.saturating_sub(rtt);
            self.rack.advance(now.us, sent, self.una, e.syn_copies > 0, self.min_rtt.best_value());
        }
    }
}

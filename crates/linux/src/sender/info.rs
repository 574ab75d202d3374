//! Fields of `TCP_INFO` that concern the sender [rules/sockets.md D].

use super::Sender;
use super::timer::TimerPurpose;
use crate::clock::{TICK_US, TimeInUnits};
use crate::congestion::{CaState, Control, Window};

impl Sender {
    /// A field of `TCP_INFO`, or none of that name.
    #[must_use]
    pub fn information(&self, now: TimeInUnits, field: &str) -> Option<i128> {
        let (queue, totals) = (&self.queue, &self.totals);
        let jiffies_us = |jiffies: u64| i128::from(jiffies * TICK_US);
        let since_ms = |jiffy: u64| jiffies_us(now.jiffies.saturating_sub(jiffy)) / 1000;
        Some(match field {
            "tcpi_ca_state" => self.state as i128,
            "tcpi_retransmits" => self.retransmits.into(),
            "tcpi_probes" => self.window_probes.count.into(),
            "tcpi_backoff" => self.rtt.backoff.into(),
            "tcpi_rto" => jiffies_us(self.rtt.rto),
            "tcpi_snd_mss" => self.mss_cache.into(),
            "tcpi_unacked" => queue.packets_out().into(),
            "tcpi_sacked" => queue.sacked.into(),
            "tcpi_lost" => queue.lost.into(),
            "tcpi_retrans" => queue.retrans.into(),
            "tcpi_last_data_sent" => since_ms(self.last_sent),
            "tcpi_last_ack_recv" => since_ms(self.last_ack),
            "tcpi_rtt" => (self.rtt.srtt8 >> 3).into(),
            "tcpi_rttvar" => (self.rtt.mdev4 >> 2).into(),
            "tcpi_snd_ssthresh" => self.cc_window.ssthresh.into(),
            "tcpi_snd_cwnd" => self.cc_window.cwnd.into(),
            "tcpi_reordering" => self.reordering.into(),
            "tcpi_reord_seen" => self.reord_seen.into(),
            "tcpi_total_retrans" => totals.retrans.into(),
            "tcpi_pacing_rate" => self.cc_window.pacing_rate.into(),
            "tcpi_max_pacing_rate" => self.options.max_pacing_rate.into(),
            "tcpi_bytes_acked" => totals.bytes_acked.into(),
            "tcpi_notsent_bytes" => (self.write_seq - self.nxt).into(),
            "tcpi_min_rtt" => self.min_rtt.best_value().into(),
            "tcpi_delivery_rate" => self.rate.reported.bytes_per_second(self.mss_cache).into(),
            "tcpi_delivery_rate_app_limited" => i128::from(self.rate.reported.app_limited),
            "tcpi_busy_time" => jiffies_us(self.chrono.busy(now)),
            "tcpi_rwnd_limited" => jiffies_us(self.chrono.window(now)),
            "tcpi_sndbuf_limited" => jiffies_us(self.chrono.buffer(now)),
            "tcpi_delivered" => self.rate.delivered.into(),
            "tcpi_delivered_ce" => totals.delivered_ce.into(),
            "tcpi_bytes_sent" => totals.bytes_sent.into(),
            "tcpi_bytes_retrans" => totals.bytes_retrans.into(),
            "tcpi_dsack_dups" => self.dsack_dups.into(),
            "tcpi_snd_wnd" => self.snd_wnd.into(),
            "tcpi_total_rto" => totals.rto.into(),
            "tcpi_total_rto_recoveries" => totals.rto_recoveries.into(),
            "tcpi_total_rto_time" => totals.rto_time.into(),
            _ => return None,
        })
    }

    /// Oldest number not acknowledged.
    #[must_use]
    #[inline]
    pub fn una(&self) -> u64 {
        self.una
    }

    /// Next new number.
    #[must_use]
    #[inline]
    pub fn nxt(&self) -> u64 {
        self.nxt
    }

    /// End of the written data, FIN included.
    #[must_use]
    pub fn write_seq(&self) -> u64 {
        self.write_seq
    }

    /// The peer's window in bytes.
    #[must_use]
    #[inline]
    pub fn snd_wnd(&self) -> u64 {
        self.snd_wnd
    }

    /// The jiffy of the last ACK.
    #[must_use]
    pub fn last_ack(&self) -> u64 {
        self.last_ack
    }

    /// RTO in jiffies, with backoff.
    #[must_use]
    #[inline]
    pub fn rto(&self) -> u64 {
        self.rtt.rto
    }

    /// Variance of the round trip in us, times 4.
    #[must_use]
    pub fn mdev4(&self) -> u32 {
        self.rtt.mdev4
    }

    /// Doublings of the RTO.
    #[must_use]
    pub fn backoff(&self) -> u32 {
        self.rtt.backoff
    }

    /// Expiries of the retransmission timer.
    #[must_use]
    #[inline]
    pub fn timeouts(&self) -> u32 {
        self.totals.rto
    }

    /// Variables of the congestion control.
    #[must_use]
    #[inline]
    pub fn window(&self) -> &Window {
        &self.cc_window
    }

    /// The congestion control.
    #[must_use]
    pub fn control(&self) -> &Control {
        &self.control
    }

    /// State of recovery.
    #[must_use]
    #[inline]
    pub fn state(&self) -> CaState {
        self.state
    }

    /// nxt as the present state was entered.
    #[must_use]
    pub fn high_seq(&self) -> u64 {
        self.high_seq
    }

    /// Packets out, SACKed, lost and retransmitted: O, S, L, R.
    #[must_use]
    pub fn counts(&self) -> [u32; 4] {
        let queue = &self.queue;
        [queue.packets_out(), queue.sacked, queue.lost, queue.retrans]
    }

    /// Purpose of the timer: "", "rto", "tlp", "reordering" or "persist".
    #[must_use]
    pub fn timer(&self) -> &'static str {
        match self.timer.purpose {
            TimerPurpose::Empty => "",
            TimerPurpose::Rto => "rto",
            TimerPurpose::Probe => "tlp",
            TimerPurpose::Reordering => "reordering",
            TimerPurpose::Persist => "persist",
        }
    }

    /// Packets in flight.
    #[must_use]
    #[inline]
    pub fn in_flight(&self) -> u32 {
        self.queue.in_flight()
    }

    /// The metric of reordering, in packets.
    #[must_use]
    pub fn reordering(&self) -> u32 {
        self.reordering
    }

    /// Sequence numbers, and whether SACKed, lost, repeated and in flight, ever repeated, of each packet out.
    pub fn packets(&self) -> impl Iterator<Item = (u64, u64, [bool; 4])> + '_ {
        use super::queue::Flags;
        (self.queue.head()..self.queue.tail()).map(|id| {
            let packet = self.queue.packet(id);
            let marks = [Flags::SACKED, Flags::LOST, Flags::RETRANS, Flags::EVER_RETRANS];
            (packet.seq, packet.end(), marks.map(|mark| packet.flags.intersects(mark)))
        })
    }
}

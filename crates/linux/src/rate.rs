//! Samples of the rate of delivery [rules/bbr.md A; draft-cheng-iccrg-delivery-rate-estimation].

use crate::congestion::RateSample;

/// `app_limited` of a new socket: what is sent before the first sample is marked [rules/bbr.md rule 4].
pub const APP_LIMITED_AT_START: u32 = u32::MAX;

/// State of the connection when a packet was sent. There is one per packet of the queue, which it lets stay
/// within a cache line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DeliveryRecord {
    /// Time of the latest delivery in us.
    pub delivered_us: u64,
    /// Send time less the send time of the packet last delivered then, in us; it fits, since outstanding data are given up
    /// before 71 minutes.
    pub send_interval_us: u32,
    /// Packets delivered until then.
    pub delivered: u32,
    /// Packets marked lost until then.
    pub lost: u32,
    /// Packets in flight with it; above them the bit [`APP_LIMITED_BIT`].
    flight: u32,
}

/// Bit of a [`DeliveryRecord`] that is set if the application limited the sender.
const APP_LIMITED_BIT: u32 = 1 << 31;

impl DeliveryRecord {
    /// Returns whether the application limited the sender.
    #[inline]
    #[must_use]
    pub fn app_limited(&self) -> bool {
        self.flight & APP_LIMITED_BIT != 0
    }

    /// Packets in flight right after it left [rules/bbr3.md rule 2].
    #[inline]
    #[must_use]
    pub fn tx_in_flight(&self) -> u32 {
        self.flight & !APP_LIMITED_BIT
    }

    /// Becomes the record of the next packet of the same burst.
    #[inline]
    pub fn advance_to_next_packet(&mut self) {
        self.flight += 1;
    }
}

/// The rates of a connection.
#[derive(Clone, Debug, Default)]
pub struct Rate {
    /// Packets delivered; the sender adds to it as it finds them SACKed or acknowledged.
    pub delivered: u32,
    /// Time of the latest delivery in us.
    pub delivered_us: u64,
    /// Packets marked lost, each time.
    pub lost: u32,
    /// Send time (us) of the packet delivered last.
    pub first_tx_us: u64,
    /// The sample that `TCP_INFO` shows.
    pub reported: ReportedRate,
    newest_delivered: Option<NewestDelivered>,
}

/// Packets, us, and whether the application limited them: the latest rate worth showing
/// [rules/bbr.md rule 3].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReportedRate {
    /// `rate_delivered`.
    pub delivered: u32,
    /// `rate_interval_us`.
    pub interval_us: u32,
    /// `rate_app_limited`.
    pub app_limited: bool,
}

impl ReportedRate {
    /// `tcpi_delivery_rate` in bytes per second; 0 before a sample.
    #[must_use]
    pub fn bytes_per_second(&self, mss: u32) -> u64 {
        let bytes = u64::from(self.delivered) * u64::from(mss) * 1_000_000;
        bytes.checked_div(u64::from(self.interval_us)).unwrap_or(0)
    }
}

/// The most recently sent packet that the present ACK delivered.
#[derive(Clone, Copy, Debug)]
struct NewestDelivered {
    record: DeliveryRecord,
    /// End of the packet.
    end: u64,
    /// True if it was ever retransmitted.
    retransmitted: bool,
}

/// The moment when a packet leaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Transmission {
    /// Time in us.
    pub us: u64,
    /// True if `packets_out` was 0.
    pub nothing_outstanding: bool,
    /// Packets in flight including this one, if the control needs it.
    pub in_flight: u32,
    /// `app_limited` of the connection.
    pub app_limited: u32,
}

/// Totals of an ACK from which its rate sample is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AckTotals {
    /// The clock, in us.
    pub now_us: u64,
    /// Packets newly acknowledged or SACKed.
    pub delivered: u32,
    /// Packets newly marked lost.
    pub lost: u32,
    /// Packets in flight before the ACK.
    pub prior_in_flight: u32,
    /// Windowed minimum of the round trip.
    pub min_rtt: u32,
    /// Round trip for congestion control; -1: none.
    pub rtt_us: i64,
    /// True if recovery from reneging was in progress before this ACK.
    pub reneging: bool,
    /// The ACK is probably delayed [rules/rtt.md rule 10].
    pub ack_delayed: bool,
}

impl Rate {
    /// A packet leaves [rules/bbr.md rule 1]. Gives its record, also to a retransmission.
    #[must_use]
    pub fn on_sent(&mut self, sent: &Transmission) -> DeliveryRecord {
        if sent.nothing_outstanding {
            (self.first_tx_us, self.delivered_us) = (sent.us, sent.us);
        }
        DeliveryRecord {
            delivered_us: self.delivered_us,
            send_interval_us: sent.us.saturating_sub(self.first_tx_us) as u32,
            delivered: self.delivered,
            lost: self.lost,
            flight: sent.in_flight | if sent.app_limited == 0 { 0 } else { APP_LIMITED_BIT },
        }
    }

    /// Starts the sample of an ACK. An ACK whose sample was not asked for leaves nothing behind.
    pub fn begin_sample(&mut self) {
        self.newest_delivered = None;
    }

    /// Takes a newly SACKed or acknowledged packet, last sent at `sent_us`, that ends at `end` [rules/bbr.md rule 2].
    /// The caller skips packets SACKed earlier.
    pub fn on_delivered(
        &mut self,
        record: &DeliveryRecord,
        sent_us: u64,
        end: u64,
        retransmitted: bool,
    ) {
        let later = self.newest_delivered.is_none_or(|prior| {
            prior.record.delivered == 0 || (sent_us, end) > (self.first_tx_us, prior.end)
        });
        if later {
            self.newest_delivered = Some(NewestDelivered { record: *record, end, retransmitted });
            self.first_tx_us = sent_us;
        }
    }

    /// Returns whether the packet that a sample will be made of was ever retransmitted.
    #[must_use]
    pub fn sample_retransmitted(&self) -> bool {
        self.newest_delivered.is_some_and(|prior| prior.retransmitted)
    }

    /// `delivered` as the packet of the sample was sent; 0 without one [rules/rtt.md rule 10].
    #[must_use]
    pub fn prior_delivered(&self) -> u32 {
        self.newest_delivered.map_or(0, |prior| prior.record.delivered)
    }

    /// The sample of the ACK, after the state machine [rules/bbr.md rule 3].
    #[inline(always)]
    pub fn sample(&mut self, ack: &AckTotals, app_limited: &mut u32) -> RateSample {
        if *app_limited != 0 && is_after(self.delivered, *app_limited) {
            *app_limited = 0;
        }
        if ack.delivered > 0 {
            self.delivered_us = ack.now_us;
        }
        let mut sample = RateSample {
            prior_delivered: self.prior_delivered(),
            prior_us: self.newest_delivered.map_or(0, |prior| prior.record.delivered_us),
            delivered: -1,
            interval_us: -1,
            rtt_us: ack.rtt_us,
            losses: ack.lost,
            acked_sacked: ack.delivered,
            prior_in_flight: ack.prior_in_flight,
            app_limited: self.newest_delivered.is_some_and(|prior| prior.record.app_limited()),
            ack_delayed: ack.ack_delayed,
            tx_in_flight: self.newest_delivered.map_or(0, |prior| prior.record.tx_in_flight()),
            lost: self
                .newest_delivered
                .map_or(0, |prior| self.lost.wrapping_sub(prior.record.lost)),
        };
        let Some(prior) = self.newest_delivered.take().filter(|_| !ack.reneging) else {
            return sample;
        };
        sample.delivered = self.delivered.wrapping_sub(prior.record.delivered) as i32;
        let ack_interval_us = ack.now_us.saturating_sub(prior.record.delivered_us);
        let interval_us = u64::from(prior.record.send_interval_us).max(ack_interval_us);
        if interval_us >= u64::from(ack.min_rtt) {
            sample.interval_us = interval_us as i64;
            self.keep_reported(&sample);
        }
        sample
    }

    /// Keeps what `TCP_INFO` shows: an application-limited sample only where it is faster.
    fn keep_reported(&mut self, sample: &RateSample) {
        let (delivered, interval_us) = (sample.delivered as u32, sample.interval_us as u32);
        let faster = u64::from(delivered) * u64::from(self.reported.interval_us)
            >= u64::from(self.reported.delivered) * sample.interval_us as u64;
        if !sample.app_limited || faster {
            self.reported =
                ReportedRate { delivered, interval_us, app_limited: sample.app_limited };
        }
    }

    /// `app_limited` where the application, or BBR's probe of the round trip, limits the sender
    /// [rules/bbr.md rules 4 and 12].
    #[must_use]
    pub fn app_limited_until(delivered: u32, in_flight: u32) -> u32 {
        delivered.wrapping_add(in_flight).max(1)
    }
}

/// Returns whether `a` comes after `b`, modulo 2^32.
#[must_use]
pub fn is_after(a: u32, b: u32) -> bool {
    (b.wrapping_sub(a) as i32) < 0
}

#[cfg(test)]
mod tests;

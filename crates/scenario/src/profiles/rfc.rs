//! Profile `rfc`: TCP as the RFCs have it, in bytes.
//!
//! Sequence numbers count bytes; only the last segment of a transfer may be short. Where an RFC leaves a choice, a key
//! of the scenario makes it, or it is named here.
//!
//! | rule | clause |
//! | --- | --- |
//! | timer: SRTT and RTTVAR in nanoseconds, bounds `min_rto`, `max_rto`, first timeout `initial_rto`, at least `rto_margin` above SRTT, doubling, Karn's rule | RFC 6298 2.1 to 2.5, 3, 5.1 to 5.6 |
//! | slow start by `min(N, SMSS)` per ACK, or `min(N, abc_limit SMSS)` (RFC 3465 2.2); one segment per window of bytes acknowledged in avoidance, which begins at `cwnd = ssthresh`, for CUBIC too | RFC 5681 3.1 |
//! | no growth while the window is not in use: what was outstanding left room for a segment. CUBIC's time stands still meanwhile | RFC 9438 5.8; in the spirit of RFC 7661 |
//! | threshold `max(FlightSize / 2, 2 SMSS)` (CUBIC: 0.7), held while the timer resends the same segment; loss window of 1 SMSS | RFC 5681 3.1, RFC 9438 4.6 |
//! | FlightSize at a loss: what was sent since the last go-back and is not acknowledged, but no more than the window (in fast recovery: than the threshold), so that two losses in a row lower the threshold twice | RFC 5681 3.1 ("no more than" eq. 4), 4.3 |
//! | `initial_window` packets; the same again after an idle time longer than the timeout | RFC 6928, RFC 5681 3.1 and 4.1 |
//! | `limited_transmit`: a new segment on each of the first two duplicate ACKs; SACK: if they report something new, by the pipe | RFC 3042, RFC 6675 5 step 3 |
//! | ACK for every second full segment, at most `delayed_ack` late, at once for what is out of order or fills a hole | RFC 5681 4.2 |
//! | up to 4 SACK blocks, 4 + 8 n bytes, the latest run first; reports are discarded after a timeout | RFC 2018 3, 4, 5 |
//! | `ecn`: new data takes marks; the echo of a mark brings the window down as a loss would, once per window of data, and nothing is sent again | RFC 3168 6.1 |
//!
//! A round trip in which something was retransmitted is not measured. A fast retransmit does not restart the timer.
//!
//! Left out in the simulator: the handshake, and RFC 6298 5.7 on it (live runs have both). Left out everywhere: the
//! heuristics of RFC 6582 4, spurious fast retransmits (RFC 9438 4.9.2), D-SACK, and timestamps except for Eifel.

use crate::input_error::InputError;
use crate::shortest::refuse_short;
use crate::transport::{KeyPath, LossRecovery, Sizes, Transport, transport};
use airtcp_core::{Duration, RegistryEntry, Size};
use airtcp_tcp::{
    CongestionSpec, Detection, ReceiverConfig, Reduction, SackConfig, SenderConfig, SlowStart,
    Spurious, TimerConfig,
};

transport! {
    window: "Window that the receiver advertises (`W_max`), in packets or as a size. Example: `\"64kB\"`.",
    ssthresh: "Initial slow-start threshold, in packets. Absent: no limit. Example: `10`.",

    /// TCP: its variant or congestion control, window, packet lengths and timers.
    pub struct RfcTcp {
        /// Length of the IP and TCP headers of a packet; the rest is payload. Example: `"60B"`.
        pub header: Size,
        /// Congestion control, which decides how the window grows and shrinks. Example: `"cubic"`.
        pub congestion: CongestionSpec,
        /// Detection of losses before the retransmission timer expires. Absent: `rfc6675` where the variant reads
        /// SACK blocks, else `duplicate-acks`. Example: `"rack-tlp"`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schemars(with = "Detection")]
        pub detection: Option<Detection>,
        /// Way in which recovery reduces the window, for variants that read SACK blocks. Absent: `at-once`. Example:
        /// `"prr"`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schemars(with = "Reduction")]
        pub reduction: Option<Reduction>,
        /// Rule of slow start. Absent: `standard`. Example: `"hystart++"`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schemars(with = "SlowStart")]
        pub slow_start: Option<SlowStart>,
        /// Detection of spurious timeouts, and response to them. With `eifel` every packet and ACK carries a
        /// timestamp of 12 bytes: packets keep their length, ACKs become longer. Example: `"f-rto"`.
        pub spurious: Spurious,
        /// Initial congestion window, in packets [RFC 6928]. Example: `4`.
        #[schemars(range(min = 1, max = 1_000_000))]
        pub initial_window: u32,
        /// Largest number of segments that slow start adds to the window per ACK (L of RFC 3465); Linux has no limit.
        /// Absent: 1 [RFC 5681 3.1]. Example: `2`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schemars(with = "u32", range(min = 1, max = 1_000_000))]
        pub abc_limit: Option<u32>,
        /// Longest delay of an ACK, below 500 ms [RFC 5681 4.2]; 0s: every packet is acknowledged at once. Example:
        /// `"40ms"`.
        pub delayed_ack: Duration,
        /// True if each of the first two duplicate ACKs sends a new packet [RFC 3042]. Example: `false`.
        pub limited_transmit: bool,
        /// True if both ends use ECN, so that queues can mark packets instead of dropping them [RFC 3168]. Absent:
        /// true with congestion controls that react to marks (dctcp, prague), else false. Example: `true`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schemars(with = "bool")]
        pub ecn: Option<bool>,
        /// Retransmission timeout before the first round-trip sample [RFC 6298 2.1]. Example: `"3s"`.
        pub initial_rto: Duration,
        /// Smallest amount by which the timeout exceeds the smoothed round trip (the clock granularity G of RFC 6298
        /// 2.3). `rto_min` of Linux is such a margin. Absent: a nanosecond. Example: `"200ms"`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schemars(with = "Duration")]
        pub rto_margin: Option<Duration>,
        /// Shortest retransmission timeout [RFC 6298 2.4]; 0s: only `rto_margin` bounds it. Example: `"200ms"`.
        pub min_rto: Duration,
        /// Longest retransmission timeout [RFC 6298 2.5]. Example: `"120s"`.
        pub max_rto: Duration,
    }
}

/// Longest delay of an ACK [RFC 5681 4.2: it MUST be less].
const ACK_DELAY_LIMIT: f64 = 0.5;

impl Transport for RfcTcp {
    fn sizes(&self) -> Sizes {
        Sizes {
            window: self.window,
            packet: self.packet,
            ack: self.ack,
            header: Some(self.header),
            framing: Size::from_bytes(0),
            timestamps: self.spurious.timestamps(),
        }
    }

    fn recovery(&self) -> LossRecovery {
        LossRecovery::Variant(self.variant_keys())
    }

    fn parts(&self) -> Vec<&'static RegistryEntry> {
        let mut parts = vec![self.congestion.entry()];
        parts.extend(self.detection.map(|one| one.entry()));
        parts.extend(self.reduction.map(|one| one.entry()));
        parts.extend(self.slow_start.map(|one| one.entry()));
        parts.extend((self.spurious != Spurious::None).then(|| self.spurious.entry()));
        parts
    }

    fn check(&self, place: KeyPath<'_>) -> Result<(), InputError> {
        self.check_header(place)?;
        if self.delayed_ack.seconds() >= ACK_DELAY_LIMIT {
            let message =
                format!("{} is too long; must be below 500ms [RFC 5681 4.2]", self.delayed_ack);
            return Err(InputError::new(place.key("delayed_ack"), message));
        }
        self.check_sack_use(place)?;
        self.check_congestion(place)?;
        self.check_timer(place)?;
        self.check_spurious_detection(place)
    }

    fn ends(&self) -> Option<(SenderConfig, ReceiverConfig)> {
        let sizes = self.sizes();
        Some(self.variant_keys().with_common_settings(
            &sizes,
            self.sender(&sizes),
            self.receiver(&sizes),
        ))
    }
}

impl RfcTcp {
    /// The way in which the sender detects losses.
    #[must_use]
    pub fn effective_detection(&self) -> Detection {
        self.detection.unwrap_or_else(|| Detection::default_for(self.variant.capabilities().sacks))
    }

    /// The way in which the window comes down in a recovery.
    fn effective_reduction(&self) -> Reduction {
        self.reduction.unwrap_or_default()
    }

    /// The kind of slow start.
    fn slow_start_rule(&self) -> SlowStart {
        self.slow_start.unwrap_or_default()
    }

    /// True if both ends use ECN: as the key `ecn` has it, else if the congestion control goes by marks.
    #[must_use]
    pub fn uses_ecn(&self) -> bool {
        self.ecn.unwrap_or_else(|| self.congestion.counts_marks())
    }

    fn sender(&self, sizes: &Sizes) -> SenderConfig {
        let (mss, header) = sizes.payload_and_header();
        let window = sizes.window_packets();
        SenderConfig {
            initial_window: self.initial_window,
            slow_start_limit: self.abc_limit.unwrap_or(1),
            limited_transmit: self.limited_transmit,
            ecn: self.uses_ecn(),
            detection: Some(self.effective_detection()),
            reduction: self.effective_reduction(),
            slow_start_rule: self.slow_start_rule(),
            spurious: self.spurious,
            timer: TimerConfig::Rfc6298 {
                initial: self.initial_rto.span(),
                margin: self.rto_margin.unwrap_or(Duration::ZERO).span(),
                least: self.min_rto.span(),
                most: self.max_rto.span(),
            },
            ..SenderConfig::rfc(self.variant, self.congestion, window, mss, header)
        }
    }

    fn receiver(&self, sizes: &Sizes) -> ReceiverConfig {
        let timestamps = self.spurious.timestamps();
        let sack =
            if timestamps { SackConfig::RFC2018_WITH_TIMESTAMPS } else { SackConfig::RFC2018 };
        ReceiverConfig {
            window: sizes.window_in_numbers(),
            ack_bits: sizes.ack_size().bits(),
            sack: self.variant.capabilities().sacks.then_some(sack),
            delayed_ack: self.delayed_ack.span(),
            mss: sizes.payload_and_header().0,
            timestamps,
            exact_marks: self.congestion.counts_marks(),
            ns: None,
        }
    }

    fn check_header(&self, place: KeyPath<'_>) -> Result<(), InputError> {
        let option = u64::from(self.spurious.option_bytes());
        if self.header.bytes() + option < self.packet.bytes() {
            return Ok(());
        }
        let and = if option > 0 { format!(" and {option}B of timestamps") } else { String::new() };
        let message = format!(
            "{}{and} leaves no room for payload; must be below packet, {}",
            self.header, self.packet
        );
        Err(InputError::new(place.key("header"), message))
    }

    /// Refuses a detection or a reduction that goes by SACK blocks for a variant that does not read them.
    fn check_sack_use(&self, place: KeyPath<'_>) -> Result<(), InputError> {
        let (detection, reduction) = (self.effective_detection(), self.effective_reduction());
        let of_reports = [
            (
                "detection",
                detection.needs_sack(),
                detection.name(),
                Detection::default_for(false).name(),
            ),
            ("reduction", reduction.needs_sack(), reduction.name(), Reduction::default().name()),
        ];
        let reads = self.variant.capabilities().sacks;
        match of_reports.iter().find(|one| one.1 && !reads) {
            None => Ok(()),
            Some((key, _, name, other)) => {
                let message = format!(
                    "\"{name}\" needs SACK blocks, which {} does not read (allowed: {other})",
                    self.variant.name()
                );
                Err(InputError::new(place.key(key), message))
            }
        }
    }

    /// Refuses parameters of a congestion control that contradict each other, and a slow start beside a control that
    /// has its own.
    fn check_congestion(&self, place: KeyPath<'_>) -> Result<(), InputError> {
        let start = self.slow_start_rule();
        if matches!(start, SlowStart::HyStartPlus(_)) && self.abc_limit.is_some() {
            let message =
                "cannot be combined with slow_start \"hystart++\", whose own limit is 8 segments";
            return Err(InputError::new(place.key("abc_limit"), message));
        }
        if let Some((key, message)) = self.congestion.fault() {
            return Err(InputError::new(format!("{}.{key}", place.key("congestion")), message));
        }
        let name = self.congestion.name();
        if self.congestion.counts_marks() && !self.uses_ecn() {
            let message = format!(
                "false is not possible: congestion \"{name}\" needs ECN marks; give true, or leave it out"
            );
            return Err(InputError::new(place.key("ecn"), message));
        }
        if self.congestion.has_own_slow_start() && start != SlowStart::default() {
            let message = format!(
                "cannot be combined with congestion \"{name}\", which has its own slow start"
            );
            return Err(InputError::new(place.key("slow_start"), message));
        }
        Ok(())
    }

    fn check_timer(&self, place: KeyPath<'_>) -> Result<(), InputError> {
        for (key, value) in [("initial_rto", self.initial_rto), ("max_rto", self.max_rto)] {
            refuse_short(&place.key(key), value)?;
        }
        for (key, value) in [("initial_rto", self.initial_rto), ("min_rto", self.min_rto)] {
            if value > self.max_rto {
                let message = format!("{value} is above max_rto, {}", self.max_rto);
                return Err(InputError::new(place.key(key), message));
            }
        }
        Ok(())
    }

    /// Refuses detection of spurious timeouts for a variant that probes at a timeout, whatever the cause of that.
    fn check_spurious_detection(&self, place: KeyPath<'_>) -> Result<(), InputError> {
        if self.spurious == Spurious::None || !self.variant.capabilities().probes {
            return Ok(());
        }
        let message = format!(
            "{} sends a probe at every timeout, which needs {} = \"none\"",
            self.variant.name(),
            place.key("spurious")
        );
        Err(InputError::new(place.key("variant"), message))
    }
}

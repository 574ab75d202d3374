//! The settings of a host, by the names of Linux, and within the ranges that Linux 6.18 takes (written to it one by one).

use std::ops::RangeInclusive;

/// Type of a setting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SettingKind {
    /// A whole number of at most 32 bits.
    Number,
    /// Three of them.
    Triple,
    /// A word.
    Word,
}

/// A setting, described.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SysctlInfo {
    /// Name of the control.
    pub name: &'static str,
    /// Purpose.
    pub text: &'static str,
    /// Type, and its range.
    pub kind: SettingKind,
    /// Its least and largest number, as the kernel takes them.
    pub range: RangeInclusive<u64>,
    /// Its default, as `sysctl` writes it.
    pub default: String,
}

/// Declares the settings with their names, defaults and what they do.
macro_rules! sysctls {
    ($( $(#[doc = $doc:literal])+ $name:ident: $kind:ty = $value:expr, $range:expr; )+) => {
        /// Settings under `net.ipv4` (and `net.core`), with the defaults of Linux 6.18
        /// [rules/sockets.md A]. A setting that is not here is one without effect on packets, or one that
        /// is refused.
        #[derive(Clone, Debug, PartialEq, Eq)]
        pub struct Sysctl {
            $( $(#[doc = $doc])+ pub $name: $kind, )+
        }

        impl Default for Sysctl {
            fn default() -> Self {
                Sysctl { $( $name: $value, )+ }
            }
        }

        impl Sysctl {
            /// All names.
            pub const NAMES: &'static [&'static str] = &[$( stringify!($name), )+];

            /// Descriptions of all settings, in the same order.
            #[must_use]
            pub fn all() -> Vec<SysctlInfo> {
                let usual = Sysctl::default();
                vec![$( SysctlInfo {
                    name: stringify!($name),
                    text: concat!($($doc),+).trim_ascii(),
                    kind: <$kind as Setting>::KIND,
                    range: $range,
                    default: usual.$name.text(),
                }, )+]
            }

            /// Gives the setting `name` the value `text`.
            ///
            /// # Errors
            /// The fault of the value; `None` where there is no such setting.
            pub fn set(&mut self, name: &str, text: &str) -> Result<(), Option<String>> {
                match name {
                    $( stringify!($name) => {
                        self.$name = Setting::read(text, &$range).ok_or_else(|| {
                            let allowed = <$kind as Setting>::allowed_text(&$range);
                            Some(format!("{name} is {allowed}, not \"{text}\""))
                        })?;
                    } )+
                    _ => return Err(None),
                }
                Ok(())
            }
        }
    };
}

sysctls! {
    /// 1: SACK.
    tcp_sack: u64 = 1, 0..=255;
    /// 1: D-SACK.
    tcp_dsack: u64 = 1, 0..=255;
    /// 0: no timestamps; 1: with a random offset; 2: without an offset.
    tcp_timestamps: u64 = 1, 0..=255;
    /// 1: window scaling.
    tcp_window_scaling: u64 = 1, 0..=255;
    /// 0: no ECN; 1: ask for it and accept it; 2: accept it.
    tcp_ecn: u64 = 2, 0..=2;
    /// 1: a repeated SYN does not ask for ECN.
    tcp_ecn_fallback: u64 = 1, 0..=1;
    /// Duplicates that are not taken for a loss, at first.
    tcp_reordering: u64 = 3, 1..=300;
    /// Duplicates that are not taken for a loss, at most.
    tcp_max_reordering: u64 = 300, 1..=2_147_483_647;
    /// Bit 1 RACK (always on), 2 a window that stays, 4 no threshold of duplicates.
    tcp_recovery: u64 = 1, 0..=255;
    /// 3, 4: tail loss probes.
    tcp_early_retrans: u64 = 3, 0..=4;
    /// Not 0: F-RTO.
    tcp_frto: u64 = 2, 0..=255;
    /// 1: a window that was not used decays.
    tcp_slow_start_after_idle: u64 = 1, 0..=255;
    /// The share of the window for which a burst waits.
    tcp_tso_win_divisor: u64 = 3, 0..=255;
    /// Segments of a burst, at least.
    tcp_min_tso_segs: u64 = 2, 1..=255;
    /// Speed at which bursts shrink as the minimum round trip grows.
    tcp_tso_rtt_log: u64 = 9, 0..=255;
    /// Pacing rate in slow start, in per cent of cwnd per round trip.
    tcp_pacing_ss_ratio: u64 = 200, 0..=1_000;
    /// Pacing rate after slow start, in per cent of cwnd per round trip.
    tcp_pacing_ca_ratio: u64 = 120, 0..=1_000;
    /// Bytes of a flow that may wait in the host.
    tcp_limit_output_bytes: u64 = 4_194_304, 0..=2_147_483_647;
    /// 1: small writes wait for what is queued in the host.
    tcp_autocorking: u64 = 1, 0..=1;
    /// 1: small segments are repeated together.
    tcp_retrans_collapse: u64 = 1, 0..=255;
    /// Smallest variance of the RTO, in microseconds.
    tcp_rto_min_us: u64 = 200_000, 1..=2_147_483_647;
    /// Largest RTO, in milliseconds.
    tcp_rto_max_ms: u64 = 120_000, 1_000..=120_000;
    /// Timeouts after which the route is asked again.
    tcp_retries1: u64 = 3, 0..=255;
    /// Timeouts after which a connection ends.
    tcp_retries2: u64 = 15, 0..=255;
    /// Retransmissions without an answer that end a connection without a process.
    tcp_orphan_retries: u64 = 0, 0..=255;
    /// Repeated SYNs.
    tcp_syn_retries: u64 = 6, 1..=127;
    /// Number of SYN retransmissions that come without backoff.
    tcp_syn_linear_timeouts: u64 = 4, 0..=127;
    /// Repeated SYN-ACKs.
    tcp_synack_retries: u64 = 5, 0..=255;
    /// Window of the minimum round trip, in seconds.
    tcp_min_rtt_wlen: u64 = 300, 0..=86_400;
    /// Longest wait of an ACK of data out of order, in nanoseconds.
    tcp_comp_sack_delay_ns: u64 = 1_000_000, 0..=4_294_967_295;
    /// Slack of the wait of an ACK of data out of order, in nanoseconds.
    tcp_comp_sack_slack_ns: u64 = 100_000, 0..=4_294_967_295;
    /// ACKs that one may stand for.
    tcp_comp_sack_nr: u64 = 44, 0..=255;
    /// Replies after which ACKs are delayed.
    tcp_pingpong_thresh: u64 = 1, 1..=255;
    /// 1: one ACK for what came while the socket was in use.
    tcp_backlog_ack_defer: u64 = 1, 0..=1;
    /// Least time between two answers to useless segments, in milliseconds.
    tcp_invalid_ratelimit: u64 = 500, 0..=503_316_920;
    /// 1: the receive buffer grows by itself.
    tcp_moderate_rcvbuf: u64 = 1, 0..=255;
    /// Share of the receive buffer that is kept for the application.
    tcp_app_win: u64 = 31, 0..=31;
    /// 1: a window may be taken back.
    tcp_shrink_window: u64 = 0, 0..=1;
    /// 1: no metrics of earlier connections are kept.
    tcp_no_metrics_save: u64 = 0, 0..=255;
    /// 1: none of their ssthresh.
    tcp_no_ssthresh_metrics_save: u64 = 1, 0..=1;
    /// 0: no probes of the MTU; others are refused where they would show.
    tcp_mtu_probing: u64 = 0, 0..=255;
    /// Smallest segment.
    tcp_min_snd_mss: u64 = 48, 48..=65_535;
    /// Seconds in FIN-WAIT-2.
    tcp_fin_timeout: u64 = 60, 0..=8_589_934;
    /// 1: timeouts of thin streams do not back off.
    tcp_thin_linear_timeouts: u64 = 0, 0..=255;
    /// Fast Open: 1 as a client on request.
    tcp_fastopen: u64 = 1, 0..=2_147_483_647;
    /// Keys of cookies as a server.
    tcp_fastopen_key: String = "00000000-00000000-00000000-00000000".to_owned(), UNBOUNDED;
    /// 1: a new connection may follow one in TIME-WAIT; 2: on loopback only.
    tcp_tw_reuse: u64 = 2, 0..=2;
    /// For how many milliseconds that one must have waited.
    tcp_tw_reuse_delay: u64 = 1000, 1..=60_000;
    /// Seconds of silence before the first keepalive probe.
    tcp_keepalive_time: u64 = 7200, 0..=8_589_934;
    /// Seconds between keepalive probes.
    tcp_keepalive_intvl: u64 = 75, 0..=8_589_934;
    /// Keepalive probes without an answer after which a connection ends.
    tcp_keepalive_probes: u64 = 9, 0..=255;
    /// Unsent bytes from which a socket is writable.
    tcp_notsent_lowat: u64 = 4_294_967_295, 0..=4_294_967_295;
    /// Receive buffer: least, first, largest, in bytes.
    tcp_rmem: [u64; 3] = [4096, 131_072, 33_554_432], 1..=2_147_483_647;
    /// Send buffer: least, first, largest, in bytes.
    tcp_wmem: [u64; 3] = [4096, 16_384, 4_194_304], 1..=2_147_483_647;
    /// Largest `SO_RCVBUF`.
    rmem_max: u64 = 4_194_304, 1..=2_147_483_647;
    /// Largest `SO_SNDBUF`.
    wmem_max: u64 = 4_194_304, 1..=2_147_483_647;
    /// Parameter of tcp_cubic: bit 1 ends slow start by trains of ACKs, bit 2 by delay.
    hystart_detect: u64 = 3, 0..=2_147_483_647;
    /// Parameter of tcp_cubic: 1 ends slow start by one of these.
    hystart: u64 = 1, 0..=2_147_483_647;
    /// The congestion control.
    tcp_congestion_control: String = "cubic".to_owned(), UNBOUNDED;
}

/// The range of a word, which has none.
const UNBOUNDED: RangeInclusive<u64> = 0..=0;

/// Type that a setting can have.
trait Setting: Sized {
    /// Kind that describes it.
    const KIND: SettingKind;
    /// Allowed values, in words.
    fn allowed_text(range: &RangeInclusive<u64>) -> String;
    /// Reads one.
    fn read(text: &str, range: &RangeInclusive<u64>) -> Option<Self>;
    /// One as it is read.
    fn text(&self) -> String;
}

impl Setting for u64 {
    const KIND: SettingKind = SettingKind::Number;
    fn allowed_text(range: &RangeInclusive<u64>) -> String {
        format!("a whole number from {} to {}", range.start(), range.end())
    }
    fn read(text: &str, range: &RangeInclusive<u64>) -> Option<Self> {
        let text = text.trim();
        if text.contains('+') {
            return None; // which Rust reads, and Linux does not
        }
        let number = match text.strip_prefix("0x") {
            Some(digits) => u32::from_str_radix(digits, 16),
            None => text.parse::<u32>(),
        };
        number.ok().map(u64::from).filter(|number| range.contains(number))
    }
    fn text(&self) -> String {
        self.to_string()
    }
}

impl Setting for [u64; 3] {
    const KIND: SettingKind = SettingKind::Triple;
    fn allowed_text(range: &RangeInclusive<u64>) -> String {
        format!("three whole numbers from {} to {}", range.start(), range.end())
    }
    fn read(text: &str, range: &RangeInclusive<u64>) -> Option<Self> {
        let numbers: Option<Vec<u64>> =
            text.split_whitespace().map(|number| u64::read(number, range)).collect();
        numbers?.try_into().ok()
    }
    fn text(&self) -> String {
        self.map(|number| number.to_string()).join(" ")
    }
}

impl Setting for String {
    const KIND: SettingKind = SettingKind::Word;
    fn allowed_text(_: &RangeInclusive<u64>) -> String {
        "a word of letters, digits, minus signs and commas".to_owned()
    }
    fn read(text: &str, _: &RangeInclusive<u64>) -> Option<Self> {
        let word = text.trim();
        let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | ',');
        let begins = word.starts_with(|first: char| first.is_ascii_alphanumeric());
        (begins && word.chars().all(is_part)).then(|| word.to_owned())
    }
    fn text(&self) -> String {
        self.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        for about in Sysctl::all() {
            let mut host = Sysctl::default();
            host.set(about.name, &about.default).unwrap();
            assert_eq!(host, Sysctl::default());
        }
    }

    #[test]
    fn settings_are_known_by_name() {
        let mut host = Sysctl::default();
        host.set("tcp_sack", "0").unwrap();
        host.set("tcp_rmem", "4096 8192 16384").unwrap();
        assert_eq!((host.tcp_sack, host.tcp_rmem), (0, [4096, 8192, 16384]));
        assert_eq!(host.set("tcp_sock", "0"), Err(None));
        host.set("tcp_fastopen", "0x70403").unwrap();
        assert_eq!(host.tcp_fastopen, 0x7_0403);
        let refusal = host.set("tcp_sack", "-1").unwrap_err().unwrap();
        assert_eq!(refusal, "tcp_sack is a whole number from 0 to 255, not \"-1\"");
        for (name, value) in
            [("tcp_sack", "+1"), ("tcp_fastopen_key", "=1+1"), ("tcp_rmem", "+1 2 3")]
        {
            assert!(host.set(name, value).is_err(), "{name}");
        }
    }
}

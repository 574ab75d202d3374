//! The settings of a host, by the names of Linux, and within the ranges that Linux 6.18 takes (written to it one by one).

use std::ops::RangeInclusive;

/// Type of a setting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SettingKind {
    /// A whole number of at most 32 bits.
    Number,
    /// Three whole numbers.
    ThreeNumbers,
    /// A word.
    Word,
}

/// Description of a setting.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SysctlInfo {
    /// Name of the setting.
    pub name: &'static str,
    /// Purpose.
    pub text: &'static str,
    /// Type, and its range.
    pub kind: SettingKind,
    /// Its least and largest number: the range of the kernel, or a smaller one where the rest would need rules that are
    /// not here.
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
    /// 1: the receiver reports duplicates by D-SACK; 0: it does not. Example: `0`.
    tcp_dsack: u64 = 1, 0..=255;
    /// 0: no timestamps; 1: with a random offset; 2: without an offset.
    tcp_timestamps: u64 = 1, 0..=255;
    /// 1: SYNs offer window scaling; 0: they do not. Example: `0`.
    tcp_window_scaling: u64 = 1, 0..=255;
    /// 0: no ECN; 1: request and accept it; 2: accept it only. Example: `1`.
    tcp_ecn: u64 = 2, 0..=2;
    /// 1: a retransmitted SYN no longer requests ECN; 0: it still does. Example: `0`.
    tcp_ecn_fallback: u64 = 1, 0..=1;
    /// Threshold of duplicate ACKs at the start, in packets; it grows when reordering is seen. Example: `10`.
    tcp_reordering: u64 = 3, 1..=300;
    /// Largest value that the threshold of duplicate ACKs may reach, in packets. Example: `100`.
    tcp_max_reordering: u64 = 300, 1..=2_147_483_647;
    /// Sum of flags of RACK: 1 enables it (here it is always on), 2 keeps its reordering window fixed, 4 disables the
    /// threshold of duplicate ACKs. Example: `3`.
    tcp_recovery: u64 = 1, 0..=255;
    /// 3 or 4: tail loss probes are sent; 0 to 2: they are not. Example: `0`.
    tcp_early_retrans: u64 = 3, 0..=4;
    /// 0: no detection of spurious timeouts by F-RTO; any other number: with it. Example: `0`.
    tcp_frto: u64 = 2, 0..=255;
    /// 1: the congestion window shrinks while a connection is idle; 0: it does not. Example: `0`.
    tcp_slow_start_after_idle: u64 = 1, 0..=255;
    /// Divisor N of the congestion window: a burst waits until 1/N of the window can be sent at once. Example: `8`.
    tcp_tso_win_divisor: u64 = 3, 0..=255;
    /// Smallest burst that pacing releases at once, in segments. Example: `1`.
    tcp_min_tso_segs: u64 = 2, 1..=255;
    /// Number N: bursts grow by an allowance that is largest at a short minimum RTT and halves with every 2^N
    /// microseconds of it; 0: no allowance. Example: `0`.
    tcp_tso_rtt_log: u64 = 9, 0..=255;
    /// Pacing rate in slow start, in per cent of cwnd per round trip. Example: `250`.
    tcp_pacing_ss_ratio: u64 = 200, 0..=1_000;
    /// Pacing rate after slow start, in per cent of cwnd per round trip. Example: `150`.
    tcp_pacing_ca_ratio: u64 = 120, 0..=1_000;
    /// Largest number of bytes of a flow that may be queued in the sending host. Example: `262144`.
    tcp_limit_output_bytes: u64 = 4_194_304, 0..=2_147_483_647;
    /// 1: small writes are held back while the host still has data of the flow queued; 0: they are sent at once.
    /// Example: `0`.
    tcp_autocorking: u64 = 1, 0..=1;
    /// 1: small adjacent segments are merged when they are retransmitted; 0: they are not. Example: `0`.
    tcp_retrans_collapse: u64 = 1, 0..=255;
    /// Lower bound of the variance term of the RTO, in microseconds. Example: `5000`.
    tcp_rto_min_us: u64 = 200_000, 1..=2_147_483_647;
    /// Largest RTO, in milliseconds. Example: `10000`.
    tcp_rto_max_ms: u64 = 120_000, 1_000..=120_000;
    /// Number of timeouts in a row after which the kernel looks for another route. Example: `5`.
    tcp_retries1: u64 = 3, 0..=255;
    /// Number of timeouts in a row after which a connection is given up. Example: `8`.
    tcp_retries2: u64 = 15, 0..=255;
    /// Number of unanswered retransmissions after which a connection that no process holds is given up; 0: the
    /// kernel's own limit. Example: `3`.
    tcp_orphan_retries: u64 = 0, 0..=255;
    /// Largest number of times that a SYN is retransmitted. Example: `3`.
    tcp_syn_retries: u64 = 6, 1..=127;
    /// Number of SYN retransmissions before their timeout starts to double. Example: `0`.
    tcp_syn_linear_timeouts: u64 = 4, 0..=127;
    /// Largest number of times that a SYN-ACK is retransmitted. Example: `3`.
    tcp_synack_retries: u64 = 5, 0..=255;
    /// Length of the time window over which the minimum RTT is taken, in seconds. Example: `60`.
    tcp_min_rtt_wlen: u64 = 300, 0..=86_400;
    /// Longest delay of an ACK that reports data out of order (a compressed ACK), in nanoseconds. Example: `500000`.
    tcp_comp_sack_delay_ns: u64 = 1_000_000, 0..=4_294_967_295;
    /// Longest time by which the timer of a compressed ACK may be late, in nanoseconds. Example: `50000`.
    tcp_comp_sack_slack_ns: u64 = 100_000, 0..=4_294_967_295;
    /// Largest number of ACKs that one compressed ACK replaces; 0: no compression. Example: `0`.
    tcp_comp_sack_nr: u64 = 44, 0..=255;
    /// Number of replies to requests after which a connection counts as interactive and delays its ACKs. Example:
    /// `3`.
    tcp_pingpong_thresh: u64 = 1, 1..=255;
    /// 1: segments that arrive while the socket is in use are answered by one ACK; 0: each is answered. Example: `0`.
    tcp_backlog_ack_defer: u64 = 1, 0..=1;
    /// Shortest time between two ACKs in answer to invalid segments, in milliseconds. Example: `100`.
    tcp_invalid_ratelimit: u64 = 500, 0..=503_316_920;
    /// 1: the kernel enlarges the receive buffer as needed; 0: it does not. Example: `0`.
    tcp_moderate_rcvbuf: u64 = 1, 0..=255;
    /// Number N: 1/2^N of the window is reserved for the application's buffer; 0: nothing is. Example: `2`.
    tcp_app_win: u64 = 31, 0..=31;
    /// 1: a receiver may take back window that it has offered; 0: it may not. Example: `1`.
    tcp_shrink_window: u64 = 0, 0..=1;
    /// 1: a connection leaves no measurements, such as its RTT, for later ones to the same host; 0: it does. Example:
    /// `1`.
    tcp_no_metrics_save: u64 = 0, 0..=255;
    /// 1: ssthresh is not among the measurements left for later connections; 0: it is. Example: `0`.
    tcp_no_ssthresh_metrics_save: u64 = 1, 0..=1;
    /// 0: the path MTU is not probed. Only 0 is allowed. Example: `0`.
    tcp_mtu_probing: u64 = 0, 0..=0;
    /// Smallest segment size, in bytes. Example: `536`.
    tcp_min_snd_mss: u64 = 48, 48..=65_535;
    /// Time that a connection stays in FIN-WAIT-2, in seconds. Example: `30`.
    tcp_fin_timeout: u64 = 60, 0..=8_589_934;
    /// 1: the RTO does not double for thin streams, which have fewer than four packets outstanding; 0: it does.
    /// Example: `1`.
    tcp_thin_linear_timeouts: u64 = 0, 0..=255;
    /// Sum of flags of TCP Fast Open. 1: a client may send data in the SYN if the application asks for it
    /// (`MSG_FASTOPEN`); 2: a server accepts such data; 4: a client needs no cookie; 0x200: a server needs no cookie;
    /// 0x400: every listening socket takes part. Example: `0`.
    tcp_fastopen: u64 = 1, 0..=2_147_483_647;
    /// Key for a server's Fast Open cookies: four groups of hexadecimal digits. Example:
    /// `"00000001-00000002-00000003-00000004"`.
    tcp_fastopen_key: String = "00000000-00000000-00000000-00000000".to_owned(), UNBOUNDED;
    /// 1: a new connection may take the ports of one in TIME-WAIT; 2: only on loopback; 0: never. Example: `1`.
    tcp_tw_reuse: u64 = 2, 0..=2;
    /// Time that a connection must have been in TIME-WAIT before its ports are taken, in milliseconds. Example:
    /// `500`.
    tcp_tw_reuse_delay: u64 = 1000, 1..=60_000;
    /// Idle time before the first keepalive probe, in seconds. Example: `600`.
    tcp_keepalive_time: u64 = 7200, 0..=8_589_934;
    /// Time between keepalive probes, in seconds. Example: `30`.
    tcp_keepalive_intvl: u64 = 75, 0..=8_589_934;
    /// Number of unanswered keepalive probes after which a connection is given up. Example: `5`.
    tcp_keepalive_probes: u64 = 9, 0..=255;
    /// Number of unsent bytes below which a socket is writable. Example: `131072`.
    tcp_notsent_lowat: u64 = 4_294_967_295, 0..=4_294_967_295;
    /// Receive buffer in bytes: smallest, initial, largest. Example: `"4096 131072 6291456"`.
    tcp_rmem: [u64; 3] = [4096, 131_072, 33_554_432], 1..=2_147_483_647;
    /// Send buffer in bytes: smallest, initial, largest. Example: `"4096 16384 1048576"`.
    tcp_wmem: [u64; 3] = [4096, 16_384, 4_194_304], 1..=2_147_483_647;
    /// Largest receive buffer that `SO_RCVBUF` can set, in bytes. Example: `1048576`.
    rmem_max: u64 = 4_194_304, 1..=2_147_483_647;
    /// Largest send buffer that `SO_SNDBUF` can set, in bytes. Example: `1048576`.
    wmem_max: u64 = 4_194_304, 1..=2_147_483_647;
    /// Sum of flags of tcp_cubic: 1 ends slow start by trains of ACKs, 2 by rising delay. Example: `2`.
    hystart_detect: u64 = 3, 0..=2_147_483_647;
    /// 1: tcp_cubic may end slow start early, as `hystart_detect` says; 0: it does not. Example: `0`.
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
    /// Text of the value, as [`Setting::read`] accepts it.
    fn text(&self) -> String;
}

impl Setting for u64 {
    const KIND: SettingKind = SettingKind::Number;
    fn allowed_text(range: &RangeInclusive<u64>) -> String {
        let (least, most) = (range.start(), range.end());
        if least == most {
            least.to_string()
        } else {
            format!("a whole number from {least} to {most}")
        }
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
    const KIND: SettingKind = SettingKind::ThreeNumbers;
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

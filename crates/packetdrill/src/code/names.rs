//! The names that code may use.

use std::collections::BTreeSet;

/// States of a connection and of its congestion control, and options, as Linux numbers them.
pub(super) const CONSTANTS: &[(&str, i128)] = &[
    ("TCP_ESTABLISHED", 1),
    ("TCP_SYN_SENT", 2),
    ("TCP_SYN_RECV", 3),
    ("TCP_FIN_WAIT1", 4),
    ("TCP_FIN_WAIT2", 5),
    ("TCP_TIME_WAIT", 6),
    ("TCP_CLOSE", 7),
    ("TCP_CLOSE_WAIT", 8),
    ("TCP_LAST_ACK", 9),
    ("TCP_LISTEN", 10),
    ("TCP_CLOSING", 11),
    ("TCP_CA_Open", 0),
    ("TCP_CA_Disorder", 1),
    ("TCP_CA_CWR", 2),
    ("TCP_CA_Recovery", 3),
    ("TCP_CA_Loss", 4),
    ("TCPI_OPT_TIMESTAMPS", 1),
    ("TCPI_OPT_SACK", 2),
    ("TCPI_OPT_WSCALE", 4),
    ("TCPI_OPT_ECN", 8),
    ("TCPI_OPT_ECN_SEEN", 16),
    ("TCPI_OPT_SYN_DATA", 32),
    ("TCPI_OPT_USEC_TS", 64),
    ("TCPI_OPT_TFO_CHILD", 128),
];

/// Fields of `TCP_INFO`, of `TCP_CC_INFO` and of `SO_MEMINFO`.
#[rustfmt::skip]
pub(super) const FIELDS: &[&str] = &[
    "tcpi_state", "tcpi_ca_state", "tcpi_retransmits", "tcpi_probes", "tcpi_backoff", "tcpi_options",
    "tcpi_snd_wscale", "tcpi_rcv_wscale", "tcpi_delivery_rate_app_limited",
    "tcpi_fastopen_client_fail", "tcpi_rto", "tcpi_ato", "tcpi_snd_mss", "tcpi_rcv_mss",
    "tcpi_unacked", "tcpi_sacked", "tcpi_lost", "tcpi_retrans", "tcpi_fackets",
    "tcpi_last_data_sent", "tcpi_last_ack_sent", "tcpi_last_data_recv", "tcpi_last_ack_recv",
    "tcpi_pmtu", "tcpi_rcv_ssthresh", "tcpi_rtt", "tcpi_rttvar", "tcpi_snd_ssthresh",
    "tcpi_snd_cwnd", "tcpi_advmss", "tcpi_reordering", "tcpi_rcv_rtt", "tcpi_rcv_space",
    "tcpi_total_retrans", "tcpi_pacing_rate", "tcpi_max_pacing_rate", "tcpi_bytes_acked",
    "tcpi_bytes_received", "tcpi_segs_out", "tcpi_segs_in", "tcpi_notsent_bytes", "tcpi_min_rtt",
    "tcpi_data_segs_in", "tcpi_data_segs_out", "tcpi_delivery_rate", "tcpi_busy_time",
    "tcpi_rwnd_limited", "tcpi_sndbuf_limited", "tcpi_delivered", "tcpi_delivered_ce",
    "tcpi_bytes_sent", "tcpi_bytes_retrans", "tcpi_dsack_dups", "tcpi_reord_seen", "tcpi_rcv_ooopack",
    "tcpi_snd_wnd", "tcpi_rcv_wnd", "tcpi_rehash", "tcpi_total_rto", "tcpi_total_rto_recoveries",
    "tcpi_total_rto_time", "tcpi_received_ce", "tcpi_delivered_e1_bytes", "tcpi_delivered_e0_bytes",
    "tcpi_delivered_ce_bytes", "tcpi_received_e1_bytes", "tcpi_received_e0_bytes",
    "tcpi_received_ce_bytes", "tcpi_ecn_mode", "tcpi_accecn_opt_seen", "tcpi_accecn_fail_mode",
    "tcpi_options2",
    "bbr_bw_lo", "bbr_bw_hi", "bbr_bw", "bbr_min_rtt", "bbr_pacing_gain", "bbr_cwnd_gain",
    "dctcp_enabled", "dctcp_ce_state", "dctcp_alpha", "dctcp_ab_ecn", "dctcp_ab_tot",
    "tcpv_enabled", "tcpv_rttcnt", "tcp_rtt", "tcp_minrtt",
    "SK_MEMINFO_RMEM_ALLOC", "SK_MEMINFO_RCVBUF", "SK_MEMINFO_WMEM_ALLOC", "SK_MEMINFO_SNDBUF",
    "SK_MEMINFO_FWD_ALLOC", "SK_MEMINFO_WMEM_QUEUED", "SK_MEMINFO_OPTMEM", "SK_MEMINFO_BACKLOG",
    "SK_MEMINFO_DROPS",
];

/// The functions that code may call.
pub(super) const FUNCTIONS: &[&str] =
    &["abs", "min", "max", "int", "float", "str", "len", "round", "bool"];

/// Knowledge gained while a script is read: the names that its code has assigned so far.
#[derive(Default)]
pub(crate) struct KnownNames {
    pub(super) assigned: BTreeSet<String>,
}

impl KnownNames {
    pub(super) fn knows(&self, name: &str) -> bool {
        self.assigned.contains(name) || FIELDS.contains(&name) || constant(name).is_some()
    }
}

pub(super) fn constant(name: &str) -> Option<i128> {
    CONSTANTS.iter().find(|(known, _)| *known == name).map(|(_, value)| *value)
}

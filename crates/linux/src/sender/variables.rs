//! Variables of the sender shared by several files, grouped by purpose.

/// State before a reduction, restored by an undo.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct UndoState {
    /// una as the reduction began; none: nothing to undo.
    pub marker: Option<u64>,
    /// Retransmissions not shown to be spurious; -1: none was made yet.
    pub retrans: i64,
    /// ssthresh to return to; 0: none.
    pub ssthresh: u32,
}

/// Use of the congestion window.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct CwndUsage {
    /// The window limited the sender.
    pub limited: bool,
    /// Most packets outstanding in this round, and where it ends.
    pub max_out: u32,
    pub seq: u64,
    /// Most packets outstanding while it was not limited.
    pub used: u32,
    /// Jiffy in which cwnd was last found right.
    pub stamp: u64,
}

/// Probes of the window without an answer, and the jiffy of the first.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ZeroWindowProbes {
    pub count: u32,
    pub since: Option<u64>,
}

/// Counters of `TCP_INFO` [rules/sockets.md D].
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct SenderTotals {
    pub retrans: u32,
    pub bytes_sent: u64,
    pub bytes_retrans: u64,
    pub bytes_acked: u64,
    pub data_segs: u64,
    pub delivered_ce: u32,
    pub rto: u32,
    pub rto_recoveries: u32,
    pub rto_time: u64,
    pub rto_stamp: Option<u64>,
}

//! The state of a sender as traces show it.

use super::observer::SenderView;
use airtcp_linux::clock::HZ;
use airtcp_linux::congestion::INFINITE_SSTHRESH;
use airtcp_linux::connection::Connection;
use airtcp_tcp::Sender;

/// State of a sender now. Windows are in packets, times in seconds.
#[derive(Clone, Copy, Debug)]
pub(super) struct SenderState {
    pub(super) cwnd: f64,
    /// Packets sent and not acknowledged.
    pub(super) inflight: u64,
    pub(super) dupacks: u32,
    pub(super) slow_state: SlowState,
}

/// Part of the sender's state that changes rarely.
#[derive(Clone, Copy, Debug)]
pub(super) struct SlowState {
    pub(super) ssthresh: f64,
    pub(super) rto: f64,
    pub(super) srtt: f64,
    pub(super) rttvar: f64,
    pub(super) backoff: u32,
}

impl SenderView<'_> {
    /// Returns whether its segments carry timestamps.
    pub(super) fn timestamps(&self) -> bool {
        match self {
            SenderView::Classic(sender) => sender.timestamps(),
            SenderView::Linux(connection) => connection.is_some_and(Connection::timestamps),
        }
    }

    #[inline]
    pub(super) fn state(&self) -> SenderState {
        match self {
            SenderView::Classic(sender) => classic_state(sender),
            SenderView::Linux(connection) => connection.map_or(IDLE_STATE, linux_state),
        }
    }
}

/// State before a host of Linux connects.
const IDLE_STATE: SenderState = SenderState {
    cwnd: 0.0,
    inflight: 0,
    dupacks: 0,
    slow_state: SlowState {
        ssthresh: f64::INFINITY,
        rto: 1.0,
        srtt: f64::NAN,
        rttvar: f64::NAN,
        backoff: 1,
    },
};

fn linux_state(connection: &Connection) -> SenderState {
    let sender = connection.sender();
    let ([out, sacked, ..], window) = (sender.counts(), sender.window());
    let infinite = window.ssthresh >= INFINITE_SSTHRESH;
    let seconds = |us: f64| us / 1e6;
    SenderState {
        cwnd: window.cwnd.into(),
        inflight: out.into(),
        dupacks: sacked,
        slow_state: SlowState {
            ssthresh: if infinite { f64::INFINITY } else { window.ssthresh.into() },
            rto: sender.rto() as f64 / f64::from(HZ),
            srtt: if sender.srtt8() == 0 {
                f64::NAN
            } else {
                seconds(f64::from(sender.srtt8()) / 8.0)
            },
            rttvar: seconds(f64::from(sender.mdev4()) / 4.0),
            backoff: 1 << sender.backoff().min(31),
        },
    }
}

#[inline]
fn classic_state(sender: &Sender) -> SenderState {
    let (view, estimate) = (sender.view(), sender.rtt_estimate());
    SenderState {
        cwnd: view.cwnd.to_f64() / f64::from(view.mss),
        inflight: (view.high - view.una).div_ceil(u64::from(view.mss)),
        dupacks: view.dupacks,
        slow_state: SlowState {
            ssthresh: view.ssthresh.to_f64() / f64::from(view.mss),
            rto: estimate.rto.seconds(),
            srtt: estimate.srtt,
            rttvar: estimate.rttvar,
            backoff: estimate.backoff,
        },
    }
}

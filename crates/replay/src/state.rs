//! Our sender as a difference shows it.

use crate::verdict::SenderStatus;
use airtcp_core::Instant;
use airtcp_linux::TimeInUnits;
use airtcp_linux::congestion::CaState;
use airtcp_linux::sender::Sender;

pub(crate) fn from_sender(sender: &Sender, now: TimeInUnits, start: i64) -> SenderStatus {
    let tcp_sock = sender.tcp_sock(now);
    let timer = sender.next_timer();
    SenderStatus {
        cwnd: sender.window().cwnd,
        ssthresh: sender.window().ssthresh,
        state: match tcp_sock.state {
            CaState::Open => "Open",
            CaState::Disorder => "Disorder",
            CaState::Cwr => "CWR",
            CaState::Recovery => "Recovery",
            CaState::Loss => "Loss",
        },
        in_flight: tcp_sock.in_flight,
        counts: sender.counts(),
        una: tcp_sock.una,
        nxt: tcp_sock.nxt,
        srtt_us: tcp_sock.srtt8 >> 3,
        rto_ms: sender.rto() * airtcp_linux::clock::TICK_US / 1000,
        timer: sender.timer(),
        timer_at: (timer != Instant::NEVER).then(|| timer.nanos() - start),
        pacing_rate: sender.window().pacing_rate,
    }
}

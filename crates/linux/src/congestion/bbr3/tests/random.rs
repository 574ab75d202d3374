use super::*;
use proptest::prelude::*;

proptest! {
    /// For random states of the connection: no overflow, cwnd between its bounds, a rate within the socket's limit.
    #[test]
    fn random_states_do_no_harm(
        steps in prop::collection::vec(
            (any::<[u32; 10]>(), any::<[u64; 2]>(), -1i64..1 << 40, 0u8..5, any::<[bool; 3]>()), 1..80),
        max_pacing_rate: u64, clamp in 4u32..,
    ) {
        let (mut bbr, mut w) = started(1000);
        w.clamp = clamp;
        for (a, b, interval_us, state, flags) in steps {
            let state = [CaState::Open, CaState::Disorder, CaState::Cwr, CaState::Recovery,
                CaState::Loss][state as usize];
            let now = Clock::default().units_at(Instant::from_nanos((b[0] >> 4) as i64));
            let f = TcpSock {
                now, state, delivered: a[0], delivered_us: b[1] >> 20, lost: a[1], in_flight: a[2],
                srtt8: a[3], min_rtt: a[4], max_pacing_rate, mss: a[5] % 65_536,
                cwnd_used: flags[1], sack: flags[2], ..tcp_sock()
            };
            let s = RateSample {
                prior_delivered: a[6], delivered: a[7] as i32, interval_us, rtt_us: interval_us,
                losses: a[1] % 7, acked_sacked: a[3] % 9, app_limited: flags[0],
                tx_in_flight: a[8] >> 1, lost: a[9], ..sample(1, 1)
            };
            let packet = LostPacket { app_limited: flags[0], ..lost(b[0] >> 1, a[8] >> 1, a[9]) };
            match a[5] % 11 {
                0 => bbr.set_state(&f, &mut w, state),
                1 => { bbr.ssthresh(&f, &mut w); }
                2 => bbr.event(&f, &mut w, Event::TxStart),
                3 => w.cwnd = bbr.undo_cwnd(&f, &mut w),
                4 => bbr.packet_lost(&f, &mut w, &packet),
                _ => {
                    bbr.cong_control(&f, &mut w, &s);
                    prop_assert!(w.pacing_rate <= max_pacing_rate || !bbr.full_bw.reached);
                }
            }
            prop_assert!(w.cwnd >= 1 && w.cwnd <= clamp.max(bbr.prior_cwnd));
        }
    }
}

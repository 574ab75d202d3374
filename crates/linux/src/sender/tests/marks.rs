//! Losses of which a congestion control is told.

use super::rig::{MSS, Rig, establishment};
use crate::congestion::{Control, State};
use crate::sender::SenderOptions;
use crate::sysctl::Sysctl;

fn rig() -> Rig {
    let options = SenderOptions { control: "bbr3".to_owned(), ..SenderOptions::default() };
    let mut rig = Rig::with(&Sysctl::default(), options, &establishment(40_000));
    rig.write(100 * MSS);
    rig
}

fn shown(rig: &Rig, expected: &str) -> String {
    let mut text = String::new();
    rig.s.control().show(&mut |name, value| {
        if name == expected {
            text = value.to_string();
        }
    });
    text
}

#[test]
fn a_lost_packet_is_told_as_it_is_marked_and_nothing_is_reduced() {
    let mut rig = rig();
    rig.wait_us(40_000);
    let before = rig.s.window().cwnd;
    assert_eq!(shown(&rig, "loss_in_round"), "false");
    rig.sack(1, &[(1 + MSS, 1 + 5 * MSS)]);
    assert_eq!(shown(&rig, "loss_in_round"), "true");
    assert_eq!(shown(&rig, "prior_cwnd"), before.to_string());
    // Four more were delivered, and Startup goes on.
    assert_eq!(rig.s.window().cwnd, before + 4);
    let Control::Bbr3(bbr) = rig.s.control() else { panic!("it is BBR") };
    assert_eq!(bbr.state, State::Startup);
}

#[test]
fn a_timeout_leaves_one_packet_and_the_end_of_loss_brings_cwnd_back() {
    let mut rig = rig();
    rig.wait_us(40_000);
    rig.ack(1 + 4 * MSS);
    let before = rig.s.window().cwnd;
    rig.wait_ms(1000);
    assert!(rig.info("tcpi_total_rto") > 0);
    assert!(rig.s.window().cwnd < 4, "{}", rig.s.window().cwnd);
    rig.wait_us(40_000);
    let outstanding = u64::try_from(rig.info("tcpi_unacked")).unwrap();
    rig.ack(rig.s.una() + outstanding * MSS);
    assert!(rig.s.window().cwnd >= before, "{} {before}", rig.s.window().cwnd);
}

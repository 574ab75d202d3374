//! Ladder diagrams: what each idealised variant sends, slot by slot, for a given sequence of slot
//! fates. ACKs are instant unless delayed by whole slots; a slot carries one packet.

use airtcp_core::{Instant, Span};
use airtcp_tcp::{
    Receiver, ReceiverConfig, RuleSource, SackConfig, Segment, Sender, SenderConfig, Variant,
};
use std::collections::VecDeque;

const TIMEOUT: i64 = 12;

struct Ladder {
    sender: Sender,
    receiver: Receiver,
    slot: i64,
    delay: i64,
    acks: VecDeque<(i64, Segment)>,
}

impl Ladder {
    fn new(variant: Variant, window: u32, dupacks: u32) -> Self {
        let timeout = Span::from_nanos(TIMEOUT);
        let mut sender = Sender::new(&SenderConfig {
            dupack_threshold: dupacks,
            ..SenderConfig::idealized(variant, window, timeout, 1)
        })
        .expect("an idealised variant");
        sender.write(u64::MAX);
        let sack = (variant == Variant::Sack).then_some(SackConfig::RFC2018);
        let config = ReceiverConfig::immediate(window.into(), 1, sack);
        let receiver = Receiver::new(&config);
        Ladder { sender, receiver, slot: 0, delay: 0, acks: VecDeque::new() }
    }

    /// The ladder with ACKs that arrive `slots` after their packet.
    fn delayed(self, slots: i64) -> Self {
        Ladder { delay: slots, ..self }
    }

    /// Plays one slot per character, `.` good and `x` bad, and writes down what was sent: the packet
    /// number, or `-` for a silent slot.
    fn play(&mut self, fates: &str) -> String {
        fates.chars().map(|fate| self.slot(fate == '.')).collect::<Vec<_>>().join(" ")
    }

    fn slot(&mut self, good: bool) -> String {
        let now = Instant::from_nanos(self.slot);
        while self.acks.front().is_some_and(|a| a.0 <= self.slot) {
            let (_, ack) = self.acks.pop_front().expect("just seen");
            self.sender.on_segment(now, &ack);
        }
        self.slot += 1;
        if self.sender.poll_timeout() <= now {
            self.sender.on_timer(now);
        }
        let Some(packet) = self.sender.poll_transmit(now) else { return "-".into() };
        let Segment::Data { seq, .. } = packet else { panic!("{packet:?}") };
        if good {
            let end = Instant::from_nanos(self.slot);
            self.receiver.on_segment(end, &packet);
            let ack = self.receiver.poll_transmit(end).expect("every packet is acknowledged");
            self.acks.push_back((self.slot + self.delay, ack));
        }
        seq.to_string()
    }

    /// cwnd and ssthresh once the ACKs of the slots so far have arrived.
    fn window(&mut self) -> (String, String) {
        for (_, ack) in self.acks.drain(..) {
            self.sender.on_segment(Instant::from_nanos(self.slot), &ack);
        }
        (format!("{:?}", self.sender.view().cwnd), format!("{:?}", self.sender.view().ssthresh))
    }
}

fn window(cwnd: &str, ssthresh: &str) -> (String, String) {
    (cwnd.into(), ssthresh.into())
}

#[test]
fn slow_start_adds_one_per_ack_up_to_the_advertised_window() {
    let mut ladder = Ladder::new(Variant::Tahoe, 6, 3);
    assert_eq!(ladder.play("...."), "0 1 2 3");
    assert_eq!(ladder.window(), window("5", "6"));
    ladder.play("...");
    assert_eq!(ladder.window(), window("6", "6"));
}

#[test]
fn oldtahoe_sends_its_window_and_waits_for_the_timer() {
    let mut ladder = Ladder::new(Variant::OldTahoe, 6, 3);
    ladder.play(".....");
    // Packet 5 is lost in its slot; the other five of the window follow, then silence until its
    // timer ends, 12 slots after it was sent.
    assert_eq!(ladder.play("x....."), "5 6 7 8 9 10");
    assert_eq!(ladder.play("......"), "- - - - - -");
    // The receiver kept 6 to 10: the retransmission of 5 opens the way to 11.
    assert_eq!(ladder.play("...."), "5 11 12 13");
    // ceil(6/2) = 3, then 1 + 1 + 1 by slow start and 1/3 and more in avoidance.
    assert_eq!(ladder.window().1, "3");
}

#[test]
fn tahoe_goes_back_on_the_kth_duplicate_ack() {
    let mut ladder = Ladder::new(Variant::Tahoe, 6, 3);
    ladder.play(".....");
    assert_eq!(ladder.play("x..."), "5 6 7 8");
    assert_eq!(ladder.window(), window("1", "3"));
    assert_eq!(ladder.play("..."), "5 9 10");
}

#[test]
fn tahoe_resends_every_hole_in_slow_start() {
    let mut ladder = Ladder::new(Variant::Tahoe, 6, 3);
    ladder.play(".....");
    assert_eq!(ladder.play("x.x.."), "5 6 7 8 9");
    // 5 fills up to 6, 7 up to 9.
    assert_eq!(ladder.play("..."), "5 7 10");
}

#[test]
fn a_lost_retransmission_of_tahoe_waits_for_its_new_timer() {
    let mut ladder = Ladder::new(Variant::Tahoe, 6, 3);
    ladder.play(".....");
    ladder.play("x...");
    assert_eq!(ladder.play("x............"), "5 - - - - - - - - - - - 5");
}

#[test]
fn reno_repairs_one_loss_and_goes_on_at_half_the_window() {
    let mut ladder = Ladder::new(Variant::Reno, 6, 3);
    ladder.play(".....");
    assert_eq!(ladder.play("x..."), "5 6 7 8");
    assert_eq!(ladder.window(), window("6", "3"), "3 + K, not above the advertised window");
    assert_eq!(ladder.play("."), "5");
    assert_eq!(ladder.window(), window("3", "3"));
    assert_eq!(ladder.play(".."), "9 10");
}

#[test]
fn reno_waits_for_the_second_loss_of_a_window() {
    let mut ladder = Ladder::new(Variant::Reno, 6, 3);
    ladder.play(".....");
    // 7 is lost in slot 7 (from 0); 5 is repaired in slot 10; the timer of 7 ends with slot 18.
    assert_eq!(ladder.play("x.x.."), "5 6 7 8 9");
    assert_eq!(ladder.play("."), "5");
    assert_eq!(ladder.play("........"), "- - - - - - - -");
    assert_eq!(ladder.play("."), "7");
    // W'' = min(3 + 3 + 1, 6) = 6, so the threshold is 3 [zorzi eq. 19].
    assert_eq!(ladder.window(), window("2", "3"));
}

#[test]
fn reno_times_out_when_the_retransmission_is_lost_counting_from_the_first_transmission() {
    let mut ladder = Ladder::new(Variant::Reno, 24, 3);
    ladder.play(".....");
    assert_eq!(ladder.play("x...x"), "5 6 7 8 5");
    // Sent first in slot 5, so again in slot 17: seven silent slots.
    assert_eq!(ladder.play("........"), "- - - - - - - 5");
    // W' = ceil(6/2) + 3 = 6 [zorzi eq. 17].
    assert_eq!(ladder.window().1, "3");
}

#[test]
fn newreno_repairs_every_hole_one_per_ack() {
    let mut ladder = Ladder::new(Variant::NewReno, 8, 3);
    ladder.play(".......");
    assert_eq!(ladder.play("x.x.x."), "7 8 9 10 11 12");
    assert_eq!(ladder.play("..."), "7 9 11");
    assert_eq!(ladder.window(), window("4", "4"));
    assert_eq!(ladder.play("."), "13");
}

#[test]
fn newreno_times_out_by_the_timer_of_the_hole_whose_repair_is_lost() {
    let mut ladder = Ladder::new(Variant::NewReno, 8, 3);
    ladder.play(".......");
    assert_eq!(ladder.play("x.x.x."), "7 8 9 10 11 12");
    // 9 was sent first in slot 9: its timer ends with slot 20.
    assert_eq!(ladder.play(".x......"), "7 9 - - - - - -");
    assert_eq!(ladder.play("."), "9");
    // W''' = min(4 + 3 + 1, 8) = 8 [zorzi, section IV-G].
    assert_eq!(ladder.window(), window("2", "4"));
}

#[test]
fn sack_repairs_the_holes_of_a_window_as_newreno_does() {
    let [sack, newreno] = [Variant::Sack, Variant::NewReno].map(|variant| {
        let mut ladder = Ladder::new(variant, 24, 3);
        (ladder.play("......................x.xx.x.......x............"), ladder.window())
    });
    assert_eq!(sack, newreno);
}

#[test]
fn sack_goes_on_with_the_other_holes_when_a_retransmission_is_lost() {
    let [sack, newreno] = [Variant::Sack, Variant::NewReno].map(|variant| {
        let mut ladder = Ladder::new(variant, 8, 3);
        ladder.play(".......");
        assert_eq!(ladder.play("x.x.x."), "7 8 9 10 11 12");
        ladder.play(".x.........")
    });
    // The timer of 9 ends with slot 20.
    assert_eq!(sack, "7 9 11 - - - - - 9 13 14");
    assert_eq!(newreno, "7 9 - - - - - - 9 11 13");
}

#[test]
fn sack_does_not_wait_for_acks_that_are_late() {
    let [sack, newreno] = [Variant::Sack, Variant::NewReno].map(|variant| {
        let mut ladder = Ladder::new(variant, 8, 1).delayed(2);
        ladder.play(&".".repeat(19));
        ladder.play("x.x.......")
    });
    // The ACK of 19 reports that 18 is missing before the ACK of the second 16 can.
    assert_eq!(sack, "16 17 18 19 16 - 18 - - 20");
    assert_eq!(newreno, "16 17 18 19 16 - - 18 - -");
}

#[test]
fn a_packet_held_from_an_earlier_cycle_is_no_hole_when_lost_again() {
    let mut ladder = Ladder::new(Variant::Reno, 6, 1);
    ladder.play(".....");
    // 5 and 6 lost, 7 held; K = 1. Repairing 5 exposes 6, which waits for its timer.
    assert_eq!(ladder.play("xx.."), "5 6 7 5");
    ladder.play("........");
    // 6 is lost again and again by timeout; then it gets through, and 7 was held.
    assert_eq!(ladder.play("..."), "- 6 8");
}

#[test]
fn too_few_successes_leave_only_the_timer() {
    for variant in Variant::with_rules_of(RuleSource::Ideal) {
        let mut ladder = Ladder::new(variant, 3, 3);
        ladder.play("..");
        assert_eq!(ladder.play("x............"), "2 3 4 - - - - - - - - - 2", "{variant:?}");
    }
}

#[test]
fn duplicate_acks_still_under_way_do_not_trigger_tahoe_again() {
    let mut ladder = Ladder::new(Variant::Tahoe, 24, 1).delayed(3);
    ladder.play(&".".repeat(40));
    assert_eq!(ladder.sender.counters().fast_retransmits, 0);
    // One loss; three more duplicate ACKs are under way when the first one is there.
    ladder.play("x............");
    assert_eq!(ladder.sender.counters().fast_retransmits, 1);
    assert_eq!(ladder.sender.counters().timeouts, 0);
}

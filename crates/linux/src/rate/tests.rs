use super::*;

fn ack(now_us: u64, delivered: u32) -> AckTotals {
    AckTotals {
        now_us,
        delivered,
        lost: 0,
        prior_in_flight: 0,
        min_rtt: 10_000,
        rtt_us: 10_000,
        reneging: false,
        ack_delayed: false,
    }
}

fn departure(us: u64, nothing_outstanding: bool, app_limited: u32) -> Transmission {
    Transmission { us, nothing_outstanding, in_flight: 1, app_limited }
}

/// Ten packets in a burst at 1 s, 1000 bytes each, `delivered` being 1 since the SYN.
fn burst() -> (Rate, Vec<DeliveryRecord>) {
    let mut rate = Rate { delivered: 1, ..Rate::default() };
    let records = (0..10).map(|n| rate.on_sent(&departure(1_000_000, n == 0, 0))).collect();
    (rate, records)
}

#[test]
fn a_burst_is_delivered_over_a_round_trip() {
    let (mut rate, records) = burst();
    for (record, end) in records.iter().zip([1000, 2000]) {
        rate.delivered += 1;
        rate.on_delivered(record, 1_000_000, end, false);
    }
    let sample = rate.sample(&ack(1_020_000, 2), &mut 0);
    assert_eq!((sample.prior_delivered, sample.prior_us), (1, 1_000_000));
    assert_eq!((sample.delivered, sample.interval_us), (2, 20_000));
    assert_eq!(rate.reported.bytes_per_second(1000), 100_000);
    assert_eq!(rate.delivered_us, 1_020_000);
}

#[test]
fn the_latest_sent_packet_of_an_ack_makes_the_sample() {
    let (mut rate, records) = burst();
    rate.delivered += 10;
    rate.on_delivered(&records[9], 1_000_000, 10_000, false);
    assert_eq!(rate.sample(&ack(1_020_000, 10), &mut 0).delivered, 10);
    let first = rate.on_sent(&departure(1_030_000, false, 7));
    let second = rate.on_sent(&departure(1_045_000, false, 0));
    rate.delivered += 2;
    rate.on_delivered(&second, 1_045_000, 12_000, true);
    assert!(rate.sample_retransmitted());
    rate.on_delivered(&first, 1_030_000, 11_000, false); // sent earlier: not used
    assert!(rate.sample_retransmitted());
    let sample = rate.sample(&ack(1_050_000, 2), &mut 0);
    // Sent within 45 ms of the first packet, delivered within 30 ms of the last delivery.
    assert_eq!((sample.delivered, sample.interval_us), (2, 45_000));
    assert_eq!((sample.app_limited, rate.first_tx_us), (false, 1_045_000));
}

#[test]
fn of_packets_sent_together_the_highest_counts() {
    let (mut rate, records) = burst();
    rate.on_delivered(&records[5], 1_000_000, 6000, false);
    rate.on_delivered(&records[2], 1_000_000, 3000, true);
    assert!(!rate.sample_retransmitted());
    rate.on_delivered(&records[7], 1_000_000, 8000, true);
    assert!(rate.sample_retransmitted());
}

#[test]
fn a_record_without_deliveries_is_always_replaced() {
    let mut rate = Rate::default();
    let records = [5u64, 6].map(|t| rate.on_sent(&departure(t, t == 5, 0)));
    rate.on_delivered(&records[1], 6, 2000, true);
    rate.on_delivered(&records[0], 5, 1000, false);
    assert!(!rate.sample_retransmitted());
}

#[test]
fn samples_shorter_than_the_minimum_round_trip_are_invalid() {
    let (mut rate, records) = burst();
    rate.delivered += 1;
    rate.on_delivered(&records[0], 1_000_000, 1000, false);
    let sample = rate.sample(&ack(1_009_999, 1), &mut 0);
    assert_eq!((sample.delivered, sample.interval_us), (1, -1));
    assert_eq!(rate.reported, ReportedRate::default());
}

#[test]
fn an_ack_that_delivers_nothing_has_no_sample() {
    let (mut rate, records) = burst();
    rate.on_delivered(&records[0], 1_000_000, 1000, false);
    rate.begin_sample();
    let sample = rate.sample(&ack(1_020_000, 0), &mut 0);
    assert_eq!((sample.delivered, sample.interval_us, sample.prior_delivered), (-1, -1, 0));
    assert_eq!(rate.delivered_us, 1_000_000);
}

#[test]
fn a_receiver_that_reneged_gives_no_sample() {
    let (mut rate, records) = burst();
    rate.delivered += 1;
    rate.on_delivered(&records[0], 1_000_000, 1000, false);
    let sample = rate.sample(&AckTotals { reneging: true, ..ack(1_020_000, 1) }, &mut 0);
    assert_eq!((sample.delivered, sample.interval_us, sample.prior_delivered), (-1, -1, 1));
}

#[test]
fn the_mark_of_a_limited_application_ends_after_its_packets() {
    let mut rate = Rate { delivered: 14, ..Rate::default() };
    let mut app_limited = 14;
    rate.sample(&ack(5, 0), &mut app_limited);
    assert_eq!(app_limited, 14);
    rate.delivered = 15;
    rate.sample(&ack(5, 1), &mut app_limited);
    assert_eq!(app_limited, 0);
    // A new socket's mark ends with the first sample.
    app_limited = APP_LIMITED_AT_START;
    rate.delivered = 1;
    rate.sample(&ack(6, 1), &mut app_limited);
    assert_eq!(app_limited, 0);
    assert_eq!((Rate::app_limited_until(3, 4), Rate::app_limited_until(0, 0)), (7, 1));
}

#[test]
fn a_limited_sample_is_shown_only_where_it_is_faster() {
    let mut rate = Rate::default();
    let mut give = |prior_delivered, delivered: u32, interval: u64, limited| {
        let record = DeliveryRecord {
            delivered_us: 1_000_000 - interval,
            send_interval_us: interval as u32 - 1,
            delivered: prior_delivered,
            lost: 0,
            flight: if limited { APP_LIMITED_BIT } else { 0 },
        };
        rate.delivered = prior_delivered + delivered;
        rate.on_delivered(&record, 1_000_000 - 1, 1000, false);
        rate.sample(&ack(1_000_000, delivered), &mut 0);
        (rate.reported.delivered, rate.reported.interval_us, rate.reported.app_limited)
    };
    assert_eq!(give(1, 10, 20_000, true), (10, 20_000, true));
    assert_eq!(give(1, 9, 20_000, true), (10, 20_000, true));
    assert_eq!(give(1, 20, 40_000, true), (20, 40_000, true));
    assert_eq!(give(1, 1, 40_000, false), (1, 40_000, false));
}

#[test]
fn a_packet_remembers_what_was_in_flight_and_lost_as_it_left() {
    let mut rate = Rate { delivered: 1, lost: 3, ..Rate::default() };
    let sent = Transmission { us: 5, nothing_outstanding: true, in_flight: 8, app_limited: 7 };
    let mut record = rate.on_sent(&sent);
    assert_eq!((record.tx_in_flight(), record.app_limited(), record.lost), (8, true, 3));
    record.advance_to_next_packet();
    assert_eq!((record.tx_in_flight(), record.app_limited()), (9, true));
    (rate.delivered, rate.lost) = (2, 5);
    rate.on_delivered(&record, 5, 1000, false);
    let sample = rate.sample(&ack(20_005, 1), &mut 7);
    assert_eq!((sample.tx_in_flight, sample.lost, sample.app_limited), (9, 2, true));
    let none = rate.sample(&ack(20_006, 0), &mut 7);
    assert_eq!((none.tx_in_flight, none.lost), (0, 0));
}

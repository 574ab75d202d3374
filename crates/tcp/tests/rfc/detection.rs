//! Loss detection as a slot of its own: the same repair after another detection.

use crate::rfc::script::{Script, config};
use airtcp_tcp::{Detection, SenderConfig, Variant};

/// SACK by the detection of that name; packets 0 to 10 are sent, 0 is acknowledged, and the window is ten.
fn under_way(detection: &str) -> Script {
    let detection = Detection::named(detection);
    let mut script = Script::new(&SenderConfig { detection, ..config(Variant::Sack) });
    script.send();
    script.at(100).ack(1);
    script
}

#[test]
fn duplicates_alone_wait_for_the_third_whatever_they_report() {
    let second = |detection| {
        let mut script = under_way(detection);
        script.sack(1, &[(2, 3)]);
        script.sack(1, &[(2, 5)])
    };
    assert_eq!(second("rfc6675"), "1", "three segments are reported");
    assert_eq!(second("duplicate-acks"), "12 13", "limited transmit: two duplicates");
    let mut script = under_way("duplicate-acks");
    let sent = [(2, 3), (2, 5), (2, 6)].map(|block| script.sack(1, &[block]));
    assert_eq!(sent, ["11", "12 13", "1"]);
}

#[test]
fn duplicates_alone_take_all_below_the_highest_report_for_lost() {
    // 1 to 4, 6 and 8 are missing. Three duplicates begin the recovery; 11 and 12 went by limited transmit.
    let recovery = |detection| {
        let mut script = under_way(detection);
        let first = [(5, 6), (7, 8), (9, 10)].map(|block| script.sack(1, &[block]));
        let then = [10, 11, 12, 13].map(|end| script.sack(1, &[(9, end)]));
        [first.to_vec(), then.to_vec()].concat()
    };
    // A window of five: 1 again and 9 to 12 without the reports.
    assert_eq!(recovery("duplicate-acks"), ["11", "12", "1 2", "", "3", "4", "6"]);
    // At first three runs lie above 1 to 4 alone, and 6 and 8 count as under way; then three segments lie above
    // 6, and above 8.
    assert_eq!(recovery("rfc6675"), ["11", "12", "1", "", "2", "3 4", "6"]);
}

#[test]
fn variants_without_reports_count_duplicates() {
    for variant in [Variant::Tahoe, Variant::Reno, Variant::NewReno] {
        assert_eq!(
            config(variant).detection.map(|detection| detection.name()),
            Some("duplicate-acks")
        );
    }
    assert_eq!(config(Variant::Sack).detection.map(|detection| detection.name()), Some("rfc6675"));
}

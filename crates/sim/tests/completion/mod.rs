//! A flow that ends does end: over links that come back and do not lose everything all of it is acknowledged sooner or
//! later, or the scenario was refused.
//!
//! Left out are the variants that probe, and what is periodic both in its losses and in its repetitions: those may meet
//! for ever.

mod dice;
mod documents;

use airtcp_core::Cancel;
use airtcp_scenario::points;
use airtcp_sim::network::run;
use documents::document;

/// Runs document `number` and says that it was read; panics if one of its flows does not end.
fn completes(number: u64) -> bool {
    let document = document(number);
    let Ok(points) = points(&document) else { return false };
    let point = points[0].path().expect("a profile with a path");
    let flows = run(point, number, 0, &Cancel::new()).unwrap().unwrap();
    let stuck = flows.iter().filter(|flow| flow.milestone.is_none()).count();
    assert_eq!(stuck, 0, "of {} flows, after {:?}: {document}", flows.len(), point.stop.time);
    true
}

#[test]
fn flows_that_end_do_so() {
    let read = (0..500).filter(|number| completes(*number)).count();
    // The others force losses of packets that the flow does not have, most of them, or have a flow whose variant cannot go
    // by the detection.
    assert!(read >= 390, "{read} of 500 documents are scenarios");
}

/// Runs fresh documents until the time is over.
#[test]
#[ignore = "as long as one likes: AIRTCP_FUZZ_SECONDS, 60 if not given"]
#[expect(clippy::disallowed_methods, reason = "how long to go on is a matter of the clock")]
fn fuzz() {
    let seconds = std::env::var("AIRTCP_FUZZ_SECONDS").ok().and_then(|s| s.parse().ok());
    let seconds = std::time::Duration::from_secs(seconds.unwrap_or(60));
    let (start, mut number, mut read) = (std::time::Instant::now(), 500, 0);
    while start.elapsed() < seconds {
        read += u64::from(completes(number));
        number += 1;
    }
    println!("{read} scenarios, the last one of document {}", number - 1);
}

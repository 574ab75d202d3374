//! One transfer, as both engines report it.

use airtcp_core::{Instant, Span};
use airtcp_scenario::{PathScenario, Scenario, points};
use airtcp_tcp::ProbeKind;
use serde_json::{Value, json};

/// Start of the transfer; the handshake is over by then.
pub(crate) const START: Instant = Instant::from_nanos(50_000_000);

/// A segment that an end sends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Sent {
    Data { seq: u64, len: u64 },
    Ack { next: u64 },
    Probe { kind: ProbeKind, number: u32 },
    Answer { kind: ProbeKind, number: u32, next: u64 },
}

/// The segments that both ends send from [`START`] until the sender knows that everything has arrived, in order.
#[derive(Debug)]
pub(crate) struct Run {
    /// The sender's and the receiver's segments.
    pub(crate) sent: [Vec<(Instant, Sent)>; 2],
    /// The time of the ACK of the last byte.
    pub(crate) end: Instant,
}

impl Run {
    pub(crate) fn new() -> Self {
        Run { sent: [vec![], vec![]], end: Instant::START }
    }

    /// Duration from the first data segment to the ACK of the last byte.
    pub(crate) fn time(&self) -> Span {
        self.end - self.sent[0][0].0
    }

    /// TCP bytes of the sender beyond `payload` of them, as a share of those [lahanas reading, section 3].
    pub(crate) fn overhead(&self, payload: u64) -> f64 {
        let bytes = |sent: &Sent| match sent {
            Sent::Data { len, .. } => 20 + len,
            _ => 28,
        };
        let sent: u64 = self.sent[0].iter().map(|(_, sent)| bytes(sent)).sum();
        (sent - payload) as f64 / payload as f64
    }

    pub(crate) fn probes(&self) -> usize {
        self.sent[0].iter().filter(|(_, sent)| matches!(sent, Sent::Probe { .. })).count()
    }
}

/// The scenario of the paper: a variant, and the share that is lost while On, for 1 s on average.
pub(crate) fn lahanas(variant: &str, loss_rate: f64) -> PathScenario {
    let text = include_str!("../../../../examples/probing.toml");
    let mut document: Value = toml::from_str(text).expect("an example");
    document["tcp"]["variant"] = variant.into();
    document["flow"][0]["start"] = format!("{}ns", START.nanos()).into();
    let hop = &mut document["path"]["hop"][0];
    hop["exit"]["loss_rate"] = json!(loss_rate);
    hop["back"]["exit"]["loss_rate"] = json!(loss_rate);
    path(&document)
}

/// A hundred packets whose round trip takes `round_trip` milliseconds, once the handshake is over.
pub(crate) fn distant(profile: &str, variant: &str, round_trip: u32) -> PathScenario {
    let unit = if profile == "bsd" { 1418 } else { 1460 };
    let delay =
        json!([{"at": format!("{}ns", START.nanos()), "delay": format!("{}us", 500 * round_trip)}]);
    path(&json!({
        "profile": profile,
        "tcp": {"variant": variant},
        "path": {"hop": [{"rate": "1Mbps", "delay": "10ms", "delays": delay, "back": {"delays": delay}}]},
        "flow": [{"size": format!("{}B", 100 * unit), "start": format!("{}ns", START.nanos())}],
        "stop": {"time": "1000s"},
    }))
}

/// A megabyte in full packets by the rules of the RFCs, over the same kind of errors.
pub(crate) fn rfc(variant: &str, growth: &str, spurious: &str) -> PathScenario {
    let errors = json!({"kind": "on-off", "on": "300ms", "off": "500ms", "loss_rate": 0.2});
    megabyte(variant, growth, spurious, &json!({"exit": errors, "back": {"exit": errors}}))
}

/// A megabyte transfer that loses these copies of data packets and ACKs: two in a window, a retransmission, a whole
/// window of ACKs.
pub(crate) fn forced(variant: &str) -> PathScenario {
    let acks: Vec<_> = (300..340).map(|number| [number, 1]).collect();
    let data = [[50, 1], [52, 1], [120, 1], [120, 2], [200, 1], [201, 1], [202, 1], [203, 1]];
    megabyte(variant, "reno", "none", &json!({"drop": data, "back": {"drop": acks}}))
}

/// A transfer beside cross-traffic in both directions, one of them on and off and over halfway, so that queues are full
/// now and then. The cross-traffic starts after the handshake, which exists only on the wire, and at an odd time, so
/// that its packets never tie with those of the ends.
pub(crate) fn beside_traffic(variant: &str) -> PathScenario {
    let distribution = |mean: &str| json!({"kind": "exponential", "mean": mean});
    let start = format!("{}ns", START.nanos());
    let odd = format!("{}ns", START.nanos() + 100_013);
    path(&json!({
        "profile": "rfc",
        "tcp": {"variant": variant, "window": 40, "min_rto": "200ms"},
        "path": {"hop": [
            {"rate": "10Mbps", "delay": "5ms", "queue": 20},
            {"rate": "10Mbps", "delay": "5ms", "queue": 30, "back": {"rate": "200kbps"}},
        ]},
        "traffic": [
            {
                "sender": "0", "receiver": "1", "rate": "12Mbps", "packet": "1000B", "start": odd,
                "on": distribution("30ms"), "off": distribution("90ms"), "count": 2,
            },
            {"rate": "1Mbps", "packet": "500B", "start": odd, "end": "3s"},
            {"sender": "2", "receiver": "0", "rate": "30kbps", "packet": "333B", "start": odd},
        ],
        "flow": [{"size": format!("{}B", 700 * 1460), "start": start}],
        "stop": {"time": "1000s"},
    }))
}

fn megabyte(variant: &str, growth: &str, spurious: &str, losses: &Value) -> PathScenario {
    let unit = if spurious == "eifel" { 1448 } else { 1460 };
    let mut hop = losses.clone();
    hop["rate"] = "10Mbps".into();
    hop["delay"] = "10ms".into();
    hop["queue"] = 30.into();
    path(&json!({
        "profile": "rfc",
        "tcp": {"variant": variant, "congestion": growth, "spurious": spurious, "window": 40, "min_rto": "200ms"},
        "path": {"hop": [hop]},
        "flow": [{"size": format!("{}B", 700 * unit), "start": format!("{}ns", START.nanos())}],
        "stop": {"time": "1000s"},
    }))
}

fn path(document: &Value) -> PathScenario {
    match points(document).expect("a scenario").remove(0) {
        Scenario::Path(scenario) => scenario,
        Scenario::Slot(_) => unreachable!("it has a path"),
    }
}

/// Bytes that its flow transfers.
pub(crate) fn payload(scenario: &PathScenario) -> u64 {
    scenario.flow[0].size.expect("a transfer").bytes()
}

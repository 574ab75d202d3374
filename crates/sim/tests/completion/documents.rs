//! Random documents of packets on a path, in which whatever is sent often enough arrives.

use crate::completion::dice::Dice;
use serde_json::{Map, Value, json};

/// Values on which the parts of a document depend.
struct Draft {
    profile: &'static str,
    /// Length of a full packet.
    packet: u64,
    /// Longest delay of a hop in seconds.
    longest: f64,
}

/// Document `number`: any profile, any option of a hop, flows that end.
pub(crate) fn document(number: u64) -> Value {
    let dice = &mut Dice::new(number);
    let profile = dice.pick(&["ns2", "rfc", "bsd"]);
    let packet = dice.pick(&[70, 200, 576, 1000, 1460, 1500, 9000]);
    // Windows of bsd count bytes in 16 bits.
    let packet = if profile == "bsd" { packet.min(1500) } else { packet };
    let draft = Draft { profile, packet, longest: dice.pick(&[1e-3, 0.3, 3.0, 3.0, 1e3]) };
    let tcp = draft.tcp(dice);
    let hops: Vec<Value> = (0..dice.pick(&[1, 1, 1, 2, 3])).map(|_| draft.hop(dice)).collect();
    let flows: Vec<Value> = (0..dice.pick(&[1, 1, 2])).map(|_| draft.flow(dice)).collect();
    json!({
        "profile": profile, "tcp": tcp, "path": {"hop": hops}, "flow": flows,
        "stop": {"time": "1e7s"},
    })
}

impl Draft {
    fn variant(&self, dice: &mut Dice) -> Value {
        json!(match self.profile {
            "bsd" => dice.pick(&["tahoe", "reno"]),
            _ => dice.pick(&["tahoe", "reno", "newreno", "sack"]),
        })
    }

    fn tcp(&self, dice: &mut Dice) -> Value {
        let mut tcp = Map::new();
        tcp.insert("variant".into(), self.variant(dice));
        tcp.insert("packet".into(), json!(format!("{}B", self.packet)));
        let window = match self.profile {
            "bsd" => dice.whole(1, 40),
            _ => dice.pick(&[1, 2, 3, 5, 20, 100, 1000]),
        };
        tcp.insert("window".into(), json!(window));
        let [dupacks, ssthresh, ack] = [dice.whole(1, 6), dice.whole(1, 40), dice.whole(20, 80)];
        dice.maybe(0.5, &mut tcp, "dupacks", json!(dupacks));
        dice.maybe(0.2, &mut tcp, "ack", json!(format!("{ack}B")));
        dice.maybe(0.3, &mut tcp, "ssthresh", json!(ssthresh));
        if self.profile != "ns2" {
            let (window, header) =
                (dice.whole(self.packet, 60_000), dice.whole(1, self.packet - 13));
            dice.maybe(0.2, &mut tcp, "window", json!(format!("{window}B")));
            dice.maybe(0.2, &mut tcp, "header", json!(format!("{header}B")));
        }
        match self.profile {
            "ns2" => ns2(&mut tcp, dice),
            "rfc" => rfc(&mut tcp, dice),
            _ => bsd(&mut tcp, dice),
        }
        Value::Object(tcp)
    }

    fn flow(&self, dice: &mut Dice) -> Value {
        let mut flow = Map::new();
        if self.profile != "ns2" && dice.chance(0.4) {
            flow.insert("size".into(), json!(format!("{}B", dice.whole(1, 30_000))));
        } else {
            flow.insert("packets".into(), json!(dice.pick(&[1, 2, 3, 10, 40])));
        }
        let (start, count) = (dice.time(1e-6, 1e4), dice.whole(2, 3));
        let (variant, window) = (self.variant(dice), dice.whole(1, 30));
        dice.maybe(0.3, &mut flow, "start", start);
        dice.maybe(0.1, &mut flow, "count", json!(count));
        dice.maybe(0.1, &mut flow, "variant", variant);
        dice.maybe(0.1, &mut flow, "window", json!(window));
        Value::Object(flow)
    }

    fn hop(&self, dice: &mut Dice) -> Value {
        let rate = rate(dice);
        let mut hop = self.direction(dice, rate);
        put_rate(&mut hop, rate);
        hop.insert("delay".into(), self.delay(dice));
        if dice.chance(0.15) {
            serve(&mut hop, dice);
        } else {
            let (gate, arq) = (self.gate(dice), arq(dice, self.packet));
            dice.maybe(0.3, &mut hop, "gate", gate);
            dice.maybe(0.2, &mut hop, "arq", arq);
            let may_have_slots = rate < SLOW || !hop.contains_key("channel");
            dice.maybe(if may_have_slots { 0.25 } else { 0.0 }, &mut hop, "slotted", json!(true));
        }
        if dice.chance(0.4) {
            let back = self.back(dice, rate, hop.contains_key("gate"));
            hop.insert("back".into(), back);
        }
        Value::Object(hop)
    }

    fn back(&self, dice: &mut Dice, forward_rate: f64, is_gated: bool) -> Value {
        let own = dice.chance(0.5).then(|| rate(dice));
        let mut back = self.direction(dice, own.unwrap_or(forward_rate));
        own.into_iter().for_each(|rate| put_rate(&mut back, rate));
        let (delay, arq) = (self.delay(dice), arq(dice, 40));
        dice.maybe(0.5, &mut back, "delay", delay);
        if !is_gated && dice.chance(0.15) {
            serve(&mut back, dice);
        } else {
            dice.maybe(0.2, &mut back, "arq", arq);
        }
        Value::Object(back)
    }

    fn delay(&self, dice: &mut Dice) -> Value {
        if dice.chance(0.2) { json!("0s") } else { dice.time(1e-9, self.longest) }
    }

    fn gate(&self, dice: &mut Dice) -> Value {
        // A packet that is longer on the wire than the link is up never arrives.
        let loses = if self.longest < 10.0 { dice.pick(&["all", "nothing"]) } else { "nothing" };
        let (up, down) = (dice.time(20.0, 100.0), dice.time(1e-3, 5.0));
        match dice.whole(0, 3) {
            0 => json!({"kind": "on-off", "up": up, "down": down, "loses": loses}),
            1 => json!({"kind": "periodic", "up": "37s", "down": "1.1s", "loses": loses}),
            2 => {
                json!({"kind": "schedule", "toggles": ["1s", "2s", "30s", "100s"], "loses": loses})
            }
            _ => json!({
                "kind": "spikes",
                "interval": distribution(dice, &up),
                "duration": distribution(dice, &json!("300ms")),
                "timing": dice.pick(&["start", "gap"]),
                "direction": dice.pick(&["both", "forward", "back"]),
            }),
        }
    }

    /// Draws the keys of one direction of a hop.
    fn direction(&self, dice: &mut Dice, rate: f64) -> Map<String, Value> {
        let mut direction = Map::new();
        let packets = json!(dice.whole(2, 20));
        let bytes = json!(format!("{}B", dice.log(1.0, 1e5).round()));
        let queue = dice.pick(&[packets, bytes]);
        dice.maybe(0.4, &mut direction, "queue", queue);
        let [lossy, exit] = [channel(dice, self.packet, rate), channel(dice, self.packet, rate)];
        dice.maybe(0.4, &mut direction, "channel", lossy);
        dice.maybe(0.1, &mut direction, "exit", exit);
        let drop: Vec<_> = (0..3).map(|_| json!([dice.whole(0, 9), dice.whole(1, 3)])).collect();
        dice.maybe(0.2, &mut direction, "drop", json!(drop));
        let change = json!([{"at": dice.time(1e-3, 10.0), "delay": self.delay(dice)}]);
        dice.maybe(0.2, &mut direction, "delays", change);
        direction
    }
}

/// Below this rate in bit/s a channel may have slots: slots of a fast link take long to simulate.
const SLOW: f64 = 1e6;

/// Rate in bit/s.
fn rate(dice: &mut Dice) -> f64 {
    dice.log(3e4, 4e11).round()
}

fn put_rate(direction: &mut Map<String, Value>, rate: f64) {
    direction.insert("rate".into(), json!(format!("{rate}bps")));
}

fn ns2(tcp: &mut Map<String, Value>, dice: &mut Dice) {
    let tick = dice.pick(&["10ms", "100ms", "500ms"]);
    dice.maybe(0.5, tcp, "tick", json!(tick));
    dice.maybe(0.3, tcp, "boot", json!(0.004));
}

fn rfc(tcp: &mut Map<String, Value>, dice: &mut Dice) {
    let growth = dice.pick(&["reno", "cubic"]);
    tcp.insert("congestion".into(), json!(growth));
    let detection = dice.pick(&["none", "f-rto", "eifel"]);
    dice.maybe(0.3, tcp, "spurious", json!(detection));
    let (first, limit) = (dice.whole(1, 20), dice.whole(1, 8));
    dice.maybe(0.3, tcp, "initial_window", json!(first));
    dice.maybe(0.2, tcp, "abc_limit", json!(limit));
    let delay = if dice.chance(0.3) { json!("0s") } else { dice.time(1e-6, 0.49) };
    dice.maybe(0.4, tcp, "delayed_ack", delay);
    dice.maybe(0.3, tcp, "limited_transmit", json!(false));
    let [initial, margin, least, most] =
        [(1e-3, 3.0), (1e-3, 0.3), (1e-6, 1.0), (3.0, 100.0)].map(|(a, b)| dice.time(a, b));
    dice.maybe(0.3, tcp, "max_rto", most);
    dice.maybe(0.3, tcp, "initial_rto", initial);
    dice.maybe(0.2, tcp, "rto_margin", margin);
    dice.maybe(0.3, tcp, "min_rto", least);
    let (detection, reduction) = (dice.pick(&["rack-tlp", "duplicate-acks"]), dice.chance(0.3));
    if tcp["variant"] == "sack" {
        dice.maybe(0.6, tcp, "detection", json!(detection));
        dice.maybe(if reduction { 1.0 } else { 0.0 }, tcp, "reduction", json!("prr"));
    }
}

fn bsd(tcp: &mut Map<String, Value>, dice: &mut Dice) {
    let tick = dice.pick(&["100ms", "200ms", "500ms"]);
    dice.maybe(0.3, tcp, "tick", json!(tick));
    let (first, framing) = (dice.whole(1, 4), format!("{}B", dice.whole(1, 60)));
    dice.maybe(0.3, tcp, "initial_window", json!(first));
    dice.maybe(0.3, tcp, "framing", json!(framing));
}

/// Opportunities instead of a constant rate, which is then their mean.
fn serve(direction: &mut Map<String, Value>, dice: &mut Dice) {
    let mut at = 0;
    let count = dice.whole(1, 10);
    let mut millis: Vec<u64> = (0..count)
        .map(|_| {
            at += dice.pick(&[0, 1, 1, 5, 100]);
            at
        })
        .collect();
    millis.push(at + 1);
    let mean = 12_032_000 * millis.len() as u64 / (at + 1);
    direction.insert("rate".into(), json!(format!("{mean}bps")));
    direction.insert("opportunities".into(), json!(millis));
}

/// One that lets at least every third packet through in the long run.
fn channel(dice: &mut Dice, packet: u64, rate: f64) -> Value {
    let loss = dice.pick(&[0.01, 0.1, 0.3]);
    let clock = if rate < SLOW { dice.pick(&["slot", "packet"]) } else { "packet" };
    let (short, long) = (dice.time(5e-3, 0.5), dice.time(10.0, 50.0));
    match dice.whole(0, 12) {
        0 | 1 => json!({"kind": "iid", "loss_rate": loss}),
        2 => json!({"kind": "two-state", "p_gb": loss, "p_bg": 0.5, "clock": clock}),
        3 => json!({"kind": "burst", "loss_rate": loss, "mean_burst": 3, "clock": clock}),
        4 => {
            json!({"kind": "gilbert-elliott", "p": loss, "r": 0.5, "h": 0.1, "k": 0.9, "clock": clock})
        }
        5 => json!({"kind": "sojourn", "good": long, "bad": short}),
        6 => json!({"kind": "sojourn", "good": "8packets", "bad": format!("{packet}bits")}),
        7 => json!({"kind": "on-off", "on": short, "off": long, "loss_rate": 0.9}),
        8 => json!({"kind": "trace", "lost": [0, 1, 0, 0, 0, 1, 1], "repeat": false}),
        9 => json!({"kind": "trace", "lost": [0, 0, 0, 0, 1, 0, 0, 0], "clock": "7s"}),
        10 => json!({"kind": "series", "of": [
            {"kind": "iid", "loss_rate": 0.1}, {"kind": "sojourn", "good": long, "bad": short},
        ]}),
        11 => fading(dice, rate),
        _ => {
            json!({"kind": "rayleigh-two-state", "loss_rate": loss, "doppler": 0.1, "clock": clock})
        }
    }
}

/// The gain changes slowly beside the rate, and the code, if there is one, makes up for most errors.
fn fading(dice: &mut Dice, rate: f64) -> Value {
    let mut fading = Map::new();
    fading.insert("kind".into(), json!(dice.pick(&["rayleigh", "jakes"])));
    fading.insert("snr".into(), json!("35dB"));
    fading
        .insert("doppler".into(), json!(format!("{}Hz", dice.log(0.1, 100.0_f64.min(rate / 1e3)))));
    let (modulation, code) = (dice.pick(&["bpsk", "dpsk", "fsk", "ncfsk"]), "bch(255,131)");
    dice.maybe(0.5, &mut fading, "modulation", json!(modulation));
    dice.maybe(0.3, &mut fading, "code", json!(code));
    dice.maybe(0.2, &mut fading, "mode", json!("bits"));
    Value::Object(fading)
}

fn distribution(dice: &mut Dice, mean: &Value) -> Value {
    match dice.whole(0, 4) {
        0 => json!({"kind": "exponential", "mean": mean}),
        1 => json!({"kind": "fixed", "value": mean}),
        2 => json!({"kind": "pareto", "shape": 2.5, "mean": mean}),
        3 => json!({"kind": "lomax", "shape": 2.5, "mean": mean}),
        _ => json!({"kind": "values", "values": [mean, "1s"]}),
    }
}

fn arq(dice: &mut Dice, packet: u64) -> Value {
    let mut arq = Map::new();
    arq.insert("fragment".into(), json!(format!("{}B", packet.div_ceil(dice.whole(1, 6)))));
    arq.insert("attempts".into(), json!(dice.whole(3, 8)));
    let (delay, loss) = (dice.time(1e-6, 0.1), dice.pick(&[0.0, 0.1, 0.5]));
    dice.maybe(0.5, &mut arq, "feedback_delay", delay);
    dice.maybe(0.3, &mut arq, "feedback_loss", json!(loss));
    dice.maybe(0.3, &mut arq, "in_order", json!(false));
    dice.maybe(0.3, &mut arq, "overhead", json!("6B"));
    Value::Object(arq)
}

//! Questions and their answers.

use crate::reader::{asked, points, refused};
use airtcp_core::Cancel;
use airtcp_sim::network::{EventTable, trace_within};
use airtcp_web::Desk;
use serde_json::{Value, json};

fn slots() -> Value {
    json!({
        "profile": "zorzi",
        "tcp": {"variant": ["tahoe", "reno"], "window": 8},
        "channel": {"kind": "iid", "loss_rate": [0.01, 0.1]},
        "stop": {"slots": 5000, "replications": 2},
    })
}

fn path() -> Value {
    json!({
        "profile": "linux",
        "path": {"hop": [{
            "rate": "5Mbps", "delay": "10ms", "queue": 20, "channel": {"kind": "iid", "loss_rate": 0.02},
        }]},
        "stop": {"time": "3s", "batches": 2},
    })
}

#[test]
fn points_and_their_runs_are_those_of_the_crates() {
    for (document, count) in [(slots(), 4), (path(), 1)] {
        let mut desk = Desk::default();
        assert_eq!(points(&mut desk, &document), count);
        for (index, point) in airtcp_scenario::points(&document).unwrap().iter().enumerate() {
            let (head, _) = asked(&mut desk, &json!({"ask": "point", "index": index}));
            assert_eq!(head["scenario"], serde_json::to_value(point).unwrap());
            assert_eq!(head["names"], json!(airtcp_sim::count_names(point)));
            let question = json!({"ask": "run", "index": index, "seed": 7, "replication": 3});
            let (_, columns) = asked(&mut desk, &question);
            let counts = airtcp_sim::run(point, 7, 3, &Cancel::new()).unwrap().unwrap();
            let words: Vec<_> = counts.iter().map(|count| count.cast_unsigned()).collect();
            assert_eq!(columns["counts"], words);
            let other = json!({"ask": "run", "index": index, "seed": 8, "replication": 3});
            assert_ne!(asked(&mut desk, &other).1["counts"], words);
        }
    }
}

#[test]
fn a_point_on_a_path_says_what_follows_from_it() {
    let mut desk = Desk::default();
    points(&mut desk, &path());
    let (head, _) = asked(&mut desk, &json!({"ask": "point", "index": 0}));
    let scenario = airtcp_scenario::points(&path()).unwrap().remove(0);
    let implied = scenario.path().unwrap().implied_values().remove(0);
    assert_eq!(head["implied"]["round_trip"], json!(implied.round_trip));
    assert_eq!(head["implied"]["payload"], json!(implied.payload));
    points(&mut desk, &slots());
    assert!(asked(&mut desk, &json!({"ask": "point", "index": 0})).0["implied"].is_null());
}

#[test]
fn counts_of_links_follow() {
    let mut desk = Desk::default();
    points(&mut desk, &path());
    let ask =
        |links| json!({"ask": "run", "index": 0, "seed": 1, "replication": 0, "links": links});
    let (short, long) = (asked(&mut desk, &ask(false)).1, asked(&mut desk, &ask(true)).1);
    assert!(long["counts"].len() > short["counts"].len());
    assert!(long["counts"].starts_with(&short["counts"]));
}

#[test]
fn the_events_of_a_run_are_those_of_the_crates() {
    let mut desk = Desk::default();
    points(&mut desk, &path());
    let question = |room: usize, links: bool| json!({"ask": "trace", "index": 0, "seed": 7, "replication": 3, "room": room, "links": links});
    let (head, columns) = asked(&mut desk, &question(1 << 30, true));
    let scenario = airtcp_scenario::points(&path()).unwrap().remove(0);
    let table = EventTable::with_limit(1 << 30).with_links();
    let table =
        trace_within(scenario.path().unwrap(), 7, 3, table, &Cancel::new()).unwrap().unwrap();
    assert!(table.events.len() > 1000);
    assert_eq!(columns["events"], table.events.as_flattened());
    assert_eq!(columns["states"], table.states.as_flattened());
    assert_eq!(columns["sacks"], table.sacks.as_flattened());
    assert_eq!(columns["queue[0]"], table.links[0].queue.as_flattened());
    assert_eq!(columns["drops"], table.drops.as_flattened());
    assert_eq!(head["nodes"], json!(["0", "1"]));
    assert_eq!((&head["receivers"], &head["sacks"]), (&json!([1]), &json!([true])));
    assert_eq!(head["end"], json!(3_000_000_000_u64));
    let without = asked(&mut desk, &question(1 << 30, false)).1;
    assert!(!without.contains_key("drops"));
    assert_eq!(without["events"], columns["events"]);
    let (_, message) = refused(&mut desk, &question(1000, false));
    assert!(message.contains("events"), "{message}");
}

#[test]
fn slots_have_no_events_and_paths_no_exact_solution() {
    let mut desk = Desk::default();
    points(&mut desk, &slots());
    let trace = json!({"ask": "trace", "index": 0, "seed": 1, "replication": 0, "room": 1000});
    assert_eq!(refused(&mut desk, &trace).1, "zorzi has slots and no packets to trace");
    points(&mut desk, &path());
    let (head, _) = asked(&mut desk, &json!({"ask": "exact", "index": 0}));
    assert_eq!(head["none"], "the model covers slots, and no packets on a path");
}

#[test]
fn the_exact_solution_is_that_of_the_solver() {
    use airtcp_analysis::exact::{Problem, Variant, solve};
    let mut desk = Desk::default();
    points(&mut desk, &slots());
    let (head, _) = asked(&mut desk, &json!({"ask": "exact", "index": 3}));
    let problem = Problem::new(Variant::Reno, 0.1, 0.9).with_window(8);
    let found = solve(&Problem { dupacks: 3, timeout: 100, ..problem }).unwrap();
    assert_eq!(head["throughput"], json!(found.throughput));
    assert_eq!(head["error_bound"], json!(found.error_bound));
}

#[test]
fn all_reasons_against_the_exact_solution_are_given() {
    let mut desk = Desk::default();
    let mut document = slots();
    document["tcp"] = json!({"variant": "sack", "window": 8, "inflation": true});
    document["ack"] = json!({"delay": 2, "loss_rate": 0.1});
    document["channel"] = json!({"kind": "rayleigh", "doppler": "1Hz", "snr": "10dB"});
    points(&mut desk, &document);
    let (head, _) = asked(&mut desk, &json!({"ask": "exact", "index": 0}));
    let reasons = [
        "the model does not cover window inflation",
        "the model does not cover ACK delay",
        "the model does not cover ACK loss",
        "the losses form no two-state chain on slots",
    ];
    assert_eq!(head["none"], reasons.join("; "));
    document["tcp"] = json!({"variant": "tahoe", "window": 200, "timeout": 500});
    document["ack"] = json!({});
    document["channel"] = json!({"kind": "iid", "loss_rate": 0.1});
    points(&mut desk, &document);
    let (head, _) = asked(&mut desk, &json!({"ask": "exact", "index": 0}));
    assert_eq!(head["none"], "window = 200 packets is outside 1 to 48");
}

#[test]
fn a_point_has_the_scales_of_its_counts() {
    let mut desk = Desk::default();
    points(&mut desk, &slots());
    let (head, _) = asked(&mut desk, &json!({"ask": "point", "index": 0}));
    assert_eq!((&head["family"], &head["batches"]), (&json!("slot"), &json!(1)));
    assert_eq!(head["slot"]["fragments"], 1);
    let mut two = path();
    two["flow"] = json!([{"count": 2}, {"tcp": {"packet": "500B"}}]);
    points(&mut desk, &two);
    let (head, _) = asked(&mut desk, &json!({"ask": "point", "index": 0}));
    let bits = head["payload_bits"].as_array().unwrap();
    assert_eq!((bits.len(), &bits[0]), (3, &bits[1]));
    assert!(bits[2].as_u64() < bits[1].as_u64());
    assert_eq!((&head["family"], &head["batches"]), (&json!("path"), &json!(2)));
}

#[test]
fn toml_becomes_the_same_document() {
    let toml = "profile = \"zorzi\"\n[tcp]\nvariant = [\"tahoe\", \"reno\"]\nwindow = 8\n[channel]\n\
        kind = \"iid\"\nloss_rate = [0.01, 0.1]\n[stop]\nslots = 5_000\nreplications = 2\n";
    let (head, _) = asked(&mut Desk::default(), &json!({"ask": "document", "toml": toml}));
    assert_eq!(head["document"], slots());
    assert_eq!(head["document"].to_string(), slots().to_string(), "keys keep their order");
}

#[test]
fn what_is_wrong_is_refused_by_path_and_message() {
    let desk = &mut Desk::default();
    let document = |toml: &str| json!({"ask": "document", "toml": toml});
    let (path, message) = refused(desk, &document("[tcp]\nwindow = = 3\n"));
    assert!(path.is_empty() && message.starts_with("not valid TOML, in line 2: "), "{message}");
    let (path, message) = refused(desk, &document("[[flow]]\nstart = 1979-05-27\n"));
    assert_eq!(path, "flow[0].start");
    assert_eq!(message, "1979-05-27 is a date, which no key of a scenario holds");
    assert_eq!(refused(desk, &document("[tcp]\nwindow = nan")).0, "tcp.window");

    let mut wrong = slots();
    wrong["tcp"]["variant"] = json!("renno");
    let question = json!({"ask": "points", "document": wrong.to_string()});
    let (path, message) = refused(desk, &question);
    assert_eq!(path, "tcp.variant");
    assert!(message.contains("\"renno\"; did you mean \"reno\"?"), "{message}");
    let question = json!({"ask": "points", "document": "{\"profile\": "});
    assert!(refused(desk, &question).1.contains("EOF"));

    let run = json!({"ask": "run", "index": 0, "seed": 1, "replication": 0});
    assert_eq!(refused(desk, &run), ("index".into(), "point 0 of 0".into()));
    assert!(refused(desk, &json!({"ask": "dance"})).1.contains("unknown variant `dance`"));
    assert!(refused(desk, &json!({"ask": "run", "indx": 0})).1.contains("unknown field"));
}

#[test]
fn schema_and_versions_are_those_of_the_crates() {
    let desk = &mut Desk::default();
    let (head, _) = asked(desk, &json!({"ask": "schema"}));
    assert_eq!(head["schema"], json!(airtcp_scenario::document_schema()));
    let (head, _) = asked(desk, &json!({"ask": "about"}));
    assert_eq!(head["model"], airtcp_sim::MODEL_VERSION);
}

#[test]
fn heads_of_any_length_end_on_a_word() {
    let mut desk = Desk::default();
    for length in 0..16 {
        let toml = format!("title = \"{}\"\n", "x".repeat(length));
        let (head, _) = asked(&mut desk, &json!({"ask": "document", "toml": toml}));
        assert_eq!(head["document"]["title"].as_str().unwrap().len(), length);
    }
}

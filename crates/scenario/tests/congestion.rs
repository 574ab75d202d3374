//! Congestion controls in scenarios: a name, or a table with parameters.

use airtcp_scenario::{PathTcp, points};
use airtcp_tcp::{CongestionSpec, Cubic};
use serde_json::{Value, json};

fn document(control: &Value) -> Value {
    json!({
        "profile": "rfc",
        "tcp": {"variant": "sack", "congestion": control},
        "path": {"hop": [{"rate": "1Mbps", "delay": "10ms"}]},
    })
}

/// `tcp.congestion` at every point, as the scenario holds it and as it is written out.
fn controls(control: &Value) -> Vec<(CongestionSpec, Value)> {
    let all = points(&document(control)).unwrap_or_else(|error| panic!("{error}"));
    let control_of = |point: &airtcp_scenario::PathScenario| match &point.tcp {
        PathTcp::Rfc(tcp) => tcp.congestion,
        other => panic!("{other:?}"),
    };
    let written = |point| serde_json::to_value(point).unwrap()["tcp"]["congestion"].clone();
    all.iter().map(|s| s.path().unwrap()).map(|point| (control_of(point), written(point))).collect()
}

#[test]
fn a_name_and_a_table_with_the_defaults_are_the_same_and_are_written_as_the_name() {
    for entry in CongestionSpec::ENTRIES {
        let name = json!(entry.name);
        assert_eq!(controls(&name), controls(&json!({"kind": name})));
        assert_eq!(controls(&name)[0].1, name);
    }
    let spelled = json!({"kind": "cubic", "beta": 0.7, "c": 0.4, "fast_convergence": true});
    assert_eq!(controls(&spelled), controls(&json!("cubic")));
}

#[test]
fn parameters_are_kept_and_can_be_axes() {
    let found = controls(&json!(["reno", {"kind": "cubic", "beta": [0.5, 0.7]}]));
    let cubic = |beta| CongestionSpec::Cubic(Cubic { beta, ..Cubic::default() });
    let expected = [CongestionSpec::default(), cubic(0.5), cubic(0.7)];
    assert_eq!(found.iter().map(|(control, _)| *control).collect::<Vec<_>>(), expected);
    assert_eq!(
        found[1].1,
        json!({"kind": "cubic", "beta": 0.5, "c": 0.4, "fast_convergence": true})
    );
    assert_eq!(found[2].1, "cubic");
}

#[test]
fn what_is_wrong_is_refused_with_its_path() {
    for (control, message) in [
        (json!("vegsa"), "tcp.congestion: unknown name \"vegsa\"; did you mean \"vegas\"?"),
        (json!(3), "tcp.congestion: 3 is not one of reno, cubic"),
        (
            json!({"kind": "cubik"}),
            "tcp.congestion.kind: unknown kind \"cubik\"; did you mean \"cubic\"?",
        ),
        (json!({"beta": 0.7}), "tcp.congestion.kind: missing; one of: reno, cubic"),
        (
            json!({"kind": "cubic", "bta": 1}),
            "tcp.congestion: unknown key \"bta\"; did you mean \"beta\"?",
        ),
        (json!({"kind": "reno", "beta": 1}), "tcp.congestion: unknown key \"beta\""),
        (
            json!({"kind": "cubic", "beta": 1.5}),
            "tcp.congestion.beta: 1.5 is not a number from 0.01 to 0.99",
        ),
        (
            json!({"kind": "cubic", "c": [0.4, 0]}),
            "tcp.congestion.c[1]: 0 is not a number from 0.001 to 1000",
        ),
        (
            json!({"kind": "cubic", "fast_convergence": 1}),
            "tcp.congestion.fast_convergence: 1 is not true or false",
        ),
        (
            json!({"kind": "westwood", "alpha": 1}),
            "tcp.congestion.alpha: 1 is not a number from 0 to 0.999",
        ),
        (
            json!({"kind": "veno", "random": 0.4}),
            "tcp.congestion.random: 0.4 is not a number from 0.5 to 1",
        ),
        (json!({"kind": "vegas", "alpha": 4}), "tcp.congestion.beta: 3 is below alpha, 4"),
        (json!({"kind": "hybla", "rtt0": "0s"}), "tcp.congestion.rtt0: must be above 0"),
        (
            json!({"kind": "illinois", "alpha_min": 11}),
            "tcp.congestion.alpha_min: 11 is above alpha_max, 10",
        ),
        (
            json!({"kind": "illinois", "beta_max": 0.1}),
            "tcp.congestion.beta_min: 0.125 is above beta_max, 0.1",
        ),
        (
            json!({"kind": "illinois", "eta3": 0.1}),
            "tcp.congestion.eta3: 0.1 is not above eta2, 0.1",
        ),
        (json!({"kind": "ledbat++", "target": "0s"}), "tcp.congestion.target: must be above 0"),
    ] {
        let error = points(&document(&control)).unwrap_err().to_string();
        assert!(error.starts_with(message), "{error}");
    }
}

#[test]
fn a_control_with_a_slow_start_of_its_own_takes_no_other() {
    let with = |control: &str, start: &str| {
        let mut document = document(&json!(control));
        document["tcp"]["slow_start"] = json!(start);
        points(&document).map(drop).map_err(|error| error.to_string())
    };
    for entry in CongestionSpec::ENTRIES {
        let own = ["vegas", "hybla", "ledbat++"].contains(&entry.name);
        assert_eq!(with(entry.name, "standard"), Ok(()));
        let refused = with(entry.name, "hystart++");
        assert_eq!(refused.is_err(), own, "{}", entry.name);
    }
    let message = "tcp.slow_start: cannot be combined with congestion \"vegas\", which has its own slow start";
    assert_eq!(with("vegas", "hystart++").unwrap_err(), message);
}

//! scratch
use airtcp_core::Cancel;
use airtcp_scenario::{PathScenario, Scenario, points};
use airtcp_sim::network::run_with_links;
use serde_json::{Value, json};
fn scenario(document: &Value) -> PathScenario {
    match points(document).unwrap_or_else(|e| panic!("{e}")).remove(0) {
        Scenario::Path(scenario) => scenario,
        Scenario::Slot(_) => unreachable!(),
    }
}
#[test]
fn scratch() {
    for (flows, queue, loss) in [
        (vec!["bbr3"], 133, 0.0), (vec!["bbr"], 133, 0.0), (vec!["cubic"], 133, 0.0),
        (vec!["bbr3"], 133, 0.005), (vec!["bbr3"], 133, 0.01), (vec!["bbr"], 133, 0.01), (vec!["cubic"], 133, 0.01),
        (vec!["bbr3"], 133, 0.015), (vec!["bbr3"], 133, 0.02), (vec!["bbr3"], 133, 0.03),(vec!["bbr3"], 133, 0.05),(vec!["bbr3"], 133, 0.10),
        (vec!["bbr"], 133, 0.05),(vec!["bbr"], 133, 0.10),
        (vec!["bbr3", "bbr3"], 133, 0.0),(vec!["bbr", "bbr"], 133, 0.0),
        (vec!["bbr3", "cubic"], 33, 0.0), (vec!["bbr", "cubic"], 33, 0.0),
        (vec!["bbr3", "cubic"], 133, 0.0), (vec!["bbr", "cubic"], 133, 0.0),
        (vec!["bbr3", "cubic"], 400, 0.0), (vec!["bbr", "cubic"], 400, 0.0),
    ] {
        for rep in 0..3 {
            let mut d = json!({"profile": "linux", "tcp": {"congestion": flows[0]},
              "path": {"hop": [{"rate": "20Mbps", "delay": "20ms", "queue": queue}]}, "stop": {"time": "60s"}});
            if loss > 0.0 { d["path"]["hop"][0]["channel"] = json!({"kind": "iid", "loss_rate": loss}); }
            d["flow"] = flows.iter().map(|c| json!({"tcp": {"congestion": c}})).collect();
            let r = run_with_links(&scenario(&d), 1, rep, &Cancel::new()).unwrap().unwrap();
            let rates: Vec<f64> = r.flows.iter().map(|f| (f.in_order as f64 / 60.0 / 1666.67 * 1000.0).round() / 1000.0).collect();
            let l = &r.links[0].counts;
            println!("{flows:?} q{queue} p{loss}: {rates:?} resent {:?} to {:?} queue {:.1} sojourn {:.2} ms lost {:?}",
              r.flows.iter().map(|f| f.resent).collect::<Vec<_>>(), r.flows.iter().map(|f| f.timeouts).collect::<Vec<_>>(),
              l.mean_packets(r.flows[0].time), l.mean_sojourn()*1e3, l.lost);
        }
    }
}

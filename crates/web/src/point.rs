//! A point as the page shows it: its values, the names of its counts, and their scales.

use airtcp_scenario::{Scenario, citations};
use serde_json::{Value, json};

/// The point; the columns of its counts, which come for each part of a run and in it for each flow; for each flow the
/// bits of payload of a full packet; on slots the length of a slot in seconds and the slots that a packet takes, on a
/// path what follows from it for the first flow.
pub(crate) fn described(scenario: &Scenario) -> Value {
    let (family, batches, bits, slot, implied) = match scenario {
        Scenario::Slot(one) => {
            let slot = json!({"seconds": one.slot().seconds(), "fragments": one.fragments()});
            ("slot", one.stop.batches, vec![one.packet_bits()], slot, Value::Null)
        }
        Scenario::Path(one) => {
            let tables = one.implied_values();
            let of_flows = one.flow.iter().zip(&tables);
            let bits = of_flows.flat_map(|(flow, implied)| {
                std::iter::repeat_n(8 * implied.payload, flow.count as usize)
            });
            let first = &tables[0];
            let implied = json!({
                "round_trip": first.round_trip, "packet_rate": first.packet_rate, "ack_rate": first.ack_rate,
                "payload": first.payload, "window": first.window,
            });
            ("path", one.stop.batches, bits.collect(), Value::Null, implied)
        }
    };
    json!({
        "scenario": scenario, "family": family, "random": scenario.is_random(), "batches": batches,
        "names": airtcp_sim::count_names(scenario), "payload_bits": bits, "slot": slot, "implied": implied,
        "replications": scenario.replications(), "citations": citations(scenario),
    })
}

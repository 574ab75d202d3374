//! The exact solution of a point on slots, or the reason why there is none.

use airtcp_analysis::exact::{Problem, Variant, solve};
use airtcp_radio::channel::Spec;
use airtcp_scenario::{InputError, Scenario, SlotScenario};
use serde_json::{Value, json};

/// Long-run rates per slot with an estimate of their error, or `none` with the reason.
pub(crate) fn solution(scenario: &Scenario) -> Result<Value, InputError> {
    let Scenario::Slot(scenario) = scenario else {
        return Ok(none("the model covers slots, and no packets on a path"));
    };
    match problem(scenario)? {
        Err(reason) => Ok(none(&reason)),
        Ok(problem) => Ok(solve(&problem).map_or_else(
            |error| none(&error.to_string()),
            |found| {
                json!({
                    "throughput": found.throughput, "transmissions": found.transmissions,
                    "timeouts": found.timeouts, "fast_retransmits": found.fast_retransmits,
                    "mean_cycle_slots": found.mean_cycle_slots, "error_bound": found.error_bound,
                    "states": found.states,
                })
            },
        )),
    }
}

fn none(reason: &str) -> Value {
    json!({"none": reason})
}

/// The problem of a point, or all reasons why the model does not cover it.
fn problem(scenario: &SlotScenario) -> Result<Result<Problem, String>, InputError> {
    let SlotScenario { tcp, ack, link, channel, .. } = scenario;
    let chain = channel
        .two_state()
        .map_err(|e| InputError { path: format!("channel.{}", e.field), message: e.message })?;
    let variant = Variant::by_name(tcp.variant.name());
    let recovers = matches!(variant, Some(Variant::Reno | Variant::NewReno | Variant::Sack));
    let reasons = [
        (variant.is_none(), format!("the model does not cover {}", tcp.variant.name())),
        (tcp.inflation && recovers, "the model does not cover window inflation".to_owned()),
        (link.arq.is_some(), "the model does not cover link layer that retransmits".to_owned()),
        (ack.delay > 0, "the model does not cover ACK delay".to_owned()),
        (ack.loss_rate.value() > 0.0, "the model does not cover ACK loss".to_owned()),
        (chain.is_none(), "the losses form no two-state chain on slots".to_owned()),
    ];
    let (Some(variant), Some(chain)) = (variant, chain) else { return Ok(Err(said(&reasons))) };
    if reasons.iter().any(|(holds, _)| *holds) {
        return Ok(Err(said(&reasons)));
    }
    let problem = Problem::new(variant, chain.p_gb, chain.p_bg).with_window(tcp.window);
    Ok(Ok(Problem { dupacks: tcp.dupacks, timeout: tcp.timeout.into(), ..problem }))
}

fn said(reasons: &[(bool, String)]) -> String {
    let held: Vec<_> =
        reasons.iter().filter(|(holds, _)| *holds).map(|(_, text)| text.as_str()).collect();
    held.join("; ")
}

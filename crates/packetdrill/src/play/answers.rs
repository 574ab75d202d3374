//! Compares the result of a call with the one that the script expects.

use crate::call::Call;
use crate::host::Answer;
use crate::options::Options;
use crate::script::ScriptedCall;
use crate::symbols::error_name;
use crate::value::Value;

/// Checks result, error and output.
pub(super) fn check_answer(
    expected_call: &ScriptedCall,
    answer: &Answer,
    options: &Options,
) -> Result<(), String> {
    let shown = || match answer.error {
        0 => format!("result {}", answer.result),
        error => format!("result {} {}", answer.result, error_name(error)),
    };
    let fits = if expected_call.call.makes_descriptor() && expected_call.result >= 0 {
        answer.result >= 0
    } else {
        answer.result == expected_call.result
    };
    if !fits || expected_call.error.is_some_and(|error| error != answer.error) {
        return Err(shown());
    }
    // Where nothing happened, nothing was written.
    let nothing = match expected_call.call {
        Call::EpollWait { .. } => answer.result <= 0,
        Call::Pipe => true,
        _ => answer.result < 0,
    };
    if nothing || matches_value(&expected_call.output, &answer.output, options) {
        return Ok(());
    }
    Err(format!("{}, and {}", shown(), answer.output))
}

/// The expected result of a call, for a message.
pub(super) fn expected_text(expected_call: &ScriptedCall) -> String {
    let error =
        expected_call.error.map_or_else(String::new, |error| format!(" {}", error_name(error)));
    let output = match (&expected_call.output, &expected_call.call) {
        (Value::Any, _) | (_, Call::Pipe) => String::new(),
        (output, _) => format!(", and {output}"),
    };
    format!("result {}{error}{output}", expected_call.result)
}

fn matches_value(expected: &Value, actual: &Value, options: &Options) -> bool {
    match (expected, actual) {
        (Value::Any, _) => true,
        (Value::List(wanted), Value::List(came)) => {
            wanted.len() == came.len()
                && wanted
                    .iter()
                    .zip(came)
                    .all(|(expected, actual)| matches_value(expected, actual, options))
        }
        (Value::Fields(wanted), Value::Fields(_)) => matches_time(wanted, actual, options)
            .unwrap_or_else(|| {
                wanted.iter().all(|(name, expected)| {
                    actual
                        .field(name)
                        .is_some_and(|actual| matches_value(expected, actual, options))
                })
            }),
        (wanted, came) => wanted == came,
    }
}

/// True if a timestamp in a message is at its time; zero stands for any time.
fn matches_time(wanted: &[(String, Value)], actual: &Value, options: &Options) -> Option<bool> {
    let [(seconds, Value::Int(s)), (nanos, Value::Int(n))] = wanted else { return None };
    if seconds != "scm_sec" || nanos != "scm_nsec" {
        return None;
    }
    let whole = |s: i64, n: i64| s.saturating_mul(1_000_000_000).saturating_add(n);
    let came = whole(actual.field(seconds)?.int()?, actual.field(nanos)?.int()?);
    let off = came.saturating_sub(whole(*s, *n)).saturating_abs();
    Some((*s, *n) == (0, 0) || off <= options.tolerance.nanos())
}

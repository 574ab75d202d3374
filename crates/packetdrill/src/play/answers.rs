//! Compares the result of a call with the one that the script expects.

use crate::call::Call;
use crate::host::Answer;
use crate::options::Options;
use crate::script::Asked;
use crate::symbols::error_name;
use crate::value::Value;

/// Checks result, error and output.
pub(super) fn check(asked: &Asked, answer: &Answer, options: &Options) -> Result<(), String> {
    let shown = || match answer.error {
        0 => format!("result {}", answer.result),
        error => format!("result {} {}", answer.result, error_name(error)),
    };
    let fits = if asked.call.makes_descriptor() && asked.result >= 0 {
        answer.result >= 0
    } else {
        answer.result == asked.result
    };
    if !fits || asked.error.is_some_and(|error| error != answer.error) {
        return Err(shown());
    }
    // Where nothing happened, nothing was written.
    let nothing = match asked.call {
        Call::EpollWait { .. } => answer.result <= 0,
        Call::Pipe => true,
        _ => answer.result < 0,
    };
    if nothing || matches_value(&asked.output, &answer.output, options) {
        return Ok(());
    }
    Err(format!("{}, and {}", shown(), answer.output))
}

/// The expected result of a call, for a message.
pub(super) fn expected(asked: &Asked) -> String {
    let error = asked.error.map_or_else(String::new, |error| format!(" {}", error_name(error)));
    let output = match (&asked.output, &asked.call) {
        (Value::Any, _) | (_, Call::Pipe) => String::new(),
        (output, _) => format!(", and {output}"),
    };
    format!("result {}{error}{output}", asked.result)
}

fn matches_value(wanted: &Value, came: &Value, options: &Options) -> bool {
    match (wanted, came) {
        (Value::Any, _) => true,
        (Value::List(wanted), Value::List(came)) => {
            wanted.len() == came.len()
                && wanted
                    .iter()
                    .zip(came)
                    .all(|(wanted, came)| matches_value(wanted, came, options))
        }
        (Value::Fields(wanted), Value::Fields(_)) => matches_time(wanted, came, options)
            .unwrap_or_else(|| {
                wanted.iter().all(|(name, wanted)| {
                    came.field(name).is_some_and(|came| matches_value(wanted, came, options))
                })
            }),
        (wanted, came) => wanted == came,
    }
}

/// True if a timestamp in a message is at its time; zero stands for any time.
fn matches_time(wanted: &[(String, Value)], came: &Value, options: &Options) -> Option<bool> {
    let [(seconds, Value::Int(s)), (nanos, Value::Int(n))] = wanted else { return None };
    if seconds != "scm_sec" || nanos != "scm_nsec" {
        return None;
    }
    let whole = |s: i64, n: i64| s.saturating_mul(1_000_000_000).saturating_add(n);
    let came = whole(came.field(seconds)?.int()?, came.field(nanos)?.int()?);
    let off = came.saturating_sub(whole(*s, *n)).saturating_abs();
    Some((*s, *n) == (0, 0) || off <= options.tolerance.nanos())
}

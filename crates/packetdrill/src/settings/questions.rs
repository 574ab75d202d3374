//! Questions about counters: `nstat | grep COUNTER | grep -q " 3 "`.

use super::orders::{CounterQuestion, LISTENING};
use crate::refusal::shown;

/// The question that a command asks, if it is one; `stages` are the parts between its pipes.
pub(super) fn question(stages: &[Vec<&str>]) -> Result<Option<CounterQuestion>, String> {
    let Some((first, rest)) = stages.split_first() else { return Ok(None) };
    if asks_for_listeners(first, rest) {
        let counter = Some(LISTENING.to_owned());
        return Ok(Some(CounterQuestion { counter, expected: None, restarts_count: false }));
    }
    let Some((&"nstat", flags)) = first.split_first() else {
        return match rest {
            [] => Ok(None),
            _ => {
                Err("pipe: only nstat | grep COUNTER | grep -q ' 3 ' and grep 0A /proc/net/tcp | grep :PORT are supported"
                    .into())
            }
        };
    };
    if let Some(flag) =
        flags.iter().find(|flag| !matches!(**flag, "-n" | "-s" | "-z" | "-a" | "-sz"))
    {
        return Err(format!("nstat {}: only -a, -n, -s and -z are supported", shown(flag)));
    }
    let anew = !flags.iter().any(|flag| flag.starts_with("-s"));
    let counter = |words: &[&str]| match words {
        ["grep", name] | ["grep", "-q", name] if is_plain_name(name) => {
            Ok(Some((*name).to_owned()))
        }
        _ => Err("expected grep COUNTER after nstat".to_owned()),
    };
    let (counter, wanted) = match rest {
        [] => (None, None),
        [name] => (counter(name)?, None),
        [name, number] => (counter(name)?, Some(parse_count(number)?)),
        _ => return Err("expected nstat | grep COUNTER | grep -q ' 3 '".into()),
    };
    Ok(Some(CounterQuestion { counter, expected: wanted, restarts_count: anew }))
}

/// True if the command looks in `/proc/net/tcp` for a line with a listening socket (state 0A).
fn asks_for_listeners(first: &[&str], rest: &[Vec<&str>]) -> bool {
    let ["grep", state, files @ ..] = first else { return false };
    let port = |words: &[&str]| matches!(words, ["grep", port] if port.starts_with(':'));
    state.trim() == "0A"
        && !files.is_empty()
        && files.iter().all(|file| matches!(*file, "/proc/net/tcp" | "/proc/net/tcp6"))
        && matches!(rest, [only] if port(only))
}

fn is_plain_name(name: &str) -> bool {
    !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric())
}

fn parse_count(words: &[&str]) -> Result<u64, String> {
    let number = match words {
        ["grep", "-q", number] | ["grep", number] => number.trim().parse().ok(),
        _ => None,
    };
    number.ok_or_else(|| "expected grep -q ' 3 ' after the counter".into())
}

//! Refusals of times that are too short: a run would pass through too many of them one by one.

use crate::input_error::InputError;
use airtcp_core::{Duration, Span};
use airtcp_radio::channel::{Extent, States, TraceClock};
use airtcp_radio::distribution::Spec as _;
use airtcp_radio::gate::StayLength;
use airtcp_radio::{ChannelSpec, GateSpec};

/// Shortest timeout, stay at a rate, and mean stay of a gate in a state.
pub(crate) const MIN_TIME: Span = Span::from_nanos(1000);

/// Refuses a time below a microsecond.
pub(crate) fn refuse_short(place: &str, time: Duration) -> Result<(), InputError> {
    if time.span() < MIN_TIME {
        return Err(InputError::new(place, format!("{time} is too short; must be at least 1us")));
    }
    Ok(())
}

/// Refuses a gate whose stays in a state are too short.
pub(crate) fn check_stays(gate: Option<&GateSpec>, place: &str) -> Result<(), InputError> {
    let stays = match gate {
        Some(GateSpec::OnOff(gate)) => {
            vec![("up", mean_stay(&gate.up)), ("down", mean_stay(&gate.down))]
        }
        Some(GateSpec::Periodic(gate)) => vec![("up", Some(gate.up)), ("down", Some(gate.down))],
        _ => vec![],
    };
    for (key, stay) in stays {
        if let Some(stay) = stay {
            refuse_short(&format!("{place}.gate.{key}"), stay)?;
        }
    }
    Ok(())
}

fn mean_stay(stay: &StayLength) -> Option<Duration> {
    match stay {
        StayLength::Mean(mean) => Some(*mean),
        StayLength::Distribution(_) => None,
    }
}

/// Refuses a gate whose lengths by distributions are too short on average; it is one that can be built.
pub(crate) fn check_means(gate: &GateSpec, place: &str) -> Result<(), InputError> {
    let means = match gate {
        GateSpec::Spikes(gate) => {
            [("interval", gate.interval.mean()), ("duration", gate.duration.mean())]
        }
        GateSpec::OnOff(gate) => [("up", gate.up.mean()), ("down", gate.down.mean())],
        _ => return Ok(()),
    };
    for (key, mean) in means {
        if mean < MIN_TIME.nanos() as f64 {
            let message = format!("a mean of {} s is too short; must be at least 1us", mean / 1e9);
            return Err(InputError::new(format!("{place}.gate.{key}"), message));
        }
    }
    Ok(())
}

/// Refuses a channel whose stays in a state are too short, where they are times.
pub(crate) fn check_sojourns(channel: &ChannelSpec, place: &str) -> Result<(), InputError> {
    match channel {
        ChannelSpec::Series(series) => {
            series.of.iter().try_for_each(|member| check_sojourns(member, place))
        }
        ChannelSpec::Sojourn(sojourn) => {
            for (key, extent) in [("good", sojourn.good), ("bad", sojourn.bad)] {
                if let Extent::Time(time) = extent {
                    refuse_short(&format!("{place}.{key}"), time)?;
                }
            }
            Ok(())
        }
        ChannelSpec::States(States { clock: TraceClock::Every(step), .. }) => {
            refuse_short(&format!("{place}.clock"), *step)
        }
        ChannelSpec::OnOff(phases) => {
            refuse_short(&format!("{place}.on"), phases.on)?;
            refuse_short(&format!("{place}.off"), phases.off)
        }
        _ => Ok(()),
    }
}

//! Several channels one after the other: a packet must survive them all.
//!
//! Every member sees every packet, and has random numbers of its own.
//!
//! ```toml
//! kind = "series"
//! of = [{kind = "iid", loss_rate = 0.001}, {kind = "sojourn", good = "10s", bad = "200ms"}]
//! ```

use super::ChannelSpec;
use super::fate::{ChainTally, Channel, Fate, Transmission};
use super::process::Process;
use super::spec::Spec;
use crate::spec_error::SpecError;
use crate::two_state::TwoState;
use airtcp_core::{Cancel, Instant, Probability, Rate, Span, Stream};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A packet is lost if any member loses it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Series {
    /// Channels in series: a packet is lost if any of them loses it. Example: `[{kind = "iid", loss_rate = 0.01},
    /// {kind = "burst", loss_rate = 0.02, mean_burst = 4}]`.
    #[schemars(length(min = 1))]
    pub of: Vec<ChannelSpec>,
}

/// Between the streams of two members, which may have parts of their own.
const MEMBER_STREAM_SPACING: u64 = 1 << 16;

impl Series {
    fn build_members<T>(
        &self,
        make: impl Fn(&ChannelSpec, u64) -> Result<T, SpecError>,
    ) -> Result<Vec<T>, SpecError> {
        if self.of.is_empty() {
            return Err(SpecError::new("of", "the list is empty; give at least one channel"));
        }
        let member = |(i, spec): (usize, &ChannelSpec)| {
            let place = format!("of[{i}]");
            if matches!(spec, ChannelSpec::Series(_)) {
                let message = "a series in a series is not allowed: list its members instead";
                return Err(SpecError::new(format!("{place}.kind"), message));
            }
            make(spec, (i as u64 + 1) * MEMBER_STREAM_SPACING).map_err(|e| e.within(&place))
        };
        self.of.iter().enumerate().map(member).collect()
    }
}

impl Spec for Series {
    fn build(&self, slot: Span, stream: Stream) -> Result<Process, SpecError> {
        let members = self.build_members(|spec, part| spec.build(slot, stream.child(part)))?;
        Ok(Process::Other(Box::new(SeriesProcess(members))))
    }

    fn build_unslotted(&self, packet: Span, stream: Stream) -> Result<Process, SpecError> {
        let members =
            self.build_members(|spec, part| spec.build_unslotted(packet, stream.child(part)))?;
        Ok(Process::Other(Box::new(SeriesProcess(members))))
    }

    fn build_paired(
        &self,
        packet: Span,
        own: Stream,
        common: Stream,
    ) -> Result<Process, SpecError> {
        let members = self.build_members(|spec, part| {
            spec.build_paired(packet, own.child(part), common.child(part))
        })?;
        Ok(Process::Other(Box::new(SeriesProcess(members))))
    }

    /// A chain if there is one member, or if all lose independently.
    fn two_state(&self) -> Result<Option<TwoState>, SpecError> {
        let members = self.build_members(|spec, _| spec.two_state())?;
        if let [only] = members[..] {
            return Ok(only);
        }
        let arrives = |chain: &Option<TwoState>| {
            chain.filter(TwoState::is_memoryless).map(|chain| 1.0 - chain.loss_rate())
        };
        let all: Option<Vec<f64>> = members.iter().map(arrives).collect();
        let lost = all.and_then(|all| Probability::new(1.0 - all.iter().product::<f64>()));
        Ok(lost.map(TwoState::iid))
    }

    fn counts_slots(&self) -> bool {
        self.of.iter().any(ChannelSpec::counts_slots)
    }

    fn delays(&self) -> bool {
        self.of.iter().any(ChannelSpec::delays)
    }

    fn is_random(&self) -> bool {
        self.of.iter().any(ChannelSpec::is_random)
    }

    /// The most that any member needs.
    fn bits_on_air(&self, bits: u64) -> u64 {
        self.of.iter().map(|member| member.bits_on_air(bits)).max().unwrap_or(bits)
    }

    fn check_rate(&self, rate: Rate) -> Result<(), SpecError> {
        self.build_members(|spec, _| spec.check_rate(rate)).map(|_| ())
    }

    fn check_end(&self, seconds: f64) -> Result<(), SpecError> {
        self.build_members(|spec, _| spec.check_end(seconds)).map(|_| ())
    }
}

#[derive(Debug)]
struct SeriesProcess(Vec<Process>);

impl Channel for SeriesProcess {
    fn fate_of(&mut self, burst: Transmission) -> Fate {
        // No short cut: every member sees every burst.
        let lost =
            self.0.iter_mut().filter_map(|m| (m.fate_of(burst) == Fate::Erased).then_some(()));
        if lost.count() > 0 { Fate::Erased } else { Fate::Clean }
    }

    fn delays(&self) -> bool {
        self.0.iter().any(Process::delays)
    }

    /// The sum over the members.
    fn delay(&mut self, start: Instant) -> Span {
        self.0.iter_mut().fold(Span::ZERO, |sum, member| sum + member.delay(start))
    }

    fn watch(&mut self, cancel: &Cancel) {
        self.0.iter_mut().for_each(|member| member.watch(cancel));
    }

    fn bits_on_air(&self, bits: u64) -> u64 {
        self.0.iter().map(|member| member.bits_on_air(bits)).max().unwrap_or(bits)
    }

    fn chain_tally(&self) -> ChainTally {
        self.0.iter().fold(ChainTally::default(), |sum, member| sum.plus(member.chain_tally()))
    }
}

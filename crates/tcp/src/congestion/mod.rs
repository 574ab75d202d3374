//! Congestion control: growth of the window, and its reduction after a loss. Each source of rules has a fixed congestion control,
//! except the RFCs, under which a scenario names one of a registry, with parameters.

mod bsd;
mod control;
mod cubic;
mod dctcp;
mod hybla;
mod illinois;
mod illinois_delays;
mod ledbat_delays;
mod ledbat_plus;
mod ledbat_slowdown;
mod mark_share;
#[cfg(test)]
mod paced;
mod per_ack;
mod prague;
mod reno;
mod round_trips;
mod vegas;
mod veno;
mod westwood;

use crate::scoreboard::RateSample;
use crate::slow_start::SlowStart;
use crate::view::View;
use crate::window::Window;
use control::Parameters;
use serde::Serialize;

pub use control::ParameterFault;
pub(crate) use control::{AckMarks, AckSample, CongestionControl, LossEvent, MarkResponse};
pub use cubic::Cubic;
pub use dctcp::Dctcp;
pub use hybla::Hybla;
pub use illinois::Illinois;
pub use ledbat_plus::LedbatPlus;
#[cfg(test)]
#[expect(unreachable_pub, reason = "of the tests")]
pub use paced::FixedRate;
pub use prague::Prague;
pub use reno::Reno;
pub use vegas::Vegas;
pub use veno::Veno;
pub use westwood::Westwood;

/// Requirements of a congestion control on the sender.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ControlNeeds {
    /// Samples of the rate of delivery.
    pub(crate) samples: bool,
    /// Sending by a rate of its own.
    pub(crate) paces: bool,
    /// Response to marks.
    pub(crate) marks: MarkResponse,
}

macro_rules! controls {
    ($( $tag:literal => $variant:ident($spec:ty), $summary:literal, $sources:literal; )+) => {
        airtcp_core::registry! {
            /// A congestion control that a scenario can name.
            #[derive(Copy)]
            pub enum CongestionSpec or name {
                $( $tag => $variant($spec), $summary, $sources; )+
            }
        }

        /// The congestion control of one sender.
        #[derive(Clone, Debug, PartialEq, Serialize)]
        pub(crate) enum Control {
            PerAck(per_ack::PerAck),
            Bsd(bsd::Bsd),
            $( $variant(<$spec as Parameters>::Control), )+
            #[cfg(test)]
            Paced(<paced::FixedRate as Parameters>::Control),
        }

        impl GrowthConfig {
            pub(crate) fn needs(&self) -> ControlNeeds {
                match self {
                    GrowthConfig::Idealised | GrowthConfig::Ns2 | GrowthConfig::Bsd => {
                        ControlNeeds { samples: false, paces: false, marks: MarkResponse::Losses }
                    }
                    $( GrowthConfig::Named(CongestionSpec::$variant(_)) => {
                        let (samples, paces) = (<$spec>::NEEDS_RATE_SAMPLES, <$spec>::SETS_PACING_RATE);
                        ControlNeeds { samples, paces, marks: <$spec>::MARKS }
                    } )+
                    #[cfg(test)]
                    GrowthConfig::Paced(_) => ControlNeeds { samples: true, paces: true, marks: MarkResponse::Losses },
                }
            }
        }

        impl CongestionSpec {
            /// Returns whether the control has a slow start of its own, so that there is none to choose.
            #[must_use]
            pub fn has_own_slow_start(&self) -> bool {
                match self { $( CongestionSpec::$variant(_) => <$spec>::HAS_OWN_SLOW_START, )+ }
            }

            /// Returns whether the control uses the share of marked bytes; then both ends use ECN, and the receiver
            /// echoes each mark exactly once.
            #[must_use]
            pub fn counts_marks(&self) -> bool {
                match self { $( CongestionSpec::$variant(_) => <$spec>::MARKS.counts_marks(), )+ }
            }

            /// Contradiction between parameters that are each within range.
            #[must_use]
            pub fn fault(&self) -> Option<ParameterFault> {
                match self { $( CongestionSpec::$variant(parameters) => Parameters::contradiction(parameters), )+ }
            }
        }

        impl Control {
            pub(crate) fn new(config: GrowthConfig, start: SlowStart) -> Self {
                match config {
                    GrowthConfig::Idealised => Control::PerAck(per_ack::PerAck::Idealised),
                    GrowthConfig::Ns2 => Control::PerAck(per_ack::PerAck::Ns2),
                    GrowthConfig::Bsd => Control::Bsd(bsd::Bsd),
                    $( GrowthConfig::Named(CongestionSpec::$variant(parameters)) => {
                        Control::$variant(parameters.control(start.new_state()))
                    } )+
                    #[cfg(test)]
                    GrowthConfig::Paced(parameters) => Control::Paced(parameters.control(start.new_state())),
                }
            }
        }

        impl Control {
            /// The window after an ACK of new data outside loss recovery. Per-ACK rules do not compute the sample.
            #[inline(always)]
            pub(crate) fn grow(&mut self, view: &View, ack: impl FnOnce() -> AckSample) -> Window {
                match self {
                    Control::PerAck(_) => per_ack::PerAck::window_after_ack(view),
                    other => other.on_ack(view, &ack()),
                }
            }
        }

        impl CongestionControl for Control {
            #[inline(never)]
            fn on_ack(&mut self, view: &View, ack: &AckSample) -> Window {
                match self {
                    Control::PerAck(control) => control.on_ack(view, ack),
                    Control::Bsd(control) => control.on_ack(view, ack),
                    $( Control::$variant(control) => control.on_ack(view, ack), )+
                    #[cfg(test)]
                    Control::Paced(control) => control.on_ack(view, ack),
                }
            }
            fn on_loss(&mut self, view: &View, loss: &LossEvent) -> Window {
                match self {
                    Control::PerAck(control) => control.on_loss(view, loss),
                    Control::Bsd(control) => control.on_loss(view, loss),
                    $( Control::$variant(control) => control.on_loss(view, loss), )+
                    #[cfg(test)]
                    Control::Paced(control) => control.on_loss(view, loss),
                }
            }
            fn on_ack_marks(&mut self, view: &View, echo: &AckMarks) {
                match self {
                    Control::PerAck(_) | Control::Bsd(_) => {}
                    $( Control::$variant(control) => control.on_ack_marks(view, echo), )+
                    #[cfg(test)]
                    Control::Paced(_) => {}
                }
            }
            fn on_mark(&mut self, view: &View) -> Option<Window> {
                match self {
                    Control::PerAck(_) | Control::Bsd(_) => None,
                    $( Control::$variant(control) => control.on_mark(view), )+
                    #[cfg(test)]
                    Control::Paced(_) => None,
                }
            }
            fn on_timeout(&mut self, view: &View) {
                match self {
                    Control::PerAck(_) | Control::Bsd(_) => {}
                    $( Control::$variant(control) => control.on_timeout(view), )+
                    #[cfg(test)]
                    Control::Paced(control) => control.on_timeout(view),
                }
            }
            fn on_sample(&mut self, view: &View, sample: &RateSample) -> Option<Window> {
                match self {
                    Control::PerAck(_) | Control::Bsd(_) => None,
                    $( Control::$variant(control) => control.on_sample(view, sample), )+
                    #[cfg(test)]
                    Control::Paced(control) => control.on_sample(view, sample),
                }
            }
            fn on_round_trip(&mut self, view: &View, sample: &RateSample) -> Option<Window> {
                match self {
                    Control::PerAck(_) | Control::Bsd(_) => None,
                    $( Control::$variant(control) => control.on_round_trip(view, sample), )+
                    #[cfg(test)]
                    Control::Paced(_) => None,
                }
            }
            fn pacing_rate(&self, view: &View) -> f64 {
                match self {
                    Control::PerAck(_) | Control::Bsd(_) => f64::INFINITY,
                    $( Control::$variant(control) => control.pacing_rate(view), )+
                    #[cfg(test)]
                    Control::Paced(control) => control.pacing_rate(view),
                }
            }
            fn on_undo(&mut self, view: &View) {
                match self {
                    Control::PerAck(_) | Control::Bsd(_) => {}
                    $( Control::$variant(control) => control.on_undo(view), )+
                    #[cfg(test)]
                    Control::Paced(control) => control.on_undo(view),
                }
            }
        }
    };
}

controls! {
    "reno" => Reno(reno::Reno),
        "Grows by one segment per round trip; a loss halves the flight.",
        "rfc5681";
    "cubic" => Cubic(cubic::Cubic),
        "The window is a cubic function of the time since the last loss.",
        "rfc9438";
    "westwood" => Westwood(westwood::Westwood),
        "Westwood+: grows as Reno; a loss reduces the window to the measured bandwidth times the minimum RTT.",
        "grieco2004";
    "veno" => Veno(veno::Veno),
        "Reno that treats losses as random while the queue is short.",
        "fu2003";
    "vegas" => Vegas(vegas::Vegas),
        "Grows or shrinks by one segment per round trip, depending on the queued segments.",
        "brakmo1995";
    "hybla" => Hybla(hybla::Hybla),
        "Grows as fast as a connection with a round trip of 25 ms, whatever its own.",
        "caini2004";
    "illinois" => Illinois(illinois::Illinois),
        "Growth and reduction depend on the queueing delay.",
        "liu2008";
    "ledbat++" => LedbatPlus(ledbat_plus::LedbatPlus),
        "For background transfers: yields to others at 60 ms of queueing delay, and slows down periodically.",
        "ledbatplusdraft, rfc6817";
    "dctcp" => Dctcp(dctcp::Dctcp),
        "Reno that reduces in proportion to the share of ECN marks.",
        "rfc8257, alizadeh2010";
    "prague" => Prague(prague::Prague),
        "DCTCP for the Internet with low latency (L4S): paced, and less dependent on the round trip.",
        "praguedraft, rfc9331";
}

/// Congestion control of a source of rules.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum GrowthConfig {
    /// One increase per ACK; the threshold is `ceil(cwnd/2)` [zorzi, section II].
    Idealised,
    /// One increase per ACK; the threshold is half the window in whole packets, at least 2 (ns).
    Ns2,
    /// One increase per ACK, in bytes; the threshold is half the window in whole segments, at least 2.
    Bsd,
    /// A control of the registry.
    Named(CongestionSpec),
    /// A control of the tests, which paces.
    #[cfg(test)]
    Paced(FixedRate),
}

/// The standard's.
impl Default for CongestionSpec {
    fn default() -> Self {
        CongestionSpec::Reno(Reno {})
    }
}

impl CongestionSpec {
    /// The name in files.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.entry().name
    }
}

impl From<CongestionSpec> for GrowthConfig {
    fn from(parameters: CongestionSpec) -> Self {
        GrowthConfig::Named(parameters)
    }
}

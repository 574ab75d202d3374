//! Loss detection before the retransmission timer expires. A detector reads every ACK; loss recovery acts on its [`DetectedLosses`] and
//! on the segments that it marks as lost in the scoreboard.

mod detect;
mod duplicate_acks;
mod rack;
mod rack_tlp;
mod rfc6675;
mod source_rules;
mod tail_probe;

use crate::view::View;
use serde::Serialize;

pub(crate) use detect::{DetectedLosses, DetectionRule, Detector};
pub use duplicate_acks::DuplicateAcks;
pub(crate) use rack::RackContext;
pub use rack_tlp::RackTlp;
pub(crate) use rack_tlp::TimeBasedDetector;
pub use rfc6675::Rfc6675;

macro_rules! detections {
    ($( $tag:literal => $variant:ident($spec:ty), $summary:literal, $sources:literal; )+) => {
        airtcp_core::registry! {
            /// A way to detect losses that a scenario can name.
            #[derive(Copy)]
            pub enum Detection or name {
                $( $tag => $variant($spec), $summary, $sources; )+
            }
        }

        /// Loss detection of one sender.
        #[derive(Clone, Debug, PartialEq, Serialize)]
        pub(crate) enum LossDetector {
            SourceRules(source_rules::SourceRules),
            $( $variant(<$spec as DetectionRule>::Detector), )+
        }

        impl Detection {
            /// Returns whether the detection uses SACK blocks: the variant must read them.
            #[must_use]
            pub fn needs_sack(&self) -> bool {
                match self { $( Detection::$variant(_) => <$spec>::NEEDS_SACK, )+ }
            }
        }

        impl Detection {
            /// Returns whether the detection uses the send times of segments.
            pub(crate) fn time_based(&self) -> bool {
                match self { $( Detection::$variant(_) => <$spec>::IS_TIME_BASED, )+ }
            }
        }

        impl LossDetector {
            /// The detector of `detection`; with `None`, the rule of the source.
            pub(crate) fn new(detection: Option<Detection>) -> Self {
                match detection {
                    None => LossDetector::SourceRules(source_rules::SourceRules),
                    $( Some(Detection::$variant(detection)) => {
                        LossDetector::$variant(detection.detector())
                    } )+
                }
            }
        }

        impl Detector for LossDetector {
            #[inline]
            fn on_ack(&mut self, view: &View, duplicates: u32) -> DetectedLosses {
                match self {
                    LossDetector::SourceRules(detector) => detector.on_ack(view, duplicates),
                    $( LossDetector::$variant(detector) => detector.on_ack(view, duplicates), )+
                }
            }

            #[inline]
            fn time_based(&self) -> Option<&TimeBasedDetector> {
                match self {
                    LossDetector::SourceRules(_) => None,
                    $( LossDetector::$variant(detector) => detector.time_based(), )+
                }
            }

            #[inline]
            fn time_based_mut(&mut self) -> Option<&mut TimeBasedDetector> {
                match self {
                    LossDetector::SourceRules(_) => None,
                    $( LossDetector::$variant(detector) => detector.time_based_mut(), )+
                }
            }
        }
    };
}

detections! {
    "duplicate-acks" => DuplicateAcks(duplicate_acks::DuplicateAcks),
        "A segment is lost once K duplicate ACKs ask for it (K: dupacks).",
        "rfc5681, fall1996";
    "rfc6675" => Rfc6675(rfc6675::Rfc6675),
        "A segment is lost once SACK has reported K separate blocks, or more than K - 1 segments, beyond it (K: dupacks).",
        "rfc6675";
    "rack-tlp" => RackTlp(rack_tlp::RackTlp),
        "A segment is lost once a later one has arrived and a reordering window has passed; missing ACKs trigger a probe.",
        "rfc8985";
}

impl Detection {
    /// The default_for one for a variant that reads SACK blocks, or does not.
    #[must_use]
    pub fn default_for(sacks: bool) -> Self {
        if sacks {
            Detection::Rfc6675(Rfc6675 {})
        } else {
            Detection::DuplicateAcks(DuplicateAcks {})
        }
    }

    /// The name in files.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.entry().name
    }
}

//! Loss detection before the retransmission timer expires. A detector reads every ACK; loss recovery acts on its [`Finding`] and
//! on the segments that it marks as lost in the scoreboard.

mod detect;
mod duplicate_acks;
mod of_source;
mod rack;
mod rack_tlp;
mod rfc6675;
mod tail_probe;

use crate::view::View;
use serde::Serialize;

pub(crate) use detect::{Detect, Detector, Finding};
pub use duplicate_acks::DuplicateAcks;
pub(crate) use rack::RackContext;
pub(crate) use rack_tlp::ByTime;
pub use rack_tlp::RackTlp;
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
            OfSource(of_source::OfSource),
            $( $variant(<$spec as Detect>::Detector), )+
        }

        impl Detection {
            /// Returns whether the detection goes by SACK blocks: the variant must read them.
            #[must_use]
            pub fn needs_reports(&self) -> bool {
                match self { $( Detection::$variant(_) => <$spec>::NEEDS_REPORTS, )+ }
            }
        }

        impl Detection {
            /// Returns whether the detection goes by the times of segments.
            pub(crate) fn by_time(&self) -> bool {
                match self { $( Detection::$variant(_) => <$spec>::BY_TIME, )+ }
            }
        }

        impl LossDetector {
            /// The detector that `detection` asks for; none: the rule of the source.
            pub(crate) fn new(detection: Option<Detection>) -> Self {
                match detection {
                    None => LossDetector::OfSource(of_source::OfSource),
                    $( Some(Detection::$variant(detection)) => {
                        LossDetector::$variant(detection.detector())
                    } )+
                }
            }
        }

        impl Detector for LossDetector {
            #[inline]
            fn on_ack(&mut self, view: &View, duplicates: u32) -> Finding {
                match self {
                    LossDetector::OfSource(detector) => detector.on_ack(view, duplicates),
                    $( LossDetector::$variant(detector) => detector.on_ack(view, duplicates), )+
                }
            }

            #[inline]
            fn by_time(&self) -> Option<&ByTime> {
                match self {
                    LossDetector::OfSource(_) => None,
                    $( LossDetector::$variant(detector) => detector.by_time(), )+
                }
            }

            #[inline]
            fn by_time_mut(&mut self) -> Option<&mut ByTime> {
                match self {
                    LossDetector::OfSource(_) => None,
                    $( LossDetector::$variant(detector) => detector.by_time_mut(), )+
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
        "A segment is lost once one sent later has arrived and a reordering window has passed; a probe where ACKs stay away.",
        "rfc8985";
}

impl Detection {
    /// The usual one for a variant that reads SACK blocks, or does not.
    #[must_use]
    pub fn usual(sacks: bool) -> Self {
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

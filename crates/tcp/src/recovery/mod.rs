//! Loss recovery, in which the variants differ. A strategy sees a [`View`] of the sender and writes
//! verbs into a [`SendingPlan`]; the sender executes them. A strategy holds only its own state.
//!
//! A variant is implemented once per source of rules, in a folder of that name.

mod bsd;
mod ideal;
mod ns2;
mod probing;
mod rfc;

use crate::plan::{NextPacket, SendingPlan};
use crate::report::ProbeReport;
use crate::rule_source::RuleSource;
use crate::spurious::{self, Guard, Spurious};
use crate::strategy::Strategy;
use crate::view::View;
use crate::window::Window;
use airtcp_core::RegistryEntry;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

macro_rules! variants {
    ($( $tag:literal => $variant:ident, $summary:literal, $sources:literal,
        [$( $capability:ident ),*], or $without_fast_recovery:ident,
        $( $source:ident: $name:ident($state:ty) ),+; )+) => {
        /// A TCP variant, by its loss recovery.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
        #[schemars(inline)]
        pub enum Variant {
            $( #[doc = $summary] #[serde(rename = $tag)] $variant, )+
        }

        impl Variant {
            /// Every variant.
            pub const ALL: &'static [Variant] = &[ $( Variant::$variant, )+ ];

            /// The listing.
            pub const ENTRIES: &'static [RegistryEntry] = &[
                $( RegistryEntry { name: $tag, summary: $summary, sources: $sources }, )+
            ];

            const CAPABILITIES: &'static [Capabilities] = &[
                $( Capabilities { $( $capability: true, )* ..Capabilities::NONE }, )+
            ];

            /// The variant in its place where it cannot be: where the other end lacks the option that it
            /// needs, or the source of rules does not define it. Itself where it needs nothing.
            #[must_use]
            pub fn without_fast_recovery(self) -> Variant {
                match self { $( Variant::$variant => Variant::$without_fast_recovery, )+ }
            }
        }

        /// The state of one variant's loss recovery, by the rules of one source. The variant tag is stored on its own
        /// and not in a niche of a field, since every ACK reads it.
        #[derive(Clone, Debug, PartialEq, Serialize)]
        #[repr(u32)]
        pub(crate) enum Recovery {
            $( $( #[doc = $summary] $name($state), )+ )+
            /// Recovery by the RFCs under time-based loss detection.
            RfcTimeBased(rfc::TimeBasedRecovery),
            /// One of the others with detection of spurious timeouts.
            Guarded(Box<Guard<Recovery>>),
        }

        impl Recovery {
            /// The strategy in its initial state, if `source` defines this variant.
            #[must_use]
            pub(crate) fn new(variant: Variant, source: RuleSource) -> Option<Recovery> {
                match (variant, source) {
                    $( $( (Variant::$variant, RuleSource::$source) => {
                        Some(Recovery::$name(Default::default()))
                    } )+ )+
                    _ => None,
                }
            }
        }

        impl Strategy for Recovery {
            #[inline]
            fn on_new_ack(&mut self, view: &View, acked: u64, plan: &mut SendingPlan) {
                match self {
                    $( $( Recovery::$name(s) => s.on_new_ack(view, acked, plan), )+ )+
                    Recovery::RfcTimeBased(s) => s.on_new_ack(view, acked, plan),
                    Recovery::Guarded(s) => s.on_new_ack(view, acked, plan),
                }
            }
            #[inline]
            fn grows_on_new_ack(&mut self, view: &View, acked: u64) -> bool {
                match self {
                    $( $( Recovery::$name(s) => s.grows_on_new_ack(view, acked), )+ )+
                    Recovery::RfcTimeBased(_) | Recovery::Guarded(_) => false,
                }
            }
            #[inline]
            fn on_duplicate_ack(&mut self, view: &View, plan: &mut SendingPlan) {
                match self {
                    $( $( Recovery::$name(s) => s.on_duplicate_ack(view, plan), )+ )+
                    Recovery::RfcTimeBased(s) => s.on_duplicate_ack(view, plan),
                    Recovery::Guarded(s) => s.on_duplicate_ack(view, plan),
                }
            }
            fn on_timeout(&mut self, view: &View, plan: &mut SendingPlan) {
                match self {
                    $( $( Recovery::$name(s) => s.on_timeout(view, plan), )+ )+
                    Recovery::RfcTimeBased(s) => s.on_timeout(view, plan),
                    Recovery::Guarded(s) => s.on_timeout(view, plan),
                }
            }
            fn on_mark(&mut self, view: &View, ack: u64, plan: &mut SendingPlan) -> bool {
                match self {
                    $( $( Recovery::$name(s) => s.on_mark(view, ack, plan), )+ )+
                    Recovery::RfcTimeBased(s) => s.on_mark(view, ack, plan),
                    Recovery::Guarded(s) => s.on_mark(view, ack, plan),
                }
            }
            fn on_undo(&mut self, view: &View) {
                match self {
                    $( $( Recovery::$name(s) => s.on_undo(view), )+ )+
                    Recovery::RfcTimeBased(s) => s.on_undo(view),
                    Recovery::Guarded(s) => s.on_undo(view),
                }
            }
            fn on_report(&mut self, view: &View, report: &ProbeReport, plan: &mut SendingPlan) {
                match self {
                    $( $( Recovery::$name(s) => s.on_report(view, report, plan), )+ )+
                    Recovery::RfcTimeBased(s) => s.on_report(view, report, plan),
                    Recovery::Guarded(s) => s.on_report(view, report, plan),
                }
            }
            fn window_after_reduction(&mut self, view: &View) -> Option<Window> {
                match self {
                    $( $( Recovery::$name(s) => s.window_after_reduction(view), )+ )+
                    Recovery::RfcTimeBased(s) => s.window_after_reduction(view),
                    Recovery::Guarded(s) => s.window_after_reduction(view),
                }
            }
            fn on_losses(&mut self, view: &View, plan: &mut SendingPlan) {
                match self {
                    Recovery::RfcTimeBased(s) => s.on_losses(view, plan),
                    Recovery::Guarded(s) => s.on_losses(view, plan),
                    _ => {}
                }
            }
            fn is_recovering(&self, view: &View) -> bool {
                match self {
                    Recovery::RfcTimeBased(s) => s.is_recovering(view),
                    Recovery::Guarded(s) => s.is_recovering(view),
                    _ => false,
                }
            }
            fn resends_from_una(&self) -> bool {
                match self {
                    Recovery::RfcTimeBased(s) => s.resends_from_una(),
                    Recovery::Guarded(s) => s.resends_from_una(),
                    _ => true,
                }
            }
            #[inline]
            fn next_segment(&mut self, view: &View) -> NextPacket {
                match self {
                    $( $( Recovery::$name(s) => s.next_segment(view), )+ )+
                    Recovery::RfcTimeBased(s) => s.next_segment(view),
                    Recovery::Guarded(s) => s.next_segment(view),
                }
            }
        }
    };
}

/// Properties of a variant that other code may query.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Capabilities {
    /// A loss may be repaired by a retransmission within its window.
    pub fast_recovery: bool,
    /// The variant reads SACK blocks: the other end must send them.
    pub sacks: bool,
    /// The variant probes the path: the other end must answer its probes.
    pub probes: bool,
}

impl Capabilities {
    const NONE: Capabilities = Capabilities { fast_recovery: false, sacks: false, probes: false };
}

variants! {
    "oldtahoe" => OldTahoe,
        "Losses are found by timeout only.",
        "jacobson1988, zorzi2000",
        [], or Tahoe,
        Ideal: IdealOldTahoe(ideal::OldTahoe);
    "tahoe" => Tahoe,
        "Fast retransmit, then slow start from one packet.",
        "jacobson1988, zorzi2000",
        [], or Tahoe,
        Ideal: IdealTahoe(ideal::Tahoe),
        Ns2: Ns2Tahoe(ns2::Tahoe),
        Rfc: RfcTahoe(rfc::Tahoe),
        Bsd: BsdTahoe(bsd::Tahoe);
    "reno" => Reno,
        "Fast recovery that repairs one loss per window.",
        "rfc5681, zorzi2000",
        [fast_recovery], or Reno,
        Ideal: IdealReno(ideal::Reno),
        Ns2: Ns2Reno(ns2::Reno),
        Rfc: RfcReno(rfc::Reno),
        Bsd: BsdReno(bsd::Reno);
    "newreno" => NewReno,
        "Fast recovery that repairs every loss of a window, one per round trip.",
        "rfc6582, zorzi2000",
        [fast_recovery], or NewReno,
        Ideal: IdealNewReno(ideal::NewReno),
        Ns2: Ns2NewReno(ns2::NewReno),
        Rfc: RfcNewReno(rfc::NewReno);
    "sack" => Sack,
        "Fast recovery that resends the data reported missing by selective acknowledgements.",
        "rfc2018, rfc6675, zorzi2000",
        [fast_recovery, sacks], or NewReno,
        Ideal: IdealSack(ideal::Sack),
        Ns2: Ns2Sack(ns2::Sack),
        Rfc: RfcSack(rfc::Sack);
    "tahoe-probing" => TahoeProbing,
        "Probes the path after a loss; keeps its window on a good path, else slow start.",
        "lahanas2002",
        [fast_recovery, probes], or Tahoe,
        Ns2: Ns2TahoeProbing(probing::TahoeProbing),
        Rfc: RfcTahoeProbing(probing::TahoeProbing),
        Bsd: BsdTahoeProbing(probing::TahoeProbing);
    "reno-probing" => RenoProbing,
        "Probes the path after a loss; keeps its window on a good path, else reacts as Reno.",
        "lahanas2002",
        [fast_recovery, probes], or Reno,
        Ns2: Ns2RenoProbing(probing::RenoProbing),
        Rfc: RfcRenoProbing(probing::RenoProbing),
        Bsd: BsdRenoProbing(probing::RenoProbing);
    "adaptive-probing" => AdaptiveProbing,
        "Probes the path after a loss; both probes decide how much it slows down.",
        "lahanas2002",
        [fast_recovery, probes], or Reno,
        Ns2: Ns2AdaptiveProbing(probing::AdaptiveProbing),
        Rfc: RfcAdaptiveProbing(probing::AdaptiveProbing),
        Bsd: BsdAdaptiveProbing(probing::AdaptiveProbing);
    "skip-probing" => SkipProbing,
        "Adaptive-probing in which duplicate ACKs soon after a probe cycle cause Reno's fast recovery.",
        "lahanas2002",
        [fast_recovery, probes], or Reno,
        Ns2: Ns2SkipProbing(probing::SkipProbing),
        Rfc: RfcSkipProbing(probing::SkipProbing),
        Bsd: BsdSkipProbing(probing::SkipProbing);
}

impl Recovery {
    /// The strategy in its initial state where losses are `marked` one by one, or as the variant finds them.
    #[must_use]
    pub(crate) fn for_source(
        variant: Variant,
        source: RuleSource,
        marked: bool,
    ) -> Option<Recovery> {
        match (marked, source) {
            (false, _) => Recovery::new(variant, source),
            (true, RuleSource::Rfc) if variant.capabilities().sacks => {
                Some(Recovery::RfcTimeBased(rfc::TimeBasedRecovery::default()))
            }
            (true, _) => None,
        }
    }

    /// Adds detection of spurious timeouts, if configured; `None` if `source` or the variant does not allow it.
    #[must_use]
    pub(crate) fn with_spurious_detection(
        self,
        detection: Spurious,
        (variant, source): (Variant, RuleSource),
        initial_window: u64,
    ) -> Option<Recovery> {
        if detection != Spurious::None
            && (source != RuleSource::Rfc || variant.capabilities().probes)
        {
            return None;
        }
        let sacks = variant.capabilities().sacks;
        let watched = spurious::add_detection(self, detection, sacks, initial_window);
        Some(watched.map_or_else(|plain| plain, |guard| Recovery::Guarded(Box::new(guard))))
    }
}

impl Variant {
    /// The name in files.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.entry().name
    }

    /// The listing of this variant.
    #[must_use]
    pub fn entry(self) -> &'static RegistryEntry {
        &Self::ENTRIES[self as usize]
    }

    /// The variants that `source` defines.
    pub fn with_rules_of(source: RuleSource) -> impl Iterator<Item = Variant> {
        Self::ALL.iter().copied().filter(move |v| Recovery::new(*v, source).is_some())
    }

    /// Properties of the variant.
    #[must_use]
    pub fn capabilities(self) -> Capabilities {
        Self::CAPABILITIES[self as usize]
    }
}

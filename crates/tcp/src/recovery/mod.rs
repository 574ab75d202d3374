//! Loss recovery: what the variants differ in. A strategy sees a [`View`] of the sender and writes
//! verbs into a [`Plan`]; the sender executes them. A strategy holds only its own state.
//!
//! A variant is implemented once per source of rules, in a folder of that name.

mod ideal;
mod ns2;
mod plan;
mod rfc;
mod view;

use airtcp_core::Entry;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use plan::{Cwnd, Plan};
pub use view::View;

/// What a SACK sender does with its turn to send.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Choice {
    /// Whatever the window allows.
    Window,
    /// This packet again.
    Again(u64),
    /// New data.
    New,
    /// Nothing before the next input.
    Nothing,
}

/// A loss-recovery strategy.
pub trait Strategy {
    /// An ACK moved `una` by `acked`. `view.dupacks` is still the count before it.
    fn on_new_ack(&mut self, view: &View, acked: u64, plan: &mut Plan);
    /// An ACK did not move `una` while packets were outstanding; `view.dupacks` includes it.
    fn on_duplicate_ack(&mut self, view: &View, plan: &mut Plan);
    /// The retransmission timer expired.
    fn on_timeout(&mut self, view: &View, plan: &mut Plan);
    /// What to send next, for strategies that choose packets themselves.
    fn choose(&mut self, _view: &View) -> Choice {
        Choice::Window
    }
}

/// Whose rules a sender follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// The idealisation of slotted analysis.
    Ideal,
    /// ns as the papers used it.
    Ns2,
    /// The RFCs, in bytes.
    Rfc,
}

/// A TCP variant, by its loss recovery.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
pub enum Variant {
    /// Losses are found by timeout only.
    OldTahoe,
    /// Fast retransmit, then slow start from one packet.
    Tahoe,
    /// Fast recovery that repairs one loss per window.
    Reno,
    /// Fast recovery that repairs every loss of a window, one per round trip.
    NewReno,
    /// Fast recovery that repairs what selective acknowledgements show to be missing.
    Sack,
}

impl Variant {
    /// Every variant.
    pub const ALL: &'static [Variant] =
        &[Variant::OldTahoe, Variant::Tahoe, Variant::Reno, Variant::NewReno, Variant::Sack];

    /// The listing.
    pub const ENTRIES: &'static [Entry] = &[
        Entry {
            name: "oldtahoe",
            summary: "Losses are found by timeout only.",
            sources: "jacobson1988, zorzi2000",
        },
        Entry {
            name: "tahoe",
            summary: "Fast retransmit, then slow start from one packet.",
            sources: "jacobson1988, zorzi2000",
        },
        Entry {
            name: "reno",
            summary: "Fast recovery that repairs one loss per window.",
            sources: "rfc5681, zorzi2000",
        },
        Entry {
            name: "newreno",
            summary: "Fast recovery that repairs every loss of a window, one per round trip.",
            sources: "rfc6582, zorzi2000",
        },
        Entry {
            name: "sack",
            summary: "Fast recovery that repairs what selective acknowledgements show to be missing.",
            sources: "rfc2018, rfc6675, zorzi2000",
        },
    ];

    /// The name in files.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.entry().name
    }

    /// The listing of this variant.
    #[must_use]
    pub fn entry(self) -> &'static Entry {
        &Self::ENTRIES[self as usize]
    }

    /// The variants that `source` defines.
    pub fn of(source: Source) -> impl Iterator<Item = Variant> {
        Self::ALL.iter().copied().filter(move |v| Recovery::new(*v, source).is_some())
    }

    /// Whether a loss may be repaired by a retransmission within its window.
    #[must_use]
    pub fn has_fast_recovery(self) -> bool {
        matches!(self, Variant::Reno | Variant::NewReno | Variant::Sack)
    }
}

macro_rules! strategies {
    ($( $source:ident, $variant:ident => $name:ident($state:ty); )+) => {
        /// The state of one variant's loss recovery.
        #[derive(Clone, Debug, PartialEq, Serialize)]
        pub enum Recovery {
            $( #[doc = concat!(stringify!($variant), " by the rules of ", stringify!($source), ".")] $name($state), )+
        }

        impl Recovery {
            /// The strategy in its initial state, if `source` defines this variant.
            #[must_use]
            pub fn new(variant: Variant, source: Source) -> Option<Recovery> {
                match (source, variant) {
                    $( (Source::$source, Variant::$variant) => Some(Recovery::$name(Default::default())), )+
                    _ => None,
                }
            }
        }

        impl Strategy for Recovery {
            #[inline]
            fn on_new_ack(&mut self, view: &View, acked: u64, plan: &mut Plan) {
                match self { $( Recovery::$name(s) => s.on_new_ack(view, acked, plan), )+ }
            }
            #[inline]
            fn on_duplicate_ack(&mut self, view: &View, plan: &mut Plan) {
                match self { $( Recovery::$name(s) => s.on_duplicate_ack(view, plan), )+ }
            }
            fn on_timeout(&mut self, view: &View, plan: &mut Plan) {
                match self { $( Recovery::$name(s) => s.on_timeout(view, plan), )+ }
            }
            #[inline]
            fn choose(&mut self, view: &View) -> Choice {
                match self { $( Recovery::$name(s) => s.choose(view), )+ }
            }
        }
    };
}

strategies! {
    Ideal, OldTahoe => IdealOldTahoe(ideal::OldTahoe);
    Ideal, Tahoe => IdealTahoe(ideal::Tahoe);
    Ideal, Reno => IdealReno(ideal::Reno);
    Ideal, NewReno => IdealNewReno(ideal::NewReno);
    Ideal, Sack => IdealSack(ideal::Sack);
    Ns2, Tahoe => Ns2Tahoe(ns2::Tahoe);
    Ns2, Reno => Ns2Reno(ns2::Reno);
    Ns2, NewReno => Ns2NewReno(ns2::NewReno);
    Ns2, Sack => Ns2Sack(ns2::Sack);
    Rfc, Tahoe => RfcTahoe(rfc::Tahoe);
    Rfc, Reno => RfcReno(rfc::Reno);
    Rfc, NewReno => RfcNewReno(rfc::NewReno);
    Rfc, Sack => RfcSack(rfc::Sack);
}

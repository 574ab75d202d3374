//! Loss recovery: what the variants differ in. A strategy sees a [`View`] of the sender and writes
//! verbs into a [`Plan`]; the sender executes them. A strategy holds only its own state.

mod fast;
mod newreno;
mod oldtahoe;
mod reno;
mod tahoe;

use crate::growth;
use crate::window::Window;
use airtcp_core::Entry;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a strategy may know.
#[derive(Clone, Copy, Debug)]
pub struct View {
    /// First packet not acknowledged.
    pub una: u64,
    /// Next packet that has not been sent since the last rewind.
    pub next: u64,
    /// Congestion window.
    pub cwnd: Window,
    /// Slow-start threshold.
    pub ssthresh: Window,
    /// Duplicate ACKs since `una` last moved or the timer expired. A rewind by fast retransmit does not
    /// clear them: those still under way must not count towards another one.
    pub dupacks: u32,
    /// Duplicate ACKs that trigger a fast retransmit (K).
    pub dupack_threshold: u32,
    /// Whether recovery sends new data on an inflated window, or none at all.
    pub inflation: bool,
}

/// What a strategy decides.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Plan {
    /// New threshold.
    pub ssthresh: Option<Window>,
    /// New window; the sender keeps it at or below the advertised one.
    pub cwnd: Option<Window>,
    /// Go back: the next packet to send is `una`, and no timer runs any more.
    pub rewind: bool,
    /// Send this packet again, before anything else.
    pub retransmit: Option<u64>,
    /// Stop (`Some(true)`) or resume sending new data.
    pub suspend: Option<bool>,
    /// This was a fast retransmit.
    pub fast_retransmit: bool,
}

impl Plan {
    /// Ordinary growth by one ACK.
    #[inline]
    fn grow(&mut self, view: &View) {
        self.cwnd = Some(growth::increase(view.cwnd, view.ssthresh));
    }

    /// After a timeout: threshold `ceil(W/2)`, window 1, go back [zorzi, section II, rule 3].
    fn collapse(&mut self, view: &View) {
        self.ssthresh = Some(growth::threshold(view.cwnd));
        self.cwnd = Some(Window::ONE);
        self.rewind = true;
        self.suspend = Some(false);
    }

    /// On the K-th duplicate ACK: threshold `ceil(W/2)`, window K above it, resend the first
    /// unacknowledged packet alone [zorzi, section II, on Reno; RFC 5681 3.2].
    fn fast_retransmit(&mut self, view: &View) {
        let ssthresh = growth::threshold(view.cwnd);
        self.ssthresh = Some(ssthresh);
        self.cwnd = Some(ssthresh.plus(view.dupack_threshold));
        self.retransmit = Some(view.una);
        self.suspend = Some(!view.inflation);
        self.fast_retransmit = true;
    }

    /// Recovery is complete: the window is the threshold.
    fn leave(&mut self, view: &View) {
        self.cwnd = Some(view.ssthresh);
        self.suspend = Some(false);
    }

    /// A partial ACK takes `acked` packets out of the inflated window and adds one
    /// [RFC 6582 3.2, step 3].
    fn deflate(&mut self, view: &View, acked: u64) {
        self.cwnd = Some(view.cwnd.minus(acked).plus(1));
    }

    /// One more packet has left the network.
    fn inflate(&mut self, view: &View) {
        self.cwnd = Some(view.cwnd.plus(1));
    }
}

/// A loss-recovery strategy.
pub trait Strategy {
    /// An ACK moved `una` by `acked` packets.
    fn on_new_ack(&mut self, view: &View, acked: u64, plan: &mut Plan);
    /// An ACK did not move `una` while packets were outstanding.
    fn on_duplicate_ack(&mut self, view: &View, plan: &mut Plan);
    /// The retransmission timer expired.
    fn on_timeout(&mut self, view: &View, plan: &mut Plan);
}

macro_rules! variants {
    ($( $tag:literal => $variant:ident($state:ty), $summary:literal, $sources:literal; )+) => {
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
            pub const ENTRIES: &'static [Entry] = &[
                $( Entry { name: $tag, summary: $summary, sources: $sources }, )+
            ];

            /// The strategy in its initial state.
            #[must_use]
            pub fn build(self) -> Recovery {
                match self { $( Variant::$variant => Recovery::$variant(Default::default()), )+ }
            }
        }

        /// The state of one variant's loss recovery.
        #[derive(Clone, Debug, PartialEq, Serialize)]
        pub enum Recovery {
            $( #[doc = $summary] $variant($state), )+
        }

        impl Strategy for Recovery {
            #[inline]
            fn on_new_ack(&mut self, view: &View, acked: u64, plan: &mut Plan) {
                match self { $( Recovery::$variant(s) => s.on_new_ack(view, acked, plan), )+ }
            }
            #[inline]
            fn on_duplicate_ack(&mut self, view: &View, plan: &mut Plan) {
                match self { $( Recovery::$variant(s) => s.on_duplicate_ack(view, plan), )+ }
            }
            fn on_timeout(&mut self, view: &View, plan: &mut Plan) {
                match self { $( Recovery::$variant(s) => s.on_timeout(view, plan), )+ }
            }
        }
    };
}

variants! {
    "oldtahoe" => OldTahoe(oldtahoe::OldTahoe), "Losses are found by timeout only.", "jacobson1988, zorzi2000";
    "tahoe" => Tahoe(tahoe::Tahoe), "Fast retransmit, then slow start from one packet.", "jacobson1988, zorzi2000";
    "reno" => Reno(reno::Reno), "Fast recovery that repairs one loss per window.", "rfc5681, zorzi2000";
    "newreno" => NewReno(newreno::NewReno), "Fast recovery that repairs every loss of a window, one per round trip.", "rfc6582, zorzi2000";
}

impl Variant {
    /// Whether a loss may be repaired by a retransmission within its window.
    #[must_use]
    pub fn has_fast_recovery(self) -> bool {
        matches!(self, Variant::Reno | Variant::NewReno)
    }

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
}

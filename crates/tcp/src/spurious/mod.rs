//! Detection of spurious timeouts, and the response to them. A [`guard::WatchedRecovery`] wraps a variant's loss recovery and passes everything
//! on until a timeout is detected as spurious. A sender without detection runs no code from here.

mod eifel;
mod f_rto;
mod guard;
mod response;
mod verdict;
mod watch;

use crate::view::View;
use airtcp_core::RegistryEntry;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use verdict::TimeoutVerdict;
use watch::SpuriousDetector;

macro_rules! watches {
    ($( $tag:literal => $variant:ident($watch:ty), $summary:literal, $sources:literal; )+) => {
        /// A way to find out that a timeout was spurious.
        #[derive(
            Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema,
        )]
        #[schemars(inline)]
        pub enum Spurious {
            /// Every timeout counts as a loss.
            #[default]
            #[serde(rename = "none")]
            None,
            $( #[doc = $summary] #[serde(rename = $tag)] $variant, )+
        }

        impl Spurious {
            /// Every one.
            pub const ALL: &'static [Spurious] = &[
                Spurious::None, $( Spurious::$variant, )+
            ];

            /// The listing.
            pub const ENTRIES: &'static [RegistryEntry] = &[
                RegistryEntry {
                    name: "none",
                    summary: "Every timeout counts as a loss.",
                    sources: "rfc5681, rfc6298",
                },
                $( RegistryEntry { name: $tag, summary: $summary, sources: $sources }, )+
            ];

            /// Returns whether every segment carries the Timestamps option.
            #[must_use]
            pub const fn timestamps(self) -> bool {
                match self {
                    Spurious::None => false,
                    $( Spurious::$variant => <$watch>::TIMESTAMPS, )+
                }
            }
        }

        /// The state of one sender's watch.
        #[derive(Clone, Debug, PartialEq, Serialize)]
        pub(crate) enum TimeoutWatcher {
            $( $variant($watch), )+
        }

        impl TimeoutWatcher {
            fn new(detection: Spurious, sacks: bool) -> Option<Self> {
                match detection {
                    Spurious::None => None,
                    $( Spurious::$variant => Some(TimeoutWatcher::$variant(<$watch>::new(sacks))), )+
                }
            }
        }

        impl SpuriousDetector for TimeoutWatcher {
            fn on_timeout(&mut self, view: &View) {
                match self { $( TimeoutWatcher::$variant(watch) => watch.on_timeout(view), )+ }
            }
            fn on_repeated_timeout(&mut self) {
                match self { $( TimeoutWatcher::$variant(watch) => watch.on_repeated_timeout(), )+ }
            }
            fn stop(&mut self) {
                match self { $( TimeoutWatcher::$variant(watch) => watch.stop(), )+ }
            }
            fn on_new_ack(&mut self, view: &View, recover: u64) -> TimeoutVerdict {
                match self { $( TimeoutWatcher::$variant(watch) => watch.on_new_ack(view, recover), )+ }
            }
            fn on_duplicate_ack(&mut self, view: &View, recover: u64) -> TimeoutVerdict {
                match self {
                    $( TimeoutWatcher::$variant(watch) => watch.on_duplicate_ack(view, recover), )+
                }
            }
            fn sends_new_data(&self) -> bool {
                match self { $( TimeoutWatcher::$variant(watch) => watch.sends_new_data(), )+ }
            }
        }
    };
}

watches! {
    "f-rto" => FRto(f_rto::FRto),
        "The first two ACKs after a timeout show whether it was spurious.",
        "rfc5682, rfc4015";
    "eifel" => Eifel(eifel::Eifel),
        "Timestamps show which copy of a segment an ACK answers.",
        "rfc3522, rfc7323, rfc4015";
}

impl Spurious {
    /// The name in files.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.entry().name
    }

    /// The listing of this one.
    #[must_use]
    pub fn entry(self) -> &'static RegistryEntry {
        &Self::ENTRIES[self as usize]
    }

    /// Bytes of TCP options in every segment: the Timestamps option takes 10, and 2 of padding
    /// [RFC 7323 3.2, appendix A].
    #[must_use]
    pub const fn option_bytes(self) -> u32 {
        if self.timestamps() { 12 } else { 0 }
    }
}

/// A variant's loss recovery, and the watch over its timeouts.
pub(crate) type Guard<R> = guard::WatchedRecovery<R, TimeoutWatcher>;

/// Adds detection of spurious timeouts to `recovery`; `initial_window` in sequence numbers. Returns `recovery` itself
/// if detection is off.
pub(crate) fn add_detection<R>(
    recovery: R,
    detection: Spurious,
    sacks: bool,
    initial_window: u64,
) -> Result<Guard<R>, R> {
    match TimeoutWatcher::new(detection, sacks) {
        Some(watcher) => Ok(guard::WatchedRecovery::new(recovery, watcher, sacks, initial_window)),
        None => Err(recovery),
    }
}

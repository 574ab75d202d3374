//! Changes of one rule of our sender, which a replay must detect.

use crate::setup::Setup;
use crate::trace::Trace;

/// A rule that is changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// Sets cwnd to ssthresh at once in recovery.
    NoPrr,
    /// RACK waits twice as long before it takes a packet for lost.
    DoubleReordering,
    /// CUBIC's slow start ends by losses alone.
    NoHystart,
    /// No reduction is undone.
    NoUndo,
    /// Initial window of three packets [RFC 5681].
    InitialWindow3,
}

impl Change {
    /// All changes.
    pub const ALL: [Change; 5] = [
        Change::NoPrr,
        Change::DoubleReordering,
        Change::NoHystart,
        Change::NoUndo,
        Change::InitialWindow3,
    ];

    /// Name of the change, as users write it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Change::NoPrr => "no-prr",
            Change::DoubleReordering => "double-reordering",
            Change::NoHystart => "no-hystart",
            Change::NoUndo => "no-undo",
            Change::InitialWindow3 => "initial-window-3",
        }
    }

    /// The change of this name.
    ///
    /// # Errors
    /// If there is none, with the names that there are.
    pub fn named(name: &str) -> Result<Change, String> {
        Change::ALL.into_iter().find(|change| change.name() == name).ok_or_else(|| {
            let names = Change::ALL.map(Change::name).join(", ");
            format!("change = \"{name}\": is not one of {names}")
        })
    }

    pub(crate) fn make(self, setup: &mut Setup, trace: &mut Trace) {
        let rules = &mut setup.options.changed;
        match self {
            Change::NoPrr => rules.no_prr = true,
            Change::DoubleReordering => rules.double_window = true,
            Change::NoUndo => rules.no_undo = true,
            Change::NoHystart => setup.sysctl.hystart = 0,
            Change::InitialWindow3 => trace.establishment.initial_window = 3,
        }
    }
}

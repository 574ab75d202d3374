//! Changes of one rule of our sender, which a replay must detect.

use crate::setup::Setup;
use crate::trace::Trace;

/// A rule that is changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RuleChange {
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

impl RuleChange {
    /// All changes.
    pub const ALL: [RuleChange; 5] = [
        RuleChange::NoPrr,
        RuleChange::DoubleReordering,
        RuleChange::NoHystart,
        RuleChange::NoUndo,
        RuleChange::InitialWindow3,
    ];

    /// Name of the change, as users write it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            RuleChange::NoPrr => "no-prr",
            RuleChange::DoubleReordering => "double-reordering",
            RuleChange::NoHystart => "no-hystart",
            RuleChange::NoUndo => "no-undo",
            RuleChange::InitialWindow3 => "initial-window-3",
        }
    }

    /// The change of this name.
    ///
    /// # Errors
    /// If there is none, with the names that there are.
    pub fn from_name(name: &str) -> Result<RuleChange, String> {
        RuleChange::ALL.into_iter().find(|change| change.name() == name).ok_or_else(|| {
            let names = RuleChange::ALL.map(RuleChange::name).join(", ");
            format!("change = \"{name}\": is not one of {names}")
        })
    }

    pub(crate) fn apply(self, setup: &mut Setup, trace: &mut Trace) {
        let rules = &mut setup.options.changed;
        match self {
            RuleChange::NoPrr => rules.no_prr = true,
            RuleChange::DoubleReordering => rules.double_window = true,
            RuleChange::NoUndo => rules.no_undo = true,
            RuleChange::NoHystart => setup.sysctl.hystart = 0,
            RuleChange::InitialWindow3 => trace.establishment.initial_window = 3,
        }
    }
}

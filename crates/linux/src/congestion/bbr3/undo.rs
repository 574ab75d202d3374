//! The model as a recovery began [rules/bbr3.md rule 24].

use super::short_term::ShortTerm;

/// The state that losses ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Origin {
    Startup,
    Up,
}

/// The model as a recovery began.
#[derive(Clone, Copy, Debug)]
pub(super) struct UndoState {
    pub(super) origin: Option<Origin>,
    pub(super) short_term: ShortTerm,
    pub(super) inflight_longterm: u32,
    /// True if the saved state belongs to the current recovery.
    pub(super) is_saved: bool,
}

impl Default for UndoState {
    fn default() -> Self {
        let none = ShortTerm { bw: 0, inflight: 0 };
        UndoState { origin: None, short_term: none, inflight_longterm: 0, is_saved: false }
    }
}

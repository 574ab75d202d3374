//! What every part of the solver needs to know of the problem.

use super::channel::Channel;
use super::problem::{Problem, Variant};
use super::window::Windows;

/// A checked problem with its tables.
#[derive(Clone, Debug)]
pub(super) struct Model {
    pub(super) variant: Variant,
    pub(super) channel: Channel,
    pub(super) windows: Windows,
    pub(super) max_window: u32,
    pub(super) dupacks: u32,
    pub(super) timeout: u64,
}

impl Model {
    pub(super) fn new(problem: &Problem) -> Self {
        Self {
            variant: problem.variant,
            channel: Channel { p_gb: problem.p_gb, p_bg: problem.p_bg },
            windows: Windows::new(problem.window),
            max_window: problem.window,
            dupacks: problem.dupacks,
            timeout: problem.timeout,
        }
    }
}

//! The problem, checked, with the tables that every part of the solver needs.

use super::channel::{Channel, Slot};
use super::link::{Link, Packets};
use super::problem::{Problem, Variant};
use super::timer::Timer;
use super::window::{Class, Windows};

/// A checked problem with its tables.
#[derive(Clone, Debug)]
pub(super) struct Model {
    pub(super) variant: Variant,
    pub(super) packets: Packets,
    pub(super) timer: Timer,
    pub(super) windows: Windows,
    pub(super) max_window: u32,
    pub(super) dupacks: u32,
    /// The class of a first packet that is lost after a bad slot, where it has one of its own: the
    /// window is 1, but the packet lasts another time than one lost after a good slot.
    lost_in_bad_state: Option<usize>,
}

impl Model {
    pub(super) fn new(problem: &Problem) -> Self {
        let link = Link {
            channel: Channel { p_gb: problem.p_gb, p_bg: problem.p_bg },
            fragments: problem.fragments,
            attempts: problem.attempts,
        };
        let mut windows = Windows::new(problem.window);
        let apart = !link.is_plain();
        if apart {
            windows.classes.push(Class { floor: 1, half_window: 1, slot_before_loss: Slot::Bad });
        }
        Self {
            variant: problem.variant,
            packets: link.packets(),
            timer: Timer::new(link, problem.timeout),
            lost_in_bad_state: apart.then(|| windows.classes.len() - 1),
            windows,
            max_window: problem.window,
            dupacks: problem.dupacks,
        }
    }

    /// Distribution of the class at the next loss on a path, given `acks` ACKs so far.
    pub(super) fn class_at_loss(&self, path: usize, acks: usize) -> Vec<f64> {
        self.windows.class_at_loss(path, acks, self.packets.probabilities.gb)
    }

    /// The class of a first packet that is lost, by the slot before it.
    pub(super) fn class_at_immediate_loss(&self, path: usize, before: Slot) -> usize {
        match (before, self.lost_in_bad_state) {
            (Slot::Bad, Some(class)) => class,
            _ => self.windows.class_after(path, 0),
        }
    }
}

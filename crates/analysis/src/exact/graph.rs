//! The chain on (window, mask): its states and its sparse transition matrix.
//!
//! A cycle passes through one `Loss` state, where phase two starts, and, unless its first slot is
//! bad, through `Ack` states, one for each success of phase one as long as the receiver holds
//! something. From an `Ack` state with an empty mask the class at the next loss has a closed form.

use super::receiver::Mask;

/// A state of the chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    /// The loss that ends phase one: the class of the window, and the mask.
    Loss { class: usize, mask: Mask },
    /// A success of phase one: the growth path, the ACKs on it so far, the mask after it.
    Ack { path: usize, acks: usize, mask: Mask },
}

const MASK_BITS: u32 = 48;
const ACK_TAG: u64 = 1 << 63;
const ACKS_BITS: u32 = 7;

impl State {
    /// The state as one integer: a mask of 47 bits, below a tag of 1 + 6 + 7 bits.
    pub(super) fn encode(self) -> u64 {
        match self {
            Self::Loss { class, mask } => (class as u64) << MASK_BITS | mask,
            Self::Ack { path, acks, mask } => {
                ACK_TAG | ((path as u64) << ACKS_BITS | acks as u64) << MASK_BITS | mask
            }
        }
    }

    pub(super) fn decode(code: u64) -> Self {
        let mask = code & ((1 << MASK_BITS) - 1);
        let tag = (code & !ACK_TAG) >> MASK_BITS;
        if code & ACK_TAG == 0 {
            return Self::Loss { class: tag as usize, mask };
        }
        let acks = tag & ((1 << ACKS_BITS) - 1);
        Self::Ack { path: (tag >> ACKS_BITS) as usize, acks: acks as usize, mask }
    }

    pub(super) fn mask(self) -> Mask {
        match self {
            Self::Loss { mask, .. } | Self::Ack { mask, .. } => mask,
        }
    }

    pub(super) fn with_mask(self, mask: Mask) -> Self {
        match self {
            Self::Loss { class, .. } => Self::Loss { class, mask },
            Self::Ack { path, acks, .. } => Self::Ack { path, acks, mask },
        }
    }
}

/// Mean costs of one visit to a state: of the phase two that starts there and the phase one that
/// follows.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Costs {
    pub(super) slots: f64,
    /// Slots with a transmission on the air.
    pub(super) busy_slots: f64,
    /// Transmissions of packets.
    pub(super) transmissions: f64,
    pub(super) delivered: f64,
    pub(super) timeouts: f64,
    /// Timers that were over before the last packet had been sent.
    pub(super) late_timers: f64,
    pub(super) fast_retransmits: f64,
    /// Probability of the branches of phase two that were not followed.
    pub(super) pruned_probability: f64,
    /// Probability of successors that were replaced, and the packets that their masks lost.
    pub(super) replaced_probability: f64,
    pub(super) forgotten_packets: f64,
}

impl Costs {
    /// Adds `weight` times `other`.
    pub(super) fn add(&mut self, weight: f64, other: &Self) {
        self.slots += weight * other.slots;
        self.busy_slots += weight * other.busy_slots;
        self.late_timers += weight * other.late_timers;
        self.transmissions += weight * other.transmissions;
        self.delivered += weight * other.delivered;
        self.timeouts += weight * other.timeouts;
        self.fast_retransmits += weight * other.fast_retransmits;
        self.pruned_probability += weight * other.pruned_probability;
        self.replaced_probability += weight * other.replaced_probability;
        self.forgotten_packets += weight * other.forgotten_packets;
    }
}

/// The edges of one state in [`Graph::targets`] and [`Graph::probabilities`].
#[derive(Clone, Copy, Debug)]
pub(super) struct Row {
    pub(super) start: usize,
    /// End of the edges to earlier states, and start of those to later ones.
    pub(super) later_edges_start: usize,
    pub(super) end: usize,
    /// The probability of leaving the state; the rest leads back to it and has no edge.
    pub(super) leave_probability: f64,
    /// The class of a `Loss` state; for an `Ack` state the number of classes plus its path.
    pub(super) group: usize,
}

/// The chain on the states that are followed, in the order of their discovery.
#[derive(Clone, Debug, Default)]
pub(super) struct Graph {
    pub(super) rows: Vec<Row>,
    pub(super) costs: Vec<Costs>,
    pub(super) targets: Vec<u32>,
    pub(super) probabilities: Vec<f64>,
    /// A first guess of the visits per cycle.
    pub(super) weights: Vec<f64>,
}

impl Graph {
    /// The edges in a range of a row.
    pub(super) fn edges(&self, start: usize, end: usize) -> impl Iterator<Item = (usize, f64)> {
        let targets = self.targets[start..end].iter().map(|&target| target as usize);
        targets.zip(self.probabilities[start..end].iter().copied())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn states_survive_encoding() {
        let mask = (1 << 47) - 1;
        for state in [
            State::Loss { class: 70, mask },
            State::Ack { path: 47, acks: 48, mask },
            State::Ack { path: 0, acks: 1, mask: 0 },
        ] {
            assert_eq!(State::decode(state.encode()), state);
        }
    }
}

//! The question (variant, channel, parameters), the answer, and the refusals.

use std::fmt;

/// The widest window the state encoding can hold.
pub const MAX_WINDOW: u32 = 48;

/// The loss recovery of [zorzi, sections IV-B to IV-E and V].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Variant {
    /// Timeouts only.
    OldTahoe,
    /// Fast retransmit, then slow start from a window of one.
    Tahoe,
    /// Fast recovery of a single loss; a second loss in the window waits for its timer.
    Reno,
    /// Fast recovery of every loss in the window, as long as no retransmission is lost.
    NewReno,
    /// As `NewReno`, but also repairs the rest of the window after a lost retransmission.
    Sack,
}

impl Variant {
    /// All variants, in the order of the paper.
    pub const ALL: [Self; 5] = [Self::OldTahoe, Self::Tahoe, Self::Reno, Self::NewReno, Self::Sack];

    /// The variant that scenarios call by this name.
    #[must_use]
    pub fn by_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|one| one.to_string().eq_ignore_ascii_case(name))
    }

    /// The smallest valid timeout in slots: the timer of the first packet of a window may not
    /// expire before the window, and for Reno and its successors the first retransmission, has been
    /// sent.
    #[must_use]
    pub fn min_timeout(self, window: u32) -> u64 {
        match self {
            Self::OldTahoe | Self::Tahoe => u64::from(window),
            Self::Reno | Self::NewReno | Self::Sack => u64::from(window) + 1,
        }
    }
}

impl fmt::Display for Variant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::OldTahoe => "OldTahoe",
            Self::Tahoe => "Tahoe",
            Self::Reno => "Reno",
            Self::NewReno => "NewReno",
            Self::Sack => "SACK",
        })
    }
}

/// Limits on the work of the solver.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Options {
    /// Probability mass per cycle that need not be followed. The solver leaves out the least
    /// probable states first; with 0 it follows everything that double precision can represent.
    pub prune: f64,
    /// The most states that may be discovered before the solver refuses, at 300 to 600 bytes each.
    pub max_states: usize,
}

impl Options {
    /// Default limits: the whole probability mass for windows up to 12, and an error of the throughput well below 1e-6
    /// for windows up to 24. Either takes about a second at most.
    #[must_use]
    pub fn new(variant: Variant, window: u32) -> Self {
        // The masks of OldTahoe are the most diverse, and what it forgets matters least.
        let prune = match (variant, window) {
            (_, ..=12) => 1e-14,
            (_, ..=16) => 1e-10,
            (Variant::OldTahoe, ..=24) => 5e-6,
            (Variant::OldTahoe, _) => 1e-4,
            // A lost resend is one more way to leave a mask with holes.
            (Variant::Sack, ..=24) => 1e-7,
            (Variant::Sack, _) => 1e-5,
            _ => 1e-8,
        };
        Self { prune, max_states: 4_000_000 }
    }
}

/// One point: a variant, its parameters, and a two-state channel.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Problem {
    /// Loss recovery.
    pub variant: Variant,
    /// Probability that a good slot is followed by a bad one.
    pub p_gb: f64,
    /// Probability that a bad slot is followed by a good one.
    pub p_bg: f64,
    /// Maximum window `W_max`, packets.
    pub window: u32,
    /// Duplicate ACKs `K` that trigger a fast retransmit (`OldTahoe` ignores them).
    pub dupacks: u32,
    /// Retransmission timeout `T_o`, slots, from the first slot of a packet.
    pub timeout: u64,
    /// Link-layer packets per packet, one slot each.
    pub fragments: u32,
    /// Transmissions of a link-layer packet before the link layer gives the packet up.
    pub attempts: u32,
    /// Pruning and limits.
    pub options: Options,
}

impl Problem {
    /// A problem with the paper's parameters: `W_max` 24, `K` 3, `T_o` 100 slots, a packet a slot.
    #[must_use]
    pub fn new(variant: Variant, p_gb: f64, p_bg: f64) -> Self {
        let options = Options::new(variant, 24);
        Self {
            variant,
            p_gb,
            p_bg,
            window: 24,
            dupacks: 3,
            timeout: 100,
            fragments: 1,
            attempts: 1,
            options,
        }
    }

    /// A copy of the problem with another window, and the default options for it.
    #[must_use]
    pub fn with_window(self, window: u32) -> Self {
        Self { window, options: Options::new(self.variant, window), ..self }
    }

    /// Refuses parameters outside the model's domain.
    ///
    /// # Errors
    /// Every [`SolveError`] but those about work ([`SolveError::TooManyStates`],
    /// [`SolveError::Interrupted`], [`SolveError::NoConvergence`]).
    pub fn check(&self) -> Result<(), SolveError> {
        for (name, value) in [("p_gb", self.p_gb), ("p_bg", self.p_bg)] {
            if !(0.0..=1.0).contains(&value) {
                return Err(SolveError::Probability { name, value });
            }
        }
        if self.p_gb == 0.0 && self.p_bg == 0.0 {
            return Err(SolveError::FrozenChannel);
        }
        if !(1..=MAX_WINDOW).contains(&self.window) {
            return Err(SolveError::Window { window: self.window });
        }
        if self.dupacks == 0 {
            return Err(SolveError::NoDupacks);
        }
        if self.fragments == 0 || self.attempts == 0 {
            return Err(SolveError::NoLink);
        }
        if !(0.0..1.0).contains(&self.options.prune) {
            return Err(SolveError::Prune { value: self.options.prune });
        }
        self.check_timeout()
    }

    fn check_timeout(&self) -> Result<(), SolveError> {
        let limit = self.variant.min_timeout(self.window) * u64::from(self.fragments);
        if self.timeout < limit {
            let Self { variant, window, timeout, .. } = *self;
            return Err(SolveError::Timeout { variant, window, timeout, limit });
        }
        Ok(())
    }
}

/// Long-run rates of one problem. A cycle runs from the start of a first phase to the end of the
/// second phase that follows it [zorzi, section III].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Solution {
    /// Distinct packets delivered per slot.
    pub throughput: f64,
    /// Transmissions of packets per slot.
    pub transmissions: f64,
    /// Share of slots with a transmission on the air.
    pub busy_share: f64,
    /// Mean cycle length in slots; infinite on a channel that never loses.
    pub mean_cycle_slots: f64,
    /// Timeouts per slot.
    pub timeouts: f64,
    /// Timers per slot that were over before the window had been sent. The solver lets the sender
    /// finish the window first, which a real timer does not: the solution is exact where these are
    /// rare.
    pub late_timers: f64,
    /// Fast retransmits per slot.
    pub fast_retransmits: f64,
    /// Probability mass per cycle that was not followed.
    pub pruned: f64,
    /// The exact throughput lies within this distance of `throughput`, to first order in `pruned`.
    pub error_bound: f64,
    /// States of the chain that were followed.
    pub states: usize,
}

/// Reason why a problem has no solution here.
#[derive(Clone, Debug, PartialEq)]
pub enum SolveError {
    /// A transition probability is not in [0, 1].
    Probability {
        /// Name of the probability.
        name: &'static str,
        /// The value that was given.
        value: f64,
    },
    /// `p_gb = p_bg = 0`.
    FrozenChannel,
    /// The window is 0 or above [`MAX_WINDOW`].
    Window {
        /// The window that was given.
        window: u32,
    },
    /// `dupacks = 0`.
    NoDupacks,
    /// `fragments = 0` or `attempts = 0`.
    NoLink,
    /// The mass to prune is not in [0, 1).
    Prune {
        /// The mass that was given.
        value: f64,
    },
    /// The timeout is below [`Variant::min_timeout`].
    Timeout {
        /// The variant that sets the limit.
        variant: Variant,
        /// The window that sets the limit.
        window: u32,
        /// The timeout that was given.
        timeout: u64,
        /// The smallest valid timeout.
        limit: u64,
    },
    /// The accuracy asked for needs more than [`Options::max_states`].
    TooManyStates {
        /// The limit.
        limit: usize,
        /// Probability mass per cycle that was still to be followed.
        left: f64,
    },
    /// The iteration for the stationary flow did not settle.
    NoConvergence {
        /// The relative change in the last sweep.
        change: f64,
    },
    /// The caller asked to stop.
    Interrupted,
}

impl fmt::Display for SolveError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Probability { name, value } => {
                write!(f, "{name} = {value} is not a probability in [0, 1]")
            }
            Self::FrozenChannel => f.write_str(
                "p_gb = p_bg = 0: the channel never changes state and has no stationary distribution",
            ),
            Self::Window { window } => {
                write!(f, "window = {window} packets is outside 1 to {MAX_WINDOW}")
            }
            Self::NoDupacks => f.write_str("dupacks = 0: a fast retransmit needs at least 1"),
            Self::NoLink => f.write_str("fragments and attempts must be at least 1"),
            Self::Prune { value } => write!(f, "prune = {value} is not in [0, 1)"),
            Self::Timeout { variant, window, timeout, limit } => write!(
                f,
                "timeout = {timeout} slots is too small: {variant} with window {window} needs at \
                 least {limit}, or timers would expire before the window has been sent"
            ),
            Self::TooManyStates { limit, left } => write!(
                f,
                "more than max_states = {limit} states are needed: a probability of {left:.1e} \
                 per cycle is still to be followed"
            ),
            Self::NoConvergence { change } => {
                write!(f, "the stationary flow did not settle (relative change {change:.1e})")
            }
            Self::Interrupted => f.write_str("interrupted"),
        }
    }
}

impl std::error::Error for SolveError {}

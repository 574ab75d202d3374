//! The numbers of the draft [rules/bbr3.md B].

/// Gains, shares and thresholds are in hundredths, as the draft writes them.
pub(super) const PERCENT: u32 = 100;

/// Pacing gains.
pub(super) const STARTUP_PACING_GAIN: u32 = 277;
pub(super) const DRAIN_PACING_GAIN: u32 = 50;
pub(super) const DOWN_PACING_GAIN: u32 = 90;
pub(super) const UP_PACING_GAIN: u32 = 125;
/// cwnd gains.
pub(super) const DEFAULT_CWND_GAIN: u32 = 200;
pub(super) const UP_CWND_GAIN: u32 = 225;
pub(super) const PROBE_RTT_CWND_GAIN: u32 = 50;

/// Losses of a round that are put up with while probing.
pub(super) const LOSS_THRESH: u32 = 2;
/// Least share of a bound that remains after a round with losses.
pub(super) const BETA: u32 = 70;
/// Share of `inflight_longterm` that is left unused.
pub(super) const HEADROOM: u32 = 15;
/// Below the bandwidth, so that queues empty.
pub(super) const PACING_MARGIN: u32 = 1;
/// Smallest cwnd that keeps delayed ACKs coming, in packets.
pub(super) const MIN_PIPE_CWND: u32 = 4;

/// Growth of the bandwidth that shows that there is more.
pub(super) const FULL_BW_GROWTH: u32 = 125;
/// Rounds without it that show a full pipe.
pub(super) const FULL_BW_ROUNDS: u32 = 3;
/// Ranges of numbers lost in a round that end Startup.
pub(super) const FULL_LOSS_RANGES: u32 = 6;
/// Rounds after which Drain ends whatever is in flight.
pub(super) const DRAIN_ROUNDS: u32 = 3;

/// Rounds over which the excess of aggregation is kept, after Startup.
pub(super) const EXTRA_ACKED_ROUNDS: u32 = 10;
/// Most rounds between probes beside Reno and CUBIC.
pub(super) const RENO_ROUNDS: u32 = 63;
/// Shortest time between probes, and largest random addition, in us.
pub(super) const PROBE_WAIT: u64 = 2_000_000;
pub(super) const PROBE_WAIT_SPREAD: u64 = 1_000_000;

/// Lifetime of a minimum round trip, in us.
pub(super) const MIN_RTT_WINDOW: u64 = 10_000_000;
/// Time from one `ProbeRTT` to the next, and how long one lasts, in us.
pub(super) const PROBE_RTT_INTERVAL: u64 = 5_000_000;
pub(super) const PROBE_RTT_DURATION: u64 = 200_000;

/// Largest and smallest send quantum, in bytes and packets.
pub(super) const MAX_QUANTUM: u64 = 65_536;
pub(super) const MIN_QUANTUM: u32 = 2;
/// Send quanta that both hosts hold.
pub(super) const OFFLOAD_QUANTA: u32 = 3;

/// Fractional bits of a bandwidth in packets per us.
pub(super) const BW_SCALE: u32 = 24;
/// A bound that does not bind, and a round trip that was not measured.
pub(super) const INFINITY: u32 = u32::MAX;

/// `percent` hundredths of `packets`, truncated.
pub(super) fn share(packets: u32, percent: u32) -> u32 {
    (u64::from(packets) * u64::from(percent) / u64::from(PERCENT)) as u32
}

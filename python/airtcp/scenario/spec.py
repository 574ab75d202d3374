"""Everything that a scenario can hold, as typed data.

Generated from the schema by scripts/gen.py; do not edit. What a profile has in `tcp` is a class of
its own, which is also what a flow has for itself; every other class has the keys of all profiles,
and one that a scenario's profile has not is refused when the scenario is made. A field that is None
takes the profile's value (docs/reference/scenario.md lists them). A field that accepts a sequence
or a `Range` where it holds one value is an axis of a sweep.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal, TypeAlias

from airtcp.errors import RenamedKey, refuses_unknown, warn_renamed

Profile: TypeAlias = Literal["zorzi", "ns2", "rfc", "bsd", "linux"]
Variant: TypeAlias = Literal[
    "oldtahoe",
    "tahoe",
    "reno",
    "newreno",
    "sack",
    "tahoe-probing",
    "reno-probing",
    "adaptive-probing",
    "skip-probing",
]
Spurious: TypeAlias = Literal["none", "f-rto", "eifel"]
LinuxCongestion: TypeAlias = Literal["reno", "cubic", "bbr", "bbr3"]
Count: TypeAlias = Literal["transmissions", "retransmissions"]
Method: TypeAlias = Literal["printed", "tight", "embedded", "exact"]
Stack: TypeAlias = Literal["kernel", "airtcp"]
Clock: TypeAlias = Literal["slot", "packet"]
Modulation: TypeAlias = Literal["bpsk", "dpsk", "fsk", "ncfsk"]
Mode: TypeAlias = Literal["fast", "bits"]
Start: TypeAlias = Literal["good", "stationary", "off", "on", "first", "random"]
Lengths: TypeAlias = Literal["exponential", "fixed"]
Loses: TypeAlias = Literal["all", "nothing"]
Timing: TypeAlias = Literal["start", "gap"]
Direction: TypeAlias = Literal["both", "forward", "back"]
End: TypeAlias = Literal["hold", "repeat", "stop"]
Scheduler: TypeAlias = Literal["wrr", "ts-fifo"]
Excess: TypeAlias = Literal["wait", "drop"]
Base: TypeAlias = Literal["flight", "window"]
PacketsOrSize: TypeAlias = int | str


@dataclass(frozen=True)
class Range:
    """Evenly spaced values of an axis, both ends included: ``Range(0.001, 0.1, 9, "log")``.

    - `from_` (`from` in files), `to`: the ends; with "log" both positive;
    - `points`: how many values, at least 2;
    - `scale`: "linear" or "log", what the spacing is even on.
    """

    from_: float
    to: float
    points: int
    scale: Literal["linear", "log"]


@refuses_unknown
@dataclass(frozen=True, kw_only=True)
class ZorziTcp:
    """The transport in profile `zorzi`.

    - `variant`: TCP variant, which decides how losses are recovered; oldtahoe, tahoe, reno,
      newreno, sack.
    - `window`: Window that the receiver advertises (`W_max`), in packets; whole number 1 to
      1_000_000 (None: 24).
    - `dupacks`: Number of duplicate ACKs that trigger a fast retransmit (K); whole number 1 to
      1_000_000 (None: 3).
    - `timeout`: Retransmission timeout, in slots (`T_o`); whole number 1 to 1_000_000_000 (None:
      100).
    - `inflation`: True if each duplicate ACK in fast recovery inflates the window by a packet, as
      in real TCP, so that new packets are sent; true or false (None: false).
    """

    variant: Variant | Sequence[Variant] | None = None
    window: int | Sequence[int] | Range | None = None
    dupacks: int | Sequence[int] | Range | None = None
    timeout: int | Sequence[int] | Range | None = None
    inflation: bool | Sequence[bool] | None = None


@refuses_unknown
@dataclass(frozen=True, kw_only=True)
class Ns2Tcp:
    """The transport in profile `ns2`.

    - `variant`: TCP variant, which decides how losses are recovered; tahoe, reno, newreno, sack,
      tahoe-probing, reno-probing, adaptive-probing, skip-probing.
    - `window`: Window that the receiver advertises (`W_max`), in packets; whole number 1 to
      1_000_000, or size (None: 20).
    - `ssthresh`: Initial slow-start threshold, in packets; whole number 1 to 1_000_000 (None: the
      window).
    - `packet`: Length of a full data packet on the wire; size (None: 1000B).
    - `ack`: Length of an acknowledgement on the wire, without SACK blocks; size (None: 40B).
    - `dupacks`: Number of duplicate ACKs that trigger a fast retransmit (K); whole number 1 to
      1_000_000 (None: 3).
    - `tick`: Tick of the clock that measures round trips; time (None: 100ms).
    - `boot`: Phase of the clock of `tick`: time from its last tick to the start of the run, in
      seconds (`boot_time_` of ns); number >= 0 (None: 2.0010257149119984e-05).
    - `ns`: Further settings of the TCP agents of ns, by their names there; table (None: the
      settings of 1998).
    - `probing`: Settings of the probe cycle, for variants that probe; table (None: the defaults of
      its keys).
    """

    variant: Variant | Sequence[Variant] | None = None
    window: PacketsOrSize | Sequence[PacketsOrSize] | Range | None = None
    ssthresh: int | Sequence[int] | Range | None = None
    packet: str | Sequence[str] | None = None
    ack: str | Sequence[str] | None = None
    dupacks: int | Sequence[int] | Range | None = None
    tick: str | Sequence[str] | None = None
    boot: float | Sequence[float] | Range | None = None
    ns: NsSettings | Sequence[NsSettings] | None = None
    probing: Probing | Sequence[Probing] | None = None


@refuses_unknown
@dataclass(frozen=True, kw_only=True)
class RfcTcp:
    """The transport in profile `rfc`.

    - `variant`: TCP variant, which decides how losses are recovered; tahoe, reno, newreno, sack,
      tahoe-probing, reno-probing, adaptive-probing, skip-probing.
    - `window`: Window that the receiver advertises (`W_max`), in packets or as a size; whole number
      1 to 1_000_000, or size (None: 1000).
    - `ssthresh`: Initial slow-start threshold, in packets; whole number 1 to 1_000_000 (None: no
      limit).
    - `packet`: Length of a full data packet on the wire; size (None: 1500B).
    - `ack`: Length of an acknowledgement on the wire, without SACK blocks; size (None: 40B).
    - `dupacks`: Number of duplicate ACKs that trigger a fast retransmit (K); whole number 1 to
      1_000_000 (None: 3).
    - `header`: Length of the IP and TCP headers of a packet; the rest is payload; size (None: 40B).
    - `congestion`: Congestion control, which decides how the window grows and shrinks; reno, cubic,
      westwood, veno, vegas, hybla, illinois, ledbat++, dctcp, prague, or table (None: reno).
    - `detection`: Detection of losses before the retransmission timer expires; duplicate-acks,
      rfc6675, rack-tlp, or table (None: `rfc6675` where the variant reads SACK blocks, else
      `duplicate-acks`).
    - `reduction`: Way in which recovery reduces the window, for variants that read SACK blocks;
      at-once, prr, or table (None: `at-once`).
    - `slow_start`: Rule of slow start; standard, hystart++, or table (None: `standard`).
    - `spurious`: Detection of spurious timeouts, and response to them. With `eifel` every packet
      and ACK carries a timestamp of 12 bytes: packets keep their length, ACKs become longer; none,
      f-rto, eifel (None: none).
    - `initial_window`: Initial congestion window, in packets [RFC 6928]; whole number 1 to
      1_000_000 (None: 10).
    - `abc_limit`: Largest number of segments that slow start adds to the window per ACK (L of RFC
      3465); Linux has no limit; whole number 1 to 1_000_000 (None: 1 [RFC 5681 3.1]).
    - `delayed_ack`: Longest delay of an ACK, below 500 ms [RFC 5681 4.2]; 0s: every packet is
      acknowledged at once; time (None: 100ms).
    - `limited_transmit`: True if each of the first two duplicate ACKs sends a new packet [RFC
      3042]; true or false (None: true).
    - `ecn`: True if both ends use ECN, so that queues can mark packets instead of dropping them
      [RFC 3168]; true or false (None: true with congestion controls that react to marks (dctcp,
      prague), else false).
    - `initial_rto`: Retransmission timeout before the first round-trip sample [RFC 6298 2.1]; time
      (None: 1s).
    - `rto_margin`: Smallest amount by which the timeout exceeds the smoothed round trip (the clock
      granularity G of RFC 6298 2.3). `rto_min` of Linux is such a margin; time (None: a
      nanosecond).
    - `min_rto`: Shortest retransmission timeout [RFC 6298 2.4]; 0s: only `rto_margin` bounds it;
      time (None: 1s).
    - `max_rto`: Longest retransmission timeout [RFC 6298 2.5]; time (None: 60s).
    - `probing`: Settings of the probe cycle, for variants that probe; table (None: the defaults of
      its keys).
    """

    variant: Variant | Sequence[Variant] | None = None
    window: PacketsOrSize | Sequence[PacketsOrSize] | Range | None = None
    ssthresh: int | Sequence[int] | Range | None = None
    packet: str | Sequence[str] | None = None
    ack: str | Sequence[str] | None = None
    dupacks: int | Sequence[int] | Range | None = None
    header: str | Sequence[str] | None = None
    congestion: Congestion | Sequence[Congestion] | None = None
    detection: Detection | Sequence[Detection] | None = None
    reduction: Reduction | Sequence[Reduction] | None = None
    slow_start: SlowStart | Sequence[SlowStart] | None = None
    spurious: Spurious | Sequence[Spurious] | None = None
    initial_window: int | Sequence[int] | Range | None = None
    abc_limit: int | Sequence[int] | Range | None = None
    delayed_ack: str | Sequence[str] | None = None
    limited_transmit: bool | Sequence[bool] | None = None
    ecn: bool | Sequence[bool] | None = None
    initial_rto: str | Sequence[str] | None = None
    rto_margin: str | Sequence[str] | None = None
    min_rto: str | Sequence[str] | None = None
    max_rto: str | Sequence[str] | None = None
    probing: Probing | Sequence[Probing] | None = None

    @property
    def growth(self) -> Any:
        """Earlier name of `congestion`."""
        warn_renamed("tcp.growth is now called tcp.congestion; use tcp.congestion", RenamedKey)
        return self.congestion


@refuses_unknown
@dataclass(frozen=True, kw_only=True)
class BsdTcp:
    """The transport in profile `bsd`.

    - `variant`: TCP variant, which decides how losses are recovered; tahoe, reno, tahoe-probing,
      reno-probing, adaptive-probing, skip-probing.
    - `window`: Window that the receiver advertises (`W_max`), in packets or as a size; whole number
      1 to 1_000_000, or size (None: 10240B).
    - `ssthresh`: Initial slow-start threshold, in packets; whole number 1 to 1_000_000 (None: 65535
      B).
    - `packet`: Length of a full data packet on the wire; size (None: 1438B).
    - `ack`: Length of an acknowledgement on the wire, without SACK blocks; size (None: 20B).
    - `dupacks`: Number of duplicate ACKs that trigger a fast retransmit (K); whole number 1 to
      1_000_000 (None: 3).
    - `framing`: Overhead of lower layers per packet on the wire. It takes airtime and is counted in
      no metric; size (None: 34B).
    - `tick`: Tick of the clock of all timers, at a random phase; time (None: 500ms).
    - `header`: Length of the IP and TCP headers of a packet; the rest is payload; size (None: 20B).
    - `initial_window`: Initial congestion window, in packets; whole number 1 to 1_000_000 (None:
      1).
    - `probing`: Settings of the probe cycle, for variants that probe; table (None: the defaults of
      its keys).
    """

    variant: Variant | Sequence[Variant] | None = None
    window: PacketsOrSize | Sequence[PacketsOrSize] | Range | None = None
    ssthresh: int | Sequence[int] | Range | None = None
    packet: str | Sequence[str] | None = None
    ack: str | Sequence[str] | None = None
    dupacks: int | Sequence[int] | Range | None = None
    framing: str | Sequence[str] | None = None
    tick: str | Sequence[str] | None = None
    header: str | Sequence[str] | None = None
    initial_window: int | Sequence[int] | Range | None = None
    probing: Probing | Sequence[Probing] | None = None


@refuses_unknown
@dataclass(frozen=True, kw_only=True)
class LinuxTcp:
    """The transport in profile `linux`.

    - `congestion`: Congestion control, which decides how the window grows and shrinks; reno, cubic,
      bbr, bbr3 (None: cubic).
    - `sack`: True if both hosts allow SACK; true or false (None: true).
    - `timestamps`: True if every segment carries timestamps of 12 bytes: packets keep their length,
      ACKs become longer; true or false (None: true).
    - `window`: Largest window that the receiver advertises (`W_max`, `TCP_WINDOW_CLAMP`), in
      packets or as a size; whole number 1 to 1_000_000, or size (None: 1000000000B).
    - `packet`: Length of a full data packet on the wire; size (None: 1500B).
    - `ack`: Length of an acknowledgement on the wire, without SACK blocks; size (None: 40B).
    - `framing`: Overhead of lower layers per packet on the wire. It takes airtime and is counted in
      no metric; size (None: 0B).
    - `header`: Length of the IP and TCP headers of a packet; the rest is payload; size (None: 40B).
    - `initial_window`: Initial congestion window, in packets [RFC 6928]; whole number 1 to
      1_000_000 (None: 10).
    - `ecn`: True if both ends use ECN, so that queues can mark packets instead of dropping them
      [RFC 3168]; true or false (None: as `sysctl.tcp_ecn` says).
    - `sysctl`: Kernel settings of both hosts, by their names in Linux; table (None: the kernel's
      defaults).
    """

    congestion: LinuxCongestion | Sequence[LinuxCongestion] | None = None
    sack: bool | Sequence[bool] | None = None
    timestamps: bool | Sequence[bool] | None = None
    window: PacketsOrSize | Sequence[PacketsOrSize] | Range | None = None
    packet: str | Sequence[str] | None = None
    ack: str | Sequence[str] | None = None
    framing: str | Sequence[str] | None = None
    header: str | Sequence[str] | None = None
    initial_window: int | Sequence[int] | Range | None = None
    ecn: bool | Sequence[bool] | None = None
    sysctl: Sysctl | Sequence[Sysctl] | None = None


@refuses_unknown
@dataclass(frozen=True, kw_only=True)
class Link:
    """Rate of the link and length of its packets. A slot is the airtime of a link packet: a TCP
    packet, or with `arq` a fragment of one.

    - `rate`: Transmission rate; rate (None: 1.5Mbps in zorzi).
    - `packet`: Length of a data packet on the air; with `arq`, of a fragment (`N_L`); size (None:
      1400B in zorzi).
    - `arq`: Link layer that cuts TCP packets into fragments and retransmits lost fragments; table
      (None: none).
    """

    rate: str | Sequence[str] | None = None
    packet: str | Sequence[str] | None = None
    arq: Arq | Sequence[Arq] | None = None


@refuses_unknown
@dataclass(frozen=True, kw_only=True)
class Arq:
    """Link layer that cuts packets into fragments and retransmits lost fragments on NAKs (selective
    repeat). A packet is given up when one of its fragments is.

    - `packet`: Length of a TCP packet (`N_T`), which is cut into ceil(packet / link.packet)
      fragments; size (only in zorzi; None: `fragments` must be given).
    - `fragments`: Number of fragments of a TCP packet (F); whole number 0 to 1_000_000 (only in
      zorzi; None: `packet` must be given).
    - `attempts`: Largest number of times that a fragment is sent; then its packet is given up
      (`n_l`); whole number 0 to 1_000_000.
    - `count`: Transmissions that `attempts` counts: all of a fragment, or only those after the
      first; transmissions, retransmissions.
    - `feedback_delay`: In zorzi: Delay from the end of a fragment to the arrival of its NAK at the
      sender, in slots; other fragments are sent meanwhile. In ns2, rfc, bsd, linux: Delay from the
      end of a fragment to the arrival of its NAK at the sender; other fragments are sent meanwhile;
      whole number 0 to 1_000_000, or time (None: no delay).
    - `feedback_loss`: Probability that a NAK is lost, below 1; a lost NAK is repeated after
      `feedback_delay` and the airtime of a fragment; number 0 to 1.
    - `in_order`: True if packets are delivered in order, so that a packet waits for those sent
      before it; true or false.
    - `fragment`: Payload of a fragment (`N_L`); the last fragment of a packet carries the rest;
      size (only in ns2, rfc, bsd, linux).
    - `overhead`: Header and checksum of every fragment, in addition to its payload; size (only in
      ns2, rfc, bsd, linux; None: none).
    """

    packet: str | Sequence[str] | None = None
    fragments: int | Sequence[int] | Range | None = None
    attempts: int | Sequence[int] | Range
    count: Count | Sequence[Count] = "transmissions"
    feedback_delay: int | str | Sequence[int | str] | Range | None = None
    feedback_loss: float | Sequence[float] | Range = 0.0
    in_order: bool | Sequence[bool] = True
    fragment: str | Sequence[str] | None = None
    overhead: str | Sequence[str] | None = None


@refuses_unknown
@dataclass(frozen=True, kw_only=True)
class ScoreMemory:
    """One term of an autocorrelation that is a sum of exponentials: `share` times exp(-lag /
    `time`).

    - `time`: Time constant: the lag at which the term has fallen to 1/e; time.
    - `share`: Weight of the term, its share of the variance. The shares of all terms sum to at most
      1; the rest of the variance is uncorrelated; number 0 to 1.
    """

    time: str
    share: float


@refuses_unknown
@dataclass(frozen=True, kw_only=True)
class EpochLoss:
    """Loss rates of epochs, log-normally distributed.

    - `rate`: Mean loss rate. A rate drawn above 1 counts as 1, which lowers the mean; number 0 to
      1.
    - `deviation`: Standard deviation of the natural logarithm of the loss rates; number 0 to 10
      (None: 0, the same rate in all epochs).
    - `memories`: Correlation of the loss rates of successive epochs, as a sum of exponentials, in
      addition to what follows from `correlation` with the delay; list of tables (None: the rates
      are independent).
    - `correlation`: Correlation of the loss rate and the delay of an epoch, both transformed to a
      normal distribution; number -1 to 1 (None: 0, independent).
    - `handover`: Different loss rate at the start of each epoch; table (None: the loss rate stays
      the same for the whole epoch).
    """

    rate: float
    deviation: float | None = None
    memories: Sequence[ScoreMemory] | None = None
    correlation: float | None = None
    handover: Handover | None = None


@refuses_unknown
@dataclass(frozen=True, kw_only=True)
class Handover:
    """Loss rate at the start of an epoch, where a handover may lose more packets.

    - `time`: Length of the start, at most the length of the epoch; time.
    - `factor`: Ratio of the loss rate at the start to the loss rate in the rest of the epoch;
      number 0 to 1_000_000.
    """

    time: str
    factor: float


@refuses_unknown
@dataclass(frozen=True, kw_only=True)
class EpochNoise:
    """Delay that is drawn anew at regular intervals.

    - `every`: Time between two draws of the delay; time.
    - `delay`: Distribution from which the delays are drawn; table.
    """

    every: str
    delay: Law


@refuses_unknown
@dataclass(frozen=True, kw_only=True)
class Ack:
    """Loss and delay of acknowledgements.

    - `delay`: Time from the end of a packet to the arrival of its ACK at the sender, in slots;
      whole number 0 to 1_000_000 (None: 0 in zorzi).
    - `loss_rate`: Probability that an ACK is lost, independently of others; number 0 to 1 (None:
      0.0 in zorzi).
    """

    delay: int | Sequence[int] | Range | None = None
    loss_rate: float | Sequence[float] | Range | None = None


@refuses_unknown
@dataclass(frozen=True, kw_only=True)
class Stop:
    """Length of the simulation, and number of runs.

    - `slots`: Length of a run, in slots; whole number 1 to 1_000_000_000_000 (only in zorzi; None:
      1000000).
    - `warmup`: In zorzi: Warm-up at the start of each run, in slots: simulated, and not counted. In
      ns2, rfc, bsd, linux: Warm-up at the start of each run: simulated, and not counted; whole
      number 0 to 1_000_000_000_000, or time (None: none).
    - `batches`: Number of batches: equal parts of the run after the warm-up, each counted by
      itself; whole number 1 to 100_000 (None: 1).
    - `replications`: Number of independent runs of each point; whole number 1 to 1_000_000 (None:
      20 in zorzi, 30 in ns2, 30 in rfc, 30 in bsd, 30 in linux).
    - `precision`: Sequential stopping, in place of a fixed number of runs: they are added until a
      confidence interval is narrow enough; table (None: `replications` runs are made).
    - `time`: End of a run; it ends earlier if all flows have ended; time (only in ns2, rfc, bsd,
      linux; None: 100s in ns2, 100s in rfc, 3600s in bsd, 100s in linux).
    """

    slots: int | None = None
    warmup: int | str | None = None
    batches: int | None = None
    replications: int | None = None
    precision: Precision | None = None
    time: str | None = None


@refuses_unknown
@dataclass(frozen=True, kw_only=True)
class Precision:
    """Sequential stopping: runs are added until the confidence interval of a mean is narrow enough.

    - `relative`: Largest half-width of the confidence interval, as a share of the mean, above 0 and
      below 1; number 0 to 1.
    - `metric`: Metric whose interval is judged; text (None: `throughput` on slots, `throughput_pps`
      on a path).
    - `confidence`: Confidence level of the interval, a share above 0 and below 1; number 0 to 1.
    - `least`: Smallest number of runs; whole number 2 to 1_000_000.
    - `most`: Largest number of runs, even if the interval is still too wide; whole number 2 to
      1_000_000.
    """

    relative: float
    metric: str | None = None
    confidence: float = 0.95
    least: int = 30
    most: int = 10000


@refuses_unknown
@dataclass(frozen=True, kw_only=True)
class Analysis:
    """Method of the analysis.

    - `method`: Analysis to compute: `printed`, the paper's bounds as printed; `tight`, the same
      bounds with the successes after a loss counted; `embedded`, upper bounds in which only the
      count of deliveries is approximate; or `exact`, the exact solution; printed, tight, embedded,
      exact (None: embedded in zorzi).
    """

    method: Method | None = None


@refuses_unknown
@dataclass(frozen=True, kw_only=True)
class NsSettings:
    """Optional settings of the TCP agents of ns, in small letters without the last underscore [ns
    2.35, tcp.cc, tcp-reno.cc, tcp-newreno.cc, tcp-sack1.cc, tcp-sink.cc].

    - `syn`: True if the first packet is a SYN: as long as an ACK; true or false.
    - `delay_growth`: True if the window is 1 packet until the first packet is acknowledged, and
      `window_init` from then on; true or false.
    - `window_init`: Initial congestion window, in packets; whole number 1 to 1_000_000.
    - `maxburst`: Largest number of packets that one ACK may release; 0: no limit; whole number 0 to
      1_000_000.
    - `numdupacks_frac`: Divisor of the window, for SACK: the threshold of duplicate ACKs is the
      window in packets divided by this, if that is more than the usual threshold; 0: not used;
      whole number 0 to 1_000_000.
    - `singledup`: True if each of the first two duplicate ACKs sends a new packet (limited
      transmit); true or false.
    - `bugfix`: True if no second fast retransmit happens until everything sent before the last
      reduction of the window is acknowledged; true or false.
    - `bugfix_ss`: True if the loss of packet 1 is repaired by a fast retransmit; true or false.
    - `bugfix_ack`: True if NewReno makes a fast retransmit in spite of `bugfix` when the last ACK
      covered no more packets than the threshold of duplicate ACKs; true or false.
    - `less_careful`: True if NewReno makes a fast retransmit in spite of `bugfix` when the ACK
      covers exactly what was sent before the last reduction of the window; true or false.
    - `exit_fast_retrans`: True if only a fast retransmit inflates the window, not every third
      duplicate ACK; true or false.
    - `precision_reduce`: True if halving the window may leave a fraction of a packet; true or
      false.
    - `rtxcur_init`: Retransmission timeout before the first round-trip sample; time.
    - `minrto`: Shortest retransmission timeout; time.
    - `maxrto`: Longest retransmission timeout; time.
    - `rfc2988`: True if backoff doubles the shortest timeout too (RFC 2988); true or false.
    - `timerfix`: True if an ACK updates the round-trip estimate before it restarts the timer; true
      or false.
    - `slow_start_restart`: True if a timeout with nothing outstanding sets the window to 1 packet;
      true or false.
    - `partial_ack`: True if SACK sends two packets on each partial ACK, whatever the pipe; true or
      false.
    - `old_code`: True if SACK, at the start of a recovery, sets pipe from the window, not from the
      data outstanding; true or false.
    - `newreno_changes1`: True if only the first partial ACK of a recovery restarts NewReno's timer
      (RFC 2582); true or false.
    - `partial_window_deflation`: True if a partial ACK reduces NewReno's inflated window by the
      amount it acknowledges (RFC 2582); true or false.
    - `exit_recovery_fix`: True if NewReno leaves a recovery with a window no larger than the data
      outstanding; true or false.
    - `ecn`: True if both ends use ECN; true or false.
    - `old_ecn`: True if the window also grows on ACKs that echo a mark, except the first of a run
      of them; true or false.
    - `set_cwr_on_retransmit`: True if a retransmission may carry CWR, the flag that reports a
      reduced window; true or false.
    - `interval`: Longest delay of a delayed ACK (`interval_` of ns's delayed-ACK sink); 0s: every
      packet is acknowledged at once; time.
    - `immediate_ack`: True if a packet that fills part of a gap is acknowledged at once
      (`RFC2581_immediate_ack_`); true or false.
    - `syn_immediate_ack`: True if the first packet is acknowledged at once; true or false.
    """

    syn: bool = False
    delay_growth: bool = False
    window_init: int = 1
    maxburst: int = 0
    numdupacks_frac: int = 0
    singledup: bool = False
    bugfix: bool = True
    bugfix_ss: bool = False
    bugfix_ack: bool = False
    less_careful: bool = False
    exit_fast_retrans: bool = False
    precision_reduce: bool = False
    rtxcur_init: str = "6s"
    minrto: str = "0s"
    maxrto: str = "64s"
    rfc2988: bool = False
    timerfix: bool = False
    slow_start_restart: bool = True
    partial_ack: bool = False
    old_code: bool = True
    newreno_changes1: bool = False
    partial_window_deflation: bool = False
    exit_recovery_fix: bool = False
    ecn: bool = False
    old_ecn: bool = False
    set_cwr_on_retransmit: bool = True
    interval: str = "0s"
    immediate_ack: bool = False
    syn_immediate_ack: bool = False


@refuses_unknown
@dataclass(frozen=True, kw_only=True)
class Probing:
    """Settings of the probe cycle, for variants that probe.

    - `tolerance`: Amount by which the round trip of a successful probe may exceed the best round
      trip of data, as a share of the latter; number 0 to 1_000.
    - `skip_estimates`: Number of round-trip samples after which skip-probing starts another cycle;
      whole number 0 to 1_000_000.
    - `skip_interval`: Time from the start of one probe cycle after which skip-probing starts
      another; time.
    - `rewind`: True if everything outstanding is sent again after a cycle that began with a timeout
      and ends without slow start; otherwise only the first segment is; true or false.
    - `backoff`: True if the probe timer doubles, up to six times, each time a probe is sent again;
      true or false.
    """

    tolerance: float | Sequence[float] | Range = 0.0
    skip_estimates: int | Sequence[int] | Range = 8
    skip_interval: str | Sequence[str] = "500ms"
    rewind: bool | Sequence[bool] = True
    backoff: bool | Sequence[bool] = False


@refuses_unknown
@dataclass(frozen=True, kw_only=True)
class Path:
    """Hops between the ends.

    - `hop`: Hops of the path, each between two nodes; they form a chain unless `near` and `far` say
      otherwise. The keys of a hop describe its forward direction, from the near end to the far end,
      and the keys of `back` its reverse direction, for data, ACKs and cross-traffic alike. A hop
      that no route crosses has no effect; list of tables.
    """

    hop: Sequence[Hop]


@refuses_unknown
@dataclass(frozen=True, kw_only=True)
class Hop:
    """One hop, both directions.

    - `near`: Name of the node at its near end; text (None: the far end of the previous hop, or "0"
      for the first hop).
    - `far`: Name of the node at its far end; text (None: a new node: "1" after the first hop, "2"
      after the second, and so on).
    - `link`: Measured or published link that provides the keys which the hop does not give; `airtcp
      list links` names all. If the hop gives `rate`, `rates` or `opportunities`, it has no rates of
      the link; if it gives `delay`, none of the link's `delays`. Cross-traffic of the link is added
      to the scenario's; text (None: all keys are the hop's own).
    - `rate`: Transmission rate; rate (None: `rates` must be given).
    - `rates`: Rate that changes with time, in place of `rate`: a list of changes, the last of which
      persists, or a table with a `kind`. When the rate changes, the rest of a packet is sent at the
      new rate; at 0bps it waits. Not with channels that count slots, nor, in the forward direction,
      with `slotted`. A text names a CSV file with the columns `time` in seconds and `rate` in
      Mbit/s; list of tables, or table, or text (None: the rate is `rate`).
    - `opportunities`: Delivery opportunities, as in a Mahimahi trace: times in whole milliseconds,
      in order, each for 1504 bytes, repeated after the last one. `rate` must be their mean. Not
      with a gate or `arq`, nor, in the forward direction, with `slotted`. A text names a file with
      a whole number of milliseconds per line; list of values, or text (None: packets are sent at
      any time).
    - `trains`: Packet trains recorded over the idle link, for links that serve a short transfer
      otherwise than a long one: a packet that finds the link idle begins a busy period, which the
      latest train serves until it is over, and then `opportunities`. The period ends once its next
      opportunity has passed unused and `opportunities` could have carried its packets. The
      recording is repeated with that of `opportunities`. Not with `delays`. A text names a file
      with a train per line: its time, the delay of its first packet, and the arrivals of its
      packets after the first one, in whole milliseconds; list of tables, or text (None:
      `opportunities` serve all packets).
    - `delay`: One-way propagation delay; time (None: the delay of the hop's `link`).
    - `queue`: Queue at the transmitter. A number or a size is the limit of a drop-tail queue: `50`
      packets, counting the one in transmission, or `"100kB"`, not counting it. A table with a
      `kind` gives any other queue. A packet that finds the transmitter free is always accepted;
      whole number 2 to 1_000_000_000, or size, or table (None: drop-tail without a limit).
    - `exit`: Channel that loses packets at the sending node, before the queue, so that they take no
      airtime; table (None: no losses there).
    - `marks`: Channel whose losses become ECN marks on arrival at the queue, for packets of
      ECN-capable flows; table (None: no marks).
    - `channel`: Channel that loses packets on the wire; table (None: no losses there).
    - `arq`: Link layer that cuts packets into fragments and retransmits lost fragments; table
      (None: none).
    - `drop`: Forced losses of packets of the first flow, at the end of this direction of the hop:
      `[n, k]` drops the k-th copy, counted from 1, of data packet n, counted from 0. Where the ACKs
      of the flow take this direction, usually under `back`, it drops the k-th ACK with number n,
      which is the number of the last packet received in order; list of pairs (None: none).
    - `delays`: Changes of the delay, each for transmissions that start at `at` or later. Packets
      stay in order unless `reorder` says otherwise. A text names a CSV file with the columns `time`
      and `delay` in seconds; list of tables, or text (None: the delay is `delay` throughout).
    - `jitter`: Random extra delay of every packet, drawn as its transmission starts and added to
      `delay` or `delays`. Not with `arq`; table (None: none).
    - `reorder`: Reordering: true lets packets overtake each other on the wire where `jitter` or
      `delays` allow it; a table exempts some packets from the delay, as netem's `reorder` does. Not
      with `arq`; true or false, or table (None: packets stay in order).
    - `duplicate`: Probability that a packet is duplicated after the channel. The copy takes no
      airtime and has its own `jitter`. Not with `arq`; number 0 to 1 (None: 0).
    - `slotted`: True if forward transmissions start at slot boundaries; a slot is the airtime of a
      full packet (with `arq`, of a fragment). The channel then advances slot by slot as in profile
      zorzi, and the first hop has the same sample path as zorzi under the same seed; true or false
      (None: transmissions start at any time).
    - `gate`: Outages of the link, in both directions unless `direction` says otherwise; table
      (None: the link is always up).
    - `back`: Reverse direction, from the far end to the near end: the keys in which it differs from
      the forward one; table (None: rate, delay and queue are those of the forward direction).
    """

    near: str | Sequence[str] | None = None
    far: str | Sequence[str] | None = None
    link: str | Sequence[str] | None = None
    rate: str | Sequence[str] | None = None
    rates: Sequence[RateChange] | str | Rates | None = None
    opportunities: Sequence[int] | str | None = None
    trains: Sequence[Train] | str | None = None
    delay: str | Sequence[str] | None = None
    queue: PacketsOrSize | Queue | Sequence[PacketsOrSize | Queue] | Range | None = None
    exit: Channel | Sequence[Channel] | None = None
    marks: Channel | Sequence[Channel] | None = None
    channel: Channel | Sequence[Channel] | None = None
    arq: Arq | Sequence[Arq] | None = None
    drop: Sequence[tuple[int, int]] | None = None
    delays: Sequence[DelayChange] | str | None = None
    jitter: Law | Sequence[Law] | None = None
    reorder: bool | Reorder | Sequence[bool | Reorder] | None = None
    duplicate: float | Sequence[float] | Range | None = None
    slotted: bool | Sequence[bool] | None = None
    gate: Gate | Sequence[Gate] | None = None
    back: Back | Sequence[Back] | None = None


@refuses_unknown
@dataclass(frozen=True, kw_only=True)
class RateChange:
    """A change of a rate.

    - `at`: Time from which the change holds; time.
    - `rate`: New rate; 0bps: nothing is sent; rate.
    """

    at: str | Sequence[str]
    rate: str | Sequence[str]


@refuses_unknown
@dataclass(frozen=True, kw_only=True)
class RateLevel:
    """A rate that occurs, and its probability.

    - `rate`: The rate; 0bps: nothing is sent; rate.
    - `share`: Probability of the rate; the probabilities of all levels sum to 1; number 0 to 1.
    """

    rate: str
    share: float


@refuses_unknown
@dataclass(frozen=True, kw_only=True)
class Train:
    """A train of packets sent over the idle link, as it was recorded.

    - `at`: Time of the recording from which the train stands for the idle link, until that of the
      next train; time.
    - `delay`: One-way propagation delay of all packets of a busy period that begins with this
      train; time (None: the delay of the hop).
    - `opportunities`: Delivery opportunities in whole milliseconds from the arrival of the first
      packet of a busy period, in order, each for 1504 bytes. Those of the busy link follow the last
      one; list of values.
    """

    at: str
    delay: str | None = None
    opportunities: Sequence[int]


@refuses_unknown
@dataclass(frozen=True, kw_only=True)
class DelayChange:
    """A change of a hop's delay.

    - `at`: Time from which the change holds; time.
    - `delay`: New one-way delay; time.
    """

    at: str | Sequence[str]
    delay: str | Sequence[str]


@refuses_unknown
@dataclass(frozen=True, kw_only=True)
class Reorder:
    """netem's reordering: some packets arrive at the end of their transmission, without `delay`,
    `delays` and `jitter`, and so overtake those on the wire. netem's `reorder 25% 50% gap 5` is
    `{probability = 0.25, correlation = 0.5, gap = 5}`.

    - `probability`: Probability that a packet is not delayed, for independent decisions; number 0
      to 1.
    - `correlation`: Correlation of these decisions as netem computes it. It makes the share of
      undelayed packets smaller than `probability`: `25% 50%` of netem lets some 7 % of the packets
      overtake; number 0 to 1 (None: 0, which means independent decisions).
    - `gap`: Smallest distance between two packets that are not delayed, in packets; whole number 1
      to 4_294_967_295.
    """

    probability: float
    correlation: float | None = None
    gap: int = 1


@refuses_unknown
@dataclass(frozen=True, kw_only=True)
class Back:
    """Reverse direction of a hop: the keys in which it differs from the forward one.

    - `rate`: Transmission rate; rate (None: the forward rate as it changes).
    - `rates`: Rate that changes with time, in place of `rate`: a list of changes, the last of which
      persists, or a table with a `kind`. When the rate changes, the rest of a packet is sent at the
      new rate; at 0bps it waits. Not with channels that count slots, nor, in the forward direction,
      with `slotted`. A text names a CSV file with the columns `time` in seconds and `rate` in
      Mbit/s; list of tables, or table, or text (None: the rate is `rate`).
    - `opportunities`: Delivery opportunities, as in a Mahimahi trace: times in whole milliseconds,
      in order, each for 1504 bytes, repeated after the last one. `rate` must be their mean. Not
      with a gate or `arq`, nor, in the forward direction, with `slotted`. A text names a file with
      a whole number of milliseconds per line; list of values, or text (None: packets are sent at
      any time).
    - `trains`: Packet trains recorded over the idle link, for links that serve a short transfer
      otherwise than a long one: a packet that finds the link idle begins a busy period, which the
      latest train serves until it is over, and then `opportunities`. The period ends once its next
      opportunity has passed unused and `opportunities` could have carried its packets. The
      recording is repeated with that of `opportunities`. Not with `delays`. A text names a file
      with a train per line: its time, the delay of its first packet, and the arrivals of its
      packets after the first one, in whole milliseconds; list of tables, or text (None:
      `opportunities` serve all packets).
    - `delay`: One-way propagation delay; time (None: the forward delay).
    - `queue`: Queue at the transmitter. A number or a size is the limit of a drop-tail queue: `50`
      packets, counting the one in transmission, or `"100kB"`, not counting it. A table with a
      `kind` gives any other queue. A packet that finds the transmitter free is always accepted;
      whole number 2 to 1_000_000_000, or size, or table (None: the forward queue).
    - `exit`: Channel that loses packets at the sending node, before the queue, so that they take no
      airtime; table (None: no losses there).
    - `marks`: Channel whose losses become ECN marks on arrival at the queue, for packets of
      ECN-capable flows; table (None: no marks).
    - `channel`: Channel that loses packets on the wire; table (None: no losses there).
    - `arq`: Link layer that cuts packets into fragments and retransmits lost fragments; table
      (None: none).
    - `drop`: Forced losses of packets of the first flow, at the end of this direction of the hop:
      `[n, k]` drops the k-th copy, counted from 1, of data packet n, counted from 0. Where the ACKs
      of the flow take this direction, usually under `back`, it drops the k-th ACK with number n,
      which is the number of the last packet received in order; list of pairs (None: none).
    - `delays`: Changes of the delay, each for transmissions that start at `at` or later. Packets
      stay in order unless `reorder` says otherwise. A text names a CSV file with the columns `time`
      and `delay` in seconds; list of tables, or text (None: the delay is `delay` throughout).
    - `jitter`: Random extra delay of every packet, drawn as its transmission starts and added to
      `delay` or `delays`. Not with `arq`; table (None: none).
    - `reorder`: Reordering: true lets packets overtake each other on the wire where `jitter` or
      `delays` allow it; a table exempts some packets from the delay, as netem's `reorder` does. Not
      with `arq`; true or false, or table (None: packets stay in order).
    - `duplicate`: Probability that a packet is duplicated after the channel. The copy takes no
      airtime and has its own `jitter`. Not with `arq`; number 0 to 1 (None: 0).
    """

    rate: str | Sequence[str] | None = None
    rates: Sequence[RateChange] | str | Rates | None = None
    opportunities: Sequence[int] | str | None = None
    trains: Sequence[Train] | str | None = None
    delay: str | Sequence[str] | None = None
    queue: PacketsOrSize | Queue | Sequence[PacketsOrSize | Queue] | Range | None = None
    exit: Channel | Sequence[Channel] | None = None
    marks: Channel | Sequence[Channel] | None = None
    channel: Channel | Sequence[Channel] | None = None
    arq: Arq | Sequence[Arq] | None = None
    drop: Sequence[tuple[int, int]] | None = None
    delays: Sequence[DelayChange] | str | None = None
    jitter: Law | Sequence[Law] | None = None
    reorder: bool | Reorder | Sequence[bool | Reorder] | None = None
    duplicate: float | Sequence[float] | Range | None = None


@refuses_unknown
@dataclass(frozen=True, kw_only=True)
class Flow:
    """A flow, or with `count` several equal ones.

    - `sender`: Node of the sender; text (None: the near end of the first hop).
    - `receiver`: Node of the receiver; text (None: the far end of the last hop).
    - `start`: Time at which the flow starts; time.
    - `access_delay`: One-way delay of an access link between the sender and its node, in each
      direction; the link is never busy; time (None: 0s).
    - `packets`: Number of packets to send; whole number 1 to 1_000_000_000_000 (None: the flow
      never ends, unless another key limits it).
    - `size`: Payload to send, in place of `packets`; the last packet may be shorter. Not in profile
      ns2, which counts packets; size (None: `packets` applies).
    - `arrivals`: Time from the start of one transfer to the start of the next, the first at
      `start`; exponential times make a Poisson process. Every transfer has its own connection and a
      size from `sizes`. All of them are one flow in the results; table (None: the flow is one
      transfer).
    - `think`: Think time: from the end of a transfer, when its last byte is acknowledged, to the
      start of the next one on the same connection; table (None: the flow is one transfer).
    - `sizes`: Payload of each transfer, with `arrivals` or `think`; table (None: the flow is one
      transfer).
    - `video`: Video stream: the transfers are its chunks, requested by a player; table (None: no
      video).
    - `milestone`: Number of packets whose time of acknowledgement is reported; whole number 1 to
      1_000_000_000_000 (None: all packets of a finite flow).
    - `count`: Number of flows with these settings; whole number 1 to 100_000.
    - `variant`: TCP variant of this flow; tahoe, reno, newreno, sack, tahoe-probing, reno-probing,
      adaptive-probing, skip-probing (only in ns2, rfc, bsd; None: `tcp.variant`).
    - `window`: Window that the receiver of this flow advertises, in packets or as a size like
      `tcp.window`; whole number 1 to 1_000_000, or size (None: `tcp.window`).
    - `tcp`: Keys of `tcp` that differ for this flow; the others are taken from `tcp`; table (None:
      the keys of `tcp` apply).
    """

    sender: str | Sequence[str] | None = None
    receiver: str | Sequence[str] | None = None
    start: str | Sequence[str] = "0s"
    access_delay: str | Sequence[str] | None = None
    packets: int | Sequence[int] | Range | None = None
    size: str | Sequence[str] | None = None
    arrivals: Law | Sequence[Law] | None = None
    think: Law | Sequence[Law] | None = None
    sizes: SizeLaw | Sequence[SizeLaw] | None = None
    video: Video | Sequence[Video] | None = None
    milestone: int | Sequence[int] | Range | None = None
    count: int | Sequence[int] | Range = 1
    variant: Variant | Sequence[Variant] | None = None
    window: PacketsOrSize | Sequence[PacketsOrSize] | Range | None = None
    tcp: AnyTcp | Sequence[AnyTcp] | None = None


@refuses_unknown
@dataclass(frozen=True, kw_only=True)
class Video:
    """A video in chunks, and a player that requests one chunk after another over one connection.

    - `bitrates`: Bitrates in which each chunk is available, from the lowest to the highest; list of
      values.
    - `chunk`: Playing time of a chunk; time.
    - `buffer`: Capacity of the playback buffer; the player requests a chunk as soon as it fits;
      time.
    - `prebuffer`: Content of the buffer, as playing time, at which playback starts and at which it
      resumes after a stall; time (None: one chunk).
    - `length`: Playing time of the whole video, rounded up to whole chunks; time (None: without
      end).
    - `choice`: Rule of bitrate adaptation, by which the player chooses the bitrate of each chunk;
      buffer, throughput, or table.
    """

    bitrates: Sequence[str]
    chunk: str | Sequence[str] = "4s"
    buffer: str | Sequence[str] = "30s"
    prebuffer: str | Sequence[str] | None = None
    length: str | Sequence[str] | None = None
    choice: VideoChoice | Sequence[VideoChoice] = "buffer"


@refuses_unknown
@dataclass(frozen=True, kw_only=True)
class Traffic:
    """Cross-traffic: packets of one length without acknowledgements, as in UDP, sent all the time
    or in bursts.

    - `sender`: Node at which the traffic begins; text (None: the near end of the first hop).
    - `receiver`: Node to which the traffic goes; text (None: the far end of the last hop).
    - `start`: Time at which the traffic starts; time.
    - `end`: Time at which the traffic ends; time (None: never).
    - `rate`: Rate of sending while the traffic is on; rate.
    - `packet`: Length of a packet on the wire; size.
    - `on`: Length of the bursts, the first of which begins at `start`; with `off`; table (None: the
      traffic is always on).
    - `off`: Length of the pauses between bursts; with `on`; table (None: no pauses).
    - `count`: Number of sources with these settings; whole number 1 to 100_000.
    """

    sender: str | Sequence[str] | None = None
    receiver: str | Sequence[str] | None = None
    start: str | Sequence[str] = "0s"
    end: str | Sequence[str] | None = None
    rate: str | Sequence[str]
    packet: str | Sequence[str]
    on: Law | Sequence[Law] | None = None
    off: Law | Sequence[Law] | None = None
    count: int | Sequence[int] | Range = 1


@refuses_unknown
@dataclass(frozen=True, kw_only=True)
class Live:
    """Settings of live runs only; simulation and analysis ignore them.

    - `congestion`: Congestion control of the kernel's TCP, by the kernel's name for it. Simulation
      and airtcp's own TCP use `tcp.congestion` in any case; text (None: `tcp.congestion`).
    - `stack`: TCP that sends in live runs: the kernel's, or one of airtcp's; kernel, airtcp (None:
      the option `--stack`).
    """

    congestion: str | Sequence[str] | None = None
    stack: Stack | Sequence[Stack] | None = None


@refuses_unknown
@dataclass(frozen=True, kw_only=True)
class Sysctl:
    """Settings of both hosts by the names that Linux gives them under net.ipv4 and net.core.

    - `tcp_dsack`: 1: the receiver reports duplicates by D-SACK; 0: it does not; whole number 0 to
      255 (None: 1).
    - `tcp_window_scaling`: 1: SYNs offer window scaling; 0: they do not; whole number 0 to 255
      (None: 1).
    - `tcp_ecn`: 0: no ECN; 1: request and accept it; 2: accept it only; whole number 0 to 2 (None:
      2).
    - `tcp_ecn_fallback`: 1: a retransmitted SYN no longer requests ECN; 0: it still does; whole
      number 0 to 1 (None: 1).
    - `tcp_reordering`: Threshold of duplicate ACKs at the start, in packets; it grows when
      reordering is seen; whole number 1 to 300 (None: 3).
    - `tcp_max_reordering`: Largest value that the threshold of duplicate ACKs may reach, in
      packets; whole number 1 to 2_147_483_647 (None: 300).
    - `tcp_recovery`: Sum of flags of RACK: 1 enables it (here it is always on), 2 keeps its
      reordering window fixed, 4 disables the threshold of duplicate ACKs; whole number 0 to 255
      (None: 1).
    - `tcp_early_retrans`: 3 or 4: tail loss probes are sent; 0 to 2: they are not; whole number 0
      to 4 (None: 3).
    - `tcp_frto`: 0: no detection of spurious timeouts by F-RTO; any other number: with it; whole
      number 0 to 255 (None: 2).
    - `tcp_slow_start_after_idle`: 1: the congestion window shrinks while a connection is idle; 0:
      it does not; whole number 0 to 255 (None: 1).
    - `tcp_tso_win_divisor`: Divisor N of the congestion window: a burst waits until 1/N of the
      window can be sent at once; whole number 0 to 255 (None: 3).
    - `tcp_min_tso_segs`: Smallest burst that pacing releases at once, in segments; whole number 1
      to 255 (None: 2).
    - `tcp_tso_rtt_log`: Number N: bursts grow by an allowance that is largest at a short minimum
      RTT and halves with every 2^N microseconds of it; 0: no allowance; whole number 0 to 255
      (None: 9).
    - `tcp_pacing_ss_ratio`: Pacing rate in slow start, in per cent of cwnd per round trip; whole
      number 0 to 1_000 (None: 200).
    - `tcp_pacing_ca_ratio`: Pacing rate after slow start, in per cent of cwnd per round trip; whole
      number 0 to 1_000 (None: 120).
    - `tcp_limit_output_bytes`: Largest number of bytes of a flow that may be queued in the sending
      host; whole number 0 to 2_147_483_647 (None: 4194304).
    - `tcp_autocorking`: 1: small writes are held back while the host still has data of the flow
      queued; 0: they are sent at once; whole number 0 to 1 (None: 1).
    - `tcp_retrans_collapse`: 1: small adjacent segments are merged when they are retransmitted; 0:
      they are not; whole number 0 to 255 (None: 1).
    - `tcp_rto_min_us`: Lower bound of the variance term of the RTO, in microseconds; whole number 1
      to 2_147_483_647 (None: 200000).
    - `tcp_rto_max_ms`: Largest RTO, in milliseconds; whole number 1_000 to 120_000 (None: 120000).
    - `tcp_retries1`: Number of timeouts in a row after which the kernel looks for another route;
      whole number 0 to 255 (None: 3).
    - `tcp_retries2`: Number of timeouts in a row after which a connection is given up; whole number
      0 to 255 (None: 15).
    - `tcp_orphan_retries`: Number of unanswered retransmissions after which a connection that no
      process holds is given up; 0: the kernel's own limit; whole number 0 to 255 (None: 0).
    - `tcp_syn_retries`: Largest number of times that a SYN is retransmitted; whole number 1 to 127
      (None: 6).
    - `tcp_syn_linear_timeouts`: Number of SYN retransmissions before their timeout starts to
      double; whole number 0 to 127 (None: 4).
    - `tcp_synack_retries`: Largest number of times that a SYN-ACK is retransmitted; whole number 0
      to 255 (None: 5).
    - `tcp_min_rtt_wlen`: Length of the time window over which the minimum RTT is taken, in seconds;
      whole number 0 to 86_400 (None: 300).
    - `tcp_comp_sack_delay_ns`: Longest delay of an ACK that reports data out of order (a compressed
      ACK), in nanoseconds; whole number 0 to 4_294_967_295 (None: 1000000).
    - `tcp_comp_sack_slack_ns`: Longest time by which the timer of a compressed ACK may be late, in
      nanoseconds; whole number 0 to 4_294_967_295 (None: 100000).
    - `tcp_comp_sack_nr`: Largest number of ACKs that one compressed ACK replaces; 0: no
      compression; whole number 0 to 255 (None: 44).
    - `tcp_pingpong_thresh`: Number of replies to requests after which a connection counts as
      interactive and delays its ACKs; whole number 1 to 255 (None: 1).
    - `tcp_backlog_ack_defer`: 1: segments that arrive while the socket is in use are answered by
      one ACK; 0: each is answered; whole number 0 to 1 (None: 1).
    - `tcp_invalid_ratelimit`: Shortest time between two ACKs in answer to invalid segments, in
      milliseconds; whole number 0 to 503_316_920 (None: 500).
    - `tcp_moderate_rcvbuf`: 1: the kernel enlarges the receive buffer as needed; 0: it does not;
      whole number 0 to 255 (None: 1).
    - `tcp_app_win`: Number N: 1/2^N of the window is reserved for the application's buffer; 0:
      nothing is; whole number 0 to 31 (None: 31).
    - `tcp_shrink_window`: 1: a receiver may take back window that it has offered; 0: it may not;
      whole number 0 to 1 (None: 0).
    - `tcp_no_metrics_save`: 1: a connection leaves no measurements, such as its RTT, for later ones
      to the same host; 0: it does; whole number 0 to 255 (None: 0).
    - `tcp_no_ssthresh_metrics_save`: 1: ssthresh is not among the measurements left for later
      connections; 0: it is; whole number 0 to 1 (None: 1).
    - `tcp_mtu_probing`: 0: the path MTU is not probed. Only 0 is allowed; whole number 0 (None: 0).
    - `tcp_min_snd_mss`: Smallest segment size, in bytes; whole number 48 to 65_535 (None: 48).
    - `tcp_fin_timeout`: Time that a connection stays in FIN-WAIT-2, in seconds; whole number 0 to
      8_589_934 (None: 60).
    - `tcp_thin_linear_timeouts`: 1: the RTO does not double for thin streams, which have fewer than
      four packets outstanding; 0: it does; whole number 0 to 255 (None: 0).
    - `tcp_fastopen`: Sum of flags of TCP Fast Open. 1: a client may send data in the SYN if the
      application asks for it (`MSG_FASTOPEN`); 2: a server accepts such data; 4: a client needs no
      cookie; 0x200: a server needs no cookie; 0x400: every listening socket takes part; whole
      number 0 to 2_147_483_647 (None: 1).
    - `tcp_fastopen_key`: Key for a server's Fast Open cookies: four groups of hexadecimal digits;
      text (None: 00000000-00000000-00000000-00000000).
    - `tcp_tw_reuse`: 1: a new connection may take the ports of one in TIME-WAIT; 2: only on
      loopback; 0: never; whole number 0 to 2 (None: 2).
    - `tcp_tw_reuse_delay`: Time that a connection must have been in TIME-WAIT before its ports are
      taken, in milliseconds; whole number 1 to 60_000 (None: 1000).
    - `tcp_keepalive_time`: Idle time before the first keepalive probe, in seconds; whole number 0
      to 8_589_934 (None: 7200).
    - `tcp_keepalive_intvl`: Time between keepalive probes, in seconds; whole number 0 to 8_589_934
      (None: 75).
    - `tcp_keepalive_probes`: Number of unanswered keepalive probes after which a connection is
      given up; whole number 0 to 255 (None: 9).
    - `tcp_notsent_lowat`: Number of unsent bytes below which a socket is writable; whole number 0
      to 4_294_967_295 (None: 4294967295).
    - `tcp_rmem`: Receive buffer in bytes: smallest, initial, largest; text (None: 4096 131072
      33554432).
    - `tcp_wmem`: Send buffer in bytes: smallest, initial, largest; text (None: 4096 16384 4194304).
    - `rmem_max`: Largest receive buffer that `SO_RCVBUF` can set, in bytes; whole number 1 to
      2_147_483_647 (None: 4194304).
    - `wmem_max`: Largest send buffer that `SO_SNDBUF` can set, in bytes; whole number 1 to
      2_147_483_647 (None: 4194304).
    - `hystart_detect`: Sum of flags of tcp_cubic: 1 ends slow start by trains of ACKs, 2 by rising
      delay; whole number 0 to 2_147_483_647 (None: 3).
    - `hystart`: 1: tcp_cubic may end slow start early, as `hystart_detect` says; 0: it does not;
      whole number 0 to 2_147_483_647 (None: 1).
    """

    tcp_dsack: int | Sequence[int] | Range | None = None
    tcp_window_scaling: int | Sequence[int] | Range | None = None
    tcp_ecn: int | Sequence[int] | Range | None = None
    tcp_ecn_fallback: int | Sequence[int] | Range | None = None
    tcp_reordering: int | Sequence[int] | Range | None = None
    tcp_max_reordering: int | Sequence[int] | Range | None = None
    tcp_recovery: int | Sequence[int] | Range | None = None
    tcp_early_retrans: int | Sequence[int] | Range | None = None
    tcp_frto: int | Sequence[int] | Range | None = None
    tcp_slow_start_after_idle: int | Sequence[int] | Range | None = None
    tcp_tso_win_divisor: int | Sequence[int] | Range | None = None
    tcp_min_tso_segs: int | Sequence[int] | Range | None = None
    tcp_tso_rtt_log: int | Sequence[int] | Range | None = None
    tcp_pacing_ss_ratio: int | Sequence[int] | Range | None = None
    tcp_pacing_ca_ratio: int | Sequence[int] | Range | None = None
    tcp_limit_output_bytes: int | Sequence[int] | Range | None = None
    tcp_autocorking: int | Sequence[int] | Range | None = None
    tcp_retrans_collapse: int | Sequence[int] | Range | None = None
    tcp_rto_min_us: int | Sequence[int] | Range | None = None
    tcp_rto_max_ms: int | Sequence[int] | Range | None = None
    tcp_retries1: int | Sequence[int] | Range | None = None
    tcp_retries2: int | Sequence[int] | Range | None = None
    tcp_orphan_retries: int | Sequence[int] | Range | None = None
    tcp_syn_retries: int | Sequence[int] | Range | None = None
    tcp_syn_linear_timeouts: int | Sequence[int] | Range | None = None
    tcp_synack_retries: int | Sequence[int] | Range | None = None
    tcp_min_rtt_wlen: int | Sequence[int] | Range | None = None
    tcp_comp_sack_delay_ns: int | Sequence[int] | Range | None = None
    tcp_comp_sack_slack_ns: int | Sequence[int] | Range | None = None
    tcp_comp_sack_nr: int | Sequence[int] | Range | None = None
    tcp_pingpong_thresh: int | Sequence[int] | Range | None = None
    tcp_backlog_ack_defer: int | Sequence[int] | Range | None = None
    tcp_invalid_ratelimit: int | Sequence[int] | Range | None = None
    tcp_moderate_rcvbuf: int | Sequence[int] | Range | None = None
    tcp_app_win: int | Sequence[int] | Range | None = None
    tcp_shrink_window: int | Sequence[int] | Range | None = None
    tcp_no_metrics_save: int | Sequence[int] | Range | None = None
    tcp_no_ssthresh_metrics_save: int | Sequence[int] | Range | None = None
    tcp_mtu_probing: int | Sequence[int] | Range | None = None
    tcp_min_snd_mss: int | Sequence[int] | Range | None = None
    tcp_fin_timeout: int | Sequence[int] | Range | None = None
    tcp_thin_linear_timeouts: int | Sequence[int] | Range | None = None
    tcp_fastopen: int | Sequence[int] | Range | None = None
    tcp_fastopen_key: str | Sequence[str] | None = None
    tcp_tw_reuse: int | Sequence[int] | Range | None = None
    tcp_tw_reuse_delay: int | Sequence[int] | Range | None = None
    tcp_keepalive_time: int | Sequence[int] | Range | None = None
    tcp_keepalive_intvl: int | Sequence[int] | Range | None = None
    tcp_keepalive_probes: int | Sequence[int] | Range | None = None
    tcp_notsent_lowat: int | Sequence[int] | Range | None = None
    tcp_rmem: str | Sequence[str] | None = None
    tcp_wmem: str | Sequence[str] | None = None
    rmem_max: int | Sequence[int] | Range | None = None
    wmem_max: int | Sequence[int] | Range | None = None
    hystart_detect: int | Sequence[int] | Range | None = None
    hystart: int | Sequence[int] | Range | None = None


@refuses_unknown
@dataclass(frozen=True, kw_only=True)
class Iid:
    """Independent losses.

    - `loss_rate`: Probability that a packet is lost; number 0 to 1.
    """

    kind: ClassVar[str] = "iid"

    loss_rate: float | Sequence[float] | Range


@refuses_unknown
@dataclass(frozen=True, kw_only=True)
class TwoState:
    """Two-state Markov losses.

    - `p_gb`: Probability that a packet is lost if the previous one arrived; number 0 to 1.
    - `p_bg`: Probability that a packet arrives if the previous one was lost; number 0 to 1.
    - `clock`: Step of the chain: a slot, or a packet; slot, packet.
    """

    kind: ClassVar[str] = "two-state"

    p_gb: float | Sequence[float] | Range
    p_bg: float | Sequence[float] | Range
    clock: Clock | Sequence[Clock] = "slot"


@refuses_unknown
@dataclass(frozen=True, kw_only=True)
class Burst:
    """Two-state Markov losses, given by loss rate and mean burst.

    - `loss_rate`: Mean loss rate: the probability that a packet is lost; number 0 to 1.
    - `mean_burst`: Mean number of packets lost in a row, at least 1. At 1 no loss follows another.
      For independent losses, whose bursts have the mean 1 / (1 - loss_rate), use `iid`; number >=
      1.
    - `clock`: Step of the chain: a slot, or a packet; slot, packet.
    """

    kind: ClassVar[str] = "burst"

    loss_rate: float | Sequence[float] | Range
    mean_burst: float | Sequence[float] | Range
    clock: Clock | Sequence[Clock] = "slot"


@refuses_unknown
@dataclass(frozen=True, kw_only=True)
class RayleighTwoState:
    """Two-state Markov losses of a fading link, given by its loss rate (or fading margin) and
    Doppler.

    - `doppler`: Normalised Doppler bandwidth `f_dT`, a number without unit: maximum Doppler shift
      times packet airtime; number 1e-09 to 1_000.
    - `loss_rate`: Mean loss rate: the probability that a packet is lost, below 1; number 0 to 1
      (None: `fading_margin_db` must be given).
    - `fading_margin_db`: Fading margin, in dB; number -20 to 200 (None: `loss_rate` must be given).
    - `clock`: Step of the chain: a slot, or a packet; slot, packet.
    """

    kind: ClassVar[str] = "rayleigh-two-state"

    doppler: float | Sequence[float] | Range
    loss_rate: float | Sequence[float] | Range | None = None
    fading_margin_db: float | Sequence[float] | Range | None = None
    clock: Clock | Sequence[Clock] = "slot"


@refuses_unknown
@dataclass(frozen=True, kw_only=True)
class Rayleigh:
    """Bit errors under Rayleigh fading.

    - `snr`: Mean ratio of energy per transmitted bit to noise density, in dB; ratio in dB.
    - `doppler`: Maximum Doppler shift; frequency.
    - `modulation`: Modulation of bits; bpsk, dpsk, fsk, ncfsk.
    - `code`: Error-correcting code of every packet; text (None: none).
    - `rician_k`: Rician K factor, a ratio of powers: direct path to scattered paths; 0: Rayleigh
      fading; number 0 to 1_000_000.
    - `mode`: Method of computing packet losses; both give the same distribution, `fast` in less
      time; fast, bits.
    """

    kind: ClassVar[str] = "rayleigh"

    snr: str | Sequence[str]
    doppler: str | Sequence[str]
    modulation: Modulation | Sequence[Modulation] = "bpsk"
    code: str | Sequence[str] | None = None
    rician_k: float | Sequence[float] | Range = 0.0
    mode: Mode | Sequence[Mode] = "fast"


@refuses_unknown
@dataclass(frozen=True, kw_only=True)
class JakesOscillators:
    """Bit errors under a sum of oscillators.

    - `snr`: Mean ratio of energy per transmitted bit to noise density, in dB; ratio in dB.
    - `doppler`: Maximum Doppler shift; frequency.
    - `oscillators`: Number of oscillators below the maximum Doppler shift (`N_0`); whole number 1
      to 1_024.
    - `modulation`: Modulation of bits; bpsk, dpsk, fsk, ncfsk.
    - `code`: Error-correcting code of every packet; text (None: none).
    - `mode`: Method of computing packet losses; both give the same distribution, `fast` in less
      time; fast, bits.
    """

    kind: ClassVar[str] = "jakes"

    snr: str | Sequence[str]
    doppler: str | Sequence[str]
    oscillators: int | Sequence[int] | Range = 8
    modulation: Modulation | Sequence[Modulation] = "bpsk"
    code: str | Sequence[str] | None = None
    mode: Mode | Sequence[Mode] = "fast"


@refuses_unknown
@dataclass(frozen=True, kw_only=True)
class GilbertElliott:
    """Two states with a loss probability each.

    - `p`: Probability of a step from the good state to the bad one; number 0 to 1.
    - `r`: Probability of a step from the bad state to the good one; number 0 to 1.
    - `h`: Probability that a packet arrives in the bad state; number 0 to 1.
    - `k`: Probability that a packet arrives in the good state; number 0 to 1.
    - `clock`: Step of the chain: a slot, or a packet; slot, packet.
    """

    kind: ClassVar[str] = "gilbert-elliott"

    p: float | Sequence[float] | Range
    r: float | Sequence[float] | Range
    h: float | Sequence[float] | Range = 0.0
    k: float | Sequence[float] | Range = 1.0
    clock: Clock | Sequence[Clock] = "slot"


@refuses_unknown
@dataclass(frozen=True, kw_only=True)
class States:
    """A chain of states with a loss probability each.

    - `loss`: Probability of losing a packet, for each state; list of values.
    - `transition`: Transition probabilities: one row for each state, each with the sum 1; list of
      lists.
    - `clock`: The step of the chain: a packet, a slot, or a length of time; packet, slot, or time.
    """

    kind: ClassVar[str] = "states"

    loss: Sequence[float]
    transition: Sequence[Sequence[float]]
    clock: str | Sequence[str] = "packet"


@refuses_unknown
@dataclass(frozen=True, kw_only=True)
class BitErrors:
    """Independent bit errors.

    - `bit_error_rate`: Probability that a bit is wrong, for each bit independently; number 0 to 1.
    """

    kind: ClassVar[str] = "bit-errors"

    bit_error_rate: float | Sequence[float] | Range


@refuses_unknown
@dataclass(frozen=True, kw_only=True)
class Sojourn:
    """Exponential sojourns in good and bad; a transmission is lost if any part of it is bad.

    - `good`: Mean length of a good sojourn, as a time or counted in packets or bits; time, or
      number of packets or bits.
    - `bad`: Mean length of a bad sojourn, counted as `good` is; time, or number of packets or bits.
    - `start`: State at the start of the run: good, or drawn from the long-run shares; good,
      stationary.
    """

    kind: ClassVar[str] = "sojourn"

    good: str | Sequence[str]
    bad: str | Sequence[str]
    start: Start | Sequence[Start] = "good"


@refuses_unknown
@dataclass(frozen=True, kw_only=True)
class OnOffLosses:
    """Channel of On phases with losses and Off phases without.

    - `on`: Mean length of an On phase; time.
    - `off`: Mean length of an Off phase; time.
    - `loss_rate`: Probability that a packet is lost while On; number 0 to 1.
    - `start`: Phase at the start of the run; off, on, stationary.
    - `lengths`: Distribution of the lengths; exponential, fixed.
    - `shared`: True if both directions of a hop share the phases. Both must then have an on-off
      channel under the same key: `channel`, `exit` or `marks`; true or false (None: each direction
      has its own).
    """

    kind: ClassVar[str] = "on-off"

    on: str | Sequence[str]
    off: str | Sequence[str]
    loss_rate: float | Sequence[float] | Range
    start: Start | Sequence[Start] = "off"
    lengths: Lengths | Sequence[Lengths] = "exponential"
    shared: bool | Sequence[bool] | None = None


@refuses_unknown
@dataclass(frozen=True, kw_only=True)
class Epochs:
    """Delay and loss rate that change together at regular intervals.

    - `every`: Length of an epoch; time.
    - `delay`: Distribution of the extra delay of an epoch; table (None: no extra delay).
    - `memories`: Correlation of the delays of successive epochs, as a sum of exponentials; list of
      tables (None: the delays are independent).
    - `loss`: Losses, whose rate is drawn for each epoch; table (None: the channel loses nothing).
    - `noise`: Further delay that changes within epochs; table (None: no further delay).
    """

    kind: ClassVar[str] = "epochs"

    every: str | Sequence[str]
    delay: Law | Sequence[Law] | None = None
    memories: Sequence[ScoreMemory] | None = None
    loss: EpochLoss | Sequence[EpochLoss] | None = None
    noise: EpochNoise | Sequence[EpochNoise] | None = None


@refuses_unknown
@dataclass(frozen=True, kw_only=True)
class LossTrace:
    """Losses from a list.

    - `lost`: Fates in order: 1 = lost, 0 = arrives; list of values (None: `file` must be given).
    - `clock`: Step of the list: one entry for every packet, for every slot, or for every length of
      time given; packet, slot, or time.
    - `repeat`: True if the list is repeated; otherwise nothing is lost after its end; true or
      false.
    - `start`: Entry at the start of the run: the first, or a random one in each run; first, random
      (None: the first).
    - `block`: Number of entries replayed in order before the replay jumps to another random entry;
      requires a random start; whole number 1 to 1_000_000_000 (None: no jumps).
    - `file`: CSV file with the column `lost`, in place of `lost`; text (None: `lost` must be
      given).
    """

    kind: ClassVar[str] = "trace"

    lost: Sequence[int] | None = None
    clock: str | Sequence[str] = "packet"
    repeat: bool | Sequence[bool] = True
    start: Start | Sequence[Start] | None = None
    block: int | Sequence[int] | Range | None = None
    file: str | None = None


@refuses_unknown
@dataclass(frozen=True, kw_only=True)
class Series:
    """A packet is lost if any member loses it.

    - `of`: Channels in series: a packet is lost if any of them loses it; list of tables.
    """

    kind: ClassVar[str] = "series"

    of: Sequence[Channel]


@refuses_unknown
@dataclass(frozen=True, kw_only=True)
class OnOff:
    """Times that the link is up and down.

    - `up`: Time that the link is up: a text gives the mean of an exponential time, a table any law.
      After the last of a finite list of lengths the link stays up; time, or table.
    - `down`: Time that the link is down: a text gives the mean of an exponential time, a table any
      law. After the last of a finite list of lengths there are no more outages; time, or table.
    - `loses`: Packets that an outage destroys: `all` that wait, are on the way or arrive meanwhile;
      or `nothing`, in which case packets wait until it ends; all, nothing.
    """

    kind: ClassVar[str] = "on-off"

    up: str | Law | Sequence[str | Law]
    down: str | Law | Sequence[str | Law]
    loses: Loses | Sequence[Loses] = "all"


@refuses_unknown
@dataclass(frozen=True, kw_only=True)
class Periodic:
    """Fixed up and down times, up from time 0.

    - `up`: Time that the link is up, in every period; time.
    - `down`: Time that the link is down, in every period; time.
    - `loses`: Packets that an outage destroys: `all` that wait, are on the way or arrive meanwhile;
      or `nothing`, in which case packets wait until it ends; all, nothing.
    """

    kind: ClassVar[str] = "periodic"

    up: str | Sequence[str]
    down: str | Sequence[str]
    loses: Loses | Sequence[Loses] = "all"


@refuses_unknown
@dataclass(frozen=True, kw_only=True)
class Schedule:
    """Outages at given instants.

    - `toggles`: Times, in increasing order, at which the link goes down, up, down, and so on. After
      an odd number of them it stays down; list of values (None: `file` must be given).
    - `loses`: Packets that an outage destroys: `all` that wait, are on the way or arrive meanwhile;
      or `nothing`, in which case packets wait until it ends; all, nothing.
    - `file`: CSV file with the column `time`, in place of `toggles`; text (None: `toggles` must be
      given).
    """

    kind: ClassVar[str] = "schedule"

    toggles: Sequence[str] | None = None
    loses: Loses | Sequence[Loses] = "all"
    file: str | None = None


@refuses_unknown
@dataclass(frozen=True, kw_only=True)
class DelaySpikes:
    """Spikes at random intervals, of random durations.

    - `interval`: Time from one spike to the next, measured as `timing` says; table.
    - `duration`: Length of a spike; table.
    - `timing`: Beginning of an interval: the `start` of the previous spike, or its end (`gap`);
      start, gap.
    - `direction`: Packets that are held: those to the far end of the hop (`forward`), those to its
      near end (`back`), or both; both, forward, back.
    """

    kind: ClassVar[str] = "spikes"

    interval: Law | Sequence[Law]
    duration: Law | Sequence[Law]
    timing: Timing | Sequence[Timing] = "start"
    direction: Direction | Sequence[Direction] = "both"


@refuses_unknown
@dataclass(frozen=True, kw_only=True)
class FixedLaw:
    """A constant length.

    - `value`: Length of every draw; time.
    """

    kind: ClassVar[str] = "fixed"

    value: str | Sequence[str]


@refuses_unknown
@dataclass(frozen=True, kw_only=True)
class UniformLaw:
    """A uniform distribution.

    - `min`: Shortest length; time.
    - `max`: Longest length; time.
    - `correlation`: Correlation of successive draws as netem computes it, which has almost no
      effect on delays below a second; number 0 to 1 (None: 0, which means independent draws).
    """

    kind: ClassVar[str] = "uniform"

    min: str | Sequence[str]
    max: str | Sequence[str]
    correlation: float | Sequence[float] | Range | None = None


@refuses_unknown
@dataclass(frozen=True, kw_only=True)
class ExponentialLaw:
    """An exponential distribution.

    - `mean`: Mean length; time.
    """

    kind: ClassVar[str] = "exponential"

    mean: str | Sequence[str]


@refuses_unknown
@dataclass(frozen=True, kw_only=True)
class ParetoLaw:
    """A Pareto distribution of type I.

    - `shape`: Tail index, a number above 1; up to 2 the variance is infinite; number 1 to 1_000
      (None: netem's distribution with `deviation`).
    - `mean`: Mean length; time (None: `min` must be given).
    - `min`: Shortest length; time (None: `mean` must be given).
    - `deviation`: Jitter as netem calls it, for netem's distribution in place of `shape`: the scale
      of its table; the standard deviation is 0.82 times that; time (None: `shape` must be given).
    - `correlation`: Correlation of successive draws as netem computes it, which has almost no
      effect on delays below a second; only with `deviation`; number 0 to 1 (None: 0).
    """

    kind: ClassVar[str] = "pareto"

    shape: float | Sequence[float] | Range | None = None
    mean: str | Sequence[str] | None = None
    min: str | Sequence[str] | None = None
    deviation: str | Sequence[str] | None = None
    correlation: float | Sequence[float] | Range | None = None


@refuses_unknown
@dataclass(frozen=True, kw_only=True)
class LomaxLaw:
    """A Lomax distribution.

    - `shape`: Tail index, a number above 1; up to 2 the variance is infinite; number 1 to 1_000.
    - `mean`: Mean length; time.
    """

    kind: ClassVar[str] = "lomax"

    shape: float | Sequence[float] | Range
    mean: str | Sequence[str]


@refuses_unknown
@dataclass(frozen=True, kw_only=True)
class LogNormalLaw:
    """A log-normal distribution.

    - `mean`: Mean length; time (None: `median` must be given).
    - `median`: Median length; time (None: `mean` must be given).
    - `sigma`: Standard deviation of the natural logarithm of a length, a number without unit;
      number 0 to 10.
    """

    kind: ClassVar[str] = "log-normal"

    mean: str | Sequence[str] | None = None
    median: str | Sequence[str] | None = None
    sigma: float | Sequence[float] | Range


@refuses_unknown
@dataclass(frozen=True, kw_only=True)
class GammaLaw:
    """A gamma distribution.

    - `shape`: Shape parameter, a number without unit; 1: exponential; below 1: more short lengths
      than that; number 0.01 to 1_000.
    - `mean`: Mean length, including the shift; time.
    - `shift`: Shortest length; time.
    """

    kind: ClassVar[str] = "gamma"

    shape: float | Sequence[float] | Range
    mean: str | Sequence[str]
    shift: str | Sequence[str] = "0s"


@refuses_unknown
@dataclass(frozen=True, kw_only=True)
class HyperExponentialLaw:
    """A hyper-exponential distribution.

    - `weights`: Weights of the components, above 0; they are divided by their sum; list of values.
    - `means`: Mean length of each component; list of values.
    """

    kind: ClassVar[str] = "hyper-exponential"

    weights: Sequence[float]
    means: Sequence[str]


@refuses_unknown
@dataclass(frozen=True, kw_only=True)
class NormalLaw:
    """A normal distribution of netem.

    - `mean`: Mean length before negative lengths are cut at 0; time.
    - `deviation`: Standard deviation, which netem calls jitter; time.
    - `correlation`: Correlation of successive draws as netem computes it, which has almost no
      effect on delays below a second; number 0 to 1 (None: 0).
    """

    kind: ClassVar[str] = "normal"

    mean: str | Sequence[str]
    deviation: str | Sequence[str]
    correlation: float | Sequence[float] | Range | None = None


@refuses_unknown
@dataclass(frozen=True, kw_only=True)
class ParetoNormalLaw:
    """A Pareto-normal distribution of netem.

    - `mean`: Mean length before negative lengths are cut at 0; time.
    - `deviation`: Jitter as netem calls it: the scale of its table; the standard deviation is 0.83
      times that; time.
    - `correlation`: Correlation of successive draws as netem computes it, which has almost no
      effect on delays below a second; number 0 to 1 (None: 0).
    """

    kind: ClassVar[str] = "paretonormal"

    mean: str | Sequence[str]
    deviation: str | Sequence[str]
    correlation: float | Sequence[float] | Range | None = None


@refuses_unknown
@dataclass(frozen=True, kw_only=True)
class ModulatedLaw:
    """A Markov-modulated distribution.

    - `laws`: Distribution of each state; list of tables.
    - `transition`: Transition probabilities: one row for each state, each with the sum 1; list of
      lists.
    """

    kind: ClassVar[str] = "modulated"

    laws: Sequence[Law]
    transition: Sequence[Sequence[float]]


@refuses_unknown
@dataclass(frozen=True, kw_only=True)
class AutoregressiveLaw:
    """An autoregressive distribution of order 1 in normal scores.

    - `marginal`: Distribution of each length by itself; it must not have a correlation of its own;
      table.
    - `correlation`: Correlation between the normal scores of one draw and the next, between -1 and
      1; number -1 to 1.
    """

    kind: ClassVar[str] = "autoregressive"

    marginal: Law | Sequence[Law]
    correlation: float | Sequence[float] | Range


@refuses_unknown
@dataclass(frozen=True, kw_only=True)
class ValuesLaw:
    """Lengths from a list.

    - `values`: Lengths in order; list of values (None: `file` must be given).
    - `repeat`: True if the list is repeated; otherwise nothing happens after its end; true or
      false.
    - `file`: CSV file with the column `value`, in place of `values`; text (None: `values` must be
      given).
    """

    kind: ClassVar[str] = "values"

    values: Sequence[str] | None = None
    repeat: bool | Sequence[bool] = True
    file: str | None = None


@refuses_unknown
@dataclass(frozen=True, kw_only=True)
class StepRates:
    """A list of rates, each of which holds from its time on.

    - `values`: Changes of the rate, in order of time, as a list or as text: lines of nanoseconds
      and bit/s. The first rate holds before the first change too; list of tables, or text (None:
      `file` must be given).
    - `end`: Behaviour after the last change: its rate persists (`hold`); or it lasts as long as the
      rate before it, and then the list starts again (`repeat`) or nothing more is sent (`stop`);
      hold, repeat, stop.
    - `file`: CSV file with a column of times and one of rates, in place of `values`; text (None:
      `values` must be given).
    - `time_column`: Column of times in the file: its name, or its number, counted from 1; text, or
      whole number (None: the column with a usual name, such as `time`).
    - `rate_column`: Column of rates in the file: its name, or its number, counted from 1; text, or
      whole number (None: the column with a usual name, such as `rate`).
    - `time_unit`: Unit of the times: s, ms, us, or ns; text (None: the unit in the column's name,
      or s).
    - `rate_unit`: Unit of the rates: bps, kbps, Mbps, Gbps, B/s, kB/s, MB/s, or GB/s; text (None:
      the unit in the column's name, or Mbps).
    - `from_first`: True if the run starts at the time of the first row, false if at time 0; true or
      false (None: true where times are dates, else false).
    - `same_time`: Choice among rows of equal time: first, last, or mean; text (None: such rows are
      refused).
    """

    kind: ClassVar[str] = "steps"

    values: Sequence[RateChange] | str | None = None
    end: End | Sequence[End] = "hold"
    file: str | None = None
    time_column: str | int | None = None
    rate_column: str | int | None = None
    time_unit: str | None = None
    rate_unit: str | None = None
    from_first: bool | None = None
    same_time: str | None = None


@refuses_unknown
@dataclass(frozen=True, kw_only=True)
class SineRates:
    """A sine wave in steps, which starts at its mean and rises.

    - `mean`: Mean rate; rate.
    - `amplitude`: Largest deviation from the mean; at most the mean; rate.
    - `period`: Time from one peak to the next; time.
    - `steps`: Number of equal steps per period, each at its mean rate; whole number 2 to 100_000.
    """

    kind: ClassVar[str] = "sine"

    mean: str | Sequence[str]
    amplitude: str | Sequence[str]
    period: str | Sequence[str]
    steps: int | Sequence[int] | Range = 100


@refuses_unknown
@dataclass(frozen=True, kw_only=True)
class RandomWalkRates:
    """A random walk of the rate, reflected at a lowest and a highest rate.

    - `low`: Lowest rate; may be 0bps; rate.
    - `high`: Highest rate; rate.
    - `step`: Step of the random walk, up or down with probability 1/2 each; at most half of `high`
      minus `low`; rate.
    - `every`: Time between two steps; time.
    - `start`: Rate at the start of the run; rate (None: halfway between `low` and `high`).
    """

    kind: ClassVar[str] = "random-walk"

    low: str | Sequence[str]
    high: str | Sequence[str]
    step: str | Sequence[str]
    every: str | Sequence[str]
    start: str | Sequence[str] | None = None


@refuses_unknown
@dataclass(frozen=True, kw_only=True)
class AutoregressiveRates:
    """An autoregressive process in normal scores.

    - `every`: Time after which a new rate is drawn; time.
    - `levels`: Rates that occur, from the lowest to the highest, each with its probability; list of
      tables.
    - `memories`: Correlation in time, as a sum of exponentials; list of tables (None: each rate is
      independent of those before).
    """

    kind: ClassVar[str] = "autoregressive"

    every: str | Sequence[str]
    levels: Sequence[RateLevel]
    memories: Sequence[ScoreMemory] | None = None


@refuses_unknown
@dataclass(frozen=True, kw_only=True)
class FixedSize:
    """A constant size.

    - `value`: Size of every transfer; size.
    """

    kind: ClassVar[str] = "fixed"

    value: str | Sequence[str]


@refuses_unknown
@dataclass(frozen=True, kw_only=True)
class ExponentialSize:
    """An exponential distribution.

    - `mean`: Mean size; size.
    """

    kind: ClassVar[str] = "exponential"

    mean: str | Sequence[str]


@refuses_unknown
@dataclass(frozen=True, kw_only=True)
class ParetoSize:
    """A Pareto distribution.

    - `shape`: Tail index, a number above 1; up to 2 the variance is infinite; number 1 to 1_000.
    - `mean`: Mean size; not with `max`; size (None: `min` must be given).
    - `min`: Smallest size; size (None: `mean` must be given).
    - `max`: Largest size; size (None: no limit).
    """

    kind: ClassVar[str] = "pareto"

    shape: float | Sequence[float] | Range
    mean: str | Sequence[str] | None = None
    min: str | Sequence[str] | None = None
    max: str | Sequence[str] | None = None


@refuses_unknown
@dataclass(frozen=True, kw_only=True)
class LogNormalSize:
    """A log-normal distribution.

    - `mean`: Mean size; size.
    - `sigma`: Standard deviation of the natural logarithm of a size, a number without unit; number
      0 to 10.
    """

    kind: ClassVar[str] = "log-normal"

    mean: str | Sequence[str]
    sigma: float | Sequence[float] | Range


@refuses_unknown
@dataclass(frozen=True, kw_only=True)
class ListSize:
    """Sizes from a list.

    - `values`: Sizes in order; list of values (None: `file` must be given).
    - `repeat`: True if the list is repeated; otherwise nothing is transferred after its end; true
      or false.
    - `file`: CSV file with the column `size`, in place of `values`; text (None: `values` must be
      given).
    """

    kind: ClassVar[str] = "list"

    values: Sequence[str] | None = None
    repeat: bool | Sequence[bool] = True
    file: str | None = None


@refuses_unknown
@dataclass(frozen=True, kw_only=True)
class DropTailQueue:
    """A drop-tail queue.

    - `packets`: Limit in packets, counting the one in transmission; whole number 2 to 1_000_000_000
      (None: no limit in packets).
    - `bytes`: Limit on the bytes that wait; size (None: no limit in bytes).
    """

    kind: ClassVar[str] = "drop-tail"

    packets: int | Sequence[int] | Range | None = None
    bytes: str | Sequence[str] | None = None


@refuses_unknown
@dataclass(frozen=True, kw_only=True)
class HeadDropQueue:
    """A queue that drops at its head.

    - `packets`: Limit in packets, counting the one in transmission; whole number 2 to 1_000_000_000
      (None: no limit in packets).
    - `bytes`: Limit on the bytes that wait; size (None: no limit in bytes).
    """

    kind: ClassVar[str] = "head-drop"

    packets: int | Sequence[int] | Range | None = None
    bytes: str | Sequence[str] | None = None


@refuses_unknown
@dataclass(frozen=True, kw_only=True)
class CoDelQueue:
    """Controlled delay.

    - `target`: Acceptable standing delay: the time in the queue that packets may exceed for no
      longer than one `interval`; time.
    - `interval`: Time for which packets may wait longer than `target` before drops begin: about the
      longest round trip; time.
    - `mtu`: Length of the longest packet; the queue drops nothing while no more than this waits;
      size.
    - `ecn`: True if ECN-capable packets are marked instead of dropped; true or false.
    - `packets`: Limit in packets, counting the one in transmission; whole number 2 to 1_000_000_000
      (None: 1000, or no limit in packets if `bytes` is given).
    - `bytes`: Limit on the bytes that wait; size (None: no limit in bytes).
    """

    kind: ClassVar[str] = "codel"

    target: str | Sequence[str] = "5ms"
    interval: str | Sequence[str] = "100ms"
    mtu: str | Sequence[str] = "1500B"
    ecn: bool | Sequence[bool] = True
    packets: int | Sequence[int] | Range | None = None
    bytes: str | Sequence[str] | None = None


@refuses_unknown
@dataclass(frozen=True, kw_only=True)
class FqCoDelQueue:
    """Flow queueing with controlled delay.

    - `target`: Acceptable standing delay: the time in a flow's queue that packets may exceed for no
      longer than one `interval`; time.
    - `interval`: Time for which packets may wait longer than `target` before drops begin: about the
      longest round trip; time.
    - `quantum`: Bytes that a flow may send in its turn; size.
    - `flows`: Number of queues, to which flows are assigned; whole number 1 to 65_536.
    - `hash`: True if a hash assigns flows to queues, so that several may share one; true or false.
    - `mtu`: Length of the longest packet; a flow's queue drops nothing while no more than this
      waits; size.
    - `ecn`: True if ECN-capable packets are marked instead of dropped; true or false.
    - `packets`: Limit in packets, counting the one in transmission; whole number 2 to 1_000_000_000
      (None: 10240, or no limit in packets if `bytes` is given).
    - `bytes`: Limit on the bytes that wait; size (None: no limit in bytes).
    """

    kind: ClassVar[str] = "fq-codel"

    target: str | Sequence[str] = "5ms"
    interval: str | Sequence[str] = "100ms"
    quantum: str | Sequence[str] = "1514B"
    flows: int | Sequence[int] | Range = 1024
    hash: bool | Sequence[bool] = False
    mtu: str | Sequence[str] = "1500B"
    ecn: bool | Sequence[bool] = True
    packets: int | Sequence[int] | Range | None = None
    bytes: str | Sequence[str] | None = None


@refuses_unknown
@dataclass(frozen=True, kw_only=True)
class DrrQueue:
    """Deficit round robin.

    - `quantum`: Bytes that a flow may send in a round; size.
    - `flows`: Number of queues, to which flows are assigned; whole number 1 to 65_536.
    - `hash`: True if a hash assigns flows to queues, so that several may share one; true or false.
    - `packets`: Limit in packets, counting the one in transmission; whole number 2 to 1_000_000_000
      (None: 1000, or no limit in packets if `bytes` is given).
    - `bytes`: Limit on the bytes that wait; size (None: no limit in bytes).
    """

    kind: ClassVar[str] = "drr"

    quantum: str | Sequence[str] = "1500B"
    flows: int | Sequence[int] | Range = 1024
    hash: bool | Sequence[bool] = False
    packets: int | Sequence[int] | Range | None = None
    bytes: str | Sequence[str] | None = None


@refuses_unknown
@dataclass(frozen=True, kw_only=True)
class PieQueue:
    """Proportional integral controller, enhanced.

    - `target`: Target queueing delay of the controller; time.
    - `update`: Time between two steps of the controller; time.
    - `burst`: Time for which a burst may exceed the target before anything is dropped; time.
    - `mean_packet`: Mean length of packets: nothing is dropped while at most two of them wait;
      size.
    - `derandomize`: True if drops are spaced more evenly than independent random drops; true or
      false.
    - `cap`: True if increases of the drop probability are limited while it is above 0.1; true or
      false.
    - `ecn`: True if ECN-capable packets are marked instead of dropped while the probability is
      below 0.1; true or false.
    - `packets`: Limit in packets, counting the one in transmission; whole number 2 to 1_000_000_000
      (None: 1000, or no limit in packets if `bytes` is given).
    - `bytes`: Limit on the bytes that wait; size (None: no limit in bytes).
    """

    kind: ClassVar[str] = "pie"

    target: str | Sequence[str] = "15ms"
    update: str | Sequence[str] = "15ms"
    burst: str | Sequence[str] = "150ms"
    mean_packet: str | Sequence[str] = "1024B"
    derandomize: bool | Sequence[bool] = False
    cap: bool | Sequence[bool] = False
    ecn: bool | Sequence[bool] = True
    packets: int | Sequence[int] | Range | None = None
    bytes: str | Sequence[str] | None = None


@refuses_unknown
@dataclass(frozen=True, kw_only=True)
class RedQueue:
    """Random early detection.

    - `min`: Average queue length, in packets, above which packets are dropped at random; number 0
      to 1_000_000.
    - `max`: Average queue length, in packets, at which the drop probability is `max_p`; number 0 to
      1_000_000.
    - `max_p`: Drop probability at `max`; number 0 to 1.
    - `weight`: Weight of the newest queue length in the average, from 0 to 1; number 0 to 1.
    - `gentle`: True if the drop probability rises linearly to 1 between `max` and twice `max`,
      instead of jumping to 1 at `max`; true or false.
    - `adaptive`: True if `max_p` adapts to the load (Adaptive RED); true or false.
    - `mean_packet`: Length of a typical packet; size.
    - `in_bytes`: True if the queue is measured in bytes; `min` and `max` are then multiples of
      `mean_packet`; true or false.
    - `by_size`: True if the drop probability is proportional to the length of the packet; true or
      false.
    - `max_packet`: Length, with `by_size`, of a packet whose drop probability is not scaled; a
      packet half as long has half the probability; size.
    - `ecn`: True if ECN-capable packets are marked instead of dropped; true or false.
    - `packets`: Limit in packets, counting the one in transmission; whole number 2 to 1_000_000_000
      (None: 1000, or no limit in packets if `bytes` is given).
    - `bytes`: Limit on the bytes that wait; size (None: no limit in bytes).
    """

    kind: ClassVar[str] = "red"

    min: float | Sequence[float] | Range = 5.0
    max: float | Sequence[float] | Range = 15.0
    max_p: float | Sequence[float] | Range = 0.1
    weight: float | Sequence[float] | Range = 0.002
    gentle: bool | Sequence[bool] = True
    adaptive: bool | Sequence[bool] = False
    mean_packet: str | Sequence[str] = "500B"
    in_bytes: bool | Sequence[bool] = False
    by_size: bool | Sequence[bool] = False
    max_packet: str | Sequence[str] = "1500B"
    ecn: bool | Sequence[bool] = True
    packets: int | Sequence[int] | Range | None = None
    bytes: str | Sequence[str] | None = None


@refuses_unknown
@dataclass(frozen=True, kw_only=True)
class NsRedQueue:
    """RED of ns-2.

    - `min`: Minimum threshold of RED: average queue length, in packets, above which packets are
      dropped at random (`thresh_`); number 0 to 1_000_000.
    - `max`: Maximum threshold of RED: average queue length, in packets, at which the drop
      probability is `max_p` (`maxthresh_`). It does not limit the queue; `packets` does; number 0
      to 1_000_000.
    - `max_p`: Drop probability at `max` (1 / `linterm_`); number 0 to 1.
    - `weight`: Weight of the newest queue length in the average, from 0 to 1 (`q_weight_`); number
      0 to 1.
    - `gentle`: True if the drop probability rises linearly to 1 between `max` and twice `max`,
      instead of jumping to 1 at `max` (`gentle_`); true or false.
    - `wait`: True if the gap between two drops is at least half the mean gap (`wait_`); true or
      false.
    - `mean_packet`: Length of a typical packet (`mean_pktsize_`); size.
    - `by_size`: True if the drop probability grows with the length of the packet (`bytes_`); true
      or false.
    - `in_bytes`: True if the queue is measured in bytes; `min`, `max` and the limit are then
      multiples of `mean_packet` (`queue_in_bytes_`); true or false.
    - `ecn`: True if ECN-capable packets are marked instead of dropped (`setbit_`); true or false.
    - `mark_p`: Probability above which ECN-capable packets are dropped, not marked (`use_mark_p_`,
      `mark_p_`); number 0 to 2 (None: they are dropped only when the average queue length calls for
      a drop of every packet).
    - `ns1_compat`: True if a forced drop does not restart the count of packets since the last drop
      (`ns1_compat_`); true or false.
    - `packets`: Number of packets that may wait, not counting the one in transmission (`limit_`);
      whole number 1 to 1_000_000_000.
    - `drawn`: Number of random numbers that ns has drawn before the first packet: two for each
      `Agent/TCP`. All `ns-red` queues of a scenario draw from one sequence, so only the value at
      the first one counts; whole number 0 to 1_000_000.
    """

    kind: ClassVar[str] = "ns-red"

    min: float | Sequence[float] | Range = 5.0
    max: float | Sequence[float] | Range = 15.0
    max_p: float | Sequence[float] | Range = 0.1
    weight: float | Sequence[float] | Range = 0.002
    gentle: bool | Sequence[bool] = True
    wait: bool | Sequence[bool] = True
    mean_packet: str | Sequence[str] = "500B"
    by_size: bool | Sequence[bool] = False
    in_bytes: bool | Sequence[bool] = False
    ecn: bool | Sequence[bool] = False
    mark_p: float | Sequence[float] | Range | None = None
    ns1_compat: bool | Sequence[bool] = False
    packets: int | Sequence[int] | Range = 50
    drawn: int | Sequence[int] | Range = 0


@refuses_unknown
@dataclass(frozen=True, kw_only=True)
class DualPi2Queue:
    """Two coupled queues, one of low latency and a classic one.

    - `target`: Target queueing delay of the classic queue; time.
    - `update`: Time between two steps of the controller (Tupdate); time.
    - `alpha`: Weight of the distance from the target delay, in Hz; number 0 to 1_000.
    - `beta`: Weight of the change of the delay since the last step, in Hz; number 0 to 1_000.
    - `coupling`: Coupling factor k, a number without unit: how strongly the classic queue makes the
      low-latency queue mark; 0: the two queues are independent; number 0 to 1_000.
    - `threshold`: Queueing delay above which packets of the low-latency queue are marked (minTh);
      time.
    - `range`: Width of the ramp above the threshold, at whose end every packet is marked; 0s: a
      step; time.
    - `th_len`: Number of low-latency packets that may be queued behind a packet before its delay
      can mark it (`Th_len`); whole number 0 to 1_000_000.
    - `p_cmax`: Probability of the classic queue from which on it drops even ECN-capable packets;
      number 0 to 1 (None: 1/k^2, but at most 1).
    - `p_lmax`: Coupled mark probability from which on low-latency packets are dropped as well;
      number 0 to 1.
    - `scheduler`: Scheduler of the two queues: weighted round robin (`wrr`), or the queue whose
      packet has waited longest, with an advantage of `shift` for the low-latency queue (`ts-fifo`);
      wrr, ts-fifo.
    - `classic_weight`: Share of the link that the classic queue gets while both queues wait, with
      scheduler `wrr`; number 0.001 to 0.999.
    - `shift`: Time by which a classic packet must have waited longer than a low-latency packet to
      go first, with scheduler `ts-fifo`; time.
    - `mtu`: Maximum packet length; a packet is dropped on arrival unless one of this length would
      fit; size.
    - `bytes`: Limit on the bytes that wait in both queues; size (None: the bytes that the link
      sends in 250 ms).
    """

    kind: ClassVar[str] = "dualpi2"

    target: str | Sequence[str] = "15ms"
    update: str | Sequence[str] = "16ms"
    alpha: float | Sequence[float] | Range = 0.16
    beta: float | Sequence[float] | Range = 3.2
    coupling: float | Sequence[float] | Range = 2.0
    threshold: str | Sequence[str] = "800us"
    range: str | Sequence[str] = "400us"
    th_len: int | Sequence[int] | Range = 1
    p_cmax: float | Sequence[float] | Range | None = None
    p_lmax: float | Sequence[float] | Range = 1.0
    scheduler: Scheduler | Sequence[Scheduler] = "wrr"
    classic_weight: float | Sequence[float] | Range = 0.0625
    shift: str | Sequence[str] = "50ms"
    mtu: str | Sequence[str] = "1500B"
    bytes: str | Sequence[str] | None = None


@refuses_unknown
@dataclass(frozen=True, kw_only=True)
class TokenBucketQueue:
    """A token bucket.

    - `rate`: Rate at which tokens arrive; rate.
    - `burst`: Size of the bucket, which is full at the start; size.
    - `excess`: Treatment of packets that find too few tokens; wait, drop.
    - `packets`: Limit in packets, counting the one in transmission; whole number 2 to 1_000_000_000
      (None: 1000, or no limit in packets if `bytes` is given).
    - `bytes`: Limit on the bytes that wait; size (None: no limit in bytes).
    """

    kind: ClassVar[str] = "token-bucket"

    rate: str | Sequence[str]
    burst: str | Sequence[str]
    excess: Excess | Sequence[Excess] = "wait"
    packets: int | Sequence[int] | Range | None = None
    bytes: str | Sequence[str] | None = None


@refuses_unknown
@dataclass(frozen=True, kw_only=True)
class PriorityQueue:
    """Strict priority.

    - `bands`: Flows of each band, the most important band first; all other flows form the last
      band. A flow is given by its number, cross-traffic by its table such as `"traffic[0]"`; list
      of lists.
    - `packets`: Limit in packets, counting the one in transmission; whole number 2 to 1_000_000_000
      (None: 1000, or no limit in packets if `bytes` is given).
    - `bytes`: Limit on the bytes that wait; size (None: no limit in bytes).
    """

    kind: ClassVar[str] = "priority"

    bands: Sequence[Sequence[int | str]]
    packets: int | Sequence[int] | Range | None = None
    bytes: str | Sequence[str] | None = None


@refuses_unknown
@dataclass(frozen=True, kw_only=True)
class Reno:
    """The growth of Reno and NewReno."""

    kind: ClassVar[str] = "reno"


@refuses_unknown
@dataclass(frozen=True, kw_only=True)
class Cubic:
    """Parameters of CUBIC.

    - `beta`: Share of the window that remains after a loss (`beta_cubic`) [RFC 9438 4.6]; number
      0.01 to 0.99.
    - `c`: Steepness of the cubic function (C), in segments per second cubed [RFC 9438 5.1]; number
      0.001 to 1_000.
    - `fast_convergence`: True if a flow that loses a packet below its last peak reduces its target
      further, to make room for new flows [RFC 9438 4.7]; true or false.
    """

    kind: ClassVar[str] = "cubic"

    beta: float | Sequence[float] | Range = 0.7
    c: float | Sequence[float] | Range = 0.4
    fast_convergence: bool | Sequence[bool] = True


@refuses_unknown
@dataclass(frozen=True, kw_only=True)
class Westwood:
    """Parameters of Westwood+.

    - `alpha`: Weight of the previous bandwidth estimate in the new one (alpha): 0.9 [Grieco and
      Mascolo 2004]; number 0 to 0.999.
    """

    kind: ClassVar[str] = "westwood"

    alpha: float | Sequence[float] | Range = 0.9


@refuses_unknown
@dataclass(frozen=True, kw_only=True)
class Veno:
    """Parameters of Veno.

    - `beta`: Number of segments queued in the network from which a loss counts as congestion (beta)
      [Fu and Liew 2003]; number 0 to 1_000.
    - `random`: Share of the window that remains after a loss that counts as random [Fu and Liew
      2003]; number 0.5 to 1.
    """

    kind: ClassVar[str] = "veno"

    beta: float | Sequence[float] | Range = 3.0
    random: float | Sequence[float] | Range = 0.8


@refuses_unknown
@dataclass(frozen=True, kw_only=True)
class Vegas:
    """Parameters of Vegas.

    - `alpha`: Number of segments queued in the network below which the window grows [Brakmo and
      Peterson 1995]; number 0 to 1_000.
    - `beta`: Number of segments queued in the network above which the window shrinks; at least
      alpha [Brakmo and Peterson 1995]; number 0 to 1_000.
    - `gamma`: Number of segments queued in the network above which slow start ends [Brakmo and
      Peterson 1995]; number 0 to 1_000.
    """

    kind: ClassVar[str] = "vegas"

    alpha: float | Sequence[float] | Range = 1.0
    beta: float | Sequence[float] | Range = 3.0
    gamma: float | Sequence[float] | Range = 1.0


@refuses_unknown
@dataclass(frozen=True, kw_only=True)
class Hybla:
    """Parameters of Hybla.

    - `rtt0`: Round trip of the reference connection (RTT0): the window of every flow grows as fast
      as the reference connection's [Caini and Firrincieli 2004]; time.
    """

    kind: ClassVar[str] = "hybla"

    rtt0: str | Sequence[str] = "25ms"


@refuses_unknown
@dataclass(frozen=True, kw_only=True)
class Illinois:
    """Parameters of Illinois.

    - `alpha_max`: Largest increase of the window, in segments per round trip: with an empty queue
      [Liu et al. 2008]; number 0.01 to 1_000.
    - `alpha_min`: Smallest increase of the window, in segments per round trip: at the largest
      queueing delay; at most alpha_max [Liu et al. 2008]; number 0.001 to 1_000.
    - `beta_min`: Share by which a loss reduces the window when the queue is almost empty; at most
      beta_max [Liu et al. 2008]; number 0.01 to 0.99.
    - `beta_max`: Share by which a loss reduces the window at large queueing delays [Liu et al.
      2008]; number 0.01 to 0.99.
    - `eta1`: Queueing delay up to which the increase is alpha_max, as a share of the largest
      queueing delay (eta1) [Liu et al. 2008]; number 0 to 0.99.
    - `eta2`: Queueing delay up to which the reduction is beta_min, as a share of the largest
      queueing delay (eta2) [Liu et al. 2008]; number 0 to 1.
    - `eta3`: Queueing delay from which the reduction is beta_max, as a share of the largest
      queueing delay (eta3); above eta2 [Liu et al. 2008]; number 0 to 1.
    - `w_thresh`: Window in segments below which growth is Reno's [Liu et al. 2008]; number 0 to
      1_000_000.
    - `theta`: Number of round trips with a small queueing delay after which the increase returns to
      alpha_max (theta) [Liu et al. 2008]; whole number 1 to 1_000.
    """

    kind: ClassVar[str] = "illinois"

    alpha_max: float | Sequence[float] | Range = 10.0
    alpha_min: float | Sequence[float] | Range = 0.3
    beta_min: float | Sequence[float] | Range = 0.125
    beta_max: float | Sequence[float] | Range = 0.5
    eta1: float | Sequence[float] | Range = 0.01
    eta2: float | Sequence[float] | Range = 0.1
    eta3: float | Sequence[float] | Range = 0.8
    w_thresh: float | Sequence[float] | Range = 15.0
    theta: int | Sequence[int] | Range = 5


@refuses_unknown
@dataclass(frozen=True, kw_only=True)
class LedbatPlus:
    """Parameters of LEDBAT++.

    - `target`: Target queueing delay [draft-irtf-iccrg-ledbat-plus-plus]; time.
    - `constant`: Factor by which a delay above the target shrinks the window (Constant)
      [draft-irtf-iccrg-ledbat-plus-plus, 4.3]; number 0 to 100.
    - `slowdowns`: True if the flow slows down periodically, so that it can measure the path without
      its own queue [draft-irtf-iccrg-ledbat-plus-plus, 4.4]; true or false.
    """

    kind: ClassVar[str] = "ledbat++"

    target: str | Sequence[str] = "60ms"
    constant: float | Sequence[float] | Range = 1.0
    slowdowns: bool | Sequence[bool] = True


@refuses_unknown
@dataclass(frozen=True, kw_only=True)
class Dctcp:
    """Parameters of DCTCP.

    - `gain`: Weight of the last window in the moving average of the share of marked packets (g)
      [RFC 8257 4.2]; number 0.0001 to 1.
    """

    kind: ClassVar[str] = "dctcp"

    gain: float | Sequence[float] | Range = 0.0625


@refuses_unknown
@dataclass(frozen=True, kw_only=True)
class Prague:
    """Parameters of Prague.

    - `gain`: Weight of the last round trip in the moving average of the share of marked packets
      (g); number 0.0001 to 1.
    - `rtt_virtual`: Virtual round trip: flows with a shorter round trip behave as if it were this
      long; time.
    """

    kind: ClassVar[str] = "prague"

    gain: float | Sequence[float] | Range = 0.0625
    rtt_virtual: str | Sequence[str] = "25ms"


@refuses_unknown
@dataclass(frozen=True, kw_only=True)
class DuplicateAcks:
    """Duplicate ACKs counted."""

    kind: ClassVar[str] = "duplicate-acks"


@refuses_unknown
@dataclass(frozen=True, kw_only=True)
class Rfc6675:
    """`IsLost()` of RFC 6675."""

    kind: ClassVar[str] = "rfc6675"


@refuses_unknown
@dataclass(frozen=True, kw_only=True)
class RackTlp:
    """RACK-TLP with the constants of RFC 8985."""

    kind: ClassVar[str] = "rack-tlp"


@refuses_unknown
@dataclass(frozen=True, kw_only=True)
class AtOnce:
    """The reduction of the standards."""

    kind: ClassVar[str] = "at-once"


@refuses_unknown
@dataclass(frozen=True, kw_only=True)
class Prr:
    """Proportional rate reduction.

    - `base`: Denominator of the reduction: `flight`, the data outstanding [RFC 9937], or `window`,
      as in Linux; flight, window.
    """

    kind: ClassVar[str] = "prr"

    base: Base | Sequence[Base] = "flight"


@refuses_unknown
@dataclass(frozen=True, kw_only=True)
class Standard:
    """The slow start of the standards."""

    kind: ClassVar[str] = "standard"


@refuses_unknown
@dataclass(frozen=True, kw_only=True)
class HyStartPlus:
    """HyStart++ with the constants that RFC 9406 section 4.3 recommends."""

    kind: ClassVar[str] = "hystart++"


@refuses_unknown
@dataclass(frozen=True, kw_only=True)
class BufferBased:
    """A choice by the fill level of the buffer alone.

    - `reservoir`: Fill level up to which the bitrate is the lowest, as a share of `buffer` minus
      one chunk; number 0 to 1.
    - `full`: Fill level from which the bitrate is the highest, as a share of `buffer` minus one
      chunk; number 0 to 1.
    """

    kind: ClassVar[str] = "buffer"

    reservoir: float | Sequence[float] | Range = 0.375
    full: float | Sequence[float] | Range = 0.9


@refuses_unknown
@dataclass(frozen=True, kw_only=True)
class ThroughputBased:
    """A choice by the measured throughput.

    - `share`: Share of the mean throughput that the bitrate may reach; number 0 to 10.
    - `chunks`: Number of latest chunks over which the throughput is averaged; whole number 1 to
      1_000.
    """

    kind: ClassVar[str] = "throughput"

    share: float | Sequence[float] | Range = 0.85
    chunks: int | Sequence[int] | Range = 20


AnyTcp: TypeAlias = ZorziTcp | Ns2Tcp | RfcTcp | BsdTcp | LinuxTcp | Mapping[str, Any]
TRANSPORTS: dict[str, type[Any]] = {
    "zorzi": ZorziTcp,
    "ns2": Ns2Tcp,
    "rfc": RfcTcp,
    "bsd": BsdTcp,
    "linux": LinuxTcp,
}


def Tcp(**keys: Any) -> dict[str, Any]:  # noqa: N802  (it was a class)
    """Keys of `tcp`, whichever the profile has: classes such as `RfcTcp` say which these are."""
    return keys


FlowTcp = Tcp

Channel: TypeAlias = (
    Iid
    | TwoState
    | Burst
    | RayleighTwoState
    | Rayleigh
    | JakesOscillators
    | GilbertElliott
    | States
    | BitErrors
    | Sojourn
    | OnOffLosses
    | Epochs
    | LossTrace
    | Series
)
Gate: TypeAlias = OnOff | Periodic | Schedule | DelaySpikes
Law: TypeAlias = (
    FixedLaw
    | UniformLaw
    | ExponentialLaw
    | ParetoLaw
    | LomaxLaw
    | LogNormalLaw
    | GammaLaw
    | HyperExponentialLaw
    | NormalLaw
    | ParetoNormalLaw
    | ModulatedLaw
    | AutoregressiveLaw
    | ValuesLaw
)
Rates: TypeAlias = StepRates | SineRates | RandomWalkRates | AutoregressiveRates
SizeLaw: TypeAlias = FixedSize | ExponentialSize | ParetoSize | LogNormalSize | ListSize
Queue: TypeAlias = (
    DropTailQueue
    | HeadDropQueue
    | CoDelQueue
    | FqCoDelQueue
    | DrrQueue
    | PieQueue
    | RedQueue
    | NsRedQueue
    | DualPi2Queue
    | TokenBucketQueue
    | PriorityQueue
)
Congestion: TypeAlias = (
    Literal[
        "reno",
        "cubic",
        "westwood",
        "veno",
        "vegas",
        "hybla",
        "illinois",
        "ledbat++",
        "dctcp",
        "prague",
    ]
    | Reno
    | Cubic
    | Westwood
    | Veno
    | Vegas
    | Hybla
    | Illinois
    | LedbatPlus
    | Dctcp
    | Prague
)
Detection: TypeAlias = (
    Literal["duplicate-acks", "rfc6675", "rack-tlp"] | DuplicateAcks | Rfc6675 | RackTlp
)
Reduction: TypeAlias = Literal["at-once", "prr"] | AtOnce | Prr
SlowStart: TypeAlias = Literal["standard", "hystart++"] | Standard | HyStartPlus
VideoChoice: TypeAlias = Literal["buffer", "throughput"] | BufferBased | ThroughputBased


@refuses_unknown
@dataclass(frozen=True, kw_only=True)
class Scenario:
    """A link or a path and the TCP over it, as plain data; `profile` says which keys there are.

    - `title`: Title of tables and figures; text (None: none).
    - `profile`: Set of rules and defaults of the scenario; it decides which other keys there are;
      zorzi, ns2, rfc, bsd, linux.
    - `case`: Named sets of values that vary together: each case is a table of keys that override
      the rest of the scenario. In the scenario of a single point it is the name of the case; list
      of tables, or text (None: no cases).
    - `tcp`: TCP of every flow; table (None: the defaults of the profile).
    - `link`: Rate of the link and length of its packets; table (only in zorzi; None: the defaults
      of the profile).
    - `channel`: Channel that loses data packets; table (only in zorzi).
    - `ack`: Loss and delay of acknowledgements; table (only in zorzi; None: the defaults of the
      profile).
    - `stop`: Length of the simulation, and number of runs; table (None: the defaults of the
      profile).
    - `analysis`: Method of the analysis; table (only in zorzi; None: the default of the profile).
    - `path`: Hops between the ends; table (only in ns2, rfc, bsd, linux).
    - `flow`: Flows of the scenario; list of tables (only in ns2, rfc, bsd, linux; None: one endless
      flow from time 0).
    - `traffic`: Cross-traffic: packets that compete with those of the flows; list of tables (only
      in ns2, rfc, bsd, linux; None: none).
    - `live`: Settings of live runs only; simulation and analysis ignore them; table (only in ns2,
      rfc, bsd, linux; None: the options of the command).
    """

    title: str | None = None
    profile: Profile
    case: Sequence[Mapping[str, Any]] | str | None = None
    tcp: AnyTcp | None = None
    link: Link | None = None
    channel: Channel | Sequence[Channel] | None = None
    ack: Ack | None = None
    stop: Stop | None = None
    analysis: Analysis | None = None
    path: Path | None = None
    flow: Sequence[Flow] | None = None
    traffic: Sequence[Traffic] | None = None
    live: Live | None = None


CHANNELS: dict[str, type[Any]] = {
    "iid": Iid,
    "two-state": TwoState,
    "burst": Burst,
    "rayleigh-two-state": RayleighTwoState,
    "rayleigh": Rayleigh,
    "jakes": JakesOscillators,
    "gilbert-elliott": GilbertElliott,
    "states": States,
    "bit-errors": BitErrors,
    "sojourn": Sojourn,
    "on-off": OnOffLosses,
    "epochs": Epochs,
    "trace": LossTrace,
    "series": Series,
}
GATES: dict[str, type[Any]] = {
    "on-off": OnOff,
    "periodic": Periodic,
    "schedule": Schedule,
    "spikes": DelaySpikes,
}
LAWS: dict[str, type[Any]] = {
    "fixed": FixedLaw,
    "uniform": UniformLaw,
    "exponential": ExponentialLaw,
    "pareto": ParetoLaw,
    "lomax": LomaxLaw,
    "log-normal": LogNormalLaw,
    "gamma": GammaLaw,
    "hyper-exponential": HyperExponentialLaw,
    "normal": NormalLaw,
    "paretonormal": ParetoNormalLaw,
    "modulated": ModulatedLaw,
    "autoregressive": AutoregressiveLaw,
    "values": ValuesLaw,
}
RATESS: dict[str, type[Any]] = {
    "steps": StepRates,
    "sine": SineRates,
    "random-walk": RandomWalkRates,
    "autoregressive": AutoregressiveRates,
}
SIZELAWS: dict[str, type[Any]] = {
    "fixed": FixedSize,
    "exponential": ExponentialSize,
    "pareto": ParetoSize,
    "log-normal": LogNormalSize,
    "list": ListSize,
}
QUEUES: dict[str, type[Any]] = {
    "drop-tail": DropTailQueue,
    "head-drop": HeadDropQueue,
    "codel": CoDelQueue,
    "fq-codel": FqCoDelQueue,
    "drr": DrrQueue,
    "pie": PieQueue,
    "red": RedQueue,
    "ns-red": NsRedQueue,
    "dualpi2": DualPi2Queue,
    "token-bucket": TokenBucketQueue,
    "priority": PriorityQueue,
}
CONGESTIONS: dict[str, type[Any]] = {
    "reno": Reno,
    "cubic": Cubic,
    "westwood": Westwood,
    "veno": Veno,
    "vegas": Vegas,
    "hybla": Hybla,
    "illinois": Illinois,
    "ledbat++": LedbatPlus,
    "dctcp": Dctcp,
    "prague": Prague,
}
DETECTIONS: dict[str, type[Any]] = {
    "duplicate-acks": DuplicateAcks,
    "rfc6675": Rfc6675,
    "rack-tlp": RackTlp,
}
REDUCTIONS: dict[str, type[Any]] = {
    "at-once": AtOnce,
    "prr": Prr,
}
SLOWSTARTS: dict[str, type[Any]] = {
    "standard": Standard,
    "hystart++": HyStartPlus,
}
VIDEOCHOICES: dict[str, type[Any]] = {
    "buffer": BufferBased,
    "throughput": ThroughputBased,
}
TABLES: dict[str, type[Any] | Mapping[str, type[Any]]] = {
    "link": Link,
    "channel": CHANNELS,
    "ack": Ack,
    "stop": Stop,
    "analysis": Analysis,
    "path": Path,
    "flow": Flow,
    "traffic": Traffic,
    "live": Live,
    "ns": NsSettings,
    "probing": Probing,
    "congestion": CONGESTIONS,
    "detection": DETECTIONS,
    "reduction": REDUCTIONS,
    "slow_start": SLOWSTARTS,
    "sysctl": Sysctl,
    "arq": Arq,
    "memories": ScoreMemory,
    "handover": Handover,
    "delay": LAWS,
    "precision": Precision,
    "hop": Hop,
    "rates": RATESS,
    "rates[]": RateChange,
    "trains": Train,
    "queue": QUEUES,
    "exit": CHANNELS,
    "marks": CHANNELS,
    "delays": DelayChange,
    "jitter": LAWS,
    "reorder": Reorder,
    "gate": GATES,
    "back": Back,
    "arrivals": LAWS,
    "think": LAWS,
    "sizes": SIZELAWS,
    "video": Video,
    "choice": VIDEOCHOICES,
    "on": LAWS,
    "off": LAWS,
    "loss": EpochLoss,
    "noise": EpochNoise,
    "of": CHANNELS,
    "up": LAWS,
    "down": LAWS,
    "interval": LAWS,
    "duration": LAWS,
    "laws": LAWS,
    "marginal": LAWS,
    "values": RateChange,
    "levels": RateLevel,
}


if not TYPE_CHECKING:  # or every name would be one of this module

    def __getattr__(name: str) -> Any:
        """Look up what an earlier version called otherwise."""
        if name == "Growth":
            warn_renamed("spec.Growth is now called spec.Congestion; use that", RenamedKey)
            return Congestion
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

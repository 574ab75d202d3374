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

    - `variant`: Loss recovery; oldtahoe, tahoe, reno, newreno, sack.
    - `window`: Window that the receiver advertises, in packets (`W_max`); whole number 1 to
      1_000_000 (None: 24).
    - `dupacks`: Duplicate ACKs that trigger a fast retransmit (K); whole number 1 to 1_000_000
      (None: 3).
    - `timeout`: Length of a packet's timer in slots (`T_o`); whole number 1 to 1_000_000_000 (None:
      100).
    - `inflation`: New packets in fast recovery on an inflated window, as real TCP sends them; true
      or false (None: false).
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

    - `variant`: Loss recovery; tahoe, reno, newreno, sack, tahoe-probing, reno-probing,
      adaptive-probing, skip-probing.
    - `window`: Window that the receiver advertises (`W_max`), in packets; whole number 1 to
      1_000_000, or text such as "64kB" (None: 20).
    - `ssthresh`: Initial slow-start threshold, in packets. Absent: the window; whole number 1 to
      1_000_000.
    - `packet`: Length of a full data packet on the wire; text such as "1400B" (None: 1000B).
    - `ack`: Length of an acknowledgement on the wire, without SACK blocks; text such as "1400B"
      (None: 40B).
    - `dupacks`: Duplicate ACKs that trigger a fast retransmit (K); whole number 1 to 1_000_000
      (None: 3).
    - `tick`: Tick of the clock that measures round trips; text such as "10ms" (None: 100ms).
    - `boot`: Phase of that clock: time from its last tick to the start of the run, in seconds;
      number >= 0 (None: 2.0010257149119984e-05).
    - `ns`: Further settings of the TCP agents of ns, under their names there. Absent: the settings
      of 1998; table.
    - `probing`: Settings of the probe cycle, for variants that probe; table.
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

    - `variant`: Loss recovery; tahoe, reno, newreno, sack, tahoe-probing, reno-probing,
      adaptive-probing, skip-probing.
    - `window`: Window that the receiver advertises (`W_max`), in packets or as a size; whole number
      1 to 1_000_000, or text such as "64kB" (None: 1000).
    - `ssthresh`: Initial slow-start threshold, in packets. Absent: no limit; whole number 1 to
      1_000_000.
    - `packet`: Length of a full data packet on the wire; text such as "1400B" (None: 1500B).
    - `ack`: Length of an acknowledgement on the wire, without SACK blocks; text such as "1400B"
      (None: 40B).
    - `dupacks`: Duplicate ACKs that trigger a fast retransmit (K); whole number 1 to 1_000_000
      (None: 3).
    - `header`: Length of the IP and TCP headers of a packet; the rest is payload; text such as
      "1400B" (None: 40B).
    - `congestion`: Congestion control, which decides how the window grows and shrinks; reno, cubic,
      westwood, veno, vegas, hybla, illinois, ledbat++, dctcp, prague, or table (None: reno).
    - `detection`: Detection of losses before the timer expires. Absent: `rfc6675` where the variant
      reads SACK blocks, else `duplicate-acks`; duplicate-acks, rfc6675, rack-tlp, or table.
    - `reduction`: Reduction of the window in a recovery, for variants that read SACK blocks.
      Absent: `at-once`; at-once, prr, or table.
    - `slow_start`: Rule of slow start. Absent: `standard`; standard, hystart++, or table.
    - `spurious`: Detection of spurious timeouts, and response to them. With `eifel` every packet
      and ACK carries a timestamp of 12 bytes: packets keep their length, ACKs become longer; none,
      f-rto, eifel (None: none).
    - `initial_window`: Initial congestion window, in packets [RFC 6928]; whole number 1 to
      1_000_000 (None: 10).
    - `abc_limit`: Largest number of segments that slow start adds to the window per ACK (L of RFC
      3465). Absent: 1 [RFC 5681 3.1]. Linux has no limit; whole number 1 to 1_000_000.
    - `delayed_ack`: Longest delay of an ACK, below 500 ms; 0s: every packet is acknowledged at once
      [RFC 5681 4.2]; text such as "10ms" (None: 100ms).
    - `limited_transmit`: Limited transmit: the first two duplicate ACKs send new packets [RFC
      3042]; true or false (None: true).
    - `ecn`: True if both ends use ECN, so that queues can mark packets instead of dropping them
      [RFC 3168]. Absent: only with congestion controls that react to marks (dctcp, prague); true or
      false.
    - `initial_rto`: Retransmission timeout before the first measurement [RFC 6298 2.1]; text such
      as "10ms" (None: 1s).
    - `rto_margin`: Smallest margin of the timeout over the smoothed round trip (G of RFC 6298 2.3),
      to which Linux's `rto_min` corresponds. Absent: a nanosecond; text such as "10ms".
    - `min_rto`: Shortest retransmission timeout [RFC 6298 2.4]; 0s: only `rto_margin` bounds it;
      text such as "10ms" (None: 1s).
    - `max_rto`: Longest retransmission timeout [RFC 6298 2.5]; text such as "10ms" (None: 60s).
    - `probing`: Settings of the probe cycle, for variants that probe; table.
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
        warn_renamed("tcp.growth is now called tcp.congestion; say tcp.congestion", RenamedKey)
        return self.congestion


@refuses_unknown
@dataclass(frozen=True, kw_only=True)
class BsdTcp:
    """The transport in profile `bsd`.

    - `variant`: Loss recovery; tahoe, reno, tahoe-probing, reno-probing, adaptive-probing,
      skip-probing.
    - `window`: Window that the receiver advertises (`W_max`), in packets or as a size; whole number
      1 to 1_000_000, or text such as "64kB" (None: 10240B).
    - `ssthresh`: Initial slow-start threshold, in packets. Absent: 65535 B; whole number 1 to
      1_000_000.
    - `packet`: Length of a full data packet on the wire; text such as "1400B" (None: 1438B).
    - `ack`: Length of an acknowledgement on the wire, without SACK blocks; text such as "1400B"
      (None: 20B).
    - `dupacks`: Duplicate ACKs that trigger a fast retransmit (K); whole number 1 to 1_000_000
      (None: 3).
    - `framing`: Overhead of lower layers per packet on the wire. It takes airtime and is counted in
      no metric; text such as "1400B" (None: 34B).
    - `tick`: Tick of the clock of all timers, at a random phase; text such as "10ms" (None: 500ms).
    - `header`: Length of the IP and TCP headers of a packet; the rest is payload; text such as
      "1400B" (None: 20B).
    - `initial_window`: Initial congestion window, in packets; whole number 1 to 1_000_000 (None:
      1).
    - `probing`: Settings of the probe cycle, for variants that probe; table.
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

    - `congestion`: Congestion control of Linux; reno, cubic, bbr, bbr3 (None: cubic).
    - `sack`: Permission of SACK by both hosts; true or false (None: true).
    - `timestamps`: Timestamps in every segment, of 12 bytes each: packets keep their length, ACKs
      become longer; true or false (None: true).
    - `window`: Window that the receiver advertises (`W_max`), in packets or as a size: the largest
      that it may become (`TCP_WINDOW_CLAMP`); whole number 1 to 1_000_000, or text such as "64kB"
      (None: 1000000000B).
    - `packet`: Length of a full data packet on the wire; text such as "1400B" (None: 1500B).
    - `ack`: Length of an acknowledgement on the wire, without SACK blocks; text such as "1400B"
      (None: 40B).
    - `framing`: Overhead of lower layers per packet on the wire. It takes airtime and is counted in
      no metric; text such as "1400B".
    - `header`: Length of the IP and TCP headers of a packet; the rest is payload; text such as
      "1400B" (None: 40B).
    - `initial_window`: Initial congestion window, in packets [RFC 6928]. Absent: 10; whole number 1
      to 1_000_000.
    - `ecn`: True if both ends use ECN, so that queues can mark packets instead of dropping them
      [RFC 3168]: short for `tcp_ecn = 1` on both hosts. Absent: as `sysctl.tcp_ecn` says; true or
      false.
    - `sysctl`: Settings of both hosts; table.
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
    """The medium's speed. A slot is the airtime of one link packet: a TCP packet, or a fragment of
    one.

    - `rate`: Transmission rate; text such as "1.5Mbps" (None: 1.5Mbps in zorzi).
    - `packet`: Length of a data packet on the air; with `arq`, of a fragment (`N_L`); text such as
      "1400B" (None: 1400B in zorzi).
    - `arq`: Link layer that cuts TCP packets into fragments and retransmits lost fragments. Absent:
      none; table.
    """

    rate: str | Sequence[str] | None = None
    packet: str | Sequence[str] | None = None
    arq: Arq | Sequence[Arq] | None = None


@refuses_unknown
@dataclass(frozen=True, kw_only=True)
class Arq:
    """A link layer that cuts packets into fragments and repeats those that are lost, by NAKs
    (selective repeat). A packet one of whose fragments fails is given up.

    - `packet`: Length of a TCP packet (`N_T`), which is cut into ceil(packet / link.packet)
      fragments. Give this or `fragments`; text such as "1400B" (only in zorzi).
    - `fragments`: Fragments of a TCP packet (F). Give this or `packet`; whole number 0 to 1_000_000
      (only in zorzi).
    - `attempts`: Number of times that a fragment is sent before its packet is given up (`n_l`);
      whole number 0 to 1_000_000.
    - `count`: Transmissions that `attempts` counts; transmissions, retransmissions.
    - `feedback_delay`: In zorzi: Delay from the end of a fragment to the arrival of its NAK at the
      sender, in slots; other fragments are sent meanwhile. Absent: no delay. In ns2, rfc, bsd,
      linux: Delay from the end of a fragment to the arrival of its NAK at the sender; other
      fragments are sent meanwhile. Absent: no delay; whole number 0 to 1_000_000, or text such as
      "10ms".
    - `feedback_loss`: Probability that a NAK is lost, below 1; it is repeated after
      `feedback_delay` and the fragment's airtime; number 0 to 1.
    - `in_order`: Delivery of packets in order; true or false.
    - `fragment`: Payload of a fragment (`N_L`); the last fragment of a packet carries the rest;
      text such as "1400B" (only in ns2, rfc, bsd, linux).
    - `overhead`: Header and checksum of every fragment, in addition to its payload. Absent: none;
      text such as "1400B" (only in ns2, rfc, bsd, linux).
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
    """A part of the variance of the normal numbers that is remembered.

    - `time`: Time in which the correlation falls to 1/e; text such as "10ms".
    - `share`: Share of the variance; those of all memories sum to 1 at most; number 0 to 1.
    """

    time: str
    share: float


@refuses_unknown
@dataclass(frozen=True, kw_only=True)
class EpochLoss:
    """Loss rates of epochs: log-normal.

    - `rate`: Mean loss rate, as long as that of no epoch reaches 1; number 0 to 1.
    - `deviation`: Standard deviation of the natural logarithm of the loss rates; number 0 to 10.
    - `memories`: Memories of the loss rate, beside what it has in common with the delay. Absent:
      each epoch is new; list of tables.
    - `correlation`: Correlation of the normal numbers of loss rate and delay of an epoch; number -1
      to 1.
    - `handover`: Start of an epoch, where more is lost. Absent: the loss rate of an epoch is one;
      table.
    """

    rate: float
    deviation: float | None = None
    memories: Sequence[ScoreMemory] | None = None
    correlation: float | None = None
    handover: Handover | None = None


@refuses_unknown
@dataclass(frozen=True, kw_only=True)
class Handover:
    """The start of an epoch.

    - `time`: Length, at most that of an epoch; text such as "10ms".
    - `factor`: Ratio of the loss rate then to that in the rest of the epoch; number 0 to 1_000_000.
    """

    time: str
    factor: float


@refuses_unknown
@dataclass(frozen=True, kw_only=True)
class EpochNoise:
    """A delay that changes at equal times.

    - `every`: Time for which a delay stays; text such as "10ms".
    - `delay`: Distribution of the delays, in the order of its draws; table.
    """

    every: str
    delay: Law


@refuses_unknown
@dataclass(frozen=True, kw_only=True)
class Ack:
    """Loss and delay of acknowledgements.

    - `delay`: Slots between the end of a packet and the arrival of its ACK at the sender; whole
      number 0 to 1_000_000 (None: 0 in zorzi).
    - `loss_rate`: Probability that an ACK is lost, independently; number 0 to 1 (None: 0.0 in
      zorzi).
    """

    delay: int | Sequence[int] | Range | None = None
    loss_rate: float | Sequence[float] | Range | None = None


@refuses_unknown
@dataclass(frozen=True, kw_only=True)
class Stop:
    """Length of the simulation, and number of runs.

    - `slots`: Slots per replication; whole number 1 to 1_000_000_000_000 (only in zorzi; None:
      1000000).
    - `warmup`: Warm-up at the beginning of each run, simulated and not counted. Absent: none; whole
      number 0 to 1_000_000_000_000, or text such as "10ms".
    - `batches`: Number of batches: equal parts of the run after the warm-up, each counted by
      itself. Absent: 1; whole number 1 to 100_000.
    - `replications`: Independent repetitions; whole number 1 to 1_000_000 (None: 20 in zorzi, 30 in
      ns2, 30 in rfc, 30 in bsd, 30 in linux).
    - `precision`: Sequential stopping: replications are added until a confidence interval is narrow
      enough; table.
    - `time`: End of the run, which ends earlier if all flows have ended; text such as "10ms" (only
      in ns2, rfc, bsd, linux; None: 100s in ns2, 100s in rfc, 3600s in bsd, 100s in linux).
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
    """Repetitions until the confidence interval of a mean is narrow enough.

    - `relative`: Largest half-width of the confidence interval, as a share of the mean, above 0 and
      below 1; e.g. 0.05; number 0 to 1.
    - `metric`: Metric whose interval is judged. Absent: the first of the family, `throughput` or
      `throughput_pps`; text.
    - `confidence`: Confidence level, above 0 and below 1; e.g. 0.95; number 0 to 1.
    - `least`: Smallest number of replications; whole number 2 to 1_000_000.
    - `most`: Largest number of replications, however wide the interval; whole number 2 to
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

    - `method`: Analysis to compute: one of the paper's approximations, or the exact solution;
      printed, tight, embedded, exact (None: embedded in zorzi).
    """

    method: Method | None = None


@refuses_unknown
@dataclass(frozen=True, kw_only=True)
class NsSettings:
    """Settings of ns's agents where it leaves a choice [ns 2.35, tcp.cc, tcp-reno.cc,
    tcp-newreno.cc, tcp-sack1.cc, tcp-sink.cc].

    - `syn`: True if the first packet is a SYN: as long as an ACK; true or false.
    - `delay_growth`: True if the window is 1 until the first packet is acknowledged, and
      `window_init` from then on; true or false.
    - `window_init`: Initial congestion window, in packets; whole number 1 to 1_000_000.
    - `maxburst`: Largest number of packets that the window may release on one ACK; 0: no limit;
      whole number 0 to 1_000_000.
    - `numdupacks_frac`: Divisor of the window that gives SACK's threshold of duplicate ACKs where
      that is larger than the usual one; 0: not used; whole number 0 to 1_000_000.
    - `singledup`: True if the first two duplicate ACKs send new packets (limited transmit); true or
      false.
    - `bugfix`: True if a second fast retransmit waits until all is acknowledged that was sent
      before the last reduction; true or false.
    - `bugfix_ss`: True if the loss of packet 1 is repaired by a fast retransmit; true or false.
    - `bugfix_ack`: True if NewReno retransmits in spite of `bugfix` where the last ACK covered no
      more packets than duplicate ACKs make a loss; true or false.
    - `less_careful`: True if NewReno retransmits in spite of `bugfix` where the ACK is for all that
      was sent before the last reduction; true or false.
    - `exit_fast_retrans`: True if only a fast retransmit inflates the window, not every third
      duplicate ACK; true or false.
    - `precision_reduce`: True if half of a window may be a fraction; true or false.
    - `rtxcur_init`: Retransmission timeout before the first sample; text such as "10ms".
    - `minrto`: Shortest retransmission timeout; text such as "10ms".
    - `maxrto`: Longest retransmission timeout; text such as "10ms".
    - `rfc2988`: True if the shortest timeout is doubled too (RFC 2988); true or false.
    - `timerfix`: True if the timer starts with the estimate that includes the ACK at hand; true or
      false.
    - `slow_start_restart`: True if a timeout without anything outstanding sets the window to 1;
      true or false.
    - `partial_ack`: True if a partial ACK makes SACK send two packets whatever the pipe; true or
      false.
    - `old_code`: True if SACK begins a recovery with a pipe by the window, not by what is
      outstanding; true or false.
    - `newreno_changes1`: True if only the first partial ACK of a recovery starts NewReno's timer
      (RFC 2582); true or false.
    - `partial_window_deflation`: True if a partial ACK deflates NewReno's window by what it covers
      (RFC 2582); true or false.
    - `exit_recovery_fix`: True if the window is at most the data outstanding when NewReno leaves a
      recovery; true or false.
    - `ecn`: True if both ends use ECN; true or false.
    - `old_ecn`: True if the window grows with ACKs that echo a mark, but the first of a row; true
      or false.
    - `set_cwr_on_retransmit`: True if a retransmission may say that the window was reduced (CWR);
      true or false.
    - `interval`: Longest delay of a delayed ACK (`interval_` of ns's delayed-ACK sink); 0s: every
      packet is acknowledged at once; text such as "10ms".
    - `immediate_ack`: True if a packet that fills a part of a hole is acknowledged at once
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

    - `tolerance`: Tolerance for the round trip of a successful probe: excess over the best round
      trip of data, as a share of the latter; number 0 to 1_000.
    - `skip_estimates`: Number of round-trip samples after which skip-probing starts another cycle;
      whole number 0 to 1_000_000.
    - `skip_interval`: Time from the start of one probe cycle after which skip-probing starts
      another; text such as "10ms".
    - `rewind`: True if a cycle that began with a timeout and ends without slow start is followed by
      retransmission of everything outstanding; if not, of the first segment only; true or false.
    - `backoff`: Double the probe timer with every probe that is sent again, up to six times; true
      or false.
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
      and those of `back` its reverse direction, for data, ACKs and cross-traffic alike. A hop that
      no route crosses has no effect; list of tables.
    """

    hop: Sequence[Hop]


@refuses_unknown
@dataclass(frozen=True, kw_only=True)
class Hop:
    """One hop, both directions.

    - `near`: Name of the node at its near end. Absent: the far end of the previous hop, or "0" for
      the first hop; text.
    - `far`: Name of the node at its far end. Absent: a new node: "1" after the first hop, "2" after
      the second, and so on; text.
    - `link`: Link profile that gives the keys that the hop does not have: a measured or published
      link, e.g. "gprs-spikes"; `airtcp list links` names all. A rate in whatever form takes the
      place of the profile's rates, and `delay` that of its `delays`. Cross-traffic of the profile
      joins that of the scenario; text such as "gprs-spikes".
    - `rate`: Transmission rate, e.g. "2Mbps"; or give `rates`. Under `back`, absent: equal to the
      forward rate at any time; text such as "1.5Mbps".
    - `rates`: Time-varying rate, in place of `rate`: a list of changes, the last of which persists,
      or a table with a `kind`. When the rate changes, the rest of a packet is sent at the new rate;
      at 0bps it waits. Not with channels that count slots, nor, in the forward direction, with
      `slotted`. Or a CSV file with the columns `time` in seconds and `rate` in Mbit/s; list of
      tables, or table, or text.
    - `opportunities`: Delivery opportunities, as in a trace of Mahimahi: times in whole
      milliseconds, in order, each for 1504 bytes, repeated after the last one. `rate` must be their
      mean, or absent. Not with a gate or `arq`, nor, in the forward direction, with `slotted`.
      Absent: packets are sent at any time; under `back` too, whatever the forward direction has. Or
      a file with a whole number of milliseconds per line; list of values, or text.
    - `delay`: One-way propagation delay, e.g. "20ms". A hop has one of its own or by its `link`;
      under `back`, absent: the forward delay; text such as "10ms".
    - `queue`: Queue at the transmitter: the limit of a drop-tail queue, either in packets, with the
      one in transmission, or as a size, without it, e.g. 50 or "100kB"; or a table with a `kind`. A
      packet that finds the transmitter free is always accepted. Absent: drop-tail without a limit;
      under `back`: the forward queue; whole number 2 to 1_000_000_000, or text such as "64kB", or
      table.
    - `exit`: Channel that loses packets before the queue, so that they take no airtime: the exit of
      the sending node. Absent: no losses there; table.
    - `marks`: Channel whose losses become ECN marks on arrival at the queue, for packets of
      ECN-capable flows. Absent: no marks; table.
    - `channel`: Channel that loses packets on the wire. Absent: no losses there; table.
    - `arq`: Link layer that cuts packets into fragments and retransmits lost fragments. Absent:
      none; under `back` too, whatever the forward direction has; table.
    - `drop`: Forced losses of packets of the first flow, at the end of this direction of the hop:
      `[n, k]` drops the k-th copy, from 0, of data packet n to arrive there. Where the flow's ACKs
      take this direction, usually under `back`, it drops the k-th ACK with number n, the number of
      the last packet received in order; list of pairs.
    - `delays`: Changes of the delay, each for transmissions that start at `at` or later. Packets
      stay in order unless `reorder` says otherwise. Or a CSV file with the columns `time` and
      `delay` in seconds; list of tables, or text.
    - `jitter`: Random extra delay of every packet, drawn as its transmission starts and added to
      `delay` and `delays`. Not with `arq`. Absent: none; under `back` too, whatever the forward
      direction has; table.
    - `reorder`: Reordering: true lets packets overtake each other on the wire where `jitter` or
      `delays` allow it; a table exempts some packets from the delay, as netem's `reorder` does. Not
      with `arq`; true or false, or table.
    - `duplicate`: Probability that a packet is duplicated after the channel. The copy takes no
      airtime and has its own `jitter`. Not with `arq`. Absent: 0; under `back` too, whatever the
      forward direction has; number 0 to 1.
    - `slotted`: True if forward transmissions start at slot boundaries, a slot being the airtime of
      a full packet (with `arq`, of a fragment). The channel then advances slot by slot, as in
      profile zorzi, and the first hop has the same sample path as zorzi under the same seed; true
      or false.
    - `gate`: Outages of the link, in both directions unless `direction` says otherwise. Absent: the
      link is always up; table.
    - `back`: Reverse direction, from the far end to the near end: the keys in which it differs;
      table.
    """

    near: str | Sequence[str] | None = None
    far: str | Sequence[str] | None = None
    link: str | Sequence[str] | None = None
    rate: str | Sequence[str] | None = None
    rates: Sequence[RateChange] | str | Rates | None = None
    opportunities: Sequence[int] | str | None = None
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

    - `at`: Time from which the change holds; text such as "10ms".
    - `rate`: New rate; 0bps: nothing is sent; text such as "1.5Mbps".
    """

    at: str | Sequence[str]
    rate: str | Sequence[str]


@refuses_unknown
@dataclass(frozen=True, kw_only=True)
class RateLevel:
    """A rate, and how often it is drawn.

    - `rate`: The rate; 0bps: nothing is sent; text such as "1.5Mbps".
    - `share`: Probability of the rate; those of all levels sum to 1; number 0 to 1.
    """

    rate: str
    share: float


@refuses_unknown
@dataclass(frozen=True, kw_only=True)
class DelayChange:
    """A change of a hop's delay.

    - `at`: Time from which the change holds; text such as "10ms".
    - `delay`: New one-way delay; text such as "10ms".
    """

    at: str | Sequence[str]
    delay: str | Sequence[str]


@refuses_unknown
@dataclass(frozen=True, kw_only=True)
class Reorder:
    """netem's reordering: some packets arrive at the end of their transmission, without `delay`,
    `delays` and `jitter`, and so overtake those on the wire. netem's `reorder 25% 50% gap 5` is
    `{probability = 0.25, correlation = 0.5, gap = 5}`.

    - `probability`: Probability that a packet is not delayed, where the random numbers that decide
      it are independent; number 0 to 1.
    - `correlation`: netem's correlation of these numbers, which then gather around the middle: with
      `25% 50%` some 7 % of the packets overtake, there as here. Absent: they are independent;
      number 0 to 1.
    - `gap`: Smallest distance, in packets, between two packets that are not delayed; whole number 1
      to 4_294_967_295.
    """

    probability: float
    correlation: float | None = None
    gap: int = 1


@refuses_unknown
@dataclass(frozen=True, kw_only=True)
class Back:
    """The way back over a hop.

    - `rate`: Transmission rate, e.g. "2Mbps"; or give `rates`. Under `back`, absent: equal to the
      forward rate at any time; text such as "1.5Mbps".
    - `rates`: Time-varying rate, in place of `rate`: a list of changes, the last of which persists,
      or a table with a `kind`. When the rate changes, the rest of a packet is sent at the new rate;
      at 0bps it waits. Not with channels that count slots, nor, in the forward direction, with
      `slotted`. Or a CSV file with the columns `time` in seconds and `rate` in Mbit/s; list of
      tables, or table, or text.
    - `opportunities`: Delivery opportunities, as in a trace of Mahimahi: times in whole
      milliseconds, in order, each for 1504 bytes, repeated after the last one. `rate` must be their
      mean, or absent. Not with a gate or `arq`, nor, in the forward direction, with `slotted`.
      Absent: packets are sent at any time; under `back` too, whatever the forward direction has. Or
      a file with a whole number of milliseconds per line; list of values, or text.
    - `delay`: One-way propagation delay, e.g. "20ms". A hop has one of its own or by its `link`;
      under `back`, absent: the forward delay; text such as "10ms".
    - `queue`: Queue at the transmitter: the limit of a drop-tail queue, either in packets, with the
      one in transmission, or as a size, without it, e.g. 50 or "100kB"; or a table with a `kind`. A
      packet that finds the transmitter free is always accepted. Absent: drop-tail without a limit;
      under `back`: the forward queue; whole number 2 to 1_000_000_000, or text such as "64kB", or
      table.
    - `exit`: Channel that loses packets before the queue, so that they take no airtime: the exit of
      the sending node. Absent: no losses there; table.
    - `marks`: Channel whose losses become ECN marks on arrival at the queue, for packets of
      ECN-capable flows. Absent: no marks; table.
    - `channel`: Channel that loses packets on the wire. Absent: no losses there; table.
    - `arq`: Link layer that cuts packets into fragments and retransmits lost fragments. Absent:
      none; under `back` too, whatever the forward direction has; table.
    - `drop`: Forced losses of packets of the first flow, at the end of this direction of the hop:
      `[n, k]` drops the k-th copy, from 0, of data packet n to arrive there. Where the flow's ACKs
      take this direction, usually under `back`, it drops the k-th ACK with number n, the number of
      the last packet received in order; list of pairs.
    - `delays`: Changes of the delay, each for transmissions that start at `at` or later. Packets
      stay in order unless `reorder` says otherwise. Or a CSV file with the columns `time` and
      `delay` in seconds; list of tables, or text.
    - `jitter`: Random extra delay of every packet, drawn as its transmission starts and added to
      `delay` and `delays`. Not with `arq`. Absent: none; under `back` too, whatever the forward
      direction has; table.
    - `reorder`: Reordering: true lets packets overtake each other on the wire where `jitter` or
      `delays` allow it; a table exempts some packets from the delay, as netem's `reorder` does. Not
      with `arq`; true or false, or table.
    - `duplicate`: Probability that a packet is duplicated after the channel. The copy takes no
      airtime and has its own `jitter`. Not with `arq`. Absent: 0; under `back` too, whatever the
      forward direction has; number 0 to 1.
    """

    rate: str | Sequence[str] | None = None
    rates: Sequence[RateChange] | str | Rates | None = None
    opportunities: Sequence[int] | str | None = None
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
    """A flow, or several alike.

    - `sender`: Node of the sender. Absent: the near end of the first hop; text.
    - `receiver`: Node of the receiver. Absent: the far end of the last hop; text.
    - `start`: Time at which it starts, e.g. "5s"; text such as "10ms".
    - `access_delay`: One-way delay of an access link between the sender and its node, in each
      direction; the link is never busy; text such as "10ms".
    - `packets`: Packets to send. Absent: without end; whole number 1 to 1_000_000_000_000.
    - `size`: Payload to send, in place of `packets`; the last packet may be shorter; text such as
      "1400B".
    - `arrivals`: Time from the start of one transfer to the start of the next, the first at
      `start`; exponential times make a Poisson process. Every transfer has its own connection and a
      size from `sizes`. All of them are one flow in the results; table.
    - `think`: Think time: from the end of a transfer, when its last byte is acknowledged, to the
      start of the next one on the same connection; table.
    - `sizes`: Payload of each transfer, with `arrivals` or `think`; table.
    - `video`: Video stream: the transfers are its chunks, requested by a player; table.
    - `milestone`: Number of packets whose time of acknowledgement is reported. Absent: all packets
      of a finite flow; whole number 1 to 1_000_000_000_000.
    - `count`: Number of equal copies; whole number 1 to 100_000.
    - `variant`: Loss recovery of this flow. Absent: `tcp.variant`; tahoe, reno, newreno, sack,
      tahoe-probing, reno-probing, adaptive-probing, skip-probing (only in ns2, rfc, bsd).
    - `window`: Window that the receiver of this flow advertises. Absent: `tcp.window`; whole number
      1 to 1_000_000, or text such as "64kB".
    - `tcp`: Keys of `tcp` that differ for this flow; the others are taken from `tcp`; table.
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
    """A video in chunks, and its player, which asks for one chunk after the other, on one
    connection.

    - `bitrates`: Bitrates in which each chunk is available, from the lowest to the highest; list of
      values.
    - `chunk`: Playing time of a chunk; text such as "10ms".
    - `buffer`: Capacity of the playback buffer; the player requests a chunk as soon as it fits;
      text such as "10ms".
    - `prebuffer`: Content of the buffer at which playback starts, and resumes after a stall.
      Absent: one chunk; text such as "10ms".
    - `length`: Length of the video: whole chunks, the last of which may be longer than what is
      left. Absent: without end; text such as "10ms".
    - `choice`: Rule that chooses the bitrate of each chunk; buffer, throughput, or table.
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
    """Cross-traffic: packets of one length that nobody acknowledges, as of UDP, all the time or on
    and off.

    - `sender`: Node at which it begins. Absent: the near end of the first hop; text.
    - `receiver`: Node to which it goes. Absent: the far end of the last hop; text.
    - `start`: Time at which it starts, e.g. "5s"; text such as "10ms".
    - `end`: Time at which it ends. Absent: never; text such as "10ms".
    - `rate`: Rate at which it sends while it is on; text such as "1.5Mbps".
    - `packet`: Length of a packet on the wire; text such as "1400B".
    - `on`: Length of its bursts, the first from its start; with `off`. Absent: it is always on;
      table.
    - `off`: Length of the pauses between bursts; table.
    - `count`: Number of equal copies; whole number 1 to 100_000.
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

    - `congestion`: Congestion control of the kernel's TCP, by its name there, e.g. `reno`, `cubic`
      or `bbr`. Simulation and airtcp's own TCP use `tcp.congestion` in any case. Absent:
      `tcp.congestion`; text.
    - `stack`: TCP of the sender: the kernel's or one of airtcp's. Absent: the option `--stack`;
      kernel, airtcp.
    """

    congestion: str | Sequence[str] | None = None
    stack: Stack | Sequence[Stack] | None = None


@refuses_unknown
@dataclass(frozen=True, kw_only=True)
class Sysctl:
    """Settings of both hosts by the names that Linux gives them under net.ipv4 and net.core.

    - `tcp_dsack`: 1: D-SACK. Absent: 1; whole number 0 to 255.
    - `tcp_window_scaling`: 1: window scaling. Absent: 1; whole number 0 to 255.
    - `tcp_ecn`: 0: no ECN; 1: ask for it and accept it; 2: accept it. Absent: 2; whole number 0 to
      2.
    - `tcp_ecn_fallback`: 1: a repeated SYN does not ask for ECN. Absent: 1; whole number 0 to 1.
    - `tcp_reordering`: Duplicates that are not taken for a loss, at first. Absent: 3; whole number
      1 to 300.
    - `tcp_max_reordering`: Duplicates that are not taken for a loss, at most. Absent: 300; whole
      number 1 to 2_147_483_647.
    - `tcp_recovery`: Bit 1 RACK (always on), 2 a window that stays, 4 no threshold of duplicates.
      Absent: 1; whole number 0 to 255.
    - `tcp_early_retrans`: 3, 4: tail loss probes. Absent: 3; whole number 0 to 4.
    - `tcp_frto`: Not 0: F-RTO. Absent: 2; whole number 0 to 255.
    - `tcp_slow_start_after_idle`: 1: a window that was not used decays. Absent: 1; whole number 0
      to 255.
    - `tcp_tso_win_divisor`: The share of the window for which a burst waits. Absent: 3; whole
      number 0 to 255.
    - `tcp_min_tso_segs`: Segments of a burst, at least. Absent: 2; whole number 1 to 255.
    - `tcp_tso_rtt_log`: Speed at which bursts shrink as the minimum round trip grows. Absent: 9;
      whole number 0 to 255.
    - `tcp_pacing_ss_ratio`: Pacing rate in slow start, in per cent of cwnd per round trip. Absent:
      200; whole number 0 to 1_000.
    - `tcp_pacing_ca_ratio`: Pacing rate after slow start, in per cent of cwnd per round trip.
      Absent: 120; whole number 0 to 1_000.
    - `tcp_limit_output_bytes`: Bytes of a flow that may wait in the host. Absent: 4194304; whole
      number 0 to 2_147_483_647.
    - `tcp_autocorking`: 1: small writes wait for what is queued in the host. Absent: 1; whole
      number 0 to 1.
    - `tcp_retrans_collapse`: 1: small segments are repeated together. Absent: 1; whole number 0 to
      255.
    - `tcp_rto_min_us`: Smallest variance of the RTO, in microseconds. Absent: 200000; whole number
      1 to 2_147_483_647.
    - `tcp_rto_max_ms`: Largest RTO, in milliseconds. Absent: 120000; whole number 1_000 to 120_000.
    - `tcp_retries1`: Timeouts after which the route is asked again. Absent: 3; whole number 0 to
      255.
    - `tcp_retries2`: Timeouts after which a connection ends. Absent: 15; whole number 0 to 255.
    - `tcp_orphan_retries`: Retransmissions without an answer that end a connection without a
      process. Absent: 0; whole number 0 to 255.
    - `tcp_syn_retries`: Repeated SYNs. Absent: 6; whole number 1 to 127.
    - `tcp_syn_linear_timeouts`: Number of SYN retransmissions that come without backoff. Absent: 4;
      whole number 0 to 127.
    - `tcp_synack_retries`: Repeated SYN-ACKs. Absent: 5; whole number 0 to 255.
    - `tcp_min_rtt_wlen`: Window of the minimum round trip, in seconds. Absent: 300; whole number 0
      to 86_400.
    - `tcp_comp_sack_delay_ns`: Longest wait of an ACK of data out of order, in nanoseconds. Absent:
      1000000; whole number 0 to 4_294_967_295.
    - `tcp_comp_sack_slack_ns`: Slack of the wait of an ACK of data out of order, in nanoseconds.
      Absent: 100000; whole number 0 to 4_294_967_295.
    - `tcp_comp_sack_nr`: ACKs that one may stand for. Absent: 44; whole number 0 to 255.
    - `tcp_pingpong_thresh`: Replies after which ACKs are delayed. Absent: 1; whole number 1 to 255.
    - `tcp_backlog_ack_defer`: 1: one ACK for what came while the socket was in use. Absent: 1;
      whole number 0 to 1.
    - `tcp_invalid_ratelimit`: Least time between two answers to useless segments, in milliseconds.
      Absent: 500; whole number 0 to 503_316_920.
    - `tcp_moderate_rcvbuf`: 1: the receive buffer grows by itself. Absent: 1; whole number 0 to
      255.
    - `tcp_app_win`: Share of the receive buffer that is kept for the application. Absent: 31; whole
      number 0 to 31.
    - `tcp_shrink_window`: 1: a window may be taken back. Absent: 0; whole number 0 to 1.
    - `tcp_no_metrics_save`: 1: no metrics of earlier connections are kept. Absent: 0; whole number
      0 to 255.
    - `tcp_no_ssthresh_metrics_save`: 1: none of their ssthresh. Absent: 1; whole number 0 to 1.
    - `tcp_mtu_probing`: 0: no probes of the MTU; others are refused where they would show. Absent:
      0; whole number 0 to 255.
    - `tcp_min_snd_mss`: Smallest segment. Absent: 48; whole number 48 to 65_535.
    - `tcp_fin_timeout`: Seconds in FIN-WAIT-2. Absent: 60; whole number 0 to 8_589_934.
    - `tcp_thin_linear_timeouts`: 1: timeouts of thin streams do not back off. Absent: 0; whole
      number 0 to 255.
    - `tcp_fastopen`: Fast Open: 1 as a client on request. Absent: 1; whole number 0 to
      2_147_483_647.
    - `tcp_fastopen_key`: Keys of cookies as a server. Absent: 00000000-00000000-00000000-00000000;
      text.
    - `tcp_tw_reuse`: 1: a new connection may follow one in TIME-WAIT; 2: on loopback only. Absent:
      2; whole number 0 to 2.
    - `tcp_tw_reuse_delay`: For how many milliseconds that one must have waited. Absent: 1000; whole
      number 1 to 60_000.
    - `tcp_keepalive_time`: Seconds of silence before the first keepalive probe. Absent: 7200; whole
      number 0 to 8_589_934.
    - `tcp_keepalive_intvl`: Seconds between keepalive probes. Absent: 75; whole number 0 to
      8_589_934.
    - `tcp_keepalive_probes`: Keepalive probes without an answer after which a connection ends.
      Absent: 9; whole number 0 to 255.
    - `tcp_notsent_lowat`: Unsent bytes from which a socket is writable. Absent: 4294967295; whole
      number 0 to 4_294_967_295.
    - `tcp_rmem`: Receive buffer: least, first, largest, in bytes. Absent: 4096 131072 33554432;
      text such as "4096 131072 33554432".
    - `tcp_wmem`: Send buffer: least, first, largest, in bytes. Absent: 4096 16384 4194304; text
      such as "4096 16384 4194304".
    - `rmem_max`: Largest `SO_RCVBUF`. Absent: 4194304; whole number 1 to 2_147_483_647.
    - `wmem_max`: Largest `SO_SNDBUF`. Absent: 4194304; whole number 1 to 2_147_483_647.
    - `hystart_detect`: Parameter of tcp_cubic: bit 1 ends slow start by trains of ACKs, bit 2 by
      delay. Absent: 3; whole number 0 to 2_147_483_647.
    - `hystart`: Parameter of tcp_cubic: 1 ends slow start by one of these. Absent: 1; whole number
      0 to 2_147_483_647.
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

    - `p_gb`: P(lost | the previous one arrived); number 0 to 1.
    - `p_bg`: P(arrives | the previous one was lost); number 0 to 1.
    - `clock`: The step of the chain; slot, packet.
    """

    kind: ClassVar[str] = "two-state"

    p_gb: float | Sequence[float] | Range
    p_bg: float | Sequence[float] | Range
    clock: Clock | Sequence[Clock] = "slot"


@refuses_unknown
@dataclass(frozen=True, kw_only=True)
class Burst:
    """Two-state Markov losses by what one measures.

    - `loss_rate`: Mean loss rate; number 0 to 1.
    - `mean_burst`: Mean number of packets lost in a row, at least 1. At 1 no loss follows another.
      For independent losses, whose bursts have the mean 1 / (1 - loss_rate), use `iid`; number >=
      1.
    - `clock`: The step of the chain; slot, packet.
    """

    kind: ClassVar[str] = "burst"

    loss_rate: float | Sequence[float] | Range
    mean_burst: float | Sequence[float] | Range
    clock: Clock | Sequence[Clock] = "slot"


@refuses_unknown
@dataclass(frozen=True, kw_only=True)
class RayleighTwoState:
    """A fading link by its loss rate (or fading margin) and Doppler.

    - `doppler`: Normalised Doppler bandwidth `f_dT`: maximum Doppler shift times packet airtime;
      number 1e-09 to 1_000.
    - `loss_rate`: Mean loss rate, below 1. Either this or the fading margin; number 0 to 1.
    - `fading_margin_db`: Fading margin in dB. Either this or the loss rate; number -20 to 200.
    - `clock`: The step of the chain; slot, packet.
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

    - `snr`: Mean ratio of energy per transmitted bit to noise density; text such as "20dB".
    - `doppler`: Maximum Doppler shift; text such as "10Hz".
    - `modulation`: Modulation of bits; bpsk, dpsk, fsk, ncfsk.
    - `code`: Error-correcting code of every packet. Absent: none; text such as "bch(255,87)".
    - `rician_k`: Rician K factor: power of the direct path divided by the power of the scattered
      paths; 0: Rayleigh fading; number 0 to 1_000_000.
    - `mode`: Method of computing packet losses; both give the same distribution; fast, bits.
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

    - `snr`: Mean ratio of energy per transmitted bit to noise density; text such as "20dB".
    - `doppler`: Maximum Doppler shift; text such as "10Hz".
    - `oscillators`: Oscillators below the maximum Doppler shift (`N_0`); whole number 1 to 1_024.
    - `modulation`: Modulation of bits; bpsk, dpsk, fsk, ncfsk.
    - `code`: Error-correcting code of every packet. Absent: none; text such as "bch(255,87)".
    - `mode`: Method of computing packet losses; both give the same distribution; fast, bits.
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

    - `p`: P(good to bad); number 0 to 1.
    - `r`: P(bad to good); number 0 to 1.
    - `h`: P(arrives | bad); number 0 to 1.
    - `k`: P(arrives | good); number 0 to 1.
    - `clock`: The step of the chain; slot, packet.
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
    - `transition`: Transition probabilities: one row for each state, each of sum 1; list of lists.
    - `clock`: The step of the chain: a packet, a slot, or a length of time; text such as "packet".
    """

    kind: ClassVar[str] = "states"

    loss: Sequence[float]
    transition: Sequence[Sequence[float]]
    clock: str | Sequence[str] = "packet"


@refuses_unknown
@dataclass(frozen=True, kw_only=True)
class BitErrors:
    """Independent bit errors.

    - `bit_error_rate`: Probability that a bit is wrong; number 0 to 1.
    """

    kind: ClassVar[str] = "bit-errors"

    bit_error_rate: float | Sequence[float] | Range


@refuses_unknown
@dataclass(frozen=True, kw_only=True)
class Sojourn:
    """Exponential sojourns in good and bad; a transmission is lost if any part of it is bad.

    - `good`: Mean length of a good sojourn; text such as "100packets".
    - `bad`: Mean length of a bad sojourn. Both are times, or both are counted in packets or bits;
      text such as "100packets".
    - `start`: State at the start of the run; good, stationary.
    """

    kind: ClassVar[str] = "sojourn"

    good: str | Sequence[str]
    bad: str | Sequence[str]
    start: Start | Sequence[Start] = "good"


@refuses_unknown
@dataclass(frozen=True, kw_only=True)
class OnOffLosses:
    """On and Off phases.

    - `on`: Mean length of an On phase; text such as "10ms".
    - `off`: Mean length of an Off phase; text such as "10ms".
    - `loss_rate`: Probability that a packet is lost while On; number 0 to 1.
    - `start`: Phase at the start of the run; off, on, stationary.
    - `lengths`: Distribution of the lengths; exponential, fixed.
    - `shared`: True if both directions of a hop share the phases, where both have such a channel
      under the same key; true or false.
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
    """Delay and loss rate that change together at equal times.

    - `every`: Length of an epoch; text such as "10ms".
    - `delay`: Distribution of the extra delay of an epoch. Absent: none; table.
    - `memories`: Memories of the delay from epoch to epoch. Absent: each epoch is new; list of
      tables.
    - `loss`: Losses. Absent: none; table.
    - `noise`: A delay that changes within epochs. Absent: none; table.
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

    - `lost`: Fates in order: 1 = lost, 0 = arrives; list of values.
    - `clock`: Step of the list: one entry for every packet, for every slot, or for every so much
      time, e.g. "10ms"; text such as "packet".
    - `repeat`: True if the list is repeated; otherwise nothing is lost after its end; true or
      false.
    - `start`: Entry at the start of the run: the first, or a random one in each run; first, random.
    - `block`: Number of entries replayed in order before the replay jumps to another random entry;
      requires a random start. Absent: no jumps; whole number 1 to 1_000_000_000.
    - `file`: CSV file with the column `lost`, in place of `lost`; text.
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

    - `of`: Member channels, each applied to every packet; list of tables.
    """

    kind: ClassVar[str] = "series"

    of: Sequence[Channel]


@refuses_unknown
@dataclass(frozen=True, kw_only=True)
class OnOff:
    """Times up and down.

    - `up`: Time that the link is up: the mean of an exponential time, or a table with a `kind`.
      After the last of a finite list of lengths the link stays up; text such as "2s", or table.
    - `down`: Time that the link is down: the mean of an exponential time, or a table with a `kind`.
      After the last of a finite list of lengths there are no more outages; text such as "2s", or
      table.
    - `loses`: Packets that an outage destroys; all, nothing.
    """

    kind: ClassVar[str] = "on-off"

    up: str | Law | Sequence[str | Law]
    down: str | Law | Sequence[str | Law]
    loses: Loses | Sequence[Loses] = "all"


@refuses_unknown
@dataclass(frozen=True, kw_only=True)
class Periodic:
    """Fixed up and down times, up from time 0.

    - `up`: Time up; text such as "10ms".
    - `down`: Time down; text such as "10ms".
    - `loses`: Packets that an outage destroys; all, nothing.
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
      an odd number of them it stays down; list of values.
    - `loses`: Packets that an outage destroys; all, nothing.
    - `file`: CSV file with the column `time`, in place of `toggles`; text.
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
    - `timing`: Beginning of an interval: the start of the previous spike, or its end; start, gap.
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
    """Always the same length.

    - `value`: The length; text such as "10ms".
    """

    kind: ClassVar[str] = "fixed"

    value: str | Sequence[str]


@refuses_unknown
@dataclass(frozen=True, kw_only=True)
class UniformLaw:
    """A uniform distribution.

    - `min`: Shortest length; text such as "10ms".
    - `max`: Longest length; text such as "10ms".
    - `correlation`: Correlation as netem computes it, which has almost no effect on delays below a
      second. Absent or 0: independent draws; number 0 to 1.
    """

    kind: ClassVar[str] = "uniform"

    min: str | Sequence[str]
    max: str | Sequence[str]
    correlation: float | Sequence[float] | Range | None = None


@refuses_unknown
@dataclass(frozen=True, kw_only=True)
class ExponentialLaw:
    """An exponential distribution.

    - `mean`: Mean length; text such as "10ms".
    """

    kind: ClassVar[str] = "exponential"

    mean: str | Sequence[str]


@refuses_unknown
@dataclass(frozen=True, kw_only=True)
class ParetoLaw:
    """A Pareto distribution of type I.

    - `shape`: Tail index, above 1; up to 2 the variance is infinite. Absent: netem's distribution
      with `deviation`; number 1 to 1_000.
    - `mean`: Mean length. Give this or `min`; text such as "10ms".
    - `min`: Shortest length. Give this or `mean`; text such as "10ms".
    - `deviation`: Jitter as netem calls it, for netem's distribution in place of `shape`: the scale
      of its table, whose standard deviation is 0.82 of it; text such as "10ms".
    - `correlation`: Correlation as netem computes it, which has almost no effect on delays below a
      second; only with `deviation`; number 0 to 1.
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

    - `shape`: Tail index, above 1; up to 2 the variance is infinite; number 1 to 1_000.
    - `mean`: Mean length; text such as "10ms".
    """

    kind: ClassVar[str] = "lomax"

    shape: float | Sequence[float] | Range
    mean: str | Sequence[str]


@refuses_unknown
@dataclass(frozen=True, kw_only=True)
class LogNormalLaw:
    """A log-normal distribution.

    - `mean`: Mean length. Give this or `median`; text such as "10ms".
    - `median`: Median length. Give this or `mean`; text such as "10ms".
    - `sigma`: Standard deviation of the natural logarithm; number 0 to 10.
    """

    kind: ClassVar[str] = "log-normal"

    mean: str | Sequence[str] | None = None
    median: str | Sequence[str] | None = None
    sigma: float | Sequence[float] | Range


@refuses_unknown
@dataclass(frozen=True, kw_only=True)
class GammaLaw:
    """A gamma distribution.

    - `shape`: Shape parameter; 1: exponential, below 1: more short lengths than that; number 0.01
      to 1_000.
    - `mean`: Mean length, including the shift; text such as "10ms".
    - `shift`: Shortest length; text such as "10ms".
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

    - `mean`: Mean length before negative lengths are cut at 0; text such as "10ms".
    - `deviation`: Standard deviation, which netem calls jitter; text such as "10ms".
    - `correlation`: Correlation as netem computes it, which has almost no effect on delays below a
      second; number 0 to 1.
    """

    kind: ClassVar[str] = "normal"

    mean: str | Sequence[str]
    deviation: str | Sequence[str]
    correlation: float | Sequence[float] | Range | None = None


@refuses_unknown
@dataclass(frozen=True, kw_only=True)
class ParetoNormalLaw:
    """A Pareto-normal distribution of netem.

    - `mean`: Mean length before negative lengths are cut at 0; text such as "10ms".
    - `deviation`: Jitter as netem calls it: the scale of its table, whose standard deviation is
      0.83 of it; text such as "10ms".
    - `correlation`: Correlation as netem computes it, which has almost no effect on delays below a
      second; number 0 to 1.
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
    - `transition`: Transition probabilities: one row for each state, each of sum 1; list of lists.
    """

    kind: ClassVar[str] = "modulated"

    laws: Sequence[Law]
    transition: Sequence[Sequence[float]]


@refuses_unknown
@dataclass(frozen=True, kw_only=True)
class AutoregressiveLaw:
    """An autoregressive distribution of order 1 in normal scores.

    - `marginal`: Marginal distribution of the lengths; its own draws must be independent; table.
    - `correlation`: Correlation of the normal scores of one draw and the next, between -1 and 1;
      number -1 to 1.
    """

    kind: ClassVar[str] = "autoregressive"

    marginal: Law | Sequence[Law]
    correlation: float | Sequence[float] | Range


@refuses_unknown
@dataclass(frozen=True, kw_only=True)
class ValuesLaw:
    """Lengths from a list.

    - `values`: Lengths in order, e.g. ["1s", "250ms"]; list of values.
    - `repeat`: True if the list is repeated; otherwise nothing happens after its end; true or
      false.
    - `file`: CSV file with the column `value`, in place of `values`; text.
    """

    kind: ClassVar[str] = "values"

    values: Sequence[str] | None = None
    repeat: bool | Sequence[bool] = True
    file: str | None = None


@refuses_unknown
@dataclass(frozen=True, kw_only=True)
class StepRates:
    """Rates, each from its time on.

    - `values`: Changes of the rate, in order of time; as a text, lines of nanoseconds and bit/s.
      The first rate holds before the first change too; list of tables, or text.
    - `end`: Behaviour after the end of the list, whose last rate lasts as long as the one before
      it; hold, repeat, stop.
    - `file`: CSV file with a column of times and one of rates, in place of `values`; text.
    - `time_column`: Column of times: its name, or its number from 1; text, or whole number.
    - `rate_column`: Column of rates: its name, or its number from 1; text, or whole number.
    - `time_unit`: Unit of the times: s, ms, us, or ns. Absent: the unit in the column's name, or s;
      text.
    - `rate_unit`: Unit of the rates: bps, kbps, Mbps, Gbps, B/s, kB/s, MB/s, or GB/s. Absent: the
      unit in the column's name, or Mbps; text.
    - `from_first`: True if the run starts at the time of the first row, false if at time 0. Absent:
      true where times are dates, else false; true or false.
    - `same_time`: Choice among rows of equal time: first, last, or mean. Absent: such rows are
      refused; text.
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
    """A sine in steps, rising from its mean at first.

    - `mean`: Mean rate; text such as "1.5Mbps".
    - `amplitude`: Largest deviation from the mean; at most the mean; text such as "1.5Mbps".
    - `period`: Time from one peak to the next; text such as "10ms".
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
    """A random walk between two rates, which throw it back.

    - `low`: Lowest rate; may be 0bps; text such as "1.5Mbps".
    - `high`: Highest rate; text such as "1.5Mbps".
    - `step`: Step of the random walk, up or down with probability 1/2 each; at most half of `high`
      less `low`; text such as "1.5Mbps".
    - `every`: Time between two steps; text such as "10ms".
    - `start`: Rate at the start of the run. Absent: halfway between `low` and `high`; text such as
      "1.5Mbps".
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

    - `every`: Time for which a rate stays; text such as "10ms".
    - `levels`: The distribution of the rates, from the lowest to the highest; list of tables.
    - `memories`: The memories of the process. Absent: every rate is new; list of tables.
    """

    kind: ClassVar[str] = "autoregressive"

    every: str | Sequence[str]
    levels: Sequence[RateLevel]
    memories: Sequence[ScoreMemory] | None = None


@refuses_unknown
@dataclass(frozen=True, kw_only=True)
class FixedSize:
    """One size.

    - `value`: The size; text such as "1400B".
    """

    kind: ClassVar[str] = "fixed"

    value: str | Sequence[str]


@refuses_unknown
@dataclass(frozen=True, kw_only=True)
class ExponentialSize:
    """An exponential distribution.

    - `mean`: Mean size; text such as "1400B".
    """

    kind: ClassVar[str] = "exponential"

    mean: str | Sequence[str]


@refuses_unknown
@dataclass(frozen=True, kw_only=True)
class ParetoSize:
    """A Pareto distribution.

    - `shape`: Tail index, above 1; up to 2 the variance is infinite; number 1 to 1_000.
    - `mean`: Mean size. Give this, without `max`, or `min`; text such as "1400B".
    - `min`: Smallest size. Give this or `mean`; text such as "1400B".
    - `max`: Largest size. Absent: none; text such as "1400B".
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

    - `mean`: Mean size; text such as "1400B".
    - `sigma`: Standard deviation of the natural logarithm; number 0 to 10.
    """

    kind: ClassVar[str] = "log-normal"

    mean: str | Sequence[str]
    sigma: float | Sequence[float] | Range


@refuses_unknown
@dataclass(frozen=True, kw_only=True)
class ListSize:
    """Sizes from a list.

    - `values`: Sizes in order, e.g. ["10kB", "1MB"]; list of values.
    - `repeat`: True if the list is repeated; otherwise nothing is transferred after its end; true
      or false.
    - `file`: CSV file with the column `size`, in place of `values`; text.
    """

    kind: ClassVar[str] = "list"

    values: Sequence[str] | None = None
    repeat: bool | Sequence[bool] = True
    file: str | None = None


@refuses_unknown
@dataclass(frozen=True, kw_only=True)
class DropTailQueue:
    """A drop-tail queue.

    - `packets`: Limit in packets, counting the one in transmission; whole number 2 to
      1_000_000_000.
    - `bytes`: Limit on the bytes that wait; text such as "1400B".
    """

    kind: ClassVar[str] = "drop-tail"

    packets: int | Sequence[int] | Range | None = None
    bytes: str | Sequence[str] | None = None


@refuses_unknown
@dataclass(frozen=True, kw_only=True)
class HeadDropQueue:
    """A queue that drops at its head.

    - `packets`: Limit in packets, counting the one in transmission; whole number 2 to
      1_000_000_000.
    - `bytes`: Limit on the bytes that wait; text such as "1400B".
    """

    kind: ClassVar[str] = "head-drop"

    packets: int | Sequence[int] | Range | None = None
    bytes: str | Sequence[str] | None = None


@refuses_unknown
@dataclass(frozen=True, kw_only=True)
class CoDelQueue:
    """Controlled delay.

    - `target`: Acceptable standing delay: sojourn time in the queue that may last longer than an
      interval; text such as "10ms".
    - `interval`: Time for which the sojourn time may exceed the target: about the longest round
      trip; text such as "10ms".
    - `mtu`: Length of the longest packet; text such as "1400B".
    - `ecn`: True if ECN-capable packets are marked instead of dropped; true or false.
    - `packets`: Limit in packets, counting the one in transmission; 1000 if there is no limit in
      bytes either; whole number 2 to 1_000_000_000.
    - `bytes`: Limit on the bytes that wait; text such as "1400B".
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

    - `target`: Acceptable standing delay: sojourn time in a flow's queue that may last longer than
      an interval; text such as "10ms".
    - `interval`: Time for which the sojourn time may exceed the target: about the longest round
      trip; text such as "10ms".
    - `quantum`: Bytes that a flow may send in its turn; text such as "1400B".
    - `flows`: Number of queues; whole number 1 to 65_536.
    - `hash`: True if flows are spread over the queues by a hash, so that some may share one; true
      or false.
    - `mtu`: Length of the longest packet; text such as "1400B".
    - `ecn`: True if ECN-capable packets are marked instead of dropped; true or false.
    - `packets`: Limit in packets, counting the one in transmission; 10240 if there is no limit in
      bytes either; whole number 2 to 1_000_000_000.
    - `bytes`: Limit on the bytes that wait; text such as "1400B".
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

    - `quantum`: Bytes that a flow may send in a round; text such as "1400B".
    - `flows`: Number of queues; whole number 1 to 65_536.
    - `hash`: True if flows are spread over the queues by a hash, so that some may share one; true
      or false.
    - `packets`: Limit in packets, counting the one in transmission; 1000 if there is no limit in
      bytes either; whole number 2 to 1_000_000_000.
    - `bytes`: Limit on the bytes that wait; text such as "1400B".
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

    - `target`: Target queueing delay of the controller; text such as "10ms".
    - `update`: The time between two steps of the controller; text such as "10ms".
    - `burst`: Time for which a burst may exceed the target before anything is dropped; text such as
      "10ms".
    - `mean_packet`: The mean length of packets: nothing is dropped while no more than two of them
      wait; text such as "1400B".
    - `derandomize`: True if drops are spaced more evenly than independent random drops; true or
      false.
    - `cap`: True if increases of the drop probability are limited while it is above 0.1; true or
      false.
    - `ecn`: True if ECN-capable packets are marked instead of dropped while the probability is
      below 0.1; true or false.
    - `packets`: Limit in packets, counting the one in transmission; 1000 if there is no limit in
      bytes either; whole number 2 to 1_000_000_000.
    - `bytes`: Limit on the bytes that wait; text such as "1400B".
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
    - `weight`: Weight of the newest queue length in the average; number 0 to 1.
    - `gentle`: True if the drop probability rises linearly to 1 between `max` and twice `max`,
      instead of jumping to 1 at `max`; true or false.
    - `adaptive`: True if `max_p` adapts to the load (Adaptive RED); true or false.
    - `mean_packet`: The length of a typical packet; text such as "1400B".
    - `in_bytes`: True if the queue is measured in bytes; `min` and `max` are then multiples of
      `mean_packet`; true or false.
    - `by_size`: True if the drop probability is proportional to the length of the packet; true or
      false.
    - `max_packet`: Length, with `by_size`, of a packet whose drop probability is not scaled; a
      packet half as long has half the probability; text such as "1400B".
    - `ecn`: True if ECN-capable packets are marked instead of dropped; true or false.
    - `packets`: Limit in packets, counting the one in transmission; 1000 if there is no limit in
      bytes either; whole number 2 to 1_000_000_000.
    - `bytes`: Limit on the bytes that wait; text such as "1400B".
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

    - `min`: Average queue length, in packets, above which packets are dropped at random
      (`thresh_`); number 0 to 1_000_000.
    - `max`: Average queue length, in packets, at which the drop probability is `max_p`
      (`maxthresh_`); number 0 to 1_000_000.
    - `max_p`: Drop probability at `max` (1 / `linterm_`); number 0 to 1.
    - `weight`: Weight of the newest queue length in the average (`q_weight_`); number 0 to 1.
    - `gentle`: True if the drop probability rises linearly to 1 between `max` and twice `max`,
      instead of jumping to 1 at `max` (`gentle_`); true or false.
    - `wait`: True if drops keep at least half their mean distance (`wait_`); true or false.
    - `mean_packet`: The length of a typical packet (`mean_pktsize_`); text such as "1400B".
    - `by_size`: True if the probability grows with the length of a packet (`bytes_`); true or
      false.
    - `in_bytes`: True if the queue is measured in bytes, `min`, `max` and the limit then being
      multiples of `mean_packet` (`queue_in_bytes_`); true or false.
    - `ecn`: True if ECN-capable packets are marked instead of dropped (`setbit_`); true or false.
    - `mark_p`: Probability above which they are dropped nevertheless; without it, wherever the
      average is so long that all are dropped (`use_mark_p_`, `mark_p_`); number 0 to 2.
    - `ns1_compat`: True if a forced drop leaves the distance from the last drop as it was
      (`ns1_compat_`); true or false.
    - `packets`: Packets that may wait, not counting the one in transmission (`limit_`); whole
      number 1 to 1_000_000_000.
    - `drawn`: Count of numbers that ns has drawn before the first packet comes: two for each
      `Agent/TCP`. All such queues of a scenario draw in turn; what the first of them says holds;
      whole number 0 to 1_000_000.
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
    """Two queues, coupled.

    - `target`: Target queueing delay of the classic queue; text such as "10ms".
    - `update`: The time between two steps of the controller (Tupdate); text such as "10ms".
    - `alpha`: Weight of the distance from the target, in Hz; number 0 to 1_000.
    - `beta`: Weight of the change between two steps, in Hz; number 0 to 1_000.
    - `coupling`: Coupling factor k; 0: the two queues are independent; number 0 to 1_000.
    - `threshold`: Queueing delay above which packets of the low-latency queue are marked (minTh);
      text such as "10ms".
    - `range`: Width of the ramp above the threshold, at whose end every packet is marked; 0: a
      step; text such as "10ms".
    - `th_len`: Packets of low latency that may wait behind the one that leaves before it is marked
      for its delay (`Th_len`); whole number 0 to 1_000_000.
    - `p_cmax`: Classic probability from which on all packets are dropped by it; absent: 1/k^2, at
      most 1; number 0 to 1.
    - `p_lmax`: Coupled probability from which on packets of low latency are dropped as well; number
      0 to 1.
    - `scheduler`: Scheduler of the two queues; wrr, ts-fifo.
    - `classic_weight`: The share of the classic queue while both wait, with `wrr`; number 0.001 to
      0.999.
    - `shift`: Wait by which a classic packet must exceed the other to go first, with `ts-fifo`;
      text such as "10ms".
    - `mtu`: The longest packet: what comes is dropped where no such one would fit; text such as
      "1400B".
    - `bytes`: Limit of what waits in both queues; absent: what the link sends in 250 ms; text such
      as "1400B".
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

    - `rate`: Rate at which tokens arrive; text such as "1.5Mbps".
    - `burst`: Size of the bucket, which is full at the start; text such as "1400B".
    - `excess`: Treatment of packets that find too few tokens; wait, drop.
    - `packets`: Limit in packets, counting the one in transmission; 1000 if there is no limit in
      bytes either; whole number 2 to 1_000_000_000.
    - `bytes`: Limit on the bytes that wait; text such as "1400B".
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

    - `bands`: Flows of each band but the last, the most important ones first: numbers, or names of
      tables such as "traffic[0]"; list of lists.
    - `packets`: Limit in packets, counting the one in transmission; 1000 if there is no limit in
      bytes either; whole number 2 to 1_000_000_000.
    - `bytes`: Limit on the bytes that wait; text such as "1400B".
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
    """CUBIC's growth.

    - `beta`: Share of the window that remains after a loss (`beta_cubic`) [RFC 9438 4.6]; number
      0.01 to 0.99.
    - `c`: Steepness of the cubic function (C), in segments per second cubed [RFC 9438 5.1]; number
      0.001 to 1_000.
    - `fast_convergence`: True if a loss below the last plateau makes room for new flows [RFC 9438
      4.7]; true or false.
    """

    kind: ClassVar[str] = "cubic"

    beta: float | Sequence[float] | Range = 0.7
    c: float | Sequence[float] | Range = 0.4
    fast_convergence: bool | Sequence[bool] = True


@refuses_unknown
@dataclass(frozen=True, kw_only=True)
class Westwood:
    """Westwood+'s reduction.

    - `alpha`: Weight of the previous bandwidth estimate in the new one (alpha): 0.9 [Grieco and
      Mascolo 2004]; number 0 to 0.999.
    """

    kind: ClassVar[str] = "westwood"

    alpha: float | Sequence[float] | Range = 0.9


@refuses_unknown
@dataclass(frozen=True, kw_only=True)
class Veno:
    """Veno's growth.

    - `beta`: Segments queued in the network from which the path counts as congested (beta): 3 [Fu
      and Liew 2003]; number 0 to 1_000.
    - `random`: Share of the window that remains after a random loss: 4/5 [Fu and Liew 2003]; number
      0.5 to 1.
    """

    kind: ClassVar[str] = "veno"

    beta: float | Sequence[float] | Range = 3.0
    random: float | Sequence[float] | Range = 0.8


@refuses_unknown
@dataclass(frozen=True, kw_only=True)
class Vegas:
    """Vegas' growth.

    - `alpha`: Segments queued in the network below which the window grows: 1 [Brakmo and Peterson
      1995]; number 0 to 1_000.
    - `beta`: Segments queued in the network above which the window shrinks, at least alpha: 3
      [Brakmo and Peterson 1995]; number 0 to 1_000.
    - `gamma`: Segments queued in the network above which slow start ends: 1 [Brakmo and Peterson
      1995]; number 0 to 1_000.
    """

    kind: ClassVar[str] = "vegas"

    alpha: float | Sequence[float] | Range = 1.0
    beta: float | Sequence[float] | Range = 3.0
    gamma: float | Sequence[float] | Range = 1.0


@refuses_unknown
@dataclass(frozen=True, kw_only=True)
class Hybla:
    """Hybla's growth.

    - `rtt0`: Round trip of the reference connection (RTT0): 25 ms [Caini and Firrincieli 2004];
      text such as "10ms".
    """

    kind: ClassVar[str] = "hybla"

    rtt0: str | Sequence[str] = "25ms"


@refuses_unknown
@dataclass(frozen=True, kw_only=True)
class Illinois:
    """Illinois' growth.

    - `alpha_max`: Increase in segments per round trip where no queue builds: 10 [Liu et al. 2008];
      number 0.01 to 1_000.
    - `alpha_min`: Increase in segments per round trip at the largest queueing delay, at most
      alpha_max: 0.3 [Liu et al. 2008]; number 0.001 to 1_000.
    - `beta_min`: Share by which a loss reduces the window where no queue builds, at most beta_max:
      1/8 [Liu et al. 2008]; number 0.01 to 0.99.
    - `beta_max`: Share by which a loss reduces the window at large queueing delays: 1/2 [Liu et al.
      2008]; number 0.01 to 0.99.
    - `eta1`: Share of the largest queueing delay up to which alpha is alpha_max (eta1): 0.01 [Liu
      et al. 2008]; number 0 to 0.99.
    - `eta2`: Share up to which beta is beta_min (eta2): 0.1 [Liu et al. 2008]; number 0 to 1.
    - `eta3`: Share from which on beta is beta_max (eta3), above eta2: 0.8 [Liu et al. 2008]; number
      0 to 1.
    - `w_thresh`: Window in segments below which growth is Reno's: 15 [Liu et al. 2008]; number 0 to
      1_000_000.
    - `theta`: Round trips of a short queue before alpha is alpha_max again (theta): 5 [Liu et al.
      2008]; whole number 1 to 1_000.
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
    """LEDBAT++'s growth.

    - `target`: Target queueing delay: 60 ms [draft-irtf-iccrg-ledbat-plus-plus]; text such as
      "10ms".
    - `constant`: Strength with which a delay above the target shrinks the window (Constant): 1 [the
      same, 4.3]; number 0 to 100.
    - `slowdowns`: True if periodic slowdowns are made: true [the same, 4.4]; true or false.
    """

    kind: ClassVar[str] = "ledbat++"

    target: str | Sequence[str] = "60ms"
    constant: float | Sequence[float] | Range = 1.0
    slowdowns: bool | Sequence[bool] = True


@refuses_unknown
@dataclass(frozen=True, kw_only=True)
class Dctcp:
    """DCTCP's growth.

    - `gain`: Weight of the last window in the average share of marks (g): 1/16 [RFC 8257 4.2];
      number 0.0001 to 1.
    """

    kind: ClassVar[str] = "dctcp"

    gain: float | Sequence[float] | Range = 0.0625


@refuses_unknown
@dataclass(frozen=True, kw_only=True)
class Prague:
    """Prague's growth.

    - `gain`: Weight of the last round trip in the average of marks (g): 1/16; number 0.0001 to 1.
    - `rtt_virtual`: Virtual round trip: shorter round trips are treated as this one; text such as
      "10ms".
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

    - `base`: Denominator of the reduction: "flight" [RFC 9937], or "window" as in Linux; flight,
      window.
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
    """By the buffer alone.

    - `reservoir`: Share of `buffer` less one chunk up to which the bitrate is the lowest; number 0
      to 1.
    - `full`: Share of `buffer` less one chunk from which the bitrate is the highest; number 0 to 1.
    """

    kind: ClassVar[str] = "buffer"

    reservoir: float | Sequence[float] | Range = 0.375
    full: float | Sequence[float] | Range = 0.9


@refuses_unknown
@dataclass(frozen=True, kw_only=True)
class ThroughputBased:
    """By throughput.

    - `share`: Largest bitrate, as a share of the mean throughput; number 0 to 10.
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

    - `title`: Title of tables and figures; text.
    - `profile`: Set of rules and defaults of the scenario; it decides which other keys there are;
      zorzi, ns2, rfc, bsd, linux.
    - `case`: Named sets of values that vary together: each case is a table of keys that override
      the rest of the scenario. In a point, the name of its case; list of tables, or text.
    - `tcp`: In zorzi: The transport. In ns2, rfc, bsd, linux: The transport of every flow; table.
    - `link`: Rate of the link and length of its packets; table (only in zorzi).
    - `channel`: The channel of data packets; table (only in zorzi).
    - `ack`: Loss and delay of acknowledgements; table (only in zorzi).
    - `stop`: Length of the simulation, and number of runs; table.
    - `analysis`: Method of the analysis; table (only in zorzi).
    - `path`: Hops between the ends; table (only in ns2, rfc, bsd, linux).
    - `flow`: Flows of the scenario. Absent: one endless flow from time 0; list of tables (only in
      ns2, rfc, bsd, linux).
    - `traffic`: Cross-traffic; absent: none; list of tables (only in ns2, rfc, bsd, linux).
    - `live`: Settings of live runs only; simulation and analysis ignore them; table (only in ns2,
      rfc, bsd, linux).
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
            warn_renamed("spec.Growth is now called spec.Congestion; say that", RenamedKey)
            return Congestion
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

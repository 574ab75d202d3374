"""The one table of metrics: a new metric is one entry of `ENTRIES`.

The compiled part names the counts of runs; this table has the metrics that follow from them, with
their labels and units, and tells if high or low values are the better ones.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

KIND_WORDS = {  # what a metric is of, as people say it
    "slot": "on slots",
    "path": "on a path",
    "links": "links",
    "traffic": "traffic",
}


@dataclass(frozen=True)
class Metric:
    """A metric.

    - `label`: the metric in words, without its `unit` ("1" and "per run" are not written);
    - `better`: "high" or "low", the values that are usually better;
    - `of`: for each kind, the quotient that defines the metric, such as "sent - resent over sent".
      Its terms are counts, and values that `airtcp.metrics.ratios` derives from them; without
      "over" it is a sum. Runs that an engine measures have metrics as measured, and a metric that
      only they have is of no kind;
    - `head`: head of a column, if the name is too long;
    - `most`: the largest value that it can have; the least is 0.
    """

    name: str
    label: str
    unit: str
    better: str
    definition: str
    of: Mapping[str, str]
    head: str = ""
    most: float = math.inf


def _link_loss(cause: str, label: str, definition: str) -> Metric:
    name = f"lost_{cause}"
    return Metric(name, label, "per run", "low", definition, {"links": name})


SIZES = {  # classes of transfers by their sizes
    "10k": "up to 10 kB",
    "100k": "above 10 kB and up to 100 kB",
    "1m": "above 100 kB and up to 1 MB",
    "long": "above 1 MB",
}


def _sum_over_sizes(column: str) -> str:
    return " + ".join(column.format(size) for size in SIZES)


def _metrics_of_size_class(size: str, words: str) -> Iterator[Metric]:
    """The metrics of transfers in a class of sizes."""
    yield Metric(
        f"transfers_{size}",
        f"Transfers of {words} completed",
        "per run",
        "high",
        f"transfers of {words} that were completed",
        {"path": f"transfers_{size}"},
    )
    yield Metric(
        f"unfinished_share_{size}",
        f"Share of transfers of {words} unfinished at the end",
        "1",
        "low",
        f"share of the transfers of {words} that were still running at the end",
        {"path": f"unfinished_{size} over transfers_{size} + unfinished_{size}"},
        most=1.0,
    )
    yield Metric(
        f"completion_{size}",
        f"Completion time of transfers of {words}",
        "s",
        "low",
        f"mean completion time of transfers of {words}",
        {"path": f"completion_{size}_s over transfers_{size}"},
    )
    yield Metric(
        f"completion_{size}_p95",
        f"95th percentile of the completion time of transfers of {words}",
        "s",
        "low",
        f"95th percentile of the completion time of transfers of {words}; unfinished transfers"
        " count as longer than all",
        {"path": f"completion_{size}_p95_s"},
    )


LOSS_CAUSES = ("queue", "channel", "gate", "forced", "arq", "down")  # why a link loses packets

VIDEO_ENTRIES = (
    Metric(
        "startup_delay",
        "Startup delay of a video",
        "s",
        "low",
        "time from the start of the flow until the video plays; NaN if it never plays",
        {"path": "startup_s"},
        head="startup",
    ),
    Metric(
        "rebuffering",
        "Share of time in which a video stalls",
        "1",
        "low",
        "share of the time after playback first started in which the buffer was empty",
        {"path": "stalled_s over stalled_s + played_s"},
        most=1.0,
    ),
    Metric(
        "stalls",
        "Stalls of a video per run",
        "per run",
        "low",
        "number of interruptions of playback",
        {"path": "stalls"},
    ),
    Metric(
        "video_bitrate",
        "Mean bitrate of a video",
        "bit/s",
        "high",
        "mean bitrate of the chunks received",
        {"path": "chunk_bits over chunk_s"},
        head="bitrate",
    ),
    Metric(
        "switches",
        "Changes of a video's bitrate per run",
        "per run",
        "low",
        "number of chunks whose bitrate differs from that of the chunk before",
        {"path": "switches"},
    ),
    Metric(
        "chunks",
        "Chunks of a video per run",
        "per run",
        "high",
        "number of chunks received",
        {"path": "chunks"},
    ),
)

ENTRIES = (
    Metric(
        "throughput",
        "Throughput (packets per slot)",
        "1",
        "high",
        "share of slots that delivered a new packet",
        {"slot": "useful over slots"},
        head="throughput",
        most=1.0,
    ),
    Metric(
        "transmissions_per_slot",
        "Packets sent per slot",
        "1",
        "high",
        "share of slots in which a packet was sent",
        {"slot": "transmissions over slots"},
        most=1.0,
    ),
    Metric(
        "throughput_pps",
        "Throughput",
        "packets/s",
        "high",
        "packets acknowledged at the sender, per second",
        {"path": "acked over seconds"},
        head="packets/s",
    ),
    Metric(
        "throughput_bps",
        "Throughput",
        "bit/s",
        "high",
        "payload acknowledged at the sender, per second",
        {"path": "acked_bits over seconds"},
        head="throughput",
    ),
    Metric(
        "transmissions_per_delivery",
        "Packets sent per packet delivered",
        "1",
        "low",
        "transmissions spent per packet delivered: the energy proxy",
        {"slot": "transmissions over deliveries", "path": "sent over deliveries"},
        head="sent/delivered",
    ),
    Metric(
        "timeouts_per_slot",
        "Timeouts per slot",
        "1/slot",
        "low",
        "expiries of the retransmission timer per slot",
        {"slot": "timeouts over slots"},
    ),
    Metric(
        "fast_retransmits_per_slot",
        "Fast retransmits per slot",
        "1/slot",
        "low",
        "retransmissions triggered by duplicate ACKs, per slot",
        {"slot": "fast_retransmits over slots"},
    ),
    Metric(
        "goodput_bps",
        "Goodput",
        "bit/s",
        "high",
        "payload handed to the application in order, per second",
        {
            "slot": "in_order_bits over seconds",
            "path": "in_order_bits over seconds",
        },
        head="goodput",
    ),
    Metric(
        "delay_median",
        "Median delay to the first arrival",
        "s",
        "low",
        "median time from a packet's first transmission to its first arrival",
        {"path": "delay_median_s", "traffic": "delay_median_s"},
        head="delay",
    ),
    Metric(
        "delay_p95",
        "95th percentile of the delay to the first arrival",
        "s",
        "low",
        "95th percentile of the delay to the first arrival",
        {"path": "delay_p95_s", "traffic": "delay_p95_s"},
        head="delay p95",
    ),
    Metric(
        "delay_p99",
        "99th percentile of the delay",
        "s",
        "low",
        "99th percentile of the delay to the first arrival",
        {"traffic": "delay_p99_s"},
        head="delay p99",
    ),
    Metric(
        "voice_r",
        "Rating R of a call",
        "1",
        "high",
        "rating by the E-model, if each packet holds 20 ms of G.711 and the player waits for 99 %"
        " of the packets that arrive; `late` packets count as lost",
        {"traffic": "voice_r"},
        head="R",
    ),
    Metric(
        "voice_mos",
        "Mean opinion score of a call",
        "1",
        "high",
        "mean opinion score of the call by the E-model, 1 to 4.5",
        {"traffic": "voice_mos"},
        head="MOS",
        most=4.5,
    ),
    Metric(
        "queueing_median",
        "Median queueing delay",
        "s",
        "low",
        "median delay to the first arrival, minus the flow's least delay [RFC 6817]",
        {"path": "delay_median_s - delay_least_s"},
        head="queueing",
    ),
    Metric(
        "queueing_p95",
        "95th percentile of the queueing delay",
        "s",
        "low",
        "95th percentile of the delay to the first arrival, minus the flow's least delay",
        {"path": "delay_p95_s - delay_least_s"},
        head="queueing p95",
    ),
    Metric(
        "efficiency",
        "Efficiency: first transmissions per packet sent",
        "1",
        "high",
        "share of the packets sent that were first transmissions",
        {"path": "sent - resent over sent"},
        most=1.0,
    ),
    Metric(
        "resent_share",
        "Share of packets that were resent",
        "1",
        "low",
        "share of the packets sent that were retransmissions",
        {"path": "resent over sent"},
        head="resent",
        most=1.0,
    ),
    Metric(
        "overhead",
        "Overhead: bits per bit of payload",
        "1",
        "low",
        "bits sent in headers, retransmissions, probes and data in flight at the end, per bit of"
        " payload",
        {"path": "sent_bits + probe_bits - in_order_bits over in_order_bits"},
    ),
    Metric(
        "lost_share",
        "Packets lost per packet sent",
        "1",
        "low",
        "share of the packets sent or copied (`duplicate`) that channels, gates, queues or `drop`"
        " lost; SYNs do not count, and data in flight at the end is not lost",
        {"path": "lost over sent + probes + copies", "traffic": "lost over sent + copies"},
        most=1.0,
    ),
    Metric(
        "channel_lost_share",
        "Packets lost to chains on the slot clock, per packet that met them",
        "1",
        "low",
        "share lost to chains on the slot clock, of the packets that met these chains on the way of"
        " the data",
        {"path": "channel_lost over channel_met"},
        most=1.0,
    ),
    Metric(
        "channel_asked_share",
        "Loss rate of chains on the slot clock",
        "1",
        "low",
        "mean of the loss rates that the scenario sets for these chains, over the packets that met"
        " them",
        {"path": "channel_expected over channel_met"},
        most=1.0,
    ),
    Metric(
        "channel_expected",
        "Losses that chains on the slot clock let expect",
        "per run",
        "low",
        "sum of the loss rates that the scenario sets for these chains, over the packets that met"
        " them",
        {"path": "channel_expected"},
    ),
    Metric(
        "transfer_time",
        "Transfer time",
        "s",
        "low",
        "time from the start of the flow to the ACK that completes the milestone; NaN if no ACK"
        " does, and the mean over runs is then NaN too",
        {"path": "milestone_s"},
        head="transfer time",
    ),
    Metric(
        "transfers",
        "Transfers completed",
        "per run",
        "high",
        "transfers whose last byte was acknowledged, of a flow with many transfers",
        {"path": _sum_over_sizes("transfers_{}")},
    ),
    Metric(
        "unfinished_share",
        "Share of transfers unfinished at the end",
        "1",
        "low",
        "share still running at the end of the measured time, of the transfers completed in it or"
        " still running",
        {
            "path": f"{_sum_over_sizes('unfinished_{}')} over {_sum_over_sizes('transfers_{}')}"
            f" + {_sum_over_sizes('unfinished_{}')}"
        },
        head="unfinished",
        most=1.0,
    ),
    Metric(
        "completion_mean",
        "Completion time of transfers",
        "s",
        "low",
        "mean time from the start of a transfer to the ACK of its last byte, over the completed"
        " transfers; too short if many are unfinished",
        {"path": f"{_sum_over_sizes('completion_{}_s')} over {_sum_over_sizes('transfers_{}')}"},
        head="completion",
    ),
    Metric(
        "completion_median",
        "Median completion time of transfers",
        "s",
        "low",
        "median of completion times; unfinished transfers count as longer than all",
        {"path": "completion_median_s"},
        head="median completion",
    ),
    Metric(
        "completion_p95",
        "95th percentile of the completion time",
        "s",
        "low",
        "95th percentile of completion times; unfinished transfers count as longer than all",
        {"path": "completion_p95_s"},
        head="completion p95",
    ),
    Metric(
        "completion_p99",
        "99th percentile of the completion time",
        "s",
        "low",
        "99th percentile of completion times; unfinished transfers count as longer than all",
        {"path": "completion_p99_s"},
        head="completion p99",
    ),
    *(metric for size in SIZES.items() for metric in _metrics_of_size_class(*size)),
    *VIDEO_ENTRIES,
    Metric(
        "delay_first_arrival",
        "Delay to the first arrival",
        "s",
        "low",
        "mean time from a packet's first transmission to its first arrival",
        {"path": "first_arrival_s over first_arrivals"},
        head="mean delay",
    ),
    Metric(
        "delay_own_ack",
        "Delay to the packet's own ACK",
        "s",
        "low",
        "mean time from a packet's first transmission to the arrival of the ACK triggered by its"
        " first arrival",
        {"path": "own_ack_s over own_acks"},
    ),
    Metric(
        "delay_cumulative_ack",
        "Delay to the first ACK that covers the packet",
        "s",
        "low",
        "mean time from a packet's first transmission to the first ACK that covers it",
        {"path": "cumulative_ack_s over cumulative_acks"},
    ),
    Metric(
        "timeouts",
        "Timeouts per run",
        "per run",
        "low",
        "expiries of the retransmission timer",
        {"path": "timeouts"},
    ),
    Metric(
        "spurious_timeouts",
        "Spurious timeouts per run",
        "per run",
        "low",
        "timeouts whose first retransmission was not needed",
        {"path": "spurious_timeouts"},
    ),
    Metric(
        "fast_retransmits",
        "Fast retransmits per run",
        "per run",
        "low",
        "retransmissions triggered by duplicate ACKs",
        {"path": "fast_retransmits"},
    ),
    Metric(
        "spurious_retransmissions",
        "Spurious retransmissions per run",
        "packets",
        "low",
        "packets that arrived although the receiver already had all of their data; a needless"
        " repetition that is lost on the way does not count",
        {"path": "duplicates"},
    ),
    Metric(
        "bits_on_air",
        "Volume on the air",
        "bits",
        "low",
        "bits that sender and receiver sent to their first hop",
        {"path": "sent_bits + probe_bits + ack_bits"},
    ),
    Metric(
        "probes",
        "Probes per run",
        "per run",
        "low",
        "probes that the sender sent",
        {"path": "probes"},
    ),
    Metric(
        "in_order_throughput",
        "Share of slots that carried packets delivered in order",
        "1",
        "high",
        "packets handed to the application in order, times the slots of a packet, per slot; equals"
        " `throughput` in the long run",
        {"slot": "in_order_useful over slots"},
        most=1.0,
    ),
    Metric(
        "ll_transmissions_per_slot",
        "Link packets sent per slot",
        "1",
        "high",
        "share of slots in which a fragment was sent",
        {"slot": "ll_transmissions over slots"},
        most=1.0,
    ),
    Metric(
        "ll_transmissions_per_delivery",
        "Link packets sent per packet delivered",
        "1",
        "low",
        "fragments sent per packet delivered: the energy proxy",
        {
            "slot": "ll_transmissions over deliveries",
            "path": "ll_transmissions over deliveries",
        },
    ),
    Metric(
        "ll_resent_share",
        "Share of link packets that were resent",
        "1",
        "low",
        "share of the fragments that were retransmissions",
        {
            "slot": "ll_retransmissions over ll_transmissions",
            "path": "ll_retransmissions over ll_transmissions",
        },
        most=1.0,
    ),
    Metric(
        "ll_failure_rate",
        "Packets that the link gave up per packet sent",
        "1",
        "low",
        "share of the packets sent that the link gave up",
        {"slot": "ll_failures over transmissions"},
        most=1.0,
    ),
    Metric(
        "ll_failures",
        "Packets that the link gave up per run",
        "per run",
        "low",
        "packets that the link gave up",
        {"path": "ll_failures"},
    ),
    Metric(
        "ll_bits_per_bit",
        "Bits on the air per bit delivered",
        "1",
        "low",
        "bits on the air per bit of payload handed over in order",
        {"slot": "ll_bits over in_order_bits", "path": "ll_bits over in_order_bits"},
    ),
    Metric(
        "utilisation",
        "Share of time in which the link is busy",
        "1",
        "high",
        "share of time in which the link is busy; with recorded opportunities, that was used",
        {"links": "busy_s over seconds"},
        most=1.0,
    ),
    Metric(
        "mean_queue",
        "Mean queue",
        "packets",
        "low",
        "time average of the packets that wait in the queue",
        {"links": "queue_packet_s over seconds"},
    ),
    Metric(
        "mean_queue_bytes",
        "Mean queue in bytes",
        "bytes",
        "low",
        "time average of the bytes that wait in the queue",
        {"links": "queue_byte_s over seconds"},
    ),
    Metric(
        "longest_queue",
        "Longest queue",
        "packets",
        "low",
        "most packets that waited at once in a part of a run; a summary gives the mean over parts."
        " With `queue = 50` at most 49 packets wait, since the limit counts the one in"
        " transmission",
        {"links": "most_packets"},
    ),
    Metric(
        "longest_queue_bytes",
        "Longest queue in bytes",
        "bytes",
        "low",
        "most bytes that waited at once in a part of a run",
        {"links": "most_bytes"},
    ),
    Metric(
        "mean_sojourn",
        "Mean time in the queue",
        "s",
        "low",
        "mean waiting time of the packets whose transmission started",
        {"links": "sojourn_s over started"},
    ),
    Metric(
        "longest_sojourn",
        "Longest time in the queue",
        "s",
        "low",
        "longest waiting time of the packets whose transmission started",
        {"links": "longest_sojourn_s"},
    ),
    Metric(
        "offered_bps",
        "Offered",
        "bit/s",
        "high",
        "bits per second that arrive at the link, or that a source of cross-traffic sends, averaged"
        " over on and off times",
        {"links": "offered_bits over seconds", "traffic": "sent_bits over seconds"},
    ),
    Metric(
        "delivered_bps",
        "Delivered",
        "bit/s",
        "high",
        "bits per second that arrive at the far end of the link, or at the receiver of"
        " cross-traffic",
        {"links": "delivered_bits over seconds", "traffic": "arrived_bits over seconds"},
    ),
    Metric(
        "link_loss_rate",
        "Packets lost on the link per packet that came",
        "1",
        "low",
        "share of the packets that reached the link, copies included, that the link lost",
        {
            "links": " + ".join(f"lost_{cause}" for cause in LOSS_CAUSES)
            + " over offered + duplicated"
        },
        most=1.0,
    ),
    Metric(
        "offered",
        "Offered",
        "per run",
        "high",
        "packets that reached the link",
        {"links": "offered"},
    ),
    Metric(
        "delivered",
        "Delivered",
        "per run",
        "high",
        "packets handed over at the far end",
        {"links": "delivered"},
    ),
    _link_loss(
        "queue", "Packets lost to the queue per run", "packets that the queue refused or dropped"
    ),
    _link_loss(
        "channel", "Packets lost to the channel per run", "packets lost to the channel or `exit`"
    ),
    _link_loss(
        "gate", "Packets lost as the link went down, per run", "packets that the gate destroyed"
    ),
    _link_loss("forced", "Forced losses per run", "packets lost by `drop`"),
    _link_loss(
        "arq", "Packets that the link layer gave up per run", "packets that the link layer gave up"
    ),
    _link_loss(
        "down",
        "Packets that came while the link was down, per run",
        "packets that reached the link while it was down",
    ),
    Metric(
        "marked",
        "Marked",
        "per run",
        "low",
        "packets that left the queue with a mark",
        {"links": "marked"},
    ),
    Metric(
        "duplicated",
        "Duplicated",
        "per run",
        "low",
        "second copies of packets that the link made (`duplicate`)",
        {"links": "duplicated"},
    ),
    Metric("sent", "Sent", "per run", "high", "packets that the source sent", {"traffic": "sent"}),
    Metric(
        "arrivals",
        "Arrivals",
        "per run",
        "high",
        "packets that arrived at the receiver",
        {"traffic": "arrivals"},
    ),
    Metric(
        "valid",
        "Share of runs in which the machine kept up",
        "1",
        "high",
        "1 where the machine kept up with the emulation, else 0",
        {},
        most=1.0,
    ),
)
TABLE = {metric.name: metric for metric in ENTRIES}
RENAMED_METRICS = {"loss_rate": "lost_share"}  # names of earlier versions
DEFAULT_METRICS = {  # what a table shows that nobody asked for others; the first is the main one
    "slot": ("throughput", "transmissions_per_delivery"),
    "path": (
        "goodput_bps",
        "delay_median",
        "delay_p95",
        "resent_share",
        "timeouts",
        "transfer_time",
    ),
    "links": ("utilisation", "mean_sojourn", "link_loss_rate", "mean_queue", "delivered_bps"),
    "traffic": ("delivered_bps", "offered_bps", "lost_share"),
}


def metrics_by_kind(kind: str) -> dict[str, Metric]:
    """The metrics of a kind by name, in the order of the table."""
    return {metric.name: metric for metric in ENTRIES if kind in metric.of}

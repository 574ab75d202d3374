"""The report of a run of the emulator, from its process and in `live.json`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from airtcp import _native
from airtcp.errors import count, refusal
from airtcp.live.shapes import (
    counts_shape,
    digest_shape,
    one_key_shape,
    optional_shape,
    real_number_shape,
    table_shape,
    text_shape,
    texts_shape,
    truth_value_shape,
    tuple_shape,
    whole_number_shape,
)

LATEST_NS = 1 << 62  # ns of a run: 146 years
LONGEST_SECONDS = LATEST_NS / 1e9  # the same in s
MOST_EXIT_STATUS = 255
MOST_SIGNAL = 64
SIGKILL = 9  # the number of SIGKILL, also where a report is only read and there is no such signal
DIRECTION_WORDS = ("to the receiver", "back")
FATES = {  # as people say them
    "queue": "lost to a full queue",
    "channel": "lost to the channel",
    "gate": "lost as the link went down",
    "forced": "lost as the scenario says",
    "arq": "given up by the link layer",
    "vanished": "lost while the link was down",
}


@dataclass(frozen=True)
class LiveReport:
    """The report of a run of the emulator; times in seconds.

    - `status`: exit code of the command, 128 + n if signal n ended it, None if it had to be
      killed; `time_over`: whether it was ended because the time was over; `signal`: the signal that
      ended the run, None if none did; `seconds`: its length;
    - `fates`: packets by fate, from the sender's side and back, copies included that a hop made;
      `copies`: how many of them came to their end after another copy of the same packet;
    - `packets`: number of packets that left the path; `late`: the share that left more than 1 ms
      late; `lateness`: the 50, 99, 99.9 and 100 % quantiles of the lateness;
    - `overruns`: packets that a device dropped before they were read, near and far; `refused`:
      packets that a device did not take;
    - `valid`: whether the machine kept up: at most 1 % late, no overrun;
    - `unset`: kernel settings that could not be made, and why; `origin`: CLOCK_MONOTONIC as
      logical time began, `end`: when the log ends, both in ns;
    - `control`: congestion control of programs that ask for none, on the sender's side; None: of an
      earlier log, or our own stack;
    - `own`: outcomes of our own stack on the near and the far side; None where the kernel's TCP is.
    """

    status: int | None
    time_over: bool
    signal: int | None
    seconds: float
    origin: int
    end: int
    fates: tuple[Mapping[str, int], Mapping[str, int]]
    overruns: tuple[int, int]
    refused: int
    packets: int
    late: float
    lateness: tuple[float, float, float, float]
    valid: bool
    unset: tuple[str, ...]
    own: tuple[Mapping[str, Any] | None, Mapping[str, Any] | None] = (None, None)
    copies: tuple[int, int] = (0, 0)
    control: str | None = None

    @property
    def exit_code(self) -> int:
        """The command's exit code as in a shell: 124 if time was over, 128 + n on signal n."""
        if self.signal is not None:
            return 128 + self.signal
        if self.time_over:
            return 124
        return 128 + SIGKILL if self.status is None else self.status

    def lines(self) -> list[str]:
        """The report for readers, in lines."""
        median, p99, p999, most = (1e3 * quantile for quantile in self.lateness)
        lines = [
            f"{name}: {_fates_words(fates, copies)}"
            for name, fates, copies in zip(DIRECTION_WORDS, self.fates, self.copies, strict=True)
        ]
        if self.packets > 0:
            lines.append(
                f"lateness (ms): median {median:.3g}, 99 % {p99:.3g}, 99.9 % {p999:.3g}, most"
                f" {most:.3g}; later than 1 ms: {100 * self.late:.3g} % of"
                f" {count(self.packets, 'packet')}"
            )
        if not self.valid:
            dropped = sum(self.overruns)
            lines.append(
                "INVALID: the machine did not keep up (more than 1 % of the packets late, or"
                f" packets dropped before they were read: {dropped})"
            )
        return lines + [f"not set: {option}" for option in self.unset]


def packets_and_copies(packets: int, copies: int) -> str:
    """Numbers of packets and of further copies, in words."""
    besides = f" and {copies} {'copy' if copies == 1 else 'copies'}" if copies else ""
    return count(packets, "packet") + besides


def _fates_words(fates: Mapping[str, int], copies: int) -> str:
    sorted_fates = sorted(fates, key=lambda name: (name != "delivered", name == "on the way"))
    parts = [f"{fates[name]} {FATES.get(name, name)}" for name in sorted_fates]
    packets = packets_and_copies(sum(fates.values()) - copies, copies)
    return packets + (f" ({', '.join(parts)})" if parts else "")


_SENT_SHAPE = table_shape(
    dict.fromkeys(
        ("bytes_acked", "mss", "sent", "resent", "bytes_sent", "bytes_resent", "wire_bytes"),
        whole_number_shape(),
    )
    | dict.fromkeys(
        ("probes", "probe_wire_bytes", "timeouts", "fast_retransmits"), whole_number_shape()
    )
    | dict.fromkeys(("seconds", "handshake"), real_number_shape(0, LONGEST_SECONDS))
    | {"size": optional_shape(whole_number_shape()), "ending": optional_shape(text_shape)},
    frozenset({"handshake"}),  # which earlier logs do not have
)
_RECEIVED_SHAPE = table_shape(
    {"bytes": whole_number_shape(), "sha256": digest_shape, "ended": truth_value_shape}
)
_OWN_SHAPE = optional_shape(one_key_shape({"sent": _SENT_SHAPE, "received": _RECEIVED_SHAPE}))
_FATES_SHAPE = counts_shape(_native.live_fates())
_LATENESS_SHAPE = real_number_shape(0, LONGEST_SECONDS)
_REPORT_SHAPE = table_shape(
    {
        "status": optional_shape(whole_number_shape(0, MOST_EXIT_STATUS)),
        "time_over": truth_value_shape,
        "signal": optional_shape(whole_number_shape(1, MOST_SIGNAL)),
        "seconds": real_number_shape(0, LONGEST_SECONDS),
        "origin": whole_number_shape(),
        "end": whole_number_shape(0, LATEST_NS),
        "fates": tuple_shape(_FATES_SHAPE, _FATES_SHAPE),
        "overruns": tuple_shape(whole_number_shape(), whole_number_shape()),
        "refused": whole_number_shape(),
        "packets": whole_number_shape(),
        "late": real_number_shape(0, 1),
        "lateness": tuple_shape(_LATENESS_SHAPE, _LATENESS_SHAPE, _LATENESS_SHAPE, _LATENESS_SHAPE),
        "valid": truth_value_shape,
        "unset": texts_shape,
        "own": tuple_shape(_OWN_SHAPE, _OWN_SHAPE),
        "copies": tuple_shape(whole_number_shape(), whole_number_shape()),
        "control": optional_shape(text_shape),
    },
    frozenset({"copies", "control"}),  # which the first format of a log, and earlier ones, lack
)


def report_of(path: str, value: object) -> LiveReport:
    """The report in a table from outside: a shape. Its counts must agree with each other."""
    report = LiveReport(**_REPORT_SHAPE(path, value))
    delivered = sum(fates.get("delivered", 0) for fates in report.fates)
    if report.packets != delivered:
        raise refusal(f"{path}.packets", report.packets, f"{delivered}, as delivered by fates")
    for number, fates in enumerate(report.fates):
        packets, copies = sum(fates.values()), report.copies[number]
        if copies > max(packets - 1, 0):
            raise refusal(f"{path}.copies[{number}]", copies, f"below {packets}, all by fates")
    return report

"""A transfer over the path of a scenario, as its sender and its receiver saw it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from airtcp.live.report import LONGEST_SECONDS, LiveReport
from airtcp.live.shapes import (
    MOST_INTEGER,
    optional_shape,
    real_number_shape,
    table_shape,
    text_shape,
    truth_value_shape,
    whole_number_shape,
)

TIME_OVER = "the time ran out"
INTERRUPTED = "it was interrupted"
NO_CONNECTION = "no connection could be made"
ENDING_REMARKS = {
    True: "; the data arrived unchanged",
    False: "; THE DATA ARRIVED CHANGED",
    None: "",
}
TRANSFER_SHAPE = table_shape(  # of `as_json`
    dict.fromkeys(("size", "packet", "acked", "sent", "resent", "sent_bytes"), whole_number_shape())
    | dict.fromkeys(("retransmissions", "probes"), whole_number_shape())
    | dict.fromkeys(("intact", "identical"), optional_shape(truth_value_shape))
    | {
        "tcp": text_shape,
        "ending": text_shape,
        "complete": truth_value_shape,
        "received": optional_shape(whole_number_shape()),
    }
    | {
        "seconds": real_number_shape(0, LONGEST_SECONDS),
        "timeouts": optional_shape(real_number_shape(0, MOST_INTEGER)),
        "congestion": text_shape,
    },
    frozenset({"congestion"}),  # which earlier runs did not write
)


@dataclass(frozen=True)
class TransferReport:
    """A transfer as its sender saw it, and its outcome.

    - `tcp`: whose TCP sent, "kernel" or "airtcp"; `seconds`: duration up to the last count, for the
      kernel's TCP from the end of the handshake, for ours from the first data segment; `size`:
      bytes to send, 0: without end; `packet`: payload of a full packet in bytes;
    - `acked`: bytes acknowledged; `sent`: data packets sent, repetitions included; `resent`:
      repetitions alone, for the kernel's TCP in bytes; `sent_bytes`: bytes of data packets and
      probes, by the scenario's lengths; `timeouts`: expiries of the retransmission timer, NaN where
      the kernel does not count them; `retransmissions`: packets sent again; `probes`: probes sent,
      by variants that probe;
    - `received`: bytes that the receiver read, None if it left no count; `intact`: True if they
      equal the bytes sent up to there, by their SHA-256; None between two kernels, where this is
      not checked;
    - `ending`: why it ended before all was acknowledged and read, or, where it has no end, before
      its time; empty if it did not;
    - `info`: the counts of the kernel or of our stack; `report`: how the emulator fared;
    - `congestion`: the control of the kernel that sent, empty if our own TCP did.
    """

    tcp: str
    seconds: float
    size: int
    packet: int
    acked: int
    sent: int
    resent: int
    sent_bytes: int
    timeouts: float
    retransmissions: int
    probes: int
    received: int | None
    intact: bool | None
    ending: str
    info: Mapping[str, Any]
    report: LiveReport
    congestion: str = ""

    @property
    def complete(self) -> bool:
        """True if all data was acknowledged, and read."""
        return 0 < self.size <= self.acked and not self.ending

    @property
    def cut(self) -> bool:
        """True if the transfer was ended early, for another reason than the end of its time."""
        return self.ending not in ("", TIME_OVER, NO_CONNECTION)

    @property
    def identical(self) -> bool | None:
        """True if all data arrived as it was sent; None: all arrived, but nobody compared it."""
        return False if self.ending else self.intact

    @property
    def exit_code(self) -> int:
        """Exit code: the emulator's, if it is not 0; else the transfer's.

        That is 0 if the transfer did all that it was to do, 124 if its time was over first, else 1.
        """
        if self.report.exit_code:
            return self.report.exit_code
        if not self.sent or self.cut or self.intact is False:
            return 1
        return 124 if self.ending else 0

    @property
    def goodput_bps(self) -> float:
        """Payload acknowledged, in bit/s."""
        return 8.0 * _share(self.acked, self.seconds) if self.acked else 0.0

    @property
    def throughput_pps(self) -> float:
        """Full packets acknowledged per second."""
        return _share(self.acked, self.packet * self.seconds) if self.acked else 0.0

    @property
    def efficiency(self) -> float:
        """Share of the data sent that was not a retransmission."""
        return 1.0 - _share(self.resent, self.sent)

    @property
    def overhead(self) -> float:
        """Bytes of headers, repetitions and probes per byte of payload, by the scenario's sizes."""
        return _share(self.sent_bytes - self.acked, self.acked)

    @property
    def transfer_time(self) -> float:
        """Seconds until all was acknowledged; NaN if it was not."""
        return self.seconds if self.complete else math.nan

    def __str__(self) -> str:
        """The transfer in one line."""
        if not self.sent:
            return f"no data was sent: {NO_CONNECTION}"
        lines_said = [
            f"{self.goodput_bps / 1e6:.4g} Mbit/s",
            f"{self.throughput_pps:.4g} packets/s",
            f"efficiency {self.efficiency:.4g}",
            f"timeouts {self.timeouts:g}",
            *([f"probes {self.probes}"] if self.probes else []),
            f"in {self.seconds:.4g} s",
        ]
        if self.ending:
            of_all = f" of {self.size}" if self.size else ""
            lines_said.append(f"INCOMPLETE: {self.acked}{of_all} bytes")
            lines_said.append(self.ending + ENDING_REMARKS[self.intact])
        elif self.intact is not None:
            lines_said.append("content identical" if self.intact else "CONTENT NOT IDENTICAL")
        return ", ".join(lines_said)

    def as_json(self) -> dict[str, Any]:
        """Content of `live.json`: the counts, and the end of the transfer."""
        counts = {field.name: getattr(self, field.name) for field in fields(self)}
        for name in ("info", "report"):
            del counts[name]
        outcome = {"complete": self.complete, "identical": self.identical}
        timeouts = None if math.isnan(self.timeouts) else self.timeouts
        return counts | outcome | {"timeouts": timeouts}


def _share(part: float, whole: float) -> float:
    return part / whole if whole else math.nan

"""The log of a run of the emulator: a record per packet, and its replay in simulated time."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from airtcp import _native
from airtcp._files import file_name, writing
from airtcp._optional import ARROW, optional
from airtcp.errors import InputError, unusable
from airtcp.export import TABLES, check_target
from airtcp.scenario import scenario_of

if TYPE_CHECKING:
    import pyarrow

META = "live.json"
PACKETS = "packets.bin"
DIRECTIONS = ("forward", "back")
NOT_LOST = ("delivered", "on the way")
Records = np.ndarray[Any, np.dtype[np.void]]


@dataclass(frozen=True)
class Replay:
    """A log compared with its replay: `packets` of them, `differing` of which fared otherwise.

    `first` says which one was the first, and how; empty if there is none.
    """

    packets: int
    differing: int
    first: str

    def __str__(self) -> str:
        """In one line."""
        if self.differing == 0:
            return f"{self.packets} packets: every fate is that of the replay"
        return f"{self.differing} of {self.packets} packets fared otherwise, first {self.first}"


class LiveLog:
    """What a run of the emulator wrote to the folder `out`.

    - `records`: a NumPy record per packet: `direction` (0: from the sender's side), `id` in its
      direction, `arrival` at the path, `start` and `end` of its transmission on the hop that lost
      it or on the last one (-1: it was not sent there, or is on the way; under a link layer that
      retransmits: from the start of the first fragment to the end of the one that decided), `at`:
      when it came out or was lost, `late`: how much later it left (-1: it did not), in ns since
      `meta["report"]["origin"]` of CLOCK_MONOTONIC; `bits` on the air, `number` for forced losses
      (-1: none), `fate`, a code and 256 times the hop;
    - `meta`: scenario, seed, replication, and the report.
    """

    def __init__(self, folder: str | Path) -> None:
        """Read the log in `folder`. Raises `InputError` if there is none, or not the whole."""
        self.folder = file_name("folder", folder, "the folder of a live run")
        try:
            self.meta: dict[str, Any] = json.loads((self.folder / META).read_bytes())
            self._bytes = (self.folder / PACKETS).read_bytes()
        except OSError as error:
            raise unusable(error.filename, error) from None
        except (ValueError, RecursionError):
            raise InputError(f"{self.folder / META}: is not the report of a live run") from None
        fates = self._checked_meta()
        self.records = self._checked_records(fates)

    def _checked_meta(self) -> list[dict[str, int]]:
        """How many packets met which fate, per direction."""
        file, meta = self.folder / META, self.meta
        try:
            whole = [meta["seed"], meta["replication"], meta["report"]["end"]]
            fates: list[dict[str, int]] = [dict(one) for one in meta["report"]["fates"]]
            is_one = all(type(one) is int and 0 <= one < 1 << 63 for one in whole)
            is_one = is_one and len(fates) == len(DIRECTIONS) and isinstance(meta["scenario"], dict)
        except (TypeError, KeyError, ValueError):
            is_one = False
        if not is_one:
            raise InputError(f"{file}: is not the report of a live run")
        point = scenario_of(meta["scenario"]).points()[0]
        if point.family != "path":
            raise InputError(f"{file}: scenario: profile {point.data['profile']} is no path")
        return fates

    def _checked_records(self, fates: list[dict[str, int]]) -> Records:
        """The records, if they are those that the report counts."""
        file, kind = self.folder / PACKETS, np.dtype(_native.live_record())
        if len(self._bytes) % kind.itemsize:
            raise InputError(f"{file}: was cut: {len(self._bytes)} bytes are no whole records")
        records: Records = np.frombuffer(self._bytes, dtype=kind)
        names = _native.live_fates()
        known = (records["fate"] >= 0) & (records["fate"] % 256 < len(names))
        known &= (records["arrival"] >= 0) & (records["arrival"] <= self.meta["report"]["end"])
        known &= (records["bits"] > 0) & np.isin(records["direction"], range(len(DIRECTIONS)))
        if not known.all():
            raise InputError(f"{file}: record {int(np.argmin(known))}: is none of a live run")
        for number, counted in enumerate(fates):
            one = records[records["direction"] == number]
            if (np.diff(one["arrival"][np.argsort(one["id"])]) < 0).any():
                raise InputError(f"{file}: arrivals {DIRECTIONS[number]} run back")
            found = len(one)
            if found != sum(counted.values()):
                raise InputError(
                    f"{file}: {found} packets {DIRECTIONS[number]}, where {META} counts"
                    f" {sum(counted.values())}: it was cut or is of another run"
                )
        return records

    @cached_property
    def fates(self) -> np.ndarray[Any, np.dtype[np.str_]]:
        """The fate of every record, by name."""
        names: np.ndarray[Any, np.dtype[np.str_]] = np.array(_native.live_fates())
        found: np.ndarray[Any, np.dtype[np.str_]] = names[self.records["fate"] % 256]
        return found

    @cached_property
    def table(self) -> pyarrow.Table:
        """The records as an Arrow table: times in seconds, null where there is none.

        `direction` is "forward" (from the sender's side) or "back"; `fate` a name; `hop` which
        `path.hop` of the scenario lost the packet, from 0, null if none did.
        """
        pa = optional("pyarrow", "table", ARROW)
        records = self.records
        columns: dict[str, Any] = {
            "direction": np.array(DIRECTIONS)[records["direction"]],
            "id": records["id"],
            "bits": records["bits"],
            "number": pa.array(records["number"], mask=records["number"] < 0),
        }
        for name in ("arrival", "start", "end", "at", "late"):
            columns[name] = pa.array(records[name] / 1e9, mask=records[name] < 0)
        columns["fate"] = self.fates
        columns["hop"] = pa.array(self._hops, mask=np.isin(self.fates, NOT_LOST))
        return pa.table(columns)

    @property
    def _hops(self) -> np.ndarray[Any, np.dtype[np.int64]]:
        """Of the scenario; the records count from where a direction begins."""
        hops, last = self.records["fate"] // 256, len(self.meta["scenario"]["path"]["hop"]) - 1
        found: np.ndarray[Any, np.dtype[np.int64]] = np.where(
            self.records["direction"] == 0, hops, last - hops
        )
        return found

    def replay(self) -> Replay:
        """The logged arrivals through fresh hops of the scenario, with the same seed.

        Compared are start, end, end of the way, fate and hop of every packet, to the nanosecond.
        """
        meta = self.meta
        packets, differing = _native.live_replay(
            json.dumps(meta["scenario"]),
            meta["seed"],
            meta["replication"],
            self._bytes,
            meta["report"]["end"],
        )
        first = _told(*differing[0]) if differing else ""
        return Replay(packets, len(differing), first)


def _told(direction: int, number: int, logged: list[int], replayed: list[int]) -> str:
    names = [name for name, _ in _native.live_record()]
    pairs = zip(names, logged, replayed, strict=True)
    unlike = [f"{name} {a} and {b}" for name, a, b in pairs if a != b and name != "late"]
    return f"packet {number} {DIRECTIONS[direction]}: {', '.join(unlike)}"


def write_log(log: LiveLog, out: str | Path) -> str:
    """Write the table of a log as .csv or .parquet; returns what was done. Raises `InputError`."""
    csv, parquet = (optional(f"pyarrow.{kind}", str(out), ARROW) for kind in ("csv", "parquet"))
    target = check_target(out, TABLES)
    with writing(target):
        if target.suffix.lower() == ".csv":
            csv.write_csv(log.table, target)
        else:
            parquet.write_table(log.table, target)
    return f"{target}: {log.table.num_rows} packets"

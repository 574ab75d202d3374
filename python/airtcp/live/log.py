"""The log of a run of the emulator: a record per packet, and its replay in simulated time."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from airtcp import _native
from airtcp.errors import InputError, ScenarioError
from airtcp.export import TABLES, check_target
from airtcp.live.folder import META_FILE, PACKETS_FILE
from airtcp.live.records import (
    DIRECTIONS,
    ECN_CODEPOINTS,
    FATES_NOT_LOST,
    FORMAT_VERSION,
    MOST_HOPS,
    records_of,
)
from airtcp.live.report import LiveReport, packets_and_copies, report_of
from airtcp.live.shapes import (
    any_table_shape,
    check_shape,
    parse_strict_json,
    table_shape,
    truth_value_shape,
    whole_number_shape,
)
from airtcp.live.transfer_report import TRANSFER_SHAPE
from airtcp.scenario.document import MOST_BYTES, refuse_non_json
from airtcp.scenario.renamed import present_document
from airtcp.scenario.scenario import Point, Points, family_of
from airtcp.support.files import file_name, name_in_write_errors, read_file
from airtcp.support.optional import ARROW, import_optional
from airtcp.support.seeds import REPLICATION_RANGE, SEED_RANGE

if TYPE_CHECKING:
    import pyarrow

MOST_META_BYTES = 2 * MOST_BYTES  # of live.json, which holds a scenario
_META_SHAPE = table_shape(
    {
        "format": whole_number_shape(1, FORMAT_VERSION),
        "model": whole_number_shape(1, _native.MODEL_VERSION),
        "scenario": any_table_shape,
        "seed": whole_number_shape(*SEED_RANGE),
        "replication": whole_number_shape(*REPLICATION_RANGE),
        "sender_is_far": truth_value_shape,
        "report": report_of,
        "transfer": TRANSFER_SHAPE,
    },
    # The first format does not say so, and logs before model 8 no model; a command has no transfer.
    frozenset({"format", "model", "transfer"}),
)


@dataclass(frozen=True)
class ReplayComparison:
    """A log compared with its replay: of `packets` packets, `differing` ones had another fate.

    `first` describes the first of these; empty if there is none. `copies` came to their end in
    addition, and are compared as well: further copies of packets that a hop duplicated. `note` is
    set if another version of the model recorded the log.
    """

    packets: int
    differing: int
    first: str
    copies: int = 0
    note: str = ""

    def __str__(self) -> str:
        """The result in one line."""
        compared = packets_and_copies(self.packets, self.copies)
        if self.differing == 0:
            return f"{compared}: every fate is that of the replay"
        summary = (
            f"{self.differing} of {compared} have another fate, the first of them {self.first}"
        )
        return f"{summary}; {self.note}" if self.note else summary


def live_meta(folder: Path) -> dict[str, Any]:
    """Content of `live.json` in the folder of a run. Raises `InputError` if it is not ours."""
    source = str(folder / META_FILE)
    meta: dict[str, Any] = parse_strict_json(source, read_file(folder / META_FILE, MOST_META_BYTES))
    check_shape(source, _META_SHAPE, meta)
    return meta


class LiveLog:
    """The files that a run of the emulator wrote to the folder `out`.

    - `records`: a NumPy record per packet, and one per further copy of it that came to its end
      (`path.hop.duplicate`): `direction` (0: from the sender's side), `id` in its direction,
      `copy` (0, and 2^h more if hop h of its direction, from 0, made it), `arrival` at the path,
      `start` and `end` of its transmission on the hop that lost it or on the last one (-1: it was
      not sent there, or is on the way; under a link layer that retransmits: from the start of the
      first fragment to the end of the one that decided), `at`: when it came out or was lost,
      `late`: how much later it left (-1: it did not), in ns since `meta["report"]["origin"]` of
      CLOCK_MONOTONIC; `bits` on the air, `number` for forced losses (-1: none), `fate`, a code
      and 256 times the hop, `connection`, a number for addresses and ports, `ecn`: the two bits
      as they came, and 4 if a queue has marked the packet;
    - `meta`: scenario, seed, replication, the report, and of a transfer its counts.
    """

    def __init__(self, folder: str | Path) -> None:
        """Read the log in `folder`. Raises `InputError` if there is none, or if it is not whole."""
        self.folder = file_name("folder", folder, "the folder of a live run")
        meta, packets = self.folder / META_FILE, self.folder / PACKETS_FILE
        source = str(meta)
        self.meta: dict[str, Any] = parse_strict_json(source, read_file(meta, MOST_META_BYTES))
        self._report: LiveReport = check_shape(source, _META_SHAPE, self.meta)["report"]
        self._point = _point(source, self.meta["scenario"])
        self._hops = len(self.path)
        form = self.meta.get("format", 1)
        self.records = records_of(packets, form, read_file(packets), self._report, self.path)

    @property
    def path(self) -> list[dict[str, Any]]:
        """The hops of the scenario, forward."""
        hops: list[dict[str, Any]] = self._point.data["path"]["hop"]
        return hops

    @cached_property
    def fates(self) -> np.ndarray[Any, np.dtype[np.str_]]:
        """The fate of every record, by name."""
        names: np.ndarray[Any, np.dtype[np.str_]] = np.array(_native.live_fates())
        fate_names: np.ndarray[Any, np.dtype[np.str_]] = names[self.records["fate"] % MOST_HOPS]
        return fate_names

    @cached_property
    def table(self) -> pyarrow.Table:
        """The records as an Arrow table: times in seconds, null where there is none.

        `direction` is "forward" (from the sender's side) or "back"; `ecn` and `fate` are names;
        `hop` which `path.hop` of the scenario lost the packet, from 0, null if none did.
        """
        pa = import_optional("pyarrow", "table", ARROW)
        return pa.table(
            {
                name: pa.array(np.ma.getdata(column), mask=np.ma.getmaskarray(column))
                for name, column in self.columns.items()
            }
        )

    @property
    def columns(self) -> dict[str, np.ndarray[Any, Any]]:
        """The columns of `table`, masked where there is no value."""
        records = self.records
        columns: dict[str, np.ndarray[Any, Any]] = {
            "direction": np.array(DIRECTIONS)[records["direction"]],
            "id": records["id"],
            "copy": records["copy"],
            "bits": records["bits"],
            "number": np.ma.masked_less(records["number"], 0),
            "connection": records["connection"],
            "ecn": np.array(ECN_CODEPOINTS)[records["ecn"] % 4],
            "marked": records["ecn"] >= 4,
        }
        for name in ("arrival", "start", "end", "at", "late"):
            columns[name] = np.ma.masked_less(records[name] / 1e9, 0.0)
        columns["fate"] = np.asarray(self.fates)
        columns["hop"] = np.ma.masked_array(self._hop_numbers, np.isin(self.fates, FATES_NOT_LOST))
        return columns

    @property
    def _hop_numbers(self) -> np.ndarray[Any, np.dtype[np.int64]]:
        """The hop of each record in the scenario; records count from the start of a direction."""
        hops, last = self.records["fate"] // MOST_HOPS, self._hops - 1
        hop_places: np.ndarray[Any, np.dtype[np.int64]] = np.where(
            self.records["direction"] == 0, hops, last - hops
        )
        return hop_places

    def replay(self) -> ReplayComparison:
        """Send the logged arrivals through fresh hops of the scenario, with the same seed.

        The replay compares start, end, end of the way, fate and hop of every packet and of every
        copy of it, to the nanosecond.
        """
        seed, replication = self.meta["seed"], self.meta["replication"]
        log, end = self.records.tobytes(), self._report.end
        try:
            replayed = _native.live_replay(self._point.compiled, seed, replication, log, end)
        except _native.ScenarioError as error:
            raise ScenarioError(f"{self.folder / META_FILE}: scenario", *error.args) from None
        packets, copies, differing = replayed
        first = _fate_difference(*differing[0]) if differing else ""
        return ReplayComparison(
            packets, len(differing), first, copies, self._other_model_note if differing else ""
        )

    @property
    def _other_model_note(self) -> str:
        """A note on the log's model version, if it differs from that of this version."""
        model, ours = self.meta.get("model"), _native.MODEL_VERSION
        if model == ours:
            return ""
        whose = "before model 8" if model is None else f"with model {model}"
        return f"it was recorded {whose}, and this version has model {ours}"


def _point(source: str, document: dict[str, Any]) -> Point:
    """The scenario, a path of one point. It names no files."""
    where = f"{source}: scenario"
    refuse_non_json(document, where)
    points = Points(present_document(document, tell=False), where)
    if len(points) != 1:
        raise InputError(f"{where}: has {len(points)} points, but a live run has one")
    if family_of(document) != "path":
        raise InputError(f"{where}: profile {document['profile']} has no path")
    return points[0]


def _fate_difference(logged: list[int], replayed: list[int]) -> str:
    names = [name for name, _ in _native.live_record()]
    pairs = zip(names, logged, replayed, strict=True)
    unlike = [f"{name} {a} and {b}" for name, a, b in pairs if a != b and name != "late"]
    of = dict(zip(names, logged, strict=True))
    copy = f", copy {of['copy']}" if of["copy"] else ""
    return f"packet {of['id']} {DIRECTIONS[of['direction']]}{copy}: {', '.join(unlike)}"


def write_log(log: LiveLog, out: str | Path) -> str:
    """Write the table of a log as .csv or .parquet; returns a line on it. Raises `InputError`."""
    target = check_target(out, TABLES)
    with name_in_write_errors(target):
        if target.suffix.lower() == ".csv":
            _write_csv(log.columns, target)
        else:
            import_optional("pyarrow.parquet", str(out), ARROW).write_table(log.table, target)
    return f"{target}: {len(log.records)} packets"


def _write_csv(columns: dict[str, np.ndarray[Any, Any]], target: Path) -> None:
    with target.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(columns)
        writer.writerows(zip(*(column.tolist() for column in columns.values()), strict=True))

"""A second recording of a link, of packet trains over the idle link, beside a saturated one."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from airtcp.errors import InputError, count
from airtcp.fitting.loads import TrainTimes, p_value_of_loads
from airtcp.links.mahimahi import BYTES
from airtcp.measured.content import content_of
from airtcp.measured.formats import is_known_format
from airtcp.measured.measurement import NO_DELAY, Delays, Measurement, Packets
from airtcp.measured.reading import read
from airtcp.scenario.train_files import parse_trains
from airtcp.support.units import base_units_of

FEWEST_TRAINS = 20  # with two packets or more, for the test
LEAST_SIZE = 1200  # bytes of full packets: any path for QUIC carries these (RFC 9000, 14)
_UNKNOWN_OFFSET: Delays = "one way with an unknown offset"
_NS_PER_MS = 1e6


@dataclass(frozen=True, eq=False)
class LightLoad:
    """Trains over the idle link.

    - `source`: the file;
    - `trains`: as `trains` of a hop has them, by increasing time.
    """

    source: str
    trains: list[dict[str, Any]]

    @property
    def least_delay(self) -> str:
        """The least delay of a train, with its unit."""
        delays = [str(train["delay"]) for train in self.trains]
        return min(delays, key=base_units_of)

    @property
    def times(self) -> list[float]:
        """The times of the trains, in ms of the recording."""
        return [_start(train) for train in self.trains]

    def ends_early(self, millis: int) -> bool:
        """True if the last train is far from this time, in relation to the others' distances."""
        times = np.array(self.times)
        return bool(millis - times[-1] > 2.0 * np.diff(times).max())

    def before(self, millis: int) -> LightLoad:
        """The trains before a time of the recording."""
        kept = [train for train, time in zip(self.trains, self.times, strict=True) if time < millis]
        return LightLoad(self.source, kept)


def _start(train: dict[str, Any]) -> float:
    """The time of a train, in ms of the recording."""
    return 1e3 * float(base_units_of(train["at"]))


def read_light_load(path: str | Path, **reading: Any) -> LightLoad:
    """Trains of a file: of CellReplay's form, or of any form with single packets and delays.

    Raises `InputError`.
    """
    file = Path(path)
    data = content_of(file).data if file.is_file() else b""
    if _is_file_of_trains(data, reading):
        return LightLoad(str(path), parse_trains(path, data))
    found = [
        measurement for measurement in read(path, **reading) if measurement.packets is not None
    ]
    if not found:
        raise InputError(
            f"light: {path} has no single packets; give a capture, a table with delays, or a file"
            " of trains"
        )
    return _light_load(max(found, key=_number_of_packets))


def _is_file_of_trains(data: bytes, reading: dict[str, Any]) -> bool:
    """True if lines have whole numbers, of which the third is the first packet's arrival, 0.

    Where the arrival is not 0, they are no form of other files either.
    """
    rows = [line.split() for line in data.split(b"\n", 100)[:100] if line.strip()]
    if not rows or not all(len(row) > 2 and all(map(bytes.isdigit, row)) for row in rows):
        return False
    if all(row[2] == b"0" for row in rows):
        return True
    return not reading.get("columns") and not is_known_format(data)


def _number_of_packets(measurement: Measurement) -> int:
    return 0 if measurement.packets is None else len(measurement.packets.fate)


def _light_load(measurement: Measurement) -> LightLoad:
    packets = measurement.packets
    assert packets is not None  # by the caller
    if not (packets.delay != NO_DELAY).any():
        raise InputError(f"light: {measurement.source} has no delays, so no trains")
    if packets.delays == _UNKNOWN_OFFSET:
        raise InputError(
            f"light: {measurement.source} has delays with an unknown offset; give round trips,"
            " or one clock"
        )
    sizes = packets.size[(packets.delay != NO_DELAY) & (packets.size > 0)]
    if len(sizes) and np.median(sizes) < LEAST_SIZE:
        raise InputError(
            f"light: {measurement.source} has packets of {np.median(sizes):.0f} bytes; must be at"
            f" least {LEAST_SIZE}, as each stands for an opportunity of {BYTES} bytes"
        )
    return LightLoad(measurement.source, _trains(packets))


def _trains(packets: Packets) -> list[dict[str, Any]]:
    """Trains of packets: a packet that is sent after all before it have arrived begins one.

    A train ends ahead of its first packet without a delay, such as a lost one: a gap of twice the
    time is none of the link's.
    """
    has_delay = packets.delay != NO_DELAY
    sent, delay = packets.time[has_delay], packets.delay[has_delay]
    missing = np.cumsum(~has_delay)[has_delay]
    arrived = np.maximum.accumulate(sent + delay)
    begins = np.flatnonzero(np.append(True, sent[1:] > arrived[:-1]))
    share = 0.5 if packets.delays == "round trip" else 1.0
    trains = []
    for first, following in zip(begins, np.append(begins[1:], len(sent)), strict=True):
        end = min(following, np.searchsorted(missing, missing[first], side="right"))
        after = (arrived[first:end] - arrived[first]) / _NS_PER_MS
        trains.append(
            {
                "at": f"{int(sent[first])}ns",
                "delay": f"{round(share * float(delay[first]))}ns",
                "opportunities": np.rint(after).astype(np.int64).tolist(),
            }
        )
    return trains


def difference(light: LightLoad, millis: NDArray[np.int64]) -> float:
    """P value of the hypothesis that the busy link served the trains as it served its own load.

    Raises `InputError` with too few trains.
    """
    long = [train for train in light.trains if len(train["opportunities"]) > 1]
    if len(long) < FEWEST_TRAINS:
        found = f"{count(len(long), 'train')} of two packets or more"
        raise InputError(
            f"light: {light.source} has {found}; must have at least {FEWEST_TRAINS} that begin"
            " before the saturated recording ends"
        )
    times = TrainTimes(
        np.array([_start(train) for train in long]),
        np.array([float(train["opportunities"][-1] - train["opportunities"][0]) for train in long]),
        np.array([len(train["opportunities"]) for train in long]),
    )
    return p_value_of_loads(times, millis)

"""Folders of `airtcp live --out`: every packet of both directions, with its fate."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from airtcp.live.folder import META_FILE
from airtcp.live.log import LiveLog
from airtcp.measured.measurement import (
    ARRIVED,
    LINK_LOSS,
    LOST,
    NO_DELAY,
    QUEUE_LOSS,
    UNKNOWN,
    Measurement,
    Packets,
)

FORMAT_NAME = "log of airtcp live"
_HOP_KEYS = ("rate", "delay", "queue")
_DIRECTION_WORDS = ("from the sender's side", "to the sender's side")


def recognises(folder: Path) -> bool:
    """True for the folder of a run."""
    return (folder / META_FILE).is_file()


def read(folder: Path) -> Iterator[Measurement]:
    """A measurement per direction that had packets. Raises `InputError`.

    Delays are of the path in its own time, without the lateness of the emulator. Copies that a hop
    made of a packet are only counted.
    """
    log = LiveLog(folder)
    for direction, about in enumerate(_DIRECTION_WORDS):
        of_way = log.records["direction"] == direction
        if of_way.any():
            hop = _hop_properties(log, back=direction == 1)
            yield _measurement(folder, about, hop, log.records[of_way], log.fates[of_way])


def _hop_properties(log: LiveLog, *, back: bool) -> dict[str, Any]:
    """Rate, delay and queue of a path of one hop, in one direction."""
    if len(log.path) != 1:
        return {}
    (hop,) = log.path
    if back:
        hop = {**hop, **(hop.get("back") or {})}
    return {key: hop[key] for key in _HOP_KEYS if hop.get(key) is not None}


def _measurement(
    folder: Path, about: str, hop: dict[str, Any], records: Any, fates: Any
) -> Measurement:
    first = records["copy"] == 0
    order = np.argsort(records["id"][first], kind="stable")
    first_copies, names = records[first][order], fates[first][order]
    arrived = names == "delivered"
    lost = ~arrived & (names != "on the way")
    cause = np.where(lost, np.where(names == "queue", QUEUE_LOSS, LINK_LOSS), UNKNOWN)
    at = first_copies["at"][arrived]
    packets = Packets(
        time=(first_copies["arrival"] - first_copies["arrival"][0]).astype(np.int64),
        fate=np.where(arrived, ARRIVED, np.where(lost, LOST, UNKNOWN)).astype(np.int8),
        delay=np.where(arrived, first_copies["at"] - first_copies["arrival"], NO_DELAY).astype(
            np.int64
        ),
        size=(first_copies["bits"] // 8).astype(np.int32),
        cause=cause.astype(np.int8),
        delays="one way",
    )
    return Measurement(
        source=str(folder),
        form=FORMAT_NAME,
        about=about,
        packets=packets,
        emulated_hop=hop,
        reordered=int((at < np.maximum.accumulate(at)).sum()),
        duplicated=int((fates[~first] == "delivered").sum()),
    )

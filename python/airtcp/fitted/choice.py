"""Choice of the measurements to fit among all that files hold."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from airtcp.errors import InputError, count, known_name
from airtcp.measured.captures import TCP_FORM, UDP_FORM
from airtcp.measured.measurement import Measurement


def choose_measurements(
    found: Sequence[Measurement], about: str | None
) -> tuple[list[Measurement], list[str]]:
    """The measurements of one link and direction, and notes about those that are left out.

    They are records of one form, or one measurement of counts. Raises `InputError` for files of
    several formats.
    """
    if about is not None:
        known_name("about", about, [measurement.about for measurement in found])
    named = [measurement for measurement in found if about in (None, measurement.about)]
    best = max(named, key=_record_length)
    differing = next(
        (measurement for measurement in named if _file_format(measurement) != _file_format(best)),
        None,
    )
    if differing is not None:
        raise InputError(
            f"files: {differing.source} is {_file_format(differing)}, {best.source} is"
            f" {_file_format(best)}; give"
            " files of"
            " one format per fit"
        )
    same_form = [
        measurement
        for measurement in named
        if measurement.form == best.form and measurement.about == best.about
    ]
    joined = best.packets is not None or (best.is_probing and best.intervals is not None)
    same_form = same_form if joined else [best]
    once, notes = _drop_repeated_records(same_form)
    left = len(found) - len(same_form)
    if left:
        which = ", ".join(filter(None, (Path(best.source).name, best.form, best.about)))
        notes.append(
            f"fitted is {which}; {count(left, 'other measurement')} in the files (--about)"
        )
    return once, notes


def _file_format(measurement: Measurement) -> str:
    """Format of the file that a measurement came from; a capture may have TCP and UDP."""
    return "capture" if measurement.form in (TCP_FORM, UDP_FORM) else measurement.form


def _drop_repeated_records(same_form: Sequence[Measurement]) -> tuple[list[Measurement], list[str]]:
    """The records without repetitions of an earlier one, and a note on the repetitions."""
    kept: dict[object, Measurement] = {}
    again = []
    for measurement in same_form:
        key: object = id(measurement)
        if measurement.packets is not None:
            columns = (
                measurement.packets.time,
                measurement.packets.fate,
                measurement.packets.delay,
            )
            key = tuple(column.tobytes() for column in columns)
        if kept.setdefault(key, measurement) is not measurement:
            again.append(measurement)
    if not again:
        return list(same_form), []
    same = f" and {count(len(again) - 1, 'other')}" if len(again) > 1 else ""
    verb = "hold" if same else "holds"
    first = next(iter(kept.values()))
    said = f"{again[0].source}{same} {verb} what a file before holds, such as {first.source}"
    return list(kept.values()), [f"{said}: counted once"]


def _record_length(measurement: Measurement) -> int:
    if measurement.packets is not None:
        return len(measurement.packets.fate)
    if measurement.intervals is not None:
        return len(measurement.intervals.start)
    return 0

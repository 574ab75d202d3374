"""Captures of live runs as tables of segments."""

from pathlib import Path

import pytest

from airtcp.errors import InputError
from airtcp.live import LiveLog, sequence

SERVER = Path(__file__).parent.parent / "examples/server"


@pytest.mark.parametrize("control", ["reno", "cubic", "bbr"])
def test_segments_are_those_that_the_path_carried(control: str) -> None:
    """Counts of the transfer: bytes, repetitions, and new data in their order."""
    found = sequence(SERVER / control / "near.pcapng")
    meta = LiveLog(SERVER / control).meta
    data = found[found["sent"] & (found["length"] > 0)]
    assert data["length"].sum() == meta["transfer"]["sent"]
    assert data["again"].sum() == meta["transfer"]["retransmissions"]
    new = data[~data["again"]]
    assert (new["first"] == new["length"].cumsum().shift(fill_value=0)).all()
    assert (new["first"] + new["length"]).max() == meta["transfer"]["size"]
    came = found[~found["sent"]]
    assert came["ack"].is_monotonic_increasing
    assert came["ack"].max() >= meta["transfer"]["size"]
    assert found["time"].iloc[0] == 0.0
    assert found["time"].is_monotonic_increasing


def test_what_is_no_capture_is_refused_in_a_line(tmp_path: Path) -> None:
    whole = (SERVER / "cubic/near.pcapng").read_bytes()
    half = tmp_path / "half.pcapng"
    for content in (b"", b"no capture at all", whole[:1000], b"\x01" + whole[1:]):
        half.write_bytes(content)
        with pytest.raises(InputError, match=r"half.pcapng: is not a capture of airtcp live: .+"):
            sequence(half)

"""docs/reference/events.md has every kind of event and every column of the tables of a run."""

import sys
from pathlib import Path

import pytest

from airtcp import trace
from airtcp.events.links import TABLES
from airtcp.events.records import KINDS
from airtcp.live import LiveLog, transfer
from airtcp.simulation.events import Events

ROOT = Path(__file__).parent.parent
PAGE = (ROOT / "docs/reference/events.md").read_text(encoding="utf-8")
PATH = {
    "profile": "rfc",
    "tcp": {"variant": "sack", "ecn": True},
    "path": {"hop": [{"rate": "1Mbps", "delay": "10ms", "queue": {"kind": "red"}}]},
    "traffic": [{"rate": "100kbps", "packet": "200B"}],
    "stop": {"time": "2s"},
}


def part(heading: str) -> str:
    """The text of a section."""
    return PAGE.partition(f"\n## {heading}\n")[2].partition("\n## ")[0]


@pytest.fixture(scope="module")
def events() -> Events:
    return trace(PATH, links=True)


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_event_is_there(kind: str) -> None:
    assert f"`{kind}`" in part("Events")


@pytest.mark.parametrize("table", ["events", "statistics", *TABLES])
def test_every_column_is_there(events: Events, table: str) -> None:
    section = {"events": "Events", "statistics": "Statistics"}.get(table, "Links and cross-traffic")
    said = part(section) + part("Links and cross-traffic")
    columns = events.to_pandas(table).columns
    assert [name for name in columns if f"`{name.removesuffix('_ns')}`" not in said] == []
    assert table == "events" or f"| `{table}` |" in part("Links and cross-traffic")


@pytest.mark.skipif(sys.platform != "linux", reason="live runs need Linux")
def test_every_column_of_a_live_log_is_there(tmp_path: Path) -> None:
    transfer(PATH | {"tcp": {"variant": "sack"}}, stack="sack", size=20_000, out=tmp_path)
    said = part("Packets of a live run")
    assert [name for name in LiveLog(tmp_path).columns if f"`{name}`" not in said] == []

"""Statistics of each flow in each queue, with cases by hand."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest

import airtcp as at
from airtcp.errors import InputError

# 1500 bytes in a millisecond, acknowledged one by one.
LINK: dict[str, Any] = {
    "profile": "rfc",
    "tcp": {"variant": "sack", "packet": "1500B", "delayed_ack": "0s", "initial_window": 40},
    "path": {"hop": [{"rate": "12Mbps", "delay": "10ms"}]},
    "flow": [{"packets": 40}],
    "stop": {"time": "900ms"},
}
CODEL = {"kind": "codel"}


def statistics(changes: dict[str, Any]) -> pd.DataFrame:
    return at.trace(LINK | changes, links=True).queue_statistics()


def hop(**keys: Any) -> dict[str, Any]:
    return {"path": {"hop": [LINK["path"]["hop"][0] | keys]}}


def test_forty_packets_at_once_wait_for_one_another() -> None:
    ahead, back = statistics({}).to_dict("records")
    assert (ahead["direction"], ahead["flow"], ahead["packets"], ahead["bytes"]) == (
        *("forward", 0, 40),
        60_000,
    )
    # They wait 0, 1, ..., 39 ms; 38 of 40, which is 95 %, no longer than 37 ms.
    assert ahead["sojourn_mean"] == pytest.approx(19.5e-3, rel=1e-12)
    assert (ahead["sojourn_p95"], ahead["sojourn_max"]) == (37e-3, 39e-3)
    assert (back["direction"], back["packets"], back["bytes"]) == ("back", 40, 1600)
    assert back["sojourn_max"] == 0.0  # ACKs come a millisecond apart


def test_what_a_queue_refuses_is_a_drop_and_has_not_waited() -> None:
    # One in transmission and two that wait: 0, 1 and 2 ms.
    ahead = statistics(hop(queue=3) | {"flow": [{"packets": 5}]}).iloc[0]
    assert (ahead["packets"], ahead["drops"], ahead["sojourn_max"]) == (3, 2, 2e-3)


def test_losses_of_the_channel_are_none_of_the_queue() -> None:
    channel = {"kind": "iid", "loss_rate": 0.5}
    ahead = statistics(hop(channel=channel) | {"flow": [{"packets": 5}]}).iloc[0]
    assert ahead["drops"] == 0
    assert ahead["packets"] >= 5


def test_a_flow_of_which_nothing_came_out_has_drops_alone() -> None:
    # The first flow's packet is in transmission, the second's waits, and no other may.
    table = statistics(hop(queue=2) | {"flow": [{"packets": 1, "count": 3}]})
    refused = table[(table["direction"] == "forward") & (table["flow"] == 2)].iloc[0]
    assert (refused["packets"], refused["bytes"], refused["drops"]) == (0, 0, 1)
    assert refused[["sojourn_mean", "sojourn_p95", "sojourn_max"]].isna().all()


def test_marks_are_counted_by_flow_and_link() -> None:
    document = LINK | hop(queue=CODEL) | {"tcp": LINK["tcp"] | {"ecn": True, "window": 60}}
    document |= {
        "flow": [{}, {"tcp": {"ecn": False}}],
        "traffic": [{"rate": "2Mbps", "packet": "500B"}],
        "stop": {"time": "10s"},
    }
    events = at.trace(document, links=True)
    table, marks = events.queue_statistics(), events.to_pandas("marks")
    ahead = table[table["direction"] == "forward"]
    assert ahead["marks"].to_list() == [len(marks), 0, 0]
    assert len(marks) > 10
    assert (marks["flow"] == 0).all()
    assert (marks["size"] == 1500).all()
    assert ahead["source"].to_list()[2] == 0  # cross-traffic, which takes no marks
    assert (ahead["drops"].to_list()[1:] > np.zeros(2)).all()
    counted = at.simulate(document, links=True).links.set_index("direction")
    for direction, rows in table.groupby("direction", observed=True):
        link = counted.loc[direction]
        sums = rows[["packets", "drops", "marks"]].sum()
        assert sums.to_list() == link[["started", "lost_queue", "marked"]].to_list()
        waited = (rows["packets"] * rows["sojourn_mean"]).sum()
        assert waited == pytest.approx(link["sojourn_ns"] / 1e9, rel=1e-12)
        assert rows["sojourn_max"].max() == link["longest_sojourn_ns"] / 1e9


def test_quantiles_are_those_of_the_sojourns() -> None:
    document = LINK | hop(queue=20, channel={"kind": "iid", "loss_rate": 0.01})
    document |= {"flow": [{}, {}, {}], "stop": {"time": "20s"}}
    events = at.trace(document, links=True)
    sojourns = events.to_pandas("sojourn").groupby(["direction", "flow"], observed=True)["sojourn"]
    expected = sojourns.agg(
        mean="mean", p95=lambda x: np.quantile(x, 0.95, method="inverted_cdf"), max="max"
    )
    found = events.queue_statistics()
    for name in expected:
        np.testing.assert_allclose(found[f"sojourn_{name}"], expected[name], rtol=1e-12)


def test_a_part_of_the_time_and_one_flow() -> None:
    events = at.trace(LINK | {"flow": [{"packets": 5}, {"packets": 5}]}, links=True)
    early = events.between(0.0, 0.0045).queue_statistics()
    assert early[early["direction"] == "forward"]["packets"].to_list() == [5]
    own = events.of_flow(1).queue_statistics()
    assert own["flow"].to_list() == [1, 1]


def test_files_and_refusals(tmp_path: Path) -> None:
    events = at.trace(LINK, links=True)
    table = pq.read_table(events.write(tmp_path / "x.parquet", table="statistics"))
    assert table.equals(events.to_arrow("statistics"))
    lines = events.write(tmp_path / "x.csv", table="statistics").read_text().splitlines()
    assert len(lines) == 3
    with pytest.raises(InputError, match=r"airtcp.trace\(..., links=True\)"):
        at.trace(LINK).queue_statistics()
    with pytest.raises(InputError, match="did you mean 'statistics'"):
        events.to_pandas("statistic")

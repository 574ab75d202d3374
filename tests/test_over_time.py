"""Goodputs, Jain's index and utilisation over time, with cases by hand and beside counts."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import airtcp as at
from airtcp.errors import InputError
from airtcp.events.over_time import MOST_BINS, in_order_deliveries, jain
from airtcp.events.records import CODE_OF_KIND
from traces import MSS, blocks, written

# 1500 bytes, of which 1460 are payload, in a millisecond; ACKs take 0.1 ms.
FIVE: dict[str, Any] = {
    "profile": "rfc",
    "tcp": {"variant": "sack", "packet": "1500B", "ack": "150B", "delayed_ack": "0s"},
    "path": {"hop": [{"rate": "12Mbps", "delay": "10ms"}]},
    "flow": [{"packets": 5}],
    "stop": {"time": "1s"},
}
PAYLOAD = 8 * 1460
LOSSY = {"rate": "10Mbps", "delay": "20ms", "queue": 30}
LOSSY["channel"] = {"kind": "iid", "loss_rate": 0.01}
NAN = float("nan")


def test_rates_of_five_packets() -> None:
    # They arrive at 11, 12, ..., 15 ms; what arrives at the edge of two bins is of the later one.
    found = at.trace(FIVE, links=True).rates(width=0.002)
    assert list(found.columns) == ["time", "flow", "goodput_bps"]
    counts = found["goodput_bps"] * 0.002 / PAYLOAD
    assert counts[:9].round(9).to_list() == [0, 0, 0, 0, 0, 1, 2, 2, 0]
    # The last ACK is dealt with at 25.1 ms, and then the flow has ended.
    assert found["time"][counts.notna()].max() == pytest.approx(0.024)
    assert at.trace(FIVE, links=True).fairness(width=0.002)["fairness"].dropna().to_list() == [
        *(1.0, 1.0, 1.0)
    ]


def test_busy_by_hand() -> None:
    found = at.trace(FIVE, links=True).utilisation(width=0.004)
    ahead = found[found["direction"] == "forward"]["utilisation"].to_numpy()
    np.testing.assert_allclose(ahead[:3], [1.0, 0.25, 0.0], rtol=1e-12)
    back = found[found["direction"] == "back"]["utilisation"].to_numpy()
    # ACKs at 11, 12, ..., 15 ms for 0.1 ms each.
    np.testing.assert_allclose(back[2:5], [0.025, 0.1, 0.0], atol=1e-12)


def test_data_behind_a_hole_counts_when_the_hole_is_filled() -> None:
    events = blocks(written(), scenario="null")
    time, length = in_order_deliveries(events, 0)
    # Packet 0 at 25 ms; 1 comes again at 1125 ms, and 2 to 4 with it; 6 waits for 5 for ever.
    assert (time // 1_000_000).tolist() == [25, 1125, 1125, 1125, 1125]
    assert set(length.tolist()) == {MSS}


def test_segments_of_other_lengths_than_before() -> None:
    rows = written()
    arrivals = [row for row in rows if row["event"] == CODE_OF_KIND["arrive"] and row["node"] == 2]
    again = next(row for row in arrivals if row["seq"] == MSS)
    rows.remove(again)
    # A lost packet comes again half by half, and the second half with all of packet 2.
    halves = [
        again | {"length": MSS // 2, "time_ns": 900_000_000},
        again | {"seq": 3 * MSS // 2, "length": 3 * MSS // 2, "time_ns": 800_000_000},
    ]
    time, length = in_order_deliveries(blocks(rows + halves, scenario="null"), 0)
    assert length[time == 900_000_000].sum() == 4 * MSS
    assert length.sum() == 5 * MSS


def test_jain_leaves_out_who_takes_no_part() -> None:
    rates = np.array([[3.0, 3.0, 0.0, 0.0, NAN], [1.0, NAN, 0.0, 2.0, NAN]])
    # 16 / (2 * 10); one alone; nothing for anybody; one has all; nobody.
    np.testing.assert_allclose(jain(rates), [0.8, 1.0, NAN, 0.5, NAN], rtol=1e-12)


@pytest.mark.parametrize(
    ("profile", "tcp", "last"),
    [
        ("rfc", {"variant": "sack"}, {"size": "100kB"}),
        ("ns2", {"variant": "newreno"}, {"packets": 200}),
        ("bsd", {"variant": "reno"}, {"packets": 200}),
        ("linux", {"congestion": "cubic"}, {"size": "100kB"}),
    ],
)
def test_bins_are_the_parts_of_the_run_that_is_counted(
    profile: str, tcp: dict[str, Any], last: dict[str, Any]
) -> None:
    flows = [{}, {"start": "2s"}, {"start": "3.3s"} | last]
    document = {"profile": profile, "tcp": tcp, "path": {"hop": [LOSSY]}, "flow": flows}
    events = at.trace(document | {"stop": {"time": "10s"}}, links=True)
    parts = at.simulate(
        document | {"stop": {"time": "10s", "batches": 20}}, replications=1, links=True
    )
    counts, rates = parts.to_pandas(), events.rates(width=0.5)["goodput_bps"]
    assert (0.5 * rates.fillna(0.0) == counts["in_order_bits"]).all()
    assert (rates.isna() >= (counts["time_ns"] == 0)).all()
    done = 2 * counts["milestone_ns"].max() / 1e9 + 2 * 3.3
    alive = rates.notna().to_numpy().reshape(20, 3)
    assert alive.sum(axis=0).tolist() == [20, 16, int(done) - 6 + 1]
    busy = events.utilisation(width=0.5)["utilisation"]
    np.testing.assert_allclose(busy, parts.links["utilisation"], rtol=1e-9)


def test_control_what_arrives_out_of_order_is_no_goodput_yet() -> None:
    # Were arrivals counted as they come, bins would differ from the counts.
    document = {"profile": "rfc", "tcp": {"variant": "sack"}, "path": {"hop": [LOSSY]}}
    events = at.trace(document | {"stop": {"time": "10s"}}, links=True)
    arrived = events.rows("arrive")
    time, length = in_order_deliveries(events, 0)
    assert len(time) <= len(arrived)
    assert (time != events.columns["time_ns"][arrived][: len(time)]).mean() > 0.05
    assert length.sum() <= events.columns["length"][arrived].sum()


def test_a_flow_that_stalls_at_the_end_takes_part() -> None:
    # All is lost after 2 s: the flow of 10 000 packets waits for its timer and is not done.
    gate = {"kind": "schedule", "toggles": ["2s"]}
    hop = {"rate": "10Mbps", "delay": "20ms", "gate": gate}
    document = FIVE | {"path": {"hop": [hop]}, "flow": [{"packets": 10_000}]}
    rates = at.trace(document | {"stop": {"time": "9s"}}, links=True).rates(width=1.0)
    assert rates["goodput_bps"].notna().all()
    assert (rates["goodput_bps"][3:] == 0.0).all()


def test_the_usual_bins_and_refusals() -> None:
    events = at.trace(FIVE, links=True)
    assert len(events.rates()) == len(events.fairness()) <= 100
    assert len(at.trace(FIVE).rates()) <= 100  # without links up to the last event
    with pytest.raises(InputError, match="width = 0: must be a number of seconds above 0"):
        events.rates(width=0)
    with pytest.raises(InputError, match=f"for at most {MOST_BINS} bins"):
        events.fairness(width=1e-9)
    with pytest.raises(InputError, match="bins need a whole run"):
        events.between(0.0, 0.01).rates()

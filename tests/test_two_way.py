"""Flows in both directions: tables, traces, captures."""

from pathlib import Path

import pytest

import airtcp
from airtcp.cli.main import main
from airtcp.events.records import CODE_OF_KIND
from airtcp.export.packets import AT_RECEIVER, AT_SENDER, _packets_at_ends
from airtcp.plot.link_series import one_way_delays
from airtcp.plot.sequence import packet_number

EXAMPLES = Path(__file__).parent.parent / "examples"


def two_way(**flow):
    """A download of 40 packets, and an upload of 30 that begins 0.1 s later."""
    return airtcp.Scenario.from_dict(
        {
            "profile": "rfc",
            "tcp": {"variant": "sack"},
            "path": {"hop": [{"rate": "2Mbps", "delay": "20ms", "queue": 20}] * 2},
            "flow": [
                {"packets": 40},
                {"packets": 30, "sender": "2", "receiver": "0", "start": "100ms", **flow},
            ],
            "stop": {"time": "60s", "replications": 2},
        }
    )


def test_events_of_a_flow_lie_at_its_own_ends():
    events = airtcp.trace(two_way())
    columns = events.columns
    for flow, (sender, receiver) in enumerate([(0, 2), (2, 0)]):
        own = columns["flow"] == flow
        for kind, node in (("send", sender), ("ack", sender), ("ack-sent", receiver)):
            nodes = columns["node"][own & events.mask(kind)]
            assert len(nodes) > 0
            assert (nodes == node).all()
        arrived = columns["node"][own & events.mask("arrive")]
        assert sorted(set(arrived.tolist())) == sorted({1, receiver})


def test_a_capture_has_every_packet_of_both_flows_at_both_ends():
    events = airtcp.trace(two_way())
    rows, place = _packets_at_ends(events)
    flow = events.columns["flow"][rows]
    data = events.columns["event"][rows] == CODE_OF_KIND["arrive"]
    for number, packets in ((0, 40), (1, 30)):
        assert (data & (flow == number) & (place == AT_RECEIVER)).sum() == packets
        assert (
            (flow == number) & (place == AT_SENDER)
        ).sum() >= 3 * packets // 2  # ACKs are delayed


def test_hops_that_branch_have_ends_where_no_flow_names_them():
    """Node 2 hangs at the receiver, or the second hop is the way: neither is the last by number."""
    hops = [{"rate": "2Mbps", "delay": "20ms", "near": "a", "far": "b"} for _ in range(2)]
    aside = {**hops[1], "near": "c"}
    past = {**hops[1], "far": "c"}
    for second, receiver, neighbour in ((aside, 1, 1), (past, 2, 2)):
        scenario = two_way().to_dict() | {"flow": [{"packets": 40}]}
        scenario["path"] = {"hop": [hops[0], second]}
        events = airtcp.trace(scenario)
        rows, place = _packets_at_ends(events)
        data = events.columns["event"][rows] == CODE_OF_KIND["arrive"]
        assert (data & (place == AT_RECEIVER)).sum() == 40
        when, delays, _ = one_way_delays(events, 0)
        assert len(when) == 40
        assert delays.min() >= 0.02
        assert (events.facts["receivers"], events.facts["neighbours"]) == ([receiver], [neighbour])


def test_a_figure_shows_the_node_next_to_the_sender():
    events = airtcp.trace(two_way())
    figure = packet_number(events, flow=1)
    labels = figure.axes[0].get_legend_handles_labels()[1]
    assert "packet at node 1" in labels


def test_the_upload_starves_the_download_where_the_queue_is_long():
    scenario = airtcp.Scenario.load(EXAMPLES / "upload.toml").replace("stop.time", "40s")
    table = airtcp.simulate(scenario).summary()
    download = table[table["flow"] == 0].set_index("path.hop[0].back.queue")["throughput_pps"]
    assert download[300] < 0.3 * download[10]


def test_live_runs_refuse_what_is_no_chain(tmp_path, capsys):
    hop = 'rate = "2Mbps"\ndelay = "20ms"'
    file = tmp_path / "branches.toml"
    file.write_text(
        f'profile = "rfc"\n[tcp]\nvariant = "sack"\n[[path.hop]]\n{hop}\n'
        f'[[path.hop]]\n{hop}\nnear = "0"\n[stop]\ntime = "1s"\n'
    )
    with pytest.raises(SystemExit) as exit_:
        main(["live", str(file), "--", "true"])
    assert exit_.value.code == 2
    assert "live runs take hops that lie one behind the other" in capsys.readouterr().err

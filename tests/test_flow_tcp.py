"""Flows with a TCP of their own, from the document to tables, traces, captures and plots."""

from __future__ import annotations

import io
import re
import struct
import tomllib
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import airtcp as at
from airtcp import spec
from airtcp.cli.main import main
from airtcp.errors import InputError
from airtcp.export.pcapng import write_pcapng
from airtcp.metrics.layout import flow_tcps, tcp_of

HOP = {"rate": "5Mbps", "delay": "10ms", "queue": 20}
LOSSY = HOP | {"channel": {"kind": "iid", "loss_rate": 0.01}}


def rfc(flows: list[dict[str, Any]], hop: dict[str, Any] = LOSSY, **tcp: Any) -> at.Scenario:
    document = {
        "profile": "rfc",
        "tcp": {"variant": "sack", **tcp},
        "path": {"hop": [hop]},
        "flow": flows,
        "stop": {"time": "10s", "replications": 2},
    }
    return at.Scenario.from_dict(document)


def counts(scenario: at.Scenario, **options: Any) -> dict[str, np.ndarray[Any, Any]]:
    table = at.simulate(scenario, **options).runs
    first = table.column_names.index("replication")
    return {name: table[name].to_numpy() for name in table.column_names[first:]}


@pytest.mark.parametrize(
    "tcp",
    [
        {"congestion": "cubic", "min_rto": "300ms"},
        {"variant": "newreno", "spurious": "eifel"},
        {"packet": "500B", "window": "16kB", "header": "52B"},
        {"variant": "adaptive-probing", "probing": {"tolerance": 3.0}},
    ],
)
def test_a_flow_with_keys_of_its_own_runs_as_if_they_stood_in_tcp(tcp: dict[str, Any]) -> None:
    own, common = counts(rfc([{"tcp": tcp}])), counts(rfc([{}], **tcp))
    assert own.keys() == common.keys()
    for name, values in own.items():
        assert np.array_equal(values, common[name], equal_nan=True), name


def test_cubic_takes_more_than_reno_beside_it() -> None:
    """On a long fat path without random losses (RFC 9438 1): 4 flows, exact."""
    hop = {"rate": "50Mbps", "delay": "50ms", "queue": 200}
    flows = [{"count": 2}, {"count": 2, "tcp": {"congestion": "cubic"}}]
    found = at.simulate(rfc(flows, hop).replace("stop.time", "60s")).summary()
    assert found["flow_tcp"].tolist() == ["sack, reno"] * 2 + ["sack, cubic"] * 2
    reno, cubic = found["throughput_pps"][:2].mean(), found["throughput_pps"][2:].mean()
    assert cubic > 1.2 * reno


def test_goodput_and_fairness_count_the_payload_of_each_flow() -> None:
    flows = [{"count": 2}, {"tcp": {"packet": "540B"}}]
    result = at.simulate(rfc(flows, HOP))
    runs = result.runs.to_pandas()
    bits = 8.0 * np.where(runs["flow"] < 2, 1460, 500)
    assert np.allclose(runs["throughput_bps"], runs["throughput_pps"] * bits)
    assert np.allclose(runs["goodput_bps"], runs["in_order_bits"] / (runs["time_ns"] / 1e9))
    shares = runs["throughput_bps"].to_numpy().reshape(-1, 3)
    index = (shares.sum(axis=1) ** 2 / (3 * (shares**2).sum(axis=1))).mean()
    assert result.fairness()["fairness"][0] == pytest.approx(index)
    summary = result.summary()
    assert np.allclose(summary["throughput_bps"], summary["throughput_pps"] * bits[:3])


def test_results_of_a_sweep_know_the_payload_of_each_flow(tmp_path: Path) -> None:
    flows = [{"tcp": {"packet": ["540B", "1500B"]}}, {}]
    at.sweep(rfc(flows), out=tmp_path / "out", progress=False)
    found = at.results(tmp_path / "out")
    table = found.summary(["throughput_pps", "throughput_bps"])
    bits = [8 * 500, 8 * 1460, 8 * 1460, 8 * 1460]
    assert found.coordinates == ("tcp.variant", "flow[0].tcp.packet")
    assert np.allclose(table["throughput_bps"], table["throughput_pps"] * bits)
    acked = found.summary("acked")["acked"]
    assert (acked > 0).all()


def test_axes_in_flows_are_coordinates() -> None:
    scenario = rfc([{"tcp": {"congestion": ["reno", "cubic"]}}, {"count": 2}])
    assert [point.coordinates["flow[0].tcp.congestion"] for point in scenario.points()] == [
        "reno",
        "cubic",
    ]
    changed = scenario.replace("flow[1].tcp.congestion", "cubic").replace("tcp.window", [10, 20])
    assert len(changed) == 4
    assert changed.points()[0].coordinates == {
        "tcp.variant": "sack",
        "tcp.window": 10,
        "flow[0].tcp.congestion": "reno",
    }
    assert flow_tcps(scenario.points()[0]) == ["", "", ""]
    assert flow_tcps(scenario.points()[1]) == ["sack, cubic", "sack, reno", "sack, reno"]


def test_dataclasses_toml_and_dictionaries_say_the_same() -> None:
    made = at.Scenario(
        profile="rfc",
        tcp=spec.RfcTcp(variant="sack"),
        path=spec.Path(hop=[spec.Hop(rate="5Mbps", delay="10ms", queue=20)]),
        flow=[spec.Flow(count=2, tcp=spec.RfcTcp(congestion="cubic", window=[9, 12]))],
    )
    assert isinstance(made.flow, tuple)
    assert isinstance(made.flow[0].tcp, spec.RfcTcp)
    assert made.flow[0].tcp.window == (9, 12)
    assert len(made) == 2
    again = at.Scenario.from_dict(tomllib.loads(made.to_toml()))
    assert again == made
    assert again.points()[1].hash == made.points()[1].hash
    assert tcp_of(made.points()[1].data)["window"] == 12


def test_equal_values_in_other_words_are_one_point() -> None:
    hashes = {
        rfc([{"tcp": {"min_rto": duration}}]).points()[0].hash for duration in ("1s", "1000ms")
    }
    assert len(hashes) == 1


def test_traces_number_the_packets_of_each_flow() -> None:
    flows = [{"packets": 50}, {"packets": 50, "tcp": {"packet": "540B", "congestion": "cubic"}}]
    events = at.trace(rfc(flows, HOP))
    for flow, size in ((0, 1500), (1, 540)):
        rows = events.rows("send", flow=flow)
        assert events.columns["packet"][rows].tolist() == list(range(50))
        assert set(events.columns["size"][rows].tolist()) == {size}
        acks = events.rows("ack", flow=flow)
        assert events.columns["packet"][acks].max() == 49
    assert events.of_flow(1).facts["unit"] == 500
    assert events.of_flow(0).facts["unit"] == 1460


def segments(data: bytes) -> list[tuple[int, bytes, int]]:
    """(source port, options, bytes of payload by the IP header) of every packet of a capture."""
    found, place = [], 0
    while place < len(data):
        kind, length = struct.unpack_from("<II", data, place)
        if kind == 6:
            packet = data[place + 28 : place + 28 + struct.unpack_from("<I", data, place + 20)[0]]
            total, header = struct.unpack_from(">H", packet, 2)[0], (packet[32] >> 4) * 4
            port = struct.unpack_from(">H", packet, 20)[0]
            found.append((port, packet[40 : 20 + header], total - 20 - header))
        place += length
    return found


def test_captures_have_the_lengths_and_options_of_each_flow() -> None:
    flows = [
        {"packets": 40},
        {"packets": 40, "start": "5ms", "tcp": {"packet": "540B", "spurious": "eifel"}},
        {"packets": 40, "tcp": {"variant": "newreno"}},
    ]
    lossy = HOP | {"drop": [[5, 1]]}
    file = io.BytesIO()
    write_pcapng(at.trace(rfc(flows, lossy)), file)
    packets = segments(file.getvalue())
    first = {port: options for port, options, _ in reversed(packets)}
    mss = {
        port - 49152: struct.unpack(">H", o[2:4])[0] for port, o in first.items() if port < 60000
    }
    assert mss == {0: 1460, 1: 488, 2: 1460}
    for flow, (payload, stamped) in enumerate([(1460, False), (488, True), (1460, False)]):
        own = [packet for packet in packets if packet[0] == 49152 + flow]
        assert max(size for _, _, size in own) == payload
        data = [options for _, options, size in own if size]
        assert {o[:4] == b"\x01\x01\x08\x0a" for o in data} == {stamped}


def test_a_figure_and_tables_name_the_flows(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "two.toml"
    file.write_text(rfc([{}, {"tcp": {"congestion": "cubic"}}]).to_toml(), encoding="utf-8")
    with pytest.raises(SystemExit, match="0"):
        main(["run", str(file), "--out", str(tmp_path / "out")])
    said = capsys.readouterr().out
    assert "its TCP" in said
    assert "tcp.variant sack" in said  # what they have in common stands above
    assert re.search(r"^0 +reno .*\n1 +cubic ", said, re.MULTILINE)
    page = (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    assert "sack, cubic" in page
    result = at.run(rfc([{}, {"tcp": {"congestion": "cubic"}}]))
    legend = result.plot().axes[0].get_xticklabels()
    assert [text.get_text() for text in legend] == ["flow 0: sack, reno", "flow 1: sack, cubic"]


@pytest.mark.parametrize(
    ("tcp", "said"),
    [
        ({"congestoin": "cubic"}, 'unknown key "congestoin"; did you mean "congestion"?'),
        (
            {"congestion": "cubc"},
            'flow[0].tcp.congestion: unknown name "cubc"; did you mean "cubic"?',
        ),
        ({"tick": "1s"}, 'flow[0].tcp.tick: "tick" is a key of profiles ns2 and bsd, not of rfc'),
        ({"profile": "bsd"}, 'flow[0].tcp: unknown key "profile"'),
        (
            {"packet": "30B"},
            "flow[0].tcp.header: 40B leaves no room for payload; must be below packet, 30B",
        ),
    ],
)
def test_refusals_name_the_flow(tcp: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError) as caught:
        rfc([{"tcp": tcp}])
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


def test_the_live_engine_takes_the_transport_of_its_flow() -> None:
    from airtcp.live.points import live_tcp_of, reason_without_live_run
    from airtcp.live.transfer import flow_size

    own = rfc([{"packets": 10, "tcp": {"variant": "reno", "packet": "540B"}}]).points()[0]
    assert live_tcp_of(own, "auto") == "airtcp"
    assert reason_without_live_run(own, "kernel") == "the kernel has no reno"
    assert flow_size(own) == 10 * 500
    assert reason_without_live_run(rfc([{}, {"tcp": {"congestion": "cubic"}}]).points()[0], "auto")

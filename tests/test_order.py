"""Effects of position: numbers of flows under an axis of `count`, bands, order in the file."""

import json

import numpy as np
import pytest
from click.testing import CliRunner

import airtcp as at
from airtcp.cli.main import main
from airtcp.errors import InputError

HOP = {"rate": "20Mbps", "delay": "10ms", "queue": 60}
SHARED = {
    "profile": "rfc",
    "tcp": {"variant": "sack", "window": 1000},
    "path": {"hop": [HOP | {"channel": {"kind": "iid", "loss_rate": 0.002}}]},
    "flow": [{"count": [1, 2]}, {"tcp": {"congestion": "cubic"}, "start": "100ms"}],
    "stop": {"time": "4s", "replications": 4},
}


@pytest.fixture(scope="module")
def swept(tmp_path_factory):
    return at.sweep(SHARED, out=tmp_path_factory.mktemp("sweep"))


def of_tcp(table, name):
    rows = table[table["flow_tcp"] == name]
    return rows.groupby("replication")["goodput_bps"].mean()


def test_numbers_that_mean_different_flows_are_refused(swept):
    with pytest.raises(InputError, match=r"flow: its numbers mean different flows at .*flow_tcp"):
        swept.summary("goodput_bps", by="flow")
    with pytest.raises(InputError, match="its numbers mean different flows"):
        swept.summary("goodput_bps", by="tcp.variant", where={"flow": 1})
    with pytest.raises(InputError, match="its numbers mean different flows"):
        swept.plot("goodput_bps", "flow")
    with pytest.raises(InputError, match="its numbers mean different flows"):
        swept.plot("goodput_bps", "flow[0].count", by="flow")
    assert swept.plot("goodput_bps", "flow[0].count", by="flow_tcp")
    # Flow 0 is of the first table at every count, and so is every flow at one of them.
    assert len(swept.summary("goodput_bps", by="tcp.variant", where={"flow": 0})) == 1
    assert len(swept.summary("goodput_bps", by="flow", where={"count": 2})) == 3
    assert len(swept.summary("goodput_bps", by=["flow", "count"])) == 5


def test_flows_are_told_by_their_tcp(swept):
    found = swept.summary("goodput_bps", by="flow_tcp").set_index("flow_tcp")
    table = swept.to_pandas()
    names = np.where(table["flow"] == table["flow[0].count"], "sack, cubic", "sack, reno")
    table = table.assign(flow_tcp=names)
    assert set(found.index) == {"sack, reno", "sack, cubic"}
    for name in found.index:
        assert found.loc[name, "goodput_bps"] == pytest.approx(of_tcp(table, name).mean())
    chosen = swept.summary("goodput_bps", by="count", where={"flow_tcp": "sack, cubic"})
    assert len(chosen) == 2
    every = swept.summary("goodput_bps")
    assert every["flow_tcp"].tolist() == [
        "sack, reno", "sack, cubic", "sack, reno", "sack, reno", "sack, cubic",
    ]  # fmt: skip


def test_rankings_compare_flows_of_one_tcp(swept):
    over_counts = swept.rank("goodput_bps", by="flow[0].count")
    assert set(over_counts["flow_tcp"]) == {"sack, reno", "sack, cubic"}
    within = swept.rank("goodput_bps", by="flow_tcp")
    assert len(within) == 4
    assert "flow" not in within


def test_the_command_offers_the_tcp(swept):
    run = CliRunner().invoke
    refused = run(main, ["results", str(swept.folder), "--by", "flow"])
    assert refused.exit_code == 2
    assert "say flow_tcp" in refused.output
    table = run(main, ["results", str(swept.folder), "--by", "flow_tcp", "--metric", "goodput_bps"])
    assert table.exit_code == 0
    assert "sack, cubic" in table.output


def test_cases_that_change_the_places_of_flows_are_not_pooled(tmp_path):
    flows = [{"tcp": {"congestion": "reno"}}, {"tcp": {"congestion": "cubic"}, "start": "100ms"}]
    cases = [{"name": "one", "flow": flows}, {"name": "other", "flow": flows[::-1]}]
    rest = {key: SHARED[key] for key in SHARED if key != "flow"}
    found = at.sweep(rest | {"case": cases}, out=tmp_path)
    with pytest.raises(InputError, match="case = one and case = other"):
        found.summary("goodput_bps", by="flow")
    assert len(found.summary("goodput_bps", by="flow_tcp")) == 2


def test_every_two_cases_are_compared_not_only_with_the_first(tmp_path):
    """Beside the first case, whose flows have no TCP of their own, no flow has changed places."""
    flows = [{"tcp": {"congestion": "reno"}}, {"tcp": {"congestion": "cubic"}}]
    named = {"a": [{}, {}], "b": flows, "c": flows[::-1]}
    cases = [{"name": name, "flow": given} for name, given in named.items()]
    rest = {key: SHARED[key] for key in SHARED if key != "flow"}
    found = at.sweep(rest | {"case": cases}, out=tmp_path, replications=2)
    with pytest.raises(InputError, match="case = b and case = c"):
        found.summary("goodput_bps", by="flow")


def test_cases_whose_flows_change_loads_are_not_pooled(tmp_path):
    flows = [{"packets": 20}, {"start": "100ms"}]
    cases = [{"name": "one", "flow": flows}, {"name": "other", "flow": flows[::-1]}]
    rest = {key: SHARED[key] for key in SHARED if key != "flow"}
    found = at.sweep(rest | {"case": cases}, out=tmp_path, replications=2)
    with pytest.raises(InputError, match="case = one and case = other: name what varies there"):
        found.summary("goodput_bps", by="flow")
    assert len(found.summary("goodput_bps", by=["flow", "case"])) == 4


def test_sources_are_told_by_their_table(tmp_path):
    traffic = [
        {"count": [1, 2], "rate": "1Mbps", "packet": "1000B"},
        {"rate": "80kbps", "packet": "200B"},
    ]
    rest = {key: SHARED[key] for key in SHARED if key != "flow"}
    found = at.sweep(rest | {"traffic": traffic}, out=tmp_path, links=True).traffic
    with pytest.raises(InputError, match="source: its numbers mean different traffic"):
        found.summary("delivered_bps", by="source")
    assert len(found.summary("delivered_bps", by=["source", "count"])) == 5


def a_call(bands, flow):
    hop = {"rate": "2Mbps", "delay": "20ms"}
    queue = {"kind": "priority", "bands": bands, "packets": 50}
    return {
        "profile": "rfc",
        "tcp": {"variant": "sack", "window": 100},
        "path": {"hop": [hop | {"queue": queue}]},
        "flow": flow,
        "traffic": [{"rate": "64kbps", "packet": "200B"}],
        "stop": {"time": "20s"},
    }


def mos(document):
    return at.simulate(document, links=True).traffic["voice_mos"].tolist()


def test_a_band_follows_the_call_however_many_flows_there_are():
    flow = [{"count": [1, 3], "start": "1s"}]
    with pytest.raises(InputError, match=r'1 means traffic\[0\].* write "traffic\[0\]"'):
        mos(a_call([[1]], flow))
    found = mos(a_call([["traffic[0]"]], flow))
    assert min(found) > 4.3
    assert found == [
        mos(a_call([[count]], [{"count": count, "start": "1s"}]))[0] for count in (1, 3)
    ]


def test_a_band_is_of_all_transfers_of_a_flow():
    # Every transfer has a connection of its own, which queues number; rows and bands do not.
    arrivals = {"kind": "exponential", "mean": "200ms"}
    flow = [{"arrivals": arrivals, "sizes": {"kind": "fixed", "value": "60kB"}}]
    last, first = (np.array(mos(a_call([[number]], flow))) for number in (0, 1))
    assert first.min() > 4.3
    assert np.nanmean(last) < 2.0
    np.testing.assert_array_equal(first, mos(a_call([["traffic[0]"]], flow)))
    np.testing.assert_array_equal(last, mos(a_call([["flow[0]"]], flow)))


BESIDE = {
    "profile": "rfc",
    "tcp": {"variant": "sack", "window": 1000},
    "path": {"hop": [HOP]},
    "flow": [{}, {"tcp": {"congestion": "cubic"}}],
    "stop": {"time": "10s"},
}


def test_exact_values_say_what_another_order_of_flows_would_change(tmp_path):
    file = tmp_path / "beside.json"
    file.write_text(json.dumps(BESIDE))
    shown = CliRunner().invoke(main, ["run", str(file), "--format", "json"])
    said = json.loads(shown.output)
    assert said["chance"].endswith("its values are exact for this order of its flows.")
    turned = at.simulate(BESIDE | {"flow": BESIDE["flow"][::-1]}).summary()["goodput_bps"][::-1]
    here = at.simulate(BESIDE).summary()["goodput_bps"]
    flow = int(np.argmax(np.abs(turned.to_numpy() - here.to_numpy())))
    there, instead = turned.to_numpy()[flow] / 1e6, here[flow] / 1e6
    expected = f"goodput_bps of flow[{flow}] is {there:.4g} instead of {instead:.4g} Mbit/s."
    assert said["order"].endswith(expected)
    page = CliRunner().invoke(main, ["run", str(file), "--out", str(tmp_path / "out")])
    assert "In the reverse order" in " ".join(page.output.split())
    assert "In the reverse order" in (tmp_path / "out" / "report.html").read_text()
    again = CliRunner().invoke(main, ["results", str(tmp_path / "out")])
    assert "Flows that start at the same instant" in " ".join(again.output.split())


@pytest.mark.parametrize("changes", [{"start": "100ms"}, {"access_delay": "3ms"}])
def test_nothing_is_said_where_the_order_decides_nothing(changes):
    flows = [{}, changes]
    found = at.run(BESIDE | {"tcp": {"variant": "sack", "window": 2}, "flow": flows}).simulation
    assert found.order() == ""
    assert found.chance.endswith("its values are exact.")


def test_flows_of_few_packets_wait_for_each_other():
    flows = [{"packets": 2}, {"packets": 2, "tcp": {"congestion": "cubic"}}]
    found = at.run(BESIDE | {"tcp": {"variant": "sack", "window": 2}, "flow": flows}).simulation
    assert found.order() != ""  # the second flow waits for the first one's packets


def test_with_chance_the_order_is_named(tmp_path):
    hop = HOP | {"channel": {"kind": "iid", "loss_rate": 0.002}}
    result = at.run(BESIDE | {"path": {"hop": [hop]}}, replications=2)
    assert result.simulation.order().startswith("Flows that start at the same instant")

"""Flows of many transfers: those that arrive, and those that follow each other."""

import json
import math

import numpy as np
import pytest

import airtcp as at
from airtcp.errors import InputError

HOP = {"rate": "10Mbps", "delay": "20ms", "queue": 1000}
FIXED = {"kind": "fixed", "value": "100kB"}
PROFILES = {
    "ns2": {"variant": "newreno"},
    "rfc": {"variant": "sack"},
    "bsd": {"variant": "reno"},
    "linux": {"congestion": "cubic"},
}


def document(profile, flow, hop=HOP, **stop):
    flows = flow if isinstance(flow, list) else [flow]
    return {
        "profile": profile,
        "tcp": PROFILES[profile],
        "path": {"hop": [hop]},
        "flow": flows,
        "stop": {"time": "20s", "replications": 1} | stop,
    }


def measured(scenario, **options):
    """The metrics of the first run by flow."""
    return at.simulate(scenario, **options).runs.to_pandas()


@pytest.mark.parametrize("profile", PROFILES)
def test_a_transfer_that_arrives_is_a_flow_of_its_size(profile):
    size = {"packets": 105} if profile == "ns2" else {"size": "100kB"}
    packet = {"value": "105kB"} if profile == "ns2" else {}
    alone = measured(document(profile, size))["transfer_time"][0]
    # Every 10 s: the first is over long before the second.
    sizes = FIXED | packet
    arrivals = {"kind": "fixed", "value": "10s"}
    runs = measured(document(profile, {"arrivals": arrivals, "sizes": sizes}))
    assert runs["transfers"][0] == 2
    # A host of Linux whose tick has moved on may time a delayed ACK otherwise.
    tolerance = 0.05 if profile in ("linux", "bsd") else 1e-6
    assert runs["completion_mean"][0] == pytest.approx(alone, rel=tolerance)
    assert math.isnan(runs["transfer_time"][0])


@pytest.mark.parametrize("profile", ["rfc", "bsd", "linux"])
@pytest.mark.parametrize("size", ["500B", "2000B"])
def test_short_packets_count_as_they_are(profile, size):
    think = {"kind": "fixed", "value": "100ms"}
    run = measured(document(profile, {"think": think, "sizes": FIXED | {"value": size}})).iloc[0]
    assert run["acked_bits"] == 8 * int(size[:-1]) * run["transfers"]
    assert run["throughput_bps"] == run["acked_bits"] / 20
    assert run["throughput_bps"] <= run["goodput_bps"]
    assert (run["duplicates"], run["resent"]) == (0, 0)
    assert run["acked"] <= run["in_order"] <= run["deliveries"] <= run["sent"]
    assert run["sent"] - run["acked"] <= 2


@pytest.mark.parametrize("profile", PROFILES)
def test_transfers_follow_each_other_on_one_connection(profile):
    think = {"kind": "fixed", "value": "1s"}
    runs = measured(document(profile, {"think": think, "sizes": FIXED}))
    number, mean = runs["transfers"][0], runs["completion_mean"][0]
    # Each takes its time and a second: as many as fit into 20 s, the last perhaps not.
    assert number == pytest.approx(20 / (1 + mean), abs=1)
    assert 100_000 * 8 / 10e6 + 0.04 < mean < 1.5
    bits = runs["goodput_bps"][0] * 20
    assert number * 800_000 <= bits + 20 * 12_000
    assert bits < (number + 1.1) * 800_000


def test_arrivals_are_a_poisson_process_and_the_same_for_all_variants():
    flow = {"arrivals": {"kind": "exponential", "mean": "50ms"}, "sizes": FIXED | {"value": "1kB"}}
    scenario = document("rfc", flow, replications=30)
    runs = measured(scenario)
    expected = 20 / 0.05  # of which the first comes at 0
    n = runs["transfers"].to_numpy() + 0.0
    assert abs(n.mean() - expected) < 3 * math.sqrt(expected / 30)
    assert 0.5 < n.var(ddof=1) / expected < 1.8  # 29 degrees of freedom, 99.9 %
    other = measured(scenario | {"tcp": {"variant": "newreno", "congestion": "cubic"}})
    # Of both the same transfers arrive; those at the very end may not be over.
    assert np.abs(other["transfers"].to_numpy() - n).max() <= 3


@pytest.mark.parametrize(
    ("sizes", "median"),
    [
        ({"kind": "exponential", "mean": "100kB"}, 100e3 * math.log(2)),
        ({"kind": "pareto", "shape": 1.5, "mean": "30kB"}, 10e3 * 2 ** (1 / 1.5)),
        ({"kind": "log-normal", "mean": "100kB", "sigma": 1.0}, 100e3 * math.exp(-0.5)),
        ({"kind": "list", "values": ["10kB", "20kB", "30kB"]}, 20e3),
    ],
)
def test_sizes_follow_their_law(sizes, median):
    """Over a link so slow against its delay that a transfer takes as long as its bits."""
    hop = {"rate": "1Mbps", "delay": "1us"}
    flow = {"think": {"kind": "fixed", "value": "1ms"}, "sizes": sizes}
    at_once = document("rfc", flow, hop, time="4000s")
    runs = measured(at_once | {"tcp": {"variant": "sack", "delayed_ack": "0s"}})
    # 40 bytes of headers for 1460 of payload.
    expected = median * 8 / 1e6 * 1500 / 1460
    n = runs["transfers"][0]
    assert n > 500
    assert runs["completion_median"][0] == pytest.approx(expected, rel=4 / math.sqrt(n))
    by_size = sum(runs[f"transfers_{size}"][0] for size in ("10k", "100k", "1m", "long"))
    assert by_size == n


def test_sizes_come_from_a_file(tmp_path):
    (tmp_path / "sizes.csv").write_text("size\n1000\n2000\n")
    (tmp_path / "x.toml").write_text(
        """
        profile = "rfc"
        tcp = {variant = "sack"}
        path = {hop = [{rate = "1Mbps", delay = "1ms"}]}
        stop = {time = "10s"}
        [[flow]]
        arrivals = {kind = "fixed", value = "1s"}
        sizes = {kind = "list", file = "sizes.csv"}
        """
    )
    (point,) = at.Scenario.load(tmp_path / "x.toml").points()
    assert point.data["flow"][0]["sizes"]["values"] == ["1000B", "2000B"]


def test_a_size_that_is_none_is_refused_as_one(tmp_path):
    (tmp_path / "sizes.csv").write_text("size\n1000\nmany\n")
    flow = {"think": {"kind": "fixed", "value": "1s"}}
    flow["sizes"] = {"kind": "list", "file": "sizes.csv"}
    with pytest.raises(InputError, match=r"csv: line 3: size: 'many' is not a size in bytes"):
        at.Scenario.from_dict(document("rfc", flow), folder=tmp_path)
    flow["sizes"] = {"kind": "list", "file": "."}
    with pytest.raises(InputError, match=rf"file: {tmp_path}: is not a regular file$"):
        at.Scenario.from_dict(document("rfc", flow), folder=tmp_path)


def test_parts_of_a_run_add_up():
    flow = {"arrivals": {"kind": "exponential", "mean": "100ms"}, "sizes": FIXED}
    whole = measured(document("rfc", flow, time="40s"))
    parts = measured(document("rfc", flow, time="40s", batches=4))
    assert parts["transfers"].sum() == whole["transfers"][0]
    assert len(parts) in (1, 4)


def test_short_transfers_wait_behind_long_ones():
    """A control: the median of short transfers beside a bulk flow in a long queue is longer."""
    short = {
        "arrivals": {"kind": "exponential", "mean": "500ms"},
        "sizes": FIXED | {"value": "5kB"},
    }
    alone = measured(document("rfc", short))
    beside = measured(document("rfc", [short, {}]))
    assert beside["completion_10k"][0] > 2 * alone["completion_10k"][0]
    fq = HOP | {"queue": {"kind": "fq-codel"}}
    sparse = measured(document("rfc", [short, {}], fq))
    assert sparse["completion_10k"][0] < 1.2 * alone["completion_10k"][0]


@pytest.mark.parametrize(
    ("flow", "message"),
    [
        ({"sizes": FIXED}, "flow[0].arrivals: missing; sizes needs arrivals or think"),
        ({"think": {"kind": "fixed", "value": "1s"}}, "flow[0].sizes: missing"),
        (
            {"think": {"kind": "fixed", "value": "1s"}, "sizes": FIXED, "packets": 3},
            "flow[0].packets: applies to a flow of one transfer",
        ),
        (
            {"arrivals": {"kind": "fixed", "value": "1ns"}, "sizes": FIXED},
            "flow[0].arrivals: about 20000000000 transfers in a run",
        ),
        (
            {
                "arrivals": {"kind": "fixed", "value": "1s"},
                "think": {"kind": "fixed", "value": "1s"},
                "sizes": FIXED,
            },
            "flow[0].think: cannot be combined with arrivals",
        ),
        (
            {"arrivals": {"kind": "fixed", "value": "1s"}, "sizes": {"kind": "paretto"}},
            'did you mean "pareto"',
        ),
        (
            {
                "arrivals": {"kind": "fixed", "value": "1s"},
                "sizes": {"kind": "pareto", "shape": 1.0, "mean": "1kB"},
            },
            "flow[0].sizes.shape: 1 gives an infinite mean",
        ),
    ],
)
def test_contradictions_are_refused(flow, message):
    with pytest.raises(InputError) as refused:
        at.simulate(document("rfc", flow))
    assert message in str(refused.value)


def test_traces_and_formulas_leave_it_to_the_simulator():
    flow = {"arrivals": {"kind": "fixed", "value": "1s"}, "sizes": FIXED}
    with pytest.raises(
        InputError, match=r"flow\[0\].arrivals: every transfer opens a new connection"
    ):
        at.trace(document("rfc", flow))
    think = {"think": {"kind": "fixed", "value": "1s"}, "sizes": FIXED}
    assert at.trace(document("rfc", think, time="5s"))
    found = json.dumps(at.run(document("rfc", think)).coverage.to_dict(), default=str)
    assert "no formula covers a flow of many transfers" in found

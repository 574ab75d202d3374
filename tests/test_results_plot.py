"""`Results.plot`, and names of coordinates as a text or as several."""

from __future__ import annotations

from pathlib import Path

import pytest

import airtcp as at
from airtcp.plot.results import results_figure
from airtcp.plot.style import svg

SCENARIO = {
    "profile": "rfc",
    "tcp": {"variant": ["reno", "sack"], "window": 30},
    "path": {
        "hop": [
            {
                "rate": ["2Mbps", "5Mbps", "8Mbps"],
                "delay": ["5ms", "9ms"],
                "queue": 20,
                "channel": {"kind": "iid", "loss_rate": 0.02},
            }
        ]
    },
    "traffic": [{"rate": "100kbps", "packet": "500B"}],
    "stop": {"time": "1s", "replications": 2},
}


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> at.Results:
    return at.sweep(SCENARIO, tmp_path_factory.mktemp("plot") / "out", links=True)


def test_it_is_the_figure_of_the_command(results: at.Results) -> None:
    keys = ["variant", "delay"]
    figure = results.plot("goodput_bps", "rate", by=keys)
    assert svg(figure) == svg(results_figure(results, "rate", "goodput_bps", by=keys))
    assert figure.axes[0].get_ylabel() == "Goodput (Mbit/s)"


def test_the_abscissa_is_the_number_with_most_values(results: at.Results) -> None:
    assert results.plot().axes[0].get_xlabel() == "Rate (Mbit/s)"
    assert results.plot().axes[0].get_ylabel() == "Throughput (packets/s)"
    some = results.plot("timeouts", where={"rate": "2Mbps"})
    assert some.axes[0].get_xlabel() == "One-way delay (ms)"
    words = results.plot(where={"rate": "2Mbps", "delay": "5ms"})
    assert words.axes[0].get_xlabel() == "TCP variant"
    with pytest.raises(at.InputError, match=r"^x: no coordinate varies"):
        results.plot(where={"rate": "2Mbps", "delay": "5ms", "variant": "reno"})


def test_links_and_traffic_are_drawn_too(results: at.Results) -> None:
    links = results.links.plot("utilisation", "rate", by="direction", logy=True)
    assert links.axes[0].get_ylabel() == "Share of time in which the link is busy (%)"
    assert links.axes[0].get_yscale() == "log"
    assert results.traffic.plot("delivered_bps").axes[0].get_ylabel() == "Delivered (kbit/s)"


def test_one_name_is_as_good_as_a_sequence_of_one(results: at.Results) -> None:
    for by in (["variant"], ("variant",), iter(["variant"])):
        given = by if isinstance(by, (list, tuple)) else list(by)
        assert svg(results.plot(by=given)) == svg(results.plot(by="variant"))
        assert results.summary(by=given).equals(results.summary(by="variant"))
        assert results.rank(by=given).equals(results.rank(by="variant"))
    assert results.summary("timeouts").equals(results.summary(["timeouts"]))
    with pytest.raises(at.InputError, match=r"by = .*one coordinate whose values are ranked"):
        results.rank(by=["variant", "rate"])
    with pytest.raises(at.InputError, match=r"did you mean 'tcp.variant'"):
        results.plot(by="varient")


def test_a_figure_is_written_and_closed_by_nobody(results: at.Results, tmp_path: Path) -> None:
    results.plot(by="variant").savefig(tmp_path / "one.png")
    assert (tmp_path / "one.png").stat().st_size > 1000

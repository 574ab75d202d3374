"""The loss rate asked for on the slot clock, and the one that packets meet: within 2 %."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

import airtcp as at
from airtcp.cli.main import main
from airtcp.comparison.realised import realised_loss_rate_lines
from airtcp.errors import RenamedMetric

SLOT = 0.0012  # s, a full packet at 10 Mbit/s
BURST = {"kind": "burst", "loss_rate": 0.1, "mean_burst": 4.0}
LONG = {**BURST, "mean_burst": 200.0}  # as long as a timeout: it waits while the channel is bad


def constant(profile: str, channel: dict[str, Any], bytes_: int) -> dict[str, Any]:
    """Packets of so many bytes, seven in 12 slots, and no flow in the time of the run."""
    rate = 8.0 * bytes_ / (12 * SLOT / 7)
    hop = {"rate": "10Mbps", "delay": "1ms", "queue": 100, "channel": channel}
    return {
        "profile": profile,
        "tcp": {"variant": "reno", "packet": "1500B"},
        "path": {"hop": [hop]},
        "flow": [{"start": "1e6s"}],
        "traffic": [{"rate": f"{rate:.3f}bps", "packet": f"{bytes_}B"}],
        "stop": {"time": "600s", "replications": 4},
    }


@pytest.mark.parametrize("profile", ["rfc", "ns2"])
@pytest.mark.parametrize("burst", [1.0, 4.0, 16.0])
@pytest.mark.parametrize("bytes_", [40, 576, 1500])
def test_packets_of_constant_rate_are_lost_at_the_rate_asked_for(
    profile: str, burst: float, bytes_: int
) -> None:
    """1.4 million packets: at bursts of 16 a standard error is 1 %, of which four count."""
    channel = {**BURST, "mean_burst": burst}
    found = at.simulate(constant(profile, channel, bytes_), links=True)
    links = found.summary_of("links")
    link = links[links["direction"] == "forward"].iloc[0]
    lost = link["lost_channel"] / link["offered"]
    correlation = (1 - 1 / burst - 0.1 / 0.9 / burst) ** (12 / 7) if burst > 1 else 0.0
    scatter = np.sqrt(9 / 1.4e6 * (1 + correlation) / (1 - correlation))
    assert lost == pytest.approx(0.1, rel=max(0.02, 4 * scatter))
    source = found.summary_of("traffic").iloc[0]
    assert source["lost_share"] == pytest.approx(lost, rel=1e-9)


def tcp(channel: dict[str, Any], **more: Any) -> dict[str, Any]:
    hop = {"rate": "10Mbps", "delay": "20ms", "queue": 100, "channel": channel}
    return {
        "profile": "rfc",
        "tcp": {"variant": "newreno", "window": 40},
        "path": {"hop": [hop]},
        "stop": {"time": "60s", "replications": 5},
        **more,
    }


def test_a_run_says_which_rate_its_packets_met() -> None:
    row = at.simulate(tcp(LONG)).summary().iloc[0]
    assert row["channel_asked_share"] == pytest.approx(0.1, rel=1e-6)
    # One hop, whose queue holds the window: nothing is lost but by the channel.
    assert row["lost_share"] == pytest.approx(row["channel_lost_share"], rel=0.02)
    assert row["channel_lost_share"] < 0.05
    for other in ({"kind": "iid", "loss_rate": 0.1}, {**BURST, "clock": "packet"}):
        assert np.isnan(at.simulate(tcp(other)).summary().iloc[0]["channel_lost_share"])


def test_hidden_chains_and_those_in_series_have_the_mean_of_their_states() -> None:
    hidden = {"kind": "gilbert-elliott", "p": 0.1, "r": 0.3, "h": 0.5, "k": 0.98}
    row = at.simulate(tcp(hidden)).summary().iloc[0]
    assert row["channel_asked_share"] == pytest.approx(0.25 * 0.5 + 0.75 * 0.02, rel=1e-6)
    series = {"kind": "series", "of": [{"kind": "iid", "loss_rate": 0.3}, BURST]}
    assert at.simulate(tcp(series)).summary().iloc[0]["channel_asked_share"] == pytest.approx(0.1)


def run(document: dict[str, Any], tmp_path: Path, *words: str) -> Any:
    file = tmp_path / "path.toml"
    file.write_text(at.Scenario.from_dict(document).to_toml(), encoding="utf-8")
    done = CliRunner().invoke(main, ["run", str(file), "--engine", "simulation", *words])
    assert done.exit_code == 0, done.output
    return done


def test_a_run_puts_both_rates_side_by_side_and_remarks_what_differs(tmp_path: Path) -> None:
    text = " ".join(run(tcp(LONG), tmp_path).stdout.split())
    found = re.search(
        r"Loss rate on the slot clock (\S+) ± \S+ %, asked 10 %, (\d+) % less\.", text
    )
    assert found is not None, text
    assert float(found[1]) < 5.0
    assert "A TCP that waits while the channel is bad" in text
    iid = run(tcp({"kind": "iid", "loss_rate": 0.1}), tmp_path).stdout
    assert "slot clock" not in iid
    short = run(tcp({**BURST, "mean_burst": 1.2}), tmp_path).stdout
    assert "slot clock" not in short  # as asked, which is no news
    chain = {"kind": "states", "loss": [0, 1], "transition": [[0.99, 0.01], [0.09, 0.91]]}
    states = " ".join(run(tcp({**chain, "clock": "100ms"}), tmp_path).stdout.split())
    assert re.search(r"Loss rate on the time clock \S+ ± \S+ %, asked 10 %", states), states
    several = tcp({**BURST, "mean_burst": [1.2, 200.0]})
    text = " ".join(run(several, tmp_path).stdout.split())
    assert re.search(r"Loss rate on the slot clock: .* in 1 of 2 rows\. mean_burst 200: loss", text)
    page = at.run(tcp(LONG), engine="simulation", out=tmp_path / "out")
    assert page is not None
    assert "on the slot clock" in (tmp_path / "out" / "report.html").read_text(encoding="utf-8")


def rows(
    lost: float, half: float, asked: float = 0.1, expected: float = 100.0
) -> list[dict[str, float]]:
    """A row of three runs, in each of which so many losses are expected."""
    name = "channel_lost_share"
    bounds = {f"{name}_low": lost - half, f"{name}_high": lost + half}
    counted = {"replications": 3, "channel_expected": expected}
    return [{name: lost, **bounds, "channel_asked_share": asked, **counted}]


@pytest.mark.parametrize(
    ("lost", "half", "expected", "says"),
    [
        (0.104, 0.001, 100, ""),  # within 5 %
        (0.107, 0.009, 100, ""),  # within the interval
        (0.107, 0.006, 100, "7 % more"),
        (0.08, 0.001, 100, "20 % less"),
        (0.08, 0.001, 3.34, "20 % less"),  # 10.02 losses in three runs
        (0.08, 0.001, 3.33, ""),  # 9.99
        (0.08, float("nan"), 100, ""),  # a single run
        (0.08, 0.0, 100, ""),  # no scatter
    ],
)
def test_what_counts_as_different(lost: float, half: float, expected: float, says: str) -> None:
    lines = realised_loss_rate_lines(rows(lost, half, expected=expected), {})
    assert len(lines) == (2 if says else 0)
    assert not says or says in lines[0]
    assert all(line.startswith("Loss rate on the slot clock") for line in lines[:1])


def test_nothing_is_claimed_of_losses_that_hardly_ever_occur(tmp_path: Path) -> None:
    rare = {**BURST, "loss_rate": 1e-6}
    stop = {"time": "1s", "replications": 3}
    text = " ".join(run(tcp(rare, stop=stop), tmp_path).stdout.split())
    assert "slot clock" not in text
    several = tcp({**LONG, "loss_rate": [1e-6, 0.1]})
    text = " ".join(run(several, tmp_path).stdout.split())
    assert "in 1 of 2 rows; 1 not judged (fewer than 10 losses expected)." in text


def test_the_share_of_lost_packets_is_never_negative() -> None:
    """Copies arrive twice, and what is under way as a part begins arrives in it."""
    hop = {"duplicate": 0.3, "channel": {"kind": "iid", "loss_rate": 0.01}}
    document = tcp({})
    document["path"]["hop"][0].update(hop)
    document["stop"] |= {"batches": 400}
    found = at.simulate(document).to_pandas()
    assert (found["arrivals"] > found["sent"]).any()
    assert (found["lost_share"].dropna() >= 0.0).all()
    whole = found[["lost", "sent"]].sum()
    assert whole["lost"] / whole["sent"] == pytest.approx(0.01, rel=0.2)


def test_the_old_name_is_taken_with_a_hint(tmp_path: Path) -> None:
    document = tcp({"kind": "iid", "loss_rate": 0.1})
    done = run(document, tmp_path, "--metric", "loss_rate")
    assert "lost_share (%)" in " ".join(done.stdout.split())
    assert done.stderr.count("warning: the metric 'loss_rate' is now called 'lost_share'") == 1
    results = at.results(_kept(document, tmp_path / "kept"))
    with pytest.warns(RenamedMetric, match="lost_share"):
        found = results.summary("loss_rate")
    assert (found["lost_share"] > 0.05).all()


def _kept(document: dict[str, Any], folder: Path) -> Path:
    at.sweep(document, out=folder)
    return folder


@pytest.mark.parametrize(
    "words",
    [
        ["run", "FILE", "--metric", "loss_rate"],
        ["results", "DIR", "--metric", "loss_rate"],
        ["results", "DIR", "--traffic", "--metric", "loss_rate"],
        ["results", "DIR", "--metric", "loss_rate", "--rank", "variant"],
        ["plot", "DIR", "-x", "variant", "-y", "loss_rate", "-o", "PICTURE"],
    ],
)
def test_commands_take_the_former_name_of_the_metric_with_a_hint(words, tmp_path):
    document = {
        "profile": "rfc",
        "tcp": {"variant": ["reno", "sack"]},
        "path": {"hop": [{"rate": "2Mbps", "delay": "10ms", "queue": 10}]},
        "traffic": [{"rate": "80kbps", "packet": "200B"}],
        "stop": {"time": "3s"},
    }
    document["path"]["hop"][0]["channel"] = {"kind": "iid", "loss_rate": 0.02}
    places = {
        "FILE": tmp_path / "link.json",
        "DIR": tmp_path / "out",
        "PICTURE": tmp_path / "x.svg",
    }
    places["FILE"].write_text(json.dumps(document))
    at.sweep(document, places["DIR"], replications=3, links=True)
    found = CliRunner().invoke(main, [str(places.get(word, word)) for word in words])
    assert found.exit_code == 0, found.output
    assert "is now called 'lost_share'" in found.output

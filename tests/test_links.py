"""Counts of links and cross-traffic: by hand, as in traces, in folders; runs stay the same."""

from __future__ import annotations

import json
import re
import sqlite3
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

import airtcp as at
from airtcp import _native
from airtcp.campaign.executor import Task
from airtcp.campaign.loop import Campaign
from airtcp.cli.main import main
from airtcp.cluster.pack import VERSIONS, PackResult, pack_tasks, run_pack
from airtcp.errors import InputError
from airtcp.metrics.labels import axis_label
from airtcp.metrics.table import DEFAULT_METRICS, LOSS_CAUSES
from airtcp.simulation.results import Results
from campaigns import kept, tasks_run

PATH: dict[str, Any] = {
    "profile": "rfc",
    "tcp": {"variant": ["reno", "sack"], "window": 40},
    "path": {
        "hop": [
            {"rate": "2Mbps", "delay": "5ms", "queue": 20, "near": "phone", "far": "cell"},
            {
                "rate": "1Mbps",
                "delay": "20ms",
                "queue": 10,
                "channel": {"kind": "iid", "loss_rate": 0.02},
                "back": {"channel": {"kind": "iid", "loss_rate": 0.01}},
            },
        ]
    },
    "traffic": [{"rate": "200kbps", "packet": "500B", "count": 2}],
    "stop": {"time": "8s", "replications": 3},
}
# Packets of 10 ms on the air; the flow would start when the run is over.
CONSTANT: dict[str, Any] = {
    "profile": "rfc",
    "tcp": {"variant": "reno"},
    "path": {"hop": [{"rate": "0.8Mbps", "delay": "1ms", "queue": 5}]},
    "flow": [{"start": "1000s"}],
    "traffic": [{"rate": ["400kbps", "1600kbps"], "packet": "1000B"}],
    "stop": {"time": "100s"},
}


def airtcp(*arguments: str) -> Any:
    return CliRunner().invoke(main, [*arguments])


def test_constant_rates_by_hand() -> None:
    found = at.simulate(CONSTANT, links=True)
    table = found.summary_of("links")
    half, twice = (table[table["direction"] == "forward"].iloc[place] for place in (0, 1))
    assert half["utilisation"] == 0.5
    assert half["mean_queue"] == half["mean_sojourn"] == half["link_loss_rate"] == 0.0
    assert half["offered_bps"] == half["delivered_bps"] == 400_000.0
    # crates/sim/tests/links.rs has the reasons for these numbers.
    assert twice["utilisation"] == 1.0
    assert twice["mean_queue"] == pytest.approx(3.9992, abs=1e-12)
    assert twice["mean_queue_bytes"] == pytest.approx(3999.2, abs=1e-9)
    assert (twice["longest_queue"], twice["longest_queue_bytes"]) == (4.0, 4000.0)
    assert twice["mean_sojourn"] == pytest.approx(0.039982, abs=1e-12)
    assert twice["longest_sojourn"] == 0.04
    assert (twice["offered"], twice["lost_queue"], twice["delivered"]) == (20_000, 9_996, 9_999)
    assert twice["link_loss_rate"] == 9_996 / 20_000
    assert twice["exact"]
    assert twice["utilisation_low"] == twice["utilisation_high"] == 1.0
    nothing = table[table["direction"] == "back"]
    assert (nothing["utilisation"] == 0.0).all()
    assert nothing["mean_sojourn"].isna().all()
    source = found.summary_of("traffic")
    assert source["offered_bps"].tolist() == [400_000.0, 1_600_000.0]
    assert source["lost_share"].tolist() == [0.0, 9_996 / 20_000]


def test_runs_are_the_same_and_rows_are_named() -> None:
    plain, found = at.simulate(PATH), at.simulate(PATH, links=True)
    pd.testing.assert_frame_equal(plain.to_pandas(), found.to_pandas())
    links = found.links
    assert len(links) == 2 * 3 * 4
    names = ["tcp.variant", "replication", "hop", "direction", "near", "far"]
    assert links.loc[:4, names].to_numpy().tolist() == [
        ["reno", 0, 0, "forward", "phone", "cell"],
        ["reno", 0, 0, "back", "phone", "cell"],
        ["reno", 0, 1, "forward", "cell", "2"],
        ["reno", 0, 1, "back", "cell", "2"],
        ["reno", 1, 0, "forward", "phone", "cell"],
    ]
    traffic = found.traffic
    assert traffic[["source", "sender", "receiver"]].to_numpy()[:2].tolist() == [
        [0, "phone", "2"],
        [1, "phone", "2"],
    ]
    # All that is sent comes to the first link; what leaves the last one has arrived.
    runs = found.to_pandas().set_index(["tcp.variant", "replication"])
    sent = traffic.groupby(["tcp.variant", "replication"])[["sent", "arrivals"]].sum()
    by_link = links.groupby(["hop", "direction"])
    of = {key: found.set_index(["tcp.variant", "replication"]) for key, found in by_link}
    assert (of[0, "forward"]["offered"] == runs["sent"] + sent["sent"]).all()
    assert (of[1, "forward"]["delivered"] == runs["arrivals"] + sent["arrivals"]).all()
    assert (of[1, "back"]["offered"] == runs["acks_sent"]).all()
    assert (of[0, "back"]["delivered"] == runs["acks_arrived"]).all()


KEYS = [(hop, direction) for hop in (0, 1) for direction in ("forward", "back")]


@pytest.mark.parametrize("profile", ["rfc", "ns2"])
def test_losses_are_those_of_the_trace(profile: str) -> None:
    document = {key: value for key, value in PATH.items() if key != "traffic"}
    gate = {"kind": "schedule", "toggles": ["3s", "3.5s"], "loses": "all"}
    first, last = document["path"]["hop"]
    document |= {
        "profile": profile,
        "path": {"hop": [first | {"queue": 4}, last | {"gate": gate, "drop": [[100, 1]]}]},
        "tcp": {"variant": "sack", "window": 40},
    }
    links = at.simulate(document, links=True, replications=1).links.set_index(["hop", "direction"])
    events = at.trace(document)
    columns = events.columns
    for hop, direction in KEYS:
        kind, node = ("drop", hop) if direction == "forward" else ("ack-drop", hop + 1)
        rows = events.rows(kind)
        rows = rows[columns["node"][rows] == node]
        seen = np.bincount(columns["cause"][rows], minlength=6)[1:].tolist()
        counted = [links.loc[(hop, direction), f"lost_{cause}"] for cause in LOSS_CAUSES[:-1]]
        assert counted == seen, (hop, direction)
    assert links["lost_queue"].sum() > 0
    assert links["lost_forced"].sum() == 1
    assert links["lost_gate"].sum() > 0
    assert links["lost_channel"].sum() > 0


def test_parts_add_up() -> None:
    parts = PATH | {"stop": PATH["stop"] | {"batches": 5}}
    whole, split = at.simulate(PATH, links=True), at.simulate(parts, links=True)
    by = ["tcp.variant", "replication", "hop", "direction"]
    counts = [name for name in _native.link_names()[0] if not name.startswith(("most", "longest"))]
    for names, how in ((counts, "sum"), (["most_packets", "longest_sojourn_ns"], "max")):
        together = split.links.groupby(by)[names].agg(how)
        pd.testing.assert_frame_equal(together, whole.links.groupby(by)[names].agg(how))
    assert set(split.links["batch"]) == set(range(5))
    first, second = (result.summary_of("links") for result in (split, whole))
    pd.testing.assert_frame_equal(first[list(second)], second, rtol=1e-12)


def test_a_folder_computes_what_was_not_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tasks = tasks_run(monkeypatch)

    def fill(replications: int, links: bool) -> tuple[Results, int]:
        tasks.clear()
        found = at.sweep(PATH, tmp_path, jobs=2, replications=replications, links=links)
        return found, len(tasks)

    plain, ran = fill(2, False)
    assert ran == 4
    assert not list(tmp_path.glob("data/links*"))
    with pytest.raises(InputError, match="links were not counted; sweep again with --links"):
        _ = plain.links
    before = kept(tmp_path / "runs.sqlite")
    found, ran = fill(2, True)
    assert ran == 4, "without their links runs are not known"
    assert before.items() < kept(tmp_path / "runs.sqlite").items(), "the flows' counts stay"
    assert found.links.to_pandas().equals(at.simulate(PATH, links=True, replications=2).links)
    assert fill(3, True)[1] == 2
    again, ran = fill(3, False)
    assert ran == 0
    assert again.complete
    assert not again.problems
    assert [path.name for path in (tmp_path / "data").iterdir()] == ["part-00000.parquet"]
    assert fill(3, True)[1] == 0
    # Damaged counts of links alone are made again too.
    with closing(sqlite3.connect(tmp_path / "runs.sqlite")) as journal, journal:
        of_links = "SELECT id FROM series WHERE scenario LIKE '%+links'"
        journal.execute(
            f"UPDATE runs SET counts = zeroblob(length(counts)) WHERE series IN ({of_links})"
            " AND replication = 1"
        )
    mended, ran = fill(3, True)
    assert ran == 2
    assert "2 damaged runs found and made again" in mended.problems[0]


def test_results_of_links(tmp_path: Path) -> None:
    results = at.sweep(PATH, tmp_path, links=True)
    of_simulation = at.simulate(PATH, links=True)
    pd.testing.assert_frame_equal(results.links.summary(), of_simulation.summary_of("links"))
    pd.testing.assert_frame_equal(results.traffic.summary(), of_simulation.summary_of("traffic"))
    by_hop = results.links.summary("utilisation", by="hop", where={"direction": "forward"})
    rows = results.links.to_pandas()
    means = rows[rows["direction"] == "forward"].groupby("hop")["utilisation"].mean()
    assert by_hop["utilisation"].tolist() == pytest.approx(means.tolist(), rel=1e-12)
    assert by_hop["n"].tolist() == [3, 3]
    assert results.links.to_xarray("mean_queue").sizes == {
        "tcp.variant": 2,
        "hop": 2,
        "direction": 2,
        "replication": 3,
    }
    ranked = results.links.rank(
        "mean_queue", by="variant", where={"hop": 1, "direction": "forward"}
    )
    assert ranked["mean"].is_monotonic_increasing
    assert set(results.metrics) & {"utilisation"} == set()
    (tmp_path / "data/links-00000.parquet").unlink()
    hurt = at.results(tmp_path)
    assert len(hurt.problems) == 1
    assert "links-00000.parquet: missing, 24 rows" in hurt.problems[0]
    assert len(hurt.to_pandas()) == 6


def test_without_parquet_links_come_from_the_journal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = at.sweep(PATH, tmp_path / "files", links=True).links.to_pandas()
    for module in ("airtcp.campaign.store", "airtcp.engines.results", "airtcp.campaign.dataset"):
        monkeypatch.setattr(sys.modules[module], "is_installed", lambda _: False)
    journal = at.sweep(PATH, tmp_path / "journal", links=True)
    assert journal.complete
    assert not (tmp_path / "journal/data").exists()
    pd.testing.assert_frame_equal(journal.links.to_pandas(), files, check_dtype=False)


def test_a_folder_in_which_nothing_is_finished(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(Campaign, "_store_runs", interrupted)
        with pytest.raises(KeyboardInterrupt):
            at.sweep(PATH, tmp_path, links=True)
    found = at.results(tmp_path)
    assert found.points_done == 0
    for table in (found, found.links, found.traffic):
        with pytest.raises(InputError, match="no rows: no run is finished"):
            table.summary()
    assert at.sweep(PATH, tmp_path, links=True).complete


def test_a_cluster_counts_them_too() -> None:
    point = at.Scenario.from_dict(PATH).points()[0]
    tasks = [Task(0, point.json, 1, replication, links=True) for replication in range(2)]
    answer = PackResult(*run_pack(pack_tasks(tasks), VERSIONS, 60.0))
    runner = _native.Runner(1)
    runner.submit(0, point.compiled, 1, [0, 1], True)
    here = {}
    while runner.outstanding:
        here |= {replication: counts for _, replication, counts in runner.wait()}
    assert list(answer.counts) == [here[0], here[1]]


@pytest.mark.parametrize("width", [60, 80, 200])
def test_every_usual_metric_of_a_link_is_shown_or_named_on_a_narrow_terminal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, width: int
) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    file = tmp_path / "s.json"
    file.write_text(json.dumps(PATH), encoding="utf-8")
    said = airtcp("run", str(file), "--links").output.partition("Links:")[2]
    assert set(DEFAULT_METRICS["links"]) | set(DEFAULT_METRICS["traffic"]) <= set(
        re.findall(r"\w+", said)
    )
    assert "(ms)" in said
    assert "packets wait longest in cell \N{RIGHTWARDS ARROW} 2" in said
    assert all(len(line) <= width for line in said.splitlines())


@pytest.mark.parametrize("cause", LOSS_CAUSES)
def test_every_loss_has_words_at_an_axis(cause: str) -> None:
    assert not axis_label(f"lost_{cause}").startswith("Lost ")


def test_exact_is_said_once_where_all_links_are(tmp_path: Path) -> None:
    file = tmp_path / "s.json"
    hop = {"rate": "1Mbps", "delay": "10ms", "queue": 10}
    calm = {"profile": "rfc", "tcp": {"variant": "sack"}, "path": {"hop": [hop]}}
    file.write_text(json.dumps(calm | {"stop": {"time": "2s"}}), encoding="utf-8")
    output = airtcp("run", str(file), "--links").output
    above, _, below = output.partition("Links:")
    assert "exact" in above
    assert "exact" not in below


def test_a_sweep_with_links_says_how_to_look_at_them(tmp_path: Path) -> None:
    file, out = tmp_path / "s.json", tmp_path / "out"
    file.write_text(json.dumps(PATH), encoding="utf-8")
    swept = airtcp("sweep", str(file), "--out", str(out), "--links")
    assert f"airtcp results {out} --links" in swept.output.splitlines()
    table = airtcp("results", str(out), "--links").output
    assert "back: from far to near." in table
    refused = airtcp("results", str(out), "--metric", "mean_sojourn")
    assert refused.exit_code == 2
    assert "'mean_sojourn': is a metric of links; ask by --links" in refused.output


def test_the_command_shows_and_writes_them(tmp_path: Path) -> None:
    file, out = tmp_path / "s.json", tmp_path / "out"
    file.write_text(json.dumps(PATH), encoding="utf-8")
    run = airtcp("run", str(file), "--links", "--out", str(out))
    assert run.exit_code == 0
    assert "Links:" in run.output
    assert "Cross-traffic:" in run.output
    links = pd.read_csv(out / "links.csv", dtype={"far": str})
    assert len(links) == 8
    assert {"utilisation_low", "lost_queue"} <= set(links)
    assert len(pd.read_csv(out / "traffic.csv")) == 4
    page = (out / "report.html").read_text(encoding="utf-8")
    assert ">Links</h2>" in page
    assert ">Cross-traffic</h2>" in page
    assert "--links" in page
    printed = json.loads(airtcp("run", str(file), "--links", "--format", "json").stdout)
    assert len(printed["links"]) == 8
    assert len(printed["traffic"]) == 4
    assert "links" not in json.loads(airtcp("run", str(file), "--format", "json").stdout)
    found = airtcp("results", str(out), "--links", "--by", "hop", "--format", "csv")
    assert found.stdout.startswith("hop,n,utilisation,")
    traffic = airtcp("results", str(out), "--traffic", "--format", "csv").stdout
    assert traffic.startswith("tcp.variant,source,sender,receiver,n,delay_median")
    assert "offered_bps" in traffic


def refused(*arguments: str) -> str:
    result = airtcp(*arguments)
    assert result.exit_code == 2, result.output
    assert len(result.stderr.splitlines()) == 1
    return str(result.stderr).removeprefix("error: ").rstrip()


def test_refusals(tmp_path: Path) -> None:
    slots = {"profile": "zorzi", "tcp": {"variant": "reno"}, "stop": {"slots": 100}}
    slots["channel"] = {"kind": "iid", "loss_rate": 0.1}
    alone = {key: value for key, value in PATH.items() if key != "traffic"}
    for name, document in (("slots", slots), ("path", alone)):
        (tmp_path / f"{name}.json").write_text(json.dumps(document), encoding="utf-8")
    said = (
        "links: profile zorzi has slots and no path whose hops could count; profiles with a path"
        " are ns2, rfc, bsd, linux"
    )
    assert refused("run", str(tmp_path / "slots.json"), "--links") == said
    path = str(tmp_path / "path.json")
    assert refused("run", path, "--links", "--engine", "live") == (
        "links: only simulation counts them; add it to engine = 'live'"
    )
    out = str(tmp_path / "out")
    assert airtcp("sweep", path, "--out", out, "--links").exit_code == 0
    assert refused("results", out, "--traffic") == f"{out}: the scenario has no cross-traffic"
    assert refused("results", out, "--links", "--traffic") == (
        "--links and --traffic: give only one of them"
    )
    assert refused("results", out, "--links", "--where", "direction=up").startswith(
        "where direction = 'up': must be one of forward, back"
    )
    with pytest.raises(InputError, match="links = 'yes': must be True or False"):
        at.simulate(PATH, links="yes")  # type: ignore[arg-type]
    plain = at.simulate(alone, replications=1)
    with pytest.raises(InputError, match="links: were not counted; simulate with links=True"):
        _ = plain.links
    found = at.simulate(alone, replications=1, links=True)
    assert found.traffic.empty
    assert found.summary_of("traffic").empty
    with pytest.raises(InputError, match=r"kind = 'link'.*links"):
        found.summary_of("link")


@pytest.mark.parametrize(
    "count", [60, [1, 60], {"from": 1, "to": 60, "points": 2, "scale": "linear"}]
)
def test_parts_of_links_are_bounded_as_those_of_flows(count: Any) -> None:
    stop = {"time": "8s", "batches": 20_000, "replications": 1}
    many = PATH | {"traffic": [{"rate": "1kbps", "packet": "500B", "count": count}], "stop": stop}
    with pytest.raises(InputError, match="60 sources of cross-traffic are 1200000 rows: at most"):
        at.simulate(many, links=True)
    hop = {"rate": "2Mbps", "delay": "5ms"}
    long = PATH | {"path": {"hop": [hop] * 30}, "stop": stop}
    with pytest.raises(InputError, match=r"20000 parts \(stop.batches\) of 60 links are 1200000"):
        at.simulate(long, links=True)

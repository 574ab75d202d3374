"""`airtcp.contest`: who gets what from whom."""

import json
import shlex
from pathlib import Path

import numpy as np
import pandas
import pytest
from click.testing import CliRunner

import airtcp as at
from airtcp.cli.contest_text import contest_text
from airtcp.cli.main import main
from airtcp.errors import InputError
from airtcp.plot.contests import shares_figure
from airtcp.simulation import contests
from airtcp.simulation.contests import Contest

ROOT = Path(__file__).parents[1]

LINK = {
    "profile": "linux",
    "tcp": {"congestion": "cubic"},
    "path": {"hop": [{"rate": "20Mbps", "delay": "25ms", "queue": 60}]},
    "stop": {"time": "40s", "warmup": "10s", "replications": 6},
}


@pytest.fixture(scope="module")
def contest():
    return at.contest(LINK, ["cubic", "bbr"])


def test_a_variant_shares_alike_with_itself(contest):
    table = contest.table.set_index(["variant", "rival"])
    for variant in ("cubic", "bbr"):
        own = table.loc[variant, variant]
        assert (own["share"], own["harm"], own["rival_harm"]) == (0.5, 0.0, 0.0)
        assert own[["share_low", "harm_low", "p"]].isna().all()
        assert own["fairness"] > 0.9


def test_bbr_harms_cubic_where_the_queue_is_short(contest):
    table = contest.table.set_index(["variant", "rival"])
    cubic, bbr = table.loc["cubic", "bbr"], table.loc["bbr", "cubic"]
    assert cubic["share_high"] < 0.3
    assert cubic["p"] == bbr["p"] < 0.001
    assert cubic["harm"] > 0.5
    assert cubic["rival_harm"] == bbr["harm"]
    assert contest.matrix().loc["cubic", "bbr"] + contest.matrix().loc["bbr", "cubic"] == 1
    assert cubic["goodput_bps"] > 17e6


def rates(*congestion):
    """Goodputs by replication, of flows that start in this order."""
    flows = [
        {"tcp": {"congestion": control}, "start": f"{i / 10}s"}
        for i, control in enumerate(congestion)
    ]
    runs = at.simulate(LINK | {"flow": flows}).runs.to_pandas()
    return runs.pivot_table(index="replication", columns="flow", values="goodput_bps").to_numpy()


def test_shares_and_harm_are_what_simulations_in_both_orders_count(contest):
    ahead, behind = rates("cubic", "bbr"), rates("bbr", "cubic")[:, ::-1]
    shares = [goodputs[:, 0] / goodputs.sum(axis=1) for goodputs in (ahead, behind)]
    row = contest.table.set_index(["variant", "rival"]).loc["cubic", "bbr"]
    assert row["share"] == pytest.approx(np.mean(shares), rel=1e-12)
    alone = rates("cubic", "cubic").mean(axis=1)
    mine = (ahead[:, 0] + behind[:, 0]) / 2
    harm = 1 - mine.mean() / alone.mean()
    assert row["harm"] == pytest.approx(harm, rel=1e-9)
    assert row["harm_low"] < harm < row["harm_high"]


def test_the_order_of_variants_changes_nothing(contest):
    turned = at.contest(LINK, ["bbr", "cubic"]).table
    places = ["variant", "rival"]
    first, second = (table.set_index(places).sort_index() for table in (contest.table, turned))
    np.testing.assert_allclose(first.to_numpy(), second.to_numpy(), rtol=1e-12)


@pytest.mark.parametrize("replications", [4, 12])
def test_one_tcp_under_two_names_shares_alike(replications):
    # `sack` is the recovery of the scenario, `reno` its growth: the two flows do the same.
    hop = LINK["path"]["hop"][0] | {"channel": {"kind": "iid", "loss_rate": 0.003}}
    stop = LINK["stop"] | {"time": "10s", "warmup": "0s", "replications": replications}
    link = LINK | {"profile": "rfc", "tcp": {"variant": "sack", "congestion": "reno"}}
    link = link | {"path": {"hop": [hop]}, "stop": stop}
    found = at.contest(link, ["sack", "reno"]).table.set_index(["variant", "rival"])
    row = found.loc["sack", "reno"]
    assert row["share"] == pytest.approx(0.5, abs=1e-12)
    assert np.isnan(row["p"])
    assert row["harm"] == pytest.approx(0.0, abs=1e-12)


def beside_a_call(bands):
    queue = {"kind": "priority", "bands": bands, "packets": 60}
    hop = LINK["path"]["hop"][0] | {"queue": queue}
    call = {"rate": "80kbps", "packet": "200B"}
    return LINK | {"path": {"hop": [hop]}, "traffic": [call]}


def test_a_band_is_of_both_variants_or_of_cross_traffic():
    # Flow 1 of a scenario with one flow is the call; it stays so beside two flows.
    called = at.contest(beside_a_call([[1]]), ["cubic", "reno"], replications=2)
    plain = at.contest(beside_a_call([[0, 1]]), ["cubic", "reno"], replications=2)
    for found in (called, plain):
        assert found.matrix().loc["cubic", "cubic"] == 0.5
        assert 0.2 < found.matrix().loc["cubic", "reno"] < 0.9


def test_variants_and_growths_of_the_rfcs_meet():
    link = LINK | {"profile": "rfc", "tcp": {"variant": "sack"}}
    matrix = at.contest(link, ["newreno", "vegas"], flows=2).matrix()
    assert matrix.loc["vegas", "newreno"] < 0.3
    with pytest.raises(InputError, match="metric = 'shares': must be one of"):
        at.contest(link, ["newreno"]).matrix("shares")


def test_runs_are_kept_and_not_made_twice(tmp_path, contest):
    journal = tmp_path / "runs.sqlite"
    first = at.contest(LINK, ["cubic", "bbr"], replications=3, journal=journal)
    again = at.contest(LINK, ["cubic", "bbr"], journal=journal)
    assert (first.table["replications"] == 3).all()
    assert again.table.equals(contest.table)


def test_the_command_prints_the_matrix_and_draws_it(tmp_path):
    file, picture = tmp_path / "link.json", tmp_path / "shares.svg"
    file.write_text(json.dumps(LINK))
    run = CliRunner().invoke
    asked = ["contest", str(file), "--variants", "cubic,bbr", "--plot", str(picture)]
    text = run(main, asked)
    assert text.exit_code == 0, text.output
    assert "share of, against" in text.output
    assert "6 replications" in text.output
    assert picture.read_text().count("±") == 3  # two cells and the caption
    pairs = json.loads(run(main, [*asked[:4], "--format", "json"]).output)["pairs"]
    assert [(pair["variant"], pair["rival"]) for pair in pairs] == [
        ("cubic", "cubic"),
        ("cubic", "bbr"),
        ("bbr", "bbr"),
        ("bbr", "cubic"),
    ]


def test_a_figure_of_one_run_has_no_intervals(tmp_path):
    link = LINK | {"profile": "rfc", "tcp": {"variant": "sack"}}
    found = at.contest(link, ["reno", "cubic"])
    assert (found.table["replications"] == 1).all()
    assert "±" not in found.plot(tmp_path / "x.svg").read_text()


@pytest.mark.parametrize(
    ("change", "variants", "options", "message"),
    [
        ({}, ["cubci"], {}, "did you mean 'cubic'"),
        ({}, [], {}, "variants: give a list of names"),
        ({}, "cubic", {}, "variants: give a list of names"),
        ({}, ["cubic", "cubic"], {}, "variants: cubic is named twice"),
        ({}, ["cubic"], {"flows": 0}, "flows"),
        (
            {"flow": [{"count": 2}]},
            ["cubic"],
            {},
            "flow[0].count: a contest sets the TCP and the number of flows",
        ),
        ({"case": [{"tcp": {"congestion": "reno"}}]}, ["cubic"], {}, "case: a contest makes"),
        ({"flow": [{"packets": 100}]}, ["cubic"], {}, "flow[0].packets: a contest compares"),
        (
            {"tcp": {"congestion": "reno", "sack": [True, False]}},
            ["cubic"],
            {},
            "tcp.sack: has several values; a contest is on one link",
        ),
        (
            {"path": {"hop": [LINK["path"]["hop"][0] | {"delay": ["10ms", "20ms"]}]}},
            ["cubic"],
            {},
            "choose one, such as --set 'path.hop[0].delay=10ms'",
        ),
        (
            {"path": {"hop": [LINK["path"]["hop"][0] | {"drop": [[14, 1]]}]}},
            ["cubic"],
            {},
            "path.hop[0].drop: forced losses apply only to the first flow",
        ),
        (
            beside_a_call([[1]]) | {"flow": [{}, {}]},
            ["cubic"],
            {},
            "path.hop[0].queue.bands: flow 1 takes no part",
        ),
    ],
)
def test_what_is_no_contest_is_refused(change, variants, options, message):
    with pytest.raises(InputError) as refused:
        at.contest(LINK | change, variants, **options)
    assert message in str(refused.value)


def test_a_list_of_one_value_is_that_value():
    """A call in cross-traffic, whose band the rival of the first variant would be in."""
    link = beside_a_call([[1]])
    hop = link["path"]["hop"][0]
    listed = link | {"path": {"hop": [hop | {"queue": [hop["queue"]]}]}}
    expected = at.contest(LINK | link, ["cubic", "reno"], replications=2).table
    assert at.contest(LINK | listed, ["cubic", "reno"], replications=2).table.equals(expected)
    twice = LINK | {"flow": [{"start": ["1s"]}, {"count": [2]}]}
    once = LINK | {"flow": [{"start": "1s"}]}
    found, expected = (
        at.contest(document, ["cubic"], replications=2).table for document in (twice, once)
    )
    assert found.equals(expected)


def test_slots_hold_no_contest():
    slots = {
        "profile": "zorzi",
        "tcp": {"variant": "tahoe"},
        "link": {"rate": "1Mbps", "packet": "1kB"},
        "channel": {"kind": "iid", "loss_rate": 0.1},
        "stop": {"slots": 100},
    }
    with pytest.raises(InputError, match="profile: a contest needs a path"):
        at.contest(slots, ["tahoe"])


RFC = LINK | {"profile": "rfc", "tcp": {"variant": "sack"}}
NEVER = {"kind": "iid", "loss_rate": 1e-12}  # random, and yet nothing happens


def output_of(tmp_path, link, *words):
    file = tmp_path / "link.json"
    file.write_text(json.dumps(link))
    asked = ["contest", str(file), "--variants", "reno,vegas", *words]
    result = CliRunner(env={"COLUMNS": "200"}).invoke(main, asked)
    assert result.exit_code == 0, result.output
    return result.output


def test_without_chance_one_line_says_so(tmp_path):
    text = output_of(tmp_path, RFC)
    line = at.contest(RFC, ["reno", "vegas"]).chance
    assert line.startswith("Nothing is random in this scenario: one run per point")
    assert text.splitlines().count(line) == 1
    assert "±" not in text
    assert "*" not in text
    assert at.contest(RFC, ["reno"]).chance.startswith(
        "Nothing is random in this scenario: one run"
    )


def test_equal_replications_give_neither_intervals_nor_significance(tmp_path):
    hop = LINK["path"]["hop"][0] | {"channel": NEVER}
    link = RFC | {"path": {"hop": [hop]}}
    text = output_of(tmp_path, link)
    assert "All 6 replications of each pair are equal: no random event" in text
    assert "suffices" not in text
    assert text.count("± ?") == 4  # shares and harms of both
    assert "*" not in text
    found = at.contest(link, ["reno", "vegas"])
    assert found.chance == ""
    assert found.table[["share_low", "share_high", "p"]].isna().all(axis=None)
    assert "n = 6 per pair, all equal" in found.plot(tmp_path / "x.svg").read_text()


def test_shares_that_most_replications_have_in_common_are_not_tested():
    # Their scatter comes from rare values: nine equal shares beside another one had p = 1e-15.
    assert np.isnan(contests._fair_share_p_value(np.array([0.6] * 9 + [0.601])))
    assert contests._fair_share_p_value(np.linspace(0.58, 0.62, 10)) < 0.05


def one_row(**changed):
    """A contest of one pair of which nothing is known but what is said."""
    interval = ("", "_low", "_high")
    row = {f"{of}{end}": np.nan for of in ("share", "harm", "rival_harm") for end in interval}
    row |= dict.fromkeys(("p", "fairness", "delay_median", "rival_delay_median"), np.nan)
    row |= {"variant": "reno", "rival": "reno", "goodput_bps": 0.0, "utilisation": 0.0}
    return Contest(("reno",), 1, pandas.DataFrame([row | {"replications": 4} | changed]))


def test_what_few_replications_carry_is_marked():
    some = one_row(share=0.4, share_low=0.3, share_high=0.5, share_carriers=1.0)
    text = " ".join(contest_text(some, "text").split())
    assert "reno 0.40 ± 0.10 ?" in text
    assert "too few of the 4 values differ" in text


def test_what_has_no_value_is_a_dash():
    found = one_row()
    assert "nan" not in contest_text(found, "text")
    assert "nan" not in shares_figure(found.table, ("reno",), 1).get_supxlabel()


def test_one_replication_of_many_is_not_taken_for_a_scenario_without_chance(tmp_path):
    text = output_of(tmp_path, LINK | {"tcp": {"congestion": "reno"}}, "--variants", "reno,bbr")
    assert "6 replications, each run twice, with either variant starting first. ±" in " ".join(
        text.split()
    )
    few = ("--variants", "reno,bbr", "--replications", "1")
    text = output_of(tmp_path, LINK | {"tcp": {"congestion": "reno"}}, *few)
    assert "One replication per pair, so no intervals; use --replications 2 or more." in text


def test_the_utilisation_is_that_of_the_busiest_link():
    # Behind a hop of 20 Mbit/s one of 10, which is the bottleneck.
    hops = [*RFC["path"]["hop"], {"rate": "10Mbps", "delay": "5ms", "queue": 40}]
    link = RFC | {"path": {"hop": hops}}
    row = at.contest(link, ["reno"]).table.iloc[0]
    flows = [{"tcp": {"congestion": "reno"}, "start": f"{i / 10}s"} for i in range(2)]
    links = at.simulate(link | {"flow": flows}, links=True).links
    busy = links.set_index(["hop", "direction"])["utilisation"]
    assert row["utilisation"] == pytest.approx(busy[1, "forward"], rel=1e-12)
    assert busy.idxmax() == (1, "forward")
    # Of 1500 bytes 1460 are payload; what arrives is what the bottleneck has sent, give or take
    # what is under way at the ends and what is lost behind it, which is nothing.
    assert row["goodput_bps"] == pytest.approx(10e6 * row["utilisation"] * 1460 / 1500, rel=0.01)


def test_figures_are_vectors_in_all_formats(tmp_path):
    found = at.contest(RFC, ["reno", "vegas"])
    assert "<image" not in found.plot(tmp_path / "x.svg").read_text()
    assert found.plot(tmp_path / "x.pdf").read_bytes().startswith(b"%PDF")
    with pytest.raises(InputError, match=r"suffix = '\.gif': must be one of"):
        found.plot(tmp_path / "x.gif")


def test_a_list_that_the_variants_replace_is_no_axis():
    some = LINK | {"tcp": {"congestion": ["reno", "bbr"]}, "flow": [{"count": 1}]}
    first = at.contest(some, ["cubic"], replications=1).table
    second = at.contest(LINK, ["cubic"], replications=1).table
    assert first.equals(second)


def test_the_examples_of_the_help_run(tmp_path, monkeypatch):
    help_text = CliRunner().invoke(main, ["contest", "--help"]).output
    joined = help_text.replace("\\\n", " ")
    commands = [shlex.split(line) for line in joined.splitlines() if "airtcp contest ex" in line]
    assert len(commands) == 2
    monkeypatch.chdir(ROOT)
    picture = str(tmp_path / "shares.svg")
    for given in commands:
        words = [picture if word == "shares.svg" else word for word in given]
        quick = ["--replications", "1", "--set", "stop.time=6s", "--set", "stop.warmup=1s"]
        result = CliRunner().invoke(main, [*words[1:], *quick])
        assert result.exit_code == 0, result.output

"""`airtcp.contest`: who gets what from whom."""

import json

import numpy as np
import pytest
from click.testing import CliRunner

import airtcp as at
from airtcp.cli.main import main
from airtcp.errors import InputError

LINK = {
    "profile": "linux",
    "tcp": {"congestion": "cubic"},
    "path": {"hop": [{"rate": "20Mbps", "delay": "25ms", "queue": 60}]},
    "stop": {"time": "40s", "warmup": "10s", "replications": 6},
}


@pytest.fixture(scope="module")
def found():
    return at.contest(LINK, ["cubic", "bbr"])


def test_a_variant_shares_alike_with_itself(found):
    table = found.table.set_index(["variant", "rival"])
    for one in ("cubic", "bbr"):
        own = table.loc[one, one]
        assert own["share_low"] - 0.05 < 0.5 < own["share_high"] + 0.05
        assert np.isnan(own["p"])
        assert own["fairness"] > 0.9
        assert abs(own["harm"]) < 0.2


def test_bbr_harms_cubic_where_the_queue_is_short(found):
    table = found.table.set_index(["variant", "rival"])
    cubic, bbr = table.loc["cubic", "bbr"], table.loc["bbr", "cubic"]
    assert cubic["share_high"] < 0.3
    assert cubic["p"] == bbr["p"] < 0.001
    assert cubic["harm"] > 0.5
    assert cubic["rival_harm"] == bbr["harm"]
    assert found.matrix().loc["cubic", "bbr"] + found.matrix().loc["bbr", "cubic"] == 1
    assert cubic["goodput_bps"] > 17e6


def test_the_share_is_what_a_simulation_of_the_two_flows_counts(found):
    flows = [
        {"tcp": {"congestion": one}, "start": f"{i / 10}s"}
        for i, one in enumerate(("cubic", "bbr"))
    ]
    runs = at.simulate(LINK | {"flow": flows}).runs.to_pandas()
    rates = runs.pivot_table(index="replication", columns="flow", values="goodput_bps").to_numpy()
    share = (rates[:, 0] / rates.sum(axis=1)).mean()
    assert found.matrix().loc["cubic", "bbr"] == pytest.approx(share, rel=1e-12)


def test_variants_and_growths_of_the_rfcs_meet():
    link = LINK | {"profile": "rfc", "tcp": {"variant": "sack"}}
    matrix = at.contest(link, ["newreno", "vegas"], flows=2).matrix()
    assert matrix.loc["vegas", "newreno"] < 0.3
    with pytest.raises(InputError, match="metric = 'shares': must be one of"):
        at.contest(link, ["newreno"]).matrix("shares")


def test_runs_are_kept_and_not_made_twice(tmp_path, found):
    journal = tmp_path / "runs.sqlite"
    first = at.contest(LINK, ["cubic", "bbr"], replications=3, journal=journal)
    again = at.contest(LINK, ["cubic", "bbr"], journal=journal)
    assert (first.table["replications"] == 3).all()
    assert again.table.equals(found.table)


def test_the_command_prints_the_matrix_and_draws_it(tmp_path):
    file, picture = tmp_path / "link.json", tmp_path / "shares.svg"
    file.write_text(json.dumps(LINK))
    run = CliRunner().invoke
    asked = ["contest", str(file), "--variants", "cubic,bbr", "--plot", str(picture)]
    text = run(main, asked)
    assert text.exit_code == 0, text.output
    assert "share of, against" in text.output
    assert "over 6 replications" in text.output
    assert picture.read_text().count("±") >= 4
    pairs = json.loads(run(main, [*asked[:4], "--format", "json"]).output)["pairs"]
    assert [(one["variant"], one["rival"]) for one in pairs] == [
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
        ({"flow": [{"count": 2}]}, ["cubic"], {}, "flow[0].count: the contest says"),
        ({"case": [{"tcp": {"congestion": "reno"}}]}, ["cubic"], {}, "case: a contest makes"),
        ({"tcp": {"congestion": ["reno", "bbr"]}}, ["cubic"], {}, "without lists and ranges"),
    ],
)
def test_what_is_no_contest_is_refused(change, variants, options, message):
    with pytest.raises(InputError) as refused:
        at.contest(LINK | change, variants, **options)
    assert message in str(refused.value)


def test_slots_hold_no_contest():
    slots = {
        "profile": "zorzi",
        "tcp": {"variant": "tahoe"},
        "link": {"rate": "1Mbps", "packet": "1kB"},
        "channel": {"kind": "iid", "loss_rate": 0.1},
        "stop": {"slots": 100},
    }
    with pytest.raises(InputError, match="profile: a contest is of packets on a path"):
        at.contest(slots, ["tahoe"])

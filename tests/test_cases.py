"""Cases, from the document to tables, rankings, plots, plans and what is kept."""

from __future__ import annotations

import itertools
import json
import tomllib
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import airtcp as at
from airtcp import spec
from airtcp.cli.main import main
from airtcp.errors import InputError
from schemas import documents

HOP = {"rate": "5Mbps", "delay": "10ms", "queue": 20}
CASES: list[dict[str, Any]] = [
    {"name": "probing", "tcp": {"variant": "adaptive-probing"}},
    {"name": "sack+cubic", "tcp": {"variant": "sack", "congestion": "cubic"}},
    {"tcp": {"variant": "newreno", "min_rto": "300ms"}},
]
NAMES = ["probing", "sack+cubic", "newreno, min rto 300ms"]


def document(**more: Any) -> dict[str, Any]:
    channel = {"kind": "iid", "loss_rate": [0.01, 0.05]}
    return {
        "profile": "rfc",
        "tcp": {"window": 30},
        "path": {"hop": [HOP | {"channel": channel}]},
        "case": CASES,
        "stop": {"time": "5s", "replications": 4},
    } | more


def scenario(**more: Any) -> at.Scenario:
    return at.Scenario.from_dict(document(**more))


def exit_of(*words: str) -> int:
    with pytest.raises(SystemExit) as caught:
        main(list(words))
    return int(caught.value.code or 0)


def test_the_case_stands_for_what_the_cases_set() -> None:
    found = scenario()
    assert len(found) == 6
    first = [point.coordinates for point in found.points()]
    assert list(first[0]) == ["case", "path.hop[0].channel.loss_rate"]
    assert [row["case"] for row in first] == [name for name in NAMES for _ in range(2)]
    assert found.points()[2].data["tcp"]["congestion"] == "cubic"


def test_a_case_is_the_same_run_as_its_values_without_one() -> None:
    plain = document(tcp={"window": 30, "variant": "sack", "congestion": "cubic"})
    del plain["case"]
    alone = at.Scenario.from_dict(plain)
    points = scenario().points()
    assert [point.hash for point in alone.points()] == [point.hash for point in points[2:4]]
    runs, same = at.simulate(scenario()).runs.to_pandas(), at.simulate(alone).runs.to_pandas()
    of_case = runs[runs["case"] == "sack+cubic"].reset_index(drop=True)
    counted = same.columns[same.columns.get_loc("replication") :]
    assert of_case[counted].equals(same[counted])


def test_cases_meet_the_same_losses(tmp_path: Path) -> None:
    """Points of one seed share random numbers, so that twins in all but their names for it agree.

    A clock's phase says nothing in profile rfc, and a window that is never reached does not either.
    """
    twins = [{"name": name, "tcp": {"window": n}} for name, n in (("one", 4000), ("other", 5000))]
    at.sweep(scenario(tcp={"variant": "sack"}, case=twins), out=tmp_path / "out", progress=False)
    found = at.results(tmp_path / "out")
    runs = found.to_pandas()
    first, second = (runs[runs["case"] == name].reset_index(drop=True) for name in ("one", "other"))
    assert len(first) == 8
    assert first.drop(columns=["case", "scenario"]).equals(
        second.drop(columns=["case", "scenario"])
    )
    ranked = found.rank("goodput_bps")
    assert ranked["best"].all()
    assert (ranked["behind"].fillna(0.0) == 0.0).all()


def test_results_rank_and_summarise_by_case(tmp_path: Path) -> None:
    at.sweep(scenario(), out=tmp_path / "out", progress=False)
    found = at.results(tmp_path / "out")
    assert found.coordinates == ("case", "path.hop[0].channel.loss_rate")
    ranked = found.rank("goodput_bps")
    assert list(ranked.columns[:3]) == ["path.hop[0].channel.loss_rate", "rank", "case"]
    assert len(ranked) == 6
    for _, rows in ranked.groupby("path.hop[0].channel.loss_rate"):
        assert set(rows["case"]) == set(NAMES)
    table = found.summary("goodput_bps", by="case")
    assert table["case"].tolist() == NAMES
    chosen = found.summary("goodput_bps", where={"case": ["probing"]})
    assert len(chosen) == 2
    array = found.summary("goodput_bps", by=["case", "loss_rate"])
    assert len(array) == 6
    assert found.scenario == scenario()


def test_tables_plots_and_the_report_name_cases(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "cases.toml"
    file.write_text(scenario().to_toml(), encoding="utf-8")
    assert exit_of("run", str(file), "--out", str(tmp_path / "out")) == 0
    said = capsys.readouterr().out
    assert "newreno, min rto 300ms" in said
    assert "sack+cubic" in (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    figure = at.run(scenario()).plot()
    legend = [text.get_text() for artist in [figure, *figure.axes] for text in _legend(artist)]
    assert set(NAMES) <= set(legend)
    assert exit_of("plan", str(file), "--budget", "0.1") == 0
    assert "probing" in capsys.readouterr().out
    assert exit_of("sweep", str(file), "--out", str(tmp_path / "sweep")) == 0
    assert exit_of("results", str(tmp_path / "sweep"), "--rank", "case") == 0
    assert "sack+cubic" in capsys.readouterr().out
    svg = tmp_path / "x.svg"
    words = ["-x", "loss_rate", "-y", "goodput_bps", "--by", "case", "-o", str(svg)]
    assert exit_of("plot", str(tmp_path / "sweep"), *words) == 0
    assert svg.exists()


def _legend(holder: Any) -> list[Any]:
    legends = getattr(holder, "legends", None) or [getattr(holder, "get_legend", lambda: None)()]
    return [text for legend in legends if legend is not None for text in legend.get_texts()]


def test_cases_on_slots_are_analysed() -> None:
    found = at.run(
        {
            "profile": "zorzi",
            "tcp": {"variant": "tahoe"},
            "channel": {"kind": "iid", "loss_rate": [0.01, 0.1]},
            "case": [{"tcp": {"variant": "reno", "window": 6}}, {"channel.loss_rate": 0.1}],
        }
        | {"channel": {"kind": "iid", "loss_rate": 0.01}, "stop": {"slots": 20_000}},
        replications=4,
    )
    table = found.table
    assert table["case"].tolist() == ["reno, window 6", "loss rate 0.1"]
    assert table["analysis_throughput"].notna().all()
    assert list(table.columns[:2]) == ["case", "channel.kind"]
    assert found.plot() is not None


def test_dataclasses_toml_json_and_pickles() -> None:
    made = at.Scenario(
        profile="rfc",
        tcp=spec.RfcTcp(variant="reno", window=[10, 20]),
        path=spec.Path(hop=[spec.Hop(**HOP)]),
        case=[
            {"name": "deep", "path.hop[0].queue": 200},
            {"tcp": spec.RfcTcp(congestion="cubic")},
        ],
    )
    assert [point.coordinates["case"] for point in made.points()] == ["deep"] * 2 + ["cubic"] * 2
    assert made.points()[0].data["path"]["hop"][0]["queue"] == 200
    text = made.to_toml()
    assert text.count("[[case]]") == 2
    again = at.Scenario.from_dict(tomllib.loads(text))
    assert again == made
    assert again.to_dict() == made.to_dict()
    assert at.Scenario.from_dict(json.loads(json.dumps(made.to_dict()))) == made


def test_a_point_of_a_case_is_a_scenario() -> None:
    point = scenario().points()[4]
    alone = at.Scenario.from_dict(point.data)
    assert len(alone) == 1
    assert alone.points()[0].hash == point.hash
    assert alone.points()[0].coordinates["case"] == NAMES[2]
    assert at.trace(scenario(), point=4).facts["coordinates"]["case"] == NAMES[2]


def test_one_case_may_be_chosen(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    chosen = scenario().replace("case", NAMES[2])
    assert {point.coordinates["case"] for point in chosen.points()} == {NAMES[2]}
    assert len(scenario().replace("case", ["probing", "sack+cubic"])) == 4
    with pytest.raises(InputError, match=r"case = 'probin'.*did you mean 'probing'"):
        scenario().replace("case", "probin")
    file = tmp_path / "cases.toml"
    file.write_text(scenario().to_toml(), encoding="utf-8")
    words = ["--set", "case=probing", "--set", "path.hop[0].channel.loss_rate=0.02"]
    assert exit_of("run", str(file), *words) == 0
    assert "probing" in capsys.readouterr().out
    assert exit_of("trace", str(file), *words, "-o", str(tmp_path / "x.csv")) == 0
    capsys.readouterr()
    assert exit_of("trace", str(file), "-o", str(tmp_path / "x.pcapng")) == 2
    assert "--set case=probing" in capsys.readouterr().err
    changed = scenario().replace("case[1].tcp.congestion", "reno")
    assert changed.points()[2].data["tcp"]["congestion"] == "reno"


@pytest.mark.parametrize(
    ("case", "said"),
    [
        (
            {"tcp": {"varaint": "sack"}},
            'case[0].tcp: unknown key "varaint"; did you mean "variant"?',
        ),
        (
            {"tcp": {"congestion": "cubc"}},
            'case[0].tcp.congestion: unknown name "cubc"; did you mean "cubic"?',
        ),
        (
            {"tcp": {"window": [1, 2]}},
            "case[0].tcp.window: a case cannot hold a list or a range; make it an",
        ),
        (
            {"path.hop[0].channel.loss_rate": 0.1},
            "is an axis of the scenario, which no case can set",
        ),
        ({"pth": {}}, 'case[0]: unknown key "pth"; did you mean "path"?'),
        ({"stop": {"time": "1s"}}, "case[0].stop: cannot be set by a case; a case sets values of"),
        ({"name": NAMES[0], "tcp": {"window": 9}}, "case[1].name: "),
    ],
)
def test_refusals_name_the_case(case: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError) as caught:
        scenario(tcp={"variant": "reno"}, case=[case, *CASES])
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


def test_the_schema_knows_cases() -> None:
    validator = documents()
    whole = document(tcp={"variant": "sack"})
    validator.validate(whole)
    validator.validate(document(tcp={"variant": "sack"}, case="probing"))
    validator.validate(document(tcp={"variant": "sack"}, case=[{"path.hop[0].queue": 9}]))
    for case in ({"stop": {}}, {"name": ""}, {"link": {}}):
        assert not validator.is_valid(document(tcp={"variant": "sack"}, case=[case]))


def test_half_a_million_points_of_cases_are_checked_in_seconds() -> None:
    """Lazy: the points are choices, and only what differs is formed anew (no clock: a count)."""
    axis = {"from": 0.001, "to": 0.1, "points": 100_000, "scale": "log"}
    hop = HOP | {"channel": {"kind": "iid", "loss_rate": axis}}
    found = scenario(path={"hop": [hop]})
    assert len(found) == 300_000
    assert found.points()[-1].coordinates["case"] == NAMES[2]
    assert len(found.points().representative_points()) < 20


def test_random_cases_are_the_product_of_cases_and_axes() -> None:
    draw = np.random.default_rng(5)
    values: dict[str, list[Any]] = {
        "tcp.variant": ["reno", "sack", "newreno"],
        "tcp.congestion": ["reno", "cubic"],
        "tcp.window": [3, 9, 27],
        "path.hop[0].delay": ["1ms", "2ms"],
        "path.hop[0].queue": [5, 10],
    }
    for _ in range(60):
        keys = draw.permutation(list(values)).tolist()
        cut = int(draw.integers(1, len(keys)))
        inside, outside = keys[:cut], keys[cut:]
        choices = list(itertools.product(*(values[key] for key in inside)))
        draw.shuffle(choices)
        chosen = choices[: int(draw.integers(1, 5))]
        cases = [
            {"name": str(n), **dict(zip(inside, choice, strict=True))}
            for n, choice in enumerate(chosen)
        ]
        plain = document(tcp={"variant": "reno"}, path={"hop": [HOP]})
        del plain["case"]
        base = at.Scenario.from_dict(plain)
        axes = base.replace({key: values[key] for key in outside})
        both = axes.replace("case", cases)
        expected = [
            axes.replace({key: case[key] for key in inside}).points()[n].hash
            for case in cases
            for n in range(len(axes))
        ]
        assert [point.hash for point in both.points()] == expected
        assert at.Scenario.from_dict(tomllib.loads(both.to_toml())) == both
        for point in both.points():
            assert not set(inside) & set(point.coordinates)


def test_plans_tell_the_cases_apart() -> None:
    table = at.plan(scenario(), budget=0.1).table
    assert table.columns[0] == "case"
    assert set(table["case"]) <= set(NAMES)

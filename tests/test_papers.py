"""The reproduction of a paper: a quick run of all of it, once, and the rules that judge it.

Random numbers come from fixed seeds; nothing is retried.
"""

from __future__ import annotations

import math
import re
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest

from airtcp import InputError, reproduce
from airtcp.papers import PAPERS, paper, reproduce_all, targets
from airtcp.papers.base import (
    Agreement,
    Reproduction,
    agreement_with_truth,
    judge_alike,
    judge_better,
    judge_both,
)
from airtcp.papers.zorzi import study
from airtcp.plot.style import svg
from airtcp.stats import too_many_misses
from campaigns import damage, kept, tasks_run

FIGURES = [f"fig{number}" for number in range(1, 7)]
PARTS = ["table1", *FIGURES, "energy", "oldtahoe", "bounds", "feedback", "inflation", "sack"]
THIN = study.ZorziSizes(
    points=3, simulated_step=2, replications=3, slots=5000, variation_slots=2000
)


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("zorzi")


@pytest.fixture(scope="session")
def whole(folder: Path) -> Reproduction:
    return reproduce("zorzi", quick=True, seed=1, out=folder)


@pytest.fixture
def thin(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(study.ZorziStudy, "QUICK", THIN)


def test_all_parts_are_there(whole: Reproduction) -> None:
    assert [part.name for part in whole.parts] == [f"zorzi/{name}" for name in PARTS]
    assert all(len(part.table) and part.title and part.text for part in whole.parts)
    drawn = [part.name.partition("/")[2] for part in whole.parts if part.figure is not None]
    assert drawn == PARTS[1:]
    assert whole["fig2"] is whole["zorzi/fig2"]


def test_table_1_has_the_four_known_misprints(whole: Reproduction) -> None:
    table = whole["table1"].table
    assert len(table) == 36
    wrong = table[~table["agrees"]]
    found = {(r.doppler, r.loss_rate, r.quantity): r.computed for r in wrong.itertuples()}
    assert found == {
        (0.01, 0.01, "p_bb"): pytest.approx(0.754305, abs=5e-7),
        (0.01, 0.01, "mean_burst"): pytest.approx(4.07008, abs=5e-6),
        (0.08, 0.001, "p_bb"): pytest.approx(0.008240, abs=5e-7),
        (0.64, 0.001, "mean_burst"): pytest.approx(1.00119, abs=5e-6),
    }


@pytest.mark.parametrize("name", FIGURES)
def test_a_figure_has_its_columns_and_curves(whole: Reproduction, name: str) -> None:
    table = whole[name].table
    wanted = {"variant", "window", "dupacks", "timeout", "channel", "doppler", "loss_rate"}
    wanted |= {"throughput", "lower", "upper", "error_bound", "transmissions_per_delivery"}
    wanted |= {"simulation", "simulation_low", "simulation_high", "replications", "z"}
    assert wanted <= set(table.columns)
    curves = table.groupby(["variant", "window", "dupacks", "channel"])
    expected = {"fig1": 4, "fig2": 4, "fig3": 4, "fig4": 8, "fig5": 6, "fig6": 6}
    assert curves.ngroups == expected[name]
    assert table["loss_rate"].min() == pytest.approx(1e-3)
    assert table["loss_rate"].max() == pytest.approx(1e-1)
    assert (curves["throughput"].diff().dropna() < 0.0).all()
    assert (table["upper"] - table["throughput"]).abs().max() < 4e-4
    assert (table["lower"] <= table["throughput"]).all()


def test_figure_2_at_a_reference_point(whole: Reproduction) -> None:
    table = whole["fig2"].table.set_index(["variant", "channel", "loss_rate"])
    assert table.loc[("tahoe", "f_dT = 0.01", 0.01), "throughput"] == pytest.approx(
        0.983372, abs=1e-6
    )
    assert table.loc[("reno", "f_dT = 0.01", 0.01), "throughput"] == pytest.approx(
        0.845114, abs=1e-6
    )


def test_simulation_agrees_with_the_exact_analysis(whole: Reproduction) -> None:
    """One-sided binomial test at level 0.01 on 95 % intervals of independent points; |z| < 4.

    With all right, the first fails by chance once in 100 seeds, the second once in 130.
    """
    found = whole.agreement
    assert found is not None
    assert found.points == 120
    assert not too_many_misses(found.misses, found.points, confidence=0.95, level=0.01)
    assert found.largest_z < 4.0


def test_every_claim_is_judged_by_numbers(whole: Reproduction) -> None:
    names = [claim.name for claim in whole.claims]
    assert len(names) == len(set(names)) >= 25
    for claim in whole.claims:
        assert claim.verdict in ("holds", "partly", "fails", "undecided")
        assert claim.numbers
        assert all(math.isfinite(value) for value in claim.numbers.values()), claim.name
        assert re.search(r"\d", claim.finding)
        assert claim.rule
        assert claim.where
        assert claim.text.endswith(".")
    assert sum(whole.verdicts.values()) == len(names)
    assert list(whole.claims_table()["name"]) == names


def test_verdicts_that_no_simulation_moves(whole: Reproduction) -> None:
    verdicts = {claim.name: claim.verdict for claim in whole.claims}
    assert verdicts["tahoe-equals-newreno"] == "holds"
    assert verdicts["fast-fading-is-iid"] == "holds"
    assert verdicts["order-of-magnitude"] == "holds"
    assert verdicts["newreno-gains"] == "partly"
    assert verdicts["reno-equals-tahoe-high-loss"] == "fails"
    assert verdicts["bounds-tight"] == "fails"
    assert verdicts["table1-entries"] == "partly"


def test_energy_at_equal_throughput(whole: Reproduction) -> None:
    table = whole["energy"].table.set_index(["level", "variant"])
    assert table.loc[(0.9, "tahoe"), "loss_rate"] == pytest.approx(0.0361, abs=5e-5)
    assert table.loc[(0.9, "reno"), "loss_rate"] == pytest.approx(0.0050, abs=5e-5)
    ratios = table.xs("reno", level="variant")["loss_rate_ratio"]
    assert ratios.tolist() == pytest.approx([4.1, 7.2, 10.1], abs=0.05)
    assert table.loc[(0.9, "reno"), "margin_above_tahoe_db"] == pytest.approx(8.6, abs=0.05)
    reached = table["throughput"] - table.index.get_level_values("level")
    assert reached.abs().max() < 4e-4


def test_newreno_with_window_6_gains_only_above_a_loss_rate(whole: Reproduction) -> None:
    claim = next(claim for claim in whole.claims if claim.name == "newreno-gains")
    assert claim.numbers["crossing at W 6"] == pytest.approx(0.0196, abs=1e-4)


def test_variations_are_paired_and_cover_the_grid(whole: Reproduction) -> None:
    feedback, inflation = whole["feedback"].table, whole["inflation"].table
    assert len(feedback) == 3 * 3 * 2 * 2 * 4  # settings, variants, windows, channels, rates
    assert set(inflation["variant"]) == {"reno", "newreno"}
    assert (feedback["change_low"] <= feedback["change"]).all()
    # W 24, f_dT 0.01, P_E 0.01: Reno rises by 3.6 % with inflation, NewReno by less than 0.1 %.
    here = inflation[(inflation["window"] == 24) & (inflation["channel"] == "f_dT = 0.01")]
    change = here[here["loss_rate"] == 0.01].set_index("variant")["change"]
    assert change["reno"] > 10.0 * abs(change["newreno"])


def test_sack_equals_newreno_where_few_retransmissions_are_lost(whole: Reproduction) -> None:
    table = whole["sack"].table
    assert set(table["variant"]) == {"newreno"}
    assert len(table) == 2 * 2 * 4  # windows, channels, rates
    assert (table.loc[table["loss_rate"] <= 0.01, "change"].abs() < 1e-3).all()
    assert (table["change"] != 0.0).any()


def test_page_and_files(whole: Reproduction, folder: Path) -> None:
    assert whole.report == folder / "report.html"
    page = whole.report.read_text(encoding="utf-8")
    assert all(part.title in page for part in whole.parts)
    assert page.count("<svg") == len(PARTS) - 1
    assert page.count('class="verdict') >= len(whole.claims)
    assert "airtcp reproduce zorzi --quick --seed 1" in page
    assert "zorzi2000" in page
    assert not re.search(r"<script|<link|src=|@import", page)
    ids = re.findall(r'\bid="([^"]+)"', page)
    assert len(ids) == len(set(ids))
    for name in PARTS:
        assert len(pd.read_csv(folder / f"{name}.csv")) == len(whole[name].table)
    assert len(pd.read_csv(folder / "claims.csv")) == len(whole.claims)


@pytest.mark.parametrize("name", PARTS[1:])
def test_figures_are_vector_files_with_text(whole: Reproduction, folder: Path, name: str) -> None:
    figure = whole[name].figure
    text = (folder / f"{name}.svg").read_text(encoding="utf-8")
    assert figure is not None
    assert text == svg(figure)  # the same bytes when drawn again
    root = ElementTree.fromstring(text)
    words = "".join("".join(node.itertext()) for node in root.iter() if node.tag.endswith("text"))
    assert re.search("Packet loss rate|Fading margin", words)
    assert not re.search(r"<dc:date>", text)


@pytest.mark.usefixtures("thin")
def test_the_same_seed_gives_the_same_numbers_for_any_number_of_jobs() -> None:
    first, second = (reproduce("zorzi/fig1", quick=True, seed=5, jobs=jobs) for jobs in (1, 2))
    pd.testing.assert_frame_equal(first.table, second.table)
    assert first.figure is not None
    assert second.figure is not None
    assert svg(first.figure) == svg(second.figure)
    other = reproduce("zorzi/fig1", quick=True, seed=6)
    assert not np.array_equal(first.table["simulation"], other.table["simulation"], equal_nan=True)


@pytest.mark.usefixtures("thin")
def test_finished_replications_are_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = reproduce("zorzi/fig3", quick=True, out=tmp_path)
    journal = tmp_path / "runs.sqlite"
    whole = kept(journal)
    damage(journal, replication=0, rows=2)

    tasks = tasks_run(monkeypatch)
    again = reproduce("zorzi/fig3", quick=True, out=tmp_path)
    assert len(tasks) == 2
    pd.testing.assert_frame_equal(first.table, again.table)
    assert kept(journal) == whole


@pytest.mark.usefixtures("thin")
def test_progress_runs_to_its_total() -> None:
    seen: list[tuple[float, float]] = []

    def note(what: str, done: float, total: float) -> None:
        assert what
        seen.append((done, total))

    reproduce("zorzi/fig1", quick=True, progress=note)
    done = [so_far for so_far, _ in seen]
    assert done == sorted(done)
    assert len({total for _, total in seen}) == 1  # known from the start
    assert seen[-1][0] == pytest.approx(seen[-1][1])


@pytest.mark.usefixtures("thin")
def test_one_part_has_its_own_page(tmp_path: Path) -> None:
    found = reproduce("zorzi/energy", quick=True, out=tmp_path)
    assert found.report == tmp_path / "energy.html"
    assert {path.name for path in tmp_path.glob("energy*")} == {
        "energy.html",
        "energy.svg",
        "energy.csv",
        "energy-claims.csv",
    }
    assert "fading margin" in found._repr_html_().lower()
    assert repr(found).startswith("Reproduction(zorzi/energy")
    page = (tmp_path / "energy.html").read_text(encoding="utf-8")
    before = page[: page.index('<table class="claims">')]
    body = before[before.index("<main>") :]
    # The table has the width of the page, not half of it, which would cut its last column.
    assert len(re.findall(r"<div\b", body)) - body.count("</div>") == 1


# The cheapest part with a figure stands for a paper: the parts have tests of their own.
CHEAP = {
    "zorzi": "fig4",
    "elaarag": "fig5",
    "kuusela": "fig5",
    "chockalingam": "misfit",
    "lahanas": "fig2",
}


@pytest.mark.usefixtures("thin")
def test_every_paper_has_its_own_folder_and_a_line_in_the_index(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, module in PAPERS.items():
        whole = paper(name)
        parts = {CHEAP[name]: whole.parts[CHEAP[name]]}
        few = replace(whole, parts=parts, cover="", finish=lambda found: found)
        monkeypatch.setattr(f"{module}.PAPER", few)
    found = reproduce_all(quick=True, out=tmp_path)
    assert [result.name for result in found] == list(PAPERS)
    page = (tmp_path / "index.html").read_text(encoding="utf-8")
    for reproduction in found:
        assert reproduction.report == tmp_path / reproduction.name / "report.html"
        assert f'href="{reproduction.name}/report.html"' in page
        assert reproduction.title in page
        picture = re.search(rf'src="({reproduction.name}/[a-z0-9-]+[.]svg)"', page)
        assert picture is not None
        assert (tmp_path / picture[1]).exists()
        counts = [f"{number} <span" for number in reproduction.verdicts.values() if number]
        assert all(count in page for count in counts)
    assert {path.name for path in tmp_path.iterdir()} == {*PAPERS, "index.html"}


def test_a_claim_on_another_scale_says_why(whole: Reproduction) -> None:
    rules = {claim.name: claim.rule for claim in whole.claims}
    assert "since the paper says all" in rules["tahoe-gains"]
    for name in ("order-of-magnitude", "energy-efficiency"):
        assert "order of magnitude off a figure, so within a factor of two" in rules[name]
    assert "10^-1.5" in rules["newreno-iid-low-loss"]
    for variant in ("tahoe", "newreno"):
        rule = rules[f"{variant}-fewer-dupacks-correlated"]
        best = next(c for c in whole.claims if c.name == f"{variant}-fewer-dupacks-iid")
        assert "practically nothing beside" in rule
        assert f"{100 * best.numbers['largest']:+.1f} %" in rule


def test_texts_state_the_distance_from_exact_of_this_run(whole: Reproduction) -> None:
    for name in ("oldtahoe", "bounds"):
        table = whole[name].table
        apart = (table["upper"] - table["throughput"]).abs().max()
        assert f"{apart:.2g} off" in whole[name].text


@pytest.mark.parametrize(
    ("target", "nearest"),
    [("zorzi/fig9", "zorzi/fig"), ("zorzi/tabel1", "zorzi/table1"), ("zorzy", "zorzi")],
)
def test_an_unknown_target_is_refused_with_the_nearest_name(target: str, nearest: str) -> None:
    with pytest.raises(InputError, match=rf"did you mean '{nearest}") as refused:
        reproduce(target)
    assert "\n" not in str(refused.value)
    assert "elaarag/" not in str(refused.value)


def test_wrong_numbers_are_refused() -> None:
    with pytest.raises(InputError, match="seed"):
        reproduce("zorzi/table1", seed=-1)
    with pytest.raises(InputError, match="jobs"):
        reproduce("zorzi/table1", jobs=0)


def test_targets_name_every_part_of_every_paper() -> None:
    assert list(paper("zorzi").parts) == PARTS
    assert targets() == [
        target
        for name in PAPERS
        for target in (name, *(f"{name}/{part}" for part in paper(name).parts))
    ]


def test_rules_of_the_verdicts() -> None:
    assert [judge_alike([0.0, gap]) for gap in (0.02, -0.03, 0.06)] == ["holds", "partly", "fails"]
    assert judge_better([0.1, 0.2]) == "holds"
    assert judge_better([0.1, 0.2], by=0.1) == "partly"
    assert judge_better([0.1, -0.2, -0.3]) == "fails"
    assert [judge_both(True, flag) for flag in (True, False)] == ["holds", "partly"]
    assert judge_both(False, False) == "fails"


def test_agreement_counts_and_weighs_misses() -> None:
    # 20 standard normal deviations of which two are beyond 1.96: P(at least 2 of 20) = 0.264
    mean = np.zeros(20)
    mean[:2] = 3.0
    found = agreement_with_truth(mean, np.ones(20), np.full(20, 1000.0), np.zeros(20))
    assert isinstance(found, Agreement)
    assert (found.points, found.misses, found.expected) == (20, 2, pytest.approx(1.0))
    assert found.chance == pytest.approx(0.2642, abs=1e-4)
    assert "2 of 20" in str(found)

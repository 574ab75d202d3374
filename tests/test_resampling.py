"""Claims of papers are undecided where their runs may as well say something else."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

import airtcp as at
from airtcp.cli.main import main
from airtcp.papers.base import (
    Judgement,
    PaperStudy,
    Part,
    Reproduction,
    is_verdict_stable,
    statement,
    undecided_by_resampling,
)
from airtcp.papers.claims import Claim
from airtcp.papers.resampling import Resample, runs_factor, runs_to_draw
from modules import module

claim_rows = module("claim_rows")
judged = claim_rows.judged


def above(values: np.ndarray, seed: int, resample: Resample) -> dict[str, str]:
    drawn = values[resample.drawn_indices(seed, values.size)]
    return {"above": "holds" if drawn.mean() > 0.0 else "fails"}


@pytest.mark.parametrize("runs", [6, 20, 100])
def test_what_lies_four_errors_away_is_decided(runs: int) -> None:
    rows = np.random.default_rng(runs).normal(5.0 / np.sqrt(runs), 1.0, (100, runs))
    found = [judged(row, seed) for seed, row in enumerate(rows)]
    assert found.count("holds") >= (80 if runs > 6 else 60)
    assert "fails" not in found


def test_fewer_runs_are_drawn_than_there_are() -> None:
    assert [runs_to_draw(runs) for runs in (2, 4, 10, 20, 1000)] == [2, 2, 7, 17, 997]


def test_so_many_times_the_runs_decide_in_nine_of_ten_cases() -> None:
    """Of cases that 20 runs leave undecided, those that go on as advised are decided by the same
    rule; fewer than the bound have a probability of 10^-4 if 90 % are."""
    [row] = claim_rows.advised_claims(6000, sizes=[20])
    assert row.cases > 200
    assert row.promise.low == 0.9
    assert row.is_kept


def test_the_further_from_the_edge_the_fewer_runs() -> None:
    needed = [runs_factor(share) for share in (0.5, 0.8, 0.9, 0.95, 0.975)]
    assert needed == sorted(needed, reverse=True)
    assert (needed[0], needed[-1]) == (300, 15)


def test_runs_of_one_seed_are_drawn_alike() -> None:
    document = {
        "profile": "zorzi",
        "tcp": {"variant": ["tahoe", "reno"], "window": 8},
        "channel": {"kind": "iid", "loss_rate": 0.05},
        "stop": {"slots": 300, "replications": 8},
    }
    result = at.simulate(document)
    drawn = Resample(3).draw_result(result)
    assert drawn.per_point == (runs_to_draw(8),) * 2
    before = result.to_pandas().pivot(
        index="replication", columns="tcp.variant", values="throughput"
    )
    after = drawn.to_pandas().pivot(index="replication", columns="tcp.variant", values="throughput")
    pairs = set(map(tuple, before.to_numpy()))
    assert set(map(tuple, after.to_numpy())) <= pairs
    other = at.simulate({**document, "tcp": {"variant": "newreno", "window": 8}})
    assert (Resample(3).drawn_indices(1, 8) == Resample(3).drawn_indices(1, 8)).all()
    assert Resample(3).draw_result(other).per_point == (runs_to_draw(8),)


def test_an_undecided_claim_says_how_many_runs_would_do() -> None:
    claim = Claim(
        name="a", text="A.", where="1", rule="r", verdict="fails", finding="F.", numbers={}
    )
    shared = {"fails": 0.6, "holds": 0.4}
    assert not is_verdict_stable(claim, shared)
    assert is_verdict_stable(claim, None)
    assert is_verdict_stable(claim, {"fails": 1.0})
    assert not is_verdict_stable(claim, {"fails": 0.975, "holds": 0.025})
    found = undecided_by_resampling(claim, shared)
    assert (found.verdict, found.resampled) == ("undecided", shared)
    said = "fails in 60 %, holds in 40 %; about 300 times the runs would decide in 9 of 10 cases"
    assert said in found.finding


@pytest.mark.parametrize(("runs", "verdict"), [(3, "undecided"), (5, "undecided"), (6, "holds")])
def test_few_runs_decide_no_claim(runs: int, verdict: str) -> None:
    """On the edge each verdict would be said in 4 % of five runs, in 13 % of three."""

    @statement(name="a", text="A.", where="1", rule="above 0", of="study")
    def is_above(study: PaperStudy) -> Judgement:
        values = study.values_by_run("a", lambda: {"a": np.linspace(1.0, 2.0, runs)})["a"]
        return Judgement("holds" if values.mean() > 0.0 else "fails", "F.", {})

    part = Part(lambda _: Reproduction(title="A", table=pd.DataFrame()), (is_above,))
    (claim,) = part.build(PaperStudy()).claims
    assert claim.verdict == verdict
    assert ("fewer than 6 do not tell" in claim.finding) == (runs < 6)


def test_quick_claims_are_provisional_and_what_is_unclear_is_undecided() -> None:
    """Reno's transfer time: -0.4 s (-54 to 54) against Tahoe failed before."""
    words = ["reproduce", "elaarag/table2-pairs", "--quick"]
    found = CliRunner().invoke(main, [*words, "--format", "json"])
    assert found.exit_code == 0, found.output
    data = json.loads(found.stdout)
    claims = {entry["name"]: entry for entry in data["claims"]}
    assert data["provisional"]
    assert claims["reno-transfer-time"]["verdict"] == "undecided"
    assert claims["reno-goodput"]["verdict"] == "holds"
    assert sum(claims["reno-transfer-time"]["resampled"].values()) == pytest.approx(1.0)
    assert claims["reno-transfer-time"]["finding"].endswith("decide in 9 of 10 cases.")

"""`tcp.growth` is now `tcp.congestion`: the old name is taken with a hint, and what an earlier
version wrote is read and resumed without one.

`stored` was written by versions that had the old name: `model7` by commit 0e2f860, `model8` by
c3887d75, the last one, whose runs are those of the present model.
"""

from __future__ import annotations

import json
import shutil
import warnings
from pathlib import Path
from typing import Any

import jsonschema
import pytest

import airtcp as at
from airtcp import spec
from airtcp.campaign.journal import open_journal
from airtcp.errors import InputError, RenamedKey
from airtcp.live.log import LiveLog
from schemas import documents
from test_hostile_text import call

STORED = Path(__file__).parent / "stored"
HOP = {"rate": "2Mbps", "delay": "10ms", "queue": 10}
CUBIC = {"kind": "cubic", "beta": [0.6, 0.7]}
HINT = "tcp.growth is now called tcp.congestion; use tcp.congestion"


def document(**tcp: Any) -> dict[str, Any]:
    loss = {"channel": {"kind": "iid", "loss_rate": 0.01}}
    return {
        "profile": "rfc",
        "tcp": {"variant": "sack"} | tcp,
        "path": {"hop": [HOP | loss]},
        "stop": {"time": "5s", "replications": 3},
    }


def of(scenario: at.Scenario) -> list[Any]:
    return [(point.hash, point.data["tcp"]["congestion"]) for point in scenario.points()]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (document(growth="cubic"), document(congestion="cubic")),
        (document(growth=["reno", CUBIC]), document(congestion=["reno", CUBIC])),
        (
            document() | {"flow": [{}, {"tcp": [{"growth": "cubic"}, {"growth": "veno"}]}]},
            document() | {"flow": [{}, {"tcp": [{"congestion": "cubic"}, {"congestion": "veno"}]}]},
        ),
        (
            document() | {"case": [{"tcp.growth": "cubic"}, {"tcp": {"growth": "veno"}}]},
            document() | {"case": [{"tcp.congestion": "cubic"}, {"tcp": {"congestion": "veno"}}]},
        ),
    ],
)
def test_scenarios_take_the_old_name_with_a_hint(old: Any, new: Any) -> None:
    with pytest.warns(RenamedKey, match="growth is now called"):
        made = at.Scenario.from_dict(old)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert made == at.Scenario.from_dict(new)
        assert at.Scenario.from_dict(made.to_dict()) == made
    assert of(made) == of(at.Scenario.from_dict(new))
    for given in (old, new):
        documents().validate(given)


def test_points_have_the_hash_that_they_had() -> None:
    """Of the version that wrote `stored`."""
    found = {name: at.Scenario.from_dict(document(congestion=name)) for name in ("reno", "cubic")}
    hashes = json.loads((STORED / "model7/hashes.json").read_text(encoding="utf-8"))
    assert {name: value.points()[0].hash for name, value in found.items()} == hashes["tcp"]
    flows = [{}, {"tcp": {"congestion": {"kind": "cubic", "beta": 0.5}}}]
    beside = at.Scenario.from_dict(document() | {"flow": flows})
    assert beside.points()[0].hash == hashes["flow"]


def test_classes_paths_and_advice_take_the_old_name() -> None:
    with pytest.warns(RenamedKey, match=HINT):
        made = at.Scenario(
            profile="rfc",
            tcp=spec.Tcp(variant="sack", growth="cubic"),
            path=spec.Path(hop=[spec.Hop(rate="2Mbps", delay="10ms")]),
        )
    assert isinstance(made.tcp, spec.RfcTcp)
    assert made.tcp.congestion == "cubic"
    with pytest.warns(RenamedKey, match=HINT):
        other = made.replace("tcp.growth", {"kind": "veno"})
    with pytest.warns(RenamedKey, match=r"tcp\.growth\.kind is now called tcp\.congestion\.kind"):
        other = other.replace("tcp.growth.kind", "vegas")
    assert of(other)[0][1] == "vegas"
    with pytest.warns(RenamedKey, match=HINT):
        advice = at.advise(document(), "goodput", {"tcp.growth": ["reno", "cubic"]}, most=3)
    assert list(advice.best) == ["tcp.congestion"]


def test_hints_point_at_the_line_that_says_the_old_name() -> None:
    made = at.Scenario.from_dict(document())
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        at.Scenario.from_dict(document(growth="cubic"))
        at.Scenario(**document(growth="cubic"))
        made.replace("tcp.growth", "veno")
        at.advise(document(), "goodput", {"tcp.growth": ["reno", "cubic"]}, most=3)
        assert made.tcp.growth is None
        at.simulate(made, precision=0.5, metric="loss_rate")  # now lost_share
    assert len({warning.lineno for warning in told}) == 6
    assert {warning.filename for warning in told} == {__file__}


def test_what_python_code_said_before_is_understood() -> None:
    with pytest.warns(RenamedKey, match=r"spec\.Growth is now called spec\.Congestion"):
        assert spec.Growth is spec.Congestion  # type: ignore[attr-defined]
    with pytest.raises(AttributeError, match="no attribute 'Growthh'"):
        _ = spec.Growthh  # type: ignore[attr-defined]


def test_what_is_no_document_is_refused_as_before() -> None:
    for nothing in (3, "x", []):
        with pytest.raises(InputError, match="a scenario must be a table of keys"):
            at.Scenario.from_dict(nothing)  # type: ignore[arg-type]


def test_both_names_at_once_are_refused() -> None:
    both = document(growth="cubic", congestion="reno")
    with pytest.raises(InputError, match=r'tcp\.growth: "growth" is now called "congestion"'):
        at.Scenario.from_dict(both)
    with pytest.raises(jsonschema.ValidationError):
        documents().validate(both)
    case = {"tcp.growth": "cubic", "tcp.congestion": "reno"}
    with pytest.raises(InputError, match=r'case\[0\]\.tcp\.growth: "growth" is now called'):
        at.Scenario.from_dict(document() | {"case": [case, {"tcp.congestion": "reno"}]})
    with (
        pytest.raises(InputError, match=r"tcp\.congestion is given twice"),
        pytest.warns(RenamedKey),
    ):
        at.Scenario.from_dict(document()).replace(case)


def test_commands_take_the_old_name_with_one_hint(tmp_path: Path) -> None:
    (tmp_path / "x.json").write_text(json.dumps(document(growth=["reno", "cubic"])))
    words = ["sweep", str(tmp_path / "x.json"), "--set", "tcp.growth=[reno, veno]"]
    done = call(*words, "--out", str(tmp_path / "out"))
    assert done.stderr.count(f"warning: {HINT}") == 1
    for asked in (
        ["--by", "growth"],
        ["--by", "tcp.growth"],
        ["--rank", "growth"],
        ["--where", "growth=veno"],
        ["--sql", 'SELECT DISTINCT "tcp.growth" FROM runs ORDER BY 1'],
    ):
        done = call("results", str(tmp_path / "out"), *asked)
        assert done.stderr.count("is now called") == 1, asked
        assert "veno" in done.stdout
    assert call("list", "growth").stderr.count("growth is now called congestion") == 1


@pytest.fixture
def stored(tmp_path: Path) -> Path:
    return Path(shutil.copytree(STORED, tmp_path / "stored"))


@pytest.mark.parametrize("model", ["model7", "model8"])
def test_a_folder_of_an_earlier_version_is_read(stored: Path, model: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = at.results(stored / model / "whole")
        assert not found.problems
        assert found.complete
        assert found.coordinates == ("tcp.variant", "tcp.congestion")
        table = found.summary("goodput_bps", by="congestion")
        assert table["tcp.congestion"].tolist() == ["reno", "cubic"]
        assert set(found.to_pandas()["tcp.congestion"]) == {"reno", "cubic"}
        assert len(found.query("SELECT * FROM runs WHERE \"tcp.congestion\" = 'cubic'")) == 3
    with pytest.warns(RenamedKey):
        again = found.summary("goodput_bps", by="growth")
    assert again["goodput_bps"].tolist() == table["goodput_bps"].tolist()


def test_a_metric_whose_counts_an_earlier_version_did_not_keep_is_refused_by_them(
    stored: Path,
) -> None:
    found = at.results(stored / "model7/whole")
    with pytest.raises(InputError, match="'lost_share': needs lost, which these runs"):
        found.summary("lost_share")
    assert "lost_share" in at.results(stored / "model8/whole").summary("lost_share")


@pytest.mark.parametrize(
    ("name", "before", "after"),
    [("model8/whole", 6, 6), ("model8/begun", 2, 6), ("model7/whole", 6, 12)],
)
def test_a_folder_of_an_earlier_version_is_resumed(
    stored: Path, name: str, before: int, after: int
) -> None:
    """No run of the present model is made twice; `begun` has one replication of three."""
    scenario = at.Scenario.from_dict(document(congestion=["reno", "cubic"]))
    assert _runs(stored / name) == before
    found = at.sweep(scenario, out=stored / name)
    assert found.complete
    passed_over = f"{stored / name}: runs of model 7 are not used; this version has model 8"
    assert [*found.problems] == ([passed_over] if "model7" in name else [])
    assert _runs(stored / name) == after
    fresh = at.simulate(scenario).to_pandas()
    columns = ["tcp.congestion", "replication", "sent", "acked", "goodput_bps"]
    assert found.to_pandas()[columns].equals(fresh[columns])


def _runs(folder: Path) -> int:
    with open_journal(folder / "runs.sqlite") as journal:
        return journal.tally.runs


def test_a_log_of_an_earlier_version_is_replayed(stored: Path) -> None:
    log = LiveLog(stored / "model7/log")
    assert log.meta["scenario"]["tcp"]["growth"] == "cubic"
    found = log.replay()
    assert (found.differing, found.packets > 100) == (0, True)

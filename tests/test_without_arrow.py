"""Features that work without pyarrow, which only the extras bring, and those that need it.

An environment without it is one in which its import fails: a process of its own.
"""

import json
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pytest

import airtcp as at
from airtcp.support.frame import uniform_values

ROOT = Path(__file__).parent.parent
SCENARIO = {
    "profile": "zorzi",
    "tcp": {"variant": ["reno", "newreno"], "window": [6, 24]},
    "channel": {"kind": "iid", "loss_rate": 0.02},
    "stop": {"slots": 2000, "replications": 5},
}
FIG5 = ROOT / "examples" / "fig5.toml"
INSTALL = "needs pyarrow: pip install pyarrow, or airtcp[arrow]"


def without_arrow(code: str, *arguments: object) -> str:
    """Output of `code` in a process that cannot import pyarrow."""
    head = "import sys; sys.modules['pyarrow'] = None; import json, airtcp as at\n"
    command = [sys.executable, "-c", head + code, *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


SWEEP = """
swept = at.sweep(json.loads(sys.argv[1]), sys.argv[2])
print(json.dumps([swept.problems, swept.complete, repr(swept), swept.summary().to_json()]))
"""


def test_a_sweep_is_whole_without_arrow_and_its_files_come_with_it(tmp_path: Path) -> None:
    folder = tmp_path / "out"
    said = json.loads(without_arrow(SWEEP, json.dumps(SCENARIO), folder))
    expected = at.sweep(SCENARIO, tmp_path / "arrow")
    assert said == [
        [],
        True,
        f"Results({folder}: 4 points, 20 runs, 20 rows, seed 1)",
        expected.summary().to_json(),
    ]
    assert not (folder / "data").exists()
    assert at.results(folder).runs.equals(expected.runs)  # from the journal
    again = at.sweep(SCENARIO, folder)
    assert again.problems == ()
    parts = [path.read_bytes() for path in sorted((folder / "data").iterdir())]
    assert parts == [path.read_bytes() for path in sorted((tmp_path / "arrow/data").iterdir())]


COMMAND = """
from airtcp.cli.main import main
sys.argv[0] = "airtcp"
main()
"""


def test_the_command_says_what_writes_the_files(tmp_path: Path) -> None:
    file, folder = tmp_path / "scenario.json", tmp_path / "out"
    file.write_text(json.dumps(SCENARIO))
    head = "import sys; sys.modules['pyarrow'] = None"
    call = [sys.executable, "-c", head + COMMAND, "sweep", str(file), "--out", str(folder)]
    done = subprocess.run(call, capture_output=True, text=True, check=True)
    assert done.stderr == (
        f"{folder}: no Parquet files, which {INSTALL.replace('needs', 'need')}; then the same"
        " command writes them\n"
    )


def test_a_sweep_with_files_is_read_without_arrow(tmp_path: Path) -> None:
    expected = at.sweep(SCENARIO, tmp_path)
    read = "print(at.results(sys.argv[1]).summary().to_json())"
    assert without_arrow(read, tmp_path).strip() == expected.summary().to_json()
    (tmp_path / "runs.sqlite").unlink()
    refused = """
try:
    at.results(sys.argv[1])
except at.InputError as error:
    print(error)
"""
    assert without_arrow(refused, tmp_path).strip() == f"{tmp_path}: its Parquet files: {INSTALL}"


def test_old_files_of_a_sweep_do_not_outlive_it(tmp_path: Path) -> None:
    at.sweep(SCENARIO, tmp_path)
    more = SCENARIO | {"stop": {"slots": 2000, "replications": 6}}
    without_arrow(SWEEP, json.dumps(more), tmp_path)
    assert not list((tmp_path / "data").iterdir())
    assert at.results(tmp_path).runs.num_rows == 24


def test_a_folder_without_its_journal_says_what_is_lost(tmp_path: Path) -> None:
    without_arrow(SWEEP, json.dumps(SCENARIO), tmp_path)
    (tmp_path / "runs.sqlite").unlink()
    found = at.results(tmp_path)
    assert not found.complete
    assert found.problems[0].startswith(f"{tmp_path}/runs.sqlite: is missing")
    assert found.problems[1:] == (
        f"{tmp_path}: 0 of 4 points have all their runs; the same command computes the"
        " others again",
    )


ASKED = """
def told(action):
    try:
        action()
    except at.InputError as error:
        return str(error)

runs, events = at.simulate(json.loads(sys.argv[1])), at.trace(sys.argv[2], point=0)
swept = at.sweep(json.loads(sys.argv[1]), sys.argv[3])
asked = [lambda: runs.runs, lambda: events.table, lambda: swept.runs, lambda: swept.dataset,
         lambda: swept.query("SELECT 1"), lambda: events.write(sys.argv[3] + "/x.parquet")]
print(json.dumps([told(one) for one in asked]))
"""


def test_what_needs_arrow_says_so(tmp_path: Path) -> None:
    said = json.loads(without_arrow(ASKED, json.dumps(SCENARIO), FIG5, tmp_path))
    who = ["runs", "table", "runs", "dataset", "dataset", ".parquet"]
    assert said == [f"{name}: {INSTALL}" for name in who]
    assert not (tmp_path / "x.parquet").exists()


def test_tables_of_pandas_are_those_of_arrow() -> None:
    runs = at.simulate(SCENARIO)
    pd.testing.assert_frame_equal(runs.to_pandas(), runs.runs.to_pandas(), check_exact=True)
    events = at.trace(FIG5, point=0)
    ours, arrows = events.to_pandas(), events.table.to_pandas()
    assert ours.dtypes.equals(arrows.dtypes)
    flat = [frame.drop(columns="sack") for frame in (ours, arrows)]
    pd.testing.assert_frame_equal(*flat, check_exact=True)


def test_blocks_of_pandas_are_those_of_arrow() -> None:
    hop = {"rate": "1.5Mbps", "delay": "40ms", "queue": 50, "drop": [[60, 1], [64, 1]]}
    document = {"profile": "ns2", "tcp": {"variant": "sack", "window": 24}, "path": {"hop": [hop]}}
    events = at.trace(document | {"stop": {"time": "6s", "replications": 1}})
    ours = [None if blocks is None else blocks.tolist() for blocks in events.to_pandas()["sack"]]
    assert ours == events.table["sack"].to_pylist()
    assert max(len(blocks) for blocks in ours if blocks is not None) == 2


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([1, 2, None], [1, 2, None]),
        ([1, 2.5], [1, 2.5]),
        ([True, None, False], [True, None, False]),
        (["a", None], ["a", None]),
        (["auto", 5, None], ["auto", "5", None]),
        ([True, 1], ["True", "1"]),
        ([2**63 - 1, -(2**63)], [2**63 - 1, -(2**63)]),
        ([2**63, 1], [str(2**63), "1"]),
        ([2**53, 0.5], [2**53, 0.5]),
        ([2**53 + 1, 0.5], [str(2**53 + 1), "0.5"]),
        ([None, None], [None, None]),
    ],
)
def test_a_column_is_of_one_kind(values: list[object], expected: list[object]) -> None:
    assert uniform_values(values) == expected
    assert pa.array(uniform_values(values)).to_pylist() == expected

"""Results read back: checked, selected, grouped, summarised, ranked, in the tables of others."""

import itertools
import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pandas
import pyarrow as pa
import pyarrow.dataset
import pytest
from scipy import stats as scipy_stats

import airtcp as at
import results_folder
from airtcp.errors import InputError
from results_folder import PATH, SLOTS, change_manifest, signed


@pytest.fixture(scope="module")
def slots(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("results") / "slots"
    results_folder.write(folder, SLOTS, parts=3)
    return folder


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("results") / "path"
    results_folder.write(folder, PATH, parts=2)
    return folder


def test_the_rows_are_those_that_were_simulated(tmp_path: Path) -> None:
    rows = results_folder.write(tmp_path / "r", SLOTS, parts=3)
    found = at.results(tmp_path / "r")
    assert found.problems == ()
    assert found.complete
    assert found.runs.equals(rows)
    assert found.dataset.to_table().equals(rows)
    assert found.to_pandas().equals(rows.to_pandas())
    assert found.scenario == at.Scenario.from_dict(SLOTS)


@pytest.mark.parametrize("document", [SLOTS, PATH], ids=["slot", "path"])
def test_the_summary_is_that_of_the_simulation(document: dict[str, Any], tmp_path: Path) -> None:
    results_folder.write(tmp_path / "r", document, parts=2)
    expected = at.simulate(document, jobs=1).summary().rename(columns={"replications": "n"})
    found = at.results(tmp_path / "r").summary()
    assert list(found.columns) == list(expected.columns)
    pandas.testing.assert_frame_equal(found, expected, check_dtype=False, rtol=1e-12)


def by_hand(table: pandas.DataFrame, keys: list[str], metric: str) -> list[tuple[float, ...]]:
    """Mean and interval over replications of the means within each, group by group."""
    found = []
    for _, part in table.groupby(keys, sort=False):
        values = part.groupby("replication")[metric].mean().to_numpy()
        half = scipy_stats.t.ppf(0.95, len(values) - 1) * values.std(ddof=1) / len(values) ** 0.5
        found.append((len(values), values.mean(), values.mean() - half, values.mean() + half))
    return found


@pytest.mark.parametrize(
    ("keys", "names"),
    [
        (["tcp.variant"], ["variant"]),
        (["flow"], ["flow"]),
        (["path.hop[0].delay", "flow"], ["hop[0].delay", "flow"]),
    ],
)
def test_pooled_points_give_a_value_per_replication(
    path: Path, keys: list[str], names: list[str]
) -> None:
    results = at.results(path)
    found = results.summary("throughput_pps", by=names, confidence=0.9)
    metric = [f"throughput_pps{part}" for part in ("", "_low", "_high")]
    assert list(found.columns) == [*keys, "n", metric[0], "throughput_pps_sd", *metric[1:]]
    expected = by_hand(results.to_pandas(), keys, "throughput_pps")
    expected = np.array(expected)
    expected[:, 2] = np.maximum(expected[:, 2], 0.0)  # no throughput is negative
    np.testing.assert_allclose(found[["n", *metric]], expected, rtol=1e-12)


def test_replications_that_not_all_points_have_are_left_out(slots: Path, tmp_path: Path) -> None:
    whole = at.results(slots)
    table = whole.to_pandas()
    cut = table[(table["tcp.window"] == 6) | (table["replication"] < 2)]
    rows = pa.Table.from_pandas(cut, preserve_index=False)
    results_folder.write_rows(tmp_path / "r", whole.scenario, rows)
    ragged = at.results(tmp_path / "r")
    by_window = ragged.summary("throughput", by="window")
    assert by_window["n"].tolist() == [4, 2]
    pooled = ragged.summary("throughput", by="variant")
    first_two = by_hand(table[table["replication"] < 2], ["tcp.variant"], "throughput")
    assert pooled["n"].tolist() == [2, 2]
    np.testing.assert_allclose(pooled["throughput"], [row[1] for row in first_two], rtol=1e-12)


def test_parts_of_runs_are_taken_together(slots: Path, tmp_path: Path) -> None:
    """Runs cut in two, by hand: each count of a run is the sum over both halves."""
    whole = at.results(slots)
    table = whole.to_pandas()
    halves = table.assign(replication=table["replication"] // 2, batch=table["replication"] % 2)
    rows = pa.Table.from_pandas(halves, preserve_index=False)
    results_folder.write_rows(tmp_path / "r", whole.scenario, rows)
    found = at.results(tmp_path / "r")
    keys = ["scenario", "replication"]
    sums = halves.groupby(keys, sort=False)[["deliveries", "slots"]].sum()
    expected = (sums["deliveries"] / sums["slots"]).groupby("scenario", sort=False).mean()
    given = found.summary("throughput")
    assert set(given["n"]) == {halves["replication"].nunique()}
    np.testing.assert_allclose(given["throughput"], expected, rtol=1e-12)
    assert found.to_xarray("throughput").sizes["batch"] == 2


def test_every_metric_and_count_can_be_asked_for(slots: Path) -> None:
    results = at.results(slots)
    table = results.summary([*results.metrics, "timeouts"], by="variant")
    runs = results.to_pandas()
    expected = runs.groupby("tcp.variant", sort=False)["timeouts"].mean()
    np.testing.assert_allclose(table["timeouts"], expected, rtol=1e-12)
    assert not table.isna().any(axis=None)


def test_metrics_of_packets_in_fragments_count_the_fragments(tmp_path: Path) -> None:
    """Asked for alone, none of them in bits; where the files have the counts only."""
    arq = {"fragments": 4, "attempts": 4}
    document = SLOTS | {"link": {"arq": arq}} | {"tcp": {"variant": "tahoe", "timeout": 400}}
    result = at.simulate(document, jobs=1)
    counts = result.runs.drop_columns(["in_order_throughput"])
    results_folder.write_rows(tmp_path / "r", result.scenario, counts)
    found = at.results(tmp_path / "r").summary("in_order_throughput")
    rows = counts.to_pandas()
    rows["share"] = 4 * rows["in_order"] / rows["slots"]
    expected = rows.groupby("scenario", sort=False)["share"].mean()
    assert (expected > 0.5).any()
    assert found["in_order_throughput"].tolist() == pytest.approx(expected.tolist(), rel=1e-12)


def test_a_median_lies_between_order_statistics() -> None:
    from airtcp.reading.summaries import grouped_medians

    rng = np.random.default_rng(7)
    sizes = np.array([1, 5, 6, 20, 33])
    values = [rng.exponential(size=size) for size in sizes]
    groups = np.repeat(np.arange(5), sizes)
    found = grouped_medians(np.concatenate(values), groups, 0.95)
    np.testing.assert_allclose(found["median"], [np.median(value) for value in values])
    assert np.isnan(found["low"][:2]).all()  # 5 values: 2 / 2^5 is more than 5 %
    for low, high, sample in zip(found["low"][2:], found["high"][2:], values[2:], strict=True):
        n = len(sample)
        inside = ((sample > low) & (sample < high)).sum()
        k = (n - inside) // 2
        assert (sample < low).sum() == (sample > high).sum() == k - 1
        assert 1.0 - 2.0 * scipy_stats.binom.cdf(k - 1, n, 0.5) >= 0.95
        assert 1.0 - 2.0 * scipy_stats.binom.cdf(k, n, 0.5) < 0.95


def test_the_interval_of_a_median_covers_it() -> None:
    from airtcp.reading.summaries import grouped_medians

    repetitions, n = 2000, 15
    values = np.random.default_rng(1).exponential(size=repetitions * n)
    found = grouped_medians(values, np.repeat(np.arange(repetitions), n), 0.95)
    covered = ((found["low"] < math.log(2.0)) & (math.log(2.0) < found["high"])).sum()
    exact = 1.0 - 2.0 * scipy_stats.binom.cdf(3, n, 0.5)  # 96.5 %
    low, high = scipy_stats.binom.interval(0.99, repetitions, exact)
    assert low <= covered <= high


def test_a_run_that_did_not_end_makes_the_mean_unknown_and_is_longest_for_the_median(
    tmp_path: Path,
) -> None:
    document = PATH | {"flow": [{"milestone": 60}], "stop": {"time": "1s", "replications": 4}}
    runs = results_folder.write(tmp_path / "r", document).to_pandas()
    results = at.results(tmp_path / "r")
    expected = runs.groupby(["tcp.variant", "path.hop[0].delay"], sort=False)["transfer_time"]
    unknown = expected.apply(lambda times: times.isna().any()).tolist()
    assert {True, False} == set(unknown)
    assert results.summary("transfer_time")["transfer_time"].isna().tolist() == unknown
    found = results.summary("transfer_time", estimate="median")["transfer_time"]
    none = expected.apply(lambda times: times.isna().all())
    longest = expected.apply(lambda times: times.fillna(np.inf).median()).where(~none)
    np.testing.assert_array_equal(found, longest)


# where


@pytest.mark.parametrize(
    ("where", "rows"),
    [
        ({"variant": "reno"}, 6),
        ({"tcp.variant": ["reno", "sack"]}, 12),
        ({"delay": "0.01s"}, 4),
        ({"delay": ["200ms", "10ms"], "variant": "sack"}, 4),
        ({"flow": 1}, 6),
        ({"flow": "1", "variant": ("sack",)}, 3),
    ],
)
def test_where_leaves_what_it_names(path: Path, where: dict[str, Any], rows: int) -> None:
    assert len(at.results(path).summary("sent", where=where)) == rows


def test_numbers_can_be_named_by_texts(slots: Path) -> None:
    results = at.results(slots)
    first = results.summary("throughput", where={"loss_rate": "0.1"})
    second = results.summary("throughput", where={"loss_rate": 0.1})
    pandas.testing.assert_frame_equal(first, second)
    assert set(first["channel.loss_rate"]) == {0.1}
    assert results.varying({"loss_rate": 0.1}) == ["tcp.variant", "tcp.window"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"metrics": "troughput"}, "metric = 'troughput': must be one of .*did you mean 'through"),
        ({"by": "varient"}, r"by = 'varient': .*did you mean 'tcp.variant'\?"),
        ({"by": 3}, "by = 3: must be one of"),
        ({"by": ["variant", None]}, "by = None: must be one of"),
        ({"where": {"windo": 6}}, r"where = 'windo': .*did you mean 'tcp.window'\?"),
        ({"where": {"window": 7}}, r"where tcp.window = 7: must be one of 6, 12 \(did you mean 6"),
        ({"where": {"variant": "newren"}}, r"'newren': must be one of .*did you mean newreno\?"),
        ({"where": {"window": []}}, "where tcp.window = .*: must be a value"),
        ({"where": "window"}, "where = 'window': must be a table"),
        ({"estimate": "mode"}, "estimate = 'mode': must be one of mean, median"),
        ({"confidence": 95}, "confidence = 95: must be a probability"),
    ],
)
def test_what_is_unknown_is_refused(slots: Path, options: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        at.results(slots).summary(**({"metrics": "throughput"} | options))


def test_a_short_name_that_means_several_is_refused(tmp_path: Path) -> None:
    hop = {"rate": "1Mbps", "delay": ["10ms", "20ms"]}
    document = PATH | {"path": {"hop": [hop, hop]}, "tcp": {"variant": "reno"}}
    results_folder.write(tmp_path / "r", document)
    results = at.results(tmp_path / "r")
    with pytest.raises(InputError, match=r"must be one of path.hop\[0\].delay, path.hop\[1\].de"):
        results.summary("sent", by="delay")
    assert len(results.summary("sent", by="hop[1].delay")) == 2


def test_where_that_leaves_nothing_is_refused(tmp_path: Path) -> None:
    channels = [{"kind": "iid", "loss_rate": 0.1}, {"kind": "burst", "loss_rate": 0.2}]
    channels[1]["mean_burst"] = 2.0
    document = SLOTS | {"tcp": {"variant": "reno"}, "channel": channels}
    results_folder.write(tmp_path / "r", document)
    results = at.results(tmp_path / "r")
    with pytest.raises(InputError, match="no point matches all of these"):
        results.summary(where={"channel.kind": "iid", "loss_rate": 0.2})
    assert results.summary(where={"mean_burst": "-"})["channel.kind"].tolist() == ["iid"]


# rank


def test_a_ranking_is_that_of_the_statistics(slots: Path) -> None:
    from airtcp.stats import rank

    results = at.results(slots)
    found = results.rank("throughput", by="variant", where={"window": 12})
    assert found["channel.loss_rate"].tolist() == [0.01, 0.01, 0.1, 0.1]
    runs = results.to_pandas()
    for loss_rate, part in found.groupby("channel.loss_rate"):
        here = runs[(runs["tcp.window"] == 12) & (runs["channel.loss_rate"] == loss_rate)]
        rows = [here[here["tcp.variant"] == v]["throughput"] for v in ("tahoe", "newreno")]
        expected = rank(rows, ["tahoe", "newreno"])
        assert part["tcp.variant"].tolist() == list(expected.names)
        assert part["rank"].tolist() == [1, 2]
        np.testing.assert_allclose(part["mean"], expected.mean)
        np.testing.assert_allclose(part["low"], expected.low)
        np.testing.assert_allclose(part["behind"], [0.0, expected.difference[0]])
        np.testing.assert_allclose(part["p"], [np.nan, expected.adjusted[0]])
        assert part["best"].tolist() == list(expected.best)


def test_less_is_better_where_it_is(slots: Path) -> None:
    results = at.results(slots)
    usual = results.rank("transmissions_per_delivery")
    assert (usual.groupby(["tcp.window", "channel.loss_rate"])["mean"].diff().dropna() >= 0).all()
    pandas.testing.assert_frame_equal(
        usual, results.rank("transmissions_per_delivery", better="low")
    )
    turned = results.rank("transmissions_per_delivery", better="high")
    assert turned["mean"].tolist() != usual["mean"].tolist()


def test_a_correction_over_all_points_is_stricter(slots: Path) -> None:
    results = at.results(slots)
    alone, together = (results.rank(families=name)["p"].dropna() for name in ("point", "all"))
    assert (together >= alone).all()
    assert (together > alone).any()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"where": {"variant": "tahoe"}}, "by = 'tcp.variant': must be a key with the same values"),
        ({"better": "higher"}, "better = 'higher': must be one of high, low"),
        ({"by": "tcp.congestion"}, "by = 'tcp.congestion': must be one of"),
    ],
)
def test_what_cannot_be_ranked_is_refused(
    slots: Path, options: dict[str, Any], message: str
) -> None:
    with pytest.raises(InputError, match=message):
        at.results(slots).rank(**options)


def test_unknown_values_are_not_ranked(tmp_path: Path) -> None:
    document = PATH | {"flow": [{"milestone": 10_000}]}
    results_folder.write(tmp_path / "r", document)
    with pytest.raises(InputError, match=r"at path.hop\[0\].delay = 10ms: 3 of 3 runs have none"):
        at.results(tmp_path / "r").rank("transfer_time")


# Other libraries


def test_xarray_has_a_dimension_for_what_varies(slots: Path) -> None:
    pytest.importorskip("xarray")
    results = at.results(slots)
    cube = results.to_xarray("throughput")
    assert cube.dims == ("tcp.variant", "tcp.window", "channel.loss_rate", "replication")
    assert cube.shape == (2, 2, 2, 4)
    assert cube.attrs["seed"] == 1
    assert cube.coords["channel.kind"] == "iid"
    rows = results.to_pandas()
    for row in rows.to_dict("records"):
        names = ("tcp.variant", "tcp.window", "channel.loss_rate", "replication")
        assert float(cube.sel({name: row[name] for name in names})) == row["throughput"]


def test_xarray_has_no_value_where_there_is_no_run(slots: Path, tmp_path: Path) -> None:
    pytest.importorskip("xarray")
    whole = at.results(slots)
    rows = whole.runs.slice(0, whole.runs.num_rows - 3)
    results_folder.write_rows(tmp_path / "r", whole.scenario, rows)
    cube = at.results(tmp_path / "r").to_xarray("throughput")
    assert int(cube.isnull().sum()) == 3


def test_flows_are_a_dimension(path: Path) -> None:
    pytest.importorskip("xarray")
    cube = at.results(path).to_xarray("goodput_bps")
    assert cube.dims == ("tcp.variant", "path.hop[0].delay", "replication", "flow")
    assert not cube.isnull().any()


def test_points_that_form_no_grid_are_refused(tmp_path: Path) -> None:
    pytest.importorskip("xarray")
    scenario = at.Scenario.from_dict(SLOTS)
    rows = at.simulate(scenario, replications=1, jobs=1).runs.slice(0, 1).to_pandas()
    table = pandas.concat([rows] * 40, ignore_index=True)
    for name in ("tcp.window", "channel.loss_rate", "replication"):
        table[name] = range(40)
    table["scenario"] = [f"{i:016x}" for i in range(40)]
    diagonal = pa.Table.from_pandas(table, preserve_index=False)
    results_folder.write_rows(tmp_path / "r", scenario, diagonal)
    with pytest.raises(InputError, match="the coordinates form no grid: 40 values in 64 000 cells"):
        at.results(tmp_path / "r").to_xarray("throughput")


def test_polars_holds_the_same(slots: Path) -> None:
    pytest.importorskip("polars")
    results = at.results(slots)
    assert results.to_polars().rows() == [tuple(row.values()) for row in results.runs.to_pylist()]


def test_duckdb_answers(slots: Path) -> None:
    pytest.importorskip("duckdb")
    results = at.results(slots)
    query = 'SELECT "tcp.variant" AS v, avg(throughput) AS m FROM runs GROUP BY v ORDER BY v'
    found = results.query(query)
    expected = results.to_pandas().groupby("tcp.variant")["throughput"].mean()
    assert found["v"].tolist() == ["newreno", "tahoe"]
    np.testing.assert_allclose(found["m"], expected.loc[["newreno", "tahoe"]], rtol=1e-12)


@pytest.mark.parametrize(
    ("sql", "message"),
    [
        ("SELECT thruput FROM runs", 'sql: .*"thruput" not found'),
        ("SELEC", "sql: .*syntax error"),
        ("", "sql: the query returns no table"),
        (None, "sql = None: must be a text"),
    ],
)
def test_queries_that_fail_are_one_line(slots: Path, sql: Any, message: str) -> None:
    pytest.importorskip("duckdb")
    with pytest.raises(InputError, match=message) as caught:
        at.results(slots).query(sql)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("call", "module"),
    [
        (lambda results: results.to_polars(), "polars"),
        (lambda results: results.to_xarray("throughput"), "xarray"),
        (lambda results: results.query("SELECT 1"), "duckdb"),
    ],
)
def test_a_library_that_is_missing_is_named(
    slots: Path, call: Any, module: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(__import__("sys").modules, module, None)
    with pytest.raises(InputError, match=f"needs {module}: pip install {module}"):
        call(at.results(slots))


# Errors in a folder


def copied(source: Path, target: Path) -> Path:
    import shutil

    return Path(shutil.copytree(source, target))


def test_a_damaged_file_is_named_and_skipped(slots: Path, tmp_path: Path) -> None:
    folder = copied(slots, tmp_path / "r")
    file = folder / "data/part-00001.parquet"
    content = bytearray(file.read_bytes())
    content[len(content) // 2] ^= 1
    file.write_bytes(content)
    found = at.results(folder)
    assert found.problems == (f"{file}: damaged (its SHA-256 is not the manifest's); skipped",)
    assert not found.complete
    whole = at.results(slots).runs
    rest = pa.concat_tables([whole.slice(0, 11), whole.slice(22)])
    assert found.runs.equals(rest.combine_chunks())
    assert found.summary("throughput")["n"].sum() == 21


def test_a_missing_file_is_named(slots: Path, tmp_path: Path) -> None:
    folder = copied(slots, tmp_path / "r")
    (folder / "data/part-00002.parquet").unlink()
    found = at.results(folder)
    file = folder / "data/part-00002.parquet"
    assert found.problems == (f"{file}: missing, 10 rows are not there",)
    assert "1 problem" in repr(found)


def test_foreign_files_are_named_and_not_used(slots: Path, tmp_path: Path) -> None:
    folder = copied(slots, tmp_path / "r")
    (folder / "data/notes.txt").write_text("mine")
    (folder / "data/old").mkdir()
    part = (folder / "data/part-00000.parquet").read_bytes()
    (folder / "data/part-00009.parquet").write_bytes(part)
    found = at.results(folder)
    assert found.problems == (
        f"{folder}/data/notes.txt: not Parquet and not in the manifest; skipped",
        f"{folder}/data/old: not Parquet and not in the manifest; skipped",
        f"{folder}/data/part-00009.parquet: not in the manifest; skipped",
    )
    assert found.complete
    assert found.runs.equals(at.results(slots).runs)


def test_nothing_but_damaged_files(slots: Path, tmp_path: Path) -> None:
    folder = copied(slots, tmp_path / "r")
    for file in (folder / "data").iterdir():
        file.write_bytes(b"PAR1")
    found = at.results(folder)
    assert len(found.problems) == 3
    with pytest.raises(InputError, match="no rows: "):
        found.summary()


def test_a_file_that_is_no_parquet_though_the_manifest_says_so(slots: Path, tmp_path: Path) -> None:
    import hashlib

    folder = copied(slots, tmp_path / "r")
    (folder / "data/part-00001.parquet").write_bytes(b"no table")
    digest = hashlib.sha256(b"no table").hexdigest()
    files = json.loads((folder / "manifest.json").read_text())["files"]
    files[1]["sha256"] = digest
    change_manifest(folder, files=files)
    with pytest.raises(InputError, match=r"part-00001.parquet: cannot be read: "):
        at.results(folder).summary()


def test_folders_that_hold_no_results(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"has no results: manifest.json is missing"):
        at.results(tmp_path)
    (tmp_path / "x.toml").touch()
    with pytest.raises(InputError, match=r"x.toml: is a file; give the folder of a sweep"):
        at.results(tmp_path / "x.toml")
    with pytest.raises(InputError, match=r"nowhere: no such folder"):
        at.results(tmp_path / "nowhere")
    (tmp_path / "manifest.json").write_text('{"format": 1')
    with pytest.raises(InputError, match=r"manifest.json: is not JSON"):
        at.results(tmp_path)
    for given in (None, "", 3):
        with pytest.raises(InputError, match=r"folder = .*: must be the name of a folder"):
            at.results(given)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"format": 2}, "format = 2: must be 1 here"),
        ({"family": "air"}, "family = 'air': must be slot or path"),
        ({"complete": "yes"}, "complete = 'yes': must be true or false"),
        ({"points": -1}, "points = -1: must be a whole number"),
        ({"coordinates": "tcp"}, "coordinates = 'tcp': must be a list of names"),
        ({"files": {}}, "files = {}: must be a list"),
        ({"pionts": 3}, "'pionts': unknown key"),
        ({"files": [3]}, r"files\[0\].name = None: must be data/NAME.parquet"),
        ({"files": [{"name": "../x.parquet"}]}, r"files\[0\].name = '../x.parquet': must be data"),
        ({"files": [{"name": "data/x.parquet", "rows": 1, "sha256": "?"}]}, "must be 64 hex"),
    ],
)
def test_manifests_that_say_something_wrong(
    slots: Path, tmp_path: Path, changes: dict[str, Any], message: str
) -> None:
    folder = copied(slots, tmp_path / "r")
    change_manifest(folder, **changes)
    with pytest.raises(InputError, match=message):
        at.results(folder)


def test_a_manifest_that_is_not_whole(slots: Path, tmp_path: Path) -> None:
    folder = copied(slots, tmp_path / "r")
    change_manifest(folder, "family")
    with pytest.raises(InputError, match=r"manifest.json: family is missing: must be slot or path"):
        at.results(folder)
    (folder / "manifest.json").write_text("[]")
    with pytest.raises(InputError, match=r"manifest.json: \[\] must be a table of keys"):
        at.results(folder)


def test_a_manifest_with_other_columns_than_the_files(slots: Path, tmp_path: Path) -> None:
    folder = copied(slots, tmp_path / "r")
    change_manifest(folder, coordinates=["tcp.variant", "tcp.dupacks"])
    with pytest.raises(InputError, match=r"column tcp.dupacks: is in the manifest, but not"):
        at.results(folder).summary()


# A sweep that has not ended


def begun(folder: Path, replications: int) -> at.Scenario:
    """A sweep that was killed after so many replications of every point."""
    scenario = at.Scenario.from_dict(SLOTS)
    folder.mkdir()
    results_folder.write(folder / "whole", SLOTS)
    manifest = json.loads((folder / "whole/manifest.json").read_text())
    manifest |= {"complete": False, "files": [], "runs": 0, "rows": 0}
    (folder / "manifest.json").write_text(json.dumps(signed(manifest)))
    if replications:
        at.simulate(scenario, replications=replications, jobs=1, journal=folder / "runs.sqlite")
    return scenario


def test_the_finished_runs_of_a_sweep_that_has_not_ended(tmp_path: Path) -> None:
    scenario = begun(tmp_path / "r", 2)
    one_more = scenario.replace({"tcp.window": 6, "channel.loss_rate": 0.1})
    at.simulate(one_more, replications=4, jobs=1, journal=tmp_path / "r/runs.sqlite")
    found = at.results(tmp_path / "r")
    assert not found.complete
    assert found.points_done == 2
    assert "unfinished: 2 of 8 points" in repr(found)
    table = found.summary("throughput")
    assert sorted(table["n"]) == [2] * 6 + [4] * 2
    expected = at.simulate(scenario, replications=2, jobs=1).runs
    two = found.dataset.to_table(filter=pyarrow.dataset.field("replication") < 2)
    assert two.equals(expected.replace_schema_metadata(None))


def test_a_sweep_that_has_hardly_begun(tmp_path: Path) -> None:
    begun(tmp_path / "r", 0)
    found = at.results(tmp_path / "r")
    assert found.points_done == 0
    assert found.runs.num_rows == 0
    with pytest.raises(InputError, match="no rows: no run is finished"):
        found.summary()
    assert not (tmp_path / "r/runs.sqlite").exists()  # reading makes no journal
    with at_journal(tmp_path / "r"):
        pass
    with pytest.raises(InputError, match="no rows: no run is finished"):
        at.results(tmp_path / "r").summary()


def at_journal(folder: Path) -> Any:
    from airtcp.campaign.journal import open_journal

    return open_journal(folder / "runs.sqlite")


def test_a_sweep_to_a_precision_that_has_not_ended(tmp_path: Path) -> None:
    begun(tmp_path / "r", 40)
    precision = {"relative": 0.1, "confidence": 0.95, "least": 10, "most": 1000}
    change_manifest(
        tmp_path / "r", replications=None, precision=precision | {"metric": "throughput"}
    )
    found = at.results(tmp_path / "r")
    table = found.summary("throughput")
    precise = (table["throughput_high"] - table["throughput"]) / table["throughput"] < 0.1
    assert 0 < found.points_done <= precise.sum() < 8
    assert set(table["n"]) == {20, 40}  # where 20 are enough, the others are not used
    change_manifest(tmp_path / "r", precision={"relative": 0.2})
    with pytest.raises(InputError, match=r"precision of the manifest: metric is missing"):
        at.results(tmp_path / "r")
    change_manifest(tmp_path / "r", precision=precision | {"metric": 3})
    with pytest.raises(InputError, match=r"precision of the manifest: metric = 3: must be a name"):
        at.results(tmp_path / "r")


def test_runs_of_another_version_are_not_shown(tmp_path: Path) -> None:
    begun(tmp_path / "r", 2)
    change_manifest(tmp_path / "r", model=1)
    found = at.results(tmp_path / "r")
    (problem,) = found.problems
    assert "runs of model 1 are not shown; this version has model" in problem
    assert problem.endswith("and computes them again")
    assert found.runs.num_rows == 0


def test_a_sweep_is_read_back(tmp_path: Path) -> None:
    found = at.sweep(PATH, tmp_path / "r", jobs=1)
    expected = at.simulate(PATH, jobs=1).runs.replace_schema_metadata(None)
    assert found.problems == ()
    read = at.results(tmp_path / "r").to_pandas()  # NaN equals NaN there
    pandas.testing.assert_frame_equal(read, expected.to_pandas(), check_exact=True)


def test_how_much_there_is(slots: Path, path: Path) -> None:
    assert repr(at.results(slots)) == f"Results({slots}: 8 points, 32 runs, 32 rows, seed 1)"
    assert repr(at.results(path)) == f"Results({path}: 6 points, 18 runs, 36 rows, seed 1)"
    html = at.results(slots)._repr_html_()
    assert "<table" in html
    assert "throughput_low" in html


def test_the_order_of_rows_does_not_matter(path: Path, tmp_path: Path) -> None:
    whole = at.results(path)
    places = list(range(whole.runs.num_rows))
    mixed = [
        place for pair in itertools.zip_longest(places[::2], places[1::2][::-1]) for place in pair
    ]
    results_folder.write_rows(tmp_path / "r", whole.scenario, whole.runs.take(mixed))
    found = at.results(tmp_path / "r").summary()
    keys = ["tcp.variant", "path.hop[0].delay", "flow"]
    expected = whole.summary()
    order = [found.sort_values(keys), expected.sort_values(keys)]
    first, second = (table.reset_index(drop=True) for table in order)
    pandas.testing.assert_frame_equal(first, second, rtol=1e-12)


@pytest.mark.parametrize(("replications", "n"), [(1, 5), (2, 2), (3, 3)])
def test_parts_are_values_of_a_single_run_only(tmp_path: Path, replications: int, n: int) -> None:
    stop = {"slots": 5000, "warmup": 100, "batches": 5, "replications": replications}
    document = SLOTS | {"stop": stop}
    found = at.sweep(document, tmp_path / "r", jobs=1).summary()
    assert set(found.pop("n")) == {n}
    expected = at.simulate(document, jobs=1).summary()
    pandas.testing.assert_frame_equal(found, expected[list(found.columns)], rtol=1e-12)


def test_neighbouring_parts_of_one_run_are_tested(tmp_path: Path) -> None:
    """Parts of 20 slots on a channel with bursts of 200 are correlated, parts of 5000 are not."""
    channel = {"kind": "burst", "loss_rate": 0.3, "mean_burst": 200.0}
    said = []
    for slots, batches in ((4000, 200), (100_000, 20)):
        stop = {"slots": slots, "batches": batches, "replications": 1}
        document = SLOTS | {"stop": stop, "channel": channel, "tcp": {"variant": "reno"}}
        there = at.sweep(document, tmp_path / str(batches), jobs=1)
        text = there.neighbours("throughput")
        assert at.simulate(document).neighbours("throughput") == text
        said.append(text)
    assert "parts are correlated (von Neumann's test, p = " in said[0]
    assert said[1].startswith("Von Neumann's test finds no correlation")


def test_a_point_without_chance_is_exact_with_parts_beside_several_runs(tmp_path: Path) -> None:
    hop = {"rate": "2Mbps", "delay": "20ms", "queue": 20}
    channel = {"kind": "iid", "loss_rate": [0.0, 0.01]}
    document = {
        "profile": "rfc",
        "tcp": {"variant": "sack"},
        "path": {"hop": [hop | {"channel": channel}]},
        "stop": {"time": "10s", "batches": 5, "replications": 3},
    }
    simulated = at.simulate(document).summary()
    there = at.sweep(document, tmp_path).summary(["goodput_bps"])
    for name in ("goodput_bps", "goodput_bps_sd", "goodput_bps_low", "exact"):
        assert simulated[name].tolist() == pytest.approx(there[name].tolist())
    assert simulated["exact"].tolist() == [True, False]
    assert simulated["goodput_bps_sd"][0] == 0.0
    assert there["n"].tolist() == [1, 3]


def test_runs_are_no_neighbours() -> None:
    stop = {"slots": 2000, "replications": 12}
    assert at.simulate(SLOTS | {"stop": stop}).neighbours("throughput") == ""


def test_a_manifest_that_was_changed_by_hand(slots: Path, tmp_path: Path) -> None:
    folder = copied(slots, tmp_path / "copy")
    path = folder / "manifest.json"
    path.write_text(path.read_text().replace('"seed": 1', '"seed": 2'))
    with pytest.raises(InputError, match=r"manifest.json: was changed after it was written; "):
        at.results(folder)


def test_numbers_are_found_as_tables_show_them(tmp_path: Path) -> None:
    document = SLOTS | {"channel": {"kind": "iid", "loss_rate": [0.0029999999999999996, 0.1]}}
    results_folder.write(tmp_path, document)
    found = at.results(tmp_path).summary("throughput", where={"loss_rate": 0.003})
    assert found["channel.loss_rate"].unique().tolist() == [0.0029999999999999996]
    with pytest.raises(InputError, match=r"where channel\.loss_rate = 0\.0031"):
        at.results(tmp_path).summary("throughput", where={"loss_rate": 0.0031})

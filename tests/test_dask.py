"""Sweeps on Dask: the same dataset as with threads, whatever dies."""

from __future__ import annotations

import os
import signal
import sqlite3
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

import airtcp as at
from airtcp.campaign.executor import Executor, FinishedRun, Task, ThreadExecutor
from airtcp.cli.main import main
from airtcp.errors import ClusterError, InputError
from airtcp.simulation.executors import executor_of
from hung import HUNG

pytest.importorskip("distributed", reason="the extra dask is not installed")

import psutil
from distributed import Client, LocalCluster

from airtcp.cluster import connection as _cluster
from airtcp.cluster import executor as _dask

EXAMPLE = Path(__file__).parent.parent / "examples/window.toml"
SCENARIO = {
    "profile": "zorzi",
    "tcp": {"variant": ["reno", "newreno"], "window": [4, 8]},
    "channel": {"kind": "iid", "loss_rate": [0.02, 0.1]},
    "stop": {"slots": 2000, "replications": 12},
}


@pytest.fixture(scope="module")
def cluster() -> Iterator[LocalCluster]:
    with LocalCluster(
        n_workers=2, threads_per_worker=1, dashboard_address="127.0.0.1:0"
    ) as started:
        yield started


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    folder = tmp_path_factory.mktemp("local")
    at.sweep(SCENARIO, folder, jobs=1)
    return dataset(folder)


def dataset(folder: Path) -> dict[str, bytes]:
    files = [folder / "manifest.json", *folder.glob("data/*")]
    return {str(file.relative_to(folder)): file.read_bytes() for file in files}


def name_of(cluster: LocalCluster) -> str:
    return f"dask:{cluster.scheduler_address}"


def test_a_cluster_gives_the_dataset_of_threads(
    cluster: LocalCluster, expected: dict[str, bytes], tmp_path: Path
) -> None:
    at.sweep(SCENARIO, tmp_path, executor=name_of(cluster))
    assert dataset(tmp_path) == expected


def test_a_worker_that_is_killed_loses_nothing(
    cluster: LocalCluster,
    expected: dict[str, bytes],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    victims: list[int] = []

    class Killing(_dask.DaskExecutor):
        def wait(self) -> list[FinishedRun]:
            if not victims:  # packs are under way
                victims.append(min(self._client.run(os.getpid).values()))
                os.kill(victims[0], signal.SIGKILL)
            return super().wait()

    monkeypatch.setattr(_dask, "DaskExecutor", Killing)
    at.sweep(SCENARIO, tmp_path, executor=name_of(cluster))
    assert dataset(tmp_path) == expected
    with Client(cluster, set_as_default=False) as client:
        client.wait_for_workers(2, timeout=HUNG)  # another has come in its place
        assert victims[0] not in client.run(os.getpid).values()


def tasks(n: int, slots: int = 2000) -> list[Task]:
    point = at.Scenario.from_dict({**SCENARIO, "stop": {"slots": slots}}).points()[0]
    return [Task(7, point.json, 1, replication) for replication in range(n)]


def drained(executor: Executor) -> list[FinishedRun]:
    found: list[FinishedRun] = []
    while more := executor.wait():
        found += more
    return found


def test_a_pack_that_takes_long_is_sent_on(
    cluster: LocalCluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_dask, "_PACK_LIMIT_SECONDS", 0.0)  # each pack ends after its first run
    monkeypatch.setattr(_dask.DaskExecutor, "_pack_size", lambda self: 4)
    executor = executor_of(name_of(cluster), 1)
    try:
        executor.submit(tasks(9))
        found = drained(executor)
    finally:
        executor.close()
    local = ThreadExecutor(1)
    local.submit(tasks(9))
    assert sorted(found) == sorted(drained(local))
    local.close()


def test_a_pack_that_kills_its_workers_is_given_up(
    cluster: LocalCluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    def killed(self: object, futures: dict[str, object]) -> dict[str, None]:
        return dict.fromkeys(futures)

    monkeypatch.setattr(_dask.DaskExecutor, "_gather_answers", killed)
    executor = executor_of(name_of(cluster), 1)
    try:
        executor.submit(tasks(1))
        with pytest.raises(
            ClusterError, match="a pack of 1 run was sent, 3 times; finished runs are kept"
        ):
            executor.wait()
    finally:
        executor.close()


def test_what_was_finished_comes_with_close(cluster: LocalCluster) -> None:
    executor = executor_of(name_of(cluster), 1)
    assert isinstance(executor, _dask.DaskExecutor)
    executor.submit(tasks(3))
    for pack in executor._packs.values():
        pack.future.result(timeout=HUNG)
    assert sorted(task.replication for task in executor.close()) == [0, 1, 2]
    assert executor.close() == []


def test_a_run_that_is_refused_is_refused_as_by_threads(
    cluster: LocalCluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_dask.DaskExecutor, "_pack_size", lambda self: 3)
    sound = tasks(2)
    bad = sound[0]._replace(json=sound[0].json.replace('"timeout":100', '"timeout":1'))
    with closing(ThreadExecutor(1)) as threads, pytest.raises(InputError) as by_threads:
        threads.submit([bad])
    with closing(executor_of(name_of(cluster), 1)) as workers:
        workers.submit([*sound, bad])
        assert len(workers.wait()) == 2  # finished runs are keptished before it is not lost
        with pytest.raises(InputError) as by_workers:
            workers.wait()
    assert str(by_workers.value) == str(by_threads.value)


def test_another_version_on_the_workers_is_named(
    cluster: LocalCluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    version, model = _dask.VERSIONS
    monkeypatch.setattr(_dask, "VERSIONS", (version, model + 1))
    with pytest.raises(InputError) as caught:
        at.sweep(SCENARIO, tmp_path, executor=name_of(cluster))
    assert f"a worker runs airtcp {version} with model {model}; install" in str(caught.value)
    assert f"with model {model + 1}, as on this machine" in str(caught.value)


def test_processes_of_this_machine_start_and_end(
    expected: dict[str, bytes], tmp_path: Path
) -> None:
    before = set(psutil.Process().children(recursive=True))
    at.sweep(SCENARIO, tmp_path, executor="dask-local:1")
    assert dataset(tmp_path) == expected
    left = set(psutil.Process().children(recursive=True)) - before
    assert not [process for process in left if "spawn_main" in " ".join(process.cmdline())]


def test_a_scheduler_that_does_not_answer_is_a_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(_cluster, "ANSWER_SECONDS", 0.2)
    command = ["sweep", str(EXAMPLE), "--out", str(tmp_path / "out")]
    with pytest.raises(SystemExit) as ended:
        main([*command, "--executor", "dask:tcp://127.0.0.1:1"])
    assert ended.value.code == 1
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.startswith("error: dask:tcp://127.0.0.1:1: no scheduler answers (")
    assert said.err.count("\n") == 1


def test_a_scheduler_that_ends_is_a_line_and_a_sweep_goes_on(
    expected: dict[str, bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_dask, "_PACK_LIMIT_SECONDS", 0.0)
    cluster = LocalCluster(
        n_workers=1,
        threads_per_worker=1,
        processes=False,
        protocol="tcp",
        dashboard_address="127.0.0.1:0",
    )

    class Ending(_dask.DaskExecutor):
        def wait(self) -> list[FinishedRun]:
            found = super().wait()
            self._client._timeout = 0.2  # s for the scheduler to come back
            cluster.close()
            return found

    monkeypatch.setattr(_dask, "DaskExecutor", Ending)
    with pytest.raises(ClusterError, match="the scheduler is gone; finished runs are kept"):
        at.sweep(SCENARIO, tmp_path, executor=name_of(cluster))
    with closing(sqlite3.connect(tmp_path / "runs.sqlite")) as journal:
        assert journal.execute("SELECT count(*) FROM runs").fetchone()[0] >= 1
    at.sweep(SCENARIO, tmp_path, jobs=1)
    assert dataset(tmp_path) == expected


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("dask-loca:2", "must be one of local, dask-local:N, dask:ADDRESS (did you mean 'dask-loc"),
        ("dask-local:0", "must be dask-local:N, N a whole number from 1 to 1024"),
        ("dask-local:two", "must be dask-local:N, N a whole number from 1 to 1024"),
        ("dask:localhost", "must be dask:ADDRESS, such as dask:tcp://localhost:8786"),
    ],
)
def test_a_name_that_means_no_executor_is_refused(name: str, line: str) -> None:
    with pytest.raises(InputError) as caught:
        executor_of(name, 1)
    assert str(caught.value).startswith(f"executor = {name!r}: {line}")


def test_without_the_package_a_line_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)  # as if there were none
    with pytest.raises(InputError, match=r"pip install 'airtcp\[dask\]'"):
        executor_of("dask-local:2", 1)

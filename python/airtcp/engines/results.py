"""The results of a campaign, read back from its folder and checked."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from airtcp.campaign.dataset import RUNS_TABLE, files_of_table
from airtcp.campaign.manifest import MANIFEST_FILE, SIMULATION, DataFile, read_manifest
from airtcp.engines.registry import measured_engines
from airtcp.errors import InputError, count
from airtcp.metrics.records import RECORD_KEYS
from airtcp.reading.files import check_files
from airtcp.reading.finished_runs import finished_runs
from airtcp.reading.sources import ParquetFiles
from airtcp.simulation.results import EngineRuns, Results
from airtcp.support.files import file_name
from airtcp.support.optional import ARROW, import_optional, is_installed

if TYPE_CHECKING:
    from airtcp.campaign.manifest import Manifest


def results(folder: str | Path, problems: Iterable[str] = ()) -> Results:
    """Open a folder of results, as `airtcp.sweep` and `airtcp.run` write them.

    Every file is compared with the manifest, byte by byte. Missing, damaged and foreign files are
    named in `Results.problems`, and not used. A sweep that has not ended has its finished runs.
    Where pyarrow is not installed the runs are taken from the journal.

    Parameters
    ----------
    folder : str or Path
        The folder.
    problems : iterable of str, optional
        Problems that are known already; they come first in `Results.problems`.

    Returns
    -------
    Results
        The runs in the folder.

    Raises
    ------
    InputError
        For a folder without results.

    Examples
    --------
    >>> import airtcp as at
    >>> channel = {"kind": "iid", "loss_rate": [0.001, 0.01]}
    >>> link = {"profile": "zorzi", "tcp": {"variant": "reno"}, "channel": channel}
    >>> done = at.sweep(link | {"stop": {"slots": 10000}}, "out", replications=4)
    >>> at.results("out").summary("throughput")["throughput"].is_monotonic_decreasing
    True
    """
    return _read_folder(folder, problems, check_files)


def read_unchecked_results(folder: str | Path) -> Results:
    """`results` of files whose content nobody compares with the manifest: for a quick look."""
    return _read_folder(folder, (), _existing_files)


_Check: TypeAlias = Callable[[Path, Sequence[DataFile]], tuple[list[Path], list[str]]]


def _existing_files(folder: Path, files: Sequence[DataFile]) -> tuple[list[Path], list[str]]:
    return [folder / file.name for file in files if (folder / file.name).is_file()], []


def _read_folder(folder: str | Path, problems: Iterable[str], check: _Check) -> Results:
    place = file_name("folder", folder, "the name of a folder with results")
    manifest, problems_said = read_manifest(place), list(problems)
    engines = _engines_of_folder(place, manifest, problems_said)
    if not manifest.files or not is_installed("pyarrow"):
        storages = [engines[name].storage for name in engines if name in manifest.engines]
        finished = finished_runs(place, manifest, storages, problems_said)
        done = finished.points
        if manifest.files and done < manifest.points:
            import_optional("pyarrow", f"{place}: its Parquet files", ARROW)
        if manifest.complete and done < manifest.points:
            state_words = f"{done} of {count(manifest.points, 'point')} have all their runs"
            problems_said.append(
                f"{place}: {state_words}; the same command computes the others again"
            )
        sources = {RUNS_TABLE: finished.runs, **finished.records}
        return _results_to_show(
            Results(place, manifest, tuple(problems_said), done, sources, _engines=engines)
        )
    with ThreadPoolExecutor(1) as pool:
        checked = pool.submit(check, place, manifest.files)
        import_optional("pyarrow.parquet", "Parquet")  # its import takes as long as the checks

        files, problems_found = checked.result()
    problems_said += problems_found
    of_kinds = _files_by_table(place, manifest, files, (RUNS_TABLE, *RECORD_KEYS, *engines))
    return _results_to_show(
        Results(place, manifest, tuple(problems_said), manifest.points, of_kinds, _engines=engines)
    )


def _engines_of_folder(
    folder: Path, manifest: Manifest, problems: list[str]
) -> dict[str, EngineRuns]:
    """The engines that keep runs beside the simulation, with the options of the manifest.

    Runs of an engine unknown to this version are a problem.
    """
    engines_found, source = measured_engines(), f"{folder / MANIFEST_FILE}"
    problems += (
        f"{source}: this version has no engine {name!r}, whose runs are not shown"
        for name in manifest.engines
        if name != SIMULATION and name not in engines_found
    )
    asked = {name: options for name, options in manifest.options.items() if name in engines_found}
    of_folder = {
        name: engines_found[name]._replace(
            storage=engines_found[name].storage.with_options(options, source)
        )
        for name, options in asked.items()
    }
    return engines_found | of_folder


def _results_to_show(results_found: Results) -> Results:
    """Results of simulated runs, or of another engine if there are none."""
    asked = results_found.manifest.engines
    if SIMULATION in asked:
        return results_found
    if not results_found.measuring:
        what = f"has runs of {', '.join(asked)}, an engine unknown to this version"
        raise InputError(f"{results_found.folder}: {what}")
    return results_found.of(results_found.measuring[0])


def _files_by_table(
    folder: Path, manifest: Manifest, paths: Sequence[Path], kinds: Sequence[str]
) -> Mapping[str, ParquetFiles]:
    """The files that can be used, by the table they hold a part of."""
    of = {
        kind: {folder / file.name for file in files_of_table(kind, manifest.files)}
        for kind in kinds
    }
    return {kind: ParquetFiles(tuple(path for path in paths if path in of[kind])) for kind in kinds}

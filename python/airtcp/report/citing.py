"""Literature to cite for a scenario, for results, and for the files that hold them."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from airtcp import _native
from airtcp.campaign.manifest import DATA_FOLDER, MANIFEST_FILE, read_manifest
from airtcp.errors import InputError, known_name
from airtcp.models.zoo import ZOO
from airtcp.models.zoo.path import conditions_of_point
from airtcp.report.references import bibtex_entries, plain_references
from airtcp.scenario.scenario import Point, Scenario, scenario_of

REFERENCE_FORMS = {"bibtex": bibtex_entries, "plain": plain_references}


def cite(given: Any, form: str = "bibtex") -> str:
    """List the literature to cite for a scenario or for results.

    It covers the tool, the profile, the variants, channels, gates, queues and distributions that
    some point of the scenario uses, and the models that answer for a point.

    Parameters
    ----------
    given : Scenario, dict, Results, RunResult, SimulationResult, str or Path
        A scenario or results, or the name of a scenario file, of a folder of results or of a file
        in one.
    form : {"bibtex", "plain"}, default "bibtex"
        Entries for BibTeX, or a line each.

    Returns
    -------
    str
        The text.

    Raises
    ------
    InputError
        For an argument or a scenario that is refused; the message names field, value and domain.

    Examples
    --------
    >>> import airtcp as at
    >>> channel = {"kind": "iid", "loss_rate": 0.1}
    >>> link = {"profile": "zorzi", "tcp": {"variant": "tahoe"}, "channel": channel}
    >>> at.cite(link, "plain").splitlines()[1][:37]
    'Zorzi, Michele; Chockalingam, A.; Rao'
    """
    known_name("form", form, REFERENCE_FORMS)
    return REFERENCE_FORMS[form](citations(_scenario(given).points()))


def citations(points: Iterable[Point], *, models: bool = True) -> list[str]:
    """The keys of what the points use, each once; with `models` also of formulas that answer."""
    all_points = list(points)
    distinct = {_named_coordinates(point): point for point in all_points}
    keys = [key for point in distinct.values() for key in _native.citations(point.compiled)]
    if models and all_points and all_points[0].family == "path":
        keys += _model_sources(all_points)
    return list(dict.fromkeys(keys))


def _named_coordinates(point: Point) -> tuple[Any, ...]:
    """The coordinates in which what is used may differ: all but numbers."""
    return tuple(
        None if isinstance(value, (int, float)) and not isinstance(value, bool) else (value,)
        for value in point.coordinates.values()
    )


def _model_sources(points: Iterable[Point]) -> list[str]:
    """The sources of the formulas that answer for some point."""
    left, sources_found = dict(ZOO), list[str]()
    for point in points:
        at = conditions_of_point(point)
        if isinstance(at, str):
            continue
        for name, model in list(left.items()):
            if not isinstance(model.answer_or_refusals(at.conditions), str):
                sources_found.append(left.pop(name).source)
    return sources_found


def _scenario(given: Any) -> Scenario:
    """The scenario of whatever is to be cited."""
    inside = getattr(given, "scenario", given)
    if not isinstance(inside, (str, os.PathLike)):
        return scenario_of(inside)
    path = Path(os.fspath(inside))
    folder = _results_folder(path)
    if folder is None:
        return scenario_of(inside)
    manifest = read_manifest(folder)
    return Scenario.from_dict(manifest.scenario, source=f"{folder / MANIFEST_FILE}: scenario")


def is_results_name(name: str) -> bool:
    """True if a name is that of results, or of a file of theirs, and not of a scenario file."""
    return _results_folder(Path(name)) is not None


def _results_folder(path: Path) -> Path | None:
    """The folder of results that `path` is, or whose file it is; None for a scenario file."""
    if path.is_dir():
        if path.name == DATA_FOLDER and (path.parent / MANIFEST_FILE).exists():
            return path.parent
        return path
    if path.suffix.lower() == ".toml" or not path.exists():
        return None
    if path.name == MANIFEST_FILE:
        return path.parent
    folder = path.parent.parent if path.parent.name == DATA_FOLDER else path.parent
    if (folder / MANIFEST_FILE).exists():
        return folder
    if path.suffix.lower() in (".parquet", ".csv", ".sqlite", ".html", ".svg", ".json"):
        raise InputError(
            f"{path}: is not in a folder of results: {folder / MANIFEST_FILE} is missing"
        )
    return None

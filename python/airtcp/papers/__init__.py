"""Published papers, reproduced with one command: ``airtcp.reproduce("zorzi/fig2")``."""

from __future__ import annotations

import time
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import Any

from airtcp.campaign.explained import write_folder_readme
from airtcp.errors import InputError, unknown_name
from airtcp.errors import quote_value as shown_value
from airtcp.papers.base import Paper, Progress, Reproduction, progress_display
from airtcp.papers.kept import keep_reproduction, restore_reproduction
from airtcp.papers.report import write_index, write_paper_report
from airtcp.support.files import results_folder

PAPERS = {
    "zorzi": "airtcp.papers.zorzi",
    "elaarag": "airtcp.papers.elaarag",
    "kuusela": "airtcp.papers.kuusela",
    "chockalingam": "airtcp.papers.chockalingam",
    "lahanas": "airtcp.papers.lahanas",
}


def paper(name: str) -> Paper:
    """The paper of that name. Raises `InputError` for an unknown one."""
    if name not in PAPERS:
        raise unknown_name("paper", name, PAPERS)
    paper_found: Paper = import_module(PAPERS[name]).PAPER
    return paper_found


def targets() -> list[str]:
    """Names of everything that can be reproduced: each paper, and each of its parts."""
    parts = {name: list(paper(name).parts) for name in PAPERS}
    return [
        target for name in PAPERS for target in (name, *(f"{name}/{part}" for part in parts[name]))
    ]


def reproduce(
    target: str = "zorzi",
    *,
    quick: bool = False,
    runs: int | None = None,
    seed: int = 1,
    jobs: int | None = None,
    progress: bool | Progress = False,
    out: str | Path | None = None,
    again: bool = True,
) -> Reproduction:
    """Recompute a published paper, or one of its figures or tables.

    Parameters
    ----------
    target : str, default "zorzi"
        A paper, or a part of one: "zorzi/fig2".
    quick : bool, default False
        Take fewer points, and fewer and shorter replications: seconds in place of minutes.
    runs : int, optional
        Runs per point, for the papers that let it be chosen.
    seed : int, default 1
        Seed of all random streams, 0 to 2^64 - 1.
    jobs : int, optional
        Threads; None: one per usable core. The results do not depend on it.
    progress : bool or callable, default False
        Show a bar with the time left on stderr, or call ``progress(what, done, total)``.
    out : str or Path, optional
        A folder. Finished replications are kept in it as they end, so that the same call continues
        after an interruption. At the end report, figures (SVG) and tables (CSV) go there.
    again : bool, default True
        False takes what lies in `out` if it is whole and was computed by this very code with these
        options. `figure` is None then; the SVG is there.

    Returns
    -------
    Reproduction
        Tables, figures, and the statements of the paper with their verdicts.

    Raises
    ------
    InputError
        For an unknown target, and for `runs` where they cannot be chosen.
    Interrupted
        On Ctrl-C, a `KeyboardInterrupt`.

    Examples
    --------
    >>> import airtcp as at
    >>> figure = at.reproduce("lahanas/fig10", quick=True, runs=2)
    >>> figure.title
    'Fig. 10: task completion time, On 2 s, Adaptive beside Tahoe- and Reno-Probing'
    """
    name = target.partition("/")[0]
    this = paper(name)
    known = [name, *(f"{name}/{part}" for part in this.parts)]
    if target not in known:
        raise unknown_name("target", target, known)
    folder = None if out is None else results_folder(out)
    if runs is not None and not this.takes_runs:
        raise InputError(
            f"runs = {shown_value(runs)}: {name} offers no choice of runs; {_papers_with_runs()}"
            " does"
        )
    options = {"quick": quick, "runs": runs, "seed": seed}
    if folder is not None and not again:
        before = restore_reproduction(target, folder, options)
        if before is not None:
            return before
    if folder is not None:
        write_folder_readme(folder)
    begin = time.monotonic()
    with progress_display(progress) as report:
        study = this.study(
            quick=quick, runs=runs, seed=seed, jobs=jobs, out=folder, progress=report
        )
        reproduction = this.build(study, target)
    facts = study.facts() | {"seconds": time.monotonic() - begin}
    reproduction = replace(reproduction, references=this.references, facts=facts)
    if folder is not None:
        reproduction = replace(reproduction, report=write_paper_report(reproduction, folder))
        keep_reproduction(reproduction, folder, options)
    return reproduction


def _papers_with_runs() -> str:
    return " or ".join(name for name in PAPERS if paper(name).takes_runs)


def reproduce_all(*, out: str | Path | None = None, **options: Any) -> list[Reproduction]:
    """Recompute every paper, with the options of `reproduce`.

    With `out` each paper has its own folder in it, `out/zorzi`, and `out/index.html` links to the
    pages. Raises `InputError`.
    """
    folder = None if out is None else results_folder(out)
    reproductions = [
        reproduce(name, out=None if folder is None else folder / name, **options) for name in PAPERS
    ]
    if folder is not None:
        write_index(reproductions, folder)
    return reproductions


__all__ = ["PAPERS", "paper", "reproduce", "reproduce_all", "targets"]

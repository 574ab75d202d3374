"""`airtcp reproduce`: published papers."""

from __future__ import annotations

import sys
from typing import Any

import click

from airtcp.cli.app import InterruptExit, is_stderr_terminal, print_notice, print_result
from airtcp.cli.completion import NameParam
from airtcp.cli.options import common_options
from airtcp.errors import InputError


def _targets(context: click.Context) -> list[str]:
    from airtcp.papers import targets  # noqa: PLC0415

    return targets()


@click.command()
@click.argument("words", nargs=-1, metavar="[PAPER[/FIGURE]]", type=NameParam(_targets))
@click.option("--quick", is_flag=True, help="Use fewer points and shorter runs.")
@click.option(
    "--runs",
    type=int,
    metavar="N",
    help="Number of runs per point, for papers that let you choose.",
)
@click.option(
    "--again", is_flag=True, help="Compute again, even if nothing has changed since the last time."
)
@common_options
def reproduce(
    *,
    words: tuple[str, ...],
    form: str,
    out: str | None,
    **options: Any,
) -> None:
    """Regenerate a paper, or one of its figures and tables, and judge its claims.

    \b
    Examples:
      airtcp reproduce zorzi --quick --out out/papers
      airtcp reproduce zorzi/fig2 --format csv
      airtcp reproduce lahanas --runs 1000 --out out/lahanas

    With --out, DIR receives the finished runs, figures (SVG), tables and claims (CSV), and a page
    with all of them: report.html, or FIGURE.html for one figure. Without PAPER, each paper gets a
    folder of its own in DIR, and index.html links them. Files in DIR are kept as they are if
    neither code nor options have changed.
    """
    from airtcp import papers  # noqa: PLC0415
    from airtcp.cli.reproduction_text import reproduction_text  # noqa: PLC0415

    if len(words) > 1:
        meant = f"{words[0]}/{words[1]}"
        hint = meant if meant in papers.targets() else "PAPER/FIGURE"
        raise InputError(f"{' '.join(words)}: must be one target (did you mean {hint}?)")
    options |= {"out": out, "progress": is_stderr_terminal()}
    try:
        if words:
            reproductions = [papers.reproduce(words[0], **options)]
        else:
            reproductions = papers.reproduce_all(**options)
    except KeyboardInterrupt:
        kept_note = f"finished runs are in {out}; the same command continues"
        print_notice(f"interrupted: {kept_note if out else '--out DIR keeps finished runs'}")
        sys.exit(InterruptExit.code)
    print_result(reproduction_text(reproductions, form))

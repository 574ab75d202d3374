"""`airtcp run`: all engines on one scenario."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Any, NoReturn

import click

from airtcp.cli.app import Stop, put, warn, watched
from airtcp.cli.arguments import scenario_in
from airtcp.cli.options import common, setting, stopping

if TYPE_CHECKING:
    from airtcp.simulation import Interrupted


@click.command()
@click.argument("file")
@setting
@click.option(
    "--engine",
    metavar="[analysis|simulation|both|live|all]",
    default="both",
    help="Default: both. live: the kernel's TCP, in real time.",
)
@stopping
@common
def run(
    *, file: str, sets: tuple[str, ...], engine: str, form: str, out: str | None, **options: Any
) -> None:
    """Answer the scenario in FILE by analysis and simulation, and live.

    \b
    Examples:
      airtcp run examples/pedestrian.toml --replications 5
      airtcp run examples/pedestrian.toml --set 'channel.loss_rate=[0.01,0.05]'
      airtcp run examples/pedestrian.toml --set tcp.variant=reno --format csv

    With --out DIR: what `airtcp sweep` writes, and table.csv, scenario.toml and report.html.
    """
    from airtcp import run as run_engines  # noqa: PLC0415
    from airtcp.run import check_engine  # noqa: PLC0415
    from airtcp.simulation import Interrupted  # noqa: PLC0415

    check_engine(engine)
    scenario = scenario_in(file, sets)
    try:
        result = run_engines(scenario, engine=engine, out=out, progress=watched(), **options)
    except Interrupted as interrupted:
        interrupted_run(interrupted, form, out)
    warn(result.problems)
    _put_run(result, form, out)


def _put_run(result: Any, form: str, out: str | None = None) -> None:
    from airtcp.cli.run_text import run_text  # noqa: PLC0415

    put(run_text(result, form, None if out is None else os.path.join(out, "report.html")))


def interrupted_run(interrupted: Interrupted, form: str, out: str | None) -> NoReturn:
    """Print what there is, and how to continue."""
    partial = interrupted.partial
    if partial is not None and partial.analysis is not None and partial.scenario.family == "slot":
        _put_run(partial, form)
    count = f"interrupted: {interrupted.done} of {interrupted.total} runs"
    if out is None:
        hint = "were finished and are lost; --out DIR keeps them, so that the command can continue"
    else:
        hint = f"are in {out}; the same command continues"
    click.echo(f"{count} {hint}", err=True)
    sys.exit(Stop.code)

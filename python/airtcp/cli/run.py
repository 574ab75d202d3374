"""`airtcp run`: all engines on one scenario."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Any, NoReturn

import click

from airtcp.cli.app import (
    InterruptExit,
    is_stderr_terminal,
    print_notice,
    print_result,
    print_warnings,
)
from airtcp.cli.arguments import load_scenario
from airtcp.cli.completion import FILE, NameParam
from airtcp.cli.options import (
    common_options,
    links_option,
    metrics_option,
    set_option,
    stop_options,
)

if TYPE_CHECKING:
    from airtcp.engines.run import RunResult
    from airtcp.scenario.scenario import Scenario
    from airtcp.simulation.replications import Interrupted

STACKS = ("auto", "kernel", "airtcp")


def _engines(_: click.Context) -> list[str]:
    from airtcp.engines.choice import engine_names  # noqa: PLC0415  (help and completion alone need them)

    return engine_names()


@click.command()
@click.argument("file", type=FILE)
@set_option
@click.option(
    "--engine",
    type=NameParam(_engines, listed=True),
    default="both",
    help="Engines to use, separated by commas; both are the first two. Default: both.",
)
@click.option(
    "--stack",
    metavar=f"[{'|'.join(STACKS)}]",
    type=NameParam(lambda _: STACKS),
    default="auto",
    help="TCP that sends real packets. Default: the kernel's if it has the variant, else our own.",
)
@click.option(
    "--live-jobs",
    type=int,
    metavar="N",
    help="Number of concurrent live runs. Default: as many as the link rate allows.",
)
@stop_options
@metrics_option
@links_option
@common_options
def run(
    *, file: str, sets: tuple[str, ...], engine: str, form: str, out: str | None, **options: Any
) -> None:
    """Answer the scenario in FILE by analysis, by simulation, and by live runs of real packets.

    \b
    Examples:
      airtcp run examples/pedestrian.toml --replications 5
      airtcp run examples/pedestrian.toml --set 'channel.loss_rate=[0.01,0.05]'
      airtcp run examples/pedestrian.toml --set tcp.variant=reno --format csv
      airtcp run examples/handover.toml --engine all --set stop.time=10s --replications 3
      airtcp run examples/handover.toml --links --replications 5

    With --out, DIR receives the files of `airtcp sweep`, and table.csv, scenario.toml and
    report.html. It also receives models.csv if models answer for the path; with --links, links.csv,
    and traffic.csv if there is cross-traffic.
    """
    from airtcp import run as run_engines  # noqa: PLC0415
    from airtcp.engines.choice import check_engine, check_options  # noqa: PLC0415
    from airtcp.engines.run import announcement  # noqa: PLC0415
    from airtcp.simulation.replications import Interrupted  # noqa: PLC0415

    check_engine(engine, options["links"])
    check_options(engine, options["stack"], options["live_jobs"])
    scenario, links = load_scenario(file, sets), options["links"]
    options["links"] = links or _has_call(scenario, engine)
    if notice := announcement(scenario, engine, **options):
        print_notice(notice)
    try:
        result = run_engines(
            scenario, engine=engine, out=out, progress=is_stderr_terminal(), **options
        )
    except Interrupted as interrupted:
        interrupted_run(interrupted, form, out, links=links)
    print_warnings(result.problems)
    _put_run(result, form, out, links=links)


def _has_call(scenario: Scenario, engine: str) -> bool:
    """True if the opinion of a call is an answer that an engine asked for can give."""
    from airtcp.engines.choice import chosen_engines  # noqa: PLC0415
    from airtcp.engines.registry import engines_with_option  # noqa: PLC0415
    from airtcp.metrics.voice import is_call  # noqa: PLC0415

    sources = scenario.points()[0].data.get("traffic", [])
    return any(map(is_call, sources)) and bool(
        {*engines_with_option("links")} & {*chosen_engines(engine)}
    )


def _put_run(result: Any, form: str, out: str | None = None, *, links: bool = True) -> None:
    from airtcp.cli.run_text import run_text  # noqa: PLC0415

    report = None if out is None else os.path.join(out, "report.html")
    print_result(run_text(result, form, report, links=links))
    lead = result.leading_answer
    if form == "csv" and lead is not None:
        chance = lead.run_metadata(result.main_metric).chance
        if chance:
            print_notice(chance)
    if form == "csv" and links and result.records:
        print_notice("links: not in this table; --format json has them, and --out writes them")


def interrupted_run(
    interrupted: Interrupted, form: str, out: str | None, *, links: bool = True
) -> NoReturn:
    """Print what there is, and how to continue."""
    partial = interrupted.partial
    if partial is not None and _has_results(partial):
        _put_run(partial, form, links=links)
    count = f"interrupted: {interrupted.done} of {interrupted.total} runs"
    if out is None:
        hint = "were finished and are lost; --out DIR keeps them, so that the command can continue"
    else:
        hint = f"are in {out}; the same command continues"
    print_notice(f"{count} {hint}")
    sys.exit(InterruptExit.code)


def _has_results(partial: RunResult) -> bool:
    """True if an interrupted run has something to show: estimates, or answers of models."""
    return any(answer.estimates.estimates for answer in partial.answers) or len(partial.models) > 0

"""Options that several commands have."""

from __future__ import annotations

from collections.abc import Callable

import click

from airtcp.cli import known_words
from airtcp.cli.completion import FOLDER, AssignmentParam, NameParam

Decorator = Callable[[Callable[..., None]], Callable[..., None]]


METRIC_PARAM = NameParam(known_words.metrics)


def _format_option(*forms: str) -> Decorator:
    choice = click.Choice(forms)
    return click.option(
        "--format", "form", type=choice, default="table", help="Output format. Default: table."
    )


def format_option(function: Callable[..., None]) -> Callable[..., None]:
    """The option that says how the answer is written."""
    return _format_option("table", "json", "csv")(function)


def table_or_json(function: Callable[..., None]) -> Callable[..., None]:
    """The option that says how an answer is written that is no single table."""
    return _format_option("table", "json")(function)


def stop_options(function: Callable[..., None]) -> Callable[..., None]:
    """The options that say how often a point is run."""
    options: list[Decorator] = [
        click.option("--replications", type=int, metavar="N", help="Number of runs per point."),
        click.option(
            "--precision",
            type=float,
            metavar="P",
            help="Instead of a fixed number: run until half the interval is at most this fraction"
            " of the mean.",
        ),
    ]
    for option in reversed(options):
        function = option(function)
    return function


def metric_option(function: Callable[..., None]) -> Callable[..., None]:
    """The option that names one metric."""
    help_text = "Metric to show, and for --precision. Default: the throughput or the goodput."
    return click.option("--metric", metavar="M", type=METRIC_PARAM, help=help_text)(function)


def metrics_option(function: Callable[..., None]) -> Callable[..., None]:
    """The option that names metrics; a precision applies to the first."""
    help_text = "Metric to show; --precision applies to the first. Repeat for several."
    return click.option("--metric", multiple=True, metavar="M", type=METRIC_PARAM, help=help_text)(
        function
    )


def links_option(function: Callable[..., None]) -> Callable[..., None]:
    """The option that has links counted."""
    help_text = (
        "Also count the packets on each hop (sent, queued, lost) and those of cross-traffic."
    )
    return click.option("--links", is_flag=True, help=help_text)(function)


def kernel_settings(help_text: str) -> Decorator:
    """The option that sets kernel settings; `help_text`: its help, which says whose kernel."""
    return click.option(
        "--sysctl",
        "sysctls",
        multiple=True,
        metavar="NAME=VALUE",
        type=AssignmentParam(known_words.sysctls),
        help=help_text,
    )


def table_options(function: Callable[..., None]) -> Callable[..., None]:
    """The options that choose the table of a sweep: flows, links or cross-traffic."""
    options: list[Decorator] = [
        click.option(
            "--links", is_flag=True, help="Show results per hop; needs runs made with --links."
        ),
        click.option(
            "--traffic",
            is_flag=True,
            help="Show results of cross-traffic; needs runs made with --links.",
        ),
        click.option(
            "--engine",
            metavar="NAME",
            type=NameParam(_engines_with_runs),
            help="Show the runs of one engine only, where `airtcp run` used several.",
        ),
        click.option("--live", is_flag=True, help="Short for --engine live."),
    ]
    for option in reversed(options):
        function = option(function)
    return function


def _engines_with_runs(_: click.Context) -> list[str]:
    from airtcp.engines.registry import engines_with_runs  # noqa: PLC0415

    return engines_with_runs()


def common_options(function: Callable[..., None]) -> Callable[..., None]:
    """The options of commands that answer at once."""
    options: list[Decorator] = [
        click.option(
            "--seed",
            type=int,
            default=1,
            metavar="N",
            help="Seed of all random numbers. Default: 1.",
        ),
        click.option(
            "--jobs", type=int, metavar="N", help="Number of threads. Default: one per core."
        ),
        format_option,
        click.option(
            "--out",
            metavar="DIR",
            type=FOLDER,
            help="Write all results into DIR; a later call resumes.",
        ),
    ]
    for option in reversed(options):
        function = option(function)
    return function


def set_option(function: Callable[..., None]) -> Callable[..., None]:
    """The option that changes a scenario."""
    help_text = "Set a key of the scenario. Repeat for several."
    keys = AssignmentParam(known_words.settable_keys)
    option = click.option(
        "--set", "sets", multiple=True, metavar="KEY=VALUE", type=keys, help=help_text
    )
    return option(function)


def seed_options(function: Callable[..., None]) -> Callable[..., None]:
    """The options of commands that simulate."""
    jobs = click.option(
        "--jobs", type=int, metavar="N", help="Number of threads. Default: one per core."
    )
    seed = click.option(
        "--seed", type=int, default=1, metavar="N", help="Seed of all random numbers. Default: 1."
    )
    return seed(jobs(function))

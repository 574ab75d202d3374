"""`airtcp timeseries`: who gets what over time."""

from __future__ import annotations

from typing import Any

import click

from airtcp.cli.app import is_stderr_terminal, print_result
from airtcp.cli.arguments import load_scenario
from airtcp.cli.completion import FILE
from airtcp.cli.options import format_option, seed_options, set_option


@click.command()
@click.argument("file", type=FILE)
@click.option(
    "--width",
    type=float,
    metavar="S",
    help="Width of a time bin, in seconds. Default: at most 100 bins.",
)
@click.option("--replications", type=int, metavar="N", help="Number of runs.")
@click.option(
    "--journal",
    metavar="FILE",
    type=FILE,
    help="Keep each run in FILE as it ends; a later call resumes from it.",
)
@click.option(
    "--plot", "picture", metavar="FILE.svg", type=FILE, help="Draw a figure; .svg, .pdf or .png."
)
@set_option
@seed_options
@format_option
def timeseries(
    *, file: str, sets: tuple[str, ...], picture: str | None, form: str, **options: Any
) -> None:
    """Run the scenario in FILE, and print goodput, fairness and queues over time.

    \b
    Examples:
      airtcp timeseries examples/upload.toml --set 'path.hop[0].back.queue=60' --width 5
      airtcp timeseries examples/linux.toml --set tcp.congestion=bbr \\
          --set 'path.hop[0].channel.loss_rate=0.01' --replications 20 --plot bbr.svg

    The output is a mean over replications. For each time bin it gives the goodput of each flow,
    Jain's index over the flows that take part, and for the busiest link its utilisation, its queue
    and the waiting time. JSON and CSV give every link.
    """
    from airtcp.cli.timeseries_text import timeseries_text  # noqa: PLC0415
    from airtcp.export import FIGURES, check_target  # noqa: PLC0415
    from airtcp.simulation.timeseries import timeseries as simulated  # noqa: PLC0415

    if picture is not None:
        check_target(picture, FIGURES, "plot")
    series = simulated(load_scenario(file, sets), progress=is_stderr_terminal(), **options)
    if picture is not None:
        series.plot(picture)
    print_result(timeseries_text(series, form))

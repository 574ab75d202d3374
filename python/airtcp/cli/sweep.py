"""`airtcp sweep` and `airtcp plan`: many points into a folder, and what that costs."""

from __future__ import annotations

from typing import Any

import click

from airtcp.cli.app import is_stderr_terminal, print_notice, print_result, print_warnings
from airtcp.cli.arguments import load_scenario
from airtcp.cli.completion import FILE, FOLDER, NameParam
from airtcp.cli.options import (
    format_option,
    links_option,
    metric_option,
    seed_options,
    set_option,
    stop_options,
)
from airtcp.cli.run import interrupted_run


@click.command()
@click.argument("file", type=FILE)
@click.option(
    "--out",
    required=True,
    metavar="DIR",
    type=FOLDER,
    help="Folder for the results; a later call resumes.",
)
@set_option
@stop_options
@metric_option
@links_option
@seed_options
@click.option(
    "--executor",
    type=NameParam(lambda _: ("local", "dask-local:", "dask:")),
    default="local",
    metavar="WHO",
    help="Workers that compute: local, dask-local:N or dask:ADDRESS. Default: local.",
)
def sweep(*, file: str, out: str, sets: tuple[str, ...], **options: Any) -> None:
    """Simulate every point of FILE, and keep the results in a folder.

    \b
    Examples:
      airtcp sweep examples/window.toml --out out/window
      airtcp sweep examples/window.toml --out out/window --precision 0.01
      airtcp results out/window
      airtcp sweep examples/growth.toml --out out/growth --links
      airtcp results out/growth --links

    Every run is kept as it ends: after Ctrl-C or a crash, the same command continues. At the end
    DIR holds manifest.json and, if pyarrow is installed, a dataset (Parquet). `airtcp results` and
    `airtcp plot` read them.
    """
    from airtcp.campaign.stop_rule import metrics_shown_and_stopped_on  # noqa: PLC0415
    from airtcp.cli.results_text import sweep_text  # noqa: PLC0415
    from airtcp.engines.sweeps import missing_files_reason, transient_warning  # noqa: PLC0415
    from airtcp.engines.sweeps import sweep as sweep_into  # noqa: PLC0415
    from airtcp.metrics.question import has_calls  # noqa: PLC0415
    from airtcp.simulation.replications import Interrupted  # noqa: PLC0415

    scenario = load_scenario(file, sets)
    asked = (options["replications"], options["precision"], options["metric"])
    shown, options["metric"] = metrics_shown_and_stopped_on(scenario, *asked, options["links"])
    options["progress"] = is_stderr_terminal()
    options["links"] |= has_calls(point.data for point in scenario.points())
    try:
        swept = sweep_into(scenario, out, **options)
    except Interrupted as interrupted:
        interrupted_run(interrupted, "table", out)
    print_warnings(swept.problems)
    if notice := missing_files_reason(swept):
        print_notice(notice)
    print_result(sweep_text(swept, shown))
    by = {key: options[key] for key in ("jobs", "executor", "progress")}
    if notice := transient_warning(swept, **by):
        print_notice(notice)


@click.command()
@click.argument("file", type=FILE)
@set_option
@stop_options
@metric_option
@seed_options
@click.option(
    "--budget", type=float, metavar="S", help="Time for trial runs, in seconds. Default: 5."
)
@format_option
def plan(
    *, file: str, sets: tuple[str, ...], budget: float | None, form: str, **options: Any
) -> None:
    """Estimate how many runs and how long a sweep of FILE takes, from a few runs.

    \b
    Examples:
      airtcp plan examples/window.toml
      airtcp plan examples/window.toml --precision 0.01
    """
    from airtcp.cli.plan_text import plan_text  # noqa: PLC0415
    from airtcp.simulation.plans import DEFAULT_BUDGET  # noqa: PLC0415
    from airtcp.simulation.plans import plan as planned  # noqa: PLC0415

    options |= {
        "budget": DEFAULT_BUDGET if budget is None else budget,
        "progress": is_stderr_terminal(),
    }
    print_result(plan_text(planned(load_scenario(file, sets), **options), form))

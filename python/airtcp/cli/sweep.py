"""`airtcp sweep` and `airtcp plan`: many points into a folder, and what that costs."""

from __future__ import annotations

from typing import Any

import click

from airtcp.cli.app import put, tell, warn, watched
from airtcp.cli.arguments import scenario_in
from airtcp.cli.completion import FILE, FOLDER, Name
from airtcp.cli.options import formatted, of_links, of_metric, seeded, setting, stopping
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
@setting
@stopping
@of_metric
@of_links
@seeded
@click.option(
    "--executor",
    type=Name(lambda _: ("local", "dask-local:", "dask:")),
    default="local",
    metavar="WHO",
    help="Workers that compute: local, dask-local:N or dask:ADDRESS. Default: local.",
)
def sweep(*, file: str, out: str, sets: tuple[str, ...], **options: Any) -> None:
    """Simulate every point of FILE into a folder, computing only what is missing there.

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
    from airtcp.engines.sweeps import sweep as sweep_into  # noqa: PLC0415
    from airtcp.engines.sweeps import transient, without_files  # noqa: PLC0415
    from airtcp.metrics.question import has_calls  # noqa: PLC0415
    from airtcp.simulation.replications import Interrupted  # noqa: PLC0415

    scenario = scenario_in(file, sets)
    asked = (options["replications"], options["precision"], options["metric"])
    shown, options["metric"] = metrics_shown_and_stopped_on(scenario, *asked, options["links"])
    options["progress"] = watched()
    options["links"] |= has_calls(point.data for point in scenario.points())
    try:
        found = sweep_into(scenario, out, **options)
    except Interrupted as interrupted:
        interrupted_run(interrupted, "table", out)
    warn(found.problems)
    if said := without_files(found):
        tell(said)
    put(sweep_text(found, shown))
    by = {key: options[key] for key in ("jobs", "executor", "progress")}
    if said := transient(found, **by):
        tell(said)


@click.command()
@click.argument("file", type=FILE)
@setting
@stopping
@of_metric
@seeded
@click.option(
    "--budget", type=float, metavar="S", help="Time for trial runs, in seconds. Default: 5."
)
@formatted
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
    from airtcp.simulation.plans import BUDGET  # noqa: PLC0415
    from airtcp.simulation.plans import plan as planned  # noqa: PLC0415

    options |= {"budget": BUDGET if budget is None else budget, "progress": watched()}
    put(plan_text(planned(scenario_in(file, sets), **options), form))

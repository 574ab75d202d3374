"""`airtcp results` and `airtcp plot`: what a sweep has found."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from airtcp.cli import known_words
from airtcp.cli.app import print_result, print_warnings
from airtcp.cli.arguments import assignment
from airtcp.cli.completion import FILE, FOLDER, AssignmentParam, NameParam
from airtcp.cli.options import METRIC_PARAM, format_option, table_options
from airtcp.errors import InputError

if TYPE_CHECKING:
    from airtcp.simulation.results import Results

RESULT_KEY = NameParam(known_words.result_keys)
_where_option = click.option(
    "--where",
    "wheres",
    multiple=True,
    metavar="KEY=VALUE",
    type=AssignmentParam(known_words.result_values),
    help="Use only points with this value. Repeat for several keys.",
)
_estimate_option = click.option(
    "--estimate",
    metavar="[mean|median]",
    type=NameParam(known_words.estimates),
    default="mean",
    help="Statistic over the runs of a point. Default: mean.",
)


@click.command()
@click.argument("folder", metavar="DIR", type=FOLDER)
@click.option(
    "--metric",
    "metrics",
    multiple=True,
    metavar="M",
    type=METRIC_PARAM,
    help="Metric to show. Repeat for several. Default: the main ones.",
)
@click.option(
    "--by",
    multiple=True,
    metavar="KEY",
    type=RESULT_KEY,
    help="Show one row per value of KEY, averaged over all other keys. Repeat for several.",
)
@_where_option
@_estimate_option
@click.option(
    "--confidence",
    type=float,
    metavar="P",
    default=0.95,
    help="Confidence of the intervals. Default: 0.95.",
)
@click.option(
    "--rank", "ranked", metavar="KEY", type=RESULT_KEY, help="Rank the values of KEY by one metric."
)
@click.option(
    "--better",
    metavar="[high|low]",
    type=NameParam(lambda _: ("high", "low")),
    help="Values that are better, for --rank. Default: depends on the metric.",
)
@click.option("--sql", metavar="QUERY", help="SQL query (DuckDB) on the table `runs`.")
@table_options
@format_option
def results(
    *,
    folder: str,
    links: bool,
    traffic: bool,
    engine: str | None,
    live: bool,
    wheres: tuple[str, ...],
    form: str,
    **options: Any,
) -> None:
    """Summarise the results of a sweep in DIR: one row per point, means with intervals.

    \b
    Examples:
      airtcp results out/sweep --metric throughput --by variant
      airtcp results out/sweep --where variant=reno --where 'loss_rate=[0.01,0.1]'
      airtcp results out/sweep --rank variant --metric goodput_bps
      airtcp results out/sweep --links --where direction=forward --metric utilisation
      airtcp results out/run --engine live --rank stack --metric goodput_bps
      airtcp results out/sweep --sql 'SELECT "tcp.variant", avg(throughput) FROM runs GROUP BY ALL'

    The last part of a key is enough: variant for tcp.variant. A key whose values are tables takes
    their labels, as the results show them: --where queue=fq-codel. Files that are missing or
    damaged, or do not belong to the sweep, are named on stderr and not used.
    """
    from airtcp.cli.results_command import results_text  # noqa: PLC0415

    rows = _open_results(folder, links, traffic, _chosen_engine(engine, live=("--live", live)))
    print_result(results_text(rows, where=_parse_conditions(wheres), form=form, **options))


@click.command()
@click.argument("folder", metavar="DIR", type=FOLDER)
@click.option(
    "-x",
    "x",
    required=True,
    metavar="KEY",
    type=RESULT_KEY,
    help="Quantity on the x axis: a key, or a metric for a trade-off plot.",
)
@click.option(
    "-y",
    "--metric",
    "y",
    required=True,
    metavar="M",
    type=METRIC_PARAM,
    help="Metric on the y axis.",
)
@click.option(
    "--by",
    multiple=True,
    metavar="KEY",
    type=RESULT_KEY,
    help="Draw one curve per value of KEY: the first key by colour, the second by dashes, the third"
    " in panels.",
)
@_where_option
@_estimate_option
@click.option("--logx", is_flag=True, help="Use a logarithmic x axis.")
@click.option("--logy", is_flag=True, help="Use a logarithmic y axis.")
@click.option("--title", metavar="TEXT", default="", help="Title above the figure.")
@click.option(
    "--xlabel", metavar="TEXT", default="", help="Label of the x axis. Default: the name of KEY."
)
@click.option(
    "--ylabel", metavar="TEXT", default="", help="Label of the y axis. Default: the name of M."
)
@click.option("--size", metavar="WxH", help="Width and height in inches, such as 3.5x2.5.")
@table_options
@click.option("--simulated", is_flag=True, help="Short for --engine simulation.")
@click.option(
    "-o",
    "--out",
    required=True,
    metavar="FILE",
    type=FILE,
    help="File of the figure; .svg, .pdf or .png.",
)
def plot(
    *,
    folder: str,
    links: bool,
    traffic: bool,
    engine: str | None,
    live: bool,
    simulated: bool,
    wheres: tuple[str, ...],
    size: str | None,
    **options: Any,
) -> None:
    """Draw the results of a sweep in DIR: means (or medians) with 95 % intervals.

    If DIR holds runs of several engines, all are drawn in one figure; --engine selects one.

    \b
    Examples:
      airtcp plot out/sweep -x loss_rate -y throughput --by variant --logx -o throughput.svg
      airtcp plot out/sweep -x window -y goodput_bps --where variant=reno -o window.pdf
      airtcp plot out/sweep -x queue -y mean_sojourn --links --by hop --by direction -o wait.svg
      airtcp plot out/run -x loss_rate -y goodput_bps --by live.congestion -o kernel.svg
      airtcp plot out/sweep -x rate -y goodput_bps --title "One flow" --size 3.5x2.5 -o one.pdf
      airtcp plot out/sweep -x delay_p95 -y goodput_bps -o tradeoff.svg

    With a metric as -x, each setting is a point with the intervals of both metrics.
    """
    from airtcp.cli.results_command import write_plot  # noqa: PLC0415

    flags = {"live": ("--live", live), "simulation": ("--simulated", simulated)}
    chosen = _chosen_engine(engine, **flags)
    rows, where = _open_results(folder, links, traffic, chosen), _parse_conditions(wheres)
    inches = None if size is None else size.split("x")
    print_result(write_plot(rows, where=where, together=chosen is None, size=inches, **options))


def _chosen_engine(engine: str | None, **flags: tuple[str, bool]) -> str | None:
    """The engine that --engine names, or a flag: each name of an engine with its flag, and whether
    the flag is given."""
    chosen = {name: flag for name, (flag, given) in flags.items() if given}
    if engine is not None:
        chosen.setdefault(engine, f"--engine {engine}")
    if len(chosen) > 1:
        raise InputError(f"{' and '.join(chosen.values())}: give only one of them, or none for all")
    return next(iter(chosen), None)


def _open_results(folder: str, links: bool, traffic: bool, engine: str | None) -> Results:
    """The results in a folder, of the table that is asked for; their problems on stderr."""
    from airtcp.engines.registry import leading_engine  # noqa: PLC0415
    from airtcp.engines.results import results as read_results  # noqa: PLC0415

    if links and traffic:
        raise InputError("--links and --traffic: give only one of them")
    if engine == leading_engine() and (links or traffic):
        engine = None  # they are of its runs
    if engine is not None and (links or traffic):
        kind = "links" if links else "traffic"
        raise InputError(f"--engine {engine} and --{kind}: give only one of them")
    folder_results = read_results(folder)
    print_warnings(folder_results.problems)
    if engine is not None:
        return folder_results.of(engine)
    return folder_results.links if links else folder_results.traffic if traffic else folder_results


def _parse_conditions(texts: Sequence[str]) -> dict[str, list[Any]]:
    """Read --where: the keys, and for each the values of which a row has to have one."""
    values_of_key: dict[str, list[Any]] = {}
    for text in texts:
        key, value = assignment(text, "--where", "tcp.variant=reno")
        values_of_key.setdefault(key, []).extend(value if isinstance(value, list) else [value])
    return values_of_key

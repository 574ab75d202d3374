"""`airtcp advise`: which choice is best here, and how sure is that."""

from __future__ import annotations

from typing import Any

import click

from airtcp.cli import known_words
from airtcp.cli.app import is_stderr_terminal, print_result
from airtcp.cli.arguments import load_scenario, parse_overs
from airtcp.cli.completion import FILE, AssignmentParam, NameParam
from airtcp.cli.options import format_option, seed_options, set_option


@click.command()
@click.argument("file", type=FILE)
@click.option(
    "--goal",
    required=True,
    metavar="GOAL",
    type=NameParam(known_words.goals),
    help="Goal to optimise: goodput, delay, completion or energy.",
)
@click.option(
    "--over",
    "overs",
    required=True,
    multiple=True,
    metavar="KEY=A,B,...",
    type=AssignmentParam(known_words.settable_keys, listed=True),
    help="Values to choose among; KEY=A,B,KEY=C,D compares all combinations of the values.",
)
@click.option(
    "--zone",
    type=float,
    default=0.02,
    metavar="S",
    help="Relative difference that counts as none: 0.02 is 2 %. Default: 0.02.",
)
@click.option(
    "--confidence",
    type=float,
    default=0.95,
    metavar="P",
    help="Required confidence that the winner is best, or within the zone. Default: 0.95.",
)
@click.option(
    "--most", type=int, default=1000, metavar="N", help="Most runs per choice. Default: 1000."
)
@click.option(
    "--confirm",
    type=click.Choice(["live"]),
    help="Also run the best choice on real packets, and compare.",
)
@click.option(
    "--journal",
    metavar="FILE",
    type=FILE,
    help="Keep each run in FILE as it ends; a later call resumes from it.",
)
@click.option(
    "--plot",
    "picture",
    metavar="FILE.svg",
    type=FILE,
    help="Draw a figure of the means; .svg, .pdf or .png.",
)
@click.option(
    "--report", metavar="FILE.html", type=FILE, help="Write a page that explains the choice."
)
@set_option
@seed_options
@format_option
def advise(
    *,
    file: str,
    goal: str,
    overs: tuple[str, ...],
    sets: tuple[str, ...],
    picture: str | None,
    report: str | None,
    form: str,
    **options: Any,
) -> None:
    """Say which choice is best on the link of FILE.

    \b
    Examples:
      airtcp advise examples/upload.toml --goal delay --over tcp.congestion=reno,cubic,bbr
      airtcp advise examples/pages.toml --goal completion --over 'queue=50,{kind="fq-codel"}'
      airtcp advise examples/arq.toml --set channel.mean_burst=20 --goal energy \\
          --over link.arq.attempts=1,16,128 --report energy.html

    Models rule out choices that are far behind; the others are simulated until one is left. On a
    path of one hop, `queue` means path.hop[0].queue, and `link.arq.attempts` means
    path.hop[0].arq.attempts.
    """
    from airtcp.advice.advise import advise as choose  # noqa: PLC0415
    from airtcp.cli.advise_text import advise_text  # noqa: PLC0415
    from airtcp.export import FIGURES, check_target  # noqa: PLC0415

    if picture is not None:
        check_target(picture, FIGURES, "plot")
    if report is not None:
        check_target(report, (".html",), "report")
    over = parse_overs(overs)
    advice = choose(load_scenario(file, sets), goal, over, progress=is_stderr_terminal(), **options)
    if picture is not None:
        advice.plot(picture)
    if report is not None:
        from airtcp.report.advice import write_advice  # noqa: PLC0415

        write_advice(advice, report)
    print_result(advise_text(advice, form))

"""`airtcp contest`: which variant gets what beside which other."""

from __future__ import annotations

from typing import Any

import click

from airtcp.cli import known_words
from airtcp.cli.app import is_stderr_terminal, print_notice, print_result
from airtcp.cli.arguments import load_scenario
from airtcp.cli.completion import FILE, NameParam
from airtcp.cli.options import format_option, seed_options, set_option


@click.command()
@click.argument("file", type=FILE)
@click.option(
    "--variants",
    required=True,
    metavar="A,B,...",
    type=NameParam(known_words.variants, listed=True),
    help="Variants to compare, separated by commas without spaces.",
)
@click.option(
    "--flows", type=int, default=1, metavar="N", help="Number of flows of each variant. Default: 1."
)
@click.option(
    "--replications",
    type=int,
    metavar="N",
    help="Number of replications per pair, of two runs each.",
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
    help="Draw a figure of the shares; .svg, .pdf or .png.",
)
@set_option
@seed_options
@format_option
def contest(
    *,
    file: str,
    variants: str,
    sets: tuple[str, ...],
    picture: str | None,
    form: str,
    **options: Any,
) -> None:
    """Let every pair of variants compete on the path of FILE, and say how they share it.

    \b
    Examples:
      airtcp contest examples/growth.toml --variants reno,cubic,veno \\
        --set tcp.variant=sack --set 'path.hop[0].channel.loss_rate=0.001'
      airtcp contest examples/linux.toml --variants cubic,bbr --flows 2 \\
        --set 'path.hop[0].channel.loss_rate=0.001' --plot shares.svg

    All flows are copies of the first flow in FILE, apart from the variant. The share of a variant
    is the goodput of its flows, divided by the goodput of both variants. Each replication is
    simulated twice, so that each variant starts first once; the order of names has no effect.
    """
    from airtcp.cli.contest_text import contest_text  # noqa: PLC0415
    from airtcp.export import FIGURES, check_target  # noqa: PLC0415
    from airtcp.simulation.contests import contest as compete  # noqa: PLC0415

    if picture is not None:
        check_target(picture, FIGURES, "plot")
    names = [name for name in variants.split(",") if name]
    contest = compete(load_scenario(file, sets), names, progress=is_stderr_terminal(), **options)
    if picture is not None:
        contest.plot(picture)
    print_result(contest_text(contest, form))
    if warning := contest.transient:
        print_notice(warning)

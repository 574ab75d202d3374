"""`airtcp packetdrill`: scripts on the TCP of Linux."""

from __future__ import annotations

import json
import sys

import click

from airtcp.cli.app import print_notice, print_result
from airtcp.cli.completion import FILE
from airtcp.terminal import escape_json

EXIT_CODES = {"passes": 0, "fails": 1, "refused": 2}


@click.command()
@click.argument("scripts", nargs=-1, required=True, metavar="SCRIPT...", type=FILE)
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json"]),
    default="text",
    help="Output format; text is one line per script. Default: text.",
)
def packetdrill(*, scripts: tuple[str, ...], form: str) -> None:
    """Play packetdrill scripts on the TCP of Linux 6.18, in logical time and without privileges.

    \b
    Examples:
      airtcp packetdrill fast_recovery.pkt
      airtcp packetdrill gtests/net/tcp --format json

    SCRIPT is a file, or a folder, in which every *.pkt file is played. Each script "passes", or
    the output names the first line at which the host departs from it, with the expected and the
    actual packet. No command in a script is executed; a script with an unknown construct is
    refused before playing. Output of Python code in a script goes to stderr, after the name of
    the script.

    The exit code is 0 if all pass, 1 if one fails, 2 if one is refused.
    """
    from airtcp.packetdrill import play  # noqa: PLC0415

    worst, entries = 0, []
    for verdict in play(scripts):
        worst = max(worst, EXIT_CODES[verdict.verdict])
        for line in verdict.printed:
            print_notice(f"{verdict.script}: printed: {line}")
        if form == "json":
            entries.append(verdict.to_dict())
        else:
            print_result(str(verdict))
    if form == "json":
        print_result(escape_json(json.dumps(entries, indent=2, ensure_ascii=False)))
    sys.exit(worst)

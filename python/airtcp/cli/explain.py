"""`airtcp explain`: a real sender's segments, one by one."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from airtcp.cli import known_words
from airtcp.cli.app import is_stderr_terminal, print_result
from airtcp.cli.completion import FILE, NameParam
from airtcp.cli.options import kernel_settings, table_or_json
from airtcp.errors import InputError

if TYPE_CHECKING:
    from airtcp.live.captures import ReplayExplanation


@click.command()
@click.argument("captures", nargs=-1, required=True, metavar="CAPTURE...", type=FILE)
@click.option(
    "--profile",
    type=NameParam(known_words.explained_profiles),
    default="linux",
    help="TCP whose rules our sender follows. Default: linux.",
)
@click.option(
    "--control",
    metavar="NAME",
    type=NameParam(known_words.explained_controls),
    help="Congestion control: reno, cubic or bbr. Default: the one that the capture names, else the"
    " one that explains most segments.",
)
@click.option(
    "--connection",
    type=int,
    metavar="N",
    help="Number of the connection in the file, from 0. Default: the replayable connection with the"
    " most data.",
)
@click.option(
    "--nodelay/--nagle",
    default=None,
    help="Whether the sender had TCP_NODELAY set (--nodelay) or used Nagle's rule (--nagle).",
)
@click.option(
    "--sndbuf",
    type=int,
    metavar="BYTES",
    help="Send buffer of the sender (SO_SNDBUF in force), in bytes.",
)
@kernel_settings("Kernel setting of the sender's host. Repeat for several.")
@click.option(
    "--change",
    "changes",
    multiple=True,
    metavar="RULE",
    type=NameParam(known_words.changes),
    help="Replace one rule of our sender, to test a hypothesis. Repeat for several.",
)
@click.option(
    "--differences",
    type=int,
    default=100,
    metavar="N",
    help="Stop after N differences. Default: 100.",
)
@click.option("--quiet", is_flag=True, help="Show no progress.")
@table_or_json
def explain(
    *,
    captures: tuple[str, ...],
    sysctls: tuple[str, ...],
    form: str,
    quiet: bool,
    **asked: Any,
) -> None:
    """Replay the sender of each CAPTURE: feed the ACKs that it received into our own sender, and
    compare every segment sent.

    \b
    Examples:
      airtcp explain upload.pcapng --control cubic
      airtcp explain tests/captures/forced.zip
      airtcp live link.toml --congestion cubic --out run; airtcp explain run
      airtcp explain upload.pcap --control bbr --sysctl net.ipv4.tcp_reordering=5 --format json

    CAPTURE is a pcap or pcapng file, a .zip of such files, or the folder of an `airtcp live` run.
    The file may be compressed; it must have been taken at the sender's host and show the handshake.
    Settings that neither the capture nor an option gives are inferred from the segments (ticks,
    writes, Nagle's rule, congestion control) or assumed (Linux's defaults); the last lines list
    them. Artefacts of capturing are named, and corrected where possible. RULE is one of no-prr,
    double-reordering, no-hystart, no-undo, initial-window-3. The exit code is 0 if nothing differs,
    1 if something differs, 2 if a capture is refused.
    """
    from airtcp.cli.explain_text import RefusedCapture, explanations_json, explanations_text  # noqa: PLC0415
    from airtcp.live.captures import explain as explained  # noqa: PLC0415
    from airtcp.support.progress import progress_report  # noqa: PLC0415

    settings = dict(_parse_setting(sysctl) for sysctl in sysctls)
    answers: list[ReplayExplanation | RefusedCapture] = []

    def note(name: str, error: InputError) -> None:
        answers.append(RefusedCapture(name, error))

    with progress_report(is_stderr_terminal() and not quiet) as report:
        asked |= {"settings": settings, "report": report}
        for name in captures:
            try:
                for answer in explained(name, refused=note, **asked):
                    answers.append(answer)
            except InputError as error:
                answers.append(RefusedCapture(name, error))
    wrong = [capture for capture in answers if isinstance(capture, RefusedCapture)]
    if wrong and len(answers) == 1:
        raise wrong[0].error
    print_result(explanations_json(answers) if form == "json" else explanations_text(answers))
    if wrong:
        sys.exit(2)
    if not all(isinstance(capture, RefusedCapture) or capture.agrees for capture in answers):
        sys.exit(1)


def _parse_setting(text: str) -> tuple[str, str]:
    name, sign, value = text.partition("=")
    if not sign or not name:
        raise InputError(f"--sysctl {text}: must be NAME=VALUE")
    return name, value

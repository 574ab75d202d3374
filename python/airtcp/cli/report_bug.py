"""`airtcp report-bug`: facts that help to find a mistake, and nothing private."""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Iterator, Sequence

import click

from airtcp.cli.app import print_result, print_warnings
from airtcp.cli.arguments import STANDARD_INPUT, assignment, load_scenario
from airtcp.cli.completion import FILE
from airtcp.cli.options import set_option
from airtcp.errors import InputError
from airtcp.terminal import printable_lines


@click.command(name="report-bug")
@click.argument("file", required=False, type=FILE)
@set_option
def report_bug(file: str | None, sets: tuple[str, ...]) -> None:
    """Print versions, the system and a digest of the scenario in FILE, for a bug report.

    \b
    Examples:
      airtcp report-bug
      airtcp report-bug examples/pedestrian.toml --set tcp.variant=reno

    The digest is that of the scenario, or that of the file itself if the scenario is refused. The
    output contains no name of a file, a folder, a user or a machine.
    """
    from airtcp.support.surroundings import describe_environment  # noqa: PLC0415

    environment = describe_environment()
    if file is not None:
        environment["scenario"] = "; ".join(_scenario_lines(file, sets))
    width = max(map(len, environment))
    print_result(printable_lines(f"{name:{width}}  {text}" for name, text in environment.items()))


def _scenario_lines(file: str, sets: Sequence[str]) -> Iterator[str]:
    """Describe the scenario; a refusal goes to stderr, since it may quote the scenario.

    Raises `InputError` for a file that cannot be read and for options that set nothing.
    """
    for assignment_text in sets:
        assignment(assignment_text)
    try:
        scenario = load_scenario(file, sets)
        points = scenario.points()
    except InputError as refused:
        digest = _digest_of_file(file)
        if digest is None:  # the command line is wrong, not the scenario
            raise
        print_warnings([str(refused)])
        yield f"refused, {digest}"
        return
    hashes = [point.hash for point in points]
    whole = hashlib.sha256("".join(hashes).encode()).hexdigest()[:16]
    yield f"hash {hashes[0] if len(hashes) == 1 else whole}"
    yield f"points {len(hashes)}"
    yield f"profile {points[0].data['profile']}"
    yield f"with --set {len(sets)} times" if sets else "as it stands"


def _digest_of_file(file: str) -> str | None:
    """Words for a file whose scenario is refused; None if there is nothing to read."""
    from pathlib import Path  # noqa: PLC0415

    from airtcp.support.files import read_file  # noqa: PLC0415

    if file == STANDARD_INPUT:
        return None if sys.stdin is None else "from standard input"
    try:
        return f"file {hashlib.sha256(read_file(Path(file))).hexdigest()[:16]}"
    except (InputError, OSError):
        return None

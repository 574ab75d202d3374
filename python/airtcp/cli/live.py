"""`airtcp live`: real programs on the path of a scenario."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from airtcp.cli import known_words
from airtcp.cli.app import print_notice, print_result
from airtcp.cli.arguments import assignment, load_scenario
from airtcp.cli.completion import FILE, FOLDER, NameParam
from airtcp.cli.options import kernel_settings, set_option
from airtcp.errors import InputError, refusal, set_words
from airtcp.terminal import printable_lines

if TYPE_CHECKING:
    from airtcp.scenario.scenario import Scenario

CONTROL_SYSCTL = "net.ipv4.tcp_congestion_control"
TRANSFER_OPTIONS = ("congestion", "stack", "peer")


class LiveCommand(click.Command):
    """Says where the words of COMMAND stand if one of them was taken for an option."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse as click does; explain an unknown option that may be a word of COMMAND."""
        try:
            return super().parse_args(ctx, args)
        except click.NoSuchOption as error:
            hint = "" if "--" in args else " If it belongs to COMMAND, put -- before COMMAND."
            raise click.UsageError(error.format_message() + hint, ctx) from None


@click.command(cls=LiveCommand)
@click.argument("file", type=FILE)
@click.argument("command", nargs=-1, type=click.UNPROCESSED)
@set_option
@click.option("--for", "length", metavar="T", help="Longest time of the run: 60s, 5min.")
@click.option(
    "--seed", type=int, default=1, metavar="N", help="Seed of all random numbers. Default: 1."
)
@click.option(
    "--server",
    metavar="'COMMAND'",
    help="Server to run on the far side; COMMAND starts when it listens.",
)
@click.option("--user", metavar="NAME", help="User who runs COMMAND and the server; needs root.")
@click.option(
    "--env",
    multiple=True,
    metavar="NAME",
    help="Environment variable to pass on, with --user. Repeat for several.",
)
@click.option(
    "--sender",
    type=click.Choice(["near", "far"]),
    default="near",
    help="Side that sends the data: near for an upload, far for a download. Default: near.",
)
@click.option(
    "--kernel",
    type=click.Choice(["default", "scenario"]),
    help="TCP settings of the kernel: its own, or those of the scenario. Default: default; for the"
    " built-in transfer: scenario.",
)
@click.option(
    "--congestion",
    metavar="NAME",
    type=NameParam(known_words.kernel_controls),
    help="Congestion control of the kernel, for the built-in transfer: reno, cubic, bbr.",
)
@click.option(
    "--stack",
    is_flag=False,
    flag_value="scenario",
    metavar="[VARIANT]",
    type=NameParam(known_words.variants),
    help="Use our own TCP for the built-in transfer. Default of VARIANT: tcp.variant, else"
    " tcp.congestion.",
)
@click.option(
    "--peer",
    metavar="[airtcp|kernel]",
    type=NameParam(lambda _: ("airtcp", "kernel")),
    help="TCP on the far side, with --stack: our own, or the kernel's. Default: airtcp.",
)
@click.option(
    "--size", metavar="N", help="Size of the built-in transfer: 5MB. Default: the size in [[flow]]."
)
@kernel_settings("Kernel setting of both sides. Repeat for several.")
@click.option(
    "--mtu", type=int, metavar="N", help="MTU of the path, in bytes. Default: tcp.packet."
)
@click.option(
    "--out", metavar="DIR", type=FOLDER, help="Write the packet log and captures into DIR."
)
@click.option(
    "--snap",
    type=int,
    default=128,
    metavar="N",
    help="Bytes captured of each packet. Default: 128.",
)
@click.option(
    "--tc", is_flag=True, help="Print commands of tc-netem(8) that emulate the path, and stop."
)
@click.option("--quiet", is_flag=True, help="Print no report on stderr.")
def live(
    *,
    file: str,
    command: tuple[str, ...],
    sets: tuple[str, ...],
    length: str | None,
    sysctls: tuple[str, ...],
    kernel: str | None,
    size: str | None,
    quiet: bool,
    tc: bool,
    **options: Any,
) -> None:
    """Run COMMAND on one side of the path in FILE, in real time.

    \b
    Examples:
      airtcp live examples/pedestrian.toml -- ping -c 5 10.77.0.2
      airtcp live examples/pedestrian.toml --sender far --server 'python3 -m http.server 8000' \\
        -- curl -O http://10.77.0.2:8000/file
      airtcp live examples/handover.toml --for 20s
      airtcp live examples/probing.toml --stack tahoe-probing
      airtcp live examples/handover.toml --stack newreno --peer kernel --size 1MB

    The far side has the address 10.77.0.2, which $AIRTCP_PEER holds. The exit code is that of
    COMMAND, or 124 if the time ran out.

    Without COMMAND a built-in transfer sends data over the kernel's TCP, or with --stack over our
    own, with the settings of the scenario. Its exit code is 0 if all data arrived; 124 if the time
    ran out before; 1 if the transfer was cut, if the data arrived changed, or if no connection
    could be made.
    """
    from airtcp.live import live as run_live  # noqa: PLC0415
    from airtcp.live import transfer  # noqa: PLC0415

    given = load_scenario(file, sets)
    elsewhere = {"live.congestion", "tcp.congestion"} if options["congestion"] else set()
    elsewhere |= {"live.stack"} if options["stack"] else set()
    elsewhere |= (
        {"tcp.variant", "tcp.congestion"} if options["stack"] not in (None, "scenario") else set()
    )
    transfers = not (command or tc)
    ignored = [] if transfers else ["live."] if kernel == "scenario" else ["tcp.", "live."]
    scenario, chosen = _first_point(given, ignored, elsewhere)
    if tc:
        from airtcp.links.netem import tc_lines  # noqa: PLC0415
        from airtcp.live.session import point_of  # noqa: PLC0415

        print_result(printable_lines(tc_lines(point_of(scenario))))
        _print_report(chosen, quiet)
        return
    seconds = None if length is None else _parse_seconds(length)
    settings = {key: str(value) for key, value in (_parse_setting(sysctl) for sysctl in sysctls)}
    if command:
        _refuse_with_command(size=size, **{name: options.pop(name) for name in TRANSFER_OPTIONS})
        kind = kernel or "default"
        report = run_live(
            scenario, command, seconds=seconds, kernel=kind, settings=settings, **options
        )
        _print_report(chosen + _control_note(scenario, report.control) + report.lines(), quiet)
        sys.exit(report.exit_code)
    for name in ("server", "user", "env"):
        if options.pop(name) not in (None, ()):
            raise InputError(f"--{name}: needs a COMMAND")
    found = transfer(
        scenario,
        seconds=seconds,
        size=None if size is None else _parse_bytes(size),
        kernel=kernel or "scenario",
        settings=settings,
        **options,
    )
    notes = [] if options["stack"] or found.tcp == "airtcp" else _builtin_transfer_note(scenario)
    _print_report(chosen + notes + found.report.lines(), quiet)
    print_result(str(found))
    sys.exit(found.exit_code)


def _refuse_with_command(**given: object) -> None:
    for name, value in given.items():
        if value is not None:
            hint = "; with a COMMAND use --sysctl" if name == "congestion" else ""
            raise InputError(f"--{name}: is for the built-in transfer only{hint}")


def _first_point(
    scenario: Scenario, ignored: Sequence[str], elsewhere: set[str]
) -> tuple[Scenario, list[str]]:
    """The first point of a sweep, and a note on the values chosen, since a run has one of each key.

    The note leaves out keys under the paths `ignored`, and keys that appear `elsewhere`.
    """
    from airtcp.live.session import varying_keys  # noqa: PLC0415
    from airtcp.live.transfer import point_scenario  # noqa: PLC0415
    from airtcp.support.format import format_coordinate  # noqa: PLC0415

    points = scenario.points()
    first = points[0].coordinates
    named = [key for key in varying_keys(points) if not key.startswith(tuple(ignored))]
    named = [key for key in named if key not in elsewhere]
    if not named:
        return scenario, []
    values = ", ".join(f"{key} = {format_coordinate(first[key])}" for key in named)
    others = " ".join(map(set_words, named))
    note = f"the run uses the first of several values: {values}; choose another by {others}"
    return point_scenario(points[0].data), [note]


def _builtin_transfer_note(scenario: Scenario) -> list[str]:
    """Note on the built-in transfer, which stands in where the kernel has no such variant."""
    from airtcp.live.points import KERNEL_VARIANTS  # noqa: PLC0415
    from airtcp.metrics.layout import tcp_of  # noqa: PLC0415

    variant = tcp_of(scenario.points()[0].data).get("variant")
    if variant in (None, *KERNEL_VARIANTS):  # profile linux has none
        return []
    return [f"the kernel has no {variant}; its NewReno ran instead"]


def _control_note(scenario: Scenario, host: str | None) -> list[str]:
    """Note on the congestion control of the programs, and on how to give them the scenario's."""
    from airtcp.live.points import live_congestion_of, reason_without_control  # noqa: PLC0415
    from airtcp.live.session import point_of  # noqa: PLC0415

    if host is None:
        return []
    control = live_congestion_of(point_of(scenario).data)
    ran = f"programs that choose no congestion control use the host's {host}"
    if control == host:
        return [f"{ran}, which is the scenario's"]
    if why_not := reason_without_control(control):
        return [f"{ran}; {why_not}"]
    return [f"{ran}; --sysctl {CONTROL_SYSCTL}={control} gives them the scenario's"]


def _parse_setting(text: str) -> tuple[str, Any]:
    return assignment(text, "--sysctl", "net.ipv4.tcp_sack=0")


def _print_report(lines: list[str], quiet: bool) -> None:
    for line in [] if quiet else lines:
        print_notice(f"airtcp live: {line}")


def _parse_bytes(text: str) -> int:
    from airtcp.live.transfer import LARGEST_SIZE  # noqa: PLC0415
    from airtcp.support.units import parse_quantity  # noqa: PLC0415

    quantity = parse_quantity(text)
    is_whole_number = (
        quantity is not None and 1 <= quantity.number <= LARGEST_SIZE and quantity.number % 1 == 0
    )
    if quantity is None or quantity.unit != "B" or not is_whole_number:
        raise refusal("--size", text, "whole bytes, at least 1, such as 5MB or 700kB")
    return int(quantity.number)


def _parse_seconds(text: str) -> float:
    from airtcp.support.units import parse_quantity  # noqa: PLC0415

    quantity = parse_quantity(text)
    if quantity is None or quantity.unit != "s" or quantity.number <= 0:
        raise refusal("--for", text, "a time above 0 such as 60s")
    return float(quantity.number)

"""`airtcp trace`: every event of a run."""

from __future__ import annotations

import sys
from typing import Any

import click

from airtcp.cli.app import is_stderr_terminal, print_result
from airtcp.cli.arguments import load_scenario
from airtcp.cli.completion import FILE, FOLDER
from airtcp.cli.options import set_option
from airtcp.errors import InputError


@click.command()
@click.argument("file", required=False, type=FILE)
@click.option(
    "--replay",
    metavar="DIR",
    type=FOLDER,
    help="Folder of `airtcp live --out` to replay, in place of FILE.",
)
@click.option(
    "-o", "--out", metavar="X", type=FILE, help="Output file; its suffix selects the format."
)
@set_option
@click.option(
    "--seed", type=int, default=1, metavar="N", help="Seed of all random numbers. Default: 1."
)
@click.option(
    "--replication",
    type=int,
    default=0,
    metavar="N",
    help="Number of the replication, from 0. Default: 0.",
)
@click.option(
    "--kind",
    type=click.Choice(["sequence", "paper", "window", "queue", "delay", "rate"]),
    help="Kind of figure. Default: sequence.",
)
@click.option(
    "--table",
    type=click.Choice(
        ["events", "queue", "sojourn", "busy", "drops", "marks", "traffic", "statistics"]
    ),
    help="Table in a .csv or .parquet file. Default: events.",
)
@click.option(
    "--flow",
    type=int,
    metavar="N",
    help="Restrict the table or figure to flow N. Default: all flows, but flow 0 for --kind"
    " sequence, paper and window, and for .xpl files.",
)
@click.option(
    "--advertised/--no-advertised",
    default=None,
    help="Draw the edge of the advertised window, or leave it out, with --kind sequence. Default:"
    " draw it if it is near.",
)
@click.option(
    "--from", "start", type=float, metavar="S", help="Leave out events before S, in seconds."
)
@click.option("--to", "end", type=float, metavar="S", help="Leave out events after S, in seconds.")
def trace(
    *,
    file: str | None,
    replay: str | None,
    sets: tuple[str, ...],
    out: str | None,
    **options: Any,
) -> None:
    """Run the scenario in FILE once and write its events to a file.

    \b
    Examples:
      airtcp trace examples/fig5.toml -o events.parquet
      airtcp trace examples/fig5.toml -o fig5.svg --kind paper
      airtcp trace examples/fig5.toml -o tahoe.pcapng --set tcp.variant=tahoe
      airtcp trace examples/fig5.toml -o queue.svg --kind queue --set tcp.variant=tahoe
      airtcp trace examples/fig5.toml -o sojourns.csv --table sojourn
      airtcp trace --replay out/live -o packets.parquet

    .csv and .parquet files are tables, a .pcapng file is a capture for Wireshark, and a .xpl file
    is for xplot. .svg, .pdf and .png files are figures with one panel per point of a sweep.

    \b
    --kind sequence, paper, window: the packets and the window of one flow
    --kind queue: the queue of each link, and the losses there
    --kind delay: delays of packets from end to end, and in each queue
    --kind rate: goodput of flows and cross-traffic, and utilisation of links
    --table queue, sojourn, busy, drops, marks: events on the links
    --table traffic: the packets of cross-traffic
    --table statistics: packets, drops, marks and waits of each flow in each queue
    --flow N: events, waits and losses of its packets; queue and busy show the links they cross

    --replay sends the packets in the log of a live run over the simulated hops, and compares the
    fate of each. The exit code is 1 if one differs; -o writes the log as a table.
    """
    if replay is not None:
        if file is not None or sets:
            raise InputError(
                "--replay: takes the scenario from its folder; leave out FILE and --set"
            )
        sys.exit(_compare_with_replay(replay, out))
    if file is None or out is None:
        raise InputError(f"{'FILE' if file is None else '--out'}: is missing")
    from airtcp.cli.trace_command import write_trace  # noqa: PLC0415

    print_result(
        write_trace(load_scenario(file, sets), out, progress=is_stderr_terminal(), **options)
    )


def _compare_with_replay(folder: str, out: str | None) -> int:
    """Compare the log of a live run with its replay; 1 if a packet fared otherwise."""
    from airtcp.live.log import LiveLog, write_log  # noqa: PLC0415

    log = LiveLog(folder)
    if out is not None:
        print_result(write_log(log, out))
    replay = log.replay()
    print_result(str(replay))
    return 1 if replay.differing else 0

"""`airtcp trace`: every event of a run."""

from __future__ import annotations

import sys
from typing import Any

import click

from airtcp.cli.app import put, watched
from airtcp.cli.arguments import scenario_in
from airtcp.cli.completion import FILE, FOLDER
from airtcp.cli.options import setting
from airtcp.errors import InputError


@click.command()
@click.argument("file", required=False, type=FILE)
@click.option(
    "--replay", metavar="DIR", type=FOLDER, help="Instead of FILE: what `airtcp live --out` wrote."
)
@click.option("-o", "--out", metavar="X", type=FILE, help="The file; its suffix says what.")
@setting
@click.option("--seed", type=int, default=1, metavar="N", help="Default: 1.")
@click.option("--replication", type=int, default=0, metavar="N", help="Default: 0, the first.")
@click.option(
    "--kind",
    type=click.Choice(["sequence", "paper", "window", "queue", "delay", "rate"]),
    help="Of a figure. Default: sequence.",
)
@click.option(
    "--table",
    type=click.Choice(
        ["events", "queue", "sojourn", "busy", "drops", "marks", "traffic", "statistics"]
    ),
    help="Of a .csv or .parquet file. Default: events.",
)
@click.option(
    "--flow",
    type=int,
    metavar="N",
    help="Of a table or a figure. Default: all; of sequence, paper, window and .xpl: 0.",
)
@click.option(
    "--advertised/--no-advertised",
    default=None,
    help="The edge of the advertised window in a figure of kind sequence. Default: if it is near.",
)
@click.option("--from", "start", type=float, metavar="S", help="Leave out events before, seconds.")
@click.option("--to", "end", type=float, metavar="S", help="Leave out events after, seconds.")
def trace(
    *,
    file: str | None,
    replay: str | None,
    sets: tuple[str, ...],
    out: str | None,
    **options: Any,
) -> None:
    """Run the scenario in FILE once and write every event of it.

    \b
    Examples:
      airtcp trace examples/fig5.toml -o events.parquet
      airtcp trace examples/fig5.toml -o fig5.svg --kind paper
      airtcp trace examples/fig5.toml -o tahoe.pcapng --set tcp.variant=tahoe
      airtcp trace examples/fig5.toml -o queue.svg --kind queue --set tcp.variant=tahoe
      airtcp trace examples/fig5.toml -o sojourns.csv --table sojourn
      airtcp trace --replay out/live -o packets.parquet

    .csv, .parquet: a table; .pcapng: a capture for Wireshark; .xpl: for xplot;
    .svg, .pdf, .png: a figure, one panel per point of a sweep.

    \b
    --kind sequence, paper, window: the packets and the window of one flow
    --kind queue: what waits for each link, and what is lost there
    --kind delay: delays of packets from end to end, and in each queue
    --kind rate: what arrives of flows and cross-traffic, how busy links are
    --table queue, sojourn, busy, drops, marks: what happens on the links
    --table traffic: the packets of cross-traffic
    --table statistics: packets, drops, marks and waits of each flow in each queue
    --flow N: events, waits and losses of its packets; queue and busy: of the links they cross

    --replay sends the packets that a
    live run has logged over the simulator's hops and compares every fate; the exit code is 1 if one
    differs, and -o writes the log as a table.
    """
    if replay is not None:
        if file is not None or sets:
            raise InputError(
                "--replay: takes the scenario from its folder; leave out FILE and --set"
            )
        sys.exit(_replay(replay, out))
    if file is None or out is None:
        raise InputError(f"{'FILE' if file is None else '--out'}: is missing")
    from airtcp.cli.trace_command import write_trace  # noqa: PLC0415

    put(write_trace(scenario_in(file, sets), out, progress=watched(), **options))


def _replay(folder: str, out: str | None) -> int:
    """Compare the log of a live run with its replay; 1 if a packet fared otherwise."""
    from airtcp.live.log import LiveLog, write_log  # noqa: PLC0415

    log = LiveLog(folder)
    if out is not None:
        put(write_log(log, out))
    replay = log.replay()
    put(str(replay))
    return 1 if replay.differing else 0

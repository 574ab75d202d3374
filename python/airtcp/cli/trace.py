"""`airtcp trace`: every event of a run."""

from __future__ import annotations

from typing import Any

import click

from airtcp.cli.app import put, watched
from airtcp.cli.arguments import scenario_in
from airtcp.cli.options import setting


@click.command()
@click.argument("file")
@click.option("-o", "--out", required=True, metavar="X", help="The file; its suffix says what.")
@setting
@click.option("--seed", type=int, default=1, metavar="N", help="Default: 1.")
@click.option("--replication", type=int, default=0, metavar="N", help="Default: 0, the first.")
@click.option(
    "--kind",
    type=click.Choice(["sequence", "paper", "window"]),
    help="Of a figure. Default: sequence.",
)
@click.option("--flow", type=int, default=0, metavar="N", help="Of a figure. Default: 0.")
@click.option("--from", "start", type=float, metavar="S", help="Leave out events before, seconds.")
@click.option("--to", "end", type=float, metavar="S", help="Leave out events after, seconds.")
def trace(*, file: str, sets: tuple[str, ...], out: str, **options: Any) -> None:
    """Run the scenario in FILE once and write every event of it.

    \b
    Examples:
      airtcp trace examples/fig5.toml -o events.parquet
      airtcp trace examples/fig5.toml -o fig5.svg --kind paper
      airtcp trace examples/fig5.toml -o tahoe.pcapng --set tcp.variant=tahoe

    .csv, .parquet: the table of events; .pcapng: a capture for Wireshark; .xpl: for xplot;
    .svg, .pdf, .png: a figure, one panel per point of a sweep.
    """
    from airtcp.cli.trace_command import write_trace  # noqa: PLC0415

    put(write_trace(scenario_in(file, sets), out, progress=watched(), **options))

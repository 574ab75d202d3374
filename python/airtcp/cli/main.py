"""The command line. It reads arguments, calls the library and prints; nothing is computed here.

stdout carries the result alone. Whatever is wrong with the input is one line on stderr and exit
code 2, a full disk or a lost cluster a line and 1; an interrupted run exits with 130, a terminated
one with 143.
"""

from __future__ import annotations

import click

from airtcp import _native
from airtcp.cli.advise import advise
from airtcp.cli.app import AirtcpGroup
from airtcp.cli.completion import completion
from airtcp.cli.contest import contest
from airtcp.cli.explain import explain
from airtcp.cli.explore import explore
from airtcp.cli.fit import fit
from airtcp.cli.live import live
from airtcp.cli.names import cite, list_names, schema
from airtcp.cli.packetdrill import packetdrill
from airtcp.cli.report_bug import report_bug
from airtcp.cli.reproduce import reproduce
from airtcp.cli.results import plot, results
from airtcp.cli.run import run
from airtcp.cli.sweep import plan, sweep
from airtcp.cli.timeseries import timeseries
from airtcp.cli.trace import trace


@click.group(
    cls=AirtcpGroup,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(_native.__version__, prog_name="airtcp", message="%(prog)s %(version)s")
@click.pass_context
def main(context: click.Context) -> None:
    """A laboratory for TCP over wireless links. FILE is a scenario file; - reads standard input.

    \b
    Examples:
      airtcp run examples/pedestrian.toml
      airtcp run examples/pedestrian.toml --set tcp.window=6 --engine analysis
      airtcp run examples/pedestrian.toml --out out/pedestrian
      airtcp sweep examples/window.toml --out out/window
      airtcp reproduce zorzi/fig2 --quick
    """
    if context.invoked_subcommand is None:
        click.echo(context.get_help())


COMMANDS = (  # in the order in which people meet them, each with a line of at most 62 characters
    (run, "Answer a scenario by analysis, simulation and live runs."),
    (explore, "Open a page in which sliders change link and TCP."),
    (list_names, "List the names known to scenarios and commands."),
    (fit, "Turn measurements of your link into a scenario."),
    (plan, "Estimate how many runs a sweep takes, and how long."),
    (sweep, "Simulate every point of a scenario into a folder."),
    (results, "Summarise, rank or query the results of a sweep."),
    (plot, "Draw the results of a sweep."),
    (contest, "Let each pair of TCP variants compete on one path."),
    (advise, "Choose the best TCP, queue or window for a link."),
    (timeseries, "Show goodput, fairness and queues over time."),
    (trace, "Write every event of one run, or a time-sequence graph."),
    (live, "Run a program's real packets over the path."),
    (explain, "Compare the sender in a capture with Linux's rules."),
    (packetdrill, "Play packetdrill scripts on the TCP of Linux."),
    (reproduce, "Regenerate a paper, with a verdict per claim."),
    (cite, "Print references for what a scenario uses."),
    (schema, "Print the JSON Schema of scenario files."),
    (completion, "Print a shell's completion script."),
    (report_bug, "Print versions and system for a bug report."),
)
for command, line in COMMANDS:
    command.short_help = line
    main.add_command(command)

"""`airtcp fit`: from files about a link to a scenario with that link."""

from __future__ import annotations

from typing import Any

import click

from airtcp.cli import known_words
from airtcp.cli.app import is_stderr_terminal, print_result
from airtcp.cli.arguments import assignment, toml_value
from airtcp.cli.completion import FILE, AssignmentParam, NameParam
from airtcp.cli.options import table_or_json
from airtcp.errors import InputError, quote_value


@click.command()
@click.argument("files", nargs=-1, required=True, metavar="FILE...", type=FILE)
@click.option(
    "-o", "--out", metavar="LINK.toml", type=FILE, help="Write the scenario to this file."
)
@click.option("--report", metavar="FILE.html", type=FILE, help="Write a page with figures.")
@click.option(
    "--facts", "only_facts", is_flag=True, help="Print the contents of the files, and stop."
)
@click.option(
    "--about",
    metavar="NAME",
    help="Name of the measurement to fit, if the files hold several. Default: the one with the"
    " most packets.",
)
@click.option(
    "--model",
    metavar="NAME",
    type=NameParam(known_words.fitted_models),
    help="Model of losses, or of rates. Default: the first model that predicts held-out losses"
    " about as well as the best and gives TCP the same goodput as the record.",
)
@click.option(
    "--delay",
    metavar="NAME",
    type=NameParam(known_words.fitted_delays),
    help="Model of delays. Default: the model with the fewest parameters among those that predict"
    " held-out delays about as well as the best.",
)
@click.option(
    "--light",
    metavar="FILE",
    type=FILE,
    help="Recording of the link under light load, beside a Mahimahi trace or a capture of the"
    " saturated link: packet trains over the idle link. Not with --rate, --model, --delay, --clock,"
    " --replay.",
)
@click.option(
    "--clock",
    type=click.Choice(["auto", "packet", "time"]),
    default="auto",
    help="Clock of the loss process: it advances per packet, or with time. Default: auto.",
)
@click.option(
    "--replay", is_flag=True, help="Use the record itself as the channel, in place of a model."
)
@click.option(
    "--rate",
    metavar="RATE",
    help="Rate of the link with its unit, where the files show none: 10Mbps.",
)
@click.option(
    "--queue", metavar="QUEUE", help="Queue of the link, in packets or as a size: 50, 100kB."
)
@click.option(
    "--tcp",
    "tcps",
    multiple=True,
    metavar="NAME",
    type=NameParam(known_words.explained_controls),
    help="Congestion control to run over the record and the model. Repeat for several. Default:"
    " cubic, bbr.",
)
@click.option(
    "--no-tcp", is_flag=True, help="Skip the comparison runs of TCP over the record and the model."
)
@click.option(
    "--udp-sequence",
    metavar="OFFSET:BYTES",
    help="Place of the sequence number in the UDP payload: an offset and a length such as 0:4, or"
    " rtp.",
)
@click.option(
    "--connection", type=int, metavar="N", help="Number of the connection in a capture, from 0."
)
@click.option(
    "--interval",
    type=float,
    metavar="SECONDS",
    help="Time between packets, for a log without times. Default: as the log says, else 1.",
)
@click.option(
    "--timeout",
    type=float,
    metavar="SECONDS",
    help="Time that ping on Windows waited for a reply (ping -w). Default: 4.",
)
@click.option(
    "--column",
    "columns",
    multiple=True,
    metavar="ROLE=COLUMN",
    type=AssignmentParam(known_words.roles_of_columns),
    help="Column of a table, by its heading or its number: rtt=3. Repeat for several.",
)
@click.option(
    "--unit",
    "units",
    multiple=True,
    metavar="ROLE=UNIT",
    type=AssignmentParam(known_words.units_of_columns),
    help="Unit of a column whose heading names none: rtt=us. Repeat for several.",
)
@click.option(
    "--seed", type=int, default=1, metavar="N", help="Seed of all random numbers. Default: 1."
)
@table_or_json
def fit(
    *,
    files: tuple[str, ...],
    out: str | None,
    report: str | None,
    only_facts: bool,
    form: str,
    tcps: tuple[str, ...],
    no_tcp: bool,
    queue: str | None,
    columns: tuple[str, ...],
    units: tuple[str, ...],
    **asked: Any,
) -> None:
    """Turn measurements of your link into a scenario.

    \b
    Examples:
      airtcp fit ping.txt -o link.toml; airtcp run link.toml
      airtcp fit upload.pcapng -o link.toml --report link.html
      airtcp fit call.pcap --udp-sequence rtp -o link.toml --rate 10Mbps
      airtcp fit ping.txt --replay -o link.toml
      airtcp fit busy.trace --light light.csv -o link.toml
      airtcp fit probes.csv --column time=1 --column rtt=4 --unit rtt=us -o link.toml
      airtcp fit iperf3.json --facts

    FILE is a capture (pcap, pcapng; of TCP, or of UDP with sequence numbers), a ping log (Linux,
    macOS, Windows), or the JSON output of iperf3 or irtt. It can also be a table of time, sequence
    number and round trip, a CSV with columns of losses, delays or rates, a Mahimahi trace, or the
    folder of an `airtcp live` run. Any of them may be compressed. Several files of one format are
    records of one link; two captures of one connection are its two ends.

    The command first prints the contents of the files and their oddities. Then it fits models of
    losses, outages and delays, with 95 % intervals, and chooses one by held-out losses
    (cross-validation); a test can reject them all. Finally it runs TCP over the record and over the
    model, and says whether both give the same.
    """
    from airtcp.cli.fit_text import facts_page, fit_text  # noqa: PLC0415
    from airtcp.export import check_target  # noqa: PLC0415
    from airtcp.fitted.fit import facts_of  # noqa: PLC0415
    from airtcp.fitted.fit import fit as fitted  # noqa: PLC0415

    reading = _given_reader_options(asked)
    reading |= {"columns": _assignments_by_role("--column", columns, "rtt=3")}
    reading |= {"units": _assignments_by_role("--unit", units, "rtt=ms")}
    if only_facts:
        print_result(facts_page(facts_of(files, progress=is_stderr_terminal(), **reading), form))
        return
    if out is not None:
        check_target(out, (".toml",), "out")
    if report is not None:
        check_target(report, (".html",), "report")
    asked |= {"queue": None if queue is None else toml_value(queue)}
    asked |= {"tcps": tcps} if tcps else {}
    if form == "table":  # the rest takes minutes, of which a pipe sees nothing
        asked |= {"on_facts": lambda facts: print_result(facts_page(facts, form))}
    result = fitted(files, check=not no_tcp, progress=is_stderr_terminal(), **asked, **reading)
    if out is not None:
        result.write(out)
    if report is not None:
        result.report(report)
    print_result(fit_text(result, form, out))


def _given_reader_options(asked: dict[str, Any]) -> dict[str, Any]:
    """Take the options of readers that were given."""
    names = ("udp_sequence", "connection", "interval", "timeout")
    taken = {name: asked.pop(name) for name in names}
    return {name: value for name, value in taken.items() if value is not None}


def _assignments_by_role(option: str, given: tuple[str, ...], example: str) -> dict[str, Any]:
    values_by_role: dict[str, Any] = {}
    for text in given:
        role, value = assignment(text, option, example)
        if role in values_by_role:
            raise InputError(f"{option} {quote_value(text)}: {role} is given twice; give it once")
        values_by_role[role] = value
    return values_by_role

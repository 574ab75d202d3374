"""`airtcp fit`: from files about a link to a scenario with that link."""

from __future__ import annotations

from typing import Any

import click

from airtcp.cli import known_words
from airtcp.cli.app import put, watched
from airtcp.cli.arguments import assignment, toml_value
from airtcp.cli.completion import FILE, Assigned, Name
from airtcp.cli.options import table_or_json
from airtcp.errors import InputError, shown


@click.command()
@click.argument("files", nargs=-1, required=True, metavar="FILE...", type=FILE)
@click.option("-o", "--out", metavar="LINK.toml", type=FILE, help="Write the scenario.")
@click.option("--report", metavar="FILE.html", type=FILE, help="Write a page with figures.")
@click.option("--facts", "only_facts", is_flag=True, help="Say what the files hold, and stop.")
@click.option("--about", metavar="NAME", help="Fit this one of the measurements in the files.")
@click.option(
    "--model",
    metavar="NAME",
    type=Name(known_words.loss_models),
    help="Loss model. Default: chosen by losses left out, and by TCP.",
)
@click.option(
    "--clock",
    type=click.Choice(["auto", "packet", "time"]),
    default="auto",
    help="Clock on which losses go on. Default: auto.",
)
@click.option("--replay", is_flag=True, help="Make the record itself the channel.")
@click.option("--rate", metavar="RATE", help="Rate of the link, where the files show none.")
@click.option("--queue", metavar="QUEUE", help="Queue of the link: packets, or such as 100kB.")
@click.option(
    "--tcp",
    "tcps",
    multiple=True,
    metavar="NAME",
    type=Name(known_words.explained_controls),
    help="Control run over record and model. Repeat for several. Default: cubic, bbr.",
)
@click.option("--no-tcp", is_flag=True, help="Do not run TCP over record and model.")
@click.option(
    "--udp-sequence",
    metavar="OFFSET:BYTES",
    help="Number of datagrams in the payload of UDP: such as 0:4, or rtp.",
)
@click.option("--connection", type=int, metavar="N", help="Connection in a capture, from 0.")
@click.option(
    "--interval",
    type=float,
    metavar="SECONDS",
    help="Time between packets, where a log has no times. Default: as the log says, or 1.",
)
@click.option(
    "--timeout",
    type=float,
    metavar="SECONDS",
    help="Time that ping on Windows waits for an answer (ping -w). Default: 4.",
)
@click.option(
    "--column",
    "columns",
    multiple=True,
    metavar="ROLE=COLUMN",
    type=Assigned(known_words.roles_of_columns),
    help="Column of a table by its head or number: rtt=3. Repeat for several.",
)
@click.option(
    "--unit",
    "units",
    multiple=True,
    metavar="ROLE=UNIT",
    type=Assigned(known_words.units_of_columns),
    help="Unit of a column, where its head names none: rtt=us. Repeat for several.",
)
@click.option("--seed", type=int, default=1, metavar="N", help="Default: 1.")
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
      airtcp fit probes.csv --column time=1 --column rtt=4 --unit rtt=us -o link.toml
      airtcp fit iperf3.json --facts

    FILE is a capture (pcap, pcapng; with TCP, or UDP that counts its packets), a log of ping
    (Linux, macOS, Windows), or the JSON of iperf3 or irtt. It can also be a table of time, sequence
    number and round trip, a CSV with columns of losses, delays or rates, a trace of Mahimahi, or
    the folder of a run of airtcp live; compressed or not. Several files of one form are records of
    one link; two captures of one connection are its two ends.

    First it says what the files hold and what is odd about them. Then it fits models of losses,
    outages and delays, with 95 % intervals, and chooses by the losses left out of the fit; a test
    can reject them all. At last it runs TCP over the record and over the model, and says whether
    it does the same.
    """
    from airtcp.cli.fit_text import facts_page, fit_text  # noqa: PLC0415
    from airtcp.export import check_target  # noqa: PLC0415
    from airtcp.fitted.fit import facts_of  # noqa: PLC0415
    from airtcp.fitted.fit import fit as fitted  # noqa: PLC0415

    reading = _of_reading(asked)
    reading |= {"columns": _by_role("--column", columns, "rtt=3")}
    reading |= {"units": _by_role("--unit", units, "rtt=ms")}
    if only_facts:
        put(facts_page(facts_of(files, progress=watched(), **reading), form))
        return
    if out is not None:
        check_target(out, (".toml",), "out")
    if report is not None:
        check_target(report, (".html",), "report")
    asked |= {"queue": None if queue is None else toml_value(queue)}
    asked |= {"tcps": tcps} if tcps else {}
    if form == "table":  # the rest takes minutes, of which a pipe sees nothing
        asked |= {"on_facts": lambda held: put(facts_page(held, form))}
    found = fitted(files, check=not no_tcp, progress=watched(), **asked, **reading)
    if out is not None:
        found.write(out)
    if report is not None:
        found.report(report)
    put(fit_text(found, form, out))


def _of_reading(asked: dict[str, Any]) -> dict[str, Any]:
    """Take the options of readers that were given."""
    names = ("udp_sequence", "connection", "interval", "timeout")
    taken = {name: asked.pop(name) for name in names}
    return {name: value for name, value in taken.items() if value is not None}


def _by_role(option: str, given: tuple[str, ...], example: str) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for text in given:
        role, value = assignment(text, option, example)
        if role in found:
            raise InputError(f"{option} {shown(text)}: {role} is given twice")
        found[role] = value
    return found

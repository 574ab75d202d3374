"""`airtcp explore`: the laboratory as a page in a browser."""

from __future__ import annotations

import json
import webbrowser
from pathlib import Path

import click

from airtcp.cli.app import print_notice, print_result
from airtcp.cli.arguments import load_scenario
from airtcp.cli.completion import FILE
from airtcp.cli.options import set_option
from airtcp.errors import InputError, os_reason

PAGE_FOLDER = Path(__file__).parent.parent / "explorer"


@click.command()
@click.argument("file", required=False, type=FILE)
@set_option
@click.option("--port", type=click.IntRange(0, 65535), default=0, help="Port. Default: a free one.")
@click.option("--no-browser", is_flag=True, help="Print the address, and open nothing.")
def explore(file: str | None, sets: tuple[str, ...], port: int, no_browser: bool) -> None:
    """Open a page with sliders for link and TCP, in which every TCP is simulated at once.

    \b
    Examples:
      airtcp explore
      airtcp explore examples/pedestrian.toml

    The page is served on this machine alone, and simulates in the browser. Ctrl-C ends it.
    """
    from airtcp.cli.explore_server import address_of, create_server  # noqa: PLC0415

    if not (PAGE_FOLDER / "index.html").exists():
        raise InputError(
            "this installation is without the page: run make web in a clone of the repository"
        )
    document = None
    if file is not None:
        document = json.dumps(load_scenario(file, sets).to_dict()).encode()
    elif sets:
        raise InputError("--set needs a FILE whose values it changes")
    try:
        server = create_server(PAGE_FOLDER, document, port)
    except OSError as error:
        raise InputError(f"--port {port}: {os_reason(error)}") from None
    with server:
        address = address_of(server) + ("#given" if document else "")
        print_result(address)
        if not no_browser and not webbrowser.open(address):
            print_notice("no browser could be opened: open the address above")
        server.serve_forever()

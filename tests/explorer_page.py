"""The page of `airtcp explore` in a browser, for tests of it.

Tests that need the page, Node and chromium run with AIRTCP_WEB=1 alone, and fail without these.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from airtcp.cli.explore import PAGE_FOLDER
from airtcp.cli.explore_server import address_of, create_server

WEB = Path(__file__).parent.parent / "web"
HUNG = 590  # seconds after which something does not answer, however busy the machine is


def lacking() -> str:
    """Name a thing that was not built; empty if all is there."""
    if not (PAGE_FOLDER / "airtcp.wasm").exists():
        return "the page is not built: make web"
    if not (WEB / "node_modules" / "playwright-core").exists():
        return "packages of web/ are not installed: make web"
    return ""


needs_page = pytest.mark.skipif(
    os.environ.get("AIRTCP_WEB") != "1",
    reason="make web-test builds the page, and tests it with AIRTCP_WEB=1",
)


def node(script: str, given: Any) -> Any:
    """Answer of a script of web/test to JSON."""
    program, chromium = shutil.which("node"), shutil.which("chromium")
    assert program is not None, "there is no node"
    assert chromium is not None, "there is no chromium"
    assert lacking() == ""
    done = subprocess.run(
        [program, str(WEB / "test" / script)],
        input=json.dumps(given),
        env=os.environ | {"CHROMIUM": chromium},
        capture_output=True,
        text=True,
        check=False,
        timeout=HUNG,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return json.loads(done.stdout)


@contextmanager
def address_of_page() -> Iterator[str]:
    """The address of the page, which is served meanwhile."""
    with create_server(PAGE_FOLDER, None) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield address_of(server)
        server.shutdown()
        thread.join()

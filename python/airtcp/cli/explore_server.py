"""A server on loopback for the folder of the page, and for one document."""

from __future__ import annotations

from functools import partial
from http import HTTPStatus
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

LOOPBACK = "127.0.0.1"
# The page asks nobody else, and text from a document cannot become a script.
SECURITY_POLICY = (
    "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self';"
    " img-src 'self' data:; connect-src 'self'; worker-src 'self'; base-uri 'none';"
    " form-action 'none'; frame-ancestors 'none'"
)
DOCUMENT_PATH = "/given.json"
HEADERS = {
    "Content-Security-Policy": SECURITY_POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
}


def create_server(folder: Path, document: bytes | None, port: int = 0) -> ThreadingHTTPServer:
    """A server of a folder, and of a document in JSON if there is one; port 0: any free one."""
    handler = partial(_Handler, directory=str(folder), document=document)
    return ThreadingHTTPServer((LOOPBACK, port), handler)


def address_of(server: ThreadingHTTPServer) -> str:
    """The address at which a browser on this machine finds the page."""
    return f"http://{LOOPBACK}:{server.server_address[1]}/"


class _Handler(SimpleHTTPRequestHandler):
    """Files of the folder and the document; it reads nothing but these, and logs nothing."""

    # Not as the machine says, where `.js` may be anything.
    extensions_map = {  # noqa: RUF012  (the class that it comes from has it so)
        ".html": "text/html; charset=utf-8",
        ".js": "text/javascript; charset=utf-8",
        ".css": "text/css; charset=utf-8",
        ".wasm": "application/wasm",
        ".txt": "text/plain; charset=utf-8",
        "": "application/octet-stream",
    }

    def __init__(self, *args: Any, document: bytes | None, **more: Any) -> None:
        self.document = document
        super().__init__(*args, **more)

    def do_GET(self) -> None:
        """Answer with a file, or with the document."""
        if not self._has_local_host_name():
            self.send_error(HTTPStatus.FORBIDDEN)
        elif self.path == DOCUMENT_PATH and self.document is not None:
            self.send_response(HTTPStatus.OK)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(self.document)))
            self.end_headers()
            self.wfile.write(self.document)
        else:
            super().do_GET()

    def do_HEAD(self) -> None:
        """Answer with the headers of a file."""
        if self._has_local_host_name():
            super().do_HEAD()
        else:
            self.send_error(HTTPStatus.FORBIDDEN)

    def _has_local_host_name(self) -> bool:
        """Refuse other names for this machine, by which foreign pages could read the document."""
        try:
            # A browser leaves out port 80.
            name = urlsplit(f"//{self.headers.get('Host', '')}").hostname
        except ValueError:
            return False
        return name in (LOOPBACK, "localhost")

    def list_directory(self, path: Any) -> None:
        """Refuse to list a folder."""
        self.send_error(HTTPStatus.NOT_FOUND)

    def end_headers(self) -> None:
        """Add the headers that every answer has."""
        for name, value in HEADERS.items():
            self.send_header(name, value)
        super().end_headers()

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing: stderr is for mistakes."""

"""An end of the built-in transfer that ends it early: as endpoint.py, which $AIRTCP_ENDPOINT names.

$AIRTCP_CUT is ROLE:HOW. Who has the other role is the real one. Who has that role reads or sends
`AMOUNT` bytes, counts them as the real one does, and then does as HOW says: `reset` ends the
connection at once, `close` in order, `half` closes its own direction and reads on, `deaf` does
nothing any more until it is asked to stop, `kill` does not come to count.
"""

import hashlib
import os
import runpy
import signal
import socket
import struct
import sys
import time

AMOUNT = 70_080
role, how = os.environ["AIRTCP_CUT"].split(":")
real = os.environ["AIRTCP_ENDPOINT"]
if sys.argv[1] != role:
    runpy.run_path(real, run_name="__main__")
    sys.exit()
endpoint = runpy.run_path(real)


def end(connection: socket.socket) -> None:
    if how == "kill":
        os.kill(os.getpid(), signal.SIGKILL)
    if how == "reset":
        linger = struct.pack("ii", 1, 0)  # no time: socket(7)
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
    connection.close()


def receive(mode: str, file: str) -> None:
    with socket.create_server((os.environ["AIRTCP_ADDRESS"], endpoint["PORT"])) as server:
        connection, _ = server.accept()
    data = connection.recv(AMOUNT, socket.MSG_WAITALL)
    if how == "half":
        connection.shutdown(socket.SHUT_WR)
        while more := connection.recv(endpoint["CHUNK"]):
            data += more
    if how == "deaf":
        signal.signal(signal.SIGTERM, lambda *_: None)
        signal.pause()
    sha256 = hashlib.sha256(data).hexdigest() if mode == "digest" else None
    if how != "kill":
        endpoint["_write"](file, {"bytes": len(data), "sha256": sha256})
    end(connection)


def send(growth: str, file: str, content: str = "") -> None:
    period, source = endpoint["_content"](content)
    connection = endpoint["_open_socket"](growth)
    begun = time.monotonic()
    connection.connect((os.environ["AIRTCP_PEER"], endpoint["PORT"]))
    connection.sendall(source[: min(AMOUNT, period)])
    endpoint["_await_acks"](connection, AMOUNT, begun + 60)
    found = endpoint["_read_tcp_info"](connection) | {
        "seconds": time.monotonic() - begun,
        "ending": "",
    }
    if how != "kill":
        endpoint["_write"](file, found)
    end(connection)


if role == "receive":
    receive(*sys.argv[3:])
else:
    send(*sys.argv[5:])

"""The ends of the built-in transfer, programs of their own: they use the standard library only.

`python -m airtcp.live.endpoint receive WINDOW` takes one connection and reads it to the end, and
offers at most so many bytes (0: as the kernel likes);
`python -m airtcp.live.endpoint send SECONDS BYTES CONGESTION FILE` sends for so long or so much
(0: no limit) under a congestion control of the kernel, and writes to FILE what TCP_INFO says when
that is acknowledged or the time is over. It ends with 3 if the kernel does not offer that control.
"""

from __future__ import annotations

import json
import os
import socket
import struct
import sys
import time

PORT = 5201
CHUNK = 1 << 17
NOT_OFFERED = 3
CLAMP, INFO, CONGESTION = 10, 11, 13  # TCP_WINDOW_CLAMP, TCP_INFO, TCP_CONGESTION
# linux/tcp.h, struct tcp_info: where a field stands, and its type.
FIELDS = {
    "rto_us": (8, "I"),
    "snd_mss": (16, "I"),
    "rtt_us": (68, "I"),
    "cwnd": (80, "I"),
    "total_retrans": (100, "I"),
    "bytes_acked": (120, "Q"),
    "bytes_sent": (200, "Q"),
    "bytes_retrans": (208, "Q"),
    "segs_out": (136, "I"),
    "snd_wnd": (228, "I"),
    "data_segs_out": (156, "I"),
    "min_rtt_us": (148, "I"),
    "total_rto": (240, "H"),
}


def receive(window: int) -> None:
    """Read one connection to its end.

    Linux 6.6 and later computes the clamp of the window anew from the buffer as the first data
    comes (`tcp_measure_rcv_mss`), and so forgets that of the route: it is set once more after that.
    """
    with socket.create_server((os.environ["AIRTCP_ADDRESS"], PORT)) as server:
        connection, _ = server.accept()
        buffer = bytearray(CHUNK)
        if connection.recv_into(buffer) and window:
            connection.setsockopt(socket.IPPROTO_TCP, CLAMP, window)
        while connection.recv_into(buffer):
            pass


def send(seconds: float, size: int, congestion: str, file: str) -> None:
    """Send zeros, and write down what the kernel counted."""
    connection = _connected((os.environ["AIRTCP_PEER"], PORT), congestion)
    begun = time.monotonic()
    end = begun + seconds if seconds else float("inf")
    left, chunk = size or sys.maxsize, bytes(CHUNK)
    while left and time.monotonic() < end:
        connection.settimeout(min(max(end - time.monotonic(), 1e-3), 1e6))
        try:
            left -= connection.send(chunk[: min(CHUNK, left)])
        except TimeoutError:
            break
    found = _acknowledged(connection, size, end)
    found["seconds"] = time.monotonic() - begun
    with open(file, "w", encoding="utf-8") as out:
        json.dump(found, out)


def _connected(peer: tuple[str, int], congestion: str) -> socket.socket:
    connection = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    try:
        connection.setsockopt(socket.IPPROTO_TCP, CONGESTION, congestion.encode())
    except OSError:
        sys.exit(NOT_OFFERED)
    connection.connect(peer)
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return connection


def _acknowledged(connection: socket.socket, size: int, end: float) -> dict[str, float]:
    """TCP_INFO when all is acknowledged, or at the end."""
    while True:
        found = _info(connection)
        if size == 0 or found["bytes_acked"] >= size or time.monotonic() >= end:
            return found
        time.sleep(1e-3)


def _info(connection: socket.socket) -> dict[str, float]:
    raw = connection.getsockopt(socket.IPPROTO_TCP, INFO, 280)
    found: dict[str, float] = {}
    for name, (at, kind) in FIELDS.items():
        if at + struct.calcsize(kind) <= len(raw):
            found[name] = struct.unpack_from(f"={kind}", raw, at)[0]
    return found


if __name__ == "__main__":
    if sys.argv[1] == "receive":
        receive(int(sys.argv[2]))
    else:
        send(float(sys.argv[2]), int(sys.argv[3]), sys.argv[4], sys.argv[5])

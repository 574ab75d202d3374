"""The ends of the built-in transfer, programs of their own: they use the standard library only.

`python -I -S endpoint.py receive WINDOW digest|count FILE` takes one connection and reads it to the
end, and offers at most WINDOW bytes (0: as the kernel likes); it writes to FILE how many bytes
came, with their SHA-256 if it is asked for a digest.

`python -I -S endpoint.py send SECONDS BYTES WARMUP CONGESTION FILE [CONTENT]` sends for that time
or that amount (0: no limit) under a congestion control of the kernel, and waits as long for the
connection. It writes to FILE the durations of the handshake and the transfer, and the counts of
TCP_INFO when all is acknowledged, the time is over, the connection has ended, or SIGTERM asks to
stop, less the counts WARMUP seconds after the start; `ending` is the reason for an end of the
connection before its time. It sends the file CONTENT, over and over, or else zeros. It ends with 3
if the kernel does not offer that control.
"""

from __future__ import annotations

import errno
import hashlib
import json
import os
import signal
import socket
import struct
import sys
import time
from typing import Any

PORT = 5201
CHUNK = 1 << 17
EXIT_CONTROL_NOT_OFFERED = 3
# Socket options of Linux's TCP.
TCP_WINDOW_CLAMP, TCP_INFO, TCP_CONGESTION = 10, 11, 13
TCP_CLOSE = 7  # linux/tcp_states.h, TCP_CLOSE
RESET = errno.ECONNRESET
ENDING_WORDS = {
    errno.ECONNREFUSED: "no program listens there",
    errno.ECONNRESET: "the other end has reset it",
    errno.EPIPE: "the other end has reset it",
    errno.ETIMEDOUT: "the other end is silent",
}
# linux/tcp.h, struct tcp_info: where a field stands, and its type.
TCP_INFO_FIELDS = {
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

COUNTERS = (
    "total_retrans",
    "bytes_acked",
    "bytes_sent",
    "bytes_retrans",
    "segs_out",
    "data_segs_out",
    "total_rto",
)


def receive(window: int, mode: str, file: str) -> None:
    """Read one connection to its end, or until somebody asks to stop: what has come is read then,
    for the kernel has acknowledged it.

    Linux 6.6 and later computes the clamp of the window anew from the buffer as the first data
    comes (`tcp_measure_rcv_mss`), and so forgets that of the route: it is set once more after that.
    """
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit())  # nobody has come
    with socket.create_server((os.environ["AIRTCP_ADDRESS"], PORT)) as server:
        connection, _ = server.accept()
        signal.signal(signal.SIGTERM, lambda number, frame: connection.setblocking(False))
        buffer, count, digest = bytearray(CHUNK), 0, hashlib.sha256()
        try:
            while amount := connection.recv_into(buffer):
                if window and not count:
                    connection.setsockopt(socket.IPPROTO_TCP, TCP_WINDOW_CLAMP, window)
                count += amount
                if mode == "digest":
                    digest.update(memoryview(buffer)[:amount])
        except OSError:
            pass  # The sender's time was over, or ours; or it was cut, which the count shows.
        finally:
            digest_found = digest.hexdigest() if mode == "digest" else None
            _write(file, {"bytes": count, "sha256": digest_found})


def send(
    seconds: float, size: int, warmup: float, congestion: str, file: str, *, content: str = ""
) -> None:
    """Send, and write down the kernel's counts."""
    period, source = _content(content)
    connection = _open_socket(congestion)
    called = begun = time.monotonic()
    before = _snapshot_counters_at_warmup_end(warmup, connection)
    sent, size_or_all = 0, size or sys.maxsize
    ending = ""
    try:
        signal.signal(signal.SIGTERM, _stop_on_signal)
        connection.settimeout(seconds or None)
        connection.connect((os.environ["AIRTCP_PEER"], PORT))
        begun = time.monotonic()
        end = begun + seconds if seconds else float("inf")
        while sent < size_or_all and time.monotonic() < end:
            connection.settimeout(min(max(end - time.monotonic(), 1e-3), 1e6))
            at = sent % period
            sent += connection.send(source[at : at + min(CHUNK, size_or_all - sent)])
        _await_acks(connection, size, end)
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    except OSError as error:
        # Without a number: the time is over, for the handshake or all of it, or it has to stop.
        ending = _ending_words(error.errno) if error.errno else ""
    counters = _read_tcp_info(connection)
    times = {"seconds": time.monotonic() - begun, "handshake": begun - called}
    if before:
        counters |= {name: counters[name] - before[name] for name in COUNTERS if name in counters}
        times = {"seconds": time.monotonic() - before["time"]}
    _write(file, counters | times | {"ending": ending})


def _snapshot_counters_at_warmup_end(warmup: float, connection: socket.socket) -> dict[str, Any]:
    """The kernel's counts after `warmup` seconds, and their time; empty until then, or for 0."""
    counters: dict[str, Any] = {}

    def take(_number: int, _frame: object) -> None:
        counters.update(_read_tcp_info(connection), time=time.monotonic())

    if warmup:
        signal.signal(signal.SIGALRM, take)
        signal.setitimer(signal.ITIMER_REAL, warmup)
    return counters


def _stop_on_signal(number: int, _frame: object) -> None:
    """Stop once, on a signal: the counts are written after that."""
    signal.signal(number, signal.SIG_IGN)
    raise TimeoutError


def _ending_words(number: int) -> str:
    """The end of a connection, in the words of our own stack (`sending.rs`)."""
    return ENDING_WORDS.get(number) or os.strerror(number)


def _content(file: str) -> tuple[int, memoryview]:
    """The length of the repeated content, and the content with room for a chunk from any place."""
    content = bytes(CHUNK)
    if file:
        with open(file, "rb") as source:
            content = source.read()
    return len(content), memoryview(content * (CHUNK // len(content) + 2))


def _write(file: str, report_fields: dict[str, Any]) -> None:
    with open(file, "w", encoding="utf-8") as out:
        json.dump(report_fields, out)


def _open_socket(congestion: str) -> socket.socket:
    connection = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    try:
        connection.setsockopt(socket.IPPROTO_TCP, TCP_CONGESTION, congestion.encode())
    except OSError:
        sys.exit(EXIT_CONTROL_NOT_OFFERED)
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return connection


def _await_acks(connection: socket.socket, size: int, end: float) -> None:
    """Wait until all is acknowledged, or until the end."""
    while _read_tcp_info(connection)["bytes_acked"] < size and time.monotonic() < end:
        if connection.getsockopt(socket.IPPROTO_TCP, TCP_INFO, 1)[0] == TCP_CLOSE:
            raise OSError(connection.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR) or RESET, "")
        time.sleep(1e-3)


def _read_tcp_info(connection: socket.socket) -> dict[str, Any]:
    raw = connection.getsockopt(socket.IPPROTO_TCP, TCP_INFO, 280)
    counters: dict[str, Any] = {}
    for name, (at, kind) in TCP_INFO_FIELDS.items():
        if at + struct.calcsize(kind) <= len(raw):
            counters[name] = struct.unpack_from(f"={kind}", raw, at)[0]
    # The kernel counts the SYN of who connects.
    counters["bytes_acked"] = max(counters["bytes_acked"] - 1, 0)
    return counters


if __name__ == "__main__":
    # A terminal's Ctrl-C is for the emulator, which asks to stop when it has seen it.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if sys.argv[1] == "receive":
        receive(int(sys.argv[2]), sys.argv[3], sys.argv[4])
    else:
        seconds, size, warmup, congestion, file, *content = sys.argv[2:]
        times = float(seconds), int(size), float(warmup)
        send(*times, congestion, file, content="".join(content))

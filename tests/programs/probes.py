"""UDP probes, programs on the two sides of a path that need the standard library only.

`send N` and `echo`: probes in bursts, and answers of half their size. `train N BYTES` and
`sink FILE`: N probes of so many bytes at once, and of each that came five little-endian words:
its number; when it came, by the kernel's CLOCK_REALTIME; three readings one after the other as it
was read, of CLOCK_MONOTONIC, CLOCK_REALTIME, CLOCK_MONOTONIC.
"""

import os
import socket
import struct
import sys
import time
from contextlib import suppress

PORT = 7007
HEADERS = 28  # IPv4 and UDP
END = -1
SO_RCVBUFFORCE, SO_TIMESTAMPNS = 33, 35  # asm-generic/socket.h
ROOM = 1 << 26


def echo() -> None:
    with _bound() as end:
        while True:
            data, sender = end.recvfrom(2048)
            end.sendto(data[: max(20, len(data) // 2)], sender)


def send(count: int) -> None:
    """In bursts of ten that a path of 10 Mbit/s carries in half of the pauses."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as end:
        for number in range(count):
            if number % 10 == 0:
                time.sleep(0.005)
            end.sendto(bytes(100 + 37 * (number % 8)), _peer())
        time.sleep(0.2)


def train(count: int, size: int) -> None:
    """All at once; then further ones until one has come, which none before it can follow."""
    with suppress(PermissionError):
        os.setpriority(os.PRIO_PROCESS, 0, -20)  # before all that the machine does besides
    room = size - HEADERS
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as end:
        for number in range(count):
            end.sendto(struct.pack("<q", number).ljust(room, b"\0"), _peer())
        end.settimeout(0.02)
        while True:
            end.sendto(struct.pack("<q", END).ljust(room, b"\0"), _peer())
            try:
                end.recv(2048)
            except TimeoutError:
                continue
            return


def sink(file: str) -> None:
    with _bound() as end, open(file, "wb", buffering=0) as out:
        try:
            end.setsockopt(socket.SOL_SOCKET, SO_RCVBUFFORCE, ROOM)
        except PermissionError:
            end.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, ROOM)
        end.setsockopt(socket.SOL_SOCKET, SO_TIMESTAMPNS, 1)
        while True:
            data, notes, _, sender = end.recvmsg(2048, 256)
            clocks = (time.monotonic_ns(), time.time_ns(), time.monotonic_ns())
            (number,) = struct.unpack_from("<q", data)
            if number == END:
                end.sendto(bytes(8), sender)
                continue
            seconds, nanos = struct.unpack("=qq", notes[0][2])
            out.write(struct.pack("<5q", number, 10**9 * seconds + nanos, *clocks))


def _bound() -> socket.socket:
    end = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    end.bind((os.environ["AIRTCP_ADDRESS"], PORT))
    return end


def _peer() -> tuple[str, int]:
    return os.environ["AIRTCP_PEER"], PORT


if __name__ == "__main__":
    word, *rest = sys.argv[1:]
    if word == "echo":
        echo()
    elif word == "send":
        send(int(rest[0]))
    elif word == "train":
        train(int(rest[0]), int(rest[1]))
    else:
        sink(rest[0])

"""The two ends of a recorded connection, programs of their own: they use the standard library only.

`capture_ends.py send PLAN OUT` sends over the kernel's TCP to $AIRTCP_PEER what PLAN says (JSON),
while a packet socket keeps the headers of all that passes the device; it writes the capture to OUT.
`capture_ends.py receive PLAN` reads one connection to its end.

A ring that the kernel fills keeps the packets: a packet socket without one would hold on to the
packets themselves, and Linux treats what somebody still holds differently when it sends it again.
"""

from __future__ import annotations

import fcntl
import json
import mmap
import os
import platform
import signal
import socket
import struct
import sys
import time
from typing import Any

PORT = 5201
FRAME, FRAMES, BLOCK = 256, 1 << 15, 1 << 16
PACKET_RX_RING, PACKET_VERSION, PACKET_STATISTICS, TPACKET_V2 = 5, 10, 6, 1
SOL_PACKET, OUTGOING, ALL, IPV4 = 263, 4, 3, 0x0800
CLAMP, INFO, CONGESTION, QUICKACK = 10, 11, 13, 12
SNDBUFFORCE, RCVBUFFORCE = 32, 33
OUTQ = 0x5411  # SIOCOUTQ
SNAP = 128
SYSCTLS = (
    "tcp_sack", "tcp_dsack", "tcp_timestamps", "tcp_early_retrans", "tcp_recovery", "tcp_frto",
    "tcp_reordering", "tcp_slow_start_after_idle", "tcp_autocorking", "tcp_no_metrics_save",
    "tcp_rto_min_us", "tcp_ecn", "tcp_min_tso_segs", "tcp_tso_win_divisor", "tcp_pacing_ss_ratio",
    "tcp_pacing_ca_ratio", "tcp_wmem", "tcp_rmem", "tcp_retrans_collapse",
    "tcp_limit_output_bytes", "tcp_tso_rtt_log", "tcp_max_reordering",
)  # fmt: skip


class Ring:
    """The headers of all that passes one device."""

    def __init__(self, device: str) -> None:
        """Listens from now on."""
        self.socket = socket.socket(socket.AF_PACKET, socket.SOCK_DGRAM, 0)
        self.socket.setsockopt(SOL_PACKET, PACKET_VERSION, TPACKET_V2)
        request = struct.pack("IIII", BLOCK, FRAME * FRAMES // BLOCK, FRAME, FRAMES)
        self.socket.setsockopt(SOL_PACKET, PACKET_RX_RING, request)
        self.memory = mmap.mmap(self.socket.fileno(), FRAME * FRAMES)
        self.socket.bind((device, ALL))

    def packets(self) -> list[tuple[int, int, bool, bytes]]:
        """Time in ns of the host's clock, length, whether it went out, and its first bytes."""
        found = []
        for at in range(0, FRAME * FRAMES, FRAME):
            status, length, kept, _, net, seconds, nanos = struct.unpack_from(
                "IIIHHII", self.memory, at
            )
            if not status & 1:
                break
            protocol, outgoing = (
                struct.unpack_from(">H", self.memory, at + 34)[0],
                self.memory[at + 42] == OUTGOING,
            )
            head = bytes(self.memory[at + net : at + net + min(kept, SNAP)])
            if protocol != IPV4:
                continue
            found.append((seconds * 10**9 + nanos, length, outgoing, head))
        return found

    def lost(self) -> int:
        """Packets for which there was no room."""
        return struct.unpack("II", self.socket.getsockopt(SOL_PACKET, PACKET_STATISTICS, 8))[1]


def ticks() -> tuple[int, int]:
    """(0, the number of the jiffy that begins with CLOCK_MONOTONIC).

    Ticks come at multiples of 4 ms of that clock. A reading is off by one when a tick is late, or
    comes while the file is read; most are right.
    """
    found = []
    for _ in range(15):
        with open("/proc/timer_list", encoding="ascii", errors="replace") as file:
            now = jiffies = 0
            for line in file:
                if line.startswith("now at"):
                    now = int(line.split()[2])
                elif line.startswith("jiffies:"):
                    jiffies = int(line.split()[1])
                    break
        found.append(jiffies - now // TICK)
        time.sleep(0.0013)
    return 0, sorted(found)[len(found) // 2]


TICK = 4_000_000


def offset() -> int:
    """CLOCK_REALTIME less CLOCK_MONOTONIC in ns."""
    tries = []
    for _ in range(20):
        before, real, after = time.monotonic_ns(), time.time_ns(), time.monotonic_ns()
        tries.append((after - before, real - (before + after) // 2))
    return min(tries)[1]


def steal() -> float:
    """Seconds that the host of this machine took from it."""
    with open("/proc/stat", encoding="ascii") as file:
        return int(file.readline().split()[8]) / os.sysconf("SC_CLK_TCK")


def send(plan: dict[str, Any], out: str) -> None:
    """Send what the plan says, and write down what passed the device."""
    os.nice(-5)
    device = next(name for _, name in socket.if_nameindex() if name != "lo")
    jiffies, began, stolen = ticks(), offset(), steal()
    ring = Ring(device)
    connection = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    connection.setsockopt(socket.IPPROTO_TCP, CONGESTION, plan["control"].encode())
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, int(plan.get("nodelay", 0)))
    if plan.get("sndbuf"):
        connection.setsockopt(socket.SOL_SOCKET, SNDBUFFORCE, plan["sndbuf"])
    connection.settimeout(30)
    connection.connect((os.environ["AIRTCP_PEER"], PORT))
    writes: list[list[int]] = []
    content = memoryview(bytes(1 << 24))
    connection.settimeout(None)  # truly blocking: else Python polls before it writes
    signal.signal(signal.SIGALRM, _too_late)
    signal.alarm(plan["seconds"])
    end = time.monotonic_ns() + plan["seconds"] * 10**9
    ended = ""
    try:
        for wait_us, amount in plan["writes"]:
            if wait_us:
                wake = time.monotonic_ns() + wait_us * 1000
                time.sleep(max(0, wake - time.monotonic_ns()) / 1e9)
            begun = time.monotonic_ns()
            connection.sendall(content[:amount])
            writes.append([begun, time.monotonic_ns(), amount])
        shut = 0
        if plan.get("fin"):
            shut = time.monotonic_ns()
            connection.shutdown(socket.SHUT_WR)
        while time.monotonic_ns() < end:
            waiting = struct.unpack("i", fcntl.ioctl(connection, OUTQ, b"\0" * 4))[0]
            if waiting == 0:
                break
            time.sleep(0.01)
    except OSError as error:
        ended, shut = str(error), 0
    info = connection.getsockopt(socket.IPPROTO_TCP, INFO, 280)
    packets = ring.packets()
    about = {
        "airtcp-capture": 1,
        "scenario": plan["name"],
        "control": plan["control"],
        "kernel": platform.release(),
        "hz": 250,
        "offload": "none: the device takes segments",
        "monotonic": began,  # what to take from the times of packets
        "clock_drift": offset() - began,
        "jiffy": jiffies,  # time in ns of CLOCK_MONOTONIC, and number of the jiffy that begins then
        "load": os.getloadavg()[0],
        "stolen": round(steal() - stolen, 2),
        "sockopt": {
            "nodelay": int(plan.get("nodelay", 0)),
            "sndbuf": connection.getsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF),
            "sndbuf_set": int(bool(plan.get("sndbuf"))),
        },
        "sysctl": {name: sysctl(name) for name in SYSCTLS},
        "writes": writes,  # begin and end in ns of CLOCK_MONOTONIC, bytes
        "shutdown": shut,
        "ended": ended,
        "dropped": ring.lost(),
        "info": info.hex(),
        "path": plan["path"],
    }
    with open(out, "wb") as file:
        file.write(pcapng(about, packets))
    connection.close()


def _too_late(number: int, _frame: object) -> None:
    raise OSError(number, "the time is over")


def sysctl(name: str) -> str:
    """A setting of this namespace, or of the host; empty where there is none."""
    try:
        with open(f"/proc/sys/net/ipv4/{name}", encoding="ascii") as file:
            return " ".join(file.read().split())
    except OSError:
        return ""


def pcapng(about: dict[str, Any], packets: list[tuple[int, int, bool, bytes]]) -> bytes:
    """A capture of raw IPv4 with the description as the section's comment."""

    def block(kind: int, body: bytes) -> bytes:
        length = struct.pack("<I", len(body) + 12)
        return struct.pack("<I", kind) + length + body + length

    def option(code: int, value: bytes) -> bytes:
        return struct.pack("<HH", code, len(value)) + value + bytes(-len(value) % 4)

    said = json.dumps(about, separators=(",", ":")).encode()
    head = struct.pack("<IHHq", 0x1A2B3C4D, 1, 0, -1) + option(1, said) + bytes(4)
    blocks = [block(0x0A0D0D0A, head)]
    face = struct.pack("<HHI", 101, 0, SNAP) + option(9, b"\x09") + bytes(4)
    blocks.append(block(1, face))
    for at, length, outgoing, kept in packets:
        head = headers(kept)
        body = struct.pack("<IIIII", 0, at >> 32, at & 0xFFFFFFFF, len(head), length) + head
        body += bytes(-len(head) % 4)
        body += option(2, struct.pack("<I", 2 if outgoing else 1)) + bytes(4)
        blocks.append(block(6, body))
    return b"".join(blocks)


def headers(packet: bytes) -> bytes:
    """Of an IPv4 packet with TCP, the headers."""
    if len(packet) >= 40 and packet[0] >> 4 == 4 and packet[9] == 6:
        inner = (packet[0] & 15) * 4
        if inner + 12 < len(packet):
            return packet[: inner + (packet[inner + 12] >> 4) * 4]
    return packet[:40]


def receive(plan: dict[str, Any]) -> None:
    """Read one connection to its end, as the plan says: slowly, or with pauses."""
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as server:
        if plan.get("rcvbuf"):
            server.setsockopt(socket.SOL_SOCKET, RCVBUFFORCE, plan["rcvbuf"])
        server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        server.bind((os.environ["AIRTCP_ADDRESS"], PORT))
        server.listen(1)
        connection, _ = server.accept()
        for wait, amount in plan.get("reads", []):
            time.sleep(wait)
            left = amount
            while left > 0 and (got := connection.recv(min(left, 1 << 17))):
                left -= len(got)
        while connection.recv(1 << 17):
            pass


if __name__ == "__main__":
    if sys.argv[1] == "receive":
        receive(json.loads(sys.argv[2]))
    else:
        send(json.loads(sys.argv[2]), sys.argv[3])

"""Record scripts of packetdrill from this machine's kernel: what it sends to a small peer of ours.

    chrt -f 10 python scripts/recordings.py FOLDER --seed 1 --number 100    # as root

A namespace of its own has a device that this program reads and writes (tun). The peer opens a
connection, acknowledges what comes, and loses, delays and reorders it and its own ACKs by chance;
the application writes by chance. With `--displaced` nothing is lost, and some segments come two to
six places late to a peer without SACK and with timestamps. A script says what came and what was
sent, to the microsecond, and TCP_INFO after each ACK. Real-time priority keeps what the machine
does else out of the times. Linux only; the standard library only.
"""

from __future__ import annotations

import argparse
import ctypes
import fcntl
import heapq
import math
import os
import random
import select
import socket
import struct
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

CLONE_NEWNET = 0x40000000
TUNSETIFF, IFF_TUN, IFF_NO_PI = 0x400454CA, 1, 0x1000
KERNEL, PEER, PORT = "192.168.0.1", "192.0.2.1", 8080
MSS = 1000
SYN, ACK, PSH, FIN = 2, 16, 8, 1
TCP_NODELAY, TCP_INFO, TCP_CONGESTION = 1, 11, 13
# linux/tcp.h, struct tcp_info: where a field stands.
FIELDS = {
    "unacked": 24,
    "sacked": 28,
    "lost": 32,
    "retrans": 36,
    "snd_ssthresh": 76,
    "snd_cwnd": 80,
    "reordering": 88,
}
STATES = ("Open", "Disorder", "CWR", "Recovery", "Loss")
# Settings of `defaults.sh` of packetdrill's suite, as far as they show here.
DEFAULTS = {
    "tcp_rmem": "4096 540000 15728640",
    "tcp_wmem": "4096 262144 4194304",
    "tcp_timestamps": "1",
    "tcp_sack": "1",
    "tcp_dsack": "1",
    "tcp_frto": "2",
    "tcp_reordering": "3",
    "tcp_recovery": "1",
    "tcp_early_retrans": "4",
    "tcp_slow_start_after_idle": "0",
    "tcp_tso_win_divisor": "3",
    "tcp_ecn": "0",
    "tcp_pacing_ss_ratio": "200",
    "tcp_pacing_ca_ratio": "120",
    "tcp_no_metrics_save": "1",
}


@dataclass(frozen=True)
class Plan:
    """The settings of a recording, drawn from its seed."""

    control: str
    sack: bool
    dsack: bool
    trip: float
    gap: float
    loss: float
    ack_loss: float
    reorder: float
    every: int
    window: int
    writes: tuple[tuple[float, int], ...]
    nodelay: bool
    places: int = 0  # how late segments come that are displaced
    stamps: bool = False

    @classmethod
    def displaced(cls, stream: random.Random) -> Plan:
        """A clean way on which segments are overtaken, to a peer without SACK."""
        return cls(
            control=stream.choice(("reno", "cubic")),
            sack=False,
            dsack=False,
            trip=stream.uniform(0.03, 0.1),
            gap=stream.uniform(0.001, 0.009),
            loss=0.0,
            ack_loss=0.0,
            reorder=stream.choice((0.03, 0.06)),
            every=1,
            window=1000,
            writes=((0.0, MSS * stream.randint(40, 80)),),
            nodelay=False,
            places=stream.randint(2, 6),
            stamps=True,
        )

    @classmethod
    def draw(cls, stream: random.Random) -> Plan:
        """Draw the settings from a stream."""
        writes = [(0.0, stream.choice((3000, 8000, 10000, 25000, 40000, 60000)))]
        for _ in range(stream.choice((0, 0, 1, 2, 4))):
            size = stream.choice((stream.randint(1, 1999), MSS * stream.randint(1, 20)))
            writes.append((stream.uniform(0.0, 1.5), size))
        return cls(
            control=stream.choice(("reno", "cubic")),
            sack=stream.random() < 0.75,
            dsack=stream.random() < 0.7,
            trip=stream.choice((0.01, 0.03, 0.05, 0.1, 0.2)) * stream.uniform(0.9, 1.1),
            gap=stream.choice((0.0, 0.0, 0.0005, 0.002)),
            loss=stream.choice((0.0, 0.02, 0.05, 0.1, 0.2)),
            ack_loss=stream.choice((0.0, 0.0, 0.05, 0.2)),
            reorder=stream.choice((0.0, 0.0, 0.02, 0.1)),
            every=stream.choice((1, 2)),
            window=stream.choice((32, 100, 257, 1000)),
            writes=tuple(sorted(writes)),
            nodelay=stream.random() < 0.3,
        )


@dataclass
class Receiver:
    """The peer's end: what came, and which ACKs that calls for."""

    plan: Plan
    expected: int = 1
    echo: int = 0  # the timestamp of the last segment in order [RFC 7323 4.3]
    held: list[tuple[int, int]] = field(default_factory=list)
    unacked: int = 0

    def arrival(self, seq: int, end: int) -> tuple[str, bool] | None:
        """A segment: the options of the ACK that is due, and whether it must go at once."""
        if end <= self.expected or any(left <= seq and end <= right for left, right in self.held):
            return self._options(duplicate=(seq, end)), True
        if seq > self.expected:
            self._hold(seq, end)
            return self._options(), True
        had_hole = bool(self.held)
        self.expected = max(self.expected, end)
        for left, right in sorted(self.held):
            if left <= self.expected:
                self.expected = max(self.expected, right)
        self.held = [block for block in self.held if block[0] > self.expected]
        self.unacked += 1
        return self._options(), had_hole or self.unacked >= self.plan.every

    def _hold(self, seq: int, end: int) -> None:
        """The newest block comes first [RFC 2018 4]."""
        touching = [block for block in self.held if block[0] <= end and seq <= block[1]]
        left = min([seq, *(block[0] for block in touching)])
        right = max([end, *(block[1] for block in touching)])
        self.held = [(left, right), *(block for block in self.held if block not in touching)]

    def _options(self, duplicate: tuple[int, int] | None = None) -> str:
        blocks = self.held[:4] if self.plan.sack else []
        if duplicate and self.plan.sack and self.plan.dsack:
            blocks = [duplicate, *blocks[:3]]  # RFC 2883
        said = " ".join(f"{left}:{right}" for left, right in blocks)
        return f" <sack {said},nop,nop>" if said else ""


class Tun:
    """A device of this namespace whose other end is this program."""

    def __init__(self) -> None:
        """Make and address it."""
        self.number = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
        fcntl.ioctl(self.number, TUNSETIFF, struct.pack("16sH22x", b"tun0", IFF_TUN | IFF_NO_PI))
        for words in (
            f"addr add {KERNEL}/16 dev tun0",
            "link set tun0 up",
            "link set lo up",
            f"route add {PEER}/32 dev tun0",
        ):
            subprocess.run(["ip", *words.split()], check=True)

    def send(self, packet: bytes) -> None:
        """To the kernel, which handles it before this returns."""
        os.write(self.number, packet)

    def received(self, wait: float) -> bytes | None:
        """The packet that the kernel sends within `wait` s, if it does."""
        if wait > 0.0:
            select.select([self.number], [], [], wait)
        try:
            return os.read(self.number, 65536)
        except BlockingIOError:
            return None


def checksum(data: bytes) -> int:
    """The Internet checksum [RFC 1071]."""
    words = struct.unpack(f">{(len(data) + 1) // 2}H", data + bytes(len(data) % 2))
    total = sum(words)
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return ~total & 0xFFFF


def segment(seq: int, ack: int, flags: int, window: int, options: bytes) -> bytes:
    """An IP packet from the peer to the kernel without data."""
    options += b"\x01" * (-len(options) % 4)
    source, target = socket.inet_aton(PEER), socket.inet_aton(KERNEL)
    offset = (20 + len(options)) // 4 << 4
    tcp = struct.pack(">HHIIBBHHH", PORT, PORT, seq, ack, offset, flags, window, 0, 0) + options
    pseudo = source + target + struct.pack(">BBH", 0, 6, len(tcp))
    tcp = tcp[:16] + struct.pack(">H", checksum(pseudo + tcp)) + tcp[18:]
    head = struct.pack(">BBHHHBBH", 0x45, 0, 20 + len(tcp), 0, 0x4000, 64, 6, 0) + source + target
    return head[:10] + struct.pack(">H", checksum(head)) + head[12:] + tcp


class Recording:
    """One connection, and its script."""

    def __init__(self, tun: Tun, plan: Plan, stream: random.Random) -> None:
        """Nothing is sent yet."""
        self.tun, self.plan, self.stream = tun, plan, stream
        self.receiver = Receiver(plan)
        self.lines: list[str] = []
        self.agenda: list[tuple[float, int, Callable[[], None]]] = []
        self.count = 0
        self.begin = 0.0
        self.base = 0  # the kernel's first number
        self.free = 0.0  # when the link to the peer is free again
        self.delayed = 0  # the number of the delayed ACK that is planned

    def now(self) -> float:
        """Seconds since the beginning."""
        return time.monotonic() - self.begin

    def at(self, when: float, act: Callable[[], None]) -> None:
        """Plan something."""
        self.count += 1
        heapq.heappush(self.agenda, (when, self.count, act))

    def say(self, what: str, when: float | None = None) -> None:
        """A line of the script; now, if not said otherwise."""
        self.lines.append(f"{self.now() if when is None else when:.6f} {what}")

    def run(self) -> str:
        """Records; the script."""
        # Timestamps count whole milliseconds.
        self.begin = math.ceil(1e3 * time.monotonic()) / 1e3
        self._sleep_until(0.0)
        with socket.socket() as listener:
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            # The setting of the namespace may only have what every user is allowed.
            listener.setsockopt(socket.IPPROTO_TCP, TCP_CONGESTION, self.plan.control.encode())
            listener.bind((KERNEL, PORT))
            listener.listen(1)
            self.lines += [
                "0 socket(..., SOCK_STREAM, IPPROTO_TCP) = 3",
                "+0 setsockopt(3, SOL_SOCKET, SO_REUSEADDR, [1], 4) = 0",
                "+0 bind(3, ..., ...) = 0",
                "+0 listen(3, 1) = 0",
            ]
            self._open()
            self.connection, _ = listener.accept()
        with self.connection:
            self.say("accept(3, ..., ...) = 4")
            self.connection.setblocking(False)
            if self.plan.nodelay:
                self.connection.setsockopt(socket.IPPROTO_TCP, TCP_NODELAY, 1)
                self.say("setsockopt(4, SOL_TCP, TCP_NODELAY, [1], 4) = 0")
            start = self.now()
            for after, size in self.plan.writes:
                self.at(start + after, lambda size=size: self._write(size))
            self._loop(start + 6.0)
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        return "\n".join([*self._head(), *self.lines, ""])

    def _head(self) -> list[str]:
        plan = self.plan
        sets = f"net.ipv4.tcp_congestion_control={plan.control} net.ipv4.tcp_no_metrics_save=1"
        return [
            f"// {plan.control}, round trip {1e3 * plan.trip:.0f} ms, losses {plan.loss:g},"
            f" of ACKs {plan.ack_loss:g}, reordering {plan.reorder:g}"
            + (f" by {plan.places} places, {1e3 * plan.gap:.1f} ms apart" if plan.places else ""),
            "`../common/defaults.sh",
            f"sysctl -q {sets}`",
        ]

    def _open(self) -> None:
        """The handshake: the peer's SYN after 10 ms, its ACK a round trip later."""
        plan = self.plan
        permitted = b"\x04\x02\x01\x01" if plan.sack else b""
        mss = MSS + (12 if plan.stamps else 0)
        stamp, said_stamp = self._stamp()
        said = f"<mss {mss},{'sackOK,nop,nop,' if plan.sack else ''}{said_stamp}nop,wscale 7>"
        options = b"\x02\x04" + struct.pack(">H", mss) + permitted + stamp + b"\x01\x03\x03\x07"
        self._sleep_until(0.01)
        when = self.now()
        self.tun.send(segment(0, 0, SYN, 32792, options))
        self.say(f"< S 0:0(0) win 32792 {said}", when)
        answer = self._answer()
        self.base = struct.unpack(">I", answer[24:28])[0]
        heard = "<...>"
        if plan.stamps:  # behind the MSS
            self.receiver.echo, echoed = struct.unpack(">II", answer[48:56])
            stamps = f"nop,nop,TS val {self.receiver.echo} ecr {echoed}"
            heard = f"<mss 1460,{stamps},nop,wscale 8>"
        self.say(f"> S. 0:0(0) ack 1 {heard}")
        self._sleep_until(when + plan.trip)
        stamp, said_stamp = self._stamp()
        when = self.now()
        self.tun.send(segment(1, self.base + 1 & 0xFFFFFFFF, ACK, plan.window, stamp))
        said = f" <{said_stamp[:-1]}>" if said_stamp else ""
        self.say(f"< . 1:1(0) ack 1 win {plan.window}{said}", when)

    def _stamp(self) -> tuple[bytes, str]:
        """The peer's timestamps, on the wire and in the script; nothing where there are none."""
        if not self.plan.stamps:
            return b"", ""
        value, echo = 1000 + int(1e3 * self.now()), self.receiver.echo
        raw = b"\x01\x01\x08\x0a" + struct.pack(">II", value, echo)
        return raw, f"nop,nop,TS val {value} ecr {echo},"

    def _answer(self) -> bytes:
        """The SYN-ACK; what else the kernel says on a new device is not for us."""
        while True:
            packet = self.tun.received(1.0)
            if packet is not None and packet[0] == 0x45 and packet[9] == 6:
                return packet

    def _sleep_until(self, when: float) -> None:
        while (left := when - self.now()) > 0.0:
            time.sleep(max(left - 5e-5, 0.0))

    def _loop(self, end: float) -> None:
        total = 1 + sum(size for _, size in self.plan.writes)
        while self.now() < end and (self.agenda or self.receiver.expected < total):
            due = self.agenda[0][0] if self.agenda else end
            if due <= self.now():
                heapq.heappop(self.agenda)[2]()
                continue
            self._drain(min(due - self.now(), end - self.now()))

    def _drain(self, wait: float) -> None:
        while (packet := self.tun.received(wait)) is not None:
            self._sent(packet)
            wait = 0.0

    def _sent(self, packet: bytes) -> None:
        """The kernel sent this."""
        if packet[0] != 0x45 or packet[9] != 6:
            return
        when = self.now()
        offset = (packet[32] >> 4) * 4
        seq = struct.unpack(">I", packet[24:28])[0] - self.base & 0xFFFFFFFF
        length, flags = len(packet) - 20 - offset, packet[33]
        mark = "P." if flags & PSH else "."
        stamp, said = 0, ""
        if self.plan.stamps:
            stamp, echo = struct.unpack(">II", packet[44:52])
            said = f" <nop,nop,TS val {stamp} ecr {echo}>"
        self.say(f"> {mark} {seq}:{seq + length}({length}) ack 1{said}", when)
        if length == 0 or self.stream.random() < self.plan.loss:
            return
        self.free = max(self.free, when + self.plan.trip / 2) + self.plan.gap
        self.at(self.free + self._late(), lambda: self._arrived(seq, seq + length, stamp))

    def _late(self) -> float:
        """Delay of a segment on its way: by places, or by any time."""
        plan, time = self.plan, self.stream.uniform(0.0, self.plan.trip / 2)
        if self.stream.random() >= plan.reorder:
            return 0.0
        return plan.gap * (plan.places + 0.5) if plan.places else time

    def _arrived(self, seq: int, end: int, stamp: int) -> None:
        """Let a segment reach the peer, which acknowledges it; the ACK takes half a round trip."""
        if seq <= self.receiver.expected:
            self.receiver.echo = max(self.receiver.echo, stamp)
        options, at_once = self.receiver.arrival(seq, end) or ("", False)
        if at_once:
            self._acknowledge(options)
            return
        self.delayed += 1
        number = self.delayed
        self.at(self.now() + 0.04, lambda: number == self.delayed and self._acknowledge(""))

    def _acknowledge(self, options: str) -> None:
        self.receiver.unacked = 0
        self.delayed += 1
        if self.stream.random() < self.plan.ack_loss:
            return
        ack = self.receiver.expected
        stamps = self._stamp()
        self.at(self.now() + self.plan.trip / 2, lambda: self._ack(ack, options, stamps))

    def _ack(self, ack: int, options: str, stamps: tuple[bytes, str]) -> None:
        """Let an ACK reach the kernel, and record the kernel's state then."""
        raw, said = stamps
        if said:
            options = f" <{said[:-1]}>"
        elif options:
            blocks = [pair.split(":") for pair in options[7:].partition(",")[0].split()]
            edges = [self.base + int(edge) & 0xFFFFFFFF for pair in blocks for edge in pair]
            raw = struct.pack(f">BB{len(edges)}I", 5, 2 + 4 * len(edges), *edges) + b"\x01\x01"
        number = self.base + ack & 0xFFFFFFFF
        packet = segment(1, number, ACK, self.plan.window, raw)
        when = self.now()
        self.tun.send(packet)
        self.say(f"< . 1:1(0) ack {ack} win {self.plan.window}{options}", when)
        self._drain(0.0)
        self._tell()

    def _tell(self) -> None:
        info = self.connection.getsockopt(socket.IPPROTO_TCP, TCP_INFO, 280)
        said = {name: struct.unpack_from("=I", info, at)[0] for name, at in FIELDS.items()}
        if said["snd_ssthresh"] >= 1 << 31:
            del said["snd_ssthresh"]
        state = STATES[info[1]]
        checks = [f"assert tcpi_ca_state == TCP_CA_{state}, tcpi_ca_state"]
        checks += [f"assert tcpi_{name} == {value}, tcpi_{name}" for name, value in said.items()]
        self.lines += ["+0 %{", *checks, "}%"]

    def _write(self, size: int) -> None:
        when = self.now()
        if self.connection.send(bytes(size)) != size:
            raise OSError("the send buffer is full")
        self.say(f"write(4, ..., {size}) = {size}", when)
        self._drain(0.0)


def record(seed: int, displaced: bool) -> str:
    """The script of a seed."""
    stream = random.Random(seed)
    plan = Plan.displaced(stream) if displaced else Plan.draw(stream)
    for name, value in DEFAULTS.items():
        Path("/proc/sys/net/ipv4", name).write_text(value)
    tun = Tun()
    try:
        return Recording(tun, plan, stream).run()
    finally:
        os.close(tun.number)


def main() -> None:
    """Each script in a process and a namespace of its own: no connection sees another's traces."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folder", type=Path, metavar="FOLDER")
    parser.add_argument("--seed", type=int, default=1, help="of the first one; default 1")
    parser.add_argument("--number", type=int, default=100, help="how many; default 100")
    parser.add_argument("--displaced", action="store_true", help="segments come late, none is lost")
    given = parser.parse_args()
    given.folder.mkdir(parents=True, exist_ok=True)
    for seed in range(given.seed, given.seed + given.number):
        name = f"{'d' if given.displaced else 'r'}{seed}"
        child = os.fork()
        if child == 0:
            if ctypes.CDLL(None, use_errno=True).unshare(CLONE_NEWNET):
                sys.exit("unshare: this needs root")
            (given.folder / f"{name}.pkt").write_text(record(seed, given.displaced))
            os._exit(0)
        _, status = os.waitpid(child, 0)
        if status:
            print(f"{name}: not recorded", file=sys.stderr)


if __name__ == "__main__":
    main()

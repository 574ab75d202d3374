"""The emulator in real time: lateness by rate, and the kernel's TCP through it.

    python bench/live.py        # as root; a minute

1. A train of UDP packets of 1500 bytes that saturates a link, log and captures written: how late
   packets left by the log, and how late they came by the receiving kernel's time stamps
   (SO_TIMESTAMPNS), both after the logical instant.
2. The kernel's TCP (cubic) through a path that is too fast to matter, nothing written, and over a
   bare pair of veth devices with and without offloads. The path has none: TUN carries packets.

Prints tables for docs/evidence/live.md. Run it on an idle machine: the load is printed with them.
"""

from __future__ import annotations

import json
import os
import platform
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from airtcp.live import LiveLog, live, transfer
from airtcp.live import endpoint as transfer_endpoint

PROBES = Path(__file__).parent.parent / "tests" / "programs" / "probes.py"
WORDS = np.dtype([(name, "<i8") for name in ("number", "came", "before", "real", "after")])
BYTES = 1500
RATES = {"1Mbps": 400, "10Mbps": 2500, "100Mbps": 25_000, "1Gbps": 60_000}  # packets
ROUNDS, SECONDS = 3, 3.0
QUANTILES = (0.5, 0.99, 0.999, 1.0)
OFFLOADS = {"TSO": 0x1F, "GSO": 0x24, "GRO": 0x2C}  # linux/ethtool.h, ETHTOOL_S*
NO_OFFLOADS = f"""
import ctypes, fcntl, socket, sys
for command in {list(OFFLOADS.values())}:
    value = (ctypes.c_uint32 * 2)(command, 0)
    request = sys.argv[1].encode().ljust(16, b"\\0") + ctypes.addressof(value).to_bytes(8, "little")
    fcntl.ioctl(socket.socket(), 0x8946, request.ljust(40, b"\\0"))  # SIOCETHTOOL
"""
VETH = """set -e
unshare --net sleep 60 & far=$!
trap 'kill $far' EXIT
until [ "$(readlink /proc/$far/ns/net)" != "$(readlink /proc/self/ns/net)" ]; do sleep 0.05; done
ip link add near mtu 1500 type veth peer name far mtu 1500 netns $far
inside() { nsenter -t $far -n "$@"; }
ip address add 10.77.0.1/24 dev near
inside ip address add 10.77.0.2/24 dev far
if [ "$1" = without ]; then "$2" -c "$5" near; inside "$2" -c "$5" far; fi
inside ip link set far up
ip link set near up
AIRTCP_ADDRESS=10.77.0.2 inside "$2" "$3" receive 0 count /dev/null &
sleep 0.5
AIRTCP_PEER=10.77.0.2 "$2" "$3" send SECONDS 0 cubic "$4"
"""


def path(rate: str) -> dict[str, Any]:
    return {
        "profile": "rfc",
        "tcp": {"variant": "sack", "congestion": "cubic", "packet": f"{BYTES}B", "window": 4000},
        "path": {"hop": [{"rate": rate, "delay": "0s"}]},
    }


def lateness(rate: str, packets: int, folder: Path) -> list[str]:
    """Quantiles in ms, by the log and by the receiving kernel; the report's verdict."""
    folder.mkdir()
    program, seen = [sys.executable, "-I", "-S", str(PROBES)], folder / "seen"
    command = [*program, "train", str(packets), str(BYTES)]
    server = shlex.join([*program, "sink", str(seen)])
    report = live(path(rate), command, server=server, out=folder)
    records = LiveLog(folder).records
    train = records[records["direction"] == 0]
    train = train[np.argsort(train["id"])][:packets]
    came = np.fromfile(seen, WORDS)
    stamp = came["came"] - came["real"] + came["before"] - report.origin
    error = stamp - train["at"][came["number"]]
    found = [
        f"{1e-6 * np.quantile(late, q):.3g}" for late in (train["late"], error) for q in QUANTILES
    ]
    return [rate, f"{len(came)} of {packets}", *found, "valid" if report.valid else "INVALID"]


def through_the_path() -> tuple[float, str]:
    """Gbit/s of payload, and how late packets were."""
    found = transfer(path("50Gbps"), seconds=SECONDS, congestion="cubic")
    median, p99, p999, _ = (1e3 * quantile for quantile in found.report.lateness)
    late = f"median {median:.3g}, 99 % {p99:.3g}, 99.9 % {p999:.3g} ms"
    return found.goodput_bps / 1e9, late + ("" if found.report.valid else ", INVALID")


def over_veth(offloads: str) -> float:
    """Speed of the endpoints over a bare pair of devices, "with" or "without" offloads."""
    with tempfile.NamedTemporaryFile() as answer:
        script = VETH.replace("SECONDS", str(SECONDS))
        words = ["sh", "-c", script, "sh", offloads, sys.executable, transfer_endpoint.__file__]
        words += [answer.name, NO_OFFLOADS]
        subprocess.run(["unshare", "--net", *words], check=True)
        info = json.loads(Path(answer.name).read_text(encoding="utf-8"))
    return 8e-9 * info["bytes_acked"] / info["seconds"]


def median_text(values: list[float]) -> str:
    return f"{np.median(values):.2f} ({min(values):.2f} to {max(values):.2f})"


def main() -> None:
    loads = " ".join(f"{load:.1f}" for load in os.getloadavg())
    print(f"{os.cpu_count()} cores, {platform.system()} {platform.release()}, load {loads}\n")
    quantiles = "50 % | 99 % | 99.9 % | most"
    print(f"| link | packets | log: {quantiles} | kernel: {quantiles} | |\n|{11 * '---|'}")
    with tempfile.TemporaryDirectory() as folder:
        for rate, packets in RATES.items():
            print(
                "| " + " | ".join(lateness(rate, packets, Path(folder) / rate)) + " |", flush=True
            )
    print(f"\n| kernel TCP, {SECONDS:g} s, {ROUNDS} rounds | Gbit/s |\n|---|---|")
    runs = [through_the_path() for _ in range(ROUNDS)]
    print(f"| a clean path | {median_text([speed for speed, _ in runs])}; lateness {runs[-1][1]} |")
    if shutil.which("ip") is None:
        print("| bare veth | needs ip (iproute2) |")
        return
    for offloads in ("with", "without"):
        speeds = [over_veth(offloads) for _ in range(ROUNDS)]
        print(f"| bare veth, {offloads} {', '.join(OFFLOADS)} | {median_text(speeds)} |")


if __name__ == "__main__":
    main()

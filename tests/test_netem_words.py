"""netem's words, the kernel's beside ours: what `tc qdisc add ... netem WORDS` does to probes.

Rules and our kinds meet in crates/radio/tests/netem.rs, a million packets each; here probes cross
the loopback of a network namespace. Five standard errors.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

import airtcp

NAMESPACE = ["unshare", "--user", "--map-root-user", "--net"]
PROBES, GAP = 20_000, 200e-6  # in number, and s from one to the next
# Sends probes with their number and time, and notes which came after how many seconds.
INSTRUMENT = """
import json, os, socket, struct, subprocess, sys, threading, time
words, probes, gap = sys.argv[1].split(), int(sys.argv[2]), float(sys.argv[3])
subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
if words:
    add = ["tc", "qdisc", "add", "dev", "lo", "root", "netem", "limit", "100000", *words]
    subprocess.run(add, check=True)
there = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
there.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 24)
there.bind(("127.0.0.1", 0))
there.settimeout(1.0)
here = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
came = []
sent_all = threading.Event()
def receive():
    while True:
        last = sent_all.is_set()  # asked first: more may be sent while nothing comes
        try:
            number, sent = struct.unpack("=Qd", there.recv(100))
        except TimeoutError:
            if last:
                return
            continue
        came.append((number, time.monotonic() - sent))
receiver = threading.Thread(target=receive)
receiver.start()
begin = time.monotonic()
for number in range(probes):
    while time.monotonic() < begin + number * gap:
        time.sleep(gap / 4)
    here.sendto(struct.pack("=Qd", number, time.monotonic()), there.getsockname())
sent_all.set()
receiver.join()
json.dump(came, sys.stdout)
"""


class Came(NamedTuple):
    """`lost`: of each probe; `order`, `delays`: of those that came, as they came."""

    lost: np.ndarray
    order: np.ndarray
    delays: np.ndarray


@pytest.fixture(scope="module")
def netem() -> None:
    """Skip without namespaces, or without the module in the kernel."""
    namespaces()
    probe = [*NAMESPACE, "tc", "qdisc", "add", "dev", "lo", "root", "netem", "delay", "1ms"]
    asked = subprocess.run(probe, capture_output=True, text=True, check=False)
    if asked.returncode:
        pytest.skip(f"the kernel has no netem (sch_netem): {asked.stderr.strip()}")


def namespaces() -> None:
    for program in ("tc", "ip", "unshare"):
        if shutil.which(program) is None:
            pytest.skip(f"needs {program}")
    if subprocess.run([*NAMESPACE, "true"], capture_output=True, check=False).returncode:
        pytest.skip("no network namespace can be made here")


def probed(words: str, probes: int = PROBES, lib: Path | None = None) -> Came:
    command = [*NAMESPACE, sys.executable, "-I", "-c", INSTRUMENT, words, str(probes), str(GAP)]
    env = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin"} | ({"TC_LIB_DIR": str(lib)} if lib else {})
    ran = subprocess.run(command, capture_output=True, text=True, check=False, env=env)
    assert ran.returncode == 0, ran.stderr
    came: list[Any] = json.loads(ran.stdout)
    order = np.array([number for number, _ in came], dtype=int)
    lost = np.ones(probes, dtype=bool)
    lost[order] = False
    return Came(lost, order, np.array([delay for _, delay in came]))


def agree(kernel: np.ndarray, ours: np.ndarray, batch: int = 200) -> None:
    """Hold shares, and pairs of neighbours, to each other; batches give their errors."""
    for pick in (lambda hits: hits, lambda hits: hits[1:] & hits[:-1]):
        found = []
        for values in (kernel, ours):
            picked = pick(values.astype(bool))
            parts = picked[: len(picked) // batch * batch].reshape(-1, batch).mean(axis=1)
            found.append((parts.mean(), parts.var(ddof=1) / len(parts)))
        (a, va), (b, vb) = found
        assert abs(a - b) <= 5 * np.sqrt(va + vb), (a, b)


def correlated(correlation: float, count: int, seed: int = 1) -> np.ndarray:
    """netem's numbers: each is a weighted mean of a new one and of the one before."""
    new = np.random.default_rng(seed).integers(0, 1 << 32, count + 1, dtype=np.uint64).tolist()
    rho = round(correlation * 0xFFFFFFFF)
    if rho == 0:
        return np.array(new[1:], dtype=np.uint64)
    last, numbers = new[0], []
    for value in new[1:]:
        last = (value * ((1 << 32) - rho - 1) + last * (rho + 1)) >> 32
        numbers.append(last)
    return np.array(numbers, dtype=np.uint64)


def test_the_instrument_loses_and_reorders_nothing() -> None:
    namespaces()
    came = probed("", 2000)
    assert not came.lost.any()
    assert (np.diff(came.order) == 1).all()


@pytest.mark.usefixtures("netem")
@pytest.mark.parametrize(
    ("words", "channel"),
    [
        (
            "loss state 2% 30% 20% 60% 1%",
            {
                "kind": "states",
                "loss": [0, 0, 1, 1],
                "transition": [
                    [0.97, 0, 0.02, 0.01],
                    [0, 0.4, 0.6, 0],
                    [0.3, 0.2, 0.5, 0],
                    [1, 0, 0, 0],
                ],
            },
        ),
        (
            "loss gemodel 2% 30% 60% 1%",
            {"kind": "states", "loss": [0.01, 0.6], "transition": [[0.98, 0.02], [0.3, 0.7]]},
        ),
    ],
    ids=["state", "gemodel"],
)
def test_losses_are_the_kernel_s(words: str, channel: dict[str, Any]) -> None:
    agree(probed(words).lost, airtcp.fates(channel, 1_000_000, packet="100B", seed=1))


@pytest.mark.usefixtures("netem")
@pytest.mark.parametrize("correlation", [0.0, 0.5])
def test_reordering_is_the_kernel_s(correlation: float) -> None:
    came = probed(f"delay 20ms reorder 25% {correlation:%}")
    ahead = np.zeros(PROBES, dtype=bool)
    ahead[came.order[came.delays < 0.01]] = True
    agree(ahead, correlated(correlation, 1_000_000) <= round(0.25 * 0xFFFFFFFF))


@pytest.mark.usefixtures("netem")
@pytest.mark.parametrize("correlation", [0.0, 0.25])
def test_delays_are_the_kernel_s(correlation: float, tmp_path: Path) -> None:
    from scipy.special import ndtri

    quantiles = ndtri((4 * np.arange(4096) + 0.5) / 16384)
    table = np.clip(np.rint(8192 * quantiles), -32768, 32767).astype(int)
    (tmp_path / "normal.dist").write_text("\n".join(map(str, table)), encoding="utf-8")
    words = f"delay 100ms 20ms {correlation:%} distribution normal"
    kernel = np.sort(probed(words, lib=tmp_path).delays)
    rule = 0.1 + 0.02 * table[correlated(correlation, 1_000_000) % 4096] / 8192
    below = np.searchsorted(kernel, np.sort(rule)) / len(kernel)
    distance = np.abs(below - np.arange(len(rule)) / len(rule)).max()
    # Timers of the kernel wake up late: by 1 ms the distribution moves by 0.02.
    assert distance < 2.7 * np.sqrt(1 / len(kernel)) + 0.02, distance

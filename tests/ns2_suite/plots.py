"""Drawings of ns-2's own scripts from a trace: the points that its validation suite keeps.

The suite pipes a trace through small programs of ns (`set_flow_id`, `getrc`, `raw2xg`) and keeps
what comes out. Here is what they do with one-way TCP: which lines they take, and which point a
line becomes.
"""

from __future__ import annotations

import math
import shlex
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace

#: Points of a data set: (time, height) in the order of the file.
Points = list[tuple[float, float]]


@dataclass(frozen=True)
class Line:
    """One line of a trace: what happened to a packet at a link."""

    event: str  #: `+` enters the queue, `-` leaves it, `d` is dropped
    time: float
    source: int
    target: int
    is_ack: bool
    flow: int
    number: int
    sender: int  #: node of the packet's source address
    receiver: int
    flags: str = ""
    row: int = field(default=0, compare=False)  #: its place among events at the same time


def parse(text: str) -> Iterator[Line]:
    """The lines of ns's trace `text` that concern TCP's packets at queues."""
    for row in text.splitlines():
        f = row.split()
        if len(f) >= 11 and f[0] in "+-d" and f[4] in ("tcp", "ack"):
            ends = [int(address.split(".")[0]) for address in f[8:10]]
            yield Line(
                f[0],
                float(f[1]),
                int(f[2]),
                int(f[3]),
                f[4] == "ack",
                int(f[7]),
                int(f[10]),
                *ends,
                f[6],
            )


def set_flow_id(lines: Iterable[Line], mode: str) -> list[Line]:
    """The lines with a node as their flow: the smaller end (`-m`), or the source (`-s`)."""
    if mode == "-s":
        return [replace(line, flow=line.sender) for line in lines]
    return [replace(line, flow=min(line.sender, line.receiver)) for line in lines]


def getrc(lines: Iterable[Line], source: int, target: int) -> list[Line]:
    """The lines of the link from `source` to `target`."""
    return [line for line in lines if (line.source, line.target) == (source, target)]


@dataclass
class Plot:
    """The data sets of one drawing."""

    sets: dict[str, Points] = field(default_factory=lambda: defaultdict(list))

    def raw2xg(self, lines: Iterable[Line], options: dict[str, str | None]) -> None:
        """Adds what `raw2xg` draws with `options`.

        `-a` is for ACKs, `-e` for ECN, `-d` for marks alone, `-s` the scale, `-m` the modulus."""
        scale, modulus = float(options.get("s") or 1), int(options.get("m") or 2**31)
        for line in lines:
            y = line.flow + (max(line.number, 0) % modulus) * scale
            for name in _sets(line, options):
                self.sets[name].append((line.time, y))


def _sets(line: Line, options: dict[str, str | None]) -> Iterator[str]:
    marked = "E" in line.flags
    if line.event == "d":
        yield "drops"
    elif "d" in options:
        if marked:
            yield "ecn_packets"
    elif line.is_ack:
        if "a" in options:
            yield "ecn-acks" if marked else "acks"
            if "C" in line.flags:
                yield "echo-acks"
    else:
        yield "ecn_packets" if marked else "packets"
        if "A" in line.flags:
            yield "cong_act_packets"


#: Sets that are drawn with option `-e` only, and all.
ECN_SETS = ("ecn-acks", "echo-acks", "cong_act_packets")
SETS = {"packets", "acks", "drops", "ecn_packets", *ECN_SETS}


def play(commands: Iterable[str], lines: list[Line], wanted: str = "temp.rands") -> Plot:
    """The drawing in the file `wanted` that the pipes `commands` of a script make of a trace."""
    plot, files = Plot(), {"all.tr": lines}
    for command in commands:
        _pipe(command, files, plot, wanted)
    return plot


def _pipe(command: str, files: dict[str, list[Line]], plot: Plot, wanted: str) -> None:
    stream: list[Line] = []
    for part in command.split("|"):
        words = [word for word in shlex.split(part) if word != "perl"]
        if not words or not any(name in words[0] for name in ("getrc", "raw2xg", "set_flow_id")):
            return
        output = words[-1] if words[-2] in (">", ">>") else None
        options, names = _options(words[1 : -2 if output else None])
        stream = next((files[name] for name in names if name in files), stream)
        if "set_flow_id" in words[0]:
            stream = set_flow_id(stream, "-s" if "s" in options else "-m")
        elif "getrc" in words[0]:
            stream = getrc(stream, int(options["s"] or 0), int(options["d"] or 0))
        elif output == wanted:
            before = {name: len(points) for name, points in plot.sets.items()}
            plot.raw2xg(stream, options)
            if "e" not in options:
                for name in ECN_SETS:
                    del plot.sets[name][before.get(name, 0) :]
        if output and "raw2xg" not in words[0]:
            files[output] = stream


def _options(words: list[str]) -> tuple[dict[str, str | None], list[str]]:
    """Options with and without values, and names of files.

    `-s`, `-d` and `-m` have a value where a number follows."""
    options: dict[str, str | None] = {}
    names = []
    rest = list(words)
    while rest:
        word = rest.pop(0)
        if not word.startswith("-"):
            names.append(word)
        elif (
            rest
            and word in ("-s", "-d", "-m", "-t", "-n", "-f")
            and not rest[0].startswith("-")
            and rest[0] not in FILES
        ):
            options[word[1:]] = rest.pop(0)
        else:
            options[word[1:]] = None
    return options, names


#: Names of traces in the pipes.
FILES = ("all.tr", "t", "t1", "t2", "out.tr")


def read(text: str) -> Plot:
    """The data sets of the reference `text`, without its padding."""
    plot, name = Plot(), ""
    for row in text.splitlines():
        if row.startswith('"'):
            name = row[1:]
        elif row and name and not name.startswith("skip"):
            f = row.split()
            if len(f) == 2 and f != ["0", "1"]:
                plot.sets[name].append((float(f[0]), float(f[1])))
    for name in ("drops", "ecn_packets", "cong_act_packets"):
        if name in plot.sets:
            plot.sets[name] = _once(plot.sets[name])
    return plot


def _once(points: Points) -> Points:
    """The points without the first four, which these sets have twice."""
    for k in range(4, 0, -1):
        rest = points[k:]
        if len(rest) >= k and all(rest.count(p) for p in points[:k]) and (k == 4 or len(rest) == k):
            return rest
    return points


def difference(first: Plot, second: Plot, tolerance: float = 1.5e-6) -> str | None:
    """In what two drawings differ: the first point without a partner within `tolerance` seconds.

    None if there is no such point."""
    for name in sorted({*first.sets, *second.sets}):
        a, b = (_by_height(plot.sets.get(name, [])) for plot in (first, second))
        found = []
        for y in {*a, *b}:
            left, right = sorted(a.get(y, [])), sorted(b.get(y, []))
            for k in range(max(len(left), len(right))):
                t, u = (times[k] if k < len(times) else math.inf for times in (left, right))
                if not abs(t - u) <= tolerance:
                    found.append((min(t, u), y, t, u))
                    break
        if found:
            _, y, t, u = min(found)
            return f"{name}: packet {y:g} at {t:.6f} s, and at {u:.6f} s"
    return None


def _by_height(points: Points) -> dict[float, list[float]]:
    heights = defaultdict(list)
    for t, y in points:
        heights[round(y, 4)].append(t)
    return heights

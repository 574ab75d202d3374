"""Instructions and level-1 instruction misses of the simulator, per packet, against `limits.json`.

Each scenario of `scenarios.py` is run at two lengths under valgrind's callgrind; the difference of
the two counts over the difference of the packets is what a packet costs, start and end apart.
Callgrind counts the same on a busy machine as on an idle one. What it counts follows from the
program alone: the C library is told to use none of the instructions that only some processors have,
and the caches are those of `CACHES`.

    python bench/instructions/count.py             check: exit code 1 if something has grown
    python bench/instructions/count.py --update    lower the limits to what is counted
    python bench/instructions/count.py --update --because "marks on every link"
                                                   raise them too, with the reason

Under other versions of the tools than those of the limits, what is checked is instead that nothing
has grown since the commit that set them, which is built and counted beside this one. Without
valgrind there is nothing to check.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from scenarios import BESIDE, SCENARIOS, Scenario

ROOT = Path(__file__).resolve().parent.parent.parent
LIMITS = Path(__file__).resolve().parent / "limits.json"

# More than this is growth. Misses depend on where the linker puts code that is much larger than the
# cache: they have a tenth and one a packet of room.
TOLERANCE = 0.01
MISSES_TOLERANCE, MISSES_MORE = 0.1, 1.0
# A function that takes less of a packet is not named in the limits.
NAMED = 10.0
CACHES = {"I1": "32768,8,64", "D1": "32768,8,64", "LL": "8388608,16,64"}
# Extensions that only some processors have, as glibc names them; memcpy and its like go by them.
EXTENSIONS = (
    *("AVX", "AVX2", "AVX512BW", "AVX512F", "AVX512VL", "BMI1", "BMI2", "ERMS", "FSRM", "LZCNT"),
    *("MOVBE", "RTM", "SSE4_1", "SSE4_2", "SSSE3"),
)
PLAIN = "glibc.cpu.hwcaps=" + ",".join(f"-{name}" for name in EXTENSIONS)


class FailedError(Exception):
    """A tool that did not do what it was asked for, in one line."""


@dataclass(frozen=True)
class Cost:
    """Cost of a packet, and the share of each function."""

    instructions: float
    misses: float
    functions: dict[str, float]
    beside: dict[str, float]  # instructions per ACK that came back, or per slot

    def record(self) -> dict[str, Any]:
        """As the limits have it."""
        large = {name: value for name, value in self.functions.items() if value >= NAMED}
        by_size = sorted(large.items(), key=lambda name_and_cost: -name_and_cost[1])
        return {
            "instructions": round(self.instructions, 1),
            "misses": round(self.misses, 2) + 0.0,  # not -0
            "beside": {unit: round(value, 1) for unit, value in self.beside.items()},
            "functions": {name: round(value, 1) for name, value in by_size},
        }

    @staticmethod
    def of(record: dict[str, Any]) -> Cost:
        return Cost(**record)


# ---------------------------------------------------------------- counting


def tools() -> dict[str, str]:
    """Versions of what the counts depend on besides the sources."""
    return {
        "rustc": output(["rustc", "--version"]).split(" ", 1)[1].strip(),
        "glibc": os.confstr("CS_GNU_LIBC_VERSION") or "none",
        "valgrind": output(["valgrind", "--version"]).strip().removeprefix("valgrind-"),
    }


def built(checkout: Path) -> Path:
    """The program of a checkout, as a release is built; debug information changes no code."""
    folder = checkout / "target" / "instructions"
    command = ["cargo", "build", "--release", "--quiet", "--locked", "-p", "airtcp-sim"]
    command += ["--example", "packets", "--target-dir", str(folder)]
    lines = {"CARGO_PROFILE_RELEASE_DEBUG": "line-tables-only"}
    output(command, cwd=checkout, env=os.environ | lines)
    return folder / "release" / "examples" / "packets"


def counted(program: Path, names: list[str]) -> dict[str, Cost]:
    """The costs of some scenarios, as many at a time as there are processors."""
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(os.cpu_count()) as threads:
        # Long ones first, so that no processor is left without work.
        costs = {name: threads.submit(cost, program, name, Path(folder)) for name in names}
        return {name: cost_of_program.result() for name, cost_of_program in costs.items()}


def cost(program: Path, name: str, folder: Path) -> Cost:
    """The cost of a packet of a scenario."""
    scenario = SCENARIOS[name]
    short, long = (Counts(program, scenario, n, folder / f"{name}-{n}") for n in scenario.lengths)
    packets = long.packets - short.packets
    instructions = long.instructions - short.instructions
    functions = {
        function: (value - short.functions.get(function, 0)) / packets
        for function, value in long.functions.items()
    }
    beside = {unit: instructions / (long.other[unit] - short.other[unit]) for unit in long.other}
    misses = (long.misses - short.misses) / packets
    return Cost(instructions / packets, misses, functions, beside)


class Counts:
    """Instructions, misses and packets of one run."""

    def __init__(self, program: Path, scenario: Scenario, length: int, place: Path) -> None:
        document, out = place.with_suffix(".json"), place.with_suffix(".out")
        document.write_text(json.dumps(scenario.of_length(length)), "utf-8")
        caches = [f"--{name}={value}" for name, value in CACHES.items()]
        command = ["valgrind", "--tool=callgrind", "--cache-sim=yes", *caches]
        command += [f"--callgrind-out-file={out}", str(program), str(document)]
        command += ["trace"] if scenario.traced else []
        said = output(command, env=os.environ | {"GLIBC_TUNABLES": PLAIN})
        self.other: dict[str, int] = json.loads(said)
        self.packets = self.other.pop("packets")
        table = output(["callgrind_annotate", "--threshold=100", "--auto=no", str(out)])
        self.instructions, self.misses, self.functions = annotated(table)


def annotated(table: str) -> tuple[int, int, dict[str, int]]:
    """Of a table of callgrind_annotate: instructions, misses, instructions by function."""
    events = re.search(r"^Events shown: +(.*)$", table, re.MULTILINE)
    if not events:
        raise FailedError("callgrind_annotate prints another table than was known")
    shown = events[1].split()
    place = {event: shown.index(event) for event in ("Ir", "I1mr")}
    cells = re.compile(r"([\d,]+|\.)(?: \( *[\d.]+%\))?")
    functions: dict[str, int] = {}
    total = (0, 0)
    for line in table.splitlines():
        numbers, rest = [], line.lstrip()
        while len(numbers) < len(shown) and (cell := cells.match(rest)):
            numbers.append(0 if cell[1] == "." else int(cell[1].replace(",", "")))
            rest = rest[cell.end() :].lstrip()
        if len(numbers) < len(shown):
            continue
        if rest.startswith("PROGRAM TOTALS"):
            total = (numbers[place["Ir"]], numbers[place["I1mr"]])
        elif ":" in rest:
            name = function_name(rest)
            functions[name] = functions.get(name, 0) + numbers[place["Ir"]]
    return *total, functions


def function_name(written: str) -> str:
    """`FILE:FUNCTION [OBJECT]` without what differs between checkouts and builds."""
    file, _, function = re.sub(r" \[[^\]]*\]$", "", written).partition(":")
    function = re.sub(r"::h[0-9a-f]{16}|'\d+$| \(\.llvm\.\d+\)|\.llvm\.\d+", "", function)
    while (shorter := re.sub(r"<[^<>]*>", "", function.replace("->", ""))) != function:
        function = shorter
    function = re.sub(r"(::)+", "::", function).strip(":")
    function = function.rsplit("airtcp_", 1)[-1]
    if re.match(r"(?:.*/library/)?(?:core|alloc|std)/src/", file):
        return f"{function} in the library"
    return f"{function} in {re.split(r'(?:^|/)crates/|/registry/src/[^/]*/', file)[-1]}"


def output(command: list[str], **more: Any) -> str:
    """The output of a command."""
    done = subprocess.run(command, capture_output=True, text=True, check=False, **more)
    if done.returncode:
        last = (done.stderr.strip().splitlines() or ["no message"])[-1]
        raise FailedError(f"{' '.join(command[:4])}…: exit code {done.returncode}: {last}")
    return done.stdout


# ---------------------------------------------------------------- comparing


def growth(now: Cost, limit: Cost) -> list[str]:
    """Growth beyond the tolerance: a line each."""
    lines = []
    if now.instructions > limit.instructions * (1 + TOLERANCE):
        lines.append(f"{now.instructions:.1f} instructions a packet, {limit.instructions} allowed")
    if now.misses > limit.misses * (1 + MISSES_TOLERANCE) + MISSES_MORE:
        lines.append(f"{now.misses:.2f} instruction misses a packet, {limit.misses} allowed")
    return lines


def grown_functions(now: Cost, limit: Cost) -> list[str]:
    """The functions that take more than before, the most first."""
    # One that the limits do not name took less than `NAMED`.
    before = {name: min(value, NAMED) for name, value in now.functions.items()} | limit.functions
    more = {name: value - before[name] for name, value in now.functions.items()}
    first = sorted((name for name in more if more[name] >= 1), key=lambda name: -more[name])[:6]
    if not first:
        # The limit itself was lower than its functions: name those that a packet spends most in.
        first = sorted(now.functions, key=lambda name: -now.functions[name])[:3]
    return [f"{more[name]:+.1f} (now {now.functions[name]:.1f}) {name}" for name in first]


def compare(costs: dict[str, Cost], limits: dict[str, Cost]) -> bool:
    """Print a line for each scenario, and what has grown. Returns whether nothing has."""
    fine = True
    for name, now in costs.items():
        limit = limits.get(name)
        if limit is None:
            print(f"{name:<14} {now.instructions:8.1f} {now.misses:7.2f}   no limit yet: --update")
            fine = False
            continue
        change = 100 * (now.instructions / limit.instructions - 1)
        print(
            f"{name:<14} {now.instructions:8.1f} instructions a packet ({change:+.2f} %),"
            f" {now.misses:6.2f} instruction misses ({now.misses - limit.misses:+.2f})"
        )
        if lines := growth(now, limit):
            fine = False
            for line in lines:
                print(f"  grown: {line}")
            for line in grown_functions(now, limit):
                print(f"    {line}")
    return fine


def is_within(costs: dict[str, Cost]) -> bool:
    """True if no scenario costs more beside another than it may; prints a line for each."""
    fine = True
    for name, (plain, most) in BESIDE.items():
        if not {name, plain} <= costs.keys():
            continue
        more = costs[name].instructions - costs[plain].instructions
        fine = fine and more <= most
        said = "at most" if more <= most else "more than the allowed"
        print(f"{name} cost {more:.1f} instructions a packet beside {plain}, {said} {most:g}")
    return fine


def check(names: list[str], limits: dict[str, Any]) -> bool:
    """True if no scenario costs more than it may."""
    here = tools()
    costs = counted(built(ROOT), names)
    allowed = {name: Cost.of(record) for name, record in limits["scenarios"].items()}
    within = is_within(costs)
    if here == limits["tools"]:
        return compare(costs, allowed) and within
    kept = limits["tools"]
    others = [f"{tool} {here[tool]} ({kept[tool]})" for tool in here if here[tool] != kept[tool]]
    print(f"Other tools than those of the limits: {', '.join(others)}. Beside the limits:")
    compare(costs, allowed)
    return compare_with_base(names, costs) and within


def compare_with_base(names: list[str], costs: dict[str, Cost]) -> bool:
    """True if nothing costs more than at the commit that set the limits, by the tools here."""
    try:
        base = output(["git", "log", "-1", "--format=%H", "--", str(LIMITS)], cwd=ROOT).strip()
        sources = ["crates", "Cargo.toml", "Cargo.lock"]
        changed = output(["git", "diff", "--name-only", base, "--", *sources], cwd=ROOT)
    except FailedError as error:
        print(f"The commit that set the limits is not here, so that nothing is compared: {error}")
        return True
    if not base or not changed:
        print("The sources are those that the limits were set for: there is nothing to compare.")
        return True
    print(f"Beside a build of {base[:8]}, which set the limits:")
    place = Path(tempfile.mkdtemp())
    try:
        output(["git", "worktree", "add", "--detach", str(place / "base"), base], cwd=ROOT)
        before = counted(built(place / "base"), names)
    finally:
        shutil.rmtree(place)
        output(["git", "worktree", "prune"], cwd=ROOT)
    return compare(costs, before)


# ---------------------------------------------------------------- limits


def updated(limits: dict[str, Any], costs: dict[str, Cost], because: str | None) -> dict[str, Any]:
    """The limits at what was counted. Raising one takes a reason, which is kept."""
    kept = limits["scenarios"]
    raised = [
        name for name, now in costs.items() if name in kept and growth(now, Cost.of(kept[name]))
    ]
    if raised and not because:
        raise FailedError(f"{', '.join(raised)} would be raised: --because says what that buys")
    day = datetime.now(UTC).date().isoformat()
    reasons = [
        f"{day} {name}: {kept[name]['instructions']} to {costs[name].instructions:.1f}"
        f" instructions, {kept[name]['misses']} to {costs[name].misses:.2f} misses: {because}"
        for name in raised
    ]
    return {
        "tools": tools(),
        "caches": CACHES,
        "raised": limits["raised"] + reasons,
        "scenarios": kept | {name: now.record() for name, now in costs.items()},
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--only", nargs="+", metavar="NAME", choices=list(SCENARIOS))
    parser.add_argument("--update", action="store_true", help="write what is counted as limits")
    parser.add_argument("--because", help="what a raised limit buys")
    parser.add_argument("--limits", type=Path, default=LIMITS, help="another file of limits")
    given = parser.parse_args()
    names = given.only or list(SCENARIOS)
    for tool in ("valgrind", "callgrind_annotate"):
        if not shutil.which(tool):
            print(f"{tool} is missing (apt-get install valgrind): instructions are not counted")
            return 0
    try:
        limits = json.loads(given.limits.read_text("utf-8"))
        if not given.update:
            return 0 if check(names, limits) else 1
        limits = updated(limits, counted(built(ROOT), names), given.because)
        given.limits.write_text(json.dumps(limits, indent=1) + "\n", "utf-8")
    except FailedError as error:
        print(error, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())

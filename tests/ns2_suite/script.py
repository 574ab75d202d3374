"""Reads a script of ns-2's validation suite: what it builds, and what is done when, without ns.

The scripts are programs in OTcl. A safe Tcl interpreter, which can neither run a program nor touch
a file, runs them over `otcl.tcl` and `world.tcl`, whose classes write down what they are told.
"""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass, field
from pathlib import Path

HERE = Path(__file__).parent
#: Files of the suite that a script may ask for.
PARTS = ("misc.tcl", "misc_simple.tcl", "topologies.tcl", "support.tcl")


class Stop(Exception):  # noqa: N818
    """The script has ended."""


@dataclass
class Script:
    """Content of one test of a script."""

    classes: dict[str, str] = field(
        default_factory=dict
    )  #: of objects, in the order of their creation
    done: list[tuple[float, str, str, list[str]]] = field(
        default_factory=list
    )  #: time, application, verb, values
    calls: list[list[str]] = field(default_factory=list)  #: what nobody here knows
    resets: list[str] = field(default_factory=list)  #: nodes in the order in which ns resets them
    pipes: list[str] = field(default_factory=list)  #: the programs that it would run
    end: float = 0.0
    values: dict[str, dict[str, str]] = field(
        default_factory=dict
    )  #: variables of objects at the end

    def of(self, kind: str) -> list[str]:
        """The objects whose class is `kind` or starts with it, in the order of their creation."""
        return [o for o, c in self.classes.items() if c == kind or c.startswith(kind + "/")]


def tests(suite: Path, family: str) -> list[str]:
    """The tests that the script of `family` defines."""
    text = (suite / f"test-suite-{family}.tcl").read_text(errors="replace")
    return re.findall(r"^Class Test/(\S+)", text, re.MULTILINE)


def read(suite: Path, family: str, test: str) -> Script:
    """Runs `test` of `family` and says what it builds.

    Raises tkinter.TclError for what this reader does not know."""
    import tkinter

    tcl = tkinter.Tcl()
    tcl.eval("interp create -safe box")
    script = Script()

    def record(what: str, *rest: str) -> str:
        _record(script, what, list(rest))
        return ""

    def execute(*words: str) -> str:
        script.pipes.append(" ".join(words))
        return ""

    def source(name: str) -> str:
        if Path(name).name in PARTS:
            tcl.call("box", "eval", (suite / Path(name).name).read_text(errors="replace"))
        return ""

    for name, function in (("record", record), ("exec", execute), ("source", source)):
        tcl.createcommand(f"py_{name}", function)
        tcl.eval(f"box alias {name} py_{name}")
    for part in ("otcl.tcl", "world.tcl"):
        tcl.call("box", "eval", (HERE / part).read_text())
    for name, values in tomllib.loads((HERE / "defaults.toml").read_text()).items():
        for key, value in values.items():
            tcl.call("box", "eval", f"{name} set {key} {value}")
    tcl.call(
        "box",
        "eval",
        "proc stop {} {return -code error -errorcode STOP stop}; proc seconds t {return $t}",
    )
    tcl.call(
        "box", "eval", f"set argc 2; set argv {{{test} QUIET}}; set argv0 test-suite-{family}.tcl"
    )
    try:
        tcl.call("box", "eval", (suite / f"test-suite-{family}.tcl").read_text(errors="replace"))
    except tkinter.TclError as error:
        if str(error) != "stop":
            raise
    script.end = float(tcl.eval("box eval {set otcl_now}"))
    for name in script.classes:
        keys = tcl.splitlist(tcl.eval(f"box eval {{{name} info vars}}"))
        script.values[name] = {
            key: str(tcl.eval(f"box eval {{{name} set {key}}}"))
            for key in keys
            if tcl.eval(f"box eval {{array exists ::var::{name}::{key}}}") == "0"
        }
    return script


def _record(script: Script, what: str, rest: list[str]) -> None:
    if what == "create":
        script.classes[rest[0]] = rest[1]
    elif what == "do":
        application, verb, time, values = rest
        script.done.append((float(time), application, verb, values.split()))
    elif what == "reset":
        script.resets.append(rest[0])
    elif what == "call":
        script.calls.append(rest)

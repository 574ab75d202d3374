"""Texts of others on a terminal: whatever they hold, they are shown and not obeyed.

Every command is given hostile texts wherever a text may come from: scenarios, names of files and
folders, options, scripts, captures, results, logs. AIRTCP_FUZZ says how many of each kind are
tried; `make fuzz` tries many.
"""

from __future__ import annotations

import ast
import copy
import json
import os
import random
import shutil
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner, Result

from airtcp.cli.main import main
from airtcp.live import transfer
from airtcp.scenario.document import to_toml
from airtcp.terminal import escape_json, visible_line
from hostile import FORGED, PARTS, check_shown, text
from test_packetdrill import PASSES

CASES = int(os.environ.get("AIRTCP_FUZZ", "40"))
LIBRARY = Path(__file__).parent / "captures"
PACKAGE = Path(__file__).parent.parent / "python/airtcp"
PATH: dict[str, Any] = {
    "profile": "rfc",
    "title": "Title",
    "tcp": {"variant": ["reno", "sack"], "window": 8},
    "path": {"hop": [{"rate": "5Mbps", "delay": "5ms", "queue": 20, "near": "a", "far": "b"}]},
    "flow": [{"sender": "a", "receiver": "b"}],
    "stop": {"time": "1s", "replications": 2},
}
PATH["path"]["hop"][0]["channel"] = {"kind": "iid", "loss_rate": 0.02}
SLOTS: dict[str, Any] = {
    "profile": "zorzi",
    "title": "Title",
    "tcp": {"variant": ["tahoe", "newreno"], "window": 8},
    "channel": {"kind": "iid", "loss_rate": 0.1},
    "stop": {"slots": 2000, "replications": 2},
}
ONE_POINT = ("--set", "tcp.variant=sack")


def call(*arguments: str, code: tuple[int, ...] = (0,)) -> Result:
    """A command whose output is checked; it ends with one of the codes."""
    done = CliRunner().invoke(main, arguments)
    check_shown(done.stdout)
    check_shown(done.stderr)
    ended = done.exception is None or isinstance(done.exception, SystemExit)
    assert ended, (arguments, done.exception)
    assert done.exit_code in code, (arguments, done.output)
    return done


def written(folder: Path, document: dict[str, Any], name: str = "x.toml") -> str:
    (folder / name).write_text(to_toml(document), encoding="utf-8")
    return str(folder / name)


def of_file(hostile: str) -> str:
    """The text as a name of a file or folder."""
    return hostile.replace("/", "").replace("\0", "")[:60]


# The function


def test_each_part_is_made_visible_and_words_stay() -> None:
    for part in PARTS:
        check_shown(visible_line(f"a{part}b"))
        assert json.loads(escape_json(json.dumps([part], ensure_ascii=False))) == [part]
    said = "Fünf\u202f% 信道 \u0645\u06cc\u200c\u062e\u0648\u0627\u0647 \U0001f468\u200d\U0001f469"
    assert visible_line(said) == said


def test_only_the_command_line_writes_to_the_terminal() -> None:
    """Output goes through `put` and `tell`; other modules that write are named here."""
    writes: dict[str, set[str]] = {}
    for file in PACKAGE.rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and ast.unparse(node.func) in ("print", "click.echo"):
                writes.setdefault(str(file.relative_to(PACKAGE)), set()).add(ast.unparse(node))
    assert set(writes) == {"__main__.py", "golden.py", "cli/app.py", "cli/main.py"}
    assert all("visible" in write or "USAGE" in write for write in writes["golden.py"])
    assert writes["cli/main.py"] == {"click.echo(context.get_help())"}


# Scenarios


def commands_of_path(file: str, out: str) -> Iterator[list[str]]:
    """Every command that takes a scenario, with the file of one on a path."""
    yield from (["run", file, "--format", form] for form in ("table", "json", "csv"))
    yield ["run", file, "--links", "--out", f"{out}/run"]
    yield ["plan", file, "--budget", "0.01"]
    yield ["sweep", file, "--out", f"{out}/sweep"]
    yield from (["results", f"{out}/sweep", "--format", form] for form in ("table", "json", "csv"))
    yield ["results", f"{out}/sweep", "--rank", "variant"]
    yield ["plot", f"{out}/sweep", "-x", "variant", "-y", "goodput_bps", "-o", f"{out}/p.svg"]
    yield [
        "advise",
        file,
        "--goal",
        "goodput",
        "--over",
        "tcp.window=4,8",
        "--most",
        "10",
        *ONE_POINT,
    ]
    yield ["contest", file, "--variants", "reno,sack", *ONE_POINT]
    yield ["timeseries", file, "--plot", f"{out}/t.svg", *ONE_POINT]
    yield ["trace", file, "-o", f"{out}/t.csv"]
    yield ["trace", file, "-o", f"{out}/q.svg", "--kind", "queue", *ONE_POINT]
    yield ["live", file, "--tc", *ONE_POINT]
    yield ["cite", file]
    yield ["cite", f"{out}/sweep"]


@pytest.mark.parametrize("seed", range(3))
def test_titles_and_names_of_files_in_every_command(tmp_path: Path, seed: int) -> None:
    hostile = text(random.Random(seed), 40)
    folder = tmp_path / of_file(hostile)
    folder.mkdir()
    file = written(folder, {**PATH, "title": hostile}, f"x{of_file(hostile)}.toml")
    for command in commands_of_path(file, str(folder)):
        done = call(*command)
        if "json" in command:
            assert json.loads(done.stdout)["scenario"]["title"] == hostile
    slots = written(folder, {**SLOTS, "title": hostile}, f"y{of_file(hostile)}.toml")
    call("run", slots)
    call("run", slots, "--out", str(folder / "slots"))
    for command in (
        ["run"],
        ["cite"],
        ["results"],
        ["explain"],
        ["packetdrill"],
        ["trace", "--replay"],
    ):
        call(*command, str(folder / f"no{of_file(hostile)}"), code=(2,))


def changed(document: dict[str, Any], chance: random.Random) -> dict[str, Any]:
    """The document with a hostile text as a key or a value, at any depth."""
    found = copy.deepcopy(document)
    place: Any = found
    while True:
        keys = list(place) if isinstance(place, dict) else list(range(len(place)))
        key = chance.choice(keys)
        if isinstance(place[key], (dict, list)) and chance.random() < 0.8:
            place = place[key]
            continue
        if isinstance(place, dict) and chance.random() < 0.3:
            place[text(chance)] = place.pop(key)
        else:
            place[key] = text(chance) if chance.random() < 0.7 else {text(chance): text(chance)}
        return found


def test_scenarios_with_hostile_keys_and_values(tmp_path: Path) -> None:
    chance, refused = random.Random(5), 0
    for number in range(CASES):
        document = changed(PATH if number % 2 else SLOTS, chance)
        done = call("cite", written(tmp_path, document), code=(0, 2))
        refused += done.exit_code == 2
        assert done.exit_code == 0 or (done.stderr.count("\n") == 1 and not done.stdout)
        source = "\n".join(f"{text(chance)} = {text(chance)}" for _ in range(3))
        (tmp_path / "x.toml").write_text(source, encoding="utf-8", newline="")
        call("run", str(tmp_path / "x.toml"), code=(2,))
    assert refused > CASES / 2


# Options


def options() -> list[tuple[str, str]]:
    """Every command and option that takes a text."""
    commands = main.commands.values()
    both = ((command, option) for command in commands for option in command.params)
    return [
        (str(command.name), option.opts[0])
        for command, option in both
        if isinstance(option, click.Option) and not option.is_flag
    ]


@pytest.mark.parametrize(("command", "option"), options())
def test_values_of_options(tmp_path: Path, command: str, option: str) -> None:
    chance = random.Random(f"{command} {option}")
    file = written(tmp_path, {**SLOTS, "stop": {"slots": 100, "replications": 2}})
    given = [] if command in ("list", "schema", "reproduce") else [file]
    needed = {"sweep": ["--out", str(tmp_path / "out")], "advise": ["--goal", "goodput"]}
    if option not in (
        "-o",
        "--out",
        "--journal",
    ):  # these make files, by names that are tried above
        value = text(chance)
        # A refused input belongs into a report, which is then the answer.
        codes = (0, 2) if command == "report-bug" else (1, 2)
        call(command, *given, *needed.get(command, []), option, value, code=codes)
        call(command, *given, *needed.get(command, []), f"{option}{value}", code=codes)
        call(command, *given, *needed.get(command, []), option, f"tcp.window={value}", code=codes)


def test_words_of_commands() -> None:
    chance = random.Random(8)
    for command in ("list", "reproduce", text(chance), f"-{text(chance)}"):
        call(command, text(chance), code=(2,))
        call(command, text(chance), text(chance), text(chance), code=(2,))


# Scripts


def scripts(chance: random.Random) -> str:
    """A script that prints or asserts hostile texts, or holds them anywhere."""
    hostile = text(chance)
    kind = chance.randrange(5)
    if kind == 0:
        return PASSES.replace("print(tcpi_state)", f"print({hostile!r}, {FORGED!r})")
    if kind == 1:
        return PASSES.replace("print(tcpi_state)", f'print("{hostile}")')
    if kind == 2:
        return PASSES.replace("print(tcpi_state)", f"assert tcpi_state == 7, {hostile!r}")
    if kind == 3:
        return f"// {hostile}\n{PASSES}".replace("mss 1460", f"mss {hostile}")
    place = chance.randrange(len(PASSES))
    return PASSES[:place] + hostile + PASSES[place:]


@pytest.mark.parametrize("form", ["text", "json"])
def test_scripts(tmp_path: Path, form: str) -> None:
    chance = random.Random(9)
    for _ in range(CASES):
        script = tmp_path / f"a{of_file(text(chance))}.pkt"
        script.write_text(scripts(chance), encoding="utf-8", newline="")
        done = call("packetdrill", str(script), "--format", form, code=(0, 1, 2))
        if form == "text" and done.stdout:
            assert done.stdout.count("\n") == 1
            assert all(line.startswith(str(tmp_path)) for line in done.stderr.splitlines())
        script.unlink()


def test_a_script_cannot_print_the_verdict_of_another(tmp_path: Path) -> None:
    script = tmp_path / "x.pkt"
    printing = f'print("{FORGED}"); print({f"a{chr(10)}{FORGED}"!r})'
    script.write_text(PASSES.replace("print(tcpi_state)", printing), encoding="utf-8")
    done = call("packetdrill", str(script))
    assert done.stderr == f"{script}: printed: {FORGED}\n{script}: printed: a\\n{FORGED}\n"


# Captures


def test_members_and_texts_of_captures(tmp_path: Path) -> None:
    chance = random.Random(10)
    with zipfile.ZipFile(LIBRARY / "links.zip") as archive:
        content = archive.read(archive.namelist()[0])
    for number in range(max(4, CASES // 10)):
        file = tmp_path / f"{number}{of_file(text(chance))}.zip"
        with zipfile.ZipFile(file, "w") as archive:
            archive.writestr(f"a{text(chance)}.pcapng", content)
            archive.writestr(f"b{text(chance)}.pcapng", described(content, chance))
        for form in ("table", "json"):
            call("explain", str(file), "--format", form, code=(0, 1, 2))
        with zipfile.ZipFile(file, "w") as archive:
            archive.writestr(f"a{text(chance)}.pcapng", text(chance))
        call("explain", str(file), code=(2,))


def described(content: bytes, chance: random.Random) -> bytes:
    """The capture with another description of its sender, as long as the one that it has."""
    start = content.index(
        chance.choice((b"links/000", b"reno", b"6.18", b"none: ", b"tcp_sack", b"1"))
    )
    hostile = text(chance, 10).encode(errors="replace")[:24]
    return content[:start] + hostile + content[start + len(hostile) :]


# Results and logs


def texts_in(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Where texts and keys are in a value of JSON."""
    if isinstance(value, str):
        yield path
    entries = (
        value.items()
        if isinstance(value, dict)
        else enumerate(value)
        if isinstance(value, list)
        else ()
    )
    for key, entry in entries:
        yield from texts_in(entry, (*path, key))


def with_texts(file: Path, chance: random.Random, then: Callable[[], Result]) -> None:
    """Call `then` with each text of a JSON file replaced by a hostile one, in turn."""
    before = file.read_text(encoding="utf-8")
    for path in texts_in(json.loads(before)):
        document = json.loads(before)
        place = document
        for step in path[:-1]:
            place = place[step]
        place[path[-1]] = text(chance)
        file.write_text(json.dumps(document), encoding="utf-8")
        then()
    file.write_text(before, encoding="utf-8")


def test_manifests_and_damaged_results(tmp_path: Path) -> None:
    chance, folder = random.Random(11), tmp_path / of_file(text(random.Random(12)))
    call("sweep", written(tmp_path, PATH), "--out", str(folder))

    def read() -> Result:
        call("cite", str(folder), code=(0, 1, 2))
        return call("results", str(folder), code=(0, 1, 2))

    with_texts(folder / "manifest.json", chance, read)
    for file in sorted(folder.rglob("*.*")):
        if file.is_file():
            content = file.read_bytes()
            file.write_bytes(text(chance).encode() + content[40:])
            read()
            call("sweep", str(tmp_path / "x.toml"), "--out", str(folder), code=(0, 1, 2))
            file.write_bytes(content)


def test_queries_of_results(tmp_path: Path) -> None:
    pytest.importorskip("duckdb")
    chance = random.Random(13)
    call("sweep", written(tmp_path, SLOTS), "--out", str(tmp_path / "out"))
    for _ in range(max(4, CASES // 8)):
        hostile = text(chance).replace("'", "").replace('"', "").replace("\0", "")
        query = f"SELECT '{hostile}' AS \"{hostile}\" FROM runs LIMIT 2"
        for form in ("table", "json", "csv"):
            call("results", str(tmp_path / "out"), "--sql", query, "--format", form)
        call("results", str(tmp_path / "out"), "--sql", hostile, code=(2,))


def test_logs_of_live_runs(tmp_path: Path) -> None:
    chance, folder = random.Random(14), tmp_path / "log"
    given = copy.deepcopy(PATH) | {"tcp": {"variant": "sack", "window": 8}}
    transfer(given, stack="scenario", size=20_000, seconds=30.0, out=folder)
    call("trace", "--replay", str(folder))
    with_texts(
        folder / "live.json", chance, lambda: call("trace", "--replay", str(folder), code=(0, 1, 2))
    )
    with_texts(folder / "live.json", chance, lambda: call("explain", str(folder), code=(0, 1, 2)))
    shutil.rmtree(folder)

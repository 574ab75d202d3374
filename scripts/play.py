"""Play a page of the docs: run its code blocks in their order, in one folder, and compare.

A reader who does what the page says, from an empty folder, gets what the page shows:

- a block with a title, ```` ```toml title="link.toml" ````, is written to that file;
- of a block ```` ```sh ````, lines that start with `airtcp` are run;
- the blocks ```` ```python ```` of a page are one session;
- a block ```` ```text ```` right after one of those two is what it printed. A line `...` in it
  stands for any lines;
- a picture of the page whose file the code writes, `figures/x.svg`, is that file.

`python scripts/play.py PAGE...` writes outputs and pictures anew, where they are no longer those.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import sys
import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from commands import Commands
from figure import alike

ROOT = Path(__file__).parent.parent
BLOCK = re.compile(r'^```(\w+)(?: title="([^"]+)")?\n(.*?)^```\n', re.MULTILINE | re.DOTALL)
PICTURE = re.compile(r"!\[[^\]]*\]\((figures/[^)]+\.svg)\)")
WIDTH = "100"  # of the terminal, in characters


def main() -> int:
    """Write what is out of date in the pages that are named."""
    os.environ["MPLBACKEND"] = "agg"
    with page_commands() as commands:
        for name in sys.argv[1:]:
            page = Path(name).resolve()
            with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
                played = play(page, Path(folder), commands)
                if played != page.read_text(encoding="utf-8"):
                    page.write_text(played, encoding="utf-8")
                    print(f"{name}: written")
                for there, made in stale_pictures(page, Path(folder)):
                    there.parent.mkdir(exist_ok=True)
                    there.write_text(made.read_text(encoding="utf-8"), encoding="utf-8")
                    print(f"{there}: written")
    return 0


def page_commands() -> Commands:
    """The process that runs the commands of pages, which show what fits a terminal of `WIDTH`."""
    return Commands({"COLUMNS": WIDTH, "NO_COLOR": "1"})


def play(page: Path, folder: Path, commands: Commands) -> str:
    """The text of a page with the outputs of today; runs in `folder`, the current directory."""
    (folder / "examples").symlink_to(ROOT / "examples")
    text = page.read_text(encoding="utf-8")
    output_of = partial(commands.output, folder=folder)
    session: dict[str, object] = {"__name__": "__main__"}
    parts, place, output = [], 0, None
    for block in BLOCK.finditer(text):
        between = text[place : block.start()]
        language, title, code = block.groups()
        whole = block[0]
        if language == "text" and output is not None and not between.strip():
            whole = f"```text\n{output_on_page(code, output)}```\n"
        elif title:
            (folder / title).write_text(code, encoding="utf-8")
        output = _run(language, code, output_of, session, page)
        parts += [between, whole]
        place = block.end()
    return "".join([*parts, text[place:]])


def output_on_page(expected: str, output: str) -> str:
    """The text that a page shows of an output: unchanged, if it is a shortened form of it."""
    output = "\n".join(line.rstrip() for line in output.strip("\n").splitlines()) + "\n"
    lines = [
        r"(?:.*\n)*?" if line == "..." else re.escape(line) + r"\n"
        for line in expected.splitlines()
    ]
    return expected if re.fullmatch("".join(lines), output) else output


def stale_pictures(page: Path, folder: Path) -> Iterator[tuple[Path, Path]]:
    """The pictures of a page that its code wrote otherwise: (in the docs, in the folder)."""
    for name in PICTURE.findall(page.read_text(encoding="utf-8")):
        there, made = page.parent / name, folder / name
        if not made.exists():
            raise FileNotFoundError(f"{page.name} shows {name}, but its code does not write it")
        if not (
            there.exists() and alike(*(path.read_text(encoding="utf-8") for path in (there, made)))
        ):
            yield there, made


def _run(
    language: str,
    code: str,
    output_of: Callable[[str], str],
    session: dict[str, object],
    page: Path,
) -> str | None:
    """Run a block; what it printed, or None if it is nothing to run."""
    if language == "python":
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            exec(compile(code, page.name, "exec"), session)
        return printed.getvalue()
    if language == "sh":
        return "".join(output_of(line) for line in lines_to_run(code))
    return None


def lines_to_run(code: str) -> list[str]:
    """The lines of a block that call airtcp, without their comments."""
    lines = [line.split(" #")[0].strip() for line in code.replace("\\\n", " ").splitlines()]
    return [line for line in lines if line.startswith("airtcp ")]


if __name__ == "__main__":
    sys.exit(main())

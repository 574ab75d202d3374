"""Every code block of the README and the docs runs.

Python in one session per page, shell lines that start with `airtcp` beside the examples.
"""

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```", re.MULTILINE | re.DOTALL)


def blocks(page: Path, language: str) -> list[str]:
    return [
        code for tag, code in BLOCK.findall(page.read_text(encoding="utf-8")) if tag == language
    ]


def pages_with(language: str) -> list[Path]:
    return [page for page in PAGES if blocks(page, language)]


def page_id(page: Path) -> str:
    return str(page.relative_to(ROOT))


@pytest.mark.parametrize("page", pages_with("python"), ids=page_id)
def test_python_blocks_run(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    monkeypatch.chdir(tmp_path)
    session: dict[str, object] = {}
    for code in blocks(page, "python"):
        exec(compile(code, page_id(page), "exec"), session)


def shell_lines(page: Path) -> list[str]:
    lines = [
        line.split(" #")[0].strip() for code in blocks(page, "sh") for line in code.splitlines()
    ]
    return [line for line in lines if line.startswith("airtcp ")]


@pytest.mark.parametrize("page", [p for p in PAGES if shell_lines(p)], ids=page_id)
def test_shell_lines_run(page: Path, tmp_path: Path) -> None:
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    program = Path(sys.executable).with_name("airtcp")
    for line in shell_lines(page):
        words = shlex.split(line)[1:]
        done = subprocess.run(
            [program, *words],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
        assert done.returncode == 0, f"{line}\n{done.stderr}"


def test_pages_have_code() -> None:
    assert pages_with("python")
    assert any(shell_lines(page) for page in PAGES)


LINK = re.compile(r"\]\((?!https?:|#|mailto:)([^)#\s]+)")


@pytest.mark.parametrize(
    "page", sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]), ids=page_id
)
def test_relative_links_lead_somewhere(page: Path) -> None:
    for target in LINK.findall(page.read_text(encoding="utf-8")):
        assert (page.parent / target).exists(), target

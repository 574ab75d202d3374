"""The pages for man: one per command, with all that its help says, and such that man shows it."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from airtcp.cli.main import main
from modules import module

ROOT = Path(__file__).parent.parent
cli_pages = module("cli_pages")
PAGES = sorted((ROOT / cli_pages.MAN).iterdir())


def text_of(page: Path) -> str:
    """Text that man shows, without its breaks of lines."""
    if shutil.which("man") is None:
        pytest.skip("there is no man")
    command = ["man", "--warnings", "--nh", "--nj", "-E", "ascii", "-l", page]
    env = {"MANWIDTH": "400", "PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8"}
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=env)
    assert done.stderr == ""
    return re.sub(r"\s+", " ", re.sub(".\b", "", done.stdout))


def test_there_is_a_page_per_command_and_no_other() -> None:
    expected = {"airtcp.1", *(f"airtcp-{name}.1" for name in main.commands)}
    assert {page.name for page in PAGES} == expected


@pytest.mark.parametrize("name", sorted(main.commands))
def test_man_shows_what_the_help_says(name: str) -> None:
    text = text_of(ROOT / cli_pages.MAN / f"airtcp-{name}.1")
    command = main.commands[name]
    for is_block, paragraph in cli_pages.text(command):
        for line in paragraph if is_block else [" ".join(paragraph)]:
            assert " ".join(line.split()) in text
    for left, right in cli_pages.options(command, cli_pages.context_of(name, command)):
        assert f"{left} {right}" in text


def test_a_line_that_begins_like_a_request_is_text() -> None:
    assert cli_pages.roff(".csv, -o a\\b") == "\\&.csv, \\-o a\\eb"
    assert ".csv and .parquet files are tables" in text_of(ROOT / cli_pages.MAN / "airtcp-trace.1")

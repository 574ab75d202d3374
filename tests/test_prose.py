"""The prose check finds what its rules forbid, and nothing else, and finds nothing here."""

from __future__ import annotations

from pathlib import Path

import pytest

from modules import module

prose = module("prose")
LONG = " ".join(["Word"] * (prose.MOST_WORDS + 1))
FITS = " ".join(["word"] * prose.MOST_WORDS)


def findings(name: str, source: str) -> list[str]:
    """The findings in a file, without its name."""
    found = prose.checked(Path(name), source, prose.Counts())
    return [str(finding).removeprefix(f"{name}:") for finding in found]


@pytest.mark.parametrize(
    "opening", ["What", "Whether", "Whose", "Which", "How", "That of", "Those of", "The same"]
)
def test_an_opening_that_says_nothing_is_found_in_each_kind_of_comment(opening: str) -> None:
    told = f'opening: a comment starts with "{opening}"'
    text = f"{opening} a flow sent."
    assert findings("a.rs", f"fn a() {{}}\n\n    /// {text}\n//! {text}\n// {text}\n") == [
        f"3: {told}",
        f"4: {told}",
        f"5: {told}",
    ]
    assert findings("a.py", f'"""{text}"""\n\nA = 1  # {text}\n# {text}\n') == [
        f"1: {told}",
        f"3: {told}",
        f"4: {told}",
    ]
    assert findings("a.py", f'class A:\n    # for a test\n    """{text}"""\n')[0] == f"3: {told}"
    assert not findings("a.md", f"# {text}\n\n{text}\n")  # a page may ask a question


@pytest.mark.parametrize(
    "text",
    [
        "Packets that a flow sent.",
        "Packets of a flow:\n/// what was sent and what arrived.",  # a comment is all its lines
        "How-to pages are short.",
        "Whatever a flow sent.",
        "That a flow sends is known.",
    ],
)
def test_a_noun_or_a_verb_is_a_good_opening(text: str) -> None:
    assert not findings("a.rs", f"/// {text}\n")


def test_only_docstrings_and_comments_of_python_are_read() -> None:
    assert not findings("a.py", 'TEXT = """What is sent."""\nA = f("# What is sent")\n')
    assert not findings("a.py", 'def a():\n    x = """\n# What a document says\n"""\n')
    assert not findings("a.py", 'def a():\n    f(x, """What is sent.""")\n')


def test_a_sentence_is_measured_over_lines_and_named_by_its_first() -> None:
    told = f"length: {prose.MOST_WORDS + 1} words without a full stop, the most is 45"
    folded = f"Short. {LONG[:50].strip()}\n{LONG[50:]}."
    assert findings("a.md", f"Short.\n\n{folded}\n") == [f"3: {told}"]
    assert findings("a.py", f'"""Short.\n\n{folded}\n"""\n') == [f"3: {told}"]
    lines = "".join(f"/// {line}\n" for line in folded.splitlines())
    assert findings("a.rs", f"/// Short.\n///\n{lines}") == [f"3: {told}"]
    item = folded.replace("\n", "\n  ")
    assert findings("a.md", f"- {item}\n") == [f"1: {told}"]


@pytest.mark.parametrize(
    "text",
    [
        f"{FITS}. And {FITS[5:]}.",
        f"{FITS}; {FITS}: {FITS}!",
        f"{FITS}\n\n{FITS}",
        f"- {FITS}\n- {FITS}\n1. {FITS}",
        f"{FITS} -- and [](an/address.md).".replace("and ", ""),
        f"`{LONG}`",
        f"```\n{LONG}\n```",
        f"| {LONG} |",
        f"# {LONG}",
        f"<!-- {LONG} -->",
        f">>> {LONG}\n{LONG}",
        f"\\b\n{LONG}",
        f"name : int\n    {FITS}\nother : int\n    {FITS}",
    ],
)
def test_sentences_end_and_what_is_no_prose_has_none(text: str) -> None:
    assert not findings("a.md", f"{text}\n")


def test_a_term_is_spelled_in_one_way() -> None:
    wrong = {
        "Cwnd": "cwnd",
        "good-put": "goodput",
        "Gilbert-Elliot": "Gilbert-Elliott",
        "roundtrip": "round trip",
        "round trip time": "round-trip time",
        "back-off": "backoff",
        "acknowledgment": "acknowledgement",
        "8 Mbps": "8 Mbit/s",
    }
    for variant, term in wrong.items():
        (found,) = findings("a.rs", f"/// A timer\n/// and {variant} here.\n")
        short = variant.removeprefix("8 "), term.removeprefix("8 ")
        assert found == f'2: term: "{short[0]}" is spelled "{short[1]}"'
        assert not findings("a.rs", f"/// A timer and {term} here, code `{variant}`.\n")


def test_every_variant_is_refused_and_no_term_itself() -> None:
    for term in prose.TERMS:
        assert not findings("a.md", f"The {term} and {term}s, 8 {term}.\n")


def test_the_share_of_openings_is_told(tmp_path: Path) -> None:
    (tmp_path / "a.rs").write_text("/// What is sent.\n\n/// Packets.\n", encoding="utf-8")
    finding, summary = prose.report([tmp_path / "a.rs"], tmp_path)
    assert finding == 'a.rs:1: opening: a comment starts with "What"'
    assert summary.startswith("2 comments, of which 1 (50.0%) have an opening that says nothing")
    assert summary.endswith("2 sentences: 1 findings")


def test_the_repository_has_no_findings() -> None:
    *found, summary = prose.report(prose.files(prose.ROOT))
    assert not found
    comments, sentences = int(summary.split()[0]), int(summary.split(" and ")[1].split()[0])
    assert comments > 15_000  # it reads what it says that it reads
    assert sentences > 25_000

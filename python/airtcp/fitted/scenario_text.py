"""A fitted link as a scenario file: keys that a user can change, and where each number is from."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from textwrap import wrap
from typing import Any

from airtcp.scenario.document import inline_toml, key_text
from airtcp.terminal import visible_line

LINE_WIDTH = 80
_LONGEST_LIST_ON_LINE = 20  # entries of a list on one line


def scenario_text(
    head: Sequence[str], document: Mapping[str, Any], comments: Mapping[str, str]
) -> str:
    """A document with one hop as TOML.

    - `head`: sentences at the top of the file, a comment line each;
    - `comments`: the comment above a key, by its path, such as "path.hop.channel".
    """
    single = {key: value for key, value in document.items() if not isinstance(value, dict)}
    parts = ["".join(f"{line}\n" for sentence in head for line in _comment_lines(sentence))]
    parts.append("".join(_assignment(key, value, key, comments) for key, value in single.items()))
    for name, value in document.items():
        if name == "path":
            (hop,) = value["hop"]
            parts += _section_lines("[[path.hop]]", "path.hop", hop, comments)
        elif isinstance(value, dict):
            parts += _section_lines(f"[{name}]", name, value, comments)
    return "\n".join(parts)


def _section_lines(
    title: str, path: str, table: Mapping[str, Any], comments: Mapping[str, str]
) -> Iterator[str]:
    """A table and, below it, its subtables that have a comment."""
    below = [
        key for key, value in table.items() if _has_own_section(value, f"{path}.{key}", comments)
    ]
    lines = [*_comment_lines(comments.get(path, "")), title]
    text = "".join(f"{line}\n" for line in lines)
    kept = {key: value for key, value in table.items() if key not in below}
    yield text + "".join(
        _assignment(key, value, f"{path}.{key}", comments) for key, value in kept.items()
    )
    for key in below:
        yield from _section_lines(
            f"[{path}.{key_text(key)}]", f"{path}.{key}", table[key], comments
        )


def _has_own_section(value: Any, path: str, comments: Mapping[str, str]) -> bool:
    return isinstance(value, dict) and any(
        commented_path.startswith(path) for commented_path in comments
    )


def _assignment(key: str, value: Any, path: str, comments: Mapping[str, str]) -> str:
    lines = [*_comment_lines(comments.get(path, "")), f"{key_text(key)} = {_value_text(value)}"]
    return "".join(f"{line}\n" for line in lines)


def _value_text(value: Any) -> str:
    """A value as TOML: long lists on several lines, lists of tables with a table per line."""
    if isinstance(value, dict) and _has_long_list(value):
        return (
            "{"
            + ", ".join(f"{key_text(key)} = {_value_text(item)}" for key, item in value.items())
            + "}"
        )
    if (
        isinstance(value, list)
        and len(value) > _LONGEST_LIST_ON_LINE
        and isinstance(value[0], dict)
    ):
        return "[\n" + "".join(f"    {inline_toml(table)},\n" for table in value) + "]"
    if isinstance(value, list) and len(value) > _LONGEST_LIST_ON_LINE:
        texts = ", ".join(map(inline_toml, value))
        return "[\n" + "".join(f"    {line}\n" for line in wrap(texts, LINE_WIDTH - 4)) + "]"
    return inline_toml(value)


def _has_long_list(value: Mapping[str, Any]) -> bool:
    return any(
        isinstance(item, list) and len(item) > _LONGEST_LIST_ON_LINE for item in value.values()
    )


def _comment_lines(text: str) -> list[str]:
    """A text as comment lines; what would end a line or steer a terminal is made visible."""
    return [f"# {line}" for line in wrap(visible_line(text), LINE_WIDTH - 2)]

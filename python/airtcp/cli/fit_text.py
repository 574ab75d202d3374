"""Text that `airtcp fit` prints."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from textwrap import wrap
from typing import TYPE_CHECKING, Any

from airtcp.cli.text import make_table, render_page, to_json
from airtcp.measured.facts_tables import TextTable, facts_tables
from airtcp.terminal import Printable

if TYPE_CHECKING:
    from airtcp.fitted.result import Fit
    from airtcp.measured.facts import Facts

LINE_WIDTH = 80


def facts_page(facts_of_files: Sequence[Facts], form: str) -> Printable:
    """The contents of files, for a terminal or as JSON."""
    if form == "json":
        return to_json([facts.json() for facts in facts_of_files])
    return render_page(facts_text(facts_of_files))


def facts_text(facts_of_files: Sequence[Facts]) -> list[Any]:
    """Parts of a page: of each measurement a line, a table, and its oddities; of many a row."""
    lines: list[Any] = []
    for section in facts_tables(facts_of_files):
        lines += [*([""] if lines else []), *([section.title] if section.title else [])]
        lines += [make_table(section.heads, section.rows), *section.sentences_below]
    return lines


def fit_text(result: Fit, form: str, out: str | None) -> Printable:
    """Models, TCP over them, and where the scenario is; as JSON the facts too."""
    from airtcp.fitted.epochs_tables import epoch_tables  # noqa: PLC0415
    from airtcp.fitted.loss_tables import goodput_table, loss_table  # noqa: PLC0415
    from airtcp.fitted.rates_words import rates_table  # noqa: PLC0415
    from airtcp.fitted.trains_words import trains_table  # noqa: PLC0415

    if form == "json":
        return to_json(result.json())
    parts = result.parts
    lines: list[Any] = []
    for title, model in (("Outages", parts.outages), ("Delays", parts.delays)):
        if model is not None:
            lines += ["", *_wrapped_lines(f"{title}: {model.why}")]
    if parts.rates is not None:
        lines += ["", *_table_and_sentences(rates_table(parts.rates))]
    if parts.epochs is not None:
        for table in epoch_tables(parts.epochs):
            lines += ["", *_table_and_sentences(table)]
    if parts.trains is not None:
        lines += ["", *_table_and_sentences(trains_table(parts.trains))]
    if parts.losses is not None:
        lines += ["", *_table_and_sentences(loss_table(parts.losses, parts.channel))]
    if parts.goodput_comparisons:
        lines += ["", *_table_and_sentences(goodput_table(parts.goodput_comparisons))]
    for remark in parts.remarks:
        lines += ["", *_wrapped_lines(f"Note: {remark}.")]
    lines.append("")
    if out is None:
        lines.append("-o LINK.toml writes a scenario with this link, ready for airtcp run.")
    else:
        lines += [f"{out} has the scenario: airtcp run {out}"]
    return render_page(lines)


def _table_and_sentences(text_table: TextTable) -> Iterator[Any]:
    yield make_table(text_table.heads, text_table.rows, numbers=text_table.numeric_columns)
    for line in text_table.sentences_below:
        yield from [line] if line.startswith("* ") else _wrapped_lines(line)


def _wrapped_lines(text: str) -> list[str]:
    return wrap(text, LINE_WIDTH)

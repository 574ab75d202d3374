"""Text that `airtcp explain` prints."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from airtcp.errors import InputError, count
from airtcp.live.captures import ReplayExplanation
from airtcp.terminal import Printable, escape_json, printable_lines

MOST_DIFFERENCES_SHOWN = 10  # differences of a capture


@dataclass(frozen=True)
class RefusedCapture:
    """A capture that cannot be replayed, and why."""

    capture: str
    error: InputError


def explanations_json(all_captures: Sequence[ReplayExplanation | RefusedCapture]) -> Printable:
    """All that was found, a list with an entry per capture."""
    entries = [
        {"capture": capture.capture, "refused": str(capture.error)}
        if isinstance(capture, RefusedCapture)
        else {"capture": capture.capture} | dict(capture.facts)
        for capture in all_captures
    ]
    return escape_json(json.dumps(entries, indent=1))


def explanations_text(all_captures: Sequence[ReplayExplanation | RefusedCapture]) -> Printable:
    """A line per capture, its differences below, and a total for several captures."""
    replays = [capture for capture in all_captures if isinstance(capture, ReplayExplanation)]
    lines = [
        line
        for capture in all_captures
        for line in (
            [str(capture.error)]
            if isinstance(capture, RefusedCapture)
            else _explanation_lines(capture)
        )
    ]
    if len(all_captures) > 1:
        refused = len(all_captures) - len(replays)
        fully_explained = sum(
            capture.agrees and not capture.facts["unjudged"] for capture in replays
        )
        unsure = sum(capture.agrees for capture in replays) - fully_explained
        segments = sum(capture.segments for capture in replays)
        kinds = Counter(
            each["kind"] for capture in replays for each in capture.facts["differences"]
        )
        kind_counts = ", ".join(f"{number} {kind}" for kind, number in kinds.most_common())
        doubtful = f", {unsure} as far as can be judged" if unsure else ""
        lines.append(
            f"{fully_explained} of {count(len(replays), 'capture')} explained to the last of"
            f" {count(segments, 'segment')}{doubtful}"
            f"{f'; differences: {kind_counts}' if kind_counts else ''}"
            f"{f'; refused: {refused}' if refused else ''}"
        )
    return printable_lines(lines)


def _explanation_lines(explanation: ReplayExplanation) -> list[str]:
    facts = explanation.facts
    tried = ", ticks by trial" if facts["phase_inferred"] else ""
    aligned = f", {count(facts['aligned'], 'alignment')}" if facts["aligned"] else ""
    ends = f"{facts['sender']} to {facts['receiver']}"
    head = f"{explanation.capture}: {facts['control']}, {ends}{tried}{aligned}: "
    if explanation.agrees:
        earliest, latest = (f"{1e3 * facts[name]:.3f} ms" for name in ("earliest", "latest"))
        times = f"{earliest} earlier to {latest} later than ours"
        segment_words = f"all of {count(explanation.segments, 'segment')}"
        if facts["unjudged"]:
            segment_words = f"{explanation.explained} of {count(explanation.segments, 'segment')}"
        return [f"{head}{segment_words} explained ({times})", *_remarks(explanation)]
    differing = count(len(facts["differences"]), "difference")
    lines = [
        f"{head}{explanation.explained} of {count(explanation.segments, 'segment')} explained,"
        f" {differing}"
    ]
    lines += [
        f"  {part}" for text in facts["text"][:MOST_DIFFERENCES_SHOWN] for part in text.split("\n")
    ]
    if len(facts["text"]) > MOST_DIFFERENCES_SHOWN:
        lines.append(f"  and {len(facts['text']) - MOST_DIFFERENCES_SHOWN} more (--format json)")
    if (stopped := facts["stopped"]) is not None:
        lines.append(
            f"  stopped at segment {stopped} of {explanation.segments}, after {differing}: more"
            " with --differences N"
        )
    return lines + _remarks(explanation)


def _remarks(explanation: ReplayExplanation) -> list[str]:
    """Lines on artefacts of the capture, on what it hides of the sender, and on assumptions."""
    facts = explanation.facts
    remarks = [f"  taken {facts['taken']['text']}"]
    remarks += [f"  artefact: {each['text']}" for each in facts["artefacts"]]
    if reasons := facts["against_linux"]:
        remarks.append(f"  the sender is not Linux: {', '.join(reasons)}")
    if places := facts["unjudged"]:
        remarks.append(
            f"  not judged: {count(places, 'place')} beside records that the capture lacks"
        )
    return remarks + [f"  assumed: {what}" for what in facts["assumed"]]

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
    why: InputError


def as_json(all_captures: Sequence[ReplayExplanation | RefusedCapture]) -> Printable:
    """All that was found, a list with an entry per capture."""
    told = [
        {"capture": capture.capture, "refused": str(capture.why)}
        if isinstance(capture, RefusedCapture)
        else {"capture": capture.capture} | dict(capture.facts)
        for capture in all_captures
    ]
    return escape_json(json.dumps(told, indent=1))


def as_text(all_captures: Sequence[ReplayExplanation | RefusedCapture]) -> Printable:
    """A line per capture, what differs below it, and the sum of several."""
    found = [capture for capture in all_captures if isinstance(capture, ReplayExplanation)]
    told = [
        line
        for capture in all_captures
        for line in ([str(capture.why)] if isinstance(capture, RefusedCapture) else _lines(capture))
    ]
    if len(all_captures) > 1:
        refused = len(all_captures) - len(found)
        whole = sum(capture.agrees and not capture.facts["unjudged"] for capture in found)
        unsure = sum(capture.agrees for capture in found) - whole
        segments = sum(capture.segments for capture in found)
        kinds = Counter(each["kind"] for capture in found for each in capture.facts["differences"])
        said = ", ".join(f"{number} {kind}" for kind, number in kinds.most_common())
        doubtful = f", {unsure} as far as can be judged" if unsure else ""
        told.append(
            f"{whole} of {count(len(found), 'capture')} explained to the last of"
            f" {count(segments, 'segment')}{doubtful}"
            f"{f'; differences: {said}' if said else ''}"
            f"{f'; refused: {refused}' if refused else ''}"
        )
    return printable_lines(told)


def _lines(explanation: ReplayExplanation) -> list[str]:
    facts = explanation.facts
    tried = ", ticks by trial" if facts["phase_inferred"] else ""
    aligned = f", {count(facts['aligned'], 'alignment')}" if facts["aligned"] else ""
    ends = f"{facts['sender']} to {facts['receiver']}"
    head = f"{explanation.capture}: {facts['control']}, {ends}{tried}{aligned}: "
    if explanation.agrees:
        earliest, latest = (f"{1e3 * facts[name]:.3f} ms" for name in ("earliest", "latest"))
        times = f"{earliest} earlier to {latest} later than ours"
        whole = f"all of {count(explanation.segments, 'segment')}"
        if facts["unjudged"]:
            whole = f"{explanation.explained} of {count(explanation.segments, 'segment')}"
        return [f"{head}{whole} explained ({times})", *_remarks(explanation)]
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
    said = [f"  taken {facts['taken']['text']}"]
    said += [f"  artefact: {each['text']}" for each in facts["artefacts"]]
    if reasons := facts["against_linux"]:
        said.append(f"  the sender is not Linux: {', '.join(reasons)}")
    if places := facts["unjudged"]:
        said.append(f"  not judged: {count(places, 'place')} beside records that the capture lacks")
    return said + [f"  assumed: {what}" for what in facts["assumed"]]

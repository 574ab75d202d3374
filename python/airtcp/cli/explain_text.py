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
        {"capture": one.capture, "refused": str(one.why)}
        if isinstance(one, RefusedCapture)
        else {"capture": one.capture} | dict(one.facts)
        for one in all_captures
    ]
    return escape_json(json.dumps(told, indent=1))


def as_text(all_captures: Sequence[ReplayExplanation | RefusedCapture]) -> Printable:
    """A line per capture, what differs below it, and the sum of several."""
    found = [one for one in all_captures if isinstance(one, ReplayExplanation)]
    told = [
        line
        for one in all_captures
        for line in ([str(one.why)] if isinstance(one, RefusedCapture) else _lines(one))
    ]
    if len(all_captures) > 1:
        refused = len(all_captures) - len(found)
        whole = sum(one.agrees and not one.facts["unjudged"] for one in found)
        unsure = sum(one.agrees for one in found) - whole
        segments = sum(one.segments for one in found)
        kinds = Counter(each["kind"] for one in found for each in one.facts["differences"])
        said = ", ".join(f"{number} {kind}" for kind, number in kinds.most_common())
        doubtful = f", {unsure} as far as can be judged" if unsure else ""
        told.append(
            f"{whole} of {count(len(found), 'capture')} explained to the last of"
            f" {count(segments, 'segment')}{doubtful}"
            f"{f'; differences: {said}' if said else ''}"
            f"{f'; refused: {refused}' if refused else ''}"
        )
    return printable_lines(told)


def _lines(one: ReplayExplanation) -> list[str]:
    facts = one.facts
    tried = ", ticks by trial" if facts["phase_inferred"] else ""
    aligned = f", {count(facts['aligned'], 'alignment')}" if facts["aligned"] else ""
    ends = f"{facts['sender']} to {facts['receiver']}"
    head = f"{one.capture}: {facts['control']}, {ends}{tried}{aligned}: "
    if one.agrees:
        earliest, latest = (f"{1e3 * facts[name]:.3f} ms" for name in ("earliest", "latest"))
        times = f"{earliest} earlier to {latest} later than ours"
        whole = f"all of {count(one.segments, 'segment')}"
        if facts["unjudged"]:
            whole = f"{one.explained} of {count(one.segments, 'segment')}"
        return [f"{head}{whole} explained ({times})", *_remarks(one)]
    differing = count(len(facts["differences"]), "difference")
    lines = [f"{head}{one.explained} of {count(one.segments, 'segment')} explained, {differing}"]
    lines += [
        f"  {part}" for text in facts["text"][:MOST_DIFFERENCES_SHOWN] for part in text.split("\n")
    ]
    if len(facts["text"]) > MOST_DIFFERENCES_SHOWN:
        lines.append(f"  and {len(facts['text']) - MOST_DIFFERENCES_SHOWN} more (--format json)")
    if (stopped := facts["stopped"]) is not None:
        lines.append(
            f"  stopped at segment {stopped} of {one.segments}, after {differing}: more with"
            " --differences N"
        )
    return lines + _remarks(one)


def _remarks(one: ReplayExplanation) -> list[str]:
    """Lines on artefacts of the capture, on what it hides of the sender, and on assumptions."""
    facts = one.facts
    said = [f"  taken {facts['taken']['text']}"]
    said += [f"  artefact: {each['text']}" for each in facts["artefacts"]]
    if reasons := facts["against_linux"]:
        said.append(f"  the sender is not Linux: {', '.join(reasons)}")
    if places := facts["unjudged"]:
        said.append(f"  not judged: {count(places, 'place')} beside records that the capture lacks")
    return said + [f"  assumed: {what}" for what in facts["assumed"]]

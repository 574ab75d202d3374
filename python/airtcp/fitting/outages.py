"""Outages and delay spikes of a measured link, and laws of their lengths and of times between."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from airtcp.errors import InputError, whole_number
from airtcp.fitting.outages_runs import SHORTEST, Ints, Rule, rule_of, spacing, span, without_runs
from airtcp.fitting.outages_spikes import SpikeRule, spike_rule
from airtcp.fitting.sojourns import FEWEST, SojournFit, fit_sojourns
from airtcp.fitting.sojourns_laws import Floats, seconds
from airtcp.measured.measurement import NO_DELAY, Packets


@dataclass(frozen=True, eq=False)
class OutageFit:
    """Outages and spikes of a link, and laws of them.

    - `outages`, `spikes`: for each piece of the record, rows of start and end in ns on its clock;
    - `down`, `up`: laws of the lengths of outages and of the times between them; None if too few;
    - `held`, `between`: laws of the lengths of spikes and of the times from the end of one to the
      start of the next; None if too few;
    - `why`: the rule for runs of losses that count, the findings, and the reason for a gate or for
      none.
    """

    outages: tuple[Ints, ...]
    spikes: tuple[Ints, ...]
    down: SojournFit | None
    up: SojournFit | None
    held: SojournFit | None
    between: SojournFit | None
    why: str
    _rule: Rule
    _spike_rule: SpikeRule | None

    def gates(self) -> list[tuple[dict[str, Any], str]]:
        """The gate of a scenario and the sentence above it; at most one.

        Outages come before spikes, as a hop has one gate.
        """
        if self.down is not None and self.up is not None:
            laws = self.up.chosen.law(), self.down.chosen.law()
            if laws[0] is not None and laws[1] is not None:
                up, down = self._up(laws[0]), _mean_or_table(laws[1])
                return [({"kind": "on-off", "up": up, "down": down}, self._outages_said())]
        if self.held is not None and self.between is not None:
            interval, duration = self.between.chosen.law(), self.held.chosen.law()
            if interval is not None and duration is not None:
                gate = {"kind": "spikes", "interval": interval, "duration": duration}
                return [({**gate, "timing": "gap"}, self._spikes_said())]
        return []

    def without(self, packets: Packets) -> Packets:
        """The record outside outages and spikes.

        Fates in outages are unknown, so that a model of losses is fitted to the rest; delays in
        spikes count as not measured. If they are too few for a gate, nothing is taken out.
        """
        kinds = [gate["kind"] for gate, _ in self.gates()]
        if kinds == ["on-off"]:
            return replace(packets, fate=without_runs(packets, self._rule.runs(packets)))
        if kinds == ["spikes"] and self._spike_rule is not None:
            delay = np.array(packets.delay)
            for first, end in self._spike_rule.places(packets):
                delay[first:end] = NO_DELAY
            return replace(packets, delay=delay)
        return packets

    def simulate(self, packets: Packets, rng: np.random.Generator) -> NDArray[np.bool_]:
        """True for the packets that outages of these laws take, of a record as long as this one."""
        time = (packets.time - packets.time[0]) / 1e9
        gone = np.zeros(len(time), dtype=bool)
        if self.down is None or self.up is None:
            return gone
        at = 0.0
        while True:
            at += float(self.up.chosen.simulate(rng, 1)[0]) * self.down.chosen.seen
            if at >= time[-1]:
                return gone
            end = at + float(self.down.chosen.simulate(rng, 1)[0])
            gone[np.searchsorted(time, at) : np.searchsorted(time, end)] = True
            at = end

    def json(self) -> dict[str, Any]:
        """All of it as plain data, times in ns."""
        fits = {name: getattr(self, name) for name in ("down", "up", "held", "between")}
        return {
            "why": self.why,
            "outages": [one.tolist() for one in self.outages],
            "spikes": [one.tolist() for one in self.spikes],
            **{name: None if fit is None else fit.json() for name, fit in fits.items()},
            "gates": [{"gate": gate, "said": said} for gate, said in self.gates()],
        }

    def _up(self, law: dict[str, Any]) -> str | dict[str, Any]:
        """Law of the times up, shortened for outages that are too short to be seen."""
        assert self.down is not None
        assert self.up is not None
        seen = self.down.chosen.seen
        if law["kind"] == "exponential":
            law = {**law, "mean": seconds(self.up.chosen.parameters[0].value * seen)}
        return _mean_or_table(law)

    def _outages_said(self) -> str:
        assert self.down is not None
        assert self.up is not None
        n = sum(len(one) for one in self.outages)
        return f"{n} outages; down: {self.down.why}; up: {self.up.why}"

    def _spikes_said(self) -> str:
        assert self.held is not None
        assert self.between is not None
        n = sum(len(one) for one in self.spikes)
        return f"{n} delay spikes; duration: {self.held.why}; interval: {self.between.why}"


def _mean_or_table(law: dict[str, Any]) -> str | dict[str, Any]:
    mean = law["mean"] if law["kind"] == "exponential" else None
    return mean if isinstance(mean, str) else law


def fit_outages(packets: Packets | Sequence[Packets], *, seed: int = 1) -> OutageFit:
    """Find outages and delay spikes, and fit laws to how long they last and how often they come.

    - `packets`: packets of a link; several are taken as independent pieces of its record;
    - `seed`: seed of the tests, which draw.

    An outage is a run of losses of at least 200 ms that is longer than the losses around it
    explain: the bursts of a geometric law fitted to all shorter runs reach its length less than
    once in 1000 such records (`rule_of`). It lasts from the first packet lost to the first one that
    is not. A spike is a jump of the delay far above its body, after which the delay falls by the
    time that passes from packet to packet, as on a link that held them (`SpikeRule`). Laws are
    fitted to at least 5 outages or spikes. Raises `InputError`.
    """
    pieces = [packets] if isinstance(packets, Packets) else list(packets)
    pieces = [one for one in pieces if len(one.fate)]
    if not pieces:
        raise InputError("packets: is empty; at least one packet is needed")
    seed = whole_number("seed", seed, 0, 2**64 - 1)
    rule, spiking = rule_of(pieces), spike_rule(pieces)
    outages = tuple(np.column_stack(span(one, rule.runs(one))) for one in pieces)
    empty = np.empty((0, 2), dtype=np.int64)
    spikes = tuple(empty if spiking is None else spiking.spans(one) for one in pieces)
    tick = spacing(pieces)
    found = OutageFit(outages, spikes, None, None, None, None, "", rule, spiking)
    down = _lengths(pieces, outages)
    if _ended(down) >= FEWEST:
        least = max(SHORTEST / 1e9, (rule.packets - 0.5) * tick)
        least = min(least, float(down[0][~down[1]].min()) * (1.0 - 1e-9))
        found = replace(
            found,
            down=_law(down, least, tick, seed),
            up=_law(_between(pieces, outages), 0.0, tick, seed + 1),
        )
    held = _lengths(pieces, spikes)
    if spiking is not None and _ended(held) >= FEWEST:
        least = min(spiking.high - spiking.body, 1e9 * float(held[0][~held[1]].min())) / 1e9
        found = replace(
            found,
            held=_law(held, least * (1.0 - 1e-9), 0.0, seed + 2),
            between=_law(_between(pieces, spikes), 0.0, tick, seed + 3),
        )
    return replace(found, why=_why(found))


Censored = tuple[Floats, NDArray[np.bool_]]


def _law(lengths: Censored, least: float, tick: float, seed: int) -> SojournFit | None:
    if _ended(lengths) < FEWEST:
        return None
    return fit_sojourns(
        lengths[0], censored=lengths[1], least=least, resolution=tick, seed=seed % 2**64
    )


def _ended(lengths: Censored) -> int:
    return int((~lengths[1]).sum())


def _lengths(pieces: Sequence[Packets], spans: Sequence[Ints]) -> Censored:
    """Lengths in seconds; one that touches an end of its piece is censored."""
    length, censored = [np.empty(0)], [np.empty(0, dtype=bool)]
    for one, rows in zip(pieces, spans, strict=True):
        length.append((rows[:, 1] - rows[:, 0]) / 1e9)
        censored.append((rows[:, 0] <= one.time[0]) | (rows[:, 1] >= one.time[-1]))
    return np.concatenate(length), np.concatenate(censored)


def _between(pieces: Sequence[Packets], spans: Sequence[Ints]) -> Censored:
    """Times between in seconds; the first and the last of a piece are censored."""
    length, censored = [np.empty(0)], [np.empty(0, dtype=bool)]
    for one, rows in zip(pieces, spans, strict=True):
        edges = np.r_[one.time[0], rows.ravel(), one.time[-1]].reshape(-1, 2)
        apart = (edges[:, 1] - edges[:, 0]) / 1e9
        cut = np.zeros(len(apart), dtype=bool)
        cut[[0, -1]] = True
        kept = apart > 0.0
        length.append(apart[kept])
        censored.append(cut[kept])
    return np.concatenate(length), np.concatenate(censored)


def _why(found: OutageFit) -> str:
    outages, spikes = (sum(map(len, rows)) for rows in (found.outages, found.spikes))
    said = [found._rule.said, f"{outages} found"]
    if found._spike_rule is not None:
        said += [found._spike_rule.said, f"{spikes} found"]
    gates = found.gates()
    if gates:
        kind = gates[0][0]["kind"]
        said.append(f"a gate of kind {kind}")
        if kind == "on-off" and found.held is not None:
            said.append("no gate for the spikes, as a hop has only one")
        if kind == "on-off" and found.down is not None and found.down.chosen.seen < 0.95:
            hidden = 100.0 * (1.0 - found.down.chosen.seen)
            said.append(
                f"{hidden:.0f} % of the gate's outages are too short to show among other losses"
            )
        return "; ".join(said)
    if max(outages, spikes) < FEWEST:
        return "; ".join(
            [*said, f"no gate, because a distribution of lengths needs at least {FEWEST}"]
        )
    return "; ".join(
        [*said, "no gate, because too few ended or a distribution has an infinite mean"]
    )

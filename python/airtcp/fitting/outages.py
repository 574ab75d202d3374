"""Outages and delay spikes of a measured link, and laws of their lengths and of times between."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from airtcp.errors import InputError, whole_number
from airtcp.fitting.outages_runs import (
    SHORTEST_OUTAGE_NS,
    Ints,
    OutageRule,
    fates_without_runs,
    median_spacing,
    outage_rule,
    run_times,
)
from airtcp.fitting.outages_spikes import SpikeRule, spike_rule
from airtcp.fitting.sojourns import FEWEST_ENDED, SojournFit, fit_sojourns
from airtcp.fitting.sojourns_laws import Floats, seconds_text
from airtcp.measured.measurement import NO_DELAY, Packets


@dataclass(frozen=True, eq=False)
class OutageFit:
    """Outages and spikes of a link, and laws of them.

    - `outages`, `spikes`: for each piece of the record, rows of start and end in ns on its clock;
    - `down_times`, `up_times`: laws of the lengths of outages and of the times between them; None
      if too few;
    - `spike_times`, `times_between_spikes`: laws of the lengths of spikes and of the times from the
      end of one to the start of the next; None if too few;
    - `why`: the findings, the reason for a gate or for none, and the rules for runs of losses and
      for spikes that count.
    """

    outages: tuple[Ints, ...]
    spikes: tuple[Ints, ...]
    down_times: SojournFit | None
    up_times: SojournFit | None
    spike_times: SojournFit | None
    times_between_spikes: SojournFit | None
    why: str
    _rule: OutageRule
    _spike_rule: SpikeRule | None

    def gates(self) -> list[tuple[dict[str, Any], str]]:
        """The gate of a scenario and the sentence above it; at most one.

        Outages come before spikes, as a hop has one gate.
        """
        if self.down_times is not None and self.up_times is not None:
            laws = self.up_times.chosen.scenario_table(), self.down_times.chosen.scenario_table()
            if laws[0] is not None and laws[1] is not None:
                up, down = self._up_time_law(laws[0]), _mean_or_table(laws[1])
                return [({"kind": "on-off", "up": up, "down": down}, self._outage_words())]
        if self.spike_times is not None and self.times_between_spikes is not None:
            interval, duration = (
                self.times_between_spikes.chosen.scenario_table(),
                self.spike_times.chosen.scenario_table(),
            )
            if interval is not None and duration is not None:
                gate = {"kind": "spikes", "interval": interval, "duration": duration}
                return [({**gate, "timing": "gap"}, self._spike_words())]
        return []

    def without_outages(self, packets: Packets) -> Packets:
        """The record outside outages and spikes.

        Fates in outages are unknown, so that a model of losses is fitted to the rest; delays in
        spikes count as not measured. If they are too few for a gate, nothing is taken out.
        """
        kinds = [gate["kind"] for gate, _ in self.gates()]
        if kinds == ["on-off"]:
            return replace(packets, fate=fates_without_runs(packets, self._rule.runs(packets)))
        if kinds == ["spikes"] and self._spike_rule is not None:
            delay = np.array(packets.delay)
            for first, end in self._spike_rule.places(packets):
                delay[first:end] = NO_DELAY
            return replace(packets, delay=delay)
        return packets

    def simulate(self, packets: Packets, rng: np.random.Generator) -> NDArray[np.bool_]:
        """Mask of packets in outages drawn from these laws, in a record as long as this one."""
        time = (packets.time - packets.time[0]) / 1e9
        gone = np.zeros(len(time), dtype=bool)
        if self.down_times is None or self.up_times is None:
            return gone
        at = 0.0
        while True:
            at += (
                float(self.up_times.chosen.simulate(rng, 1)[0]) * self.down_times.chosen.seen_share
            )
            if at >= time[-1]:
                return gone
            end = at + float(self.down_times.chosen.simulate(rng, 1)[0])
            gone[np.searchsorted(time, at) : np.searchsorted(time, end)] = True
            at = end

    def json(self) -> dict[str, Any]:
        """All of it as plain data, times in ns."""
        fits = {
            "down": self.down_times,
            "up": self.up_times,
            "held": self.spike_times,
            "between": self.times_between_spikes,
        }
        return {
            "why": self.why,
            "outages": [times.tolist() for times in self.outages],
            "spikes": [times.tolist() for times in self.spikes],
            **{name: None if fit is None else fit.json() for name, fit in fits.items()},
            "gates": [{"gate": gate, "said": said} for gate, said in self.gates()],
        }

    def _up_time_law(self, law: dict[str, Any]) -> str | dict[str, Any]:
        """Law of the times between outages, shortened to allow for outages too short to be seen."""
        assert self.down_times is not None
        assert self.up_times is not None
        seen = self.down_times.chosen.seen_share
        if law["kind"] == "exponential":
            law = {**law, "mean": seconds_text(self.up_times.chosen.parameters[0].value * seen)}
        return _mean_or_table(law)

    def _outage_words(self) -> str:
        assert self.down_times is not None
        assert self.up_times is not None
        n = sum(len(times) for times in self.outages)
        return f"{n} outages; down: {self.down_times.why}; up: {self.up_times.why}"

    def _spike_words(self) -> str:
        assert self.spike_times is not None
        assert self.times_between_spikes is not None
        n = sum(len(times) for times in self.spikes)
        return (
            f"{n} delay spikes; duration: {self.spike_times.why}; interval:"
            f" {self.times_between_spikes.why}"
        )


def _mean_or_table(law: dict[str, Any]) -> str | dict[str, Any]:
    mean = law["mean"] if law["kind"] == "exponential" else None
    return mean if isinstance(mean, str) else law


def fit_outages(packets: Packets | Sequence[Packets], *, seed: int = 1) -> OutageFit:
    """Find outages and delay spikes, and fit laws to how long they last and how often they come.

    - `packets`: packets of a link; several are taken as independent pieces of its record;
    - `seed`: seed of the tests, which draw.

    An outage is a run of losses of at least 200 ms that is longer than the losses around it
    explain: the bursts of a geometric law fitted to all shorter runs reach its length less than
    once in 1000 such records (`outage_rule`). It lasts from the first packet lost to the first one
    that is not. A spike is a jump of the delay far above its body, after which the delay falls by
    the time that passes from packet to packet, as on a link that held them (`SpikeRule`). Laws are
    fitted to at least 5 outages or spikes. Raises `InputError`.
    """
    pieces = [packets] if isinstance(packets, Packets) else list(packets)
    pieces = [piece for piece in pieces if len(piece.fate)]
    if not pieces:
        raise InputError("packets: is empty; at least one packet is needed")
    seed = whole_number("seed", seed, 0, 2**64 - 1)
    rule, spiking = outage_rule(pieces), spike_rule(pieces)
    outages = tuple(np.column_stack(run_times(piece, rule.runs(piece))) for piece in pieces)
    empty = np.empty((0, 2), dtype=np.int64)
    spikes = tuple(empty if spiking is None else spiking.spans(piece) for piece in pieces)
    tick = median_spacing(pieces)
    found = OutageFit(outages, spikes, None, None, None, None, "", rule, spiking)
    down = _lengths(pieces, outages)
    if _count_ended(down) >= FEWEST_ENDED:
        least = max(SHORTEST_OUTAGE_NS / 1e9, (rule.packets - 0.5) * tick)
        least = min(least, float(down[0][~down[1]].min()) * (1.0 - 1e-9))
        found = replace(
            found,
            down_times=_fit_lengths(down, least, tick, seed),
            up_times=_fit_lengths(_times_between(pieces, outages), 0.0, tick, seed + 1),
        )
    held = _lengths(pieces, spikes)
    if spiking is not None and _count_ended(held) >= FEWEST_ENDED:
        least = min(spiking.high - spiking.body, 1e9 * float(held[0][~held[1]].min())) / 1e9
        found = replace(
            found,
            spike_times=_fit_lengths(held, least * (1.0 - 1e-9), 0.0, seed + 2),
            times_between_spikes=_fit_lengths(_times_between(pieces, spikes), 0.0, tick, seed + 3),
        )
    return replace(found, why=_reason_words(found))


Censored = tuple[Floats, NDArray[np.bool_]]


def _fit_lengths(lengths: Censored, least: float, tick: float, seed: int) -> SojournFit | None:
    if _count_ended(lengths) < FEWEST_ENDED:
        return None
    return fit_sojourns(
        lengths[0], censored=lengths[1], least=least, resolution=tick, seed=seed % 2**64
    )


def _count_ended(lengths: Censored) -> int:
    return int((~lengths[1]).sum())


def _lengths(pieces: Sequence[Packets], spans: Sequence[Ints]) -> Censored:
    """Lengths in seconds; one that touches an end of its piece is censored."""
    length, censored = [np.empty(0)], [np.empty(0, dtype=bool)]
    for piece, rows in zip(pieces, spans, strict=True):
        length.append((rows[:, 1] - rows[:, 0]) / 1e9)
        censored.append((rows[:, 0] <= piece.time[0]) | (rows[:, 1] >= piece.time[-1]))
    return np.concatenate(length), np.concatenate(censored)


def _times_between(pieces: Sequence[Packets], spans: Sequence[Ints]) -> Censored:
    """Times between outages in seconds; the first and the last of a piece are censored."""
    length, censored = [np.empty(0)], [np.empty(0, dtype=bool)]
    for piece, rows in zip(pieces, spans, strict=True):
        edges = np.r_[piece.time[0], rows.ravel(), piece.time[-1]].reshape(-1, 2)
        apart = (edges[:, 1] - edges[:, 0]) / 1e9
        cut = np.zeros(len(apart), dtype=bool)
        cut[[0, -1]] = True
        kept = apart > 0.0
        length.append(apart[kept])
        censored.append(cut[kept])
    return np.concatenate(length), np.concatenate(censored)


def _reason_words(found: OutageFit) -> str:
    outages, spikes = (sum(map(len, rows)) for rows in (found.outages, found.spikes))
    said, rules = [_count_words(outages)], found._rule.sentence
    if found._spike_rule is not None:
        said.append(f"spikes: {_count_words(spikes)}")
        rules += f"; {found._spike_rule.sentence}"
    if outages or spikes:
        said += _gate_words(found, max(outages, spikes))
    return f"{'; '.join(said)}. {rules[0].upper()}{rules[1:]}"


def _count_words(number: int) -> str:
    return f"{number or 'none'} found"


def _gate_words(found: OutageFit, most: int) -> Iterator[str]:
    gates = found.gates()
    if gates:
        kind = gates[0][0]["kind"]
        yield f"a gate of kind {kind}"
        if kind == "on-off" and found.spike_times is not None:
            yield "no gate for the spikes, as a hop has only one"
        if (
            kind == "on-off"
            and found.down_times is not None
            and found.down_times.chosen.seen_share < 0.95
        ):
            hidden = 100.0 * (1.0 - found.down_times.chosen.seen_share)
            yield f"{hidden:.0f} % of the gate's outages are too short to show among other losses"
    elif most < FEWEST_ENDED:
        yield f"no gate, because a distribution of lengths needs at least {FEWEST_ENDED}"
    else:
        yield "no gate, because too few ended or a distribution has an infinite mean"

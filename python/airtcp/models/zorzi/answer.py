"""The answer of the model for one channel and one TCP."""

from __future__ import annotations

from dataclasses import dataclass

from airtcp.support.html import html_rows


@dataclass(frozen=True, kw_only=True)
class Answer:
    """Steady state of one bulk transfer; every rate is per slot.

    - `throughput`: distinct packets delivered per slot. With `method="exact"` it is the value, and
      `lower`, `upper` are that value -+ `error_bound`. With the other methods it is the upper
      bound. For `embedded` the measured distance from the exact value is at most 4.5e-4 at T_o =
      100 (W_max 2 to 16, K 1 to 4), and 2.5e-3 for timers down to their limit (W_max up to 32).
      For Reno it is not a strict bound, and up to 3e-4 too low: a packet lost again that the
      receiver holds from an earlier cycle is no loss for the recovery. `printed` and `tight` are
      looser for NewReno (2e-3), and are not bounds for it on a channel with negative memory, p_BB
      < p_GB.
    - `lower`: a lower bound, up to 7 % below the exact value for P_E up to 0.1 at T_o = 100, 22 %
      for `printed`.
    - `transmissions`: packets sent per slot. With `embedded`, exact for OldTahoe and Tahoe, within
      2e-5 for NewReno and 4e-4 for Reno. `printed` and `tight` solve two chains for NewReno:
      `transmissions_lower` belongs to the chain that gives `lower`, `transmissions_upper` to the
      one that gives `upper` (they need not be ordered); the other rates are those of the latter.
    - `mean_cycle_slots`: mean length of a cycle, from one restart or recovery to the next.
    - `timeouts`, `fast_retransmits`: number of timeouts, and of fast retransmits, per slot.
    - `pruned`, `error_bound`, `states`: only for the exact solution: probability cut off per
      cycle, an estimate of its effect on the throughput, and the number of states used. The
      estimate is of first order in `pruned`: reliable where little is pruned, not a proof.
      Otherwise None.
    """

    variant: str
    method: str
    lower: float
    upper: float
    throughput: float
    transmissions: float
    transmissions_lower: float
    transmissions_upper: float
    mean_cycle_slots: float
    timeouts: float
    fast_retransmits: float
    pruned: float | None = None
    error_bound: float | None = None
    states: int | None = None

    def __repr__(self) -> str:
        """One line: throughput with its bounds, transmissions, mean cycle."""
        return (
            f"Answer({self.variant}, {self.method}: throughput {self.throughput:.6g}"
            f" in [{self.lower:.6g}, {self.upper:.6g}], transmissions {self.transmissions:.6g},"
            f" cycle {self.mean_cycle_slots:.6g} slots)"
        )

    def _repr_html_(self) -> str:
        rows = {
            "throughput (packets/slot)": f"{self.throughput:.6g}",
            "bounds": f"{self.lower:.6g} to {self.upper:.6g}",
            "transmissions (packets/slot)": f"{self.transmissions:.6g}",
            "mean cycle (slots)": f"{self.mean_cycle_slots:.6g}",
            "timeouts per slot": f"{self.timeouts:.6g}",
            "fast retransmits per slot": f"{self.fast_retransmits:.6g}",
        }
        if self.states is not None:
            rows["states, error bound"] = f"{self.states}, {self.error_bound:.2g}"
        return html_rows(f"{self.variant}, {self.method}", rows)

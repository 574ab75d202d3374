"""The answer of the model for one channel, one link layer and one TCP."""

from __future__ import annotations

from dataclasses import dataclass

from airtcp.scenario.two_state import TwoState
from airtcp.support.html import html_rows


@dataclass(frozen=True, kw_only=True)
class Answer:
    """Steady state of one bulk transfer; every rate is per slot, the time of a link-layer packet.

    - `throughput`: delivered TCP packets times their fragments, per slot: the share of slots that
      carry useful packets [chockalingam reading, section 5]. With `method="exact"` it is the
      value, and `lower`, `upper` are that value -+ `error_bound`. `embedded` counts every success
      as a delivery. For OldTahoe and Tahoe this is an upper bound, at most 6.1e-4 above the exact
      value in the cases tried; it is as close for NewReno and for Reno, where it may also lie
      below. `lower` counts only packets that are certainly delivered, `upper` is `throughput`;
    - `net_throughput`: throughput times the rate of the code, the share of bits that are data;
    - `transmissions`: link-layer packets on the air per slot;
    - `bits_per_delivered_bit`: bits on the air per delivered bit of data, parity included: the
      energy of a delivered bit divided by that of a transmitted one; infinite if nothing is
      delivered;
    - `tcp_packets`: TCP packets handed to the link layer, times their fragments, per slot;
    - `mean_cycle_slots`, `timeouts`, `fast_retransmits`: as in `airtcp.models.zorzi`;
    - `late_timers`: share of the timeouts that occur while the window is still being sent. The
      model lets the sender finish the window first; the answer is accurate where this share is
      small;
    - `pruned`, `error_bound`, `states`: only for the exact solution, as in `airtcp.models.zorzi`;
    - `packet`: the two-state chain of the fates of TCP packets sent one after the other.
    """

    variant: str
    method: str
    lower: float
    upper: float
    throughput: float
    net_throughput: float
    transmissions: float
    bits_per_delivered_bit: float
    tcp_packets: float
    mean_cycle_slots: float
    timeouts: float
    fast_retransmits: float
    late_timers: float
    packet: TwoState
    pruned: float | None = None
    error_bound: float | None = None
    states: int | None = None

    def __repr__(self) -> str:
        """One line: throughput with its bounds, energy."""
        return (
            f"Answer({self.variant}, {self.method}: throughput {self.throughput:.6g}"
            f" in [{self.lower:.6g}, {self.upper:.6g}], transmissions {self.transmissions:.6g},"
            f" {self.bits_per_delivered_bit:.6g} bits on the air per delivered bit)"
        )

    def _repr_html_(self) -> str:
        rows = {
            "throughput (share of slots)": f"{self.throughput:.6g}",
            "bounds": f"{self.lower:.6g} to {self.upper:.6g}",
            "net throughput": f"{self.net_throughput:.6g}",
            "transmissions per slot": f"{self.transmissions:.6g}",
            "bits on the air per delivered bit": f"{self.bits_per_delivered_bit:.6g}",
            "mean cycle (slots)": f"{self.mean_cycle_slots:.6g}",
            "timeouts per slot": f"{self.timeouts:.6g}",
            "late timers": f"{self.late_timers:.2g}",
        }
        if self.states is not None:
            rows["states, error bound"] = f"{self.states}, {self.error_bound:.2g}"
        return html_rows(f"{self.variant}, {self.method}", rows)

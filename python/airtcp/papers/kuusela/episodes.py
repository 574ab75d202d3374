"""Cost of a spike that times out: packets sent again, counted timeout by timeout in a trace."""

from __future__ import annotations

import numpy as np
import pandas as pd

import airtcp
from airtcp.papers.base import Judgement, Verdict, statement
from airtcp.papers.kuusela.study import RATES, SPIKES, KuuselaStudy, scenario

WINDOW_PACKETS, MEAN_INTERVAL = 6, 60.0  # packets; s, E(T)
_SHARE_FOR_ALL, _SHARE_FOR_MOST = 0.98, 0.9  # shares of episodes


@statement(
    name="go-back-n",
    text="A spurious timeout triggers go-back-N: the window is sent again.",
    where="1",
    rule=f"window {WINDOW_PACKETS}, without loss, E(T) = {MEAN_INTERVAL:g} s:"
    " a spike that times out sends again"
    " exactly the window and one packet per further timeout, in at least 98 % of the cases"
    " (partly: 90 %)",
    of="study",
)
def judge_go_back_n(study: KuuselaStudy) -> Judgement:
    """Window 6, Fig. 3, without losses: the window and a packet per further timeout."""
    episodes_by_rate = {rate: timeout_episodes(_traced_run(study, rate)) for rate in RATES}
    exact = {
        rate: float(
            (episodes_of_rate["resent"] == WINDOW_PACKETS + episodes_of_rate["timeouts"] - 1).mean()
        )
        for rate, episodes_of_rate in episodes_by_rate.items()
    }
    least = min(exact.values())
    verdict: Verdict = (
        "holds" if least >= _SHARE_FOR_ALL else "partly" if least >= _SHARE_FOR_MOST else "fails"
    )
    return Judgement(
        verdict=verdict,
        finding="; ".join(
            f"{rate // 1000} kbit/s: {len(episodes_of_rate)} spikes with"
            f" {episodes_of_rate['timeouts'].mean():.2f} timeouts"
            f" and {episodes_of_rate['resent'].mean():.2f} packets sent again,"
            f" {100.0 * exact[rate]:.1f} % exact"
            for rate, episodes_of_rate in episodes_by_rate.items()
        )
        + ".",
        numbers={f"exact share at {rate // 1000} kbit/s": share for rate, share in exact.items()},
    )


def _traced_run(study: KuuselaStudy, rate: int) -> airtcp.Events:
    time = study.sizes.time
    this = scenario(rate, SPIKES["fig3"], (MEAN_INTERVAL,), time=time, window=WINDOW_PACKETS)
    return airtcp.trace(this, seed=study.seed)


def timeout_episodes(events: airtcp.Events) -> pd.DataFrame:
    """One row per packet that timed out: its timeouts, and packets sent again until the next."""
    late = events.rows("timeout")
    packets = events.columns["packet"][late]
    begins = late[np.flatnonzero(np.diff(packets, prepend=-1))]
    bounds = np.append(begins, len(events))

    def within(kind: str) -> np.ndarray:
        return np.diff(np.searchsorted(events.rows(kind), bounds))

    return pd.DataFrame({"timeouts": within("timeout"), "resent": within("resend")})

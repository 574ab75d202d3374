"""Goodput of TCP under delay spikes [kuusela]: renewal, Markov-renewal and per-packet models.

P. Kuusela and P. Lassila, "Modeling the Impact of Delay Spikes on TCP Performance on a Low
Bandwidth GPRS Wireless Link", Proc. 16th ITC Specialist Seminar, 2004.

A spike holds the packets of a link back. TCP takes that for a loss: its timer expires, and when the
link is free again it starts slowly. The model has no protocol in it, only a rate (`ramp`): none
while the spike lasts (SD), then X(SD), doubling per round trip R until it is C_max after L = R
log2(C_max / X(SD)), and so up to the next spike. The goodput is the mean number of packets between
two spikes over the mean time (`goodput`); by convexity it is least, for a given mean, if the
intervals are all alike. `distributions` holds what can be an interval or the length of a spike,
`spikes` what a random length means, `per_packet` the explicit formula, `losses` a capacity that
allows for losses.

Rates are in packets/s, times in s. Intervals run from the start of a spike to the start of the
next. "Correlation raises goodput", as the paper has it, is not in this model: a chain that
modulates the intervals enters by its stationary distribution per spike alone.

Left out: what TCP sends twice after a spike, a timer that adapts to spikes, the growth above the
slow start's threshold. They are the simulator's.
"""

from __future__ import annotations

from airtcp.models.kuusela.goodput import markov_renewal, renewal
from airtcp.models.kuusela.losses import loss_corrected_capacity
from airtcp.models.kuusela.per_packet import p_model
from airtcp.models.kuusela.spikes import READINGS as _READINGS

READINGS = tuple(_READINGS)

__all__ = ["READINGS", "loss_corrected_capacity", "markov_renewal", "p_model", "renewal"]

"""TCP over a link layer that sends lost packets again [chockalingam]: exact chain, energy, advice.

A. Chockalingam, M. Zorzi and V. Tralli, "Wireless TCP Performance with Link Layer FEC/ARQ", Proc.
IEEE ICC, 1999.

A TCP packet travels as F link-layer packets (fragments). Each is sent until it arrives, n_l times
at most; then the link layer gives up, the rest of the TCP packet is dropped, and the next TCP
packet starts in the next slot. A slot is the time of a link-layer packet; losses are a two-state
chain on slots, which moves also while nobody sends; feedback is instant and not lost. TCP is
idealised as in `airtcp.models.zorzi`.

The fates of TCP packets are then a two-state chain again, with durations that depend on the fate
and the one before (`link`). The cycles of `airtcp.models.zorzi` hold with slots replaced by these
durations (`recovery`, `variants`); how long a timer leaves the sender idle, and in which state it
finds the channel, follows from the transform of the time on the air since its start (`timer`).

Losses and their recovery, at an SNR and a Doppler shift, coded or not, come from
`airtcp.models.fading.packet_errors`. The two-state chain is a fit to the fading: with slow fading
(1 and 10 Hz) and few attempts it is far off, see there.

Left out: propagation delay, lost feedback, queues, timer backoff.
"""

from __future__ import annotations

from airtcp.models.chockalingam.advisor import OBJECTIVES, advise
from airtcp.models.chockalingam.answer import Answer
from airtcp.models.chockalingam.solver import COUNTS, METHODS, solve
from airtcp.models.chockalingam.variants import VARIANTS as _VARIANTS

VARIANTS = tuple(_VARIANTS)

__all__ = ["COUNTS", "METHODS", "OBJECTIVES", "VARIANTS", "Answer", "advise", "solve"]

"""TCP throughput on a channel with memory [zorzi]: OldTahoe, Tahoe, Reno, NewReno and SACK.

M. Zorzi, A. Chockalingam and R. R. Rao, "Throughput Analysis of TCP on Channels with Memory",
IEEE J. Select. Areas Commun., vol. 18, no. 7, July 2000.

One bulk transfer over a link whose losses are a two-state Markov chain in *time* (the channel moves
in every slot, also while the sender is silent). Time is slotted, one packet per slot; ACKs are
instant and never lost; one timer of T_o slots per packet, without backoff.

A cycle runs from a restart (timer expired, or Tahoe's fast retransmission) or a completed recovery
to the next. Phase one, up to the first loss, is common to all variants (`windows`); phase two is
one function per variant (`recovery`); the cycles form a semi-Markov process whose mean rewards give
the throughput (`solver`). `oracle` solves the same protocol exactly, with the receiver's memory, in
plain Python: slow, and there to be read and to check the compiled solver behind `method="exact"`.
`points` answers the scenarios of the profile of the same name. SACK, of which the paper has a
sentence (section V), is solved by the compiled solver alone.

Left out: propagation delay, ACK losses, queues, window inflation during recovery, timer backoff.
NewReno here is the paper's idealisation, not RFC 6582.
"""

from __future__ import annotations

from airtcp.models.zorzi import recovery
from airtcp.models.zorzi.answer import Answer
from airtcp.models.zorzi.points import answers, reason_not_covered
from airtcp.models.zorzi.solver import METHODS, solve, sweep
from airtcp.support.earlier_names import earlier_module_names

VARIANTS = tuple(recovery.VARIANTS)

__all__ = ["METHODS", "VARIANTS", "Answer", "answers", "reason_not_covered", "solve", "sweep"]

__getattr__ = earlier_module_names(__name__, {"covers": "reason_not_covered"})

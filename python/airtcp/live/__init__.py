"""The path of a scenario for the packets of real programs, in real time, on Linux.

`live` runs a command on one side of the path and, if asked, a server on the other, in network
namespaces of their own that are joined by the emulated path only. `transfer` sends data over the
kernel's TCP. `LiveLog` reads the log of a run, and replays it; `sequence` reads its captures.
`airtcp.live.referee` sends one flow under forced losses by the kernel's TCP and by the simulator's.
"""

from airtcp.live.captures import ReplayExplanation, explain
from airtcp.live.log import LiveLog, ReplayComparison
from airtcp.live.report import LiveReport
from airtcp.live.sequence import sequence
from airtcp.live.session import live
from airtcp.live.transfer import transfer
from airtcp.live.transfer_report import TransferReport
from airtcp.support.earlier_names import earlier_module_names

__all__ = [
    "LiveLog",
    "LiveReport",
    "ReplayComparison",
    "ReplayExplanation",
    "TransferReport",
    "explain",
    "live",
    "sequence",
    "transfer",
]

__getattr__ = earlier_module_names(
    __name__, {"Explained": "ReplayExplanation", "Replay": "ReplayComparison"}
)

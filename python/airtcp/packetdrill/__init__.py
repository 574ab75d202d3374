"""Scripts of packetdrill, played on the TCP of Linux in logical time.

`play` reads scripts, and those of folders, and says of each whether it passes. Nothing of a script
is executed: what is not understood is refused.
"""

from airtcp.packetdrill.scripts import find
from airtcp.packetdrill.verdicts import Verdict, play

__all__ = ["Verdict", "find", "play"]

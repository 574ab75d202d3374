"""Scripts of packetdrill, played on the TCP of Linux in logical time.

`play` reads scripts, alone or in folders, and returns a verdict on each. Nothing of a script is
executed: `play` refuses commands that it does not understand.
"""

from airtcp.packetdrill.scripts import find
from airtcp.packetdrill.verdicts import ScriptVerdict, play

__all__ = ["ScriptVerdict", "find", "play"]

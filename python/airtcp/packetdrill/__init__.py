"""Scripts of packetdrill, played on the TCP of Linux in logical time.

`play` reads scripts, alone or in folders, and returns a verdict on each. Nothing of a script is
executed: `play` refuses commands that it does not understand.
"""

from airtcp.packetdrill.scripts import find
from airtcp.packetdrill.verdicts import ScriptVerdict, play
from airtcp.support.earlier_names import earlier_module_names

__all__ = ["ScriptVerdict", "find", "play"]

__getattr__ = earlier_module_names(__name__, {"Verdict": "ScriptVerdict"})

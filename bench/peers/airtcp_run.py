"""A scenario in airtcp: one line of JSON with packets sent, CPU time, memory.

`cpu` is the CPU time of the whole process during the run, after a short run that loads everything.
"""

from __future__ import annotations

import argparse
import json
import resource
import sys
import time
import tomllib
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import airtcp

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "instructions"))
from scenarios import SCENARIOS  # noqa: E402

OF_PEERS = ("lossy", "clean")


def scenario(name: str, seconds: float, **changes: Any) -> airtcp.Scenario:
    """`name` over `seconds`; changes are `packets` or `flows`.

    It is of this directory, or one of those whose instructions are counted.
    """
    if name not in OF_PEERS:
        counted = SCENARIOS[name]
        return airtcp.Scenario.from_dict(counted.of_length(round(seconds)), source=name)
    document = tomllib.loads((HERE / f"{name}.toml").read_text())
    document["stop"]["time"] = f"{seconds:.9f}s"
    if packets := changes.get("packets"):
        document["flow"] = [{"packets": packets}]
    if flows := changes.get("flows"):
        document["flow"] = [{"count": flows}]
        (hop,) = document["path"]["hop"]
        hop["rate"] = f"{1.5 * flows}Mbps"
        del hop["queue"]
    return airtcp.Scenario.from_dict(document, source=f"{name}.toml")


def simulate(which: airtcp.Scenario) -> dict[str, float]:
    """Without a trace."""
    begin = time.process_time()
    result = airtcp.simulate(which, replications=1, jobs=1)
    return {
        "cpu": time.process_time() - begin,
        "sent": int(result.to_pandas()["sent"].sum()),
    }


def trace(which: airtcp.Scenario, *, tabulated: bool = False) -> dict[str, float]:
    """With every event recorded: also packets acknowledged, and when the last one was.

    `tabulated`: the Arrow table of the events is in the price.
    """
    begin = time.process_time()
    events = airtcp.trace(which)
    recorded = time.process_time() - begin
    if tabulated:
        _ = events.table
    cpu = time.process_time() - begin if tabulated else recorded
    seen = events.to_pandas()
    acks = seen[seen["event"] == "ack"]
    return {
        "cpu": cpu,
        "sent": int(seen["event"].isin(["send", "resend"]).sum()),
        "delivered": int(acks["packet"].max()) + 1,
        "time": int(acks["time_ns"].max()) / 1e9,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("name", choices=sorted({*OF_PEERS, *SCENARIOS}))
    parser.add_argument("seconds", type=float)
    parser.add_argument("packets", type=int, nargs="?", help="a flow of so many instead of bulk")
    parser.add_argument("--flows", type=int, help="so many, over a link so much faster (lossy)")
    parser.add_argument("--trace", action="store_true")
    parser.add_argument("--table", action="store_true", help="a trace, and its Arrow table")
    given = parser.parse_args()
    if given.table and not find_spec("pyarrow"):
        parser.error("--table needs pyarrow: pip install pyarrow")
    if given.packets and given.name not in OF_PEERS:
        parser.error("a number of packets is for lossy and clean")
    if given.flows and given.name != "lossy":
        parser.error("--flows is for the path of one hop, lossy")
    run = trace if given.trace else simulate
    if given.table:
        run = partial(trace, tabulated=True)
    run(scenario(given.name, 1.0 if given.name in OF_PEERS else SCENARIOS[given.name].lengths[0]))
    found = run(scenario(given.name, given.seconds, packets=given.packets, flows=given.flows))
    found["peak_mib"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps(found))


if __name__ == "__main__":
    main()

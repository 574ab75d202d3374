"""Names in tables of papers for the mean of simulated runs, its deviation and its interval."""

from __future__ import annotations

from airtcp.campaign.manifest import SIMULATION

SIMULATED = SIMULATION
SD, LOW, HIGH = (f"{SIMULATION}_{part}" for part in ("sd", "low", "high"))

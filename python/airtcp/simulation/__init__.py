"""The user's interface to the simulator: runs, sweeps, plans, traces, results."""

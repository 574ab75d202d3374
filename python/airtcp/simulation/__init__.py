"""What a user asks the simulator for: runs, sweeps, plans, traces, results."""

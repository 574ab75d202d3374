"""Metrics: their names, and their computation from the counts of runs."""

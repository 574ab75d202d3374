"""Fitted links: from files about a link to a scenario that runs, and how far to trust it."""

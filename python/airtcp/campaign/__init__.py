"""Campaigns: the runs that are needed, their computation, and the places that keep them."""

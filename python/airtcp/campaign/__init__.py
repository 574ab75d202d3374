"""Campaigns: which runs are needed, who computes them, where they are kept."""

"""Metrics: what they are called, and how they follow from what runs count."""

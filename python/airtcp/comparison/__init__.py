"""Engines compared: side by side, and verdicts on whether they agree."""

"""Helpers for all parts that know nothing of TCP: files, formats, progress, imports."""

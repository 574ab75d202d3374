"""Results read back: rows, groups, summaries."""

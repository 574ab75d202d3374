"""Statistics of independent replications: intervals, precision, comparisons, warm-up.

Pure functions over arrays; SciPy has the distributions. Each is defined in docs/statistics.md.
"""

from airtcp.stats._checks import CONFIDENCE
from airtcp.stats.agreement import miss_probability, too_many_misses, z_scores
from airtcp.stats.intervals import grouped_means, mean_intervals
from airtcp.stats.precision import Precision, relative_half_width

__all__ = [
    "CONFIDENCE",
    "Precision",
    "grouped_means",
    "mean_intervals",
    "miss_probability",
    "relative_half_width",
    "too_many_misses",
    "z_scores",
]

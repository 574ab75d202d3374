"""Statistics of independent replications: intervals, precision, comparisons, warm-up.

Pure functions over arrays; SciPy has the distributions. Each is defined in
docs/explanation/statistics.md.
"""

from airtcp.stats._checks import CONFIDENCE
from airtcp.stats.agreement import miss_probability, too_many_misses, z_scores
from airtcp.stats.batches import BatchMeans, batch_means
from airtcp.stats.bootstrap import bootstrap_median, bootstrap_ratio
from airtcp.stats.intervals import Interval, grouped_means, mean_intervals
from airtcp.stats.paired import PairedDifference, paired_difference
from airtcp.stats.precision import Precision, relative_half_width
from airtcp.stats.ranking import Ranking, holm, rank, rank_points
from airtcp.stats.ratio import ratio_of_means
from airtcp.stats.warmup import WarmUp, mser

__all__ = [
    "CONFIDENCE",
    "BatchMeans",
    "Interval",
    "PairedDifference",
    "Precision",
    "Ranking",
    "WarmUp",
    "batch_means",
    "bootstrap_median",
    "bootstrap_ratio",
    "grouped_means",
    "holm",
    "mean_intervals",
    "miss_probability",
    "mser",
    "paired_difference",
    "rank",
    "rank_points",
    "ratio_of_means",
    "relative_half_width",
    "too_many_misses",
    "z_scores",
]

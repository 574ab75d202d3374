/** Means with Student's t intervals, as `airtcp.stats.mean_intervals` has them. */

import { quantile } from "./student";

export interface Interval {
  mean: number;
  sd: number;
  low: number;
  high: number;
  n: number;
}

/** `low`, `high` and `sd` are NaN for one value. */
export function interval(values: readonly number[], confidence = 0.95): Interval {
  const n = values.length;
  const first = values[0] ?? NaN;
  // No rounding noise where nothing scatters.
  const constant = values.every((value) => value === first);
  const mean = constant ? first : sum(values) / n;
  if (n < 2) return { mean, sd: NaN, low: NaN, high: NaN, n };
  const sd = constant ? 0 : Math.sqrt(sum(values.map((v) => (v - mean) ** 2)) / (n - 1));
  const half = (quantile(0.5 + confidence / 2, n - 1) * sd) / Math.sqrt(n);
  return { mean, sd, low: mean - half, high: mean + half, n };
}

export function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

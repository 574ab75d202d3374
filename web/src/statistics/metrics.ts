/** Metrics from counts, by the table that `make gen` writes from that of Python. */

import { sum } from "./interval";
import table from "./metrics.json";

export interface Metric {
  label: string;
  unit: string;
  better: string;
  definition: string;
  /** The largest value that it can have; null where there is no such value. */
  most: number | null;
  /** By family: a quotient such as "sent - resent over sent". */
  of: Partial<Record<Family, string>>;
}

export type Family = "slot" | "path";

export const METRICS: Record<string, Metric> = table;

/** Scales by which counts of a flow become times and bits. */
export interface Scales {
  family: Family;
  payloadBits: number;
  slotSeconds: number;
  fragments: number;
}

/** Counts of a flow in one run, by column. */
export type Counts = Record<string, number>;

/** Durations, which below a rate say how long a run was and not how often something happened. */
const DURATIONS = new Set(["seconds", "slots"]);

interface Quotient {
  above: [number, string][];
  below: [number, string][];
}

function quotientOf(text: string): Quotient {
  const [above = "", below = ""] = text.split(" over ");
  return { above: terms(above), below: terms(below) };
}

function terms(text: string): [number, string][] {
  const words = text.split(" ").filter((word) => word !== "");
  const signs = [1, ...words.filter((_, i) => i % 2 === 1).map((word) => (word === "+" ? 1 : -1))];
  return words.filter((_, i) => i % 2 === 0).map((word, i) => [signs[i]!, word]);
}

/** The names of the metrics that follow from these columns. */
export function metricsOf(family: Family, columns: readonly string[]): string[] {
  const known = new Set(Object.keys(derived(Object.fromEntries(columns.map((c) => [c, 1])), {
    family, payloadBits: 1, slotSeconds: 1, fragments: 1,
  })));
  return Object.keys(METRICS).filter((name) => {
    const text = METRICS[name]!.of[family];
    if (text === undefined) return false;
    const { above, below } = quotientOf(text);
    return [...above, ...below].every(([, column]) => known.has(column));
  });
}

/**
 * Values of runs whose mean is the metric. A metric that divides counts by counts is the ratio of their sums: the mean of the
 * ratios of runs would give a run with few packets the weight of one with many.
 */
export function valuesOf(name: string, runs: readonly Counts[], scales: Scales): number[] {
  const { above, below } = quotientOf(METRICS[name]!.of[scales.family]!);
  const known = runs.map((run) => derived(run, scales));
  const total = (run: Counts, terms: [number, string][]): number =>
    terms.length === 0 ? 1 : sum(terms.map(([sign, column]) => sign * run[column]!));
  const pairs = known.map((run) => [total(run, above), total(run, below)] as const);
  const ratios = pairs.map(([a, b]) => (b === 0 ? NaN : a / b));
  const countsBoth = below.length > 0 && !below.every(([, column]) => DURATIONS.has(column));
  return countsBoth ? aboutRatio(pairs, ratios) : ratios;
}

function aboutRatio(pairs: (readonly [number, number])[], ratios: number[]): number[] {
  const seen = ratios.filter((value) => !Number.isNaN(value));
  const least = Math.min(...seen);
  const lost = pairs.some(([a, b]) => b === 0 && a !== 0);
  if (seen.length > 0 && least === Math.max(...seen) && !lost) return ratios.map(() => least);
  const [a, b] = [sum(pairs.map((pair) => pair[0])), sum(pairs.map((pair) => pair[1]))];
  if (b === 0) return ratios.map(() => NaN);
  const mean = b / pairs.length;
  return pairs.map(([above, below]) => a / b + (above - (a / b) * below) / mean);
}

/** Counts with the values that follow from them. */
function derived(counts: Counts, scales: Scales): Counts {
  const known: Counts = { probe_bits: 0, copies: 0, ...counts };
  for (const [name, value] of Object.entries(counts)) {
    const unit = { _ns: 1e9, _us: 1e6 }[name.slice(-3)];
    if (unit !== undefined) known[`${name.slice(0, -3)}_s`] = seconds(value, unit);
    if (name.endsWith("_ppm")) known[name.slice(0, -4)] = value / 1e6;
  }
  if (scales.family === "slot") {
    known["in_order_bits"] = counts["in_order"]! * scales.payloadBits;
    known["seconds"] = counts["slots"]! * scales.slotSeconds;
    known["useful"] = counts["deliveries"]! * scales.fragments;
    known["in_order_useful"] = counts["in_order"]! * scales.fragments;
  }
  if ("time_s" in known) known["seconds"] = known["time_s"]!;
  return known;
}

/** NaN for -1, where there is no such time; infinite for -2, where it has not ended. */
function seconds(value: number, unit: number): number {
  if (value === -2) return Infinity;
  return value < 0 ? NaN : value / unit;
}

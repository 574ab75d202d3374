/** A formula beside the simulation: which one covers a point, its answer, and where it was found accurate. */

import type { Point } from "../explore/points";
import { conditionsOf, type Conditions } from "./conditions";
import { mathis } from "./mathis";
import { rfc9438 } from "./rfc9438";

type Range = readonly [low: number, high: number];

interface Formula {
  name: string;
  covers(at: Conditions): boolean;
  packetsPerSecond(at: Conditions): number;
  /** Ranges within 20 % of the simulator, by profile: those of airtcp.models.zoo.ranges. */
  ranges: Record<string, Partial<Record<"lossRate" | "rtt" | "delayedAck" | "load", Range>>>;
}

const FORMULAS: Formula[] = [
  {
    name: "mathis",
    covers: ({ growth, variant }) => growth === "reno" && !["tahoe", "oldtahoe"].includes(variant),
    packetsPerSecond: mathis,
    ranges: {
      rfc: { lossRate: [0.0001, 0.003], rtt: [0.02, 0.5], delayedAck: [0, 0.1], load: [0, 0.75] },
      linux: { lossRate: [0.0001, 0.01], rtt: [0.02, 0.5], load: [0, 1] },
    },
  },
  {
    name: "rfc9438",
    covers: ({ growth }) => growth === "cubic",
    packetsPerSecond: rfc9438,
    ranges: {
      rfc: { lossRate: [0.0001, 0.03], rtt: [0.02, 0.5], delayedAck: [0, 0.1], load: [0, 0.5] },
      linux: { lossRate: [0.0001, 0.01], rtt: [0.02, 0.5], load: [0, 1] },
    },
  },
];
/** Recoveries with which the ranges were found. */
const VARIANTS: Record<string, readonly string[]> = { mathis: ["reno", "sack"], rfc9438: ["sack"] };
/** Share of the largest window at which the mean of a sawtooth lies that just reaches it. */
const SAWTOOTH = 0.75;
/** By which a value may miss a range. */
const TOLERANCE = 0.01;

export interface Answer {
  name: string;
  packetsPerSecond: number;
  withinRange: boolean;
}

/** The answer of the formula that covers a point, or the reason why none does. */
export function formulaOf(point: Point): Answer | string {
  const at = conditionsOf(point);
  if (typeof at === "string") return at;
  if (!(at.lossRate > 0)) return "the formulas need random losses";
  const formula = FORMULAS.find(({ covers }) => covers(at));
  if (!formula) return `no formula of the page covers ${at.growth || at.variant}`;
  const packetsPerSecond = formula.packetsPerSecond(at);
  if (packetsPerSecond > at.capacity * (1 + 1e-9)) return "the rate, not the losses, would limit it";
  if (packetsPerSecond * at.rtt > SAWTOOTH * at.window) return "the window, not the losses, would limit it";
  const values = { ...at, load: packetsPerSecond / at.capacity };
  const ranges = Object.entries(formula.ranges[at.profile]!) as [keyof Formula["ranges"][string], Range][];
  const isIn = ranges.every(([name, [low, high]]) => low * (1 - TOLERANCE) <= values[name] && values[name] <= high * (1 + TOLERANCE));
  return { name: formula.name, packetsPerSecond, withinRange: isIn && VARIANTS[formula.name]!.includes(at.variant) };
}

/** The answer in the unit of a metric; NaN for metrics that no formula has. */
export function inMetric({ packetsPerSecond }: Answer, metric: string, payloadBits: number): number {
  if (metric === "throughput_pps") return packetsPerSecond;
  return metric === "goodput_bps" || metric === "throughput_bps" ? packetsPerSecond * payloadBits : NaN;
}

/** An estimate of how long a page needs for all runs of a document. */

import { isTable, valueAt, type Table, type Value } from "../document";
import { inBase } from "../units";
import type { Point } from "./points";
import { REPLICATIONS } from "./sampling";

/** Seconds after which somebody is asked first. */
const LONGEST = 60;

/** Seconds of one core for a slot, and for a packet on a hop: on the safe side of what chromium takes. */
const SLOT = 1e-7;
const PACKET = 2e-6;

/** Bits of a delivery opportunity, as in Mahimahi's traces. */
const OPPORTUNITY = 1504 * 8;

/** At most so many seconds: a path is taken to be full. Infinite where a point does not tell. */
export function estimateSeconds(points: readonly Point[], replications = REPLICATIONS): number {
  return points.reduce((total, point) => total + seconds(point) * (point.random ? replications : 1), 0);
}

/** Question to somebody whose work takes that long; empty where none is needed. */
export function questionAbout(seconds: number): string {
  if (seconds <= LONGEST) return "";
  if (!Number.isFinite(seconds)) return "How long this takes here is not known.";
  return `This may take ${Math.ceil(seconds / 60)} minutes here.`;
}

function seconds({ scenario, family, payload_bits: bits }: Point): number {
  if (family === "slot") return Number(valueAt(scenario, "stop.slots")) * SLOT;
  const time = known(valueAt(scenario, "stop.time"));
  const hops = valueAt(scenario, "path.hop");
  const sent = (Array.isArray(hops) ? hops : []).map((hop) => mostBits(hop, time));
  const packets = Math.max(...sent, 0) / Math.max(bits[0] ?? 1, 1);
  return packets * sent.length * PACKET;
}

/** At most so many bits are sent on a hop in that time. */
function mostBits(hop: Value, time: number): number {
  const [rates, opportunities] = [valueAt(hop, "rates"), valueAt(hop, "opportunities")];
  const rate = rates === undefined ? known(valueAt(hop, "rate")) : highest(rates);
  if (!Array.isArray(opportunities)) return rate * time;
  const repeated = Math.ceil((time * 1000) / Math.max(Number(opportunities.at(-1)), 1));
  return Math.max(rate * time, repeated * opportunities.length * OPPORTUNITY);
}

/** The highest of rates that change, in bit/s. */
function highest(rates: Value): number {
  if (Array.isArray(rates)) return maximum(rates.map((one) => known(valueAt(one, "rate"))));
  if (!isTable(rates)) return Infinity;
  return maximum(ofKind(rates));
}

function ofKind({ values, levels, high, mean, amplitude }: Table): number[] {
  // Lines of nanoseconds and bit/s.
  if (typeof values === "string") return values.trim().split("\n").map((line) => Number(line.trim().split(/\s+/)[1]));
  if (high !== undefined) return [known(high)];
  if (mean !== undefined) return [known(mean) + known(amplitude)];
  return [highest(values ?? levels ?? null)];
}

/** The largest number; infinite if one is none, or if there is none. */
function maximum(numbers: readonly number[]): number {
  if (numbers.length === 0 || numbers.some(Number.isNaN)) return Infinity;
  return numbers.reduce((most, one) => Math.max(most, one), 0);
}

/** A quantity in its base unit; infinite if it is none. */
function known(value: Value | undefined): number {
  return (typeof value === "string" ? inBase(value)?.number : undefined) ?? Infinity;
}

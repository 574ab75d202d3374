/** An estimate of how long a page needs for all runs of a document. */

import { valueAt } from "../document";
import { inBase } from "../units";
import type { Point } from "./points";
import { REPLICATIONS } from "./sampling";

/** Seconds after which somebody is asked first. */
export const LONGEST = 60;

/** Seconds of one core for a slot, and for a packet on a hop: on the safe side of what chromium takes. */
const SLOT = 1e-7;
const PACKET = 2e-6;

/** At most so many seconds: a path is taken to be full. */
export function estimateSeconds(points: readonly Point[]): number {
  return points.reduce((total, point) => total + seconds(point) * (point.random ? REPLICATIONS : 1), 0);
}

function seconds({ scenario, family, payload_bits: bits }: Point): number {
  if (family === "slot") return Number(valueAt(scenario, "stop.slots")) * SLOT;
  const time = inBase(String(valueAt(scenario, "stop.time")))?.number ?? 0;
  const hops = valueAt(scenario, "path.hop");
  const rates = (Array.isArray(hops) ? hops : []).map((hop) => inBase(String(valueAt(hop, "rate")))?.number ?? 0);
  const packets = (time * Math.max(...rates, 0)) / Math.max(bits[0] ?? 1, 1);
  return packets * rates.length * PACKET;
}

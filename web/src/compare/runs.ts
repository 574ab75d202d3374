/** Runs of single points, with their events; the last few are kept. */

import type { Core } from "../core/core";
import type { Answer } from "../core/instance";
import { valueAt, type Table } from "../document";
import { scalesOf } from "../explore/sampling";
import type { Point } from "../explore/points";
import { inBase } from "../units";
import { METRICS, metricsOf, valuesOf, type Counts } from "../statistics/metrics";
import { Kept } from "./kept";
import { bytesOf, traceOf, type Trace } from "./trace";

export interface Run {
  trace: Trace;
  /** Metrics of the first flow. */
  metrics: Record<string, number>;
}

/** Bytes of the events of a run: four runs fit the memory of a page. */
const ROOM = 2 ** 27;
/** Runs on show: two with and two without dropped packets. */
const SHOWN = 4;

export class Runs {
  private readonly kept = new Kept<Run>(SHOWN * ROOM, SHOWN, ({ trace }) => bytesOf(trace));

  /** The run of a scenario of one point under a seed. Throws `Refusal` and `Cancelled`. */
  of(core: Core, scenario: Table, point: Point, seed: number): Promise<Run> {
    return this.kept.of(JSON.stringify([scenario, seed]), () => run(core, scenario, point, seed));
  }
}

/** Seconds from the sender of the first flow to its first hop. */
export function accessOf(scenario: Table): number {
  const given = valueAt(scenario, "flow[0].access_delay");
  return typeof given === "string" ? (inBase(given)?.number ?? 0) : 0;
}

/** The events of the run of a scenario of one point. Throws `Refusal` and `Cancelled`. */
export async function eventsOf(core: Core, scenario: Table, seed: number, links: boolean): Promise<Answer> {
  core.holds = "";
  const [, events] = await Promise.all([
    core.ask({ ask: "points", document: JSON.stringify(scenario) }),
    core.ask({ ask: "trace", index: 0, seed, replication: 0, room: ROOM, links }),
  ]);
  return events;
}

async function run(core: Core, scenario: Table, point: Point, seed: number): Promise<Run> {
  // A core answers in the order of the questions.
  const [traced, counted] = await Promise.all([
    eventsOf(core, scenario, seed, true),
    core.ask({ ask: "run", index: 0, seed, replication: 0 }),
  ]);
  const counts = new BigInt64Array(counted.columns[0]!.bytes);
  const named: Counts = Object.fromEntries(point.names.map((name, i) => [name, Number(counts[i])]));
  const metrics = metricsOf(point.family, point.names).filter((name) => name in METRICS);
  const values = metrics.map((name) => [name, valuesOf(name, [named], scalesOf(point))[0]!]);
  return { trace: traceOf(traced, accessOf(scenario)), metrics: Object.fromEntries(values) };
}

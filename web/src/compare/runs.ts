/** Runs of single points, with their events; the last few are kept. */

import type { Core } from "../core/core";
import type { Table } from "../document";
import { scalesOf } from "../explore/sampling";
import type { Point } from "../explore/points";
import { METRICS, metricsOf, valuesOf, type Counts } from "../statistics/metrics";
import { traceOf, type Trace } from "./trace";

export interface Run {
  trace: Trace;
  /** Metrics of the first flow. */
  metrics: Record<string, number>;
}

/** Runs that are kept: two with and two without dropped packets, and two before a change that is undone. */
const KEPT = 6;
/** Bytes of the events of a run: four runs fit the memory of a page. */
const ROOM = 2 ** 27;

export class Runs {
  private readonly known = new Map<string, Promise<Run>>();

  /** The run of a scenario of one point under a seed. Throws `Refusal` and `Cancelled`. */
  of(core: Core, scenario: Table, point: Point, seed: number): Promise<Run> {
    const key = JSON.stringify([scenario, seed]);
    const known = this.known.get(key);
    if (known) return known;
    const made = run(core, scenario, point, seed);
    this.known.set(key, made);
    made.catch(() => this.known.delete(key));
    for (const old of this.known.keys()) if (this.known.size > KEPT) this.known.delete(old);
    return made;
  }
}

async function run(core: Core, scenario: Table, point: Point, seed: number): Promise<Run> {
  const one = { index: 0, seed, replication: 0 };
  core.holds = "";
  // A core answers in the order of the questions.
  const [, counted, traced] = await Promise.all([
    core.ask({ ask: "points", document: JSON.stringify(scenario) }),
    core.ask({ ask: "run", ...one }),
    core.ask({ ask: "trace", ...one, room: ROOM, links: true }),
  ]);
  const counts = new BigInt64Array(counted.columns[0]!.bytes);
  const named: Counts = Object.fromEntries(point.names.map((name, i) => [name, Number(counts[i])]));
  const metrics = metricsOf(point.family, point.names).filter((name) => name in METRICS);
  const values = metrics.map((name) => [name, valuesOf(name, [named], scalesOf(point))[0]!]);
  return { trace: traceOf(traced), metrics: Object.fromEntries(values) };
}

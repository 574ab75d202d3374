/** Runs of all points, replication by replication, and the exact solutions beside them. */

import { Cancelled, Core } from "../core/core";
import { interval, type Interval } from "../statistics/interval";
import { METRICS, valuesOf, type Counts, type Scales } from "../statistics/metrics";
import type { Point } from "./points";

/** Replications of a point that is random: intervals of more are hardly shorter to the eye. */
export const REPLICATIONS = 30;

/** Answers of the exact solver: rates per slot, or the reason why there are none. */
export type Exact = { throughput: number; error_bound: number } | { none: string };

interface Task {
  point: number;
  replication: number;
}

/** The work on one document. Each core must have its points. */
export class Sampling {
  /** Counts of the first flow, by point and replication. */
  readonly runs: Counts[][];
  readonly exact: (Exact | undefined)[];
  finished = 0;
  readonly wanted: number;
  private readonly tasks: Task[];
  private stopped = false;
  /** The core that solves a point at present. */
  private solver: Core | null = null;
  private toldOfRound = (): void => {};
  /** Resolves once every point has a run. */
  private readonly round = new Promise<void>((resolve) => (this.toldOfRound = resolve));

  constructor(
    readonly points: readonly Point[],
    private readonly seed: number,
    /** Resolves when the next task may begin. */
    private readonly quiet: () => Promise<void>,
    private readonly changed: () => void,
    private readonly failed: (error: Error) => void,
  ) {
    this.runs = points.map(() => []);
    this.exact = points.map(() => undefined);
    const most = (point: Point): number => (point.random ? REPLICATIONS : 1);
    const rounds = Array.from({ length: REPLICATIONS }, (_, replication) => replication);
    this.tasks = rounds.flatMap((replication) =>
      points.filter((p) => replication < most(p)).map((p) => ({ point: p.index, replication })),
    );
    this.wanted = this.tasks.length;
  }

  /** Has a core take tasks until there are none. */
  async simulate(core: Core): Promise<void> {
    await this.until(async () => {
      const task = this.tasks.shift();
      if (!task) return false;
      const { point: index, replication } = task;
      const { columns } = await core.ask({ ask: "run", index, seed: this.seed, replication });
      if (this.stopped) return false;
      const counts = new BigInt64Array(columns[0]!.bytes);
      const { names } = this.points[index]!;
      this.runs[index]![replication] = Object.fromEntries(names.map((n, i) => [n, Number(counts[i])]));
      this.finished++;
      if (this.finished === this.points.length) this.toldOfRound();
      this.changed();
      return true;
    });
  }

  /**
   * Has a core solve each point exactly, once there are curves: the solver takes its time, and theirs.
   * `prepare` gives it the points, unless it has them.
   */
  async solve(core: Core, prepare: () => void): Promise<void> {
    const left = this.points.filter((point) => point.family === "slot").map((point) => point.index);
    await this.round;
    await this.until(async () => {
      const [index] = left;
      if (index === undefined) return false;
      prepare();
      this.solver = core;
      try {
        const { head } = await core.ask({ ask: "exact", index });
        this.exact[index] = head as unknown as Exact;
      } catch (error) {
        if (error instanceof Cancelled && !this.stopped) return true; // it gave way, and comes again
        throw error;
      } finally {
        this.solver = null;
      }
      left.shift();
      if (!this.stopped) this.changed();
      return true;
    });
  }

  get isStopped(): boolean {
    return this.stopped;
  }

  stop(): void {
    this.stopped = true;
  }

  /** Ends what the solver does, which may take long: it begins again after `quiet`. */
  giveWay(): void {
    if (!this.stopped) this.solver?.cancel();
  }

  private async until(step: () => Promise<boolean>): Promise<void> {
    try {
      do await this.quiet();
      while (!this.stopped && (await step()));
    } catch (error) {
      if (!(error instanceof Cancelled || this.stopped)) this.failed(error as Error);
    }
  }

  /** Mean and interval of a metric in a point, over the replications that have finished without a gap. */
  estimate(point: Point, metric: string): Interval {
    const runs = this.runs[point.index]!;
    const gap = Array.from(runs).findIndex((run) => run === undefined);
    const known = gap < 0 ? runs : runs.slice(0, gap);
    if (known.length === 0) return { mean: NaN, sd: NaN, low: NaN, high: NaN, n: 0 };
    return withinRange(interval(valuesOf(metric, known, scalesOf(point))), METRICS[metric]!.most, !point.random);
  }

  /** The exact value of a metric in a point; NaN where the solver has none. */
  exactly(point: Point, metric: string): number {
    const found = this.exact[point.index];
    if (!found || "none" in found || !point.slot) return NaN;
    const { payloadBits, slotSeconds, fragments } = scalesOf(point);
    // In the long run as much is delivered in order as is delivered.
    const rates: Record<string, number> = {
      throughput: found.throughput,
      in_order_throughput: found.throughput,
      goodput_bps: (found.throughput * payloadBits) / (slotSeconds * fragments),
    };
    return rates[metric] ?? NaN;
  }
}

export function scalesOf(point: Point): Scales {
  return {
    family: point.family,
    payloadBits: point.payload_bits[0]!,
    slotSeconds: point.slot?.seconds ?? NaN,
    fragments: point.slot?.fragments ?? 1,
  };
}

/** Estimates whose intervals do not reach beyond what the metric can be; a value without chance is certain. */
function withinRange(found: Interval, most: number | null, certain: boolean): Interval {
  if (certain) return { ...found, sd: 0, low: found.mean, high: found.mean };
  const low = found.mean >= 0 ? Math.max(found.low, 0) : found.low;
  const high = most !== null && found.mean <= most ? Math.min(found.high, most) : found.high;
  return { ...found, low, high };
}

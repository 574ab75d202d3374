/** Workers of the page: some simulate, one solves exactly. */

import { Core } from "../core/core";
import type { Table } from "../document";
import { pointsOf, type Point } from "./points";

/** Milliseconds for which runs that nobody wants any more may go on: most end sooner, and a new worker takes longer. */
const PATIENCE = 40;

export class Pool {
  readonly simulating: Core[];
  readonly solving: Core;
  /** The work that others make way for. */
  work: { stop(): void } | null = null;

  constructor(module: WebAssembly.Module) {
    const cores = Math.max(1, Math.min(4, (navigator.hardwareConcurrency || 2) - 1));
    this.simulating = Array.from({ length: cores }, () => new Core(module));
    this.solving = new Core(module);
  }

  private get all(): Core[] {
    return [...this.simulating, this.solving];
  }

  /** Ends what is at work, and lets short runs be answered. */
  async free(): Promise<void> {
    this.work?.stop();
    // Nobody waits for the solver, whose questions may be long.
    if (this.solving.busy) this.solving.cancel();
    const late = new Promise((resolve) => setTimeout(resolve, PATIENCE));
    await Promise.race([Promise.all(this.simulating.map((core) => core.idle())), late]);
    for (const core of this.all) if (core.busy) core.cancel();
  }

  /** The points of a document. Throws as `pointsOf`. */
  read(document: Table): Promise<Point[]> {
    const first = this.simulating[0]!;
    first.holds = "";
    return pointsOf(first, document).then((points) => {
      first.holds = JSON.stringify(document);
      return points;
    });
  }

  /** Gives a core the points of a document that `read` has found, unless it has them. */
  give(core: Core, document: Table): void {
    const text = JSON.stringify(document);
    if (core.holds === text) return;
    core.holds = text;
    // Not awaited: a core answers its questions in their order.
    core.ask({ ask: "points", document: text }).catch(() => undefined);
  }
}

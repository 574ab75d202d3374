/** Workers of the page: some simulate, one solves exactly. */

import { Core } from "../core/core";
import type { Table } from "../document";
import { pointsOf, type Point } from "./points";

export class Pool {
  readonly simulating: Core[];
  readonly solving: Core;

  constructor(module: WebAssembly.Module) {
    const cores = Math.max(1, Math.min(4, (navigator.hardwareConcurrency || 2) - 1));
    this.simulating = Array.from({ length: cores }, () => new Core(module));
    this.solving = new Core(module);
  }

  private get all(): Core[] {
    return [...this.simulating, this.solving];
  }

  /** Ends what is at work. */
  cancel(): void {
    for (const core of this.all) if (core.busy) core.cancel();
  }

  /** Gives every core the points of a document; those that the first one tells of. Throws as `pointsOf`. */
  async read(document: Table): Promise<Point[]> {
    const [first, ...others] = this.all;
    const points = await pointsOf(first!, document);
    const text = JSON.stringify(document);
    // Not awaited: a core answers its questions in their order.
    for (const core of others) core.ask({ ask: "points", document: text }).catch(() => undefined);
    return points;
  }
}

/** Workers of the page: one reads documents, some simulate, one solves exactly. */

import { Core } from "../core/core";
import type { Table } from "../document";
import { pointsOf, type Point } from "./points";

/** Milliseconds for which work that nobody wants any more may go on: most ends sooner, and a new worker takes longer. */
const PATIENCE = 40;

export class Pool {
  /** Apart from the others, so that neither a document ends the work of a view nor a view the reading of a document. */
  readonly reading: Core;
  readonly simulating: Core[];
  readonly solving: Core;
  /** The work that others make way for. */
  work: { stop(): void } | null = null;
  private lastRead: Promise<unknown> = Promise.resolve();

  constructor(module: WebAssembly.Module) {
    const cores = Math.max(1, Math.min(4, (navigator.hardwareConcurrency || 2) - 1));
    this.simulating = Array.from({ length: cores }, () => new Core(module));
    this.solving = new Core(module);
    this.reading = new Core(module);
  }

  /** Ends what a view has at work, and lets short runs be answered. */
  async free(): Promise<void> {
    this.work?.stop();
    // Nobody waits for the solver, whose questions may be long.
    if (this.solving.busy) this.solving.cancel();
    await patience(Promise.all(this.simulating.map((core) => core.idle())));
    for (const core of [...this.simulating, this.solving]) if (core.busy) core.cancel();
  }

  /** The points of a document, which ends the reading of one before. Throws as `pointsOf`. */
  async read(document: Table): Promise<Point[]> {
    await patience(this.lastRead);
    if (this.reading.busy) this.reading.cancel();
    const found = pointsOf(this.reading, document);
    this.lastRead = found.catch(() => undefined);
    return found;
  }

  /** Gives a core the points of a document, unless it has them. */
  give(core: Core, document: Table): void {
    const text = JSON.stringify(document);
    if (core.holds === text) return;
    core.holds = text;
    // Not awaited: a core answers its questions in their order.
    core.ask({ ask: "points", document: text }).catch(() => undefined);
  }
}

/** Waits until something has ended, or for as long as it is worth while. */
function patience(end: Promise<unknown>): Promise<unknown> {
  return Promise.race([end, new Promise((resolve) => setTimeout(resolve, PATIENCE))]);
}

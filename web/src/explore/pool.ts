/** Workers of the page: one reads documents, some simulate, one solves exactly. */

import { Cancelled, Core } from "../core/core";
import type { Table } from "../document";
import { pointsOf, type Point } from "./points";

/** Milliseconds for which work that nobody wants any more may go on: most ends sooner, and a new worker takes longer. */
const PATIENCE = 40;

export class Pool {
  /** Reads documents. A core of its own: neither does a document end the runs of a view, nor a view its reading. */
  readonly reading: Core;
  readonly simulating: Core[];
  readonly solving: Core;
  /** The work that makes way for others. */
  work: { stop(): void; giveWay(): void } | null = null;
  private reads = 0;
  private lastRead: Promise<unknown> = Promise.resolve();
  /** The end of the reading for which work waits; null while none goes on. */
  private turn: Promise<void> | null = null;

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

  /**
   * The points of a document, which ends the reading of one before; work waits meanwhile. Throws as `pointsOf`, and
   * `Cancelled` where another document came.
   */
  read(document: Table): Promise<Point[]> {
    const found = this.readNext(document);
    // A task later the view of the document has stopped the work on the one before.
    const turn = found.then(nothing, nothing).then(() => new Promise<void>((resolve) => setTimeout(resolve)));
    this.turn = turn;
    void turn.then(() => {
      if (this.turn === turn) this.turn = null;
    });
    this.work?.giveWay();
    return found;
  }

  private async readNext(document: Table): Promise<Point[]> {
    const number = ++this.reads;
    await patience(this.lastRead);
    if (number !== this.reads) throw new Cancelled("another document came");
    if (this.reading.busy) this.reading.cancel();
    const found = pointsOf(this.reading, document);
    this.lastRead = found.catch(nothing);
    return found;
  }

  /** The document of a text in TOML. Throws `Refusal`. */
  async parse(toml: string): Promise<Table> {
    for (;;) {
      try {
        const { head } = await this.reading.ask({ ask: "document", toml });
        return head["document"] as Table;
      } catch (error) {
        // A document was read meanwhile.
        if (!(error instanceof Cancelled)) throw error;
      }
    }
  }

  /** Resolves once no document is being read: tasks of a view wait for that. */
  async quiet(): Promise<void> {
    while (this.turn) await this.turn;
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

function nothing(): void {}

/** A worker with the core in it, which answers one question after the other. */

import type { Answer } from "./instance";
import type { Reply, Request } from "./messages";

/** A refusal of a document: the key, and the message. */
export class Refusal extends Error {
  constructor(
    readonly path: string,
    readonly reason: string,
  ) {
    super(path ? `${path}: ${reason}` : reason);
  }
}

/** The question was cancelled. */
export class Cancelled extends Error {}

/** A question in the words of crates/web. */
export type Question = { ask: string } & Record<string, unknown>;

interface Waiting {
  resolve(answer: Answer): void;
  reject(error: Error): void;
  answered: Promise<Answer>;
}

function withResolvers<T>() {
  let [resolve, reject] = [(_: T): void => {}, (_: Error): void => {}];
  const promise = new Promise<T>((good, bad) => ([resolve, reject] = [good, bad]));
  return { promise, resolve, reject };
}

export async function compiled(address: string | URL): Promise<WebAssembly.Module> {
  const response = await fetch(address);
  if (!response.ok) throw new Error(`${address}: ${response.status} ${response.statusText}`);
  return WebAssembly.compileStreaming(response);
}

export class Core {
  /** The document whose points it was asked for last, by whoever keeps account of this. */
  holds = "";
  /** None after a cancellation, until the next question. */
  private worker: Worker | null;
  private readonly waiting = new Map<number, Waiting>();
  private asked = 0;

  constructor(private readonly module: WebAssembly.Module) {
    this.worker = this.started();
  }

  /** True while a question is unanswered. */
  get busy(): boolean {
    return this.waiting.size > 0;
  }

  /** Resolves once every question so far has its answer, or was cancelled. */
  async idle(): Promise<void> {
    await Promise.allSettled([...this.waiting.values()].map(({ answered }) => answered));
  }

  /** Answers a question. Throws `Refusal`, `Cancelled`, or what a trapped instance said last. */
  ask(question: Question): Promise<Answer> {
    const id = this.asked++;
    const request: Request = { id, question: JSON.stringify(question) };
    const { promise: answered, resolve, reject } = withResolvers<Answer>();
    this.waiting.set(id, { resolve, reject, answered });
    this.worker ??= this.started();
    this.worker.postMessage(request);
    return answered;
  }

  /** Ends all work at once: an instance cannot be interrupted, so that another takes its place. */
  cancel(): void {
    this.restart(new Cancelled("cancelled"));
  }

  private restart(reason: Error): void {
    this.worker?.terminate();
    const waiting = [...this.waiting.values()];
    this.waiting.clear();
    this.holds = "";
    this.worker = null;
    for (const one of waiting) one.reject(reason);
  }

  private started(): Worker {
    const worker = new Worker(new URL("./worker.ts", import.meta.url), { type: "module" });
    const request: Request = { module: this.module };
    worker.postMessage(request);
    worker.onmessage = ({ data }: MessageEvent<Reply>) => this.receive(data);
    worker.onerror = (event) => this.restart(new Error(event.message || "the worker failed"));
    return worker;
  }

  private receive(reply: Reply): void {
    if ("trapped" in reply) {
      this.restart(new Error(reply.trapped));
      return;
    }
    const waiting = this.waiting.get(reply.id);
    this.waiting.delete(reply.id);
    const refused = reply.head["refused"] as { path: string; message: string } | undefined;
    if (refused) waiting?.reject(new Refusal(refused.path, refused.message));
    else waiting?.resolve({ head: reply.head, columns: reply.columns });
  }
}

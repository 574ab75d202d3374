/** The events that are drawn, as rows of a table. */

import type { Side } from "./panels";
import type { Happenings, Trace } from "./trace";

const KINDS = ["fresh", "again", "acks", "losses", "timeouts", "cwnd", "ssthresh"] as const;
const NAMES: Record<(typeof KINDS)[number], string> = {
  fresh: "send", again: "resend", acks: "ack", losses: "drop", timeouts: "timeout", cwnd: "cwnd", ssthresh: "ssthresh",
};

export function* rowsOf(sides: readonly Side[], [from, to]: [number, number]): Generator<(string | number)[]> {
  yield ["side", "tcp", "drops", "kind", "link", "time", "value"];
  for (const [side, { name, after, before }] of sides.entries()) {
    yield* ofRun(["AB"[side]!, name, "with"], after, from, to);
    if (before) yield* ofRun(["AB"[side]!, name, "without"], before, from, to);
  }
}

function* ofRun(head: string[], trace: Trace, from: number, to: number): Generator<(string | number)[]> {
  const part = function* (kind: string, link: string, { xs, ys }: Happenings): Generator<(string | number)[]> {
    for (let i = 0; i < xs.length; i++) {
      if (xs[i]! >= from && xs[i]! <= to) yield [...head, kind, link, xs[i]!, ys[i]!];
    }
  };
  for (const kind of KINDS) yield* part(NAMES[kind], "", trace[kind]);
  for (const { name, queue, waits } of trace.links) {
    yield* part("queue", name, queue);
    yield* part("sojourn_ms", name, waits);
  }
}

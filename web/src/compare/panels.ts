/** Two runs over each other, and faintly the same without the dropped packets, as panels over time. */

import type { Line, Marks, Panel } from "../plot/panel";
import type { Shape } from "../plot/pen";
import type { Theme } from "../plot/theme";
import type { Happenings, Trace } from "./trace";

/** The run of one side; `before` is it without the dropped packets, where there are any. */
export interface Side {
  name: string;
  after: Trace;
  before: Trace | null;
}

interface Style {
  data: Shape;
  again: Shape;
  lost: Shape;
  timeout: Shape;
  dash: number[];
}

/** A and B differ in colour, in marks and in dashes. */
export const STYLES: [Style, Style] = [
  { data: "square", again: "diamond", lost: "cross", timeout: "triangle", dash: [] },
  { data: "circle", again: "lozenge", lost: "plus", timeout: "delta", dash: [6, 3] },
];
/** Dashes of ssthresh. */
export const THRESHOLD = [2, 3];
export const STRONG = 1;
export const FAINT = 0.3;

/** Panels in their order from the top; `link` is the number of the queue to be seen among those of the way. */
export function panelsOf(sides: readonly Side[], link: number, theme: Theme): Panel[] {
  const sequence: Panel = { label: "packet", lines: [], marks: [], fromZero: false, share: 0.44 };
  const cwnd: Panel = { label: "cwnd (packets)", lines: [], marks: [], fromZero: true, share: 0.24 };
  const queue: Panel = { label: "queue (packets)", lines: [], marks: [], fromZero: true, share: 0.16 };
  const waits: Panel = { label: "sojourn (ms)", lines: [], marks: [], fromZero: true, share: 0.16 };
  const draw = (side: number, trace: Trace, strength: number) => {
    const [colour, style] = [theme.curves[side]!, STYLES[side]!];
    const line = (of: Happenings, width: number, dash: number[], isStepped = true): Line => ({
      ...of, isStepped, stroke: { colour, width, dash, strength },
    });
    const marks = (of: Happenings, shape: Shape, size: number, keep: boolean): Marks => ({
      ...of, shape, size, colour, strength, keep,
    });
    sequence.lines.push(line(trace.acks, 1, style.dash));
    sequence.marks.push(marks(trace.fresh, style.data, 3, false));
    sequence.marks.push(marks(trace.again, style.again, 4, true));
    sequence.marks.push(marks(trace.losses, style.lost, 4, true), marks(trace.timeouts, style.timeout, 5, true));
    cwnd.lines.push(line(trace.cwnd, 2, style.dash), line(trace.ssthresh, 1, THRESHOLD));
    const way = trace.links[Math.min(link, trace.links.length - 1)];
    if (!way) return;
    queue.lines.push(line(way.queue, 1.5, style.dash));
    waits.marks.push(marks(way.waits, style.data, 2, false));
  };
  // What is faint lies below what is strong.
  sides.forEach(({ before }, side) => before && draw(side, before, FAINT));
  sides.forEach(({ after }, side) => draw(side, after, STRONG));
  return [sequence, cwnd, queue, waits];
}

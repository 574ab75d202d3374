/** A panel over time: lines and marks, at the level of detail of its pixels. */

import { drawColumns, drawRows, type Axis } from "./axes";
import type { Box, Pen, Shape, Stroke } from "./pen";
import { linear, tickText, type Scale } from "./scale";
import type { Theme } from "./theme";
import { firstFrom, Raster, thinnedLine } from "./thin";

type Values = ArrayLike<number>;

export interface Line {
  xs: Values;
  ys: Values;
  stroke: Stroke;
  isStepped: boolean;
}

export interface Marks {
  xs: Values;
  ys: Values;
  shape: Shape;
  size: number;
  colour: string;
  strength: number;
  /** Marks that keep their shape however many there are. */
  keep: boolean;
}

export interface Panel {
  label: string;
  lines: Line[];
  marks: Marks[];
  /** True if the axis begins at 0, and not at the lowest value to be seen. */
  fromZero: boolean;
  /** Share of the height of all panels. */
  share: number;
}

/** Most marks of a kind that are drawn in their shape; more become pixels. */
const SHAPED = 1500;

/** Draws a panel, and returns its vertical scale. */
export function drawPanel(pen: Pen, panel: Panel, box: Box, x: Axis, theme: Theme): Scale {
  const [from, to] = [x.scale.back(box.left), x.scale.back(box.left + box.width)];
  const y = vertical(panel, from, to, box);
  drawColumns(pen, box, x, theme);
  drawRows(pen, box, { scale: y, label: panel.label, text: (tick) => tickText(tick, y.step) }, theme);
  pen.within(box, () => {
    for (const line of panel.lines) {
      const [first, end] = places(line, from, to, 1);
      const { xs, ys, isStepped, stroke } = line;
      pen.path(thinnedLine(first, end, (i) => x.scale.at(xs[i]!), (i) => y.at(ys[i]!), isStepped), stroke);
    }
    for (const marks of panel.marks) drawMarks(pen, marks, box, x.scale, y, from, to);
  });
  return y;
}

function drawMarks(pen: Pen, marks: Marks, box: Box, x: Scale, y: Scale, from: number, to: number): void {
  const { xs, ys, shape, size, colour, strength, keep } = marks;
  const [first, end] = places(marks, from, to, 0);
  const raster = new Raster(Math.floor(box.left), Math.floor(box.top), Math.ceil(box.width) + 1, Math.ceil(box.height) + 1);
  const points: number[] = [];
  for (let i = first; i < end; i++) {
    const [px, py] = [x.at(xs[i]!), y.at(ys[i]!)];
    if (raster.add(px, py)) points.push(px, py);
  }
  if (keep || points.length <= 2 * SHAPED) pen.marks(points, shape, size, colour, strength);
  else pen.rectangles(raster.rectangles(2), colour, strength);
}

/** Places of what lies between two values of x, and so many neighbours on either side, to which lines lead. */
function places({ xs }: { xs: Values }, from: number, to: number, neighbours: number): [number, number] {
  return [Math.max(0, firstFrom(xs, from) - neighbours), Math.min(xs.length, firstFrom(xs, to) + neighbours)];
}

function vertical(panel: Panel, from: number, to: number, box: Box): Scale {
  let [low, high] = [panel.fromZero ? 0 : Infinity, -Infinity];
  for (const one of [...panel.lines, ...panel.marks]) {
    // A step before the first time holds there, one after the last does not.
    const [first, end] = places(one, from, to, 0);
    const begin = "isStepped" in one ? Math.max(0, first - 1) : first;
    for (let i = begin; i < end; i++) {
      const value = one.ys[i]!;
      if (value < low) low = value;
      if (value > high && value < Infinity) high = value;
    }
  }
  if (!Number.isFinite(low)) low = 0;
  if (high <= low) high = low + 1;
  const aside = 0.05 * (high - low);
  return linear(panel.fromZero ? 0 : low - aside, high + aside, box.top + box.height, box.top, 34);
}

/** Curves with bands and rings over an axis. */

import { BELOW, drawColumns, drawFoot, drawRows, LEFT, type Axis } from "./axes";
import type { Box, Pen } from "./pen";
import { linear, logarithmic, type Scale } from "./scale";
import { colour, DASHES, type Theme } from "./theme";

export interface Curve {
  label: string;
  xs: number[];
  means: number[];
  lows: number[];
  highs: number[];
  /** Exact values, drawn as rings. */
  exact: number[];
  /** Values of a formula, drawn as thin lines. */
  formula: number[];
}

export interface Curves {
  curves: readonly Curve[];
  axis: string;
  label: string;
  isLogarithmic: boolean;
  xText(value: number): string;
  yText(value: number): string;
}

const TOP = 12;
const RIGHT = 18;
/** The legend: height of a line of it, width of a letter, of the stroke before a name, and of the space behind. */
const LEGEND = { height: 20, letter: 7.5, stroke: 34, gap: 18 };

/** Place of an entry of the legend. */
interface Entry {
  x: number;
  /** Line of the legend, from 0. */
  line: number;
}

/** Places of the entries of the legend: one after the other, in as many lines as it takes. */
function entriesOf({ curves }: Curves, width: number): Entry[] {
  let [x, line] = [0, 0];
  return curves.map(({ label }) => {
    const long = LEGEND.stroke + LEGEND.letter * label.length;
    if (x > 0 && x + long > width - LEFT - RIGHT) [x, line] = [0, line + 1];
    const found = { x: LEFT + x, line };
    x += long + LEGEND.gap;
    return found;
  });
}

/** The frame below the legend, which a single curve has none of. */
export function boxOf(of: Curves, width: number, height: number): Box {
  const lines = of.curves.length > 1 ? entriesOf(of, width).at(-1)!.line + 1 : 0;
  const top = TOP + LEGEND.height * lines;
  return { left: LEFT, top, width: width - LEFT - RIGHT, height: height - BELOW - top };
}

/** Draws all curves, and returns the horizontal scale. */
export function drawCurves(pen: Pen, of: Curves, width: number, height: number, theme: Theme): Scale {
  const box = boxOf(of, width, height);
  const all = of.curves.flatMap(({ xs }) => xs);
  const [low, high] = [Math.min(...all), Math.max(...all)];
  // Marks at the ends are whole.
  const share = Math.max(0.02, 10 / box.width);
  const aside = of.isLogarithmic ? (high / low) ** share : share * (high - low) || 1;
  const [begin, end] = [box.left, box.left + box.width];
  const x = of.isLogarithmic
    ? logarithmic(low / aside, high * aside, begin, end, 70)
    : linear(low - aside, high + aside, begin, end, 80);
  const values = of.curves.flatMap(({ means, highs, exact, formula }) => [...means, ...highs, ...exact, ...formula]);
  const most = values.reduce((top, value) => (Number.isFinite(value) ? Math.max(top, value) : top), 0);
  const y = linear(0, most > 0 ? most * 1.06 : 1, box.top + box.height, box.top, 44);
  const across: Axis = { scale: x, label: of.axis, text: of.xText };
  drawColumns(pen, box, across, theme);
  drawRows(pen, box, { scale: y, label: of.label, text: of.yText }, theme);
  drawFoot(pen, box, across, theme);
  if (of.curves.length > 1) drawLegend(pen, of, width, theme);
  pen.within(box, () => {
    of.curves.forEach((curve, i) => drawBand(pen, curve, x, y, colour(i, theme)));
    of.curves.forEach((curve, i) => drawCurve(pen, curve, x, y, colour(i, theme), DASHES[i % DASHES.length]!));
  });
  return x;
}

function drawLegend(pen: Pen, of: Curves, width: number, theme: Theme): void {
  entriesOf(of, width).forEach(({ x, line }, i) => {
    const y = TOP + LEGEND.height * line;
    pen.path([x, y, x + LEGEND.stroke - 6, y], { colour: colour(i, theme), width: 2, dash: DASHES[i % DASHES.length]!, strength: 1 });
    pen.text(of.curves[i]!.label, x + LEGEND.stroke, y, { colour: theme.ink, align: "left" });
  });
}

function drawBand(pen: Pen, { xs, lows, highs }: Curve, x: Scale, y: Scale, shade: string): void {
  const known = xs.map((_, i) => i).filter((i) => Number.isFinite(lows[i]!) && Number.isFinite(highs[i]!));
  const above = known.flatMap((i) => [x.at(xs[i]!), y.at(highs[i]!)]);
  const below = [...known].reverse().flatMap((i) => [x.at(xs[i]!), y.at(lows[i]!)]);
  pen.area([...above, ...below], shade, 0.2);
}

function drawCurve(pen: Pen, curve: Curve, x: Scale, y: Scale, shade: string, dash: number[]): void {
  const { xs, means, exact, formula } = curve;
  const points = (values: number[]) => xs.flatMap((one, i) => (Number.isFinite(values[i]!) ? [x.at(one), y.at(values[i]!)] : []));
  pen.path(points(means), { colour: shade, width: 2, dash, strength: 1 });
  pen.marks(points(means), "disc", 3, shade, 1);
  pen.marks(points(exact), "circle", 6, shade, 1);
  const broken = xs.flatMap((one, i) => [x.at(one), Number.isFinite(formula[i]!) ? y.at(formula[i]!) : NaN]);
  pen.path(broken, { colour: shade, width: 1, dash: [], strength: 1 });
  pen.marks(points(formula), "plus", 4, shade, 1);
}

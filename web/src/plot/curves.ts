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

export function boxOf(width: number, height: number): Box {
  return { left: LEFT, top: 12, width: width - LEFT - 18, height: height - BELOW - 12 };
}

/** Draws all curves, and returns the horizontal scale. */
export function drawCurves(pen: Pen, of: Curves, width: number, height: number, theme: Theme): Scale {
  const box = boxOf(width, height);
  const all = of.curves.flatMap(({ xs }) => xs);
  const [low, high] = [Math.min(...all), Math.max(...all)];
  const aside = of.isLogarithmic ? (high / low) ** 0.02 : 0.02 * (high - low) || 1;
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
  pen.within(box, () => {
    of.curves.forEach((curve, i) => drawBand(pen, curve, x, y, colour(i, theme)));
    of.curves.forEach((curve, i) => drawCurve(pen, curve, x, y, colour(i, theme), DASHES[i % DASHES.length]!));
  });
  return x;
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

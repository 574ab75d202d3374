/** The frame of a drawing: grid, ticks and labels. */

import type { Box, Pen } from "./pen";
import type { Scale } from "./scale";
import type { Theme } from "./theme";

/** Room on the left of a frame, for ticks and label. */
export const LEFT = 96;
/** Room below, for ticks and label. */
export const BELOW = 44;

export interface Axis {
  scale: Scale;
  label: string;
  text(tick: number): string;
}

/** Draws horizontal lines of the grid, with their ticks and the label beside. */
export function drawRows(pen: Pen, box: Box, { scale, label, text }: Axis, theme: Theme): void {
  const line = { colour: theme.grid, width: 1, dash: [], strength: 1 };
  for (const tick of scale.ticks) {
    const y = scale.at(tick);
    pen.path([box.left, y, box.left + box.width, y], line);
    pen.text(text(tick), box.left - 6, y, { colour: theme.ink, align: "right" });
  }
  pen.text(label, 10, box.top + box.height / 2, { colour: theme.ink, align: "center", turned: true });
}

/** Draws vertical lines of the grid. */
export function drawColumns(pen: Pen, box: Box, { scale }: Axis, theme: Theme): void {
  const line = { colour: theme.grid, width: 1, dash: [], strength: 1 };
  for (const tick of scale.ticks) {
    const x = scale.at(tick);
    pen.path([x, box.top, x, box.top + box.height], line);
  }
}

/** Writes ticks and label of the horizontal axis below the box. */
export function drawFoot(pen: Pen, box: Box, { scale, label, text }: Axis, theme: Theme): void {
  const bottom = box.top + box.height;
  for (const tick of scale.ticks) {
    pen.text(text(tick), scale.at(tick), bottom + 12, { colour: theme.ink, align: "center" });
  }
  pen.text(label, box.left + box.width / 2, bottom + 32, { colour: theme.ink, align: "center" });
}

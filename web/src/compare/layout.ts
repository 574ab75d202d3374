/** Where panels stand above each other, and how they are drawn together. */

import { BELOW, drawFoot, type Axis } from "../plot/axes";
import { drawPanel, type Panel } from "../plot/panel";
import type { Box, Pen } from "../plot/pen";
import { linear, tickText, type Scale } from "../plot/scale";
import type { Theme } from "../plot/theme";

export type Span = [from: number, to: number];

export interface Drawn {
  x: Scale;
  boxes: Box[];
  /** Vertical scales of the panels. */
  ys: Scale[];
}

const GAP = 12;
/** Room for ticks of six digits and the label; numbers without a unit take less than those of curves. */
const LEFT = 72;
const RIGHT = 14;

export function boxesOf(panels: readonly Panel[], width: number, height: number): Box[] {
  const room = height - BELOW - GAP * panels.length;
  let top = GAP;
  return panels.map(({ share }) => {
    const box = { left: LEFT, top, width: width - LEFT - RIGHT, height: Math.round(room * share) };
    top += box.height + GAP;
    return box;
  });
}

/** Draws the part of all panels between two times. */
export function drawAll(pen: Pen, panels: readonly Panel[], [from, to]: Span, width: number, height: number, theme: Theme): Drawn {
  const boxes = boxesOf(panels, width, height);
  const { left, width: across } = boxes[0]!;
  const x = linear(from, to, left, left + across, 90);
  const axis: Axis = { scale: x, label: "time (s)", text: (tick) => tickText(tick, x.step) };
  const ys = panels.map((panel, i) => drawPanel(pen, panel, boxes[i]!, axis, theme));
  drawFoot(pen, boxes[boxes.length - 1]!, axis, theme);
  return { x, boxes, ys };
}

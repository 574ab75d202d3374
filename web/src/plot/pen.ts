/** A pen for drawings, on a canvas or as SVG. Points are x, y, x, y; a NaN interrupts a path. */

export interface Stroke {
  colour: string;
  width: number;
  dash: number[];
  /** From 0, invisible, to 1. */
  strength: number;
}

export interface Box {
  left: number;
  top: number;
  width: number;
  height: number;
}

export interface Writing {
  colour: string;
  align: "left" | "center" | "right";
  /** Turned by a quarter, to be read from the right. */
  turned?: boolean;
}

export interface Pen {
  path(points: ArrayLike<number>, stroke: Stroke): void;
  area(points: ArrayLike<number>, colour: string, strength: number): void;
  marks(points: ArrayLike<number>, shape: Shape, size: number, colour: string, strength: number): void;
  /** Rectangles: x, y, width, height. */
  rectangles(sides: ArrayLike<number>, colour: string, strength: number): void;
  text(content: string, x: number, y: number, writing: Writing): void;
  /** Draws what lies in the box alone. */
  within(box: Box, draw: () => void): void;
}

export const FONT = { size: 13, family: "system-ui, sans-serif" };

/** Outlines of marks around the origin, within 1 of it. */
const OUTLINES = {
  square: { lines: [[-0.7, -0.7, 0.7, -0.7, 0.7, 0.7, -0.7, 0.7, -0.7, -0.7]], filled: true },
  circle: { lines: [around(12)], filled: false },
  disc: { lines: [around(12)], filled: true },
  diamond: { lines: [[0, -1.3, 1.3, 0, 0, 1.3, -1.3, 0, 0, -1.3]], filled: true },
  lozenge: { lines: [[0, -1.3, 1.3, 0, 0, 1.3, -1.3, 0, 0, -1.3]], filled: false },
  cross: { lines: [[-1.2, -1.2, 1.2, 1.2], [-1.2, 1.2, 1.2, -1.2]], filled: false },
  plus: { lines: [[-1.5, 0, 1.5, 0], [0, -1.5, 0, 1.5]], filled: false },
  triangle: { lines: [[-1.3, -1.1, 1.3, -1.1, 0, 1.3, -1.3, -1.1]], filled: true },
  delta: { lines: [[-1.3, -1.1, 1.3, -1.1, 0, 1.3, -1.3, -1.1]], filled: false },
} satisfies Record<string, { lines: number[][]; filled: boolean }>;

export type Shape = keyof typeof OUTLINES;

export function outline(shape: Shape): { lines: number[][]; filled: boolean } {
  return OUTLINES[shape];
}

function around(corners: number): number[] {
  const angles = Array.from({ length: corners + 1 }, (_, i) => (2 * Math.PI * i) / corners);
  return angles.flatMap((angle) => [Math.cos(angle), Math.sin(angle)]);
}

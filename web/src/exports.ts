/** The drawing on show, as files. */

import { canvasPen } from "./plot/canvas";
import type { Pen } from "./plot/pen";
import { svgPen } from "./plot/svg";
import { LIGHT, type Theme } from "./plot/theme";

/** The packets of a run for Wireshark. */
export interface Capture {
  /** Letter of the run. */
  side: string;
  blob(): Promise<Blob>;
}

/** A drawing, and the numbers in it. */
export interface Figure {
  name: string;
  width: number;
  height: number;
  draw(pen: Pen, theme: Theme): void;
  /** A row of names, then rows of values. */
  rows(): Iterable<(string | number)[]>;
  /** Captures of its runs. */
  captures?: Capture[];
}

/** Dots of an image for each pixel of the page. */
const FINE = 2;

export async function pngOf({ width, height, draw }: Figure): Promise<Blob> {
  const canvas = new OffscreenCanvas(FINE * width, FINE * height);
  const context = canvas.getContext("2d")!;
  context.scale(FINE, FINE);
  context.fillStyle = LIGHT.paper;
  context.fillRect(0, 0, width, height);
  draw(canvasPen(context), LIGHT);
  return canvas.convertToBlob({ type: "image/png" });
}

export async function svgOf({ width, height, draw }: Figure): Promise<Blob> {
  const pen = svgPen(width, height, LIGHT.paper);
  draw(pen, LIGHT);
  return new Blob([pen.document()], { type: "image/svg+xml" });
}

export async function csvOf(figure: Figure): Promise<Blob> {
  return new Blob([toCsv(figure.rows())], { type: "text/csv" });
}

/** Comma-separated values; a text that a spreadsheet might take for a formula begins with an apostrophe. */
export function toCsv(rows: Iterable<(string | number)[]>): string {
  const parts: string[] = [];
  for (const row of rows) parts.push(row.map(cell).join(","), "\r\n");
  return parts.join("");
}

function cell(value: string | number): string {
  if (typeof value === "number") return Number.isFinite(value) ? String(value) : "";
  const safe = /^[=+@\t\r-]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

export const FORMATS = { PNG: pngOf, SVG: svgOf, CSV: csvOf };

/** Has the browser keep a file. */
export function save(blob: Blob, name: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

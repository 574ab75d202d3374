/** A pen that writes SVG. */

import { FONT, outline, type Pen } from "./pen";

export interface SvgPen extends Pen {
  /** The whole drawing. */
  document(): string;
}

export function svgPen(width: number, height: number, paper: string): SvgPen {
  const parts: string[] = [];
  let clips = 0;
  const d = (points: ArrayLike<number>, dx = 0, dy = 0, size = 1) => {
    let [found, isBroken] = ["", true];
    for (let i = 0; i < points.length; i += 2) {
      const [x, y] = [points[i]!, points[i + 1]!];
      if (Number.isNaN(y)) isBroken = true;
      else (found += `${isBroken ? "M" : "L"}${round(dx + size * x)} ${round(dy + size * y)}`), (isBroken = false);
    }
    return found;
  };
  return {
    path(points, { colour, width, dash, strength }) {
      const dashes = dash.length > 0 ? ` stroke-dasharray="${dash.join(" ")}"` : "";
      parts.push(`<path d="${d(points)}" fill="none" stroke="${colour}" stroke-width="${width}" stroke-opacity="${strength}"${dashes}/>`);
    },
    area(points, colour, strength) {
      parts.push(`<path d="${d(points)}" fill="${colour}" fill-opacity="${strength}"/>`);
    },
    marks(points, shape, size, colour, strength) {
      const { lines, filled } = outline(shape);
      let all = "";
      for (let i = 0; i < points.length; i += 2) {
        for (const line of lines) all += d(line, points[i]!, points[i + 1]!, size);
      }
      const style = filled ? `fill="${colour}"` : `fill="none" stroke="${colour}" stroke-width="1.5"`;
      if (all !== "") parts.push(`<path d="${all}" ${style} opacity="${strength}"/>`);
    },
    rectangles(sides, colour, strength) {
      let all = "";
      for (let i = 0; i < sides.length; i += 4) {
        const [x, y, w, h] = [sides[i]!, sides[i + 1]!, sides[i + 2]!, sides[i + 3]!].map(round);
        all += `M${x} ${y}h${w}v${h}h${-w!}z`;
      }
      if (all !== "") parts.push(`<path d="${all}" fill="${colour}" fill-opacity="${strength}"/>`);
    },
    text(content, x, y, { colour, align, turned }) {
      const anchor = { left: "start", center: "middle", right: "end" }[align];
      const turn = turned ? ` transform="rotate(-90 ${round(x)} ${round(y)})"` : "";
      parts.push(`<text x="${round(x)}" y="${round(y)}" fill="${colour}" text-anchor="${anchor}" dominant-baseline="central"${turn}>${escaped(content)}</text>`);
    },
    within({ left, top, width, height }, draw) {
      const id = `clip${clips++}`;
      parts.push(`<clipPath id="${id}"><rect x="${left}" y="${top}" width="${width}" height="${height}"/></clipPath><g clip-path="url(#${id})">`);
      draw();
      parts.push("</g>");
    },
    document() {
      const head = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-family="${FONT.family}" font-size="${FONT.size}">`;
      return `${head}<rect width="100%" height="100%" fill="${paper}"/>${parts.join("\n")}</svg>\n`;
    },
  };
}

function round(place: number): number {
  return Math.round(place * 10) / 10;
}

function escaped(text: string): string {
  const named: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
  // XML has no control characters, not even escaped ones.
  return text.replace(/[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/g, "\ufffd").replace(/[&<>"]/g, (one) => named[one]!);
}

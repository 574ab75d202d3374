/** A pen on a canvas. */

import { FONT, outline, type Pen } from "./pen";

export function canvasPen(context: CanvasRenderingContext2D | OffscreenCanvasRenderingContext2D): Pen {
  const trace = (points: ArrayLike<number>) => {
    let isBroken = true;
    for (let i = 0; i < points.length; i += 2) {
      const [x, y] = [points[i]!, points[i + 1]!];
      if (Number.isNaN(y)) isBroken = true;
      else if (isBroken) context.moveTo(x, y), (isBroken = false);
      else context.lineTo(x, y);
    }
  };
  return {
    path(points, { colour, width, dash, strength }) {
      context.globalAlpha = strength;
      context.strokeStyle = colour;
      context.lineWidth = width;
      context.setLineDash(dash);
      context.beginPath();
      trace(points);
      context.stroke();
    },
    area(points, colour, strength) {
      context.globalAlpha = strength;
      context.fillStyle = colour;
      context.beginPath();
      trace(points);
      context.fill();
    },
    marks(points, shape, size, colour, strength) {
      const { lines, filled } = outline(shape);
      context.globalAlpha = strength;
      context.fillStyle = context.strokeStyle = colour;
      context.lineWidth = 1.5;
      context.setLineDash([]);
      // Many paths with one mark each are drawn faster than one path with many.
      for (let i = 0; i < points.length; i += 2) {
        const [x, y] = [points[i]!, points[i + 1]!];
        context.beginPath();
        for (const line of lines) {
          context.moveTo(x + size * line[0]!, y + size * line[1]!);
          for (let j = 2; j < line.length; j += 2) context.lineTo(x + size * line[j]!, y + size * line[j + 1]!);
        }
        if (filled) context.fill();
        else context.stroke();
      }
    },
    rectangles(sides, colour, strength) {
      context.globalAlpha = strength;
      context.fillStyle = colour;
      for (let i = 0; i < sides.length; i += 4) context.fillRect(sides[i]!, sides[i + 1]!, sides[i + 2]!, sides[i + 3]!);
    },
    text(content, x, y, { colour, align, turned }) {
      context.globalAlpha = 1;
      context.fillStyle = colour;
      context.font = `${FONT.size}px ${FONT.family}`;
      context.textAlign = align;
      context.textBaseline = "middle";
      context.save();
      context.translate(x, y);
      if (turned) context.rotate(-Math.PI / 2);
      context.fillText(content, 0, 0);
      context.restore();
    },
    within({ left, top, width, height }, draw) {
      context.save();
      context.beginPath();
      context.rect(left, top, width, height);
      context.clip();
      draw();
      context.restore();
    },
  };
}

/** Curves on a canvas; the nearest point is told to whoever shows its numbers. */

import { useEffect, useRef } from "preact/hooks";
import { canvasPen } from "../plot/canvas";
import { boxOf, drawCurves, type Curves } from "../plot/curves";
import type { Scale } from "../plot/scale";
import { preference, theme } from "../plot/theme";

interface Props {
  curves: Curves;
  xs: number[];
  /** Place in `xs` of the point that is shown in numbers. */
  at: number;
  onPlace(place: number): void;
}

export function heightFor(width: number): number {
  return Math.max(260, Math.min(520, Math.round(width * 0.5)));
}

export function Chart({ curves, xs, at, onPlace }: Props) {
  const place = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const scale = useRef<Scale | null>(null);
  const draw = () => {
    const [box, sheet] = [place.current, canvas.current];
    // An effect may come after the chart is gone.
    if (!box || !sheet) return;
    const width = box.clientWidth;
    const height = heightFor(width);
    const [dots, context] = [devicePixelRatio, sheet.getContext("2d")!];
    sheet.width = Math.round(width * dots);
    sheet.height = Math.round(height * dots);
    sheet.style.height = `${height}px`;
    context.scale(dots, dots);
    const pen = canvasPen(context);
    scale.current = drawCurves(pen, curves, width, height, theme());
    const x = scale.current.at(xs[at] ?? NaN);
    const frame = boxOf(curves, width, height);
    pen.path([x, frame.top, x, frame.top + frame.height], { colour: theme().ink, width: 1, dash: [2, 2], strength: 0.7 });
  };
  const redraw = useRef(draw);
  redraw.current = draw;

  useEffect(() => redraw.current());
  useEffect(() => {
    const again = () => redraw.current();
    const watch = new ResizeObserver(again);
    if (place.current) watch.observe(place.current);
    preference.addEventListener("change", again);
    return () => {
      watch.disconnect();
      preference.removeEventListener("change", again);
    };
  }, []);

  const point = (event: PointerEvent) => {
    const of = scale.current;
    if (!of) return;
    const x = event.clientX - place.current!.getBoundingClientRect().left;
    const away = xs.map((one) => Math.abs(of.at(one) - x));
    const next = away.indexOf(Math.min(...away));
    if (next !== at) onPlace(next);
  };
  const step = (event: KeyboardEvent) => {
    const by = { ArrowLeft: -1, ArrowRight: 1, Home: -xs.length, End: xs.length }[event.key];
    if (by === undefined) return;
    event.preventDefault();
    onPlace(Math.max(0, Math.min(xs.length - 1, at + by)));
  };
  const said = `${curves.label} over ${curves.axis}, ${curves.curves.length} curves; the table below has the numbers. Arrow keys move along the axis.`;
  return (
    <div class="chart" ref={place} role="img" tabIndex={0} aria-label={said} onKeyDown={step} onPointerMove={point} onPointerDown={point}>
      <canvas ref={canvas} />
    </div>
  );
}

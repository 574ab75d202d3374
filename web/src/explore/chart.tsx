/** Curves with their intervals; the nearest point is told to whoever shows its numbers. */

import { useEffect, useRef } from "preact/hooks";
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { shown } from "../units";

export interface Line {
  label: string;
  xs: number[];
  means: number[];
  lows: number[];
  highs: number[];
  exact: number[];
}

interface Props {
  lines: Line[];
  xs: number[];
  axis: string;
  axisUnit: string;
  label: string;
  unit: string;
  logarithmic: boolean;
  /** Place in `xs` of the point that is shown in numbers. */
  at: number;
  onPlace(place: number): void;
}

/** Colours that people with any colour vision tell apart, for light and for dark. */
const COLOURS = {
  light: ["#0060a8", "#b8430b", "#00795c", "#a0427c", "#7a6200", "#4a4a4a"],
  dark: ["#62b5f0", "#f0935a", "#3fcfa4", "#e39ac6", "#e0c34a", "#c8c8c8"],
};
const DASHES = [[], [9, 4], [3, 3], [12, 3, 3, 3], [6, 6], [2, 6]];

export function colour(place: number, dark: boolean): string {
  const all = COLOURS[dark ? "dark" : "light"];
  return all[place % all.length]!;
}

/** A line's values at the places of all xs; none where it has no point. */
function spread(line: Line, values: number[], xs: number[]): (number | null)[] {
  const known = new Map(line.xs.map((x, place) => [x, values[place]!]));
  return xs.map((x) => {
    const value = known.get(x);
    return value === undefined || !Number.isFinite(value) ? null : value;
  });
}

function dataOf({ lines, xs }: Props): uPlot.AlignedData {
  const of = lines.flatMap((line) =>
    [line.means, line.lows, line.highs, line.exact].map((values) => spread(line, values, xs)),
  );
  return [xs, ...of];
}

function options(props: Props, width: number, dark: boolean, told: (place: number) => void): uPlot.Options {
  const { lines, logarithmic, axisUnit, unit } = props;
  const ink = dark ? "#d8dee4" : "#24292f";
  const grid = { stroke: dark ? "#3a424b" : "#d5dbe1", width: 1 };
  const font = "13px system-ui, sans-serif";
  const series: uPlot.Series[] = lines.flatMap((_, i) => {
    const stroke = colour(i, dark);
    return [
      { stroke, width: 2, dash: DASHES[i % DASHES.length]!, points: { show: true, size: 6, fill: stroke } },
      { stroke: "transparent", points: { show: false } },
      { stroke: "transparent", points: { show: false } },
      { stroke, width: 1, points: { show: true, size: 11 }, paths: () => null },
    ];
  });
  const bands = lines.map((_, i) => ({
    series: [4 * i + 3, 4 * i + 2] as [number, number],
    fill: `${colour(i, dark)}33`,
  }));
  return {
    width,
    height: Math.max(260, Math.min(520, Math.round(width * 0.5))),
    legend: { show: false },
    cursor: { drag: { x: false, y: false }, points: { show: false }, y: false },
    scales: {
      x: { time: false, distr: logarithmic ? 3 : 1 },
      y: { range: (_, __, most) => [0, most > 0 ? most * 1.06 : 1] },
    },
    axes: [
      { stroke: ink, grid, ticks: grid, font, labelFont: font, label: props.axis,
        values: (_, ticks) => ticks.map((tick) => (tick === null ? "" : shown(tick, axisUnit))) },
      { stroke: ink, grid, ticks: grid, font, labelFont: font, size: 84, label: props.label,
        values: (_, ticks) => ticks.map((tick) => shown(tick, unit)) },
    ],
    series: [{}, ...series],
    bands,
    hooks: {
      setCursor: [(plot) => plot.cursor.idx !== null && plot.cursor.idx !== undefined && told(plot.cursor.idx)],
    },
  };
}

export function Chart(props: Props) {
  const place = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | null>(null);
  const told = useRef(props.onPlace);
  told.current = props.onPlace;
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const { lines, axis, axisUnit, label, unit, logarithmic, xs, at } = props;
  // The drawing is made anew only where its form changes; new values are given to the old one.
  const form = JSON.stringify([lines.map((one) => one.label), axis, axisUnit, label, unit, logarithmic]);

  useEffect(() => {
    const box = place.current!;
    const draw = () => {
      plot.current?.destroy();
      const made = options(props, box.clientWidth, dark.matches, (i) => told.current(i));
      plot.current = new uPlot(made, dataOf(props), box);
    };
    draw();
    const watch = new ResizeObserver(() => {
      const width = box.clientWidth;
      if (plot.current && width !== plot.current.width) draw();
    });
    watch.observe(box);
    dark.addEventListener("change", draw);
    return () => {
      watch.disconnect();
      dark.removeEventListener("change", draw);
      plot.current?.destroy();
      plot.current = null;
    };
  }, [form]);

  useEffect(() => plot.current?.setData(dataOf(props)), [lines]);

  const step = (event: KeyboardEvent) => {
    const by = { ArrowLeft: -1, ArrowRight: 1, Home: -xs.length, End: xs.length }[event.key];
    if (by === undefined) return;
    event.preventDefault();
    props.onPlace(Math.max(0, Math.min(xs.length - 1, at + by)));
  };
  const said = `${label} over ${axis}, ${lines.length} curves; the table below has the numbers. Arrow keys move along the axis.`;
  return <div class="chart" ref={place} role="img" tabIndex={0} aria-label={said} onKeyDown={step} />;
}

/** Explore: what each TCP does on a link, how sure that is, and the exact answer beside it. */

import { useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { Doubt } from "../doubt";
import { drawCurves, type Curve, type Curves } from "../plot/curves";
import { colour, theme } from "../plot/theme";
import { labelOf } from "../schema/labels";
import { METRICS, metricsOf } from "../statistics/metrics";
import { shown } from "../units";
import type { ViewProps } from "../views";
import { Chart, heightFor } from "./chart";
import { estimateSeconds, questionAbout } from "./cost";
import { formulaOf, inMetric } from "../formula/formula";
import { curvesOf, type Point } from "./points";
import { Sampling } from "./sampling";

/** Milliseconds after which a curve is drawn as far as it is known. */
const SOON = 60;

/** Width of a drawing that is saved. */
const WIDE = 900;

export function Explore({ pool, document, points, state, figure, copied, onState, onProblem }: ViewProps) {
  const { seed } = state;
  const [question, setQuestion] = useState("");
  const [allowed, allow] = useState<unknown>(null);
  /** Place of the point that the table is about; null for the middle. */
  const [at, setAt] = useState<number | null>(null);
  const [, redraw] = useState(0);
  const sampling = useRef<Sampling | null>(null);
  const curves = useMemo(() => curvesOf(points), [points]);

  // Before the browser paints, since the next frame waits for it.
  useLayoutEffect(() => {
    if (points.length === 0) return;
    const doubt = allowed === points ? "" : questionAbout(estimateSeconds(points));
    setQuestion(doubt);
    if (doubt) return;
    let waiting = 0;
    const draw = () => {
      waiting ||= requestAnimationFrame(() => ((waiting = 0), redraw((n) => n + 1)));
    };
    // Drawing part of the first curve would hold up the rest of it.
    const began = performance.now();
    const first = curves.curves[0]?.points ?? [];
    const changed = () => {
      if (performance.now() - began > SOON || first.every(({ index }) => one.runs[index]!.length > 0)) draw();
    };
    const one = new Sampling(points, seed, () => pool.quiet(), changed, (error) => onProblem(error.message));
    let timer = 0;
    const begin = async () => {
      await pool.free();
      if (one.isStopped) return;
      pool.work = sampling.current = one;
      timer = window.setTimeout(draw, SOON);
      for (const core of pool.simulating) {
        pool.give(core, document);
        void one.simulate(core);
      }
      void one.solve(pool.solving, () => pool.give(pool.solving, document));
    };
    void begin();
    return () => {
      one.stop();
      clearTimeout(timer);
      cancelAnimationFrame(waiting);
    };
  }, [points, seed, allowed]);

  const family = points[0]?.family;
  const metrics = points[0] && family ? metricsOf(family, points[0].names) : [];
  const metric = metrics.includes(state.metric) ? state.metric : "goodput_bps";
  const work = sampling.current?.points === points ? sampling.current : null;
  const xs = [...new Set(curves.curves.flatMap((curve) => curve.xs))].sort((a, b) => a - b);
  const estimates = curves.curves.map((curve) => curve.points.map((point) => work?.estimate(point, metric) ?? null));
  const lines: Curve[] = curves.curves.map((curve, i) => ({
    label: curve.label,
    xs: curve.xs,
    means: estimates[i]!.map((one) => one?.mean ?? NaN),
    lows: estimates[i]!.map((one) => one?.low ?? NaN),
    highs: estimates[i]!.map((one) => one?.high ?? NaN),
    exact: curve.points.map((point) => work?.exactly(point, metric) ?? NaN),
    formula: curve.points.map((point) => answered(point, metric)),
  }));
  const place = Math.min(at ?? xs.length >> 1, Math.max(0, xs.length - 1));
  const { label, unit, definition } = METRICS[metric]!;
  const hasExact = lines.some((line) => line.exact.some((value) => !Number.isNaN(value)));
  const hasFormula = lines.some((line) => line.formula.some((value) => !Number.isNaN(value)));
  const axis = curves.axis && labelOf(curves.axis, points[0]!.scenario);
  const drawing: Curves = {
    curves: lines, axis, label, isLogarithmic: isLogarithmic(xs),
    xText: (value) => shown(value, curves.unit), yText: (value) => shown(value, unit),
  };
  copied.current = null;
  figure.current = !curves.axis ? null : {
    name: metric, width: WIDE, height: heightFor(WIDE),
    draw: (pen, theme) => void drawCurves(pen, drawing, WIDE, heightFor(WIDE), theme),
    rows: () => [
      ["curve", curves.axis, "mean", "low", "high", "exact", "formula", "runs"],
      ...lines.flatMap((line, i) => line.xs.map((x, j) =>
        [line.label, x, line.means[j]!, line.lows[j]!, line.highs[j]!, line.exact[j]!, line.formula[j]!, estimates[i]![j]?.n ?? 0])),
    ],
  };

  return (
    <>
      <div class="bar">
        <label>show <select value={metric} onChange={(e) => onState({ metric: e.currentTarget.value })}>
          {metrics.map((name) => <option value={name}>{METRICS[name]!.label}</option>)}
        </select></label>
      </div>
      {question && <Doubt question={question} command="airtcp run scenario.toml" onAnswer={() => allow(points)} />}
      {curves.axis && lines.length > 0 && <Chart curves={drawing} xs={xs} at={place} onPlace={setAt} />}
      <div class="numbers" tabIndex={0} role="region" aria-label="Numbers">
        <table>
          <caption>
            <span>{label}: {definition}.{curves.axis ? ` At ${axis} = ${shown(xs[place] ?? NaN, curves.unit)}.` : ""}</span>
          </caption>
          <thead><tr><th scope="col">TCP</th><th scope="col">mean</th><th scope="col">95 % interval</th>{hasExact && <th scope="col">exact</th>}{hasFormula && <th scope="col">formula</th>}<th scope="col">runs</th></tr></thead>
          <tbody>
            {curves.curves.map((curve, i) => {
              const j = curve.xs.indexOf(xs[place] ?? 0);
              const found = estimates[i]![j];
              return (
                <tr key={curve.label}>
                  <th scope="row"><svg class="swatch" viewBox="0 0 12 12" aria-hidden="true"><rect width="12" height="12" fill={colour(i, theme())} /></svg>{curve.label || "this one"}</th>
                  <td>{shown(found?.mean ?? NaN, unit)}</td>
                  <td>{found && !Number.isNaN(found.low) ? `${shown(found.low, unit)} to ${shown(found.high, unit)}` : "–"}</td>
                  {hasExact && <td>{shown(lines[i]!.exact[j] ?? NaN, unit)}</td>}
                  {hasFormula && <td>{formulaText(curve.points[j], lines[i]!.formula[j] ?? NaN, unit)}</td>}
                  <td>{found?.n ?? 0}</td>
                </tr>
              );
            })}
          </tbody>
        </table>
      </div>
      {work && <Progress work={work} />}
      {work && <WhyNone work={work} shown={hasExact} />}
      {hasFormula && <p class="help">Thin lines with + are formulas of the long run; in brackets where they were not found to be within 20 % of the simulator.</p>}
    </>
  );
}

/** The answer of a formula; NaN where none covers the point. */
function answered(point: Point, metric: string): number {
  const found = formulaOf(point);
  return typeof found === "string" ? NaN : inMetric(found, metric, point.payload_bits[0]!);
}

function formulaText(point: Point | undefined, value: number, unit: string): string {
  const found = point && formulaOf(point);
  if (!found || typeof found === "string" || Number.isNaN(value)) return "–";
  return found.withinRange ? `${shown(value, unit)}, ${found.name}` : `(${shown(value, unit)}, ${found.name})`;
}

function Progress({ work: { finished, wanted, exact, points } }: { work: Sampling }) {
  const [solved, solvable] = [exact.filter((one) => one !== undefined).length, points.filter(({ family }) => family === "slot").length];
  return (
    <p class="progress">
      <progress max={wanted} value={finished} aria-label="Runs finished" /> {finished} of {wanted} runs
      {solvable > 0 && `, exact solver at ${solved} of ${solvable} points`}
    </p>
  );
}

/** Reasons why points on slots have no exact solution. */
function WhyNone({ work, shown }: { work: Sampling; shown: boolean }) {
  const reasons = new Set(work.exact.flatMap((one) => (one && "none" in one ? [one.none] : [])));
  return (
    <>
      {shown && <p class="help">Rings are the exact solution.</p>}
      {reasons.size > 0 && <p class="help">No exact solution for some points: {[...reasons].join("; ")}.</p>}
    </>
  );
}

function isLogarithmic(xs: number[]): boolean {
  return xs.length > 2 && xs[0]! > 0 && xs[xs.length - 1]! / xs[0]! > 20;
}

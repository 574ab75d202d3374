/** Numbers of the two runs, with and without the dropped packets. */

import { METRICS } from "../statistics/metrics";
import { shown } from "../units";
import type { Run } from "./runs";

export const SHOWN = ["goodput_bps", "resent_share", "timeouts", "queueing_median", "lost_share"];

export interface Row {
  name: string;
  colour: string;
  after: Run;
  before: Run | null;
}

export function Numbers({ rows }: { rows: readonly Row[] }) {
  const metrics = SHOWN.filter((name) => rows.every(({ after }) => name in after.metrics));
  const cell = (run: Run, name: string) => shown(run.metrics[name]!, METRICS[name]!.unit);
  return (
    <div class="numbers" tabIndex={0} role="region" aria-label="Numbers">
      <table>
        <caption><span>The two runs after the warmup. One run is no mean: Explore has intervals.</span></caption>
        <thead>
          <tr>
            <td />
            {rows.flatMap(({ name, colour, before }, side) => [
              <th key={side} scope="col"><svg class="swatch" viewBox="0 0 12 12" aria-hidden="true"><rect width="12" height="12" fill={colour} /></svg>{"AB"[side]}: {name}</th>,
              before && <th key={`${side} before`} scope="col" class="faint">without drops</th>,
            ])}
          </tr>
        </thead>
        <tbody>
          {metrics.map((name) => (
            <tr key={name}>
              <th scope="row" title={METRICS[name]!.definition}>{METRICS[name]!.label}</th>
              {rows.flatMap(({ after, before }, side) => [
                <td key={side}>{cell(after, name)}</td>,
                before && <td key={`${side} before`} class="faint">{cell(before, name)}</td>,
              ])}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** Explore: what each TCP does on a link, how sure that is, and the exact answer beside it. */

import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { fragment, stateOf, type State } from "../address";
import { Core, Refusal } from "../core/core";
import { valueAt, type Table } from "../document";
import { Keys } from "../schema/keys";
import { METRICS, metricsOf } from "../statistics/metrics";
import { toToml } from "../toml";
import { shown } from "../units";
import { Chart, colour, type Line } from "./chart";
import { Controls } from "./controls";
import { estimateSeconds, questionAbout } from "./cost";
import { curvesOf, TooMuch, type Point } from "./points";
import { Pool } from "./pool";
import { PRESETS } from "./presets";
import { Sampling } from "./sampling";

interface Props {
  pool: Pool;
  keys: Keys;
  given: Table | null;
}

const FIRST: State = { document: PRESETS["zorzi"]!, metric: "goodput_bps", seed: 1 };
const COMMAND = "airtcp run scenario.toml";

export function Explore({ pool, keys, given }: Props) {
  const start = given ? { ...FIRST, document: given } : (stateOf(location.hash) ?? FIRST);
  const [state, setState] = useState<State>(start);
  const [points, setPoints] = useState<Point[]>([]);
  const [problem, setProblem] = useState("");
  const [question, setQuestion] = useState("");
  const [said, say] = useState("");
  const [at, setAt] = useState(0);
  const [, redraw] = useState(0);
  const sampling = useRef<Sampling | null>(null);
  const allowed = useRef("");

  useEffect(() => {
    const follow = () => {
      const found = stateOf(location.hash);
      if (found) setState(found);
      else setProblem("This address holds no scenario; what is shown is the one before.");
    };
    addEventListener("hashchange", follow);
    if (!given && location.hash.length > 1 && !stateOf(location.hash)) {
      setProblem("This address holds no scenario; what is shown is an example.");
    }
    return () => removeEventListener("hashchange", follow);
  }, []);

  // A new document ends the work on the one before.
  const text = JSON.stringify([state.document, state.seed]);
  useEffect(() => {
    let current = true;
    sampling.current?.stop();
    pool.cancel();
    const begin = async () => {
      const found = await pool.read(whole(state.document));
      if (!current) return;
      setPoints(found);
      setProblem("");
      const doubt = questionAbout(estimateSeconds(found));
      if (doubt && allowed.current !== text) {
        setQuestion(doubt);
        return;
      }
      setQuestion("");
      let waiting = 0;
      const changed = () => {
        waiting ||= requestAnimationFrame(() => ((waiting = 0), redraw((n) => n + 1)));
      };
      const one = new Sampling(found, state.seed, changed, (error) => setProblem(error.message));
      sampling.current = one;
      changed();
      for (const core of pool.simulating) void one.simulate(core);
      void one.solve(pool.solving);
    };
    begin().catch((error: Error) => {
      if (current) setProblem(explained(error));
    });
    history.replaceState(null, "", fragment(state));
    return () => {
      current = false;
    };
  }, [text, question === "" ? "" : allowed.current]);

  useEffect(() => history.replaceState(null, "", fragment(state)), [state.metric]);

  const known = useMemo(() => (points[0] ? keys.of(points[0].scenario) : []), [points]);
  const curves = useMemo(() => curvesOf(points), [points]);
  const change = (document: Table) => setState((old) => ({ ...old, document }));

  const open = async (file: File) => {
    try {
      if (file.size > 2 ** 26) throw new Error(`longer than the ${2 ** 26} bytes of the longest scenario`);
      const content = await file.text();
      const isJson = content.trimStart().startsWith("{");
      const document = isJson ? (JSON.parse(content) as Table) : await readToml(pool.solving, content);
      say(`Opened ${file.name}.`);
      change(document);
    } catch (error) {
      setProblem(`${file.name}: ${(error as Error).message}`);
    }
  };
  const copy = async () => {
    await navigator.clipboard.writeText(toToml(state.document));
    say("Copied as TOML.");
  };

  const family = points[0]?.family;
  const metrics = points[0] && family ? metricsOf(family, points[0].names) : [];
  const metric = metrics.includes(state.metric) ? state.metric : "goodput_bps";
  const work = sampling.current;
  const isDark = matchMedia("(prefers-color-scheme: dark)").matches;
  const xs = [...new Set(curves.curves.flatMap((curve) => curve.xs))].sort((a, b) => a - b);
  const estimates = curves.curves.map((curve) =>
    curve.points.map((point) => (work?.points === points ? work.estimate(point, metric) : null)),
  );
  const lines: Line[] = curves.curves.map((curve, i) => ({
    label: curve.label,
    xs: curve.xs,
    means: estimates[i]!.map((one) => one?.mean ?? NaN),
    lows: estimates[i]!.map((one) => one?.low ?? NaN),
    highs: estimates[i]!.map((one) => one?.high ?? NaN),
    exact: curve.points.map((point) => (work?.points === points ? work.exactly(point, metric) : NaN)),
  }));
  const place = Math.min(at, Math.max(0, xs.length - 1));
  const { label, unit, definition } = METRICS[metric]!;
  const title = valueAt(state.document, "title");
  const hasExact = lines.some((line) => line.exact.some((value) => !Number.isNaN(value)));

  return (
    <div
      class="explore"
      onDragOver={(event) => event.preventDefault()}
      onDrop={(event) => {
        event.preventDefault();
        const [file] = event.dataTransfer?.files ?? [];
        if (file) void open(file);
      }}
    >
      <header>
        <h1>{typeof title === "string" ? title : "A link and its TCP"}</h1>
        <p>Move a slider: every TCP is simulated anew, here in the page. Bands are 95 % intervals of the mean and tighten as runs arrive.</p>
      </header>
      <main>
        <div class="bar">
          <label>show <select value={metric} onChange={(e) => { const { value } = e.currentTarget; setState((old) => ({ ...old, metric: value })); }}>
            {metrics.map((name) => <option value={name}>{METRICS[name]!.label}</option>)}
          </select></label>
          <button type="button" onClick={() => void copy()}>Copy as TOML</button>
          <label class="file">Open a scenario <input type="file" accept=".toml,.json" onChange={(e) => { const [file] = e.currentTarget.files ?? []; if (file) void open(file); }} /></label>
        </div>
        {problem && <p class="problem" role="alert">{problem}</p>}
        {question && (
          <p class="problem" role="alert">
            {question} The program is faster: copy the scenario and give <code>{COMMAND}</code>.{" "}
            <button type="button" onClick={() => { allowed.current = text; setQuestion(""); }}>Run it here</button>
          </p>
        )}
        {curves.axis && lines.length > 0 && (
          <Chart lines={lines} xs={xs} axis={curves.axis} axisUnit={curves.unit} label={label} unit={unit}
            logarithmic={isLogarithmic(xs)} at={place} onPlace={setAt} />
        )}
        <div class="numbers" tabIndex={0} role="region" aria-label="Numbers">
          <table>
            <caption>
              {label}: {definition}.{curves.axis ? ` At ${curves.axis} = ${shown(xs[place] ?? NaN, curves.unit)}.` : ""}
            </caption>
            <thead><tr><th scope="col">TCP</th><th scope="col">mean</th><th scope="col">95 % interval</th>{hasExact && <th scope="col">exact</th>}<th scope="col">runs</th></tr></thead>
            <tbody>
              {curves.curves.map((curve, i) => {
                const j = curve.xs.indexOf(xs[place] ?? 0);
                const found = estimates[i]![j];
                return (
                  <tr key={curve.label}>
                    <th scope="row"><svg class="swatch" viewBox="0 0 12 12" aria-hidden="true"><rect width="12" height="12" fill={colour(i, isDark)} /></svg>{curve.label || "this one"}</th>
                    <td>{shown(found?.mean ?? NaN, unit)}</td>
                    <td>{found && !Number.isNaN(found.low) ? `${shown(found.low, unit)} to ${shown(found.high, unit)}` : "–"}</td>
                    {hasExact && <td>{shown(lines[i]!.exact[j] ?? NaN, unit)}</td>}
                    <td>{found?.n ?? 0}</td>
                  </tr>
                );
              })}
            </tbody>
          </table>
        </div>
        <Progress work={work?.points === points ? work : null} />
        {work?.points === points && <WhyNone work={work} shown={hasExact} />}
        <p class="said" role="status">{said}</p>
      </main>
      <form class="controls" aria-label="Scenario" onSubmit={(event) => event.preventDefault()}>
        <div class="control">
          <label for="profile">rules</label>
          <select id="profile" value={String(valueAt(state.document, "profile") ?? "")} onChange={(e) => change(PRESETS[e.currentTarget.value] ?? state.document)}>
            {keys.profiles.map((name) => <option value={name}>{name}</option>)}
          </select>
          <p class="help">Set of rules that the TCP follows. Another one starts from its own example.</p>
        </div>
        <Controls document={state.document} point={points[0]?.scenario ?? {}} keys={known} onChange={change} />
        <div class="control">
          <label for="seed">seed</label>
          <input id="seed" type="number" min={0} max={Number.MAX_SAFE_INTEGER} value={state.seed}
            onChange={(e) => {
              const seed = Number(e.currentTarget.value);
              if (Number.isSafeInteger(seed) && seed >= 0) setState((old) => ({ ...old, seed }));
            }} />
          <p class="help">All curves meet the same losses under one seed.</p>
        </div>
      </form>
    </div>
  );
}

function Progress({ work }: { work: Sampling | null }) {
  if (!work) return null;
  const { finished, wanted } = work;
  return (
    <p class="progress">
      <progress max={wanted} value={finished} aria-label="Runs finished" /> {finished} of {wanted} runs
    </p>
  );
}

/** Reasons why points on slots have no exact solution. */
function WhyNone({ work, shown }: { work: Sampling; shown: boolean }) {
  const reasons = new Set(work.exact.flatMap((one) => (one && "none" in one ? [one.none] : [])));
  if (reasons.size === 0) return shown ? <p class="help">Rings are the exact solution.</p> : null;
  return <p class="help">No exact solution for some points: {[...reasons].join("; ")}.</p>;
}

/** A run counted as a whole, which the page shows, whatever parts the document asks for. */
function whole(document: Table): Table {
  const { stop } = document;
  if (typeof stop !== "object" || stop === null || Array.isArray(stop) || !("batches" in stop)) return document;
  const { batches: _, ...rest } = stop;
  return { ...document, stop: rest };
}

function isLogarithmic(xs: number[]): boolean {
  return xs.length > 2 && xs[0]! > 0 && xs[xs.length - 1]! / xs[0]! > 20;
}

async function readToml(core: Core, toml: string): Promise<Table> {
  const { head } = await core.ask({ ask: "document", toml });
  return head["document"] as Table;
}

function explained(error: Error): string {
  if (error instanceof TooMuch) return `${error.message}: give ${COMMAND}`;
  if (error instanceof Refusal && error.reason.includes('unknown key "file"')) {
    return `${error.message}. Files that a scenario names are read by the program: airtcp explore FILE`;
  }
  return error.message;
}

/** The page: a scenario and its controls, and a view of what they do. */

import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { fragment, stateOf, type State, type View } from "./address";
import { Bar } from "./bar";
import { Compare } from "./compare/compare";
import { Refusal } from "./core/core";
import { valueAt, type Table } from "./document";
import { Controls } from "./explore/controls";
import { Explore } from "./explore/explore";
import { TooMuch, type Point } from "./explore/points";
import { Pool } from "./explore/pool";
import { PRESETS } from "./explore/presets";
import type { Figure } from "./exports";
import { Keys } from "./schema/keys";
import { toToml } from "./toml";

interface Props {
  pool: Pool;
  keys: Keys;
  given: Table | null;
}

const PLAIN = { metric: "goodput_bps", seed: 1, span: null };

/** States by the fragments that ask for a view alone; the first is that of no fragment. */
const FIRST: Record<string, State> = {
  "#compare": {
    ...PLAIN, view: "compare", document: PRESETS["linux"]!,
    pair: [{ "tcp.congestion": "reno" }, { "tcp.congestion": "cubic" }],
    // The first loss that is not the end of slow start.
    span: [3, 3.5],
  },
  "#explore": { ...PLAIN, view: "explore", document: PRESETS["zorzi"]!, pair: [{}, {}] },
};
const VIEWS: Record<View, { name: string; lead: string }> = {
  compare: {
    name: "Compare two",
    lead: "Two TCPs, A and B, over each other on the same link with the same losses. Click a packet to drop it: both are simulated anew, and the runs without the drop stay in faint colours.",
  },
  explore: {
    name: "Explore",
    lead: "Move a slider: every TCP is simulated anew, here in the page. Bands are 95 % intervals of the mean and tighten as runs arrive.",
  },
};

const RULES: Record<string, string> = {
  zorzi: "Time in slots, as in analyses of TCP, with exact solutions.",
  ns2: "TCP as the simulator ns-2 has it.",
  rfc: "TCP as the RFCs have it.",
  bsd: "TCP as BSD had it.",
  linux: "TCP as the kernel of Linux has it.",
};

function stateAt(hash: string): State | null {
  return FIRST[hash === "" ? "#compare" : hash] ?? stateOf(hash);
}

export function Page({ pool, keys, given }: Props) {
  const [state, setState] = useState<State>(
    given ? { ...FIRST["#explore"]!, document: given } : (stateAt(location.hash) ?? FIRST["#compare"]!),
  );
  const [{ points, ...read }, setRead] = useState<{ document: Table; points: Point[] }>({ document: {}, points: [] });
  const [problem, setProblem] = useState("");
  /** Trouble with the address, until the scenario changes. */
  const [trouble, setTrouble] = useState("");
  const [said, say] = useState("");
  const figure = useRef<Figure | null>(null);
  const copied = useRef<Table | null>(null);
  const form = useRef<HTMLFormElement>(null);
  /** Count of addresses followed and files opened: a file that is read late does not replace what came after it. */
  const sources = useRef(0);
  const { view, document, seed } = state;
  const change = (part: Partial<State>) => {
    setTrouble("");
    setState((old) => ({ ...old, ...part }));
  };

  useEffect(() => {
    // The address may have been written anew since the event; what was asked for stands in it.
    const follow = ({ newURL }: HashChangeEvent) => {
      sources.current += 1;
      const found = stateAt(new URL(newURL).hash);
      if (found) setState(found);
      setTrouble(found ? "" : "This address holds no scenario, or only part of one; what is shown is the one before.");
    };
    addEventListener("hashchange", follow);
    if (!given && !stateAt(location.hash)) {
      setTrouble("This address holds no scenario, or only part of one; what is shown is an example.");
    }
    return () => removeEventListener("hashchange", follow);
  }, []);

  // At once: an effect after painting comes a frame later.
  const text = useMemo(() => JSON.stringify(document), [document]);
  useLayoutEffect(() => {
    let current = true;
    const asked = whole(document);
    const tell = (points: Point[]) => {
      if (!current) return;
      setRead({ document: asked, points });
      setProblem("");
    };
    const refuse = (error: Error) => {
      if (current) setProblem(explained(error));
    };
    pool.read(asked).then(tell, refuse);
    return () => {
      current = false;
    };
  }, [text]);

  useEffect(() => history.replaceState(null, "", fragment(state)), [state]);

  const toml = useMemo(() => toToml(document), [text]);
  const known = useMemo(() => (points[0] ? keys.of(points[0].scenario) : []), [points]);
  const open = async (file: File) => {
    const source = (sources.current += 1);
    const isReplaced = () => sources.current !== source;
    try {
      if (file.size > 2 ** 26) throw new Error(`longer than the ${2 ** 26} bytes of the longest scenario`);
      const content = await file.text();
      const isJson = content.trimStart().startsWith("{");
      const found = isJson ? (JSON.parse(content) as Table) : await pool.parse(content);
      if (isReplaced()) return;
      say(`Opened ${file.name}.`);
      change({ document: found, span: null, pair: [{}, {}] });
    } catch (error) {
      if (!isReplaced()) setProblem(`${file.name}: ${(error as Error).message}`);
    }
  };
  const title = valueAt(document, "title");
  const shared = { pool, document: read.document, points, state, figure, copied, onState: change, onProblem: setProblem };

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
        <p>{VIEWS[view].lead}</p>
      </header>
      <main>
        <div class="top">
          <nav class="tabs" aria-label="Views">
            {(Object.keys(VIEWS) as View[]).map((one) => (
              <button key={one} type="button" aria-current={one === view ? "page" : undefined} onClick={() => change({ view: one })}>{VIEWS[one].name}</button>
            ))}
          </nav>
          <button type="button" class="below" onClick={() => form.current?.scrollIntoView()}>Link and TCP ↓</button>
          <p class="said" role="status">{said}</p>
        </div>
        {[trouble, problem].map((text) => text && <p key={text} class="problem" role="alert">{text}</p>)}
        {view === "compare" ? <Compare {...shared} keys={known} say={say} /> : <Explore {...shared} />}
        <Bar document={document} seed={seed} view={view} figure={figure} copied={copied} say={say} />
        <section class="paper">
          <h2>Scenario, seed {seed}</h2>
          <pre>{toml}</pre>
        </section>
      </main>
      <form ref={form} class="controls" aria-label="Scenario" onSubmit={(event) => event.preventDefault()}>
        <div class="control">
          <label for="profile">TCP rules</label>
          <select id="profile" value={String(valueAt(document, "profile") ?? "")} onChange={(e) => change({ document: PRESETS[e.currentTarget.value] ?? document, span: null, pair: [{}, {}] })}>
            {keys.profiles.map((name) => <option value={name}>{name}</option>)}
          </select>
          <p class="help">{RULES[String(valueAt(document, "profile"))]} Other rules start from their own example.</p>
        </div>
        <Controls document={document} point={points[0]?.scenario ?? {}} keys={known} onChange={(found) => change({ document: found })} />
        <div class="control">
          <label for="seed">seed</label>
          <input id="seed" type="number" min={0} max={Number.MAX_SAFE_INTEGER} value={seed}
            onChange={(e) => {
              const found = Number(e.currentTarget.value);
              if (Number.isSafeInteger(found) && found >= 0) change({ seed: found });
            }} />
          <p class="help">Number from which the losses are drawn. All TCPs meet the same ones under one seed; another seed is another run.</p>
        </div>
        <div class="control">
          <label for="file">open a scenario (TOML)</label>
          <input id="file" type="file" accept=".toml,.json" onChange={(e) => { const [file] = e.currentTarget.files ?? []; if (file) void open(file); }} />
        </div>
      </form>
    </div>
  );
}

/** A run counted as a whole, which the page shows, whatever parts the document asks for. */
function whole(document: Table): Table {
  const { stop } = document;
  if (typeof stop !== "object" || stop === null || Array.isArray(stop) || !("batches" in stop)) return document;
  const { batches: _, ...rest } = stop;
  return { ...document, stop: rest };
}

function explained(error: Error): string {
  if (error instanceof TooMuch) return `${error.message}: give airtcp run scenario.toml`;
  if (error instanceof Refusal && /unknown key "file"|^"[^"]*" is not a list/.test(error.reason)) {
    return `${error.message}. Files that a scenario names are read by the program: airtcp explore FILE`;
  }
  return error.message;
}

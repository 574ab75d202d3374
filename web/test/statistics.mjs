// What the page computes beside the core, for Python to compare: {quantiles, intervals, metrics, documents, state, fragments, forms, series, points, paths, pairs} comes in.

import { given } from "./browser.mjs";
import { withModules } from "./modules.mjs";

const { quantiles, intervals, metrics, documents, state, fragments, forms, series, points, paths, pairs } = await given();
/** The answer of an instance whose memory ends at 3 GiB, and whose addresses are thus negative there. */
function fromHigh(Instance, question) {
  const memory = new WebAssembly.Memory({ initial: 3 * 2 ** 14 });
  const [at, head] = [3 * 2 ** 30 - 4096, new TextEncoder().encode('{"columns":[]}')];
  const exports = {
    memory,
    room: () => at | 0,
    ask: () => {
      new DataView(memory.buffer).setBigUint64(at, BigInt(head.length), true);
      new Uint8Array(memory.buffer).set(head, at + 8);
      return 8 + head.length;
    },
    answer: () => at | 0,
  };
  return Instance.prototype.ask.call({ exports, read: Instance.prototype.read }, question).head;
}
/** Answers of given bytes, asked for in turn: after each, those that are kept of 100 bytes and in any case two. */
async function kept(Kept) {
  const cache = new Kept(100, 2, (bytes) => bytes);
  const made = [];
  const ask = async (key, bytes) => {
    await cache.of(key, async () => (made.push(key), bytes));
    await new Promise((resolve) => setTimeout(resolve));
  };
  await cache.of("x", () => Promise.reject(new Error("refused"))).catch(() => undefined);
  // d takes the room of b, since a was asked for again; e and f are more than there is room for.
  for (const [key, bytes] of [["x", 10], ["a", 40], ["b", 40], ["a", 40], ["d", 40], ["a", 40], ["b", 40], ["e", 90], ["f", 90], ["e", 90], ["f", 90]]) await ask(key, bytes);
  return made;
}

// JSON has no word for what is no number.
const plain = (key, value) => (typeof value === "number" && !Number.isFinite(value) ? String(value) : value);
const found = await withModules(async (load) => {
  const { quantile } = await load("statistics/student");
  const { interval } = await load("statistics/interval");
  const { valuesOf, metricsOf } = await load("statistics/metrics");
  const { toToml } = await load("toml");
  const { fragment, stateOf } = await load("address");
  const { estimateSeconds, questionAbout } = await load("explore/cost");
  const { toPython, toCommand } = await load("copies");
  const { toCsv } = await load("exports");
  const { formulaOf } = await load("formula/formula");
  const { Raster, thinnedLine } = await load("plot/thin");
  const { Instance } = await load("core/instance");
  const { Kept } = await load("compare/kept");
  const { narrowed, pairOf, varying } = await load("compare/choice");
  return {
    quantiles: quantiles.map(([p, n]) => quantile(p, n)),
    intervals: intervals.map((values) => interval(values)),
    metrics: metrics.map(({ runs, scales }) =>
      Object.fromEntries(metricsOf(scales.family, Object.keys(runs[0])).map((name) => [name, valuesOf(name, runs, scales)])),
    ),
    toml: documents.map(toToml),
    states: documents.map((document) => stateOf(fragment({ document, ...state }))),
    earlier: stateOf(fragment({ document: {}, metric: "a", seed: 0 })),
    python: forms.map((document) => toPython(document, 3, "explore")),
    command: forms.map((document) => toCommand(document, 3, "explore")),
    csv: toCsv([["=1+1", 'a"b,c', -1.5, NaN], ["\t=1", "\r=1", "=", "a"]]),
    thinned: [false, true].map((isStepped) =>
      series.map((values) => thinnedLine(0, values.length, (i) => (40 * i) / values.length, (i) => values[i], isStepped)),
    ),
    rastered: series.map((values) => {
      const raster = new Raster(0, 0, 40, 100);
      values.forEach((value, i) => raster.add((40 * i) / values.length, 10 * value + 50));
      return raster.rectangles(1);
    }),
    broken: fragments.map(stateOf),
    formulas: paths.map(formulaOf),
    costs: points.map((point) => estimateSeconds([point])),
    questions: [60, 61, 3000, Infinity].map(questionAbout),
    kept: await kept(Kept),
    pairs: pairs.map(({ document, points, choices }) => {
      const every = varying(points);
      const pair = pairOf(points, choices, [...every.keys()]);
      return { places: pair.map((point) => points.indexOf(point)), document: narrowed(document, pair, every.keys()) };
    }),
    high: fromHigh(Instance, "{}"),
  };
});
console.log(JSON.stringify(found, plain));

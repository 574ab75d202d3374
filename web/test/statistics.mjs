// What the page computes beside the core, for Python to compare: {quantiles, intervals, metrics, documents} comes in.

import { createServer } from "vite";
import { given } from "./browser.mjs";

const { quantiles, intervals, metrics, documents, fragments } = await given();
const server = await createServer({
  root: new URL("..", import.meta.url).pathname, appType: "custom", logLevel: "error",
  server: { middlewareMode: true, watch: null, ws: false }, optimizeDeps: { noDiscovery: true },
});
const load = (name) => server.ssrLoadModule(`/src/${name}.ts`);
const { quantile } = await load("statistics/student");
const { interval } = await load("statistics/interval");
const { valuesOf, metricsOf } = await load("statistics/metrics");
const { toToml } = await load("toml");
const { fragment, stateOf } = await load("address");
// JSON has no word for what is no number.
const plain = (key, value) => (typeof value === "number" && !Number.isFinite(value) ? String(value) : value);
const found = {
  quantiles: quantiles.map(([p, n]) => quantile(p, n)),
  intervals: intervals.map((values) => interval(values)),
  metrics: metrics.map(({ runs, scales }) =>
    Object.fromEntries(metricsOf(scales.family, Object.keys(runs[0])).map((name) => [name, valuesOf(name, runs, scales)])),
  ),
  toml: documents.map(toToml),
  states: documents.map((document) => stateOf(fragment({ document, metric: "goodput_bps", seed: 7 }))),
  broken: fragments.map(stateOf),
};
await server.close();
console.log(JSON.stringify(found, plain));

// What becomes of packets, as the page finds it in the events of runs: {wasm, asked: [{document, access}]} comes in.

import { readFile } from "node:fs/promises";
import { given } from "./browser.mjs";
import { withModules } from "./modules.mjs";

const { wasm, asked } = await given();
const found = await withModules(async (load) => {
  const { Instance } = await load("core/instance");
  const { traceOf } = await load("compare/trace");
  const { accessOf } = await load("compare/runs");
  const instance = new Instance(await WebAssembly.compile(await readFile(wasm)));
  return asked.map((document) => {
    const ask = (question) => instance.ask(JSON.stringify(question));
    const { head } = ask({ ask: "points", document: JSON.stringify(document) });
    if (head.refused) throw new Error(JSON.stringify(head.refused));
    const { packets } = traceOf(ask({ ask: "trace", index: 0, seed: 1, replication: 0, room: 2 ** 27, links: true }), accessOf(document));
    return Object.fromEntries(Object.entries(packets).map(([name, values]) => [name, [...values]]));
  });
});
console.log(JSON.stringify(found));

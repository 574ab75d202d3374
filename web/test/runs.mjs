// Shortest times of runs in the worker of the page: {address, seed, times, cases} comes in, milliseconds go out.

import { inPage } from "./asker.mjs";
import { given } from "./browser.mjs";

/** Runs in the page the first point of each case `times` times. */
async function shortest({ cases, seed, times }) {
  const { ask, end } = askerOf(await WebAssembly.compileStreaming(fetch("airtcp.wasm")));
  const found = [];
  for (const { document, points } of cases) {
    await ask({ ask: "points", document });
    const all = [];
    for (let i = 0; i < times; i++) {
      const began = performance.now();
      const { head } = await ask({ ask: "run", index: points[0], seed, replication: 0 });
      if (head.refused) throw new Error(JSON.stringify(head.refused));
      all.push(performance.now() - began);
    }
    found.push(Math.min(...all));
  }
  end();
  return found;
}

const { address, ...asked } = await given();
console.log(JSON.stringify(await inPage(address, shortest, asked)));

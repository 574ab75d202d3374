// Shortest times of runs in the worker of the page: {address, seed, times, cases} comes in, milliseconds go out.

import { given, inBrowser } from "./browser.mjs";

/** Runs in the page the first point of each case `times` times. */
async function shortest({ cases, seed, times }) {
  const worker = new Worker("worker.js", { type: "module" });
  worker.postMessage({ module: await WebAssembly.compileStreaming(fetch("airtcp.wasm")) });
  const ask = (question) =>
    new Promise((resolve, reject) => {
      worker.onerror = (event) => reject(new Error(event.message));
      worker.onmessage = ({ data }) => ("trapped" in data ? reject(new Error(data.trapped)) : resolve(data));
      worker.postMessage({ id: 0, question: JSON.stringify(question) });
    });
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
  worker.terminate();
  return found;
}

const { address, ...asked } = await given();
const found = await inBrowser({}, async (page) => {
  await page.goto(address);
  return page.evaluate(shortest, asked);
});
console.log(JSON.stringify(found));

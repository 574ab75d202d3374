// A worker of the page that is asked without the page, for tests in a browser.

import { inBrowser } from "./browser.mjs";

/** Runs in the page: `globalThis.askerOf` starts a worker on a compiled core; its `ask` answers a question. */
function define() {
  globalThis.askerOf = (module) => {
    const worker = new Worker("worker.js", { type: "module" });
    worker.postMessage({ module });
    const ask = (question) =>
      new Promise((resolve, reject) => {
        worker.onerror = (event) => reject(new Error(event.message));
        worker.onmessage = ({ data }) => ("trapped" in data ? reject(new Error(data.trapped)) : resolve(data));
        worker.postMessage({ id: 0, question: JSON.stringify(question) });
      });
    return { ask, end: () => worker.terminate() };
  };
}

/** The answer of `use`, which runs in the page at an address, has `askerOf`, and gets what is asked. */
export function inPage(address, use, asked) {
  return inBrowser({}, async (page) => {
    await page.goto(address);
    await page.evaluate(define);
    return page.evaluate(use, asked);
  });
}

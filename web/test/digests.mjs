// Digests of runs in the worker of the page: {address, seed, room, cases} comes in, a list of lists goes out.

import { inPage } from "./asker.mjs";
import { given } from "./browser.mjs";

/** Runs in the page, where several workers take cases until there are none. */
async function digests({ cases, seed, room }) {
  const module = await WebAssembly.compileStreaming(fetch("airtcp.wasm"));
  const digest = async (columns) => {
    const parts = columns.flatMap(([name, bytes]) => {
      const head = new TextEncoder().encode(`${name}\0`);
      const length = new DataView(new ArrayBuffer(8));
      length.setBigUint64(0, BigInt(bytes.byteLength), true);
      return [head, length.buffer, bytes];
    });
    const all = await new Blob(parts).arrayBuffer();
    const found = new Uint8Array(await crypto.subtle.digest("SHA-256", all));
    return [...found].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  };
  const digestsOf = async (ask, { document, points, is_path }) => {
    const { head } = await ask({ ask: "points", document });
    if (head.refused) throw new Error(JSON.stringify(head.refused));
    const run = { seed, replication: 0 };
    const of = [];
    for (const index of points) {
      const { columns } = await ask({ ask: "run", index, ...run });
      of.push(await digest(columns.map(({ name, bytes }) => [name, bytes])));
    }
    if (is_path) {
      const { head, columns } = await ask({ ask: "trace", index: points[0], ...run, room, links: true });
      const { path, message } = head.refused ?? {};
      const parts = head.refused ? [[`${path}: ${message}`, new ArrayBuffer(0)]] : columns.map(({ name, bytes }) => [name, bytes]);
      of.push(await digest(parts));
    }
    return of;
  };
  const left = cases.map((one, place) => [place, one]);
  const found = [];
  const work = async () => {
    const { ask, end } = askerOf(module);
    while (left.length > 0) {
      const [place, one] = left.shift();
      found[place] = await digestsOf(ask, one);
    }
    end();
  };
  await Promise.all(Array.from({ length: Math.min(4, navigator.hardwareConcurrency) }, work));
  return found;
}

const { address, ...asked } = await given();
console.log(JSON.stringify(await inPage(address, digests, asked)));

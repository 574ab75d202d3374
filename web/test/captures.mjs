// Captures as the page writes them: {module, cases: [{document, seed}]} comes in, for each point of a document the bytes in base64 or a refusal go out.

import { readFile } from "node:fs/promises";
import { createServer } from "vite";
import { given } from "./browser.mjs";

const { module, cases } = await given();
const server = await createServer({
  root: new URL("..", import.meta.url).pathname, appType: "custom", logLevel: "error",
  server: { middlewareMode: true, watch: null, ws: false }, optimizeDeps: { noDiscovery: true },
});
const { Instance } = await server.ssrLoadModule("/src/core/instance.ts");
const { captureOf } = await server.ssrLoadModule("/src/capture/pcapng.ts");
const core = new Instance(await WebAssembly.compile(await readFile(module)));
const ask = (question) => {
  const answer = core.ask(JSON.stringify(question));
  if (answer.head.refused) throw new Error(JSON.stringify(answer.head.refused));
  return answer;
};
const written = (question) => {
  const events = ask(question);
  try {
    return Buffer.concat(captureOf(events)).toString("base64");
  } catch (error) {
    return { refused: error.message };
  }
};
const found = cases.map(({ document, seed }) => {
  const { head } = ask({ ask: "points", document: JSON.stringify(document) });
  return Array.from({ length: head.count }, (_, index) => written({ ask: "trace", index, seed, replication: 0, room: 2 ** 28, links: false }));
});
await server.close();
console.log(JSON.stringify(found));

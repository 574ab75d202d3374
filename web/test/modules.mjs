// Modules of the page in Node, for tests of what it computes.

import { createServer } from "vite";

/** Gives `use` a function that loads a module of web/src by its name, and returns what it returns. */
export async function withModules(use) {
  const server = await createServer({
    root: new URL("..", import.meta.url).pathname, appType: "custom", logLevel: "error",
    server: { middlewareMode: true, watch: null, ws: false }, optimizeDeps: { noDiscovery: true },
  });
  try {
    return await use((name) => server.ssrLoadModule(`/src/${name}.ts`));
  } finally {
    await server.close();
  }
}

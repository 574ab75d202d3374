import { defineConfig } from "vite";

// Names without digests: the folder is data of a wheel, and its server says that nothing is to be kept.
export default defineConfig({
  base: "./",
  publicDir: false,
  worker: {
    format: "es",
    rollupOptions: { output: { entryFileNames: "worker.js" } },
  },
  build: {
    outDir: "node_modules/.page", // from where scripts/explorer.py takes it
    emptyOutDir: true,
    target: "es2023",
    assetsInlineLimit: 0,
    modulePreload: false,
    rollupOptions: {
      output: {
        entryFileNames: "page.js",
        chunkFileNames: "[name].js",
        assetFileNames: "[name][extname]",
      },
    },
  },
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
});

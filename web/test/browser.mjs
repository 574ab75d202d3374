// A page in Debian's chromium, for tests: what breaks in it breaks the test.

import { chromium } from "playwright-core";

/** The path of chromium, which tests/explorer_page.py finds. */
const PROGRAM = process.env.CHROMIUM;

/** Milliseconds after which something hangs, and is not merely slow on a busy machine. */
const HUNG = 500_000;

/**
 * Opens a browser and gives `use` a page of `options`; errors of the page are thrown at the end, and
 * what the browser says on the console unless that is expected.
 */
export async function inBrowser(options, use, isConsoleExpected = false) {
  // A sandbox within the sandbox of a container is refused to root.
  const browser = await chromium.launch({ executablePath: PROGRAM, args: ["--no-sandbox"], timeout: HUNG });
  const errors = [];
  try {
    const context = await browser.newContext(options);
    context.setDefaultTimeout(HUNG);
    const page = await context.newPage();
    page.on("pageerror", (error) => errors.push(error.message));
    page.on("console", (message) => message.type() === "error" && !isConsoleExpected && errors.push(message.text()));
    const asked = [];
    page.on("request", (request) => asked.push(request.url()));
    const answer = await use(page, asked);
    if (errors.length > 0) throw new Error(errors.join("\n"));
    return answer;
  } finally {
    await browser.close();
  }
}

/** The JSON on standard input. */
export async function given() {
  const parts = [];
  for await (const part of process.stdin) parts.push(part);
  return JSON.parse(Buffer.concat(parts).toString());
}

// Fragments and files that are none, or nearly: {address, fragments, files} comes in, what the page does goes out.

import { given, inBrowser } from "./browser.mjs";
import { withFiles } from "./files.mjs";

const { address, fragments, files } = await given();

/** Goes to each fragment and opens each file; the page must live on. */
async function play({ fragments, files }) {
  const alive = () => document.querySelector("h1") !== null && document.querySelector("main") !== null;
  const turn = () => new Promise((resolve) => setTimeout(resolve));
  const dead = [];
  for (const [place, fragment] of fragments.entries()) {
    location.hash = fragment;
    // A few are given the time to be simulated, or to be interrupted by the next.
    await (place % 25 === 0 ? new Promise((resolve) => setTimeout(resolve, 30)) : turn());
    if (!alive()) dead.push(fragment);
  }
  for (const [place, content] of files.entries()) {
    globalThis.openFile(`${place}.toml`, content);
    await (place % 10 === 0 ? new Promise((resolve) => setTimeout(resolve, 30)) : turn());
    if (!alive()) dead.push(content);
  }
  return dead;
}

const found = await inBrowser({}, async (page, asked) => {
  await page.goto(address);
  await page.waitForSelector("h1");
  const dead = await withFiles(page, play, { fragments, files });
  // After all of this an example works.
  await page.evaluate(() => (location.hash = "#explore"));
  await page.waitForSelector("tbody td:not(:text('–'))");
  await page.waitForFunction(() => document.querySelector("h1").textContent === "Idealised TCP on a fading link");
  const injected = await page.evaluate(() => [globalThis.injected ?? null, document.querySelectorAll("script").length]);
  return { dead, injected, elsewhere: asked.filter((one) => !one.startsWith(address) && !one.startsWith("data:,")) };
});
console.log(JSON.stringify(found));

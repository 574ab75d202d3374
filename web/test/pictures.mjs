// Pictures of a state of the page: {address, state, folder} comes in, PNG files go into the folder, their names out.

import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { given, inBrowser } from "./browser.mjs";
import { SCHEMES, STATES, WIDTHS } from "./views.mjs";

const { address, state, folder } = await given();
const names = [];

/** Height of a window; a picture is as high as all that the page shows. */
const HEIGHT = 900;
/** States that are printed too. */
const PRINTED = ["compare", "explore"];
/** Width of A4 at 96 pixels per inch, less the margins of a browser. */
const PAPER = 718;

/** Takes the whole page, in a window that has room for it. */
async function take(page, width, name) {
  await page.setViewportSize({ width, height: HEIGHT });
  const height = await page.evaluate(() => document.documentElement.scrollHeight);
  await page.setViewportSize({ width, height });
  await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
  await writeFile(join(folder, `${name}.png`), await page.screenshot({ caret: "hide", animations: "disabled" }));
  names.push(name);
}

for (const colorScheme of SCHEMES) {
  await inBrowser({ colorScheme, viewport: { width: 1280, height: HEIGHT } }, async (page) => {
    await STATES[state](page, address);
    for (const width of WIDTHS) await take(page, width, `${state}-${width}-${colorScheme}`);
    if (colorScheme !== "light" || !PRINTED.includes(state)) return;
    await page.emulateMedia({ media: "print" });
    await take(page, PAPER, `${state}-print`);
  });
}
console.log(JSON.stringify(names));

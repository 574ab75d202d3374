// Both views in light and dark and in three widths: {address} comes in, what is wrong goes out.

import axe from "axe-core";
import { given, inBrowser } from "./browser.mjs";

/** A number in the table of a view. */
export const NUMBER = "tbody td:not(:text('–'))";
const WIDTHS = [390, 1280, 1920];
/** The widest differs from the one before in the size of letters alone, to which axe-core is blind. */
const CHECKED = [390, 1280];

/** Serious violations of accessibility. */
async function violations(page) {
  await page.evaluate(axe.source);
  const { violations } = await page.evaluate(() => globalThis.axe.run());
  return violations.filter(({ impact }) => ["serious", "critical"].includes(impact)).map(({ id, nodes }) => `${id}: ${nodes[0].html}`);
}

async function looked({ address }) {
  const found = { violations: [], overflow: [], requests: [] };
  const look = (view, colorScheme) =>
    // The policy of the page forbids scripts from outside its folder; that of the tests comes past it.
    inBrowser({ colorScheme, bypassCSP: true }, async (page, asked) => {
      await page.goto(address + view);
      await page.waitForSelector(NUMBER);
      for (const width of WIDTHS) {
        await page.setViewportSize({ width, height: 900 });
        if (CHECKED.includes(width)) found.violations.push(...(await violations(page)).map((one) => `${view} ${colorScheme} ${width}: ${one}`));
        const over = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
        if (over > 0) found.overflow.push([view, width, over]);
      }
      found.requests.push(...asked);
    });
  await Promise.all(["#compare", "#explore"].flatMap((view) => ["light", "dark"].map((scheme) => look(view, scheme))));
  return found;
}

if (import.meta.url === `file://${process.argv[1]}`) console.log(JSON.stringify(await looked(await given())));

// States of the page, in light and dark and in three widths: {address} comes in, what is wrong goes out.

import axe from "axe-core";
import { given, inBrowser } from "./browser.mjs";

/** A number in the table of a view. */
export const NUMBER = "tbody td:not(:text('–'))";
export const SCHEMES = ["light", "dark"];
export const WIDTHS = [390, 1280, 1920];
/** The width in which axe-core looks at each scheme: it takes seconds, and no colour depends on the width. */
const CHECKED = { light: 390, dark: 1280 };

async function at(page, address) {
  await page.goto(address);
  await page.waitForSelector(NUMBER);
}

/** All runs have ended, and the exact solver is through. */
async function finished(page) {
  await page.waitForFunction(() => {
    const counts = document.querySelector(".progress")?.textContent.matchAll(/(\d+) of (\d+)/g);
    return counts !== undefined && [...counts].every(([, done, all]) => done === all);
  });
}

const HOP = { rate: "10Gbps", delay: "20ms", queue: 100 };
/** A scenario whose runs take minutes in a browser. */
const LONG = { title: "An hour of 10 Gbit/s", profile: "linux", tcp: { congestion: ["reno", "cubic"] }, path: { hop: [HOP] }, stop: { time: "1h" } };

async function open(page, name, content) {
  await page.locator("#file").setInputFiles({ name, mimeType: "", buffer: Buffer.from(content) });
}

/** Ways to each state that the page can show. */
export const STATES = {
  /** Two controls, a dropped packet, and a packet that is pointed at by the keyboard. */
  compare: async (page, address) => {
    await at(page, `${address}#compare`);
    await page.getByLabel("packet number").fill("2620");
    await page.keyboard.press("Enter");
    await page.waitForSelector("th.faint");
    await page.locator(".stack").focus();
    for (let i = 0; i < 3; i++) await page.keyboard.press("ArrowRight");
  },
  /** Every explanation and every key at its default. */
  opened: async (page, address) => {
    await at(page, `${address}#compare`);
    await page.waitForSelector("div:not(.before) > .readout");
    await page.locator("details").evaluateAll((all) => all.forEach((one) => (one.open = true)));
  },
  /** Exact solutions beside simulations. */
  explore: async (page, address, settled = finished) => {
    await at(page, `${address}#explore`);
    await settled(page);
  },
  /** Formulas beside simulations. */
  formulas: async (page, address, settled = finished) => {
    await at(page, `${address}#explore`);
    await page.getByLabel("rules").selectOption("linux");
    await page.locator("tbody", { hasText: "bbr" }).waitFor();
    await settled(page);
  },
  /** A question before long work, a drawing of the scenario before, and a text that the clipboard did not take. */
  question: async (page, address) => {
    await page.addInitScript(() => Object.defineProperty(navigator, "clipboard", { value: undefined }));
    await at(page, `${address}#compare`);
    await page.waitForSelector("div:not(.before) > .readout");
    await open(page, "long.json", JSON.stringify(LONG));
    await page.waitForSelector(".before .readout");
    await page.getByText("This may take").waitFor();
    await page.getByRole("button", { name: "Copy as TOML" }).click();
    await page.waitForSelector("textarea");
  },
  /** A file that is refused, and rules without packets. */
  refused: async (page, address) => {
    await at(page, `${address}#compare`);
    await page.getByLabel("rules").selectOption("zorzi");
    await page.getByText("These rules have slots").waitFor();
    await open(page, "mine.toml", "[tcp]\nwindow = = 3");
    await page.getByText("not valid TOML").waitFor();
  },
};

/** Serious violations of accessibility. */
async function violations(page) {
  await page.evaluate(axe.source);
  const { violations } = await page.evaluate(() => globalThis.axe.run());
  return violations.filter(({ impact }) => ["serious", "critical"].includes(impact)).map(({ id, nodes }) => `${id}: ${nodes[0].html}`);
}

async function looked({ address }) {
  const found = { violations: [], overflow: [], cut: [], requests: [] };
  const look = (state, colorScheme) =>
    // The policy of the page forbids scripts from outside its folder; that of the tests comes past it.
    inBrowser({ colorScheme, bypassCSP: true }, async (page, asked) => {
      // Nothing is cut by further runs.
      await STATES[state](page, address, () => undefined);
      for (const width of WIDTHS) {
        await page.setViewportSize({ width, height: 900 });
        if (CHECKED[colorScheme] === width) found.violations.push(...(await violations(page)).map((one) => `${state} ${colorScheme} ${width}: ${one}`));
        const over = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
        if (over > 0) found.overflow.push([state, width, over]);
        // What scrolls with a table that is too wide is not to be read.
        const ends = await page.locator("caption span, .readout, .legend li").evaluateAll((all) => all.map((one) => one.getBoundingClientRect().right));
        if (ends.some((end) => end > width)) found.cut.push([state, width, ends]);
      }
      found.requests.push(...asked);
    });
  for (const state of Object.keys(STATES)) await Promise.all(SCHEMES.map((scheme) => look(state, scheme)));
  return found;
}

if (import.meta.url === `file://${process.argv[1]}`) console.log(JSON.stringify(await looked(await given())));

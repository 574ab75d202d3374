// Compare as people use it: {address} comes in, what was seen goes out.

import { readFile } from "node:fs/promises";
import { given, inBrowser } from "./browser.mjs";
import { NUMBER } from "./views.mjs";

const { address } = await given();
const found = {};

await inBrowser({ permissions: ["clipboard-read", "clipboard-write"], viewport: { width: 1280, height: 1100 } }, async (page) => {
  const said = async (part) => {
    await page.waitForFunction((text) => document.querySelector(".said").textContent.includes(text), part);
    return page.textContent(".said");
  };
  const copied = async (name) => {
    await page.getByRole("button", { name: `Copy as ${name}` }).click();
    await said(`Copied as ${name}`);
    return page.evaluate(() => navigator.clipboard.readText());
  };
  const saved = async (format, label = `Save as ${format}`) => {
    const [download] = await Promise.all([page.waitForEvent("download"), page.getByLabel(label).click()]);
    return [download.suggestedFilename(), await readFile(await download.path())];
  };
  const list = () => page.locator(".dropped li").allTextContents();
  const heads = () => page.locator("thead th").allTextContents();

  await page.goto(address);
  await page.waitForSelector(NUMBER);
  found.heads = await heads();
  // Another control for B.
  await page.getByLabel("B, congestion control").selectOption({ label: "bbr3" });
  await page.waitForFunction(() => document.querySelector("thead").textContent.includes("bbr3"));
  // The keyboard goes to a packet, and drops it.
  const stack = page.locator(".stack");
  await stack.focus();
  for (let i = 0; i < 5; i++) await page.keyboard.press("ArrowRight");
  found.pointed = await page.textContent(".readout");
  await page.keyboard.press("Enter");
  found.said = await said("Dropped");
  await page.waitForSelector("th.faint");
  found.dropped = [await list(), await heads()];
  found.python = await copied("Python");
  found.toml = await copied("TOML");
  found.command = await copied("command");
  // The address shows the same to somebody else.
  const shared = page.url();
  await page.goto("about:blank");
  await page.goto(shared);
  await page.waitForSelector("th.faint");
  found.again = [await list(), await heads(), await copied("TOML")];
  // The events of both runs, as they are drawn.
  const [, csv] = await saved("CSV");
  found.csv = csv.toString();
  const [, svg] = await saved("SVG");
  found.svg = svg.toString().slice(0, 200);
  found.parsed = await page.evaluate((text) => new DOMParser().parseFromString(text, "image/svg+xml").documentElement.localName, svg.toString());
  const [name, png] = await saved("PNG");
  found.png = [name, png.subarray(1, 4).toString(), png.length];
  found.captures = [];
  for (const side of ["A", "B"]) {
    const [name, bytes] = await saved(`${side} as pcapng`, `Save ${side} as pcapng`);
    found.captures.push([name, bytes.toString("base64")]);
  }
  // The drop is taken back by its button, and another packet dropped by a click.
  await page.getByRole("button", { name: /^Take back the drop/ }).click();
  await page.waitForFunction(() => !document.querySelector("th.faint"));
  found.without = await list();
  for (let i = 0; i < 2; i++) await page.getByLabel("Zoom in").click();
  /** Moves over the columns `xs` and rows `ys` of the graph until it shows a text. */
  const over = async (text, xs, ys) => {
    const box = await stack.boundingBox();
    for (const x of xs) {
      for (const y of ys) {
        await page.mouse.move(box.x + x, box.y + y);
        const shown = await page.textContent(".readout");
        if (text.test(shown)) return shown;
      }
    }
    throw new Error(`nothing shows ${text}`);
  };
  const click = async () => {
    await page.mouse.down();
    await page.mouse.up();
  };
  const from = (first, last) => Array.from({ length: Math.ceil((last - first) / 6) }, (_, i) => first + 6 * i);
  const ROWS = from(20, 330);
  const drop = async () => {
    await over(/it arrives/, from(200, 260), ROWS);
    await click();
    await page.waitForSelector("th.faint");
    return list();
  };
  const taken = async () => {
    await page.waitForFunction(() => !document.querySelector("th.faint"));
    return said("taken back");
  };
  /** Goes on by the keyboard to what shows a text. */
  const on = async (text) => {
    for (let i = 0; i < 3000; i++) {
      await page.keyboard.press("ArrowRight");
      const shown = await page.textContent(".readout");
      if (text.test(shown)) return shown;
    }
    throw new Error(`nothing shows ${text}`);
  };
  // Its mark takes the drop back, by the keyboard and by a click: packet, mark and what is said.
  const MARK = /lost at .* dropped by you/;
  found.marks = [[await drop(), await on(MARK)]];
  await page.keyboard.press("Enter");
  found.marks[0].push(await taken());
  found.marks.push([await drop(), await over(MARK, from(260, 500), ROWS)]);
  await click();
  found.marks[1].push(await taken());
  // A loss of the link stays, and is named.
  found.clicked = await drop();
  await page.keyboard.press("Home");
  found.lost = await on(/lost on the way/);
  await page.keyboard.press("Enter");
  found.stays = await said("lost on the way");
  // The number of a packet, by hand.
  await page.getByLabel("packet number").fill("40");
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => document.querySelectorAll(".dropped li").length === 2);
  found.both = await list();
  await page.getByLabel("packet number").fill("1000000");
  await page.keyboard.press("Enter");
  found.unsent = await said("Neither");
  await page.getByRole("button", { name: "Take all back" }).click();
  await page.waitForFunction(() => document.querySelectorAll(".dropped li").length === 0);
  // Rules with slots have no packets.
  await page.getByLabel("rules").selectOption("zorzi");
  found.slots = await page.textContent("main .problem");
});

// A control more, while both runs are made, ends neither: they are drawn.
const LONG = { title: "long", profile: "linux", tcp: { congestion: ["reno", "cubic"] }, path: { hop: [{ rate: "10Mbps", delay: "20ms", queue: 100 }] }, stop: { time: "200s" } };
await inBrowser({ viewport: { width: 1280, height: 1100 } }, async (page) => {
  // The solver of Explore, which gives way to a document, makes a run of Compare.
  await page.goto(`${address}#explore`);
  await page.waitForFunction(() => / [1-9]\d* of \d+ points/.test(document.querySelector(".progress")?.textContent));
  await page.evaluate(() => (location.hash = "#compare"));
  await page.waitForSelector("div:not(.before) > .readout");
  // In the page, since a command from outside may come when the runs have ended.
  await page.evaluate(() => {
    const tick = () => [...document.querySelectorAll(".choices label")].find((one) => one.textContent === "bbr3").click();
    const watch = new MutationObserver(() => {
      if (!document.querySelector(".before")) return;
      watch.disconnect();
      setTimeout(tick, 100);
    });
    watch.observe(document.querySelector("main"), { subtree: true, childList: true, attributes: true });
  });
  await page.locator("#file").setInputFiles({ name: "long.json", mimeType: "", buffer: Buffer.from(JSON.stringify(LONG)) });
  await page.waitForFunction(() => document.querySelector("h1").textContent === "long");
  await page.waitForFunction(() => [...document.querySelectorAll(".choices input:checked")].length === 3);
  await page.waitForSelector("div:not(.before) > .readout");
  found.undisturbed = [await page.textContent("h1"), await page.getByLabel("bbr3").isChecked(), await page.locator("thead th").allTextContents()];
});
console.log(JSON.stringify(found));

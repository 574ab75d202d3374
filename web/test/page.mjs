// Explore as people use it: {address, toml, hostile} comes in, what was seen goes out.

import { NUMBER as number } from "./views.mjs";
import { given, inBrowser } from "./browser.mjs";
import { withFiles } from "./files.mjs";

const { address: folder, hostile, toml } = await given();
const address = `${folder}#explore`;
const found = {};

const state = (document) => `#1${Buffer.from(JSON.stringify({ document, metric: "goodput_bps", seed: 1 })).toString("base64url")}`;

await inBrowser({ permissions: ["clipboard-read", "clipboard-write"] }, async (page) => {
  await page.goto(address);
  await page.waitForSelector(number);
  found.first = await page.textContent("h1");
  // A slider by the keyboard changes address and numbers.
  const before = page.url();
  await page.getByLabel("tcp.window, slider").focus();
  await page.keyboard.press("ArrowRight");
  await page.waitForFunction((old) => location.href !== old, before);
  await page.waitForSelector(number);
  found.window = await page.getByLabel("window", { exact: true }).inputValue();
  // The chart by the keyboard.
  await page.getByRole("img").focus();
  await page.keyboard.press("End");
  found.caption = await page.textContent("caption");
  // Paper has numbers, and nothing to move.
  await page.emulateMedia({ media: "print" });
  found.printed = await page.locator(".controls, .bar, .tabs, table").evaluateAll((all) => all.map((one) => [one.localName, getComputedStyle(one).display]));
  await page.emulateMedia({ media: "screen" });
  // The same address shows the same scenario.
  const text = async () => {
    await page.getByRole("button", { name: "Copy as TOML" }).click();
    await page.waitForFunction(() => document.querySelector(".said").textContent !== "");
    return page.evaluate(() => navigator.clipboard.readText());
  };
  found.toml = await text();
  const shared = page.url();
  await page.goto("about:blank");
  await page.goto(shared);
  await page.waitForSelector(number);
  found.again = await text();
  // A file, and what is wrong with one.
  const open = (content) => page.setInputFiles("input[type=file]", { name: "x.toml", mimeType: "", buffer: Buffer.from(content) });
  await open(toml);
  await page.waitForFunction(() => document.querySelector("tbody").textContent.includes("bbr"));
  await page.waitForSelector(number);
  found.linux = await page.textContent("tbody");
  await open("[tcp]\nwindow = = 3");
  found.wrong = await page.textContent("[role=alert]");
  await open(toml.replace("cubic", "cubik"));
  await page.waitForFunction(() => document.querySelector("[role=alert]")?.textContent.includes("cubik"));
  found.refused = await page.textContent("[role=alert]");
  await open(toml.replace(/queue = .*/, 'queue = 50\nopportunities = "busy.trace"'));
  await page.waitForFunction(() => document.querySelector("[role=alert]")?.textContent.includes("busy.trace"));
  found.named = await page.textContent("[role=alert]");
  // The two controls of a file are compared, whichever were before.
  await page.goto(`${folder}#compare`);
  await page.waitForSelector("thead th");
  await open(toml.replace(/congestion = .*/, 'congestion = ["cubic", "bbr"]'));
  await page.waitForFunction(() => document.querySelector("thead")?.textContent.includes("bbr"));
  found.pair = await page.locator("thead th").allTextContents();
  // An address that is followed while a file is read is what is shown, also once the file was read.
  const late = (content) => {
    globalThis.openFile("late.toml", content);
    location.hash = "#explore";
  };
  await withFiles(page, late, toml.replace(/^title = .*/m, 'title = "Late"'));
  await page.waitForFunction((first) => document.querySelector("h1").textContent === first, found.first);
  await page.waitForTimeout(500);
  found.overtaken = await page.textContent("h1");
  // Part of an address is no address, and this is still said when the example is shown.
  await page.goto("about:blank");
  await page.goto(shared.slice(0, -20));
  await page.waitForSelector("tbody td:not(:text('–'))");
  found.part = await page.textContent("[role=alert]");
});

// A hostile text is shown where it belongs, and does nothing.
await inBrowser({}, async (page) => {
  found.injected = [];
  found.hostile = [];
  for (const { document, place, text } of hostile) {
    await page.goto("about:blank");
    await page.goto(folder + state(document));
    const shows = ([where, part]) => [...globalThis.document.querySelectorAll(where)].some((one) => one.textContent.includes(part));
    await page.waitForFunction(shows, [place, text]);
    // The work on a document ends with numbers or with a refusal.
    await page.waitForSelector(`${number}, [role=alert]`);
    found.hostile.push(await page.locator(place).allTextContents());
    const elements = "script, img, iframe, object, embed, [onerror], [onload]";
    found.injected.push(await page.evaluate((some) => [globalThis.injected ?? null, globalThis.document.querySelectorAll(some).length], elements));
  }
});

// An inline script has no effect, and the policy of the page is the reason.
found.policy = await inBrowser({}, async (page) => {
  await page.goto(address);
  await page.waitForSelector("h1");
  return page.evaluate(async () => {
    const refused = new Promise((resolve) => document.addEventListener("securitypolicyviolation", resolve, { once: true }));
    const script = document.createElement("script");
    script.textContent = "globalThis.injected = 1";
    document.body.append(script);
    if (globalThis.injected) return ["executed", globalThis.injected];
    const { effectiveDirective, blockedURI } = await refused;
    return [effectiveDirective, blockedURI];
  });
}, true);
console.log(JSON.stringify(found));

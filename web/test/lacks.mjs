// The page where something fails or is not there yet: {address, long} comes in, what was seen goes out.

import { given, inBrowser } from "./browser.mjs";
import { NUMBER } from "./views.mjs";

const { address, long } = await given();
const found = {};

await inBrowser({ viewport: { width: 1280, height: 1100 } }, async (page) => {
  // As on plain http, where a page has no clipboard, and in a browser that makes no images.
  await page.addInitScript(() => {
    Object.defineProperty(navigator, "clipboard", { value: undefined });
    OffscreenCanvas.prototype.getContext = () => null;
  });
  const said = async (part) => {
    await page.waitForFunction((text) => document.querySelector(".said").textContent.includes(text), part);
    return page.textContent(".said");
  };
  const save = async (format, part) => {
    await page.getByLabel(`Save as ${format}`).click();
    return said(part);
  };
  const shows = (part) => page.waitForFunction((text) => document.querySelector(".readout")?.textContent.includes(text), part);

  await page.goto(address);
  await page.waitForSelector(NUMBER);
  await page.waitForSelector("div:not(.before) > .readout");
  await page.getByRole("button", { name: "Copy as TOML" }).click();
  found.refused = await said("clipboard");
  found.field = await page.getByLabel("Text to copy").inputValue();
  found.selected = await page.evaluate(() => getSelection().toString());
  found.png = await save("PNG", "no PNG");
  // A run that takes minutes is asked about; what is shown until then is of the run before.
  await page.locator("#file").setInputFiles({ name: "long.json", mimeType: "application/json", buffer: Buffer.from(JSON.stringify(long)) });
  await page.waitForSelector(".before .readout");
  await shows("scenario before");
  found.question = await page.textContent("main .problem");
  found.before = await save("SVG", "no drawing");
  // A packet of a drawing that is no longer true is not dropped.
  await page.locator(".stack").focus();
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("Enter");
  found.picked = await said("scenario before");
  found.drops = await page.locator(".dropped li").count();
  await page.getByLabel("rules").selectOption("zorzi");
  await page.waitForSelector("main .problem");
  found.slots = await save("CSV", "no drawing");
});
console.log(JSON.stringify(found));

// How fast the page is on this machine: {address} comes in, milliseconds go out.

import { given, inBrowser } from "./browser.mjs";
import { NUMBER } from "./views.mjs";

const { address } = await given();
const middle = (values) => [...values].sort((a, b) => a - b)[values.length >> 1];
const found = {};

/** A link of 100,000 packets in a run. */
const LONG = { profile: "linux", tcp: { congestion: ["reno", "cubic"] }, path: { hop: [{ rate: "20Mbps", delay: "20ms", queue: 100, channel: { kind: "iid", loss_rate: 0.0001 } }] }, stop: { time: "62s" } };
const at = (state) => `${address}#1${Buffer.from(JSON.stringify(state)).toString("base64url")}`;

/** Time from moving a slider to the first of the new curves. */
async function slide(page) {
  return page.evaluate(async () => {
    const slider = document.querySelector("[aria-label='tcp.window, slider']");
    const finished = () => Number(/\d+/.exec(document.querySelector(".progress")?.textContent ?? "")?.[0]);
    const before = finished();
    // Nine points are a curve. Runs of the values before are more by now.
    const shown = new Promise((resolve) => {
      const look = () => finished() >= 9 && finished() < before && requestAnimationFrame(() => resolve(performance.now()));
      new MutationObserver(look).observe(document.querySelector("main"), { subtree: true, childList: true, characterData: true });
    });
    const began = performance.now();
    slider.value = String(Number(slider.value) + 5);
    slider.dispatchEvent(new Event("input", { bubbles: true }));
    return (await shown) - began;
  });
}

await inBrowser({}, async (page) => {
  await page.goto(address);
  await page.waitForSelector(NUMBER);
  const paint = await page.evaluate(() => performance.getEntriesByName("first-contentful-paint")[0]?.startTime);
  found["first paint"] = paint;
  found["numbers of Compare"] = await page.evaluate(() => performance.now());
  await page.goto("about:blank");
  await page.goto(`${address}#explore`);
  await page.waitForSelector(NUMBER);
  found["numbers of Explore"] = await page.evaluate(() => performance.now());
  const all = [];
  for (let i = 0; i < 9; i++) {
    await page.waitForTimeout(500);
    all.push(await slide(page));
  }
  found["slider to first curve, median and longest"] = [middle(all), Math.max(...all)];
});

await inBrowser({ viewport: { width: 1280, height: 1000 } }, async (page) => {
  await page.goto(at({ view: "compare", document: LONG, metric: "goodput_bps", seed: 1 }));
  await page.waitForSelector(NUMBER);
  await page.getByLabel("Save as CSV").waitFor();
  await page.waitForTimeout(500);
  const box = await page.locator(".stack").boundingBox();
  // Time of the thread, which others on the machine do not lengthen.
  const devtools = await page.context().newCDPSession(page);
  await devtools.send("Performance.enable", { timeDomain: "threadTicks" });
  const busy = async () => 1000 * (await devtools.send("Performance.getMetrics")).metrics.find(({ name }) => name === "TaskDuration").value;
  const before = await busy();
  const frames = await page.evaluate(async ([x, y]) => {
    const place = document.querySelector(".stack");
    const send = (type, dx) => place.dispatchEvent(new PointerEvent(type, { clientX: x + dx, clientY: y, pointerId: 1, button: 0, bubbles: true }));
    place.setPointerCapture = () => undefined;
    // Half of the run is to be seen, so that there is something to move.
    document.querySelector("[aria-label='Zoom in']").click();
    const frame = () => new Promise(requestAnimationFrame);
    await frame();
    send("pointerdown", 0);
    const all = [];
    let before = performance.now();
    for (let i = 1; i <= 60; i++) {
      send("pointermove", i % 2 ? -5 * i : 5 * i);
      await frame();
      const now = performance.now();
      all.push(now - before);
      before = now;
    }
    send("pointerup", 0);
    return all;
  }, [box.x + 600, box.y + 100]);
  found["pan over 10^5 packets, time of the thread for a frame"] = ((await busy()) - before) / frames.length;
  found["pan over 10^5 packets, frame, median and longest"] = [middle(frames), Math.max(...frames)];
  await page.getByRole("button", { name: "Whole run" }).click();
  const whole = await page.evaluate(async () => {
    const frame = () => new Promise(requestAnimationFrame);
    const before = performance.now();
    await frame();
    await frame();
    return performance.now() - before;
  });
  found["all of them, two frames"] = whole;
});
console.log(JSON.stringify(found, (_, value) => (typeof value === "number" ? Math.round(value) : value)));

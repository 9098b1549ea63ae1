// Tasks that a viewer has to pass, done with keys alone, and by touch on a phone.
//
//   node --test tests/browser/demo-keys.mjs
import assert from "node:assert/strict";
import { screenshots, until, viewer } from "./viewerpage.mjs";

const { onPage, openUrl, link } = viewer({ data: "build" });

/** Returns the name of the focused control, also inside elements. */
const focused = (page) =>
  page.evaluate(() => {
    let at = document.activeElement;
    while (at?.shadowRoot?.activeElement) at = at.shadowRoot.activeElement;
    const text = at?.getAttribute("aria-label") ?? at?.labels?.[0]?.textContent ?? at?.textContent ?? "";
    return `${at?.getAttribute("role") ?? at?.tagName.toLowerCase()} ${text.trim()}`;
  });

/** Presses Tab until a control has the focus. */
async function tabTo(page, name, key = "Tab") {
  const seen = [];
  for (let i = 0; i < 120; i++) {
    await page.keyboard.press(key);
    const now = await focused(page);
    if (name.test(now)) return now;
    seen.push(now);
  }
  return assert.fail(`${name} is not reached by ${key}: ${[...new Set(seen)].join(" | ")}`);
}

const press = async (page, ...keys) => {
  for (const key of keys) await page.keyboard.press(key);
};
const attribute = (page, name) => page.evaluate((name) => document.getElementById("view").getAttribute(name), name);
const has = (page, what, name, pattern) =>
  until(
    page,
    what,
    ([name, source]) => new RegExp(source).test(String(document.getElementById("view").getAttribute(name))),
    [name, pattern.source],
  );
const readout = (page) => page.locator("#view .readout").innerText();

/** Each task with keys, on a page that shows the temperature of the sample. */
const byKeys = {
  "1 open an address": async (page) => {
    await press(page, "/");
    await page.keyboard.type(decodeURIComponent(link("samples/cells.zarr").split("#url=")[1]));
    await press(page, "Enter");
    await page.getByRole("checkbox", { name: "actin" }).waitFor();
  },
  "2 find a variable": async (page) => {
    await tabTo(page, /Search the contents/);
    await page.keyboard.type("rain");
    await tabTo(page, /^treeitem rain/);
    await press(page, "Enter");
    await page.locator("#view[node='/rain'], #node-path:text-is('/rain')").first().waitFor();
  },
  "3 say what is shown": async (page) => {
    await tabTo(page, /^application /);
    await press(page, "ArrowRight", "ArrowDown");
    assert.match(await readout(page), /°C/);
  },
  "4 colours and range": async (page) => {
    await tabTo(page, /Colours and range/);
    await press(page, "Enter");
    await tabTo(page, /^(text|input).*[Ll]owest/);
    await press(page, "ControlOrMeta+A");
    await page.keyboard.type("-10");
    await press(page, "Enter");
    await has(page, "the range", "range", /^-10,/);
    await press(page, "Escape");
  },
  "5 time": async (page) => {
    await tabTo(page, /^input .*time/i);
    await press(page, "ArrowRight");
    await has(page, "the step", "index", /time:1\b/);
  },
  "6 a series": async (page) => {
    await tabTo(page, /^button Series$/);
    await press(page, "Enter");
    await page.getByRole("group", { name: "Series" }).waitFor();
    await tabTo(page, /^application /, "Shift+Tab");
    await press(page, "ArrowRight", "Enter");
    await until(page, "the line", () => document.querySelector("#view").shadowRoot.querySelector(".plot-series"));
    await tabTo(page, /Close series/);
    await press(page, "Enter");
    assert.equal(await attribute(page, "series"), null);
  },
  "7 compare two times": async (page) => {
    await tabTo(page, /^button Compare$/);
    await press(page, "Enter");
    await page.getByRole("button", { name: "Subtract" }).waitFor();
    await tabTo(page, /Subtracted variable/);
    await tabTo(page, /Index of time/);
    await page.keyboard.type("3");
    await press(page, "Enter");
    await tabTo(page, /^button Subtract/);
    await press(page, "Enter");
    await has(page, "the difference", "minus", /time:3/);
  },
  "8 zoom and pan": async (page) => {
    await tabTo(page, /^application /);
    await press(page, "+", "+", "Shift+ArrowRight");
    await has(page, "the camera", "camera", /\d/);
    await press(page, "0");
    await has(page, "the whole picture", "camera", /^null$/);
  },
  "11 an expression and a region": async (page) => {
    await tabTo(page, /^button Calculate$/);
    await press(page, "Enter");
    await page.locator("#view input[aria-label=Expression]").waitFor();
    await page.keyboard.type("t2m * 2");
    await press(page, "Enter");
    await has(page, "the expression", "expression", /t2m \* 2/);
    await tabTo(page, /^button Region$/);
    await press(page, "Enter");
    await page.locator("#view").getByRole("button", { name: /box/i }).first().waitFor();
    await tabTo(page, /^button .*box/i);
    await press(page, "Enter");
    await has(page, "the region", "region", /^box:/);
  },
  "12 take away": async (page) => {
    await tabTo(page, /^button Take away$/);
    await press(page, "Enter");
    await page.getByRole("menuitem", { name: /^PNG/ }).waitFor();
    const [download] = await Promise.all([page.waitForEvent("download"), press(page, "Enter")]);
    assert.match(download.suggestedFilename(), /\.png$/);
  },
};

for (const [name, act] of Object.entries(byKeys))
  onPage(`with keys alone: ${name}`, async (page) => {
    assert.equal(await openUrl(page, "samples/earth.zarr", "&node=/t2m"), "ready");
    await act(page);
  });

onPage("with keys alone: 9 channels", async (page) => {
  assert.equal(await openUrl(page, "samples/cells.zarr", "&node=/"), "ready");
  await tabTo(page, /^input actin$/);
  await press(page, " ");
  await has(page, "fewer channels", "channels", /^0:/);
});

const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };
/** Opens the controls over the picture, and taps one. */
async function tapped(page, name) {
  const opener = page.getByRole("button", { name: "Controls", exact: true });
  if ((await opener.getAttribute("aria-expanded")) !== "true") await opener.tap();
  await page.getByRole("button", { name, exact: true }).tap();
}

/** Each task by touch, on a phone that shows the temperature of the sample. */
const byTouch = {
  "3 say what is shown": async (page) => {
    await page.getByRole("application").tap();
    await until(page, "the value", () =>
      /°C/.test(document.querySelector("#view").shadowRoot.querySelector(".readout .value")?.textContent ?? ""),
    );
  },
  "4 colours and range": async (page) => {
    await page.getByRole("button", { name: "Colours and range" }).tap();
    const field = page.getByRole("textbox", { name: /[Ll]owest/ });
    await field.fill("-10");
    await field.press("Enter");
    await has(page, "the range", "range", /^-10,/);
  },
  "6 a series": async (page) => {
    await tapped(page, "Series");
    await page.getByRole("button", { name: "Controls", exact: true }).tap();
    await page.getByRole("application").tap();
    await until(page, "the line", () => document.querySelector("#view").shadowRoot.querySelector(".plot-series"));
  },
  "7 compare two times": async (page) => {
    await tapped(page, "Compare");
    const index = page.getByPlaceholder("as drawn");
    await index.fill("3");
    await index.press("Enter");
    await page.getByRole("button", { name: "Subtract" }).tap();
    await has(page, "the difference", "minus", /time:3/);
  },
  "8 zoom": async (page) => {
    await tapped(page, "Zoom in");
    await has(page, "the camera", "camera", /\d/);
  },
  "11 an expression": async (page) => {
    await tapped(page, "Calculate");
    await page.locator("#view input[aria-label=Expression]").fill("t2m * 2");
    await page.locator("#view input[aria-label=Expression]").press("Enter");
    await has(page, "the expression", "expression", /t2m \* 2/);
  },
  "12 take away": async (page) => {
    await tapped(page, "Take away");
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("menuitem", { name: /^PNG/ }).tap(),
    ]);
    assert.match(download.suggestedFilename(), /\.png$/);
  },
};

for (const [name, act] of Object.entries(byTouch))
  onPage(
    `on a phone: ${name}`,
    async (page) => {
      assert.equal(await openUrl(page, "samples/earth.zarr", "&node=/t2m"), "ready");
      page.setDefaultTimeout(20_000);
      await act(page);
      await page.screenshot({ path: `${screenshots}/phone-${name.replaceAll(" ", "-")}.png` });
    },
    phone,
  );

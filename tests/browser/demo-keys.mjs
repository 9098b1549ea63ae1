// Tasks that a viewer has to pass, done with keys alone, and by touch on a phone.
//
//   node --test tests/browser/demo-keys.mjs
import assert from "node:assert/strict";
import { turns } from "../lib/rounds.mjs";
import { alertText, screenshots, settled, until, viewer, working } from "./viewerpage.mjs";

const it = viewer({ data: "build" });
const { onPage, openUrl, link } = it;
/** Volumes need WebGL. */
const shading = viewer({ data: "build", webgl: true });

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
/** Waits until a volume is shown whole. At first, the state is that of the picture before it. */
async function volumeShown(page) {
  await page.getByRole("application", { name: /of (time|lat|lon)/ }).waitFor();
  await until(
    page,
    "the volume",
    () => document.body.dataset.state === "ready" && !document.getElementById("view").loading,
  );
}
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
    await tabTo(page, /^button Auto$/);
    await press(page, "Enter");
    await has(page, "the automatic range", "range", /^null$/);
    await tabTo(page, /^select Scale$/);
    await arrowTo(page, "log");
    await has(page, "the curve", "curve", /^log/);
    await tabTo(page, /^input Reversed$/);
    await press(page, " ");
    await has(page, "the reversed map", "colormap", /-r$/);
    await press(page, "Escape");
  },
  "5 time": async (page) => {
    await tabTo(page, /^input .*time/i);
    await press(page, "ArrowRight");
    await has(page, "the step", "index", /time:1\b/);
    await tabTo(page, /^input Position of time$/);
    await press(page, "ControlOrMeta+A");
    await page.keyboard.type("the fifth");
    await press(page, "Enter");
    await page.locator("#view [aria-invalid=true]").waitFor();
    await press(page, "ControlOrMeta+A");
    await page.keyboard.type("2024-03-01");
    await press(page, "Enter");
    await has(page, "the date", "index", /time:4\b/);
    await tabTo(page, /^application /, "Shift+Tab");
    await press(page, " ");
    await has(page, "the next step", "index", /time:[5-9]/);
    await press(page, " ");
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

for (const [name, act] of turns(Object.entries(byKeys), 3))
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

/** Chooses an option of a focused select by the arrow keys. */
async function arrowTo(page, value) {
  const now = () =>
    page.evaluate(() => {
      let at = document.activeElement;
      while (at?.shadowRoot?.activeElement) at = at.shadowRoot.activeElement;
      return at.value;
    });
  for (let i = 0; i < 10 && (await now()) !== value; i++) await press(page, "ArrowDown");
  assert.equal(await now(), value);
}

shading.onPage("with keys alone: 10 a volume", async (page) => {
  assert.equal(await shading.openUrl(page, "samples/earth.zarr", "&node=/t2m"), "ready");
  for (const mode of ["maximum", "slices"]) {
    await tabTo(page, /^select Volume$/);
    await arrowTo(page, mode);
    await has(page, mode, "volume", new RegExp(`^${mode}`));
    await volumeShown(page);
    await tabTo(page, /^application .*of (time|lat|lon)/, "Shift+Tab");
    await press(page, "ArrowRight", "ArrowDown", "+");
    await has(page, "the turned volume", "volume", new RegExp(`^${mode}.*eye|^${mode}.*\\d`));
    await press(page, "Enter");
    await until(page, "the value", () =>
      /°C/.test(document.querySelector("#view").shadowRoot.querySelector(".readout .value")?.textContent ?? ""),
    );
    await press(page, "0");
  }
  const before = await attribute(page, "index");
  await press(page, "]");
  await until(
    page,
    "another slice",
    (before) => document.getElementById("view").getAttribute("index") !== before,
    before,
  );
});

const deep = 2n ** 60n;
/** Unusual arrays, and the texts that tell what they hold. */
const unusual = {
  bits: [{ shape: [2, 3], dtype: "bool", values: [0, 1, 0, 1, 1, 0] }, /true|false/],
  constant: [{ shape: [2, 3], values: Array(6).fill(4.5) }, /All values are 4\.5/],
  deep: [
    { shape: [2, 3], dtype: "int64", values: [0n, 1n, 2n, 3n, 4n, 5n].map((i) => deep + i) },
    /11529215046068469\d\d/,
  ],
  endless: [{ shape: [2, 3], values: [Infinity, -Infinity, 1, 2, 3, 4] }, /∞|inf|^[1-4]$/im],
  long: [{ shape: [10_000_000], chunks: [1_000_000], dtype: "int16", fill: 7 }, /long/],
  missing: [{ shape: [2, 3], fill: "NaN" }, /All values are missing/],
  none: [{ shape: [0, 3] }, /Nothing to show: the shape is 0 × 3/],
  one: [{ shape: [1], values: [42] }, /^42$/m],
};
const putUnusual = () =>
  it.put("unusual", Object.fromEntries(Object.entries(unusual).map(([name, [node]]) => [name, node])), {
    consolidated: true,
  });

onPage("with keys alone: 13 unusual data", async (page) => {
  assert.equal(await openUrl(page, await putUnusual(), "&node=/"), "ready");
  const wrong = [];
  for (const [name, [, words]] of Object.entries(unusual)) {
    await tabTo(page, /^treeitem /, "Shift+Tab");
    await press(page, "ArrowDown");
    assert.equal(await working(page, () => press(page, "Enter")), "ready", name);
    if (await page.getByRole("application").count()) {
      await tabTo(page, /^application /);
      await press(page, "ArrowRight");
    }
    await page.screenshot({ path: `${screenshots}/unusual-${name}.png` });
    const text = await page.locator("#view .view").innerText();
    if (!words.test(text)) wrong.push(`${name}: ${text}`);
  }
  assert.deepEqual(wrong, []);
});

onPage(
  "on a phone: 13 unusual data",
  async (page) => {
    const url = await putUnusual();
    const wrong = [];
    for (const [name, [, words]] of Object.entries(unusual)) {
      assert.equal(await openUrl(page, url, `&node=/${name}`), "ready", name);
      const picture = page.getByRole("application");
      if (await picture.count()) await picture.tap();
      await page.screenshot({ path: `${screenshots}/phone-unusual-${name}.png` });
      const text = await page.locator("#view .view").innerText();
      if (!words.test(text)) wrong.push(`${name}: ${text}`);
    }
    assert.deepEqual(wrong, []);
  },
  { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true },
);

onPage("the shown node can be chosen again", async (page) => {
  assert.equal(await openUrl(page, "samples/earth.zarr", "&node=/t2m"), "ready");
  for (const choose of [() => page.locator("[data-path='/t2m']").click(), () => press(page, "Enter")])
    assert.equal(await working(page, choose), "ready");
});

/** Faults of a host, and the words of the message. */
const faults = {
  "a refused access": [{ status: 403 }, /403/],
  "a missing hierarchy": [{ status: 404 }, /./],
  "no CORS": [{ noCORS: true }, /CORS/],
  "an HTML page": [{ html: true }, /HTML/],
  "a failing server": [{ status: 500 }, /500/],
};

for (const [name, [fault, words]] of turns(Object.entries(faults), 3))
  onPage(`with keys alone: 14 a faulty host, ${name}`, async (page) => {
    assert.equal(await openUrl(page, "samples/earth.zarr", "&node=/t2m"), "ready");
    await it.fault("*", fault);
    await press(page, "/");
    await page.keyboard.type(new URL("samples/cells.zarr", it.data.url).href);
    assert.equal(await working(page, () => press(page, "Enter")), "error");
    assert.match(await alertText(page), words);
    await it.mend();
    await tabTo(page, /^button Retry$/);
    assert.equal(await working(page, () => press(page, "Enter")), "ready");
    await page.getByRole("checkbox", { name: "actin" }).waitFor();
  });

/** Loses the network during a step in time, and goes on after it is back. */
async function outage(page, step, retry) {
  assert.equal(await openUrl(page, "samples/earth.zarr", "&node=/t2m"), "ready");
  await page.context().setOffline(true);
  assert.equal(await working(page, step), "error");
  const { height } = await page.getByRole("application").boundingBox();
  assert.ok(height > 0.2 * page.viewportSize().height, `the map is ${height} pixels high`);
  await page.screenshot({ path: `${screenshots}/outage-${page.viewportSize().width}.png` });
  await page.context().setOffline(false);
  // A repeated request can bring the picture back before the person retries.
  await retry().catch(() => {});
  await until(page, "the picture", () => document.body.dataset.state === "ready");
  assert.match(await attribute(page, "index"), /time:1\b/);
}

onPage("with keys alone: 14 an outage during a step", (page) =>
  outage(
    page,
    async () => {
      await tabTo(page, /^input .*time/i);
      await press(page, "ArrowRight");
    },
    async () => {
      await tabTo(page, /^button Retry$/, "Shift+Tab");
      await press(page, "Enter");
    },
  ),
);

/** Reloads a stepped view, opens its link in another tab, goes to a variable and back. */
async function returned(page, step, choose) {
  assert.equal(await openUrl(page, "samples/earth.zarr", "&node=/t2m"), "ready");
  await step();
  await page.waitForURL(/index=time:1\b/);
  const stepped = async (page) => {
    assert.equal(await settled(page), "ready");
    await has(page, "the step", "index", /time:1\b/);
    await page.locator("#view[node='/t2m']").waitFor();
  };
  await page.reload();
  await stepped(page);
  const other = await page.context().newPage();
  await other.goto(page.url());
  await stepped(other);
  await other.close();
  await choose();
  await page.locator("#view[node='/rain']").waitFor();
  await page.goBack();
  await stepped(page);
  await page.goForward();
  await page.locator("#view[node='/rain']").waitFor();
  assert.equal(await settled(page), "ready");
}

onPage("with keys alone: 15 reload, back, forward and a second tab", (page) =>
  returned(
    page,
    async () => {
      await tabTo(page, /^input .*time/i);
      await press(page, "ArrowRight");
    },
    async () => {
      await tabTo(page, /^treeitem /, "Shift+Tab");
      await press(page, "r", "Enter");
    },
  ),
);

const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };
/** Opens the controls over the picture, and taps one. */
async function tapped(page, name) {
  const opener = page.getByRole("button", { name: "Controls", exact: true });
  if ((await opener.getAttribute("aria-expanded")) !== "true") await opener.tap();
  await page.getByRole("button", { name, exact: true }).tap();
}

/** Moves fingers over the page, each along its points. */
async function move(page, ...fingers) {
  const session = await page.context().newCDPSession(page);
  const send = (type, points) => session.send("Input.dispatchTouchEvent", { type, touchPoints: points });
  const at = (i) => fingers.map((points, id) => ({ x: points[i][0], y: points[i][1], id }));
  await send("touchStart", at(0));
  for (let i = 1; i < fingers[0].length; i++) await send("touchMove", at(i));
  await send("touchEnd", []);
  await session.detach();
}

shading.onPage(
  "on a phone: 10 a volume",
  async (page) => {
    assert.equal(await shading.openUrl(page, "samples/earth.zarr", "&node=/t2m"), "ready");
    const controls = page.getByRole("button", { name: "Controls", exact: true });
    for (const mode of ["maximum", "slices"]) {
      await controls.tap();
      await page.getByRole("combobox", { name: "Volume" }).selectOption(mode);
      await controls.tap();
      await has(page, mode, "volume", new RegExp(`^${mode}`));
      await volumeShown(page);
      const volume = page.getByRole("application");
      const { x, y, width, height } = await volume.boundingBox();
      const middle = [x + width / 2, y + height / 2];
      await move(page, [middle, [middle[0] + 30, middle[1]], [middle[0] + 60, middle[1] + 10]]);
      await has(page, "the turned volume", "volume", new RegExp(`^${mode}.*\\d`));
      await volume.tap();
      await until(page, "the value", () =>
        /°C/.test(document.querySelector("#view").shadowRoot.querySelector(".readout .value")?.textContent ?? ""),
      );
      await page.screenshot({ path: `${screenshots}/phone-10-${mode}.png` });
    }
  },
  phone,
);

for (const [name, [fault, words]] of turns(Object.entries(faults), 3))
  onPage(
    `on a phone: 14 a faulty host, ${name}`,
    async (page) => {
      assert.equal(await openUrl(page, "samples/earth.zarr", "&node=/t2m"), "ready");
      await it.fault("*", fault);
      await page.getByLabel("Address of a Zarr store").fill(new URL("samples/cells.zarr", it.data.url).href);
      assert.equal(await working(page, () => page.getByRole("button", { name: "Open", exact: true }).tap()), "error");
      assert.match(await alertText(page), words);
      await it.mend();
      assert.equal(await working(page, () => page.getByRole("button", { name: "Retry" }).tap()), "ready");
      await page.locator("#view .surface").waitFor();
    },
    phone,
  );

/** Taps the button of the next step in time. */
const tapNext = (page) => page.getByRole("button", { name: "Next time", exact: true }).tap();

onPage(
  "on a phone: 14 an outage during a step",
  (page) =>
    outage(
      page,
      () => tapNext(page),
      () => page.getByRole("button", { name: "Retry" }).tap({ timeout: 5000 }),
    ),
  phone,
);

onPage(
  "on a phone: 15 reload, back, forward and a second tab",
  (page) =>
    returned(
      page,
      () => tapNext(page),
      async () => {
        await page.getByRole("button", { name: "Contents" }).tap();
        await page.getByRole("treeitem", { name: /^rain/ }).tap();
      },
    ),
  phone,
);

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

for (const [name, act] of turns(Object.entries(byTouch), 3))
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

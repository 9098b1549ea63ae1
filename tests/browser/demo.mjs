// Opens the viewer in Chromium as a person would. Screenshots go to build/screenshots.
//
//   node --test tests/browser/demo.mjs
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import * as zarr from "../../dist/node.js";
import { serve, top } from "../js/serve.mjs";
import { launch } from "./browser.mjs";

const screenshots = `${top}build/screenshots`;
const patience = 20_000;

let browser;
let site; // serves the viewer
let told = 0; // errors with a screenshot of their own
let data; // serves the fixtures from another origin, and does wrong on demand

before(async () => {
  mkdirSync(screenshots, { recursive: true });
  [browser, site, data] = await Promise.all([
    launch(),
    serve("build/demo"),
    serve("build/fixtures", "-faults", "-cache", "no-store"),
  ]);
});

after(async () => {
  await browser?.close();
  site?.close();
  data?.close();
  await zarr.terminate();
});

/** Runs a test on a page of its own, which must not throw and leaves a screenshot. */
function onPage(name, body) {
  test(name, async () => {
    await fetch(`${data.url}-/faults`, { method: "DELETE" });
    const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, colorScheme: "light" });
    const page = await context.newPage();
    page.setDefaultTimeout(patience);
    const wrong = [];
    page.on("pageerror", (error) => wrong.push(error.message));
    try {
      await body(page);
      assert.deepEqual(wrong, [], "errors of the page");
    } finally {
      await page.screenshot({ path: `${screenshots}/${name.replace(/[^a-z0-9]+/gi, "-")}.png` });
      await context.close();
    }
  });
}

/** Makes the server of the data answer wrongly for a key. */
async function fault(key, ...faults) {
  const answer = await fetch(`${data.url}-/faults`, { method: "POST", body: JSON.stringify({ key, faults }) });
  assert.equal(answer.status, 204);
}

/** Waits until the viewer is done, and tells whether it shows a picture or an error. */
async function settled(page) {
  // In one look: the viewer may be at the next thing by the second.
  const state = await page.waitForFunction(() => {
    const { state } = document.body.dataset;
    return state === "ready" || state === "error" ? state : false;
  });
  return state.jsonValue();
}

async function openSample(page) {
  await page.goto(site.url);
  assert.equal(await settled(page), "ready");
}

async function openUrl(page, path, more = "") {
  await page.goto(`${site.url}?url=${encodeURIComponent(new URL(path, data.url).href)}${more}`);
  return settled(page);
}

/** Types an address into the viewer's box. */
async function typeUrl(page, address) {
  await page.getByLabel("Address of a Zarr store").fill(address);
  // The state of before must not be taken for that of after.
  await page.evaluate(() => {
    document.body.dataset.state = "asked";
  });
  await page.keyboard.press("Enter");
  return settled(page);
}

/** Waits until the condition holds and the viewer is done, which may be a few frames and reads later. */
async function until(page, what, condition, argument) {
  const both = `document.body.dataset.state === "ready" && (${condition})(${JSON.stringify(argument)})`;
  // Asked again and again from here: the page's CSP lets waitForFunction take no text.
  for (const end = Date.now() + patience; !(await page.evaluate(both)); await sleep(20)) {
    assert.ok(Date.now() < end, `never came: ${what}`);
  }
}

/** How many colours the picture has. */
function coloursOf(page) {
  return page.locator("#picture").evaluate((canvas) => {
    const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
    return new Set(new Uint32Array(data.buffer)).size;
  });
}

/** A short word for what the picture shows, to see that it changes. */
function pictureHash(page) {
  return page.locator("#picture").evaluate((canvas) => {
    const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
    let hash = 0;
    for (const byte of data) hash = (Math.imul(hash, 31) + byte) | 0;
    return hash;
  });
}

async function shownSlice(page) {
  return page.locator("#picture").getAttribute("data-slice");
}

const alertText = (page) => page.getByRole("alert").innerText();

// ---- the sample ---------------------------------------------------------------------

onPage("sample is shown without a click", async (page) => {
  await openSample(page);
  assert.ok(await page.locator("#picture").isVisible());
  assert.ok((await coloursOf(page)) > 10, "a picture of few colours");
  assert.ok(await page.getByRole("alert").isHidden());
  await page.locator("#traffic", { hasText: /^\d+ requests, [\d.]+ [KMG]?i?B$/ }).waitFor();
});

onPage("a second visit asks for nothing that cannot have changed", async (page) => {
  const server = await serve("build/demo", "-faults");
  const own = async () =>
    (await (await fetch(`${server.url}-/faults`)).json()).requests
      .map(({ path }) => path)
      .filter((path) => !path.startsWith("/sample/") && path !== "/favicon.ico");
  try {
    await page.goto(server.url);
    assert.equal(await settled(page), "ready");
    const asked = await own();
    for (const name of [/\/main\.\w+\.js/, /\/style\.\w+\.css/, /\/worker\.\w+\.js/, /\/zarr\.\w+\.wasm/]) {
      assert.equal(asked.filter((path) => name.test(path)).length, 1, `${name} in ${asked}`);
    }
    await fetch(`${server.url}-/faults`, { method: "PUT" });
    await page.goto("about:blank");
    await page.goto(server.url);
    assert.equal(await settled(page), "ready");
    assert.deepEqual(await own(), ["/"]);
  } finally {
    server.close();
  }
});

onPage("tree leads to every array", async (page) => {
  await openSample(page);
  const tree = page.getByRole("tree");
  const names = ["t2m", "lat", "lon", "time", "station", "rain", "land"];
  for (const name of names) await tree.locator(`[data-path="/${name}"]`).waitFor();
  for (const name of ["rain", "lat", "station", "t2m"]) {
    await tree.locator(`[data-path="/${name}"]`).click();
    await page.getByRole("heading", { name }).waitFor();
    await until(
      page,
      `${name} selected`,
      (path) => document.querySelector(`[data-path="${path}"]`)?.ariaSelected === "true",
      `/${name}`,
    );
  }
});

onPage("tree is walked by keyboard", async (page) => {
  await openSample(page);
  const tree = page.getByRole("tree");
  const isRain = () => document.querySelector('[role="tree"] [aria-selected="true"]')?.dataset.path === "/rain";
  await tree.locator('[data-path="/rain"]').click();
  await until(page, "rain selected", isRain);
  await page.keyboard.press("Home");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await until(page, "another selected", () => {
    const selected = document.querySelector('[role="tree"] [aria-selected="true"]');
    return selected && selected.dataset.path !== "/rain";
  });
});

onPage("metadata and attributes are shown", async (page) => {
  await page.goto(`${site.url}?node=/t2m`);
  await settled(page);
  const text = await page.locator("#metadata").innerText();
  for (const word of ["31 × 19 × 36", "int16", "time, lat, lon", "blosc", "2 m temperature", "scale_factor"])
    assert.ok(text.includes(word), `no ${word} in: ${text}`);
});

onPage("slider moves by keyboard", async (page) => {
  await page.goto(`${site.url}?node=/t2m`);
  assert.equal(await settled(page), "ready");
  const before = await pictureHash(page);
  const at = await shownSlice(page);
  assert.match(at, /^0,/);
  await page.getByRole("slider").first().focus();
  const showsIndex = (index) => document.querySelector("#picture").dataset.slice?.startsWith(`${index},`);
  for (let i = 1; i <= 3; i++) await page.keyboard.press("ArrowRight");
  await until(page, "slice 3", showsIndex, 3);
  assert.notEqual(await pictureHash(page), before);
  await page.waitForURL(/i=3/);
  await page.keyboard.press("End");
  await until(page, "slice 30", showsIndex, 30);
});

onPage("value under the pointer is the stored one", async (page) => {
  await page.goto(`${site.url}?node=/t2m&i=5,0,0`);
  assert.equal(await settled(page), "ready");
  const box = await page.locator("#picture").boundingBox();
  const array = await zarr.open(`${site.url}sample/climate.zarr/t2m`, { kind: "array" });
  const seen = new Set();
  for (const [fx, fy] of [
    [0.5, 0.5],
    [0.4, 0.45],
    [0.62, 0.53],
  ]) {
    const before = await page.locator("#readout").innerText();
    await page.mouse.move(box.x + box.width * fx, box.y + box.height * fy);
    await page.waitForFunction(
      (text) =>
        document.querySelector("#readout").innerText !== text &&
        document.querySelector('#readout [data-testid="readout-value"]'),
      before,
    );
    // In one look: the readout changes as a whole.
    const [text, ...indices] = await page.evaluate(() =>
      ["value", "index"].flatMap((kind) =>
        [...document.querySelectorAll(`[data-testid="readout-${kind}"]`)].map((element) => element.innerText),
      ),
    );
    const [row, column] = indices.map((text) => Number(/^\S+\s+(\d+)/.exec(text)?.[1]));
    const value = await array.get([5, row, column]);
    assert.match(text.replace("−", "-"), new RegExp(`^value\\s+${value}(\\D|$)`), `at ${row}, ${column}: ${text}`);
    seen.add(`${row},${column}`);
  }
  assert.equal(seen.size, 3, "three places give three pixels");
});

onPage("second sample is one click away", async (page) => {
  await openSample(page);
  await page.getByRole("button", { name: "Microscopy" }).click();
  await page.getByRole("tree").locator('[data-path="/0"]').waitFor();
  assert.equal(await settled(page), "ready");
  assert.ok((await coloursOf(page)) > 10);
});

onPage("link brings back the same picture", async (page) => {
  await page.goto(`${site.url}?node=/t2m&i=7,0,0&cmap=magma`);
  assert.equal(await settled(page), "ready");
  const link = page.url();
  const hash = await pictureHash(page);
  await page.goto("about:blank");
  await page.goto(link);
  assert.equal(await settled(page), "ready");
  assert.equal(await shownSlice(page), "7,:,:");
  assert.equal(await pictureHash(page), hash);
});

// ---- data of another origin ---------------------------------------------------------

onPage("hierarchy of another origin opens by url", async (page) => {
  assert.equal(await openUrl(page, "ome/image_v05.zarr"), "ready");
  assert.ok((await coloursOf(page)) > 10);
  assert.equal(await openUrl(page, "v2/layout.zarr"), "ready");
});

onPage("address typed into the box opens", async (page) => {
  await openSample(page);
  const before = await pictureHash(page);
  assert.equal(await typeUrl(page, `${data.url}ome/image_v04.zarr/1`), "ready");
  assert.notEqual(await pictureHash(page), before);
  await page.waitForURL(/image_v04/);
});

onPage("a grid of more chunks than can be listed opens as any other", async (page) => {
  const folder = mkdtempSync(join(tmpdir(), "zarr-"));
  const huge = await serve(folder);
  try {
    const meta = {
      zarr_format: 3,
      node_type: "array",
      shape: [1e8, 64],
      data_type: "uint8",
      chunk_grid: { name: "rectilinear", configuration: { kind: "inline", chunk_shapes: [[[1, 1e8]], 64] } },
      chunk_key_encoding: { name: "default" },
      codecs: [{ name: "bytes" }],
      fill_value: 7,
      attributes: {},
    };
    writeFileSync(join(folder, "zarr.json"), JSON.stringify(meta));
    const started = Date.now();
    assert.equal(await openUrl(page, huge.url), "ready");
    assert.ok(Date.now() - started < 10_000, `it took ${Date.now() - started} ms`);
    assert.match(await page.getByTestId("metadata").innerText(), /Number of chunks\s+100\s000\s000/);
  } finally {
    huge.close();
    rmSync(folder, { recursive: true });
  }
});

// ---- what fails, in words -----------------------------------------------------------

/** The viewer says what is wrong, and after that opens good data without being loaded again. */
async function saysAndRecovers(page, ...words) {
  const text = await alertText(page);
  await page.screenshot({ path: `${screenshots}/error-${++told}.png` });
  for (const word of words) assert.match(text, word);
  assert.ok(!/undefined|\[object|NaN/.test(text), text);
  assert.equal(await typeUrl(page, `${data.url}xarray/climate_v3.zarr`), "ready");
  assert.ok(await page.getByRole("alert").isHidden());
  assert.ok((await coloursOf(page)) > 10);
}

onPage("wrong address is told", async (page) => {
  await openSample(page);
  assert.equal(await typeUrl(page, "ftp://nowhere.example/x.zarr"), "error");
  await saysAndRecovers(page, /address/i);
});

onPage("missing hierarchy is told", async (page) => {
  assert.equal(await openUrl(page, "no/such.zarr"), "error");
  await saysAndRecovers(page, /Nothing found/, /zarr\.json/, /no\/such\.zarr/);
});

onPage("failing server is told", async (page) => {
  await fault("v3/layout.zarr/zarr.json", { status: 500, body: "oh" });
  assert.equal(await openUrl(page, "v3/layout.zarr"), "error");
  await saysAndRecovers(page, /500/, /zarr\.json/);
});

onPage("server that does not allow other pages is told", async (page) => {
  for (const key of ["zarr.json", ".zarray", ".zgroup", ".zattrs", ".zmetadata"]) {
    await fault(`v2/layout.zarr/${key}`, { noCORS: true });
  }
  assert.equal(await openUrl(page, "v2/layout.zarr"), "error");
  await saysAndRecovers(page, /CORS/);
});

onPage("page in place of data is told", async (page) => {
  await fault("*", { html: true });
  assert.equal(await openUrl(page, "v2/no.zarr"), "error");
  const text = await alertText(page);
  assert.match(text, /page|HTML/i);
  await fetch(`${data.url}-/faults`, { method: "DELETE" });
  await saysAndRecovers(page);
});

onPage("truncated metadata is told", async (page) => {
  assert.equal(await openUrl(page, "corrupt/v3m_json_broken.zarr"), "error");
  await saysAndRecovers(page, /metadata/i, /zarr\.json/, /line 1/);
});

onPage("unknown codec is told", async (page) => {
  assert.equal(await openUrl(page, "corrupt/v3m_codec_unknown.zarr"), "error");
  await saysAndRecovers(page, /codec/i, /no\.such\.codec/);
});

onPage("corrupt chunk is told", async (page) => {
  assert.equal(await openUrl(page, "corrupt/v2_zlib_checksum.zarr"), "error");
  await saysAndRecovers(page, /chunk/i, /0\.1/, /checksum/);
});

onPage("zarr-full.wasm comes with the first array that needs it", async (page) => {
  let full = 0;
  // The context sees the requests of workers too.
  page.context().on("request", (request) => {
    if (/\/zarr-full\.[^/]*wasm$/.test(request.url())) full++;
  });
  assert.equal(await openUrl(page, "v2/compressor.zarr/zlib_1"), "ready");
  assert.equal(full, 0);
  assert.equal(await openUrl(page, "v2/compressor.zarr/bz2_1"), "ready");
  assert.equal(full, 1);
});

onPage("retry reads what works again", async (page) => {
  await fault("xarray/climate_v3.zarr/zarr.json", { status: 404 });
  assert.equal(await openUrl(page, "xarray/climate_v3.zarr"), "error");
  await fetch(`${data.url}-/faults`, { method: "DELETE" });
  await page.getByRole("button", { name: "Retry" }).click();
  await page.waitForFunction(() => document.body.dataset.state === "ready");
  assert.ok((await coloursOf(page)) > 10);
});

// Uses the viewer like a person, in Chromium or in the browser that ENGINE names. The visit covers
// the sample, a picture of known colours, a step, the value under the pointer, an error and the
// recovery from it.
//
//   node --test tests/browser/journey.mjs
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { after, test } from "node:test";
import * as zarr from "../../dist/node.js";
import { chosen, openEngine, until } from "../lib/browsers.mjs";
import { serve, top } from "../lib/serve.mjs";

const store = "xarray/climate_v3.zarr";
const slow = { timeout: 180_000 };
const manifest = JSON.parse(readFileSync(`${top}build/fixtures/manifest.json`, "utf8"));

const [browser, site, data] = await Promise.all([
  openEngine(chosen, { webgl: true }),
  serve("build/demo"),
  serve("build/fixtures"),
]);
const page = await browser.newTab(site.url);
after(async () => {
  // WebKit reports this when an observer's callback changes the layout, which is then observed in
  // the next frame.
  const wrong = page?.errors.filter((text) => !/^ResizeObserver loop/.test(text));
  assert.deepEqual(wrong, []);
  await browser.close();
  site.close();
  data.close();
  zarr.terminate();
});

/** The viewer's state when it has settled: "ready" or "error". */
const settled = () =>
  until(page, "a viewer that is done", () => {
    const { state } = document.body.dataset;
    return (state === "ready" || state === "error") && state;
  });

/** Opens the viewer's page with a state. */
async function open(hash) {
  await page.goto(`${site.url}tree.html`);
  await page.goto(`${site.url}${hash}`);
  return settled();
}

/** Waits until the picture has not moved for two frames: changes of the bars beside it move it. */
const laidOut = () =>
  page.evaluate(async () => {
    const canvas = document.querySelector("zarr-view").shadowRoot.querySelector("canvas");
    for (let before = ""; ; ) {
      await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
      const box = JSON.stringify(canvas.getBoundingClientRect());
      if (box === before) return;
      before = box;
    }
  });

const link = (node, more) => `#url=${encodeURIComponent(data.url + store)}&node=/${node}${more}`;

/** The colours at the centres of an array's elements on the picture, by the camera. */
const coloursOf = (width, height, camera) =>
  page.evaluate(
    (width, height, { x, y, zoom }) => {
      const view = document.querySelector("zarr-view");
      view.figure(); // paints pending changes
      const drawn = view.shadowRoot.querySelector("canvas");
      const copy = document.createElement("canvas");
      [copy.width, copy.height] = [drawn.width, drawn.height];
      const context = copy.getContext("2d");
      context.drawImage(drawn, 0, 0);
      const { data } = context.getImageData(0, 0, copy.width, copy.height);
      const found = [];
      for (let row = 0; row < height; row++) {
        for (let column = 0; column < width; column++) {
          const px = Math.floor(copy.width / 2 + (column + 0.5 - x) * zoom);
          const py = Math.floor(copy.height / 2 + (row + 0.5 - y) * zoom);
          if (px < 0 || py < 0 || px >= copy.width || py >= copy.height)
            throw new Error(`not on screen: ${column}, ${row}`);
          found.push([...data.subarray((py * copy.width + px) * 4, (py * copy.width + px) * 4 + 4)]);
        }
      }
      return found;
    },
    width,
    height,
    camera,
  );

/** The variable's elements by the manifest, and their expected display. */
async function variable() {
  const array = await zarr.open(`${data.url}${store}/t2m`, { kind: "array" });
  const entry = manifest.cases.find((one) => one.store === store && one.array === "t2m");
  const { data: values } = await array.get();
  const bytes = new Uint8Array(values.buffer, values.byteOffset, values.byteLength);
  assert.equal(createHash("sha256").update(bytes).digest("hex"), entry.expected.sha256);
  const { scale_factor: scale, add_offset: offset, missing_value: missing } = entry.cf_decoded;
  const [, height, width] = array.shape;
  return { values, width, height, missing, physical: (value) => value * scale + offset };
}

/** The expected gray picture of one time of the variable. */
function grays({ values, width, height, missing, physical }, time, [low, high]) {
  return Array.from(values.subarray(time * width * height, (time + 1) * width * height), (value) => {
    if (value === missing) return [0, 0, 0, 0];
    const share = Math.min(1, Math.max(0, (physical(value) - low) / (high - low)));
    const level = Math.min(255, Math.floor(share * 256));
    return [level, level, level, 255];
  });
}

function same(found, wanted) {
  const wrong = wanted.flatMap((colour, i) =>
    colour.every((part, k) => Math.abs(part - found[i][k]) <= 1) ? [] : [i],
  );
  const [first] = wrong;
  assert.equal(
    wrong.length,
    0,
    `${wrong.length} of ${wanted.length}; ${first} is ${found[first]} for ${wanted[first]}`,
  );
}

const range = [268.5, 291.25];
// All elements are in a picture 176 pixels high, as in a window of 800 x 600.
const camera = { x: 18, y: 9.5, zoom: 8 };
const view = `&colormap=gray&up=false&range=${range}&camera=${Object.values(camera)}`;

test("the sample is shown without a click", slow, async () => {
  assert.equal(await settled(), "ready");
  const colours = await page.evaluate(() => {
    const canvas = document.querySelector("zarr-view").figure();
    const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
    return new Set(new Uint32Array(data.buffer)).size;
  });
  assert.ok(colours > 100, `a picture of ${colours} colours`);
});

test("a picture has the colours of its elements, also after a step", slow, async () => {
  const t2m = await variable();
  assert.equal(await open(link("t2m", `&index=time:20${view}`)), "ready");
  same(await coloursOf(t2m.width, t2m.height, camera), grays(t2m, 20, range));
  await page.evaluate(() => {
    document.body.dataset.state = "asked"; // a state from before the change must not count
    const slider = document.querySelector("zarr-view").shadowRoot.querySelector("input[type=range]");
    slider.value = 21;
    slider.dispatchEvent(new Event("input", { bubbles: true }));
    slider.dispatchEvent(new Event("change", { bubbles: true }));
  });
  assert.equal(await settled(), "ready");
  await until(page, "the step in the link", () => /index=time:21/.test(location.hash));
  same(await coloursOf(t2m.width, t2m.height, camera), grays(t2m, 21, range));
});

test("under the pointer is the exact element", slow, async () => {
  const t2m = await variable();
  assert.equal(await open(link("t2m", `&index=time:20${view}`)), "ready");
  for (const [column, row] of [
    [3, 4],
    [30, 17],
  ]) {
    await laidOut();
    const detail = await page.evaluate(
      (column, row, { x, y, zoom }) => {
        const view = document.querySelector("zarr-view");
        const surface = view.shadowRoot.querySelector("[role=application]");
        const box = view.shadowRoot.querySelector("canvas").getBoundingClientRect();
        const clientX = box.left + box.width / 2 + (column + 0.5 - x) * zoom;
        const clientY = box.top + box.height / 2 + (row + 0.5 - y) * zoom;
        const told = new Promise((resolve) =>
          view.addEventListener("pointer", (event) => resolve(event.detail), { once: true }),
        );
        const event = { clientX, clientY, bubbles: true, composed: true, pointerType: "mouse", pointerId: 1 };
        surface.dispatchEvent(new PointerEvent("pointermove", event));
        return told.then(({ index, value }) => ({
          index,
          value,
          text: view.shadowRoot.querySelector(".readout .value").textContent,
        }));
      },
      column,
      row,
      camera,
    );
    assert.deepEqual(detail.index, { time: 20, lat: row, lon: column });
    const stored = t2m.values[(20 * t2m.height + row) * t2m.width + column];
    assert.equal(detail.value, stored);
    assert.ok(Math.abs(Number.parseFloat(detail.text) - t2m.physical(stored)) < 0.01, `${detail.text} of ${stored}`);
  }
});

test("a missing node shows an error, and another address opens", slow, async () => {
  assert.equal(await open(`#url=${encodeURIComponent(`${data.url}nothing.zarr`)}`), "error");
  const alert = await page.evaluate(() => document.querySelector("[role=alert]").innerText);
  assert.match(alert, /nothing\.zarr/);
  await page.evaluate((address) => {
    document.body.dataset.state = "asked";
    document.querySelector("#url").value = address;
    document.querySelector("#open-form").requestSubmit();
  }, data.url + store);
  assert.equal(await settled(), "ready");
  assert.equal(await page.evaluate(() => document.querySelector("[role=alert]").checkVisibility()), false);
});

// Maps in projections: the shader, the canvas and the pointer agree, and a person turns the globe,
// reads values and shares the view.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { fullRun, turns } from "../../lib/rounds.mjs";
import { bundled, screenshots, viewing } from "../../lib/viewpage.mjs";

const [host, plain] = await Promise.all([viewing(), viewing({ webgl: false })]);
after(() => Promise.all([host.close(), plain.close()]));

const script = `
import { createPainter } from "./view/paint/create.js";
import { projected } from "./view/globe/index.js";
import { projectionNames } from "./view/state.js";
import { random } from "../tests/lib/random.mjs";

const coordinate = (length, number) => ({ kind: "number", name: "", units: "", length, number, text: String, find: () => undefined });

/** Grids with and without a seam, even and uneven, of any direction. */
const grids = {
  global: [720, 361, (i) => 0.5 * i, (i) => 90 - 0.5 * i],
  west: [360, 180, (i) => -179.5 + i, (i) => -89.5 + i],
  falling: [360, 180, (i) => 179.5 - i, (i) => 89.5 - i],
  gaussian: [320, 160, (i) => 1.125 * i, (i) => 89.1 * Math.sin(((79.5 - i) / 79.5) * (Math.PI / 2)) ],
  region: [300, 200, (i) => 170 + 0.1 * i, (i) => 60 - 0.1 * i],
  uneven: [200, 100, (i) => -30 + 0.2 * i + 0.002 * i * i, (i) => 10 + 0.3 * i + 0.001 * i * i],
  fine: [40000, 20000, (i) => -179.9955 + 0.009 * i, (i) => 89.9955 - 0.009 * i],
};

/** Paints a grid whose colours are the places of its elements. Compares each pixel with the pointer's formulas. */
export function compared(webgl, name, kind, seed) {
  const next = random(seed);
  const [columns, rows, longitude, latitude] = grids[kind];
  const [width, height] = [240, 160];
  const canvas = document.createElement("canvas");
  Object.assign(canvas, { width, height });
  const painter = createPainter(canvas, { webgl });
  if (painter.kind !== (webgl ? "webgl2" : "canvas")) throw new Error("drawn by " + painter.kind);
  const field = { place: { lonLat: true } };
  const plane = { x: { coordinate: coordinate(columns, longitude) }, y: { coordinate: coordinate(rows, latitude) } };
  const view = { x: 0, y: 0, width, height };
  let map = projected(name, field, plane, null, view);
  const chosen = { x: next.real(0, columns), y: next.real(0, rows), zoom: map.eye.zoom * 2 ** next.real(0, kind === "fine" ? 9 : 4) };
  if (next.chance(0.8)) map = projected(name, field, plane, chosen, view);
  // The tiles around the seen part, as far as this test's memory allows; others stay empty.
  const seen = map.seen;
  const [left, top] = [Math.max(0, Math.floor(Math.min(seen.left, columns - 1) / 512) * 512), Math.max(0, Math.floor(Math.max(0, seen.top) / 512) * 512)];
  const tiles = [];
  for (let y = top; y < Math.min(rows, top + 1024); y += 512)
    for (let x = left; x < Math.min(columns, left + 1024); x += 512) {
      const [w, h] = [Math.min(512, columns - x), Math.min(512, rows - y)];
      const data = new Uint8Array(w * h * 3);
      for (let j = 0; j < h; j++)
        for (let i = 0; i < w; i++) {
          const at = 3 * (j * w + i);
          data[at] = (x + i) & 255;
          data[at + 1] = (y + j) & 255;
          data[at + 2] = (((x + i) >> 8) & 15) | ((((y + j) >> 8) & 15) << 4);
        }
      tiles.push({ texture: painter.load({ width: w, height: h, parts: 3, data }), x, y, width: w, height: h });
    }
  const layers = [{ tiles, opacity: 1, style: { kind: "colour", range: [0, 255] } }];
  const globe = map.reprojected(1);
  let done = painter.paint({ camera: { scaleX: 1, scaleY: 1, originX: 0, originY: 0 }, layers, globe });
  for (let k = 0; !done && k < 1000; k++) done = painter.paint({ camera: { scaleX: 1, scaleY: 1, originX: 0, originY: 0 }, layers, globe });
  const copy = document.createElement("canvas");
  Object.assign(copy, { width, height });
  const context = copy.getContext("2d");
  context.drawImage(canvas, 0, 0);
  const { data } = context.getImageData(0, 0, width, height);
  const wrong = [];
  let [shown, near] = [0, 0];
  for (let py = 0; py < height; py++)
    for (let px = 0; px < width; px++) {
      const at = map.elementAt(px + 0.5, py + 0.5);
      const [x, y] = [Math.floor(at.x), Math.floor(at.y)];
      const held = tiles.some((t) => x >= t.x && x < t.x + t.width && y >= t.y && y < t.y + t.height);
      const [r, g, b, a] = data.subarray(4 * (py * width + px));
      const is = a === 0 ? "nothing" : [r, g, b].join();
      const should = held ? [x & 255, y & 255, ((x >> 8) & 15) | (((y >> 8) & 15) << 4)].join() : "nothing";
      if (held) shown++;
      if (is === should) continue;
      // At the edge of an element the shader's single precision may choose its neighbour, and at
      // the edge of the map nothing.
      const least = webgl ? 0.02 + 3e-6 * Math.max(columns, rows) : 0;
      const edge = (value) => Math.abs(value - Math.round(value)) < least;
      const around = [-0.01, 0.01].some((d) => [map.elementAt(px + 0.5 + d, py + 0.5), map.elementAt(px + 0.5, py + 0.5 + d)].some((one) => Number.isNaN(one.x) !== Number.isNaN(at.x) || Math.floor(one.x) !== x || Math.floor(one.y) !== y));
      if (webgl && (edge(at.x) || edge(at.y) || around)) near++;
      else wrong.push([px, py, at.x, at.y, is, should].join(" "));
    }
  // Whatever is drawn was asked for.
  const outside = [];
  const period = 360 / Math.abs((longitude(columns - 1) - longitude(0)) / (columns - 1));
  for (let k = 0; k < 3000; k++) {
    const at = map.elementAt(next.real(0, width), next.real(0, height));
    if (!(at.x >= 0 && at.x < columns && at.y >= 0 && at.y < rows)) continue;
    const wide = [-period, 0, period].some((turn) => at.x + turn >= seen.left && at.x + turn <= seen.right);
    if (!wide || at.y < seen.top || at.y > seen.bottom) outside.push([at.x, at.y, JSON.stringify(seen)].join(" "));
  }
  painter.close();
  return { wrong: wrong.slice(0, 5), count: wrong.length, near, shown, outside: outside.slice(0, 3) };
}
export { grids, projectionNames };
`;

let painted;
async function paintedPage() {
  if (painted) return painted;
  const address = await bundled("globe", script);
  painted = await host.page(`<script type="module">window.t = await import("${host.url}${address}");</script>`);
  await painted.waitForFunction(() => window.t);
  return painted;
}

for (const webgl of [true, false])
  test(`each pixel shows the element that the pointer reports, ${webgl ? "by WebGL2" : "without WebGL"}`, async () => {
    const page = await paintedPage();
    const names = await page.evaluate(() => [t.projectionNames, Object.keys(t.grids)]);
    let total = 0;
    for (const name of names[0])
      for (const kind of names[1])
        for (const seed of webgl ? turns([1, 2], 2) : [1]) {
          const run = ([webgl, name, kind, seed]) => t.compared(webgl, name, kind, seed);
          const { wrong, count, near, shown, outside } = await page.evaluate(run, [webgl, name, kind, seed]);
          const what = `${name} of ${kind}, seed ${seed}`;
          assert.equal(count, 0, `${what}: ${count} of ${shown} pixels: ${wrong.join("; ")}`);
          assert.ok(near <= 40 + shown * 0.1, `${what}: ${near} of ${shown} pixels at edges`);
          assert.deepEqual(outside, [], what);
          total += shown;
        }
    assert.ok(total > 150_000, `${total} pixels`);
  });

/** The value of an element of the page's grid. */
const storedAt = (time, row, column) => 1e6 * time + 1000 * row + column;
const [columns, rows, times] = [144, 73, 3];

/** A view of a global grid with a time axis, with these attributes. */
async function shown(on, attributes = "", more = {}) {
  const page = await on.element(attributes, {
    style: "height: 100vh; width: 100vw",
    script: `
    const [columns, rows, times] = [${columns}, ${rows}, ${times}];
    const array = (shape, chunks, dimension_names, attributes) =>
      json(arrayV3(shape, "float64", { chunks, dimension_names, attributes }));
    const bytes = (length, number) => new Uint8Array(Float64Array.from({ length }, (_, i) => number(i)).buffer);
    const store = new Map([
      ["/zarr.json", json(groupV3())],
      ["/lon/zarr.json", array([columns], [columns], ["lon"], { units: "degrees_east" })],
      ["/lat/zarr.json", array([rows], [rows], ["lat"], { units: "degrees_north" })],
      ["/v/zarr.json", array([times, rows, columns], [1, rows, 36], ["time", "lat", "lon"], { units: "K" })],
      ["/lon/c/0", bytes(columns, (i) => 2.5 * i)],
      ["/lat/c/0", bytes(rows, (i) => 90 - 2.5 * i)],
    ]);
    const storedAt = ${storedAt};
    for (let time = 0; time < times; time++)
      for (let k = 0; k < 4; k++)
        store.set("/v/c/" + time + "/0/" + k, bytes(rows * 36, (i) => storedAt(time, Math.floor(i / 36), k * 36 + (i % 36))));
    window.read = [];
    view.source = { get: async (key) => { read.push(key); return store.get(key); } };
    view.setAttribute("node", "/v");`,
    width: 1280,
    height: 800,
    ...more,
  });
  await page.settled();
  return page;
}

/** Opens the controls of a narrow view, and chooses a projection there. */
async function choose(page, label) {
  const opener = page.getByRole("button", { name: "Controls" });
  const narrow = await opener.isVisible();
  if (narrow) await opener.click();
  await page.getByRole("combobox", { name: "Projection" }).selectOption({ label });
  if (narrow) await opener.click();
  await page.settled();
}

async function drag(page, dx, dy) {
  const { x, y, width, height } = await page.getByRole("application").boundingBox();
  const before = await page.evaluate(() => JSON.stringify(view.camera));
  await page.mouse.move(x + width / 2, y + height / 2);
  await page.mouse.down();
  await page.mouse.move(x + width / 2 + dx, y + height / 2 + dy, { steps: 5 });
  await page.mouse.up();
  await page.waitForFunction((before) => JSON.stringify(view.camera) !== before, before);
  await page.settled();
}

/** Points at places of the picture, and compares their values. Returns the number of places. */
async function values(page, time = 0) {
  let found = 0;
  for (const [x, y] of [
    [0.5, 0.5],
    [0.42, 0.4],
    [0.58, 0.6],
    [0.5, 0.3],
    [0.55, 0.75],
    [0.45, 0.55],
  ]) {
    const told = await page.pointed(x, y);
    if (!told) continue;
    assert.equal(told.value, storedAt(time, told.index.lat, told.index.lon), JSON.stringify(told));
    found++;
  }
  return found;
}

const labels = {
  Globe: "orthographic",
  "Equal Earth": "equal-earth",
  Mercator: "mercator",
  "North pole": "north-polar",
  "South pole": "south-polar",
};

// The pixels of each projection have tests of their own.
for (const [label, name] of turns(Object.entries(labels), 3))
  test(`a person chooses ${label}, turns it, reads values and shares it`, async () => {
    for (const on of fullRun || name === "orthographic" ? [host, plain] : [plain]) {
      const page = await shown(on);
      await choose(page, label);
      assert.equal(await page.evaluate(() => view.getAttribute("projection")), name);
      assert.equal(await values(page), 6, `${name}: values before it is turned`);
      const read = await page.evaluate(() => window.read.length);
      const before = await page.pointed(0.5, 0.5);
      await drag(page, 90, 40);
      await drag(page, 150, 0);
      const moved = await page.pointed(0.5, 0.5);
      assert.notDeepEqual(moved?.index, before.index, "the picture has turned");
      assert.ok((await values(page)) >= 4, `${name}: values after it is turned`);
      assert.equal(await page.evaluate(() => window.read.length), read, "no value is read again");
      const scheme = on === host ? "webgl" : "canvas";
      await page.mouse.move(1, 1);
      await page.screenshot({ path: `${screenshots}/globe-${name}-${scheme}.png` });
      // The link opens the same view.
      const attributes = await page.evaluate(() =>
        ["projection", "camera"].map((name) => `${name}="${view.getAttribute(name)}"`).join(" "),
      );
      const again = await shown(on, attributes);
      const there = await again.pointed(0.5, 0.5);
      assert.deepEqual(there?.index, moved?.index);
      for (const one of [page, again]) {
        assert.deepEqual(one.wrong, []);
        await one.context().close();
      }
    }
  });

test("the globe works by keyboard: arrows turn it, Shift moves the cursor, + zooms, 0 shows all", async () => {
  const page = await shown(plain, 'projection="orthographic"');
  await page.getByRole("application").focus();
  const centre = async () => (await page.pointed(0.5, 0.5)).index;
  const first = await centre();
  await page.keyboard.press("ArrowRight");
  await page.waitForFunction(() => view.camera !== undefined);
  const right = await centre();
  assert.ok(right.lon > first.lon && right.lat === first.lat, "the globe turns to the east");
  await page.keyboard.press("Shift+ArrowRight");
  await page.waitForFunction((lon) => pointing.told?.index.lon === lon + 1, right.lon);
  const zoom = await page.evaluate(() => view.camera.zoom);
  await page.keyboard.press("+");
  await page.waitForFunction((zoom) => view.camera.zoom > zoom, zoom);
  await page.keyboard.press("0");
  await page.waitForFunction(() => view.camera === undefined);
  assert.deepEqual(await centre(), first);
  await page.end();
});

test("a click on the globe adds the series of the place", async () => {
  const page = await shown(plain, 'projection="orthographic" series="time"');
  const told = await page.pointed(0.45, 0.4);
  await page.mouse.down();
  await page.mouse.up();
  await page.waitForFunction(() => view.series?.points.length === 1);
  assert.deepEqual(await page.evaluate(() => view.series.points[0]), [told.index.lon, told.index.lat]);
  await page.settled();
  await page.screenshot({ path: `${screenshots}/globe-series.png` });
  await page.end();
});

for (const colorScheme of ["light", "dark"])
  test(`the globe fits a phone, ${colorScheme}`, async () => {
    const page = await shown(plain, "", { width: 390, height: 844, colorScheme });
    await choose(page, "Globe");
    assert.equal(await values(page), 6);
    await page.screenshot({ path: `${screenshots}/globe-phone-${colorScheme}.png` });
    await page.end();
  });

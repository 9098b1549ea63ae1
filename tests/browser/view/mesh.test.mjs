// Curvilinear grids in the element: drawn at their cells' positions on the Earth, compared with
// formulas, and as rows and columns.
import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { after, test } from "node:test";
import { stored } from "../../describe/stored.mjs";
import { top } from "../../lib/serve.mjs";
import { screenshots, viewing } from "../../lib/viewpage.mjs";

const [host, plain] = await Promise.all([viewing(), viewing({ webgl: false })]);
after(() => Promise.all([host.close(), plain.close()]));

const folder = "build/test/mesh";

function write(name, nodes) {
  for (const [key, bytes] of stored(nodes, { consolidated: true })) {
    const file = join(top, folder, `${name}.zarr`, key);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, bytes);
  }
}

const grid = (height, width, of) =>
  Array.from({ length: height * width }, (_, k) => of(Math.floor(k / width), k % width));
const two = (height, width, name, of, more = {}) => ({
  shape: [height, width],
  dims: ["j", "i"],
  dtype: "float32",
  values: grid(height, width, of),
  attributes: {
    units: name === "lat" ? "degrees_north" : "degrees_east",
    standard_name: name === "lat" ? "latitude" : "longitude",
    ...more,
  },
});

const [H, W] = [20, 30];
const masked = (j, i) => j >= 8 && j < 11 && i >= 12 && i < 16;
/** Across the antimeridian, rows from the north; some cells have no position. */
const place = (j, i) => [160 + 2 * i + j, 60 - 2 * j - 0.5 * i];
const wrapped = (lon) => (lon > 180 ? lon - 360 : lon);
const value = (time, j, i) => ((j + i) % 2 === 0 ? 0 : 100) + time;

function sheared() {
  const none = 9.96921e36;
  return {
    chess: {
      shape: [4, H, W],
      dims: ["time", "j", "i"],
      dtype: "int16",
      values: [0, 1, 2, 3].flatMap((time) => grid(H, W, (j, i) => value(time, j, i))),
      attributes: { coordinates: "lat lon", units: "1", long_name: "chess" },
    },
    lat: two(H, W, "lat", (j, i) => (masked(j, i) ? none : place(j, i)[1]), { _FillValue: none }),
    lon: two(H, W, "lon", (j, i) => (masked(j, i) ? none : wrapped(place(j, i)[0])), { _FillValue: none }),
  };
}

/** A polar grid of temperatures. */
function arctic() {
  const n = 120;
  const at = (j, i) => {
    const [x, y] = [(i - 59.5) * 0.008, (j - 59.5) * 0.008];
    const deg = 180 / Math.PI;
    return [Math.atan2(x, -y) * deg, 90 - 2 * Math.atan(Math.hypot(x, y)) * deg];
  };
  return {
    tas: {
      shape: [n, n],
      dims: ["j", "i"],
      dtype: "float32",
      values: grid(n, n, (j, i) => {
        const [lon, lat] = at(j, i);
        return 255 + (90 - lat) * 0.7 + 6 * Math.sin((3 * lon * Math.PI) / 180) * Math.cos((lat * Math.PI) / 180);
      }),
      attributes: { coordinates: "lat lon", units: "K", long_name: "air temperature" },
    },
    lat: two(n, n, "lat", (j, i) => at(j, i)[1]),
    lon: two(n, n, "lon", (j, i) => at(j, i)[0]),
  };
}

/** More cells than a map draws. */
function large() {
  const n = 1500;
  return {
    data: {
      shape: [n, n],
      dims: ["j", "i"],
      dtype: "int16",
      values: grid(n, n, (j, i) => j + i),
      attributes: { coordinates: "lat lon" },
    },
    lat: two(n, n, "lat", (j) => 40 - j * 0.01),
    lon: two(n, n, "lon", (j, i) => 5 + i * 0.01 + j * 0.002),
  };
}

for (const [name, nodes] of Object.entries({ sheared: sheared(), arctic: arctic(), large: large() }))
  write(name, nodes);

async function shown(name, attributes, { on = host, ...options } = {}) {
  const page = await on.element(`src="${on.url}${folder}/${name}.zarr" ${attributes}`, options);
  return Object.assign(page, {
    names: () => page.evaluate(() => view.shown.field.axes.map(({ name }) => name)),
    /** Moves the centre of the picture to a place, and returns its position on the page. */
    goTo: async (lon, lat) => {
      await page.evaluate(
        async ([lon, lat]) => {
          const { axes, plane } = view.shown.field;
          const [across, down] = await Promise.all([plane.value.x, plane.value.y].map((d) => axes[d].coordinate()));
          const at = (of, value) => (value - of.number(0)) / (of.number(1) - of.number(0)) + 0.5;
          view.camera = { x: at(across, lon), y: at(down, lat), zoom: 24 };
        },
        [lon, lat],
      );
      await page.settled();
      return page.evaluate(() => {
        const box = view.shadowRoot.querySelector(".pixels").getBoundingClientRect();
        return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
      });
    },
    /** The colour of the figure at a point of the page. */
    colourAt: ({ x, y }) =>
      page.evaluate(
        ([x, y]) => {
          const box = view.shadowRoot.querySelector(".surface").getBoundingClientRect();
          const ratio = devicePixelRatio;
          const context = view.figure().getContext("2d");
          return [...context.getImageData(Math.floor((x - box.x) * ratio), Math.floor((y - box.y) * ratio), 1, 1).data];
        },
        [x, y],
      ),
  });
}

for (const [painter, on] of [
  ["by WebGL", () => host],
  ["without it", () => plain],
]) {
  test(`${painter}, cells are coloured at their places, across the antimeridian, and masked places are empty`, async () => {
    const page = await shown("sheared", 'node="/chess" index="time:2" range="2,102" colormap="viridis"', { on: on() });
    await page.settled();
    assert.deepEqual(await page.names(), ["time", "lat", "lon"]);
    const outside = await page.colourAt(await page.goTo(175, 20));
    let seen = 0;
    for (const [j, i] of [
      [0, 0],
      [0, 29],
      [19, 0],
      [19, 29],
      [5, 8],
      [5, 9],
      [9, 13],
      [12, 20],
      [13, 20],
    ]) {
      const [lon, lat] = place(j, i);
      const colour = await page.colourAt(await page.goTo(lon + 0.2, lat - 0.1));
      // The ends of the colour map; empty parts of the figure have the page's colour.
      const [first, last] = [
        [68, 1, 84, 255],
        [253, 231, 37, 255],
      ];
      assert.deepEqual(colour, masked(j, i) ? outside : (j + i) % 2 === 0 ? first : last, `row ${j}, column ${i}`);
      seen++;
    }
    assert.equal(seen, 9);
    assert.deepEqual(outside, [255, 255, 255, 255]);
    await page.end();
  });
}

test("the pointer shows the cell with its place, and a click plots its series", async () => {
  const page = await shown("sheared", 'node="/chess" index="time:1"');
  await page.settled();
  for (const [j, i] of [
    [3, 4],
    [18, 27],
    [9, 14],
  ]) {
    const at = await page.goTo(...place(j, i));
    const detail = await page.pointedAt(at.x, at.y);
    if (masked(j, i)) {
      assert.deepEqual([detail.text, detail.index], ["missing", { time: 1 }]);
      continue;
    }
    assert.deepEqual(detail.index, { time: 1, j, i });
    assert.equal(detail.value, value(1, j, i));
    const [lon, lat] = [wrapped(place(j, i)[0]), place(j, i)[1]];
    const degrees = (n, [east, west]) => `${Math.abs(n)}°${n < 0 ? west : east}`;
    assert.deepEqual(detail.coordinates, { lat: degrees(lat, "NS"), lon: degrees(lon, "EW") });
    const readout = await page.locator(".readout").innerText();
    for (const text of [`j ${j}`, `i ${i}`, degrees(lat, "NS"), degrees(lon, "EW")])
      assert.ok(readout.includes(text), readout);
  }
  await page.getByRole("button", { name: "Series" }).click();
  await page.getByRole("group", { name: "Series" }).waitFor();
  const at = await page.goTo(...place(5, 8));
  await page.mouse.click(at.x, at.y);
  const plot = page.getByRole("slider", { name: "chess along time" });
  await page.waitForFunction(() => view.shadowRoot.querySelectorAll(".plot-series").length === 1);
  await plot.focus();
  await plot.press("Home");
  await plot.press("ArrowRight");
  await page.waitForFunction(
    (text) => view.shadowRoot.querySelector(".plot-canvas").ariaValueText?.includes(text),
    String(value(1, 5, 8)),
  );
  await page.end();
});

test("a button changes between the map and rows and columns, the state says which, and a link shows it", async () => {
  const page = await shown("sheared", 'node="/chess"');
  await page.settled();
  const button = page.getByRole("button", { name: "Map", exact: true });
  assert.equal(await button.getAttribute("aria-pressed"), "true");
  await page.screenshot({ path: `${screenshots}/element-curvilinear.png` });
  await button.click();
  await page.waitForFunction(() => view.getAttribute("map") === "false");
  await page.settled();
  assert.deepEqual(await page.names(), ["time", "j", "i"]);
  assert.equal((await page.last("state")).map, false);
  assert.equal(await button.getAttribute("aria-pressed"), "false");
  const link = await page.evaluate(async () => {
    const { formatState, parseState } = await import("zarr-wasm/view");
    return [formatState(view.state), parseState(formatState(view.state)).state];
  });
  assert.deepEqual(link, ["node=/chess&map=false", { node: "/chess", map: false }]);
  await button.click();
  await page.waitForFunction(() => view.getAttribute("map") === "true");
  await page.settled();
  assert.deepEqual(await page.names(), ["time", "lat", "lon"]);
  // Other axes are rows and columns.
  await page.evaluate(() => view.setAttribute("axes", "time,j"));
  await page.waitForFunction(() => view.shown?.field.axes[1].name === "j");
  await page.settled();
  // A step does not rebuild the map.
  await page.evaluate(() => {
    view.removeAttribute("axes");
  });
  await page.waitForFunction(() => view.shown?.field.axes[1].name === "lat");
  await page.settled();
  const same = await page.evaluate(async () => {
    const { field } = view.shown;
    view.index = { time: 3 };
    while (view.loading) await new Promise(requestAnimationFrame);
    return view.shown.field === field;
  });
  assert.equal(same, true);
  await page.end();
});

test("a polar grid is drawn with coastlines, and its slice is a GeoTIFF", async () => {
  const page = await shown("arctic", 'node="/tas" controls="all"', { width: 1100, height: 620 });
  await page.settled();
  await page.waitForFunction(() =>
    performance.getEntriesByType("resource").some(({ name }) => /view-coast/.test(name)),
  );
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
  await page.screenshot({ path: `${screenshots}/element-curvilinear-polar.png` });
  await page.getByRole("button", { name: "Take away" }).click();
  const code = page.getByRole("menuitem", { name: "Code for this slice" });
  assert.equal(await code.getAttribute("aria-disabled"), "true");
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("menuitem", { name: "GeoTIFF" }).click(),
  ]);
  assert.match(download.suggestedFilename(), /\.tif/);
  await page.end();
});

test("a very large grid is drawn with a stride, and a note says so", async () => {
  const page = await shown("large", 'node="/data"');
  await page.settled();
  await page.getByText("one of 2 columns and rows").waitFor();
  const at = await page.goTo(5 + 7 + 1.4, 33);
  const { index, value } = await page.pointedAt(at.x, at.y);
  assert.ok(Math.abs(index.j - 700) <= 1 && Math.abs(index.i - 700) <= 1, JSON.stringify(index));
  assert.equal(value, index.j + index.i);
  await page.end();
});

test("an impossible map is drawn as rows and columns, and an explicit request reports why", async () => {
  const nodes = sheared();
  nodes.lat.values = nodes.lat.values.map(() => 9.96921e36);
  write("nowhere", nodes);
  const page = await shown("nowhere", 'node="/chess"');
  await page.settled();
  assert.deepEqual(await page.names(), ["time", "j", "i"]);
  await page.getByRole("button", { name: "Map", exact: true }).click();
  await page.waitForFunction(() => told.some(([type]) => type === "error"));
  assert.equal(await page.last("error"), "UnsupportedError");
  await page.end();
});

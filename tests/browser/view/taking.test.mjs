// The controls and the menu of <zarr-view>: choices are drawn, and downloads contain the visible
// data.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, test } from "node:test";
import { fullRun } from "../../lib/rounds.mjs";
import { screenshots, viewing } from "../../lib/viewpage.mjs";

const host = await viewing({ webgl: fullRun });
after(() => host.close());

const climate = () => `${host.url}build/fixtures/xarray/climate_v3.zarr`;
const ome = () => `${host.url}build/fixtures/ome/image_v04.zarr`;

async function shown(attributes, options = { width: 1100, height: 760 }) {
  const page = await host.element(`controls="all" ${attributes}`, options);
  await page.settled();
  return page;
}

/** Chooses an entry of the menu and returns the saved file. */
async function saved(page, entry) {
  await page.getByRole("button", { name: "Take away" }).click();
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("menuitem", { name: entry }).click(),
  ]);
  return { name: download.suggestedFilename(), bytes: readFileSync(await download.path()) };
}

/** The float64 elements and the shape of a file of numpy. */
function npyOf(bytes) {
  const start = 10 + bytes.readUInt16LE(8);
  const header = bytes.subarray(10, start).toString();
  assert.match(header, /'descr': '<f8'/);
  const shape = /'shape': \(([^)]*)\)/.exec(header)[1].split(",").filter(Boolean).map(Number);
  return { shape, data: new Float64Array(new Uint8Array(bytes.subarray(start)).buffer) };
}

/** The stored elements of the whole visible slice. */
const slice = (page, time) =>
  page.evaluate(async (time) => {
    const { open } = await import("zarr-wasm");
    const group = await open(view.src);
    const array = await open(group.resolve("t2m"), { kind: "array" });
    const { data, shape } = await array.get([time, null, null]);
    return { data: [...data], shape, dtype: array.dtype };
  }, time);

test("the slice as CSV, NPY and GeoTIFF holds the elements that are shown", async () => {
  const page = await shown(`src="${climate()}" node="/t2m" index="time:3"`);
  const { data, shape, dtype } = await slice(page, 3);
  const [height, width] = shape;

  const csv = await saved(page, "CSV");
  assert.match(csv.name, /^t2m_time-.*\.csv$/);
  const lines = csv.bytes.toString().trimEnd().split("\r\n");
  assert.equal(lines.length, height + 1);
  assert.equal(lines[0].split(",").length, width + 1);
  const { packing } = await page.evaluate(() => ({ packing: view.shown.field.packing }));
  const cell = (r, c) => lines[r + 1].split(",")[c + 1];
  for (const [r, c] of [
    [0, 0],
    [height - 1, width - 1],
    [height >> 1, width >> 1],
    [1, 2],
  ]) {
    const stored = data[r * width + c];
    const text = cell(r, c);
    if (text !== "") assert.ok(Math.abs(Number(text) - (stored * packing.scale + packing.offset)) < 1e-6, `${r},${c}`);
    else assert.ok(Number.isNaN(stored) || packing.missing.includes(stored));
  }

  const values = npyOf((await saved(page, "NPY of values")).bytes);
  assert.deepEqual(values.shape, [height, width]);
  for (const [i, value] of values.data.entries()) {
    const missing = packing.missing.includes(data[i]);
    assert.ok(
      missing ? Number.isNaN(value) : Math.abs(value - (data[i] * packing.scale + packing.offset)) < 1e-9,
      `${i}`,
    );
  }

  const npy = await saved(page, "NPY of stored numbers");
  assert.match(npy.name, /\.stored\.npy$/);
  assert.equal(npy.bytes.subarray(1, 6).toString(), "NUMPY");
  const length = npy.bytes.readUInt16LE(8);
  assert.match(npy.bytes.subarray(10, 10 + length).toString(), new RegExp(`'shape': \\(${height}, ${width}\\)`));
  const Of = { int16: Int16Array, float32: Float32Array, float64: Float64Array, int32: Int32Array }[dtype];
  const body = new Of(new Uint8Array(npy.bytes.subarray(10 + length)).buffer);
  assert.deepEqual([...body], data);

  const tiff = await saved(page, "GeoTIFF");
  assert.match(tiff.name, /\.tif$/);
  assert.equal(tiff.bytes.subarray(0, 3).toString("latin1"), "II*");
  assert.deepEqual(page.wrong, []);
});

test("the figure as PNG and as SVG, with its title, its axes and its colour bar", async () => {
  const page = await shown(`src="${climate()}" node="/t2m"`);
  const png = await saved(page, "PNG");
  assert.deepEqual([...png.bytes.subarray(0, 4)], [137, 80, 78, 71]);
  const svg = (await saved(page, "SVG")).bytes.toString();
  const found = await page.evaluate((svg) => {
    const read = new DOMParser().parseFromString(svg, "image/svg+xml");
    return {
      error: read.querySelector("parsererror")?.textContent,
      texts: [...read.querySelectorAll("text")].map((node) => node.textContent),
      images: read.querySelectorAll("image").length,
      title: view.shown.field.title.value,
    };
  }, svg);
  assert.equal(found.error, undefined);
  assert.ok(found.texts.includes(found.title), `${found.texts}`);
  for (const text of ["lat [°N]", "lon [°E]", "90°N", "2 m temperature [K]"])
    assert.ok(found.texts.includes(text), `${found.texts}`);
  assert.equal(found.images, 1);
  const out = await host.page("");
  await out.setContent(`<body style="margin:0">${svg}</body>`);
  await out.screenshot({ path: `${screenshots}/taking-figure.png` });
  assert.deepEqual(page.wrong, []);
});

test("code for the slice, an embed snippet, and links to other viewers", async () => {
  const page = await shown(`src="${climate()}" node="/t2m" index="time:2"`);
  const menu = page.getByRole("button", { name: "Take away" });
  await menu.click();
  await page.screenshot({ path: `${screenshots}/taking-menu.png` });
  await page.getByRole("menuitem", { name: "Code for this slice" }).click();
  const area = page.getByRole("textbox", { name: "Code for this slice" });
  const javascript = await area.inputValue();
  assert.match(javascript, /root\("http.*climate_v3\.zarr"\)\.resolve\("\/t2m"\)/);
  // The displayed program reads the visible slice.
  const numbers = await page.evaluate(async (code) => {
    const text = `${code}\nexport { data };`;
    const module = await import(URL.createObjectURL(new Blob([text], { type: "text/javascript" })));
    return [...module.data];
  }, javascript);
  assert.deepEqual(numbers, (await slice(page, 2)).data);
  await page.screenshot({ path: `${screenshots}/taking-code.png` });
  await page.getByRole("combobox", { name: "Which" }).selectOption("Python: xarray");
  assert.match(await area.inputValue(), /dataset\["t2m"\]\.isel\(\{"time": 2\}\)/);
  await page.getByRole("button", { name: "Close" }).click();

  await menu.click();
  await page.getByRole("menuitem", { name: "Embed in a page" }).click();
  const html = await page.getByRole("textbox", { name: "HTML for another page" }).inputValue();
  assert.match(html, /<zarr-view src="http.*" node="\/t2m" index="time:2" range="[^"]+" controls="all"/);
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  // Once the focus is back, the view's keys work again.
  await menu.click();
  await page.evaluate(() => {
    window.open = (href) => {
      window.opened = href;
      return null;
    };
  });
  await page.getByRole("menuitem", { name: "Neuroglancer" }).click();
  await page.waitForFunction(() => window.opened);
  assert.match(decodeURIComponent(await page.evaluate(() => window.opened)), /"zarr:\/\/http.*climate_v3\.zarr\/t2m"/);
  assert.deepEqual(page.wrong, []);
});

test("a film of a dimension leaves the view unchanged", async () => {
  const page = await shown(`src="${climate()}" node="/t2m" index="time:1"`, { width: 660, height: 600 });
  await page.getByRole("button", { name: "Take away" }).click();
  await page.getByRole("menuitem", { name: "WebM of time" }).click();
  const dialog = page.getByRole("dialog", { name: "Film of time" });
  await dialog.getByRole("combobox", { name: "Speed" }).selectOption("30");
  const last = dialog.getByRole("textbox", { name: "Last index" });
  await last.fill("3");
  await last.press("Enter");
  await dialog.getByText("4 pictures.").waitFor();
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    dialog.getByRole("button", { name: "Record the film" }).click(),
  ]);
  const bytes = readFileSync(await download.path());
  assert.equal(download.suggestedFilename(), "t2m_time.webm");
  assert.deepEqual([...bytes.subarray(0, 4)], [0x1a, 0x45, 0xdf, 0xa3]);
  await page.waitForFunction(() => view.index.time === 1);
  const size = await page.evaluate(
    async (bytes) => {
      const video = document.createElement("video");
      video.src = URL.createObjectURL(new Blob([Uint8Array.from(bytes)], { type: "video/webm" }));
      await new Promise((resolve, reject) => {
        video.onloadeddata = resolve;
        video.onerror = () => reject(new Error(`${video.error.code} ${video.error.message} of ${bytes.length} bytes`));
      });
      return [video.videoWidth, video.videoHeight];
    },
    [...bytes],
  );
  assert.ok(size[0] >= 480 && size[1] > 200, String(size));
  assert.deepEqual(page.wrong, []);
});

test("axes are exchanged and turned; a colour map, a range and a scale are chosen; a dimension is played", async () => {
  const page = await shown(`src="${climate()}" node="/t2m"`);
  await page.getByRole("button", { name: "Axes: lat × lon" }).click();
  await page.screenshot({ path: `${screenshots}/taking-axes.png` });
  await page.getByRole("combobox", { name: "Downwards" }).selectOption({ label: "time" });
  await page.settled();
  assert.deepEqual(await page.evaluate(() => view.axes), ["time", "lon"]);
  await page.getByRole("slider", { name: "lat", exact: true }).waitFor();
  await page.getByRole("button", { name: "Exchange the axes" }).click();
  await page.settled();
  assert.deepEqual(await page.evaluate(() => view.axes), ["lon", "time"]);
  await page.getByRole("checkbox", { name: "First row at the bottom" }).check();
  assert.equal(await page.evaluate(() => view.up), true);
  await page.keyboard.press("Escape");

  await page.evaluate(() => {
    view.axes = undefined;
    view.up = undefined;
  });
  await page.getByRole("slider", { name: "time", exact: true }).waitFor();
  await page.settled();
  await page.getByRole("button", { name: "Colours and range" }).click();
  await page.getByRole("radio", { name: "plasma" }).focus();
  await page.keyboard.press("Space");
  assert.equal(await page.evaluate(() => view.colormap), "plasma");
  await page.getByRole("checkbox", { name: "Reversed" }).check();
  assert.equal(await page.evaluate(() => view.colormap), "plasma-r");
  const low = page.getByRole("textbox", { name: "Lowest value", exact: true });
  await low.fill("-7");
  await low.press("Enter");
  assert.equal(await page.evaluate(() => view.range[0]), -7);
  await page.getByRole("combobox", { name: "Scale" }).selectOption("power");
  assert.deepEqual(await page.evaluate(() => view.curve), { kind: "power", exponent: 0.5 });
  await page.screenshot({ path: `${screenshots}/taking-colours.png` });
  await page.getByRole("button", { name: "Auto", exact: true }).last().click();
  await page.waitForFunction(() => view.range === undefined);
  await page.keyboard.press("Escape");

  const steps = await page.evaluateHandle(() => {
    const seen = [];
    view.addEventListener("state", ({ detail }) => seen.push(detail.index?.time));
    return seen;
  });
  await page.getByRole("button", { name: "Play time" }).click();
  await page.waitForFunction((seen) => seen.length >= 4, steps);
  await page.getByRole("button", { name: "Pause time" }).click();
  await page.getByRole("button", { name: "Play time" }).waitFor();
  assert.deepEqual((await steps.jsonValue()).slice(0, 4), [1, 2, 3, 4]);
  assert.deepEqual(page.wrong, []);
});

test("channels and labels of an image", async () => {
  const page = await shown(`src="${ome()}"`);
  const first = page.getByRole("checkbox", { name: "DAPI" });
  assert.ok(await first.isChecked());
  await page.screenshot({ path: `${screenshots}/taking-image.png` });
  await first.uncheck();
  await page.settled();
  assert.deepEqual(await page.evaluate(() => view.channels.map(({ index }) => index)), [1]);
  const labels = page.getByRole("combobox", { name: "Labels" });
  await labels.locator("option").nth(1).waitFor({ state: "attached" });
  const [, name] = await labels.evaluate((select) => [...select.options].map(({ value }) => value));
  await labels.selectOption(name);
  await page.waitForFunction((name) => view.labels?.name === name, name);
  await page.settled();
  await page.getByRole("slider", { name: "Opacity of the labels" }).fill("80");
  assert.equal(await page.evaluate(() => view.labels.opacity), 0.8);
  await page.settled();
  await page.screenshot({ path: `${screenshots}/taking-labels.png` });
  await page.getByRole("button", { name: "Take away" }).click();
  await page.getByRole("menuitem", { name: "napari" }).click();
  assert.match(
    await page.getByRole("textbox", { name: "Open in napari" }).inputValue(),
    /^napari --plugin napari-ome-zarr 'http.*image_v04\.zarr'$/,
  );
  assert.deepEqual(page.wrong, []);
});

test("an export of one column has its place, and a panel changes no selection", async () => {
  // The camera shows a part of the grid, one column wide.
  const page = await shown(`src="${climate()}" node="/t2m" camera="10.5,9.5,250" series=",3:5"`, {
    width: 320,
    height: 760,
  });
  await page.getByRole("button", { name: "Controls" }).click();
  const tiff = await saved(page, "GeoTIFF");
  // The directory's entries: the width, the height, and the pixel scale.
  const directory = tiff.bytes.readUInt32LE(4);
  const tags = new Map();
  for (let i = 0; i < tiff.bytes.readUInt16LE(directory); i++) {
    const at = directory + 2 + 12 * i;
    tags.set(tiff.bytes.readUInt16LE(at), tiff.bytes.readUInt32LE(at + 8));
  }
  assert.equal(tags.get(256), 1);
  const scale = tags.get(33_550);
  const step = await page.evaluate(async () => {
    const lon = await view.shown.field.axes[2].coordinate();
    return lon.number(1) - lon.number(0);
  });
  assert.equal(tiff.bytes.readDoubleLE(scale), step);
  const rows = async () =>
    (await saved(page, "CSV")).bytes
      .toString()
      .split("\r\n")
      .map((line) => line.split(",")[0]);
  const before = await rows();
  assert.ok(before.length > 1 && before.length < 15, `${before.length} of 19 rows are in view`);
  // The controls lie over the series.
  await page.getByRole("button", { name: "Controls" }).click();
  await page.getByRole("button", { name: "Close series" }).click();
  await page.settled();
  await page.getByRole("button", { name: "Controls" }).click();
  assert.deepEqual(await rows(), before, "without the series");
  await page.evaluate(() => {
    view.style.height = "300px";
  });
  await page.settled();
  assert.deepEqual(await rows(), before, "in a lower view");
  await page.end();
});

test("what no attempt can do is not offered again", async () => {
  const page = await shown(`src="${climate()}" node="/t2m" axes="time,lat"`);
  await page.getByRole("button", { name: "Take away" }).click();
  await page.getByRole("menuitem", { name: "GeoTIFF" }).click();
  const alert = page.getByRole("alert").filter({ hasText: "not those of the map" });
  await alert.waitFor();
  assert.equal(await alert.getByRole("button", { name: "Retry" }).count(), 0);
  await alert.getByRole("button", { name: "Dismiss" }).click();
  await page.context().close();
});

// The state contains everything that a person sees: the current ranges, the visible part of points,
// the highlighted label, the hidden channels.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, test } from "node:test";
import { screenshots, viewing } from "../../lib/viewpage.mjs";

const host = await viewing({ webgl: false });
after(() => host.close());

const fixture = (name) => `${host.url}build/fixtures/${name}`;

async function shown(attributes, options) {
  const page = await host.element(attributes, options);
  await page.settled();
  return Object.assign(page, {
    /** A sum over the figure's colours. */
    sum: () =>
      page.evaluate(() => {
        const canvas = view.figure();
        const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
        return data.reduce((sum, part, i) => (sum * 31 + part * (i % 7)) % 2 ** 31, 0);
      }),
  });
}

const picture = (page) => page.getByRole("application");

test("a link of a picture has its computed range, and shows the same colours", async () => {
  const src = fixture("xarray/climate_v3.zarr");
  const page = await shown(`src="${src}" node="/t2m"`);
  await page.getByRole("slider", { name: "time" }).fill("9");
  await page.settled();
  const { link, plain, range } = await page.evaluate(() => ({
    link: viewing.formatState(view.fullState),
    plain: viewing.formatState(view.state),
    range: view.fullState.range,
  }));
  assert.ok(!plain.includes("range=") && link.includes("range="), `${plain} and ${link}`);
  assert.ok(range[0] < range[1]);
  const sum = await page.sum();
  const attributes = await page.evaluate((link) => viewing.parseState(link).state, link);
  await page.end();
  const again = await shown(`src="${src}"`);
  await again.evaluate((state) => {
    view.state = state;
  }, attributes);
  await again.waitForFunction(() => view.getAttribute("index") === "time:9");
  await again.settled();
  assert.equal(await again.sum(), sum);
  // Automatically it would have found another range here.
  await again.getByRole("button", { name: "Auto" }).click();
  await again.waitForFunction(() => !view.hasAttribute("range"));
  await again.waitForFunction((before) => view.fullState.range && view.fullState.range[0] !== before, range[0]);
  await again.end();
});

test("the state holds the visible part of an embedding, and restores it", async () => {
  const src = fixture("conventions/anndata/v3.zarr");
  const page = await shown(`src="${src}" axes=",X_umap"`, { width: 900, height: 480 });
  await page.getByRole("button", { name: "Zoom in" }).click();
  await page.getByRole("button", { name: "Zoom in" }).click();
  await page.waitForFunction(() => view.camera !== undefined);
  const camera = await page.evaluate(() => view.getAttribute("camera"));
  assert.deepEqual((await page.last("state")).camera, await page.evaluate(() => view.camera));
  await page.end();
  const again = await shown(`src="${src}" axes=",X_umap" camera="${camera}"`, { width: 900, height: 480 });
  const plot = again.getByRole("slider", { name: "Points of X_umap" });
  await plot.waitFor();
  const sum = await again.sum();
  // After a round trip it is where it was.
  await plot.focus();
  await again.keyboard.press("Shift+ArrowLeft");
  await again.waitForFunction((camera) => view.getAttribute("camera") !== camera, camera);
  await again.keyboard.press("Shift+ArrowRight");
  await again.waitForFunction((camera) => {
    const now = view.getAttribute("camera").split(",").map(Number);
    return camera.split(",").every((text, i) => Math.abs(Number(text) - now[i]) < 1e-6 * Math.abs(now[i]) + 1e-9);
  }, camera);
  await again.getByRole("button", { name: "Show all" }).click();
  await again.waitForFunction(() => !view.hasAttribute("camera"));
  assert.notEqual(await again.sum(), sum);
  await again.end();
});

test("what is plotted beside a picture is in the state: its points, axis, part and scale, and a link brings it back", async () => {
  const src = fixture("xarray/climate_v3.zarr");
  const size = { width: 1000, height: 800 };
  const page = await shown(`src="${src}" node="/t2m" index="time:4"`, size);
  const lines = (page, count) =>
    page.waitForFunction((count) => view.shadowRoot.querySelectorAll(".plot-series").length === count, count);
  await page.getByRole("button", { name: "Series" }).click();
  const group = page.getByRole("group", { name: "Series" });
  await group.waitFor();
  assert.deepEqual(await page.evaluate(() => [view.getAttribute("series"), view.series]), ["", { points: [] }]);
  const box = await picture(page).boundingBox();
  await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
  await page.mouse.click(box.x + box.width / 3, box.y + box.height / 3);
  await lines(page, 2);
  const { points } = await page.evaluate(() => view.series);
  assert.equal(points.length, 2);
  assert.deepEqual((await page.last("state")).series, { points });
  // By keys: the adjacent element, and again the previous one, which then is the latest.
  await picture(page).focus();
  for (const key of ["ArrowRight", "Enter", "ArrowLeft", "Enter"]) await page.keyboard.press(key);
  const [first, [x, y]] = points;
  assert.deepEqual(await page.evaluate(() => view.series.points), [first, [x + 1, y], [x, y]]);
  await lines(page, 3);
  await group.getByRole("combobox", { name: "Along" }).selectOption({ label: "lat" });
  await group.getByRole("slider", { name: /along lat/ }).waitFor();
  await group.getByRole("button", { name: "Logarithmic" }).click();
  await group.getByRole("button", { name: "Zoom in" }).click();
  await page.waitForFunction(() => view.series.seen !== undefined);
  await page.settled();
  const { series } = await page.evaluate(() => view.state);
  assert.deepEqual([series.along, series.points.length, series.log], ["lat", 3, true]);
  const link = await page.evaluate(() => viewing.formatState(view.fullState));
  /** The visible plot. */
  const plotOf = (page) => page.evaluate(() => view.shadowRoot.querySelector(".plot-canvas").toDataURL());
  const plot = await plotOf(page);
  await page.end();

  const again = await shown(`src="${src}"`, size);
  await again.evaluate((link) => {
    view.state = viewing.parseState(link).state;
  }, link);
  await lines(again, 3);
  await again.waitForFunction((plot) => view.shadowRoot.querySelector(".plot-canvas").toDataURL() === plot, plot);
  assert.deepEqual(await again.evaluate(() => view.series), series);
  // Another index changes the series, but not the plotted variable.
  await again.evaluate(() => view.setAttribute("index", "time:20"));
  await again.waitForFunction((plot) => view.shadowRoot.querySelector(".plot-canvas").toDataURL() !== plot, plot);
  assert.deepEqual(await again.evaluate(() => view.series), series);
  await again.evaluate(() => view.setAttribute("series", ",0:0,35:18,profile"));
  await again.getByRole("slider", { name: /along a line/ }).waitFor();
  // A point outside of the plane has no series.
  await again.evaluate(() => view.setAttribute("series", "nothing,5000:1,3:4"));
  await again.getByRole("slider", { name: /along time/ }).waitFor();
  await lines(again, 1);
  // Another plane has other points.
  await again.evaluate(() => view.setAttribute("controls", "all"));
  await again.getByRole("button", { name: /^Axes:/ }).click();
  await again.getByRole("combobox", { name: "Downwards" }).selectOption({ label: "time" });
  await again.waitForFunction(() => view.series.points.length === 0);
  await again.keyboard.press("Escape");
  await again.evaluate(() => view.removeAttribute("series"));
  await again.getByRole("group", { name: "Series" }).waitFor({ state: "hidden" });
  await again.end();
});

test("cells of a dataframe that are pointed at or walked to are told", async () => {
  const page = await shown(`src="${fixture("conventions/anndata/v3.zarr")}"`, { width: 900, height: 480 });
  const cell = page.getByRole("gridcell", { name: "AAC1-1" });
  await cell.hover();
  await page.waitForFunction(() => told.some(([type, detail]) => type === "pointer" && detail?.text === "AAC1-1"));
  const detail = await page.last("pointer");
  assert.deepEqual(detail.index, { row: 1 });
  await cell.click();
  await page.keyboard.press("ArrowDown");
  await page.waitForFunction(() => told.findLast(([type]) => type === "pointer")[1]?.index.row === 2);
  await page.mouse.move(450, 470);
  await page.waitForFunction(() => told.findLast(([type]) => type === "pointer")[1] === null);
  await page.end();
});

test("a label that is clicked is told apart, by the state too, and no longer when it is clicked again", async () => {
  const src = fixture("ome/image_v04.zarr");
  const page = await shown(`src="${src}"`);
  const choice = page.getByRole("combobox", { name: "Labels" });
  await choice.waitFor();
  const [, name] = await choice.locator("option").allTextContents();
  // It is ready only after the labels are painted.
  await page.evaluate((name) => view.setAttribute("labels", `${name}:1`), name);
  await page.settled();
  const box = await picture(page).boundingBox();
  // The first of many points with a label that answers to a click.
  let at = null;
  for (let i = 1; i < 10 && !at; i++) {
    for (let j = 1; j < 10 && !at; j++) {
      const point = [box.x + (box.width * i) / 10, box.y + (box.height * j) / 10];
      await page.mouse.click(...point);
      if (await page.evaluate(() => view.chosen !== undefined)) at = point;
    }
  }
  assert.ok(at, "no label was found");
  const chosen = await page.evaluate(() => view.chosen);
  assert.ok(Number.isInteger(chosen) && chosen !== 0);
  assert.equal((await page.last("state")).chosen, chosen);
  await page.screenshot({ path: `${screenshots}/element-label-chosen.png` });
  await page.mouse.click(...at);
  await page.waitForFunction(() => view.chosen === undefined);
  const all = await page.sum();
  await page.evaluate(() => {
    view.chosen = 123;
  });
  await page.waitForFunction(() => view.getAttribute("chosen") === "123");
  assert.notEqual(await page.sum(), all, "the others are paler");
  await page.evaluate(() => view.removeAttribute("chosen"));
  await picture(page).focus();
  await page.mouse.move(at[0] + 1, at[1]);
  await page.keyboard.press("l");
  await page.waitForFunction((chosen) => view.chosen === chosen, chosen);
  await page.end();
});

test("CSV and NPY of an image hold the channels that are drawn", async () => {
  const src = fixture("ome/image_v04.zarr");
  const page = await shown(`src="${src}" controls="all" channels="1" level="1"`);
  const saved = async (entry) => {
    await page.getByRole("button", { name: "Take away" }).click();
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("menuitem", { name: entry }).click(),
    ]);
    return readFileSync(await download.path());
  };
  /** The interleaved elements of the stored channels. */
  const stored = (channels) =>
    page.evaluate(async (channels) => {
      const { field } = view.shown;
      const { array } = field.levels[1];
      const { x, y } = field.plane.value;
      const planes = await Promise.all(
        channels.map((channel) =>
          array.get(
            array.shape.map((length, d) =>
              d === x || d === y ? { start: 0, stop: length, step: 1 } : d === field.channels.axis ? channel : 0,
            ),
          ),
        ),
      );
      const count = planes[0].data.length;
      const values = Array.from({ length: count * planes.length }, (_, i) =>
        Number(planes[i % planes.length].data[Math.floor(i / planes.length)]),
      );
      return { values, shape: planes[0].shape, bytes: planes[0].data.BYTES_PER_ELEMENT };
    }, channels);
  const npy = (bytes) => {
    const [, shape] = /'shape': \(([^)]*)\)/.exec(bytes.toString("latin1"));
    const [, descr] = /'descr': '([^']*)'/.exec(bytes.toString("latin1"));
    const start = 10 + bytes.readUInt16LE(8);
    const size = Number(descr.slice(2));
    const read = {
      u1: (at) => bytes[at],
      u2: (at) => bytes.readUInt16LE(at),
      i2: (at) => bytes.readInt16LE(at),
      f4: (at) => bytes.readFloatLE(at),
    }[descr.slice(1)];
    return {
      shape: shape.split(",").map(Number),
      values: Array.from({ length: (bytes.length - start) / size }, (_, i) => read(start + i * size)),
    };
  };
  const one = await stored([1]);
  assert.deepEqual(npy(await saved("NPY")), { shape: one.shape, values: one.values });
  await page.evaluate(() => view.setAttribute("channels", "0,1"));
  await page.settled();
  const two = await stored([0, 1]);
  assert.deepEqual(npy(await saved("NPY")), { shape: [...two.shape, 2], values: two.values });
  const lines = (await saved("CSV")).toString().trimEnd().split("\r\n");
  const labels = await page.evaluate(() => view.shown.field.channels.list.map(({ label }) => label));
  assert.equal(lines.length, two.values.length / 2 + 1);
  assert.ok(lines[0].endsWith(`${labels[0]},${labels[1]}`), lines[0]);
  assert.deepEqual(
    lines.slice(1).flatMap((line) => line.split(",").slice(-2).map(Number)),
    two.values,
  );
  await page.end();
});

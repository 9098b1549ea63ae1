// Grids around the Earth: panning goes past their edges, and each place keeps its value.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { fullRun } from "../../lib/rounds.mjs";
import { screenshots, viewing } from "../../lib/viewpage.mjs";

const host = await viewing({ webgl: fullRun });
after(() => host.close());

/** A view of a grid whose values are its longitudes, in chunks of 8 columns. */
async function shown(columns, longitude) {
  const page = await host.element("", {
    style: "height: 580px; width: 700px",
    script: `
    const [columns, rows, deep] = [${columns}, 18, 8];
    const longitude = ${longitude};
    const array = (shape, chunks, dimension_names, attributes) =>
      json(arrayV3(shape, "float64", { chunks, dimension_names, attributes }));
    const bytes = (numbers) => new Uint8Array(Float64Array.from(numbers).buffer);
    const store = new Map([
      ["/zarr.json", json(groupV3())],
      ["/lon/zarr.json", array([columns], [columns], ["lon"], { units: "degrees_east" })],
      ["/lat/zarr.json", array([rows], [rows], ["lat"], { units: "degrees_north" })],
      ["/v/zarr.json", array([rows, columns], [rows, deep], ["lat", "lon"], {})],
      ["/lon/c/0", bytes(Array.from({ length: columns }, (_, i) => longitude(i)))],
      ["/lat/c/0", bytes(Array.from({ length: rows }, (_, i) => 85 - 10 * i))],
    ]);
    for (let k = 0; k * deep < columns; k++)
      store.set("/v/c/0/" + k, bytes(Array.from({ length: rows * deep }, (_, i) => longitude(k * deep + (i % deep)))));
    view.source = store;
    view.node = "/v";`,
    width: 700,
    height: 600,
  });
  await page.settled();
  return page;
}

/** Drags the picture to the right by CSS pixels. */
async function drag(page, by) {
  const { x, y, width, height } = await page.getByRole("application").boundingBox();
  await page.mouse.move(x + width / 2, y + height / 2);
  await page.mouse.down();
  await page.mouse.move(x + width / 2 + by, y + height / 2, { steps: 4 });
  await page.mouse.up();
  await page.waitForFunction(() => view.camera !== undefined);
  await page.settled();
}

/** The colours along the middle of the picture, as drawn. */
const colours = (page) =>
  page.evaluate(() => {
    const canvas = view.shadowRoot.querySelector(".pixels");
    const row = document.createElement("canvas");
    [row.width, row.height] = [canvas.width, 1];
    const context = row.getContext("2d");
    context.drawImage(canvas, 0, -canvas.height / 2);
    const { data } = context.getImageData(0, 0, row.width, 1);
    return Array.from({ length: row.width }, (_, i) => [...data.subarray(4 * i, 4 * i + 3)]);
  });

const grids = {
  "from 0 to 360": [36, "(i) => 10 * i"],
  "from -180 to 180": [36, "(i) => -175 + 10 * i"],
  "from east to west": [36, "(i) => 175 - 10 * i"],
  "whose last column is the first again": [37, "(i) => -180 + 10 * i"],
};
for (const [name, [columns, longitude]] of Object.entries(grids)) {
  test(`a grid ${name} goes on past its edges, and each place has its value`, async () => {
    const page = await shown(columns, longitude);
    const picture = page.getByRole("application");
    const { x, y, width, height } = await picture.boundingBox();
    for (const by of [90, 90, -250]) {
      await drag(page, by);
      const seen = new Set();
      for (let k = 1; k < 12; k++) {
        const told = await page.pointedAt(x + (k * width) / 12, y + height / 2);
        if (!told) continue;
        const { lon } = told.index;
        assert.ok(lon >= 0 && lon < columns);
        const expected = new Function(`return (${longitude})(${lon})`)();
        assert.equal(told.value, expected, `${name} at ${lon}`);
        seen.add(lon);
      }
      assert.ok(seen.size >= 9, `${seen.size} places`);
    }
    // Neighbours on the screen are neighbours on the Earth, also across the seam.
    const all = await colours(page);
    const jumps = all.filter(
      (colour, i) => i > 0 && Math.hypot(...colour.map((part, k) => part - all[i - 1][k])) > 100,
    );
    assert.ok(jumps.length <= 3, `${jumps.length} jumps`);
    assert.ok(all.filter(([r, g, b]) => r + g + b > 0).length > 0.7 * all.length, "the picture has no hole");
    await page.screenshot({ path: `${screenshots}/wrap-${name.replaceAll(" ", "-")}.png` });
    // The keyboard goes round too.
    await picture.focus();
    await page.keyboard.press("0");
    const steps = [];
    for (let k = 0; k < columns + 2; k++) {
      await page.keyboard.press("ArrowRight");
      steps.push(await page.evaluate(() => window.pointing.told?.index.lon));
    }
    assert.ok(new Set(steps).size >= 36, `${new Set(steps).size}`);
    await page.end();
  });
}

test("a region around the date line reads only the chunks at both sides", async () => {
  const page = await shown(64, "(i) => -180 + (i + 0.5) * (360 / 64)");
  const read = await page.evaluate(async () => {
    const seen = new Set();
    const { array } = view.shown.field.levels[0];
    const store = view.source;
    const get = store.get.bind(store);
    store.get = (key) => {
      seen.add(key);
      return get(key);
    };
    window.seen = seen;
    return array.chunks;
  });
  assert.deepEqual(read, [18, 8]);
  await page.evaluate(() => {
    view.setAttribute("camera", "63,9,60");
  });
  await page.settled();
  const told = await page.pointed(0.9, 0.5);
  assert.ok(told.index.lon < 8, `${told.index.lon}`);
  await page.end();
});

test("a grid that does not go round ends at its edges", async () => {
  const page = await shown(30, "(i) => 10 * i");
  await drag(page, 300);
  const { x, y, width, height } = await page.getByRole("application").boundingBox();
  assert.equal(await page.pointedAt(x + width * 0.2, y + height / 2).catch(() => null), null);
  await page.context().close();
});

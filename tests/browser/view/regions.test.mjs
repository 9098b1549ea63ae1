// Regions in the element: drawing, statistics, series and diagrams. Their numbers equal numpy's and
// those of the stored elements.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, test } from "node:test";
import { fullRun } from "../../lib/rounds.mjs";
import { screenshots, viewing } from "../../lib/viewpage.mjs";
import { earth } from "./earth.mjs";

const host = await viewing({ webgl: fullRun });
after(() => host.close());

test("a region has the weighted mean and the extremes of its values, and a series through time", async () => {
  const page = await earth(host, 'node="/sst" index="time:3"');
  await page.settled();
  await page.getByRole("button", { name: "Region" }).press("Enter");
  const panel = page.getByRole("dialog", { name: "Statistics of a region" });
  for (const [name, value] of [
    ["First index of lon", "20"],
    ["Last index of lon", "90"],
    ["First index of lat", "40"],
    ["Last index of lat", "99"],
  ]) {
    await panel.getByRole("textbox", { name }).fill(value);
    await panel.getByRole("textbox", { name }).press("Enter");
  }
  await panel.getByRole("button", { name: "Calculate" }).press("Enter");
  const table = panel.getByRole("table", { name: "Statistics" });
  await table.waitFor();
  const cells = (row) => table.getByRole("row").nth(row).getByRole("cell").allTextContents();
  const single = await cells(1);
  assert.match(
    await panel.getByRole("status").textContent(),
    /^In °C\. Mean and std are weighted by area: the cosine of the latitude\.$/,
  );
  const [lat, lon] = [
    { start: 40, stop: 100, step: 1 },
    { start: 20, stop: 91, step: 1 },
  ];
  const expected = await page.evaluate(
    async ([lat, lon]) => {
      const { open } = await import("zarr-wasm");
      const [sst, lats] = await Promise.all(
        ["sst", "lat"].map((name) => open(`${view.src}/${name}`, { kind: "array" })),
      );
      const { data } = await sst.get([3, lat, lon]);
      const degrees = (await lats.get([lat])).data;
      const width = lon.stop - lon.start;
      let [sum, weights, least, most, count] = [0, 0, Infinity, -Infinity, 0];
      data.forEach((value, i) => {
        if (Number.isNaN(value)) return;
        const weight = Math.cos((degrees[Math.floor(i / width)] * Math.PI) / 180);
        sum += value * weight;
        weights += weight;
        [least, most, count] = [Math.min(least, value), Math.max(most, value), count + 1];
      });
      return { mean: sum / weights, least, most, count, all: data.length };
    },
    [lat, lon],
  );
  assert.ok(expected.count > 0 && expected.count < expected.all, "some values are missing");
  const number = (text) => Number.parseFloat(text);
  for (const [i, value] of [expected.mean, expected.least, expected.most].entries())
    assert.ok(Math.abs(number(single[i]) - value) < 1e-4, `${single[i]} is not ${value}`);
  const heads = await table.getByRole("columnheader").allTextContents();
  assert.deepEqual(heads, ["mean", "min", "max", "std", "count"]);
  await panel.getByText("154.375°W to 66.875°W").waitFor();
  assert.equal(single[4], `${expected.count} of ${expected.all}`);
  await page.screenshot({ path: `${screenshots}/element-region.png` });

  await panel.getByRole("combobox", { name: "Series along" }).selectOption("time");
  await panel.getByRole("button", { name: "Calculate" }).click();
  await page.waitForFunction(() => view.shadowRoot.querySelectorAll(".zc-panel tbody tr").length === 24);
  assert.deepEqual(await cells(4), single, "the row of index 3 has the same numbers");
  await page.screenshot({ path: `${screenshots}/element-region-series.png` });
  await page.end();
});

/** A view of a global temperature of 31 times, 19 latitudes and 36 longitudes. */
async function climate(attributes, options) {
  const data = `src="${host.url}build/fixtures/xarray/climate_v3.zarr" node="/t2m" controls="all"`;
  const page = await host.element(`${data} ${attributes}`, options);
  page.setDefaultTimeout(30_000);
  await page.settled();
  const panel = page.getByRole("dialog", { name: "Statistics of a region" });
  return Object.assign(page, {
    panel,
    open: () => page.getByRole("button", { name: "Region", exact: true }).click(),
    region: () => page.evaluate(() => view.region ?? null),
    /** The numbers of a row of the table: mean, min, max, std; and the text of the count. */
    async row(i = 1) {
      const table = panel.getByRole("table", { name: "Statistics" });
      await table.waitFor();
      const cells = await table.getByRole("row").nth(i).getByRole("cell").allTextContents();
      return [...cells.slice(0, 4).map(Number.parseFloat), cells[4]];
    },
    /** A point of the picture, by shares of its size. */
    async point(x, y) {
      const box = await page.getByRole("application").boundingBox();
      return [box.x + x * box.width, box.y + y * box.height];
    },
    /** The middle of a handle. */
    handle: (i) =>
      page.evaluate((i) => {
        const box = view.shadowRoot.querySelectorAll(".region circle")[i].getBoundingClientRect();
        return [box.x + box.width / 2, box.y + box.height / 2];
      }, i),
    async drag(from, to) {
      await page.mouse.move(...from);
      await page.mouse.down();
      await page.mouse.move((from[0] + to[0]) / 2, (from[1] + to[1]) / 2);
      await page.mouse.move(...to);
      await page.mouse.up();
    },
  });
}

const near = (found, expected, what) => {
  for (const [i, value] of expected.entries())
    assert.ok(Math.abs(found[i] - value) <= 1e-5 * Math.abs(value), `${what}: ${found[i]}, not ${value}`);
};

/**
 * numpy's numbers of the fixture, by its even-odd rule in float64:
 *
 *     v = where(t2m == -32768, nan, t2m * 0.01 + 273.15)
 *     mean = average(v[t][mask], weights=cos(radians(lat))[mask])
 */
const numpy = {
  // Columns 32 to 35 and 0 to 3, rows 4 to 14, at time 5.
  box: [306.40006495903174, 296.45, 312.91, 3.9056612832785205, "84 of 88"],
  // Corners 36:2 40:16 29:7 43:7 32:16, whose middle is a hole.
  star: [306.707882669144, 292.27, 312.91, 4.328417884720161, "41 of 45"],
  starSeries: [306.3913984133802, 306.1811590549548, 306.9502995358525],
  // The means over latitudes of the box at time 7, in columns 32, 0 and 3.
  boxMeans: [306.623, 306.685229, 306.116851],
  // The elements under the line from 2.5:1.5 to 12.5:16.5 at time 4, and its length in kilometres.
  section: [
    283.36,
    291.07,
    293.96,
    299.99,
    301.98,
    308.58,
    304.68,
    309.41,
    309.78,
    null,
    310.9,
    305.89,
    304.43,
    300.26,
    293.47,
    290.86,
  ],
  kilometres: 18709.33166941648,
};
const star = 'region="polygon:lat:lon,36:2,40:16,29:7,43:7,32:16"';

test("a region across the date line and a polygon with a hole have numpy's statistics", async () => {
  for (const [name, attribute] of [
    ["box", 'region="box:lat:lon,32:4,40:15"'],
    ["star", star],
  ]) {
    const page = await climate(`index="time:5" ${attribute}`);
    await page.open();
    const found = await page.row();
    near(found.slice(0, 4), numpy[name].slice(0, 4), name);
    assert.equal(found[4], numpy[name][4]);
    await page.screenshot({ path: `${screenshots}/region-${name}.png` });
    if (name === "star") {
      await page.panel.getByRole("combobox", { name: "Series along" }).selectOption("time");
      await page.panel.getByRole("button", { name: "Calculate" }).click();
      await page.waitForFunction(() => view.shadowRoot.querySelectorAll(".region-table tbody tr").length === 31);
      near([(await page.row(1))[0], (await page.row(2))[0], (await page.row(3))[0]], numpy.starSeries, "series");
      const download = page.waitForEvent("download");
      await page.panel.getByRole("button", { name: "Save as CSV" }).click();
      const file = await download;
      assert.equal(file.suggestedFilename(), "t2m_region.csv");
      const [heads, ...rows] = readFileSync(await file.path(), "utf8")
        .trim()
        .split("\r\n");
      assert.equal(heads, "time,mean,min,max,std,count,missing");
      assert.equal(rows.length, 31);
      const [at, mean] = rows[2].split(",");
      assert.equal(at, "2000-01-03");
      near([Number(mean)], numpy.starSeries.slice(2), "the file");
    }
    await page.end();
  }
});

test("booleans and flags have a legend of classes, and a region has the share of each from the control bar", async () => {
  const page = await host.element('region="box:y:x,0:0,4:2" controls="all"', {
    script: `
    const [shape, dimension_names] = [[2, 4], ["y", "x"]];
    const made = (type, attributes, fill_value) => json(arrayV3(shape, type, { dimension_names, attributes, fill_value }));
    const kinds = { flag_values: [1, 2, 3], flag_meanings: "sea land ice" };
    view.source = new Map([
      ["/zarr.json", json(groupV3())],
      ["/mask/zarr.json", made("bool", {}, false)],
      ["/mask/c/0/0", Uint8Array.of(0, 1, 1, 1, 0, 1, 1, 1)],
      ["/cover/zarr.json", made("int8", kinds, 0)],
      ["/cover/c/0/0", Uint8Array.of(1, 1, 1, 1, 1, 2, 2, 9)],
    ]);
    view.node = "/mask";`,
  });
  for (const [node, classes, shares] of [
    ["mask", ["false", "true"], { false: "25 %", true: "75 %", count: "8 of 8" }],
    ["cover", ["sea", "land", "ice"], { sea: "62.5 %", land: "25 %", count: "8 of 8" }],
  ]) {
    await page.evaluate((node) => {
      view.node = node;
    }, `/${node}`);
    await page.settled();
    const legend = page.getByRole("group", { name: `Colours of ${node}` });
    assert.deepEqual(await legend.getByRole("listitem").allTextContents(), classes);
    assert.equal(await legend.getByRole("slider").count(), 0, "a legend has no range");
    await page.getByRole("button", { name: "Region", exact: true }).click();
    const table = page.getByRole("table", { name: "Statistics" });
    await table.waitFor();
    const heads = await table.getByRole("columnheader").allTextContents();
    const cells = await table.getByRole("cell").allTextContents();
    assert.deepEqual(Object.fromEntries(heads.map((head, i) => [head, cells[i]])), shares);
    await page.screenshot({ path: `${screenshots}/element-classes-${node}.png` });
    await page.keyboard.press("Escape");
  }
  await page.end();
});

test("the mouse draws a box, its handles move corners, Escape cancels, and a link restores it", async () => {
  const page = await climate('index="time:5"');
  const [from, to] = [await page.point(0.3, 0.35), await page.point(0.55, 0.7)];
  const [a, b] = [await page.pointedAt(...from), await page.pointedAt(...to)].map(({ index }) => index);
  await page.open();
  await page.panel.getByRole("button", { name: "Draw a box" }).click();
  await page.getByText("Drag from one corner").waitFor();
  await page.drag(from, to);
  const around = ([x0, y0], [x1, y1]) => [
    [Math.min(x0, x1), Math.min(y0, y1)],
    [Math.max(x0, x1) + 1, Math.max(y0, y1) + 1],
  ];
  const drawn = { kind: "box", axes: ["lat", "lon"], points: around([a.lon, a.lat], [b.lon, b.lat]) };
  assert.deepEqual(await page.region(), drawn);
  const before = await page.row();
  await page.screenshot({ path: `${screenshots}/region-drawn-box.png` });
  const [[left, top], [right, bottom]] = drawn.points;
  const plain = await page.evaluate(
    async ({ lat, lon }) => {
      const { open } = await import("zarr-wasm");
      const { data } = await (await open(`${view.src}/t2m`, { kind: "array" })).get([5, lat, lon]);
      return Array.from(data, (value) => (value === -32768 ? null : value * 0.01 + 273.15));
    },
    { lat: { start: top, stop: bottom, step: 1 }, lon: { start: left, stop: right, step: 1 } },
  );
  const [known, width] = [plain.filter((one) => one !== null), right - left];
  const weight = (i) => Math.cos(((-90 + 10 * (top + Math.floor(i / width))) * Math.PI) / 180);
  const sum = (of) => plain.reduce((sum, value, i) => (value === null ? sum : sum + of(value, i)), 0);
  near(
    before,
    [sum((v, i) => v * weight(i)) / sum((_, i) => weight(i)), Math.min(...known), Math.max(...known)],
    "box",
  );
  assert.equal(before[4], `${known.length} of ${plain.length}`);

  // A handle moves its corner, and the opposite one stays.
  await page.keyboard.press("Escape");
  const corner = await page.handle(2);
  const target = await page.point(0.62, 0.5);
  const { index } = await page.pointedAt(...target);
  await page.drag(corner, target);
  const moved = await page.region();
  assert.deepEqual(moved.points[0], [left, Math.min(top, moved.points[0][1])]);
  assert.ok(Math.abs(moved.points[1][0] - index.lon) <= 1, `${moved.points[1][0]} is near ${index.lon}`);

  // Escape leaves the region as it was.
  await page.open();
  await page.panel.getByRole("button", { name: "Draw a polygon" }).click();
  await page.mouse.click(...from);
  await page.mouse.click(...to);
  await page.keyboard.press("Escape");
  assert.deepEqual(await page.region(), moved);
  assert.equal(await page.getByRole("group", { name: "Drawing" }).count(), 0);

  const link = await page.evaluate(() => viewing.formatState(view.state));
  const path = () => page.evaluate(() => view.shadowRoot.querySelector(".region .line").getAttribute("d"));
  const [outline, text] = [await path(), await page.evaluate(() => view.getAttribute("region"))];
  await page.evaluate(() => {
    view.state = { node: "/t2m" };
  });
  await page.waitForFunction(() => view.shadowRoot.querySelector(".region").style.display === "none");
  await page.evaluate((link) => {
    view.state = viewing.parseState(link).state;
  }, link);
  await page.waitForFunction((text) => view.getAttribute("region") === text, text);
  await page.settled();
  await page.waitForFunction(
    (outline) => view.shadowRoot.querySelector(".region .line").getAttribute("d") === outline,
    outline,
  );

  await page.open();
  await page.panel.getByRole("button", { name: "Remove" }).click();
  assert.equal(await page.region(), null);
  await page.end();
});

test("clicks draw a polygon, whose table has its elements; its corners can be typed", async () => {
  const page = await climate('index="time:5"');
  await page.open();
  await page.panel.getByRole("button", { name: "Draw a polygon" }).click();
  const corners = [
    [0.3, 0.2],
    [0.6, 0.3],
    [0.45, 0.8],
  ];
  for (const [x, y] of corners) await page.mouse.click(...(await page.point(x, y)));
  await page.mouse.click(...(await page.point(...corners[0])));
  const { kind, points } = await page.region();
  assert.equal(kind, "polygon");
  assert.equal(points.length, 3);
  assert.ok(
    points.flat().every((n) => Number.isInteger(n * 16)),
    JSON.stringify(points),
  );
  const count = (corners) => {
    let inside = 0;
    for (let row = 0; row < 19; row++)
      for (let column = 0; column < 36; column++) {
        const left = corners.filter(([x0, y0], i) => {
          const [x1, y1] = corners[(i + 1) % corners.length];
          const y = row + 0.5;
          return y0 <= y !== y1 <= y && column + 0.5 >= x0 + ((y - y0) * (x1 - x0)) / (y1 - y0);
        });
        inside += left.length % 2;
      }
    return inside;
  };
  assert.match((await page.row())[4], new RegExp(` of ${count(points)}$`));
  await page.screenshot({ path: `${screenshots}/region-drawn-polygon.png` });
  const field = page.panel.getByRole("textbox", { name: "Corners" });
  await field.fill("2:2 2:3");
  await field.press("Enter");
  await page.panel.getByRole("alert").getByText("3 or more pairs").waitFor();
  await field.fill("10:3 20.5:3 20.5:9.5");
  await field.press("Enter");
  const typed = [
    [10, 3],
    [20.5, 3],
    [20.5, 9.5],
  ];
  assert.deepEqual((await page.region()).points, typed);
  await page.panel.getByRole("button", { name: "Calculate" }).click();
  assert.match((await page.row())[4], new RegExp(` of ${count(typed)}$`));
  await page.end();
});

test("by keyboard alone, each kind of region begins around the part in view, and its corners are typed", async () => {
  const page = await climate('index="time:5"');
  await page.getByRole("button", { name: "Region", exact: true }).press("Enter");
  for (const [name, points, typed, written] of [
    [
      "Draw a polygon",
      [
        [0, 0],
        [36, 0],
        [36, 19],
        [0, 19],
      ],
      "10:3 20:3 20:9",
      [
        [10, 3],
        [20, 3],
        [20, 9],
      ],
    ],
    [
      "Draw a line",
      [
        [10, 3],
        [20, 9],
      ],
      "4:4 30:12",
      [
        [4, 4],
        [30, 12],
      ],
    ],
    [
      "Draw a box",
      [
        [4, 4],
        [30, 12],
      ],
      "5",
      [
        [5, 4],
        [30, 12],
      ],
    ],
  ]) {
    await page.panel.getByRole("button", { name }).press("Enter");
    const kind = name.split(" ").at(-1);
    assert.deepEqual(await page.region(), { kind, axes: ["lat", "lon"], points });
    // The first field has the focus.
    await page.keyboard.press("Control+A");
    await page.keyboard.type(typed);
    await page.keyboard.press("Enter");
    assert.deepEqual((await page.region()).points, written);
  }
  await page.panel.getByRole("button", { name: "Calculate" }).press("Enter");
  assert.match((await page.row())[4], / of 200$/);
  await page.end();
});

test("the value of a tapped element stays after the finger is lifted", async () => {
  const page = await climate('index="time:5"', { width: 390, height: 844, hasTouch: true });
  await page.touchscreen.tap(...(await page.point(0.5, 0.5)));
  await page.waitForFunction(() => view.shadowRoot.querySelector(".readout .value"));
  // The pointer of a finger leaves in the same task as its tap ends.
  await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
  assert.match(await page.locator(".readout .value").textContent(), /\d.* K/);
  await page.end();
});

test("touches draw a box by two taps on a phone", async () => {
  const page = await climate('index="time:5"', { width: 390, height: 844, hasTouch: true });
  await page.getByRole("button", { name: "Controls" }).tap();
  await page.getByRole("button", { name: "Region", exact: true }).tap();
  await page.panel.getByRole("button", { name: "Draw a box" }).tap();
  await page.getByRole("group", { name: "Drawing" }).waitFor();
  await page.touchscreen.tap(...(await page.point(0.4, 0.4)));
  await page.touchscreen.tap(...(await page.point(0.7, 0.6)));
  await page.row();
  await page.screenshot({ path: `${screenshots}/region-phone.png` });
  assert.equal((await page.region()).kind, "box");
  await page.end();
});

test("a region bends with the map, and is drawn in its places on a globe", async () => {
  const page = await climate(
    `index="time:5" projection="orthographic" camera="5,12.5,40" region="box:lat:lon,2:10,8:15"`,
  );
  await page.waitForFunction(() => view.shadowRoot.querySelector(".region .line")?.getAttribute("d"));
  const shown = await page.evaluate(
    () =>
      [...view.shadowRoot.querySelectorAll(".region circle")].filter(({ style }) => style.display !== "none").length,
  );
  await page.screenshot({ path: `${screenshots}/region-globe.png` });
  assert.equal(shown, 4);
  await page.open();
  assert.match((await page.row())[4], / of 30$/);
  await page.end();
});

test("the mean of a region is plotted beside the series of a point, also from a link", async () => {
  const page = await climate(`index="time:5" ${star}`);
  await page.open();
  await page.panel.getByRole("combobox", { name: "Series along" }).selectOption("time");
  await page.panel.getByRole("button", { name: "Plot the series" }).click();
  const plot = page.getByRole("slider", { name: /2 m temperature along time/ });
  const names = () =>
    page.evaluate(() => [...view.shadowRoot.querySelectorAll(".plot-series")].map((one) => one.textContent));
  await page.waitForFunction(() => view.shadowRoot.querySelectorAll(".plot-series").length === 1);
  await page.mouse.click(...(await page.point(0.4, 0.3)));
  await page.waitForFunction(() => view.shadowRoot.querySelectorAll(".plot-series").length === 2);
  assert.match((await names())[1], /mean of the polygon/);
  await plot.focus();
  for (const [i, key] of ["Home", "ArrowRight", "ArrowRight"].entries()) {
    await page.keyboard.press(key);
    const text = await plot.getAttribute("aria-valuetext");
    const [, mean] = /mean of the polygon\D*(\d+\.\d+)/.exec(text) ?? [];
    near([Number(mean)], [numpy.starSeries[i]], text);
  }
  await page.screenshot({ path: `${screenshots}/region-series.png` });
  const state = await page.evaluate(() => viewing.formatState(view.state));
  assert.match(state, /series=time,\d+:\d+,region/);
  await page.end();
  const again = await climate("");
  await again.evaluate((state) => {
    view.state = viewing.parseState(state).state;
  }, state);
  await again.waitForFunction(() => view.shadowRoot.querySelectorAll(".plot-series").length === 2);
  await again.end();
});

/** The values of a diagram, row by row, as it shows them. */
const diagramValues = (page) =>
  page.evaluate(async () => {
    const { axes, levels } = view.shown.field;
    const all = axes.map(({ length }) => ({ start: 0, stop: length, step: 1 }));
    const { data, shape } = await levels[0].array.get(all);
    return { values: Array.from(data), shape, names: axes.map(({ name }) => name) };
  });

test("a Hovmöller diagram of a drawn region has numpy's means, its downloads and a way back", async () => {
  const page = await climate('index="time:5" region="box:lat:lon,32:4,40:15"');
  await page.open();
  await page.panel.getByRole("combobox", { name: "Diagram" }).selectOption({ label: "time × lon" });
  await page.panel.getByRole("button", { name: "Show the diagram" }).click();
  await page.waitForFunction(() => view.shown?.field.axes.length === 2 && !view.loading);
  const { values, shape, names } = await diagramValues(page);
  assert.deepEqual(
    [shape, names],
    [
      [31, 8],
      ["time", "lon"],
    ],
  );
  near(
    [0, 4, 7].map((i) => values[7 * 8 + i]),
    numpy.boxMeans,
    "means",
  );
  await page.screenshot({ path: `${screenshots}/region-hovmoller.png` });
  // The pointer reads the same numbers, and positions across the seam.
  const told = await page.pointed(0.95, 0.5);
  near([Number.parseFloat(told.text)], [values[told.index.time * 8 + told.index.lon]], "the pointer");
  assert.equal(told.coordinates.lon, `${[320, 330, 340, 350, 0, 10, 20, 30][told.index.lon]}°E`);
  const download = page.waitForEvent("download");
  await page.getByRole("button", { name: "Take away" }).click();
  await page.getByRole("menuitem", { name: "CSV", exact: true }).click();
  const lines = readFileSync(await (await download).path(), "utf8")
    .trim()
    .split("\r\n");
  assert.equal(lines.length, 32);
  assert.deepEqual(lines[8].split(",").slice(1).map(Number), values.slice(56, 64));
  const link = await page.evaluate(() => viewing.formatState(view.state));
  assert.match(link, /region=box:lat:lon,32:4,40:15&diagram=time:lon/);
  await page.open();
  await page.panel.getByRole("button", { name: "Back to the picture" }).click();
  await page.waitForFunction(() => view.shown?.field.axes.length === 3 && !view.loading);
  assert.equal((await page.region()).kind, "box");
  await page.end();
  const again = await climate("");
  await again.evaluate((link) => {
    view.state = viewing.parseState(link).state;
  }, link);
  await again.waitForFunction(() => view.shown?.field.axes.length === 2 && !view.loading);
  assert.deepEqual((await diagramValues(again)).values, values);
  await again.end();
});

test("a drawn line has a section with the elements under it, over its distance in kilometres", async () => {
  const page = await climate('index="time:5"');
  await page.open();
  await page.panel.getByRole("button", { name: "Draw a line" }).click();
  await page.drag(await page.point(0.2, 0.3), await page.point(0.6, 0.7));
  const { kind, points } = await page.region();
  assert.deepEqual([kind, points.length], ["line", 2]);
  await page.screenshot({ path: `${screenshots}/region-line.png` });
  const corners = page.panel.getByRole("textbox", { name: "Corners" });
  await corners.fill("2.5:1.5 12.5:16.5");
  await corners.press("Enter");
  await page.panel.getByRole("button", { name: "Show the diagram" }).click();
  await page.waitForFunction(() => view.shown?.field.axes.length === 2 && !view.loading);
  const { shape, names } = await diagramValues(page);
  assert.deepEqual(
    [shape, names],
    [
      [31, 16],
      ["time", "distance"],
    ],
  );
  const found = await page.evaluate(async () => {
    const { axes, levels, packing } = view.shown.field;
    const { data } = await levels[0].array.get([4, { start: 0, stop: 16, step: 1 }]);
    const coordinate = await axes[1].coordinate();
    const values = Array.from(data, (n) => (n === -32768 ? null : n * packing.scale + packing.offset));
    return { values, end: coordinate.number(15), units: coordinate.units };
  });
  for (const [i, expected] of numpy.section.entries())
    if (expected === null) assert.equal(found.values[i], null);
    else near([found.values[i]], [expected], `element ${i}`);
  near([found.end], [numpy.kilometres], found.units);
  assert.equal(found.units, "km");
  await page.screenshot({ path: `${screenshots}/region-section.png` });
  const told = await page.pointed(0.5, 0.5);
  assert.match(told.coordinates.distance, /km \(.*°[NS] .*°E\)/);
  await page.end();
});

test("a region of many chunks is read after a question, and Cancel ends the read", async () => {
  const page = await host.element('node="/v" camera="50,50,8" region="box:y:x,0:0,4000:4000"', {
    script: `
      const array = arrayV3([4000, 4000], "float32", { chunks: [100, 100], fill_value: 1, dimension_names: ["y", "x"] });
      const files = new Map([["/zarr.json", json(groupV3())], ["/v/zarr.json", json(array)]]);
      window.asked = 0;
      view.source = {
        async get(key) {
          if (key.includes("/c/")) {
            asked++;
            await new Promise((resolve) => setTimeout(resolve, 20));
          }
          return files.get(key);
        },
      };`,
  });
  page.setDefaultTimeout(30_000);
  await page.settled();
  const before = await page.evaluate(() => asked);
  await page.getByRole("button", { name: "Region", exact: true }).click();
  const panel = page.getByRole("dialog", { name: "Statistics of a region" });
  await panel.getByText(/^This reads 1.600 chunks, 61\.0 MiB when decoded/).waitFor();
  assert.equal(await page.evaluate(() => asked), before, "nothing is read before the answer");
  await panel.getByRole("button", { name: "Read them" }).click();
  await panel.getByText(/^Reading \d+ of \d+…$/).waitFor();
  await panel.getByRole("button", { name: "Cancel" }).click();
  await panel.getByText("Cancelled.").waitFor();
  // Requests that are under way end first.
  await page.waitForTimeout(300);
  const after = await page.evaluate(() => asked);
  assert.ok(after > before && after < before + 1600, `${after - before} of 1600 chunks were requested`);
  await page.waitForTimeout(300);
  assert.equal(await page.evaluate(() => asked), after, "a cancelled read requests nothing more");
  await page.end();
});

test("exports made before the code of regions has loaded have the region", async () => {
  let release;
  const held = new Promise((resolve) => {
    release = resolve;
  });
  const page = await climate('index="time:5" region="box:lat:lon,4:3,20:12"', {
    before: (page) =>
      page.route("**/view-regions.js", async (route) => {
        await held;
        await route.continue();
      }),
  });
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    (async () => {
      await page.getByRole("button", { name: "Take away" }).click();
      await page.getByRole("menuitem", { name: "SVG" }).click();
      await page.evaluate(() => {
        window.early = view.snapshot();
      });
      release();
    })(),
  ]);
  const svg = readFileSync(await download.path(), "utf8");
  assert.match(svg, /<path d="M[^"]*Z" fill="none" stroke="#fff" stroke-width="1\.5" stroke-linejoin="round"/);
  const same = await page.evaluate(async () => {
    const [one, other] = [await (await window.early).arrayBuffer(), await (await view.snapshot()).arrayBuffer()];
    const bytes = new Uint8Array(other);
    return one.byteLength === other.byteLength && new Uint8Array(one).every((byte, i) => byte === bytes[i]);
  });
  assert.ok(same, "an early PNG equals a late one");
  await page.end();
});

test("a section shows the elements under its line, and by choice values interpolated between them", async () => {
  const page = await host.element('node="/v" region="line:y:x,0.5:0.5,3.5:3.5"', {
    script: `
      const array = arrayV3([2, 4, 4], "float32", { dimension_names: ["z", "y", "x"] });
      const numbers = Float32Array.from({ length: 32 }, (_, i) => (i < 16 ? i * i : Number.NaN));
      const files = new Map([
        ["/zarr.json", json(groupV3())],
        ["/v/zarr.json", json(array)],
        ["/v/c/0/0/0", new Uint8Array(numbers.buffer)],
      ]);
      view.source = { get: async (key) => files.get(key) };`,
  });
  await page.settled();
  const panel = page.getByRole("dialog", { name: "Statistics of a region" });
  const show = async (values) => {
    await page.getByRole("button", { name: "Region", exact: true }).click();
    if (values) await panel.getByRole("combobox", { name: "Values" }).selectOption({ label: values });
    await panel.getByRole("button", { name: "Show the diagram" }).click();
    await page.waitForFunction(() => view.shown?.field.axes.length === 2 && !view.loading);
    return page.evaluate(async () => {
      const { levels, title } = view.shown.field;
      const { data } = await levels[0].array.get([0, { start: 0, stop: null, step: 1 }]);
      return { title: title.value, values: [...data], text: view.getAttribute("diagram") };
    });
  };
  const back = async () => {
    await page.getByRole("button", { name: "Region", exact: true }).click();
    await panel.getByRole("button", { name: "Back to the picture" }).click();
    await page.waitForFunction(() => view.shown?.field.axes.length === 3 && !view.loading);
  };
  // The middles of the elements are on the line: both agree.
  assert.deepEqual(await show(), { title: "v: section along a line", values: [0, 25, 100, 225], text: "z" });
  await back();
  const middles = await show("interpolated linearly");
  assert.deepEqual(middles.values, [0, 25, 100, 225]);
  assert.deepEqual([middles.title, middles.text], ["v: section along a line, interpolated linearly", "z::linear"]);
  await page.screenshot({ path: `${screenshots}/region-section-linear.png` });
  await back();
  await page.evaluate(() => view.setAttribute("region", "line:y:x,1:0.5,3:0.5"));
  await page.settled();
  assert.deepEqual((await show()).values, [1, 4, 9]);
  await back();
  assert.deepEqual((await show("interpolated linearly")).values, [0.5, 2.5, 6.5]);
  await page.end();
});

test("the region of an export is that of the screen, on a plane, across its seam, and on globes", async () => {
  const page = await earth(host, 'node="/t2m" controls="all"');
  await page.settled();
  for (const [projection, region] of [
    [null, "box:lat:lon,20:10,80:50"],
    [null, "polygon:lat:lon,-10:20,30:20,10:60"],
    ["orthographic", "box:lat:lon,20:10,80:50"],
    ["orthographic", "box:lat:lon,60:10,200:120"],
    ["equal-earth", "line:lat:lon,-30:20,60:90"],
    ["north-polar", "polygon:lat:lon,10:2,90:2,50:40"],
  ]) {
    const what = `${region}, ${projection}`;
    await page.evaluate(
      ([projection, region]) => {
        if (projection) view.setAttribute("projection", projection);
        else view.removeAttribute("projection");
        view.setAttribute("region", region);
      },
      [projection, region],
    );
    await page.settled();
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      (async () => {
        await page.getByRole("button", { name: "Take away" }).click();
        await page.getByRole("menuitem", { name: "SVG" }).click();
      })(),
    ]);
    const svg = readFileSync(await download.path(), "utf8");
    const drawn = /<path d="([^"]*)" fill="none" stroke="#fff" stroke-width="1\.5" stroke-linejoin="round"/.exec(
      svg,
    )?.[1];
    const shown = await page.evaluate(() => view.shadowRoot.querySelector(".region path.line").getAttribute("d"));
    const parsed = (d) =>
      [...(d ?? "").matchAll(/([MLZ])(?:(-?[\d.]+)[ ,](-?[\d.]+))?/g)].map(([, letter, x, y]) => ({
        letter,
        x: +x,
        y: +y,
      }));
    const [one, other] = [parsed(drawn), parsed(shown)];
    assert.ok(other.length > 2, what);
    assert.equal(one.map(({ letter }) => letter).join(""), other.map(({ letter }) => letter).join(""), what);
    const [dx, dy] = [one[0].x - other[0].x, one[0].y - other[0].y];
    for (const [i, { letter, x, y }] of one.entries())
      if (letter !== "Z")
        assert.ok(Math.abs(x - other[i].x - dx) < 0.01 && Math.abs(y - other[i].y - dy) < 0.01, `${what}: point ${i}`);
  }
  await page.end();
});

// Lines, tables, values and plates in <zarr-view>, with real hierarchies.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { fullRun } from "../../lib/rounds.mjs";
import { screenshots, viewing } from "../../lib/viewpage.mjs";

const host = await viewing({ webgl: fullRun });
after(() => host.close());

/** A page with a view of a node of a fixture. */
async function shown(path, node, { axes, ...options } = {}) {
  const page = await host.element(
    `src="${host.url}build/fixtures/${path}" node="${node}"${axes ? ` axes="${axes}"` : ""}`,
    { width: 900, height: 480, ...options },
  );
  await ready(page);
  return page;
}

const ready = (page) => page.waitForFunction(() => window.told?.some(([type]) => type === "ready" || type === "error"));
const pointer = (page) => page.evaluate(() => told.findLast(([type]) => type === "pointer")?.[1]);

/** The visible cells of the table, row by row. */
const cells = async (page) => {
  await page.waitForFunction(
    () => view.shadowRoot.querySelector(".table-cell") && !view.shadowRoot.querySelector(".table-waiting"),
  );
  return page.evaluate(() =>
    [...view.shadowRoot.querySelectorAll(".table-row")].map((row) =>
      [...row.querySelectorAll(".table-cell")].map((c) => c.textContent),
    ),
  );
};

test("a packed series of dates is a line, and its values have their units", async () => {
  const page = await shown("conventions/cf/dataset_v2.zarr", "/forecast/wind");
  const plot = page.getByRole("slider", { name: /wind along time/ });
  await plot.focus();
  await page.keyboard.press("Home");
  await page.waitForFunction(() => told.some(([type]) => type === "pointer"));
  const first = await pointer(page);
  assert.equal(first.coordinates.time, "2021-12-30");
  assert.deepEqual(first.index, { time: 0 });
  assert.match(await plot.getAttribute("aria-valuetext"), /^time 2021-12-30, wind /);
  assert.match(first.text, /^[\d.]+ m s⁻¹$/);
  await page.screenshot({ path: `${screenshots}/panel-line.png` });
  const blob = await page.evaluate(async () => (await view.snapshot()).size);
  assert.ok(blob > 2000, `${blob} bytes of a picture`);
  await page.end();
});

test("a series of times has dates on its axis, and complex numbers show the chosen part", async () => {
  const page = await shown("xarray/climate_v3.zarr", "/time");
  await page.getByRole("slider", { name: /time along time/ }).focus();
  await page.keyboard.press("End");
  assert.equal((await pointer(page)).text, "2000-01-31");
  await page.screenshot({ path: `${screenshots}/panel-time.png` });
  await page.evaluate(() => {
    told.length = 0;
    view.src = view.src.replace("xarray/climate_v3.zarr", "conventions/cf/float_v3.zarr");
    view.state = { node: "/c8_plain", component: "phase" };
  });
  await ready(page);
  const plot = page.getByRole("slider", { name: /c8_plain along/ });
  await plot.focus();
  await page.keyboard.press("Home");
  assert.match((await pointer(page)).text, /^\S+ [+−] \S+i$/);
  assert.equal((await pointer(page)).level, 0);
  await page.end();
});

test("missing values of a line are gaps", async () => {
  const page = await shown("conventions/cf/dataset_v2.zarr", "/forecast/deep/z");
  await page.getByRole("slider", { name: /z along level/ }).focus();
  const texts = [];
  for (const key of ["Home", "ArrowRight", "ArrowRight"]) {
    await page.keyboard.press(key);
    texts.push((await pointer(page)).text);
  }
  assert.equal(texts.filter((text) => text === "missing").length, 1, texts.join());
  await page.end();
});

test("strings in two dimensions are rows and columns", async () => {
  const page = await shown("v3/dtype.zarr", "/string_2d", { width: 1300 });
  const rows = await cells(page);
  assert.equal(rows.length, 5);
  assert.ok(rows.every((row) => row.length === 6));
  assert.deepEqual(
    rows[0].slice(0, 3).map((text) => text.normalize("NFC")),
    ["hello world", "é1", "😀😃"].map((text) => text.normalize("NFC")),
  );
  await page.getByRole("gridcell", { name: "東京都" }).first().click();
  await page.waitForFunction(() => told.some(([type]) => type === "pointer"));
  assert.deepEqual(await pointer(page), {
    index: { dim_0: 1, dim_1: 1 },
    coordinates: {},
    value: "東京都",
    text: "東京都",
    level: 0,
  });
  await page.screenshot({ path: `${screenshots}/panel-strings.png` });
  await page.end();
});

test("structs have a column for each member", async () => {
  const page = await shown("v3/dtype.zarr", "/struct_flat_le");
  assert.deepEqual(
    (await cells(page)).slice(0, 2).map((row) => row.slice(0, 2)),
    [
      ["-498", "Infinity"],
      ["2147483646", "-Infinity"],
    ],
  );
  for (const name of ["a", "b", "c"]) await page.getByRole("columnheader", { name, exact: true }).waitFor();
  await page.end();
});

test("a dataframe of AnnData shows its rows, with missing values marked", async () => {
  const page = await shown("conventions/anndata/v3.zarr", "/");
  const rows = await cells(page);
  assert.equal(rows.length, 7);
  assert.deepEqual(rows[1], ["AAC1-1", "zz", "zz", "t1", "missing", "missing", "missing", "0.16666666666666666", "1"]);
  await page.screenshot({ path: `${screenshots}/panel-anndata.png` });
  await page.end();
});

test("one value is shown large", async () => {
  const page = await shown("v3/dtype.zarr", "/string_0d");
  assert.equal(await page.getByRole("status", { name: "string_0d" }).textContent(), "only");
  await page.screenshot({ path: `${screenshots}/panel-value.png` });
  await page.end();
});

test("a plate shows its wells as pictures, and a well opens its image by a click and by keys", async () => {
  const page = await shown("ome/plate_v04.zarr", "/", { colorScheme: "dark" });
  await page.waitForFunction(() => view.shadowRoot.querySelectorAll("[data-state=drawn]").length === 2);
  assert.deepEqual(await page.getByRole("rowheader").allTextContents(), ["A", "B"]);
  assert.deepEqual(await page.getByRole("columnheader").allTextContents(), ["1", "2"]);
  const colours = await page.evaluate(() => {
    const canvas = view.shadowRoot.querySelector(".plate-picture");
    const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
    const seen = new Set();
    for (let i = 0; i < data.length; i += 4) seen.add(`${data[i]} ${data[i + 1]} ${data[i + 2]}`);
    return seen.size;
  });
  assert.ok(colours > 50, `${colours} colours`);
  await page.screenshot({ path: `${screenshots}/panel-plate.png` });
  // The foot names the well under the pointer, and the channels with their colours.
  await page.getByRole("button", { name: "Well B2" }).hover();
  await page.getByText("Well B2", { exact: true }).waitFor();
  const channels = await page.evaluate(async () => {
    const { open } = await import("zarr-wasm");
    const { describe } = await import("zarr-wasm/describe");
    const { field } = await describe(await open(new URL("A/1/0", `${view.src}/`).href, { kind: "group" }));
    return field.channels?.list.filter(({ visible }) => visible).map(({ label }) => label) ?? [];
  });
  assert.deepEqual(
    await page.getByRole("list", { name: "Channels" }).getByRole("listitem").allTextContents(),
    channels,
  );
  await page.getByRole("button", { name: "Well A1" }).focus();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("End");
  await page.getByRole("button", { name: "Well B2" }).click();
  await page.waitForFunction(() => view.getAttribute("node") === "/B/2/0");
  await page.waitForFunction(() => view.shown?.kind === "image");
  await page.end();
});

test("an unreadable line is a named error, and the next one is shown", async () => {
  const page = await shown("corrupt/v2_gzip_truncated.zarr", "/", { axes: ",dim_1" });
  await page.getByRole("alert").waitFor();
  assert.deepEqual(await page.evaluate(() => told.filter(([type]) => type === "error").map(([, name]) => name)), [
    "CodecPipelineError",
  ]);
  await page.evaluate(() => {
    told.length = 0;
    view.src = view.src.replace("corrupt/v2_gzip_truncated.zarr", "conventions/cf/dataset_v2.zarr");
    view.state = { node: "/forecast/wind" };
  });
  await page.getByRole("slider", { name: /wind along time/ }).waitFor();
  await page.end();
});

test("an embedding is points, coloured by a column, and reports rows", async () => {
  const page = await shown("conventions/anndata/v3.zarr", "/");
  await page.getByRole("tab", { name: "X_umap" }).click();
  const plot = page.getByRole("slider", { name: "Points of X_umap" });
  await plot.focus();
  await page.keyboard.press("Home");
  await page.waitForFunction(() => /AAC0-1/.test(view.shadowRoot.querySelector(".plot-legend").textContent));
  await page.getByRole("combobox", { name: "Colour by" }).selectOption("cat");
  await page.getByRole("list", { name: "Categories of cat" }).waitFor();
  assert.deepEqual(await page.getByRole("list", { name: "Categories of cat" }).getByRole("button").allTextContents(), [
    "x",
    "y",
    "zz",
  ]);
  await page.screenshot({ path: `${screenshots}/panel-embedding.png` });
  assert.deepEqual(await page.evaluate(() => [view.getAttribute("axes"), view.getAttribute("member")]), [
    ",X_umap",
    "cat",
  ]);
  await page.getByRole("combobox", { name: "Colour by" }).selectOption("f");
  await page.waitForFunction(() => view.shadowRoot.querySelector(".scatter-bar"));
  await page.getByRole("tab", { name: "X_umap" }).focus();
  await page.keyboard.press("ArrowLeft");
  await page.getByRole("grid").waitFor();
  // The panel stays, with the keyboard's focus in it.
  assert.equal(await page.evaluate(() => view.shadowRoot.activeElement?.textContent), "Table");
  await page.end();
});

test("a line of many chunks asks before reading, and offers its beginning", async () => {
  const asked = [];
  const options = { width: 900, height: 480 };
  const page = await host.element(`src="${host.url}build/fixtures/v2/huge_sparse.zarr"`, options);
  page.on("request", (request) => /huge_sparse\.zarr\/\d+$/.test(request.url()) && asked.push(request.url()));
  const answer = page.getByRole("button", { name: /^Read the first 500.000 values$/ });
  await answer.waitFor();
  assert.equal(asked.length, 0);
  await answer.click();
  await page.getByRole("slider", { name: /along dim_0/ }).waitFor();
  await page.getByText(/The first 500.000 of 300.000.000.123 values are shown/).waitFor();
  assert.ok(asked.length <= 1000, `${asked.length} requests`);
  await page.screenshot({ path: `${screenshots}/panel-asked.png` });
  await page.context().close();
});

test("the state holds the visible part and the scale of a line, and restores them", async () => {
  const page = await shown("v3/dtype.zarr", "/int32_le", { axes: ",dim_0" });
  const plot = page.getByRole("slider", { name: /int32_le along/ });
  await plot.focus();
  await page.keyboard.press("+");
  await page.waitForFunction(() => view.state.camera !== undefined);
  const camera = await page.evaluate(() => view.getAttribute("camera"));
  await page.getByRole("button", { name: "Logarithmic" }).click();
  assert.equal(await page.evaluate(() => view.getAttribute("curve")), "log");
  await page.getByRole("button", { name: "Show all" }).click();
  await page.waitForFunction(() => view.state.camera === undefined);
  await page.evaluate((camera) => {
    view.setAttribute("camera", camera);
    view.removeAttribute("curve");
  }, camera);
  await page.waitForFunction(
    () => view.shadowRoot.querySelector("[aria-label=Logarithmic]").getAttribute("aria-pressed") === "false",
  );
  await plot.focus();
  await page.keyboard.press("-");
  // After leaving the restored state, everything is visible.
  await page.waitForFunction(() => view.state.camera === undefined);
  await page.end();
});

test("a line of 10^7 values has indices until their dates are known, and is ready when it is drawn with dates", async () => {
  const page = await host.element("", {
    style: "width: 900px; height: 500px",
    script: `
    // The texts that are drawn.
    window.drawn = new Set();
    const { fillText } = CanvasRenderingContext2D.prototype;
    CanvasRenderingContext2D.prototype.fillText = function (text, ...place) {
      drawn.add(text);
      return fillText.call(this, text, ...place);
    };
    const [length, chunk, piece] = [10_000_000, 1_000_000, 50_000];
    const array = (type, chunk, attributes) =>
      json(arrayV3([length], type, { chunks: [chunk], dimension_names: ["time"], attributes }));
    const documents = new Map([
      ["/zarr.json", json(groupV3())],
      ["/wind/zarr.json", array("float32", chunk, { units: "m s-1" })],
      ["/time/zarr.json", array("int32", piece, { units: "seconds since 2010-01-01" })],
    ]);
    const { promise, resolve } = Promise.withResolvers();
    Object.assign(window, { release: resolve, times: 0 });
    view.addEventListener("ready", () => (window.first ??= [...window.drawn]));
    view.source = { get: async (key) => {
      const [, name, k] = /^\\/(time|wind)\\/c\\/(\\d+)$/.exec(key) ?? [];
      if (name === undefined) return documents.get(key);
      if (name === "wind") return new Uint8Array(Float32Array.from({ length: chunk }, (_, i) => Math.sin(i / 5e4)).buffer);
      window.times++;
      await promise;
      return new Uint8Array(Int32Array.from({ length: piece }, (_, i) => 60 * (k * piece + i)).buffer);
    } };
    view.node = "/wind";`,
  });
  await page.waitForFunction(() => window.drawn?.has("time (index)"));
  await page.waitForFunction(() => [...window.drawn].some((text) => /^2.?000.?000$/.test(text)));
  await page.evaluate(() => {
    window.drawn.clear();
    window.release();
  });
  await page.settled();
  const first = await page.evaluate(() => window.first);
  assert.ok(first.includes("time") && first.includes("2020"), "it is ready after it is drawn");
  assert.ok(await page.evaluate(() => window.times <= 18), "only a few chunks of the dates are read");
  const plot = page.getByRole("slider", { name: /wind along time/ });
  await plot.focus();
  await page.keyboard.press("End");
  const last = new Date(Date.UTC(2010, 0, 1) + 60_000 * 9_999_999).toISOString().slice(0, 16).replace("T", " ");
  assert.match(await plot.getAttribute("aria-valuetext"), new RegExp(last));
  await page.end();
});

test("a table of texts has its stored rows and columns, and shows each line of a text", async () => {
  const page = await host.element("", {
    style: "width: 700px; height: 400px",
    script: `
    const texts = ["a", "b", "first\\nsecond", "d", "e", "f", "g", "h"];
    const bytes = new Uint8Array(8 * 4 * 16);
    const words = new DataView(bytes.buffer);
    texts.forEach((text, i) => [...text].forEach((char, k) => words.setUint32(64 * i + 4 * k, char.codePointAt(0), true)));
    view.source = new Map([
      ["/.zarray", json(arrayV2([4, 2], "<U16", { fill_value: "" }))],
      ["/0.0", bytes],
    ]);`,
  });
  await page.settled();
  const grid = page.getByRole("grid");
  await grid.getByText("h", { exact: true }).waitFor();
  const rows = await grid.evaluate((node) =>
    [...node.querySelectorAll(".table-row")].map((row) =>
      [...row.querySelectorAll("[role=gridcell]")].map((cell) => cell.innerText),
    ),
  );
  assert.deepEqual(rows, [
    ["a", "b"],
    ["first ↵ second", "d"],
    ["e", "f"],
    ["g", "h"],
  ]);
  await grid.getByText("first ↵ second").click();
  await page.getByText("second").last().waitFor();
  await page.end();
});

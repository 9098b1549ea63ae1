// Reads that a person begins in the viewer: series that take long, stores that list nothing, and
// exports of a drawn region.
//
//   node --test tests/browser/demo-reads.mjs
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { stored } from "../describe/stored.mjs";
import { serve } from "../lib/serve.mjs";
import { until, viewer } from "./viewerpage.mjs";

// Nothing lists here, and each answer takes a while.
const it = viewer({ data: "build", flags: ["-latency", "40ms"] });
const { onPage, openUrl } = it;

const days = (count) => ({
  shape: [count, 4, 6],
  chunks: [1, 4, 6],
  dims: ["day", "y", "x"],
  dtype: "float32",
  fill: 7,
});
/** Opens the series of the picture's middle. */
async function plotted(page) {
  await page.getByRole("button", { name: "Series", exact: true }).click();
  await page.getByRole("group", { name: "Series" }).waitFor();
  await page.getByRole("application").click();
}
const hasLine = () => document.querySelector("#view").shadowRoot.querySelector(".plot-series") !== null;

onPage("a year of days is read without a question, and counts its chunks and bytes", async (page) => {
  const url = await it.put("year", { t: days(365) });
  assert.equal(await openUrl(page, url, "&node=/t"), "ready");
  await plotted(page);
  const series = page.getByRole("group", { name: "Series" });
  await series.getByRole("progressbar", { name: "Reading the series" }).waitFor();
  await series.getByText(/^\d+ of 365 chunks, [\d.]+ (B|KiB) of 34.2 KiB$/).waitFor();
  await until(page, "the line", hasLine);
  assert.equal(await series.getByRole("progressbar").count(), 0);
});

onPage("100,000 chunks are asked for first, and Cancel ends their requests at once", async (page) => {
  const url = await it.put("long", { t: days(100_000) });
  let asked = 0;
  page.on("request", (request) => {
    if (request.url().includes("/t/c/")) asked++;
  });
  assert.equal(await openUrl(page, url, "&node=/t"), "ready");
  await plotted(page);
  const series = page.getByRole("group", { name: "Series" });
  await series.getByText(/Along day, this takes 100.000 chunks \(9.16 MiB decoded\)/).waitFor();
  const before = asked;
  await series.getByRole("button", { name: "Read them" }).click();
  await series.getByText(/^[1-9]\S* of 100.000 chunks/).waitFor();
  await series.getByRole("button", { name: "Cancel" }).click();
  await series.getByText("Cancelled.").waitFor();
  // The worker takes the cancellation in turn, behind the answers of the requests under way.
  const ended = asked;
  for (let last = -1; last !== asked; await sleep(1000)) {
    last = asked;
    assert.ok(asked - ended <= 256, `${asked - ended} requests after the end`);
  }
  assert.ok(asked > before);
  assert.equal(await page.evaluate(hasLine), false);
  // The focus stays in the series, and the read can go on.
  await page.keyboard.press("Enter");
  await series.getByRole("button", { name: "Cancel" }).waitFor();
});

/** Servers of folders that list nothing. */
const served = [];
after(() => {
  for (const { data, folder } of served) {
    data.close();
    rmSync(folder, { recursive: true });
  }
});

for (const [name, left] of [
  ["does not list", () => false],
  ["has no document for the group", (key) => key === "/zarr.json"],
])
  onPage(`a store that ${name} offers Compare and Calculate without an error`, async (page) => {
    const plane = (start) => ({ shape: [2, 3], dims: ["y", "x"], values: [0, 1, 2, 3, 4, 5].map((i) => start + i) });
    const folder = mkdtempSync(join(tmpdir(), "zarr-"));
    for (const [key, bytes] of stored({ a: plane(0), b: plane(10) })) {
      if (left(key)) continue;
      mkdirSync(dirname(join(folder, key)), { recursive: true });
      writeFileSync(join(folder, key), bytes);
    }
    const data = await serve(folder);
    served.push({ data, folder });
    const { url } = data;
    assert.equal(await openUrl(page, url, "&node=/a"), "ready");
    await page.getByRole("button", { name: "Calculate", exact: true }).click();
    await page.getByText("The store does not list its variables: write a name").waitFor();
    await page
      .getByRole("textbox", { name: "Expression" })
      .or(page.getByRole("combobox", { name: "Expression" }))
      .fill("b * 2");
    await page.keyboard.press("Enter");
    await page.locator('#view[expression="b * 2"]').waitFor();
    await page.locator('body[data-state="ready"]').waitFor();
    await page.getByRole("button", { name: "Calculate", exact: true }).click();
    await page.getByRole("button", { name: "Nothing" }).click();
    await page.getByRole("button", { name: "Compare", exact: true }).click();
    await page.getByText("The store does not list its variables.").waitFor();
    await page.getByRole("textbox", { name: "Path of another variable" }).fill("b");
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "Subtract" }).click();
    await page.locator("#view[minus]").waitFor();
    await page.getByText("All values are −10").waitFor();
    assert.equal(await page.getByRole("alert").filter({ visible: true }).count(), 0);
  });

/** Chooses an entry of the menu that saves a file, and returns its bytes. */
async function taken(page, entry) {
  await page.getByRole("button", { name: "Take away" }).click();
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("menuitem", { name: entry }).click(),
  ]);
  return readFileSync(await download.path());
}

/** Returns the pixels of a PNG that differ from another of its size. */
const changed = (page, before, after) =>
  page.evaluate(
    async (files) => {
      const [a, b] = await Promise.all(
        files.map(async (file) => {
          const image = await createImageBitmap(await (await fetch(`data:image/png;base64,${file}`)).blob());
          const context = new OffscreenCanvas(image.width, image.height).getContext("2d");
          context.drawImage(image, 0, 0);
          return new Uint32Array(context.getImageData(0, 0, image.width, image.height).data.buffer);
        }),
      );
      return a.length === b.length ? a.reduce((sum, pixel, i) => sum + (pixel === b[i] ? 0 : 1), 0) : -1;
    },
    [before.toString("base64"), after.toString("base64")],
  );

onPage("a drawn region is in the PNG and the SVG, and begins the Zarr archive", async (page) => {
  assert.equal(await openUrl(page, "samples/earth.zarr", "&node=/t2m"), "ready");
  const plain = { png: await taken(page, /^PNG/), svg: String(await taken(page, /^SVG/)) };
  const region = "box:lat:lon,30:40,90:80";
  await page.evaluate((region) => document.getElementById("view").setAttribute("region", region), region);
  await until(page, "the region", () =>
    document.getElementById("view").shadowRoot.querySelector(".region .line")?.getAttribute("d"),
  );
  const drawn = { png: await taken(page, /^PNG/), svg: String(await taken(page, /^SVG/)) };
  const pixels = await changed(page, plain.png, drawn.png);
  assert.ok(pixels > 200 && pixels < 20_000, `${pixels} pixels differ`);
  const paths = (svg) => svg.match(/<path d="[^"]*Z" fill="none"/g)?.length ?? 0;
  assert.ok(paths(drawn.svg) >= paths(plain.svg) + 2, `${paths(plain.svg)} then ${paths(drawn.svg)} outlines`);
  await page.getByRole("button", { name: "Take away" }).click();
  await page.getByRole("menuitem", { name: "Zarr in a zip archive…" }).click();
  const dialog = page.getByRole("dialog", { name: "Take away as Zarr" });
  await dialog.getByText("1 × 40 × 60 elements").waitFor();
});

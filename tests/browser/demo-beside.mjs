// Two addresses side by side: a person adds one, both move together by the values of their
// coordinates, and the link keeps both.
//
//   node --test tests/browser/demo-beside.mjs
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before } from "node:test";
import * as zarr from "../../dist/node.js";
import { consolidateMetadata, createArray, createGroup, set } from "../../dist/write-node.js";
import { serve } from "../lib/serve.mjs";
import { accessible, screenshots, settled, until, viewer } from "./viewerpage.mjs";

const { onPage, openUrl } = viewer();

/** A dataset of a coarser grid that begins five days later. */
let other;
let folder;
before(async () => {
  folder = mkdtempSync(join(tmpdir(), "zarr-"));
  const place = zarr.root(new zarr.DirectoryStore(join(folder, "other.zarr")));
  await createGroup(place, { attributes: { title: "Another model" } });
  const coordinate = async (name, dtype, data, attributes) =>
    set(
      await createArray(place.resolve(name), { shape: data.length, dtype, dimensionNames: [name], attributes }),
      null,
      data,
    );
  const days = { units: "days since 2000-01-06", calendar: "standard", standard_name: "time" };
  await coordinate(
    "time",
    "int32",
    Int32Array.from({ length: 12 }, (_, i) => i),
    days,
  );
  const degrees = (units, standard_name) => ({ units, standard_name });
  await coordinate(
    "lat",
    "float64",
    Float64Array.from({ length: 37 }, (_, i) => 90 - 5 * i),
    degrees("degrees_north", "latitude"),
  );
  await coordinate(
    "lon",
    "float64",
    Float64Array.from({ length: 72 }, (_, i) => 5 * i),
    degrees("degrees_east", "longitude"),
  );
  const shape = [12, 37, 72];
  for (const name of ["t2m", "wind"]) {
    const array = await createArray(place.resolve(name), {
      shape,
      chunks: shape,
      dtype: "float32",
      dimensionNames: ["time", "lat", "lon"],
      attributes: { long_name: name, units: "K" },
    });
    await set(
      array,
      null,
      Float32Array.from({ length: 12 * 37 * 72 }, (_, i) => Math.sin(i / 50) * 20 + 280),
    );
  }
  await consolidateMetadata(place);
  other = await serve(folder);
});
after(() => {
  other?.close();
  rmSync(folder, { recursive: true });
  zarr.terminate();
});

const address = () => `${other.url}other.zarr`;
const views = (page) =>
  page.evaluate(() => ["#pair > zarr-view", "#beside zarr-view"].map((name) => document.querySelector(name).state));
const ready = (page) =>
  until(page, "both pictures", () => {
    const all = [...document.querySelectorAll("#pair zarr-view")];
    return all.length === 2 && all.every((view) => view.shown && !view.loading);
  });

/** Adds the second address by mouse and keyboard. */
async function added(page) {
  await page.getByRole("button", { name: "Second address…" }).click();
  const box = page.getByRole("combobox", { name: "Address to show beside this one" });
  await until(page, "the first address", () => /climate_v3/.test(document.querySelector("#beside-url").value));
  await box.fill(address());
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "other.zarr" }).waitFor();
  await ready(page);
}

onPage("a second address moves with the first by the values of coordinates, and the link keeps both", async (page) => {
  assert.equal(await openUrl(page, "xarray/climate_v3.zarr", "&node=/t2m&index=time:8"), "ready");
  await added(page);
  // 2000-01-09 is the fourth time of the other dataset.
  await until(page, "the same time", () => document.querySelector("#beside zarr-view").state.index?.time === 3);
  await accessible(page, "two addresses");
  // Both have a temperature in K. The common range contains those of both.
  const ranges = () =>
    page.evaluate(() =>
      ["#pair > zarr-view", "#beside zarr-view"].map((name) => document.querySelector(name).fullState.range),
    );
  const same = page.getByRole("checkbox", { name: "Same range" });
  await ready(page);
  const [common, alike] = await ranges();
  assert.deepEqual(alike, common);
  await same.uncheck();
  await ready(page);
  const own = await ranges();
  assert.deepEqual(common, [Math.min(own[0][0], own[1][0]), Math.max(own[0][1], own[1][1])]);
  assert.notDeepEqual(own[0], own[1]);
  await until(page, "the link with ranges of their own", () => /own$/.test(decodeURIComponent(location.hash)));
  await same.check();
  await ready(page);
  assert.deepEqual(await ranges(), [common, common]);
  const slider = page.getByRole("slider", { name: "time", exact: true });
  await slider.first().press("ArrowRight");
  await until(page, "the next time", () => document.querySelector("#beside zarr-view").state.index?.time === 4);
  // The second view leads as well. No time of the first is after 2000-01-17.
  await slider.nth(1).press("End");
  await until(page, "the last time", () => document.querySelector("#pair > zarr-view").state.index?.time === 16);
  const picture = await page.getByRole("application").first().boundingBox();
  await page.mouse.move(picture.x + picture.width / 2, picture.y + picture.height / 2);
  await page.mouse.wheel(0, -240);
  await until(page, "the same place", () => document.querySelector("#beside zarr-view").state.camera !== undefined);
  const [one, two] = await views(page);
  // Element i of the first is at 10 i degrees, that of the second at 5 i.
  assert.ok(Math.abs((one.camera.x - 0.5) * 10 - (two.camera.x - 0.5) * 5) < 1e-3, JSON.stringify([one, two]));
  assert.ok(Math.abs(one.camera.zoom / 2 - two.camera.zoom) < 1e-3);
  await ready(page);
  await until(page, "the link with both places", () => location.hash.match(/camera(=|%3D)/g)?.length === 2);

  const copy = await page.context().newPage();
  await copy.goto(page.url());
  assert.equal(await settled(copy), "ready");
  await ready(copy);
  const places = (all) => all.map(({ node, index, camera }) => ({ node, index, camera }));
  assert.deepEqual(places(await views(copy)), places(await views(page)));
  await copy.close();

  await page.getByRole("combobox", { name: "Variable of the second address" }).selectOption("wind");
  await ready(page);
  assert.deepEqual(await page.evaluate(() => document.querySelector("#beside zarr-view").state.node), "/wind");
  const [still, wind] = await ranges();
  assert.deepEqual(still, own[0], "another quantity has its own range");
  assert.ok(wind[0] > 259 && wind[1] < 301, String(wind));
  await page.getByRole("checkbox", { name: "Linked" }).uncheck();
  await slider.first().press("Home");
  await until(page, "the first time", () => document.querySelector("#pair > zarr-view").state.index?.time === 0);
  assert.equal((await views(page))[1].index.time, 11);
  await until(page, "the link without a link", () => location.hash.includes("apart"));
  await page.getByRole("button", { name: "Close", exact: true }).click();
  await until(page, "one view", () => !location.hash.includes("beside="));
  assert.equal(await page.locator("#beside").isVisible(), false);
});

onPage(
  "on a phone the second address is below the first, and an address without data says so",
  async (page) => {
    assert.equal(await openUrl(page, "xarray/climate_v3.zarr", "&node=/t2m"), "ready");
    await page.getByRole("button", { name: "Controls" }).click();
    await added(page);
    const [one, two] = await Promise.all(
      ["#pair > zarr-view", "#beside"].map((name) => page.locator(name).boundingBox()),
    );
    assert.ok(two.y >= one.y + one.height - 1 && Math.abs(two.width - one.width) < 2, JSON.stringify([one, two]));
    await page.screenshot({ path: `${screenshots}/beside-phone.png` });
    assert.ok(one.height > 150 && two.height > 150, JSON.stringify([one, two]));
    await page.getByRole("button", { name: "Close", exact: true }).click();
    await until(page, "one view", () => !location.hash.includes("beside="));
    await page.evaluate((url) => {
      location.hash = `${location.hash}&beside=${encodeURIComponent(`url=${url}nothing.zarr`)}`;
    }, other.url);
    await page
      .locator("#beside-note")
      .getByText(/not found|nothing|no /i)
      .waitFor();
    // The first view goes on.
    await page.getByRole("slider", { name: "time", exact: true }).first().press("ArrowRight");
    await until(page, "the next time", () => document.querySelector("#pair > zarr-view").state.index?.time === 1);
  },
  { viewport: { width: 390, height: 844 } },
);

// Statistics of a region in the element, compared with those of the stored numbers.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { screenshots, viewing } from "../../lib/viewpage.mjs";

let host;
before(async () => {
  host = await viewing();
});
after(() => host?.close());

const full = "<style>html{color-scheme:light dark}body{margin:0}zarr-view{height:100vh}</style>";

test("a region has the weighted mean and the extremes of its values, and a series through time", async () => {
  const page =
    await host.page(`${full}<zarr-view src="${host.url}build/samples/earth.zarr" node="/sst" index="time:3"></zarr-view>
    <script type="module">window.view = document.querySelector("zarr-view"); import "zarr-wasm/view";</script>`);
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
  assert.deepEqual(page.wrong, []);
  await page.context().close();
});

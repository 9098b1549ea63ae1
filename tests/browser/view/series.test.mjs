// Series of points and profiles of a climate, compared with the package's reads.
import assert from "node:assert/strict";
import { copyFileSync } from "node:fs";
import { after, test } from "node:test";
import { fullRun } from "../../lib/rounds.mjs";
import { top } from "../../lib/serve.mjs";
import { bundled, screenshots, viewing } from "../../lib/viewpage.mjs";

const [host, script] = await Promise.all([
  viewing({ webgl: fullRun }),
  bundled(
    "series",
    `export { SeriesPlot } from "./view/plot/series.js";
     export { ViewWorker } from "./view/worker/viewworker.js";
     export { css } from "./view/plot/styles.js";
     export { theme } from "./view/theme.js";`,
  ),
]);
// Its worker is beside it, as in the package.
copyFileSync(`${top}dist/view-worker.js`, `${top}build/test/view/view-worker.js`);
after(() => host.close());

test("points have a series along time and a place in the legend, and two points have a profile", async () => {
  const page = await host.page(
    `<style>html { color-scheme: light dark } #view { height: 380px }</style><div id="view"></div><script type="module">
import { open } from "zarr-wasm";
import { describe } from "zarr-wasm/describe";
import { SeriesPlot, ViewWorker, css, theme } from "${host.url}${script}";
const root = document.querySelector("#view").attachShadow({ mode: "open" });
const sheet = new CSSStyleSheet();
sheet.replaceSync(theme + css + ":host { height: 380px }");
root.adoptedStyleSheets = [sheet];
window.told = [];
const group = await open("${host.url}build/fixtures/xarray/climate_v3.zarr");
const array = await group.open("t2m");
const { field } = await describe(array, { group });
window.field = field;
const plot = (window.series = new SeriesPlot(root, new ViewWorker(), {
  chosen: (axis, index) => told.push([axis, index]), closed: () => told.push("closed"), failed: (error) => told.push(String(error)) }));
plot.of({ field, x: 2, y: 1, indices: [5, 0, 0] });
window.ready = true;
</script>`,
    { width: 900, height: 440 },
  );
  await page.waitForFunction(() => window.ready);
  await page.evaluate(() =>
    window.series.show({
      points: [
        [3, 15],
        [20, 4],
      ],
    }),
  );
  const plot = page.getByRole("slider", { name: /2 m temperature along time/ });
  await page.waitForFunction(
    () => document.querySelector("#view").shadowRoot.querySelectorAll(".plot-series").length === 2,
  );
  assert.equal(await plot.getAttribute("aria-valuenow"), "5", "the cursor stands where the picture is");
  await page.screenshot({ path: `${screenshots}/series-light.png` });
  // The texts show the stored values.
  const words = await page.evaluate(async () => {
    const { data } = await window.field.levels[0].array.vindex([[5], [15], [3]]);
    return window.field.text(data[0]);
  });
  assert.ok(
    (await plot.getAttribute("aria-valuetext")).includes(words),
    `${words} in ${await plot.getAttribute("aria-valuetext")}`,
  );
  await plot.focus();
  await page.keyboard.press("Home");
  await page.keyboard.press("Enter");
  assert.deepEqual(await page.evaluate(() => window.told.at(-1)), [0, 0]);
  await page.getByRole("combobox", { name: "Along" }).selectOption({ index: 1 });
  await page.getByRole("slider", { name: /along lat/ }).waitFor();
  await page.evaluate(() =>
    window.series.show({
      points: [
        [0, 0],
        [35, 18],
      ],
      profile: true,
    }),
  );
  const line = page.getByRole("slider", { name: /along a line/ });
  await line.focus();
  await page.keyboard.press("End");
  assert.equal(await line.getAttribute("aria-valuemax"), "35");
  const last = await page.evaluate(async () => {
    const { data } = await window.field.levels[0].array.vindex([[5], [18], [35]]);
    return window.field.text(data[0]);
  });
  assert.ok(
    (await line.getAttribute("aria-valuetext")).includes(last),
    `${last} in ${await line.getAttribute("aria-valuetext")}`,
  );
  await page.screenshot({ path: `${screenshots}/series-profile.png` });
  await page.getByRole("button", { name: "Clear" }).click();
  await page.getByText("Click a point of the picture").waitFor();
  await page.getByRole("button", { name: "Close series" }).click();
  assert.equal(await page.evaluate(() => window.told.at(-1)), "closed");
  await page.end();
});

test("a link with a series says that the series is being read, until it is there", async () => {
  const slow = await viewing({ flags: ["-latency", "150ms"] });
  try {
    const page = await slow.page(
      `<zarr-view src="${slow.url}build/samples/earth.zarr" node="/t2m" series="time,3:5" style="height: 600px"></zarr-view>
      <script type="module">
        window.view = document.querySelector("zarr-view");
        window.said = [];
        await import("zarr-wasm/view");
        // Records each text beside the plot, also those between two frames.
        const watch = () => {
          const note = view.shadowRoot.querySelector(".beside")?.innerText;
          if (note !== undefined && window.said.at(-1) !== note) window.said.push(note);
        };
        new MutationObserver(watch).observe(view.shadowRoot, { subtree: true, childList: true, characterData: true, attributes: true });
        watch();
      </script>`,
    );
    await page.waitForFunction(() => view.shadowRoot?.querySelectorAll(".plot-series").length === 1);
    const said = (await page.evaluate(() => window.said)).join("\n");
    assert.match(said, /Reading the series/);
    assert.doesNotMatch(said, /Click a point/);
    await page.context().close();
  } finally {
    await slow.close();
  }
});

/** Opens a series of three points beside an array, whose chunks have one index of time. */
async function daily(days, shard, { series = "time,1:1,2:2,3:1", held = false } = {}) {
  return host.element(`node="/v" series="${series}"`, {
    script: `
      const { sharding } = await import("tests/documents");
      const [days, shard] = [${days}, ${shard}];
      const more = shard > 0 ? { chunks: [shard, 4, 4], codecs: [sharding([1, 4, 4])] } : { chunks: [1, 4, 4] };
      const array = arrayV3([days, 4, 4], "float32", { dimension_names: ["time", "y", "x"], ...more });
      const files = new Map([["/zarr.json", json(groupV3())], ["/v/zarr.json", json(array)]]);
      const plane = (day) => Float32Array.from({ length: 16 }, (_, i) => 100 * day + i);
      for (let from = 0; from < days; from += shard || 1) {
        const count = shard || 1;
        const bytes = new Uint8Array(count * 64 + (shard ? 16 * count : 0));
        const index = new DataView(bytes.buffer, count * 64);
        for (let k = 0; k < count; k++) {
          bytes.set(new Uint8Array(plane(from + k).buffer), 64 * k);
          if (shard) index.setBigUint64(16 * k, BigInt(64 * k), true);
          if (shard) index.setBigUint64(16 * k + 8, 64n, true);
        }
        files.set("/v/c/" + from / count + "/0/0", bytes);
      }
      window.ranges = 0;
      window.held = ${held};
      view.source = {
        get: async (key) => {
          while (window.held && key.includes("/c/")) await new Promise((resolve) => setTimeout(resolve, 20));
          return files.get(key);
        },
        getRange: async (key, range) => {
          if (key.includes("/c/")) ranges++;
          const all = files.get(key);
          return "suffixLength" in range ? all?.slice(-range.suffixLength) : all?.slice(range.offset, range.offset + range.length);
        },
      };`,
  });
}

test("a series counts what it reads: points of one chunk once, and neighbours in a shard as one request", async () => {
  for (const [what, days, shard] of [
    ["600 chunks, each with all three points", 600, 0],
    ["2000 inner chunks in 4 shards", 2000, 500],
  ]) {
    const page = await daily(days, shard);
    page.setDefaultTimeout(20_000);
    await page.waitForFunction(() => view.shadowRoot?.querySelectorAll(".plot-series").length === 3, null, {});
    assert.equal(await page.getByRole("button", { name: "Read them" }).count(), 0, what);
    if (shard) assert.ok((await page.evaluate(() => ranges)) < 100, `${await page.evaluate(() => ranges)} ranges`);
    await page.end();
  }
  const page = await daily(1200, 0);
  await page.getByText(/this takes 1.?200 chunks/).waitFor();
  await page.end();
});

test("series that are joined, cancelled or replaced while they are read end with all of their values", async () => {
  const page = await daily(300, 0, { series: "time,1:1", held: true });
  page.setDefaultTimeout(30_000);
  const set = (text) => page.evaluate((text) => view.setAttribute("series", text), text);
  const names = () => page.evaluate(() => [...view.shadowRoot.querySelectorAll(".plot-series")].length);
  const whole = async (count) => {
    await page.waitForFunction(
      (count) =>
        view.shadowRoot.querySelectorAll(".plot-series").length === count &&
        !view.shadowRoot.querySelector(".series-note progress"),
      count,
    );
    assert.equal(await page.getByRole("alert").count(), 0);
  };
  const reading = () => page.getByRole("progressbar", { name: "Reading the series…" }).waitFor();
  const release = () =>
    page.evaluate(() => {
      window.held = false;
    });
  await reading();
  await set("time,1:1,2:2");
  await release();
  await whole(2);
  await page.evaluate(() => view.setAttribute("index", "time:7"));
  await set("y,1:1,2:2");
  await set("time,3:3");
  await whole(1);
  for (const joined of [false, true]) {
    await page.reload();
    await page.waitForFunction(() => window.view?.shown);
    await reading();
    await page.getByRole("button", { name: "Cancel", exact: true }).click();
    await page.getByText("Cancelled.").waitFor();
    assert.equal(await names(), 0);
    await release();
    if (joined) await set("time,1:1,0:0");
    else await page.getByRole("button", { name: "Read on" }).click();
    await whole(joined ? 2 : 1);
  }
  await page.end();
});

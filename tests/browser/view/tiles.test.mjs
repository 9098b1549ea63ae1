// Tiles in a page whose worker prepares pixels by transfer, when the worker fails, and without one.
import assert from "node:assert/strict";
import { copyFileSync } from "node:fs";
import { after, test } from "node:test";
import { top } from "../../lib/serve.mjs";
import { bundled, viewing } from "../../lib/viewpage.mjs";

const slow = { timeout: 240_000 };

const host = await viewing({ webgl: false });
const script = await bundled("tiles", 'export { createTiles } from "./view/tiles/create.js";');
// Its worker is beside it, as in the package.
copyFileSync(`${top}dist/view-worker.js`, `${top}build/test/view/view-worker.js`);
after(() => host.close());

/**
 * Opens a page, and returns the result of `see` there for tiles of 64-bit numbers in reversed
 * order.
 */
async function see() {
  const body = `<script type="module">
    import { createTiles } from "${host.url}${script}";
    import { FormulaStore, fieldOf, elementOf } from "${host.url}tests/js/viewfields.mjs";
    const level = (n) => ({ shape: [3, 2 * n, n], chunks: [1, 128, 100], dtype: "float64" });
    window.see = async () => {
      const store = new FormulaStore([level(600), level(300)]);
      const field = await fieldOf(store, { plane: { value: { x: 1, y: 2 } } });
      const failures = [];
      const tiles = createTiles(field, { changed() {}, failed: (error) => failures.push(String(error)) });
      const indices = [2, 0, 0];
      tiles.want({ x: 1, y: 2, indices, left: 0, top: 0, right: 1200, bottom: 600, perPixelX: 1, perPixelY: 1, channels: [0] });
      const statistics = await tiles.statistics(0);
      while (tiles.busy) await new Promise((resolve) => setTimeout(resolve, 5));
      let wrong = 0;
      let pixels = 0;
      for (const tile of tiles.ready()) {
        const { width, height, data } = tile.pixels;
        for (let j = 0; j < height; j += 7) for (let i = 0; i < width; i += 7) {
          const expected = elementOf(0, [2, tile.x + i, tile.y + j]);
          if (data[j * width + i] !== expected || tile.value(i, j) !== expected) wrong++;
          pixels++;
        }
      }
      const { complete } = tiles;
      tiles.close();
      return { wrong, pixels, complete, failures, count: statistics.count, asked: store.asked.length, most: statistics.most };
    };
    window.ready = true;
  </script>`;
  const page = await host.page(body);
  await page.waitForFunction(() => window.ready === true);
  return page;
}

/** Checks that hold for every way of computing. */
function right(seen) {
  const { wrong, pixels, complete, failures, count, asked, most } = seen;
  assert.deepEqual(
    { wrong, complete, failures, count, most },
    { wrong: 0, complete: true, failures: [], count: 180_000, most: 250 },
  );
  assert.ok(pixels > 10_000);
  assert.equal(asked, 60 + 15, "each chunk once");
}

const workers = (page) => page.workers().filter((worker) => /view-worker/.test(worker.url())).length;

test("a worker prepares the pixels, and ends with its last user", slow, async () => {
  const page = await see();
  const seen = page.evaluate(() => Promise.all([window.see(), window.see()]));
  const started = await page.waitForEvent("worker", (worker) => /view-worker/.test(worker.url()));
  const ended = new Promise((resolve) => started.on("close", resolve));
  for (const one of await seen) right(one);
  await ended;
  assert.equal(workers(page), 0);
  right(await page.evaluate(() => window.see()));
  assert.deepEqual(page.wrong, []);
  await page.close();
});

test("after a worker breaks, its pixels are read again and prepared by another or by the page", slow, async () => {
  for (const times of [1, 9]) {
    const page = await see();
    let broken = 0;
    await page.route("**/view-worker.js", async (route) => {
      if (broken === times) return route.continue();
      broken++;
      // The worker starts, and fails at its first task.
      const body = "postMessage({ ready: true }); onmessage = () => { throw new Error('broken on purpose'); };";
      return route.fulfill({ body, contentType: "text/javascript" });
    });
    right(await page.evaluate(() => window.see()));
    assert.equal(broken, Math.min(times, 2));
    await page.close();
  }
});

test("without workers, the page prepares the pixels", slow, async () => {
  for (const change of [
    (page) => page.evaluate(() => delete globalThis.Worker),
    (page) => page.route("**/view-worker.js", (route) => route.abort()),
    (page) => page.route("**/view-worker.js", (route) => route.fulfill({ status: 404, body: "" })),
  ]) {
    const page = await see();
    await page.evaluate(() => import("zarr-wasm").then(({ open }) => open(new Map()).catch(() => {})));
    await change(page);
    right(await page.evaluate(() => window.see()));
    await page.close();
  }
});

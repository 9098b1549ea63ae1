// Downloads a GeoTIFF from the element, and reads it by geotiff.js.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { fromArrayBuffer } from "geotiff";
import { viewing } from "../lib/viewpage.mjs";

let host;
before(async () => {
  host = await viewing();
});
after(() => host?.close());

for (const [node, what] of [
  ["/t2m", "packed integers"],
  ["/sst", "floats with missing values"],
]) {
  test(`geotiff.js reads ${what} at their place, as the slice has them`, async () => {
    const page = await host.page(`<style>body{margin:0}zarr-view{height:100vh}</style>
      <zarr-view src="${host.url}build/samples/earth.zarr" node="${node}" index="time:3" controls="all"></zarr-view>
      <script type="module">import "zarr-wasm/view"; window.view = document.querySelector("zarr-view");</script>`);
    await page.settled();
    // Elements are processed in a worker: no loop over them runs on the page.
    const asked = await page.evaluateHandle(() => {
      const tasks = [];
      const { postMessage } = Worker.prototype;
      Worker.prototype.postMessage = function (message, ...more) {
        if (message?.task) tasks.push(message.task.task);
        return postMessage.call(this, message, ...more);
      };
      return tasks;
    });
    await page.getByRole("button", { name: "Take away" }).click();
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("menuitem", { name: "GeoTIFF" }).click(),
    ]);
    assert.ok((await asked.jsonValue()).includes("samples"));
    const file = readFileSync(await download.path());
    const expected = await page.evaluate(async (node) => {
      const { open } = await import("zarr-wasm");
      const root = await open(view.src);
      const [array, lat, lon] = await Promise.all([node, "/lat", "/lon"].map((path) => open(root.resolve(path))));
      const { scale_factor = 1, add_offset = 0, _FillValue } = array.attrs;
      const { data, shape } = await array.get([3, null, null]);
      const values = Array.from(data, (stored) =>
        stored === _FillValue || Number.isNaN(stored) ? null : stored * scale_factor + add_offset,
      );
      const positions = [lat, lon].map(async (axis) => [...(await axis.get()).data]);
      const [lats, lons] = await Promise.all(positions);
      return { values, shape, lats, lons };
    }, node);
    const { lats, lons, values, shape } = expected;
    const [height, width] = shape;

    const tiff = await fromArrayBuffer(file.buffer.slice(file.byteOffset, file.byteOffset + file.byteLength));
    const image = await tiff.getImage();
    assert.deepEqual([image.getHeight(), image.getWidth()], shape);
    assert.equal(image.getGeoKeys().GeographicTypeGeoKey, 4326);
    const step = { x: (lons[width - 1] - lons[0]) / (width - 1), y: (lats[height - 1] - lats[0]) / (height - 1) };
    const near = (a, b) => assert.ok(Math.abs(a - b) < 1e-9, `${a} is not ${b}`);
    const [resolutionX, resolutionY] = image.getResolution();
    near(resolutionX, Math.abs(step.x));
    near(resolutionY, -Math.abs(step.y));
    const [west, north] = image.getOrigin();
    near(west, Math.min(lons[0], lons[width - 1]) - Math.abs(step.x) / 2);
    near(north, Math.max(lats[0], lats[height - 1]) + Math.abs(step.y) / 2);

    const [raster] = await image.readRasters();
    assert.equal(raster.length, values.length);
    let missing = 0;
    for (let row = 0; row < height; row++) {
      for (let column = 0; column < width; column++) {
        const from = (step.y > 0 ? height - 1 - row : row) * width + (step.x < 0 ? width - 1 - column : column);
        const [found, wanted] = [raster[row * width + column], values[from]];
        if (wanted === null) {
          missing++;
          assert.ok(Number.isNaN(found), `${row}, ${column} is ${found}`);
        } else assert.ok(found === Math.fround(wanted), `${row}, ${column}: ${found} is not ${wanted}`);
      }
    }
    assert.equal(missing > 0, node === "/sst");
    assert.deepEqual(page.wrong, []);
    await page.context().close();
  });
}

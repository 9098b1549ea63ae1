// Statistics of regions compared with a plain reference over the same random arrays.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import * as zarr from "zarr-wasm";
import { regionCost, summaryOf } from "../../dist/view-regions.js";
import { random } from "../lib/random.mjs";
import { bundledModule } from "./bundledmodule.mjs";
import { lengths, made, opened, shuffled } from "./viewoperands.mjs";

const { ViewWorker } = await bundledModule("viewworker", 'export { ViewWorker } from "./view/worker/viewworker.js";');
after(() => zarr.terminate());

/** A coordinate of latitudes, as CF describes it. */
function latitudes() {
  const values = Float64Array.from({ length: lengths.lat }, (_, i) => 80 - 40 * i);
  const document = {
    zarr_format: 3,
    node_type: "array",
    shape: [lengths.lat],
    data_type: "float64",
    chunk_grid: { name: "regular", configuration: { chunk_shape: [lengths.lat] } },
    chunk_key_encoding: { name: "default", configuration: { separator: "/" } },
    fill_value: 0,
    codecs: [{ name: "bytes", configuration: { endian: "little" } }],
    dimension_names: ["lat"],
    attributes: { units: "degrees_north", standard_name: "latitude" },
  };
  return { document, chunk: new Uint8Array(values.buffer), key: "c/0", values };
}

function longitudes() {
  const values = Float64Array.from({ length: lengths.lon }, (_, i) => 10 * i);
  const { document } = latitudes();
  const own = { ...document, shape: [lengths.lon], dimension_names: ["lon"] };
  own.chunk_grid = { name: "regular", configuration: { chunk_shape: [lengths.lon] } };
  own.attributes = { units: "degrees_east", standard_name: "longitude" };
  return { document: own, chunk: new Uint8Array(values.buffer), key: "c/0", values };
}

const close = (found, expected, what) => {
  if (Number.isNaN(expected)) return assert.ok(Number.isNaN(found), what);
  assert.ok(Math.abs(found - expected) <= 1e-9 * Math.max(1, Math.abs(expected)), `${what}: ${found}, not ${expected}`);
};

test("statistics of a region equal those of its values, weighted by the cosine of the latitude", async () => {
  for (let seed = 1; seed <= 60; seed++) {
    const roll = random(seed);
    const names = shuffled(roll, ["time", "lat", "lon"]);
    const a = made(roll, names);
    const placed = roll(2) === 0;
    const lat = latitudes();
    const description = await opened(placed ? { a, lat, lon: longitudes() } : { a });
    const { field } = description;
    const [x, y] = [names.indexOf("lon"), names.indexOf("lat")];
    const end = (length) => {
      const first = roll(length);
      return [first, first + 1 + roll(length - first)];
    };
    const [[left, right], [top, bottom]] = [end(lengths.lon), end(lengths.lat)];
    const time = names.indexOf("time");
    const along = roll(2) === 0 ? time : null;
    const at = roll(lengths.time);
    const indices = names.map((_, d) => (d === time ? at : 0));
    const of = { field, x, y, indices, region: { left, right, top, bottom }, along };
    const worker = new ViewWorker();
    const steps = [];
    const { signal } = new AbortController();
    const { each, areas } = await summaryOf(of, worker, signal, (done) => steps.push(done));
    worker.close();
    const what = `seed ${seed}: ${a.type} ${names} ${JSON.stringify(of.region)}`;
    assert.equal(areas, placed, what);
    assert.equal(each.length, along === null ? 1 : lengths.time);
    assert.deepEqual(
      steps,
      Array.from({ length: each.length + 1 }, (_, i) => i),
    );
    assert.equal(regionCost(of).chunks, 1);
    for (const [i, found] of each.entries()) {
      const values = [];
      for (let row = top; row < bottom; row++)
        for (let column = left; column < right; column++) {
          const value = a.value({ time: along === null ? at : i, lat: row, lon: column });
          const weight = placed ? Math.cos((lat.values[row] * Math.PI) / 180) : 1;
          if (value !== null) values.push([Number(value), weight]);
        }
      const weights = values.reduce((sum, [, weight]) => sum + weight, 0);
      const mean = values.reduce((sum, [value, weight]) => sum + value * weight, 0) / weights;
      const variance = values.reduce((sum, [value, weight]) => sum + weight * (value - mean) ** 2, 0) / weights;
      const plain = values.map(([value]) => value);
      assert.equal(found.count, values.length, what);
      assert.equal(found.missing, (bottom - top) * (right - left) - values.length, what);
      close(found.least, plain.length > 0 ? Math.min(...plain) : Number.NaN, `${what} min`);
      close(found.most, plain.length > 0 ? Math.max(...plain) : Number.NaN, `${what} max`);
      close(found.mean, mean, `${what} mean`);
      // Integers of 2^60 have no digits left for a deviation.
      if (Math.abs(mean) < 2 ** 50 || Number.isNaN(mean)) close(found.deviation, Math.sqrt(variance), `${what} std`);
    }
  }
});

test("an aborted series ends, and reads nothing more", async () => {
  const roll = random(4);
  const { field } = await opened({ a: made(roll, ["time", "lat", "lon"]) });
  const controller = new AbortController();
  const worker = new ViewWorker();
  const steps = [];
  const region = { left: 0, right: 3, top: 0, bottom: 3 };
  const asked = summaryOf(
    { field, x: 2, y: 1, indices: [0, 0, 0], region, along: 0 },
    worker,
    controller.signal,
    (i) => {
      steps.push(i);
      if (i === 2) controller.abort();
    },
  );
  await assert.rejects(asked, { name: "AbortError" });
  assert.deepEqual(steps, [0, 1, 2]);
  worker.close();
});

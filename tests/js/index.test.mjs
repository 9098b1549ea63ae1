// The references that `zarr index` writes: the package opens files of each format on a server by
// them, with ranges only.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { copyFileSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { openPyramid } from "../../dist/geo.js";
import { open, terminate } from "../../dist/node.js";
import { openImage } from "../../dist/ome.js";
import { top } from "../lib/serve.mjs";

const dir = mkdtempSync(join(tmpdir(), "zarr-index-"));
const asked = [];
const server = createServer((request, response) => {
  const name = request.url.slice(1);
  const range = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? "");
  asked.push({ name, range: range?.slice(1).map(Number) });
  let body;
  try {
    body = readFileSync(join(dir, name));
  } catch {
    return response.writeHead(404).end();
  }
  if (!range) return response.end(body);
  const [from, to] = [Number(range[1]), Math.min(Number(range[2]), body.length - 1)];
  response.writeHead(206, { "content-range": `bytes ${from}-${to}/${body.length}` });
  response.end(body.subarray(from, to + 1));
});
await new Promise((ready) => server.listen(0, "127.0.0.1", ready));
const base = `http://127.0.0.1:${server.address().port}/`;
after(() => {
  server.closeAllConnections();
  server.close();
  rmSync(dir, { recursive: true });
  return terminate();
});

const upTo = (n) => Array.from({ length: n }, (_, i) => i);

/** Writes the references of a test file of a format, and opens them. `read` reads an array. */
async function indexed(format, name, out = `${name}.json`) {
  copyFileSync(`${top}zarr/prepare/${format}/testdata/${name}`, join(dir, name));
  execFileSync(`${top}build/zarr`, ["index", join(dir, name), "-o", join(dir, out)], { stdio: "pipe" });
  asked.length = 0;
  const group = await open(base + out);
  const array = (path) => open(group.resolve(path), { kind: "array" });
  return { group, array, read: async (path) => Array.from((await (await array(path)).get()).data) };
}

/** Checks the requests for a file. */
function checkRequests(name, requests, most) {
  const ofFile = asked.filter((one) => one.name === name);
  assert.ok(ofFile.length >= 1 && ofFile.every((one) => one.range), JSON.stringify(asked));
  assert.ok(ofFile.length <= requests, `${ofFile.length} requests`);
  const bytes = ofFile.reduce((sum, { range: [from, to] }) => sum + to - from + 1, 0);
  assert.ok(bytes < most, `${bytes} bytes`);
}

for (const name of ["earliest.h5", "latest.h5"]) {
  test(`the HDF5 file ${name} opens by references with ranges only`, async () => {
    const { array, read } = await indexed("hdf5", name);
    assert.deepEqual(await read("g/c"), upTo(40));
    assert.deepEqual(await read("x"), upTo(4));
    assert.deepEqual(await read("s"), ["a", "bc"]);
    assert.deepEqual((await array("g/c")).attrs._ARRAY_DIMENSIONS.slice(1), ["x"]);
    checkRequests(name, 4, 16_000);
  });
}

for (const name of ["classic.nc", "offset.nc", "cdf5.nc"]) {
  test(`the NetCDF-3 file ${name} opens by references with ranges only`, async () => {
    const { group, array, read } = await indexed("netcdf3", name);
    assert.deepEqual(await read("v"), upTo(12));
    assert.deepEqual(await read("w"), upTo(12));
    assert.deepEqual(await read("time"), [0, 1, 2.5]);
    assert.deepEqual(await read("x"), upTo(4));
    assert.equal(group.attrs.title, "t");
    assert.deepEqual((await array("v")).attrs._ARRAY_DIMENSIONS, ["time", "x"]);
    checkRequests(name, 6, 400);
  });
}

test("a TIFF file opens by references with ranges only: compression, predictor, short strip", async () => {
  const { read } = await indexed("tiff", "strips.tif");
  const expected = upTo(130).map((n) => n % 17);
  assert.deepEqual(await read("0/0"), expected);
  assert.deepEqual(await read("1/0"), expected);
  checkRequests("strips.tif", 4, 800);
});

test("a GeoTIFF opens as a pyramid by references in Parquet files", async () => {
  const { group, read } = await indexed("tiff", "cog.tif", "cog.parq");
  const value = (y, x) => ((y * 48 + x) % 50) / 4;
  assert.deepEqual(
    await read("0"),
    upTo(32 * 48).map((n) => value(Math.floor(n / 48), n % 48)),
  );
  assert.deepEqual(
    await read("1"),
    upTo(16 * 24).map((n) => value(2 * Math.floor(n / 24), 2 * (n % 24))),
  );
  const pyramid = await openPyramid(group);
  assert.equal(pyramid.crs.code, "EPSG:32633");
  assert.deepEqual(
    pyramid.levels.map(({ path, transform }) => [path, ...transform]),
    [
      ["0", 30, 0, 500000, 0, -30, 5200000],
      ["1", 60, 0, 500000, 0, -60, 5200000],
    ],
  );
  assert.deepEqual(pyramid.problems, []);
  checkRequests("cog.tif", 8, 2000);
});

test("an OME-TIFF opens as an image of OME-Zarr by references", async () => {
  const { group, read } = await indexed("tiff", "cells.ome.tif");
  const image = await openImage(group);
  assert.deepEqual(
    image.axes.map(({ name }) => name),
    ["t", "c", "y", "x"],
  );
  assert.deepEqual(
    await read("0"),
    upTo(4 * 256).map((n) => n % 9),
  );
  checkRequests("cells.ome.tif", 4, 1200);
});

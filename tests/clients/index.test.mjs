// The references of `zarr index` in Chromium, with ranges only. Other readers of the formats read
// the same files: h5wasm, geotiff.js and hyparquet. Files of h5py and GDAL have codecs
// that only zarr-full.wasm has.
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { copyFileSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { extname, join } from "node:path";
import { after, before, test } from "node:test";
import { gunzipSync } from "node:zlib";
import { fromArrayBuffer } from "geotiff";
import h5wasm from "h5wasm/node";
import { parquetReadObjects } from "hyparquet";
import { listen, top } from "../lib/serve.mjs";
import { viewing } from "../lib/viewpage.mjs";

const dir = mkdtempSync(join(tmpdir(), "zarr-clients-"));
const index = (file, out) =>
  execFileSync(`${top}build/zarr`, ["index", join(dir, file), "-o", join(dir, out)], { stdio: "pipe" });
let host;
let files;
let asked = [];
before(async () => {
  host = await viewing({ webgl: false });
  files = await listen((request, response) => {
    const name = decodeURIComponent(request.url.slice(1));
    const headers = { "access-control-allow-origin": "*", "access-control-expose-headers": "content-range" };
    if (!existsSync(join(dir, name))) return response.writeHead(404, headers).end();
    headers["content-type"] =
      { ".js": "text/javascript", ".html": "text/html" }[extname(name)] ?? "application/octet-stream";
    let body = readFileSync(join(dir, name));
    const range = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? "");
    if (range) {
      const from = Number(range[1]);
      headers["content-range"] = `bytes ${from}-${Math.min(Number(range[2]), body.length - 1)}/${body.length}`;
      body = body.subarray(from, Number(range[2]) + 1);
    }
    asked.push({ name, range: Boolean(range), bytes: body.length });
    response.writeHead(range ? 206 : 200, headers).end(body);
  });
});
after(async () => {
  await host?.close();
  files?.close();
  rmSync(dir, { recursive: true });
});

/**
 * Reads a selection of an array in a page, by references. Returns its numbers, and the requests for
 * a file.
 */
async function read(refs, path, selection, file) {
  asked = [];
  const page = await host.page("");
  const data = await page.evaluate(
    async ([url, path, selection]) => {
      const { open } = await import("zarr-wasm");
      const group = await open(url, { kind: "group" });
      const array = await open(group.resolve(path), { kind: "array" });
      return Array.from((await array.get(selection)).data, Number);
    },
    [files.url + refs, path, selection],
  );
  assert.deepEqual(page.wrong, []);
  await page.context().close();
  const requests = asked.filter(({ name }) => name === file);
  assert.ok(
    requests.every(({ range }) => range),
    JSON.stringify(requests),
  );
  return { data, requests: requests.length, bytes: requests.reduce((sum, { bytes }) => sum + bytes, 0) };
}

test("one chunk of an HDF5 file takes one range, and h5wasm takes all of the file", async (t) => {
  await h5wasm.ready;
  const values = Int32Array.from({ length: 16 * 64 * 1024 }, (_, i) => Math.imul(i, 0x9e3779b1));
  const writing = new h5wasm.File(join(dir, "large.h5"), "w");
  writing.create_dataset({
    name: "v",
    data: values,
    shape: [16, 64, 1024],
    chunks: [1, 64, 1024],
    compression: 1,
  });
  writing.close();
  index("large.h5", "large.json");
  const ours = await read("large.json", "v", [7, 5, null], "large.h5");
  assert.deepEqual(ours.data, Array.from(values.subarray((7 * 64 + 5) * 1024, (7 * 64 + 6) * 1024)));

  const modules = `${top}tests/clients/node_modules/h5wasm/dist/esm/`;
  for (const name of readdirSync(modules)) copyFileSync(modules + name, join(dir, name));
  writeFileSync(join(dir, "blank.html"), "<!doctype html>");
  const page = await host.page("");
  await page.goto(`${files.url}blank.html`);
  const theirs = await page.evaluate(async () => {
    const { default: h5wasm } = await import("/hdf5_hl.js");
    const { FS } = await h5wasm.ready;
    const answer = await fetch("/large.h5", { cache: "no-store" });
    FS.writeFile("large.h5", new Uint8Array(await answer.arrayBuffer()));
    const file = new h5wasm.File("large.h5", "r");
    return Array.from(file.get("v").slice([[7, 8], [5, 6], []]));
  });
  await page.context().close();
  const whole = readFileSync(join(dir, "large.h5")).length;
  assert.deepEqual(theirs, ours.data);
  t.diagnostic(`${ours.requests} requests and ${ours.bytes} bytes; h5wasm: 1 and ${whole}`);
  assert.equal(ours.requests, 1);
  assert.ok(ours.bytes * 8 < whole, `${ours.bytes} of ${whole} bytes`);
});

test("a variable of a NetCDF-3 file takes its records only", async (t) => {
  copyFileSync(`${top}zarr/prepare/netcdf3/testdata/classic.nc`, join(dir, "classic.nc"));
  index("classic.nc", "classic.json");
  const { data, requests, bytes } = await read("classic.json", "v", [1, null], "classic.nc");
  assert.deepEqual(data, [4, 5, 6, 7]);
  t.diagnostic(`${requests} requests and ${bytes} bytes`);
  assert.deepEqual([requests, bytes], [1, 8]);
});

for (const [name, images] of [
  ["strips.tif", ["0/0", "1/0"]],
  ["cog.tif", ["0", "1"]],
  ["cells.ome.tif", ["0"]],
]) {
  test(`${name} has the values of geotiff.js`, async (t) => {
    copyFileSync(`${top}zarr/prepare/tiff/testdata/${name}`, join(dir, name));
    index(name, `${name}.json`);
    const tiff = await fromArrayBuffer(Uint8Array.from(readFileSync(join(dir, name))).buffer);
    for (const [i, path] of images.entries()) {
      const { data, requests, bytes } = await read(`${name}.json`, path, null, name);
      const image = await tiff.getImage(i);
      const expected = Array.from((await image.readRasters({ interleave: true })).values(), Number);
      assert.deepEqual(data.slice(0, expected.length), expected, path);
      t.diagnostic(`${path}: ${requests} requests and ${bytes} bytes`);
      assert.ok(requests <= 4, `${requests} requests`);
    }
  });
}

test("a message of a GRIB2 file takes one range, and the codec of zarr-full.wasm decodes it", async (t) => {
  copyFileSync(`${top}zarr/prepare/grib/testdata/cube.grib2`, join(dir, "cube.grib2"));
  index("cube.grib2", "cube.json");
  const { data, requests, bytes } = await read("cube.json", "t", [1, 1, 2, null, null], "cube.grib2");
  const { refs } = JSON.parse(readFileSync(join(dir, "cube.json"), "utf8"));
  const missing = await read("cube.json", "t", [0, 1, 0, null, null], "cube.grib2");
  t.diagnostic(`${requests} requests and ${bytes} bytes`);
  assert.deepEqual([requests, bytes], [1, refs["t/1.1.2.0.0"][2]]);
  assert.equal(data.length, 11 * 17);
  assert.ok(data.every((v) => v > 260 && v < 300));
  assert.equal(refs["t/0.1.0.0.0"], undefined);
  assert.equal(missing.requests, 0);
  assert.ok(missing.data.every(Number.isNaN));
});

const python = [process.env.PYTHON, "python3", "/usr/bin/python3"].find(
  (at) =>
    at &&
    spawnSync(
      at,
      ["-c", "import h5py, netCDF4, numcodecs, rasterio; assert all(map(h5py.h5z.filter_avail, (32004, 32008)))"],
      { cwd: tmpdir() },
    ).status === 0,
);
const judged = { skip: !python && "h5py, rasterio or plugins of HDF5 are not installed: ./build.sh setup does it" };

/**
 * Writes files by a program of cmd/zarr/testdata. Returns the arrays of each, with the values that
 * its library reads.
 */
function written(program, ...alone) {
  const source = ["files", program].map((name) => readFileSync(`${top}cmd/zarr/testdata/${name}.py`, "utf8")).join("");
  const out = execFileSync(python, ["-c", source, dir, ...alone], { encoding: "utf8", maxBuffer: 1 << 28 });
  const all = new Map();
  for (const line of out.trim().split("\n")) {
    const array = JSON.parse(line);
    if (array.sha256 ?? array.near) all.set(array.file, [...(all.get(array.file) ?? []), array]);
  }
  return all;
}

/**
 * Compares the arrays of files in a page of Chromium with those of the library that wrote them.
 * Elements of JPEG may differ a little.
 */
async function compare(t, all, least) {
  for (const file of all.keys()) index(file, `${file}.json`);
  asked = [];
  const page = await host.page("");
  const loaded = [];
  page.context().on("request", (request) => loaded.push(request.url()));
  const found = await page.evaluate(
    async ([url, all]) => {
      const { open } = await import("zarr-wasm");
      const one = async (group, { path, near }) => {
        const array = await open(group.resolve(path), { kind: "array" });
        const { data, shape } = await array.get(null, { as: "bytes" });
        if (!near) {
          const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", data));
          return { shape, sha256: Array.from(hash, (byte) => byte.toString(16).padStart(2, "0")).join("") };
        }
        const expected = atob(near);
        const apart = Array.from(data, (byte, i) => Math.abs(byte - expected.charCodeAt(i)));
        const most = apart.reduce((a, b) => Math.max(a, b), 0);
        const others = apart.filter((n) => n > 0).length;
        return { shape, fits: data.length === expected.length && others <= data.length / 20, most };
      };
      const results = [];
      for (const [file, arrays] of all) {
        const group = await open(`${url}${file}.json`, { kind: "group" });
        const failed = (error) => ({ error: String(error) });
        results.push(await Promise.all(arrays.map((array) => one(group, array).catch(failed))));
      }
      return results;
    },
    [files.url, [...all]],
  );
  await page.end();
  assert.ok(
    loaded.some((url) => url.includes("zarr-full.wasm")),
    "zarr-full.wasm was not loaded",
  );
  const sum = { arrays: 0, requests: 0, bytes: 0, stored: 0 };
  for (const [i, [file, wanted]] of [...all].entries()) {
    for (const [k, { path, shape, sha256, within }] of wanted.entries()) {
      const { most, ...got } = found[i][k];
      assert.deepEqual(got, sha256 ? { shape, sha256 } : { shape, fits: true }, `${file}: ${path}`);
      assert.ok(sha256 || most <= within, `${file}: ${path}: ${most} apart`);
    }
    const requests = asked.filter(({ name }) => name === file);
    assert.ok(
      requests.every(({ range }) => range),
      JSON.stringify(requests),
    );
    const bytes = requests.reduce((sum, { bytes }) => sum + bytes, 0);
    const { refs } = JSON.parse(readFileSync(join(dir, `${file}.json`), "utf8"));
    const chunks = Object.values(refs).filter((ref) => Array.isArray(ref));
    assert.ok(requests.length <= chunks.length, `${file}: ${requests.length} requests for ${chunks.length} chunks`);
    sum.arrays += wanted.length;
    sum.requests += requests.length;
    sum.bytes += bytes;
    sum.stored += chunks.reduce((sum, [, , length]) => sum + length, 0);
  }
  t.diagnostic(`${all.size} files: ${JSON.stringify(sum)}`);
  assert.ok(sum.arrays >= least, `${sum.arrays} arrays`);
  // Neighbours share a request, with the bytes between them: more if the server answers slowly.
  assert.ok(sum.bytes <= 4 * sum.stored, `${sum.bytes} bytes for ${sum.stored} of chunks`);
}

/** Compares the value under the pointer of <zarr-view> with the elements that the package reads. */
async function pointAt(file, node) {
  const page = await host.element(`src="${files.url}${file}.json" node="${node}"`);
  await page.settled();
  assert.equal(await page.last("error"), undefined);
  const colours = await page.evaluate(() => {
    const canvas = view.figure();
    const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
    return new Set(new Uint32Array(data.buffer)).size;
  });
  assert.ok(colours > 50, `${file}: ${colours} colours`);
  const { value, index } = await page.pointed(0.4, 0.6);
  const stored = await page.evaluate(
    async ([url, node, index]) => {
      const { open } = await import("zarr-wasm");
      const group = await open(url, { kind: "group" });
      const array = await open(group.resolve(node), { kind: "array" });
      const got = await array.get(array.dimensionNames.map((name) => index[name] ?? null));
      return typeof got === "object" ? Array.from(got.data) : got;
    },
    [`${files.url}${file}.json`, node, index],
  );
  assert.deepEqual(value, stored, `${file}: ${JSON.stringify(index)}`);
  await page.end();
}

test("the filters of HDF5 that only zarr-full.wasm has give the values of h5py", judged, async (t) => {
  const all = written("hdf5", "filters_of_plugins", "n_bit", "scale_offset", "szip");
  assert.equal(all.size, 8);
  await compare(t, all, 900);
  await pointAt("filters_of_plugins_latest.h5", "large");
});

test("JPEG and LERC in TIFF give the values of GDAL", judged, async (t) => {
  const all = written("gdal", "jpeg", "lerc", "lerc_deflate", "lerc_zstd");
  await compare(t, all, 80);
  await pointAt("cog_lerc.tif", "0");
  await pointAt("cog_jpeg.tif", "0");
});

test("hyparquet reads the references that JSON has", async () => {
  copyFileSync(`${top}zarr/prepare/hdf5/testdata/latest.h5`, join(dir, "latest.h5"));
  index("latest.h5", "latest.json");
  index("latest.h5", "latest.parq");
  const { refs, templates } = JSON.parse(readFileSync(join(dir, "latest.json"), "utf8"));
  const { metadata, record_size } = JSON.parse(readFileSync(join(dir, "latest.parq", ".zmetadata"), "utf8"));
  assert.equal(record_size, 10_000);
  const found = {};
  for (const name of readdirSync(join(dir, "latest.parq"), { recursive: true })) {
    const parts = /^(?:(.*)\/)?refs\.(\d+)\.parq$/.exec(name);
    if (!parts) continue;
    const file = Uint8Array.from(readFileSync(join(dir, "latest.parq", name))).buffer;
    const rows = await parquetReadObjects({
      file,
      utf8: false,
      compressors: { GZIP: (input) => new Uint8Array(gunzipSync(input)) },
    });
    const { shape, chunks } = metadata[`${parts[1]}/.zarray`];
    const grid = shape.map((n, i) => Math.ceil(n / chunks[i]));
    for (const [i, { path, offset, size, raw }] of rows.entries()) {
      let n = i;
      const at = grid.map((_, d) => {
        const step = grid.slice(d + 1).reduce((a, b) => a * b, 1);
        const index = Math.floor(n / step);
        n %= step;
        return index;
      });
      const key = `${parts[1]}/${at.join(".") || "0"}`;
      if (raw) found[key] = Buffer.from(raw).toString("latin1");
      else if (path) found[key] = [path.replace(/^(\.\.\/)+/, ""), Number(offset), Number(size)];
    }
  }
  const expected = {};
  for (const [key, value] of Object.entries(refs)) {
    if (/\.z\w+$/.test(key)) continue;
    if (Array.isArray(value)) expected[key] = [templates.f0, value[1], value[2]];
    else
      expected[key] = value.startsWith("base64:")
        ? Buffer.from(value.slice(7), "base64").toString("latin1")
        : Buffer.from(value).toString("latin1");
  }
  assert.deepEqual(found, expected);
  assert.ok(Object.keys(found).length > 10);
});

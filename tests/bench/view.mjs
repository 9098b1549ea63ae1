// The element <zarr-view> at a server that holds every answer back for 50 ms, in Chromium with WebGL by SwiftShader: an OME pyramid beside
// Viv's layer in deck.gl (requests and time to the first picture, to all of it, after a zoom and after a pan), stepping through slices of
// 361 x 720 float32, and an image of 100,000 x 100,000.
//
//   ./build.sh bench view [--rounds N] [--latency 50ms] [--json FILE] [--part pyramid|slices|huge] [--log] [--quick]
//
// With --log the requests of the last round are listed.
// Both have the same window and cameras, and ranges that are given. The first picture is the first frame that has something in its middle.
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { build } from "esbuild";
import { launch } from "../browser/browser.mjs";
import { serve, top } from "../js/serve.mjs";
import { levels as hugeLevels, side, tile } from "./view/huge.js";

const { values: option } = parseArgs({
  options: {
    rounds: { type: "string" },
    latency: { type: "string", default: "50ms" },
    json: { type: "string" },
    log: { type: "boolean" },
    part: { type: "string", default: "" },
    quick: { type: "boolean" },
  },
});
const rounds = Number(option.rounds ?? (option.quick ? 1 : 5));
const part = (name) => option.part === "" || option.part === name;
const dir = join(top, "build/bench/view");
const median = (list) => [...list].sort((a, b) => a - b)[list.length >> 1];
const spread = (list) => `${Math.min(...list).toFixed(0)}-${Math.max(...list).toFixed(0)}`;

// ---- the data -----------------------------------------------------------------------

function put(name, bytes) {
  const path = join(dir, name);
  mkdirSync(join(path, ".."), { recursive: true });
  writeFileSync(path, bytes);
}
const json = (name, value) => put(name, JSON.stringify(value));

/** The versions of OME-Zarr that are read. */
const versions = ["0.4", "0.5"];

/** An image of 4096 x 4096 uint16 with five levels, in tiles of 256. */
function writePyramid(version) {
  const name = `pyramid-${version}.zarr`;
  const axes = [
    ["t", "time"],
    ["c", "channel"],
    ["z", "space"],
    ["y", "space"],
    ["x", "space"],
  ].map(([name, type]) => ({ name, type }));
  const datasets = [0, 1, 2, 3, 4].map((k) => ({
    path: String(k),
    coordinateTransformations: [{ type: "scale", scale: [1, 1, 1, 2 ** k, 2 ** k] }],
  }));
  const channels = [
    { label: "one", color: "FFFFFF", active: true, window: { start: 0, end: 4096, min: 0, max: 65535 } },
  ];
  const multiscales = [{ ...(version === "0.4" && { version }), name: "pyramid", axes, datasets }];
  const omero = { channels, rdefs: { defaultT: 0, defaultZ: 0, model: "greyscale" } };
  if (version === "0.4") {
    json(`${name}/.zgroup`, { zarr_format: 2 });
    json(`${name}/.zattrs`, { multiscales, omero });
  } else {
    const attributes = { ome: { version, multiscales, omero } };
    json(`${name}/zarr.json`, { zarr_format: 3, node_type: "group", attributes });
  }
  for (const { path } of datasets) {
    const n = 4096 >> Number(path);
    const shape = [1, 1, 1, n, n];
    const chunks = [1, 1, 1, 256, 256];
    const types = {
      dtype: "<u2",
      compressor: null,
      filters: null,
      fill_value: 0,
      order: "C",
      dimension_separator: "/",
    };
    if (version === "0.4") json(`${name}/${path}/.zarray`, { zarr_format: 2, shape, chunks, ...types });
    else {
      json(`${name}/${path}/zarr.json`, {
        zarr_format: 3,
        node_type: "array",
        shape,
        data_type: "uint16",
        dimension_names: ["t", "c", "z", "y", "x"],
        chunk_grid: { name: "regular", configuration: { chunk_shape: chunks } },
        chunk_key_encoding: { name: "v2", configuration: { separator: "/" } },
        fill_value: 0,
        codecs: [{ name: "bytes", configuration: { endian: "little" } }],
        attributes: {},
      });
    }
    for (let row = 0; row < n / 256; row++) {
      for (let column = 0; column < n / 256; column++) {
        const data = Uint16Array.from({ length: 65536 }, (_, i) => {
          const x = (column * 256 + (i & 255)) << Number(path);
          const y = (row * 256 + (i >> 8)) << Number(path);
          return 2048 + 1000 * Math.sin(x / 300) + 1000 * Math.cos(y / 170);
        });
        put(`${name}/${path}/0/0/0/${row}/${column}`, new Uint8Array(data.buffer));
      }
    }
  }
}

const slices = 60;

function writeSlices() {
  json("slices.zarr/zarr.json", {
    zarr_format: 3,
    node_type: "array",
    shape: [slices, 361, 720],
    data_type: "float32",
    dimension_names: ["time", "lat", "lon"],
    chunk_grid: { name: "regular", configuration: { chunk_shape: [1, 361, 720] } },
    chunk_key_encoding: { name: "default" },
    fill_value: 0,
    codecs: [{ name: "bytes", configuration: { endian: "little" } }],
    attributes: {},
  });
  for (let t = 0; t < slices; t++) {
    const data = Float32Array.from(
      { length: 361 * 720 },
      (_, i) => Math.sin(i / 9000 + t / 5) * Math.cos((i % 720) / 60),
    );
    put(`slices.zarr/c/${t}/0/0`, new Uint8Array(data.buffer));
  }
}

rmSync(dir, { recursive: true, force: true });
if (part("pyramid")) for (const version of versions) writePyramid(version);
if (part("slices")) writeSlices();
if (part("pyramid"))
  await build({
    absWorkingDir: join(top, "tests/bench/viv"),
    entryPoints: [join(top, "tests/bench/view/viv.page.js")],
    nodePaths: [join(top, "tests/bench/viv/node_modules")],
    bundle: true,
    minify: true,
    format: "esm",
    target: ["es2022"],
    external: ["worker_threads"],
    outfile: join(dir, "viv.js"),
    logLevel: "error",
  });

// ---- the run ------------------------------------------------------------------------

const near = await serve(top);
const far = await serve(top, "-faults", "-latency", option.latency);
const browser = await launch({ webgl: true });
const requests = async () => (await fetch(`${far.url}-/faults`)).json();
const forget = () => fetch(`${far.url}-/faults`, { method: "DELETE" });

async function open(query) {
  const context = await browser.newContext({ viewport: { width: 1024, height: 768 } });
  const page = await context.newPage();
  page.on("pageerror", (error) => console.error(`  ${error.message}`));
  await page.goto(`${near.url}tests/bench/view/page.html?${new URLSearchParams(query)}`);
  await page.waitForFunction(() => globalThis.ready, null, { timeout: 60_000 });
  return page;
}

/** Goes to a camera, and tells when something was in the middle and when all was there. */
const go = (page, camera) =>
  page.evaluate(async (camera) => {
    const began = performance.now();
    const small = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
    let first;
    let done = false;
    const watch = () => {
      const canvas = globalThis.picture();
      if (first === undefined && canvas && canvas.width > 300) {
        small.clearRect(0, 0, 1, 1);
        small.drawImage(canvas, canvas.width >> 1, canvas.height >> 1, 1, 1, 0, 0, 1, 1);
        const [red, , , alpha] = small.getImageData(0, 0, 1, 1).data;
        if (red > 0 && alpha > 0) first = performance.now() - began;
      }
      if (!done || first === undefined) requestAnimationFrame(watch);
    };
    requestAnimationFrame(watch);
    await globalThis.go(camera);
    const all = performance.now() - began;
    done = true;
    while (first === undefined) await new Promise(requestAnimationFrame);
    const { width, height } = globalThis.picture().getBoundingClientRect();
    return { first, all, width, height };
  }, camera);

const steps = {
  "first picture": { x: 2048, y: 2048, zoom: 0.1875 },
  "after a zoom": { x: 2048, y: 2048, zoom: 1 },
  "after a pan": { x: 2348, y: 2148, zoom: 1 },
};
let size = { width: 1024, height: 768 };
const rows = [];
const missed = [];
for (const version of part("pyramid") ? versions : []) {
  const url = `${far.url}build/bench/view/pyramid-${version}.zarr`;
  const runs = { ours: {}, viv: {} };
  for (let round = 0; round < rounds; round++) {
    for (const who of ["ours", "viv"]) {
      const page = await open(who === "viv" ? { viv: "", url, ...size } : { url });
      for (const [name, camera] of Object.entries(steps)) {
        await forget();
        const { first, all, width, height } = await go(page, camera);
        // What is asked for afterwards counts, too.
        for (let count = -1, now = 0; count !== now; ) {
          count = now;
          await new Promise((resolve) => setTimeout(resolve, 300));
          now = (await requests()).requests.length;
        }
        const log = (await requests()).requests;
        if (who === "ours") size = { width, height };
        const chunks = log.filter(({ path }) => !/\/\.z\w+$|zarr\.json$/.test(path)).length;
        if (option.log && round === rounds - 1) {
          for (const { path, status, aborted } of log)
            console.log(`    ${who} ${path} ${status}${aborted ? " aborted" : ""}`);
        }
        const run = { first, all, requests: log.length, chunks };
        runs[who][name] = [...(runs[who][name] ?? []), run];
      }
      await page.context().close();
    }
  }
  console.log(
    `OME ${version}: 4096 x 4096 in a window of ${size.width} x ${size.height}, ${option.latency} added, ${rounds} rounds`,
  );
  for (const name of Object.keys(steps)) {
    const of = (who, key) => median(runs[who][name].map((run) => run[key]));
    for (const who of ["ours", "viv"]) {
      const all = runs[who][name].map((run) => run.all);
      console.log(
        `  ${name.padEnd(14)} ${who.padEnd(5)} ${String(of(who, "requests")).padStart(4)} requests (${of(who, "chunks")} of chunks)` +
          `  first ${of(who, "first").toFixed(0).padStart(5)} ms  all ${of(who, "all").toFixed(0).padStart(5)} ms (${spread(all)})`,
      );
    }
    for (const [key, unit] of [
      ["requests", "requests"],
      ["first", "ms"],
      ["all", "ms"],
    ]) {
      const [ours, peer] = [of("ours", key), of("viv", key)];
      rows.push({ case: `OME ${version}, ${name}`, data: key, ours, peer, unit, better: "less", ratio: ours / peer });
      if (ours > peer && !(name !== "first picture" && key === "first"))
        missed.push(`OME ${version}, ${name}: ${ours.toFixed(0)} ${key}, ${peer.toFixed(0)} of Viv`);
    }
  }
}

const page = await open({});
if (part("slices")) {
  const scrubbed = await page.evaluate(
    ([src, steps]) => globalThis.scrub(src, steps),
    [`${far.url}build/bench/view/slices.zarr`, slices],
  );
  const { cold, cached, frames, longest, tasks } = scrubbed;
  console.log(
    `slices of 361 x 720 float32: cold ${cold.toFixed(1)} a second, cached ${cached.toFixed(1)} a second in ${frames.toFixed(1)} frames`,
  );
  console.log(
    `  longest frame ${longest.toFixed(0)} ms, tasks over 50 ms: ${tasks.map((ms) => ms.toFixed(0)).join(" ") || "none"}`,
  );
  rows.push(
    { case: "slices, cold", ours: cold, unit: "a second" },
    { case: "slices, cached", ours: cached, unit: "a second" },
  );
  if (cold < 15) missed.push(`${cold.toFixed(1)} slices a second, cold`);
  if (tasks.length > 0) missed.push(`${tasks.length} tasks over 50 ms`);
}

if (part("huge")) {
  const huge = await page.evaluate(() => globalThis.huge());
  let most = 0;
  for (const { camera, asked } of huge.rows) {
    // A level's element is no larger than a pixel; of the coarsest level all that is on screen may be asked for, too.
    const level = Math.min(hugeLevels - 1, Math.max(0, Math.floor(Math.log2(1.03 / camera.zoom))));
    const visible = (level) => {
      const along = (middle, length) => {
        const at = (edge) => Math.min(side, Math.max(0, middle + edge / camera.zoom)) / 2 ** level / tile;
        return Math.ceil(at(length / 2)) - Math.floor(at(-length / 2));
      };
      return along(camera.x, huge.width) * along(camera.y, huge.height);
    };
    const allowed = visible(level) + (level < hugeLevels - 1 ? visible(hugeLevels - 1) : 0);
    most = Math.max(most, asked.length / allowed);
    if (asked.length > allowed) missed.push(`${asked.length} requests at ${JSON.stringify(camera)}, not ${allowed}`);
  }
  console.log(
    `100,000 x 100,000: ${huge.rows.length} views, ${huge.all} chunks asked for, at most ${(100 * most).toFixed(0)} % of those on screen; longest frame ${huge.longest.toFixed(0)} ms`,
  );
}
console.log(missed.length === 0 ? "every goal is met" : `goals missed:\n  ${missed.join("\n  ")}`);
if (option.json) writeFileSync(option.json, `${JSON.stringify(rows, null, 1)}\n`);
await browser.close();
near.close();
far.close();

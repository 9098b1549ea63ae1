// The element <zarr-view> in Chromium, against a server that delays every answer by 50 ms. It
// compares an OME pyramid with Viv's layer in deck.gl. It counts requests, and measures the time to
// the first and the complete picture, after a zoom and after a pan. It also steps through slices of
// 361 x 720 float32, shows an image of 100,000 x 100,000, and changes colours. The viewer's sample
// comes from a server without delay.
//
//   ./build.sh bench view [--rounds N] [--latency 50ms] [--json FILE]
//                         [--markdown docs/reports/benchmarks.md] [--log]
//                         [--part pyramid|slices|huge|sample|colours] [--quick]
//                         [--beside DIR]
//
// --log lists the requests of the last round. --beside also loads the sample of another built
// viewer, by turns with this one. With --part, the other parts come from the JSON file of an
// earlier run. Both viewers have the same window, cameras and ranges. The first picture is the
// first frame with content in its middle. Viv needs WebGL, which is SwiftShader without a graphics
// processor. All parts except the pyramid are measured in Chromium as it starts on such a machine;
// stepping is measured in both.
import { existsSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { build } from "esbuild";
import { launch } from "../lib/browsers.mjs";
import { serve, top } from "../lib/serve.mjs";
import { finish, machine, median, optionsOf, untilQuiet, watchOthers } from "./bench.mjs";
import { dir, slices, versions, writePyramid, writeSlices } from "./view/data.mjs";
import { levels as hugeLevels, side, tile } from "./view/huge.js";
import { partOf, section } from "./view/report.mjs";

const option = optionsOf({
  rounds: { type: "string" },
  latency: { type: "string", default: "50ms" },
  log: { type: "boolean" },
  part: { type: "string", default: "" },
  beside: { type: "string" },
});
const viv = JSON.parse(readFileSync(join(top, "tests/bench/viv/package.json"), "utf8")).devDependencies[
  "@vivjs/layers"
];
const rounds = Number(option.rounds ?? (option.quick ? 1 : 5));
const part = (name) => option.part === "" || option.part === name;
const range = (list, digits = 0) => `${Math.min(...list).toFixed(digits)}-${Math.max(...list).toFixed(digits)}`;

rmSync(dir, { recursive: true, force: true });
mkdirSync(dir, { recursive: true });
if (part("pyramid")) for (const version of versions) writePyramid(version);
if (part("slices") || part("colours")) writeSlices();
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
/**
 * Chromium with WebGL by SwiftShader, which also composes the page, and Chromium as it starts
 * without a graphics processor.
 */
const [shading, browser] = [await launch({ webgl: true }), await launch()];
const requests = async () => (await fetch(`${far.url}-/faults`)).json();
const forget = () => fetch(`${far.url}-/faults`, { method: "DELETE" });

async function open(query, where = browser) {
  const context = await where.newContext({ viewport: { width: 1024, height: 768 } });
  const page = await context.newPage();
  page.on("pageerror", (error) => console.error(`  ${error.message}`));
  await page.goto(`${near.url}tests/bench/view/page.html?${new URLSearchParams(query)}`);
  await page.waitForFunction(() => globalThis.ready, null, { timeout: 60_000 });
  return page;
}

/** Moves to a camera, and returns when the middle had content and when all was drawn. */
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
/** The average number of processors that other programs used during the measurement. */
let busy = 0;
const missed = [];
for (const version of part("pyramid") ? versions : []) {
  const url = `${far.url}build/bench/view/pyramid-${version}.zarr`;
  const runs = { ours: {}, viv: {} };
  const others = watchOthers();
  for (let round = 0; round < rounds; round++) {
    for (const who of ["ours", "viv"]) {
      const page = await open(who === "viv" ? { viv: "", url, ...size } : { url }, shading);
      for (const [name, camera] of Object.entries(steps)) {
        await forget();
        const { first, all, width, height } = await go(page, camera);
        // Later requests count, too.
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
  busy = others();
  for (const name of Object.keys(steps)) {
    const of = (who, key) => median(runs[who][name].map((run) => run[key]));
    for (const who of ["ours", "viv"]) {
      const all = runs[who][name].map((run) => run.all);
      console.log(
        `  ${name.padEnd(14)} ${who.padEnd(5)} ${String(of(who, "requests")).padStart(4)} requests (${of(who, "chunks")} of chunks)` +
          `  first ${of(who, "first").toFixed(0).padStart(5)} ms  all ${of(who, "all").toFixed(0).padStart(5)} ms (${range(all)})`,
      );
    }
    for (const [key, unit] of [
      ["requests", "requests"],
      ["first", "ms"],
      ["all", "ms"],
    ]) {
      const [ours, peer] = [of("ours", key), of("viv", key)];
      const spread = ["ours", "viv"].map((who) => range(runs[who][name].map((run) => run[key])));
      rows.push({
        case: `OME ${version}, ${name}`,
        data: key,
        ours,
        peer,
        unit,
        better: "less",
        ratio: ours / peer,
        spread,
        size,
        busy,
      });
      if (ours > peer && !(name !== "first picture" && key === "first"))
        missed.push(`OME ${version}, ${name}: ${ours.toFixed(0)} ${key}, ${peer.toFixed(0)} of Viv`);
    }
  }
}

/** A row without a peer: the median of rounds, and its goal, an upper or lower bound. */
function own(name, values, unit, { most, least } = {}) {
  const ours = median(values);
  rows.push({
    case: name,
    ours,
    unit,
    spread: range(values, 1),
    goal: most ?? least,
    better: least ? "more" : "less",
    busy,
  });
  console.log(`  ${name.padEnd(44)} ${ours.toFixed(1)} ${unit} (${range(values, 1)})`);
  if (ours > (most ?? Number.POSITIVE_INFINITY) || ours < (least ?? 0))
    missed.push(`${name}: ${ours.toFixed(1)} ${unit}`);
}

/** Repeats a measurement while the machine is idle. */
async function repeated(what) {
  const found = [];
  const each = [];
  for (let round = 0; round < rounds; round++) {
    await untilQuiet(0.2, 20_000);
    const others = watchOthers();
    found.push(await what());
    each.push(others());
  }
  busy = median(each);
  console.log(`  others kept ${range(each, 1)} processors busy`);
  return (value) => found.map(value);
}

/** Chromium's own drawing: times between its frames, from a trace. */
async function traced(where, page, run) {
  await where.startTracing(page, {
    categories: ["-*", "disabled-by-default-devtools.timeline.frame", "devtools.timeline.frame", "blink.user_timing"],
  });
  const result = await run();
  const { traceEvents } = JSON.parse((await where.stopTracing()).toString("utf8"));
  const at = (name) => traceEvents.find((event) => event.name === name)?.ts;
  const [from, to] = [at("cached"), at("cached ends")];
  const drawn = traceEvents
    .filter(({ name, ts }) => name === "DrawFrame" && ts >= from && ts <= to)
    .map(({ ts }) => ts / 1000);
  const steps = drawn.slice(1).map((ts, i) => ts - drawn[i]);
  return { ...result, shown: drawn.length / ((to - from) / 1e6), gap: Math.max(...steps) };
}

for (const [name, where] of part("slices")
  ? Object.entries({ "no graphics processor": browser, SwiftShader: shading })
  : []) {
  console.log(`slices of 361 x 720 float32, ${name}`);
  const goals = where === browser;
  const of = await repeated(async () => {
    const page = await open({}, where);
    const found = await traced(where, page, () =>
      page.evaluate(([src, steps]) => globalThis.scrub(src, steps), [`${far.url}build/bench/view/slices.zarr`, slices]),
    );
    await page.context().close();
    return found;
  });
  const rate = "a second";
  own(
    `slices, ${name}, cold`,
    of(({ cold }) => cold),
    rate,
    goals ? { least: 15 } : {},
  );
  own(
    `slices, ${name}, cached`,
    of(({ cached }) => cached),
    rate,
  );
  own(
    `slices, ${name}, cached, frames`,
    of(({ frames }) => frames),
    rate,
  );
  own(
    `slices, ${name}, cached, frames in the trace`,
    of(({ shown }) => shown),
    rate,
  );
  own(
    `slices, ${name}, cached, longest frame`,
    of(({ longest }) => longest),
    "ms",
    goals ? { most: 50 } : {},
  );
  own(
    `slices, ${name}, cached, longest in the trace`,
    of(({ gap }) => gap),
    "ms",
    goals ? { most: 50 } : {},
  );
  own(
    `slices, ${name}, tasks over 50 ms`,
    of(({ tasks }) => tasks.length),
    "",
    goals ? { most: 0 } : {},
  );
  own(
    `ceiling, ${name}, WebGL that clears`,
    of(({ ceiling }) => ceiling.webgl),
    rate,
  );
  own(
    `ceiling, ${name}, a canvas with other pixels`,
    of(({ ceiling }) => ceiling.canvas),
    rate,
  );
}

if (part("colours")) {
  console.log("other colours of 361 x 720 float32");
  const of = await repeated(async () => {
    const page = await open({});
    const found = await page.evaluate((src) => globalThis.recolour(src), `${near.url}build/bench/view/slices.zarr`);
    await page.context().close();
    return found;
  });
  for (const what of ["colormap", "range", "curve"]) {
    own(
      `other ${what}, the element's work`,
      of((found) => found[what].work),
      "ms",
      { most: 16 },
    );
    own(
      `other ${what}, until it is drawn`,
      of((found) => found[what].drawn),
      "ms",
    );
  }
}

if (part("sample")) {
  console.log("the viewer's sample from this machine, nothing of it in a cache");
  const viewers = { sample: { ...near, url: `${near.url}build/demo/` } };
  if (option.beside) viewers["sample beside"] = await serve(resolve(option.beside));
  const seen = {};
  const others = watchOthers();
  // The first load of each warms up the browser and the server.
  for (let round = 0; round <= Math.max(rounds, 10); round++) {
    const turn = Object.entries(viewers);
    for (const [name, { url }] of round % 2 ? turn : turn.reverse()) {
      const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
      const page = await context.newPage();
      await page.addInitScript(firstOfSample);
      // Chromium loads parts of its own window first.
      await sleep(1500);
      await page.goto(url);
      const found = await page.waitForFunction(() => globalThis.seen?.all && globalThis.seen, null, {
        timeout: 60_000,
      });
      if (round > 0) seen[name] = [...(seen[name] ?? []), await found.jsonValue()];
      await context.close();
    }
  }
  busy = others();
  for (const name of Object.keys(viewers)) {
    const of = (key) => seen[name].map((one) => one[key]);
    const goal = name === "sample" ? { most: 800 } : {};
    own(`${name}, from navigation to the first picture`, of("first"), "ms", goal);
    own(`${name}, from navigation to all of it`, of("all"), "ms");
  }
  if (option.beside) {
    console.log(
      `  ratio of the first pictures: ${(median(seen.sample.map(({ first }, i) => first / seen["sample beside"][i].first))).toFixed(2)}`,
    );
    viewers["sample beside"].close();
  }
}

/**
 * Runs in the viewer's page: the times when the element's middle has content, and when it is ready.
 */
function firstOfSample() {
  const seen = {};
  globalThis.seen = seen;
  document.addEventListener(
    "ready",
    () => {
      seen.ready ??= performance.now();
    },
    true,
  );
  const small = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
  const watch = () => {
    const canvas = document.querySelector("zarr-view")?.shadowRoot?.querySelector("canvas.pixels");
    if (seen.first === undefined && canvas && canvas.width > 300) {
      small.drawImage(canvas, canvas.width >> 1, canvas.height >> 1, 1, 1, 0, 0, 1, 1);
      if (small.getImageData(0, 0, 1, 1).data[3] > 0) seen.first = performance.now();
    }
    if (seen.first !== undefined && seen.ready !== undefined) seen.all = seen.ready;
    else requestAnimationFrame(watch);
  };
  requestAnimationFrame(watch);
}

let huge;
if (part("huge")) {
  const page = await open({});
  huge = await page.evaluate(() => globalThis.huge());
  let most = 0;
  for (const { camera, asked } of huge.rows) {
    // A level's element is no larger than a pixel. The whole visible part of the coarsest level may
    // be requested, too.
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
  rows.push(
    { case: "100,000 x 100,000, views", ours: huge.rows.length, unit: "" },
    { case: "100,000 x 100,000, requests of those allowed, at most", ours: 100 * most, unit: "%", goal: 100 },
    { case: "100,000 x 100,000, longest frame", ours: huge.longest, unit: "ms" },
  );
  console.log(
    `100,000 x 100,000: ${huge.rows.length} views, ${huge.all} chunks asked for, at most ${(100 * most).toFixed(0)} % of those on screen; longest frame ${huge.longest.toFixed(0)} ms`,
  );
}
console.log(missed.length === 0 ? "every goal is met" : `goals missed:\n  ${missed.join("\n  ")}`);
if (option.json && option.part !== "" && existsSync(option.json)) {
  const others = JSON.parse(readFileSync(option.json, "utf8")).filter((row) => partOf(row) !== option.part);
  rows.unshift(...others);
}
const measured = `${machine(`Viv ${viv}`)}, in Chromium ${browser.version()}`;
finish("view", option, rows, () => section(rows, measured, option.latency));
await shading.close();
await browser.close();
near.close();
far.close();

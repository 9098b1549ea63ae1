// Mixes reads with other events over real HTTP, and measures the memory held afterwards, in Node
// and in browsers.
//
//   node --expose-gc tests/robustness/soak.mjs [COUNT [SEED]]    COUNT reads; the default is 20000
//
// --engine NAME selects a browser. --record writes the outcome into docs/reports/robustness.md. One
// engine runs during the first half of the reads; during the second half engines end. After each
// twentieth of the reads it waits for idleness, and measures.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { parseArgs } from "node:util";
import { arrayInMemory } from "../js/engine-cases.mjs";
import { openEngine, until } from "../lib/browsers.mjs";
import { serve, top } from "../lib/serve.mjs";
import { record } from "./page.mjs";
import { openGate } from "./soak/gate.mjs";
import { heldBy } from "./soak/held.mjs";

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: { engine: { type: "string", default: "node" }, record: { type: "boolean" } },
});
const count = Number(positionals[0] ?? 20_000);
const seed = Number(positionals[1] ?? 1);
const laps = 20;
/**
 * How long the page is hidden, and the server is unreachable, in milliseconds: longer than requests
 * are retried.
 */
const away = { hidden: 300, offline: 1500 };

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const big = "build/soak/big.zarr";

for (const [key, bytes] of await arrayInMemory()) {
  mkdirSync(dirname(`${top}${big}${key}`), { recursive: true });
  writeFileSync(`${top}${big}${key}`, bytes);
}
const server = await serve(".", "-faults", "-dotfiles", "-cache", "no-store");
const gate = await openGate(server.url);
/**
 * Firefox may lose a worker while a listener watches its workers, as the driver does: see page.md.
 */
const loses = options.engine === "firefox";
const job = { server: gate.url, big, seed, loses };
const offline = async () => {
  await gate.shut();
  await sleep(away.offline);
  await gate.open();
};

/** The runner of the reads: `lap`, `rest` and `state` of soak/reads.mjs, `held` and `close`. */
const run = await (options.engine === "node" ? inNode() : inBrowser(options.engine));

/** Waits until no unwanted request is running. */
async function quiet() {
  const asked = async (method) => fetch(`${server.url}-/faults`, { method });
  for (const late = Date.now() + 30_000; ; await sleep(50)) {
    const { busy } = await (await asked("GET")).json();
    if (busy === 0) break;
    if (Date.now() > late) return busy;
  }
  await asked("PUT");
  return 0;
}

const began = performance.now();
const alive = [];
const after = [];
const problems = [];
const size = Math.ceil(count / laps);
for (let lap = 0; lap < laps; lap++) {
  const endings = lap >= laps / 2;
  await run.lap(lap * size, size, endings);
  const { memory, workers, urls = 0 } = await run.rest(endings);
  const busy = await quiet();
  if (busy > 0) problems.push(`${busy} requests go on while nothing is read`);
  const held = { ...(await run.held()), handles: memory.handles, engine: memory.total / 2 ** 20, urls };
  (endings ? after : alive).push(held);
  const { found } = await run.state();
  const words = Object.entries(held).map(([name, n]) => `${name} ${Math.round(n)}`);
  console.log(
    `${found.reads} reads, ${Math.round((performance.now() - began) / 1000)} s: ${words.join(", ")}, workers ${workers ?? "?"}`,
  );
}
const { found, happened, problems: wrong } = await run.state();
problems.push(...wrong);

/** The median. */
const middle = (list) => list.toSorted((a, b) => a - b)[list.length >> 1];
/** The allowed growth of resources during a half of the reads. */
const room = {
  // a worker that the browser lost keeps its memory
  memory: (n) => n * 1.2 + 24 + 150 * happened.lost,
  page: (n) => n * 1.2 + 4,
  engine: (n) => n * 1.5 + 16,
  threads: (n) => n + 16 + kept,
  files: (n) => n + 48 + kept,
  handles: (n) => n * 1.25 + 500,
  urls: (n) => n,
};
const half = laps / 2;
/**
 * Garbage collection releases references: only the minimum over some laps shows whether they grow.
 */
const typical = (what, list) => (what === "handles" ? Math.min(...list) : middle(list));
/**
 * WebKit keeps a thread and a file of each worker that is ended while it has its own workers: here
 * each engine with helpers.
 */
const kept = options.engine === "webkit" ? happened.terminate + happened.engine + half : 4 * happened.lost;
for (const [name, list] of Object.entries({ "one engine": alive, "engines that ended": after })) {
  for (const [what, most] of Object.entries(room)) {
    if (list.some((held) => held[what] === undefined)) continue; // not every engine reports it
    // The first laps warm up.
    const first = typical(
      what,
      list.slice(1, half >> 1).map((held) => held[what]),
    );
    const last = typical(
      what,
      list.slice(-(half >> 1) + 1).map((held) => held[what]),
    );
    // With one engine, caches and pools fill. After engines that ended, everything is free again.
    if (last > most(first)) problems.push(`${name}: ${what} grew from ${first} to ${last}`);
  }
}
for (const text of problems.slice(0, 40)) console.log(`FAIL ${text.slice(0, 1500)}`);
console.log(JSON.stringify({ ...found, ...happened }));
console.log(`${found.reads - problems.length} passed, ${problems.length} failed`);
process.exitCode = problems.length > 0 ? 1 : 0;

if (options.record) {
  const what = { node: "Node", chromium: "Chromium", firefox: "Firefox", webkit: "WebKit" }[options.engine];
  const engine = options.engine === "node" ? "" : ` --engine ${options.engine}`;
  const span = (list, of) => `${Math.round(list[1][of])}, ${Math.round(list.at(-1)[of])}`;
  record("soak", {
    section: "soak",
    rows: [
      {
        what,
        command: `node --expose-gc tests/robustness/soak.mjs ${count} ${seed}${engine}`,
        values: {
          reads: found.reads,
          aborted: found.aborted,
          "engines ended": happened.terminate + happened.engine,
          "helpers ended": happened.helper,
          "engines lost": happened.lost,
          "times offline": happened.offline,
          "times hidden": happened.hidden,
          "read again": found.again,
          "wrong, hung or leaked": problems.length,
          "MiB with one engine": span(alive, "memory"),
          "MiB after engines": span(after, "memory"),
          threads: span(after, "threads"),
          "engine's references": span(alive, "handles"),
        },
      },
    ],
  });
}
await run.close();
server.close();
process.exit();

async function inNode() {
  const { Worker } = await import("node:worker_threads");
  const zarr = await import("../../dist/node.js");
  const { Soak } = await import("./soak/reads.mjs");
  let last;
  const worker = () => {
    last = new Worker(new URL("../../dist/worker-node.js", import.meta.url));
    return last;
  };
  const url = new URL("../../build/zarr-crash.wasm", import.meta.url);
  // The complete build has no message that ends it.
  await zarr.init({ worker, workers: 3, url, fullUrl: new URL("../../build/none.wasm", import.meta.url) });
  const read = (path) => JSON.parse(readFileSync(`${top}build/fixtures/${path}`, "utf8"));
  const crash = (how) => last.postMessage({ op: "crash", id: 0, why: "a test", ...how });
  const soak = new Soak({
    ...job,
    common: true,
    zarr,
    manifest: read("manifest.json"),
    containers: read("public/containers.json"),
    kills: { engine: () => crash({}), helper: () => crash({ helpers: true }) },
    interrupt: (kind) => (kind === "offline" ? offline() : undefined),
  });
  await soak.begin();
  return {
    lap: (...args) => soak.lap(...args),
    rest: (end) => soak.rest(end),
    state: async () => soak.state,
    held: async () => {
      await sleep(500);
      globalThis.gc?.();
      await sleep(100);
      globalThis.gc?.();
      // This process, without the server.
      const { heapUsed, arrayBuffers } = process.memoryUsage();
      return { ...heldBy(process.pid), page: (heapUsed + arrayBuffers) / 2 ** 20 };
    },
    close: async () => zarr.terminate(),
  };
}

async function inBrowser(name) {
  const browser = await openEngine(name);
  const site = await serve(".", "-isolate");
  const tab = await browser.newTab(`${site.url}tests/robustness/soak/page.html`);
  await until(tab, "a page that is ready", () => globalThis.ready === true);
  await tab.evaluate((job) => window.begin(job), job);
  const hidden = async () => {
    const show = await tab.hide?.();
    await sleep(away.hidden);
    await show?.();
  };
  return {
    lap: async (...args) => {
      await tab.evaluate((...args) => window.lap(...args), ...args);
      for (;;) {
        const { came, asked } = await tab.evaluate(() => window.state());
        for (const { id, kind } of asked) {
          await (kind === "offline" ? offline() : hidden());
          await tab.evaluate((id) => window.done(id), id);
        }
        if (came === "done") break;
        if (came) throw new Error(came);
        await sleep(100);
      }
    },
    rest: (end) => tab.evaluate((end) => window.rest(end), end),
    state: () => tab.evaluate(() => window.state()),
    held: async () => {
      await sleep(500);
      const heap = await tab.collect?.();
      const held = { ...heldBy(browser.pid) };
      return heap === undefined ? held : { ...held, page: heap / 2 ** 20 };
    },
    close: async () => {
      await browser.close();
      site.close();
    },
  };
}

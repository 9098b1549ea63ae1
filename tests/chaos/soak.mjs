// Mixes reads with other events over real HTTP, and measures the resources held afterwards. One
// engine runs during the first half of the reads; during the second half engines end. After each
// twentieth of the reads it waits for idleness, and measures. soakreads.mjs makes the reads.
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { arrayInMemory } from "../js/engine-cases.mjs";
import { openGate } from "../lib/gate.mjs";
import { heldBy } from "../lib/processes.mjs";
import { serve, top } from "../lib/serve.mjs";
import { openPlace } from "./places.mjs";

export const count = 20_000;

const laps = 20;
const half = laps / 2;
/**
 * How long the page is hidden, and the server is unreachable, in milliseconds: longer than requests
 * are retried.
 */
const away = { hidden: 300, offline: 1500 };
const big = "build/soak/big.zarr";

export async function run({ engine, count, seed, fail }) {
  for (const [key, bytes] of await arrayInMemory()) {
    mkdirSync(dirname(`${top}${big}${key}`), { recursive: true });
    writeFileSync(`${top}${big}${key}`, bytes);
  }
  const server = await serve(".", "-faults", "-dotfiles", "-cache", "no-store");
  const gate = await openGate(server.url);
  const interruptions = {
    async offline() {
      await gate.shut();
      await sleep(away.offline);
      await gate.open();
    },
    async hidden(tab) {
      const show = await tab?.hide?.();
      if (tab) await sleep(away.hidden);
      await show?.();
    },
  };
  const place = await openPlace(engine, { interrupt: (kind, tab) => interruptions[kind](tab) });
  // Firefox may lose a worker while a listener watches its workers, as the driver does: see
  // page.md.
  await place.begin("soakreads", { server: gate.url, big, seed, loses: engine === "firefox" });

  /** Waits until no unwanted request is running, and returns the number of those that never end. */
  const quiet = async () => {
    const asked = async (method) => fetch(`${server.url}-/faults`, { method });
    for (const late = Date.now() + 30_000; ; await sleep(50)) {
      const { busy } = await (await asked("GET")).json();
      if (busy > 0 && Date.now() < late) continue;
      await asked("PUT");
      return busy;
    }
  };
  /** The resources of the package's processes. This one is without the server. */
  const held = async () => {
    await sleep(500);
    globalThis.gc();
    await sleep(100);
    globalThis.gc();
    const { heapUsed, arrayBuffers } = process.memoryUsage();
    const page = place.tab ? await place.tab.collect?.() : heapUsed + arrayBuffers;
    return { ...heldBy(place.pid), ...(page !== undefined && { page: page / 2 ** 20 }) };
  };

  const began = performance.now();
  const alive = [];
  const after = [];
  const problems = [];
  const size = Math.ceil(count / laps);
  for (let lap = 0; lap < laps; lap++) {
    const endings = lap >= half;
    await place.call("lap", lap * size, size, endings);
    const { memory, workers, urls = 0 } = await place.call("rest", endings);
    const busy = await quiet();
    if (busy > 0) problems.push(`${busy} requests go on while nothing is read`);
    const all = { ...(await held()), handles: memory.handles, engine: memory.total / 2 ** 20, urls };
    (endings ? after : alive).push(all);
    const { found } = await place.call("state");
    const words = Object.entries(all).map(([name, n]) => `${name} ${Math.round(n)}`);
    const seconds = Math.round((performance.now() - began) / 1000);
    console.log(`${found.reads} reads, ${seconds} s: ${words.join(", ")}, workers ${workers ?? "?"}`);
  }
  const { found, happened, problems: wrong } = await place.call("state");
  problems.push(...wrong, ...growth({ "one engine": alive, "engines that ended": after }, engine, happened));
  for (const text of problems.slice(0, 40)) fail(undefined, "", [text.slice(0, 1500)]);
  console.log(JSON.stringify({ ...found, ...happened }));
  await place.close();
  server.close();
  await gate.shut();
  const span = (list, of) => `${Math.round(list[1][of])}, ${Math.round(list.at(-1)[of])}`;
  const values = {
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
  };
  return { passed: found.reads - problems.length, rows: [{ values }] };
}

const middle = (list) => list.toSorted((a, b) => a - b)[list.length >> 1];

/** The resources that grew more than allowed during a half of the reads. */
function growth(halves, engine, happened) {
  // WebKit keeps a thread and a file of each worker that is ended while it has its own workers:
  // here each engine with helpers.
  const kept = engine === "webkit" ? happened.terminate + happened.engine + half : 4 * happened.lost;
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
  const problems = [];
  for (const [name, list] of Object.entries(halves)) {
    for (const [what, most] of Object.entries(room)) {
      if (list.some((held) => held[what] === undefined)) continue; // not every engine reports it
      // Garbage collection releases references: only the minimum over some laps shows whether they
      // grow.
      const typical = (laps) => {
        const values = laps.map((held) => held[what]);
        return what === "handles" ? Math.min(...values) : middle(values);
      };
      // The first laps warm up. With one engine, caches and pools fill; after engines that ended,
      // everything is free again.
      const first = typical(list.slice(1, half >> 1));
      const last = typical(list.slice(-(half >> 1) + 1));
      if (last > most(first)) problems.push(`${name}: ${what} grew from ${first} to ${last}`);
    }
  }
  return problems;
}

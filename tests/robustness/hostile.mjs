// Opens and reads hostile data, and measures each case. No call may take more than two seconds of
// work, and no case more than 256 MiB beyond the memory that it requested. Afterwards the engine
// reads intact data.
//
//   node --expose-gc tests/robustness/hostile.mjs [COUNT] [SEED]   default 1000, seed 1
//     --engine chromium   on a page, with the case served over HTTP
//     --only NUMBER       one of them, call by call
//     --record            writes the outcome into docs/reports/robustness.md
//
// Time is wall-clock or processor time, whichever is less, since the machine may be busy. Memory is
// the peak of the process's working set as Linux counts it; elsewhere it is the package's own
// report. In a browser both cover all processes that show pages, since the page's own cannot be
// identified.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { extname } from "node:path";
import { fileURLToPath } from "node:url";
import * as zarr from "../../dist/node.js";
import { random } from "../lib/random.mjs";
import { readsWhole, tryAll } from "./hostile/calls.mjs";
import { kindsOf } from "./hostile/corpus.mjs";
import { record } from "./page.mjs";

const MiB = 2 ** 20;
const mostMs = 2000;
const mostBytes = 256 * MiB;
/** A case that takes longer than this, in milliseconds, hangs. */
const hung = 120_000;

const top = fileURLToPath(new URL("../../", import.meta.url));
const words = process.argv.slice(2);
const option = (name) => {
  const at = words.indexOf(name);
  return at < 0 ? undefined : words.splice(at, 2)[1];
};
const flag = (name) => words.includes(name) && words.splice(words.indexOf(name), 1).length > 0;
const only = option("--only");
const engine = option("--engine") ?? "node";
const recorded = flag("--record");
const [count, seed] = [Number(words[0] ?? 1000), Number(words[1] ?? 1)];

const kinds = kindsOf(`${top}build/fixtures`);
const names = Object.keys(kinds);

async function caseOf(number) {
  const kind = names[number % names.length];
  return { kind, number, ...(await kinds[kind](random(seed, number))) };
}

// ---- the server -------------------------------------------------------------------

const types = {
  ".js": "text/javascript",
  ".mjs": "text/javascript",
  ".wasm": "application/wasm",
  ".html": "text/html",
};
let served = new Map();

/**
 * Serves the objects of the current case below its number, and the package and these scripts to
 * pages.
 */
const server = createServer((request, response) => {
  const path = decodeURIComponent(new URL(request.url, "http://x").pathname);
  if (path === "/page")
    return response.writeHead(200, { "Content-Type": "text/html" }).end("<!doctype html><title>hostile</title>");
  const [, own, key] = /^\/(\d+)(\/.*)$/.exec(path) ?? [];
  let body = own ? served.get(key) : undefined;
  if (!own) {
    if (!/^\/(dist|tests\/robustness\/hostile)\/[\w-]+\.\w+$/.test(path)) return response.writeHead(404).end();
    body = readFileSync(top + path.slice(1));
    response.setHeader("Content-Type", types[extname(path)] ?? "application/octet-stream");
  }
  if (!body) return response.writeHead(404).end();
  const [, from, to, last] = /^bytes=(?:(\d+)-(\d*)|-(\d+))$/.exec(request.headers.range ?? "") ?? [];
  if (from === undefined && last === undefined) return response.end(body);
  const start = last === undefined ? Number(from) : Math.max(0, body.length - Number(last));
  const end = to ? Math.min(body.length, Number(to) + 1) : body.length;
  if (start >= end) return response.writeHead(416, { "Content-Range": `bytes */${body.length}` }).end();
  response.setHeader("Content-Range", `bytes ${start}-${end - 1}/${body.length}`);
  return response.writeHead(206).end(body.subarray(start, end));
});
await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
const base = `http://127.0.0.1:${server.address().port}`;

// ---- memory and time of processes ---------------------------------------------------

const linux = process.platform === "linux";
const kilobytes = (pid, name) => {
  const line = readFileSync(`/proc/${pid}/status`, "utf8").match(new RegExp(`^${name}:\\s+(\\d+)`, "m"));
  return Number(line?.[1] ?? 0) * 1024;
};
/** The sum of a measure over processes; an ended one counts as 0. */
const sumOf = (pids, ask) =>
  pids.reduce((sum, pid) => {
    try {
      return sum + ask(pid);
    } catch {
      return sum;
    }
  }, 0);
/** Returns the processes' present memory, and restarts the count of their peaks. */
function start(pids) {
  if (!linux) return 0;
  return sumOf(pids, (pid) => {
    writeFileSync(`/proc/${pid}/clear_refs`, "5");
    return kilobytes(pid, "VmRSS");
  });
}
const most = (pids) => (linux ? sumOf(pids, (pid) => kilobytes(pid, "VmHWM")) : 0);
/** Milliseconds that processes have worked. */
function worked(pids) {
  if (pids[0] === process.pid) return (({ user, system }) => (user + system) / 1000)(process.cpuUsage());
  if (!linux) return Number.POSITIVE_INFINITY;
  return sumOf(pids, (pid) => {
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1].split(" ");
    return (Number(fields[11]) + Number(fields[12])) * 10;
  });
}

// ---- where cases run ------------------------------------------------------------------

/** In this process: a Map, or an address for a container. */
async function node() {
  const run = async ({ number, objects, address }) => {
    const store = address ? `${base}/${number}/${address}` : objects;
    return tryAll(zarr, store, () => worked([process.pid]));
  };
  return {
    pids: () => [process.pid],
    run,
    whole: () => readsWhole(zarr),
    memory: async () => (await zarr.memory()).total,
    async again() {
      zarr.terminate();
      await zarr.init();
      globalThis.gc?.();
    },
    close: () => zarr.terminate(),
  };
}

/** On a page. */
async function browser(name) {
  const { openEngine } = await import("../lib/browsers.mjs");
  const engine = await openEngine(name);
  const tab = await engine.newTab(`${base}/page`);
  const prepare = () =>
    tab.evaluate(async () => {
      globalThis.zarr = await import("/dist/index.js");
      globalThis.calls = await import("/tests/robustness/hostile/calls.mjs");
    });
  await prepare();
  /** The processes that show pages. */
  const renderers = () =>
    readdirSync("/proc").filter((pid) => {
      try {
        return (
          /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/cmdline`, "utf8").includes("--type=renderer") && below(pid)
        );
      } catch {
        return false;
      }
    });
  const below = (pid) => {
    for (let at = Number(pid); at > 1; at = kilobytes(at, "PPid") / 1024) if (at === process.pid) return true;
    return false;
  };
  await tab.evaluate(() => calls.readsWhole(zarr));
  return {
    version: `${engine.name} ${engine.version}`,
    pids: renderers,
    run: async ({ number, address = "" }) =>
      tab.evaluate((url) => calls.tryAll(zarr, url), `${base}/${number}${address ? "/" : ""}${address}`),
    whole: () => tab.evaluate(() => calls.readsWhole(zarr)),
    memory: () => tab.evaluate(async () => (await zarr.memory()).total),
    again: () =>
      tab.evaluate(async () => {
        zarr.terminate();
        await zarr.init();
      }),
    close: () => engine.close(),
  };
}

// ---- the program --------------------------------------------------------------------

const place = await (engine === "node" ? node() : browser(engine));
await place.whole();
const least = await place.memory();

async function measure(one) {
  served = one.objects;
  const pids = place.pids();
  globalThis.gc?.();
  const before = start(pids);
  const told = await place.memory();
  const began = performance.now();
  const work = worked(pids);
  let timer;
  const late = new Promise((resolve) => {
    timer = setTimeout(() => resolve({ calls: [], most: 0, wrong: [`nothing came in ${hung} ms`] }), hung);
  });
  const { calls, most: asked, wrong } = await Promise.race([place.run(one), late]);
  clearTimeout(timer);
  const all = worked(pids) - work;
  const slowest = calls.reduce((max, { ms, cpu }) => Math.max(max, Math.min(ms, cpu || all)), 0);
  const engineBytes = (await place.memory()) - told;
  const bytes = Math.max(0, linux ? most(pids) - before : engineBytes) - asked;
  if (slowest > mostMs) wrong.push(`a call took ${Math.round(slowest)} ms`);
  if (bytes > mostBytes) wrong.push(`it took ${Math.round(bytes / MiB)} MiB beyond ${Math.round(asked / MiB)}`);
  if (!(await place.whole().catch(() => false))) wrong.push("what is whole does not read after it");
  if ((await place.memory()) > least + 64 * MiB) await place.again();
  return { calls, ms: slowest, bytes: Math.max(0, bytes), asked, wrong, clock: performance.now() - began };
}

if (only !== undefined) {
  const one = await caseOf(Number(only));
  console.log(`${one.kind}: ${one.about}`);
  const { calls, ms, bytes, asked, wrong } = await measure(one);
  for (const { name, ms, cpu, outcome } of calls)
    console.log(`  ${name}: ${outcome}, ${Math.round(ms)} ms, of work ${Math.round(cpu)}`);
  console.log(`${Math.round(ms)} ms, ${Math.round(bytes / MiB)} MiB beyond ${Math.round(asked / MiB)} MiB`, wrong);
} else {
  const rows = new Map(
    names.map((name) => [name, { cases: 0, calls: 0, "errors with a name": 0, wrong: 0, "most ms": 0, "most MiB": 0 }]),
  );
  for (let number = 0; number < count; number++) {
    const one = await caseOf(number);
    const row = rows.get(one.kind);
    const { calls, ms, bytes, wrong } = await measure(one);
    row.cases++;
    row.calls += calls.length;
    row["errors with a name"] += calls.filter(({ outcome }) => outcome !== "data").length;
    row.wrong += wrong.length > 0 ? 1 : 0;
    row["most ms"] = Math.max(row["most ms"], Math.round(ms));
    row["most MiB"] = Math.max(row["most MiB"], Math.round(bytes / MiB));
    if (wrong.length > 0)
      console.log(
        `FAIL --only ${number} (seed ${seed}): ${one.kind}: ${one.about}\n    ${wrong.slice(0, 4).join("\n    ")}`,
      );
  }
  console.table(Object.fromEntries(rows));
  const failed = [...rows.values()].reduce((sum, { wrong }) => sum + wrong, 0);
  console.log(`${count - failed} passed, ${failed} failed`);
  if (recorded) {
    const command = `node --expose-gc tests/robustness/hostile.mjs ${count} ${seed}${engine === "node" ? "" : ` --engine ${engine}`}`;
    const where = engine === "node" ? "Node" : engine[0].toUpperCase() + engine.slice(1);
    const of = [...rows].map(([kind, values]) => ({ what: `${where}: ${kind}`, command, values }));
    record("hostile", {
      section: "hostile",
      rows: [...of, { what: `${where}, all kinds`, command, values: summed([...rows.values()]) }],
    });
  }
  process.exitCode = failed > 0 ? 1 : 0;
}

function summed(all) {
  const sum = {};
  for (const [name, value] of all.flatMap((row) => Object.entries(row)))
    sum[name] = name.startsWith("most") ? Math.max(sum[name] ?? 0, value) : (sum[name] ?? 0) + value;
  return sum;
}

await place.close();
server.closeAllConnections();
server.close();

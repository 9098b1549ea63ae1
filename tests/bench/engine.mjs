// Reads whole arrays by this package, by zarrita and by fizarrita, interleaved in one page. It
// measures the time, how long the page's thread is blocked, and the memory. It also reads one small
// chunk after the other.
//
//   ./build.sh bench engine [--json FILE] [--quick] [--only PATTERN]
//       [--markdown docs/reports/benchmarks.md]
//
// ENGINE=firefox and ENGINE=webkit measure another browser, as a section of its own. Only Chromium
// reports the memory of its renderers.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { unwatched } from "../browser/unwatched.mjs";
import { chosen, launch, openEngine, until } from "../lib/browsers.mjs";
import { family, worked } from "../lib/processes.mjs";
import { serve, top } from "../lib/serve.mjs";
import { finish, machine, median, optionsOf, spread, untilQuiet, watchOthers } from "./bench.mjs";
import { prepare } from "./engine-data.mjs";
import { markdown } from "./engine-report.mjs";
import { buildPeers } from "./peers/build.mjs";

const option = optionsOf({ only: { type: "string" } });
const rounds = option.quick ? 3 : 9;
const only = new RegExp(option.only ?? "");
const dir = join(top, "build/bench/engine");

await prepare(dir);
await buildPeers(join(top, "build/bench/peers"));

function keys(name) {
  const root = join(dir, name);
  return readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name !== ".done")
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name).slice(root.length + 1));
}

// The browser's cache would hold some of the chunks, and more of them for a client that requests
// all at once.
const server = await serve(top, "-isolate", "-cache", "no-store");
const browser = chosen === "chromium" ? await chromium() : await another(chosen);
const rows = [];

/** The share of a processor that others may use in a quiet round. */
const calm = 0.15;
const quiet = (done) => done.filter((round) => round.others <= calm).length;

const page = () => browser.page(`${server.url}tests/bench/engine.html`);

/** Chromium: `cpu` is its processor time in ms, `processes` its processes with theirs. */
async function chromium() {
  const running = await launch();
  const system = await running.newBrowserCDPSession();
  const open = await unwatched(running);
  const processes = async () => (await system.send("SystemInfo.getProcessInfo")).processInfo;
  return {
    name: "Chromium",
    version: running.version(),
    processes,
    cpu: async () => (await processes()).reduce((sum, { cpuTime }) => sum + 1000 * cpuTime, 0),
    page: async (url) => {
      const made = await open(url);
      await made.until(() => globalThis.ready, { timeout: 60_000 });
      return made;
    },
    close: () => running.close(),
  };
}

/** Firefox or WebKit. */
async function another(name) {
  const running = await openEngine(name);
  return {
    name: { firefox: "Firefox", webkit: "WebKit" }[name],
    version: running.version,
    cpu: async () => worked(family(running.pid)),
    page: async (url) => {
      const tab = await running.newTab(url);
      await until(tab, "a page that is ready", () => globalThis.ready === true);
      return tab;
    },
    close: () => running.close(),
  };
}

const cases = [];
for (const name of ["blosc-lz4", "zstd", "gzip"]) {
  const goal = name === "blosc-lz4" ? [0.45, 0.3] : [0.5, 0.4];
  const both = { array: name, who: ["ours", "shared"], pool: true };
  cases.push({ ...both, name: `128 MB ${name}, memory`, memory: true, goal });
  cases.push({ ...both, name: `128 MB ${name}, HTTP`, memory: false, goal: [0.7, 0.7] });
}
cases.push({ name: "128 MB uncompressed, memory", array: "none", memory: true, who: ["ours", "shared"], goal: [] });
cases.push({ name: "4,096 chunks, memory", array: "short", memory: true, who: ["ours", "shared"], goal: [0.7, 0.3] });
cases.push({ name: "16,384 chunks, memory", array: "small", memory: true, who: ["ours"], goal: [0.7] });
cases.push({ name: "16,384 chunks, HTTP", array: "small", memory: false, who: ["ours"], goal: [0.7], bounded: true });
cases.push({ name: "16,384 fetches, no reader", array: "small", who: ["fetch"], goal: [], bounded: true });
cases.push({ name: "16 MB F order", array: "f", memory: true, who: ["ours"], goal: [0.15] });
cases.push({ name: "16 MB step 2", array: "c", memory: true, step: 2, who: ["ours"], goal: [0.15] });
cases.push({ name: "16 MB transposed", array: "transposed", memory: true, who: ["ours"], goal: [0.15] });
cases.push({
  name: "10 million strings",
  array: "strings",
  memory: true,
  texts: true,
  who: ["ours"],
  goal: [],
  page: 16,
});
cases.push({
  name: "struct of five columns",
  array: "struct",
  memory: true,
  column: "x",
  who: ["ours"],
  goal: [],
  page: 16,
  alone: true,
});
cases.push({ name: "128 MB float16", array: "float16", memory: true, who: ["ours"], goal: [], page: 16 });
cases.push({
  name: "128 MB into out",
  array: "blosc-lz4",
  memory: true,
  out: true,
  who: ["ours", "shared"],
  goal: [],
  page: 16,
});

/** The part of fizarrita that compares with it. */
const poolOf = (who) => (who === "shared" ? "pool, shared" : "pool");

function report(row) {
  rows.push(row);
  const { case: name, data, ours, peer, pool, ratio, poolRatio, goal, unit, block, peerBlock, poolBlock } = row;
  const { cpu: work, peerCpu } = row;
  const text = (v, digits = 0) => (v === null || v === undefined ? "-" : v.toFixed(digits));
  console.log(
    `${name.padEnd(26)} ${(data ?? "").padEnd(9)} ${text(ours, ours < 20 ? 1 : 0).padStart(7)} ${text(peer).padStart(7)} ${text(pool).padStart(9)} ${unit.padEnd(4)}` +
      `${text(ratio, 2).padStart(6)} ${text(poolRatio, 2).padStart(6)} ${text(goal, 2).padStart(6)}  ${text(block, 1).padStart(6)} ${text(peerBlock).padStart(7)} ${text(poolBlock).padStart(9)}  ${text(work).padStart(6)} ${text(peerCpu).padStart(6)}   ${row.spread ?? ""}${row.others > calm ? ` (others kept ${row.others.toFixed(1)} processors busy)` : ""}`,
  );
}

console.log(
  `${"case".padEnd(26)} ${"".padEnd(9)} ${"ours".padStart(7)} ${"zarrita".padStart(7)} fizarrita      ratio  of it   goal   block zarrita fizarrita     cpu zarrita   spread`,
);
for (const c of cases) {
  if (!only.test(c.name)) continue;
  const here = await page();
  const settings = {
    url: `${server.url}build/bench/engine/${c.array}/`,
    memory: c.memory,
    step: c.step,
    bounded: c.bounded,
    out: c.out,
    column: c.column,
    texts: c.texts,
    keys: c.memory || c.who[0] === "fetch" ? keys(c.array) : [],
  };
  // WebKit's test browser has no shared memory in workers.
  const readers = c.who.filter((side) => chosen !== "webkit" || side !== "shared");
  const count = c.bounded ? 3 : rounds;
  const done = [];
  // zarrita does not read all of them.
  const sides = c.alone ? readers : [...readers, "peer"];
  // fizarrita answers only for arrays that are compressed.
  if (c.pool) sides.push(...readers.map(poolOf));
  // The first round runs code that the browser has not optimised yet. Among the others, those that
  // other programs disturbed least count. If there are too few, more are run.
  let patience = option.quick ? 20_000 : 60_000; // ms
  for (let i = 0; i <= count || (i <= 4 * count && quiet(done) < count); i++) {
    if (i > 0) patience -= await untilQuiet(calm, patience);
    const others = watchOthers();
    const round = {};
    for (const who of sides) {
      const before = await browser.cpu();
      round[who] = await here.evaluate(([w, s]) => globalThis.read(w, s), [who, settings]);
      round[who].cpu = (await browser.cpu()) - before;
      // zarrita returns the elements of these two in the order of the chunks.
      const sameOrder = c.array !== "f" && c.array !== "transposed";
      if (sameOrder && who !== "fetch" && round.ours && Math.abs(round[who].sum / round.ours.sum - 1) > 1e-6)
        throw new Error(`${c.name}: the values differ`);
    }
    round.others = others();
    if (i > 0) done.push(round);
  }
  done.sort((a, b) => a.others - b.others);
  const kept = done.slice(0, count);
  const runs = Object.fromEntries(sides.map((who) => [who, kept.map((round) => round[who])]));
  const of = (who, what) => (runs[who] ? median(runs[who].map((r) => r[what])) : null);
  const its = (what) => of("peer", what);
  const peer = its("ms");
  readers.forEach((who, i) => {
    const times = runs[who].map((r) => r.ms);
    const pool = of(poolOf(who), "ms");
    report({
      case: c.name,
      data: who === "shared" ? "shared" : "",
      ours: median(times),
      peer,
      unit: "ms",
      ratio: peer && median(times) / peer,
      pool,
      poolRatio: pool && median(times) / pool,
      poolBlock: of(poolOf(who), "block"),
      goal: c.goal[i],
      cpu: median(runs[who].map((r) => r.cpu)),
      peerCpu: its("cpu"),
      block: median(runs[who].map((r) => r.block)),
      blockGoal: c.page,
      peerBlock: its("block"),
      others: kept.at(-1).others,
      spread: `${spread(times)} / ${runs.peer ? spread(runs.peer.map((r) => r.ms)) : ""}`,
    });
    if (c.texts) {
      const [all, itsAll] = [median(runs[who].map((r) => r.all)), its("all")];
      console.log(
        `  to look at each of them afterwards takes ${all.toFixed(0)} ms, of zarrita's ${itsAll.toFixed(0)} ms`,
      );
    }
  });
  await here.close();
}

/** The quantile of the times. */
const quantile = (list, share) => [...list].sort((a, b) => a - b)[Math.ceil(share * list.length) - 1];

/** Reads by each side in turn, and reports the quantiles of their times. */
async function latencies(title, name, reads, array, memory, sides, count) {
  const here = await page();
  const settings = { url: `${server.url}build/bench/engine/${array}/`, memory, keys: memory ? keys(array) : [] };
  const times = await here.evaluate(([f, s, o, n]) => globalThis[f](s, o, n), [reads, sides, settings, count]);
  await here.close();
  const tails = Object.fromEntries(
    sides.map((who) => [who, { p50: quantile(times[who], 0.5), p99: quantile(times[who], 0.99) }]),
  );
  rows.push({ case: name, title, count, unit: "ms", latency: tails });
  const cell = (t) => (t ? `${t.p50.toFixed(2)} ${t.p99.toFixed(2)}` : "-").padStart(13);
  console.log(`${name.padEnd(36)} ${cell(tails.ours)} ${cell(tails.peer)} ${cell(tails.pool)}`);
}

const heading = (text) =>
  console.log(
    `\n${text.padEnd(36)} ${"ours".padStart(13)} ${"zarrita".padStart(13)} ${"fizarrita".padStart(13)}   p50 and p99, ms`,
  );

if (only.test("small reads")) {
  const count = 300;
  heading(`${count} small reads, one after the other`);
  for (const memory of [true, false]) {
    for (const array of ["reads", "reads-none"]) {
      const name = `small reads${array === "reads" ? "" : " uncompressed"}, ${memory ? "memory" : "HTTP"}`;
      const sides = array === "reads" ? ["ours", "peer", "pool"] : ["ours", "peer"];
      await latencies("sequential reads of one chunk of 64 KB", name, "smallReads", array, memory, sides, count);
    }
  }
}

if (only.test("steps through one chunk")) {
  const count = 120;
  heading(`${count} steps through one chunk of 4 MB`);
  for (const memory of [true, false]) {
    const name = `steps through one chunk, ${memory ? "memory" : "HTTP"}`;
    const sides = ["ours", "peer", "pool"];
    await latencies("steps of 64 KB through one chunk of 4 MB", name, "steps", "blosc-lz4", memory, sides, count);
  }
}

/** The memory of the renderer processes in MB, and its peak since the last reset. */
async function resident(setBack) {
  let now = 0;
  let most = 0;
  for (const { type, id } of await browser.processes()) {
    if (type !== "renderer") continue;
    if (setBack) writeFileSync(`/proc/${id}/clear_refs`, "5");
    const status = readFileSync(`/proc/${id}/status`, "utf8");
    now += Number(/VmRSS:\s+(\d+)/.exec(status)[1]) / 1024;
    most += Number(/VmHWM:\s+(\d+)/.exec(status)[1]) / 1024;
  }
  return { now, most };
}

if (process.platform === "linux" && browser.processes && only.test("peak memory")) {
  console.log(
    `\n${"peak memory, output 128 MB".padEnd(36)} ${"ours".padStart(7)} ${"zarrita".padStart(7)} MB   times the output (goal 2.0)`,
  );
  for (const name of ["blosc-lz4", "zstd", "gzip"]) {
    const settings = { url: `${server.url}build/bench/engine/${name}/`, memory: true, keys: keys(name) };
    const peaks = {};
    for (const who of ["ours", "shared", "peer"]) {
      const runs = [];
      for (let i = 0; i < (option.quick ? 1 : 3); i++) {
        const here = await page();
        await here.evaluate(([w, s]) => globalThis.prepare(w, s), [who, settings]);
        const before = await resident(true);
        await here.evaluate(([w, s]) => globalThis.read(w, s), [who, settings]);
        runs.push((await resident(false)).most - before.now);
        await here.close();
      }
      peaks[who] = median(runs);
    }
    for (const who of ["ours", "shared"]) {
      const ratio = peaks[who] / 134.2;
      rows.push({
        case: `peak memory ${name}`,
        data: who,
        ours: peaks[who],
        peer: peaks.peer,
        unit: "MB",
        ratio,
        goal: 2,
      });
      const label = `${name}${who === "shared" ? ", shared" : ""}`.padEnd(36);
      console.log(
        `${label} ${peaks[who].toFixed(0).padStart(7)} ${peaks.peer.toFixed(0).padStart(7)}      ${ratio.toFixed(2)}`,
      );
    }
  }
}

if (only.test("mixed reads")) {
  const here = await page();
  const count = option.quick ? 1500 : 10_000;
  const list = ["blosc-lz4", "zstd", "gzip", "small", "f"].map((name) => ({
    url: `${server.url}build/bench/engine/${name}/`,
    memory: true,
    keys: keys(name),
  }));
  const { reports, pending, cancelled } = await here.evaluate(([n, l]) => globalThis.mixed(n, l), [count, list]);
  const [early, late] = reports;
  const ratio = late.total / early.total;
  const mb = (n) => (n / 2 ** 20).toFixed(0);
  rows.push({
    case: "mixed reads",
    count,
    ours: late.total,
    peer: null,
    unit: "bytes",
    ratio,
    goal: 1.1,
    pending,
    cancelled,
    early,
    late,
  });
  console.log(
    `\n${count} mixed reads, ${cancelled} of them cancelled: ${mb(early.total)} MB after 500, ${mb(late.total)} MB at the end`,
  );
  console.log(
    `ratio ${ratio.toFixed(2)} (goal 1.10), ${pending} pending, ${early.handles} and ${late.handles} handles`,
  );
  await here.close();
}
const other = chosen !== "chromium";
const section = () => markdown(rows, machine(), `${browser.name} ${browser.version}`, other && browser.name);
if (other) finish(`engine-${chosen}`, option, rows, section, `ENGINE=${chosen} ./build.sh bench engine`);
else finish("engine", option, rows, section);
await browser.close();
server.close();

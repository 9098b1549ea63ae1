// Opens and reads hostile data: data made to exhaust, to lie, to loop or to confuse. Each call
// returns data or an error with a name, soon and in little memory. Intact data still reads.
// corpus.mjs makes the cases, and calls.mjs reads them.
import { readFileSync } from "node:fs";
import { extname } from "node:path";
import { family, peaks, worked } from "../lib/processes.mjs";
import { random } from "../lib/random.mjs";
import { listen, send, top } from "../lib/serve.mjs";
import { kindsOf } from "./corpus.mjs";
import { summed, within } from "./oracle.mjs";
import { openPlace } from "./places.mjs";

export const count = 1000;

const MiB = 2 ** 20;
const mostMs = 2000;
const mostBytes = 256 * MiB;
/** A case that takes longer than this, in milliseconds, hangs. */
const hung = 120_000;

const types = {
  ".js": "text/javascript",
  ".mjs": "text/javascript",
  ".wasm": "application/wasm",
  ".html": "text/html",
};

export async function run({ engine, count, seed, only, fail }) {
  const inNode = engine === "node";
  let objects = new Map();
  // Serves the objects of the current case below its number, and the package to pages.
  const server = await listen((request, response) => {
    const path = decodeURIComponent(new URL(request.url, "http://x").pathname);
    const [, own, key] = /^\/(\d+)(\/.*)$/.exec(path) ?? [];
    if (own) return send(request, response, objects.get(key));
    if (!/^\/(dist|tests\/(chaos|lib))\/[\w-]+\.\w+$/.test(path)) return send(request, response);
    response.setHeader("Content-Type", types[extname(path)] ?? "application/octet-stream");
    return send(request, response, readFileSync(top + path.slice(1)));
  });
  const kinds = kindsOf(`${top}build/fixtures`);
  const names = Object.keys(kinds);
  const caseOf = async (number) => {
    const kind = names[number % names.length];
    return { kind, number, ...(await kinds[kind](random(seed, number))) };
  };
  const place = await openPlace(engine, { site: server.url });
  await place.begin("calls");
  /** The processes in which the package runs. */
  const processes = () => (inNode ? [process.pid] : family(place.pid, "--type=renderer"));
  const cpu = inNode ? () => worked([process.pid]) : undefined;
  await place.call("readsWhole");
  const least = await place.call("memory");

  const measure = async ({ number, objects: own, address }) => {
    objects = own;
    const pids = processes();
    globalThis.gc();
    const memory = peaks(pids);
    const held = await place.call("memory");
    const began = performance.now();
    const work = worked(pids);
    // In Node a container has an address, and everything else is a Map.
    const store = inNode && !address ? objects : `${server.url}${number}${address === undefined ? "" : `/${address}`}`;
    const { calls, most, wrong } = await within(hung, () => place.call("tryAll", store, cpu)).catch((error) => ({
      calls: [],
      most: 0,
      wrong: [error.message],
    }));
    const all = worked(pids) - work;
    const ms = calls.reduce((max, { ms, cpu }) => Math.max(max, Math.min(ms, cpu || all)), 0);
    const grown = (await place.call("memory")) - held;
    const bytes = Math.max(0, (process.platform === "linux" ? memory.beyond() : grown) - most);
    if (ms > mostMs) wrong.push(`a call took ${Math.round(ms)} ms`);
    if (bytes > mostBytes) wrong.push(`it took ${Math.round(bytes / MiB)} MiB beyond ${Math.round(most / MiB)}`);
    if (!(await place.call("readsWhole").catch(() => false))) wrong.push("what is whole does not read after it");
    if ((await place.call("memory")) > least + 64 * MiB) await place.call("again");
    return { calls, ms, bytes, most, wrong, clock: performance.now() - began };
  };

  const rows = new Map();
  let passed = 0;
  for (let number = only ?? 0; number < (only === undefined ? count : only + 1); number++) {
    const one = await caseOf(number);
    const { calls, ms, bytes, most, wrong } = await measure(one);
    if (wrong.length > 0) fail(number, `${one.kind}: ${one.about}`, wrong.slice(0, 4));
    else passed++;
    if (only !== undefined) {
      for (const { name, ms, cpu, outcome } of calls)
        console.log(`  ${name}: ${outcome}, ${Math.round(ms)} ms, of work ${Math.round(cpu)}`);
      console.log(`${one.kind}: ${one.about}: ${Math.round(bytes / MiB)} MiB beyond ${Math.round(most / MiB)} MiB`);
    }
    const values = {
      cases: 1,
      calls: calls.length,
      "errors with a name": calls.filter(({ outcome }) => outcome !== "data").length,
      wrong: wrong.length > 0 ? 1 : 0,
      "most ms": Math.round(ms),
      "most MiB": Math.round(bytes / MiB),
    };
    rows.set(one.kind, summed([rows.get(one.kind) ?? {}, values]));
  }
  console.table(Object.fromEntries(rows));
  await place.close();
  server.close();
  const all = { what: ", all kinds", values: summed([...rows.values()]) };
  return { passed, rows: [...[...rows].map(([kind, values]) => ({ what: `: ${kind}`, values })), all] };
}

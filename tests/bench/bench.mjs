// The common part of the benchmarks: options, statistics, the load of other programs, and
// docs/reports/benchmarks.md. Every benchmark has its own section.
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { arch, cpus, type } from "node:os";
import { parseArgs } from "node:util";
import { family, worked } from "../lib/processes.mjs";
import { top } from "../lib/serve.mjs";

// ---- options and results ----------------------------------------------------------

/**
 * Returns the options of a benchmark. All have --quick, which measures little, --json FILE for the
 * results, and --markdown FILE for the report.
 */
export function optionsOf(own = {}) {
  const common = { quick: { type: "boolean" }, json: { type: "string" }, markdown: { type: "string" } };
  return parseArgs({ options: { ...common, ...own } }).values;
}

/** Writes the results that the options ask for; `section` returns the text of the report. */
export function finish(name, { json, markdown }, results, section) {
  if (json) writeFileSync(json, `${JSON.stringify(results, null, 1)}\n`);
  if (markdown) writeSection(markdown, name, section());
}

export const median = (list) => [...list].sort((a, b) => a - b)[list.length >> 1];
export const spread = (list) => `${Math.min(...list).toFixed(0)}-${Math.max(...list).toFixed(0)}`;

// ---- the report -------------------------------------------------------------------

const header = `# Benchmarks

Compare ratios, not absolute numbers: both sides run on the same bytes in the same run. \`./build.sh bench\` lists the
programs in \`tests/bench\`; \`./build.sh bench NAME --markdown docs/reports/benchmarks.md\` writes one section again.
`;

/** Writes a benchmark's section: it replaces the file's, or is appended. */
function writeSection(path, name, text) {
  const [begin, end] = [`<!-- ${name}: written by ./build.sh bench ${name} --markdown -->`, `<!-- end of ${name} -->`];
  const old = existsSync(path) ? readFileSync(path, "utf8") : header;
  const [before, rest] = old.split(begin);
  const after = rest?.split(end)[1];
  if (rest !== undefined && after === undefined) throw new Error(`${path}: ${begin} without ${end}`);
  const section = `${begin}\n\n${text}\n\n${end}`;
  writeFileSync(path, rest === undefined ? `${old}\n${section}\n` : `${before}${section}${after}`);
}

const versions = JSON.parse(readFileSync(`${top}package.json`, "utf8")).devDependencies;

/** The measured versions, the place and the time. */
export function machine(peer = `zarrita ${versions.zarrita} with numcodecs ${versions.numcodecs}`) {
  const go = execFileSync("go", ["env", "GOVERSION"], { encoding: "utf8" }).trim();
  const cpu = `${cpus().length} cores of ${cpus()[0].model.trim()}, ${type()} ${arch()}`;
  const day = new Date().toISOString().slice(0, 10);
  return `Measured on ${day} with ${cpu}; ${go}; ${peer}`;
}

// ---- the load of other programs ---------------------------------------------------

/** Milliseconds of work: of all processors, and of this process with all its descendants. */
function work() {
  const all = cpus().reduce((sum, { times: { user, nice, sys, irq } }) => sum + user + nice + sys + irq, 0);
  return { all, own: family(process.pid).reduce((sum, pid) => sum + worked([pid]), 0) };
}

/**
 * Begins to watch; what it returns tells how many processors others have kept busy since. 0 where
 * that cannot be known.
 */
export function watchOthers() {
  if (process.platform !== "linux") return () => 0;
  const before = work();
  const t = performance.now();
  return () => {
    const after = work();
    const others = after.all - before.all - (after.own - before.own);
    return Math.max(0, others) / (performance.now() - t);
  };
}

/**
 * Waits until the other programs are idle, for at most `atMost` milliseconds. Returns how many of
 * them it took.
 */
export async function untilQuiet(calm, atMost) {
  const t = performance.now();
  for (;;) {
    const others = watchOthers();
    await new Promise((resolve) => setTimeout(resolve, 250));
    const waited = performance.now() - t;
    if (others() <= calm || waited >= atMost) return waited;
  }
}

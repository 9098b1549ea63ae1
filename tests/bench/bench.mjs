// The common part of the benchmarks: options, statistics, the load of other programs, and
// docs/reports/benchmarks.md. Every benchmark has its own section.
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { arch, cpus, tmpdir, type } from "node:os";
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

/**
 * Writes the results that the options ask for. `section` returns the text of the report, and
 * `command` writes it.
 */
export function finish(name, { json, markdown }, results, section, command = `./build.sh bench ${name}`) {
  if (json) writeFileSync(json, `${JSON.stringify(results, null, 1)}\n`);
  if (markdown) writeSection(markdown, name, section(), command);
}

export const median = (list) => [...list].sort((a, b) => a - b)[list.length >> 1];
export const spread = (list) => `${Math.min(...list).toFixed(0)}-${Math.max(...list).toFixed(0)}`;

// ---- the report -------------------------------------------------------------------

const header = `# Benchmarks

Compare ratios, not absolute numbers: both sides run on the same bytes in the same run. \`./build.sh bench\` lists the
programs in \`tests/bench\`; \`./build.sh bench NAME --markdown docs/reports/benchmarks.md\` writes one section again.
`;

/** Writes a benchmark's section: it replaces the file's, or is appended. */
function writeSection(path, name, text, command) {
  const [begin, end] = [`<!-- ${name}: written by ${command} --markdown -->`, `<!-- end of ${name} -->`];
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

// ---- programs ---------------------------------------------------------------------

/** A python3 that has zarr-python 2, which ./build.sh setup installs, or undefined. */
export const python = () =>
  [process.env.PYTHON, "python3", "/usr/bin/python3"].find(
    (at) =>
      at &&
      spawnSync(at, ["-c", "import zarr; assert zarr.__version__.startswith('2.')"], { cwd: tmpdir() }).status === 0,
  );

/**
 * Runs a program and returns its duration, its processor time in seconds, and its peak memory in
 * bytes, as Linux reports it. With `killAfter` it is
 * killed after that many seconds.
 */
export async function run(program, args, { killAfter, ...options } = {}) {
  const began = performance.now();
  const child = spawn(program, args, { stdio: ["ignore", "ignore", "inherit"], ...options });
  let [peak, processor] = [0, 0];
  const look = setInterval(() => {
    try {
      const found = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${child.pid}/status`, "utf8"));
      if (found) peak = Number(found[1]) * 1024;
      processor = worked([child.pid]) / 1000;
    } catch {} // it has ended, or this is not Linux
  }, 5);
  const kill = killAfter && setTimeout(() => child.kill("SIGKILL"), killAfter * 1000);
  const [status, signal] = await new Promise((resolve) => child.on("close", (...how) => resolve(how)));
  clearInterval(look);
  clearTimeout(kill);
  if (status !== 0 && signal !== "SIGKILL") throw new Error(`${args.join(" ")}: ${status ?? signal}`);
  return { seconds: (performance.now() - began) / 1000, processor, peak, killed: signal === "SIGKILL" };
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

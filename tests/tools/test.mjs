// Runs the stages of tests/tools/stages.mjs, the longest first, for ./build.sh test. One stage more
// than there are cores runs at a time, because stages in browsers wait for a third of their time.
//
//   node tests/tools/test.mjs [--quick | --since COMMIT | --list | STAGE…]
//
// A stage's output goes to build/log/STAGE.log, and a line with its counts to the terminal. A
// failed stage does not stop the others.
//
// Only this program makes second attempts. When all stages have ended, each failed unit (a test
// file, a package, a stage in a browser) runs once more alone. A unit that passes then is flaky: it
// is named, listed in build/log/flaky.txt and counted in the last line. With FLAKY=fail in the
// environment it fails the run.
import { execFileSync, spawn } from "node:child_process";
import { closeSync, mkdirSync, openSync, rmSync, writeFileSync, writeSync } from "node:fs";
import { availableParallelism, cpus } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { sampled } from "../lib/processes.mjs";
import { fullRun } from "../lib/rounds.mjs";

const top = fileURLToPath(new URL("../../", import.meta.url));

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    quick: { type: "boolean", default: false },
    since: { type: "string" },
    list: { type: "boolean", default: false },
    slots: { type: "string", default: String(availableParallelism() + 1) },
    // other stages, for tests of this program
    stages: { type: "string", default: join(top, "tests/tools/stages.mjs") },
    log: { type: "string", default: join(top, "build/log") },
  },
});
const { needs = {}, stages, touched } = await import(pathToFileURL(resolve(options.stages)).href);

function usage(text) {
  console.error(text);
  process.exit(2);
}

/** The names of the stages to run. */
function chosen() {
  const all = Object.keys(stages);
  const unknown = positionals.filter((name) => !all.includes(name));
  if (unknown.length > 0) usage(`no test stage ${unknown.join(", ")}; there are: ${all.join(" ")}`);
  if (positionals.length > 0) return [...new Set(positionals)];
  if (options.quick) return all.filter((name) => stages[name].quick);
  const usual = all.filter((name) => !stages[name].asked);
  if (options.since === undefined) return usual;
  const git = (...args) => execFileSync("git", args, { cwd: top, encoding: "utf8" }).split("\n").filter(Boolean);
  const paths = [
    ...git("diff", "--name-only", "--no-renames", options.since, "--"),
    ...git("ls-files", "--others", "--exclude-standard"),
  ];
  const names = new Set(paths.flatMap((path) => touched(path) ?? usual));
  return all.filter((name) => names.has(name));
}

// ---- running ----------------------------------------------------------------------

const running = new Set();
/**
 * Ends a command with all its processes. On SIGTERM, runners end their files, which have their own
 * process groups.
 */
function end(child, signal = "SIGTERM") {
  try {
    process.kill(-child.pid, signal);
  } catch {} // It has ended.
}
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"])
  process.on(signal, () => {
    for (const child of running) end(child);
    process.exit(1);
  });

/** A command that takes longer than this, in seconds, is ended and fails. */
const longest = fullRun ? 6000 : 3000;

/**
 * Runs a shell command to its end and writes its log. Returns the status, the output, the elapsed
 * seconds, and the processor seconds used.
 */
function shell(command, name, { env = {}, seconds: usual = 0 } = {}) {
  const most = Math.max(longest, 3 * usual);
  return new Promise((done) => {
    const began = performance.now();
    // Descriptor 3 is not handed on: a program that stays behind would keep it open.
    const timed = `(\nset -euo pipefail\n${command}\n) 3>&-\nstatus=$?\ntimes >&3\nexit $status`;
    const child = spawn("bash", ["-c", timed], {
      cwd: top,
      detached: true,
      env: { ...process.env, ...env },
      stdio: ["ignore", "pipe", "pipe", "pipe"],
    });
    running.add(child);
    const work = sampled(child.pid);
    const text = [];
    const file = openSync(join(options.log, `${name}.log`), "w");
    let times = "";
    child.stdio[3].setEncoding("utf8").on("data", (part) => (times += part));
    const said = (part) => {
      text.push(part);
      writeSync(file, part);
    };
    for (const stream of [child.stdout, child.stderr]) stream.setEncoding("utf8").on("data", said);
    const limit = setTimeout(() => {
      said(`\nended after ${most} s\n`);
      end(child);
      setTimeout(() => end(child, "SIGKILL"), 5000).unref();
    }, most * 1000);
    child.on("close", (status) => {
      clearTimeout(limit);
      running.delete(child);
      closeSync(file);
      const accounted = [...times.matchAll(/(\d+)m([\d.]+)s/g)].reduce(
        (sum, [, m, s]) => sum + 60 * Number(m) + Number(s),
        0,
      );
      const used = Math.max(accounted, work());
      done({ status, output: text.join(""), seconds: (performance.now() - began) / 1000, used });
    });
  });
}

/**
 * The counts of an ended command: those of the last line with counts. A failure without counts is
 * one.
 */
function countsOf({ check }, { status, output }) {
  if (check) return { passed: status === 0 ? 1 : 0, failed: status === 0 ? 0 : 1, skipped: 0 };
  const lines = [...output.matchAll(/^(\d+) passed, (\d+) failed(?:, (\d+) skipped)?$/gm)];
  const [passed, failed, skipped] = (lines.at(-1) ?? []).slice(1).map((n) => Number(n ?? 0));
  if (passed === undefined) return { passed: 0, failed: 1, skipped: 0 };
  return { passed, failed: status === 0 ? failed : Math.max(failed, 1), skipped };
}

/**
 * The failed units of a stage that may have a second attempt, from the lines of failedUnit in
 * tests/tools/units.mjs.
 */
function unitsOf(name, counts, output) {
  const { again } = stages[name];
  if (!again || counts.failed === 0) return [];
  if (again === true) return [{ unit: name, failed: counts.failed, names: [] }];
  return [...output.matchAll(/^== failed: (\{.*\})$/gm)].map((m) => JSON.parse(m[1])).filter(({ once }) => !once);
}

/** The failed tests with their output, or the end of the output if no single test failed. */
function failures(output) {
  const lines = output.split("\n");
  const shown = new Set();
  lines.forEach((line, i) => {
    if (/^ *(not ok|--- FAIL|FAIL)/.test(line)) for (let j = i; j < i + 25 && j < lines.length; j++) shown.add(j);
  });
  const some = shown.size > 0 ? [...shown].sort((a, b) => a - b).map((i) => lines[i]) : lines.slice(-60);
  return some.slice(0, Number(process.env.LINES_SHOWN ?? 100)).map((line) => `    ${line}`);
}

const counted = ({ passed, failed, skipped }) =>
  `${String(passed).padStart(6)} passed${failed ? `, ${failed} FAILED` : ""}${skipped ? `, ${skipped} skipped` : ""}`;

const names = chosen();
if (options.list) {
  for (const name of names) {
    const { seconds = 0, quick, asked } = stages[name];
    console.log(`${name.padEnd(22)}${String(seconds).padStart(5)} s${quick ? " quick" : ""}${asked ? " asked" : ""}`);
  }
  process.exit();
}
if (names.length === 0) {
  console.log(`no stage tests what has changed since ${options.since}\n0 passed, 0 failed`);
  process.exit();
}

/** Requirements that could not be provided: the stages that need them fail. */
const missing = new Set();
/** Requirements that are not yet provided, with their commands. Their stages wait. */
const lacking = new Map(
  Object.entries(needs).filter(([need]) => names.some((name) => stages[name].needs?.includes(need))),
);
rmSync(options.log, { recursive: true, force: true });
mkdirSync(options.log, { recursive: true });

const results = new Map(); // stage -> its counts
const idle = () => cpus().reduce((sum, { times }) => sum + times.idle, 0) / cpus().length / 1000;
const [began, idleBefore] = [performance.now(), idle()];
const units = []; // units to repeat
let ended = 0;

/** Provides the next requirement. */
async function provide() {
  const [[need, command]] = lacking;
  const { status, output, seconds } = await shell(command, `need-${need}`);
  if (seconds > 5) console.log(`${need} (${Math.round(seconds)} s)`);
  lacking.delete(need);
  if (status === 0) return;
  missing.add(need);
  console.log([`${need} FAILED: ${command}`, ...failures(output)].join("\n"));
}

async function run(name) {
  const stage = stages[name];
  const lacks = stage.needs?.filter((need) => missing.has(need)) ?? [];
  const result = lacks.length
    ? { status: 1, output: `not ok - it needs ${lacks.join(", ")}: see the logs need-*.log\n`, seconds: 0, used: 0 }
    : await shell(stage.run, name, { seconds: stage.seconds });
  const counts = countsOf(stage, result);
  results.set(name, counts);
  if (lacks.length === 0) units.push(...unitsOf(name, counts, result.output).map((unit) => ({ name, ...unit })));
  const place = `[${++ended}/${names.length}]`;
  const [took, used, now] = [result.seconds, result.used, (performance.now() - began) / 1000].map(Math.round);
  console.log(`${place} ${name.padEnd(22)}${counted(counts)}  (${took} s, ${used} of processors; at ${now} s)`);
  if (counts.failed > 0) console.log(failures(result.output).join("\n"));
}

const slots = Number(options.slots);
/** The slots of a stage, limited to those that exist. */
const share = (name) => (stages[name].alone ? slots : Math.min(stages[name].slots ?? 1, slots));
const waiting = names.toSorted((a, b) => (stages[b].seconds ?? 0) - (stages[a].seconds ?? 0));
const ready = (name) => !stages[name].needs?.some((need) => lacking.has(need));
const under = new Map(); // what runs -> its promise, and the slots that it occupies
const begin = (what, occupied, run) => under.set(what, { occupied, ended: run.finally(() => under.delete(what)) });
while (waiting.length > 0 || under.size > 0) {
  const busy = [...under.values()].reduce((sum, { occupied }) => sum + occupied, 0);
  const next = waiting.findIndex((name) => ready(name) && busy + share(name) <= slots);
  // Requirements are provided one after the other, beside stages that need none of them.
  if (lacking.size > 0 && !under.has(lacking) && busy < slots) begin(lacking, 1, provide());
  else if (next >= 0) {
    const [name] = waiting.splice(next, 1);
    begin(name, share(name), run(name));
  } else await Promise.race([...under.values()].map(({ ended }) => ended));
}

// ---- second attempts --------------------------------------------------------------

const flaky = [];
units.sort((a, b) => names.indexOf(a.name) - names.indexOf(b.name));
for (const { name, unit, failed, names: tests } of units) {
  const stage = stages[name];
  const said = [unit === name ? name : `${name}: ${unit}`, ...tests].join("; ");
  console.log(`once more: ${said}`);
  const file = `${name}.again-${unit.replace(/\W+/g, "-")}`;
  const second = await shell(stage.again === true ? stage.run : stage.again, file, {
    env: { UNIT: unit },
    seconds: stage.seconds,
  });
  if (second.status !== 0 || countsOf(stage, second).failed > 0) {
    console.log([`failed twice: ${said}`, ...failures(second.output)].join("\n"));
    continue;
  }
  console.log(`flaky, passed at the second attempt: ${said}`);
  flaky.push({ said, failed });
  const counts = results.get(name);
  counts.failed -= failed;
  counts.passed += failed;
}
writeFileSync(join(options.log, "flaky.txt"), flaky.map(({ said }) => `${said}\n`).join(""));

const sum = (list, key) => list.reduce((n, counts) => n + counts[key], 0);
const all = [...results.values()];
const [passed, failed, skipped] = ["passed", "failed", "skipped"].map((key) => sum(all, key));
const wavering = sum(flaky, "failed");
const bad = names.filter((name) => results.get(name).failed > 0);
const [seconds, unused] = [(performance.now() - began) / 1000, idle() - idleBefore].map(Math.round);
console.log(`\n${seconds} s; a core was idle for ${unused} s`);
if (bad.length > 0) console.log(`failed: ${bad.join(" ")} (the whole output is in build/log/)`);
if (wavering > 0 && process.env.FLAKY === "fail") console.log("flaky tests fail this run (FLAKY=fail)");
console.log(
  `${passed} passed, ${failed} failed${skipped ? `, ${skipped} skipped` : ""}${wavering ? `, ${wavering} flaky` : ""}`,
);
process.exitCode = failed > 0 || (wavering > 0 && process.env.FLAKY === "fail") ? 1 : 0;

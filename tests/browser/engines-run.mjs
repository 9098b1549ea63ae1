// Runs the tests that need no particular browser in each engine.
//
//   node tests/browser/engines-run.mjs [--engine NAME] [--only PART] [--brief] [--record]
//
// Without names it runs every engine and every part. With --brief it skips slow tests. With
// --record it writes the counts into docs/reports/robustness.md. With --by-turns --which it prints
// the further engine to test with this commit; Chromium is always tested.
import { execFileSync, spawn } from "node:child_process";
import { parseArgs } from "node:util";
import { record } from "../chaos/report.mjs";
import { engines, openEngine } from "../lib/browsers.mjs";
import { top } from "../lib/serve.mjs";

const test = (...files) => [
  "--test",
  "--test-concurrency=1",
  "--test-reporter=tap",
  ...files.map((name) => `tests/browser/${name}.mjs`),
];
/** The commands of each part. */
const parts = {
  conformance: ["tests/browser/conformance.mjs"],
  engine: test("engine", "offline"),
  deaths: test("deaths"),
  stores: test("stores", "writing-stores", "writing-http"),
  writes: test("writing-faults"),
  faults: test("faults", "redirects"),
  view: test("journey"),
};
/** The tests of a brief run: some fixtures, fewer deaths, and the viewer. */
const brief = { conformance: ["[eg]$"], deaths: [], writes: [], view: [] };
const few = { ROUNDS: "3" };

const { values: asked } = parseArgs({
  options: {
    engine: { type: "string", multiple: true, default: engines },
    only: { type: "string", multiple: true },
    brief: { type: "boolean", default: false },
    record: { type: "boolean", default: false },
    "by-turns": { type: "boolean", default: false },
    which: { type: "boolean", default: false },
  },
});

/**
 * The engine whose turn it is: the same for all runs of one commit, or any one without a commit.
 */
function inTurn() {
  try {
    const commit = execFileSync("git", ["rev-parse", "HEAD"], { cwd: top, encoding: "utf8" });
    return Number.parseInt(commit.slice(0, 6), 16) % 2 ? "firefox" : "webkit";
  } catch {
    return "firefox";
  }
}

/** Runs a part, prints its output, and counts its tests. */
async function run(engine, part) {
  const began = performance.now();
  const child = spawn(process.execPath, [...parts[part], ...((asked.brief && brief[part]) || [])], {
    cwd: top,
    env: { ...process.env, ENGINE: engine, ...(asked.brief ? few : {}) },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = new Promise((resolve) => child.once("exit", (code) => resolve(code ?? 1)));
  let text = "";
  child.stdout.setEncoding("utf8").on("data", (piece) => {
    text += piece;
  });
  const code = await ended;
  const count = (name) => Number(new RegExp(`^# ${name} (\\d+)$`, "m").exec(text)?.[1] ?? 0);
  const own = /^(\d+) passed, (\d+) failed, (\d+) skipped$/m.exec(text);
  const [passed, failed, skipped] = own ? own.slice(1).map(Number) : [count("pass"), count("fail"), count("skipped")];
  const wrong = failed || code !== 0 || passed === 0 ? Math.max(failed, 1) : 0;
  if (wrong)
    console.log(
      text
        .split("\n")
        .filter((line) => !/^\s*(ok |---|\.\.\.|duration_ms|type:)/.test(line))
        .join("\n"),
    );
  const seconds = Math.round((performance.now() - began) / 1000);
  console.log(`${engine} ${part}: ${passed} passed, ${wrong} failed, ${skipped} skipped (${seconds} s)`);
  return { passed, failed: wrong, skipped };
}

if (asked["by-turns"] && asked.which) console.log(inTurn());
else {
  const names = asked["by-turns"] ? [inTurn()] : asked.engine;
  const only = asked.only ?? Object.keys(asked.brief ? brief : parts);
  const rows = [];
  const all = { passed: 0, failed: 0, skipped: 0 };
  for (const name of names) {
    const engine = await openEngine(name);
    const { version } = engine;
    await engine.close();
    console.log(`== ${name} ${version}`);
    for (const part of only) {
      const counts = await run(name, part);
      for (const key of Object.keys(all)) all[key] += counts[key];
      const command = `node tests/browser/engines-run.mjs --engine ${name} --only ${part}`;
      rows.push({ what: `${name} ${version}: ${part}`, command, values: counts });
    }
  }
  if (asked.record) record("engines", { section: "engines", rows });
  console.log(`${all.passed} passed, ${all.failed} failed, ${all.skipped} skipped`);
  process.exitCode = all.failed > 0 ? 1 : 0;
}

// Runs test files one by one, each in its own process, and ends with a line of counts.
//
//   node tests/tools/files.mjs [--jobs N] FILE…
//
// A file that takes longer than a quarter of an hour is ended and fails. A line after each file has
// its elapsed seconds and its processor seconds. tests/tools/test.mjs makes second attempts; this
// program does not.
import { spawn } from "node:child_process";
import { availableParallelism } from "node:os";
import { parseArgs } from "node:util";
import { sampled } from "../lib/processes.mjs";
import { closeWith, failedUnit } from "./units.mjs";

const LIMIT = 15 * 60_000;

const { values, positionals: files } = parseArgs({
  options: { jobs: { type: "string", default: String(Math.max(1, availableParallelism() - 1)) } },
  allowPositionals: true,
});

const running = new Set();
const end = (child) => process.kill(-child.pid, "SIGKILL");
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"])
  process.on(signal, () => {
    running.forEach(end);
    process.exit(1);
  });

/** Runs one file. Returns its output, its counts, and the names of the failed tests. */
function run(file) {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, ["--test-reporter=tap", file], {
      detached: true, // the browsers and servers that it starts end with it
      stdio: ["ignore", "pipe", "pipe"],
    });
    running.add(child);
    const began = performance.now();
    const used = sampled(child.pid);
    let output = "";
    let ended = false;
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding("utf8").on("data", (text) => (output += text));
    const limit = setTimeout(() => {
      ended = true;
      end(child);
    }, LIMIT);
    child.on("close", (code) => {
      clearTimeout(limit);
      running.delete(child);
      const total = (name) => Number(new RegExp(`^# ${name} (\\d+)$`, "m").exec(output)?.[1] ?? 0);
      const count = {
        passed: total("pass"),
        failed: total("fail") + total("cancelled"),
        skipped: total("skipped") + total("todo"),
      };
      if (ended || (code !== 0 && count.failed === 0)) {
        output += `not ok - ${file} ${ended ? `did not end within ${LIMIT / 60_000} minutes` : `ended with ${code}`}\n`;
        count.failed++;
      }
      const seconds = (performance.now() - began) / 1000;
      output += `# ${file}: ${Math.round(seconds)} s, ${Math.round(used())} of processors\n`;
      const names = [...output.matchAll(/^ *not ok \d* ?- (.*)$/gm)].map((m) => m[1]);
      resolve({ output, count, names });
    });
  });
}

const count = { passed: 0, failed: 0, skipped: 0 };

const waiting = [...files];
await Promise.all(
  Array.from({ length: Number(values.jobs) }, async () => {
    for (let file = waiting.shift(); file; file = waiting.shift()) {
      const { output, count: of, names } = await run(file);
      process.stdout.write(output);
      for (const key of Object.keys(count)) count[key] += of[key];
      if (of.failed > 0) failedUnit({ unit: file, failed: of.failed, names });
    }
  }),
);
closeWith(count);

// Runs the package in the oldest Node that package.json allows, and in a new one: every fixture and
// some test files.
//
//   node tests/nodes/run.mjs
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

const top = fileURLToPath(new URL("../../", import.meta.url));
const all = { passed: 0, failed: 0, skipped: 0 };
for (const name of ["oldest", "newest"]) {
  const node = fileURLToPath(new URL(`node_modules/${name}/bin/node`, import.meta.url));
  if (!existsSync(node)) throw new Error("the pinned versions of Node are programs for Linux on x64");
  const run = (...args) => spawnSync(node, args, { cwd: top, encoding: "utf8", timeout: 300_000 });
  console.log(`== Node ${run("--version").stdout.trim()}`);
  const more = name === "oldest" ? ["--import", "./tests/nodes/idle.mjs"] : [];
  const files = ["readme", "write", "zip", "xarray", "engine", "reading"].map((file) => [
    ...more,
    "--test-reporter=tap",
    `tests/js/${file}.test.mjs`,
  ]);
  for (const args of [["tests/js/run-node.mjs"], ...files]) {
    const { status, stdout, stderr } = run(...args);
    const tap = (word) => Number(new RegExp(`^# ${word} (\\d+)$`, "m").exec(stdout)?.[1] ?? 0);
    const plain = /^(\d+) passed, (\d+) failed, (\d+) skipped$/m.exec(stdout);
    const [passed, failed, skipped] = plain ? plain.slice(1).map(Number) : ["pass", "fail", "skipped"].map(tap);
    const wrong = status === 0 && passed > 0 ? failed : Math.max(failed, 1);
    if (wrong > 0) console.log(`not ok - ${args.at(-1)}\n${stdout}${stderr}`);
    console.log(`${args.at(-1)}: ${passed} passed, ${wrong} failed`);
    all.passed += passed;
    all.failed += wrong;
    all.skipped += skipped;
  }
}
console.log(`${all.passed} passed, ${all.failed} failed, ${all.skipped} skipped`);
process.exitCode = all.failed > 0 ? 1 : 0;

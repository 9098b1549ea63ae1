// Runs the fuzz targets of the Go code natively, for SECONDS in all, several at once. It then gives
// the interesting inputs to the same targets in wasm, where the assembly runs. It prints the
// statements of the parsers and decoders that no input reaches.
//
//   node tests/fuzz/run.mjs [SECONDS [PATTERN]] [--jobs N] [--record] [--no-replay] [--no-coverage]
//
// PATTERN is a regular expression of PACKAGE.TARGET, such as store/zipstore.FuzzDirectory. --record
// adds the numbers to tests/chaos/records/fuzz.json.
import { spawn } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { cacheOf, kept, lend, targets, top } from "./corpus.mjs";
import { coverage, told } from "./coverage.mjs";
import { record } from "./record.mjs";

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    jobs: { type: "string", default: String(availableParallelism()) },
    record: { type: "boolean", default: false },
    "no-replay": { type: "boolean", default: false },
    "no-coverage": { type: "boolean", default: false },
  },
});
const total = Number(positionals[0] ?? 600);
const pattern = new RegExp(positionals[1] ?? ".");
const jobs = Number(options.jobs);
if (!(total >= 0) || !(jobs >= 1))
  throw new Error("usage: run.mjs [SECONDS [PATTERN]] [--jobs N] [--record] [--no-replay] [--no-coverage]");

const chosen = targets().filter(({ pkg, name }) => pattern.test(`${pkg}.${name}`));
if (chosen.length === 0) throw new Error(`no fuzz target matches ${pattern}`);
const packages = [...new Set(chosen.map(({ pkg }) => pkg))];
const out = join(top, "build/fuzz");
mkdirSync(out, { recursive: true });

/** Runs a program to its end and returns its output. */
function run(command, args, { cwd = top, env = process.env } = {}) {
  return new Promise((resolve) => {
    const child = spawn(command, args, { cwd, env, stdio: ["ignore", "pipe", "pipe"] });
    let text = "";
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (data) => (text += data));
    child.on("close", (code) => resolve({ ok: code === 0, text }));
    child.on("error", (error) => resolve({ ok: false, text: String(error) }));
  });
}

/** Processes a list, `atOnce` items concurrently. */
async function inTurn(list, atOnce, work) {
  const queue = list.values();
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      for (const item of queue) await work(item);
    }),
  );
}

let failed = 0;
function fail(what, text) {
  failed++;
  console.log(`FAIL ${what}\n${text.slice(-8000)}`);
}

const runs = [];
const binaryOf = (pkg) => join(out, `${pkg.replaceAll("/", "-")}.test`);

if (total > 0) {
  await inTurn(packages, jobs, async (pkg) => {
    const { ok, text } = await run("go", ["test", "-c", "-fuzz=.", "-o", binaryOf(pkg), `./${pkg}`]);
    if (!ok) fail(pkg, text);
  });
  const seconds = Math.max(1, Math.round((total * jobs) / chosen.length));
  console.log(`${chosen.length} targets, ${jobs} at once, ${seconds} s each`);
  await inTurn(chosen, jobs, async ({ pkg, name }) => {
    // One worker each: only `--jobs` controls the concurrency.
    const args = [
      `-test.fuzz=^${name}$`,
      "-test.run=^$",
      `-test.fuzztime=${seconds}s`,
      "-test.fuzzminimizetime=50x",
      "-test.parallel=1",
    ];
    const { ok, text } = await run(binaryOf(pkg), [...args, `-test.fuzzcachedir=${cacheOf(pkg)}`], {
      cwd: join(top, pkg),
    });
    const executions = Number([...text.matchAll(/execs: (\d+)/g)].at(-1)?.[1] ?? 0);
    if (!ok) fail(`${pkg} ${name}`, text);
    console.log(`${ok ? "ok  " : "FAIL"} ${pkg} ${name}: ${executions} executions, ${kept({ pkg, name })} inputs kept`);
    runs.push({
      what: `${pkg} ${name}`,
      command: `node tests/fuzz/run.mjs 60 '^${pkg}.${name}$'`,
      sums: { executions, seconds, findings: ok ? 0 : 1 },
      latest: { kept: kept({ pkg, name }) },
    });
  });
}

const takeBack = lend(chosen);
for (const signal of ["SIGINT", "SIGTERM"])
  process.on(signal, () => {
    takeBack();
    process.exit(1);
  });
try {
  const names = `^(${[...new Set(chosen.map(({ name }) => name))].join("|")})$`;
  // Packages that do not ship in the wasm need not run there.
  const shipped = packages.filter((pkg) => !/^(cmd|tests)\//.test(pkg)).map((pkg) => `./${pkg}`);
  if (!options["no-replay"] && shipped.length > 0) {
    const { GOROOT } = JSON.parse((await run("go", ["env", "-json", "GOROOT"])).text);
    // The wasm runtime supports few environment variables.
    const kept = [
      "HOME",
      "PATH",
      "TMPDIR",
      "GOPATH",
      "GOCACHE",
      "GOMODCACHE",
      "GOPROXY",
      "GOSUMDB",
      "GOFLAGS",
      "GOTOOLCHAIN",
    ];
    const env = Object.fromEntries([
      ...kept.filter((v) => process.env[v]).map((v) => [v, process.env[v]]),
      ["GOOS", "js"],
      ["GOARCH", "wasm"],
    ]);
    const { ok, text } = await run(
      "go",
      [
        "test",
        "-count=1",
        "-p",
        String(jobs),
        "-exec",
        join(GOROOT, "lib/wasm/go_js_wasm_exec"),
        `-run=${names}`,
        ...shipped,
      ],
      { env },
    );
    if (!ok) fail("replay in wasm", text);
    console.log(`${ok ? "ok  " : "FAIL"} replay in wasm: ${shipped.length} packages`);
  }
  if (!options["no-coverage"] && shipped.length > 0) {
    const profile = join(out, "cover.out");
    const list = packages.map((pkg) => `./${pkg}`);
    const all = [
      "./internal/json",
      "./internal/kernel",
      "./internal/kernel/bitio",
      "./internal/kernel/zstdk",
      "./store/...",
      "./zarr/...",
    ];
    const parsers = positionals[1] === undefined ? all : shipped;
    const { ok, text } = await run("go", [
      "test",
      "-count=1",
      "-p",
      String(jobs),
      `-run=${names}`,
      `-coverpkg=${parsers.join(",")}`,
      `-coverprofile=${profile}`,
      ...list,
    ]);
    if (!ok) fail("coverage", text);
    else {
      const reached = coverage(profile).filter(({ reached }) => reached > 0);
      writeFileSync(join(out, "coverage.txt"), `${told(reached).join("\n")}\n`);
      console.log(`\nWhat no input reaches, by package and function:\n\n${told(reached).join("\n")}`);
      for (const { pkg, percent } of reached)
        runs.push({
          what: `statements of ${pkg} reached`,
          command: "node tests/fuzz/run.mjs 0",
          latest: { percent: Number(percent.toFixed(1)) },
        });
    }
  }
} finally {
  takeBack();
}
if (options.record) record(runs);
console.log(`\n${runs.reduce((n, { sums }) => n + (sums?.executions ?? 0), 0)} executions, ${failed} failed`);
process.exitCode = failed > 0 ? 1 : 0;

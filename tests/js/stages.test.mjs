// ./build.sh test: the plan of its stages, its counts, its second attempts, and the effects of a
// change.
import assert from "node:assert/strict";
import { execFile, execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { random } from "../lib/random.mjs";
import { top } from "../lib/serve.mjs";
import { needs, stages, touched } from "../tools/stages.mjs";

const dir = mkdtempSync(join(tmpdir(), "stages-"));
after(() => rmSync(dir, { recursive: true, force: true }));
let runs = 0;

/** Runs the program with other stages, and returns its exit, its output, and its logs. */
function run(of, { needs: provided = {}, args = [], env = {} } = {}) {
  const log = join(dir, `log${runs}`);
  const file = join(dir, `stages${runs++}.mjs`);
  writeFileSync(
    file,
    `export const stages = ${JSON.stringify(of)}; export const needs = ${JSON.stringify(provided)};
     export const touched = (path) => path.endsWith(".md") ? [] : undefined;`,
  );
  return new Promise((resolve) => {
    const words = ["tests/tools/test.mjs", "--stages", file, "--log", log, ...args];
    execFile(process.execPath, words, { cwd: top, env: { ...process.env, ...env } }, (error, stdout, stderr) => {
      const lines = stdout.trim().split("\n");
      const read = (name) => readFileSync(join(log, name), "utf8");
      resolve({ code: error?.code ?? 0, out: stdout + stderr, last: lines.at(-1), lines, read });
    });
  });
}

const passing = (n) => `echo "${n} passed, 0 failed"`;
/** A command that fails once: its second run passes. */
const once = (mark, failing, good) =>
  `if [[ -e ${join(dir, mark)} ]]; then ${good}; else touch ${join(dir, mark)}; ${failing}; fi`;

test("counts of stages are added, and failed stages are named", async () => {
  const all = await run({
    a: { run: passing(3) },
    b: { run: 'echo "2 passed, 1 failed, 4 skipped"; exit 1' },
    c: { run: "true", check: true },
    d: { run: "exit 3", check: true },
    silent: { run: "true" },
    "ends-badly": { run: `${passing(5)}; exit 1` },
  });
  assert.equal(all.last, "11 passed, 4 failed, 4 skipped");
  assert.match(all.out, /^failed: b d silent ends-badly /m);
  assert.equal(all.code, 1);
  assert.equal((await run({ a: { run: passing(3) } })).code, 0);
});

test("each stage has a log, and a failed one shows what failed", async () => {
  const all = await run({ a: { run: `echo "not ok 1 - it broke"; echo "  why"; exit 1`, check: true } });
  assert.match(all.out, /not ok 1 - it broke\n +why/);
  assert.match(all.read("a.log"), /it broke/);
});

test("stages begin with the longest, in no more slots than there are, and alone where they say so", async () => {
  const trace = join(dir, "trace");
  const { int } = random(7);
  const many = Object.fromEntries(
    Array.from({ length: 14 }, (_, i) => {
      const name = `s${i}`;
      const step = (what) => `echo '${what} ${name}' >>${trace}`;
      const body = `${step("begin")}; sleep 0.0${int(1, 8)}; ${step("end")}; ${passing(1)}`;
      return [name, { run: body, seconds: i, slots: int(1, 3), alone: i % 5 === 4 }];
    }),
  );
  const all = await run(many, { args: ["--slots", "3"] });
  assert.equal(all.last, "14 passed, 0 failed");
  const under = new Set();
  const begun = [];
  for (const line of readFileSync(trace, "utf8").trim().split("\n")) {
    const [what, name] = line.split(" ");
    if (what === "end") {
      under.delete(name);
      continue;
    }
    under.add(name);
    begun.push(name);
    const busy = [...under].reduce((sum, one) => sum + (many[one].alone ? 3 : many[one].slots), 0);
    assert.ok(busy <= 3, `${[...under]} ran at once`);
  }
  assert.equal(begun[0], "s13");
  assert.equal(begun.length, 14);
});

test("a test that passes at its second attempt is flaky, and fails the run with FLAKY=fail", async () => {
  const stage = (mark) => ({
    browser: { run: once(`${mark}1`, 'echo "1 passed, 2 failed"; exit 1', passing(3)), again: true },
    files: {
      run: `echo "== failed: {\\"unit\\":\\"x.test\\",\\"failed\\":1,\\"names\\":[\\"one test\\"]}"; echo "4 passed, 1 failed"; exit 1`,
      again: `[[ $UNIT == x.test ]]; ${passing(2)}`,
    },
  });
  const lenient = await run(stage("lenient"));
  assert.equal(lenient.last, "8 passed, 0 failed, 3 flaky");
  assert.equal(lenient.code, 0);
  assert.equal(lenient.read("flaky.txt"), "browser\nfiles: x.test; one test\n");
  assert.match(lenient.out, /^flaky, passed at the second attempt: files: x\.test; one test$/m);
  const strict = await run(stage("strict"), { env: { FLAKY: "fail" } });
  assert.equal(strict.last, "8 passed, 0 failed, 3 flaky");
  assert.equal(strict.code, 1);
});

test("a test that fails twice has failed, and some tests have no second attempt", async () => {
  const twice = await run({
    a: { run: 'echo "1 passed, 1 failed"; exit 1', again: true },
    race: {
      run: 'echo "== failed: {\\"unit\\":\\"p\\",\\"failed\\":1,\\"names\\":[],\\"once\\":true}"; echo "0 passed, 1 failed"; exit 1',
      again: passing(1),
    },
    plain: { run: once("plain", "exit 1", passing(1)) },
  });
  assert.equal(twice.last, "1 passed, 3 failed");
  assert.equal(twice.code, 1);
  assert.equal(twice.read("flaky.txt"), "");
});

test("a missing need fails only the stages that have it", async () => {
  const all = await run(
    { a: { run: passing(1), needs: ["good"] }, b: { run: passing(1), needs: ["bad"], again: true } },
    { needs: { good: "true", bad: "echo nothing there; exit 1", unused: `touch ${join(dir, "unused")}` } },
  );
  assert.equal(all.last, "1 passed, 1 failed");
  assert.match(all.out, /bad FAILED/);
  assert.ok(!existsSync(join(dir, "unused")));
});

test("stages that need nothing run while the needs of others are provided", async () => {
  const flag = join(dir, "flag");
  const { last } = await run(
    { a: { run: `touch ${flag}; ${passing(1)}` }, b: { run: passing(1), needs: ["late"] } },
    { needs: { late: `until [[ -e ${flag} ]]; do sleep 0.01; done` }, args: ["--slots", "2"] },
  );
  assert.equal(last, "2 passed, 0 failed");
});

test("an unknown stage, and no stage, run nothing", async () => {
  const unknown = await run({ a: { run: passing(1) } }, { args: ["nonsense"] });
  assert.equal(unknown.code, 2);
  assert.match(unknown.out, /no test stage nonsense; there are: a/);
  const asked = await run(
    { a: { run: passing(1), seconds: 7 }, b: { run: passing(1), asked: true } },
    { args: ["--list"] },
  );
  assert.deepEqual(
    asked.lines.map((line) => line.split(/ +/)),
    [["a", "7", "s"]],
  );
});

// ---- the stages themselves ----------------------------------------------------------

/** Tests that other programs and files run. */
const elsewhere = new Set(["journey.mjs", "viewerpage.mjs"]);

const usual = Object.keys(stages).filter((name) => !stages[name].asked);

test("the files that a command names exist, and each test of a browser is in a stage", () => {
  const words = Object.values(stages).flatMap(({ run: command }) => command.split(/[\s'"]+/));
  for (const word of words.filter((one) => /^(tests|web)\/[^*!]*\.mjs$/.test(one)))
    assert.ok(existsSync(top + word), `${word} does not exist`);
  const named = new Set(words);
  for (const file of readdirSync(`${top}tests/browser`).filter((name) => name.endsWith(".mjs"))) {
    if (!/\btest\b.*} from "node:test"/.test(readFileSync(`${top}tests/browser/${file}`, "utf8"))) continue;
    assert.ok(named.has(`tests/browser/${file}`) || elsewhere.has(file), `${file} is in no stage`);
  }
  for (const { needs: of = [] } of Object.values(stages)) for (const need of of) assert.ok(needs[need], need);
});

test("every file of the repository touches a stage, and each stage is touched by fewer files than all", () => {
  const paths = execFileSync("git", ["ls-files"], { cwd: top, encoding: "utf8" }).trim().split("\n");
  const touching = new Map(usual.map((name) => [name, 0]));
  for (const path of paths) {
    const names = touched(path);
    assert.ok(names.length > 0, path);
    for (const name of names) {
      assert.ok(stages[name], `${path} touches ${name}, which does not exist`);
      if (touching.has(name)) touching.set(name, touching.get(name) + 1);
    }
  }
  for (const [name, count] of touching) assert.ok(count > 0 && count < paths.length, name);
});

for (const [path, has, hasNot] of [
  ["docs/reference/http.md", ["documents"], ["go", "js", "view"]],
  ["docs/guides/cookbook.md", ["documents", "cookbook"], ["go", "view"]],
  ["zarr/read.go", usual, []],
  ["zarr/read_test.go", ["go", "go_wasm", "vet"], ["view", "engine", "demo"]],
  ["js/view/index.ts", ["view", "tsc", "demo"], ["go", "damage"]],
  ["js/engine/connection.ts", ["js", "engine", "damage"], ["go", "vet"]],
  ["tests/browser/view/paint.test.mjs", ["view", "biome"], ["engine", "go", "demo"]],
  ["tests/browser/faults.mjs", ["faults"], ["engine", "view"]],
  ["tests/lib/viewpage.mjs", ["view"], ["go"]],
  ["tests/js/readme.test.mjs", ["documents"], ["js", "go"]],
  ["package.json", usual, []],
]) {
  test(`a change of ${path} touches ${has.length === usual.length ? "every stage" : has.join(", ")}`, () => {
    const names = touched(path);
    for (const name of has) assert.ok(names.includes(name), `not ${name}`);
    for (const name of hasNot) assert.ok(!names.includes(name), name);
  });
}

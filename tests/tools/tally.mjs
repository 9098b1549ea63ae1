// Counts tests: reads the output of `go test -json`, prints what failed, and closes with one plain line. (What Node tests,
// tests/tools/files.mjs runs and counts.)
import { createInterface } from "node:readline";

const count = { passed: 0, failed: 0, skipped: 0 };

// A test that has subtests is not counted itself.
const tests = new Map(); // "package test" -> {result, output, parent}
const packages = new Map(); // package -> {failures, output, failed}

function go(e) {
  if (e.Action === "build-output") {
    process.stdout.write(e.Output);
    return;
  }
  const of = e.Package ?? e.ImportPath ?? "";
  if (!packages.has(of)) packages.set(of, { tests: 0, failures: 0, output: [] });
  const pkg = packages.get(of);
  if (!e.Test) {
    if (e.Action === "output") pkg.output.push(e.Output);
    if (e.Action === "fail" || e.Action === "pass" || e.Action === "skip") {
      const seconds = e.Elapsed ?? 0;
      console.log(`${e.Action === "fail" ? "FAIL" : "ok  "} ${of} ${pkg.tests} tests ${seconds.toFixed(1)} s`);
      if (e.Action === "fail" && pkg.failures === 0) {
        count.failed++; // it did not build, or ended before its tests did
        process.stdout.write(pkg.output.join(""));
      }
      packages.delete(of);
    }
    return;
  }
  const key = `${of} ${e.Test}`;
  const slash = e.Test.lastIndexOf("/");
  if (e.Action === "run") {
    tests.set(key, { output: [], parent: false });
    if (slash > 0) {
      const up = tests.get(`${of} ${e.Test.slice(0, slash)}`);
      if (up) up.parent = true;
    }
    return;
  }
  const test = tests.get(key);
  if (!test) return;
  if (e.Action === "output") {
    if (!/^\s*(=== |--- )/.test(e.Output)) test.output.push(e.Output);
  } else if (e.Action === "pass" || e.Action === "fail" || e.Action === "skip") {
    tests.delete(key);
    if (e.Action === "fail") pkg.failures++;
    // A parent may also fail by itself.
    if (test.parent && !(e.Action === "fail" && test.output.length > 0)) return;
    pkg.tests++;
    count[{ pass: "passed", fail: "failed", skip: "skipped" }[e.Action]]++;
    if (e.Action === "fail") console.log(`--- FAIL: ${key}\n${test.output.join("")}`.trimEnd());
  }
}

let sawGo = false;

for await (const line of createInterface({ input: process.stdin })) {
  if (line.startsWith('{"')) {
    let event;
    try {
      event = JSON.parse(line);
    } catch {}
    if (event?.Action) {
      sawGo = true;
      go(event);
      continue;
    }
  }
  console.log(line);
}

// What never ended was killed, or took the whole test program with it.
for (const [key, test] of tests) {
  if (test.parent) continue;
  count.failed++;
  console.log(`--- FAIL: ${key} did not end\n${test.output.join("")}`.trimEnd());
}
if (!sawGo) {
  console.log("no test ran");
  count.failed++;
}
const skipped = count.skipped > 0 ? `, ${count.skipped} skipped` : "";
console.log(`${count.passed} passed, ${count.failed} failed${skipped}`);
process.exitCode = count.failed > 0 ? 1 : 0;

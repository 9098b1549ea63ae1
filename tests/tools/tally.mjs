// Counts Go tests: reads the output of `go test -json`, prints the failures, and ends with a line
// of counts. tests/tools/files.mjs does this for Node's tests.
//
//   go test -json ./... | node tests/tools/tally.mjs
//
// A package with a failed test is reported as a unit that may have a second attempt
// (tests/tools/test.mjs makes it). A data race in the tested code has none, since seeing it once
// proves it. A race between lines of tests may have one.
import { createInterface } from "node:readline";
import { closeWith, failedUnit } from "./units.mjs";

/** Reads events. Returns each package's number of tests, and the output of those that failed. */
async function tallied(lines) {
  // A test with subtests is not counted itself.
  const tests = new Map(); // "package test" -> {output, parent}
  const packages = new Map(); // package -> {passed, failed, skipped, output, names}
  const packageOf = (name) => {
    if (!packages.has(name))
      packages.set(name, { passed: 0, failed: 0, skipped: 0, output: [], names: [], raced: false });
    return packages.get(name);
  };
  const fail = (pkg, name, text) => {
    pkg.failed++;
    pkg.names.push(name);
    console.log(text.trimEnd());
  };

  function take(e) {
    if (e.Action === "build-output") {
      process.stdout.write(e.Output);
      return;
    }
    const of = e.Package ?? e.ImportPath ?? "";
    const pkg = packageOf(of);
    if (e.Action === "output") pkg.output.push(e.Output);
    if (!e.Test) {
      if (e.Action !== "fail" && e.Action !== "pass" && e.Action !== "skip") return;
      const all = pkg.passed + pkg.failed + pkg.skipped;
      console.log(`${e.Action === "fail" ? "FAIL" : "ok  "} ${of} ${all} tests ${(e.Elapsed ?? 0).toFixed(1)} s`);
      // The build failed, or the program ended before its tests.
      if (e.Action === "fail" && pkg.failed === 0) fail(pkg, of, pkg.output.join(""));
      pkg.raced = racedIn(pkg.output.join(""));
      pkg.output = [];
      return;
    }
    const key = `${of} ${e.Test}`;
    const slash = e.Test.lastIndexOf("/");
    if (e.Action === "run") {
      tests.set(key, { of, output: [], parent: false });
      const up = slash > 0 && tests.get(`${of} ${e.Test.slice(0, slash)}`);
      if (up) up.parent = true;
      return;
    }
    const test = tests.get(key);
    if (!test) return;
    if (e.Action === "output") {
      if (!/^\s*(=== |--- )/.test(e.Output)) test.output.push(e.Output);
    } else if (e.Action === "pass" || e.Action === "fail" || e.Action === "skip") {
      tests.delete(key);
      // A parent may also fail by itself.
      if (test.parent && !(e.Action === "fail" && test.output.length > 0)) return;
      if (e.Action === "fail") fail(pkg, e.Test, `--- FAIL: ${key}\n${test.output.join("")}`);
      else pkg[e.Action === "pass" ? "passed" : "skipped"]++;
    }
  }

  for await (const line of lines) {
    let event;
    if (line.startsWith('{"')) {
      try {
        event = JSON.parse(line);
      } catch {}
    }
    if (event?.Action) take(event);
    else console.log(line);
  }
  // A test that never ended was killed, or ended the whole test program.
  for (const [key, { of, output, parent }] of tests)
    if (!parent) fail(packageOf(of), key, `--- FAIL: ${key} did not end\n${output.join("")}`);
  return packages;
}

/** Whether both accesses in a race report come from the tested code. */
function racedIn(output) {
  return output
    .split("WARNING: DATA RACE")
    .slice(1)
    .some((report) => {
      const accesses = report.split(/^ *Goroutine /m)[0].split(/previous (?:read|write) at /i);
      return accesses.every((stack) => {
        const ours = [...stack.matchAll(/^\s+(\S+\.go):\d+/gm)]
          .map((m) => m[1])
          .find((file) => !/\/go\/(?:src|pkg\/mod)\//.test(file));
        return ours !== undefined && !/_test\.go$|\/tests\//.test(ours);
      });
    });
}

const packages = await tallied(createInterface({ input: process.stdin }));
const count = { passed: 0, failed: 0, skipped: 0 };
for (const [unit, pkg] of packages) {
  for (const key of Object.keys(count)) count[key] += pkg[key];
  if (pkg.failed > 0) failedUnit({ unit, failed: pkg.failed, names: pkg.names, once: pkg.raced });
}
closeWith(count);

// The fuzz targets of the Go code, and the inputs in Go's cache for each.
import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, rmSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";

export const top = fileURLToPath(new URL("../../", import.meta.url));
export const module = /^module (\S+)/m.exec(readFileSync(join(top, "go.mod"), "utf8"))[1];
const cache = join(execFileSync("go", ["env", "GOCACHE"], { encoding: "utf8" }).trim(), "fuzz", module);

/** Go's packages that may have fuzz targets. */
const roots = ["cmd", "internal", "store", "tests", "wasm", "zarr"];

/** All fuzz targets, as the folder of their package and their name. */
export function targets() {
  const found = [];
  for (const root of roots) {
    for (const entry of readdirSync(join(top, root), { recursive: true, withFileTypes: true })) {
      if (!entry.name.endsWith("_test.go") || entry.parentPath.includes("node_modules")) continue;
      const file = join(entry.parentPath, entry.name);
      for (const [, name] of readFileSync(file, "utf8").matchAll(/^func (Fuzz\w+)\(/gm))
        found.push({ pkg: relative(top, dirname(file)), name });
    }
  }
  return found.sort((a, b) => (`${a.pkg}.${a.name}` < `${b.pkg}.${b.name}` ? -1 : 1));
}

/** The folder of Go's cached inputs of a package's targets. */
export const cacheOf = (pkg) => join(cache, pkg);

/** The number of cached inputs of a target. */
export function kept({ pkg, name }) {
  const dir = join(cacheOf(pkg), name);
  return existsSync(dir) ? readdirSync(dir).length : 0;
}

const prefix = "cached-"; // .gitignore has it

/**
 * Lends cached inputs to the tests: `go test` only runs inputs in testdata. Returns a function that
 * removes them again.
 */
export function lend(list) {
  const all = list.map((target) => ({
    from: join(cacheOf(target.pkg), target.name),
    to: join(top, target.pkg, "testdata/fuzz", target.name),
  }));
  const takeBack = () => {
    for (const { to } of all) {
      if (!existsSync(to)) continue;
      for (const name of readdirSync(to)) if (name.startsWith(prefix)) rmSync(join(to, name));
      for (let dir = to, i = 0; i < 3 && readdirSync(dir).length === 0; dir = dirname(dir), i++) rmdirSync(dir);
    }
  };
  takeBack(); // removes the leftovers of an aborted run
  for (const { from, to } of all) {
    if (!existsSync(from)) continue;
    mkdirSync(to, { recursive: true });
    for (const name of readdirSync(from)) cpSync(join(from, name), join(to, prefix + name));
  }
  return takeBack;
}

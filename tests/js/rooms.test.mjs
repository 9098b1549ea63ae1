// The floors of js/: imports point down, and there is no circle at run time.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { test } from "node:test";
import { top } from "../lib/serve.mjs";

const js = join(top, "js");

/** The modules that all rooms may import. */
const base = ["errors", "shared"];

/**
 * The rooms that each room may import at run time, including itself. Files at the root are entries
 * and form their own rooms.
 */
const rooms = {
  errors: [],
  shared: ["errors", "shared"],
  platform: [...base, "platform"],
  data: [...base, "data"],
  codecs: [...base, "data", "codecs"],
  stores: [...base, "platform", "data", "engine", "stores"],
  engine: [...base, "platform", "codecs", "engine"],
  worker: [...base, "platform", "data", "worker"],
  extensions: [...base, "data", "stores", "engine", "extensions"],
  api: [...base, "platform", "data", "stores", "engine", "extensions", "api"],
  // Loaded with the first call that changes a store; what it has of the main file, that file shares
  // with it.
  write: [...base, "data", "stores", "engine", "api", "write"],
  // Conventions stand on nodes as a page has them, and import only the types of those.
  cf: [...base, "platform", "data", "cf"],
  nczarr: [...base, "data", "nczarr"],
  xarray: [...base, "platform", "data", "cf", "nczarr", "xarray"],
  ome: [...base, "ome"],
  geo: [...base, "geo"],
  anndata: [...base, "platform", "data", "anndata"],
  model: [...base, "data", "model"],
  print: [...base, "data", "print"],
  // Imports only types of stores.
  zip: [...base, "data", "zip"],
  // Stands on the conventions, which it loads when a node follows them.
  describe: [...base, "data", "describe"],
  // Stands on the package as its users see it.
  view: [...base, "platform", "data", "index", "describe", "view"],
};

/**
 * Entries: what is bundled, or loaded later. They may import all rooms, and no room imports them by
 * name.
 */
const entries = ["index", "inline", "lazy", "node", "shared"];

/** The modules behind names that begin with "#". A dynamic import does not count. */
const aliases = {
  "#platform": ["platform/browser", "platform/node", "platform/inline"],
  "#startgo": ["platform/startgo-browser", "worker/goinstance"],
  "#port": ["platform/port-browser", "platform/port-node"],
  "#storeat": ["stores/storeat", "stores/storeat-node"],
  "#write-url": ["platform/writeurl-browser", "platform/writeurl-node", "platform/writeurl-inline"],
  "#disk": ["stores/disk", "stores/disk-node"],
};

const sources = readdirSync(js, { recursive: true })
  .map(String)
  .filter((name) => name.endsWith(".ts") && !name.startsWith("test") && !name.endsWith(".d.ts"));

/** The modules that a file imports at run time, as paths below js/ without their endings. */
function importsOf(name, aliased) {
  const text = readFileSync(join(js, name), "utf8").replace(/^\s*(?:\/\*[\s\S]*?\*\/|\/\/.*)/gm, "");
  const found = [];
  for (const [, clause, spec] of text.matchAll(/^(?:import|export)\s+([^"';]*?\bfrom\s+)?"([^"]+)"/gm)) {
    if (/^type\b/.test(clause ?? "")) continue;
    const names = clause?.match(/\{([^}]*)\}/)?.[1];
    const bare = clause && !/^[\w*]/.test(clause.trim());
    if (bare && names?.split(",").every((one) => !one.trim() || /^\s*type\s/.test(one))) continue;
    if (spec.startsWith(".")) found.push(join(dirname(name), spec).replace(/\.js$/, ""));
    else if (aliased && aliases[spec]) found.push(...aliases[spec]);
  }
  return found;
}

const graph = (aliased) => new Map(sources.map((name) => [name.replace(/\.ts$/, ""), importsOf(name, aliased)]));
const roomOf = (module) => (module.includes("/") ? module.split("/")[0] : module);

test("imports point down", () => {
  const modules = graph(false);
  assert.ok(modules.size > 40, `only ${modules.size} modules were looked at`);
  const wrong = [];
  for (const [from, imports] of modules) {
    if (entries.includes(from)) continue;
    const may = rooms[roomOf(from)];
    if (!may) wrong.push(`${from} is in no room: give it one in ${relative(top, import.meta.filename)}`);
    else for (const to of imports) if (!may.includes(roomOf(to))) wrong.push(`${from} imports ${to}`);
  }
  assert.deepEqual(wrong, []);
});

test("there is no circle at run time", () => {
  const done = new Set();
  const circles = [];
  const modules = graph(true);
  const visit = (module, path) => {
    if (path.includes(module)) circles.push([...path.slice(path.indexOf(module)), module].join(" -> "));
    else if (!done.has(module)) {
      for (const next of modules.get(module) ?? []) visit(next, [...path, module]);
      done.add(module);
    }
  };
  for (const module of modules.keys()) visit(module, []);
  assert.deepEqual(circles, []);
});

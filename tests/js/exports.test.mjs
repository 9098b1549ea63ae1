// Each entry exports at run time exactly what its types declare.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { API, SymbolFlags } from "typescript/unstable/sync";
import { top } from "../lib/serve.mjs";

const { exports } = JSON.parse(readFileSync(`${top}package.json`, "utf8"));

/** The scripts of each entry, with their types. */
const entries = Object.entries(exports).flatMap(([entry, target]) => {
  if (typeof target === "string") return [];
  const { types, ...scripts } = target;
  return Object.entries(scripts).map(([condition, script]) => [
    `${entry} (${condition})`,
    script,
    typeof types === "string" ? types : types[condition],
  ]);
});

/** The names of the values that declarations export. */
function valuesOf(files) {
  const api = new API({ cwd: top });
  try {
    // The first resolves like Node, the second like bundlers for pages.
    const projects = ["tests/types", "tests/types/zarrita"].map((dir) => {
      const snapshot = api.updateSnapshot({ openProject: `${top}${dir}/tsconfig.json` });
      return snapshot.getProjects().find(({ configFileName }) => configFileName.endsWith(`${dir}/tsconfig.json`));
    });
    return files.map((file) => {
      const name = top + file.replace("./", "");
      const { checker, program } = projects.find(({ program }) => program.getSourceFile(name)) ?? {};
      assert.ok(program, `${file} is in no project`);
      const module = checker.getSymbolAtLocation(program.getSourceFile(name));
      const symbols = checker.getExportsOfModule(module);
      // A class that is exported only as a type, at any step from its declaration, is not a value.
      const isValue = (symbol) => {
        if (!(symbol.flags & SymbolFlags.Alias)) return (symbol.flags & SymbolFlags.Value) !== 0;
        const named = symbol.declarations[0].resolve();
        if (named.isTypeOnly || named.parent.parent.isTypeOnly) return false;
        const next = checker.getImmediateAliasedSymbol(symbol);
        return next !== undefined && isValue(next);
      };
      return symbols.filter(isValue).map(({ name }) => name);
    });
  } finally {
    api.close();
  }
}

/** The exports of a script. Names with an underscore are for other files of the package. */
const exported = async (script) =>
  Object.keys(await import(top + script.replace("./", ""))).filter((name) => !name.startsWith("_"));

test("each entry exports exactly the values of its types", async () => {
  // The worker's script is imported for its effect, in a worker.
  const modules = entries.filter(([title]) => !title.startsWith("./worker "));
  assert.ok(modules.length > 13, `${modules.length} scripts`);
  const typed = valuesOf(modules.map(([, , types]) => types));
  for (const [i, [title, script]] of modules.entries()) {
    const running = await exported(script);
    assert.ok(running.length > 0, title);
    assert.deepEqual(running.sort(), typed[i].sort(), title);
  }
});

test("entries for pages and for Node export the same names", async () => {
  const own = { ".": ["FileStore"] };
  for (const [entry, { node, default: page }] of Object.entries(exports)) {
    if (!node) continue;
    const [inNode, onPages] = await Promise.all([node, page].map(async (script) => (await exported(script)).sort()));
    assert.deepEqual(inNode, [...onPages, ...(own[entry] ?? [])].sort(), entry);
  }
});

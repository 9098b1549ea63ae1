// Editors show comments, and the API pages consist of them. Every export and every member of it has
// a comment in the published types.
import assert from "node:assert/strict";
import { test } from "node:test";
import { API, SymbolFlags } from "typescript/unstable/sync";
import { top } from "../lib/serve.mjs";
import { subpaths } from "./snippets.mjs";

const members = SymbolFlags.Property | SymbolFlags.Method | SymbolFlags.Accessor;

test("everything that is exported has a comment, and so have its members", () => {
  const api = new API({ cwd: top });
  try {
    const [{ checker, program }] = api.updateSnapshot({ openProject: `${top}tests/types/tsconfig.json` }).getProjects();
    const commented = (symbol) => symbol.getDocumentationComment(checker).trim() !== "";
    const missing = [];
    const look = (name, symbol, type) => {
      if (commented(symbol)) return;
      // An overriding member inherits the comment of its base.
      const bases = type.isClassOrInterface() ? checker.getBaseTypes(type) : [];
      const inherited = bases.map((base) => checker.getPropertyOfType(base, symbol.name)).filter(Boolean);
      if (!inherited.some(commented)) missing.push(name);
    };
    const exportsOf = (file) =>
      checker.getExportsOfModule(checker.getSymbolAtLocation(program.getSourceFile(`${top}dist/${file}.d.ts`)));
    const main = exportsOf("node");
    assert.ok(main.length > 80, `${main.length} exports`);
    const exported = [...main, ...subpaths.flatMap((name) => exportsOf(name))];
    for (const symbol of exported) {
      const own = symbol.flags & SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
      const type = checker.getDeclaredTypeOfSymbol(own);
      look(symbol.name, own, type);
      // The names of typed arrays explain themselves.
      if (symbol.name === "Float16ArrayLike") continue;
      for (const member of own.getMembers().values()) {
        const open = member.flags & members && !member.name.includes("#");
        if (open) look(`${symbol.name}.${member.name}`, member, type);
      }
    }
    assert.deepEqual(missing, []);
  } finally {
    api.close();
  }
});

// The structure of js/ and web/: no import circle, types included; no function too large to read;
// no export without a use.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { after, test } from "node:test";
import { SyntaxKind } from "typescript/unstable/ast";
import { API } from "typescript/unstable/sync";
import { top } from "../lib/serve.mjs";

const api = new API({ cwd: top });
after(() => api.close());

const isTest = (path) => /^js\/test\/|\.test\.ts$/.test(path);

/** The source files of a project by their paths in the repository. */
function sourcesOf(config, folder) {
  const { program } = api
    .updateSnapshot({ openProject: join(top, config) })
    .getProjects()
    .find(({ configFileName }) => configFileName.endsWith(config));
  const paths = readdirSync(join(top, folder), { recursive: true })
    .map((name) => join(folder, String(name)))
    .filter((path) => path.endsWith(".ts") && !path.endsWith(".d.ts"));
  return new Map(paths.map((path) => [path, program.getSourceFile(join(top, path))]));
}

const js = sourcesOf("tsconfig.json", "js");
const demo = sourcesOf("web/demo/tsconfig.json", "web/demo");
const all = new Map([...js, ...demo]);
const sources = new Map([...all].filter(([path]) => !isTest(path)));

test("all sources are parsed", () => {
  assert.ok(js.size > 350 && demo.size > 20, `${js.size} and ${demo.size} files`);
  for (const [path, file] of sources) assert.ok(file, path);
});

/** Calls a function with a node and all nodes below it. */
function visit(node, see) {
  see(node);
  node.forEachChild((child) => visit(child, see));
}

/**
 * The files of js/ that a file imports, types included. A dynamic import is no edge: it runs later.
 * Neither is `typeof import()`, the type of such a part.
 */
function importsOf(path, file) {
  const found = new Set();
  for (const statement of file.statements) {
    const specifier = statement.moduleSpecifier?.text;
    if (specifier?.startsWith(".")) found.add(relative(top, join(top, path, "..", specifier)).replace(/\.js$/, ".ts"));
  }
  return found;
}

/** The circles of a graph: its strongly connected components of several nodes (Tarjan). */
function circlesOf(graph) {
  const [index, low, stack, circles] = [new Map(), new Map(), [], []];
  const connect = (node) => {
    index.set(node, index.size);
    low.set(node, index.get(node));
    stack.push(node);
    for (const next of graph.get(node) ?? []) {
      if (!index.has(next)) connect(next);
      if (stack.includes(next)) low.set(node, Math.min(low.get(node), low.get(next)));
    }
    if (low.get(node) !== index.get(node)) return;
    const component = stack.splice(stack.indexOf(node));
    if (component.length > 1) circles.push(component.sort());
  };
  for (const node of graph.keys()) if (!index.has(node)) connect(node);
  return circles;
}

test("no import circle, types included", () => {
  const graph = new Map([...sources].map(([path, file]) => [path, importsOf(path, file)]));
  const edges = [...graph.values()].reduce((sum, { size }) => sum + size, 0);
  assert.ok(edges > 1200, `${edges} imports`);
  assert.deepEqual(circlesOf(graph), []);
  // The search finds a circle completely, without the nodes that lead to it or from it.
  const example = { a: ["b"], b: ["c"], c: ["d", "e"], d: ["b"], e: [] };
  assert.deepEqual(circlesOf(new Map(Object.entries(example))), [["b", "c", "d"]]);
});

const maxLines = 120;
const maxBranches = 30;

/** Functions that are tables, with the reason. */
const tables = {
  "web/demo/hostconfig.ts: configurations": "the configuration of each web server, as a text",
};

const functions = new Set([
  SyntaxKind.FunctionDeclaration,
  SyntaxKind.FunctionExpression,
  SyntaxKind.ArrowFunction,
  SyntaxKind.MethodDeclaration,
  SyntaxKind.Constructor,
  SyntaxKind.GetAccessor,
  SyntaxKind.SetAccessor,
]);
const branching = new Set([
  SyntaxKind.IfStatement,
  SyntaxKind.ConditionalExpression,
  SyntaxKind.CaseClause,
  SyntaxKind.ForStatement,
  SyntaxKind.ForInStatement,
  SyntaxKind.ForOfStatement,
  SyntaxKind.WhileStatement,
  SyntaxKind.DoStatement,
  SyntaxKind.CatchClause,
]);
const logical = new Set([
  SyntaxKind.AmpersandAmpersandToken,
  SyntaxKind.BarBarToken,
  SyntaxKind.QuestionQuestionToken,
  SyntaxKind.AmpersandAmpersandEqualsToken,
  SyntaxKind.BarBarEqualsToken,
  SyntaxKind.QuestionQuestionEqualsToken,
]);

/** The branches of a function's own code, without those of nested functions. */
function branchesOf(node) {
  let count = 0;
  const see = (child) => {
    if (functions.has(child.kind)) return;
    if (branching.has(child.kind) || (child.operatorToken && logical.has(child.operatorToken.kind))) count++;
    child.forEachChild(see);
  };
  node.forEachChild(see);
  return count;
}

test(`no function has over ${maxLines} lines or ${maxBranches} branches`, () => {
  const large = [];
  let seen = 0;
  for (const [path, file] of sources) {
    visit(file, (node) => {
      if (!functions.has(node.kind) || !node.body) return;
      seen++;
      const name = `${path}: ${node.name?.text ?? node.parent.name?.text ?? "anonymous"}`;
      const lines = node.getText().split("\n").length;
      const branches = branchesOf(node);
      if ((lines > maxLines || branches > maxBranches) && !(name in tables))
        large.push(`${name} has ${lines} lines and ${branches} branches`);
    });
  }
  assert.ok(seen > 4000, `${seen} functions`);
  assert.deepEqual(large, []);
});

/** The file of js/ or web/demo that a module specifier names. */
const target = (path, specifier) => relative(top, join(top, path, "..", specifier)).replace(/\.js$/, ".ts");

/** The names imported from each module, or "*" for all. A dynamic import imports all. */
function importedNames() {
  const names = new Map([...all.keys()].map((path) => [path, new Set()]));
  for (const [path, file] of all) {
    for (const { moduleSpecifier, importClause, exportClause } of file.statements) {
      const found = moduleSpecifier?.text.startsWith(".") && names.get(target(path, moduleSpecifier.text));
      if (!found) continue;
      const { elements } = exportClause ?? importClause?.namedBindings ?? {};
      if (!elements) found.add("*");
      for (const { name, propertyName } of elements ?? []) found.add((propertyName ?? name).text);
    }
    for (const [, specifier] of file.text.matchAll(/\bimport\("(\.[^"]+)"\)/g))
      names.get(target(path, specifier))?.add("*");
  }
  return names;
}

/** The names that a file declares and exports. */
function exportedNames({ statements }) {
  const exported = statements.filter(({ modifiers }) =>
    modifiers?.some(({ kind }) => kind === SyntaxKind.ExportKeyword),
  );
  const declarations = exported.flatMap((statement) => [...(statement.declarationList?.declarations ?? [statement])]);
  return new Set(declarations.flatMap(({ name }) => name?.text ?? []));
}

/**
 * Modules whose exports are not imported by name. They are those behind a name that begins with
 * "#", the messages and the view's entry for Node. The test protocol.test.mjs compares the messages
 * with Go's.
 */
const indirect =
  /^js\/(platform\/(browser|node|inline|startgo|writeurl|port)|stores\/(storeat|disk)|lazy-|engine\/protocol\/|view\/node)/;

/** The tests that bundle modules of js/ themselves, and so import what they name. */
const bundling = readdirSync(join(top, "tests"), { recursive: true })
  .map((name) => join(top, "tests", String(name)))
  .filter((path) => /\/(js|browser)\/[\w./-]+\.mjs$/.test(path) && !path.includes("node_modules"))
  .map((path) => readFileSync(path, "utf8"))
  .filter((text) => /bundled\(|resolveDir|load\("js\//.test(text));

test("each export of js/ and web/demo is imported", () => {
  const imported = importedNames();
  const unused = [];
  let seen = 0;
  for (const [path, file] of sources) {
    const names = imported.get(path);
    if (names.has("*") || indirect.test(path)) continue;
    const inTests = bundling.filter((text) => text.includes(`/${path.split("/").at(-1).replace(/\.ts$/, "")}`));
    const folder = bundling.filter((text) => text.includes(path.slice(0, path.lastIndexOf("/"))));
    for (const name of exportedNames(file)) {
      seen++;
      const used = names.has(name) || [...inTests, ...folder].some((text) => new RegExp(`\\b${name}\\b`).test(text));
      if (!used) unused.push(`${path}: ${name}`);
    }
  }
  assert.ok(seen > 700, `${seen} exports`);
  assert.deepEqual(unused, []);
});

// The structure of js/ and web/: no import circle, types included; no function too large to read;
// no export without a use.
import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { join, relative } from "node:path";
import { after, test } from "node:test";
import { SyntaxKind } from "typescript/unstable/ast";
import { API } from "typescript/unstable/sync";
import { top } from "./serve.mjs";

const api = new API({ cwd: top });
after(() => api.close());

const tested = (path) => /^js\/test\/|\.test\.ts$|\.d\.ts$/.test(path);

/** The source files of a project by their paths in the repository, tests left out. */
function sourcesOf(config, folder) {
  const { program } = api
    .updateSnapshot({ openProject: join(top, config) })
    .getProjects()
    .find(({ configFileName }) => configFileName.endsWith(config));
  const paths = readdirSync(join(top, folder), { recursive: true })
    .map((name) => join(folder, String(name)))
    .filter((path) => path.endsWith(".ts") && !tested(path));
  return new Map(paths.map((path) => [path, program.getSourceFile(join(top, path))]));
}

const js = sourcesOf("tsconfig.json", "js");
const demo = sourcesOf("web/demo/tsconfig.json", "web/demo");
const sources = new Map([...js, ...demo]);

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

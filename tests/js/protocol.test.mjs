// JavaScript uses every member of the messages between the page, the worker and Go. Their types are
// generated from Go's declarations, whose tests are in wasm/internal/wire/gen.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { SyntaxKind } from "typescript/unstable/ast";
import { API } from "typescript/unstable/sync";
import { top } from "../lib/serve.mjs";

const api = new API({ cwd: top });
after(() => api.close());
const [{ checker, program }] = api.updateSnapshot({ openProject: `${top}tsconfig.json` }).getProjects();
const wire = program.getSourceFile(join(top, "js/engine/protocol/wire.ts"));

/** Types that the package passes on whole, and their senders or receivers. */
const passedOn = {
  RequestEvent: "users",
  RequestStats: "users",
  CacheReport: "users",
  CacheUse: "users",
  CacheBudgets: "from users",
  CodecDescription: "users",
  TypeDescription: "users",
  WireArray: "users, for its keyEncoding",
  Limits: "from users",
  AnswerValues: "the types of answers",
  WireFetch: "fetch, as its init",
  WireReadOptions: "by the table of read options",
  WirePipeline: "from Go to another instance",
  WireRegion: "from Go to another instance",
  OpCrash: "from tests",
  CopyReport: "users",
};

/** Types with members that are named in one place without a type that leads to them. */
const named = {
  AboutNode: "js/engine/connection.ts",
  OpAbout: "js/stores/enginestore.ts",
  OpAppend: "js/write/set.ts",
  OpAttributes: "js/write/change.ts",
  NodeSpec: "js/write/spec.ts",
  StorageSpec: "js/write/spec.ts",
  NodeCopyOptions: "js/write/change.ts",
  ObjectCopyOptions: "js/write/change.ts",
  StoreDescription: "js/stores/composedstore.ts",
  WireError: "js/errors.ts",
  WireHttpOptions: "js/stores/fetchstore.ts",
  WireStoreQuestion: "js/engine/hoststore.ts",
  WirePoolNews: "js/worker/helperpool.ts",
  WirePoolState: "js/worker/helperpool.ts",
  WireJobEnd: "js/worker/helperpool.ts",
  WireHelperChunk: "js/worker/helperpool.ts",
};

/** The members of a declaration, of all alternatives, without those of objects in members. */
function membersOf(declaration) {
  const found = [];
  const visit = (node) => {
    if (node.kind === SyntaxKind.PropertySignature) found.push(node.name);
    else node.forEachChild(visit);
  };
  declaration.forEachChild(visit);
  return found;
}

test("JavaScript reads or writes every member", () => {
  const unused = [];
  let seen = 0;
  for (const declaration of wire.statements) {
    const type = declaration.name?.text;
    if (!type || type in passedOn) continue;
    const text = type in named ? readFileSync(join(top, named[type]), "utf8") : "";
    for (const name of membersOf(declaration)) {
      seen++;
      if (name.text === "op" || new RegExp(`\\b${name.text}\\b`).test(text)) continue;
      const found = checker.getReferencedSymbolsForNode(name, name.getStart());
      const paths = found.flatMap(({ references }) => references.map(({ path }) => path));
      if (!paths.some((path) => !/\/js\/(test\/|engine\/protocol\/)/.test(path))) unused.push(`${type}.${name.text}`);
    }
  }
  assert.ok(seen > 150, `${seen} members`);
  assert.deepEqual(unused, []);
});

/** Additions to the types, and the file that must then handle them. */
const additions = [
  ["WireAborted | WireEvent;", "WireAborted | WireEvent | { novel: 1 };", "engine/connection"],
  ["WireCodecAsk | WireDecodeAsk;", "WireCodecAsk | WireDecodeAsk | { ask: number; novel: 2 };", "engine/host"],
  ["FromPoolUser = WirePipeline", "FromPoolUser = { novel: 3 } | WirePipeline", "worker/helperpool"],
  ["export type WireStoreQuestion =", "export type WireStoreQuestion = | { novel: 4 }", "engine/hoststore"],
  ["export type WireWriteQuestion =", "export type WireWriteQuestion = | { novel: 5 }", "engine/hostwriting"],
  ['  op: "address";', '  op: "address"; novel: 6;', "api/address"],
  ["export interface WireReadOptions {", "export interface WireReadOptions { novel?: 7;", "api/array"],
];

test("a message, a required member or a read option that Go adds does not compile until it is handled", () => {
  const text = additions.reduce((all, [from, to]) => {
    assert.ok(all.includes(from), from);
    return all.replace(from, to);
  }, wire.text);
  const changed = new API({ cwd: top, fs: { readFile: (path) => (path === wire.path ? text : undefined) } });
  try {
    const [{ program: other }] = changed.updateSnapshot({ openProject: `${top}tsconfig.json` }).getProjects();
    for (const [, addition, module] of additions) {
      const path = join(top, `js/${module}.ts`);
      const faults = (of) => of.getSemanticDiagnostics(path).length;
      assert.equal(faults(program), 0, path);
      assert.ok(faults(other) > 0, `${addition} in ${path}`);
    }
  } finally {
    changed.close();
  }
});

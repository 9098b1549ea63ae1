// Compares both descriptions of the messages between JavaScript and Go: the types in
// js/engine/protocol, and the names of members in wasm/internal/wire. Each member must also be used
// in the code of both sides.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { after, test } from "node:test";
import { API, TypeFlags } from "typescript/unstable/sync";
import { top } from "./serve.mjs";

const wire = join(top, "wasm/internal/wire");

/** The files of blocks. */
const files = ["requests.go", "answers.go", "questions.go", "jobs.go", "writes.go"];

/**
 * Reads the blocks of names in wire: `// {op: "get"} & AboutStore: …` or `// WireBlock: …`, and the
 * names with their types. The names after "&" are further blocks that a block includes.
 */
function readTables() {
  const blocks = new Map();
  for (const file of files) {
    const text = readFileSync(join(wire, file), "utf8");
    for (const [, comment, list, one] of text.matchAll(/^((?:\/\/.*\n)+)const (?:\(\n([\s\S]*?)^\)|(.*))$/gm)) {
      const head = /^\/\/ (?:\{op: "(\w+)"\}|([\w.]+))((?: & \w+)*): /.exec(comment);
      assert.ok(head, `${file}: a block without a head: ${comment}`);
      const [, op, type, others] = head;
      const block = { op, file, others: others.split(" & ").filter(Boolean), members: new Map() };
      for (const line of (list ?? one).split("\n").filter(Boolean)) {
        const parsed = /^\s*(\w+)\s+(\w+)\s+= "(\w+)"(?: +\/\/ .*)?$/.exec(line);
        assert.ok(parsed, `${file}: ${line}`);
        const [, constant, kind, name] = parsed;
        if (kind === "Op") assert.equal(name, op, constant);
        else block.members.set(name, { constant, kind: kind.replace(/Name$/, "").toLowerCase() });
        if (kind === "Op") block.constant = constant;
      }
      const key = op ? `op ${op}` : type;
      assert.ok(!blocks.has(key), `${key} is there twice`);
      blocks.set(key, block);
    }
  }
  return blocks;
}

const blocks = readTables();

/** All members of a block, including those of other blocks. */
function membersOf(key) {
  const { members, others } = blocks.get(key);
  return new Map([...others.flatMap((other) => [...membersOf(other)]), ...members]);
}

const api = new API({ cwd: top });
after(() => api.close());
const [{ checker, program }] = api.updateSnapshot({ openProject: `${top}tsconfig.json` }).getProjects();
const protocol = "js/engine/protocol";
const declared = new Map();
for (const path of [
  ...readdirSync(join(top, protocol)).map((name) => `${protocol}/${name}`),
  "js/data/readoptions.ts",
]) {
  const file = program.getSourceFile(join(top, path));
  for (const symbol of checker.getExportsOfModule(checker.getSymbolAtLocation(file))) {
    assert.ok(!declared.has(symbol.name), `${symbol.name} is there twice`);
    declared.set(symbol.name, symbol);
  }
}

const nothing = TypeFlags.Null | TypeFlags.Undefined;

/** The alternatives of a type, without null and undefined. */
const alternatives = (type) =>
  (type.flags & TypeFlags.Union ? type.getTypes() : [type]).filter(({ flags }) => !(flags & nothing));

/** The alternatives of a type that the protocol has. */
function typeNamed(name) {
  const symbol = declared.get(name);
  assert.ok(symbol, `${protocol} has no ${name}`);
  return alternatives(checker.getDeclaredTypeOfSymbol(symbol));
}

/** The members of objects, as name -> symbols. */
function propertiesOf(types) {
  const all = new Map();
  for (const type of types) {
    for (const property of checker.getPropertiesOfType(type)) {
      all.set(property.name, [...(all.get(property.name) ?? []), property]);
    }
  }
  return all;
}

/** The operations that Go is asked for, by their names. */
function operations() {
  const all = new Map();
  for (const root of ["ToEngine", "ToPoolUser", "ToGoHelper"]) {
    for (const type of typeNamed(root)) {
      const op = checker.getPropertyOfType(type, "op");
      if (!op) continue;
      const name = checker.getTypeOfSymbol(op).value;
      all.set(name, [...(all.get(name) ?? []), type]);
    }
  }
  return all;
}

const ops = operations();

/** The alternatives of a block's type: an exported type, or a member's. */
function typesOf(key) {
  if (key.startsWith("op ")) return ops.get(key.slice(3)) ?? [];
  const [name, ...path] = key.split(".");
  let types = typeNamed(name);
  for (const member of path) {
    types = (propertiesOf(types).get(member) ?? []).flatMap((symbol) => alternatives(checker.getTypeOfSymbol(symbol)));
    types = types.map((type) => (checker.isArrayType(type) ? checker.getTypeArguments(type)[0] : type));
  }
  return types;
}

const isNumber = ({ flags }) => (flags & TypeFlags.NumberLike) !== 0;

/** The kind of name in wire for a member of these types. */
function kindOf(types) {
  const is = (flag) => types.every(({ flags }) => flags & flag);
  if (types.length === 0 || is(TypeFlags.AnyOrUnknown)) return "any";
  if (is(TypeFlags.StringLike)) return "text";
  if (is(TypeFlags.NumberLike)) return "int";
  if (is(TypeFlags.BooleanLike)) return "flag";
  const named = (...names) => types.every((type) => names.includes(type.getSymbol()?.name));
  if (named("Uint8Array")) return "bytes";
  if (named("ArrayBuffer", "SharedArrayBuffer")) return "buffer";
  if (types.every((type) => checker.isArrayLikeType(type))) {
    const elements = types.map((type) => checker.getTypeArguments(type));
    return elements.every((list) => list.flatMap(alternatives).every(isNumber)) ? "ints" : "list";
  }
  if (types.some((type) => type.flags & TypeFlags.StringLike || isNumber(type) || checker.isArrayLikeType(type)))
    return "any";
  const index = types.length === 1 && checker.getIndexInfosOfType(types[0])[0];
  if (index) return index.valueType.flags & TypeFlags.StringLike ? "texts" : "any";
  return "object";
}

/** Members that Go does not use, with the reason. */
const besides = {
  "op address.store": "names the store as in all operations about no node",
  "op caches.store": "likewise, and the caches are those of all",
  "op crash.helpers": "the worker ends its helpers, each by a crash without it",
  "WireError.reason": "put in by the page",
  "WireNode.ref": "put in by the page",
  "WireReadOptions.columns": "the worker makes them",
  "WireReadOptions.into": "the worker fills it",
  "WireArray.fillColumn": "put in by the worker",
  "WireJob.dropped": "the pool's own note",
};

const isBesides = (key, name) => [key, ...blocks.get(key).others].some((block) => `${block}.${name}` in besides);

/** Operations that the worker answers itself. */
const answeredByTheWorker = ["memory"];

/** Blocks without their own TypeScript type: members that several operations share. */
const parts = ["AboutStore", "AboutNode", "AboutChange", "AboutChunk", "AboutEnd"];

const typed = [...blocks.keys()].filter((key) => !parts.includes(key));

test("every operation is on both sides", () => {
  const theirs = [...blocks.values()].flatMap(({ op }) => op ?? []);
  assert.deepEqual([...ops.keys()].filter((op) => !answeredByTheWorker.includes(op)).sort(), theirs.sort());
});

test("every member is on both sides, and of one type", () => {
  assert.ok(typed.length > 45, `${typed.length} messages`);
  const wrong = [];
  for (const key of typed) {
    const go = membersOf(key);
    const ts = propertiesOf(typesOf(key));
    for (const name of new Set([...go.keys(), ...ts.keys()])) {
      const member = `${key}.${name}`;
      if (name === "op" || isBesides(key, name) || (name === "id" && blocks.get(key).op && !go.has("id"))) continue;
      if (!go.has(name) || !ts.has(name)) {
        wrong.push(`${member} is in ${go.has(name) ? "wire" : protocol} only`);
        continue;
      }
      const kind = kindOf(ts.get(name).flatMap((symbol) => alternatives(checker.getTypeOfSymbol(symbol))));
      if (go.get(name).kind !== kind)
        wrong.push(`${member} is ${kind}, and wire.${go.get(name).constant} ${go.get(name).kind}`);
    }
  }
  assert.deepEqual(wrong, []);
});

/** Types outside of the protocol's files, and their places. */
const elsewhere = {
  CodecDescription: "types.ts",
  TypeDescription: "types.ts",
  WireError: "types.ts",
  WireByteRange: "types.ts",
  WireRange: "types.ts",
  WireIndices: "types.ts",
  WireReadOptions: "readoptions.ts",
};

test("a message is in files of the same name on both sides", () => {
  const wrong = [];
  for (const key of typed) {
    const [name] = key.split(".");
    const symbols = key.startsWith("op ") ? propertiesOf(typesOf(key)).get("op") : [declared.get(name)];
    const paths = symbols.map(({ declarations: [{ path }] }) => path);
    const { file } = blocks.get(key);
    const same = elsewhere[name] ?? file.replace(/go$/, "ts");
    if (!paths.some((path) => basename(path) === same)) wrong.push(`${key} is in ${file} and ${paths}`);
  }
  assert.deepEqual(wrong, []);
});

test("Go reads or writes every member by its name in wire, and by no other", () => {
  const used = new Set();
  for (const dir of ["wire", "hostside", "offload", "dispatch", "changes"]) {
    const folder = join(top, "wasm/internal", dir);
    for (const file of readdirSync(folder)) {
      if (!file.endsWith(".go") || file.endsWith("_test.go")) continue;
      const text = readFileSync(join(folder, file), "utf8").replace(/^\s*\/\/.*$/gm, "");
      const literal =
        /\.(?:Text|TextIf|Int|Number|Integer|Flag|FlagIf|Object|Memory|Bytes|Texts|Ints|List|Any|Get|Add\w*)\("\w+"/g;
      // a codec's setting
      const plain = (text.match(literal) ?? []).filter((call) => !/"(op|bigint|bytes|cname)"/.test(call));
      assert.deepEqual(plain, [], `${dir}/${file}`);
      if (dir === "wire" && files.includes(file)) continue;
      for (const [name] of text.matchAll(dir === "wire" ? /\b[A-Z]\w+/g : /(?<=\bwire\.)[A-Z]\w+/g)) used.add(name);
    }
  }
  const unused = [];
  for (const { constant, members } of blocks.values()) {
    if (constant && !used.has(constant)) unused.push(constant);
    for (const { constant } of members.values()) if (!used.has(constant)) unused.push(constant);
  }
  assert.deepEqual(unused, []);
});

/** Messages that the package passes on whole, and their receivers. */
const passedOn = {
  RequestEvent: "users",
  RequestStats: "users",
  CacheReport: "users",
  CacheUse: "users",
  CacheBudgets: "from users",
  CodecDescription: "users",
  TypeDescription: "users",
  "TypeDescription.fields": "users",
  "WireArray.keyEncoding": "users",
  WireFetch: "fetch, as its init",
  WireReadOptions: "by the table that the type is made of",
  WirePipeline: "from Go to another instance",
  "op pipeline": "from Go to another instance",
  WireRegion: "from Go to another instance",
  "op crash": "from tests",
  ...Object.fromEntries(
    [
      "WireTarget",
      "WireWriteOptions",
      "WireValues",
      ...[...blocks.keys()].filter((key) => blocks.get(key).others.includes("AboutChange")),
    ].map((key) => [key, "from callers of callWriting, which is typed by them"]),
  ),
  CopyReport: "users",
};

/** Messages with members named in one place, without a type that leads to the protocol. */
const named = {
  WireError: "js/errors.ts",
  WireHttpOptions: "js/stores/fetchstore.ts",
  WireStoreAsk: "js/engine/hoststore.ts",
  WirePoolNews: "js/worker/helperpool.ts",
  "op job": "js/worker/helperpool.ts",
};

test("JavaScript reads or writes every member", () => {
  const unused = [];
  for (const key of typed.filter((key) => !(key in passedOn))) {
    const others = new Set(blocks.get(key).others.flatMap((other) => [...membersOf(other).keys()]));
    const text = key in named ? readFileSync(join(top, named[key]), "utf8") : "";
    for (const [name, symbols] of propertiesOf(typesOf(key))) {
      if (name === "op" || others.has(name) || isBesides(key, name) || new RegExp(`\\b${name}\\b`).test(text)) continue;
      const places = symbols.flatMap((symbol) => {
        const { name: node } = symbol.declarations[0].resolve();
        const found = checker.getReferencedSymbolsForNode(node, node.getStart());
        return found.flatMap(({ references }) => references.map(({ path }) => path));
      });
      if (!places.some((path) => !/\/js\/(test\/|engine\/protocol\/)/.test(path))) unused.push(`${key}.${name}`);
    }
  }
  assert.deepEqual(unused, []);
});

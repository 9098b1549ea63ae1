// Calls every public function with meaningless arguments. Each fails with an error that names the
// function or class and the argument, at once or later. None hangs, and none returns data.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import * as zarr from "../../dist/node.js";
import { arrayV3, groupV3, json } from "../lib/documents.mjs";

after(() => zarr.terminate());

const document = (shape, chunks) =>
  arrayV3(shape, "int16", { chunks, fill_value: 7, dimension_names: shape.map((_, d) => "yx"[d]) });
const map = new Map([
  ["/zarr.json", json(groupV3())],
  ["/a/zarr.json", json(document([4, 3], [2, 2]))],
  ["/scalar/zarr.json", json(document([], []))],
]);
const group = await zarr.open(map, { kind: "group" });
const array = await group.open("a", { kind: "array" });
const scalar = await group.open("scalar", { kind: "array" });

const library = { ...zarr };
/** init also refuses them when the engine already runs. */
const fresh = (options) => {
  zarr.terminate();
  return zarr.init(options);
};

class Own {}
const values = {
  null: null,
  true: true,
  false: false,
  0: 0,
  5: 5,
  "-1": -1,
  1.5: 1.5,
  NaN: Number.NaN,
  Infinity: Number.POSITIVE_INFINITY,
  "7n": 7n,
  '""': "",
  '"x"': "x",
  symbol: Symbol("s"),
  function: () => 1,
  Map: new Map(),
  Set: new Set([1]),
  Date: new Date(0),
  RegExp: /x/,
  Promise: Promise.resolve(array),
  "class instance": new Own(),
  "no prototype": Object.assign(Object.create(null), { z: 1 }),
  ArrayBuffer: new ArrayBuffer(4),
  DataView: new DataView(new ArrayBuffer(4)),
  Float32Array: Float32Array.of(0.5),
  object: { z: 1 },
  list: [{}],
  URL: new URL("http://127.0.0.1:1/"),
  group,
};
const except = (...names) => Object.keys(values).filter((name) => !names.includes(name));
const all = except();
const some = Object.keys(values);

const objects = some.filter((name) => Object(values[name]) === values[name] && name !== "function");
const primitives = some.filter((name) => !objects.includes(name) && name !== "null");
const nullToo = [...primitives, "null"];
const urls = ['""', '"x"', "URL"];

/** A case: its name, the meaningless values, the call, and the name in the message. */
const cases = [];
const add = (name, wrong, call, says = new RegExp(`^${name.split(".").at(-1).split(" ")[0]}\\b`)) =>
  cases.push({ name, wrong, call, says });

for (const open of ["open", "open.v2", "open.v3"]) {
  const run = open.split(".").reduce((at, name) => at[name], library);
  add(open, except("Map", "group", ...urls), (v) => run(v), /^open\b/);
  add(`${open} options`, nullToo, (v) => run(map, v), /^open: options/);
  add(`${open} kind`, except("null"), (v) => run(map, { kind: v }), /^open: kind/);
  add(`${open} signal`, except("null"), (v) => run(map, { signal: v }), /^open: signal/);
}
add("open undefined", ["Own"], () => zarr.open(undefined), /^open: expected .*, not undefined$/);
add("preload", except("Map", "group", ...urls), (v) => zarr.preload(v));
add("root", except("null", "Map", ...urls, "group"), (v) => zarr.root(v));
add("Location path", except('""', '"x"'), (v) => new zarr.Location(map, v));
add("Location.resolve", except('""', '"x"'), (v) => group.resolve(v), /^Location: path/);
add("Location store", except("Map", "group"), (v) => zarr.open(new zarr.Location(v)), /^open\b/);
add("get array", all, (v) => zarr.get(v), /^get: expected an array/);
add("get undefined", ["Own"], () => zarr.get(undefined), /^get: expected an array.*not undefined$/);
add("select array", all, (v) => zarr.select(v, {}), /^select: expected an array/);
add("select selectors", all, (v) => zarr.select(array, v), /selection|dimension/);

const selections = except("null");
for (const [name, read] of Object.entries({
  get: (selection, options) => array.get(selection, options),
  "zarr.get": (selection, options) => zarr.get(array, selection, options),
  oindex: (selection, options) => array.oindex(selection, options),
  "get of no dimensions": (selection, options) => scalar.get(selection, options),
  chunksIn: async (selection, options) => {
    const { value } = await array.chunksIn(selection, options).next();
    return value;
  },
})) {
  const says = name === "chunksIn" ? /^chunksIn: / : /^get: /;
  add(`${name} selection`, selections, (v) => read(v), /selection|dimension|selects|integer/);
  if (!/no dimensions/.test(name)) {
    add(`${name} entry`, except("null", "0", "-1"), (v) => read([v]), /select|integer|index|mask|dimension/);
    add(`${name} list`, except("0", "-1"), (v) => read([[v]]), /integer|index|mask/);
    add(
      `${name} start`,
      except("null", "0", "5", "-1", "Infinity", "7n"),
      (v) => read([{ start: v, stop: 3, step: 1 }]),
      /start/,
    );
    add(
      `${name} stop`,
      except("null", "0", "5", "-1", "Infinity", "7n"),
      (v) => read([{ start: 0, stop: v, step: 1 }]),
      /stop/,
    );
    add(`${name} step`, except("null", "5", "-1", "7n"), (v) => read([{ start: 0, stop: 3, step: v }]), /step/);
    add(`${name} name`, except("null", "0", "-1"), (v) => read({ y: v }), /select|integer|index|mask|dimension/);
  }
  add(`${name} options`, nullToo, (v) => read(null, v), new RegExp(`${says.source}options`));
  const kinds = {
    signal: except("null"),
    onProgress: except("null", "function"),
    priority: except("null", "0", "5", "-1", "1.5", "Infinity"),
    view: except("null", '""', '"x"'),
  };
  if (name === "chunksIn") kinds.ahead = ["NaN", "-1", '"x"', "object", "symbol", "function"];
  else
    Object.assign(kinds, { as: except("null"), out: except("null", "DataView"), onChunk: except("null", "function") });
  for (const [key, wrong] of Object.entries(kinds)) {
    add(
      `${name} ${key}`,
      wrong,
      (v) => read(null, { [key]: v }),
      key === "out" ? /out/ : new RegExp(`${says.source}${key}`),
    );
  }
}
for (const [name, of] of [
  ["getChunk", array],
  ["getChunk of no dimensions", scalar],
]) {
  add(`${name} coordinates`, all, (v) => of.getChunk(v), /^getChunk: .*integer/);
  add(
    `${name} coordinate`,
    except("0", "5", "-1", "7n", "Infinity"),
    (v) => of.getChunk([v, 0]),
    /^getChunk: .*integer/,
  );
  add(`${name} options`, primitives, (v) => of.getChunk([0, 0], v), /^getChunk: options/);
  for (const [key, wrong] of Object.entries({
    signal: except("null"),
    as: except("null"),
    out: except("null", "DataView"),
    onProgress: except("null", "function"),
    onChunk: except("null", "function"),
    priority: except("null", "0", "5", "-1", "1.5", "Infinity"),
    view: except("null", '""', '"x"'),
  })) {
    add(`${name} ${key}`, wrong, (v) => array.getChunk([0, 0], { [key]: v }), /^getChunk: |^out /);
  }
}
add("vindex coordinates", all, (v) => array.vindex(v), /^vindex: /);
add("vindex coordinate", except("0", "-1", "5", "7n"), (v) => array.vindex([v, 0]), /^vindex: /);
add("vindex list", except("0", "-1", "5", "7n"), (v) => array.vindex([[v], [0]]), /^vindex: /);
add("vindex options", nullToo, (v) => array.vindex([[0], [0]], v), /^vindex: options/);
add("blocks selection", selections, (v) => array.blocks(v), /selection|dimension|selects|integer/);
add("blocks entry", except("null", "0", "-1"), (v) => array.blocks([v]), /select|integer|index|mask|dimension/);
add("blocks options", nullToo, (v) => array.blocks(null, v), /^blocks: options/);
add("view", all, (v) => array.view(v), /view/);
add("nchunksInitialized options", nullToo, (v) => array.nchunksInitialized(v));
add("nchunksInitialized signal", except("null"), (v) => array.nchunksInitialized({ signal: v }));
for (const name of ["members", "arrays", "groups", "tree"]) {
  add(`${name} options`, nullToo, (v) => group[name](v));
  add(`${name} signal`, except("null"), (v) => group[name]({ signal: v }));
}
add("tree maxDepth", except("null", "0", "5", "1.5", "Infinity"), (v) => group.tree({ maxDepth: v }));
add("Group.open path", except('""', '"x"'), (v) => group.open(v), /^Location: path/);
add("FetchStore url", except(...urls), (v) => new zarr.FetchStore(v), /^FetchStore: url/);
add("FetchStore options", nullToo, (v) => new zarr.FetchStore("http://127.0.0.1:1", v), /^FetchStore: options/);
const fetching = new zarr.FetchStore("http://127.0.0.1:1");
add("FetchStore.get key", except('""', '"x"'), (v) => fetching.get(v));
add("FetchStore.get signal", except("null"), (v) => fetching.get("/x", { signal: v }));
add("FetchStore.getRange key", except('""', '"x"'), (v) => fetching.getRange(v, { offset: 0, length: 1 }));
add("FetchStore.getRange range", all, (v) => fetching.getRange("/x", v), /range/);
for (const name of ["start", "stop", "step"]) {
  const wrong = except("null", "0", "5", "-1", "Infinity", "7n");
  add(`slice ${name}`, wrong, (v) => zarr.slice(...["start", "stop", "step"].map((n) => (n === name ? v : 1))));
}
add("slice", except("null", "0", "5", "-1", "Infinity", "7n"), (v) => zarr.slice(v));
add("slice of nothing", ["Own"], () => zarr.slice());
add("caches", nullToo, (v) => zarr.caches(v));
add(
  "caches budget",
  except("null", "0", "5", "-1", "1.5", "Infinity"),
  (v) => zarr.caches({ decoded: v }),
  /^caches: decoded/,
);
add("init", nullToo, (v) => fresh(v));
add("init workers", ["-1", "NaN", '"x"', "object", "function"], (v) => fresh({ workers: v }), /^init: workers/);
for (const name of [
  "withByteCaching",
  "withRangeCoalescing",
  "withConsolidatedMetadata",
  "withMaybeConsolidatedMetadata",
]) {
  add(`${name} store`, except("Map"), (v) => library[name](v), /expected .*store/);
  const store = { get: () => undefined, getRange: () => undefined };
  add(`${name} options`, nullToo, (v) => library[name](store, v), new RegExp(`${name.replace("Maybe", "")}: options`));
}
const ranged = { get: () => undefined, getRange: () => undefined };
add("withByteCaching keyFor", except("null", "function"), (v) => zarr.withByteCaching(ranged, { keyFor: v }));
add("withRangeCoalescing onFlush", except("null", "function"), (v) => zarr.withRangeCoalescing(ranged, { onFlush: v }));
add("withConsolidatedMetadata format", except("null"), (v) => zarr.withConsolidatedMetadata(map, { format: v }));
add("defineStoreExtension", except("function"), (v) => zarr.defineStoreExtension(v));
add("defineArrayExtension", except("function"), (v) => zarr.defineArrayExtension(v));
add(
  "extension of stores",
  except("Map"),
  (v) => zarr.defineStoreExtension(() => ({}))(v),
  /^an extension of stores: expected a store/,
);
add(
  "extension of arrays",
  all,
  (v) => zarr.defineArrayExtension(() => ({}))(v),
  /^an extension of arrays: expected an array/,
);
add("extension of stores gives", nullToo, (v) => zarr.defineStoreExtension(() => v)(map), /^an extension/);
add("extendStore store", except("Map"), (v) => zarr.extendStore(v));
add("extendStore extension", except("function"), (v) => zarr.extendStore(map, v));
add("extendArray array", all, (v) => zarr.extendArray(v));
add("extendArray extension", except("function"), (v) => zarr.extendArray(array, v));

const seconds = (n) => new Promise((_, reject) => setTimeout(() => reject(new Error("it hangs")), 1000 * n).unref());

for (const { name, wrong, call, says } of cases) {
  test(name, async () => {
    const bad = [];
    for (const key of wrong) {
      try {
        const given = await Promise.race([(async () => call(values[key]))(), seconds(60)]);
        bad.push(`${key}: gives ${typeof given}`);
      } catch (error) {
        const named =
          error instanceof TypeError || error instanceof RangeError || zarr.isZarrError(error)
            ? says.test(error.message)
            : false;
        if (!named || error.name === "EngineError") bad.push(`${key}: ${error.name}: ${error.message}`);
      }
    }
    assert.equal(bad.join("\n"), "");
  });
}

test("afterwards everything works", async () => {
  assert.deepEqual([...(await array.get()).data], new Array(12).fill(7));
  assert.equal(await scalar.get(), 7);
  assert.deepEqual([...(await array.vindex([[0, 1n], 2])).data], [7, 7]);
});

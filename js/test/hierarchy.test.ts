import assert from "node:assert/strict";
import { test } from "node:test";
import { ZarrArray } from "../api/array.js";
import { Group } from "../api/group.js";
import { Location, root } from "../api/location.js";
import type { TypeDescription } from "../engine/protocol/wire.js";

test("paths", () => {
  const at = root().resolve("a/b");
  const cases: [string, string][] = [
    ["c", "/a/b/c"],
    ["c//d/", "/a/b/c/d"],
    ["./c", "/a/b/c"],
    ["..", "/a"],
    ["../../../c", "/c"],
    ["/", "/"],
    ["/c", "/c"],
    ["", "/a/b"],
    ["x y%", "/a/b/x y%"],
  ];
  for (const [path, want] of cases) assert.equal(at.resolve(path).path, want, path);
  assert.equal(new Location(new Map(), "a").path, "/a");
  assert.equal(String(root("https://e.org/x/zarr.json").store.url), "https://e.org/x/");
});

/** Returns the engine's reference to a node. */
function node(path: string, kind: "array" | "group") {
  return { handle: 1, hash: "0", ref: { path, kind, format: 3, hash: "0", type: undefined } } as const;
}

function array(dtype: string, type: TypeDescription, fill: Uint8Array | null) {
  const documents = { "zarr.json": new TextEncoder().encode('{"fill_value": NaN}') };
  return new ZarrArray(new Map(), "/a", {
    ...node("a", "array"),
    path: "a",
    kind: "array",
    format: 3,
    attributes: new TextEncoder().encode('{"units": "K"}'),
    documents,
    consolidated: false,
    array: {
      shape: [4, 5],
      dtype,
      type,
      chunks: [2, 5],
      counts: [2, 1],
      shards: null,
      grid: "regular",
      edges: null,
      fill,
      dimensionNames: ["y", null],
      codecs: [{ name: "bytes" }],
      order: null,
      keyEncoding: { name: "default", separator: "/" },
    },
  });
}

test("an array's properties", () => {
  const a = array("float32", { kind: "float", name: "float32", size: 4 }, new Uint8Array(Float32Array.of(1.5).buffer));
  assert.deepEqual([a.path, a.shape, a.chunks, a.dtype, a.size, a.nbytes], ["/a", [4, 5], [2, 5], "float32", 20, 80]);
  assert.deepEqual([a.fillValue, a.attrs, a.dimensionNames, a.order], [1.5, { units: "K" }, ["y", null], null]);
  assert.deepEqual(a.metadata, { "zarr.json": { fill_value: Number.NaN } });
  assert.ok(a.is("number") && a.is("float32") && !a.is("float64") && !a.is("bigint") && !a.is("string"));
  const b = array(
    "int64",
    { kind: "int", name: "int64", size: 8 },
    new Uint8Array(BigInt64Array.of(2n ** 63n - 1n).buffer),
  );
  assert.equal(b.fillValue, 9223372036854775807n);
  assert.ok(b.is("bigint") && !b.is("number"));
  assert.equal(array("string", { kind: "string", name: "string", size: 0 }, null).fillValue, null);
});

test("groups", () => {
  const group = new Group(new Map(), "/g", {
    ...node("g", "group"),
    path: "g",
    kind: "group",
    format: 2,
    documents: {},
    consolidated: true,
  });
  assert.deepEqual([group.kind, group.path, group.format, group.consolidated], ["group", "/g", 2, true]);
});

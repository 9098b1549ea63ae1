// Data with impossible sizes or contents fail at once with a named error, and everything works
// afterwards.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import * as zarr from "../../dist/node.js";
import { arrayV2, arrayV3, groupV3, json } from "../lib/documents.mjs";

const array2 = (more) => arrayV2([1], "|u1", more);
const array3 = (more) => arrayV3([1], "uint8", more);
const limited =
  (...limits) =>
  (error) => {
    assert.ok(zarr.isZarrError(error, "LimitError"), `${error}`);
    assert.ok(limits.includes(error.limit), error.limit);
    return true;
  };

after(() => zarr.terminate());

test("chunks of more elements of variable length than fit", async () => {
  const other = await zarr.open(new Map([["/.zarray", json(array2({ shape: [3], chunks: [1], fill_value: 7 }))]]), {
    kind: "array",
  });
  for (const length of [4294967296, 100_000_000, 2 ** 52]) {
    const filters = ["vlen-utf8", "vlen-bytes", "json2", "msgpack2"].map((id) => [{ id }]);
    filters.push([{ id: "vlen-array", dtype: "<i4" }]);
    const documents = filters.flatMap((filters) =>
      ["C", "F"].map((order) => [
        "/.zarray",
        array2({ chunks: [length], dtype: "|O", fill_value: null, filters, order }),
      ]),
    );
    const text = {
      chunk_grid: { name: "regular", configuration: { chunk_shape: [length] } },
      data_type: "string",
      fill_value: "",
    };
    documents.push(["/zarr.json", array3({ ...text, codecs: [{ name: "vlen-utf8" }] })]);
    for (const [name, document] of documents) {
      const chunk = Uint8Array.of(1, 0, 0, 0, 0, 0, 0, 0);
      const array = await zarr.open(
        new Map([
          [name, json(document)],
          ["/0", chunk],
          ["/c/0", chunk],
        ]),
        { kind: "array" },
      );
      const reads = [array.get(), array.get([0]), array.getChunk([0]), array.vindex([[0]]), other.get()];
      const ends = await Promise.allSettled(reads);
      for (const end of ends.slice(0, 4)) limited("ChunkBytes", "OutputBytes")(end.reason);
      assert.deepEqual(ends.at(-1).value.data, Uint8Array.of(7, 7, 7));
    }
  }
});

test("results of more objects than fit", async () => {
  const length = 500_000_000;
  const struct = {
    name: "struct",
    configuration: {
      fields: [{ name: "a", data_type: { name: "null_terminated_bytes", configuration: { length_bytes: 1 } } }],
    },
  };
  const optional = { name: "optional", configuration: { name: "uint8" } };
  const chain = {
    name: "optional",
    configuration: { mask_codecs: [{ name: "bytes" }], data_codecs: [{ name: "bytes" }] },
  };
  const documents = [
    ...[
      ["|S1", "YQ=="],
      ["|S0", ""],
      ["<U0", ""],
      ["<U1", "x"],
      ["|S20", ""],
    ].map(([dtype, fill_value]) => array2({ dtype, fill_value })),
    array2({
      dtype: [
        ["a", "|u1"],
        ["b", "|S1"],
      ],
      fill_value: null,
    }),
    array2({ dtype: [["a", "|u1", [1]]], fill_value: null }),
    array2({ dtype: "|O", filters: [{ id: "vlen-utf8" }], fill_value: "" }),
    array2({ dtype: "|O", filters: [{ id: "json2" }], fill_value: null }),
    array3({ data_type: "string", fill_value: "", codecs: [{ name: "vlen-utf8" }] }),
    array3({ data_type: "bytes", fill_value: [], codecs: [{ name: "vlen-bytes" }] }),
    array3({ data_type: { name: "fixed_length_utf32", configuration: { length_bytes: 4 } }, fill_value: "" }),
    array3({ data_type: struct, fill_value: { a: "" } }),
    array3({ data_type: optional, fill_value: null, codecs: [chain] }),
  ];
  for (const document of documents) {
    const v3 = document.zarr_format === 3;
    const regular = (n) =>
      v3 ? { chunk_grid: { name: "regular", configuration: { chunk_shape: [n] } } } : { chunks: [n] };
    const opened = (n) =>
      zarr.open(new Map([[v3 ? "/zarr.json" : "/.zarray", json({ ...document, shape: [length], ...regular(n) })]]), {
        kind: "array",
      });
    const small = await opened(1_000_000);
    const large = await opened(length);
    const began = process.cpuUsage();
    const what = JSON.stringify(v3 ? document.data_type : document.dtype);
    await assert.rejects(small.get(), limited("OutputBytes"), what);
    await assert.rejects(zarr.get(small, [zarr.slice(0, 400_000_000)]), limited("OutputBytes"), what);
    await assert.rejects(small.get(null, { onChunk() {} }), limited("OutputBytes"), what);
    await assert.rejects(large.getChunk([0]), limited("OutputBytes"), what);
    await assert.rejects(
      async () => {
        for await (const _ of large.chunksIn()) break;
      },
      limited("OutputBytes"),
      what,
    );
    const { user, system } = process.cpuUsage(began);
    assert.ok(user + system < 2e6, `${what} took ${user + system} µs`);
    assert.equal((await small.get([zarr.slice(0, 10)])).shape[0], 10);
  }
});

test("a fill value of variable length counts as often as it is there", async () => {
  const document = array3({
    shape: [1000],
    data_type: "string",
    fill_value: "x".repeat(4 << 20),
    codecs: [{ name: "vlen-utf8" }],
    chunk_grid: { name: "regular", configuration: { chunk_shape: [1000] } },
  });
  const array = await zarr.open(new Map([["/zarr.json", json(document)]]), { kind: "array" });
  await assert.rejects(array.get(), limited("OutputBytes"));
  assert.equal((await array.get([3])).length, 4 << 20);
});

test("-0 in attributes and fill values", async () => {
  const text = (document) =>
    new TextEncoder().encode(JSON.stringify(document).replaceAll('"-0"', "-0.0").replaceAll('"-0i"', "-0"));
  const attributes = { a: "-0", b: ["-0", { c: "-0i" }], d: 0, e: 0.5 };
  const documents = [
    ["/zarr.json", text(array3({ attributes, data_type: "float64", fill_value: "-0" }))],
    ["/.zattrs", text(attributes)],
    ["/.zarray", text(array2({ dtype: "<f8", fill_value: "-0" }))],
  ];
  for (const store of [new Map(documents.slice(0, 1)), new Map(documents.slice(1))]) {
    const array = await zarr.open(store, { kind: "array" });
    const { a, b, d, e } = array.attrs;
    assert.ok(
      Object.is(a, -0) && Object.is(b[0], -0) && Object.is(b[1].c, -0) && Object.is(d, 0) && e === 0.5,
      JSON.stringify(array.attrs),
    );
    assert.ok(Object.is(array.fillValue, -0));
    assert.ok(Object.is(await array.get([0]), -0));
  }
});

test("two fields of one name", async () => {
  const twice = [
    ["a", "<i4"],
    ["b", "<i4"],
    ["a", "<f8"],
  ];
  const fields = (list) => ({
    name: "struct",
    configuration: { fields: list.map(([name, data_type]) => ({ name, data_type })) },
  });
  const of3 = [
    ["a", "int32"],
    ["a", "float64"],
  ];
  for (const [name, document] of [
    ["/.zarray", array2({ dtype: twice, fill_value: null })],
    ["/.zarray", array2({ dtype: [["s", twice]], fill_value: null })],
    ["/zarr.json", array3({ data_type: fields(of3) })],
    ["/zarr.json", array3({ data_type: fields([["s", fields(of3)]]) })],
  ]) {
    await assert.rejects(zarr.open(new Map([[name, json(document)]]), { kind: "array" }), (error) => {
      assert.ok(zarr.isZarrError(error, "InvalidMetadataError"), `${error}`);
      return /two fields are called "a"/.test(error.message);
    });
  }
});

test("a chunk of another size than it has to have, read in part", async () => {
  const length = 100_000_000;
  const document = json(array2({ shape: [length], chunks: [length] }));
  const reads = (array) => [
    array.get([0]),
    array.get([zarr.slice(0, 3)]),
    array.get([zarr.slice(1, length, 50_000_000)]),
    array.vindex([[0]]),
    array.getChunk([0]),
  ];
  const objects = new Map([["/.zarray", document]]);
  class GetOnly {
    get(key) {
      return Promise.resolve(objects.get(key));
    }
  }
  for (const stored of [0, 3, 1000]) {
    objects.set("/0", new Uint8Array(stored));
    for (const store of [objects, new GetOnly()]) {
      const array = await zarr.open(store, { kind: "array" });
      for (const end of await Promise.allSettled(reads(array))) {
        assert.ok(
          zarr.isZarrError(end.reason, "CodecPipelineError"),
          `${stored}: ${end.reason ?? JSON.stringify(end.value)}`,
        );
        assert.equal(end.reason.code, "CODEC_TRUNCATED");
      }
    }
  }
  const longer = new Map([
    ["/.zarray", document],
    ["/0", new Uint8Array(length + 1)],
  ]);
  const array = await zarr.open(longer, { kind: "array" });
  for (const read of [() => array.get([0]), () => array.get([zarr.slice(0, 3)]), () => array.vindex([[0]])]) {
    await assert.rejects(
      read(),
      (error) => zarr.isZarrError(error, "CodecPipelineError") && error.code === "CODEC_CORRUPT",
    );
  }
});

test("optional elements of optional elements", async () => {
  const optional = (of) => ({ name: "optional", configuration: of });
  const chain = (data) => [
    { name: "optional", configuration: { mask_codecs: [{ name: "bytes" }], data_codecs: data } },
  ];
  const document = array3({
    shape: [4],
    chunk_grid: { name: "regular", configuration: { chunk_shape: [3] } },
    data_type: optional(optional({ name: "uint8" })),
    fill_value: [null],
    codecs: chain(chain([{ name: "bytes" }])),
  });
  const lengths = (...all) => all.flatMap((n) => [n, 0, 0, 0, 0, 0, 0, 0]);
  const inner = [...lengths(2, 1), 1, 0, 7]; // Some(7), None
  const chunk = Uint8Array.from([...lengths(3, inner.length), 1, 1, 0, ...inner]);
  const array = await zarr.open(
    new Map([
      ["/zarr.json", json(document)],
      ["/c/0", chunk],
    ]),
    { kind: "array" },
  );
  assert.deepEqual((await array.get()).data, [{ value: 7 }, { value: null }, null, { value: null }]);
  assert.deepEqual(await Promise.all([0, 1, 2, 3].map((i) => array.get([i]))), [
    { value: 7 },
    { value: null },
    null,
    { value: null },
  ]);
  assert.deepEqual(array.fillValue, { value: null });
});

test("thousands of consolidated members cost no request until they are read", async () => {
  const path = (i) => `${i % 7}/${i % 3 ? "x" : "y"}/a${i}`;
  const nodes = Array.from({ length: 3000 }, (_, i) => [path(i), array3({ shape: [i + 1], attributes: { i } })]);
  const metadata = Object.fromEntries([...nodes, ["group", groupV3()], ["bad", {}]]);
  const root = {
    zarr_format: 3,
    node_type: "group",
    consolidated_metadata: { kind: "inline", must_understand: false, metadata },
  };
  class Counted extends Map {
    asked = [];
    get(key) {
      this.asked.push(key);
      return super.get(key);
    }
  }
  const store = new Counted([
    ["/zarr.json", json(root)],
    [`/${path(5)}/c/1`, Uint8Array.of(9)],
  ]);
  const group = await zarr.open(store);
  for (const twice of [false, true]) {
    const members = await group.members();
    assert.deepEqual(
      members.map(({ name, kind, error }) => `${name} ${kind} ${error?.name ?? ""}`),
      [...[0, 1, 2, 3, 4, 5, 6].map((i) => `${i} implicit `), "group group ", "bad group InvalidMetadataError"],
    );
    assert.ok(store.asked.length < 40, `${store.asked}`);
    store.asked = store.asked.filter((key) => !key.startsWith("/bad"));
    const tree = await group.tree();
    const leaves = tree.children.flatMap(({ children }) => children.flatMap(({ children }) => children));
    assert.equal(leaves.length, 3000);
    assert.equal(store.asked.filter((key) => !key.startsWith("/bad") && /\d/.test(key)).length, 0, `${store.asked}`);
    const leaf = leaves.find(({ node }) => node.path === `/${path(5)}`).node;
    assert.deepEqual([leaf.shape, leaf.attrs, leaf.metadata["zarr.json"].shape], [[6], { i: 5 }, [6]]);
    // The cases run at once, and by an engine that does not know them.
    if (twice) zarr.terminate();
    const reads = await Promise.all(leaves.slice(0, 50).map(async ({ node }) => [...(await node.get()).data].length));
    assert.deepEqual(
      reads,
      leaves.slice(0, 50).map(({ node }) => node.shape[0]),
    );
    assert.deepEqual([...(await leaf.get()).data], [0, 9, 0, 0, 0, 0]);
    assert.equal(await leaf.get([1]), 9);
    store.asked = [];
  }
});

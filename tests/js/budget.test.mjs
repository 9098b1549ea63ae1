// Bounds the time and memory that data can take from the engine: large documents that are not
// examined.
import assert from "node:assert/strict";
import { afterEach, test } from "node:test";
import { constants, deflateRawSync } from "node:zlib";
import * as zarr from "../../dist/node.js";
import { arrayV2, arrayV3, groupV3, json } from "../lib/documents.mjs";

const MiB = 2 ** 20;
const utf8 = new TextEncoder();
const array3 = (more) => arrayV3([1], "uint8", more);

afterEach(() => zarr.terminate());

/** The engine's memory never shrinks, so this is its peak. */
const engineHas = async (most) => {
  const { total } = await zarr.memory();
  assert.ok(total <= most * MiB, `the engine has ${Math.round(total / MiB)} MiB`);
};

test("attributes stay text until they are looked at", async () => {
  const numbers = `{"a":[${"1,".repeat(3_998_999)}1]}`;
  const members = `{${Array.from({ length: 1_200_000 }, (_, i) => `"m${i}":1`).join(",")}}`;
  for (const attributes of [numbers, members]) {
    const document = utf8.encode(
      JSON.stringify(array3({ attributes: 0 })).replace('"attributes":0', `"attributes":${attributes}`),
    );
    const v3 = await zarr.open(new Map([["/zarr.json", document]]), { kind: "array" });
    const v2 = await zarr.open(
      new Map([
        ["/.zgroup", json({ zarr_format: 2 })],
        ["/.zattrs", utf8.encode(attributes)],
      ]),
    );
    for (const { attrs } of [v3, v2]) {
      assert.equal(attrs.a?.length ?? Object.keys(attrs).length, attributes === numbers ? 3_999_000 : 1_200_000);
    }
    assert.equal(v3.attrs, v3.view("int8").attrs);
    assert.equal(await v3.get([0]), 0);
  }
  await engineHas(256);
});

test("lists of very many indices take little more than the lists", async () => {
  const document = { ...array3({}), shape: [3000, 3000], data_type: "uint16" };
  document.chunk_grid = { name: "regular", configuration: { chunk_shape: [300, 300] } };
  document.codecs = [{ name: "bytes", configuration: { endian: "little" } }];
  const objects = new Map([["/zarr.json", json(document)]]);
  for (let i = 0; i < 100; i++) {
    const chunk = Uint16Array.from({ length: 90_000 }, (_, k) => i * 7 + k);
    objects.set(`/c/${Math.floor(i / 10)}/${i % 10}`, new Uint8Array(chunk.buffer));
  }
  const array = await zarr.open(objects, { kind: "array" });
  const element = (x, y) => (((x / 300) | 0) * 70 + ((y / 300) | 0) * 7 + (x % 300) * 300 + (y % 300)) & 0xffff;
  const n = 4_000_000;
  const list = (make) => Array.from({ length: n }, (_, i) => make(Math.imul(i, 2654435761) >>> 8));
  const x = list((at) => at % 3000);
  const y = list((at) => (at >> 3) % 3000);
  const points = await array.vindex([x, Int32Array.from(y)]);
  assert.deepEqual(points.shape, [n]);
  for (const read of [
    () => array.get([x, 7]),
    () => array.get([[5, -2999], BigInt64Array.from(x, BigInt)]),
    () => array.vindex([x, 7]),
  ]) {
    const { data } = await read();
    for (let i = 0; i < n; i++) {
      const [want, got] = data.length === n ? [element(x[i], 7), data[i]] : [element(1, x[i]), data[n + i]];
      if (want !== got || points.data[i] !== element(x[i], y[i])) assert.fail(`element ${i} is ${got}, not ${want}`);
    }
  }
  await engineHas(384);
});

test("a document is rejected at its limit, and consolidated metadata counts separately", async () => {
  const long = "x".repeat(17 * MiB);
  const group = groupV3();
  const consolidated = (metadata) => ({ kind: "inline", must_understand: false, metadata });
  for (const document of [
    array3({ attributes: { long } }),
    { ...group, attributes: { long } },
    { ...group, attributes: { long }, consolidated_metadata: consolidated({ a: array3({}) }) },
    { ...group, attributes: { long: long.repeat(6) } },
  ]) {
    await assert.rejects(zarr.open(new Map([["/zarr.json", json(document)]])), (error) => {
      assert.ok(zarr.isZarrError(error, "LimitError"), `${error}`);
      return true;
    });
  }
  const members = { a: array3({ attributes: { long } }), b: array3({}) };
  const store = new Map([["/zarr.json", json({ ...group, consolidated_metadata: consolidated(members) })]]);
  const found = await (await zarr.open(store)).members();
  assert.deepEqual(
    found.map(({ name, error }) => [name, error]),
    [
      ["a", undefined],
      ["b", undefined],
    ],
  );
  assert.equal(found[0].node.attrs.long.length, long.length);
  await engineHas(384);
});

test("only a name of a megabyte in consolidated metadata is rejected", async () => {
  const name = "x".repeat(1_000_000);
  const v3 = { [name]: array3({}), good: array3({}), [`deep/${name}`]: array3({}) };
  const v2 = arrayV2([1], "|u1");
  const group = groupV3();
  for (const store of [
    new Map([["/zarr.json", json({ ...group, consolidated_metadata: { kind: "inline", metadata: v3 } })]]),
    new Map([
      ["/.zgroup", json({ zarr_format: 2 })],
      [
        "/.zmetadata",
        json({
          zarr_consolidated_format: 1,
          metadata: {
            ".zgroup": { zarr_format: 2 },
            [`${name}/.zarray`]: v2,
            "good/.zarray": v2,
            [`deep/${name}/.zarray`]: v2,
          },
        }),
      ],
    ]),
  ]) {
    const opened = await zarr.open(store, { kind: "group" });
    const members = await opened.members();
    const good = members.find((member) => member.name === "good");
    assert.equal(await good.node.get([0]), 0);
    assert.deepEqual(
      members.filter((member) => member !== good && member.kind !== "implicit").map(({ error }) => error?.name),
      ["InvalidMetadataError", "InvalidMetadataError"],
    );
    assert.match(String(await opened.tree()), /good/);
  }
});

test("only a path in consolidated metadata that leads elsewhere is rejected", async () => {
  const array = array3({});
  const store = new Map([
    [
      "/zarr.json",
      json({
        ...groupV3(),
        consolidated_metadata: { kind: "inline", metadata: { good: array, "../bad": array, "x/./y": array } },
      }),
    ],
  ]);
  const group = await zarr.open(store);
  const members = await group.members();
  assert.deepEqual(
    members.map(({ name, error }) => [name, error?.name]),
    [
      ["good", undefined],
      ["../bad", "InvalidMetadataError"],
      ["x/./y", "InvalidMetadataError"],
    ],
  );
  assert.equal(await members[0].node.get([0]), 0);
  assert.match(String(await group.tree()), /good/);
  await assert.rejects(zarr.open(group.resolve("../bad")), { name: "NotFoundError" });
});

/** `n` times 16 MiB of zeros, compressed. The end is never reached. */
function bomb(n) {
  const part = deflateRawSync(new Uint8Array(16 * MiB), { level: 9, finishFlush: constants.Z_FULL_FLUSH });
  return Buffer.concat([Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3]), ...Array.from({ length: n }, () => part)]);
}

test("bombs end at the limit, even many at once, and leave the engine intact", async () => {
  const chunk = bomb(64);
  const filters = [
    ...["vlen-utf8", "vlen-bytes", "json2", "msgpack2"].map((id) => ({ id })),
    { id: "vlen-array", dtype: "<i4" },
  ];
  for (const filter of filters) {
    const array = {
      zarr_format: 2,
      shape: [4],
      chunks: [1],
      dtype: "|O",
      fill_value: null,
      filters: [filter],
      compressor: { id: "gzip" },
      order: "C",
    };
    const chunks = Array.from({ length: 4 }, (_, i) => [`/${i}`, chunk]);
    const opened = await zarr.open(new Map([["/.zarray", json(array)], ...chunks]), { kind: "array" });
    const controller = new AbortController();
    const aborted = assert.rejects(opened.get(null, { signal: controller.signal }));
    const reads = [...chunks.map((_, i) => opened.get([i])), opened.get(), opened.getChunk([3])];
    const ends = await Promise.allSettled(reads);
    controller.abort();
    await aborted;
    for (const { reason } of ends) assert.ok(zarr.isZarrError(reason, "LimitError"), `${filter.id}: ${reason}`);
    await engineHas(768);
  }
});

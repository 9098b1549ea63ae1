// Hostile data: documents, chunks and containers. A function of random numbers alone determines
// them.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, constants, deflateRawSync, gzipSync } from "node:zlib";
import { zip } from "../js/storesuite.mjs";
import { arrayV2, arrayV3, groupV3 } from "../lib/documents.mjs";
import { damage, vocabularyOf } from "./damages.mjs";

const of = (pick, list) => list[pick(list.length)];
const bytes = (text) => new TextEncoder().encode(text);
const json = (value) => bytes(typeof value === "string" ? value : JSON.stringify(value));
const repeat = (n, f) => Array.from({ length: n }, (_, i) => f(i));

/** False numbers in documents. */
const numbers =
  '0 1 -1 0.5 1e3 2147483647 2147483648 4294967295 4294967296 1099511627776 9007199254740991 9007199254740993 4611686018427387904 9223372036854775807 9223372036854775808 18446744073709551616 1e308 1e400 -1e400 NaN Infinity null "1" [] {}'.split(
    " ",
  );

/** Names with a meaning elsewhere. */
const names = [
  "__proto__",
  "constructor",
  "toString",
  "hasOwnProperty",
  "",
  ".",
  "..",
  "a/../../b",
  "/etc/passwd",
  "C:\\x",
  "//other.example/x",
  "https://127.0.0.1:1/x",
  "file:///etc/passwd",
  "data:,x",
  "%2e%2e/x",
  "a\u0000b",
  "\u202ea",
  "x".repeat(5000),
  "a/".repeat(300),
  "<img src=x onerror=alert(1)>",
];

// ---- documents ------------------------------------------------------------------

const array2 = (more) => arrayV2([10], "|u1", { chunks: [5], ...more });
const array3 = (more) => arrayV3([10], "uint8", { chunks: [5], ...more });
const group3 = (more) => groupV3({}, more);

/** The text of a document with another text in place of the string "@". */
const withText = (document, text) => JSON.stringify(document).replaceAll('"@"', text);

const giants = {
  numbers: (pick) => `[${"1,".repeat(1_000_000 * (1 + pick(7)))}1]`,
  floats: (pick) => `[${"0.1234567,".repeat(100_000 * (1 + pick(14)))}1]`,
  "bare NaN": (pick) => `[${"NaN,".repeat(100_000 * (1 + pick(10)))}1]`,
  members: (pick) => `{${repeat(100_000 * (1 + pick(12)), (i) => `"m${i}":1`).join(",")}}`,
  "one name": (pick) => `{${'"a":1,'.repeat(200_000 * (1 + pick(10)))}"a":2}`,
  text: (pick) => `"${"x".repeat(2 ** 20 * (1 + pick(40)))}"`,
  escapes: (pick) => `"${"\\u0041".repeat(100_000 * (1 + pick(20)))}"`,
  lists: (pick) => `[${"[],".repeat(500_000 * (1 + pick(5)))}[]]`,
  depth: (pick) => {
    const n = of(pick, [100, 127, 129, 1000, 100_000, 3_000_000]);
    return "[".repeat(n) + "]".repeat(n);
  },
  "depth of members": (pick) => {
    const n = of(pick, [100, 126, 1000, 1_000_000]);
    return `${'{"a":'.repeat(n)}1${"}".repeat(n)}`;
  },
};

function document(pick) {
  const v3 = pick(2) === 1;
  const base = v3 ? array3 : array2;
  const name = v3 ? "/zarr.json" : "/.zarray";
  const one = (more, about) => ({ about, objects: new Map([[name, json(withText(base(more), about.text ?? "0"))]]) });
  const number = () => of(pick, numbers);
  const list = (n = 1 + pick(3)) => `[${repeat(n, number).join(",")}]`;
  const chunks = (text) =>
    v3 ? { chunk_grid: { name: "regular", configuration: { chunk_shape: text } } } : { chunks: text };
  const kinds = [
    () => [{ shape: "@" }, list()],
    () => [chunks("@"), list(1)],
    () => [{ shape: "@", ...chunks("@") }, list()],
    () => [{ shape: "@", ...chunks("@") }, `[${"1,".repeat(of(pick, [31, 32, 100, 100_000]))}1]`],
    () => [{ fill_value: "@" }, of(pick, [number(), giants.text(pick), giants.numbers(pick), "{}", '"AAAA"'])],
    () => [
      v3 ? { data_type: "@" } : { dtype: "@" },
      of(pick, [
        '"|S1000000000"',
        '"<U2147483647"',
        '"|V99999999999999999999"',
        '"<f16"',
        '"r8000000"',
        '{"name":"struct","configuration":{"fields":[]}}',
        `${'{"name":"optional","configuration":'.repeat(100)}"uint8"${"}".repeat(100)}`,
        `[${'["__proto__","|u1"],'.repeat(1000)}["a","<f8"]]`,
        `${'[["a",'.repeat(60)}"|u1"${"]]".repeat(60)}`,
        '[["a","<f8",[1000000,1000000]]]',
        '{"name":"fixed_length_utf32","configuration":{"length_bytes":4294967296}}',
      ]),
    ],
    () => [
      v3 ? { codecs: "@" } : { filters: "@" },
      of(pick, [
        `[${(v3 ? '{"name":"gzip"},' : '{"id":"gzip"},').repeat(of(pick, [31, 33, 100_000]))}${v3 ? '{"name":"bytes"}' : '{"id":"zlib"}'}]`,
        `${'[{"name":"sharding_indexed","configuration":{"chunk_shape":[1],"codecs":'.repeat(30)}[{"name":"bytes"}]${"}}]".repeat(30)}`,
        '[{"name":"transpose","configuration":{"order":[0,0,1e9]}},{"name":"bytes"}]',
        '[{"id":"delta","dtype":"|S99999999"}]',
        '[{"id":"__proto__"}]',
        '[{"name":"constructor"}]',
        '[{"id":"fixedscaleoffset","scale":1e400,"offset":NaN,"dtype":"<f8","astype":"<i2"}]',
      ]),
    ],
    () => [v3 ? { dimension_names: "@" } : { attributes: "@" }, of(pick, [giants.lists(pick), '["__proto__"]', "[0]"])],
  ];
  const [more, text] = of(pick, kinds)();
  const made = one(more, { text });
  return { about: `${JSON.stringify(more)} with ${text.slice(0, 60)}`, objects: made.objects };
}

function giant(pick) {
  const kind = of(pick, Object.keys(giants));
  const text = giants[kind](pick);
  const where = of(pick, ["v3 array", "v3 group", "v2 array", "v2 group", "top", "unknown member", "document"]);
  const objects = new Map();
  if (where === "v3 array") objects.set("/zarr.json", json(withText(array3({ attributes: { a: "@" } }), text)));
  else if (where === "v3 group") objects.set("/zarr.json", json(withText(group3({ attributes: { a: "@" } }), text)));
  else if (where === "unknown member") objects.set("/zarr.json", json(withText(array3({ more: "@" }), text)));
  else if (where === "document") objects.set(of(pick, ["/zarr.json", "/.zarray", "/.zmetadata"]), json(text));
  else {
    const array = where === "v2 array";
    objects.set(array ? "/.zarray" : "/.zgroup", json(array ? array2({}) : { zarr_format: 2 }));
    objects.set("/.zattrs", json(where === "top" && text[0] === "{" ? text : `{"a":${text}}`));
  }
  return { about: `${kind} in ${where}, ${text.length} bytes`, objects };
}

function hierarchy(pick) {
  const n = of(pick, [10, 100, 1000, 5000]);
  const path = (i) =>
    of(pick, [`a${i}`, `g/${i % 7}/a${i}`, `${of(pick, names)}`, `${"d/".repeat(i % 130)}x`, `a${i}//b`, `/a${i}/`]);
  const member = () =>
    of(pick, [array3({}), group3({}), array3({ attributes: { ["__proto__"]: 1 } }), 1, null, [], {}]);
  if (pick(2)) {
    const metadata = Object.fromEntries(repeat(n, (i) => [path(i), member()]));
    const nested = pick(3) === 0 ? { n: group3({ consolidated_metadata: { kind: "inline", metadata } }) } : {};
    const kind = of(pick, ["inline", "inline", "other", "__proto__"]);
    const document = group3({
      consolidated_metadata: { kind, must_understand: false, metadata: { ...metadata, ...nested } },
    });
    return { about: `${n} consolidated nodes of v3`, objects: new Map([["/zarr.json", json(document)]]) };
  }
  const metadata = {};
  for (let i = 0; i < n; i++) {
    const at = path(i);
    metadata[`${at}/.zarray`] = of(pick, [array2({}), array2({ shape: [2 ** 53] }), {}, 1]);
    if (pick(2)) metadata[`${at}/.zattrs`] = of(pick, [{ a: i }, [], 1, { ["__proto__"]: { polluted: 1 } }]);
  }
  return {
    about: `${n} consolidated nodes of v2`,
    objects: new Map([
      ["/.zgroup", json({ zarr_format: 2 })],
      ["/.zmetadata", json({ zarr_consolidated_format: 1, metadata })],
    ]),
  };
}

function rectilinear(pick) {
  const run = () =>
    of(pick, ["[1,100000000]", "[1,9007199254740991]", "[9007199254740991,2]", "[3,30000000]", "7", "[2,10]"]);
  const runs = `[${[
    ...repeat(of(pick, [0, 1, 2, 3, 100, 50_000]), run),
    of(pick, ["[1,100000000]", "[1,100000000]", "[0,5]", "[1,0]", "[1,-1]", "[4,1e18]", "[1,1.5]"]),
  ].join(",")}]`;
  const shape = of(pick, ["[100000000]", "[9007199254740991]", "[10]", "[100000000,100000000]", "[0]"]);
  const shapes = shape.includes(",") ? `[${runs},${runs}]` : `[${runs}]`;
  const grid = { name: "rectilinear", configuration: { kind: "inline", chunk_shapes: "@" } };
  const text = withText(array3({ shape: "@@", chunk_grid: grid }), shapes).replace('"@@"', shape);
  return { about: `${shape} cut into ${shapes.slice(0, 60)}`, objects: new Map([["/zarr.json", json(text)]]) };
}

// ---- chunks ---------------------------------------------------------------------

const zeros = new Uint8Array(16 << 20);
const flushed = deflateRawSync(zeros, { level: 9, finishFlush: constants.Z_FULL_FLUSH });

/** `n` times 16 MiB of zeros as a DEFLATE stream. */
const deflated = (n) => Buffer.concat([...repeat(n, () => flushed), Buffer.from([3, 0])]);
const uint32 = (...values) => new Uint8Array(Uint32Array.from(values).buffer);

/** Compressed forms of very many zeros, which also act as counts and lengths. */
const bombs = {
  gzip: (n) => Buffer.concat([Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3]), deflated(n), Buffer.alloc(8)]),
  "gzip of gzip": (n) => gzipSync(bombs.gzip(n)),
  zlib: (n) => Buffer.concat([Buffer.from([0x78, 0x9c]), deflated(n), Buffer.alloc(4)]),
  zstd(n) {
    // Blocks that repeat one byte.
    const block = ((128 << 10) << 3) | (1 << 1);
    const blocks = repeat(n * 128, (i) => [
      (block | (i === n * 128 - 1 ? 1 : 0)) & 255,
      (block >> 8) & 255,
      block >> 16,
      0,
    ]);
    return Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0, 0x58, ...blocks.flat()]);
  },
  lz4: (n) =>
    Buffer.concat([uint32(n << 24), Buffer.from([0x1f, 0, 1, 0]), Buffer.alloc(n * 65_793, 255), Buffer.from([0])]),
  blosc: (n) => Buffer.concat([Buffer.from([2, 1, 0x21, 1]), uint32(n << 24, n << 24, 100, 20), Buffer.alloc(80)]),
  brotli: (n) => brotliCompressSync(zeros.subarray(0, Math.min(n, 16) << 20)),
};

const objectCodecs = [
  ...["vlen-utf8", "vlen-bytes", "json2", "msgpack2", "pickle"].map((id) => ({ id })),
  { id: "vlen-array", dtype: "<i4" },
];

const compressors = {
  gzip: "gzip",
  "gzip of gzip": "gzip",
  zlib: "zlib",
  zstd: "zstd",
  lz4: "lz4",
  blosc: "blosc",
  brotli: "imagecodecs_brotli",
};

function bomb(pick) {
  const kind = of(pick, Object.keys(bombs));
  const n = of(pick, [1, 4, 16, 40, 64]);
  const chunk = bombs[kind](n);
  const compressor = { id: compressors[kind] };
  const objects = new Map();
  const filter = of(pick, [undefined, ...objectCodecs]);
  const count = of(pick, [1, 4, 8]);
  const filters = [...(filter ? [filter] : []), ...(kind === "gzip of gzip" ? [{ id: "gzip" }] : [])];
  objects.set(
    "/.zarray",
    json(
      array2({ shape: [count], chunks: [1], compressor, filters, ...(filter && { dtype: "|O", fill_value: null }) }),
    ),
  );
  for (let i = 0; i < count; i++) objects.set(`/${i}`, chunk);
  return { about: `${kind} of ${16 * n} MiB for ${filter?.id ?? "a byte"}, ${count} times`, objects };
}

/** Variable-length elements in very large numbers, or with false counts. */
function elements(pick) {
  const n = of(pick, [0, 1, 10, 100_000, 2_000_000]);
  const said = of(pick, [n, n, n, n + 1, 2 ** 32 - 1, 2 ** 31]);
  const filter = of(pick, objectCodecs);
  const text = {
    json2: () => bytes(`[${'"",'.repeat(n)}"|O",[${said}]]`),
    msgpack2: () =>
      of(pick, [
        Buffer.from([0xdd, 255, 255, 255, 255]),
        Buffer.alloc(n, 0x91),
        Buffer.from([0xdb, 255, 255, 255, 255]),
      ]),
    pickle: () => Buffer.concat([Buffer.from([0x80, 4]), Buffer.alloc(n, of(pick, [0x28, 0x5d, 0x4e]))]),
  }[filter.id];
  const raw =
    text?.() ?? Buffer.concat([uint32(said), of(pick, [Buffer.alloc(4 * n), uint32(2 ** 32 - 1), uint32(5, 1)])]);
  const document = array2({
    shape: [Math.max(n, 1)],
    chunks: [Math.max(n, 1)],
    dtype: "|O",
    fill_value: null,
    filters: [filter],
    compressor: { id: "gzip" },
  });
  return {
    about: `${n} elements by ${filter.id}, which says ${said}`,
    objects: new Map([
      ["/.zarray", json(document)],
      ["/0", gzipSync(raw)],
    ]),
  };
}

function shard(pick) {
  const little = { name: "bytes", configuration: { endian: "little" } };
  const inner = of(pick, [1, 2, 64]);
  const count = of(pick, [1, 4, 1000, 100_000, 2 ** 22, 2 ** 40]);
  const config = {
    chunk_shape: [inner],
    codecs: of(pick, [[little], [little, { name: "gzip", configuration: { level: 1 } }]]),
    index_codecs: of(pick, [[little], [little, { name: "crc32c" }]]),
    index_location: of(pick, ["start", "end"]),
  };
  const codecs = of(pick, [
    [{ name: "sharding_indexed", configuration: config }],
    [
      {
        name: "sharding_indexed",
        configuration: { ...config, codecs: [{ name: "sharding_indexed", configuration: config }] },
      },
    ],
  ]);
  const entries = Math.min(count, 1000);
  const index = new BigUint64Array(2 * entries);
  for (let i = 0; i < index.length; i++)
    index[i] = of(pick, [0n, 1n, 16n, 2n ** 63n, 2n ** 64n - 1n, 2n ** 64n - 2n, BigInt(pick(1000)), 2n ** 53n]);
  const body = Buffer.concat([
    Buffer.alloc(pick(100)),
    new Uint8Array(index.buffer),
    Buffer.alloc(of(pick, [0, 4, 5])),
  ]);
  const length = inner * count;
  const grid = { name: "regular", configuration: { chunk_shape: [length] } };
  return {
    about: `a shard of ${count} chunks of ${inner}`,
    objects: new Map([
      ["/zarr.json", json(array3({ shape: [length], chunk_grid: grid, codecs }))],
      ["/c/0", body],
    ]),
  };
}

// ---- containers -----------------------------------------------------------------

const put = (to, at, ...values) => {
  for (const [i, value] of values.entries()) if (at + i >= 0 && at + i < to.length) to[at + i] = value;
};

async function archive(pick) {
  const members = new Map([["zarr.json", json(array3({}))]]);
  for (let i = 0; i < of(pick, [2, 50, 2000]); i++)
    members.set(pick(20) ? `c/${i}` : of(pick, names) || "x", zeros.subarray(0, 5));
  const raw = new Uint8Array(await (await zip(members)).arrayBuffer());
  const all = Buffer.from(raw);
  const end = all.lastIndexOf(Buffer.from("PK\x05\x06", "latin1"));
  const directory = all.readUInt32LE(end + 16);
  const trick = of(pick, ["counts", "directory", "entry", "overlap", "zip64", "comment", "cut", "many", "bytes"]);
  const lie = () => of(pick, [0, 1, 0xffff, 0xfffffffe, 0xffffffff, all.length, pick(all.length)]) >>> 0;
  let made = all;
  if (trick === "counts") put(made, end + 8, pick(256), pick(256), pick(256), pick(256));
  else if (trick === "directory") made.writeUInt32LE(lie(), end + of(pick, [12, 16]));
  else if (trick === "entry") made.writeUInt32LE(lie(), directory + of(pick, [16, 20, 24, 42]));
  else if (trick === "overlap") {
    for (let at = directory; at + 46 < end && made.readUInt32LE(at) === 0x02014b50; )
      [, at] = [
        made.writeUInt32LE(0, at + 42),
        at + 46 + made.readUInt16LE(at + 28) + made.readUInt16LE(at + 30) + made.readUInt16LE(at + 32),
      ];
  } else if (trick === "zip64") {
    const record = Buffer.alloc(76);
    record.write("PK\x06\x06", 0, "latin1");
    for (const at of [4, 24, 32, 40, 48])
      record.writeBigUInt64LE(of(pick, [0n, 2n ** 63n, 2n ** 53n, BigInt(pick(9999))]), at);
    record.write("PK\x06\x07", 56, "latin1");
    record.writeBigUInt64LE(BigInt(of(pick, [end, 0, 2 ** 52])), 64);
    made.writeUInt32LE(0xffffffff, end + 16);
    made = Buffer.concat([made.subarray(0, end), record, made.subarray(end)]);
  } else if (trick === "comment") made = Buffer.concat([made, Buffer.alloc(70_000, "PK\x05\x06")]);
  else if (trick === "cut") made = made.subarray(pick(2) ? pick(made.length) : 0, made.length - pick(30));
  else if (trick === "many") {
    // Very many entries for one member.
    const one = made.subarray(directory, directory + 46 + made.readUInt16LE(directory + 28));
    const n = of(pick, [10_000, 100_000]);
    const tail = Buffer.from(made.subarray(end));
    tail.writeUInt16LE(0xffff & n, 8);
    tail.writeUInt16LE(0xffff & n, 10);
    tail.writeUInt32LE(n * one.length, 12);
    made = Buffer.concat([made.subarray(0, directory), ...repeat(n, () => one), tail]);
  } else for (let i = 0; i < 20; i++) put(made, directory + pick(made.length - directory), pick(256));
  return { about: `a zip archive: ${trick}`, objects: new Map([["/a.zip", made]]), address: "a.zip" };
}

function references(pick) {
  const target = () =>
    of(pick, [
      ["x", 0, 5],
      ["x", 2 ** 53, 2 ** 53],
      ["x", -1, 5],
      ["x", 0, 2 ** 63],
      ["{{u}}/x"],
      ["{{__proto__}}"],
      ["../../../x", 0, 1],
      ["file:///etc/passwd"],
      ["http://127.0.0.1:1/x", 0, 10],
      "base64:AQIDBAU=",
      `base64:${"A".repeat(of(pick, [4, 5, 4_000_000]))}`,
      "base64:****",
      `${"x".repeat(1_000_000)}`,
      [],
      [1, 2, 3],
      null,
      {},
    ]);
  const refs = {
    ".zgroup": { zarr_format: 2 },
    "a/.zarray": JSON.stringify(array2({})),
    "a/0": target(),
    "a/1": target(),
  };
  for (let i = 0; i < of(pick, [0, 10, 100_000]); i++) refs[`b/${i}`] = ["x", i, 1];
  if (pick(4) === 0) refs[of(pick, names)] = target();
  const doubling = Object.fromEntries([
    ["u0", "x".repeat(1000)],
    ...repeat(40, (i) => [`u${i + 1}`, `{{u${i}}}{{u${i}}}`]),
  ]);
  const templates = of(pick, [
    undefined,
    { u: "{{u}}" },
    { u: "{{v}}", v: "{{u}}" },
    { u: "{{u40}}", ...doubling },
    { u: "x".repeat(1e6) },
    1,
  ]);
  const range = (stop) => ({ i: { stop }, j: { start: 0, stop, step: 1 } });
  const gen = of(pick, [
    undefined,
    undefined,
    [
      {
        key: "a/{{i}}.{{j}}",
        url: "{{u}}",
        offset: "{{i*1000}}",
        length: "5",
        dimensions: range(of(pick, [3, 1000, 1e9, 2 ** 53])),
      },
    ],
    [{ key: "a/{{i}}", url: "x", dimensions: { i: repeat(100_000, (i) => i) } }],
    [{ key: "{{9**9**9}}", url: "x", dimensions: { i: { stop: 2 } } }],
    [{ key: "a/{{i}}", url: "x", dimensions: { i: { start: 0, stop: 10, step: 0 } } }],
  ]);
  const document = { version: of(pick, [1, 1, 1, 0, 2, "1"]), templates, gen, refs };
  return {
    about: `references: templates ${JSON.stringify(templates)?.slice(0, 40)}, gen ${JSON.stringify(gen)?.slice(0, 60)}`,
    objects: new Map([["/r.json", json(document)]]),
    address: "r.json",
  };
}

/** Files of fixtures, by key. */
function filesOf(folder) {
  const all = new Map();
  for (const entry of readdirSync(folder, { withFileTypes: true, recursive: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath ?? entry.path, entry.name);
    if (path.length < 500) all.set(path.slice(folder.length), path);
  }
  return all;
}

/** The fixtures below a folder to damage: stores, and containers with their addresses. */
function damaged(fixtures) {
  const manifest = JSON.parse(readFileSync(join(fixtures, "manifest.json"), "utf8"));
  const stores = manifest.cases.filter((c) => c.store_kind === "dir").map((c) => join(c.store, c.array));
  const { cases } = JSON.parse(readFileSync(join(fixtures, "public/containers.json"), "utf8"));
  const suffixes = { icechunk: "r|icechunk:", n5: "r|n5:", "reference-parquet": "r.parq" };
  const containers = Object.entries(suffixes).map(([kind, address]) => ({
    address,
    folders: [...new Set(cases.filter((c) => c.store_kind === kind).map((c) => join(fixtures, "public", c.store)))],
  }));
  const folders = new Map();
  const objectsOf = (folder, below = "") => {
    if (!folders.has(folder)) folders.set(folder, filesOf(folder));
    return new Map([...folders.get(folder)].map(([key, path]) => [below + key, new Uint8Array(readFileSync(path))]));
  };
  return { stores, containers, objectsOf, vocabulary: vocabularyOf([]) };
}

/** All kinds of cases; each makes `{ about, objects, address }` from random numbers. */
export function kindsOf(fixtures) {
  const { stores, containers, objectsOf, vocabulary } = damaged(fixtures);
  return {
    document,
    giant,
    hierarchy,
    rectilinear,
    bomb,
    elements,
    shard,
    archive,
    references,
    damaged(pick) {
      const store = of(pick, stores);
      const objects = objectsOf(join(fixtures, store, "."));
      const done = repeat(objects.size && 1 + pick(3), () => damage(pick, objects, vocabulary)).join("; ");
      return { about: `${store}: ${done}`.slice(0, 200), objects };
    },
    container(pick) {
      const { address, folders } = of(pick, containers);
      const folder = of(pick, folders);
      const objects = objectsOf(folder, `/${address.split("|")[0]}`);
      const done = repeat(1 + pick(2), () => damage(pick, objects, vocabulary)).join("; ");
      return { about: `${folder.slice(fixtures.length)}: ${done}`.slice(0, 200), objects, address };
    },
  };
}

// Tests downloads from a view: files are read back, and programs are run.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { inflateSync } from "node:zlib";
import * as zarr from "zarr-wasm";
import { describe } from "zarr-wasm/describe";
import * as take from "../../dist/view-take.js";
import { hostile } from "../browser/hostilestore.mjs";
import { random } from "../lib/random.mjs";
import { fullRun, turns } from "../lib/rounds.mjs";
import { serve, top } from "../lib/serve.mjs";

const run = promisify(execFile);
const out = join(top, "build", "test", "take");
const fixtures = join(top, "build", "fixtures");
mkdirSync(out, { recursive: true });
const server = await serve(".");
after(() => {
  server.close();
  zarr.terminate();
});

const packing = { scale: 1, offset: 0, missing: [], valid: null };
/** An axis of a slice with positions. */
const along = (name, length, more = {}) => ({
  axis: { name, title: name, length },
  coordinate: null,
  first: 0,
  length,
  factor: 1,
  start: 0,
  ...more,
});
const numbers = (list, units = "") => ({
  kind: "number",
  name: "x",
  units,
  length: list.length,
  number: (i) => list[i],
  text: (i) => `${list[i]} ${units}`,
});

/** A slice of synthetic elements. */
function sliceOf(type, data, { rows = null, columns, parts = 1, ...field } = {}) {
  return {
    field: { name: "t2m", units: "", values: "number", categories: [], packing, text: String, ...field },
    array: { dtype: type.name },
    selection: [],
    rows,
    columns,
    parts,
    member: undefined,
    type,
    data,
    bytes: null,
  };
}

/** Parses CSV by the grammar of RFC 4180. */
function readCsv(text) {
  const records = [];
  let i = 0;
  while (i < text.length) {
    const record = [];
    for (;;) {
      let cell = "";
      if (text[i] === '"') {
        for (i++; ; i++) {
          if (text[i] === '"' && text[i + 1] === '"') cell += text[i++];
          else if (text[i] === '"') break;
          else cell += text[i];
        }
        i++;
      } else while (i < text.length && text[i] !== "," && text[i] !== "\r") cell += text[i++];
      record.push(cell);
      if (text[i] !== ",") break;
      i++;
    }
    assert.equal(text.slice(i, i + 2), "\r\n");
    i += 2;
    records.push(record);
  }
  return records;
}

test("CSV: texts of any characters survive", () => {
  const next = random(7);
  const signs = ['"', ",", "\r", "\n", " ", "a", "é", "\u{1f600}", "=", "\t", ";", "'"];
  const word = () => Array.from({ length: next(6) }, () => signs[next(signs.length)]).join("");
  for (let round = 0; round < 200; round++) {
    const [height, width] = [1 + next(4), 1 + next(4)];
    const data = Array.from({ length: height * width }, word);
    const names = [word(), word()];
    const slice = sliceOf({ kind: "string", name: "string", size: 0 }, data, {
      rows: along(names[0], height),
      columns: along(names[1], width),
      values: "text",
    });
    const [head, ...lines] = readCsv(take.csvOf(slice));
    assert.deepEqual(head, [`${names[0]} \\ ${names[1]}`, ...Array.from({ length: width }, (_, c) => String(c))]);
    assert.deepEqual(
      lines,
      Array.from({ length: height }, (_, r) => [String(r), ...data.slice(r * width, (r + 1) * width)]),
    );
  }
});

test("CSV: numbers are unpacked and exact to the last bit, and missing ones are empty", () => {
  const next = random(11);
  const single = Float32Array.from({ length: 500 }, () => (next(2e9) - 1e9) / 10 ** next(12));
  single[3] = Number.NaN;
  const columns = along("x", 500);
  const cells = (slice) =>
    readCsv(take.csvOf(slice))
      .slice(1)
      .map(([, value]) => value);
  for (const [i, text] of cells(sliceOf({ kind: "float", name: "float32", size: 4 }, single, { columns })).entries()) {
    if (i === 3) assert.equal(text, "");
    else assert.equal(Math.fround(Number(text)), single[i]);
    assert.ok(text.length < 20);
  }
  const double = Float64Array.from(single, (value) => value * Math.PI);
  for (const [i, text] of cells(sliceOf({ kind: "float", name: "float64", size: 8 }, double, { columns })).entries())
    if (i !== 3) assert.equal(Number(text), double[i]);
  const big = BigInt64Array.from([-(2n ** 63n), 0n, 2n ** 62n + 1n, -1n]);
  const type = { kind: "int", name: "int64", size: 8 };
  assert.deepEqual(cells(sliceOf(type, big, { columns: along("x", 4), packing: { ...packing, missing: [-1] } })), [
    "-9223372036854775808",
    "0",
    "4611686018427387905",
    "",
  ]);
  const packed = { scale: 0.5, offset: 10, missing: [-99], valid: [-10, 100] };
  const short = { kind: "int", name: "int16", size: 2 };
  const stored = Int16Array.from([0, 3, -99, 101, -10]);
  assert.deepEqual(cells(sliceOf(short, stored, { columns: along("x", 5), packing: packed })), [
    "10",
    "11.5",
    "",
    "",
    "5",
  ]);
  // Bits reinterpreted as another type.
  const bytes = { kind: "int", name: "int8", size: 1 };
  const unsigned = { ...packing, type: "uint8", missing: [255] };
  assert.deepEqual(cells(sliceOf(bytes, Int8Array.of(-2, 5, -1), { columns: along("x", 3), packing: unsigned })), [
    "254",
    "5",
    "",
  ]);
  const flags = [
    { value: 1, label: "rain, snow" },
    { value: 2, label: "dry" },
  ];
  const kinds = sliceOf({ kind: "uint", name: "uint8", size: 1 }, Uint8Array.of(2, 1, 3), {
    columns: along("x", 3),
    values: "category",
    categories: flags,
  });
  assert.deepEqual(cells(kinds), ["dry", "rain, snow", "3"]);
  const complex = sliceOf({ kind: "complex", name: "complex64", size: 8 }, Float32Array.of(1, -2, -0.5, 3), {
    columns: along("x", 2),
  });
  assert.deepEqual(cells(complex), ["1-2i", "-0.5+3i"]);
  assert.throws(() => take.csvOf(sliceOf({ kind: "struct", name: "struct", size: 4 }, {}, { columns })), {
    name: "UnsupportedError",
  });
});

test("CSV: positions of coordinates, also of a level, and colours by their parts", () => {
  const x = numbers([0, 1, 2, 3, 4, 5, 6, 7], "m");
  const level = { coordinate: x, factor: 2, first: 1 };
  const type = { kind: "uint", name: "uint8", size: 1 };
  const slice = sliceOf(type, Uint8Array.of(1, 2, 3), { columns: along("x", 3, level), units: "K" });
  assert.deepEqual(readCsv(take.csvOf(slice)), [
    ["x (m)", "t2m (K)"],
    ["2.5", "1"],
    ["4.5", "2"],
    ["6.5", "3"],
  ]);
  const colour = sliceOf(type, Uint8Array.of(1, 2, 3, 4, 5, 6), {
    rows: along("y", 2),
    columns: along("x", 1),
    parts: 3,
  });
  assert.deepEqual(readCsv(take.csvOf(colour)), [
    ["y", "x", "red", "green", "blue"],
    ["0", "0", "1", "2", "3"],
    ["1", "0", "4", "5", "6"],
  ]);
});

/** Parses the Python literals of headers. */
function literal(text) {
  let i = 0;
  const space = () => {
    while (/\s/.test(text[i] ?? "")) i++;
  };
  const list = (end) => {
    const items = [];
    for (i++; ; ) {
      space();
      if (text[i] === end) break;
      items.push(value());
      space();
      if (text[i] === ",") i++;
      else assert.equal(text[i], end);
    }
    i++;
    return items;
  };
  function value() {
    space();
    if (text[i] === "(") return list(")");
    if (text[i] === "[") return list("]");
    if (text[i] === "{") {
      const entries = {};
      for (i++; ; ) {
        space();
        if (text[i] === "}") break;
        const key = value();
        space();
        assert.equal(text[i++], ":");
        entries[key] = value();
        space();
        if (text[i] === ",") i++;
      }
      i++;
      return entries;
    }
    if (text[i] === "'") {
      let found = "";
      for (i++; text[i] !== "'"; i++) {
        if (text[i] !== "\\") found += text[i];
        else if (text[++i] === "u" || text[i] === "U") {
          const digits = text[i] === "u" ? 4 : 8;
          found += String.fromCodePoint(Number.parseInt(text.slice(i + 1, i + 1 + digits), 16));
          i += digits;
        } else found += text[i];
      }
      i++;
      return found;
    }
    const [word] = /^(True|False|-?\d+)/.exec(text.slice(i)) ?? assert.fail(`no literal: ${text.slice(i)}`);
    i += word.length;
    return word === "True" ? true : word === "False" ? false : Number(word);
  }
  const found = value();
  space();
  assert.equal(i, text.length);
  return found;
}

/** Parses numpy's format by its documentation: the header and the following bytes. */
function readNpy(bytes) {
  assert.equal(Buffer.from(bytes.subarray(0, 6)).toString("latin1"), "\x93NUMPY");
  assert.deepEqual([...bytes.subarray(6, 8)], [1, 0]);
  const view = new DataView(bytes.buffer, bytes.byteOffset);
  const length = view.getUint16(8, true);
  assert.equal((10 + length) % 64, 0, "the elements are aligned");
  const header = Buffer.from(bytes.subarray(10, 10 + length)).toString("latin1");
  assert.ok(header.endsWith("\n"));
  return { ...literal(header), body: bytes.subarray(10 + length) };
}

/** numpy's name of a type, by an independent function. */
function descrOf(type) {
  const order = (size) => (size === 1 ? "|" : "<");
  switch (type.kind) {
    case "bool":
      return "|b1";
    case "int":
      return `${order(type.size)}i${type.size}`;
    case "uint":
      return `${order(type.size)}u${type.size}`;
    case "float":
      return `<f${type.size}`;
    case "complex":
      return `<c${type.size}`;
    case "datetime":
    case "timedelta": {
      const of = type.kind === "datetime" ? "M8" : "m8";
      if (type.unit === "generic") return `<${of}`;
      return `<${of}[${type.scale === undefined || type.scale === 1 ? "" : type.scale}${type.unit.replace(/[μµ]/, "u")}]`;
    }
    case "raw":
      return `|V${type.size}`;
    case "char":
      return `|S${type.size}`;
    case "unicode":
      return `<U${type.size / 4}`;
    case "struct":
      return type.fields.map(({ name, type }) =>
        type.kind === "sub" ? [name, descrOf(type.elem), type.shape] : [name, descrOf(type)],
      );
    default:
      return undefined;
  }
}

/** All intact fixtures that are folders. */
const { cases } = JSON.parse(readFileSync(join(fixtures, "manifest.json"), "utf8"));
const whole = cases.filter(({ store_kind, expect_error }) => store_kind === "dir" && !expect_error);

test("NPY: each fixture's first slice has numpy's header, and the bytes of its elements", async () => {
  const seen = new Set();
  const refused = new Map();
  for (const { id, store, array: path } of turns(whole, 3)) {
    let array;
    try {
      array = await zarr.open(zarr.root(join(fixtures, store)).resolve(path === "" ? "/" : path), { kind: "array" });
    } catch {
      continue; // A type that this package does not read.
    }
    if (array.shape.includes(0)) continue;
    const { field } = await describe(array);
    const { x, y } = field.plane.value;
    const wish = { field, level: 0, x, y, indices: field.indices };
    if (take.elementCount(take.selectionOf(wish)) > 200_000) continue;
    const slice = await take.readSlice(wish);
    const descr = descrOf(slice.type);
    let bytes;
    try {
      bytes = take.npyOf(slice);
    } catch (error) {
      assert.equal(error.name, "UnsupportedError", `${id}: ${error.stack}`);
      refused.set(slice.type.kind, id);
      continue;
    }
    seen.add(slice.type.kind);
    const npy = readNpy(bytes);
    assert.equal(npy.fortran_order, false);
    const shape = [slice.rows?.length, slice.columns?.length, slice.parts > 1 ? slice.parts : undefined];
    assert.deepEqual(
      npy.shape,
      shape.filter((n) => n !== undefined),
      id,
    );
    if (descr === undefined || JSON.stringify(descr).includes("null")) continue;
    assert.deepEqual(npy.descr, descr, id);
    // The same elements as packed bytes, where their order is the array's.
    const items = slice.selection.map((one) => (typeof one === "number" ? one : zarr.slice(...one)));
    const order = [y, x, field.colourAxis].filter((d) => d !== null);
    if (order.some((d, i) => i > 0 && d < order[i - 1]) || array.type.size === 0) continue;
    const { data } = await array.get(items, { as: "bytes" });
    if (/^int[24]$|^uint[24]$/.test(array.dtype)) continue;
    assert.ok(Buffer.from(npy.body).equals(Buffer.from(data)), id);
  }
  const kinds = [
    "bool",
    "int",
    "uint",
    "float",
    "complex",
    "datetime",
    "timedelta",
    "raw",
    "char",
    "unicode",
    "struct",
    "string",
  ];
  // A day's turn has fixtures of most kinds.
  const lacking = kinds.filter((kind) => !seen.has(kind));
  assert.ok(lacking.length <= (fullRun ? 0 : 4), `no fixture of ${lacking}`);
  for (const kind of refused.keys())
    assert.ok(
      ["bytes", "object", "optional", "ragged", "string", "char", "struct"].includes(kind),
      `${kind} is refused`,
    );
});

test("NPY: halves, small floats, texts, structs of structs, names of any characters", () => {
  const columns = along("x", 4);
  // All halves: each bit pattern is preserved.
  const halves = Float32Array.from({ length: 65_536 }, (_, bits) => {
    const [sign, exponent, rest] = [bits >> 15 ? -1 : 1, (bits >> 10) & 31, bits & 1023];
    if (exponent === 31) return rest ? Number.NaN : sign * Infinity;
    return sign * (exponent ? (1 + rest / 1024) * 2 ** (exponent - 15) : rest * 2 ** -24);
  });
  const half = readNpy(
    take.npyOf(sliceOf({ kind: "float", name: "float16", size: 2 }, halves, { columns: along("x", 65_536) })),
  );
  assert.equal(half.descr, "<f2");
  const view = new DataView(half.body.buffer, half.body.byteOffset);
  for (let bits = 0; bits < 65_536; bits++) {
    const got = view.getUint16(2 * bits, true);
    if (Number.isNaN(halves[bits])) assert.ok((got & 0x7c00) === 0x7c00 && (got & 1023) !== 0);
    else assert.equal(got, bits);
  }
  const small = readNpy(
    take.npyOf(sliceOf({ kind: "minifloat", name: "bfloat16", size: 2 }, Float32Array.of(1, 2, 3, 4), { columns })),
  );
  assert.equal(small.descr, "<f4");
  const text = { kind: "string", name: "string", size: 0 };
  const words = readNpy(take.npyOf(sliceOf(text, ["", "a\u{1f600}b", "é", "x"], { columns })));
  assert.equal(words.descr, "<U3");
  const utf32 = new Uint32Array(words.body.slice().buffer);
  assert.deepEqual([...utf32], [0, 0, 0, 97, 0x1f600, 98, 233, 0, 0, 120, 0, 0]);
  assert.throws(() => take.npyOf(sliceOf(text, ["", null, "é", "x"], { columns })), { name: "UnsupportedError" });
  const inner = { kind: "struct", name: "struct", size: 3, fields: [] };
  inner.fields = [
    { name: "it's \\ é\u{1f600}", offset: 0, type: { kind: "int", name: "int16", size: 2 } },
    { name: "b", offset: 2, type: { kind: "bool", name: "bool", size: 1 } },
  ];
  const outer = { kind: "struct", name: "struct", size: 7, fields: [] };
  outer.fields = [
    { name: "f", offset: 0, type: { kind: "float", name: "float32", size: 4 } },
    { name: "s", offset: 4, type: inner },
  ];
  const data = {
    f: Float32Array.of(1, 2),
    s: { "it's \\ é\u{1f600}": Int16Array.of(-1, 258), b: Uint8Array.of(1, 0) },
  };
  const nested = readNpy(take.npyOf(sliceOf(outer, data, { columns: along("x", 2) })));
  assert.deepEqual(nested.descr, [
    ["f", "<f4"],
    [
      "s",
      [
        ["it's \\ é\u{1f600}", "<i2"],
        ["b", "|b1"],
      ],
    ],
  ]);
  assert.deepEqual([...nested.body], [0, 0, 128, 63, 255, 255, 1, 0, 0, 0, 64, 2, 1, 0]);
});

/**
 * Parses the subset of TIFF that is written here: tags with their values, and the numbers of its
 * strip.
 */
function readTiff(bytes) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  assert.deepEqual([...bytes.subarray(0, 4)], [0x49, 0x49, 42, 0]);
  const at = view.getUint32(4, true);
  const tags = new Map();
  let last = 0;
  for (let k = 0; k < view.getUint16(at, true); k++) {
    const entry = at + 2 + 12 * k;
    const [tag, type, count] = [
      view.getUint16(entry, true),
      view.getUint16(entry + 2, true),
      view.getUint32(entry + 4, true),
    ];
    assert.ok(tag > last, "tags rise");
    last = tag;
    const size = { 2: 1, 3: 2, 4: 4, 12: 8 }[type];
    const from = size * count <= 4 ? entry + 8 : view.getUint32(entry + 8, true);
    assert.equal(from % 2, 0, "values lie at even places");
    const read = {
      2: (p) => view.getUint8(p),
      3: (p) => view.getUint16(p, true),
      4: (p) => view.getUint32(p, true),
      12: (p) => view.getFloat64(p, true),
    }[type];
    const values = Array.from({ length: count }, (_, i) => read(from + i * size));
    tags.set(tag, type === 2 ? String.fromCharCode(...values).replace(/\0$/, "") : values);
  }
  const [[place], [length], [how]] = [tags.get(273), tags.get(279), tags.get(259)];
  let strip = bytes.subarray(place, place + length);
  if (how === 8) strip = inflateSync(strip);
  const [bits, format] = [tags.get(258)[0], tags.get(339)[0]];
  const Of = {
    18: Uint8Array,
    116: Uint16Array,
    132: Uint32Array,
    28: Int8Array,
    216: Int16Array,
    232: Int32Array,
    332: Float32Array,
    364: Float64Array,
  }[`${format}${bits}`];
  return { tags, data: new Of(new Uint8Array(strip).buffer) };
}

test("GeoTIFF: numbers of every type survive, with north up and west at the left", async () => {
  const next = random(5);
  const kinds = [
    ["uint", Uint8Array, 1],
    ["uint", Uint16Array, 2],
    ["uint", Uint32Array, 4],
    ["int", Int8Array, 1],
    ["int", Int16Array, 2],
    ["int", Int32Array, 4],
    ["float", Float32Array, 4],
    ["float", Float64Array, 8],
  ];
  for (const [kind, Of, size] of kinds)
    for (const [east, north] of [
      [1, -1],
      [1, 1],
      [-1, 1],
      [-1, -1],
    ]) {
      const [width, height] = [1 + next(40), 1 + next(40)];
      const data = Of.from({ length: width * height }, () => next(250) - (kind === "uint" ? 0 : 120));
      const name = Of.name.replace("Array", "").toLowerCase();
      const slice = sliceOf({ kind, name, size }, data, { rows: along("lat", height), columns: along("lon", width) });
      const [a, c, e, f] = [0.25 * east, 10, 0.5 * north, 50];
      const { tags, data: got } = readTiff(
        await take.tiffOf(slice, { transform: [a, 0, c, 0, e, f], crs: "EPSG:4326", geographic: true }),
      );
      assert.deepEqual([tags.get(256)[0], tags.get(257)[0]], [width, height]);
      assert.ok(got instanceof Of);
      const [sx, sy] = tags.get(33_550);
      const [, , , tx, ty] = tags.get(33_922);
      assert.ok(sx === 0.25 && sy === 0.5);
      // Each element is at its place by the transform of the stored order.
      for (let r = 0; r < height; r++)
        for (let col = 0; col < width; col++) {
          const [x, y] = [a * (col + 0.5) + c, e * (r + 0.5) + f];
          const [column, row] = [Math.floor((x - tx) / sx), Math.floor((ty - y) / sy)];
          assert.equal(got[row * width + column], data[r * width + col]);
        }
      assert.deepEqual(tags.get(34_735), [1, 1, 0, 3, 1024, 0, 1, 2, 1025, 0, 1, 1, 2048, 0, 1, 4326]);
    }
});

test("GeoTIFF: packed and missing values, integers of 64 bits, colours, slanted grids, other systems", async () => {
  const where = { transform: [2, 1, 5, 1, -2, 6], crs: "EPSG:32632", geographic: false };
  const axes = { rows: along("y", 2), columns: along("x", 2) };
  const short = { kind: "int", name: "int16", size: 2 };
  const one = { ...axes, packing: { ...packing, missing: [-9] } };
  const kept = readTiff(await take.tiffOf(sliceOf(short, Int16Array.of(1, -9, 3, 4), one), where));
  assert.deepEqual([kept.tags.get(42_113), [...kept.data]], ["-9", [1, -9, 3, 4]]);
  assert.deepEqual(kept.tags.get(34_264), [2, 1, 0, 5, 1, -2, 0, 6, 0, 0, 0, 0, 0, 0, 0, 1]);
  assert.deepEqual(kept.tags.get(34_735).slice(4), [1024, 0, 1, 1, 1025, 0, 1, 1, 3072, 0, 1, 32_632]);
  const scaled = { ...axes, packing: { scale: 0.5, offset: 1, missing: [-9], valid: [-8, 3] } };
  const floats = readTiff(await take.tiffOf(sliceOf(short, Int16Array.of(1, -9, 3, 4), scaled), where));
  assert.deepEqual([floats.tags.get(42_113), [...floats.data]], ["nan", [1.5, Number.NaN, 2.5, Number.NaN]]);
  const long = { kind: "uint", name: "uint64", size: 8 };
  const big = sliceOf(long, BigUint64Array.of(1n, 2n ** 53n, 7n, 9n), axes);
  assert.deepEqual([...readTiff(await take.tiffOf(big, where)).data], [1, 2 ** 53, 7, 9]);
  const beyond = sliceOf(long, BigUint64Array.of(1n, 2n ** 53n + 1n, 7n, 9n), axes);
  await assert.rejects(take.tiffOf(beyond, where), { name: "UnsupportedError" });
  const colour = sliceOf(
    { kind: "uint", name: "uint8", size: 1 },
    Uint8Array.from({ length: 12 }, (_, i) => i),
    {
      ...axes,
      parts: 3,
    },
  );
  const rgb = readTiff(await take.tiffOf(colour, { ...where, crs: "a local system" }));
  assert.deepEqual(
    [rgb.tags.get(262), rgb.tags.get(277), [...rgb.data]],
    [[2], [3], Array.from({ length: 12 }, (_, i) => i)],
  );
  assert.equal(rgb.tags.get(34_737), "a local system|");
  await assert.rejects(
    take.tiffOf(sliceOf({ kind: "complex", name: "complex64", size: 8 }, new Float32Array(8), axes), where),
    {
      name: "UnsupportedError",
    },
  );
});

test("the georeference of a slice: even coordinates, transforms, levels, or the reason for none", () => {
  const place = { lonLat: true, curvilinear: null, transform: null, crs: "" };
  const of = (x, y, more = {}, level = {}) => {
    const columns = along("lon", x.length, { coordinate: numbers(x), ...level });
    const rows = along("lat", y.length, { coordinate: numbers(y) });
    const field = { axes: [rows.axis, columns.axis], plane: { value: { x: 1, y: 0 } }, place, ...more };
    return take.georeferenceOf({ field, rows, columns });
  };
  assert.deepEqual(of([0, 1, 2], [10, 8, 6]), {
    transform: [1, 0, -0.5, 0, -2, 11],
    crs: "EPSG:4326",
    geographic: true,
  });
  // Single precision is even enough.
  assert.equal(
    typeof of(
      Array.from({ length: 1440 }, (_, i) => Math.fround(i * 0.1)),
      [10, 8],
    ),
    "object",
  );
  assert.match(of([0, 1, 3], [10, 8]), /along lon are not evenly spaced/);
  // One column is as wide as its neighbour is far; without a neighbour its width is unknown.
  assert.match(of([0], [10, 8]), /along lon/);
  const field = { axes: [along("lat", 2).axis, along("lon", 1).axis], plane: { value: { x: 1, y: 0 } }, place };
  for (const first of [0, 3, 9]) {
    const columns = {
      ...along("lon", 1, { coordinate: numbers(Array.from({ length: 10 }, (_, i) => 5 * i)), first }),
      axis: field.axes[1],
    };
    const rows = { ...along("lat", 2, { coordinate: numbers([10, 8]) }), axis: field.axes[0] };
    const { transform } = take.georeferenceOf({ field, rows, columns });
    assert.deepEqual(transform, [5, 0, 5 * first - 2.5, 0, -2, 11]);
  }
  assert.equal(of([0, 1, 2], [10, 8], { place: null }), "Its place on the Earth is unknown.");
  assert.equal(
    of([0, 1, 2], [10, 8], { plane: { value: { x: 0, y: 1 } } }),
    "The drawn axes are not those of the map.",
  );
  const transform = [10, 0, 500_000, 0, -10, 4_000_000];
  const utm = { place: { lonLat: false, curvilinear: null, transform, crs: "EPSG:32632" } };
  assert.deepEqual(of([0, 1], [0, 1], utm, { first: 3, factor: 2 }), {
    transform: [20, 0, 500_060, 0, -10, 4_000_000],
    crs: "EPSG:32632",
    geographic: false,
  });
});

test("a slice is the same whichever axes are its rows and columns, of every level, and bounded", async () => {
  const array = await zarr.open(join(fixtures, "ome/image_v05.zarr/0"), { kind: "array" });
  const { field } = await describe(array);
  const rank = array.shape.length;
  const all = await array.get();
  for (let y = 0; y < rank; y++)
    for (let x = 0; x < rank; x++) {
      if (x === y) continue;
      const indices = array.shape.map((n) => n - 1);
      const part = { left: 1, top: 0, right: 3, bottom: 2 };
      const plain = { ...field, colourAxis: null };
      const { data, rows, columns } = await take.readSlice({ field: plain, level: 0, x, y, indices, part });
      assert.deepEqual(
        [columns.first, columns.length, rows.length],
        [1, Math.min(2, array.shape[x] - 1), Math.min(2, array.shape[y])],
      );
      for (let r = 0; r < rows.length; r++)
        for (let c = 0; c < columns.length; c++) {
          const at = indices.map((i, d) => (d === x ? c + 1 : d === y ? r : i));
          const place = at.reduce((sum, i, d) => sum + i * all.stride[d], 0);
          assert.equal(data[r * columns.length + c], all.data[place]);
        }
    }
  const huge = { shape: [1e5, 1e5] };
  const big = {
    axes: huge.shape.map((length, d) => ({ name: `d${d}`, length, coordinate: async () => null })),
    colourAxis: null,
    levels: [{ array: huge, factor: [1, 1], start: [0, 0] }],
  };
  await assert.rejects(take.readSlice({ field: big, level: 0, x: 1, y: 0, indices: [0, 0] }), { name: "LimitError" });
});

test("the code for a slice: JavaScript reads the same numbers, Go compiles and reads them", async () => {
  const url = `${server.url}build/fixtures/ome/image_v04.zarr`;
  const node = await zarr.open(zarr.root(url).resolve("/0"), { kind: "array" });
  const { field } = await describe(node);
  const [y, x] = [node.shape.length - 2, node.shape.length - 1];
  const wish = {
    field,
    level: 0,
    x,
    y,
    indices: node.shape.map(() => 0),
    part: { left: 2, top: 0, right: 9, bottom: node.shape[y] },
  };
  const { data, selection } = await take.readSlice(wish);
  const of = { url, path: "/0", selection, shape: node.shape, dimensions: null, dataset: null };

  const script = join(out, "slice.mjs");
  writeFileSync(script, `${take.codeOf("javascript", of)}\nexport { data, shape };\n`);
  const found = await import(pathToFileURL(script));
  assert.deepEqual([...found.data], [...data]);
  assert.deepEqual(found.shape, [node.shape[y], 7]);

  const folder = join(out, "slice");
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "main.go"), take.codeOf("go", of));
  try {
    const { stdout } = await run("go", ["run", "./build/test/take/slice"], { cwd: top });
    assert.equal(stdout, `${node.dtype} [${node.shape[y]} 7] ${data.byteLength}\n`);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test("the code for a slice: Python, by zarr and by xarray", () => {
  const of = {
    url: "https://example.org/a b.zarr",
    path: "/ocean/sst",
    selection: [3, [0, 180], [10, 20]],
    shape: [12, 180, 360],
    dimensions: ["time", "lat", "lon"],
    dataset: "/ocean",
  };
  assert.equal(
    take.codeOf("python", of),
    `import zarr  # with fsspec and aiohttp for addresses

array = zarr.open("https://example.org/a b.zarr", mode="r", path="ocean/sst")
data = array[3, :, 10:20]
`,
  );
  assert.equal(
    take.codeOf("xarray", of),
    `import xarray as xr

dataset = xr.open_zarr("https://example.org/a b.zarr", group="ocean")
data = dataset["sst"].isel({"time": 3, "lon": slice(10, 20)})
`,
  );
  assert.equal(take.codeOf("xarray", { ...of, dimensions: null }), null);
  assert.equal(take.codeOf("xarray", { ...of, dimensions: ["x", "x", "y"] }), null);
  assert.match(take.codeOf("python", { ...of, path: "/", selection: [], shape: [] }), /"\)\ndata = array\[\(\)\]/);
});

test("the code for a slice of hostile names is the code for a slice, with their texts in it", async () => {
  const of = { selection: [3, [0, 180], [10, 20]], shape: [12, 180, 360] };
  const program = (language, text) => {
    const url = `https://example.org/${text}`;
    return take.codeOf(language, { ...of, url, path: `/a/${text}`, dimensions: [text, "lat", "lon"], dataset: "/a" });
  };
  const string = /"(?:[^"\\\n]|\\.)*"/gu;
  // Valid characters after a backslash, and printable ones.
  const valid = {
    javascript: /^"(?:[^\\\p{C}\p{Zl}\p{Zp}]|\\(?:["\\bfnrt]|u[0-9a-f]{4}|u\{[0-9a-f]+\}))*"$/u,
    python: /^"(?:[^\\\p{C}\p{Zl}\p{Zp}]|\\(?:["\\bfnrt]|u(?!d[89a-f])[0-9a-f]{4}|U000[0-9a-f]{5}))*"$/u,
  };
  const texts = [...hostile, "tag \u{e0001}", "</script><!--", "\u007f\u009f\u00ad", "end\\"];
  const folder = join(out, "hostile");
  mkdirSync(folder, { recursive: true });
  for (const [n, text] of texts.entries()) {
    for (const language of ["javascript", "python", "xarray", "go"]) {
      const code = program(language, text);
      assert.equal(
        code.replace(string, '""'),
        program(language, "plain").replace(string, '""'),
        `${language}: ${code}`,
      );
      for (const literal of code.match(string)) assert.match(literal, valid[language] ?? valid.python, language);
      assert.doesNotMatch(code, /<\/|<!/, "it could end a page's script");
      if (language === "go") writeFileSync(join(folder, `hostile${n}.go`), code);
    }
    // Run with a replacement of the package, it receives the texts.
    const given = [];
    const code = program("javascript", text).replace(
      /^import .*$/m,
      "const root = (url) => ({ resolve: (path) => given.push(url, path) });",
    );
    const AsyncFunction = (async () => {}).constructor;
    await new AsyncFunction("given", "open", "slice", code)(
      given,
      async () => ({ get: async () => ({}) }),
      () => {},
    );
    assert.deepEqual(
      given,
      [`https://example.org/${text}`, `/a/${text}`].map((one) => one.replace(/\p{Cs}/gu, "\ufffd")),
    );
  }
  try {
    // fails where one cannot be read
    await run("gofmt", ["-l", ...texts.map((_, n) => join(folder, `hostile${n}.go`))]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test("links: addresses with the opened data, and none for unreachable data", () => {
  const url = "https://example.org/a%20b.zarr?v=1&w=2";
  const found = Object.fromEntries(take.elsewhere(url, "image").map((one) => [one.id, one]));
  assert.deepEqual(Object.keys(found), ["neuroglancer", "vizarr", "validator", "napari"]);
  const state = JSON.parse(decodeURIComponent(found.neuroglancer.href.split("#!")[1]));
  assert.equal(state.layers[0].source, `zarr://${url}`);
  assert.equal(state.layers[0].name, "a b.zarr");
  assert.equal(new URL(found.vizarr.href).searchParams.get("source"), url);
  assert.equal(new URL(found.validator.href).searchParams.get("source"), url);
  assert.equal(found.napari.command, `napari --plugin napari-ome-zarr '${url}'`);
  assert.deepEqual(
    take.elsewhere(url, "array").map(({ id }) => id),
    ["neuroglancer"],
  );
  for (const other of ["file:///data.zarr", "data.zarr", "blob:https://example.org/1"])
    assert.deepEqual(take.elsewhere(other, "image"), []);
  const embed = take.embedOf([
    ["src", 'https://example.org/"><script>'],
    ["index", "time:3"],
  ]);
  assert.match(embed, /<zarr-view src="https:\/\/example\.org\/&quot;&gt;&lt;script&gt;" index="time:3" /);
  assert.equal(take.fileName(["../t2m", "time: 2020-01-01 00:00"], "csv"), "t2m_time-2020-01-01-00-00.csv");
  assert.equal(take.fileName(["/"], "npy"), "zarr.npy");
});

test("SVG: drawings and texts, without characters that XML forbids", () => {
  const pen = new take.SvgPen((text) => 6 * text.length);
  pen.fillStyle = "#123456";
  pen.save();
  pen.translate(10, 20);
  pen.rotate(-Math.PI / 2);
  pen.fillStyle = "#abcdef";
  pen.textAlign = "center";
  pen.font = "600 12px system-ui, sans-serif";
  pen.fillText('<a & "b">\u0000', 0, 0);
  pen.beginPath();
  pen.rect(0, 0, 5, 5);
  pen.clip();
  pen.fillRect(0, 0, 1, 1);
  pen.restore();
  pen.fillRect(1, 2, 3, 4);
  pen.fillStyle = "rgb(1 2 3 / 0.5)";
  pen.fillRect(0, 0, 1, 1);
  const text = pen.document(100, 50, "t & u");
  assert.match(text, /<title>t &amp; u<\/title>/);
  assert.match(text, /matrix\(0 -1 1 0 10 20\)/);
  assert.match(text, /text-anchor="middle" font-family="system-ui, sans-serif" font-size="12" font-weight="600"/);
  assert.match(text, />&lt;a &amp; &quot;b&quot;&gt;<\/text>/);
  assert.match(text, /<path d="M1 2L4 2L4 6L1 6Z" fill="#123456"\/>/);
  assert.match(text, /fill="rgb\(1,2,3\)" fill-opacity="0.5"/);
  assert.equal(text.match(/<g /g).length, text.match(/<\/g>/g).length);
});

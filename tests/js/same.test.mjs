// Compares all fixtures that zarrita can open. It compares data type, answers of is(), shape,
// chunks, attributes, names and fill value. It also compares the class of the data and its values,
// whole and by chunk. The migration page has a heading for each kind of difference, and each kind
// occurs.
import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { isDeepStrictEqual } from "node:util";
import { ZipFileStore } from "@zarrita/storage";
import * as zarrita from "zarrita";
import * as zarr from "../../dist/node.js";
import { top } from "../lib/serve.mjs";

after(() => zarr.terminate());

const fixtures = `${top}build/fixtures`;

/** All directories with an array of version 2 or 3, whatever its metadata. */
function* directories(dir) {
  const entries = readdirSync(dir, { withFileTypes: true });
  const names = entries.map((entry) => entry.name);
  if (names.includes(".zarray")) yield [dir, 2];
  if (names.includes("zarr.json") && !/"node_type": *"group"/.test(readFileSync(join(dir, "zarr.json"), "utf8"))) {
    yield [dir, 3];
  }
  for (const entry of entries) if (entry.isDirectory()) yield* directories(join(dir, entry.name));
}

/**
 * The files of a directory. (That of @zarrita/storage ends the process when a damaged shard has it
 * read at an odd place.)
 */
function files(dir) {
  const get = (key) => (existsSync(dir + key) ? new Uint8Array(readFileSync(dir + key)) : undefined);
  const getRange = async (key, range) => {
    const from = "suffixLength" in range ? -range.suffixLength : range.offset;
    return get(key)?.subarray(from, "suffixLength" in range ? undefined : from + range.length);
  };
  return { get: async (key) => get(key), getRange };
}

/**
 * All arrays that can be compared: a name, the version, and a way to open them with either package.
 */
function* arrays() {
  for (const [dir, version] of directories(fixtures)) {
    yield [dir.slice(fixtures.length + 1), version, () => files(dir)];
  }
  const { cases } = JSON.parse(readFileSync(`${fixtures}/manifest.json`, "utf8"));
  for (const { store, store_kind, array, format } of cases) {
    if (store_kind !== "zip") continue;
    const archive = () => ZipFileStore.fromBlob(new Blob([readFileSync(`${fixtures}/${store}`)]));
    yield [`${store}/${array}`, format, archive, array];
  }
}

const types = [
  ..."int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 float64 bool string v2:object".split(" "),
  ..."v2:U1 v2:U7 v2:S1 v2:S7 number bigint boolean object".split(" "),
];

const attempt = async (run) => {
  try {
    return { value: await run() };
  } catch (error) {
    return { error };
  }
};

/** The elements in C order. */
function elements({ data, shape, stride }) {
  const out = [];
  const walk = (d, at) => {
    if (d === shape.length) out.push(typeof data.get === "function" ? data.get(at) : data[at]);
    else for (let i = 0; i < shape[d]; i++) walk(d + 1, at + i * stride[d]);
  };
  walk(0, 0);
  return out;
}

/** The compared parts of a result. */
function result(value) {
  if (value === null || typeof value !== "object" || !("stride" in value)) return { scalar: value };
  return { class: value.data.constructor.name, shape: value.shape, stride: value.stride, values: elements(value) };
}

const whole = 100_000;

/**
 * Whether zarrita has all codecs of a chain. It reports a missing one by an unhandled rejection.
 */
const readable = (codecs) =>
  codecs.every(({ name, configuration: { codecs = [], index_codecs = [] } = {} }) =>
    name === "sharding_indexed" ? readable(codecs) && readable(index_codecs) : zarrita.registry.has(name),
  );

/** Compares the same array in both packages, and returns the differences. */
async function differences(id, version, make, path = "") {
  const open = async (lib) => {
    const place = lib.root(await make()).resolve(path || "/");
    return (version === 2 ? lib.open.v2 : lib.open.v3)(place, { kind: "array" });
  };
  const theirs = await attempt(() => open(zarrita));
  if (theirs.error) return undefined;
  const ours = await attempt(() => open(zarr));
  const found = [];
  const compare = (what, a, b) => {
    if (isDeepStrictEqual(a, b)) return;
    const { fillValue: fill, shape } = ours.value ?? theirs.value;
    found.push({ id, what, ours: a, theirs: b, fill, shape });
  };
  if (ours.error) {
    compare("open", ours.error, "opens");
    return found;
  }
  const [a, b] = [ours.value, theirs.value];
  for (const name of ["kind", "path", "dtype", "shape", "chunks", "attrs", "dimensionNames", "fillValue"]) {
    compare(name, a[name], b[name]);
  }
  for (const type of [...types, b.dtype]) compare(`is ${type}`, a.is(type), b.is(type));
  const { codecs, filters, compressor } = Object.values(a.metadata)[0];
  const v2 = [...(filters ?? []), compressor ?? []].flat().map(({ id }) => ({ name: `numcodecs.${id}` }));
  if (!readable(version === 3 ? codecs : v2.filter(({ name }) => name !== "numcodecs.fixedscaleoffset"))) return found;
  const reads = [["getChunk", (_, array) => array.getChunk(array.shape.map(() => 0))]];
  if (b.shape.reduce((n, size) => n * size, 1) <= whole) reads.push(["get", (lib, array) => lib.get(array)]);
  for (const [name, read] of reads) {
    const [x, y] = await Promise.all([attempt(() => read(zarr, a)), attempt(() => read(zarrita, b))]);
    if (y.error) continue; // zarrita cannot read it
    if (x.error) {
      compare(name, x.error, "reads");
      continue;
    }
    const [one, other] = [result(x.value), result(y.value)];
    for (const key of Object.keys(other)) compare(`${name} ${key}`, one[key], other[key]);
  }
  return found;
}

/** Whether all values differ by a kind. */
const differ =
  (tell) =>
  ({ what, ours, theirs, fill }) =>
    what.endsWith(" values") && ours.every((v, i) => isDeepStrictEqual(v, theirs[i]) || tell(v, theirs[i], fill));
const opening =
  (name) =>
  ({ what, ours }) =>
    what === "open" && ours.name === name;

const rounded = (_, value) => (typeof value === "bigint" ? Number(value) : value);

/** The kinds of differences, by their headings on the migration page. */
const kinds = {
  "Data is in C order always": ({ what }) => what.endsWith(" stride"),
  "Byte strings that are not UTF-8 are Latin-1": differ(
    (ours, theirs, fill) => theirs?.includes?.("\ufffd") || ours === fill,
  ),
  "Fill values are exact": (d) =>
    (d.what === "fillValue" && d.theirs !== undefined) ||
    differ((ours, _, fill) => isDeepStrictEqual(ours, fill ?? ""))(d),
  "Objects of several dimensions are elements": ({ id, what }) => /json2_nd$/.test(id) && what.endsWith(" values"),
  "Bytes of text have no order": ({ id, what }) => /\/types.zarr\/c$/.test(id) && what.endsWith(" values"),
  "Codecs honour their whole configuration": ({ id, what }) =>
    / (values|shape)$|^chunks$/.test(what) &&
    /delta_(astype|f8_f4)|\/outer_(transpose|gzip|crc)|transpose.zarr\/twice|index_location\/start|\/m0(15|22)$/.test(
      id,
    ),
  "Chunks outside the grid are errors": ({ what, ours, shape }) =>
    what === "getChunk" && ours.name === "InvalidSelectionError" && (shape.includes(0) || shape.length === 0),
  "More data types and codecs open": ({ what, ours, theirs }) =>
    what === "chunks" && Array.isArray(ours) && theirs === undefined,
  "Unknown codecs are found when opening": opening("UnknownCodecError"),
  "Metadata that must be understood is": opening("UnsupportedError"),
  "Metadata that is not valid is refused": opening("InvalidMetadataError"),
  "Lengths of 2^53 and more are refused": opening("LimitError"),
  "Attributes always come": ({ what, ours, theirs }) =>
    what === "attrs" && isDeepStrictEqual(ours, {}) && theirs === undefined,
  "Integers in attributes are exact": ({ what, ours, theirs }) =>
    what === "attrs" && isDeepStrictEqual(JSON.parse(JSON.stringify(ours, rounded)), theirs),
  "Names of dimensions fit the array": ({ id, what }) =>
    /\/dims_(v2_wrong_length|v3_attr_only)/.test(id) && what === "dimensionNames",
  "Dimensions without names have none": ({ what, ours, theirs }) =>
    what === "dimensionNames" && ours === undefined && theirs === null,
  "Damaged chunks are errors": ({ id, what, ours }) =>
    /^corrupt\//.test(id) && /^get/.test(what) && /^(CodecPipeline|Limit)Error$/.test(ours.name),
};

test("what zarrita opens of the fixtures is the same here, but for what the migration page says", async () => {
  const page = readFileSync(`${top}docs/start/migrating.md`, "utf8");
  const headings = new Set([...page.matchAll(/^### (.*)$/gm)].map(([, title]) => title));
  const unused = new Set(Object.keys(kinds));
  const unexplained = [];
  let compared = 0;
  for (const args of arrays()) {
    const found = await differences(...args);
    if (!found) continue;
    compared++;
    for (const difference of found) {
      const kind = Object.keys(kinds).find((name) => kinds[name](difference));
      if (kind) unused.delete(kind);
      else unexplained.push(difference);
    }
  }
  const text = ({ id, what, ours, theirs }) => `${id}: ${what}: ${show(ours)}, zarrita: ${show(theirs)}`;
  const lines = unexplained.map(text);
  assert.ok(lines.length === 0, `${lines.length} differences that are not on the page:\n${lines.join("\n")}`);
  assert.deepEqual([...unused], [], "kinds of differences that there are no longer");
  for (const kind of Object.keys(kinds)) assert.ok(headings.has(kind.trim()), `${kind} is not on the page`);
  assert.ok(compared > 700, `${compared} arrays`);
});

test("what zarrita creates without a fill value is read as zarrita reads it, with codecs and without", async () => {
  // zarrita cannot read 64-bit integers that it creates in this way.
  const dtypes = "int8 int16 int32 uint8 uint16 uint32 float32 float64 bool".split(" ");
  const bytes = { name: "bytes", configuration: { endian: "little" } };
  for (const [dtype, given] of dtypes.flatMap((dtype) => [undefined, [bytes]].map((codecs) => [dtype, codecs]))) {
    const map = new Map();
    const theirs = await zarrita.create(map, { shape: [5, 3], chunkShape: [2, 2], dtype, codecs: given });
    const { codecs, fill_value } = JSON.parse(new TextDecoder().decode(map.get("/zarr.json")));
    assert.deepEqual([codecs, fill_value], [given ?? [], null], "what this is about");
    const one = dtype === "bool" ? true : 77;
    await zarrita.set(theirs, [zarrita.slice(1, 3), 1], one);
    const ours = await zarr.open(map, { kind: "array" });
    assert.deepEqual([ours.dtype, ours.fillValue, ours.chunks], [dtype, null, [2, 2]]);
    const [a, b] = [result(await zarr.get(ours)), result(await zarrita.get(theirs))];
    assert.deepEqual(a, b, dtype);
    assert.equal(a.values.filter((v) => v === one).length, 2);
    assert.deepEqual(
      result(await ours.getChunk([2, 1])),
      result(await theirs.getChunk([2, 1])),
      `${dtype}, not stored`,
    );
  }
});

function show(value) {
  if (value instanceof Error) return `${value.name}: ${value.message}`;
  const text = JSON.stringify(value, (_, v) =>
    typeof v === "bigint" ? `${v}n` : Object.is(v, -0) ? "-0" : Number.isNaN(v) ? "NaN" : v,
  );
  return String(text).slice(0, 80);
}

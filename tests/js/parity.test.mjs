// Compares the conventions in Go and in JavaScript, on fixtures that are damaged at pick. Both
// must give the same answers. This runs another seed, with ten times as many questions:
//
//   SEED=6 PARITY_TIMES=10 node --test tests/js/parity.test.mjs
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { stringify } from "../../dist/model.js";
import { answer, terminate } from "../conventions/answers/answers.mjs";
import * as ome from "../conventions/ome-properties.mjs";
import { stored } from "../describe/stored.mjs";
import { arrayV3, groupV3, typedArrays } from "../lib/documents.mjs";
import { random } from "../lib/random.mjs";

const top = fileURLToPath(new URL("../../", import.meta.url));
const times = Number(process.env.PARITY_TIMES ?? 1);

after(terminate);

/**
 * Reads JSON like the package: with bare NaN and Infinity, and bigints for integers that a number
 * cannot hold.
 */
const { outputFiles } = await build({
  entryPoints: [`${top}js/data/json.ts`],
  bundle: true,
  format: "esm",
  write: false,
});
const { parseJson } = await import(
  `data:text/javascript;base64,${Buffer.from(outputFiles[0].text).toString("base64")}`
);

/** Go's answers to lines of questions. */
function askGo(lines) {
  return new Promise((resolve, reject) => {
    const child = spawn(`${top}build/answers`, { stdio: ["pipe", "pipe", "inherit"] });
    const out = [];
    child.stdout.on("data", (chunk) => out.push(chunk));
    child.on("error", reject);
    child.on("close", (code) => {
      if (code !== 0) reject(new Error(`answers ended with ${code}`));
      else resolve(Buffer.concat(out).toString().trim().split("\n"));
    });
    child.stdin.end(`${lines.join("\n")}\n`);
  });
}

/** Rare values of members. */
const odd = [
  null,
  true,
  false,
  0,
  -0,
  1,
  -1,
  2,
  3,
  0.5,
  -1.5,
  1e-300,
  1e300,
  5e-324,
  1e21,
  2 ** 31,
  2 ** 53 - 1,
  -(2 ** 53 - 1),
  2n ** 53n + 1n,
  2n ** 63n - 1n,
  -(2n ** 63n),
  2n ** 64n - 1n,
  2n ** 64n,
  10n ** 30n,
  Number.NaN,
  Number.POSITIVE_INFINITY,
  Number.NEGATIVE_INFINITY,
  "",
  " ",
  "a",
  "0",
  "1",
  "-1",
  "NaN",
  "é",
  "𝒳\u{10FFFF}",
  "\uFFFD\u00A0",
  "a\u0000b",
  "../..",
  "/",
  "a/b",
  ".",
  "x",
  "y",
  "true",
  "AAAAAAAA8D8=",
  "__proto__",
  "constructor",
  [],
  {},
  [[]],
  [null],
  [1, 2],
  [0, 0],
  ["a", "a"],
  [{}],
  { a: 1 },
  [Number.NaN],
  { __proto__: null, toString: 1, length: 2 },
];

const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);

/** All places in a value: the object or list, and the name in it. */
function places(value, found = []) {
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) {
      found.push([value, i]);
      places(value[i], found);
    }
  } else if (isObject(value)) {
    for (const name of Object.keys(value)) {
      found.push([value, name]);
      places(value[name], found);
    }
  }
  return found;
}

const copied = (value) =>
  Array.isArray(value)
    ? value.map(copied)
    : isObject(value)
      ? Object.fromEntries(Object.entries(value).map(([name, one]) => [name, copied(one)]))
      : value;

/** A value damaged at some places, with other values of its kind. */
function damaged(pick, value, others = odd) {
  const root = { value: copied(value) };
  for (let n = pick.of([0, 1, 1, 1, 2, 2, 3, 5]); n > 0; n--) {
    const all = places(root);
    const [holder, name] = pick.of(all);
    const [from, called] = pick.of(all);
    switch (pick(7)) {
      case 0:
        if (Array.isArray(holder)) holder.splice(name, 1);
        else if (holder !== root) delete holder[name];
        break;
      case 1:
        if (Array.isArray(holder)) holder.splice(name, 0, copied(holder[name]));
        break;
      case 2:
        holder[name] = copied(from[called]);
        break;
      case 3:
        if (isObject(holder) && holder !== root) {
          holder[pick.of([called, name, "a", ""])] = copied(holder[name]);
        }
        break;
      case 4:
        holder[name] = [holder[name]];
        break;
      case 5:
        holder[name] = copied(pick.of(others));
        break;
      default:
        holder[name] = copied(pick.of(odd));
    }
  }
  return root.value;
}

/** The documents of a hierarchy of the fixtures, by key, and its chunks. */
function storeAt(path, withChunks = true) {
  const [documents, chunks] = [{}, {}];
  const root = `${top}build/fixtures/${path}`;
  for (const entry of readdirSync(root, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const key = `${entry.parentPath ?? entry.path}/${entry.name}`.slice(root.length + 1);
    const bytes = readFileSync(`${root}/${key}`);
    if (/(^|\/)(zarr\.json|\.z\w+|\.nc\w+|\.zattrs)$/.test(key)) documents[key] = parseJson(bytes.toString());
    else if (withChunks) chunks[key] = bytes.toString("base64");
  }
  return { documents, chunks };
}

const storesAt = (folder, withChunks) =>
  readdirSync(`${top}build/fixtures/${folder}`)
    .filter((name) => name.endsWith(".zarr"))
    .map((name) => storeAt(`${folder}/${name}`, withChunks));

/** The attributes of all nodes of hierarchies. */
const attributesOf = (stores) =>
  stores.flatMap(({ documents }) =>
    Object.entries(documents).flatMap(([key, document]) => {
      if (key.endsWith(".zattrs")) return [document];
      return isObject(document?.attributes) ? [document.attributes] : [];
    }),
  );

/** A hierarchy in which the attributes of one node are damaged. */
function damagedStore(pick, { documents, chunks }, others) {
  const copy = copied(documents);
  const keys = Object.keys(copy).filter((key) => /(zarr\.json|\.zattrs)$/.test(key));
  if (keys.length === 0) keys.push(".zattrs");
  const key = pick.of(keys);
  copy[key] ??= {};
  if (key.endsWith("zarr.json")) copy[key].attributes = damaged(pick, copy[key].attributes ?? {}, others);
  else copy[key] = damaged(pick, copy[key], others);
  // Attributes that are no object are refused before any convention reads them.
  const attributes = key.endsWith("zarr.json") ? copy[key].attributes : copy[key];
  if (!isObject(attributes)) return { documents, chunks };
  if (copy[key].consolidated_metadata !== undefined) delete copy[key].consolidated_metadata;
  delete copy[".zmetadata"];
  return { documents: within(64, copy), chunks };
}

/**
 * A value without integers of more bits: beyond 64 bits the engine gives JavaScript the nearest
 * number.
 */
function within(bits, value) {
  if (typeof value === "bigint") return BigInt.asUintN(bits, value < 0n ? -value - 1n : value) === value ? value : 0;
  if (Array.isArray(value)) return value.map((one) => within(bits, one));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, within(bits, one)]));
}

/** Members with the user's values, which are compared unchanged. */
const asWritten = new Set(["attributes", "encoding", "properties", "parameters", "projjson"]);

/** Members that are paths of nodes, which begin with a slash in JavaScript. */
const paths = new Set(["path", "source"]);

/**
 * An answer in a common form: without empty values, and with numbers, dates and typed arrays alike.
 */
function plain(value) {
  if (typeof value === "bigint" && Number.isSafeInteger(Number(value))) return Number(value);
  if (ArrayBuffer.isView(value)) return Array.from(value, plain);
  if (Array.isArray(value)) return value.map((one) => plain(one) ?? null);
  if (typeof value?.toISOString === "function") return value.toISOString();
  if (!isObject(value)) return value;
  const members = Object.entries(value).map(([name, one]) => {
    if (paths.has(name) && typeof one === "string") return [name, one.replace(/^\//, "")];
    if (asWritten.has(name)) return [name, one === undefined ? undefined : stringify(sorted(one))];
    return [name, plain(one)];
  });
  return Object.fromEntries(members.filter(([, one]) => !isNothing(one)).sort(([a], [b]) => (a < b ? -1 : 1)));
}

const isNothing = (value) =>
  value === undefined ||
  value === null ||
  value === "" ||
  value === "{}" ||
  (Array.isArray(value) && value.length === 0) ||
  (isObject(value) && Object.keys(value).length === 0);

const sorted = (value) =>
  Array.isArray(value)
    ? value.map(sorted)
    : isObject(value)
      ? Object.fromEntries(
          Object.keys(value)
            .sort()
            .map((name) => [name, sorted(value[name])]),
        )
      : typeof value === "bigint" && Number.isSafeInteger(Number(value))
        ? Number(value)
        : value;

/**
 * Questions about sines, tangents or inverse matrices, whose last digits differ between platforms.
 */
const rounds = new Set(["geo.mercator", "ome.transform"]);

const told = ({ path = "", attribute, message }) => [path.replace(/^\//, ""), attribute, message].join("#");

/** Questions whose problems come from concurrently read nodes, in any order. */
const unordered = new Set(["geo.pyramid", "geo.georeference"]);

const rounded = (value) =>
  typeof value === "number" ? Number(value.toPrecision(13)) : Array.isArray(value) ? value.map(rounded) : value;

/** The places where two answers differ. */
function* differences(go, js, at = "") {
  if (typeof go === "object" && typeof js === "object" && go !== null && js !== null) {
    for (const name of new Set([...Object.keys(go), ...Object.keys(js)])) {
      yield* differences(go[name], js[name], `${at}/${name}`);
    }
  } else if (!Object.is(go, js)) yield `${at}: Go ${shown(go)}, JavaScript ${shown(js)}`;
}

const shown = (value) => (value === undefined ? "nothing" : stringify(value).slice(0, 400));

/**
 * Asks both, and fails with the first questions that they answer differently.
 *
 * @param check throws for a fault of an answer that is not an error, from either side
 * @param most the largest share of errors among the answers
 */
async function compare(questions, { check, most = 0.9 } = {}) {
  const lines = questions.map((one) => stringify(one));
  const answers = await askGo(lines);
  assert.equal(answers.length, lines.length, "an answer to each question");
  const wrong = [];
  let errors = 0;
  for (const [i, line] of lines.entries()) {
    const roundedOff = rounds.has(questions[i].what);
    const there = parseJson(answers[i]);
    const here = await answer(parseJson(line));
    if (here.error) errors++;
    const [go, js] = [there, here].map(({ error, value }) => {
      if (error !== undefined) return { error };
      const { problems } = value?.pyramid ?? value ?? {};
      if (unordered.has(questions[i].what)) problems?.sort((a, b) => (told(a) < told(b) ? -1 : 1));
      const said = isNothing(value) ? null : plain(value);
      return {
        value: roundedOff ? Object.fromEntries(Object.entries(said).map(([at, of]) => [at, rounded(of)])) : said,
      };
    });
    let amiss;
    try {
      if (!here.error) check?.(questions[i], here.value);
    } catch (error) {
      amiss = error.message;
    }
    try {
      assert.deepStrictEqual(js, go);
      assert.equal(amiss, undefined);
    } catch {
      const said = amiss ?? [...differences(go, js)].slice(0, 3).join("\n  ");
      wrong.push(`question ${i}: ${line}\n  ${said}\n  ${there.message ?? ""} | ${here.message ?? ""}`);
    }
  }
  const all = `${wrong.length} of ${lines.length} answers differ`;
  assert.equal(wrong.length, 0, `${all}:\n${wrong.slice(0, Number(process.env.PARITY_SHOW ?? 10)).join("\n")}`);
  // If nearly everything were refused, little would be compared.
  assert.ok(errors <= most * lines.length, `${errors} of ${lines.length} answers are errors`);
}

const many = (count, make) => Array.from({ length: count * times }, (_, i) => make(i));

const calendars = ["", "standard", "gregorian", "proleptic_gregorian", "julian", "noleap", "365_day", "all_leap"];
calendars.push("366_day", "360_day", "none", " Standard ", "NOLEAP", "utc", "martian", "360_day\u00a0");
const timeUnits =
  "nanoseconds ns microseconds us µs ms seconds S min minutes hours Hr days d weeks months month years common_year fortnights".split(
    " ",
  );

/** A date as people write it, or almost. */
function dateText(pick) {
  const year = pick.of([
    "1970",
    "2000",
    "1582",
    "0",
    "-1",
    "-0001",
    "1",
    "99999",
    "1600",
    "2020",
    "+4",
    "9999999999999",
    "",
  ]);
  const month = pick.of(["1", "01", "02", "2", "10", "12", "13", "0", "1"]);
  const day = pick.of(["1", "01", "28", "29", "30", "31", "05", "14", "15", "0", "32"]);
  const clock = pick.of([
    "",
    "",
    "",
    "T12",
    " 12:30",
    "T00:00:00",
    " 6:0:0.5",
    "T23:59:59.9999995",
    "T24",
    " 1:60",
    " 0600",
    "T123456.25",
    "\t5:00",
    "T",
    " 5:00:",
    " 5.",
  ]);
  const zone = pick.of(["", "", "", "Z", " UTC", " gmt", "+01:00", "-0530", " +5", " -3:30", " EST", "+24:00", "z "]);
  const date = pick.of([
    `${year}-${month}-${day}`,
    `${year}-${month}`,
    year,
    "20000229",
    "2000-02-30",
    "15821010",
    "now",
  ]);
  return `${date}${clock}${zone}`;
}

const pickedNumber = (pick) =>
  pick.of([
    () => pick(2_000_000) - 1_000_000,
    () => pick(2_000_000) / 7 - 100_000,
    () => (pick.next() - 0.5) * 10 ** pick(16),
    () => BigInt.asIntN(64, BigInt(Math.floor(pick.next() * 2 ** 53)) * 2049n + BigInt(pick(1000))),
    () =>
      pick.of([
        0,
        -0,
        0.5,
        2.5e-7,
        1e-12,
        2 ** 53,
        1e15,
        1e22,
        1e300,
        Number.NaN,
        Number.NEGATIVE_INFINITY,
        2n ** 64n - 1n,
        -(2n ** 63n),
      ]),
  ])();

test("times: units, calendars, dates and their texts", async () => {
  const pick = random(1);
  const unitsOf = () =>
    `${pick.of(timeUnits)}${pick.of([" since ", " since ", " SINCE ", "  since\t", " after ", " "])}${dateText(pick)}`;
  const calendar = () => (pick.chance(0.8) ? pick.of(calendars.slice(0, 10)) : pick.of(calendars));
  await compare([
    ...many(4000, () => ({ what: "cf.date", units: unitsOf(), calendar: calendar(), value: pickedNumber(pick) })),
    ...many(1500, () => ({ what: "cf.partial", text: dateText(pick), calendar: calendar() })),
    ...many(500, () => ({
      what: "cf.number",
      units: `${pick.of(timeUnits)} since ${pick(3000)}-1-1`,
      calendar: calendar(),
      parts: [pick(4000) - 1000, pick(14), pick(33), pick(25), pick(61), pick(61), pick(1_000_001)],
    })),
    ...many(700, () => ({
      what: "cf.datetime64",
      value: BigInt.asIntN(64, BigInt(Math.floor((pick.next() - 0.5) * 10 ** pick(20)))),
      unit: pick.of("Y M W D h m s ms us µs ns ps fs as generic".split(" ")),
      scale: pick.of([1, 1, 1, 3, 25, 1000]),
    })),
  ]);
});

const types = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float32", "float64"];

/** Attributes of a variable. */
function variableAttributes(pick) {
  const number = () =>
    pick.of([
      0,
      1,
      -1,
      2,
      0.1,
      -9999,
      255,
      65535,
      -32768,
      32767,
      1e20,
      0.5,
      127,
      200,
      4294967295,
      2n ** 63n - 1n,
      2n ** 64n - 1n,
      -(2n ** 63n),
    ]);
  const strange = () =>
    pick.of([
      "NaN",
      "Infinity",
      "-Infinity",
      "AAAAAAAA8D8=",
      "AAAAAAAA+H8=",
      "1",
      Number.NaN,
      Number.POSITIVE_INFINITY,
      null,
    ]);
  const value = () => (pick.chance(0.85) ? number() : strange());
  const few = () => (pick.chance(0.7) ? value() : Array.from({ length: pick(4) }, value));
  const makes = {
    _FillValue: few,
    missing_value: few,
    scale_factor: () => (pick.chance(0.8) ? pick.of([0.1, 1, 2, -0.5, 0, 1e-310, 1e300]) : few()),
    add_offset: () => (pick.chance(0.8) ? pick.of([0, -0, 273.15, 1e300, -5]) : few()),
    valid_min: few,
    valid_max: few,
    valid_range: () => (pick.chance(0.7) ? [value(), value()] : few()),
    _Unsigned: () => pick.of(["true", "false", "True", true, "", ["true"]]),
    units: () =>
      pick.of([
        "K",
        "days",
        "hours",
        "seconds",
        "months",
        "weeks",
        "days since 2000-01-01",
        "hours since 1582-10-1",
        "months since 1970-1-1",
        "ns",
        3,
        "",
      ]),
    calendar: () => pick.of([...calendars, 5, null]),
    dtype: () => pick.of(["bool", "timedelta64[ns]", "timedelta64", "timedelta64[]", "timedelta64[µs]", "int", 1]),
    flag_meanings: () => pick.of(["a b c", "a", "", " a  b\tc ", 1, "a b\u00a0c", ["a"]]),
    flag_values: () =>
      pick.of([
        [1, 2, 3],
        1,
        [1, 2],
        [],
        [1, 2, 2],
        ["1", "2", "3"],
        [1.5, 2, 3],
        [-1, 255, 2n ** 64n - 1n],
        [2n ** 63n, 1, 10n ** 30n],
        [1e20, 2, 3],
      ]),
    flag_masks: () => pick.of([[1, 2, 4], 1, [3, 3, 12], [0, 1, 2], null]),
    _Encoding: () => pick.of(["utf-8", "UTF8", "ascii", "latin-1", 1, "us-ascii"]),
    _ARRAY_DIMENSIONS: () => ["x"],
    other: () => pick.of(odd),
  };
  const names = Object.keys(makes).filter(() => pick.chance(0.25));
  return Object.fromEntries(names.map((name) => [name, makes[name]()]));
}

/** Elements of a type, often equal to those that attributes name. */
function rawOf(pick, dtype, count) {
  const known = [0, 1, -1, 255, 254, 65535, -32768, 32767, -9999, 127, -128, 200, 2147483647, 4294967295, 3.5, 1e20];
  if (dtype.startsWith("float")) {
    const Of = dtype === "float32" ? Float32Array : Float64Array;
    const more = [...known, Number.NaN, Number.POSITIVE_INFINITY, -0, 0.1, 1e300];
    return new Of(Array.from({ length: count }, () => pick.of(more)));
  }
  const bits = Number(/\d+$/.exec(dtype)[0]);
  const value = () =>
    pick.chance(0.7)
      ? BigInt(Math.trunc(pick.of(known)))
      : BigInt(Math.floor(pick.next() * 2 ** 53)) << BigInt(pick(12));
  const edges = [-(2n ** 63n), 2n ** 63n - 1n, 2n ** 64n - 1n, 2n ** 53n + 1n, 2n ** 53n];
  const all = Array.from({ length: count }, () => (pick.chance(0.1) ? pick.of(edges) : value()));
  const Of = typedArrays[dtype];
  return Of.from(all, (n) => (bits === 64 ? n : Number(BigInt.asIntN(53, n))));
}

test("decoding: masks, packing, flags, times and text", async () => {
  const pick = random(2);
  const fixed = attributesOf(storesAt("conventions/cf", false));
  const options = () =>
    Object.fromEntries(
      [
        "noMaskAndScale",
        "noDecodeTimes",
        "decodeTimedelta",
        "noConcatCharacters",
        "validRange",
        "useZarrFillValueAsMask",
        "float32",
      ]
        .filter(() => pick.chance(0.15))
        // Go has no setting that keeps durations as numbers when the attribute dtype marks them as
        // durations.
        .map((name) => [name, name === "decodeTimedelta" || pick.chance(0.9)]),
    );
  const ask = () => {
    const attributes = pick.chance(0.3) ? damaged(pick, pick.of(fixed)) : variableAttributes(pick);
    const common = {
      what: "cf.decode",
      attributes: isObject(attributes) ? attributes : {},
      format: pick.of([1, 2, 3]),
      options: options(),
    };
    if (pick.chance(0.05)) {
      const size = pick.of([1, 1, 3]);
      const raw = Buffer.from(pick.of(["abcdef", "ab\0\0\0\0", "é\0\0\0\0", "\0\0\0\0\0\0"])).subarray(0, 6);
      return { ...common, dtype: "bytes", kind: "char", size, raw: raw.toString("base64") };
    }
    const dtype = pick.of(types);
    const data = rawOf(pick, dtype, 8);
    const fill = pick.chance(0.4) ? data.slice(0, 1) : undefined;
    return {
      ...common,
      dtype,
      kind: /^[a-z]+/.exec(dtype)[0],
      size: data.BYTES_PER_ELEMENT,
      raw: Buffer.from(data.buffer).toString("base64"),
      ...(fill && { fill: Buffer.from(fill.buffer).toString("base64"), fillValue: fill[0] }),
    };
  };
  await compare(many(6000, ask));
});

const omeStores = () => [...storesAt("conventions/ome", false)];

/** The groups of tests/conventions/ome-properties.mjs, each as documents and chunks. */
const omeGroups = [
  ...ome
    .documents()
    .map((attributes) => withChunks(ome.storedOf(attributes, { 0: { shape: [4, 8, 8] }, 1: { shape: [2, 4, 4] } }))),
  ...ome.hierarchyCases.map(({ attributes, arrays, groups }) => withChunks(ome.storedOf(attributes, arrays, groups))),
];

const scenes = "public/zarr-developers+zarr-java/testdata/ome/v0.6_scene";

/** Documents, and chunks as questions have them. */
function withChunks({ documents, chunks }) {
  const base64 = Object.entries(chunks).map(([key, bytes]) => [key, Buffer.from(bytes.buffer).toString("base64")]);
  return { documents, chunks: Object.fromEntries(base64) };
}

test("OME-Zarr: validation", async () => {
  const pick = random(3);
  const all = attributesOf(omeStores()).filter((one) => Object.keys(one).length > 0);
  for (const entry of readdirSync(`${top}build/fixtures/public`, { recursive: true, withFileTypes: true })) {
    const path = `${entry.parentPath ?? entry.path}/${entry.name}`;
    if (!entry.isFile() || !/\.json$/.test(path)) continue;
    try {
      const document = parseJson(readFileSync(path, "utf8"));
      const attributes = document?.zarr_format ? document.attributes : document;
      if (
        isObject(attributes) &&
        /"(multiscales|plate|well|ome|omero|image-label|scene)"/.test(stringify(attributes)) &&
        stringify(attributes).length < 20_000
      )
        all.push(attributes);
    } catch {
      // Some are damaged.
    }
  }
  assert.ok(all.length > 50, `${all.length} documents`);
  all.push(...ome.documents());
  const inside = all.flatMap((one) => places(one).map(([holder, name]) => holder[name]));
  await compare(
    many(4000, () => ({
      what: "ome.validate",
      attributes: damaged(pick, pick.of(all), inside),
      version: pick.chance(0.6) ? "" : pick.of(["0.1", "0.2", "0.3", "0.4", "0.5", "0.6"]),
    })),
    {
      check: (_, { valid, problems }) =>
        assert.equal(
          valid,
          problems.every(({ level }) => level !== "MUST"),
        ),
    },
  );
});

/** A hierarchy of one group with these attributes. */
const groupWith = (attributes) => ({ "zarr.json": groupV3(within(64, attributes)) });

test("OME-Zarr: images, plates and labels", async () => {
  const pick = random(4);
  const stores = [...omeStores(), ...omeGroups];
  const infinite = [Number.NaN, Number.POSITIVE_INFINITY, -1e300];
  const number = () =>
    pick.chance(0.03) ? pick.of(infinite) : pick.of([0, 1, -1, 0.5, 2, 100, 1e6, 3.25, pick(1000) / 7]);
  const ask = () => {
    const rank = pick.of([2, 3, 3, 4, 5]);
    const named = () =>
      Object.fromEntries(["x", "y", "z", "c", "q"].filter(() => pick.chance(0.4)).map((name) => [name, number()]));
    const viewport = named();
    const pixels = Object.fromEntries(Object.keys(viewport).map((name) => [name, number()]));
    const ends = () => [number(), number() + 0.25];
    return {
      what: "ome.image",
      ...damagedStore(pick, pick.of(stores)),
      ...(pick.chance(0.2) && { multiscale: pick.of([0, 1, 2, -1, "i", "b"]) }),
      index: Array.from({ length: rank }, number),
      point: Array.from({ length: rank }, number),
      ...{ viewport, pixels },
      box: Object.fromEntries(Object.keys(named()).map((name) => [name, ends()])),
    };
  };
  await compare(many(800, ask), {
    check(_, { axes, levels }) {
      const names = new Set(axes.map(({ name }) => name));
      assert.ok(names.size === axes.length && levels.length > 0, "axes");
      for (const { scale, translation } of levels) {
        assert.ok(scale.length === axes.length && translation.length === axes.length, "lengths");
        assert.ok([...scale, ...translation].every(Number.isFinite) && !scale.includes(0), `scale ${scale}`);
      }
    },
  });
  const withLabels = stores.filter(({ documents }) => /"(labels|image-label)"/.test(stringify(documents)));
  const plates = stores.filter(({ documents }) => stringify(documents).includes('"plate"'));
  await compare([
    ...many(150, () => ({ what: "ome.labels", ...damagedStore(pick, pick.of(withLabels)) })),
    ...many(250, () => {
      const attributes = pick.of(attributesOf(plates).filter((one) => stringify(one).includes('"plate"')));
      const bad = damaged(pick, attributes);
      return { what: "ome.plate", documents: groupWith(isObject(bad) ? bad : attributes) };
    }),
    ...many(150, () => ({ what: pick.of(["ome.series", "ome.well"]), ...damagedStore(pick, pick.of(stores)) })),
  ]);
});

test("OME-Zarr: images, plates and labels against stored nodes", async () => {
  const pick = random(14);
  const cases = ome.hierarchyCases.map(({ attributes, arrays, groups, path }) => ({
    what: "ome.validateImage",
    ...withChunks(ome.storedOf(attributes, arrays, groups)),
    path,
  }));
  await compare(cases);
  const stores = [...omeStores(), ...omeGroups];
  const groups = ({ documents }) =>
    Object.entries(documents).flatMap(([key, one]) => {
      const [path, name] = [key.replace(/\/?[^/]*$/, ""), key.replace(/^.*\//, "")];
      return name === ".zgroup" || one?.node_type === "group" ? [path] : [];
    });
  await compare(
    many(500, () => {
      const store = damagedStore(pick, pick.of(stores));
      return { what: "ome.validateImage", ...store, path: pick.of(groups(store)) };
    }),
  );
});

test("OME-Zarr: transformations between coordinate systems", async () => {
  const pick = random(15);
  const names = ["physical", "world", "moon", "sun"];
  const cases = [...ome.transformationCases, ...ome.refusedTransformations].map((one) => {
    const arrays = one.find((item) => item?.m);
    return { ...withChunks(ome.storedOf(ome.image06([ome.link(one[0])]), arrays)), transformation: one[0] };
  });
  const asked = cases.map(({ transformation: _, ...store }) => ({
    what: "ome.transform",
    ...store,
    from: "physical",
    to: "world",
    point: [3, 5],
  }));
  await compare(asked);
  const several = () => {
    const all = Array.from({ length: 1 + pick(4) }, () => {
      const { transformation } = pick.of(cases);
      return ome.link(damaged(pick, transformation), pick.of(names), pick.of(names));
    });
    const { chunks, documents } = pick.of(cases);
    const own = { ...documents, "zarr.json": { ...documents["zarr.json"], attributes: ome.image06(all) } };
    return { documents: within(64, own), chunks };
  };
  const reference = () => (pick.chance(0.2) ? { path: pick.of(["s0", "s1"]) } : pick.of(names));
  await compare(
    many(800, () => ({
      what: "ome.transform",
      ...several(),
      from: reference(),
      to: reference(),
      point: Array.from({ length: pick.of([1, 2, 2, 2, 2]) }, () => pick(100) / 8 - 4),
    })),
  );
  const stores = readdirSync(`${top}build/fixtures/${scenes}`).map((name) => storeAt(`${scenes}/${name}`));
  const paths = ["instrument1", "instrument2", "instrument3", "sampleA_instrument1", "sampleA_instrument2"];
  const ends = (one) => ({ path: one, name: one.startsWith("sample") ? `physical_${one.slice(8)}` : "physical" });
  await compare(
    many(150, () => ({
      what: "ome.transform",
      scene: true,
      ...damagedStore(pick, pick.of(stores)),
      from: pick.chance(0.1) ? { path: `${pick.of(paths)}/s0` } : ends(pick.of(paths)),
      to: ends(pick.of(paths)),
      point: [1, 2, 3],
    })),
  );
});

test("geo: affines, grid mappings and Web Mercator", async () => {
  const pick = random(5);
  const number = () =>
    pick.chance(0.03)
      ? pick.of([Number.NaN, Number.POSITIVE_INFINITY])
      : pick.of([0, 1, -1, 0.5, 30, -30, 1e-3, 300_000, 5_200_000, 1e300, 1e-300, pick.next() * 100 - 50]);
  const sorted2 = () => [number(), number()].sort((a, b) => a - b);
  const texts = [
    "crs",
    "crs: x y",
    "crs: x y crs84: lat lon",
    "crs:x y",
    "a b",
    ":",
    "",
    "a: b: c",
    "crs :x",
    "a:  b",
    "30 0 1 0 30 2",
    "1,2,3,4,5,6",
    " 3e5 30 0 52e5 0 -30 ",
    "0x10 1 0 0 0 1",
    "1 1 0 0 0 1 ",
    "1 inf 0 0 0 1",
    "1. .5 0 0 0 1",
    "1 2 3 4 5",
  ];
  await compare([
    // Grids and boxes with edges at round numbers.
    ...many(1500, () => {
      const [w, h] = [2 ** (pick(5) - 2), 2 ** (pick(5) - 2) * pick.of([1, -1])];
      const ends = () => [pick(40) / 2 - 5, pick(40) / 2 - 5].sort((a, b) => a - b);
      const [[xmin, xmax], [ymin, ymax]] = [ends(), ends()];
      return {
        what: "geo.affine",
        affine: [w, 0, pick(9), 0, h, pick(9)],
        place: Array.from({ length: 4 }, () => pick(20) / 2),
        shape: [1 + pick(9), 1 + pick(9)],
        registration: pick.of(["pixel", "node"]),
        box: [xmin, ymin, xmax, ymax],
      };
    }),
    ...many(1500, () => {
      const [xmin, xmax] = sorted2();
      const [ymin, ymax] = sorted2();
      return {
        what: "geo.affine",
        affine: Array.from({ length: 6 }, number).map((one) => (Number.isFinite(one) ? one : 2)),
        place: Array.from({ length: 4 }, number),
        shape: [pick(100), pick(100)],
        registration: pick.of(["pixel", "node"]),
        box: [xmin, ymin, xmax, ymax],
      };
    }),
    ...many(200, () => ({
      what: "geo.mercator",
      place: pick.of([
        [number(), pick.next() * 180 - 90],
        [number(), number()],
        [0, 90],
        [0, -90],
      ]),
    })),
    ...many(200, () => ({ what: "geo.gridmapping", value: pick.of(texts) })),
    ...many(200, () => ({
      what: "geo.geotransform",
      value: pick.of([...texts, [1, 2, 3, 4, 5, 7], ["1", 0, 1, 0, 1, 2], ...odd]),
    })),
  ]);
});

/** The rules of geo.json: hierarchies of a few nodes. */
const geoRules = JSON.parse(readFileSync(`${top}tests/conventions/geo.json`, "utf8"));

/** Nodes by path, as geo.json has them, as their documents and chunks. */
function storeOfNodes(nodes) {
  const [documents, chunks] = [{}, {}];
  for (const [key, bytes] of stored(nodes)) {
    if (key.endsWith("zarr.json")) documents[key.slice(1)] = JSON.parse(new TextDecoder().decode(bytes));
    else chunks[key.slice(1)] = bytes;
  }
  return withChunks({ documents, chunks });
}

/** Attributes of georeferenced groups and arrays. */
const geoAttributes = () => [
  ...attributesOf(storesAt("conventions/geo", false)).filter((one) => Object.keys(one).length > 0),
  ...geoRules.flatMap(({ nodes }) => Object.values(nodes).flatMap(({ attributes }) => attributes ?? [])),
];

/** Rare values of geo's attributes. */
const strange = ["EPSG:99999999999", "a: b:", "spatial_ref", ["y", "x"], [1e300, 1e300], [1e-300, 0, 0, 0, 1e-300, 0]];

/** Fails if a number of an answer is not finite, except in values copied from the input. */
function finite(value, at = "") {
  if (typeof value === "number") assert.ok(Number.isFinite(value), `${at} is ${value}`);
  else if (value && typeof value === "object") {
    for (const [name, one] of Object.entries(value)) {
      if (name !== "projjson" && name !== "parameters") finite(one, `${at}/${name}`);
    }
  }
}

test("geo: validation and layouts", async () => {
  const pick = random(11);
  const all = geoAttributes();
  const inside = [...all.flatMap((one) => places(one).map(([holder, name]) => holder[name])), ...strange];
  const bad = () => {
    const one = damaged(pick, pick.of(all), inside);
    return isObject(one) ? one : {};
  };
  await compare(
    many(3000, () => ({ what: "geo.validate", attributes: bad() })),
    {
      check: (_, found) =>
        assert.ok(
          found.every(({ message, section }) => message && section),
          "nothing is said",
        ),
    },
  );
  await compare(
    many(3000, () => ({ what: "geo.layout", attributes: bad() })),
    { check: (_, layout) => finite(layout) },
  );
});

test("geo: georeferences and pyramids", async () => {
  const pick = random(13);
  const stores = [
    ...storesAt("conventions/geo"),
    ...geoRules.filter(({ nodes }) => !nodes[""]?.shape).map(({ nodes }) => storeOfNodes(nodes)),
  ];
  const all = geoAttributes();
  const inside = [...all.flatMap((one) => places(one).map(([holder, name]) => holder[name])), ...strange];
  /** A hierarchy in which all nodes have the same damaged attributes. */
  const everywhere = () => {
    const bad = damaged(pick, pick.of(all), inside);
    const attributes = within(64, isObject(bad) ? bad : {});
    const values = [1, 2, 3];
    return storeOfNodes({
      "": { attributes },
      0: { attributes },
      "0/t": { shape: [2, 3], dims: ["lat", "lon"], attributes },
      t: { shape: [2, 3], dims: ["y", "x"], attributes },
      y: { shape: [2], dims: ["y"], values: [1, 2], attributes },
      ...Object.fromEntries(
        ["x", "lat", "spatial_ref", "utm"].map((dim) => [dim, { shape: [3], dims: [dim], values, attributes }]),
      ),
    });
  };
  const store = () => (pick.chance(0.3) ? everywhere() : damagedStore(pick, pick.of(stores), inside));
  await compare(
    [
      ...many(450, () => {
        const one = store();
        const arrays = Object.keys(one.documents).filter((key) => /\/(\.zarray|zarr\.json)$/.test(key));
        const path = pick.chance(0.3) || arrays.length === 0 ? "" : pick.of(arrays).replace(/\/[^/]*$/, "");
        return { what: "geo.georeference", ...one, path };
      }),
      ...many(300, () => ({ what: "geo.pyramid", ...store(), units: pick.of([1, 30, 1e5, 0]) })),
    ],
    { check: (_, found) => finite(found.pyramid ?? found) },
  );
});

test("the object model: flattening, comparison", async () => {
  const pick = random(6);
  const stores = storesAt("conventions/model", false);
  const models = [];
  for (const store of stores) models.push((await answer({ what: "model.of", ...store })).value);
  const inside = models.flatMap((one) => places(one).map(([holder, name]) => holder[name]));
  // JavaScript refuses a value without a version, which is not a model, with a TypeError.
  const versioned = (of) => ({ ...of, zarr_format: of.zarr_format === 2 ? 2 : 3 });
  const model = () => {
    const of = damaged(pick, pick.of(models), inside);
    return isObject(of) ? versioned(of) : pick.of(models);
  };
  const badFlat = () => {
    const bad = damaged(pick, flat);
    return isObject(bad) ? bad : flat;
  };
  const { value: flat } = await answer({ what: "model.flatten", model: pick.of(models) });
  await compare([
    ...many(800, () => ({ what: "model.flatten", model: model() })),
    ...many(800, () => ({ what: "model.unflatten", flat: badFlat() })),
    ...many(500, () => {
      const a = model();
      const b = damaged(pick, a);
      return { what: "model.equal", a, b: pick.chance(0.5) && isObject(b) ? versioned(b) : model() };
    }),
    ...many(100, () => ({ what: "model.of", ...damagedStore(pick, pick.of(stores)) })),
  ]);
});

test("NCZarr: dimensions by reference", async () => {
  const pick = random(7);
  const stores = storesAt("conventions/nczarr", false);
  const inside = attributesOf(stores).flatMap((one) => places(one).map(([holder, name]) => holder[name]));
  await compare(
    many(200, () => ({
      what: "nczarr.hierarchy",
      ...damagedStore(pick, pick.of(stores), inside),
      anonymous: pick.chance(0.3),
    })),
  );
});

test("xarray: datasets", async () => {
  const pick = random(8);
  const stores = storesAt("conventions/cf", false).filter(({ documents }) => Object.keys(documents).length < 40);
  const inside = attributesOf(stores).flatMap((one) => places(one).map(([holder, name]) => holder[name]));
  await compare(
    many(200, () => ({
      what: "xarray.dataset",
      ...damagedStore(pick, pick.of(stores), inside),
      coords: pick(3),
    })),
  );
});

/** A hierarchy with the coordinate x, and the positions along it as the variable at. */
function coordinateStore(dtype, values, attributes) {
  const array = (type, count, attributes) =>
    arrayV3([count], type, {
      ...(type === "string"
        ? { fill_value: "", codecs: [{ name: "vlen-utf8" }] }
        : type === "bool" && { fill_value: false }),
      dimension_names: ["x"],
      attributes,
    });
  const count = values.length;
  const bytes = dtype === "string" ? vlen(values) : Buffer.from(typedArrays[dtype].from(values).buffer);
  return {
    documents: {
      "zarr.json": groupV3(),
      "x/zarr.json": array(dtype, count, attributes),
      "at/zarr.json": array("float64", count, {}),
    },
    chunks: {
      "x/c/0": bytes.toString("base64"),
      "at/c/0": Buffer.from(Float64Array.from(values, (_, i) => i).buffer).toString("base64"),
    },
  };
}

/** Texts as the codec vlen-utf8 writes them. */
function vlen(texts) {
  const parts = [Buffer.from(Uint32Array.of(texts.length).buffer)];
  for (const text of texts) {
    const bytes = Buffer.from(text);
    parts.push(Buffer.from(Uint32Array.of(bytes.length).buffer), bytes);
  }
  return Buffer.concat(parts);
}

test("xarray: selection by labels", async () => {
  const pick = random(9);
  const kinds = {
    float64: () => pick.of([0, 0.25, -1.5, 10, 359.75, 180, pick(16) / 4, pick(16) / 4, Number.NaN, -0, 1e300]),
    float32: () => pick.of([0, 0.1, 0.25, 10.5, pick(16) / 10]),
    int32: () => pick(20) - 5,
    int64: () => pick.of([BigInt(pick(20)), 2n ** 53n, 2n ** 53n + 1n, 2n ** 63n - 1n, -5n]),
    uint64: () => pick.of([BigInt(pick(20)), 2n ** 64n - 1n, 2n ** 63n]),
    string: () => pick.of(["a", "b", "é", "\u{10000}", "\uFFFF", "", "ab", "2020-01"]),
    bool: () => pick(2),
    time: () => BigInt(pick.of([pick(60), pick(60) * 24, pick(2000)])),
    duration: () => BigInt(pick(30)),
  };
  const dates = [
    "2000-01",
    "2000-01-02",
    "2000-01-01T06",
    "2000",
    "1999-12-31",
    "2000-01-03T00:00:00",
    "2000-02-30",
    "x",
  ];
  dates.push("2000-01-01 12:30", "2001");
  const ask = () => {
    const kind = pick.of(Object.keys(kinds));
    const isTime = kind === "time" || kind === "duration";
    const make = kinds[kind];
    let values = Array.from({ length: pick(9) }, make);
    if (pick.chance(0.7)) values.sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
    if (pick.chance(0.3)) values.reverse();
    if (pick.chance(0.6)) values = [...new Set(values)];
    const calendar = pick.of(["standard", "noleap", "360_day", "julian"]);
    const attributes = {
      time: { units: `${pick.of(["hours", "days", "minutes"])} since 2000-01-01`, calendar },
      duration: { units: pick.of(["hours", "days"]), dtype: "timedelta64[ns]" },
    };
    // Integers are ticks of times here, but not in Go.
    const strange = () => pick.of(["a", "", "1", true, ...(isTime ? [] : [1, 0.5, Number.NaN])]);
    const label = () => {
      if (pick.chance(0.05)) return strange();
      if (kind === "time") return pick.of(dates);
      if (kind === "duration") return pick.of(["1h", "2 days", "0D", "1.5h", "-1h", "90min", "3", "1W"]);
      if (kind === "bool") return pick.chance(0.5);
      return pick.chance(0.5) && values.length > 0 ? pick.of(values) : make();
    };
    const tolerance = () => pick.of(isTime ? ["6h", "1D", "0s", 1, "x"] : [0, 0.5, 1, -1, "6h", 100]);
    const end = () => (pick.chance(0.15) ? null : label());
    const selection = () => ({
      ...(pick.chance(0.35)
        ? { slice: [end(), end(), pick.of([null, null, null, 1, 2, -1, -2])] }
        : { label: pick.chance(0.25) ? Array.from({ length: pick(4) }, label) : label() }),
      method: pick.of(["", "", "nearest", "pad", "backfill"]),
      ...(pick.chance(0.2) && { tolerance: tolerance() }),
      ...(pick.chance(0.15) && { period: pick.of([360, 4, 8, 1]) }),
    });
    const store = coordinateStore(isTime ? "int64" : kind, values, attributes[kind] ?? {});
    return { what: "xarray.select", ...store, selections: Array.from({ length: 20 }, selection) };
  };
  await compare(many(200, ask));
});

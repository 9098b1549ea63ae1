// Properties of times and decoding beyond the cases of expected.json, in Node and in Chromium.
import { arrayV2, arrayV3, json } from "../lib/documents.mjs";
import { random } from "../lib/random.mjs";
import rules from "./cfrules.json" with { type: "json" };
import known from "./knowndates.json" with { type: "json" };

export const same = (got, want, what) => {
  const [a, b] = [JSON.stringify(got), JSON.stringify(want)];
  if (a !== b) throw new Error(`${what}: ${a}, expected ${b}`);
};

const calendars = [
  "standard",
  "gregorian",
  "proleptic_gregorian",
  "julian",
  "noleap",
  "365_day",
  "all_leap",
  "366_day",
  "360_day",
];

const perDay = {
  microseconds: 86_400_000_000,
  milliseconds: 86_400_000,
  seconds: 86_400,
  minutes: 1440,
  hours: 24,
  days: 1,
  weeks: 1 / 7,
};

/** 10,000 random numbers round-trip through dates. */
function roundTrip({ parseUnits, parsePartial }, calendar) {
  const pick = random(7);
  const names = Object.keys(perDay);
  for (let i = 0; i < 10_000; i++) {
    const unit = names[i % names.length];
    const units = parseUnits(`${unit} since ${1 + pick(3000)}-03-01 12:30:15.25`, calendar);
    const span = Math.floor(1_400_000 * perDay[unit]);
    const value = Math.floor(pick.next() * 2 * span) - span;
    const date = units.date(value);
    const what = `${value} ${units} (${calendar})`;
    same(String(units.date(BigInt(value))), String(date), `${what} as a bigint`);
    same(String(units.valueInt(date)), String(BigInt(value)), what);
    same(units.value(date), value, what);
    same(units.instant(value).toString(), date.instant.toString(), `instant of ${what}`);
    const { first, last } = parsePartial(String(date), calendar);
    if (first.compare(date) !== 0 || (date.microsecond && last.compare(date) !== 0))
      throw new Error(`${date} is ${first} to ${last}`);
    const fraction = pick.real(-1e5, 1e5);
    const back = units.value(units.date(fraction));
    const micro = 0.5001 / (86_400_000_000 / perDay[unit]) + 1e-10;
    if (Math.abs(back - fraction) > micro) throw new Error(`${fraction} ${units} comes back as ${back}`);
  }
}

/** Consecutive days around leap days, the gap of 1582 and the year 0. */
function follow({ parseUnits }, calendar) {
  for (const from of ["-0005-01-01", "1581-01-01", "1699-01-01", "1899-01-01", "1999-01-01"]) {
    const units = parseUnits(`days since ${from}`, calendar);
    let last;
    for (let day = 0; day < 366 * 8; day++) {
      const date = units.date(day);
      if (last) {
        const sameMonth = date.month === last.month && date.year === last.year;
        const next = sameMonth && date.day === last.day + 1;
        const month = date.day === 1 && last.day >= 28 && (date.month === last.month + 1 || date.month === 1);
        const gap = String(last).startsWith("1582-10-04") && date.day === 15 && /^(standard|gregorian)$/.test(calendar);
        if ((!next && !month && !gap) || date.compare(last) <= 0) throw new Error(`${date} follows ${last}`);
        if (date.year === last.year) same(date.dayOfYear, last.dayOfYear + 1, `day of the year of ${date}`);
      }
      last = date;
    }
  }
}

const partials = [
  ["2020", "standard", "2020-01-01T00:00:00", "2020-12-31T23:59:59.999999"],
  ["2020-02", "standard", "2020-02-01T00:00:00", "2020-02-29T23:59:59.999999"],
  ["2020-02", "noleap", "2020-02-01T00:00:00", "2020-02-28T23:59:59.999999"],
  ["2020-02", "360_day", "2020-02-01T00:00:00", "2020-02-30T23:59:59.999999"],
  ["1582-10-04", "standard", "1582-10-04T00:00:00", "1582-10-04T23:59:59.999999"],
  ["-0001", "standard", "-0001-01-01T00:00:00", "-0001-12-31T23:59:59.999999"],
  ["-0001-12", "julian", "-0001-12-01T00:00:00", "-0001-12-31T23:59:59.999999"],
  ["0000", "proleptic_gregorian", "0000-01-01T00:00:00", "0000-12-31T23:59:59.999999"],
  ["2020-07-01T12", "standard", "2020-07-01T12:00:00", "2020-07-01T12:59:59.999999"],
  ["2020-07-01 12:30", "standard", "2020-07-01T12:30:00", "2020-07-01T12:30:59.999999"],
  ["2020-07-01T12:30:15.5", "standard", "2020-07-01T12:30:15.500000", "2020-07-01T12:30:15.500000"],
  ["2020-07-01T00+01:00", "standard", "2020-06-30T23:00:00", "2020-06-30T23:59:59.999999"],
  ["20200701", "standard", "2020-07-01T00:00:00", "2020-07-01T23:59:59.999999"],
];

const noDates = [
  ...["", "x", "2020-", "2020-13", "2020-00", "2020-02-30", "2020-1-1T24", "2020-1-1T", "2020-1-1T1:60", "2020T12"],
  ...[
    "2020-1-1T1:1:60",
    "2020-1-1 +25",
    "2020-1-1 EST",
    "1582-10-05",
    "0000",
    "2020-1-1-1",
    "2020-01-01T00:00:00junk",
    "+",
  ],
];

/** Fails unless the function throws an error of that name. */
export function throws(name, run, what) {
  try {
    run();
  } catch (error) {
    if (error.name !== name) throw error;
    return error;
  }
  throw new Error(`${what}: it did not throw`);
}

export async function rejects(promise, is, what) {
  const error = await promise.then(
    () => undefined,
    (error) => error,
  );
  if (!error || !is(error))
    throw new Error(`${what}: ${error ? `${error.name}: ${error.message}` : "it did not fail"}`);
  return error;
}

const utf8 = new TextEncoder();

/**
 * An array of v3 in a Map, of uncompressed chunks: element i is `value(i)`; every seventh chunk is
 * missing.
 */
export async function stored(
  zarr,
  { shape, chunks, type = "int16", of = Int16Array, value, attributes = {}, fill = 0 },
) {
  const document = arrayV3(shape, type, { chunks, fill_value: fill, attributes });
  const store = new Map([["/zarr.json", json(document)]]);
  if (value) {
    const counts = shape.map((n, d) => Math.ceil(n / chunks[d]));
    const stride = shape.map((_, d) => shape.slice(d + 1).reduce((a, b) => a * b, 1));
    const inner = chunks.reduce((a, b) => a * b, 1);
    for (let c = 0; c < counts.reduce((a, b) => a * b, 1); c++) {
      if (c % 7 === 6) continue;
      const at = [];
      for (let d = shape.length - 1, rest = c; d >= 0; rest = Math.floor(rest / counts[d--])) at[d] = rest % counts[d];
      const data = new of(inner);
      for (let i = 0; i < inner; i++) {
        let [index, inside] = [0, true];
        for (let d = shape.length - 1, rest = i; d >= 0; rest = Math.floor(rest / chunks[d--])) {
          const x = at[d] * chunks[d] + (rest % chunks[d]);
          inside &&= x < shape[d];
          index += x * stride[d];
        }
        if (inside) data[i] = value(index);
      }
      store.set(`/c/${at.join("/")}`, new Uint8Array(data.buffer));
    }
  }
  return zarr.open(store, { kind: "array" });
}

/** 3 million packed numbers with missing ones, in chunks that divide neither dimension. */
let large;
export const packed = (zarr) => {
  large ??= stored(zarr, {
    shape: [50, 250, 241],
    chunks: [7, 125, 241],
    value: (i) => ((i * 7919) % 65_536) - 32_768,
    attributes: { scale_factor: 0.01, add_offset: 273.15, _FillValue: -32767, missing_value: [5, 6], units: "K" },
  });
  return large;
};

const equal = (a, b) => {
  if (a.constructor !== b.constructor || a.length !== b.length)
    throw new Error(`${a.constructor.name} of ${a.length}, ${b.constructor.name} of ${b.length}`);
  for (let i = 0; i < a.length; i++) {
    if (!Object.is(a[i], b[i])) throw new Error(`element ${i} is ${a[i]}, expected ${b[i]}`);
  }
};

const rough = { slice: (start, stop, step = null) => ({ start, stop, step }) };

/** Selections that are read in parts, others that are not, and some without parts. */
const selections = [
  null,
  [],
  [null, null, rough.slice(0, 240)],
  [rough.slice(3, 50), null, null],
  [rough.slice(1, null, 2), rough.slice(-249, null)],
  [rough.slice(null, null, -1)],
  [49, null, null],
  [rough.slice(4, 6), rough.slice(5, 250), rough.slice(7, 240, 3)],
  [[0, 3, 49, 3], null, null],
  [rough.slice(9, 9), null, null],
  [rough.slice(0, 7), null, null],
  [-1, -1, -1],
  ["...", rough.slice(1, null)],
  [rough.slice(0, 50), rough.slice(0, 250), rough.slice(0, 241)],
];

/** Decoding in parts equals decoding everything at once. */
async function partsAreTheWhole({ zarr, xarray }) {
  const array = await packed(zarr);
  const decoder = xarray.decoderOf(array);
  const results = await Promise.all(selections.map((selection) => xarray.decodeArray(array, selection)));
  for (const [i, selection] of selections.entries()) {
    const read = await array.get(selection);
    const raw = typeof read === "number" ? { data: Int16Array.of(read), shape: [] } : read;
    const want = xarray.decodeValues(decoder, raw);
    const got = results[i];
    equal(got.data, want.data);
    const { data: _, ...told } = got;
    const { data: __, ...wanted } = want;
    same(told, wanted, `selection ${i}`);
  }
  const { data, masked, missing, units } = results[0];
  let nan = 0;
  for (const v of data) if (Number.isNaN(v)) nan++;
  same([missing, masked, units], [nan, nan, "K"], "counts");
  const small = await xarray.decodeArray(array, null, { dtype: "float32" });
  same([small.dtype, small.data.constructor.name], ["float32", "Float32Array"], "float32");
  for (let i = 0; i < data.length; i += 997) same(small.data[i], Math.fround(data[i]), `element ${i} in float32`);
}

/** An abort before, during and after a read; everything works afterwards. */
async function aborts({ zarr, xarray }) {
  const array = await packed(zarr);
  const reason = new Error("no longer wanted");
  await rejects(xarray.decodeArray(array, null, { signal: AbortSignal.abort(reason) }), (e) => e === reason, "before");
  for (const when of ["progress", "task", "half"]) {
    const stop = new AbortController();
    let late = 0; // calls after the abort
    const promise = xarray.decodeArray(array, null, {
      signal: stop.signal,
      onProgress: () => {
        if (stop.signal.aborted) late++;
        else if (when === "progress") stop.abort(reason);
      },
    });
    if (when === "task") setTimeout(() => stop.abort(reason), 0);
    if (when === "half") setTimeout(() => stop.abort(reason), 15);
    const error = await promise.then(
      () => undefined,
      (error) => error,
    );
    if (error !== reason && !(when === "half" && error === undefined))
      throw error ?? new Error(`${when}: it did not fail`);
    same(late <= 1 || error === undefined, true, "calls after the abort");
  }
  const { missing } = await xarray.decodeArray(array, [rough.slice(0, 50)]);
  if (!(missing > 0)) throw new Error("after an abort nothing is masked");
}

/**
 * The worker ends during work: the call fails with a named error, and the next call has another
 * worker.
 */
async function endsAndStartsAgain({ zarr, xarray }) {
  const array = await packed(zarr);
  const before = await xarray.decodeArray(array);
  const promise = xarray.decodeArray(array, null, { onProgress: () => xarray.terminate() });
  await rejects(promise, (e) => e.name === "EngineError" && e.code === "TERMINATED", "terminated");
  const [after, again] = await Promise.all([xarray.decodeArray(array), xarray.decodeArray(array)]);
  equal(after.data, before.data);
  equal(again.data, before.data);
}

async function progresses({ zarr, xarray }) {
  const seen = [];
  const array = await packed(zarr);
  await xarray.decodeArray(array, null, { onProgress: (done, total) => seen.push([done, total]) });
  same(seen.at(-1), [50 * 250 * 241, 50 * 250 * 241], "the last progress");
  if (seen.length < 2 || seen.some(([done], i) => i > 0 && done <= seen[i - 1][0]))
    throw new Error(JSON.stringify(seen));
  seen.length = 0;
  await xarray.decodeArray(array, [0, 0], { onProgress: (done, total) => seen.push([done, total]) });
  same(seen, [[241, 241]], "progress of few");
}

/** An extension's own buffers remain valid. */
async function leavesOthersMemory({ zarr, xarray }) {
  const array = await packed(zarr);
  const kept = await array.get(null);
  const extended = zarr.extendArray(
    array,
    zarr.defineArrayExtension(() => ({ get: async () => kept })),
  );
  const first = await xarray.decodeArray(extended, [[0, 1]]);
  const second = await xarray.decodeArray(extended, [[0, 1]]);
  same(kept.data.length, 50 * 250 * 241, "what is kept");
  equal(first.data, second.data);
}

/** Too large requests fail at once with a named error, and everything works afterwards. */
async function refusesTheAbsurd({ zarr, xarray }) {
  const attributes = { scale_factor: 0.5 };
  const array = await stored(zarr, { shape: [2 ** 40], chunks: [2 ** 20], attributes });
  await rejects(xarray.decodeArray(array), (e) => e.name === "LimitError", "2^40 elements");
  const one = await stored(zarr, { shape: [2 ** 40], chunks: [2 ** 40], attributes });
  await rejects(xarray.decodeArray(one), (e) => e.name === "LimitError", "2^40 elements of one chunk");
  await rejects(xarray.decodeArray(array, [rough.slice(0, 1, 0)]), (e) => e.name === "InvalidSelectionError", "step 0");
  await rejects(xarray.decodeArray(array, [1, 2, 3]), (e) => e.name === "InvalidSelectionError", "too many selectors");
  await rejects(xarray.decodeArray({}), (e) => e instanceof TypeError, "no array");
  await rejects(xarray.decodeArray(array, [0], { signal: 5 }), (e) => e instanceof TypeError, "no signal");
  same((await xarray.decodeArray(array, [rough.slice(0, 3)])).data.length, 3, "afterwards");
}

const types = [
  ["int8", Int8Array],
  ["uint8", Uint8Array],
  ["int16", Int16Array],
  ["uint16", Uint16Array],
  ["int32", Int32Array],
  ["uint32", Uint32Array],
  ["int64", BigInt64Array],
  ["uint64", BigUint64Array],
  ["float32", Float32Array],
  ["float64", Float64Array],
];

/**
 * Every type and every kind of plan gives the same in the worker as here, where times and booleans
 * keep their marks.
 */
async function everyTypeAlike({ zarr, xarray }, [type, Of]) {
  const big = type.endsWith("int64");
  const value = (i) => (big ? BigInt((i % 91) + 1) : (i % 91) + 1);
  for (const attributes of [
    { _FillValue: 7, missing_value: [8, 9] },
    { scale_factor: 0.5, add_offset: -3, missing_value: 7 },
    { valid_min: 10, valid_max: 50, _FillValue: 20 },
    { units: "hours since 2000-01-01", missing_value: 7 },
    { units: "hours since 2000-01-01", missing_value: 7, scale_factor: 2 },
    { units: "seconds", missing_value: 7 },
    { dtype: "bool" },
    { _Unsigned: "true", missing_value: 7 },
    { _Unsigned: "false" },
    {},
  ]) {
    const array = await stored(zarr, { shape: [20_000], chunks: [6_000], type, of: Of, value, attributes });
    const options = { validRange: true, decodeTimedelta: true };
    const want = xarray.decodeValues(xarray.decoderOf(array, options), await array.get(null));
    const got = await xarray.decodeArray(array, null, options);
    same({ ...got, data: 0 }, { ...want, data: 0 }, `${type} ${JSON.stringify(attributes)}`);
    if (got.dtype === "time" || got.dtype === "timedelta") {
      equal(got.data.values, want.data.values);
      for (let i = 0; i < 200; i++) {
        const [a, b] = [got.data.get(i), want.data.get(i)];
        same(a && String(a), b && String(b), `element ${i}`);
        same(a === null, i % 91 === 6, `whether element ${i} is missing`);
      }
    } else equal(got.data, want.data);
  }
}

const odd = [
  ...[
    null,
    true,
    false,
    0,
    -0,
    1,
    -1,
    255,
    Number.POSITIVE_INFINITY,
    -1e-320,
    2 ** 53,
    2n ** 63n,
    -(2n ** 70n),
    Number.NaN,
    "",
    "NaN",
    "AAAAAAAA+H8=",
  ],
  ...["true", "false", "bool", "x".repeat(10_000), [], [null], [[]], [1, 2], ["a", 1], {}, { re: 1 }, { length: 1e9 }],
  ...[
    "days since 2000-01-01",
    "days",
    "hours since",
    "since since since",
    "timedelta64[ns]",
    "noleap",
    "none",
    "tai",
    "utf-8",
  ],
];
const named = [
  ...[
    "_FillValue",
    "missing_value",
    "scale_factor",
    "add_offset",
    "_Unsigned",
    "valid_min",
    "valid_max",
    "valid_range",
    "units",
  ],
  ...["calendar", "dtype", "flag_values", "flag_masks", "flag_meanings", "_Encoding", "_ARRAY_DIMENSIONS"],
];
const described = [
  ["int8", { kind: "int", size: 1 }, () => Int8Array.of(0, 1, -1, 7)],
  ["uint64", { kind: "uint", size: 8 }, () => BigUint64Array.of(0n, 1n, 2n ** 64n - 1n)],
  ["float16", { kind: "float", size: 2 }, () => Float32Array.of(0, NaN, 1)],
  ["float64", { kind: "float", size: 8 }, () => Float64Array.of(0, NaN, Infinity, 1e300)],
  ["complex64", { kind: "complex", size: 8 }, () => Float32Array.of(0, 1, NaN, 2)],
  ["v2:S1", { kind: "char", size: 1 }, () => Uint8Array.of(65, 0, 200)],
  ["bool", { kind: "bool", size: 1 }, () => Uint8Array.of(0, 1)],
  ["string", { kind: "string", size: 0 }, () => ["a"]],
];

/**
 * Arbitrary attributes give an InvalidMetadataError or UnsupportedError, or a result whose problems
 * are texts.
 */
function survivesAnything({ decoderOf, decodeValues }) {
  const below = random(11);
  const pick = below.of;
  let decoded = 0;
  for (let i = 0; i < 20_000; i++) {
    const attrs = {};
    for (let k = below(6); k >= 0; k--) attrs[pick(named)] = pick(odd);
    const [dtype, type, make] = pick(described);
    const data = make();
    const count = type.kind === "complex" ? data.length / 2 : data.length;
    const source = { attrs, dtype, type, fillValue: pick(odd), format: pick([2, 3]) };
    try {
      const decoder = decoderOf(source, { validRange: below(2) === 0, decodeTimedelta: below(2) === 0 });
      const result = decodeValues(decoder, { data, shape: [count] });
      if (result.problems.some((text) => typeof text !== "string" || text.length > 400))
        throw new Error(JSON.stringify(result.problems));
      if (result.dtype === "time" || result.dtype === "timedelta") {
        for (let k = 0; k < result.data.length; k++) result.data.get(k);
      }
      decoded++;
    } catch (error) {
      if (error.name !== "InvalidMetadataError" && error.name !== "UnsupportedError") {
        throw new Error(
          `${dtype} ${JSON.stringify(attrs, (_, v) => (typeof v === "bigint" ? String(v) : v))}: ${error.stack}`,
        );
      }
    }
  }
  if (decoded < 5000) throw new Error(`only ${decoded} were decoded`);
}

/** Absurdly long texts are read quickly. */
function quickly({ decoderOf, decodeValues, parsePartial, parseUnits }) {
  const t = performance.now();
  const many = Array.from({ length: 200_000 }, (_, i) => i * 2);
  const data = Int32Array.from({ length: 16_384 }, (_, i) => i);
  for (const [type, of, to] of [
    ["int32", data, Number],
    ["float64", Float64Array.from(data), Number],
    ["int64", BigInt64Array.from(data, BigInt), BigInt],
  ]) {
    const [, kind, bits] = /^([a-z]+)(\d+)$/.exec(type);
    const source = { dtype: type, type: { kind, size: bits / 8 }, fillValue: null, format: 3 };
    const decoder = decoderOf({ ...source, attrs: { missing_value: many, _FillValue: 3 } });
    const { masked } = decodeValues(decoder, { data: of, shape: [of.length] });
    same(masked, of.length / 2 + 1, `masked ${type}`);
    const times = decoderOf({ ...source, attrs: { missing_value: many, units: "days since 2000-01-01" } });
    const result = decodeValues(times, { data: of, shape: [of.length] });
    same([result.masked, result.data.isMissing(4), result.data.values[5] === to(5)], [of.length / 2, true, true], type);
  }
  const long = 1_000_000;
  for (const text of [
    `2020-01-01${" ".repeat(long)}x`,
    `2020-01-01T00:00:00.${"0".repeat(long)}1x`,
    `2020-01-01T${"1".repeat(long)}`,
    "1".repeat(long),
    "-".repeat(long),
    " ".repeat(long),
  ]) {
    throws("InvalidMetadataError", () => parsePartial(text), `${text.slice(0, 30)}...`);
    throws("InvalidMetadataError", () => parseUnits(`days since ${text}`), `${text.slice(0, 30)}...`);
    throws("InvalidMetadataError", () => parseUnits(text, text), `${text.slice(0, 30)}...`);
  }
  same(
    String(parsePartial(`2020-01-01T00:00:00.${"0".repeat(long)}1`).first),
    "2020-01-01T00:00:00",
    "a long fraction",
  );
  const ms = performance.now() - t;
  if (ms > 30_000) throw new Error(`it took ${ms.toFixed(0)} ms`);
}

/** An array of one chunk. Its attributes are a text, so that large integers keep their digits. */
function written({ type, raw, attributes, format = 3, fill = null }) {
  const Of = types.find(([name]) => name === type)[1];
  const chunk = new Uint8Array(Of.from(raw, type.endsWith("int64") ? BigInt : Number).buffer);
  const text = (document) => utf8.encode(typeof document === "string" ? document : JSON.stringify(document));
  if (format === 2) {
    const dtype = `${type.startsWith("u") ? "<u" : "<i"}${type.replace(/\D/g, "") / 8}`;
    return new Map([
      ["/.zarray", json(arrayV2([raw.length], dtype, { fill_value: fill }))],
      ["/.zattrs", text(attributes)],
      ["/0", chunk],
    ]);
  }
  const document = JSON.stringify(arrayV3([raw.length], type, { attributes: undefined, fill_value: fill ?? 0 }));
  return new Map([
    ["/zarr.json", text(`${document.slice(0, -1)},"attributes":${attributes}}`)],
    ["/c/0", chunk],
  ]);
}

/** A row of the table of rules that Go's tests also read. */
async function rule({ zarr, xarray }, row) {
  const array = await zarr.open(written(row), { kind: "array" });
  const { options, error } = row;
  if (error) {
    const is = (e) => e.name === "InvalidMetadataError" && e.message === error;
    await rejects(xarray.decodeArray(array, null, options), is, error);
    return;
  }
  const decoder = xarray.decoderOf(array, options);
  const { data, dtype, masked, missing, applied, problems } = await xarray.decodeArray(array, null, options);
  const shown = (v) => (typeof v === "bigint" || (typeof v === "number" && !Number.isFinite(v)) ? String(v) : v);
  let values = Array.from(data, (v) => (v && typeof v === "object" ? String(v) : shown(v)));
  if (dtype === "timedelta") values = values.map((_, i) => shown(data.microseconds(i)));
  const flags = row.flags && Array.from((await array.get(null)).data, (v) => decoder.flags.of(v));
  const left = Object.keys(decoder.attributes);
  const got = { dtype, values, masked, missing, applied, problems, left, flags };
  same(got, Object.fromEntries(Object.keys(got).map((name) => [name, row[name]])), row.attributes);
}

/** The tests, as a suite yields them. */
export function* properties() {
  for (const calendar of calendars) {
    yield { id: `cf.property.round_trip.${calendar}`, run: ({ xarray }) => roundTrip(xarray, calendar) };
    yield { id: `cf.property.days_follow.${calendar}`, run: ({ xarray }) => follow(xarray, calendar) };
  }
  for (const [i, { calendar, units, value, date, dayOfYear }] of known.entries()) {
    yield {
      id: `cf.property.known_dates.${i}`,
      run: ({ xarray }) => {
        const got = xarray.parseUnits(units, calendar).date(value);
        same([String(got), got.dayOfYear], [date, dayOfYear], `${value} ${units} (${calendar})`);
      },
    };
  }
  yield {
    id: "cf.property.partial_dates",
    run: ({ xarray }) => {
      for (const [text, calendar, from, to] of partials) {
        const { first, last } = xarray.parsePartial(text, calendar);
        same([String(first), String(last)], [from, to], `${text} (${calendar})`);
      }
      for (const text of noDates) throws("InvalidMetadataError", () => xarray.parsePartial(text), text);
      const [first, last] = xarray.parseUnits("hours since 2020-01-01").range("2020-01-02");
      same([first, last > 47.999, last < 48], [24, true, true], "range");
    },
  };
  yield {
    id: "cf.property.dates_of_javascript",
    run: ({ xarray: { CFDate } }) => {
      const iso = (...args) => new CFDate(...args).toDate()?.toISOString();
      same(iso({ year: 2020, month: 2, day: 29, microsecond: 1999 }), "2020-02-29T00:00:00.001Z", "standard");
      same(iso({ year: 1, month: 1 }, "proleptic_gregorian"), "0001-01-01T00:00:00.000Z", "year 1");
      same(iso({ year: 1582, month: 10, day: 4 }), undefined, "before 1582-10-15");
      same([iso({ year: 2020 }, "noleap"), iso({ year: 2020 }, "360_day")], [undefined, undefined], "no such calendar");
      same(
        JSON.stringify({ at: new CFDate({ year: -44, month: 3, day: 15 }) }),
        '{"at":"-0044-03-15T00:00:00"}',
        "JSON",
      );
      throws("InvalidMetadataError", () => new CFDate({ year: 0 }), "year 0");
      throws("InvalidMetadataError", () => new CFDate({ year: 2001, month: 2, day: 29 }), "no leap year");
      throws("InvalidMetadataError", () => new CFDate({ year: 2001, month: 1.5 }), "a fraction");
    },
  };
  for (const [i, row] of rules.entries()) yield { id: `cf.rules.${i}`, run: (t) => rule(t, row) };
  yield { id: "cf.property.quickly", run: ({ xarray }) => quickly(xarray) };
  yield { id: "cf.property.any_attributes", run: ({ xarray }) => survivesAnything(xarray) };
  for (const type of types) yield { id: `cf.property.worker_alike.${type[0]}`, run: (t) => everyTypeAlike(t, type) };
  yield { id: "cf.property.extensions_keep_theirs", run: leavesOthersMemory };
  yield { id: "cf.property.the_absurd", run: refusesTheAbsurd };
  // Sequential, because they end the shared worker.
  yield {
    id: "cf.property.parts",
    run: async (t) => {
      await partsAreTheWhole(t);
      await progresses(t);
      await aborts(t);
    },
  };
}

/** This case ends the worker that the others share. */
export const alone = [{ id: "cf.property.terminate", run: endsAndStartsAgain }];

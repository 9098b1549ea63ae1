// Times and decoding by the CF conventions: kinds cf (but for whole datasets and dimensions, which
// are xarray's) and times, tables times and udunits.

import { properties, same } from "./cf-properties.mjs";

async function sha256(bytes) {
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return Array.from(digest, (b) => b.toString(16).padStart(2, "0")).join("");
}

/** Maps this package's names of decoded types to numpy's. */
const numpy = {
  int8: "|i1",
  int16: "<i2",
  int32: "<i4",
  int64: "<i8",
  uint8: "|u1",
  uint16: "<u2",
  uint32: "<u4",
  uint64: "<u8",
  float16: "<f2",
  float32: "<f4",
  float64: "<f8",
  complex64: "<c8",
  complex128: "<c16",
  bool: "|b1",
  string: "string",
};

/** The little-endian bytes of numbers, every NaN the canonical one. */
function bytesOf({ data, dtype }) {
  if (dtype === "float16") {
    // Without a Float16Array, the numbers are binary16 values already.
    const bytes = new DataView(new ArrayBuffer(data.length * 2));
    for (let i = 0; i < data.length; i++) bytes.setUint16(2 * i, half(data[i]), true);
    return new Uint8Array(bytes.buffer);
  }
  const copy = data.slice();
  if (/^(float|complex)/.test(dtype)) for (let i = 0; i < copy.length; i++) if (Number.isNaN(copy[i])) copy[i] = NaN;
  return new Uint8Array(copy.buffer, copy.byteOffset, copy.byteLength);
}

function half(value) {
  if (Number.isNaN(value)) return 0x7e00;
  const sign = Object.is(Math.sign(value), -0) || value < 0 ? 0x8000 : 0;
  const size = Math.abs(value);
  if (size === Infinity) return sign | 0x7c00;
  if (size < 2 ** -14) return sign | (size * 2 ** 24);
  let exponent = Math.floor(Math.log2(size));
  if (2 ** exponent > size) exponent--;
  return sign | ((exponent + 15) << 10) | ((size / 2 ** exponent - 1) * 1024);
}

/** An element in the form of expected.json. */
function shownAs(value) {
  if (typeof value === "bigint") return String(value);
  if (typeof value === "number" && !Number.isFinite(value)) return String(value);
  return value;
}

const hex = (text) => Array.from(new TextEncoder().encode(text), (b) => b.toString(16).padStart(2, "0")).join("");

async function decoded(t, one) {
  const array = await t.open(one.store, one.variable, { kind: "array" });
  const options = { maskAndScale: one.ask.mask_and_scale, decodeTimes: one.ask.decode_times };
  return [await t.xarray.decodeArray(array, null, options), t.xarray.decoderOf(array, options), array];
}

/**
 * xarray compares rounded numbers, and so masks the neighbours of missing integers beyond 2^53.
 * This package compares integers, which the case expects in exact_missing.
 */
function compareExact(result, one) {
  const { values } = one.expect;
  for (const [i, want] of values.entries()) {
    const missing = one.exact_missing.includes(i);
    const got = result.data[i];
    if (Number.isNaN(got) !== missing) throw new Error(`element ${i} is ${got}`);
    if (!missing && want !== "NaN") same(got, want, `element ${i}`);
  }
  same(result.masked, one.exact_missing.length, "masked");
}

async function compare(result, one) {
  const { expect } = one;
  const dtype = numpy[result.dtype] ?? "|S";
  if (dtype === "|S") {
    if (!expect.dtype.startsWith("|S")) throw new Error(`${result.dtype}, expected ${expect.dtype}`);
    same(
      Array.from(result.data, hex),
      expect.values.map((value) => value.hex),
      "values",
    );
    return;
  }
  if (![expect.dtype, ...(one.accept_dtypes ?? [])].includes(dtype))
    throw new Error(`${dtype}, expected ${expect.dtype}`);
  if (one.exact_missing) return compareExact(result, one);
  if (expect.values && !dtype.startsWith("<c")) {
    const got = result.dtype === "bool" ? Array.from(result.data) : Array.from(result.data, shownAs);
    // The accepted float64 values for integers.
    const want = dtype === "<f8" && expect.dtype === "<i8" ? expect.values.map(Number) : expect.values;
    same(got, want, "values");
  }
  if (dtype === expect.dtype && expect.sha256) same(await sha256(bytesOf(result)), expect.sha256, "sha256");
  if (expect.masked_count !== undefined) same(result.masked, expect.masked_count, "masked");
  if (expect.missing_count !== undefined) same(result.missing, expect.missing_count, "missing");
}

async function decodes(t, one) {
  const { expect, valid_applied: valid, flags } = one;
  if (expect.error) {
    if (one.variable.endsWith("int_scale_fill")) {
      // xarray fails because NaN is no int64. Scales here are always float64, whatever their JSON
      // type. The result is float64, as in older versions of xarray.
      const [result] = await decoded(t, one);
      const { values } = one.differ["xarray 2023.01"];
      same([result.dtype, Array.from(result.data, shownAs)], ["float64", values], "values");
      return;
    }
    const error = await decoded(t, one).then(
      () => undefined,
      (error) => error,
    );
    if (error?.name !== "InvalidMetadataError") throw error ?? new Error("it did not fail");
    return;
  }
  const [result, decoder, array] = await decoded(t, one);
  same(result.shape, expect.shape, "shape");
  same(decoder.attributes, expect.attributes, "attributes");
  await compare(result, one);
  if (valid) {
    const applied = await t.xarray.decodeArray(array, null, { validRange: true });
    const values = Array.from(applied.data, (v) => (Number.isNaN(v) ? null : v));
    same(values, valid.values, "values of the valid range");
    same(applied.missing, valid.mask.filter(Boolean).length, "missing of the valid range");
    if (!applied.applied.some((name) => name.startsWith("valid_"))) throw new Error("valid_* is not told");
  }
  if (flags)
    same(
      Array.from(result.data, (v) => decoder.flags.of(v)),
      flags.meanings,
      "flags",
    );
}

/** The ISO 8601 text with six digits, as in iso_microseconds. */
const micros = (date) => (date && (date.microsecond ? String(date) : `${date}.000000`)) ?? null;

async function times(t, one) {
  const { CFDate, datetime64, datetime64Text, decodeArray } = t.xarray;
  const array = await t.open(one.store, one.variable, { kind: "array" });
  const result = await decodeArray(array);
  const { expect } = one;
  if (expect.error_or_raw) {
    // Numbers, and the reason that they are not dates.
    same([result.dtype, result.problems.length, result.data[0] === undefined], [array.dtype, 1, false], "raw");
    return;
  }
  if (expect.calendar) {
    same(
      Array.from(result.data, (date) => date && String(date)),
      expect.values,
      "dates",
    );
    same([result.dtype, result.calendar], ["time", expect.calendar], "calendar");
    if (!Array.from(result.data).every((date) => date === null || date instanceof CFDate)) throw new Error("no CFDate");
    return;
  }
  const { data } = result;
  same([data.unit, data.scale], [expect.unit, expect.scale_factor ?? 1], "unit");
  const counts = Array.from(data, (count) => (count === -(2n ** 63n) ? null : String(count)));
  same(counts, expect.counts, "counts");
  if (expect.seconds)
    same(
      counts.map((_, i) => data.toSeconds(i)),
      expect.seconds,
      "seconds",
    );
  if (expect.iso_microseconds) {
    same(
      Array.from(data, (count) => micros(datetime64(count, data.unit, data.scale))),
      expect.iso_microseconds,
      "iso",
    );
  }
  if (!expect.values) return;
  const texts = Array.from(data, (count) => datetime64Text(count, data.unit, data.scale));
  // For a unit with a multiple expected.json has seconds, which numpy's own text of minutes omits.
  same(
    data.scale === 1 ? texts : Array.from(data, (c) => String(datetime64(c, data.unit, data.scale))),
    expect.values,
    "texts",
  );
}

function timesRow(t, row) {
  const { parseUnits } = t.xarray;
  const dateOf = () => parseUnits(row.units, row.calendar).date(row.type === "int" ? BigInt(row.value) : row.value);
  if (row.error) {
    try {
      const date = dateOf();
      throw new Error(`${date}, expected an error`);
    } catch (error) {
      if (error.name !== "InvalidMetadataError") throw error;
    }
    return;
  }
  same(String(dateOf()), row.iso, "date");
  same(String(parseUnits(row.units, row.calendar).date(row.value)), row.iso, "date of the number");
}

/** The cases of expected.json for cf. */
export default function* ({ cases, tables }) {
  yield* properties();
  for (const one of cases) {
    if (one.kind === "cf" && one.ask.what === "decode") yield { id: one.id, run: (t) => decodes(t, one) };
    if (one.kind === "times") yield { id: one.id, run: (t) => times(t, one) };
  }
  for (const row of tables.times) yield { id: row.id, run: (t) => timesRow(t, row) };
  for (const [unit, days] of [
    ["years", tables.udunits.year_in_days],
    ["months", tables.udunits.month_in_days],
  ]) {
    yield {
      id: `udunits.${unit}`,
      run: (t) => {
        const instant = t.xarray.parseUnits(`${unit} since 1970-01-01`).date(1).instant;
        same((Number(instant) / 86_400e6).toPrecision(6), days, "days");
      },
    };
  }
}

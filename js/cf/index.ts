/**
 * Attributes of the Climate and Forecast conventions: times ({@link parseUnits}), and packed and
 * missing elements ({@link decoderOf}, {@link decodeArray}). This module is internal;
 * `zarr-wasm/xarray` exports its public parts.
 *
 * - `parseUnits(units, calendar)` → {@link Units}: `.date(value)` → {@link CFDate}, `.value(date)`,
 *   `.valueInt(date)`, `.instants(values)` (microseconds, to compare and to search), `.range(text)`
 *   and `.partial(text)` for labels like `"2020-07"`.
 * - `decoderOf(array, options)` → {@link Decoder}: `dtype`, remaining `attributes`, `encoding`,
 *   `units`, `flags`, `applied`, `problems`.
 * - `decodeArray(array, selection, options)` → {@link Decoded}: `data`, `shape`, `dtype`, `units`,
 *   `calendar`, `masked`, `missing`.
 * - `decodeValues(decoder, raw)` → the same, for a region that is already read.
 */
export { type Calendar, parseCalendar } from "./calendar.js";
export { CFDate, type DateParts } from "./date.js";
export { datetime64, datetime64Text } from "./datetime64.js";
export { type DecodeOptions, decodeArray } from "./decode.js";
export { type Decoder, type DecoderOptions, type DecoderSource, decoderOf } from "./decoder.js";
export { terminate } from "./decodeworker.js";
export { Flags, flagsOf } from "./flags.js";
export { type PartialDate, parsePartial, type Resolution } from "./stamp.js";
export { TimeArray, TimedeltaArray, type TimeValues } from "./times.js";
export { parseUnits, type Units } from "./units.js";
export { type Decoded, decodeValues, type RawRegion } from "./values.js";

/**
 * What the Climate and Forecast conventions write into an array's attributes: times ({@link parseUnits}), and how elements are
 * packed and which are missing ({@link decoderOf}, {@link decodeArray}). An internal room: what users need is exported by
 * `zarr-wasm/xarray`.
 *
 * - `parseUnits(units, calendar)` → {@link Units}: `.date(value)` → {@link CFDate}, `.value(date)`, `.valueInt(date)`,
 *   `.instants(values)` (microseconds, to compare and to search), `.range(text)` and `.partial(text)` for labels like `"2020-07"`.
 * - `decoderOf(array, options)` → {@link Decoder}: `dtype`, `attributes` that are left, `encoding`, `units`, `flags`, `applied`, `problems`.
 * - `decodeArray(array, selection, options)` → {@link Decoded}: `data`, `shape`, `dtype`, `units`, `calendar`, `masked`, `missing`.
 * - `decodeValues(decoder, raw)` → the same for what was read already.
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

// Loops over elements. They yield regularly, so that they can run in short tasks without a worker.
import { notATime } from "../../data/nat.js";
import { foldedLabel } from "../colour/labels.js";
import type { Pixels } from "../paint/painter.js";
import { type CellMap, mapOf } from "./mesh.js";
import { runProgram, type Step } from "./operations.js";
import { noStatistics } from "./statistics.js";
import type {
  Close,
  Compute,
  Computed,
  Done,
  Extreme,
  Extremes,
  Form,
  Gather,
  Gathered,
  Layout,
  Locate,
  Meaning,
  Numbers,
  Operand,
  Placed,
  Prepare,
  Prepared,
  Result,
  Sampled,
  Samples,
  Summarise,
  Summarised,
  Survey,
  Surveyed,
  Task,
  Unpack,
  Unpacked,
} from "./tasks.js";

/** Work that yields about every millisecond. */
type Steps<T> = Generator<void, T, void>;

/** The number of elements between two yields. */
const stretch = 1 << 15;
/** The number of elements that a program computes at once. It divides the stretch. */
const blockLength = 1 << 12;

/** Runs a task. */
export function work<T extends Task>(task: T): Steps<Result<T>>;
export function work(task: Task): Steps<Done> {
  if (task.task === "locate") return locate(task);
  if (task.task === "gather") return gather(task);
  if (task.task === "prepare") return prepare(task);
  if (task.task === "unpack") return unpack(task);
  if (task.task === "compute") return compute(task);
  if (task.task === "summarise") return summarise(task);
  if (task.task === "samples") return samples(task);
  return task.task === "survey" ? survey(task) : extremes(task);
}

/** Returns the transferable buffers of a result. */
export function transferred(result: object): ArrayBuffer[] {
  const views = Object.values(result).filter((value): value is ArrayBufferView => ArrayBuffer.isView(value));
  return [...new Set(views.map(({ buffer }) => buffer))].filter((buffer) => buffer instanceof ArrayBuffer);
}

const isBig = (source: Numbers): source is BigInt64Array | BigUint64Array =>
  source instanceof BigInt64Array || source instanceof BigUint64Array;

/** The largest integer up to which float64 has all integers. */
const whole = Number.MAX_SAFE_INTEGER;

/**
 * Returns a function from an element's place to its number less a base; NaN if missing. Integers
 * of 64 bits are subtracted before they lose digits.
 */
function reader(source: Numbers, { complex, time, packing }: Meaning, base = 0): (i: number) => number {
  if (isBig(source) && Math.abs(base) > whole) {
    const [exact, read] = [BigInt(base), reader(source, { complex, time, packing })];
    return (i) => (Number.isNaN(read(i)) ? Number.NaN : Number((source[i] as bigint) - exact));
  }
  if (base !== 0) {
    const read = reader(source, { complex, time, packing });
    return (i) => read(i) - base;
  }
  if (complex !== null) return complexReader(source as Float32Array, complex);
  const { missing, valid } = packing;
  if (isBig(source)) {
    const none = new Set<bigint>(missing.flatMap(bigOf));
    if (time) none.add(notATime);
    const absent = none.size > 0;
    return masked((i) => (absent && none.has(source[i] as bigint) ? Number.NaN : Number(source[i])), valid);
  }
  const plain = (i: number) => source[i] as number;
  // Missing values have the precision of the elements.
  const none = [
    ...new Set(missing.map((one) => (source instanceof Float32Array ? Math.fround(Number(one)) : Number(one)))),
  ];
  const [one] = none;
  if (one === undefined) return masked(plain, valid);
  if (none.length === 1) return masked((i) => (source[i] === one ? Number.NaN : (source[i] as number)), valid);
  return masked((i) => (none.includes(source[i] as number) ? Number.NaN : (source[i] as number)), valid);
}

/** Returns the integers that a missing value may mean. */
function bigOf(value: number | bigint): bigint[] {
  if (typeof value === "bigint") return [value];
  return Number.isInteger(value) ? [BigInt(value)] : [];
}

function masked(read: (i: number) => number, valid: Meaning["packing"]["valid"]): (i: number) => number {
  if (!valid) return read;
  const [least, most] = valid;
  return (i) => {
    const value = read(i);
    return value >= least && value <= most ? value : Number.NaN;
  };
}

function complexReader(pairs: Float32Array | Float64Array, part: Meaning["complex"]): (i: number) => number {
  const re = (i: number) => pairs[2 * i] as number;
  const im = (i: number) => pairs[2 * i + 1] as number;
  switch (part) {
    case "real":
      return re;
    case "imaginary":
      return im;
    case "phase":
      return (i) => Math.atan2(im(i), re(i));
    default:
      return (i) => Math.hypot(re(i), im(i));
  }
}

/** Converts numbers to pixels: see {@link Prepare}. */
function* prepare({ source, layout, meaning, form, base: given }: Prepare): Steps<Prepared> {
  const size = layout.width * layout.height * layout.parts;
  if (form === "float") {
    const read = reader(source, meaning);
    const chosen = given ?? (yield* baseOf(read, layout, isBig(source)));
    const less = chosen ? reader(source, meaning, chosen) : read;
    const data = new Float32Array(size);
    yield* arrange(layout, (to, from) => {
      data[to] = less(from);
    });
    return { data, source, base: chosen };
  }
  const data = roomFor(source, form, size);
  if (form === "label" && isBig(source)) {
    const words = new Uint32Array(source.buffer, source.byteOffset, source.length * 2);
    const signed = source instanceof BigInt64Array;
    yield* arrange(layout, (to, from) => {
      const low = words[2 * from] as number;
      const high = words[2 * from + 1] as number;
      // Integers that fit 32 bits keep their value.
      const fits = signed ? high === (low >>> 31 ? 0xffffffff : 0) : high === 0;
      data[to] = fits ? low : foldedLabel(low, high);
    });
  } else {
    const numbers = source as Pixels["data"];
    yield* arrange(layout, (to, from) => {
      data[to] = numbers[from] as number;
    });
  }
  return { data, source, base: 0 };
}

function roomFor(source: Numbers, form: Form, size: number): Pixels["data"] {
  if (form === "label" && isBig(source)) {
    return source instanceof BigInt64Array ? new Int32Array(size) : new Uint32Array(size);
  }
  return new (source.constructor as new (size: number) => Pixels["data"])(size);
}

/**
 * Calls `put` for each number of a rectangle, with its places among the pixels and in the source.
 */
function* arrange(layout: Layout, put: (to: number, from: number) => void): Steps<void> {
  const { width, height, parts, strideX, strideY, strideC } = layout;
  const rows = Math.max(1, Math.floor(stretch / (width * parts)));
  let to = 0;
  for (let row = 0; row < height; row++) {
    let from = row * strideY;
    if (parts === 1) for (let column = 0; column < width; column++, from += strideX) put(to++, from);
    else {
      for (let column = 0; column < width; column++, from += strideX)
        for (let part = 0; part < parts; part++) put(to++, from + part * strideC);
    }
    if (row % rows === rows - 1) yield;
  }
}

/**
 * Returns the base to subtract so that float32 distinguishes the numbers. It is 0 if float32
 * already does, and null if all are missing.
 */
function* baseOf(read: (i: number) => number, layout: Layout, big: boolean): Steps<number | null> {
  let least = Number.POSITIVE_INFINITY;
  let most = Number.NEGATIVE_INFINITY;
  yield* arrange(layout, (_, from) => {
    const value = read(from);
    if (value < least && value > Number.NEGATIVE_INFINITY) least = value;
    if (value > most && value < Number.POSITIVE_INFINITY) most = value;
  });
  if (least > most) return null;
  const large = Math.max(Math.abs(least), Math.abs(most));
  // Different integers of 64 bits may be one number.
  const exact = Math.fround(least) === least && Math.fround(most) === most && !(big && large > whole);
  // At least 12 of the 24 bits remain for the differences.
  return large <= 4096 * (most - least) || exact ? 0 : least;
}

/** The largest number of elements that are sorted for quantiles. */
const sampled = 1 << 16;
const bins = 256;
const steps = 1024;

/** Surveys all numbers: see {@link Survey}. */
function* survey({ sources, meaning }: Survey): Steps<Surveyed> {
  const { scale, offset } = meaning.packing;
  // Numbers in float32 are scaled in float64, like single values.
  const parts = sources.map(({ source, layout }) => {
    const read = reader(source, meaning);
    const colours = { ...layout, parts: Math.min(3, layout.parts) as 1 | 3 };
    return {
      colours,
      size: layout.width * layout.height * colours.parts,
      value: (i: number) => read(i) * scale + offset,
    };
  });
  const count = parts.reduce((sum, { size }) => sum + size, 0);
  const every = Math.max(1, Math.ceil(count / sampled));
  const sample = new Float64Array(Math.ceil(count / every));
  let taken = 0;
  let missing = 0;
  let least = Number.POSITIVE_INFINITY;
  let most = Number.NEGATIVE_INFINITY;
  let seen = 0;
  for (const { colours, value } of parts) {
    yield* arrange(colours, (_, from) => {
      const v = value(from);
      const wanted = seen++ % every === 0;
      if (!(v - v === 0)) {
        // Infinities have no place in a range, and are not missing either.
        if (Number.isNaN(v)) missing++;
        return;
      }
      if (v < least) least = v;
      if (v > most) most = v;
      if (wanted) sample[taken++] = v;
    });
  }
  const histogram = new Uint32Array(bins);
  if (least > most) {
    const none = new Float64Array(steps + 1).fill(Number.NaN);
    return { least: Number.NaN, most: Number.NaN, count, missing, histogram, quantiles: none };
  }
  const exact = new Exact(least, most, meaning);
  for (const { source, layout } of sources) {
    if (!isBig(source) || !exact.wanted) continue;
    const read = reader(source, meaning);
    yield* arrange(layout, (_, from) => {
      if (!Number.isNaN(read(from))) exact.take(source[from] as bigint);
    });
  }
  if (least === most && exact.differ) [least, most] = [least - exact.step, most + exact.step];
  // Halved, because the difference of two float64 numbers may overflow.
  const width = most / 2 - least / 2;
  for (const { colours, value } of parts) {
    yield* arrange(colours, (_, from) => {
      const v = value(from);
      if (!(v - v === 0)) return;
      const bin = width > 0 ? Math.min(bins - 1, Math.floor(((v / 2 - least / 2) / width) * bins)) : 0;
      histogram[bin] = (histogram[bin] as number) + 1;
    });
  }
  const sorted = sample.subarray(0, taken).sort();
  const quantiles = Float64Array.from({ length: steps + 1 }, (_, i) => between(sorted, i / steps));
  quantiles[0] = least;
  quantiles[steps] = most;
  return { least, most, count, missing, histogram, quantiles, close: exact.close };
}

/** The exact extremes of 64-bit integers whose values in float64 are equal or neighbours. */
class Exact {
  /** The distance of float64 numbers of this size. */
  readonly step: number;
  /** Whether the integers are needed: float64 may not distinguish them. */
  readonly wanted: boolean;
  #least: bigint | undefined;
  #most: bigint | undefined;

  constructor(least: number, most: number, { packing: { scale, offset } }: Pick<Meaning, "packing">) {
    this.step = 2 ** (Math.floor(Math.log2(Math.max(Math.abs(least), Math.abs(most)))) - 52);
    const large = Math.min(Math.abs(least), Math.abs(most)) > whole;
    this.wanted = large && most - least <= this.step && scale === 1 && offset === 0;
  }

  take(value: bigint): void {
    if (this.#least === undefined || value < this.#least) this.#least = value;
    if (this.#most === undefined || value > this.#most) this.#most = value;
  }

  get differ(): boolean {
    return this.#least !== this.#most;
  }

  /** The extremes, if they lie nearer to each other than half of a range in float64. */
  get close(): Close | null {
    const [least, most] = [this.#least, this.#most];
    if (least === undefined || most === undefined || least === most) return null;
    const width = Number(most) - Number(least) || 2 * this.step;
    return Number(most - least) < width / 2 ? [least, most] : null;
  }
}

/** Returns the number at a share of sorted ones. */
function between(sorted: Float64Array, share: number): number {
  if (sorted.length === 0) return Number.NaN;
  const at = Math.min(Math.max(share, 0), 1) * (sorted.length - 1);
  const low = sorted[Math.floor(at)] as number;
  const high = sorted[Math.ceil(at)] as number;
  const rest = at - Math.floor(at);
  return low === high ? low : low * (1 - rest) + high * rest;
}

function* extremes({ values, count }: Extremes): Steps<Extreme> {
  const least = new Float64Array(count).fill(Number.NaN);
  const most = new Float64Array(count).fill(Number.NaN);
  let pause = stretch;
  for (let k = 0; k < count; k++) {
    const from = Math.floor((k * values.length) / count);
    const to = Math.max(from + 1, Math.floor(((k + 1) * values.length) / count));
    let low = Number.POSITIVE_INFINITY;
    let high = Number.NEGATIVE_INFINITY;
    for (let i = from; i < to && i < values.length; i++) {
      const value = values[i] as number;
      if (value < low) low = value;
      if (value > high) high = value;
      if (--pause === 0) {
        pause = stretch;
        yield;
      }
    }
    if (low <= high) {
      least[k] = low;
      most[k] = high;
    }
  }
  return { least, most };
}

function* unpack({ source, count, meaning }: Unpack): Steps<Unpacked> {
  const { scale, offset } = meaning.packing;
  const read = reader(source, meaning);
  const values = new Float64Array(count);
  let least = Number.POSITIVE_INFINITY;
  let most = Number.NEGATIVE_INFINITY;
  for (let i = 0; i < count; i++) {
    const value = read(i) * scale + offset;
    values[i] = value;
    if (value < least) least = value;
    if (value > most) most = value;
    if (i % stretch === stretch - 1) yield;
  }
  const exact = new Exact(least, most, meaning);
  if (isBig(source) && exact.wanted)
    for (let i = 0; i < count; i++) {
      if (!Number.isNaN(values[i])) exact.take(source[i] as bigint);
      if (i % stretch === stretch - 1) yield;
    }
  return { values, source, close: exact.close };
}

/** Returns a function from an element's place to its value in its own units. */
function valuer({ source, meaning }: Operand): (i: number) => number {
  const { scale, offset } = meaning.packing;
  const read = reader(source, meaning);
  return (i) => read(i) * scale + offset;
}

const isPlain = ({ meaning: { packing } }: Operand): boolean => packing.scale === 1 && packing.offset === 0;

/**
 * Returns the exact difference of two elements, if the program subtracts 64-bit integers: two
 * operands, or an operand and a large integer. A float64 may hold it even if it holds neither.
 */
function exactDifference(
  program: readonly Step[],
  operands: readonly Operand[],
): ((places: readonly number[]) => number) | null {
  const [a, b, last, ...more] = program;
  if (!a || !b || !last || more.length > 0 || !("operation" in last) || !operands.every(isPlain)) return null;
  const [first, second] = operands.map(({ source }) => (isBig(source) ? source : null));
  if (!first || !("operand" in a) || a.operand !== 0) return null;
  if ("operand" in b && b.operand === 1 && second && last.operation === "-")
    return ([i = 0, k = 0]) => Number((first[i] as bigint) - (second[k] as bigint));
  if (!("constant" in b) || b.exact === undefined || !/^[+-]$/.test(last.operation)) return null;
  const base = last.operation === "-" ? b.exact : -b.exact;
  return ([i = 0]) => Number((first[i] as bigint) - base);
}

function* compute({ operands, program, shape }: Compute): Steps<Computed> {
  const values = new Float64Array(shape.reduce((count, length) => count * length, 1));
  const readers = operands.map(valuer);
  // The place of the next element in each operand, and along each axis.
  const places = operands.map(() => 0);
  const index = shape.map(() => 0);
  const stack: Float64Array[] = [];
  const block = Math.min(values.length, blockLength);
  const loaded = operands.map(() => new Float64Array(block));
  const difference = exactDifference(program, operands);
  const exact = new Float64Array(difference ? block : 0);
  for (let from = 0; from < values.length; from += block) {
    const count = Math.min(block, values.length - from);
    for (let i = 0; i < count; i++) {
      for (let k = 0; k < readers.length; k++) {
        const read = readers[k] as (at: number) => number;
        (loaded[k] as Float64Array)[i] = read(places[k] as number);
      }
      if (difference) exact[i] = difference(places);
      step(shape, index, operands, places);
    }
    const results = values.subarray(from, from + count);
    runProgram(program, stack, (k, to) => to.set((loaded[k] as Float64Array).subarray(0, count)), results);
    if (difference) for (let i = 0; i < count; i++) if (!Number.isNaN(results[i])) results[i] = exact[i] as number;
    if (from % stretch === 0) yield;
  }
  return { values };
}

/** Moves the places of operands to the next element of a shape, in C order. */
function step(shape: readonly number[], index: number[], operands: readonly Operand[], places: number[]): void {
  for (let d = shape.length - 1; d >= 0; d--) {
    const length = shape[d] as number;
    const next = (index[d] as number) + 1;
    const wraps = next === length;
    index[d] = wraps ? 0 : next;
    for (let k = 0; k < places.length; k++) {
      const stride = (operands[k] as Operand).strides[d] as number;
      places[k] = (places[k] as number) + (wraps ? stride * (1 - length) : stride);
    }
    if (!wraps) return;
  }
}

function* summarise(task: Summarise): Steps<Summarised> {
  const { source, meaning, strideX, strideY, strideZ, planes, columns, rows, mask, by, classes = [] } = task;
  const value = valuer({ source, meaning, strides: [] });
  const groups = { plane: 1, column: columns.length, row: rows.length }[by];
  const found = noStatistics(planes * groups, classes.length);
  const classOf = new Map(classes.map((value, i) => [value, i]));
  const { count, missing, least, most, weights, mean, squares } = found;
  const pause = Math.max(1, Math.floor(stretch / Math.max(1, columns.length)));
  for (let plane = 0; plane < planes; plane++)
    for (let row = 0; row < rows.length; row++) {
      for (let column = 0; column < columns.length; column++) {
        if (mask && mask[row * columns.length + column] === 0) continue;
        const g = plane * groups + (by === "column" ? column : by === "row" ? row : 0);
        const v = value(plane * strideZ + row * strideY + column * strideX);
        if (Number.isNaN(v)) {
          (missing[g] as number)++;
          continue;
        }
        (count[g] as number)++;
        if (v < (least[g] as number)) least[g] = v;
        if (v > (most[g] as number)) most[g] = v;
        const weight = (rows[row] as number) * (columns[column] as number);
        if (weight === 0) continue;
        const at = classOf.get(v);
        if (at !== undefined) (found.classes[g * classes.length + at] as number) += weight;
        // The mean and the sum of squares are updated by each value, so that large values lose no
        // digits. The share of the first value is exactly 1.
        (weights[g] as number) += weight;
        const change = v - (mean[g] as number);
        (mean[g] as number) += change * (weight / (weights[g] as number));
        (squares[g] as number) += weight * change * (v - (mean[g] as number));
      }
      if (row % pause === pause - 1) yield;
    }
  return found;
}

function* samples({ source, meaning, form, width, height, parts, flipX, flipY }: Samples): Steps<Sampled> {
  const count = width * height * parts;
  const operand = { source, meaning, strides: [] };
  const value = valuer(operand);
  const exact = form !== "stored" && isBig(source) && isPlain(operand) ? source : null;
  const numbers =
    form === "stored"
      ? new (source.constructor as new (length: number) => Numbers)(count)
      : form === "float32"
        ? new Float32Array(count)
        : new Float64Array(count);
  const from = (form === "stored" ? source : null) as Float64Array | null;
  const to = numbers as Float64Array;
  let lost: bigint | null = null;
  let i = 0;
  for (let row = 0; row < height; row++) {
    for (let column = 0; column < width; column++) {
      const place = (flipY ? height - 1 - row : row) * width + (flipX ? width - 1 - column : column);
      for (let part = 0; part < parts; part++, i++) {
        const at = place * parts + part;
        to[i] = from ? (from[at] as number) : value(at);
        if (!exact || lost !== null || Number.isNaN(to[i])) continue;
        const stored = exact[at] as bigint;
        if (BigInt(to[i] as number) !== stored) lost = stored;
      }
    }
    if ((row + 1) % Math.max(1, Math.floor(stretch / (width * parts))) === 0) yield;
  }
  return { numbers, lost };
}

function* locate({ width, height, longitude, latitude, corners }: Locate): Steps<CellMap> {
  const values = ({ source, meaning }: Placed) => {
    const value = valuer({ source, meaning, strides: [] });
    return Float64Array.from({ length: source.length }, (_, i) => value(i));
  };
  const both = { longitude: values(longitude), latitude: values(latitude) };
  yield;
  const around = corners && { longitude: values(corners.longitude), latitude: values(corners.latitude) };
  return yield* mapOf({ width, height, ...both, corners: around });
}

const forms = { int16: Int16Array, int32: Int32Array, float32: Float32Array, float64: Float64Array } as const;

function* gather({ source, cells, form, fill }: Gather): Steps<Gathered> {
  const numbers = new forms[form](cells.length);
  for (let i = 0; i < cells.length; i++) {
    const cell = cells[i] as number;
    numbers[i] = cell < 0 ? fill : Number(source[cell]);
    if (i % stretch === stretch - 1) yield;
  }
  return { numbers };
}

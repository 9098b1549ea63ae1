// Loops over elements. They yield now and then, so that they can be run in short tasks where there is no worker.
import type { Pixels } from "../paint/painter.js";
import type {
  Extreme,
  Extremes,
  Form,
  Layout,
  Meaning,
  Numbers,
  Prepare,
  Prepared,
  Result,
  Survey,
  Surveyed,
  Task,
  Unpack,
  Unpacked,
} from "./tasks.js";

/** Work that yields after a millisecond or so. */
type Steps<T> = Generator<void, T, void>;

/** Elements between two pauses. */
const stretch = 1 << 15;

/** Does a task. */
export function work<T extends Task>(task: T): Steps<Result<T>>;
export function work(task: Task): Steps<Prepared | Surveyed | Extreme | Unpacked> {
  if (task.task === "prepare") return prepare(task);
  if (task.task === "unpack") return unpack(task);
  return task.task === "survey" ? survey(task) : extremes(task);
}

/** The buffers of a result that may be transferred. */
export function transferred(result: object): ArrayBuffer[] {
  const views = Object.values(result).filter((value): value is ArrayBufferView => ArrayBuffer.isView(value));
  return [...new Set(views.map(({ buffer }) => buffer))].filter((buffer) => buffer instanceof ArrayBuffer);
}

const isBig = (source: Numbers): source is BigInt64Array | BigUint64Array =>
  source instanceof BigInt64Array || source instanceof BigUint64Array;

const notATime = -(2n ** 63n);

/** Gives the number of an element by its place: NaN where it is missing. */
function reader(source: Numbers, { complex, time, packing }: Meaning): (i: number) => number {
  if (complex !== null) return complexReader(source as Float32Array, complex);
  const { missing, valid } = packing;
  if (isBig(source)) {
    const none = new Set<bigint>(missing.flatMap(bigOf));
    if (time) none.add(notATime);
    const absent = none.size > 0;
    return masked((i) => (absent && none.has(source[i] as bigint) ? Number.NaN : Number(source[i])), valid);
  }
  const plain = (i: number) => source[i] as number;
  // A number that is missing is written with the precision of the elements.
  const none = [
    ...new Set(missing.map((one) => (source instanceof Float32Array ? Math.fround(Number(one)) : Number(one)))),
  ];
  const [one] = none;
  if (one === undefined) return masked(plain, valid);
  if (none.length === 1) return masked((i) => (source[i] === one ? Number.NaN : (source[i] as number)), valid);
  return masked((i) => (none.includes(source[i] as number) ? Number.NaN : (source[i] as number)), valid);
}

/** The integers that a missing value stands for. */
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

/** Makes pixels of numbers: see {@link Prepare}. */
function* prepare({ source, layout, meaning, form, base: given }: Prepare): Steps<Prepared> {
  const size = layout.width * layout.height * layout.parts;
  if (form === "float") {
    const read = reader(source, meaning);
    const chosen = given ?? (yield* baseOf(read, layout));
    const base = chosen ?? 0;
    const data = new Float32Array(size);
    yield* arrange(layout, (to, from) => {
      data[to] = read(from) - base;
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
      // What fits 32 bits stays the number that it is.
      const fits = signed ? high === (low >>> 31 ? 0xffffffff : 0) : high === 0;
      data[to] = fits ? low : folded(low, high);
    });
  } else {
    const numbers = source as Pixels["data"];
    yield* arrange(layout, (to, from) => {
      data[to] = numbers[from] as number;
    });
  }
  return { data, source, base: 0 };
}

/** One number of two halves, which is that of no other label but by chance, and never that of the background. */
function folded(low: number, high: number): number {
  const mixed = Math.imul(0x9e3779b9 + (high ^ (high >>> 15)), 0x85ebca6b);
  return low ^ Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35) || 1;
}

function roomFor(source: Numbers, form: Form, size: number): Pixels["data"] {
  if (form === "label" && isBig(source)) {
    return source instanceof BigInt64Array ? new Int32Array(size) : new Uint32Array(size);
  }
  return new (source.constructor as new (size: number) => Pixels["data"])(size);
}

/** Calls for each number of a rectangle with its place among pixels and in the source. */
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

/** What has to be taken away from numbers so that those of float32 tell them apart: 0 where they do already, null where all are missing. */
function* baseOf(read: (i: number) => number, layout: Layout): Steps<number | null> {
  let least = Number.POSITIVE_INFINITY;
  let most = Number.NEGATIVE_INFINITY;
  yield* arrange(layout, (_, from) => {
    const value = read(from);
    if (value < least && value > Number.NEGATIVE_INFINITY) least = value;
    if (value > most && value < Number.POSITIVE_INFINITY) most = value;
  });
  if (least > most) return null;
  const large = Math.max(Math.abs(least), Math.abs(most));
  const exact = Math.fround(least) === least && Math.fround(most) === most;
  // Of 24 bits at least twelve are left for the differences.
  return large <= 4096 * (most - least) || exact ? 0 : least;
}

/** Numbers that are sorted for quantiles, at most. */
const sampled = 1 << 16;
const bins = 256;
const steps = 1024;

/** Looks at all numbers: see {@link Survey}. */
function* survey({ sources, meaning }: Survey): Steps<Surveyed> {
  const { scale, offset } = meaning.packing;
  // What lies in float32 is scaled in float64, as those are that read a value.
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
  // Halves: what lies between the ends of float64 may be more than a float64 holds.
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
  return { least, most, count, missing, histogram, quantiles };
}

/** The number at a share of sorted ones. */
export function between(sorted: Float64Array, share: number): number {
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
  for (let i = 0; i < count; i++) {
    values[i] = read(i) * scale + offset;
    if (i % stretch === stretch - 1) yield;
  }
  return { values, source };
}

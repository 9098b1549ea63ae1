import { BoolArray } from "./arrays.js";
import { InvalidSelectionError } from "./errors.js";
import { byName, type Selection, type Selector, type SliceLike } from "./selection.js";

/** How an array is cut into chunks. */
export interface Cuts {
  shape: readonly number[];
  chunks: readonly number[];
  /** A rectilinear grid's runs of [length, count] for each dimension. */
  edges: [number, number][][] | null;
}

/** Positions along one dimension: `start + i * step`, or a list. */
export interface Line {
  start: number;
  step: number;
  count: number;
  list?: number[];
}

/** What a selection takes of one chunk along one dimension. */
interface Span {
  chunk: number;
  /** Where the chunk begins. */
  from: number;
  /** In the array. */
  take: Line;
  /** In the result. */
  put: Line;
}

/** What a selection takes of one chunk. */
export interface Part {
  /** The chunk's coordinates in the grid. */
  coords: number[];
  spans: Span[];
}

/** A selection by chunk. */
export interface Plan {
  /** The dimensions that are left in the result. */
  kept: number[];
  /** The result's shape. */
  shape: number[];
  /** How many chunks it touches. */
  count: number;
  /** What it takes of the i-th of them, in C order. */
  part(i: number): Part;
}

/** Cuts a selection up by chunk. */
export function plan(
  selection: Selection | undefined,
  cuts: Cuts,
  names: readonly (string | null)[] | undefined,
): Plan {
  const lines = resolve(selection, cuts.shape, names);
  const kept = lines.flatMap(({ dropped }, d) => (dropped ? [] : [d]));
  const spans = lines.map((line, d) => spansOf(line, cuts, d));
  const part = (i: number): Part => {
    const picked: Span[] = [];
    let rest = i;
    for (let d = spans.length - 1; d >= 0; d--) {
      const list = spans[d] as Span[];
      picked.unshift(list[rest % list.length] as Span);
      rest = Math.floor(rest / list.length);
    }
    return { coords: picked.map(({ chunk }) => chunk), spans: picked };
  };
  const count = spans.reduce((n, { length }) => n * length, 1);
  return { kept, shape: kept.map((d) => (lines[d] as Line).count), count, part };
}

type Axis = Line & { dropped: boolean };

function resolve(
  selection: Selection | undefined,
  shape: readonly number[],
  names: readonly (string | null)[] | undefined,
): Axis[] {
  let list: readonly Selector[];
  if (selection === null || selection === undefined) list = [];
  else list = Array.isArray(selection) ? selection : byName(selection as Record<string, Selector>, names);
  const at = list.indexOf("...");
  if (at < 0 && list.length > shape.length) {
    throw new InvalidSelectionError(`${list.length} entries for ${shape.length} dimensions`);
  }
  const head = at < 0 ? list : list.slice(0, at);
  const tail = at < 0 ? [] : list.slice(at + 1);
  const rest = shape.length - head.length - tail.length;
  if (rest < 0) throw new InvalidSelectionError(`${list.length - 1} entries for ${shape.length} dimensions`);
  return [...head, ...new Array<null>(rest).fill(null), ...tail].map((s, d) => axis(s, shape[d] as number));
}

function axis(selector: Selector, length: number): Axis {
  if (selector === null) return { start: 0, step: 1, count: length, dropped: false };
  if (typeof selector === "number" || typeof selector === "bigint") {
    return { start: index(selector, length), step: 1, count: 1, dropped: true };
  }
  if (typeof selector === "object" && "start" in selector && "stop" in selector)
    return { ...range(selector, length), dropped: false };
  if (typeof selector === "string") throw new InvalidSelectionError(`"..." more than once`);
  const values = Array.from(selector as ArrayLike<number | bigint | boolean>);
  if (selector instanceof BoolArray || typeof values[0] === "boolean") {
    if (values.length !== length)
      throw new InvalidSelectionError(`a mask of ${values.length} for a dimension of ${length}`);
    const list = values.flatMap((v, i) => (v ? [i] : []));
    return { start: 0, step: 1, count: list.length, list, dropped: false };
  }
  const list = values.map((v) => index(v as number, length));
  return { start: 0, step: 1, count: list.length, list, dropped: false };
}

function index(value: number | bigint, length: number): number {
  const i = Number(value);
  const at = i < 0 ? i + length : i;
  if (!Number.isInteger(i) || at < 0 || at >= length) {
    throw new InvalidSelectionError(`index ${value} of a dimension of ${length}`);
  }
  return at;
}

function range(slice: SliceLike, length: number): Line {
  const step = Number(slice.step ?? 1);
  if (!Number.isInteger(step) || step === 0) throw new InvalidSelectionError(`a slice's step may not be ${slice.step}`);
  const [low, high] = step > 0 ? [0, length] : [-1, length - 1];
  const bound = (value: number | bigint | null, otherwise: number) => {
    if (value === null || value === undefined) return otherwise;
    const n = Number(value);
    return Math.min(high, Math.max(low, n < 0 ? n + length : n));
  };
  const start = bound(slice.start, step > 0 ? low : high);
  const stop = bound(slice.stop, step > 0 ? high : low);
  return { start, step, count: Math.max(0, Math.ceil((stop - start) / step)) };
}

/** The chunk that a position lies in, where it begins and ends. */
function locate(position: number, { chunks, edges }: Cuts, d: number): [chunk: number, from: number, to: number] {
  if (!edges) {
    const size = chunks[d] as number;
    const chunk = Math.floor(position / size);
    return [chunk, chunk * size, (chunk + 1) * size];
  }
  let first = 0;
  let begin = 0;
  for (const [size, count] of edges[d] as [number, number][]) {
    if (position < begin + size * count) {
      const k = Math.floor((position - begin) / size);
      return [first + k, begin + k * size, begin + (k + 1) * size];
    }
    first += count;
    begin += size * count;
  }
  throw new InvalidSelectionError(`position ${position} is outside the grid`);
}

function spansOf(line: Line, cuts: Cuts, d: number): Span[] {
  if (line.list) {
    const byChunk = new Map<number, Span & { take: { list: number[] }; put: { list: number[] } }>();
    for (const [i, position] of line.list.entries()) {
      const [chunk, from] = locate(position, cuts, d);
      let span = byChunk.get(chunk);
      if (!span) {
        const empty = () => ({ start: 0, step: 1, count: 0, list: [] as number[] });
        span = { chunk, from, take: empty(), put: empty() };
        byChunk.set(chunk, span);
      }
      span.take.count = span.take.list.push(position);
      span.put.count = span.put.list.push(i);
    }
    return [...byChunk.values()].sort((a, b) => a.chunk - b.chunk);
  }
  const spans: Span[] = [];
  for (let i = 0; i < line.count; ) {
    const start = line.start + i * line.step;
    const [chunk, from, to] = locate(start, cuts, d);
    const left = line.step > 0 ? Math.ceil((to - start) / line.step) : Math.floor((start - from) / -line.step) + 1;
    const count = Math.min(left, line.count - i);
    spans.push({ chunk, from, take: { start, step: line.step, count }, put: { start: i, step: 1, count } });
    i += count;
  }
  return spans;
}

/** Makes a selector of a line. */
export function selectorOf({ start, step, count, list }: Line): SliceLike | number[] {
  if (list) return list;
  const stop = start + count * step;
  return { start, stop: stop < 0 ? null : stop, step };
}

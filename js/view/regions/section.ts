import type { AnyData, Chunk, DataType } from "../../data/types.js";
import type { Coordinate, FieldLevel } from "../../describe/field.js";
import { roundText, withUnits } from "../../describe/text.js";
import type { TypeDescription } from "../../engine/protocol/wire.js";
import { valueAt } from "../axes/positions.js";
import { turned } from "../element/camera.js";
import { unpacked } from "../plot/read.js";
import { elementAt, type Item, joined, type Options } from "../tiles/elements.js";
import { standIn } from "../tiles/standin.js";
import type { ViewWorker } from "../worker/viewworker.js";
import { type Corner, rounded, type Shape } from "./cells.js";
import { indicesOf, runOf, selected } from "./runs.js";
import type { Ground } from "./statistics.js";

/** Positions along a line, and their distances. */
interface Track {
  /** Each position, in columns and rows. */
  readonly points: readonly Corner[];
  /** Column and row of the element at each position. */
  readonly places: readonly Corner[];
  readonly coordinate: Coordinate;
  readonly units: string;
}

/** The largest number of elements of a section. */
const longest = 4096;
/** The number of elements that are read at once. */
const batch = 1 << 17;
/** The mean radius of the Earth in kilometres. */
const radius = 6371.0088;

/** Returns positions along a line, at most an element apart along the longer direction. */
function walked(corners: readonly Corner[]): Corner[] {
  const edges = corners.slice(1).map((to, i) => [corners[i] ?? to, to] as const);
  const lengths = edges.map(([a, b]) => Math.max(Math.abs(b[0] - a[0]), Math.abs(b[1] - a[1])));
  const all = lengths.reduce((sum, length) => sum + length, 0);
  const dense = Math.min(1, (longest - 1 - edges.length) / all);
  const first = corners[0];
  return edges.reduce<Corner[]>(
    (points, [a, b], k) => {
      const steps = Math.max(1, Math.ceil((lengths[k] ?? 0) * dense));
      for (let i = 1; i <= steps; i++)
        points.push([a[0] + (i / steps) * (b[0] - a[0]), a[1] + (i / steps) * (b[1] - a[1])]);
      return points;
    },
    first ? [first] : [],
  );
}

/** Returns the function from a position to its place, in the units of distances. */
function measure(ground: Ground): { readonly units: string; distance(a: Corner, b: Corner): number } {
  const { columns, rows, lonLat, period, width } = ground;
  const plain = (a: Corner, b: Corner) => Math.hypot(b[0] - a[0], b[1] - a[1]);
  if (columns?.kind !== "number" || rows?.kind !== "number" || width < 2 || rows.length < 2)
    return { units: "", distance: plain };
  const at = ([x, y]: Corner): Corner => [valueAt(columns, period ? turned(x, period) : x), valueAt(rows, y)];
  if (lonLat) {
    const degree = Math.PI / 180;
    const distance = (a: Corner, b: Corner) => {
      const [[east, north], [x, y]] = [at(a), at(b)];
      const [dx, dy] = [Math.sin(((x - east) * degree) / 2), Math.sin(((y - north) * degree) / 2)];
      const half = dy * dy + Math.cos(north * degree) * Math.cos(y * degree) * dx * dx;
      return 2 * radius * Math.asin(Math.sqrt(Math.min(1, half)));
    };
    return { units: "km", distance };
  }
  if (columns.units === "" || columns.units !== rows.units) return { units: "", distance: plain };
  return { units: columns.units, distance: (a, b) => plain(at(a), at(b)) };
}

/**
 * Returns the elements along a line: those that contain its positions. On grids of longitude and
 * latitude, distances are great circles between neighbours; elsewhere they are in the common units
 * of both axes, or in elements.
 */
export function trackOf(ground: Ground, { points }: Shape): Track {
  const { width, height, period, columns, rows } = ground;
  const walk = walked(points.map(rounded));
  const clamp = (at: number, length: number) => Math.max(0, Math.min(length - 1, Math.floor(at)));
  const places = walk.map(([x, y]): Corner => [clamp(period ? turned(x, period) : x, width), clamp(y, height)]);
  const { units, distance } = measure(ground);
  const distances = new Float64Array(walk.length);
  for (let i = 1; i < walk.length; i++)
    distances[i] = (distances[i - 1] ?? 0) + distance(walk[i - 1] as Corner, walk[i] as Corner);
  const far = (i: number) => distances[i] ?? Number.NaN;
  const text = (i: number) => {
    const [x = 0, y = 0] = places[i] ?? [];
    const place = `${rows?.text(y) ?? `row ${y}`} ${columns?.text(x) ?? `column ${x}`}`;
    return `${withUnits(roundText(far(i)), units)} (${place})`;
  };
  const find = (wanted: string) => {
    const value = Number.parseFloat(wanted);
    if (Number.isNaN(value)) return undefined;
    return distances.reduce((best, one, i) => (Math.abs(one - value) < Math.abs(far(best) - value) ? i : best), 0);
  };
  const coordinate: Coordinate = {
    kind: "number",
    name: "distance",
    units,
    length: walk.length,
    number: far,
    text,
    find,
  };
  return { points: walk, places, coordinate, units };
}

/** An element, and its weight in a value. */
type Weighed = readonly [column: number, row: number, weight: number];

/** Returns the elements around a position, with weights that interpolate between their centres. */
function around({ width, height, period }: Ground, [x, y]: Corner): Weighed[] {
  const along = (at: number, length: number, around: number | null | undefined): (readonly [number, number])[] => {
    const from = Math.floor(at - 0.5);
    const part = at - 0.5 - from;
    const place = (i: number) => (around ? turned(i, around) : Math.max(0, Math.min(length - 1, i)));
    const ends = [
      [place(from), 1 - part],
      [place(from + 1), part],
    ] as const;
    return ends.filter(([, weight]) => weight > 0);
  };
  const rows = along(y, height, null);
  return along(x, width, period).flatMap(([column, a]) => rows.map(([row, b]): Weighed => [column, row, a * b]));
}

const float64: TypeDescription = { kind: "float", name: "float64", size: 8 };

/**
 * Returns the elements along a track as an array: the kept axes, and the distance at the end. With
 * `workers` it has values between the elements' centres instead, NaN beside a missing one.
 */
export function sectionArray(
  ground: Ground,
  { points, places }: Track,
  kept: readonly number[],
  workers: (() => ViewWorker) | null,
): FieldLevel {
  const { field, x, y } = ground;
  const used = workers
    ? points.map((point) => around(ground, point))
    : places.map(([column, row]): Weighed[] => [[column, row, 1]]);
  const level = field.levels[0];
  if (!level) throw new TypeError("a field has at least one level");
  const { array, reads = 1 } = level;
  const type = workers ? float64 : array.type;
  const lengths = [...kept.map((d) => array.shape[d] ?? 1), places.length];
  const chunks = [...kept.map((d) => Math.max(1, array.chunks[d] ?? 1)), places.length];

  /** Reads elements at places of the section. */
  async function read(at: readonly (readonly number[])[], options: Options): Promise<AnyData> {
    const usedAt = (index: readonly number[]) => used[index.at(-1) ?? 0] ?? [];
    const coords = array.shape.map((_, d) =>
      at.flatMap((index) =>
        usedAt(index).map(([column, row]) => (d === x ? column : d === y ? row : (index[kept.indexOf(d)] ?? 0))),
      ),
    );
    const { data } = (await array.vindex(coords, options)) as Chunk<DataType>;
    if (!workers) return data as AnyData;
    const worker = workers();
    try {
      const signal = options.signal ?? new AbortController().signal;
      const { values } = await unpacked(field, data as AnyData, coords[0]?.length ?? 0, worker, { signal });
      let next = 0;
      return Float64Array.from(at, (index) =>
        usedAt(index).reduce((sum, [, , weight]) => sum + weight * (values[next++] ?? Number.NaN), 0),
      );
    } finally {
      worker.close();
    }
  }

  async function get(items: readonly Item[], options: Options = {}): Promise<unknown> {
    const runs = lengths.map((length, d) => runOf(items[d], length));
    const parts: AnyData[] = [];
    let at: (readonly number[])[] = [];
    for (const index of indicesOf(runs)) {
      at.push(index);
      if (at.length < batch) continue;
      parts.push(await read(at, options));
      at = [];
    }
    if (at.length > 0 || parts.length === 0) parts.push(await read(at, options));
    const data = joined(parts);
    return runs.every(({ single }) => single) ? elementAt(type, data, 0) : { data, ...selected(runs) };
  }

  async function vindex(coords: readonly (readonly number[])[], options: Options = {}) {
    const count = coords[0]?.length ?? 0;
    const at = Array.from({ length: count }, (_, i) => coords.map((list) => list[i] ?? 0));
    return { data: await read(at, options), shape: [count], stride: [1] };
  }

  const size = (d: number) => Math.max(1, array.chunks[d] ?? 1);
  const met = new Set(
    used.flat().map(([column, row]) => `${Math.floor(column / size(x))},${Math.floor(row / size(y))}`),
  );
  const made = { shape: lengths, chunks, chunkGrid: { chunkShapes: chunks }, dimensionNames: null, get, vindex };
  const own = workers ? { ...made, type, dtype: type.name } : made;
  const elements = array.chunks.reduce((product, length) => product * length, 1);
  return {
    array: standIn(array, own, "section"),
    factor: lengths.map(() => 1),
    start: lengths.map(() => 0),
    reads: met.size * reads,
    bytes: level.bytes ?? elements * (array.type.size || 8),
  };
}

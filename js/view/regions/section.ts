import type { AnyData, Chunk, DataType } from "../../data/types.js";
import type { Coordinate, FieldLevel } from "../../describe/field.js";
import { roundText, withUnits } from "../../describe/text.js";
import { valueAt } from "../axes/positions.js";
import { turned } from "../element/camera.js";
import { elementAt, type Item, type Options } from "../tiles/elements.js";
import { standIn } from "../tiles/standin.js";
import { type Corner, rounded, type Shape } from "./cells.js";
import { indicesOf, runOf, selected } from "./runs.js";
import type { Ground } from "./statistics.js";

/** The elements along a line, and their distances. */
interface Track {
  /** Column and row of each element. */
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
  return { places, coordinate, units };
}

/** Returns the elements along a track as an array: the kept axes, and the distance at the end. */
export function sectionArray({ field, x, y }: Ground, { places }: Track, kept: readonly number[]): FieldLevel {
  const level = field.levels[0];
  if (!level) throw new TypeError("a field has at least one level");
  const { array, reads = 1 } = level;
  const lengths = [...kept.map((d) => array.shape[d] ?? 1), places.length];
  const chunks = [...kept.map((d) => Math.max(1, array.chunks[d] ?? 1)), places.length];

  /** Reads elements at places of the section. */
  async function read(at: readonly (readonly number[])[], options: Options): Promise<AnyData> {
    const coords = array.shape.map((_, d) =>
      at.map((index) => {
        if (d !== x && d !== y) return index[kept.indexOf(d)] ?? 0;
        return places[index.at(-1) ?? 0]?.[d === x ? 0 : 1] ?? 0;
      }),
    );
    return ((await array.vindex(coords, options)) as Chunk<DataType>).data as AnyData;
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
    return runs.every(({ single }) => single) ? elementAt(array.type, data, 0) : { data, ...selected(runs) };
  }

  async function vindex(coords: readonly (readonly number[])[], options: Options = {}) {
    const count = coords[0]?.length ?? 0;
    const at = Array.from({ length: count }, (_, i) => coords.map((list) => list[i] ?? 0));
    return { data: await read(at, options), shape: [count], stride: [1] };
  }

  const size = (d: number) => Math.max(1, array.chunks[d] ?? 1);
  const met = new Set(places.map(([column, row]) => `${Math.floor(column / size(x))},${Math.floor(row / size(y))}`));
  const own = { shape: lengths, chunks, chunkGrid: { chunkShapes: chunks }, dimensionNames: null, get, vindex };
  const elements = array.chunks.reduce((product, length) => product * length, 1);
  return {
    array: standIn(array, own, "section"),
    factor: lengths.map(() => 1),
    start: lengths.map(() => 0),
    reads: met.size * reads,
    bytes: level.bytes ?? elements * (array.type.size || 8),
  };
}

/** Joins the data of several reads. */
function joined(parts: readonly AnyData[]): AnyData {
  const [first] = parts as [AnyData, ...AnyData[]];
  if (parts.length === 1) return first;
  if (!ArrayBuffer.isView(first)) return (parts as unknown[][]).flat(1) as unknown as AnyData;
  const lists = parts as unknown as Uint8Array[];
  const Of = first.constructor as new (length: number) => Uint8Array;
  const all = new Of(lists.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const list of lists) {
    all.set(list, at);
    at += list.length;
  }
  return all as unknown as AnyData;
}

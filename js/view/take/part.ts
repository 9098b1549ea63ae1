// The arrays that make a part of a field: its elements, and the coordinates and the grid mapping
// that they refer to.
import type { ZarrArray } from "../../api/array.js";
import type { Group } from "../../api/group.js";
import type { Field, FieldLevel } from "../../describe/field.js";
import { loadXarray } from "../../describe/load.js";
import { parentsOf, Surroundings } from "../../describe/parents.js";
import { LimitError } from "../../index.js";
import { member, text } from "../../shared/attributes.js";
import { openFrom } from "../../shared/openfrom.js";
import {
  groupAttributes,
  imageAttributes,
  isImage,
  type PartPlace,
  partAttributes,
  statesTransform,
} from "./partattributes.js";

/** Elements along a dimension, from the first to before the last. */
export type Range = readonly [start: number, stop: number];

/** A part of a level of a field. */
export interface Part {
  /** The field. */
  readonly field: Field;
  /** The level; the finest is 0. */
  readonly level: number;
  /** The elements of the level along each dimension. */
  readonly ranges: readonly Range[];
}

/** An array to write: a part of another one. */
export interface PartArray {
  /** The path in the new hierarchy, without a slash at its beginning. */
  readonly path: string;
  /** The array with the elements. */
  readonly array: ZarrArray;
  readonly ranges: readonly Range[];
  readonly attributes: Readonly<Record<string, unknown>>;
  /** The names of the dimensions; null if they have none. */
  readonly names: readonly (string | null)[] | null;
}

/** A hierarchy to write. */
export interface PartHierarchy {
  /** The version of Zarr. */
  readonly format: 2 | 3;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly arrays: readonly PartArray[];
}

/** The largest number of decoded bytes in one file. */
export const mostBytes = 2 ** 30;
/** Bytes of an element of variable length, as an estimate. */
const variable = 16;

/** The lengths of ranges. */
export const lengthsOf = (ranges: readonly Range[]): number[] => ranges.map(([start, stop]) => stop - start);

/** Returns the decoded size of a part of an array in bytes. */
export const bytesOf = ({ type }: ZarrArray, ranges: readonly Range[]): number =>
  lengthsOf(ranges).reduce((product, length) => product * length, type.size || variable);

/** Returns a part's place on the Earth; null if the field states no transform. */
function placeOf({ place, plane }: Field, { factor, start }: FieldLevel, ranges: readonly Range[]): PartPlace | null {
  const { x, y } = plane.value;
  if (!place?.transform || x === null || y === null) return null;
  const [a = 1, b = 0, c = 0, d = 0, e = 1, f = 0] = place.transform;
  const at = (axis: number) => (start[axis] ?? 0) + (ranges[axis]?.[0] ?? 0) * (factor[axis] ?? 1);
  const [width, height] = [factor[x] ?? 1, factor[y] ?? 1];
  const transform = [
    a * width,
    b * height,
    c + a * at(x) + b * at(y),
    d * width,
    e * height,
    f + d * at(x) + e * at(y),
  ];
  const lengths = lengthsOf(ranges);
  return { transform, shape: [lengths[y] ?? 1, lengths[x] ?? 1] };
}

/** A name that the path of an array in the new hierarchy can have. */
const safe = (name: string): string => name.replace(/[^\p{L}\p{N}._+-]+/gu, "-").replace(/^[-.]+|-+$/g, "") || "data";

/** Returns the hierarchy of a part. Throws a {@link LimitError} if it is too large for one file. */
export async function hierarchyOf({ field, level, ranges }: Part, signal: AbortSignal): Promise<PartHierarchy> {
  const own = field.levels[level] as FieldLevel;
  const { array } = own;
  const names = field.axes.map(({ name }, d) => (name === `dim_${d}` ? null : name));
  const { attrs } = Object.keys(array.attrs).length > 0 ? array : (field.levels[0] as FieldLevel).array;
  const computed = array.ref === undefined;
  const image = field.path !== array.path && !computed ? await imageOf(array, field.path, signal) : undefined;
  const format = array.format === 2 && !computed ? 2 : 3;
  let made: PartHierarchy;
  if (image) {
    const path = array.path.slice(image.path.length).replace(/^\//, "");
    const attributes = imageAttributes(image.attrs, path, ranges);
    made = {
      format,
      attributes,
      arrays: [{ path, array, ranges, attributes: partAttributes(attrs, null), names: array.dimensionNames ?? null }],
    };
  } else {
    const around = await surroundings(array, signal);
    const place = placeOf(field, own, ranges);
    const attributes = computed
      ? { long_name: field.title.value, ...(field.units && { units: field.units }) }
      : partAttributes(attrs, place);
    if (place && !computed && around.groups.some((group) => statesTransform(group.attrs)))
      Object.assign(attributes, { "spatial:transform": [...place.transform], "spatial:shape": [...place.shape] });
    const path = safe(computed ? field.name : (array.path.split("/").at(-1) ?? ""));
    const main = { path, array, ranges, attributes, names: names.some((name) => name !== null) ? names : null };
    made = { format, attributes: rootAttributes(around), arrays: [main, ...(await relatives(main, around, place))] };
  }
  const bytes = made.arrays.reduce((sum, one) => sum + bytesOf(one.array, one.ranges), 0);
  if (bytes > mostBytes)
    throw new LimitError(`the part has ${bytes} bytes; the maximum of one file is ${mostBytes}`, {
      limit: "mostBytes",
      max: mostBytes,
    });
  return made;
}

/** Returns the group of an OME-Zarr image; undefined for other levels. */
async function imageOf(array: ZarrArray, path: string, signal: AbortSignal): Promise<Group | undefined> {
  const group = await openFrom(array, array.resolve(path), { kind: "group", signal });
  return isImage(group.attrs) ? group : undefined;
}

/** Returns the groups above an array. An array that is opened alone may have none. */
async function surroundings(array: ZarrArray, signal: AbortSignal): Promise<Surroundings> {
  const top = await openFrom(array, array.resolve("/"), { kind: "group", signal }).catch(() => undefined);
  signal.throwIfAborted();
  return new Surroundings(await parentsOf(array, top, signal), signal);
}

/** The attributes of the parent group. Groups above it state the place of its arrays. */
function rootAttributes({ groups }: Surroundings): Record<string, unknown> {
  const [parent, ...above] = groups;
  const placed = above.reverse().flatMap(({ attrs }) => {
    return Object.entries(attrs).filter(([name]) => /^((spatial|proj):|zarr_conventions$)/.test(name));
  });
  return groupAttributes({ ...Object.fromEntries(placed), ...parent?.attrs });
}

const words = (value: unknown): string[] =>
  (text(value) ?? "").split(/\s+/).flatMap((word) => {
    const name = word.replace(/:$/, "");
    return name === "" || name.includes("/") ? [] : [name];
  });

/** The largest number of arrays that an attribute names. */
const mostNamed = 64;

/**
 * Returns the parts of the arrays to which an array refers: its coordinates, their bounds, and its
 * grid mapping (CF 5 and 7).
 */
async function relatives(main: PartArray, around: Surroundings, place: PartPlace | null): Promise<PartArray[]> {
  const { array, names } = main;
  const known = new Map(
    (names ?? []).flatMap((name, d) =>
      name === null ? [] : [[name, { range: main.ranges[d] as Range, length: array.shape[d] }] as const],
    ),
  );
  const found = new Map<string, PartArray>();
  const take = async (name: string, open: boolean): Promise<void> => {
    if (found.has(name) || name === main.path || found.size >= mostNamed) return;
    const one = await around.array(name);
    if (!one) return;
    const own = one.dimensionNames ?? (await loadXarray()).dimensionsOf(one).names;
    const ranges = one.shape.map((length, d): Range | null => {
      const along = known.get(own[d] ?? "");
      if (along) return along.length === length ? along.range : null;
      // The corners of cells and the characters of names are whole.
      return open || length <= 64 ? [0, length] : null;
    });
    if (ranges.includes(null)) return;
    const attributes = partAttributes(one.attrs, place);
    found.set(name, {
      path: name,
      array: one,
      ranges: ranges as Range[],
      attributes,
      names: own.some((one) => one !== null) ? own : null,
    });
    for (const more of [...words(one.attrs.bounds), ...words(one.attrs.climatology)]) await take(more, true);
  };
  const attrs = array.ref === undefined ? {} : array.attrs;
  const named = [
    ...known.keys(),
    ...words(attrs.coordinates),
    ...words(member(around.parent?.attrs, "coordinates")),
    ...words(attrs.grid_mapping),
    ...(place ? ["spatial_ref"] : []),
  ];
  for (const name of new Set(named)) await take(name, false);
  return [...found.values()];
}

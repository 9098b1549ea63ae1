// The attributes of a part of a node: those of the whole, with places moved to the part's first
// element.
import { isObject, items, member, numbers, object, text } from "../../shared/attributes.js";

type Attributes = Readonly<Record<string, unknown>>;

/** The part's place on the Earth. */
export interface PartPlace {
  /** Maps column and row of the part to x and y, as in a field's place. */
  readonly transform: readonly number[];
  /** The number of rows and columns. */
  readonly shape: readonly [height: number, width: number];
}

/** Statements about the extent of the whole, and references of NCZarr to its dimensions. */
const ofWhole = /^(actual_range|geospatial_\w+|time_coverage_\w+|(spatial|proj):bbox|_nczarr_\w+)$/i;

/** Reports whether attributes state a transform or the levels of a pyramid. */
export const statesTransform = (attrs: Attributes): boolean =>
  ["spatial:transform", "proj:transform"].some((name) => Object.hasOwn(attrs, name)) ||
  member(member(attrs, "multiscales"), "layout") !== undefined;

/**
 * Returns the attributes of a part of an array or of its grid mapping. Leaves out statements about
 * the extent of the whole. `place` replaces stated transforms.
 */
export function partAttributes(attrs: Attributes, place: PartPlace | null): Record<string, unknown> {
  const found: Record<string, unknown> = Object.create(null);
  for (const [name, value] of Object.entries(attrs)) {
    if (ofWhole.test(name) || name === "_ARRAY_DIMENSIONS") continue;
    if (!place) found[name] = value;
    else if (/^(spatial|proj):transform$/.test(name)) found[name] = [...place.transform];
    else if (/^(spatial|proj):shape$/.test(name)) found[name] = [...place.shape];
    // The transform begins at the corner of the first element.
    else if (name === "spatial:registration") found[name] = "pixel";
    else if (name === "GeoTransform") {
      const [a, b, c, d, e, f] = place.transform;
      found[name] = [c, a, b, f, d, e].join(" ");
    } else found[name] = value;
  }
  return { ...found };
}

/** Returns the attributes of the group of a part. A transform belongs to the part's array. */
export function groupAttributes(attrs: Attributes): Record<string, unknown> {
  const { multiscales: _, ...rest } = partAttributes(attrs, null);
  const found = Object.entries(rest).filter(([name]) => !/^(spatial|proj):(transform|shape|registration)$/.test(name));
  return Object.fromEntries(found);
}

/** The attributes of an OME-Zarr image, by the place of its version. */
const imageIn = (attrs: Attributes): Record<string, unknown> => object(member(attrs, "ome") ?? attrs);

/** Reports whether the attributes are those of an OME-Zarr image. */
export const isImage = (attrs: Attributes): boolean => multiscaleOf(attrs, undefined) !== undefined;

/** Returns the multiscale image with a level of a path, or with any. */
function multiscaleOf(attrs: Attributes, path: string | undefined): Record<string, unknown> | undefined {
  return items(imageIn(attrs).multiscales)
    .filter(isObject)
    .find(({ datasets }) => items(datasets).some((one) => path === undefined || member(one, "path") === path));
}

/**
 * Returns the attributes of an OME-Zarr image that has one level only, a part of an image's level.
 * `ranges` are the elements of the level along each axis.
 */
export function imageAttributes(
  attrs: Attributes,
  path: string,
  ranges: readonly (readonly [start: number, stop: number])[],
): Attributes {
  const image = imageIn(attrs);
  const multiscale = multiscaleOf(attrs, path) ?? {};
  const dataset = object(items(multiscale.datasets).find((one) => member(one, "path") === path));
  const starts = ranges.map(([start]) => start);
  const { coordinateTransformations } = dataset;
  const moved = {
    ...dataset,
    ...(coordinateTransformations !== undefined && {
      coordinateTransformations: movedTransformations(coordinateTransformations, starts),
    }),
  };
  const names = items(multiscale.axes).map((axis) => (typeof axis === "string" ? axis : text(member(axis, "name"))));
  const rangeOf = (name: string) => ranges[names.indexOf(name)];
  const { omero, "image-label": label, ...rest } = image;
  const made = {
    ...rest,
    multiscales: [{ ...multiscale, datasets: [moved] }],
    ...(isObject(omero) && { omero: partOmero(omero, rangeOf) }),
    // The source is another image, which is not beside the part.
    ...(isObject(label) && {
      "image-label": Object.fromEntries(Object.entries(label).filter(([name]) => name !== "source")),
    }),
  };
  return isObject(attrs.ome) ? { ...attrs, ome: made } : made;
}

type RangeOf = (axis: string) => readonly [start: number, stop: number] | undefined;

/** Returns the rendering settings of a part: those of its channels, with its own indices. */
function partOmero(omero: Record<string, unknown>, rangeOf: RangeOf): Record<string, unknown> {
  const channels = items(omero.channels);
  const rdefs = object(omero.rdefs);
  const moved = (name: string, axis: string) => {
    const [index, range] = [rdefs[name], rangeOf(axis)];
    if (typeof index !== "number" || !range) return {};
    return { [name]: Math.max(0, Math.min(range[1] - range[0] - 1, index - range[0])) };
  };
  return {
    ...omero,
    ...(channels.length > 0 && { channels: channels.slice(...(rangeOf("c") ?? [])) }),
    ...(isObject(omero.rdefs) && { rdefs: { ...rdefs, ...moved("defaultT", "t"), ...moved("defaultZ", "z") } }),
  };
}

/** Moves the transformations of a level to the element at `starts`. */
function movedTransformations(all: unknown, starts: readonly number[]): unknown {
  if (starts.every((start) => start === 0)) return all;
  const list = items(all).map(object);
  const [only] = list;
  // Since version 0.6 a transformation names its systems, and a sequence holds several.
  if (list.length === 1 && only && "input" in only) {
    const { input, output, name, ...rest } = only;
    const parts = rest.type === "sequence" ? items(rest.transformations).map(object) : [rest];
    return [
      {
        type: "sequence",
        input,
        output,
        ...(name !== undefined && { name }),
        transformations: [...scaleAndTranslation(parts, starts)],
      },
    ];
  }
  return scaleAndTranslation(list, starts);
}

/** Returns a scale and the translation of the element at `starts`. */
function scaleAndTranslation(list: readonly Record<string, unknown>[], starts: readonly number[]): readonly object[] {
  const of = (type: string) => list.find((one) => one.type === type);
  const scale = numbers(of("scale")?.scale) ?? starts.map(() => 1);
  const before = numbers(of("translation")?.translation) ?? starts.map(() => 0);
  const translation = starts.map((start, d) => start * (scale[d] ?? 1) + (before[d] ?? 0));
  return [
    { type: "scale", scale },
    { type: "translation", translation },
  ];
}

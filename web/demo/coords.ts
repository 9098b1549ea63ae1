// What an index along a dimension means: a value of the coordinate array of the dimension's name, or of an image's scale.

import { formatShort } from "./format.js";
import { Meaning } from "./meaning.js";
import { type ArrayNode, type Hierarchy, isArray } from "./store.js";
import { joinPath, parentPath } from "./url.js";
import { elementsOf } from "./values.js";

export interface Dimension {
  /** The name shown: that of the metadata, else "dim 0". */
  name: string;
  size: number;
}

export interface Coordinate {
  /** The coordinate of an index, with its unit. */
  text(i: number): string;
  /** The same as a number, where there is one. */
  number(i: number): number;
  /** Whether the values grow towards the north: then the first row belongs at the bottom. */
  northward: boolean;
}

/** Longer coordinate arrays are not read just for a label. */
const MAX_LENGTH = 1 << 20;

/** The dimensions of an array with names: of the metadata, xarray's attribute or the image's axes. */
export async function dimensionsOf(store: Hierarchy, array: ArrayNode): Promise<Dimension[]> {
  const attribute = array.attrs._ARRAY_DIMENSIONS;
  const told = array.dimensionNames ?? (Array.isArray(attribute) ? attribute : []);
  const axes = told.length > 0 ? null : await store.imageAxes(array.path);
  return array.shape.map((size, d) => {
    const name: unknown = told[d] ?? (axes?.length === array.shape.length ? axes[d]?.name : undefined);
    return { name: typeof name === "string" && name !== "" ? name : `dim ${d}`, size };
  });
}

/** Looks up what the indices of each dimension mean; null for dimensions that nothing is known of. Never throws. */
export async function coordinatesOf(
  store: Hierarchy,
  array: ArrayNode,
  dimensions: readonly Dimension[],
  signal: AbortSignal,
): Promise<(Coordinate | null)[]> {
  const axes = await store.imageAxes(array.path).catch(() => null);
  const named = array.dimensionNames !== undefined || Array.isArray(array.attrs._ARRAY_DIMENSIONS);
  return Promise.all(
    dimensions.map(async (dimension, d) => {
      if (named) {
        const found = await fromArray(store, array, dimension, signal).catch(() => null);
        if (found) return found;
      }
      const axis = axes?.length === dimensions.length ? axes[d] : undefined;
      return axis && (axis.scale !== 1 || axis.translation !== 0 || axis.unit !== "") ? linear(axis) : null;
    }),
  );
}

function linear(axis: { unit: string; scale: number; translation: number }): Coordinate {
  const unit =
    axis.unit === "micrometer"
      ? "µm"
      : axis.unit === "nanometer"
        ? "nm"
        : axis.unit === "millimeter"
          ? "mm"
          : axis.unit;
  const number = (i: number): number => i * axis.scale + axis.translation;
  return { number, text: (i) => `${formatShort(number(i))}${unit ? ` ${unit}` : ""}`, northward: false };
}

async function fromArray(
  store: Hierarchy,
  array: ArrayNode,
  dimension: Dimension,
  signal: AbortSignal,
): Promise<Coordinate | null> {
  const parent = parentPath(array.path);
  if (parent === null || dimension.size > MAX_LENGTH || dimension.size === 0 || dimension.name.includes("/"))
    return null;
  const path = joinPath(parent, dimension.name);
  const members = await store.members(parent).catch(() => null);
  // A listing that does not have it saves the requests.
  if (members && !members.some((m) => m.path === path)) return null;
  const node = await store.maybe(path);
  if (!node || !isArray(node) || node.shape.length !== 1 || node.shape[0] !== dimension.size) return null;
  const { data } = await node.get(null, { signal });
  const elements = elementsOf(data, dimension.size);
  const meaning = new Meaning(node);
  const { units } = meaning;
  const meant = meaning.of(data, elements.numbers);
  const number = (i: number): number => (meant?.numbers ?? elements.numbers)?.[i] ?? NaN;
  const text = (i: number): string => {
    const told = meant?.text(i);
    if (told && (/ since /i.test(units) || !units)) return told;
    const value = told?.endsWith(` ${units}`) ? told.slice(0, -units.length - 1) : (told ?? elements.text(i));
    return units ? `${value} ${shortUnit(units)}` : value;
  };
  const latitude =
    /^degrees?_?(north|N)$/i.test(units) ||
    /^(lat|latitude|projection_y_coordinate)$/i.test(dimension.name) ||
    node.attrs.standard_name === "latitude" ||
    node.attrs.axis === "Y";
  return { number, text, northward: latitude && dimension.size > 1 && number(dimension.size - 1) > number(0) };
}

function shortUnit(units: string): string {
  if (/^degrees?_?(north|N)$/i.test(units)) return "°N";
  if (/^degrees?_?(east|E)$/i.test(units)) return "°E";
  return units.length > 40 ? `${units.slice(0, 39)}…` : units;
}

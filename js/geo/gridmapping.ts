import { items, numbers, text } from "../shared/attributes.js";
import { type Affine, affineFromGdal, isInvertible } from "./affine.js";

/** An entry of a `grid_mapping` attribute. */
export interface GridMappingReference {
  /** The grid mapping variable. */
  variable: string;
  /** The coordinates that it applies to, in the extended form. */
  coordinates?: string[];
}

/** The grid mapping of an array (CF Conventions 5.6 and appendix F). */
export interface GridMapping extends GridMappingReference {
  /** The `grid_mapping_name`. */
  name?: string;
  /** The parameters as written: all attributes of the variable except WKT and GDAL's. */
  parameters: Record<string, unknown>;
}

/**
 * Parses a `grid_mapping` attribute: a name, or the extended form `"crs: x y crs84: lat lon"`.
 * Undefined for anything else (CF Conventions 5.6).
 */
export function parseGridMapping(attribute: unknown): GridMappingReference[] | undefined {
  const words = text(attribute)?.split(/\s+/).filter(Boolean) ?? [];
  if (words.length === 0) return undefined;
  if (words.length === 1 && !words[0]?.endsWith(":")) return [{ variable: words[0] as string }];
  const found: { variable: string; coordinates: string[] }[] = [];
  for (const word of words) {
    if (word.endsWith(":") && word.length > 1) found.push({ variable: word.slice(0, -1), coordinates: [] });
    else if (found.length === 0 || word.includes(":")) return undefined;
    else found.at(-1)?.coordinates.push(word);
  }
  return found.every(({ coordinates }) => coordinates.length > 0) ? found : undefined;
}

/**
 * Parses GDAL's GeoTransform: six numbers in GDAL's order, as a string or a list. Undefined if it
 * is invalid or has no inverse.
 */
export function parseGeoTransform(value: unknown): Affine | undefined {
  const words = typeof value === "string" ? value.trim().split(/[\s,]+/) : items(value);
  const six = numbers(
    words.map((word) => (typeof word === "string" && decimal.test(word) ? Number(word) : word)),
    6,
  );
  const affine = six && affineFromGdal(six);
  return affine && isInvertible(affine) ? affine : undefined;
}

const decimal = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/;

/** The attributes of a grid mapping variable that are no CF parameters. */
const others = ["_ARRAY_DIMENSIONS", "crs_wkt", "spatial_ref", "GeoTransform", "zarr_conventions"];

/** @internal The grid mapping that a variable's attributes state. */
export function gridMappingOf(reference: GridMappingReference, attributes: Record<string, unknown>): GridMapping {
  const name = text(attributes.grid_mapping_name);
  const parameters = Object.fromEntries(Object.entries(attributes).filter(([key]) => !others.includes(key)));
  return { ...reference, ...(name !== undefined && { name }), parameters };
}

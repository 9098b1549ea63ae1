// Finds the coordinates among a dataset's variables, by the attributes that refer to them (CF 5 and
// 7, and xarray's decode_coords).

/**
 * The attributes that are followed: `false` for none, `true` for `coordinates`. `"all"` adds
 * bounds, grid mappings and all other references to variables.
 */
export type DecodeCoords = boolean | "all";

/** The attributes that refer to variables, and their syntax. */
const related: Record<string, "names" | "roles" | "mapping"> = {
  bounds: "names",
  climatology: "names",
  geometry: "names",
  node_coordinates: "names",
  node_count: "names",
  part_node_count: "names",
  interior_ring: "names",
  grid_mapping: "mapping",
  cell_measures: "roles",
  formula_terms: "roles",
};

/**
 * The names in an attribute: `"crs"`, `"crs: lat lon"` (a grid mapping with its coordinates), or
 * `"area: cell_area"` (roles).
 */
export function namesIn(attribute: string, value: unknown): string[] {
  if (typeof value !== "string") return [];
  const how = (Object.hasOwn(related, attribute) && related[attribute]) || "names";
  const words = value.split(/\s+/).filter(Boolean);
  if (how === "names" || (how === "mapping" && !value.includes(":"))) return words;
  // A role ends with a colon, possibly after a space.
  const parts = value.split(":").flatMap((part) => part.split(/\s+/).filter(Boolean));
  return how === "mapping" ? parts : parts.filter((_, i) => i % 2 === 1);
}

/** The inputs of {@link coordinatesOf}. */
interface Described {
  /** The attributes. Applied ones move from here… */
  attrs: Record<string, unknown>;
  /** …to here. */
  encoding: Record<string, unknown>;
}

/**
 * Returns the names of the variables that attributes make coordinates, and the problems of these
 * attributes.
 */
export function coordinatesOf(
  variables: ReadonlyMap<string, Described>,
  dataset: Record<string, unknown>,
  decode: DecodeCoords,
): { coordinates: Set<string>; problems: string[] } {
  const coordinates = new Set<string>();
  const problems: string[] = [];
  const has = (name: string) => variables.has(name);
  for (const [name, { attrs, encoding }] of decode ? variables : []) {
    const { coordinates: written } = attrs;
    const found = namesIn("coordinates", written).filter(has);
    if (found.length > 0) {
      encoding.coordinates = written;
      delete attrs.coordinates;
      for (const one of found) coordinates.add(one);
    }
    for (const attribute of decode === "all" ? Object.keys(related) : []) {
      if (!Object.hasOwn(attrs, attribute)) continue;
      const named = namesIn(attribute, attrs[attribute]);
      const missing = named.filter((one) => !has(one));
      if (missing.length > 0 || named.length === 0) {
        const what = missing.length > 0 ? `variables that do not exist:  ${missing.join(", ")}` : "no variable";
        problems.push(`the attribute ${attribute} of ${name} names ${what}`);
        continue;
      }
      encoding[attribute] = attrs[attribute];
      delete attrs[attribute];
      for (const one of named) coordinates.add(one);
    }
  }
  if (decode && typeof dataset.coordinates === "string") {
    for (const one of namesIn("coordinates", dataset.coordinates)) coordinates.add(one);
    delete dataset.coordinates;
  }
  return { coordinates, problems };
}

// Which variables of a dataset are coordinates, by the attributes that refer to them (CF 5 and 7, and xarray's decode_coords).

/** How far attributes are followed: `false` not at all, `true` the attribute `coordinates`, `"all"` bounds, grid mappings and what else refers to variables, too. */
export type DecodeCoords = boolean | "all";

/** An attribute that names variables, and how. */
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

/** The names that an attribute refers to: `"crs"`, `"crs: lat lon"` (a grid mapping with its coordinates), `"area: cell_area"` (roles). */
export function namesIn(attribute: string, value: unknown): string[] {
  if (typeof value !== "string") return [];
  const how = (Object.hasOwn(related, attribute) && related[attribute]) || "names";
  const words = value.split(/\s+/).filter(Boolean);
  if (how === "names" || (how === "mapping" && !value.includes(":"))) return words;
  // Roles are followed by a colon, which may stand apart.
  const parts = value.split(":").flatMap((part) => part.split(/\s+/).filter(Boolean));
  return how === "mapping" ? parts : parts.filter((_, i) => i % 2 === 1);
}

/** What {@link coordinatesOf} looks at. */
interface Described {
  /** The attributes; those that are used up go from here… */
  attrs: Record<string, unknown>;
  /** …to here. */
  encoding: Record<string, unknown>;
}

/** The names of the variables that attributes make coordinates, and what is wrong with these attributes. */
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
        const what = missing.length > 0 ? `variables that are not there: ${missing.join(", ")}` : "no variable";
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

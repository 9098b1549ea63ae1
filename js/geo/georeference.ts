import type { ZarrArray } from "../api/array.js";
import type { Group } from "../api/group.js";
import { member, shown, text } from "../attributes/read.js";
import { type Affine, type Bounds, pixelSizeOf } from "./affine.js";
import { type RegularAxis, type Role, regularAxis, roleOfCoordinate, roleOfName } from "./axes.js";
import { type Convention, conventionsOf } from "./conventions.js";
import { type Crs, crsOfGridMapping } from "./crs.js";
import { type Fact, Facts, type Problem, type Statement } from "./facts.js";
import { type Grid, gridBounds, type Registration } from "./grid.js";
import {
  type GridMapping,
  type GridMappingReference,
  gridMappingOf,
  parseGeoTransform,
  parseGridMapping,
} from "./gridmapping.js";
import { levelOf } from "./layout.js";
import { arrayIn, checkNode, isAbsence, parentOf, tried } from "./nodes.js";
import { checkOptions, type GeoOptions, readOptionsOf } from "./options.js";

/** Where the pixels of an array, or of a group's arrays, lie in the world, and who says so. What is not stated is undefined. */
export interface Georeference extends Grid {
  /** The path of the node. */
  path: string;
  /** What the node is. */
  kind: "array" | "group";
  /** From columns and rows to the world (`spatial:transform`, GeoTransform, or the coordinates of x and y). */
  transform?: Affine;
  /** The lengths of a pixel's edges along x and y, in the world's units. */
  pixelSize?: [x: number, y: number];
  /** The outer edges of the pixels: of the transform and the shape; where these are not known, of the `bbox`. */
  bounds?: Bounds;
  /** `spatial:bbox` as written; with node registration it runs through the centres of the outermost pixels. */
  bbox?: Bounds;
  /** How many rows and columns there are: the array's own, or `spatial:shape`. */
  shape?: [height: number, width: number];
  /** The names of the dimensions along which y and x run. */
  dimensions?: [y: string, x: string];
  /** Which of an array's dimensions these are. */
  axes?: { y: number; x: number };
  /** What the transform's integers are. */
  registration: Registration;
  /** `spatial:transform_type`; transforms of other types than `"affine"` are not read. */
  transformType: string;
  /** The coordinate reference system. */
  crs?: Crs;
  /** The grid mapping with its CF parameters. */
  gridMapping?: GridMapping;
  /** The conventions that the node says it follows. */
  conventions: Convention[];
  /** Where each fact was stated. */
  stated: Partial<Record<Fact, Statement>>;
  /** What is wrong or missing; what is stated wrongly is not used. */
  problems: Problem[];
}

/**
 * What the metadata says of where an array's pixels lie, or a group's.
 *
 * In this order, the first statement of a fact counting: the array's own `spatial:` and `proj:` attributes, those of the group that it is in,
 * its CF grid mapping (`grid_mapping`, else a variable `spatial_ref` that consolidated metadata or `coordinates` tells of) with its WKT and GeoTransform, and the one-dimensional coordinates
 * of its dimensions, where they are evenly spaced. An array does not know its group: hand it, or one above it, as `options.group`. Of a group:
 * its own attributes, and what they leave open from the first of its arrays that has an x and a y dimension, by their names or else by their
 * coordinates.
 *
 * Requests, without consolidated metadata: one for the grid mapping; if it leaves the transform open, one for each coordinate, and one for each chunk of
 * these; of a group what listing it costs, as `members` does. What an attribute states wrongly is a problem in the result. Rejects as
 * `group.open` and `array.get` do.
 *
 * @example
 * const { transform, crs, bounds } = await georeference(await group.open("b04", { kind: "array" }), { group });
 */
export async function georeference(node: ZarrArray | Group, options: GeoOptions = {}): Promise<Georeference> {
  checkNode("georeference", node);
  checkOptions("georeference", options);
  return node.kind === "array" ? ofArray(node, options) : ofGroup(node, options);
}

async function ofArray(array: ZarrArray, options: GeoOptions): Promise<Georeference> {
  const facts = new Facts();
  facts.attributes(array.path, array.attrs);
  const parents = await parentOf(array, options);
  for (const group of parents) inherit(facts, array, group, group === parents[0]);
  const place = await new Finder(array, parents, facts, options).find();
  return finish(array, facts, place);
}

async function ofGroup(group: Group, options: GeoOptions): Promise<Georeference> {
  const facts = new Facts();
  facts.attributes(group.path, group.attrs);
  if (!facts.transform || !facts.crs || !facts.shape || !facts.dimensions) {
    const found = await firstGrid(group, facts, options);
    if (found) {
      for (const fact of ["dimensions", "shape", "registration", "transform", "crs", "bbox"] as const) {
        const { path, attribute } = found.stated[fact] ?? { path: found.path };
        if (fact !== "registration" || found.stated.registration) facts.take(fact, found[fact], path, attribute);
      }
      facts.problems.push(...found.problems);
      return finish(group, facts, found);
    }
  }
  return finish(group, facts, {});
}

/** How many arrays are looked at whose dimensions' names do not tell which of them are x and y. */
const maxTries = 8;

/** The georeference of the first of a group's arrays that has an x and a y dimension: by their names, else by their coordinates. */
async function firstGrid(group: Group, facts: Facts, options: GeoOptions): Promise<Georeference | undefined> {
  const { signal } = options;
  const members = await tried(() => group.members(signal ? { signal } : {}));
  if (!members) {
    facts.problem(group.path, undefined, "its members are not known: only its attributes were read");
    return undefined;
  }
  for (const { error } of members) if (error && !isAbsence(error)) throw error;
  const arrays = members.flatMap(({ node }) => (node?.kind === "array" && node.shape.length >= 2 ? [node] : []));
  const named = arrays.filter((array) => placesOf(array, facts.dimensions));
  for (const array of named.length > 0 ? named.slice(0, 1) : arrays.slice(0, maxTries)) {
    const found = await ofArray(array, { ...options, group: options.group ?? group });
    if (!found.axes) continue;
    const another = named.find(
      (one) => `${shapeAt(one, placesOf(one, facts.dimensions) as Axes)}` !== `${found.shape}`,
    );
    if (another) {
      facts.problem(group.path, undefined, `has arrays of several grids: what is said is of ${found.path}`);
    }
    return found;
  }
  return undefined;
}

/**
 * Takes what a group states for the arrays below it. Of a group with a layout of levels, that is what the layout says of the level that the
 * array is, or is in. The group that an array is directly in gives it its system ("Inheritance Model" of proj), its dimensions
 * (`spatial:dimensions`), and its transform, if it states no other shape, and no levels.
 */
function inherit(facts: Facts, array: ZarrArray, group: Group, direct: boolean): void {
  const { path, attrs } = group;
  const multiscales = member(attrs, "multiscales") !== undefined;
  if (!direct && !multiscales) return;
  const of = new Facts();
  of.attributes(path, attrs);
  const { dimensions } = facts.dimensions ? facts : of;
  const axes = placesOf(array, dimensions);
  const shape = axes && shapeAt(array, axes);
  const take = (fact: "crs" | "dimensions" | "registration" | "transform" | "bbox") => {
    const statement = of.stated[fact];
    if (statement) facts.take(fact, of[fact], statement.path, statement.attribute);
  };
  const level = multiscales ? levelOf(path, attrs, array.path) : undefined;
  if (direct || level) {
    facts.problems.push(...of.problems);
    take("crs");
    take("dimensions");
    take("registration");
  }
  if (level) {
    const fits = !level.shape || `${level.shape}` === `${shape}`;
    if (fits) facts.take("transform", level.transform, path, "multiscales");
    else
      facts.problem(
        path,
        "multiscales",
        `says ${shown(level.shape)} of ${level.path}, ${array.path} has ${shown(shape)}`,
      );
  } else if (direct && !multiscales && (!of.shape || `${of.shape}` === `${shape}`)) {
    take("transform");
    take("bbox");
    if (of.transformType !== undefined && facts.transform === undefined) facts.transformType ??= of.transformType;
  }
}

/** Which of an array's dimensions y and x are. */
type Axes = { y: number; x: number };

interface Place {
  axes?: Axes;
  gridMapping?: GridMapping;
}

/** Looks beside an array for what its attributes leave open. */
class Finder {
  readonly #array: ZarrArray;
  readonly #parents: Group[];
  readonly #facts: Facts;
  readonly #options: GeoOptions;

  constructor(array: ZarrArray, parents: Group[], facts: Facts, options: GeoOptions) {
    this.#array = array;
    this.#parents = parents;
    this.#facts = facts;
    this.#options = options;
  }

  async find(): Promise<Place> {
    const array = this.#array;
    const facts = this.#facts;
    const parent = this.#parents[0];
    const named = member(array.attrs, "grid_mapping");
    const references = named === undefined ? undefined : parseGridMapping(named);
    if (named !== undefined && !references) {
      facts.problem(array.path, "grid_mapping", `is ${shown(named)}, neither a name nor of the form "crs: x y"`);
    }
    const open = !facts.transform || !facts.crs;
    if (!parent && (references || open)) {
      const message = "only its own attributes were read: it does not know its group (options.group)";
      facts.problem(array.path, undefined, message);
    }
    const axes = placesOf(array, facts.dimensions);
    if (!axes && facts.dimensions) {
      const { attribute } = facts.stated.dimensions ?? {};
      const message = `names ${shown(facts.dimensions)}, which are no dimensions of the array`;
      facts.problem(array.path, attribute, message);
    }
    const reference = references ? this.#choose(references) : { variable: "spatial_ref" };
    const mapping =
      parent && (references || (open && named === undefined)) ? await this.#mapping(reference.variable) : undefined;
    const place: Place = {};
    if (mapping) {
      place.gridMapping = gridMappingOf(reference, mapping.attrs);
      facts.stated.gridMapping = { path: mapping.path };
      this.#take(mapping);
    }
    // What the grid mapping tells need not be asked of coordinates.
    const coordinates = parent && (!facts.transform || !axes) ? await this.#coordinates(parent, axes) : undefined;
    const found = axes ?? coordinates?.axes;
    if (found) place.axes = found;
    if (found && !facts.dimensions && array.dimensionNames) {
      const [y, x] = [array.dimensionNames[found.y], array.dimensionNames[found.x]];
      if (typeof y === "string" && typeof x === "string") facts.take("dimensions", [y, x], array.path);
    }
    if (!facts.transform && coordinates?.read && found) await this.#regular(coordinates.read, found);
    return place;
  }

  /**
   * Opens the grid mapping variable: in the array's group, or else in the nearest one above it. One that is not named is looked for where
   * consolidated metadata or a `coordinates` attribute tells of it.
   */
  async #mapping(variable: string): Promise<ZarrArray | undefined> {
    const { path, attrs } = this.#array;
    const [parent] = this.#parents;
    const { signal } = this.#options;
    if (member(attrs, "grid_mapping") === undefined) {
      const told = [attrs, parent?.attrs].some((of) =>
        text(member(of, "coordinates"))?.split(/\s+/).includes(variable),
      );
      return parent && (told || parent.consolidated) ? arrayIn(parent, variable, signal) : undefined;
    }
    for (const group of this.#parents) {
      const node = await arrayIn(group, variable, signal);
      if (node) return node;
    }
    this.#facts.problem(path, "grid_mapping", `names ${shown(variable)}, which is not there`);
    return undefined;
  }

  /** Of several grid mappings that of the coordinates that the dimensions are. */
  #choose(references: readonly GridMappingReference[]): GridMappingReference {
    const names = this.#array.dimensionNames ?? [];
    const fits = ({ coordinates = [] }: GridMappingReference) =>
      this.#facts.dimensions?.every((name) => coordinates.includes(name)) ??
      coordinates.every((name) => names.includes(name));
    return references.find(fits) ?? (references[0] as GridMappingReference);
  }

  /** Takes what a grid mapping variable states. */
  #take({ path, attrs }: ZarrArray): void {
    const facts = this.#facts;
    facts.proj(path, attrs);
    const [crs, attribute] = crsOfGridMapping(attrs);
    facts.take("crs", crs, path, attribute);
    if (crs?.epsg !== undefined && facts.crs?.epsg !== undefined && crs.epsg !== facts.crs.epsg) {
      facts.problem(
        path,
        attribute,
        `states EPSG:${crs.epsg}, where ${facts.stated.crs?.path} states EPSG:${facts.crs.epsg}`,
      );
    }
    const written = member(attrs, "GeoTransform");
    if (written === undefined || written === null) return;
    const transform = parseGeoTransform(written);
    if (transform) facts.take("transform", transform, path, "GeoTransform");
    else facts.problem(path, "GeoTransform", `is ${shown(written)}, not six numbers of an affine that has an inverse`);
  }

  /** Opens the coordinates of the dimensions that may be x and y, and tells which are. */
  async #coordinates(parent: Group, known: Axes | undefined) {
    const array = this.#array;
    const names = array.dimensionNames ?? [];
    const wanted = known ? [known.y, known.x] : names.map((_, i) => i);
    const read = new Map<number, ZarrArray>();
    await Promise.all(
      wanted.map(async (i) => {
        const name = names[i];
        if (!name || name.includes("/")) return;
        const node = await arrayIn(parent, name, this.#options.signal);
        if (node && node.shape.length === 1 && node.shape[0] === array.shape[i]) read.set(i, node);
      }),
    );
    if (known) return { axes: known, read };
    const roles: Record<Role, number[]> = { x: [], y: [] };
    for (const [i, { attrs }] of [...read].sort(([a], [b]) => a - b)) {
      const role = roleOfCoordinate(attrs);
      if (role) roles[role].push(i);
    }
    const [y, x] = [roles.y.at(-1), roles.x.at(-1)];
    return { axes: y === undefined || x === undefined ? undefined : { y, x }, read };
  }

  /** The transform that the coordinates of x and y make. */
  async #regular(read: ReadonlyMap<number, ZarrArray>, axes: Axes): Promise<void> {
    const facts = this.#facts;
    const [y, x] = await Promise.all(
      [axes.y, axes.x].map(async (i): Promise<RegularAxis | undefined> => {
        const node = read.get(i);
        if (!node) return undefined;
        const { data } = await node.get(null, readOptionsOf(this.#options));
        const axis = regularAxis(data, node.dtype, node.attrs);
        if (typeof axis !== "string") return axis;
        facts.problem(node.path, undefined, axis);
        return undefined;
      }),
    );
    if (!x || !y) return;
    const half = facts.registration === "node" ? 0 : 0.5;
    const transform: Affine = [x.step, 0, x.first - half * x.step, 0, y.step, y.first - half * y.step];
    facts.take("transform", transform, read.get(axes.x)?.path as string);
  }
}

/** @internal Which dimensions of an array y and x are, by their names. */
export function placesOf(array: ZarrArray, dimensions?: readonly string[]): Axes | undefined {
  const names = array.dimensionNames ?? [];
  if (dimensions) {
    const [y, x] = dimensions.map((name) => names.indexOf(name)) as [number, number];
    return y < 0 || x < 0 ? undefined : { y, x };
  }
  const roles = names.map(roleOfName);
  const [y, x] = [roles.lastIndexOf("y"), roles.lastIndexOf("x")];
  return y < 0 || x < 0 ? undefined : { y, x };
}

/** @internal The rows and columns of an array. */
export function shapeAt({ shape }: ZarrArray, { y, x }: Axes): [height: number, width: number] {
  return [shape[y] as number, shape[x] as number];
}

function finish(node: ZarrArray | Group, facts: Facts, { axes, gridMapping }: Place): Georeference {
  const { path, kind } = node;
  const { transform, bbox, dimensions, crs, stated, problems } = facts;
  const own = node.kind === "array" && axes ? shapeAt(node, axes) : undefined;
  if (own && facts.shape && `${own}` !== `${facts.shape}`) {
    facts.problem(path, stated.shape?.attribute, `is ${shown(facts.shape)}, the array has ${shown(own)}`);
  }
  if (own) stated.shape = { path };
  const shape = own ?? facts.shape;
  const registration = facts.registration ?? "pixel";
  const result: Georeference = {
    path,
    kind,
    registration,
    transformType: facts.transformType ?? "affine",
    conventions: conventionsOf(node.attrs),
    stated,
    problems,
  };
  if (transform) Object.assign(result, { transform, pixelSize: pixelSizeOf(transform) });
  if (bbox) result.bbox = bbox;
  if (shape) result.shape = shape;
  if (dimensions) result.dimensions = dimensions;
  if (axes && node.kind === "array") result.axes = axes;
  if (crs) result.crs = crs;
  if (gridMapping) result.gridMapping = gridMapping;
  const bounds = boundsOfFacts(result);
  if (bounds) result.bounds = bounds;
  return result;
}

/** @internal The outer edges: of all pixels, or else of the box that was stated. */
function boundsOfFacts(grid: Grid & { bbox?: Bounds | undefined }): Bounds | undefined {
  const { bbox, registration, transform } = grid;
  const bounds = gridBounds(grid);
  if (bounds || !bbox || registration !== "node") return bounds ?? bbox;
  if (!transform) return undefined;
  const [a, b, , d, e] = transform;
  const [dx, dy] = [(Math.abs(a) + Math.abs(b)) / 2, (Math.abs(d) + Math.abs(e)) / 2];
  return [bbox[0] - dx, bbox[1] - dy, bbox[2] + dx, bbox[3] + dy];
}

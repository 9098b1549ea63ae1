import type { ZarrArray } from "../api/array.js";
import type { Group } from "../api/group.js";
import { member, shown, text } from "../shared/attributes.js";
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

/**
 * The position of an array's or group's pixels in the world, with the origin of each fact. Unstated
 * facts are undefined.
 */
export interface Georeference extends Grid {
  /** The path of the node. */
  path: string;
  /** The kind of the node. */
  kind: "array" | "group";
  /**
   * Maps columns and rows to world coordinates (`spatial:transform`, GeoTransform, or the
   * coordinates of x and y).
   */
  transform?: Affine;
  /** The pixel size along x and y, in world units. */
  pixelSize?: [x: number, y: number];
  /** The outer edges of the pixels, from the transform and the shape, or else from `bbox`. */
  bounds?: Bounds;
  /**
   * `spatial:bbox` as written. With node registration it runs through the centres of the outermost
   * pixels.
   */
  bbox?: Bounds;
  /** The number of rows and columns: the array's own, or `spatial:shape`. */
  shape?: [height: number, width: number];
  /** The names of the y and x dimensions. */
  dimensions?: [y: string, x: string];
  /** The indices of the y and x dimensions of an array. */
  axes?: { y: number; x: number };
  /** The meaning of integer positions in the transform. */
  registration: Registration;
  /** `spatial:transform_type`. Only transforms of type `"affine"` are read. */
  transformType: string;
  /** The coordinate reference system. */
  crs?: Crs;
  /** The grid mapping with its CF parameters. */
  gridMapping?: GridMapping;
  /** The conventions that the node declares. */
  conventions: Convention[];
  /** The origin of each fact. */
  stated: Partial<Record<Fact, Statement>>;
  /** The problems found. Invalid statements are ignored. */
  problems: Problem[];
}

/**
 * Returns the position of an array's or group's pixels, according to the metadata.
 *
 * The first statement of a fact counts. The sources for an array are, in this order:
 *
 * - its own `spatial:` and `proj:` attributes
 * - those of its group
 * - its CF grid mapping (`grid_mapping`) with WKT and GeoTransform. Without that attribute it is a
 *   variable `spatial_ref` that consolidated metadata or `coordinates` list.
 * - the one-dimensional coordinates of its dimensions, if they are evenly spaced
 *
 * An array does not know its group: pass it, or one above it, as `options.group`. For a group the
 * sources are its own attributes, then its first array with an x and a y dimension. Dimension names
 * identify such an array, or else coordinates do.
 *
 * Requests, without consolidated metadata: one for the grid mapping. If that leaves the transform
 * open, one for each coordinate and one for each of its chunks. For a group also the cost of
 * listing it, as with `members`. Invalid attributes become problems in the result. Rejects like
 * `group.open` and `array.get`.
 *
 * @example
 * const array = await group.open("b04", { kind: "array" });
 * const { transform, crs, bounds } = await georeference(array, { group });
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

/** The most arrays tried if dimension names do not identify x and y. */
const maxTries = 8;

/**
 * The georeference of a group's first array with an x and a y dimension, by their names or else by
 * their coordinates.
 */
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
      facts.problem(group.path, undefined, `has arrays of several grids: the result describes ${found.path}`);
    }
    return found;
  }
  return undefined;
}

/**
 * Records what a group states for an array below it. A layout of levels gives the facts of the
 * array's level. The parent group gives the reference system ("Inheritance Model" of proj) and the
 * dimensions (`spatial:dimensions`). It also gives the transform if it has no levels and states no
 * other shape.
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
        `states ${shown(level.shape)} for ${level.path}, but ${array.path} has ${shown(shape)}`,
      );
  } else if (direct && !multiscales && (!of.shape || `${of.shape}` === `${shape}`)) {
    take("transform");
    take("bbox");
    if (of.transformType !== undefined && facts.transform === undefined) facts.transformType ??= of.transformType;
  }
}

/** The indices of an array's y and x dimensions. */
type Axes = { y: number; x: number };

interface Place {
  axes?: Axes;
  gridMapping?: GridMapping;
}

/** Searches the neighbours of an array for missing facts. */
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
      const message = `names ${shown(facts.dimensions)}, which are not dimensions of the array`;
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
    // Coordinates are needed only for facts that the grid mapping lacks.
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
   * Opens the grid mapping variable, in the array's group or in the nearest group above it. Without
   * a `grid_mapping`, it is opened only if consolidated metadata or a `coordinates` attribute lists
   * it.
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
    this.#facts.problem(path, "grid_mapping", `names ${shown(variable)}, which does not exist`);
    return undefined;
  }

  /** Chooses, among several grid mappings, the one for the array's dimensions. */
  #choose(references: readonly GridMappingReference[]): GridMappingReference {
    const names = this.#array.dimensionNames ?? [];
    const fits = ({ coordinates = [] }: GridMappingReference) =>
      this.#facts.dimensions?.every((name) => coordinates.includes(name)) ??
      coordinates.every((name) => names.includes(name));
    return references.find(fits) ?? (references[0] as GridMappingReference);
  }

  /** Records the facts of a grid mapping variable. */
  #take({ path, attrs }: ZarrArray): void {
    const facts = this.#facts;
    facts.proj(path, attrs);
    const [crs, attribute] = crsOfGridMapping(attrs);
    facts.take("crs", crs, path, attribute);
    if (crs?.epsg !== undefined && facts.crs?.epsg !== undefined && crs.epsg !== facts.crs.epsg) {
      facts.problem(
        path,
        attribute,
        `states EPSG:${crs.epsg}, but ${facts.stated.crs?.path} states EPSG:${facts.crs.epsg}`,
      );
    }
    const written = member(attrs, "GeoTransform");
    if (written === undefined || written === null) return;
    const transform = parseGeoTransform(written);
    if (transform) facts.take("transform", transform, path, "GeoTransform");
    else facts.problem(path, "GeoTransform", `is ${shown(written)}, not six numbers of an affine that has an inverse`);
  }

  /** Opens the coordinates of dimensions that may be x and y, and identifies the axes. */
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

  /** Computes the transform from the coordinates of x and y. */
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

/** @internal The indices of an array's y and x dimensions, by name. */
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

/** @internal The numbers of rows and columns of an array. */
export function shapeAt({ shape }: ZarrArray, { y, x }: Axes): [height: number, width: number] {
  return [shape[y] as number, shape[x] as number];
}

function finish(node: ZarrArray | Group, facts: Facts, { axes, gridMapping }: Place): Georeference {
  const { path, kind } = node;
  const { transform, bbox, dimensions, crs, stated, problems } = facts;
  const own = node.kind === "array" && axes ? shapeAt(node, axes) : undefined;
  if (own && facts.shape && `${own}` !== `${facts.shape}`) {
    facts.problem(path, stated.shape?.attribute, `is ${shown(facts.shape)}, but the array has ${shown(own)}`);
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

/** @internal The outer edges of all pixels, or else of the stated box. */
function boundsOfFacts(grid: Grid & { bbox?: Bounds | undefined }): Bounds | undefined {
  const { bbox, registration, transform } = grid;
  const bounds = gridBounds(grid);
  if (bounds || !bbox || registration !== "node") return bounds ?? bbox;
  if (!transform) return undefined;
  const [a, b, , d, e] = transform;
  const [dx, dy] = [(Math.abs(a) + Math.abs(b)) / 2, (Math.abs(d) + Math.abs(e)) / 2];
  return [bbox[0] - dx, bbox[1] - dy, bbox[2] + dx, bbox[3] + dy];
}

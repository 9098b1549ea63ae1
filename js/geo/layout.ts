import { UnsupportedError } from "../errors.js";
import { isObject, items, member, number, numbers, object, shown, text } from "../shared/attributes.js";
import { type Affine, type Bounds, composeAffine, isInvertible, pixelSizeOf } from "./affine.js";
import { type Convention, conventionsOf } from "./conventions.js";
import { type Crs, crsOf, epsgOfCode } from "./crs.js";
import { Facts, type Problem } from "./facts.js";
import { type Grid, gridBounds, type Registration } from "./grid.js";
import { webMercatorLimit } from "./webmercator.js";

/**
 * A level of a pyramid: a group or an array with the same picture at another pixel size. Unstated
 * members are undefined.
 */
export interface Level extends Grid {
  /** The path of the level's group or array, relative to the pyramid's group. */
  path: string;
  /** Maps columns and rows to world coordinates. */
  transform?: Affine;
  /** The number of rows and columns. */
  shape?: [height: number, width: number];
  /** The names of the y and x dimensions. */
  dimensions?: [y: string, x: string];
  /** The outer edges of the pixels. */
  bounds?: Bounds;
  /** The pixel size along x and y, in world units. */
  pixelSize?: [x: number, y: number];
  /** The meaning of integer positions in the transform. */
  registration: Registration;
  /** The level's own coordinate reference system, if it states one. */
  crs?: Crs;
  /** The path of the level that it was derived from. */
  derivedFrom?: string;
  /** The pixel size along y and x relative to the source level, as written (`transform.scale`). */
  scale?: number[];
  /**
   * The start of its first pixel in pixels of the source level, as written
   * (`transform.translation`).
   */
  translation?: number[];
  /**
   * The pixel size along y and x relative to the root level: the product of the scales along
   * `derived_from`.
   */
  scaleToRoot?: [y: number, x: number];
  /** The method that made the level from its source. */
  resamplingMethod?: string;
  /** The zoom level in web maps. */
  zoom?: number;
  /**
   * The numbers of rows and columns of a tile: `pixels_per_tile`, or `tileHeight` and `tileWidth`.
   */
  tileShape?: [height: number, width: number];
}

/** The pyramid that attributes state. No node was opened. */
export interface Layout {
  /**
   * The form of the metadata: the registry's `multiscales`, ndpyramid's, or an OGC TileMatrixSet of
   * earlier GeoZarr.
   */
  kind: "multiscales" | "ndpyramid" | "tile_matrix_set";
  /** The levels, in stated order. */
  levels: Level[];
  /** The coordinate reference system of all levels. */
  crs?: Crs;
  /** `spatial:bbox` as written. */
  bbox?: Bounds;
  /** The names of the y and x dimensions. */
  dimensions?: [y: string, x: string];
  /** The resampling method of levels that state none. */
  resamplingMethod?: string;
  /** The conventions that the group declares. */
  conventions: Convention[];
  /** The problems found. */
  problems: Problem[];
}

/**
 * Returns the pyramid that a group's attributes state. It may be `multiscales` of the
 * zarr-conventions registry with the `spatial:` and `proj:` attributes of group and levels. Or it
 * is `multiscales` of ndpyramid, or the `tile_matrix_set` of earlier GeoZarr. Undefined if there is
 * none. Throws {@link UnsupportedError} for OME-Zarr's `multiscales`, which `zarr-wasm/ome` reads.
 *
 * A level without a `spatial:transform` derives it from its source level or from the group. Its
 * relative scale and translation are applied first: column `i` begins at column
 * `scale * i + translation` of the source. Such an index is a corner with pixel registration, and a
 * centre with node registration.
 */
export function layoutOf(attributes: Record<string, unknown>, path = "/"): Layout | undefined {
  const multiscales = member(attributes, "multiscales") ?? member(member(attributes, "geo"), "multiscales");
  const facts = new Facts();
  const matrices = member(multiscales, "tile_matrix_set") ?? member(items(multiscales)[0], "tile_matrix_set");
  const layout = member(multiscales, "layout");
  let found: (Pick<Layout, "kind" | "levels"> & { crs?: Crs }) | undefined;
  if (layout !== undefined) {
    facts.attributes(path, attributes);
    found = { kind: "multiscales", levels: ofRegistry(path, layout, facts) };
  } else if (matrices !== undefined && matrices !== null) {
    facts.attributes(path, attributes);
    const limits = isObject(multiscales) ? multiscales : object(items(multiscales)[0]);
    found = { kind: "tile_matrix_set", ...ofMatrices(path, matrices, limits, facts) };
  } else if (Array.isArray(multiscales)) {
    facts.attributes(path, attributes);
    found = { kind: "ndpyramid", levels: ofDatasets(path, multiscales, facts) };
  } else if (multiscales !== undefined) {
    facts.problem(path, "multiscales", `is ${shown(multiscales)}, which states no levels`);
    found = { kind: "multiscales", levels: [] };
  }
  if (!found) return undefined;
  const { kind, levels } = found;
  const { bbox, dimensions } = facts;
  const crs = found.crs ?? facts.crs;
  const method = text(member(isObject(multiscales) ? multiscales : items(multiscales)[0], "resampling_method"));
  for (const level of levels) completeLevel(level, { dimensions });
  return {
    kind,
    levels,
    ...(crs && { crs }),
    ...(bbox && { bbox }),
    ...(dimensions && { dimensions }),
    ...(method !== undefined && { resamplingMethod: method }),
    conventions: conventionsOf(attributes),
    problems: facts.problems,
  };
}

/** @internal Adds derived members to a level. */
export function completeLevel(level: Level, { dimensions }: { dimensions?: [y: string, x: string] | undefined }): void {
  if (level.transform) level.pixelSize = pixelSizeOf(level.transform);
  if (dimensions) level.dimensions ??= dimensions;
  const bounds = gridBounds(level);
  if (bounds) level.bounds = bounds;
}

/**
 * @internal The layout's level that contains a node, or is it. `path` is the path of the layout's
 * group.
 */
export function levelOf(path: string, attributes: Record<string, unknown>, node: string): Level | undefined {
  if (member(member(attributes, "multiscales"), "layout") === undefined) return undefined;
  const base = path === "/" ? "/" : `${path}/`;
  const within = `${node.slice(base.length)}/`;
  return layoutOf(attributes, path)?.levels.find((level) => within.startsWith(`${level.path}/`));
}

/** Reads the levels of the registry's multiscales ("Layout Object"). */
function ofRegistry(path: string, layout: unknown, facts: Facts): Level[] {
  const wrong = (at: string, message: string) => facts.problem(path, at, message);
  if (!Array.isArray(layout) || layout.length === 0) {
    wrong("multiscales/layout", `is ${shown(layout)}, not a list of levels`);
    return [];
  }
  const registration = facts.registration ?? "pixel";
  const levels = new Map<string, Level>();
  for (const [i, entry] of layout.entries()) {
    const at = `multiscales/layout/${i}`;
    const asset = member(entry, "asset");
    if (!isPath(asset)) wrong(`${at}/asset`, `is ${shown(asset)}, not the path of a group or array below this one`);
    else if (levels.has(asset)) wrong(`${at}/asset`, `is ${shown(asset)}, which an earlier level also has`);
    else levels.set(asset, registryLevel(path, at, asset, entry as Record<string, unknown>, registration, facts));
  }
  relate(path, levels, facts);
  return [...levels.values()];
}

/** Paths of assets "cannot start with `/` or refer to parent directories". */
function isPath(value: unknown): value is string {
  return typeof value === "string" && value.split("/").every((name) => name !== "" && name !== "..");
}

function registryLevel(
  path: string,
  at: string,
  asset: string,
  entry: Record<string, unknown>,
  registration: Registration,
  facts: Facts,
): Level {
  const own = new Facts();
  own.attributes(path, entry);
  for (const { attribute, message } of own.problems) facts.problem(path, `${at}/${attribute}`, message);
  const level: Level = { path: asset, registration: own.registration ?? registration };
  if (own.transform) level.transform = own.transform;
  if (own.shape) level.shape = own.shape;
  if (own.crs) level.crs = own.crs;
  const source = member(entry, "derived_from");
  if (isPath(source)) level.derivedFrom = source;
  else if (source !== undefined && source !== null) {
    facts.problem(path, `${at}/derived_from`, `is ${shown(source)}, not the path of a level`);
  }
  const method = text(member(entry, "resampling_method"));
  if (method !== undefined) level.resamplingMethod = method;
  const transform = member(entry, "transform");
  if (transform !== undefined && !isObject(transform)) {
    facts.problem(path, `${at}/transform`, `is ${shown(transform)}, not an object`);
  }
  for (const name of ["scale", "translation"] as const) {
    const value = member(transform, name);
    if (value === undefined || value === null) continue;
    const list = numbers(value);
    if (list && list.length >= 2 && (name === "translation" || list.every((n) => n > 0))) level[name] = list;
    else facts.problem(path, `${at}/transform/${name}`, `is ${shown(value)}, not ${expected[name]}`);
  }
  return level;
}

const expected = {
  scale: "a list of a positive number for each axis",
  translation: "a list of a number for each axis",
};

/**
 * Adds to each level its scale relative to the root. Also derives a transform if none is stated.
 */
function relate(path: string, levels: ReadonlyMap<string, Level>, facts: Facts): void {
  const wrong = (message: string) => facts.problem(path, "multiscales/layout", message);
  const done = new Set<Level>();
  for (const level of levels.values()) {
    // Follow the sources to a finished level or a root, then return, so that each level is visited
    // once.
    const line: Level[] = [];
    const seen = new Set<Level>();
    let at: Level | undefined = level;
    while (at && !done.has(at) && !seen.has(at)) {
      line.push(at);
      seen.add(at);
      at = sourceOf(at, levels);
    }
    const circle = at !== undefined && seen.has(at);
    for (const one of line.reverse()) {
      done.add(one);
      const { path: name, derivedFrom } = one;
      const source = sourceOf(one, levels);
      if (circle) wrong(`${shown(name)} is derived from itself`);
      else if (source)
        derive(one, source.transform, source.scaleToRoot ?? (isRoot(source) ? [1, 1] : undefined), wrong);
      else if (isRoot(one)) derive(one, facts.transform, one.scale && [1, 1], wrong);
      else wrong(`${shown(name)} is derived from ${shown(derivedFrom)}, which is not a level`);
    }
  }
}

/** Reports whether a level has no source, or names itself as its source. */
function isRoot({ path, derivedFrom }: Level): boolean {
  return derivedFrom === undefined || derivedFrom === path;
}

function sourceOf(level: Level, levels: ReadonlyMap<string, Level>): Level | undefined {
  return isRoot(level) ? undefined : levels.get(level.derivedFrom as string);
}

/** Derives a level's transform and scale from those of its source. */
function derive(
  level: Level,
  base: Affine | undefined,
  scale: readonly [y: number, x: number] | undefined,
  wrong: (message: string) => void,
): void {
  if (!isRoot(level) && !level.scale && !level.translation) {
    if (!level.transform)
      wrong(`${shown(level.path)} is derived from ${shown(level.derivedFrom)}, and has no transform`);
    return;
  }
  const step = relativeAffine(level);
  const [y, x] = scale ? [scale[0] * step[4], scale[1] * step[0]] : [1, 1];
  if (!(y > 0 && x > 0 && Math.max(y, x) < Number.POSITIVE_INFINITY)) {
    wrong(`the scale of ${shown(level.path)} exceeds the range of numbers`);
  } else if (scale) level.scaleToRoot = [y, x];
  if (!base || level.transform) return;
  const transform = composeAffine(base, step);
  if (transform.every(Number.isFinite) && isInvertible(transform)) level.transform = transform;
  else wrong(`the transform of ${shown(level.path)} exceeds the range of numbers`);
}

/**
 * Maps a level's pixels to those of its source. Lists may cover all axes of the arrays; y and x are
 * the last two.
 */
function relativeAffine({ scale = [1, 1], translation = [0, 0] }: Level): Affine {
  const [sy, sx] = scale.slice(-2) as [number, number];
  const [ty, tx] = translation.slice(-2) as [number, number];
  return [sx, 0, tx, 0, sy, ty];
}

/** The extent of web map quadtrees: left and upper edge, width and height. */
const worlds: Readonly<Record<number, readonly [left: number, top: number, width: number, height: number]>> = {
  3857: [-webMercatorLimit, webMercatorLimit, 2 * webMercatorLimit, 2 * webMercatorLimit],
  4326: [-180, 90, 360, 180],
};

/**
 * Reads the levels of ndpyramid's multiscales, and of GeoZarr 0.3 with a `level` in each dataset.
 */
function ofDatasets(path: string, multiscales: readonly unknown[], facts: Facts): Level[] {
  const [first] = multiscales;
  const datasets = items(member(first, "datasets"));
  if (
    member(first, "axes") !== undefined ||
    datasets.some((one) => member(one, "coordinateTransformations") !== undefined)
  ) {
    throw new UnsupportedError("the multiscales are OME-Zarr's", {
      path,
      feature: "multiscales of OME-Zarr",
      hint: "openMultiscale of zarr-wasm/ome reads them",
    });
  }
  if (datasets.length === 0) facts.problem(path, "multiscales", `is ${shown(multiscales)}, which states no levels`);
  if (multiscales.length > 1) facts.problem(path, "multiscales", "has several entries: the first is read");
  const levels: Level[] = [];
  for (const [i, dataset] of datasets.entries()) {
    const at = `multiscales/0/datasets/${i}`;
    const name = member(dataset, "path");
    const relative = text(name)?.replace(/^\.\//, "");
    if (!isPath(relative)) {
      facts.problem(path, `${at}/path`, `is ${shown(name)}, not the path of a group or array below this one`);
      continue;
    }
    const level: Level = { path: relative, registration: "pixel" };
    levels.push(level);
    quadtreeLevel(path, at, level, object(dataset), facts);
  }
  return levels;
}

/**
 * Completes a level of a web map quadtree. All levels cover the whole world. Each has twice the
 * pixels of the one before along each axis.
 */
function quadtreeLevel(path: string, at: string, level: Level, dataset: Record<string, unknown>, facts: Facts): void {
  const written = member(dataset, "crs") ?? undefined;
  if (written !== undefined && typeof written !== "string")
    facts.problem(path, `${at}/crs`, `is ${shown(written)}, not a string`);
  const stated = member(dataset, "level");
  const tile = member(dataset, "pixels_per_tile") ?? (stated === undefined ? undefined : 256);
  if (tile === undefined || tile === null) {
    if (typeof written === "string") level.crs = crsOf({ code: written }) as Crs;
    return;
  }
  // The default of ndpyramid is Web Mercator.
  const crs = crsOf({ code: text(written) ?? "EPSG:3857" }) as Crs;
  level.crs = crs;
  const zoom = zoomOf(stated ?? level.path.split("/").at(-1));
  const pixels = number(tile);
  const world = worlds[epsgOfCode(crs.code) ?? 0];
  if (zoom === undefined || pixels === undefined || !Number.isSafeInteger(pixels) || pixels < 1 || pixels > 2 ** 20) {
    facts.problem(path, at, `is ${shown(dataset)}, which has no zoom level or no pixels_per_tile`);
  } else if (!world) {
    facts.problem(path, `${at}/crs`, `is ${shown(written)}: the extent of its quadtree is unknown`);
  } else {
    const size = pixels * 2 ** zoom;
    const [left, top, width, height] = world;
    level.zoom = zoom;
    level.shape = [size, size];
    level.tileShape = [pixels, pixels];
    level.transform = [width / size, 0, left, 0, -height / size, top];
  }
}

function zoomOf(value: unknown): number | undefined {
  const zoom = typeof value === "string" && /^[0-9]{1,2}$/.test(value) ? Number(value) : number(value);
  return zoom !== undefined && Number.isInteger(zoom) && zoom >= 0 && zoom <= 32 ? zoom : undefined;
}

/**
 * Well-known tile matrix sets: the code of the reference system, and the tiles of their first
 * matrix along x and y.
 */
const wellKnown: Readonly<Record<string, readonly [code: string, columns: number, rows: number]>> = {
  WebMercatorQuad: ["EPSG:3857", 1, 1],
  GoogleMapsCompatible: ["EPSG:3857", 1, 1],
  WorldCRS84Quad: ["OGC:CRS84", 2, 1],
  WGS1984Quad: ["EPSG:4326", 2, 1],
};

/**
 * Reads the levels of a tile matrix set (OGC 17-083r4), given by name or in full. A level's path is
 * the identifier of its matrix.
 */
function ofMatrices(
  path: string,
  set: unknown,
  multiscales: Record<string, unknown>,
  facts: Facts,
): { levels: Level[]; crs?: Crs } {
  const limits = member(multiscales, "tile_matrix_limits") ?? member(multiscales, "tile_matrix_set_limits");
  if (typeof set === "string") return ofWellKnown(path, set, Object.keys(object(limits)), facts);
  const code = text(member(set, "crs")) ?? text(member(set, "supportedCRS")) ?? text(member(member(set, "crs"), "uri"));
  const crs = code === undefined ? undefined : crsOf({ code });
  const matrices = items(member(set, "tileMatrices") ?? member(set, "tileMatrix"));
  if (matrices.length === 0)
    facts.problem(path, "multiscales/tile_matrix_set", `is ${shown(set)}, which has no matrices`);
  // The origin follows the axis order of the reference system.
  const swapped = /^(n|lat|y)/i.test(text(items(member(set, "orderedAxes"))[0]) ?? "");
  const levels: Level[] = [];
  for (const [i, matrix] of matrices.entries()) {
    const at = `multiscales/tile_matrix_set/tileMatrices/${i}`;
    const id = text(member(matrix, "id")) ?? text(member(matrix, "identifier"));
    if (id === undefined || id === "" || id.split("/").includes("..")) {
      facts.problem(
        path,
        `${at}/id`,
        `is ${shown(member(matrix, "id") ?? member(matrix, "identifier"))}, not the name of a group`,
      );
      continue;
    }
    const level: Level = { path: id.replace(/^\/+/, ""), registration: "pixel" };
    levels.push(level);
    const cell = number(member(matrix, "cellSize"));
    const origin = numbers(member(matrix, "pointOfOrigin") ?? member(matrix, "topLeftCorner"), 2);
    const [tileHeight, tileWidth] = [number(member(matrix, "tileHeight")), number(member(matrix, "tileWidth"))];
    if (Number.isSafeInteger(tileHeight) && Number.isSafeInteger(tileWidth)) {
      level.tileShape = [tileHeight as number, tileWidth as number];
    }
    if (cell === undefined || !origin || !(cell > 0)) {
      if (member(matrix, "cellSize") !== undefined || member(matrix, "pointOfOrigin") !== undefined) {
        facts.problem(path, at, `is ${shown(matrix)}, which has no cellSize or no pointOfOrigin`);
      }
      continue;
    }
    const [x, y] = (swapped ? [...origin].reverse() : origin) as [number, number];
    const up = member(matrix, "cornerOfOrigin") === "bottomLeft";
    level.transform = [cell, 0, x, 0, up ? cell : -cell, y];
  }
  return { levels, ...(crs && { crs }) };
}

function ofWellKnown(path: string, set: string, ids: readonly string[], facts: Facts): { levels: Level[]; crs?: Crs } {
  const name = set.split("/").at(-1) as string;
  const [code, columns, rows] = (Object.hasOwn(wellKnown, name) && wellKnown[name]) || [];
  if (code === undefined || columns === undefined || rows === undefined) {
    facts.problem(path, "multiscales/tile_matrix_set", `is ${shown(set)}, which is not supported`);
    return { levels: [] };
  }
  if (ids.length === 0) {
    const message = `is ${shown(set)}, and no tile_matrix_limits list its matrices`;
    facts.problem(path, "multiscales/tile_matrix_set", message);
  }
  const [left, top, width] = worlds[code === "EPSG:3857" ? 3857 : 4326] as readonly number[] as [
    number,
    number,
    number,
  ];
  const levels: Level[] = [];
  for (const id of ids) {
    const zoom = zoomOf(id);
    if (zoom === undefined) {
      facts.problem(path, `multiscales/tile_matrix_limits/${id}`, `names no matrix of ${name}`);
      continue;
    }
    const cell = width / (columns * 256 * 2 ** zoom);
    levels.push({
      path: id,
      registration: "pixel",
      zoom,
      tileShape: [256, 256],
      transform: [cell, 0, left, 0, -cell, top],
    });
  }
  return { levels, crs: crsOf({ code }) as Crs };
}

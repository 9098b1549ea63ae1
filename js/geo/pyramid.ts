import type { Group } from "../api/group.js";
import { InvalidMetadataError, LimitError } from "../errors.js";
import { refuse } from "../shared/arguments.js";
import { shown } from "../shared/attributes.js";
import { Printed } from "../shared/printed.js";
import type { Bounds } from "./affine.js";
import type { Convention } from "./conventions.js";
import type { Crs } from "./crs.js";
import type { Problem } from "./facts.js";
import { georeference, placesOf, shapeAt } from "./georeference.js";
import { completeLevel, type Layout, type Level, layoutOf } from "./layout.js";
import { checkGroup, tried } from "./nodes.js";
import { checkOptions, type GeoOptions } from "./options.js";

/** The most levels opened to read their own metadata. */
const maxLevels = 256;

/** A picture of the world at several pixel sizes. */
export class GeoPyramid extends Printed implements Layout {
  static {
    Printed.tag(GeoPyramid.prototype, "GeoPyramid");
  }

  /**
   * The form of the metadata: the registry's `multiscales`, ndpyramid's, or an OGC TileMatrixSet of
   * earlier GeoZarr.
   */
  readonly kind: Layout["kind"];
  /** The path of the group. */
  readonly path: string;
  /** The levels, in stated order. */
  readonly levels: Level[];
  /** The coordinate reference system of all levels. */
  declare readonly crs?: Crs;
  /** `spatial:bbox` as written. */
  declare readonly bbox?: Bounds;
  /** The names of the y and x dimensions. */
  declare readonly dimensions?: [y: string, x: string];
  /** The resampling method of levels that state none. */
  declare readonly resamplingMethod?: string;
  /** The conventions that the group declares. */
  readonly conventions: Convention[];
  /** The problems found. Invalid statements are ignored. */
  readonly problems: Problem[];

  /** @internal */
  constructor(path: string, layout: Layout) {
    super();
    const { kind, levels, crs, bbox, dimensions, resamplingMethod, conventions, problems } = layout;
    this.path = path;
    this.kind = kind;
    this.levels = levels;
    if (crs) this.crs = crs;
    if (bbox) this.bbox = bbox;
    if (dimensions) this.dimensions = dimensions;
    if (resamplingMethod !== undefined) this.resamplingMethod = resamplingMethod;
    this.conventions = conventions;
    this.problems = problems;
  }

  /**
   * Returns the level to show at a screen resolution, in world units per screen pixel. It is the
   * coarsest level whose pixels are no larger in x and y, or the finest if all are larger. If no
   * level has a position in the world, the unit is a pixel of the root level. Levels without either
   * size are skipped. Throws {@link InvalidMetadataError} if none is left.
   */
  levelFor(unitsPerScreenPixel: number): Level {
    if (typeof unitsPerScreenPixel !== "number" || !(unitsPerScreenPixel > 0))
      refuse("levelFor", unitsPerScreenPixel, "a number above 0");
    const placed = this.levels.some(({ pixelSize }) => pixelSize);
    const sized = this.levels.flatMap((level): [level: Level, large: number][] => {
      const size = placed ? level.pixelSize : level.scaleToRoot;
      return size ? [[level, Math.max(...size)]] : [];
    });
    const finest = sized.reduce<[Level, number] | undefined>(
      (best, one) => (best && best[1] <= one[1] ? best : one),
      undefined,
    );
    if (!finest)
      throw new InvalidMetadataError(`no level of ${this.path} states the size of its pixels`, { path: this.path });
    let [level, size] = finest;
    for (const [one, large] of sized) {
      if (large > size && large <= unitsPerScreenPixel * (1 + 1e-9)) [level, size] = [one, large];
    }
    return level;
  }

  override toString(): string {
    const lines = this.levels.slice(0, 12).map(({ path, shape, pixelSize }) => {
      const pixels = pixelSize ? ` pixels of ${pixelSize.join(" x ")}` : "";
      return `  ${JSON.stringify(path)}${shape ? ` shape=(${shape.join(", ")})` : ""}${pixels}`;
    });
    if (this.levels.length > 12) lines.push(`  … ${this.levels.length - 12} levels more`);
    return [`<GeoPyramid ${this.path} of ${this.kind}>`, ...lines].join("\n");
  }
}

/**
 * Opens the pyramid that a group's attributes state (see {@link layoutOf}). If they lack a level's
 * shape or transform, its node is opened and read like {@link georeference}. All such nodes are
 * opened in parallel. This costs the requests to open them and to list groups. Attributes of
 * ndpyramid, and a layout with `spatial:shape` and `spatial:transform`, need no request. Missing
 * levels and invalid statements become problems in the result.
 *
 * @throws `InvalidMetadataError` if the group states no levels.
 * @throws `LimitError` if more than 256 must be opened, and `UnsupportedError` for OME-Zarr's
 * multiscales.
 * @throws The errors of `group.open`.
 *
 * @example
 * const pyramid = await openPyramid(group);
 * const level = pyramid.levelFor(30);
 * const array = await group.open(`${level.path}/b04`, { kind: "array" });
 */
export async function openPyramid(group: Group, options: GeoOptions = {}): Promise<GeoPyramid> {
  checkGroup("openPyramid", group);
  checkOptions("openPyramid", options);
  const layout = layoutOf(group.attrs, group.path);
  if (!layout || layout.levels.length === 0) {
    const why = layout?.problems[0];
    const message = why ? `: ${why.attribute} ${why.message}` : "";
    throw new InvalidMetadataError(`the attributes of ${group.path} state no levels${message}`, { path: group.path });
  }
  const open = layout.levels.filter(({ shape, transform }) => !shape || !transform);
  if (open.length > maxLevels) {
    const message = `${open.length} levels of ${group.path} state no shape and transform: at most ${maxLevels} are opened`;
    throw new LimitError(message, { path: group.path, limit: "levels", max: maxLevels });
  }
  await Promise.all(open.map((level) => lookAt(group, level, layout, options)));
  const first = layout.levels.find(({ crs }) => crs)?.crs;
  if (!layout.crs && first) layout.crs = first;
  return new GeoPyramid(group.path, layout);
}

/** Completes a level from its node. */
async function lookAt(group: Group, level: Level, layout: Layout, options: GeoOptions): Promise<void> {
  const { signal } = options;
  const node = await tried(() => group.open(level.path, { signal }));
  if (!node) {
    layout.problems.push({
      path: group.path,
      attribute: "multiscales",
      message: `names ${shown(level.path)}, which does not exist`,
    });
    return;
  }
  if (node.kind === "array" && level.transform) {
    const axes = placesOf(node, layout.dimensions);
    if (axes) level.shape ??= shapeAt(node, axes);
  } else {
    const found = await georeference(node, { ...options, group });
    const { transform, shape, dimensions, crs, registration } = found;
    if (transform && !level.transform) Object.assign(level, { transform, registration });
    if (shape) level.shape ??= shape;
    if (dimensions) level.dimensions ??= dimensions;
    if (crs && !layout.crs) level.crs ??= crs;
    layout.problems.push(...found.problems);
  }
  completeLevel(level, layout);
}

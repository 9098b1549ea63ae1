import type { ZarrArray } from "../api/array.js";
import type { Group } from "../api/group.js";
import { InvalidMetadataError, InvalidSelectionError, LimitError, NotFoundError } from "../errors.js";
import { refuse } from "../shared/arguments.js";
import { Printed } from "../shared/printed.js";
import type { Axis, CoordinateSystem } from "./axes.js";
import { documentOf, type Version } from "./document.js";
import { type Box, type BoxSelector, downsampling, levelFor, placement, selectionOf, type View } from "./geometry.js";
import { imagesOf } from "./images.js";
import type { Label } from "./label.js";
import type { Dataset, Multiscale } from "./multiscales.js";
import type { Channel, Omero, RenderingDefaults } from "./omero.js";
import type { Problem } from "./problems.js";
import { type OmeOptions, withParameters } from "./stored.js";
import { type Edge, keyOf, route } from "./systems.js";
import { needsArray, type Transform } from "./transform.js";
import type { Reference, Transformation } from "./transformation.js";

/** The most level arrays that {@link openImage} opens when the document states no pixel sizes. */
const mostLevels = 1000;

/** Options of {@link openImage}. */
export interface ImageOptions extends OmeOptions {
  /** The index or name of the multiscale within the group; by default the first. */
  multiscale?: number | string | undefined;
  /** The version whose rules apply; by default the one that the document states. */
  version?: Version | undefined;
}

/** Options of {@link Level.array}. */
export interface LevelOptions extends OmeOptions {
  /**
   * @internal `true` skips the separate attributes document of version 2. The array's attributes
   * may then be missing.
   */
  bare?: boolean | undefined;
}

/** @internal Checks that the argument of a function is a group. */
export function checkGroup(what: string, group: Group): Group {
  if (group?.kind !== "group") refuse(what, group, "a group, as await open(url) returns it");
  return group;
}

/** @internal The error for a document that lacks necessary metadata. */
export function unreadable(what: string, path: string, problems: readonly Problem[]): InvalidMetadataError {
  const first = problems.find(({ level }) => level === "MUST");
  const why = first ? `: ${first.path || "attributes"}: ${first.message}` : "";
  return new InvalidMetadataError(`${what} at ${path}${why}`, { path });
}

/** A resolution level of an image (section "multiscales", `datasets`). */
export class Level {
  /** The position among the image's levels. */
  readonly index: number;
  /** The path of the array, relative to the image. */
  readonly path: string;
  /**
   * The size of a pixel along each axis, in the axis's unit. Before 0.4 there is no unit: the sizes
   * are relative to the first level's pixels.
   */
  readonly scale: readonly number[];
  /** The physical coordinate of index 0 along each axis, at the centre of the first pixel. */
  readonly translation: readonly number[];
  readonly #group: Group;
  readonly #axes: readonly Axis[];
  #array: ZarrArray | undefined;

  /** @internal */
  constructor(
    group: Group,
    axes: readonly Axis[],
    place: { index: number; path: string; scale: readonly number[]; translation: readonly number[] },
    array?: ZarrArray,
  ) {
    this.#group = group;
    this.#axes = axes;
    this.index = place.index;
    this.path = place.path;
    this.scale = place.scale;
    this.translation = place.translation;
    this.#array = array;
  }

  /**
   * The shape of the array, once {@link array} has opened it. Before 0.4 it is known immediately.
   */
  get shape(): readonly number[] | undefined {
    return this.#array?.shape;
  }

  /**
   * Opens the array on the first call. This costs the requests of its metadata, or none with
   * consolidated metadata.
   *
   * @throws `NotFoundError` if there is no array.
   * @throws `InvalidMetadataError` if its number of dimensions differs from the image's number of
   * axes.
   */
  async array(options: LevelOptions = {}): Promise<ZarrArray> {
    const found = this.#array ?? (await openLevel(this.#group, this.path, this.#axes.length, options));
    if (!options.bare) this.#array = found;
    return found;
  }

  /**
   * Converts an index, possibly fractional, to physical coordinates: `scale * index + translation`.
   */
  toPhysical(index: readonly number[]): number[] {
    this.#check(index);
    return this.scale.map((size, i) => size * (index[i] as number) + (this.translation[i] as number));
  }

  /**
   * Converts physical coordinates to a fractional index. Pixel i extends from i - 0.5 to i + 0.5.
   */
  toIndex(point: readonly number[]): number[] {
    this.#check(point);
    return this.scale.map((size, i) => ((point[i] as number) - (this.translation[i] as number)) / size);
  }

  /**
   * Returns the selection, for `array.get`, of the pixels that a box of physical coordinates
   * touches. Axes missing from the box are selected whole. A single number selects the pixel around
   * it and drops the dimension. Parts outside the array are cut off. Throws
   * {@link InvalidSelectionError} for an unknown axis and for a single number before the first
   * pixel.
   *
   * @example
   * const level = image.levelFor({ viewport: { y: 100, x: 200 }, pixels: { y: 512, x: 1024 } });
   * const array = await level.array();
   * const { data, shape } = await array.get(level.selection({ c: 0, y: [20, 120], x: [0, 200] }));
   */
  selection(box: Box = {}): BoxSelector[] {
    return selectionOf(this, this.#axes, box);
  }

  #check(point: readonly number[]): void {
    const { length } = this.#axes;
    if (point?.length !== length)
      throw new InvalidSelectionError(`expected ${length} coordinates, not ${point?.length}`);
  }
}

async function openLevel(group: Group, path: string, axes: number, { signal, bare }: LevelOptions): Promise<ZarrArray> {
  const array = await group.open(path, { signal, bare, kind: "array" });
  if (array.shape.length !== axes) {
    const shape = array.shape.join(", ");
    throw new InvalidMetadataError(`the level ${path} has the shape (${shape}), but the image has ${axes} axes`, {
      path: array.path,
    });
  }
  return array;
}

/**
 * An image in several resolutions (section "multiscales"). `toString` returns a summary of several
 * lines.
 */
export class Image extends Printed {
  static {
    Printed.tag(Image.prototype, "Image");
  }

  /** The group it was opened from. */
  readonly group: Group;
  /** The version whose rules applied. */
  readonly version: Version;
  /** The name. */
  readonly name: string | null;
  /** The method that made the lower resolutions, such as `"gaussian"`. */
  readonly type: string | null;
  /** Further details of that method. */
  readonly metadata: unknown;
  /** The dimensions. Since 0.6: the axes of the coordinate system that the levels map to. */
  readonly axes: readonly Axis[];
  /** The levels in document order. A valid document lists the finest first. */
  readonly levels: readonly Level[];
  /** The display settings of the channels; empty if the document has none. */
  readonly channels: readonly Channel[];
  /** The initial display settings of the image. */
  readonly rdefs: RenderingDefaults | undefined;
  /** The meaning of the values, for a label image. */
  readonly label: Label | undefined;
  /** Since 0.6: the name of the coordinate system that the levels map to. */
  readonly intrinsic: string | null;
  /** Since 0.6: the coordinate systems. */
  readonly coordinateSystems: readonly CoordinateSystem[];
  /** Since 0.6: the transformations between coordinate systems. */
  readonly transformations: readonly Transformation[];
  /**
   * Problems of the document, as {@link validate} reports them, that leave the pixel positions
   * clear.
   */
  readonly problems: readonly Problem[];
  readonly #datasets: readonly Dataset[];

  /** @internal */
  constructor(
    group: Group,
    read: Multiscale & { version: Version; levels: Level[]; problems: Problem[]; label: Label | undefined },
    omero: Omero | undefined,
  ) {
    super();
    this.group = group;
    this.version = read.version;
    this.name = read.name;
    this.type = read.type;
    this.metadata = read.metadata;
    this.axes = read.axes;
    this.levels = read.levels;
    this.channels = omero?.channels ?? [];
    this.rdefs = omero?.rdefs;
    this.label = read.label;
    this.intrinsic = read.intrinsic;
    this.coordinateSystems = read.coordinateSystems;
    this.transformations = read.transformations;
    this.problems = read.problems;
    this.#datasets = read.datasets;
  }

  /**
   * Returns the level to show: the coarsest with pixels no larger than the screen's along all axes
   * of the view. Returns the finest if there is none. Throws {@link InvalidSelectionError} for an
   * unknown axis.
   */
  levelFor(view: View): Level {
    return this.levels[levelFor(this.levels, this.axes, view)] as Level;
  }

  /**
   * Since 0.6: returns the map from one coordinate system to another. It chains as many
   * transformations as needed, also their inverses. A string names a system; `{ path: "s0" }` is
   * the array of a level. Parameters stored in arrays are read on each call.
   *
   * @throws `NotFoundError` if nothing links the two.
   */
  async transform(
    from: string | Partial<Reference>,
    to: string | Partial<Reference>,
    options: OmeOptions = {},
  ): Promise<Transform> {
    return route(this.edges(), from, to, (one, group) => withParameters(one, group, options));
  }

  /**
   * @internal The transformations of this image and its levels, as edges between coordinate
   * systems.
   */
  edges(under = ""): Edge[] {
    const axesOf = new Map(this.coordinateSystems.map(({ name, axes }) => [name, axes.length]));
    const all = [...this.#datasets.flatMap(({ transformations }) => transformations ?? []), ...this.transformations];
    return all.flatMap((one) => {
      const { input, output } = one;
      if (!input || !output) return [];
      const axes = axesOf.get(input.name ?? "") ?? this.axes.length;
      return [{ from: keyOf(input, under), to: keyOf(output, under), axes, transformation: one, group: this.group }];
    });
  }

  override toString(): string {
    const { axes, levels, channels, version, name, group, label } = this;
    const unit = (one: Axis) => (one.unit === null ? one.name : `${one.name} (${one.unit})`);
    const lines = [
      `<${label ? "Label image" : "Image"} ${group.path} of OME-Zarr ${version}${name === null ? "" : ` ${JSON.stringify(name)}`}>`,
      `  axes      ${axes.map(unit).join(", ")}`,
    ];
    for (const { index, path, shape, scale } of levels.slice(0, 12)) {
      const size = shape ? ` shape=(${shape.join(", ")})` : "";
      lines.push(`  level ${String(index).padEnd(3)} ${JSON.stringify(path)}${size} scale=(${scale.join(", ")})`);
    }
    if (levels.length > 12) lines.push(`  … ${levels.length - 12} levels more`);
    const shown = channels.slice(0, 12).map(({ label: named, color, active }, i) => {
      return `${named ?? i}${color ? ` #${color}` : ""}${active === false ? " (off)" : ""}`;
    });
    if (channels.length > 12) shown.push(`… ${channels.length - 12} more`);
    if (shown.length > 0) lines.push(`  channels  ${shown.join(", ")}`);
    return lines.join("\n");
  }
}

/**
 * Opens the image of a group: a multiscale of OME-Zarr 0.1 to 0.5, or of the draft of 0.6. The
 * group's attributes are already known. Requests are made only for data in arrays, in parallel.
 * Before 0.4 these are the shapes of the levels, which give the pixel sizes. Since 0.4 they are the
 * parameters of transformations with a `path`.
 *
 * @throws `InvalidMetadataError` if the document leaves the pixel positions unclear. Other
 * problems are listed in {@link Image.problems}.
 * @throws `NotFoundError` if there is no image, or no multiscale with that name.
 *
 * @example
 * const image = await openImage(await open("https://example.org/image.ome.zarr", { kind: "group" }));
 * const array = await image.levels[0].array();
 */
export async function openImage(group: Group, options: ImageOptions = {}): Promise<Image> {
  checkGroup("openImage", group);
  const { multiscale = 0, version, ...others } = options;
  const document = documentOf(group.attrs, version);
  const { root, problems } = document;
  const part = root.get("multiscales");
  if (!part.exists) throw new NotFoundError(`no multiscales at ${group.path}`, { path: group.path });
  const { images, omero, label } = imagesOf(document);
  const { items } = part;
  const which =
    typeof multiscale === "string" ? items.findIndex((one) => one.get("name").text === multiscale) : multiscale;
  const item = items[which];
  if (!item && items.length > 0) {
    throw new NotFoundError(`no multiscale ${JSON.stringify(multiscale)} at ${group.path}`, { path: group.path });
  }
  const read = images[which];
  if (!read) {
    const own = item ? problems.list.filter(({ path }) => path.startsWith(item.path)) : problems.list;
    throw unreadable("no image can be read", group.path, own);
  }
  const levels = await levelsOf(group, read, others);
  const more = { version: document.version, levels, problems: problems.list, label };
  return new Image(group, { ...read, ...more }, omero);
}

async function levelsOf(group: Group, { axes, datasets }: Multiscale, options: OmeOptions): Promise<Level[]> {
  if (datasets.every(({ transformations }) => transformations)) {
    const read = datasets.map(async ({ path, transformations }, index) => {
      const known = (transformations as Transformation[]).map((one) =>
        needsArray(one) ? withParameters(one, group, options) : one,
      );
      return new Level(group, axes, { index, path, ...placement(await Promise.all(known), axes.length, path) });
    });
    return Promise.all(read);
  }
  if (datasets.length > mostLevels) {
    throw new LimitError(`${datasets.length} levels at ${group.path}`, {
      path: group.path,
      limit: "levels",
      max: mostLevels,
    });
  }
  const arrays = await Promise.all(datasets.map(({ path }) => openLevel(group, path, axes.length, options)));
  const first = arrays[0]?.shape ?? [];
  return arrays.map((array, index) => {
    const path = datasets[index]?.path as string;
    return new Level(group, axes, { index, path, ...downsampling(array.shape, first, path) }, array);
  });
}

import type { ZarrArray } from "../api/array.js";
import type { Group } from "../api/group.js";
import { InvalidMetadataError, InvalidSelectionError, LimitError, NotFoundError } from "../errors.js";
import { Printed } from "../printed.js";
import { refuse } from "../refuse.js";
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

/** Levels whose shapes {@link openImage} asks for, where the document does not tell how large their pixels are. */
const mostLevels = 1000;

/** Settings of {@link openImage}. */
export interface ImageOptions extends OmeOptions {
  /** Which of the group's multiscales: its index, or its name; by default the first. */
  multiscale?: number | string | undefined;
  /** The version whose rules count; by default the one that the document states. */
  version?: Version | undefined;
}

/** Settings of {@link Level.array}. */
export interface LevelOptions extends OmeOptions {
  /** `false`: attributes that version 2 has in a document of their own are not asked for, and may be missing. */
  attrs?: boolean | undefined;
}

/** @internal The group that a function was given. */
export function checkGroup(what: string, group: Group): Group {
  if (group?.kind !== "group") refuse(what, group, "a group, as await open(url) gives it,");
  return group;
}

/** @internal The error for a document that leaves open what is needed. */
export function unreadable(what: string, path: string, problems: readonly Problem[]): InvalidMetadataError {
  const first = problems.find(({ level }) => level === "MUST");
  const why = first ? `: ${first.path || "attributes"}: ${first.message}` : "";
  return new InvalidMetadataError(`${what} at ${path}${why}`, { path });
}

/** A resolution of an image (section "multiscales", `datasets`). */
export class Level {
  /** Its place among the image's levels. */
  readonly index: number;
  /** Where its array is, relative to the image. */
  readonly path: string;
  /**
   * The size of a pixel along each axis, in the axis's unit. Before 0.4 there is no unit: it is how much larger a pixel is than
   * one of the first level.
   */
  readonly scale: readonly number[];
  /** The physical coordinate of index 0 along each axis: of the centre of the first pixel. */
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

  /** The shape of the array, once {@link array} has opened it; before 0.4 it is known at once. */
  get shape(): readonly number[] | undefined {
    return this.#array?.shape;
  }

  /**
   * Opens the array, the first time that it is asked for: that costs the requests of its metadata, or none where consolidated
   * metadata has it. Rejects with {@link NotFoundError} where it is not there, and with {@link InvalidMetadataError} where it has
   * another number of dimensions than the image has axes.
   */
  async array(options: LevelOptions = {}): Promise<ZarrArray> {
    const found = this.#array ?? (await openLevel(this.#group, this.path, this.#axes.length, options));
    if (options.attrs !== false) this.#array = found;
    return found;
  }

  /** The physical coordinates of an index, which may be fractional: `scale * index + translation`. */
  toPhysical(index: readonly number[]): number[] {
    this.#check(index);
    return this.scale.map((size, i) => size * (index[i] as number) + (this.translation[i] as number));
  }

  /** The index of physical coordinates, fractional: pixel i reaches from i - 0.5 to i + 0.5. */
  toIndex(point: readonly number[]): number[] {
    this.#check(point);
    return this.scale.map((size, i) => ((point[i] as number) - (this.translation[i] as number)) / size);
  }

  /**
   * The selection of the pixels that a box of physical coordinates touches, for `array.get`. Axes that the box does not name are
   * taken whole; one number takes the pixel it lies in, and drops the dimension. What lies outside of the array is cut off.
   * An axis that is not there, and a number before the first pixel, is an {@link InvalidSelectionError}.
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
      throw new InvalidSelectionError(`${length} coordinates expected, not ${point?.length}`);
  }
}

async function openLevel(
  group: Group,
  path: string,
  axes: number,
  { signal, attrs }: LevelOptions,
): Promise<ZarrArray> {
  const array = await group.open(path, { signal, attrs, kind: "array" });
  if (array.shape.length !== axes) {
    const shape = array.shape.join(", ");
    throw new InvalidMetadataError(`the level ${path} has the shape (${shape}), but the image has ${axes} axes`, {
      path: array.path,
    });
  }
  return array;
}

/** An image in several resolutions (section "multiscales"). Its `String` is a summary of several lines. */
export class Image extends Printed {
  static {
    Printed.tag(Image.prototype, "Image");
  }

  /** The group that it was opened of. */
  readonly group: Group;
  /** Whose rules it was read by. */
  readonly version: Version;
  /** Its name. */
  readonly name: string | null;
  /** How the levels were made of each other, such as `"gaussian"`. */
  readonly type: string | null;
  /** What more is known of how the levels were made. */
  readonly metadata: unknown;
  /** The dimensions; since 0.6 those of the system that the levels' transformations go to. */
  readonly axes: readonly Axis[];
  /** The resolutions in the order of the document: the finest first, where that is valid. */
  readonly levels: readonly Level[];
  /** How the channels are shown; empty where the document does not say. */
  readonly channels: readonly Channel[];
  /** How the image is shown at first. */
  readonly rdefs: RenderingDefaults | undefined;
  /** What the values mean, of an image of labels. */
  readonly label: Label | undefined;
  /** Since 0.6: the name of the system of coordinates that the levels are placed in. */
  readonly intrinsic: string | null;
  /** Since 0.6: the systems of coordinates. */
  readonly coordinateSystems: readonly CoordinateSystem[];
  /** Since 0.6: the transformations between the systems. */
  readonly transformations: readonly Transformation[];
  /** What is wrong with the document, as {@link validate} says it, but leaves no doubt where the pixels are. */
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
   * The level to show: the coarsest whose pixels are no larger than those of the screen along any axis of the view, or the finest
   * where there is none. A view of axes that are not there is an {@link InvalidSelectionError}.
   */
  levelFor(view: View): Level {
    return this.levels[levelFor(this.levels, this.axes, view)] as Level;
  }

  /**
   * Since 0.6: the map from a system of coordinates to another, by as many transformations as it takes, backwards too where
   * they have an inverse. A system is named by its name; `{ path: "s0" }` is the array of a level. Parameters that stand in arrays
   * are read, each time. Rejects with {@link NotFoundError} where nothing links the two.
   */
  async transform(
    from: string | Partial<Reference>,
    to: string | Partial<Reference>,
    options: OmeOptions = {},
  ): Promise<Transform> {
    return route(this.edges(), from, to, (one, group) => withParameters(one, group, options));
  }

  /** @internal The transformations of this image, its levels' as well, by what they link. */
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
 * Opens the image of a group: a multiscale of OME-Zarr 0.1 to 0.5, or of 0.6's draft. The group's attributes are known, so that
 * costs no request, but for what the document leaves to arrays: before 0.4 the levels' shapes, which say how large their
 * pixels are, and the parameters of transformations with a `path`; these are asked for at once.
 *
 * Rejects with {@link InvalidMetadataError} where the document does not say without doubt where the pixels are; what else is
 * wrong stands in {@link Image.problems}. With {@link NotFoundError} where there is no image, or no multiscale of that name.
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

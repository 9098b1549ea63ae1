import type { Group } from "../api/group.js";
import { NotFoundError, UnsupportedError } from "../errors.js";
import { checked } from "../shared/arguments.js";
import { Printed } from "../shared/printed.js";
import { type AnnData, openAnnData } from "./anndata.js";
import { type Element, type Members, membersOf, type OpenSettings, openElement } from "./elements.js";
import { checkGroup, encodingOf, invalid, type Node, names, notFound, openMember } from "./encoding.js";
import { quoted } from "./printing.js";

/** The kinds of elements in a SpatialData object. */
export type SpatialKind = "images" | "labels" | "points" | "shapes" | "tables";

const kinds = ["images", "labels", "points", "shapes", "tables"] as const;

/** An element of a SpatialData object: its group, with the parsed attributes. */
export class SpatialElement extends Printed {
  /** The kind. */
  readonly kind: SpatialKind;
  /** The name. */
  readonly name: string;
  /** The group. For images and labels it is an OME-Zarr image, readable with `zarr-wasm/ome`. */
  readonly group: Group;
  /** The format version as written; undefined if there is none. */
  readonly version: string | undefined;
  /** The names of the axes as stated; undefined if there are none, and for tables. */
  readonly axes: readonly string[] | undefined;
  /** The coordinate transformations as written, by their target coordinate system. */
  readonly transformations: ReadonlyMap<string, unknown>;

  /** @internal */
  constructor(
    kind: SpatialKind,
    name: string,
    group: Group,
    more: Pick<SpatialElement, "version" | "axes" | "transformations">,
  ) {
    super();
    this.kind = kind;
    this.name = name;
    this.group = group;
    this.version = more.version;
    this.axes = more.axes;
    this.transformations = more.transformations;
  }

  /** The path of the group. */
  get path(): string {
    return this.group.path;
  }

  override toString(): string {
    const { kind, path, axes } = this;
    const to = [...this.transformations.keys()].map((name) => JSON.stringify(name)).join(", ");
    return `<SpatialElement ${path} ${kind}${axes ? ` axes=(${axes.join(", ")})` : ""} to=(${to})>`;
  }

  /**
   * Opens a part: a level of an image, or an array of shapes of version 0.1 (`"coords"`, `"Index"`,
   * `"radius"`, `"offset0"`).
   *
   * @throws `UnsupportedError` for points and for shapes of later versions: these are Parquet files
   * outside the Zarr hierarchy.
   */
  async open(part: string, options: OpenSettings = {}): Promise<Element> {
    const { signal } = checked("open", options);
    if (this.kind === "points" || (this.kind === "shapes" && this.version !== undefined && this.version !== "0.1")) {
      const feature = `${this.kind} in Parquet`;
      throw new UnsupportedError(`${this.path}: ${feature} (${this.kind}.parquet) cannot be read`, {
        path: this.path,
        feature,
      });
    }
    return openElement(await openMember(this.group, part, signal), { signal });
  }
}

/** A table of a SpatialData object. */
export interface SpatialTable {
  /** The table. */
  readonly table: AnnData;
  /** The names of the annotated elements. */
  readonly region: readonly string[];
  /** The column of `obs` with each row's element; undefined if the table annotates none. */
  readonly regionKey: string | undefined;
  /**
   * The column of `obs` with each row's instance within its element; undefined if the table
   * annotates none.
   */
  readonly instanceKey: string | undefined;
}

/**
 * Images, labels, points, shapes and tables in common coordinate systems, in the SpatialData
 * library's format.
 */
export class SpatialData extends Printed {
  /** The group. */
  readonly group: Group;
  /** The format version as written; undefined if there is none, as in stores before 0.2. */
  readonly version: string | undefined;
  /** The names of the images; `null` if unknown. */
  readonly images: readonly string[] | null;
  /** The names of the labels; `null` if unknown. */
  readonly labels: readonly string[] | null;
  /** The names of the points; `null` if unknown. */
  readonly points: readonly string[] | null;
  /** The names of the shapes; `null` if unknown. */
  readonly shapes: readonly string[] | null;
  /** The names of the tables; `null` if unknown. */
  readonly tables: readonly string[] | null;
  readonly #members: Readonly<Record<SpatialKind, Members>>;

  /** @internal */
  constructor(group: Group, version: string | undefined, members: Readonly<Record<SpatialKind, Members>>) {
    super();
    this.group = group;
    this.version = version;
    this.#members = members;
    this.images = members.images.names;
    this.labels = members.labels.names;
    this.points = members.points.names;
    this.shapes = members.shapes.names;
    this.tables = members.tables.names;
  }

  /** The path of the group. */
  get path(): string {
    return this.group.path;
  }

  override toString(): string {
    const there = kinds.filter((kind) => this[kind]?.length !== 0);
    const lines = there.flatMap((kind, i) => {
      const last = i === there.length - 1;
      const names = this[kind]?.map(quoted) ?? ["?"];
      const bar = last ? " " : "│";
      const title = `${last ? "└──" : "├──"} ${kind[0]?.toUpperCase()}${kind.slice(1)}`;
      return [title, ...names.map((name, k) => `${bar}     ${k === names.length - 1 ? "└──" : "├──"} ${name}`)];
    });
    return ["SpatialData object", ...lines].join("\n");
  }

  /**
   * Opens an element: its group, with the parsed attributes.
   *
   * @throws `NotFoundError` for an unknown name.
   */
  async open(kind: SpatialKind, name: string, options: OpenSettings = {}): Promise<SpatialElement> {
    const { signal } = checked("open", options);
    const group = await this.#group(kind, name, signal);
    return elementOf(kind, name, group);
  }

  /**
   * Opens a table with {@link openAnnData}, and reads from its attributes which elements it
   * annotates.
   */
  async table(name: string, options: OpenSettings = {}): Promise<SpatialTable> {
    const { signal } = checked("table", options);
    const group = await this.#group("tables", name, signal);
    const { region, region_key, instance_key } = group.attrs;
    const key = (value: unknown, name: string) => {
      if (value !== null && value !== undefined && typeof value !== "string")
        throw invalid(group.path, `${name} is not a string`);
      return value ?? undefined;
    };
    return {
      region: typeof region === "string" ? [region] : names(group.path, region ?? [], "region"),
      regionKey: key(region_key, "region_key"),
      instanceKey: key(instance_key, "instance_key"),
      table: await openAnnData(group, { signal }),
    };
  }

  async #group(kind: SpatialKind, name: string, signal: AbortSignal | undefined): Promise<Group> {
    const members = Object.hasOwn(this.#members, kind) && this.#members[kind];
    if (!members) throw new NotFoundError(`a SpatialData has no ${String(kind)}`, { path: this.path });
    const node = await members.node(name, signal);
    if (node.kind === "array") throw invalid(node.path, "it is an array, but must be a group");
    return node;
  }
}

/** Returns a member of a value; undefined if the value is not an object. */
const of = (value: unknown, name: string | number): unknown =>
  value !== null && typeof value === "object" && Object.hasOwn(value, name)
    ? (value as Record<string, unknown>)[name]
    : undefined;

const stringOnly = (value: unknown) => (typeof value === "string" ? value : undefined);

function elementOf(kind: SpatialKind, name: string, group: Group): SpatialElement {
  const { attrs, path } = group;
  const raster = kind === "images" || kind === "labels";
  const multiscale = of(of(attrs.ome, "multiscales") ?? attrs.multiscales, 0);
  const own = of(attrs.spatialdata_attrs, "version");
  const version = stringOnly(raster ? (of(multiscale, "version") ?? of(attrs.ome, "version")) : (own ?? attrs.version));
  const written = raster ? of(multiscale, "axes") : attrs.axes;
  const axes = Array.isArray(written)
    ? written.map((axis) => stringOnly(axis) ?? stringOnly(of(axis, "name")))
    : undefined;
  if (axes?.includes(undefined)) throw invalid(path, "axes have no names");
  const list = (raster ? of(multiscale, "coordinateTransformations") : attrs.coordinateTransformations) ?? [];
  if (!Array.isArray(list)) throw invalid(path, "coordinateTransformations is not a list");
  const transformations = new Map<string, unknown>();
  for (const one of list) {
    const to = stringOnly(of(of(one, "output"), "name"));
    // OME-Zarr's transformations for all levels have no named target system.
    if (to !== undefined) transformations.set(to, one);
  }
  return new SpatialElement(kind, name, group, { version, axes: axes as string[] | undefined, transformations });
}

/**
 * Opens a SpatialData object. Reads only the names of its elements, from consolidated metadata or
 * the store's list.
 *
 * @throws `NotFoundError` if it has none of the groups, or is something else.
 */
export async function openSpatialData(group: Group, options: OpenSettings = {}): Promise<SpatialData> {
  const { signal } = checked("openSpatialData", options);
  const { type } = encodingOf(checkGroup("openSpatialData", group));
  const { path } = group;
  if (type !== "") throw notFound(path, "SpatialData", type);
  const attrs = group.attrs.spatialdata_attrs;
  const version = of(attrs, "version");
  if (attrs !== undefined && typeof version !== "string") throw invalid(path, "spatialdata_attrs has no version");
  // Before 0.1 a single table was stored in "table".
  const members = await membersOf(group, [...kinds, "table"], signal);
  const has = (name: string) => members.names?.includes(name);
  if (attrs === undefined && !kinds.some(has)) {
    throw new NotFoundError(`no SpatialData at ${path}: it has none of ${kinds.join(", ")}`, { path });
  }
  const inside = async (kind: SpatialKind): Promise<[SpatialKind, Members]> => {
    const name = kind === "tables" && !has(kind) && has("table") ? "table" : kind;
    if (!has(name)) return [kind, { names: [], node: (one) => openMember(group, `${kind}/${one}`, signal) }];
    const node: Node = await members.node(name, signal);
    if (node.kind === "array") throw invalid(node.path, "it is an array, but must be a group");
    return [kind, await membersOf(node, [], signal)];
  };
  const all = Object.fromEntries(await Promise.all(kinds.map(inside))) as Record<SpatialKind, Members>;
  return new SpatialData(group, version as string | undefined, all);
}

import type { ZarrArray } from "../api/array.js";
import type { Calendar, CFDate, Decoded } from "../cf/index.js";
import { product } from "../data/shape.js";
import { InvalidSelectionError } from "../errors.js";
import { checked, refuse, type Settings, show } from "../shared/arguments.js";
import { Printed } from "../shared/printed.js";
import { isSlice, type LabelSlice, type Lookup, type Method, type Positions } from "./labels.js";
import { among, located, positionCount, whole } from "./positions.js";
import { arrayHtml, arrayText } from "./text.js";
import type { GetOptions, Variable, Variables } from "./variable.js";

/**
 * A label: a number, a string, a boolean or a date. A date string may omit its last parts:
 * `"2020-07"`.
 */
export type Label = number | bigint | string | boolean | Date | CFDate;

/** A selection along a dimension by labels: one, a range including both ends, or a list. */
export type LabelSelector =
  | Label
  | LabelSlice<Label>
  | readonly Label[]
  | Float64Array
  | Float32Array
  | Int32Array
  | BigInt64Array;

/**
 * A selection along a dimension by positions, as in Python. It is one index (which drops the
 * dimension), a range, a list, or a mask.
 */
export type IndexSelector =
  | number
  | bigint
  | null
  | {
      readonly start: number | bigint | null;
      readonly stop: number | bigint | null;
      readonly step?: number | bigint | null;
    }
  | readonly number[]
  | readonly boolean[]
  | Int32Array
  | Uint32Array;

/** A setting for all dimensions, or one for each dimension by name. */
export type PerDimension<T> = T | { readonly [dimension: string]: T };

/** Options of {@link DataArray.sel}. */
export interface SelOptions {
  /**
   * How to find a label that the coordinate lacks: `"nearest"`, `"pad"` (the previous one in the
   * coordinate's order) or `"backfill"` (the following one). Applies to single labels and lists;
   * ranges need no method.
   */
  method?: PerDimension<Method> | undefined;
  /**
   * The largest allowed distance between the found and the requested label, in the coordinate's
   * numbers. For times a duration like `"6h"`.
   */
  tolerance?: PerDimension<number | bigint | string> | undefined;
  /**
   * The period of circular coordinates, by dimension name. `{ lon: 360 }` treats -10 as 350 and
   * lets a range cross the seam. By default coordinates are not circular.
   */
  period?: { readonly [dimension: string]: number } | undefined;
}

/** Options of {@link DataArray.get}. */
export interface LoadOptions extends GetOptions {
  /**
   * The coordinates to return with the elements: those with at most one dimension (`true`, the
   * default), `"all"`, or none (`false`). Coordinates with more dimensions are read like the
   * elements.
   */
  coords?: boolean | "all" | undefined;
}

const loadSettings: Settings = {
  coords: [[(value: unknown) => typeof value === "boolean" || value === "all", 'true, false or "all"']],
};

/** Decoded elements with their metadata. */
export interface Loaded extends Omit<Decoded, "units" | "calendar"> {
  /** The name of the variable. */
  name: string;
  /** The names of the dimensions. */
  dims: string[];
  /** The units. */
  units: string | undefined;
  /** The calendar of times. */
  calendar: Calendar | undefined;
  /** The attributes that were not applied. */
  attrs: Record<string, unknown>;
}

/** The result of {@link DataArray.get}. */
export interface LoadedArray extends Loaded {
  /** The coordinates by name. Those of dropped dimensions have the shape `[]`. */
  coords: { [name: string]: Loaded };
}

const methods: readonly Method[] = ["nearest", "pad", "backfill"];

/** @internal Returns the label lookup options of each dimension. */
export function lookups(options: SelOptions): (dimension: string) => Lookup {
  const { method, tolerance, period } = checked("sel", options);
  const of = <T>(setting: PerDimension<T> | undefined, name: string): T | undefined => {
    if (typeof setting !== "object" || setting === null) return setting ?? undefined;
    return Object.hasOwn(setting, name) ? ((setting as Record<string, T>)[name] ?? undefined) : undefined;
  };
  if (period !== undefined && (typeof period !== "object" || period === null)) {
    refuse("sel: period", period, "an object of lengths by dimension");
  }
  const named = typeof method === "object" && method !== null ? Object.values(method) : [method];
  for (const one of named) {
    if ((one ?? undefined) !== undefined && !methods.includes(one as Method)) {
      refuse("sel: method", one, methods.map((name) => `"${name}"`).join(" or "));
    }
  }
  return (name) => ({ method: of<Method>(method, name), tolerance: of(tolerance, name), period: of(period, name) });
}

/** @internal The entries of a selection, which must be a plain object. */
export function entriesOf(what: string, selection: unknown): [name: string, selector: unknown][] {
  const proto: unknown = Object(selection) === selection ? Object.getPrototypeOf(selection) : 0;
  const plain = proto === null || (proto !== 0 && Object.getPrototypeOf(proto) === null);
  if (!plain) {
    throw new InvalidSelectionError(`${what}: expected an object of selections by dimension, not ${show(selection)}`);
  }
  return Object.entries(selection as object);
}

/** @internal Finds labels among the selected positions of a dimension. */
export async function findLabels(
  variables: Variables,
  dimension: string,
  positions: Positions,
  labels: unknown,
  lookup: Lookup,
  options: GetOptions,
): Promise<Positions> {
  const count = positionCount(positions) as number;
  const coordinate = variables.dimension(dimension);
  if (!coordinate) {
    // Without a coordinate, labels are positions.
    if (lookup.method || lookup.period !== undefined || lookup.tolerance !== undefined) {
      throw new InvalidSelectionError(`${dimension}: a method needs a coordinate, but the dimension has none`);
    }
    if (typeof labels !== "number" && typeof labels !== "bigint" && !isSlice(labels) && !Array.isArray(labels)) {
      throw new InvalidSelectionError(
        `${dimension}: the dimension has no coordinate, but ${show(labels)} is not a position`,
      );
    }
    return among(positions, located(dimension, labels, count));
  }
  const index = await variables.labels(coordinate, positions, options);
  return among(positions, index.locate(labels, lookup));
}

/**
 * A variable with its coordinates, or a part of it, like xarray's DataArray. Only {@link get}
 * reads. Successive selections are combined into one read.
 */
export class DataArray extends Printed {
  static {
    Printed.tag(DataArray.prototype, "DataArray");
  }

  readonly #variable: Variable;
  readonly #variables: Variables;
  /** The selected positions along each dimension of the variable. */
  readonly #positions: readonly Positions[];

  /** @internal */
  constructor(variable: Variable, variables: Variables, positions?: readonly Positions[]) {
    super();
    this.#variable = variable;
    this.#variables = variables;
    this.#positions = positions ?? variable.shape.map(whole);
  }

  /** The name of the variable. */
  get name(): string {
    return this.#variable.name;
  }

  /** The array that stores it. */
  get array(): ZarrArray {
    return this.#variable.array;
  }

  /** The names of the remaining dimensions. An unnamed one is called `dim_0` by its index. */
  get dims(): string[] {
    return this.#variable.dims.filter((_, i) => typeof this.#positions[i] !== "number");
  }

  /** The lengths of the remaining dimensions. */
  get shape(): number[] {
    return this.#positions.flatMap((positions) => positionCount(positions) ?? []);
  }

  /** The lengths by dimension name. */
  get sizes(): { [dimension: string]: number } {
    const { dims, shape } = this;
    return Object.fromEntries(dims.map((name, i) => [name, shape[i] as number]));
  }

  /** The number of elements. */
  get size(): number {
    return product(this.shape);
  }

  /** The decoded type: a data type's name, `"string"`, `"time"` or `"timedelta"`. */
  get dtype(): string {
    return this.#variable.dtype;
  }

  /** The attributes, except those about storage, which are in {@link encoding}. */
  get attrs(): Record<string, unknown> {
    return { ...this.#variable.attrs };
  }

  /** The storage: the type, and the attributes that were applied. */
  get encoding(): Record<string, unknown> {
    return { ...this.#variable.encoding };
  }

  /** The units. For times these are the unit and the reference date. */
  get units(): string | undefined {
    const { attrs, encoding } = this.#variable;
    const units = attrs.units ?? encoding.units;
    return typeof units === "string" ? units : undefined;
  }

  /** The attributes that could not be applied, and why. */
  get problems(): string[] {
    return [...this.#variable.problems];
  }

  /** The coordinates by name. All of their dimensions are dimensions of the variable. */
  get coords(): Map<string, DataArray> {
    const found = new Map<string, DataArray>();
    for (const [name, variable] of this.#variables.all) {
      if (this.#variables.coordinates.has(name) && this.#covers(variable)) {
        found.set(name, new DataArray(variable, this.#variables, this.#shared(variable)));
      }
    }
    return found;
  }

  /** Reports whether a variable has no other dimensions. */
  #covers({ dims, named, shape }: Variable): boolean {
    const mine = this.#variable;
    return dims.every((name, i) => {
      const at = mine.dims.indexOf(name);
      return at >= 0 && mine.named.includes(name) && named.includes(name) && mine.shape[at] === shape[i];
    });
  }

  /** The selected positions along the dimensions of another variable. */
  #shared(variable: Variable): Positions[] {
    return variable.dims.map((name) => this.#positions[this.#variable.dims.indexOf(name)] as Positions);
  }

  /** The index of a remaining dimension. */
  #axis(what: string, name: string): number {
    const { dims } = this.#variable;
    const at = dims.flatMap((one, i) => (one === name && typeof this.#positions[i] !== "number" ? [i] : []));
    if (at.length === 1) return at[0] as number;
    const dropped = dims.includes(name) && at.length === 0;
    const known = this.dims.map((one) => JSON.stringify(one)).join(", ") || "none";
    const is =
      at.length > 1
        ? "there is more than one dimension"
        : dropped
          ? "no dimension is left that is"
          : "there is no dimension";
    throw new InvalidSelectionError(
      `${what} of ${this.name}: ${is} called ${JSON.stringify(name)}; dimensions: ${known}`,
    );
  }

  /**
   * Selects by positions, as in Python. The selection is an object by dimension, or a list for the
   * leading dimensions. Throws {@link InvalidSelectionError} for an invalid selection.
   */
  isel(selection: { readonly [dimension: string]: IndexSelector } | readonly IndexSelector[]): DataArray {
    const positions = [...this.#positions];
    const left = positions.flatMap((one, i) => (typeof one === "number" ? [] : [i]));
    if (Array.isArray(selection) && selection.length > left.length) {
      throw new InvalidSelectionError(
        `isel of ${this.name}: ${selection.length} entries for ${left.length} dimensions`,
      );
    }
    const entries: [number, unknown][] = Array.isArray(selection)
      ? selection.map((one, i) => [left[i] as number, one])
      : entriesOf("isel", selection).map(([name, one]) => [this.#axis("isel", name), one]);
    for (const [axis, one] of entries) {
      const before = positions[axis] as Positions;
      const name = this.#variable.dims[axis] as string;
      positions[axis] = among(before, located(name, one, positionCount(before) as number));
    }
    return new DataArray(this.#variable, this.#variables, positions);
  }

  /**
   * Selects by labels with the rules of pandas and xarray: exactly, or by a `method`. Ranges
   * include both ends and follow the coordinate's order. `"2020-07"` is all of July if the times
   * are finer than months. A dimension without a coordinate is selected by position. Labels are
   * looked up only by {@link LabelSelection.get} or {@link LabelSelection.locate}.
   *
   * @example
   * const july = ds.var("t2m").sel({ time: "2020-07", lat: slice(60, 40) });
   * const { data, dims, coords } = await july.get();
   */
  sel(selection: { readonly [dimension: string]: LabelSelector }, options: SelOptions = {}): LabelSelection {
    return new LabelSelection(this).sel(selection, options);
  }

  /** @internal See {@link LabelSelection.locate}. */
  async located(
    entries: [string, unknown][],
    lookup: (name: string) => Lookup,
    options: GetOptions,
  ): Promise<DataArray> {
    const axes = entries.map(([name]) => this.#axis("sel", name));
    const found = await Promise.all(
      entries.map(([name, labels], i) => {
        const axis = axes[i] as number;
        const positions = this.#positions[axis] as Positions;
        const coordinate = this.#variables.dimension(name);
        if (coordinate && coordinate.shape[0] !== this.#variable.shape[axis]) {
          const [has, is] = [this.#variable.shape[axis], coordinate.shape[0]];
          throw new InvalidSelectionError(
            `${name}: the coordinate has ${is} labels and the dimension of ${this.name} is ${has} long`,
          );
        }
        return findLabels(this.#variables, name, positions, labels, lookup(name), options);
      }),
    );
    const positions = [...this.#positions];
    for (const [i, axis] of axes.entries()) positions[axis] = found[i] as Positions;
    return new DataArray(this.#variable, this.#variables, positions);
  }

  /**
   * Reads and decodes the elements and the coordinates of their dimensions. Caches the coordinates.
   * Rejects like an array's `get`.
   */
  async get(options: LoadOptions = {}): Promise<LoadedArray> {
    const { coords = true, ...settings } = checked("get", options, loadSettings);
    const wanted = coords ? [...this.coords].filter(([name]) => this.#wants(name, coords)) : [];
    // The variable's own coordinate is read with the others.
    const own = wanted.some(([name]) => name === this.name);
    const [values, ...read] = await Promise.all([
      own ? undefined : this.#read(settings),
      ...wanted.map(async ([name, one]) => [name, await one.#read({ ...settings, onProgress: undefined })] as const),
    ]);
    const found = Object.fromEntries(read);
    return { ...(values ?? (found[this.name] as Loaded)), coords: found };
  }

  /** An alias of {@link get}, named as in xarray. */
  load(options: LoadOptions = {}): Promise<LoadedArray> {
    return this.get(options);
  }

  #wants(name: string, coords: boolean | "all"): boolean {
    return coords === "all" || (this.#variables.all.get(name)?.dims.length ?? 0) <= 1;
  }

  async #read(options: GetOptions): Promise<Loaded> {
    const variable = this.#variable;
    const [only] = this.#positions;
    // Coordinates of dimensions are cached as a whole.
    const kept = only !== undefined && this.#variables.dimension(this.name) === variable;
    const decoded = kept
      ? await this.#variables.at(variable, only, options)
      : await variable.read(this.#positions, options);
    const { units, calendar, ...others } = decoded;
    return { ...others, name: this.name, dims: this.dims, units, calendar, attrs: this.attrs };
  }

  /** Formats the array like xarray: name, dimensions, type, coordinates and attributes. */
  override toString(): string {
    return arrayText(this);
  }

  /**
   * Formats the array as HTML for a page, without scripts or external resources. Escapes all texts
   * of the data.
   */
  toHTML(): string {
    return arrayHtml(this);
  }

  /** @internal Whether this is the coordinate of a remaining dimension. */
  get isIndex(): boolean {
    return typeof this.#positions[0] === "object" && this.#variables.dimension(this.name) === this.#variable;
  }
}

/** A selection of a {@link DataArray} by labels, which are looked up when it is read. */
export class LabelSelection {
  readonly #locate: (options: GetOptions) => Promise<DataArray>;

  /** @internal */
  constructor(of: DataArray | ((options: GetOptions) => Promise<DataArray>)) {
    this.#locate = typeof of === "function" ? of : async () => of;
  }

  /** Selects from this selection by labels; see {@link DataArray.sel}. */
  sel(selection: { readonly [dimension: string]: LabelSelector }, options: SelOptions = {}): LabelSelection {
    const entries = entriesOf("sel", selection);
    const lookup = lookups(options);
    return new LabelSelection(async (read) => (await this.#locate(read)).located(entries, lookup, read));
  }

  /** Selects from this selection by positions; see {@link DataArray.isel}. */
  isel(selection: { readonly [dimension: string]: IndexSelector } | readonly IndexSelector[]): LabelSelection {
    return new LabelSelection(async (read) => (await this.#locate(read)).isel(selection));
  }

  /**
   * Looks up the labels and returns the selection by positions. Reads the coordinates in parallel.
   */
  locate(options: GetOptions = {}): Promise<DataArray> {
    return this.#locate(checked("locate", options));
  }

  /** Looks up the labels, then reads and decodes; see {@link DataArray.get}. */
  async get(options: LoadOptions = {}): Promise<LoadedArray> {
    const { coords: _, onProgress: __, ...settings } = checked("get", options, loadSettings);
    return (await this.locate(settings)).get(options);
  }

  /** An alias of {@link get}, named as in xarray. */
  load(options: LoadOptions = {}): Promise<LoadedArray> {
    return this.get(options);
  }
}

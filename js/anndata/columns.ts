import type { ZarrArray } from "../api/array.js";
import type { Group } from "../api/group.js";
import type { Selector } from "../api/selection.js";
import type { AnyData } from "../data/types.js";
import { UnsupportedError } from "../errors.js";
import { at, axisOf } from "./axis.js";
import { checkVector, damaged, invalid, knownEncoding, member, type Node, vector } from "./encoding.js";
import { type ReadSettings, sharing } from "./settings.js";

/**
 * The kind of a column: an AnnData encoding type. `"array"` also stands for columns without one.
 */
export type ColumnKind =
  | "array"
  | "string-array"
  | "categorical"
  | "nullable-integer"
  | "nullable-boolean"
  | "nullable-string-array";

/** A column, or some of its rows, in memory. */
export class Column implements Iterable<unknown> {
  /** The kind. */
  readonly kind: ColumnKind;
  /** The number of rows. */
  readonly length: number;
  /**
   * The stored values: numbers, strings, times. For a categorical these are its codes. Missing
   * values of a nullable column have arbitrary entries.
   */
  readonly data: AnyData;
  /** The categories that the codes refer to; undefined if the column is not a categorical. */
  readonly categories: Column | undefined;
  /** Whether the column is a categorical with ordered categories. */
  readonly ordered: boolean;
  /** The mask of a nullable column, with 1 for a missing value; otherwise undefined. */
  readonly mask: Uint8Array | undefined;

  /** @internal */
  constructor(kind: ColumnKind, length: number, data: AnyData, more: ColumnMore = {}) {
    this.kind = kind;
    this.length = length;
    this.data = data;
    this.categories = more.categories;
    this.ordered = more.ordered ?? false;
    this.mask = more.mask;
  }

  /**
   * Returns the value in a row: a number, bigint, boolean or string. For a categorical it is the
   * category. `null` if it is missing.
   */
  get(i: number): unknown {
    if (this.mask?.[i] === 1) return null;
    const value = element(this.data, i);
    if (!this.categories) return value;
    return value === -1 ? null : this.categories.get(value as number);
  }

  /** The values of all rows, as returned by {@link get}. */
  get values(): unknown[] {
    return Array.from({ length: this.length }, (_, i) => this.get(i));
  }

  /** Iterates over the values. */
  *[Symbol.iterator](): Generator<unknown, void, undefined> {
    for (let i = 0; i < this.length; i++) yield this.get(i);
  }
}

interface ColumnMore {
  categories?: Column | undefined;
  ordered?: boolean;
  mask?: Uint8Array | undefined;
}

/**
 * Returns element `i` of data. Booleans, complex numbers and opaque bytes come from the `get` of
 * their arrays.
 */
function element(data: AnyData, i: number): unknown {
  const get: unknown = (data as { get?: unknown }).get;
  return typeof get === "function" ? get.call(data, i) : (data as unknown[])[i];
}

/** A stored column. Its kind is known; its values are read on request. */
export interface ColumnElement {
  /** The kind. */
  readonly kind: ColumnKind;
  /** The path. */
  readonly path: string;
  /** The number of rows. */
  readonly length: number;
  /**
   * Reads all rows, or those that an index, a range, a list or a mask selects. Rejects like array
   * reads.
   */
  get(rows?: Selector, options?: ReadSettings): Promise<Column>;
}

/** Wraps an index in a list, so that a column keeps its dimension. */
const keep = (rows: Selector | undefined): Selector =>
  typeof rows === "number" || typeof rows === "bigint" ? [rows] : (rows ?? null);

/** A column of plain values (file format, "Dense arrays" and "String arrays"). */
export class ArrayColumn implements ColumnElement {
  /** The kind. */
  readonly kind: "array" | "string-array";
  /** The array. */
  readonly array: ZarrArray;

  /** @internal */
  constructor(array: ZarrArray) {
    this.kind = /^(string|unicode|char)$/.test(array.type.kind) ? "string-array" : "array";
    this.array = array;
  }

  /** The path. */
  get path(): string {
    return this.array.path;
  }

  /** The number of rows. */
  get length(): number {
    return this.array.shape[0] as number;
  }

  /** Reads rows: see {@link ColumnElement.get}. */
  async get(rows?: Selector, options: ReadSettings = {}): Promise<Column> {
    const { data, shape } = await this.array.get([keep(rows)], sharing("get", options)());
    return new Column(this.kind, shape[0] as number, data as AnyData);
  }
}

/** @internal A scalar that stands for a list of one: a single category of anndata before 0.7. */
export class ScalarColumn extends ArrayColumn {
  override get length(): number {
    return 1;
  }

  override async get(_rows?: Selector, options: ReadSettings = {}): Promise<Column> {
    const value = await this.array.get([], sharing("get", options)());
    return new Column(this.kind, 1, [value]);
  }
}

/** A categorical column (file format, "Categorical arrays"), also in the older form. */
export class Categorical implements ColumnElement {
  /** The kind. */
  readonly kind = "categorical";
  /** The array of codes. A code is the index of a category, or -1 for a missing value. */
  readonly codes: ZarrArray;
  /** The categories. */
  readonly categories: ColumnElement;
  /** Whether the categories are ordered. */
  readonly ordered: boolean;

  /** @internal */
  constructor(codes: ZarrArray, categories: ColumnElement, ordered: boolean) {
    if (!/^u?int$/.test(codes.type.kind))
      throw invalid(codes.path, `codes have the type ${codes.dtype}, not an integer type`);
    this.codes = codes;
    this.categories = categories;
    this.ordered = ordered;
  }

  /** The path of the codes. */
  get path(): string {
    return this.codes.path;
  }

  /** The number of rows. */
  get length(): number {
    return this.codes.shape[0] as number;
  }

  /**
   * Reads rows, and all categories; see {@link ColumnElement.get}.
   *
   * @throws `CodecPipelineError` if a code has no category.
   */
  async get(rows?: Selector, options: ReadSettings = {}): Promise<Column> {
    const each = sharing("get", options);
    const [{ data }, categories] = await Promise.all([
      this.codes.get([keep(rows)], each()) as Promise<{ data: ArrayLike<number | bigint> }>,
      this.categories.get(null, each()),
    ]);
    const codes = coded(data);
    const bad = notACode(codes, categories.length);
    if (bad >= 0) {
      throw damaged(this.codes, this.kind, `code ${data[bad]} is not one of ${categories.length} categories`);
    }
    return new Column(this.kind, codes.length, codes, { categories, ordered: this.ordered });
  }
}

/** Converts codes to numbers. All possible codes are exact as numbers. */
function coded(data: ArrayLike<number | bigint>): Int8Array | Int16Array | Int32Array | Float64Array {
  const fits = data instanceof Int8Array || data instanceof Int16Array || data instanceof Int32Array;
  return fits ? data : Float64Array.from(data as ArrayLike<number>, Number);
}

/** Returns the index of the first invalid code, or -1. */
function notACode(codes: ArrayLike<number>, categories: number): number {
  for (let i = 0; i < codes.length; i++) {
    const code = codes[i] as number;
    if (!(code >= -1 && code < categories)) return i;
  }
  return -1;
}

/** A nullable column (file format, "Nullable integers, booleans, and strings"). */
export class Nullable implements ColumnElement {
  /** The kind. */
  readonly kind: "nullable-integer" | "nullable-boolean" | "nullable-string-array";
  /** The array of values. */
  readonly values: ZarrArray;
  /** The array that is true for missing values. */
  readonly mask: ZarrArray;
  /**
   * The result of comparing with a missing value: `"NA"` for a missing value, `"NaN"` for false.
   * Other texts are kept as written.
   */
  readonly naValue: string;

  /** @internal */
  constructor(group: Group, values: ZarrArray, mask: ZarrArray, kind: Nullable["kind"]) {
    if (mask.dtype !== "bool") throw invalid(mask.path, `a mask is of type ${mask.dtype}, not bool`);
    if (mask.shape[0] !== values.shape[0]) {
      throw invalid(group.path, `there are ${values.shape[0]} values, but a mask of ${mask.shape[0]}`);
    }
    this.kind = kind;
    this.values = values;
    this.mask = mask;
    this.naValue = String(group.attrs["na-value"] ?? "NA");
  }

  /** The path of the values. */
  get path(): string {
    return this.values.path;
  }

  /** The number of rows. */
  get length(): number {
    return this.values.shape[0] as number;
  }

  /** Reads rows: see {@link ColumnElement.get}. */
  async get(rows?: Selector, options: ReadSettings = {}): Promise<Column> {
    const each = sharing("get", options);
    const [{ data }, { data: mask }] = await Promise.all([
      this.values.get([keep(rows)], each()),
      this.mask.get([keep(rows)], each()) as Promise<{ data: Uint8Array }>,
    ]);
    return new Column(this.kind, mask.length, data as AnyData, { mask });
  }
}

/**
 * @internal A column in an array of structs, as stored by anndata before 0.7. Its categories are in
 * `uns`.
 */
export class FieldColumn implements ColumnElement {
  readonly kind: ColumnKind;
  readonly array: ZarrArray;
  readonly field: string;
  readonly categories: ColumnElement | undefined;

  constructor(array: ZarrArray, field: string, categories?: ColumnElement) {
    const { type } = array.type.fields?.find(({ name }) => name === field) ?? {};
    const coded = categories && /^u?int$/.test(type?.kind ?? "");
    this.kind = coded ? "categorical" : "array";
    this.array = array;
    this.field = field;
    this.categories = coded ? categories : undefined;
  }

  get path(): string {
    return this.array.path;
  }

  get length(): number {
    return this.array.shape[0] as number;
  }

  async get(rows?: Selector, options: ReadSettings = {}): Promise<Column> {
    const each = sharing("get", options);
    if (this.categories) {
      // Numbers are codes only if all of them are valid codes.
      const [{ data }, categories] = await Promise.all([this.#read(null, each()), this.categories.get(null, each())]);
      const codes = coded(data[this.field] as Int8Array);
      if (notACode(codes, categories.length) < 0) {
        const axis = axisOf(keep(rows), this.length, this.path);
        const taken = Int32Array.from({ length: axis.count }, (_, i) => codes[at(axis, i)] as number);
        return new Column("categorical", axis.count, taken, { categories });
      }
    }
    const { data, shape } = await this.#read(keep(rows), each());
    return new Column("array", shape[0] as number, data[this.field] as AnyData);
  }

  #read(rows: Selector, options: ReadSettings) {
    return this.array.get([rows], options) as Promise<{ data: Record<string, AnyData>; shape: number[] }>;
  }
}

/** @internal Opens a column, either of a data frame or by itself. */
export async function openColumn(
  node: Node,
  parent: Group | undefined,
  signal: AbortSignal | undefined,
): Promise<ColumnElement> {
  const { type } = knownEncoding(node);
  const { path } = node;
  if (node.kind === "array") {
    const array = checkVector(node);
    const { categories } = array.attrs;
    if (type !== "" || categories === undefined || !parent) return new ArrayColumn(array);
    // Before 0.8 the array holds the codes, and an attribute holds the path of the categories.
    const where = await member(parent, categories, "array of categories", signal);
    const ordered = where.attrs.ordered ?? false;
    return new Categorical(array, await openColumn(where, undefined, signal), ordered === true);
  }
  switch (type) {
    case "categorical": {
      const [codes, where] = await Promise.all([
        vector(node, "codes", "array", signal),
        member(node, "categories", "array", signal),
      ]);
      const categories = await openColumn(where, undefined, signal);
      if (categories.kind === "categorical") throw invalid(path, "its categories are a categorical");
      return new Categorical(codes, categories, node.attrs.ordered === true);
    }
    case "nullable-integer":
    case "nullable-boolean":
    case "nullable-string-array": {
      const [values, mask] = await Promise.all([
        vector(node, "values", "array", signal),
        vector(node, "mask", "array", signal),
      ]);
      return new Nullable(node, values, mask, type);
    }
  }
  if (type === "") throw invalid(path, "it is a group without encoding-type, but must be a column");
  const feature = `${type} as a column`;
  throw new UnsupportedError(`${path}: ${feature} is not supported`, { path, feature });
}

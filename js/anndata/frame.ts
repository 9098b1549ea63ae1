import type { ZarrArray } from "../api/array.js";
import type { Selector } from "../api/selection.js";
import { InvalidSelectionError } from "../errors.js";
import { Printed } from "../printed.js";
import { checked, someNames } from "../refuse.js";
import { type Column, type ColumnElement, FieldColumn, openColumn } from "./columns.js";
import { checkVector, invalid, knownEncoding, member, memberPath, type Node, names } from "./encoding.js";
import { tableText } from "./printing.js";
import { type ReadSettings, sharing } from "./settings.js";

/** Opens a column of a frame by its name. */
type OpenColumn = (name: string, signal: AbortSignal | undefined) => Promise<ColumnElement>;

/**
 * A data frame: AnnData's file format, section "DataFrames", and the forms that came before it. What columns it has is known;
 * they are read one by one, whole or some of their rows.
 */
export class DataFrame extends Printed {
  /** What it is. */
  readonly kind = "dataframe";
  /** Its path. */
  readonly path: string;
  /** Its group, or the array of structs that it is in stores of anndata before 0.7. */
  readonly node: Node;
  /** The names of its columns, in order. */
  readonly columns: readonly string[];
  /** The name of its index; `"_index"` stands for none. */
  readonly indexName: string;
  readonly #index: ColumnElement;
  readonly #open: OpenColumn;

  /** @internal */
  constructor(node: Node, columns: readonly string[], indexName: string, index: ColumnElement, open: OpenColumn) {
    super();
    this.path = node.path;
    this.node = node;
    this.columns = columns;
    this.indexName = indexName;
    this.#index = index;
    this.#open = open;
  }

  /** How many rows it has. */
  get length(): number {
    return this.#index.length;
  }

  /** Rows and columns. */
  get shape(): [rows: number, columns: number] {
    return [this.length, this.columns.length];
  }

  override toString(): string {
    const { path, length, columns } = this;
    return `<DataFrame ${path} rows=${length} columns=(${columns.join(", ")})>`;
  }

  /** Reads the index, of some rows or all. Rejects as {@link column} does. */
  index(rows?: Selector, options: ReadSettings = {}): Promise<Column> {
    return this.#index.get(rows, options);
  }

  /**
   * Opens a column, and reads nothing of it. A name that is not in {@link columns} is an {@link InvalidSelectionError}; a column
   * that has not as many rows as the index an `InvalidMetadataError`, and one of an unknown encoding an `UnsupportedError`.
   */
  async openColumn(name: string, options: { signal?: AbortSignal | undefined } = {}): Promise<ColumnElement> {
    const { signal } = checked("openColumn", options);
    if (!this.columns.includes(name)) {
      throw new InvalidSelectionError(`${this.path} has no column ${JSON.stringify(name)}`, { path: this.path });
    }
    const column = await this.#open(name, signal);
    if (column.length !== this.length) {
      throw invalid(this.path, `column ${JSON.stringify(name)} has ${column.length} rows, the index ${this.length}`);
    }
    return column;
  }

  /**
   * Reads a column, whole or the rows that an index, a range, a list or a mask selects. Rejects as {@link openColumn} and
   * reads of arrays do.
   *
   * @example
   * const { categories, data, values } = await adata.obs.column("cell_type", slice(0, 100));
   */
  async column(name: string, rows?: Selector, options: ReadSettings = {}): Promise<Column> {
    const read = sharing("column", options)();
    const column = await this.openColumn(name, { signal: read.signal });
    return column.get(rows, read);
  }

  /** Reads rows of several columns, by default of all, with the index. Rejects as {@link column} does. */
  async read(
    rows?: Selector,
    options: ReadSettings & { columns?: readonly string[] | undefined } = {},
  ): Promise<Table> {
    const { columns = this.columns, ...others } = checked("read", options, { columns: [someNames] });
    const each = sharing("read", others);
    const [index, ...read] = await Promise.all([
      this.index(rows, each()),
      ...columns.map((name) => this.column(name, rows, each())),
    ]);
    return new Table(
      index as Column,
      this.indexName,
      new Map(columns.map((name, i) => [name, read[i] as Column])),
      this.length,
    );
  }

  /** Reads the first rows, for {@link Table.toString}. */
  head(rows = 5, options: ReadSettings & { columns?: readonly string[] | undefined } = {}): Promise<Table> {
    return this.read({ start: 0, stop: rows, step: null }, options);
  }
}

/** Columns in memory, and their index. As a text it is a table of its first rows. */
export class Table extends Printed {
  /** The labels of the rows. */
  readonly index: Column;
  /** The index's name. */
  readonly indexName: string;
  /** The columns by their names, in order. */
  readonly columns: ReadonlyMap<string, Column>;
  readonly #of: number;

  /** @internal */
  constructor(index: Column, indexName: string, columns: ReadonlyMap<string, Column>, of: number) {
    super();
    this.index = index;
    this.indexName = indexName;
    this.columns = columns;
    this.#of = of;
  }

  /** How many rows there are. */
  get length(): number {
    return this.index.length;
  }

  override toString(): string {
    return tableText(this.index, this.indexName, this.columns, this.#of);
  }
}

/** @internal Opens a data frame; of one that is an array of structs, `categoriesOf` finds a column's categories. */
export async function openFrame(
  node: Node,
  signal: AbortSignal | undefined,
  categoriesOf?: (name: string) => ColumnElement | undefined,
): Promise<DataFrame> {
  const { path, attrs } = node;
  if (node.kind === "array") return recordFrame(node, categoriesOf);
  const { type } = knownEncoding(node);
  if (type !== "dataframe") throw invalid(path, `encoding-type is ${JSON.stringify(type)} where a dataframe is needed`);
  const columns = names(path, attrs["column-order"], "column-order");
  for (const name of columns) memberPath(node, name, "column-order");
  const name = memberPath(node, attrs._index, "_index");
  const index = await openColumn(await member(node, name, "index", signal), node, signal);
  const open: OpenColumn = async (column, signal) =>
    openColumn(await member(node, column, "column", signal), node, signal);
  return new DataFrame(node, columns, name, index, open);
}

/** A data frame of anndata before 0.7: its first field is the index. */
function recordFrame(node: ZarrArray, categoriesOf?: (name: string) => ColumnElement | undefined): DataFrame {
  const array = checkVector(node);
  const fields = array.type.fields?.map((field) => field.name);
  const [indexName, ...columns] = fields ?? [];
  if (indexName === undefined) throw invalid(array.path, "it is no array of structs where a dataframe is needed");
  const column = (name: string) => new FieldColumn(array, name, categoriesOf?.(name));
  return new DataFrame(array, columns, indexName, new FieldColumn(array, indexName), async (name) => column(name));
}

import type { ZarrArray } from "../api/array.js";
import type { Selector } from "../api/selection.js";
import { InvalidSelectionError } from "../errors.js";
import { checked, someNames } from "../shared/arguments.js";
import { Printed } from "../shared/printed.js";
import { type Column, type ColumnElement, FieldColumn, openColumn } from "./columns.js";
import { checkVector, invalid, knownEncoding, member, memberPath, type Node, names } from "./encoding.js";
import { tableText } from "./printing.js";
import { type ReadSettings, sharing } from "./settings.js";

/** Opens a column of a frame by name. */
type OpenColumn = (name: string, signal: AbortSignal | undefined) => Promise<ColumnElement>;

/**
 * A data frame (file format, "DataFrames"), also in older forms. The list of columns is known;
 * columns are read one by one, whole or in part.
 */
export class DataFrame extends Printed {
  /** The kind. */
  readonly kind = "dataframe";
  /** The path. */
  readonly path: string;
  /** The group, or the array of structs in stores of anndata before 0.7. */
  readonly node: Node;
  /** The names of the columns, in order. */
  readonly columns: readonly string[];
  /** The name of the index; `"_index"` if it has none. */
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

  /** The number of rows. */
  get length(): number {
    return this.#index.length;
  }

  /** The numbers of rows and columns. */
  get shape(): [rows: number, columns: number] {
    return [this.length, this.columns.length];
  }

  override toString(): string {
    const { path, length, columns } = this;
    return `<DataFrame ${path} rows=${length} columns=(${columns.join(", ")})>`;
  }

  /** Reads some or all rows of the index. Rejects like {@link column}. */
  index(rows?: Selector, options: ReadSettings = {}): Promise<Column> {
    return this.#index.get(rows, options);
  }

  /**
   * Opens a column without reading it.
   *
   * @throws `InvalidSelectionError` for a name not in {@link columns}.
   * @throws `InvalidMetadataError` if its length differs from the index.
   * @throws `UnsupportedError` for an unknown encoding.
   */
  async openColumn(name: string, options: { signal?: AbortSignal | undefined } = {}): Promise<ColumnElement> {
    const { signal } = checked("openColumn", options);
    if (!this.columns.includes(name)) {
      throw new InvalidSelectionError(`${this.path} has no column ${JSON.stringify(name)}`, { path: this.path });
    }
    const column = await this.#open(name, signal);
    if (column.length !== this.length) {
      throw invalid(
        this.path,
        `column ${JSON.stringify(name)} has ${column.length} rows, but the index has ${this.length}`,
      );
    }
    return column;
  }

  /**
   * Reads a whole column, or the rows that an index, a range, a list or a mask selects. Rejects
   * like {@link openColumn} and array reads.
   *
   * @example
   * const { categories, data, values } = await adata.obs.column("cell_type", slice(0, 100));
   */
  async column(name: string, rows?: Selector, options: ReadSettings = {}): Promise<Column> {
    const read = sharing("column", options)();
    const column = await this.openColumn(name, { signal: read.signal });
    return column.get(rows, read);
  }

  /**
   * Reads rows of the given columns, by default all, together with the index. Rejects like
   * {@link column}.
   */
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

  /** Reads the first rows, for display with {@link Table.toString}. */
  head(rows = 5, options: ReadSettings & { columns?: readonly string[] | undefined } = {}): Promise<Table> {
    return this.read({ start: 0, stop: rows, step: null }, options);
  }
}

/** Columns in memory with their index. `toString` formats the first rows. */
export class Table extends Printed {
  /** The row labels. */
  readonly index: Column;
  /** The name of the index. */
  readonly indexName: string;
  /** The columns by name, in order. */
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

  /** The number of rows. */
  get length(): number {
    return this.index.length;
  }

  override toString(): string {
    return tableText(this.index, this.indexName, this.columns, this.#of);
  }
}

/**
 * @internal Opens a data frame. `categoriesOf` finds the categories of a column in an array of
 * structs.
 */
export async function openFrame(
  node: Node,
  signal: AbortSignal | undefined,
  categoriesOf?: (name: string) => ColumnElement | undefined,
): Promise<DataFrame> {
  const { path, attrs } = node;
  if (node.kind === "array") return recordFrame(node, categoriesOf);
  const { type } = knownEncoding(node);
  if (type !== "dataframe") throw invalid(path, `encoding-type is ${JSON.stringify(type)}, but must be a dataframe`);
  const columns = names(path, attrs["column-order"], "column-order");
  for (const name of columns) memberPath(node, name, "column-order");
  const name = memberPath(node, attrs._index, "_index");
  const index = await openColumn(await member(node, name, "index", signal), node, signal);
  const open: OpenColumn = async (column, signal) =>
    openColumn(await member(node, column, "column", signal), node, signal);
  return new DataFrame(node, columns, name, index, open);
}

/** Opens a data frame of anndata before 0.7. The first field is the index. */
function recordFrame(node: ZarrArray, categoriesOf?: (name: string) => ColumnElement | undefined): DataFrame {
  const array = checkVector(node);
  const fields = array.type.fields?.map((field) => field.name);
  const [indexName, ...columns] = fields ?? [];
  if (indexName === undefined) throw invalid(array.path, "it is not an array of structs, as a data frame must be");
  const column = (name: string) => new FieldColumn(array, name, categoriesOf?.(name));
  return new DataFrame(array, columns, indexName, new FieldColumn(array, indexName), async (name) => column(name));
}

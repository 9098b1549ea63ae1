// The part of a table that is here: pages of rows and columns, read when they are seen.

/** A table that is read in parts. */
export interface TableSource {
  /** What it is, for assistive technology. */
  readonly name: string;
  /** How many rows there are. */
  readonly length: number;
  /** The columns. */
  readonly columns: readonly TableSourceColumn[];
  /** The name of a row, where rows have other names than their numbers. */
  rowName?(row: number): string;
  /** Reads columns, by their positions, of rows `[start, stop)`: a text for each, `null` where it is missing, row by row. */
  rows(
    start: number,
    stop: number,
    columns: readonly number[],
    signal: AbortSignal,
  ): Promise<readonly (readonly (string | null)[])[]>;
}

/** A column of a {@link TableSource}. */
export interface TableSourceColumn {
  /** Its name. */
  readonly name: string;
  /** Units and the like, below the name; `""` where nothing is said. */
  readonly note?: string;
  /** Whether its texts are numbers, which stand at the right. */
  readonly numeric?: boolean;
}

/** What {@link Pages} tells. */
interface PagesEvents {
  /** A page came, or went. */
  changed(): void;
  /** A page could not be read. */
  failed(error: unknown): void;
}

/** Rows and columns of a page. */
const pageRows = 128;
const pageColumns = 32;

/** Pages that are kept. */
const kept = 256;

interface Page {
  readonly start: number;
  readonly stop: number;
  readonly columns: readonly number[];
}

/** Reads the pages that are wanted, and keeps some of those that were. */
export class Pages {
  readonly #source: TableSource;
  readonly #events: PagesEvents;
  /** In the order of their use, the latest last. */
  readonly #here = new Map<string, readonly (readonly (string | null)[])[]>();
  readonly #underWay = new Map<string, AbortController>();
  readonly #failed = new Map<string, unknown>();
  #wanted = new Map<string, Page>();
  #closed = false;

  constructor(source: TableSource, events: PagesEvents) {
    this.#source = source;
    this.#events = events;
  }

  /** A text; null where it is missing, undefined while it is not here. */
  cell(row: number, column: number): string | null | undefined {
    const page = this.#here.get(keyOf(row, column));
    return page?.[row % pageRows]?.[column % pageColumns];
  }

  /** Whether a cell could not be read. */
  broken(row: number, column: number): boolean {
    return this.#failed.has(keyOf(row, column));
  }

  /** Why a wanted page could not be read; undefined where all could. */
  get failure(): unknown {
    return this.#failed.values().next().value;
  }

  /** Whether pages are under way. */
  get busy(): boolean {
    return this.#underWay.size > 0;
  }

  /** Says which rows and columns are seen. What else is under way is aborted, what failed and is no longer seen may be tried again. */
  want(firstRow: number, stopRow: number, firstColumn: number, stopColumn: number): void {
    const wanted = new Map<string, Page>();
    const { length, columns } = this.#source;
    for (let start = firstRow - (firstRow % pageRows); start < Math.min(stopRow, length); start += pageRows) {
      for (
        let c = firstColumn - (firstColumn % pageColumns);
        c < Math.min(stopColumn, columns.length);
        c += pageColumns
      ) {
        const some = Array.from({ length: Math.min(pageColumns, columns.length - c) }, (_, i) => c + i);
        wanted.set(keyOf(start, c), { start, stop: Math.min(length, start + pageRows), columns: some });
      }
    }
    this.#wanted = wanted;
    for (const [key, reading] of this.#underWay) {
      if (wanted.has(key)) continue;
      this.#underWay.delete(key);
      reading.abort();
    }
    for (const key of this.#failed.keys()) if (!wanted.has(key)) this.#failed.delete(key);
    for (const [key, page] of wanted) {
      const here = this.#here.get(key);
      if (here) {
        this.#here.delete(key);
        this.#here.set(key, here);
      } else if (!this.#underWay.has(key) && !this.#failed.has(key)) void this.#read(key, page);
    }
  }

  /** Tries again what could not be read. */
  retry(): void {
    const again = [...this.#failed.keys()];
    this.#failed.clear();
    for (const key of again) {
      const page = this.#wanted.get(key);
      if (page) void this.#read(key, page);
    }
    this.#events.changed();
  }

  /** Reads rows for a copy: what is here is taken from there. Rejects as the source does. */
  async read(
    start: number,
    stop: number,
    columns: readonly number[],
    signal: AbortSignal,
  ): Promise<(string | null)[][]> {
    const all: (string | null | undefined)[][] = [];
    for (let row = start; row < stop; row++) all.push(columns.map((column) => this.cell(row, column)));
    if (all.every((cells) => cells.every((cell) => cell !== undefined))) return all as (string | null)[][];
    const rows = await this.#source.rows(start, stop, columns, signal);
    return rows.map((row) => [...row]);
  }

  /** Ends all reads. */
  close(): void {
    this.#closed = true;
    for (const reading of this.#underWay.values()) reading.abort();
    this.#underWay.clear();
  }

  async #read(key: string, { start, stop, columns }: Page): Promise<void> {
    const reading = new AbortController();
    this.#underWay.set(key, reading);
    const current = (): boolean => !this.#closed && this.#underWay.get(key) === reading;
    try {
      const rows = await this.#source.rows(start, stop, columns, reading.signal);
      if (!current()) return;
      this.#here.set(key, rows);
      for (const old of this.#here.keys()) {
        if (this.#here.size <= kept) break;
        if (!this.#wanted.has(old)) this.#here.delete(old);
      }
    } catch (error) {
      if (!current()) return;
      this.#failed.set(key, error);
      this.#events.failed(error);
    } finally {
      if (current()) {
        this.#underWay.delete(key);
        this.#events.changed();
      }
    }
  }
}

function keyOf(row: number, column: number): string {
  return `${Math.floor(row / pageRows)} ${Math.floor(column / pageColumns)}`;
}

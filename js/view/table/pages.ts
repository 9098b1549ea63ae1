// The loaded part of a table. Pages of rows and columns are read when they become visible.

/** A table that is read in parts. */
export interface TableSource {
  /** A description for assistive technology. */
  readonly name: string;
  /** The number of rows. */
  readonly length: number;
  /** The columns. */
  readonly columns: readonly TableSourceColumn[];
  /** Returns the name of a row, if rows have names other than their numbers. */
  rowName?(row: number): string;
  /**
   * Reads columns, by their positions, of rows `[start, stop)`. Returns texts row by row; `null`
   * means missing.
   */
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
  /** Units or another note below the name; `""` if there is none. */
  readonly note?: string;
  /** Whether its texts are numbers, which are aligned right. */
  readonly numeric?: boolean;
}

/** Events of {@link Pages}. */
interface PagesEvents {
  /** A page arrived or was dropped. */
  changed(): void;
  /** A page failed to load. */
  failed(error: unknown): void;
}

/** The size of a page. */
const pageRows = 128;
const pageColumns = 32;

/** The largest number of kept pages. */
const kept = 256;

interface Page {
  readonly start: number;
  readonly stop: number;
  readonly columns: readonly number[];
}

/** Reads the wanted pages, and keeps some of the earlier ones. */
export class Pages {
  readonly #source: TableSource;
  readonly #events: PagesEvents;
  /** In order of use, the latest last. */
  readonly #here = new Map<string, readonly (readonly (string | null)[])[]>();
  readonly #underWay = new Map<string, AbortController>();
  readonly #failed = new Map<string, unknown>();
  #wanted = new Map<string, Page>();
  #closed = false;

  constructor(source: TableSource, events: PagesEvents) {
    this.#source = source;
    this.#events = events;
  }

  /** Returns a text; null if it is missing, undefined if it is not loaded. */
  cell(row: number, column: number): string | null | undefined {
    const page = this.#here.get(keyOf(row, column));
    return page?.[row % pageRows]?.[column % pageColumns];
  }

  /** Reports whether a cell failed to load. */
  broken(row: number, column: number): boolean {
    return this.#failed.has(keyOf(row, column));
  }

  /** The error of a wanted page; undefined if there is none. */
  get failure(): unknown {
    return this.#failed.values().next().value;
  }

  /** Whether pages are being read. */
  get busy(): boolean {
    return this.#underWay.size > 0;
  }

  /**
   * Sets the visible rows and columns. Aborts other reads, and forgets failures outside, so that
   * these pages can be read again.
   */
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

  /** Retries failed pages. */
  retry(): void {
    const again = [...this.#failed.keys()];
    this.#failed.clear();
    for (const key of again) {
      const page = this.#wanted.get(key);
      if (page) void this.#read(key, page);
    }
    this.#events.changed();
  }

  /** Reads rows for a copy, from loaded pages if possible. Rejects like the source. */
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

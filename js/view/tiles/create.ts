import type { Field, Packing } from "../../describe/field.js";
import { ViewWorker } from "../worker/viewworker.js";
import type { Rectangle } from "./grid.js";
import { type Address, addressOf, keyOf, nothing, type Picture, Plan, type Slice, tileCount, tilesOf } from "./plan.js";
import { type Kept, TileReader } from "./reader.js";
import { statisticsOf } from "./statistics.js";
import type { Cost, Statistics, Tile, Tiles, TilesEvents, TilesOptions, Wanted } from "./tiles.js";

/** A requested tile. */
interface Need {
  readonly address: Address;
  readonly priority: number;
}

/** The largest number of elements of the coarsest level in statistics. */
const surveyed = 2 ** 22;
/** The largest number of chunks read for statistics, unless more are in view. */
const surveyedChunks = 64;
/** The number of coarse tiles that are requested first if no tile is available. */
const firstPaint = 2;
/** Creates the tiles of a field. */
export function createTiles(field: Field, events: TilesEvents, options: TilesOptions = {}): Tiles {
  return new FieldTiles(field, events, options);
}

class FieldTiles implements Tiles {
  readonly #field: Field;
  readonly #events: TilesEvents;
  readonly #budget: number;
  readonly #reads: number;
  readonly #worker = new ViewWorker();
  readonly #plan: Plan;
  readonly #reader: TileReader;
  /** Available tiles, the least recently used first. */
  readonly #kept = new Map<string, Kept>();
  readonly #running = new Map<string, AbortController>();
  readonly #failed = new Map<string, unknown>();
  /** Tiles that statistics wait for. */
  readonly #pinned = new Map<string, Waiting>();
  #bytes = 0;
  #wanted: Wanted | undefined;
  #picture: Picture = nothing;
  #needs = new Map<string, Need>();
  #queue: Need[] = [];
  #ready: readonly Tile[] | undefined;
  #told = false;
  #closed = false;

  constructor(field: Field, events: TilesEvents, options: TilesOptions) {
    this.#field = field;
    this.#events = events;
    this.#budget = options.bytes ?? 256 * 2 ** 20;
    this.#reads = Math.max(1, options.reads ?? 16);
    this.#plan = new Plan(field);
    this.#reader = new TileReader(field, this.#plan, this.#worker, options);
  }

  get level(): number {
    return this.#picture.level;
  }

  get complete(): boolean {
    const { tiles, cut } = this.#picture;
    return !cut && tiles.every(({ key }) => this.#kept.has(key));
  }

  get busy(): boolean {
    return this.#picture.tiles.some(({ key }) => !this.#kept.has(key) && !this.#failed.has(key));
  }

  get progress(): { done: number; total: number } {
    let done = 0;
    for (const { key, slice, column, row } of this.#picture.tiles) {
      if (this.#kept.has(key)) done += slice.grid.chunks(column, row);
    }
    const { tiles, cut, chunks } = this.#picture;
    const total = cut ? chunks : tiles.reduce((sum, { slice, column, row }) => sum + slice.grid.chunks(column, row), 0);
    return { done, total };
  }

  cost(wanted: Wanted): Cost {
    return this.#plan.cost(wanted, (key) => this.#kept.has(key));
  }

  get packing(): Packing {
    return this.#reader.packing;
  }

  want(wanted: Wanted): void {
    if (this.#closed) return;
    const before = this.ready();
    const inView = new Set(this.#picture.tiles.map(({ key }) => key));
    this.#wanted = wanted;
    this.#picture = this.#plan.pictureOf(wanted, this.#plan.levelFor(wanted));
    const { level, tiles, slices } = this.#picture;
    // A failed tile that comes into view is read again, and reports its error there.
    for (const { key } of tiles) if (!inView.has(key)) this.#failed.delete(key);
    const visible = tiles.map((address) => ({ address, priority: 2 }));
    const last = this.#field.levels.length - 1;
    const coarse = level < last ? this.#plan.pictureOf(wanted, last).tiles : [];
    const below = coarse.map((address) => ({ address, priority: 1 }));
    const blank = !tiles.some(({ key }) => this.#kept.has(key)) && below.length <= firstPaint * slices.length;
    const needs = blank
      ? [...below.map((need) => ({ ...need, priority: 3 })), ...visible]
      : [...visible, ...(below.length <= tiles.length ? below : [])];
    for (const address of this.#plan.ahead(wanted, level)) needs.push({ address, priority: -1 });
    this.#needs = new Map();
    for (const need of needs) if (!this.#needs.has(need.address.key)) this.#needs.set(need.address.key, need);
    for (const key of this.#running.keys()) {
      if (!this.#needs.has(key) && !this.#pinned.has(key)) this.#abort(key);
    }
    for (const key of this.#needs.keys()) this.#touch(key);
    this.#fill();
    this.#ready = undefined;
    const now = this.ready();
    if (now.length !== before.length || now.some((tile, k) => tile !== before[k])) this.#changed();
  }

  /** Queues all needed tiles that are not available, and starts reads. */
  #fill(): void {
    const pinned = [...this.#pinned.values()].map(({ need }) => need);
    this.#queue = [...this.#needs.values(), ...pinned].filter(({ address }) => this.#missing(address.key)).reverse();
    this.#start();
  }

  #missing(key: string): boolean {
    return !this.#kept.has(key) && !this.#running.has(key) && !this.#failed.has(key);
  }

  #start(): void {
    while (this.#running.size < this.#reads) {
      const need = this.#queue.pop();
      if (!need) return;
      if (!this.#missing(need.address.key)) continue;
      this.#read(need);
      const { slice, column, row } = need.address;
      if (!slice.grid.parted) continue;
      // Parts of one chunk are read together, so that the chunk is fetched and decoded once.
      const chunk = slice.grid.chunkOf(column, row);
      for (const other of this.#queue) {
        const { slice: its, column: c, row: r } = other.address;
        if (its.name === slice.name && its.grid.chunkOf(c, r) === chunk && this.#missing(other.address.key)) {
          this.#read(other);
        }
      }
    }
  }

  #read({ address, priority }: Need): void {
    const { key } = address;
    const controller = new AbortController();
    this.#running.set(key, controller);
    const mine = () => this.#running.get(key) === controller;
    const end = () => {
      this.#running.delete(key);
      this.#pinned.delete(key);
      this.#start();
      this.#changed();
    };
    this.#reader.read(address, priority, controller.signal).then(
      (kept) => {
        if (!mine()) return;
        const waiting = this.#pinned.get(key);
        this.#keep(key, kept);
        end();
        waiting?.resolve(kept);
      },
      (error: unknown) => {
        if (!mine()) return;
        const waiting = this.#pinned.get(key);
        this.#failed.set(key, error);
        end();
        waiting?.reject(error);
        if (this.#picture.tiles.some((tile) => tile.key === key)) this.#events.failed(error);
      },
    );
  }

  #keep(key: string, kept: Kept): void {
    this.#kept.set(key, kept);
    this.#bytes += kept.bytes;
    for (const [old, { bytes }] of this.#kept) {
      if (this.#bytes <= this.#budget) return;
      if (this.#needs.has(old) || old === key) continue;
      this.#kept.delete(old);
      this.#bytes -= bytes;
    }
  }

  /** Marks a tile as the last used. */
  #touch(key: string): void {
    const kept = this.#kept.get(key);
    if (!kept) return;
    this.#kept.delete(key);
    this.#kept.set(key, kept);
  }

  ready(): readonly Tile[] {
    this.#ready ??= this.#look();
    return this.#ready;
  }

  #look(): Tile[] {
    const { tiles, level } = this.#picture;
    const wanted = this.#wanted;
    if (!wanted) return [];
    const others = new Map<string, Tile>();
    const own: Tile[] = [];
    for (const { key, slice, column, row } of tiles) {
      const kept = this.#kept.get(key);
      if (kept) own.push(kept.tile);
      else this.#fillHole(wanted, slice, slice.grid.rectangleOf(column, row), others);
    }
    const below = [...others.values()].sort((a, b) => b.level - a.level);
    // Finer tiles lie over coarser ones, and the tiles of the level over all others.
    return [...below, ...own.filter((tile) => tile.level === level)];
  }

  /** Fills a missing tile from other levels. */
  #fillHole(wanted: Wanted, { level, channel }: Slice, hole: Rectangle, found: Map<string, Tile>): void {
    for (let k = this.#field.levels.length - 1; k >= 0; k--) {
      if (k === level) continue;
      const slice = this.#plan.slice(wanted, k, channel);
      const range = slice.grid.meeting(hole);
      if (tileCount(range) > 64) continue;
      for (const [column, row] of tilesOf(range)) {
        const kept = this.#kept.get(keyOf(slice, column, row));
        if (kept) found.set(kept.tile.key, kept.tile);
      }
    }
  }

  async statistics(channel: number, signal?: AbortSignal): Promise<Statistics> {
    signal?.throwIfAborted();
    const wanted = this.#wanted;
    if (!wanted || this.#closed) throw closed();
    this.#worker.start(); // while the tiles are read
    const level = this.#field.levels.length - 1;
    const slice = this.#plan.slice(wanted, level, channel);
    const { grid } = slice;
    const few = Math.max(surveyedChunks, this.#picture.chunks);
    const whole = grid.elements <= surveyed && grid.chunksOf(grid.all()) <= few;
    const seen = () => this.#plan.pictureOf({ ...wanted, channels: [channel] }, this.level).tiles.slice(0, 4);
    const addresses = whole ? [...tilesOf(grid.all())].map(([c, r]) => addressOf(slice, c, r)) : seen();
    const here = await Promise.all(addresses.map((address) => this.#await(address, signal)));
    const sources = here.map(({ numbers, layout }) => ({ source: numbers, layout }));
    const found = await this.#worker.do({ task: "survey", sources, meaning: this.#reader.meaning });
    signal?.throwIfAborted();
    return statisticsOf(found, whole);
  }

  /** Returns a tile once it is available. */
  #await(address: Address, signal: AbortSignal | undefined): Promise<Kept> {
    const { key } = address;
    const kept = this.#kept.get(key);
    if (kept) return Promise.resolve(kept);
    if (this.#failed.has(key)) return Promise.reject(this.#failed.get(key));
    const waiting = this.#pinned.get(key) ?? waitingFor({ address, priority: 1 });
    waiting.count++;
    this.#pinned.set(key, waiting);
    this.#fill();
    if (!signal) return waiting.kept;
    return new Promise((resolve, reject) => {
      const abort = () => {
        reject(signal.reason);
        if (--waiting.count > 0 || this.#pinned.get(key) !== waiting) return;
        this.#pinned.delete(key);
        if (!this.#needs.has(key)) this.#abort(key);
      };
      signal.addEventListener("abort", abort, { once: true });
      waiting.kept.then(resolve, reject).finally(() => signal.removeEventListener("abort", abort));
    });
  }

  #abort(key: string): void {
    this.#running.get(key)?.abort();
    this.#running.delete(key);
  }

  value(x: number, y: number, channel: number): { value: unknown; level: number } | undefined {
    const wanted = this.#wanted;
    if (!wanted) return undefined;
    const { level } = this.#picture;
    const { length } = this.#field.levels;
    // The order is the level itself, then finer ones, then coarser ones.
    const order = [...Array.from({ length: level + 1 }, (_, k) => level - k)];
    for (let k = level + 1; k < length; k++) order.push(k);
    for (const k of order) {
      const slice = this.#plan.slice(wanted, k, channel);
      const at = slice.grid.at(x, y);
      const kept = at && this.#kept.get(keyOf(slice, at.column, at.row));
      if (kept) return { value: kept.tile.value(at.x, at.y), level: k };
    }
    return undefined;
  }

  retry(): void {
    this.#failed.clear();
    this.#fill();
    this.#changed();
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    for (const controller of this.#running.values()) controller.abort();
    for (const { reject } of this.#pinned.values()) reject(closed());
    this.#running.clear();
    this.#pinned.clear();
    this.#kept.clear();
    this.#failed.clear();
    this.#needs.clear();
    this.#queue = [];
    this.#bytes = 0;
    this.#wanted = undefined;
    this.#picture = nothing;
    this.#ready = undefined;
    this.#worker.close();
  }

  /** Reports changes, once per task. */
  #changed(): void {
    this.#ready = undefined;
    if (this.#told || this.#closed) return;
    this.#told = true;
    queueMicrotask(() => {
      this.#told = false;
      if (!this.#closed) this.#events.changed();
    });
  }
}

/** A tile that statistics wait for. */
interface Waiting {
  readonly need: Need;
  readonly kept: Promise<Kept>;
  /** The number of waiting statistics. */
  count: number;
  resolve(kept: Kept): void;
  reject(error: unknown): void;
}

function waitingFor(need: Need): Waiting {
  let resolve: Waiting["resolve"] = () => {};
  let reject: Waiting["reject"] = () => {};
  const kept = new Promise<Kept>((yes, no) => {
    resolve = yes;
    reject = no;
  });
  kept.catch(() => {}); // the waiting statistics receive the error
  return { need, kept, count: 0, resolve, reject };
}

const closed = () => new DOMException("the view was closed", "AbortError");

import type { ZarrArray } from "../../api/array.js";
import type { AnyData, Chunk, Columns, DataType } from "../../data/types.js";
import type { Field, FieldLevel, Packing } from "../../describe/field.js";
import type { Pixels } from "../paint/painter.js";
import type { Layout, Meaning, Numbers, Prepare, Prepared } from "../worker/tasks.js";
import { Stopped, ViewWorker } from "../worker/viewworker.js";
import { drawnMember, drawnType, elementAt, formOf, gathered, numbersOf, sameType, takenFor } from "./elements.js";
import { type Rectangle, TileGrid, type TileRange } from "./grid.js";
import { statisticsOf } from "./statistics.js";
import type { Cost, Statistics, Tile, Tiles, TilesEvents, TilesOptions, Wanted } from "./tiles.js";

/** A tile that may be read: where it is, and which elements of the other axes. */
interface Address {
  readonly key: string;
  readonly slice: Slice;
  readonly column: number;
  readonly row: number;
}

/** A plane of one level at some indices. */
interface Slice {
  /** Names it; keys of its tiles begin so. */
  readonly name: string;
  readonly level: number;
  readonly x: number;
  readonly y: number | null;
  readonly channel: number;
  /** The index of each axis, in elements of the level. */
  readonly indices: readonly number[];
  readonly grid: TileGrid;
}

/** A tile that is here. */
interface Kept {
  readonly tile: Tile;
  readonly bytes: number;
  readonly numbers: Numbers;
  readonly layout: Layout;
}

/** Pixels, and where the exact elements are. */
interface Made {
  readonly data: Pixels["data"];
  readonly numbers: Numbers;
  readonly exact: AnyData;
  readonly lies: Layout;
}

/** A tile that is asked for. */
interface Need {
  readonly address: Address;
  readonly priority: number;
}

/** The most tiles that are looked at for one picture: those nearest to its middle. */
const most = 4096;
/** Elements of the coarsest level that are looked at for statistics. */
const surveyed = 2 ** 22;
/** How many steps are read ahead, and how many tiles. */
const ahead = { steps: 4, tiles: 16 };
/** Coarse tiles that are asked for first where nothing is here. */
const firstPaint = 2;
/** Levels are made by halving, and what remains of odd lengths makes their factors a little larger. */
const tolerance = 1.03;

/** Makes the tiles of a field. */
export function createTiles(field: Field, events: TilesEvents, options: TilesOptions = {}): Tiles {
  return new FieldTiles(field, events, options);
}

class FieldTiles implements Tiles {
  readonly #field: Field;
  readonly #events: TilesEvents;
  readonly #budget: number;
  readonly #reads: number;
  readonly #meaning: Meaning;
  readonly #member: string | undefined;
  readonly #worker = new ViewWorker();
  readonly #grids = new Map<string, TileGrid>();
  /** What is here, what was not used for the longest first. */
  readonly #kept = new Map<string, Kept>();
  readonly #running = new Map<string, AbortController>();
  readonly #failed = new Map<string, unknown>();
  /** What statistics wait for. */
  readonly #pinned = new Map<string, Waiting>();
  #bytes = 0;
  #wanted: Wanted | undefined;
  #picture: Picture = nothing;
  #needs = new Map<string, Need>();
  #queue: Need[] = [];
  #ready: readonly Tile[] | undefined;
  #base: number | undefined;
  #choosing: Promise<void> | undefined;
  #told = false;
  #closed = false;

  constructor(field: Field, events: TilesEvents, { bytes, reads, member, part }: TilesOptions) {
    this.#field = field;
    this.#events = events;
    this.#budget = bytes ?? 256 * 2 ** 20;
    this.#reads = Math.max(1, reads ?? 16);
    const { type } = first(field).array;
    this.#member = drawnMember(type, member);
    const { kind } = drawnType(type, this.#member);
    const complex = kind === "complex" ? (part ?? "magnitude") : null;
    this.#meaning = { complex, time: kind === "datetime" || kind === "timedelta", packing: field.packing };
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

  get packing(): Packing {
    const { packing } = this.#field;
    const type = drawnType(first(this.#field).array.type, this.#member);
    // The pixels are of the type already that integers are taken for.
    if (formOf(type, this.#isLabels) !== "float") return { ...packing, type: null };
    const { scale, offset } = packing;
    return { scale, offset: offset + (this.#base ?? 0) * scale, missing: [], valid: null };
  }

  get #isLabels(): boolean {
    return this.#field.labels || this.#field.values === "category";
  }

  /** How many numbers a pixel has, by the length of the axis of colours. */
  #parts({ x, y }: { x: number; y: number | null }): 1 | 3 | 4 {
    const { colourAxis, axes } = this.#field;
    if (colourAxis === null || colourAxis === x || colourAxis === y) return 1;
    const length = axes[colourAxis]?.length;
    return length === 3 || length === 4 ? length : 1;
  }

  #grid(level: number, x: number, y: number | null): TileGrid {
    const name = `${level}/${x}/${y}`;
    let grid = this.#grids.get(name);
    if (!grid) {
      grid = new TileGrid(this.#field.levels[level] as FieldLevel, x, y);
      this.#grids.set(name, grid);
    }
    return grid;
  }

  #slice({ x, y, indices }: Pick<Wanted, "x" | "y" | "indices">, level: number, channel: number): Slice {
    const { array, factor, start } = this.#field.levels[level] as FieldLevel;
    const coloured = this.#parts({ x, y }) > 1;
    const at = array.shape.map((length, axis) => {
      if (axis === x || axis === y || (coloured && axis === this.#field.colourAxis)) return 0;
      const finest = axis === this.#field.channels?.axis ? channel : (indices[axis] ?? 0);
      const index = Math.floor((finest + 0.5 - (start[axis] ?? 0)) / (factor[axis] ?? 1));
      return Math.min(Math.max(index, 0), length - 1);
    });
    const name = `${level}/${x},${y}/${at.join(",")}/`;
    return { name, level, x, y, channel, indices: at, grid: this.#grid(level, x, y) };
  }

  #slices(wanted: Wanted, level: number): Slice[] {
    const { channels } = this.#field;
    // Without an axis of channels there is one picture.
    const drawn = channels && channels.axis !== wanted.x && channels.axis !== wanted.y ? wanted.channels : [0];
    return drawn.map((channel) => this.#slice(wanted, level, channel));
  }

  /** The coarsest level whose elements are no larger than a device pixel. */
  #levelFor({ x, y, perPixelX, perPixelY, level }: Wanted): number {
    const { levels } = this.#field;
    if (level !== undefined) return Math.min(Math.max(0, Math.trunc(level)), levels.length - 1);
    for (let k = levels.length - 1; k > 0; k--) {
      const { factor } = levels[k] as FieldLevel;
      const fits = (axis: number | null, perPixel: number) =>
        axis === null || (factor[axis] ?? 1) <= Math.max(1, perPixel * tolerance);
      if (fits(x, perPixelX) && fits(y, perPixelY)) return k;
    }
    return 0;
  }

  /** What is on screen of a level: the tiles, from the middle, or those nearest to it where there are too many. */
  #pictureOf(wanted: Wanted, level: number): Picture {
    const tiles: { address: Address; distance: number }[] = [];
    const slices = this.#slices(wanted, level);
    const grid = this.#grid(level, wanted.x, wanted.y);
    const range = grid.meeting(wanted);
    const seen = countOf(range);
    const chunks = grid.chunksOf(range) * slices.length;
    const inside = seen * slices.length > most ? nearest(range, Math.floor(most / slices.length)) : range;
    const middleX = (wanted.left + wanted.right) / 2;
    const middleY = (wanted.top + wanted.bottom) / 2;
    for (const [column, row] of tilesOf(inside)) {
      const { left, top, right, bottom } = grid.rectangleOf(column, row);
      const distance = Math.hypot((left + right) / 2 - middleX, wanted.y === null ? 0 : (top + bottom) / 2 - middleY);
      for (const slice of slices) tiles.push({ address: addressOf(slice, column, row), distance });
    }
    tiles.sort((a, b) => a.distance - b.distance);
    return { level, slices, tiles: tiles.map(({ address }) => address), chunks, cut: inside !== range };
  }

  cost(wanted: Wanted): Cost {
    const level = this.#levelFor(wanted);
    const { array } = this.#field.levels[level] as FieldLevel;
    const picture = this.#pictureOf(wanted, level);
    // Channels of one chunk come together.
    const { channels } = this.#field;
    const deep = channels ? Math.max(1, array.chunks[channels.axis] ?? 1) : 1;
    const groups = new Map<number, Slice[]>();
    for (const slice of picture.slices) {
      const group = channels ? Math.floor((slice.indices[channels.axis] ?? 0) / deep) : 0;
      groups.set(group, [...(groups.get(group) ?? []), slice]);
    }
    const { colourAxis } = this.#field;
    const colours =
      colourAxis !== null && this.#parts(wanted) > 1
        ? Math.ceil((array.shape[colourAxis] ?? 1) / Math.max(1, array.chunks[colourAxis] ?? 1))
        : 1;
    let chunks = 0;
    if (picture.cut) chunks = (picture.chunks / picture.slices.length) * groups.size;
    else {
      const parts = new Map<string, number>();
      const { grid } = picture.slices[0] ?? { grid: this.#grid(level, wanted.x, wanted.y) };
      for (const [column, row] of tilesOf(grid.meeting(wanted))) {
        for (const [group, slices] of groups) {
          if (slices.every((slice) => this.#kept.has(keyOf(slice, column, row)))) continue;
          if (grid.parted) parts.set(`${group}/${grid.chunkOf(column, row)}`, grid.chunks(column, row));
          else chunks += grid.chunks(column, row);
        }
      }
      for (const count of parts.values()) chunks += count;
    }
    chunks *= colours;
    const size = array.chunks.reduce((a, b) => a * b, 1) * (array.type.size || 16);
    return { chunks, bytes: chunks * size, level };
  }

  want(wanted: Wanted): void {
    if (this.#closed) return;
    const before = this.ready();
    this.#wanted = wanted;
    this.#picture = this.#pictureOf(wanted, this.#levelFor(wanted));
    const { level, tiles, slices } = this.#picture;
    const visible = tiles.map((address) => ({ address, priority: 2 }));
    const last = this.#field.levels.length - 1;
    const coarse = level < last ? this.#pictureOf(wanted, last).tiles : [];
    const below = coarse.map((address) => ({ address, priority: 1 }));
    const blank = !tiles.some(({ key }) => this.#kept.has(key)) && below.length <= firstPaint * slices.length;
    const needs = blank
      ? [...below.map((need) => ({ ...need, priority: 3 })), ...visible]
      : [...visible, ...(below.length <= tiles.length ? below : [])];
    for (const address of this.#ahead(wanted, level)) needs.push({ address, priority: -1 });
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

  /** What is on screen after the next steps. */
  #ahead(wanted: Wanted, level: number): Address[] {
    const { heading } = wanted;
    if (!heading || heading.step === 0 || heading.axis === wanted.x || heading.axis === wanted.y) return [];
    const { axis, step } = heading;
    const length = this.#field.axes[axis]?.length ?? 0;
    const found: Address[] = [];
    for (let k = 1; k <= ahead.steps; k++) {
      const index = (wanted.indices[axis] ?? 0) + k * step;
      if (index < 0 || index >= length) break;
      const next = { ...wanted, indices: wanted.indices.map((old, d) => (d === axis ? index : old)) };
      const { tiles } = this.#pictureOf(next, level);
      if (k > 1 && found.length + tiles.length > ahead.tiles) break;
      found.push(...tiles.slice(0, ahead.tiles));
    }
    return found;
  }

  /** Queues all that is needed and not here, and begins with it. */
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
      // Parts of one chunk are read at once: it comes and is decoded once for all of them.
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
    this.#load(address, priority, controller.signal).then(
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
        this.#events.failed(error);
      },
    );
  }

  async #load(address: Address, priority: number, signal: AbortSignal): Promise<Kept> {
    for (;;) {
      try {
        return await this.#make(address, priority, signal);
      } catch (error) {
        // The worker took the numbers with it: they are read again. Workers do not break without end, see there.
        if (!(error instanceof Stopped) || this.#closed) throw error;
      }
    }
  }

  async #make(address: Address, priority: number, signal: AbortSignal): Promise<Kept> {
    const { slice, column, row, key } = address;
    const { array } = this.#field.levels[slice.level] as FieldLevel;
    const { x, y, width, height } = slice.grid.elementsOf(column, row);
    const parts = this.#parts(slice);
    const selection = array.shape.map((_, axis) => {
      if (axis === slice.x) return range(x, width);
      if (axis === slice.y) return range(y, height);
      if (parts > 1 && axis === this.#field.colourAxis) return range(0, parts);
      return slice.indices[axis] as number;
    });
    const chunk = (await array.get(selection, { signal, priority })) as Chunk<DataType>;
    const axes = selection.flatMap((one, axis) => (typeof one === "number" ? [] : [axis]));
    const stride = (axis: number | null) => (axis === null ? 0 : (chunk.stride[axes.indexOf(axis)] ?? 0));
    const layout: Layout = {
      width,
      height,
      parts,
      strideX: stride(slice.x),
      strideY: stride(slice.y),
      strideC: parts > 1 ? stride(this.#field.colourAxis) : 0,
    };
    const { data, numbers, exact, lies } = await this.#prepare(array, chunk.data as AnyData, layout, signal);
    signal.throwIfAborted();
    const { type } = array;
    const value = (i: number, j: number) => {
      if (!(i >= 0 && i < width && j >= 0 && j < height)) return undefined;
      const at = j * lies.strideY + i * lies.strideX;
      if (parts === 1) return elementAt(type, exact, at);
      return Array.from({ length: parts }, (_, part) => elementAt(type, exact, at + part * lies.strideC));
    };
    const { left, top, right, bottom } = slice.grid.rectangleOf(column, row);
    const rectangle = { x: left, y: top, width: right - left, height: bottom - top };
    const pixels: Pixels = { width, height, parts, data };
    const tile: Tile = { key, level: slice.level, channel: slice.channel, ...rectangle, pixels, value };
    const bytes = data.byteLength + (numbers.buffer === data.buffer ? 0 : numbers.byteLength);
    return { tile, bytes, numbers, layout: lies };
  }

  /** Makes pixels of what was read, and says where the exact elements are from then on, and how they lie. */
  async #prepare({ type: whole }: ZarrArray, read: AnyData, layout: Layout, signal: AbortSignal): Promise<Made> {
    const member = this.#member;
    const type = drawnType(whole, member);
    const form = formOf(type, this.#isLabels);
    const listed = numbersOf(type, read, member);
    const source = listed ? takenFor(listed, this.#field.packing.type) : await gathered(read, member, signal);
    const { parts, width, height, strideX, strideY, strideC } = layout;
    const inRows = height === 1 || strideY === width * parts;
    const ordered = strideX === parts && inRows && (parts === 1 || strideC === 1);
    if (form === "same" && ordered) {
      return { data: source as Pixels["data"], numbers: source, exact: read, lies: layout };
    }
    const { data, source: back } = await this.#convert({
      task: "prepare",
      source,
      layout,
      meaning: this.#meaning,
      form,
      base: 0,
    });
    if (!listed) return { data, numbers: back, exact: read, lies: layout };
    const stored = sameType(back, listed) as AnyData;
    if (member !== undefined) {
      return { data, numbers: back, exact: { ...(read as Columns), [member]: stored } as Columns, lies: layout };
    }
    if (form !== "same") return { data, numbers: back, exact: stored, lies: layout };
    // In the order of pixels they are as exact as they were.
    const lies: Layout = { ...layout, strideX: parts, strideY: width * parts, strideC: 1 };
    return { data, numbers: data, exact: sameType(data, listed) as AnyData, lies };
  }

  /** Has the worker make pixels. The first of them that are float32 choose the base, which is that of all: the others wait for it. */
  async #convert(task: Prepare): Promise<Prepared> {
    const ask = (base: number | null) => this.#worker.do({ ...task, base }, [task.source.buffer as ArrayBuffer]);
    if (task.form !== "float") return ask(0);
    while (this.#choosing && this.#base === undefined) await this.#choosing;
    if (this.#base !== undefined) return ask(this.#base);
    const asked = ask(null);
    this.#choosing = asked.then(
      ({ base }) => {
        if (base === null) this.#choosing = undefined;
        else this.#base = base;
      },
      () => {
        this.#choosing = undefined;
      },
    );
    return asked;
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

  /** Makes it the one that was used last. */
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
    // A finer tile lies over a coarser one, and all of them below those of the level.
    return [...below, ...own.filter((tile) => tile.level === level)];
  }

  /** Looks for what other levels have where a tile is missing. */
  #fillHole(wanted: Wanted, { level, channel }: Slice, hole: Rectangle, found: Map<string, Tile>): void {
    for (let k = this.#field.levels.length - 1; k >= 0; k--) {
      if (k === level) continue;
      const slice = this.#slice(wanted, k, channel);
      const range = slice.grid.meeting(hole);
      if (countOf(range) > 64) continue;
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
    const level = this.#field.levels.length - 1;
    const slice = this.#slice(wanted, level, channel);
    const whole = slice.grid.elements <= surveyed;
    const seen = () => this.#pictureOf({ ...wanted, channels: [channel] }, this.level).tiles.slice(0, 4);
    const addresses = whole ? [...tilesOf(slice.grid.all())].map(([c, r]) => addressOf(slice, c, r)) : seen();
    const here = await Promise.all(addresses.map((address) => this.#await(address, signal)));
    const sources = here.map(({ numbers, layout }) => ({ source: numbers, layout }));
    const found = await this.#worker.do({ task: "survey", sources, meaning: this.#meaning });
    signal?.throwIfAborted();
    return statisticsOf(found, whole);
  }

  /** A tile, once it is here. */
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
    // The level's own, then finer ones, then coarser ones.
    const order = [...Array.from({ length: level + 1 }, (_, k) => level - k)];
    for (let k = level + 1; k < length; k++) order.push(k);
    for (const k of order) {
      const slice = this.#slice(wanted, k, channel);
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

  /** Tells that something changed, once for all that changes in a task. */
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

/** What is on screen. */
interface Picture {
  readonly level: number;
  readonly slices: readonly Slice[];
  readonly tiles: readonly Address[];
  /** Chunks of all that is on screen. */
  readonly chunks: number;
  /** Whether some of it is left out, because there are too many tiles. */
  readonly cut: boolean;
}

const nothing: Picture = { level: 0, slices: [], tiles: [], chunks: 0, cut: false };

/** A tile that statistics wait for. */
interface Waiting {
  readonly need: Need;
  readonly kept: Promise<Kept>;
  /** How many wait. */
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
  kept.catch(() => {}); // it is told to those that wait
  return { need, kept, count: 0, resolve, reject };
}

const closed = () => new DOMException("the view was closed", "AbortError");
const first = (field: Field) => field.levels[0] as FieldLevel;
const range = (from: number, length: number) => ({ start: from, stop: from + length, step: 1 });
const countOf = ({ left, top, right, bottom }: TileRange) => Math.max(0, right - left) * Math.max(0, bottom - top);
const keyOf = ({ name }: Slice, column: number, row: number) => `${name}${column},${row}`;
const addressOf = (slice: Slice, column: number, row: number): Address => ({
  key: keyOf(slice, column, row),
  slice,
  column,
  row,
});

function* tilesOf({ left, top, right, bottom }: TileRange): Generator<[column: number, row: number]> {
  for (let row = top; row < bottom; row++) for (let column = left; column < right; column++) yield [column, row];
}

/** The middle of a range: about so many tiles. */
function nearest({ left, top, right, bottom }: TileRange, count: number): TileRange {
  const rows = Math.min(bottom - top, Math.max(1, Math.floor(Math.sqrt(count)), Math.floor(count / (right - left))));
  const columns = Math.min(right - left, Math.max(1, Math.floor(count / rows)));
  const l = left + Math.floor((right - left - columns) / 2);
  const t = top + Math.floor((bottom - top - rows) / 2);
  return { left: l, top: t, right: l + columns, bottom: t + rows };
}

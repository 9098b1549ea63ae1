import type { ZarrArray } from "../../api/array.js";
import type { AnyData, Chunk, Columns, DataType } from "../../data/types.js";
import type { Field, FieldLevel, Packing } from "../../describe/field.js";
import type { Pixels } from "../paint/painter.js";
import type { Layout, Meaning, Numbers, Prepare, Prepared } from "../worker/tasks.js";
import { Stopped, type ViewWorker } from "../worker/viewworker.js";
import {
  drawnMember,
  drawnType,
  elementAt,
  formOf,
  gathered,
  type Item,
  joined,
  numbersOf,
  sameType,
  takenFor,
} from "./elements.js";
import type { Address, Plan } from "./plan.js";
import type { Tile, TilesOptions } from "./tiles.js";

/** An available tile. */
export interface Kept {
  readonly tile: Tile;
  readonly bytes: number;
  readonly numbers: Numbers;
  readonly layout: Layout;
}

/** Pixels, and the exact elements with their layout. */
interface Made {
  readonly data: Pixels["data"];
  readonly numbers: Numbers;
  readonly exact: AnyData;
  readonly lies: Layout;
}

/** Reads tiles and converts them to pixels. */
export class TileReader {
  /** The meaning of the stored numbers. */
  readonly meaning: Meaning;
  readonly #field: Field;
  readonly #plan: Plan;
  readonly #worker: ViewWorker;
  readonly #member: string | undefined;
  #base: number | undefined;
  #choosing: Promise<void> | undefined;

  constructor(field: Field, plan: Plan, worker: ViewWorker, { member, part }: TilesOptions) {
    this.#field = field;
    this.#plan = plan;
    this.#worker = worker;
    const { type } = first(field).array;
    this.#member = drawnMember(type, member);
    const { kind } = drawnType(type, this.#member);
    const complex = kind === "complex" ? (part ?? "magnitude") : null;
    this.meaning = { complex, time: kind === "datetime" || kind === "timedelta", packing: field.packing };
  }

  /** The meaning of the pixels' numbers. */
  get packing(): Packing {
    const { packing } = this.#field;
    const type = drawnType(first(this.#field).array.type, this.#member);
    // The pixels already have the type that integers are reinterpreted as.
    if (formOf(type, this.#isLabels) !== "float") return { ...packing, type: null };
    const { scale, offset } = packing;
    return { scale, offset: offset + (this.#base ?? 0) * scale, missing: [], valid: null };
  }

  get #isLabels(): boolean {
    return this.#field.labels || this.#field.values === "category";
  }

  /** Reads a tile. */
  read(address: Address, priority: number, signal: AbortSignal): Promise<Kept> {
    return this.#whole(() => this.#make(address, priority, signal), signal);
  }

  /**
   * Reads a box of a level. Returns its numbers in the order of the array's axes, in the form of
   * pixels. Those of one colour lie side by side.
   */
  box(level: number, selection: Item[], signal: AbortSignal): Promise<Pixels["data"]> {
    return this.#whole(async () => {
      const { array } = this.#field.levels[level] as FieldLevel;
      const { data, shape, stride } = (await array.get(selection, { signal })) as Chunk<DataType>;
      const axes = selection.flatMap((one, axis) => (typeof one === "number" ? [] : [axis]));
      const colours = axes.indexOf(this.#field.colourAxis ?? -1);
      const parts: Layout["parts"] = colours < 0 ? 1 : (shape[colours] as 3 | 4);
      const [layers = 1, rows = 1, width = 1] = shape.filter((_, k) => k !== colours);
      const [deep = 0, strideY = 0, strideX = 0] = stride.filter((_, k) => k !== colours);
      const layout = { width, parts, strideX, strideY, strideC: stride[colours] ?? 0 };
      const prepared = async (part: AnyData, height: number) => {
        const made = await this.#prepare(array, part, { ...layout, height }, signal);
        signal.throwIfAborted();
        return made.data;
      };
      if (deep === rows * strideY) return prepared(data as AnyData, layers * rows);
      // Colours between layers and rows: each layer is a plane of its own.
      const numbers = data as Uint8Array;
      const each = Array.from({ length: layers }, (_, k) =>
        prepared(numbers.slice(k * deep, (k + 1) * deep) as unknown as AnyData, rows),
      );
      return joined(await Promise.all(each));
    }, signal);
  }

  async #whole<T>(run: () => Promise<T>, signal: AbortSignal): Promise<T> {
    for (;;) {
      try {
        return await run();
      } catch (error) {
        // The worker took the numbers with it, so they are read again. This ends, because the page
        // does the work itself after two broken workers.
        if (!(error instanceof Stopped) || signal.aborted) throw error;
      }
    }
  }

  async #make(address: Address, priority: number, signal: AbortSignal): Promise<Kept> {
    const { slice, column, row, key } = address;
    const { array } = this.#field.levels[slice.level] as FieldLevel;
    const { x, y, width, height } = slice.grid.elementsOf(column, row);
    const parts = this.#plan.parts(slice);
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
    const alone = numbers.buffer === data.buffer && this.#member === undefined;
    const bytes = data.byteLength + (alone ? 0 : width * height * parts * type.size);
    return { tile, bytes, numbers, layout: lies };
  }

  /** Converts a read to pixels, and returns the exact elements with their layout. */
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
      meaning: this.meaning,
      form,
      base: 0,
    });
    if (!listed) return { data, numbers: back, exact: read, lies: layout };
    const stored = sameType(back, listed) as AnyData;
    if (member !== undefined) {
      return { data, numbers: back, exact: { ...(read as Columns), [member]: stored } as Columns, lies: layout };
    }
    if (form !== "same") return { data, numbers: back, exact: stored, lies: layout };
    // In pixel order the numbers are still exact.
    const lies: Layout = { ...layout, strideX: parts, strideY: width * parts, strideC: 1 };
    return { data, numbers: data, exact: sameType(data, listed) as AnyData, lies };
  }

  /**
   * Converts numbers in the worker. The first float32 pixels choose the base for all, and others
   * wait for it.
   */
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
}

const first = (field: Field) => field.levels[0] as FieldLevel;
const range = (from: number, length: number) => ({ start: from, stop: from + length, step: 1 });

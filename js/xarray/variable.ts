// A variable of a dataset as it is stored, and what variables of a dataset share.
import type { ZarrArray } from "../api/array.js";
import type { Selection } from "../api/selection.js";
import { type DecodeOptions, decodeWith } from "../cf/decode.js";
import type { Decoded, Decoder, DecoderOptions } from "../cf/index.js";
import { decoderOf } from "../cf/index.js";
import type { ReadOptions } from "../data/readoptions.js";
import { InvalidSelectionError } from "../errors.js";
import { userAttributes } from "../nczarr/index.js";
import { dimensionsOf } from "./dimensions.js";
import type { LabelIndex, Positions } from "./labels.js";
import { countOf, isWhole, selector } from "./positions.js";
import { indexOf, taken } from "./values.js";

/** Settings of what is read. */
export type GetOptions = Pick<ReadOptions, "signal" | "priority" | "view" | "onProgress">;

/** A variable of a dataset. */
export class Variable {
  /** Its name in the dataset. */
  readonly name: string;
  /** The array that it is stored in. */
  readonly array: ZarrArray;
  /** The dimensions' names; one without is called `dim_0` after its place. */
  readonly dims: readonly string[];
  /** The dimensions' lengths. */
  readonly shape: readonly number[];
  /** The dimensions that have a name of their own. */
  readonly named: readonly string[];
  /** The attributes that are left, see `Decoder.attributes`. */
  readonly attrs: Record<string, unknown>;
  /** Those that are used up. */
  readonly encoding: Record<string, unknown>;
  /** What is wrong with its attributes. */
  readonly problems: string[] = [];
  readonly #decoder: Decoder | undefined;
  readonly #error: unknown;
  readonly #options: DecoderOptions;
  /** How many dimensions the array has beyond those of the variable: of NCZarr's scalars, and of characters that become texts. */
  readonly #hidden: Positions[];

  /** @param inherited attributes that it has from another variable, as bounds have units */
  constructor(name: string, array: ZarrArray, options: DecoderOptions, inherited: Record<string, unknown> = {}) {
    this.name = name;
    this.array = array;
    this.#options = options;
    const { names, shape, problem } = dimensionsOf(array);
    if (problem) this.problems.push(problem);
    const attrs = { ...inherited, ...userAttributes(array) };
    this.#hidden = array.shape.slice(shape.length).map(() => 0);
    let rank = shape.length;
    try {
      const { dtype, type, fillValue, format } = array;
      const decoder = decoderOf({ attrs, dtype, type, fillValue, format }, options);
      this.#decoder = decoder;
      this.problems.push(...decoder.problems);
      if (decoder.form === "chars" && rank > 0) {
        rank--;
        this.#hidden.unshift({ start: 0, step: 1, count: shape[rank] as number });
      }
    } catch (error) {
      this.#error = error;
      this.problems.push(String((error as Error)?.message ?? error));
    }
    this.attrs = { ...(this.#decoder?.attributes ?? attrs) };
    this.encoding = { ...this.#decoder?.encoding };
    this.named = names.slice(0, rank).filter((one) => one !== null);
    this.dims = names.slice(0, rank).map((one, i) => one ?? `dim_${i}`);
    this.shape = shape.slice(0, rank);
  }

  /** How it is decoded. Throws what the attributes were wrong with. */
  get decoder(): Decoder {
    if (this.#decoder) return this.#decoder;
    throw this.#error;
  }

  /** The type of what is decoded; of a variable that cannot be, that of the array. */
  get dtype(): string {
    return this.#decoder?.dtype ?? this.array.dtype;
  }

  /** Reads what is at some positions along each dimension, and decodes it. */
  read(positions: readonly Positions[], options: GetOptions): Promise<Decoded> {
    const selection = [...positions, ...this.#hidden].map(selector);
    const { signal, priority, view, onProgress } = options;
    const settings: DecodeOptions = { ...this.#options, signal, priority, view, onProgress };
    return decodeWith(this.decoder, this.array, selection as Selection, settings);
  }
}

/** A coordinate's elements, and their labels once they are asked for. */
interface Coordinate {
  /** All elements. */
  readonly decoded: Decoded;
  /** The index of all labels. */
  index(): Promise<LabelIndex>;
}

/** How many elements of coordinates a dataset keeps. */
const maxKeptElements = 8 << 20;

/** What the variables of a dataset share: coordinates are read once, and kept. */
export class Variables {
  /** The variables by name. */
  readonly all: ReadonlyMap<string, Variable>;
  /** The names of those that are coordinates. */
  readonly coordinates: ReadonlySet<string>;
  /** The lengths of the dimensions. */
  readonly sizes: ReadonlyMap<string, number>;
  readonly #read = new Map<string, Shared<Coordinate>>();
  #kept = 0;

  constructor(
    all: ReadonlyMap<string, Variable>,
    coordinates: ReadonlySet<string>,
    sizes: ReadonlyMap<string, number>,
  ) {
    this.all = all;
    this.coordinates = coordinates;
    this.sizes = sizes;
  }

  /** The coordinate of a dimension; undefined where it has none. */
  dimension(name: string): Variable | undefined {
    const variable = this.all.get(name);
    return variable?.dims.length === 1 && variable.named[0] === name ? variable : undefined;
  }

  /** A coordinate of one dimension with its labels, read once for all who ask at the same time or later. */
  coordinate(variable: Variable, options: GetOptions): Promise<Coordinate> {
    const { name } = variable;
    let reading = this.#read.get(name);
    if (!reading) {
      reading = new Shared(async (signal) => {
        const { priority, view } = options;
        const all = variable.shape.map((count) => ({ start: 0, step: 1, count }));
        return coordinateOf(name, await variable.read(all, { signal, priority, view }));
      });
      this.#read.set(name, reading);
      const size = variable.shape[0] ?? 1;
      const forget = () => {
        if (this.#read.get(name) === reading) this.#read.delete(name);
      };
      reading.result.then(() => {
        if (this.#kept + size > maxKeptElements) forget();
        else this.#kept += size;
      }, forget);
    }
    return reading.wait(options.signal);
  }

  /** What is at some positions of a coordinate of one dimension. */
  async at(variable: Variable, positions: Positions, options: GetOptions): Promise<Decoded> {
    const { decoded } = await this.coordinate(variable, options);
    return part(decoded, positions, variable);
  }

  /** The labels at some positions of a coordinate of one dimension. */
  async labels(variable: Variable, positions: Positions, options: GetOptions): Promise<LabelIndex> {
    const coordinate = await this.coordinate(variable, options);
    const all = isWhole(positions, variable.shape[0] as number);
    const index = all ? coordinate.index() : indexOf(variable.name, part(coordinate.decoded, positions, variable));
    const found = await index;
    options.signal?.throwIfAborted();
    return found;
  }
}

function coordinateOf(name: string, decoded: Decoded): Coordinate {
  let index: Promise<LabelIndex> | undefined;
  return {
    decoded,
    index: () => {
      index ??= indexOf(name, decoded);
      return index;
    },
  };
}

/** The largest of some positions. */
function largest(positions: Positions): number {
  if (typeof positions === "number") return positions;
  if (!("count" in positions)) return positions.reduce((last, one) => Math.max(last, one), -1);
  const { start, step, count } = positions;
  return count === 0 ? -1 : Math.max(start, start + (count - 1) * step);
}

/** Some of the elements of a coordinate, or all, in memory that is the caller's: what is kept must not change. */
function part(decoded: Decoded, positions: Positions, variable: Variable): Decoded {
  const outside = largest(positions);
  if (outside >= (variable.shape[0] as number)) {
    throw new InvalidSelectionError(
      `${variable.name}: the coordinate has no label ${outside}: it is shorter than its dimension`,
    );
  }
  const data = taken(decoded.data, positions, variable.decoder);
  const count = countOf(positions);
  const shape = count === undefined ? [] : [count];
  return { ...decoded, data, shape, stride: shape.map(() => 1) };
}

/** Work that several wait for: it ends when none of them waits any more. */
class Shared<T> {
  readonly result: Promise<T>;
  readonly #ended = new AbortController();
  #waiting = 0;
  #done = false;

  constructor(work: (signal: AbortSignal) => Promise<T>) {
    this.result = work(this.#ended.signal);
    const done = () => {
      this.#done = true;
    };
    this.result.then(done, done);
  }

  /** Waits for the result, or for the signal. */
  async wait(signal: AbortSignal | undefined): Promise<T> {
    signal?.throwIfAborted();
    this.#waiting++;
    let leave: (() => void) | undefined;
    try {
      const aborted = new Promise<never>((_, reject) => {
        leave = () => reject(signal?.reason);
        signal?.addEventListener("abort", leave);
      });
      return await Promise.race([this.result, aborted]);
    } finally {
      if (leave) signal?.removeEventListener("abort", leave);
      if (--this.#waiting === 0 && !this.#done) this.#ended.abort();
    }
  }
}

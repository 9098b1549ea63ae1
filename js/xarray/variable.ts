// A variable of a dataset as stored, and the state that variables share.
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
import { isWhole, positionCount, selector } from "./positions.js";
import { indexOf, taken } from "./values.js";

/** The options of reads. */
export type GetOptions = Pick<ReadOptions, "signal" | "priority" | "view" | "onProgress">;

/** A variable of a dataset. */
export class Variable {
  /** The name in the dataset. */
  readonly name: string;
  /** The array that stores it. */
  readonly array: ZarrArray;
  /** The names of the dimensions. An unnamed one is called `dim_0` by its index. */
  readonly dims: readonly string[];
  /** The lengths of the dimensions. */
  readonly shape: readonly number[];
  /** The named dimensions. */
  readonly named: readonly string[];
  /** The attributes that were not applied; see `Decoder.attributes`. */
  readonly attrs: Record<string, unknown>;
  /** The attributes that were applied. */
  readonly encoding: Record<string, unknown>;
  /** The problems of its attributes. */
  readonly problems: string[] = [];
  readonly #decoder: Decoder | undefined;
  readonly #error: unknown;
  readonly #options: DecoderOptions;
  /**
   * The positions along array dimensions that the variable lacks: those of NCZarr's scalars, and of
   * characters that become strings.
   */
  readonly #hidden: Positions[];

  /** @param inherited attributes from another variable, like the units of bounds */
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

  /** The decoder. Throws the error for invalid attributes. */
  get decoder(): Decoder {
    if (this.#decoder) return this.#decoder;
    throw this.#error;
  }

  /** The decoded type, or the array's type if the variable cannot be decoded. */
  get dtype(): string {
    return this.#decoder?.dtype ?? this.array.dtype;
  }

  /** Reads and decodes the elements at positions along each dimension. */
  read(positions: readonly Positions[], options: GetOptions): Promise<Decoded> {
    const selection = [...positions, ...this.#hidden].map(selector);
    const { signal, priority, view, onProgress } = options;
    const settings: DecodeOptions = { ...this.#options, signal, priority, view, onProgress };
    return decodeWith(this.decoder, this.array, selection as Selection, settings);
  }
}

/** A coordinate's elements, with a label index on request. */
interface Coordinate {
  /** All elements. */
  readonly decoded: Decoded;
  /** Returns the index of all labels. */
  index(): Promise<LabelIndex>;
}

/** The most coordinate elements that a dataset caches. */
const maxKeptElements = 8 << 20;

/** The variables of a dataset with their cache: each coordinate is read once. */
export class Variables {
  /** The variables by name. */
  readonly all: ReadonlyMap<string, Variable>;
  /** The names of the coordinates. */
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

  /** The coordinate of a dimension; undefined if it has none. */
  dimension(name: string): Variable | undefined {
    const variable = this.all.get(name);
    return variable?.dims.length === 1 && variable.named[0] === name ? variable : undefined;
  }

  /** Reads a one-dimensional coordinate with its labels, once for all callers. */
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

  /** Returns the elements at positions of a one-dimensional coordinate. */
  async at(variable: Variable, positions: Positions, options: GetOptions): Promise<Decoded> {
    const { decoded } = await this.coordinate(variable, options);
    return part(decoded, positions, variable);
  }

  /** Returns the labels at positions of a one-dimensional coordinate. */
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

/**
 * Copies some or all elements of a coordinate. Cached memory must not reach the caller, who may
 * change it.
 */
function part(decoded: Decoded, positions: Positions, variable: Variable): Decoded {
  const outside = largest(positions);
  if (outside >= (variable.shape[0] as number)) {
    throw new InvalidSelectionError(
      `${variable.name}: the coordinate has no label ${outside}: it is shorter than its dimension`,
    );
  }
  const data = taken(decoded.data, positions, variable.decoder);
  const count = positionCount(positions);
  const shape = count === undefined ? [] : [count];
  return { ...decoded, data, shape, stride: shape.map(() => 1) };
}

/** Work with several waiters. It is aborted when the last of them leaves. */
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

  /** Waits for the result or for the signal. */
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

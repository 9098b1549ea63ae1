// Finds labels in a coordinate, with the rules of pandas and xarray.
import { InvalidSelectionError } from "../errors.js";
import { show } from "../shared/arguments.js";
import { compare, distance, type Key, type KeyRange, type Keys } from "./keys.js";

/**
 * How to find a label that the coordinate lacks: the nearest one, the previous one in the
 * coordinate's order, or the following one.
 */
export type Method = "nearest" | "pad" | "backfill";

/** A range of labels including both ends. `null` leaves an end open. */
export interface LabelSlice<L = unknown> {
  /** The first label, in the coordinate's order. */
  readonly start: L | null;
  /** The last label. */
  readonly stop: L | null;
  /** The step between positions. A negative step goes backwards. */
  readonly step?: number | null | undefined;
}

/**
 * Positions along a dimension: one, which drops the dimension; several with equal steps; or a list.
 */
export type Positions = number | Steps | readonly number[];

/** Several positions with equal steps. */
export interface Steps {
  /** The first position. */
  readonly start: number;
  /** The step between positions, not 0. */
  readonly step: number;
  /** The number of positions. */
  readonly count: number;
}

/** How to look up labels in one coordinate. */
export interface Lookup {
  /** See {@link Method}; exact if absent. */
  method?: Method | undefined;
  /**
   * The largest allowed distance between the found and the requested label. For times a duration,
   * `"6h"`.
   */
  tolerance?: unknown;
  /** The period of circular numbers, 360 for longitudes. */
  period?: number | undefined;
}

const steps = (start: number, stop: number, step = 1): Steps => ({
  start,
  step,
  count: Math.max(0, Math.ceil((stop - start) / step)),
});

/** The order of a coordinate's labels, determined step by step. */
export class Order {
  readonly #keys: Keys;
  #next = 0;
  #up = true;
  #down = true;
  /** For ordered labels: whether all labels so far are distinct. */
  strict = true;

  constructor(keys: Keys) {
    this.#keys = keys;
  }

  /** Examines `count` more labels. Returns true when the order is known. */
  look(count: number): boolean {
    const keys = this.#keys;
    const end = Math.min(keys.length, this.#next + count);
    for (let i = this.#next; i < end && (this.#up || this.#down); i++) {
      const key = keys.at(i);
      if (key === null) this.#up = this.#down = false;
      else if (i > 0) {
        const order = compare(keys.at(i - 1), key);
        if (order > 0) this.#up = false;
        else if (order < 0) this.#down = false;
        else this.strict = false;
      }
    }
    this.#next = end;
    return end === keys.length || !(this.#up || this.#down);
  }

  /** Equal neighbours count as ordered; missing labels do not. */
  get direction(): "ascending" | "descending" | "none" {
    return this.#up ? "ascending" : this.#down ? "descending" : "none";
  }
}

/** The number of linear searches in an unordered coordinate before an index is built. */
const searches = 16;

/** The labels of a coordinate, ready for lookups. */
export class LabelIndex {
  /** The coordinate's name. */
  readonly name: string;
  readonly #keys: Keys;
  /** The order of the labels. Equal neighbours count as ordered; NaN does not. */
  readonly order: "ascending" | "descending" | "none";
  /** Whether the labels are ordered and distinct. */
  readonly unique: boolean;
  /** The positions of each label of an unordered coordinate. */
  #where: Map<Key, number[]> | undefined;
  #searched = 0;

  /** @param order the order of all labels, as far as known */
  constructor(name: string, keys: Keys, order: Order = new Order(keys)) {
    this.name = name;
    this.#keys = keys;
    order.look(keys.length);
    this.order = order.direction;
    this.unique = this.order !== "none" && order.strict;
  }

  /** The number of labels. */
  get length(): number {
    return this.#keys.length;
  }

  #fail(message: string): never {
    throw new InvalidSelectionError(`${this.name}: ${message}`);
  }

  #absent(label: unknown, { method, tolerance }: Lookup = {}): never {
    if ((tolerance ?? undefined) !== undefined)
      this.#fail(`there is no label within ${show(tolerance)} of ${show(label)}`);
    if (method === "pad") this.#fail(`there is no label up to ${show(label)}`);
    if (method === "backfill") this.#fail(`there is no label from ${show(label)} on`);
    const hint =
      !method && this.#keys.tolerance && this.order !== "none" ? ' (method: "nearest" finds the next one)' : "";
    this.#fail(`there is no label ${show(label)}${hint}`);
  }

  /** The positions of a label in an unordered coordinate. */
  #places(key: Key): readonly number[] {
    const keys = this.#keys;
    if (!this.#where && this.#searched++ < searches) {
      const found: number[] = [];
      for (let i = 0; i < keys.length; i++) if (keys.at(i) === key) found.push(i);
      return found;
    }
    if (!this.#where) {
      this.#where = new Map();
      for (let i = 0; i < keys.length; i++) {
        const at = keys.at(i);
        const places = this.#where.get(at);
        if (places) places.push(i);
        else this.#where.set(at, [i]);
      }
    }
    return this.#where.get(key) ?? [];
  }

  #read(label: unknown): KeyRange {
    const found = this.#keys.read(label instanceof Date && Number.isNaN(label.getTime()) ? undefined : label);
    return found ?? this.#fail(`${show(label)} is not a label of a coordinate of ${this.#keys.what}`);
  }

  /**
   * The first position with a label not before a key. With `behind`, the first with a label after
   * it.
   */
  #bound(key: Key, behind: boolean): number {
    const sign = this.order === "descending" ? -1 : 1;
    let [low, high] = [0, this.#keys.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      const order = sign * compare(this.#keys.at(middle), key);
      if (order < 0 || (behind && order === 0)) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** The positions of a key: contiguous, or a list. */
  #exact(key: Key): Steps | readonly number[] {
    if (this.order === "none" || key === null) return this.#places(key);
    return steps(this.#bound(key, false), this.#bound(key, true));
  }

  /** Returns the positions of a selector. Throws {@link InvalidSelectionError}. */
  locate(selector: unknown, lookup: Lookup = {}): Positions {
    if (selector === undefined) this.#fail("undefined is not a label");
    if (isSlice(selector))
      return lookup.period !== undefined ? this.#around(selector, lookup.period) : this.#slice(selector);
    if (Array.isArray(selector) || (ArrayBuffer.isView(selector) && !(selector instanceof DataView))) {
      return Array.from(selector as ArrayLike<unknown>, (label) => this.#one(label, lookup));
    }
    const alone = lookup.method || lookup.period !== undefined || (lookup.tolerance ?? undefined) !== undefined;
    if (alone) return this.#one(selector, lookup);
    const { first, last } = this.#read(selector);
    if (this.#isWide(first, last)) return this.#within(selector, first, last);
    const places = this.#exact(first);
    const count = "count" in places ? places.count : places.length;
    if (count === 0) this.#absent(selector);
    if (count > 1) return places;
    return "count" in places ? places.start : (places[0] as number);
  }

  /** Reports whether a string means more than one instant at the resolution of these times. */
  #isWide(first: Key, last: Key): boolean {
    const { resolution } = this.#keys;
    return resolution !== undefined && typeof first === "bigint" && (last as bigint) - first + 1n > resolution;
  }

  /**
   * The times of a period. Throws for a period before or after all times, as for a missing label.
   */
  #within(label: unknown, first: Key, last: Key): Steps | readonly number[] {
    const { length } = this.#keys;
    if (this.order === "none") {
      const found: number[] = [];
      for (let i = 0; i < length; i++) {
        const key = this.#keys.at(i);
        if (key !== null && compare(key, first) >= 0 && compare(key, last) <= 0) found.push(i);
      }
      return found.length > 0 ? found : this.#absent(label);
    }
    const [from, to] = this.order === "descending" ? [last, first] : [first, last];
    const found = steps(this.#bound(from, false), this.#bound(to, true));
    if (found.count === 0 && (found.start === 0 || found.start === length)) this.#absent(label);
    return found;
  }

  /** The single position of a label, exact or by a method. */
  #one(label: unknown, lookup: Lookup): number {
    const { method, tolerance, period } = lookup;
    const { first } = this.#read(label);
    const most = this.#tolerance(tolerance, method);
    if (period !== undefined) return this.#onCircle(label, first, period, method, most);
    const place = method ? this.#near(first, method) : this.#only(label, first);
    if (place === undefined) this.#absent(label, lookup);
    if (most !== undefined && distance(this.#keys.at(place), first) > most) this.#absent(label, lookup);
    return place;
  }

  #tolerance(tolerance: unknown, method: Method | undefined): number | bigint | undefined {
    if (tolerance === undefined || tolerance === null) return undefined;
    if (!method) this.#fail("a tolerance needs a method");
    const read = this.#keys.tolerance?.(tolerance);
    return read ?? this.#fail(`${show(tolerance)} is not a tolerance of ${this.#keys.what}`);
  }

  #only(label: unknown, key: Key): number | undefined {
    const places = this.#exact(key);
    const count = "count" in places ? places.count : places.length;
    if (count > 1) this.#fail(`the label ${show(label)} occurs ${count} times, but must be unique`);
    return count === 0 ? undefined : "count" in places ? places.start : places[0];
  }

  /** The position of the label that a method finds. The larger of two equally near labels wins. */
  #near(key: Key, method: Method): number | undefined {
    if (!this.unique) {
      this.#fail(`method ${show(method)} needs distinct labels in ascending or descending order`);
    }
    if (method === "nearest" && !this.#keys.tolerance) this.#fail(`${this.#keys.what} have no nearest label`);
    if (key === null) this.#fail("a missing label has no neighbours");
    const behind = this.#bound(key, false);
    const { length } = this.#keys;
    const hit = behind < length && compare(this.#keys.at(behind), key) === 0;
    if (hit || method === "backfill") return behind < length ? behind : undefined;
    const before = behind - 1;
    if (method === "pad") return before >= 0 ? before : undefined;
    if (before < 0 || behind === length) return length === 0 ? undefined : before < 0 ? behind : before;
    const [a, b] = [distance(this.#keys.at(before), key), distance(this.#keys.at(behind), key)];
    const larger = this.order === "ascending" ? behind : before;
    return a === b ? larger : a < b ? before : behind;
  }

  /** The positions from one label to another. */
  #slice({ start, stop, step }: LabelSlice): Steps {
    const by = step ?? 1;
    if (!Number.isSafeInteger(by) || by === 0)
      this.#fail(`a slice's step must be an integer other than 0, not ${show(step)}`);
    // Backwards, start and stop swap roles.
    const [from, to] = by < 0 ? [stop, start] : [start, stop];
    const low = from === null || from === undefined ? 0 : this.#end(from, false);
    const high = to === null || to === undefined ? this.#keys.length : this.#end(to, true);
    if (by > 0) return steps(low, high, by);
    return steps(high - 1, low - 1, by);
  }

  /** The first position of a slice, or the position after its last. */
  #end(label: unknown, last: boolean): number {
    const read = this.#read(label);
    if (this.order !== "none") {
      if (read.first === null) this.#fail(`${show(label)} cannot be an end of a range`);
      const key = last === (this.order === "ascending") ? read.last : read.first;
      return this.#bound(key, last);
    }
    if (this.#isWide(read.first, read.last)) {
      this.#fail(`a range that begins or ends with ${show(label)} needs labels in ascending or descending order`);
    }
    const places = this.#places(read.first);
    if (places.length === 0) this.#absent(label);
    const [begin, end] = [places[0] as number, places.at(-1) as number];
    if (end - begin !== places.length - 1) {
      this.#fail(`the label ${show(label)} occurs several times, and the labels are not in order`);
    }
    return last ? end + 1 : begin;
  }

  /** The smallest and largest number of a coordinate that covers at most one period. */
  #span(period: number): [low: number, high: number] {
    const { length, what } = this.#keys;
    if (what !== "numbers") this.#fail(`a period is for numbers, not for ${what}`);
    if (!(Number.isFinite(period) && period > 0)) this.#fail(`a period must be a number above 0, not ${show(period)}`);
    if (this.order === "none") this.#fail("a period needs labels in ascending or descending order");
    const ends = length === 0 ? [0, 0] : [Number(this.#keys.at(0)), Number(this.#keys.at(length - 1))];
    const [low, high] = ends.sort((a, b) => a - b) as [number, number];
    if (!(high - low <= period)) this.#fail(`the labels, ${low} to ${high}, cover more than one period of ${period}`);
    return [low, high];
  }

  /** The number of periods that brings a number to a lower bound, or just above it. */
  #turns(number: number, low: number, period: number): number {
    const turns = Math.ceil((low - number) / period);
    return Number.isSafeInteger(turns) ? turns : this.#fail(`${number} has no position in a period of ${period}`);
  }

  /**
   * The single position of a label on a circle: of the label itself, or of one that differs by
   * whole periods.
   */
  #onCircle(label: unknown, key: Key, period: number, method: Method | undefined, most: number | bigint | undefined) {
    const [low] = this.#span(period);
    const number = Number(key ?? Number.NaN);
    const turns = this.#turns(number, low, period);
    let best: { place: number; far: number; at: number } | undefined;
    // Also try the neighbouring turns, for labels across the seam.
    for (const turn of new Set([0, turns, turns - 1, turns + 1])) {
      const { first } = this.#read(number + turn * period);
      const place = method ? this.#near(first, method) : this.#only(label, first);
      if (place === undefined) continue;
      const found = this.#keys.at(place);
      const [far, at] = [Number(distance(found, first)), Number(found) - turn * period];
      if (!best || far < best.far || (far === best.far && at > best.at)) best = { place, far, at };
    }
    if (!best || (most !== undefined && best.far > most)) this.#absent(label, { method, tolerance: most });
    return best.place;
  }

  /** The positions from one number to another on a circle, across the seam if necessary. */
  #around(slice: LabelSlice, period: number): Steps | readonly number[] {
    const { start, stop, step } = slice;
    const [low, high] = this.#span(period);
    if (start === null || start === undefined || stop === null || stop === undefined) return this.#slice(slice);
    const by = step ?? 1;
    if (!Number.isSafeInteger(by) || by < 1) {
      this.#fail(`with a period, a slice's step must be an integer above 0, not ${show(step)}`);
    }
    const up = this.order === "ascending";
    const ends = [start, stop].map((label) => Number(this.#read(label).first ?? Number.NaN)) as [number, number];
    const [a, b] = up ? ends : [ends[1], ends[0]];
    // The turns to add to the upper end so that it is not below the lower.
    const more = b >= a ? 0 : Math.ceil((a - b) / period);
    const first = this.#turns(a, low, period) - 1;
    this.#turns(b, low, period);
    const turns: number[] = [];
    for (let turn = first; a + turn * period <= high; turn++) turns.push(turn);
    const found = new Set<number>();
    // In ascending order the higher turn comes first, because its labels lie before the seam.
    for (const turn of up ? turns.reverse() : turns) {
      const lower = a + turn * period;
      const upper = Math.min(b + (turn + more) * period, lower + period);
      const part = this.#slice(up ? { start: lower, stop: upper } : { start: upper, stop: lower });
      for (let i = 0; i < part.count; i++) found.add(part.start + i);
    }
    return [...found].filter((_, i) => i % by === 0);
  }
}

/** Reports whether a value has a start and a stop, like the result of `slice`. */
export function isSlice(selector: unknown): selector is LabelSlice {
  return typeof selector === "object" && selector !== null && "start" in selector && "stop" in selector;
}

// Computes the results of selections, by indices into all elements of an array.
import { elements } from "../js/conformance.mjs";

const product = (shape) => shape.reduce((n, d) => n * d, 1);

/**
 * The indices of a selection's elements in an array of the shape, in C order, and the result's
 * shape.
 */
export function placesOf(selection, shape) {
  const lists = shape.map((n, d) => indicesOf(selection?.[d] ?? null, n));
  let places = [0];
  shape.forEach((n, d) => {
    const next = [];
    for (const place of places) for (const i of lists[d]) next.push(place * n + i);
    places = next;
  });
  return { places, shape: lists.filter((_, d) => typeof selection?.[d] !== "number").map((list) => list.length) };
}

/** The indices that a selector selects in a dimension. */
function indicesOf(selector, n) {
  if (selector === null) return Array.from({ length: n }, (_, i) => i);
  const from = (i) => (i < 0 ? i + n : i);
  if (typeof selector === "number") return [from(selector)];
  if (Array.isArray(selector)) return selector.map(from);
  const step = selector.step ?? 1;
  const clamp = (i, low, high) => Math.min(high, Math.max(low, from(i)));
  const list = [];
  if (step > 0) {
    const stop = selector.stop === null ? n : clamp(selector.stop, 0, n);
    for (let i = selector.start === null ? 0 : clamp(selector.start, 0, n); i < stop; i += step) list.push(i);
  } else {
    const stop = selector.stop === null ? -1 : clamp(selector.stop, -1, n - 1);
    for (let i = selector.start === null ? n - 1 : clamp(selector.start, -1, n - 1); i > stop; i += step) list.push(i);
  }
  return list;
}

/** A selector of a dimension. */
function selectorOf(pick, slice, n) {
  const index = () => pick(n) - (pick(3) === 0 ? n : 0);
  switch (n === 0 ? 5 : pick(7)) {
    case 0:
      return index();
    case 1:
      return Array.from({ length: 1 + pick(4) }, index);
    case 2:
      return slice(n - 1 - pick(n), pick(2) ? null : 0, -1 - pick(3));
    case 3: {
      const from = pick(n);
      return slice(from, from + 1 + pick(n), 1 + pick(3));
    }
    case 4: {
      const from = pick(n);
      return slice(from, from + 1 + pick(6));
    }
    default:
      return null;
  }
}

/** A selection of an array of the shape. */
export function selectionOf(pick, slice, shape) {
  if (pick(6) === 0) return null;
  const all = shape.map((n) => selectorOf(pick, slice, n));
  return pick(4) === 0 ? all.slice(0, pick(all.length + 1)) : all;
}

/** Text that identifies a value. */
export function textOf(value) {
  if (typeof value === "bigint") return `${value}n`;
  if (typeof value === "number") return Object.is(value, -0) ? "-0" : String(value);
  if (value === null || typeof value !== "object") return JSON.stringify(value) ?? "undefined";
  if (Array.isArray(value) || ArrayBuffer.isView(value)) return `[${Array.from(value, textOf).join()}]`;
  return `{${Object.keys(value)
    .map((name) => `${name}:${textOf(value[name])}`)
    .join()}}`;
}

/** An array's content, as read from a server without faults. */
export class Truth {
  #chunks = new Map();

  constructor(array, bytes, list) {
    this.array = array;
    this.bytes = bytes;
    this.list = list;
  }

  static async of(array) {
    const { size } = array.type;
    const all = await array.get();
    const n = product(array.shape);
    const list = (array.shape.length === 0 ? [all] : elements(all.data, n)).map(textOf);
    return new Truth(array, size > 0 ? (await array.get(null, { as: "bytes" })).data : undefined, list);
  }

  /** The fault of a result, given the places of its elements, or undefined. */
  compare({ places, shape }, got, asBytes) {
    if (got.shape.join() !== shape.join()) return `the shape is [${got.shape}] and not [${shape}]`;
    if (asBytes) {
      const { size } = this.array.type;
      if (got.data.length !== places.length * size) return `${got.data.length} bytes for ${places.length} elements`;
      for (let i = 0; i < places.length; i++) {
        for (let k = 0; k < size; k++) {
          const [is, want] = [got.data[i * size + k], this.bytes[places[i] * size + k]];
          if (is !== want) return `byte ${k} of element ${i} is ${is} and not ${want}`;
        }
      }
      return undefined;
    }
    return this.compareList(places, elements(got.data, places.length));
  }

  compareList(places, list) {
    if (list.length !== places.length) return `${list.length} elements and not ${places.length}`;
    for (let i = 0; i < places.length; i++) {
      const [is, want] = [textOf(list[i]), this.list[places[i]]];
      if (is !== want) return `element ${i} is ${is.slice(0, 60)} and not ${want.slice(0, 60)}`;
    }
    return undefined;
  }

  /** A chunk's stored content. */
  async chunk(coords) {
    const key = coords.join();
    if (!this.#chunks.has(key)) {
      const reading = this.#readChunk(coords);
      reading.catch(() => this.#chunks.delete(key));
      this.#chunks.set(key, reading);
    }
    return this.#chunks.get(key);
  }

  async #readChunk(coords) {
    if (this.array.type.size > 0) return textOf((await this.array.getChunk(coords, { as: "bytes" })).data);
    const { data, shape } = await this.array.getChunk(coords);
    return textOf(elements(data, product(shape)));
  }
}

import { type Counts, type Numbers, type Output, type Plan, partsOf } from "./plan.js";

/** The most missing values that are masked one by one. More are looked up in a set. */
const few = 8;
/** The numbers processed at once. Their binary64 form fits in the cache. */
const block = 4096;

// Each loop sees arrays of one class only, whatever the data type, so that the engine compiles it
// once. `set` converts between types with the platform's own loop.

/** Masks one value. Returns the number of masked elements. */
function maskValue(numbers: Float64Array, n: number, value: number): number {
  let masked = 0;
  for (let i = 0; i < n; i++) {
    if (numbers[i] === value) {
      numbers[i] = Number.NaN;
      masked++;
    }
  }
  return masked;
}

/** {@link maskValue} for many values. */
function maskMany(numbers: Float64Array, n: number, values: ReadonlySet<number>): number {
  let masked = 0;
  for (let i = 0; i < n; i++) {
    const v = numbers[i] as number;
    if (!Number.isNaN(v) && values.has(v)) {
      numbers[i] = Number.NaN;
      masked++;
    }
  }
  return masked;
}

/** {@link maskWide} for many values. */
function maskManyWide(
  numbers: Float64Array,
  source: BigInt64Array | BigUint64Array,
  values: ReadonlySet<bigint>,
): number {
  let masked = 0;
  for (let i = 0; i < source.length; i++) {
    if (values.has(source[i] as bigint)) {
      numbers[i] = Number.NaN;
      masked++;
    }
  }
  return masked;
}

/** Masks values outside a range. NaN is never outside. */
function maskRange(numbers: Float64Array, n: number, least: number, most: number): number {
  let masked = 0;
  for (let i = 0; i < n; i++) {
    const v = numbers[i] as number;
    if (v < least || v > most) {
      numbers[i] = Number.NaN;
      masked++;
    }
  }
  return masked;
}

/**
 * Masks one value and unpacks the others. A scale of 1 and an offset of -0 change nothing; an
 * offset of 0 would turn -0 into 0. Returns the number of masked elements.
 */
function unpack(numbers: Float64Array, n: number, missing: number, scale: number, offset: number): number {
  let masked = 0;
  for (let i = 0; i < n; i++) {
    const v = numbers[i] as number;
    if (v === missing) {
      numbers[i] = Number.NaN;
      masked++;
    } else numbers[i] = v * scale + offset;
  }
  return masked;
}

function countNaN(numbers: Float64Array, n: number): number {
  let count = 0;
  for (let i = 0; i < n; i++) {
    if (Number.isNaN(numbers[i])) count++;
  }
  return count;
}

function markNaN(numbers: Float64Array, n: number, marks: Uint8Array, at: number): void {
  for (let i = 0; i < n; i++) if (Number.isNaN(numbers[i])) marks[at + i] = 1;
}

/** Replaces all values other than 0 with 1. */
function truth(numbers: Float64Array, n: number): void {
  for (let i = 0; i < n; i++) numbers[i] = numbers[i] === 0 ? 0 : 1;
}

/** Splits a value into the two halves of its 64 bits. */
function halves(value: number | bigint): [low: number, high: number] {
  const bits = BigInt.asUintN(64, BigInt(value));
  return [Number(bits & 0xffff_ffffn), Number(bits >> 32n)];
}

/** Converts 64-bit integers to numbers, with one rounding each. */
function convertWide(numbers: Float64Array, n: number, low: Uint32Array, high: Int32Array | Uint32Array): void {
  for (let i = 0; i < n; i++) {
    numbers[i] = (high[2 * i + 1] as number) * 4_294_967_296 + (low[2 * i] as number);
  }
}

/**
 * {@link maskValue} for 64-bit integers. Compares all bits, because rounded numbers may be equal.
 */
function maskWide(numbers: Float64Array, n: number, words: Uint32Array, low: number, high: number): number {
  let masked = 0;
  for (let i = 0; i < n; i++) {
    if (words[2 * i] === low && words[2 * i + 1] === high) {
      numbers[i] = Number.NaN;
      masked++;
    }
  }
  return masked;
}

/** {@link maskRange} for 64-bit integers. Creates bigints; ranges of such variables are rare. */
function maskWideRange(
  numbers: Float64Array,
  source: BigInt64Array | BigUint64Array,
  least: number | bigint,
  most: number | bigint,
): number {
  let masked = 0;
  for (let i = 0; i < source.length; i++) {
    const v = source[i] as bigint;
    if ((v < least || v > most) && !Number.isNaN(numbers[i])) {
      numbers[i] = Number.NaN;
      masked++;
    }
  }
  return masked;
}

function maskComplex(numbers: Float64Array, n: number, re: number, im: number): number {
  let masked = 0;
  for (let i = 0; i < n; i += 2) {
    if (numbers[i] === re && numbers[i + 1] === im) {
      numbers[i] = Number.NaN;
      numbers[i + 1] = Number.NaN;
      masked++;
    }
  }
  return masked;
}

function countComplexNaN(numbers: Float64Array, n: number): number {
  let count = 0;
  for (let i = 0; i < n; i += 2) if (Number.isNaN(numbers[i]) || Number.isNaN(numbers[i + 1])) count++;
  return count;
}

/**
 * @internal Applies a plan to numbers, block by block. One kernel serves a whole variable and keeps
 * the counts.
 */
export class Kernel {
  readonly counts: Counts = { masked: 0, missing: 0 };
  readonly #plan: Plan;
  readonly #numbers = new Float64Array(block);
  /** The missing values: masked one by one, or in a set if there are many. */
  readonly #missing: number[] = [];
  readonly #wide: [low: number, high: number][] = [];
  readonly #many: ReadonlySet<number> | undefined;
  readonly #manyWide: ReadonlySet<bigint> | undefined;
  /** Whether elements that are not masked can be NaN. */
  readonly #checksNaN: boolean;

  constructor(plan: Plan) {
    this.#plan = plan;
    const { missing } = plan;
    const many = missing.length > few;
    if (plan.from.endsWith("int64")) {
      if (many) this.#manyWide = new Set(missing as bigint[]);
      else this.#wide = missing.map((value) => halves(value as bigint));
    } else if (many) this.#many = new Set((missing as number[]).map(Number));
    else this.#missing = missing.filter((value) => !Array.isArray(value)).map(Number);
    const { from, scale = 1, offset = 0 } = plan;
    this.#checksNaN = !/^u?int/.test(from) || !Number.isFinite(scale) || !Number.isFinite(offset);
  }

  /** Decodes elements `from` to `to` of the source into the output, starting at element `at`. */
  run(source: Numbers, from: number, to: number, { data, marks }: Output, at: number): void {
    const per = partsOf(this.#plan.from);
    if (this.#plan.kind === "marks") (data as Int8Array).set((source as Int8Array).subarray(from, to), at);
    for (let i = from * per; i < to * per; i += block) {
      const n = Math.min(block, to * per - i);
      const place = at * per + i - from * per;
      this.#block(source.subarray(i, i + n), n);
      const numbers = n === block ? this.#numbers : this.#numbers.subarray(0, n);
      if (marks) markNaN(numbers, n, marks, place);
      else (data as Float64Array).set(numbers, place);
    }
  }

  #block(source: Numbers, n: number): void {
    const { least, most, scale, offset, missing } = this.#plan;
    const numbers = this.#numbers;
    let masked = 0;
    if (source instanceof BigInt64Array || source instanceof BigUint64Array) {
      const { buffer, byteOffset } = source;
      const words = new Uint32Array(buffer, byteOffset, 2 * n);
      convertWide(
        numbers,
        n,
        words,
        source instanceof BigInt64Array ? new Int32Array(buffer, byteOffset, 2 * n) : words,
      );
      for (const [low, high] of this.#wide) masked += maskWide(numbers, n, words, low, high);
      if (this.#manyWide) masked += maskManyWide(numbers, source, this.#manyWide);
      if (least !== undefined || most !== undefined) {
        masked += maskWideRange(numbers, source, least ?? -Infinity, most ?? Infinity);
      }
    } else {
      numbers.set(source);
      if (partsOf(this.#plan.from) === 2) {
        for (const [re, im] of missing as [number, number][]) masked += maskComplex(numbers, n, re, im);
        this.counts.missing += countComplexNaN(numbers, n);
        this.counts.masked += masked;
        return;
      }
      if (this.#many) masked += maskMany(numbers, n, this.#many);
      // The last missing value is masked while unpacking.
      for (let i = 0; i < this.#missing.length - 1; i++) masked += maskValue(numbers, n, this.#missing[i] as number);
      if (least !== undefined || most !== undefined) {
        masked += maskRange(numbers, n, Number(least ?? -Infinity), Number(most ?? Infinity));
      }
    }
    if (this.#plan.kind === "truth") truth(numbers, n);
    else masked += unpack(numbers, n, this.#missing.at(-1) ?? Number.NaN, scale ?? 1, offset ?? -0);
    this.counts.masked += masked;
    this.counts.missing += this.#checksNaN ? countNaN(numbers, n) : masked;
  }
}

/** The severity of a problem: the specification's word, or `"warning"` for others. */
export type ProblemLevel = "MUST" | "SHOULD" | "warning";

/** A problem of an OME-Zarr document. */
export interface Problem {
  /** The severity. A document without problems of level `"MUST"` is valid. */
  level: ProblemLevel;
  /**
   * The position in the attributes, like `multiscales[0].datasets[1].path`; empty for the
   * attributes as a whole.
   */
  path: string;
  /** The problem, in words. */
  message: string;
}

/** The most problems listed. A large document may repeat an error on each line. */
const maxProblems = 1000;

/** Collects problems. */
export class Problems {
  readonly list: Problem[] = [];

  add(level: ProblemLevel, path: string, message: string): void {
    const rest = this.list[maxProblems];
    if (this.list.length < maxProblems) this.list.push({ level, path, message });
    else if (!rest)
      this.list.push({ level, path: "", message: `more than ${maxProblems} problems: the others are not listed` });
    else if (level === "MUST") rest.level = level;
  }
}

/** A value in a document with its position. Problems are reported with its path. */
export class CheckedValue {
  readonly value: unknown;
  readonly path: string;
  readonly problems: Problems;
  /** The name in messages: the member, or the list and index. */
  readonly #name: string;

  constructor(value: unknown, path: string, problems: Problems, name = "") {
    this.value = value;
    this.path = path;
    this.problems = problems;
    this.#name = name;
  }

  /** False if there is no such member. */
  get exists(): boolean {
    return this.value !== undefined;
  }

  /** True if the value is a JSON object. */
  get isObject(): boolean {
    return typeof this.value === "object" && this.value !== null && !globalThis.Array.isArray(this.value);
  }

  /** A member, possibly absent. */
  get(name: string): CheckedValue {
    const has = this.isObject && Object.hasOwn(this.value as object, name);
    const value = has ? (this.value as Record<string, unknown>)[name] : undefined;
    return new CheckedValue(value, this.path ? `${this.path}.${name}` : name, this.problems, name);
  }

  /** The items of a list; empty for other values. */
  get items(): CheckedValue[] {
    if (!globalThis.Array.isArray(this.value)) return [];
    // `Array.from` fills the holes that a caller's array may have.
    const of = (item: unknown, i: number) =>
      new CheckedValue(item, `${this.path}[${i}]`, this.problems, `${this.#name}[${i}]`);
    return globalThis.Array.from(this.value, of);
  }

  /** The text, if the value is one. */
  get text(): string | undefined {
    return typeof this.value === "string" ? this.value : undefined;
  }

  /** The finite number, if the value is one. Integers beyond 2^53 are rounded. */
  get number(): number | undefined {
    const value = typeof this.value === "bigint" ? Number(this.value) : this.value;
    return typeof value === "number" && Number.isFinite(value) ? value : undefined;
  }

  /** The integer, if the value is one. It is a bigint if a number would be inexact. */
  get integer(): number | bigint | undefined {
    const { value } = this;
    if (typeof value === "bigint") return value;
    // Adding 0 turns -0 into +0.
    return Number.isSafeInteger(value) ? (value as number) + 0 : undefined;
  }

  /** The boolean, if the value is one. */
  get flag(): boolean | undefined {
    return typeof this.value === "boolean" ? this.value : undefined;
  }

  /** Reports a problem. Returns undefined, as the value of a reader that failed. */
  report(level: ProblemLevel, message: string): undefined {
    this.problems.add(level, this.path, message);
  }

  must(message: string): undefined {
    return this.report("MUST", message);
  }

  should(message: string): undefined {
    return this.report("SHOULD", message);
  }

  /** The items of a required list that is not empty. */
  list(): CheckedValue[] | undefined {
    if (!this.exists) return this.must(`\`${this.#name}\` is missing`);
    if (!globalThis.Array.isArray(this.value)) return this.must(`\`${this.#name}\` MUST be a list`);
    if (this.value.length === 0) return this.must(`\`${this.#name}\` is empty`);
    return this.items;
  }

  /** Reports whether the value is an object. Adds a problem if not. */
  object(): boolean {
    if (!this.exists) this.must(`\`${this.#name}\` is missing`);
    else if (!this.isObject) this.must(`\`${this.#name}\` MUST be an object`);
    return this.isObject;
  }

  /** The required text, not empty. */
  name(): string | undefined {
    if (!this.exists) return this.must(`\`${this.#name}\` is missing`);
    return this.text || this.must(`\`${this.#name}\` MUST be a string that is not empty`);
  }

  /** The required integer. One of 2^53 or more is rejected, because a number would be inexact. */
  index(least = Number.NEGATIVE_INFINITY): number | undefined {
    if (!this.exists) return this.must(`\`${this.#name}\` is missing`);
    const { number } = this;
    if (!Number.isInteger(number)) return this.must(`\`${this.#name}\` MUST be an integer`);
    const integer = (number as number) + 0; // turns -0 into +0
    if (integer < least) return this.must(`\`${this.#name}\` MUST be at least ${least}`);
    if (Number.isSafeInteger(integer)) return integer;
    return this.report("warning", `\`${this.#name}\` has more than 53 bits, and is not read`);
  }

  /** Adds a problem if the value exists and `is` is false. */
  optional(is: boolean, expected: string): void {
    if (this.exists && !is) this.must(`\`${this.#name}\` MUST be ${expected}`);
  }

  /** The finite numbers of a list, with the given count. */
  numbers(count?: number): number[] | undefined {
    if (!this.exists) return this.must(`\`${this.#name}\` is missing`);
    if (!globalThis.Array.isArray(this.value)) return this.must(`\`${this.#name}\` MUST be a list of numbers`);
    const { length } = this.value;
    if (count !== undefined && length !== count) {
      return this.must(`\`${this.#name}\` has ${length} numbers for ${count} axes`);
    }
    const numbers = this.items.map((item) => item.number);
    const bad = numbers.indexOf(undefined);
    if (bad < 0) return numbers as number[];
    return this.items[bad]?.must(`\`${this.#name}\` MUST hold finite numbers`);
  }
}

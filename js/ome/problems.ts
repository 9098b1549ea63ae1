/** How much a problem weighs: the specification's own word, or `"warning"` where it has none. */
export type ProblemLevel = "MUST" | "SHOULD" | "warning";

/** What is wrong with a document of OME-Zarr. */
export interface Problem {
  /** The word of the rule that is broken. A document without problems of level `"MUST"` is valid. */
  level: ProblemLevel;
  /** Where in the attributes, as in `multiscales[0].datasets[1].path`; empty for the attributes as a whole. */
  path: string;
  /** What is wrong there. */
  message: string;
}

/** More problems than these are counted, not listed: a document may have a wrong well for each of its lines. */
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

/** A value in a document that knows where it stands: what is wrong with it is reported with its path. */
export class Part {
  readonly value: unknown;
  readonly path: string;
  readonly problems: Problems;
  /** What messages call it: the member that it is, or that it is an item of. */
  readonly #name: string;

  constructor(value: unknown, path: string, problems: Problems, name = "") {
    this.value = value;
    this.path = path;
    this.problems = problems;
    this.#name = name;
  }

  /** False where there is no such member. */
  get exists(): boolean {
    return this.value !== undefined;
  }

  /** True for a JSON object. */
  get isObject(): boolean {
    return typeof this.value === "object" && this.value !== null && !globalThis.Array.isArray(this.value);
  }

  /** A member, which need not be there. */
  get(name: string): Part {
    const has = this.isObject && Object.hasOwn(this.value as object, name);
    const value = has ? (this.value as Record<string, unknown>)[name] : undefined;
    return new Part(value, this.path ? `${this.path}.${name}` : name, this.problems, name);
  }

  /** The items of a list; none of what is no list. */
  get items(): Part[] {
    if (!globalThis.Array.isArray(this.value)) return [];
    // What a caller made may have holes, which this fills.
    const of = (item: unknown, i: number) => new Part(item, `${this.path}[${i}]`, this.problems, `${this.#name}[${i}]`);
    return globalThis.Array.from(this.value, of);
  }

  /** The text that it is, if any. */
  get text(): string | undefined {
    return typeof this.value === "string" ? this.value : undefined;
  }

  /** The finite number that it is, if any. Integers beyond those that a number holds exactly are rounded. */
  get number(): number | undefined {
    const value = typeof this.value === "bigint" ? Number(this.value) : this.value;
    return typeof value === "number" && Number.isFinite(value) ? value : undefined;
  }

  /** The integer that it is, if any: a bigint where a number would not be exact. */
  get integer(): number | bigint | undefined {
    const { value } = this;
    if (typeof value === "bigint") return value;
    // The sum makes +0 of -0.
    return Number.isSafeInteger(value) ? (value as number) + 0 : undefined;
  }

  /** The truth value that it is, if any. */
  get flag(): boolean | undefined {
    return typeof this.value === "boolean" ? this.value : undefined;
  }

  /** Reports a problem. It returns undefined, for readers that have no value then. */
  report(level: ProblemLevel, message: string): undefined {
    this.problems.add(level, this.path, message);
  }

  must(message: string): undefined {
    return this.report("MUST", message);
  }

  should(message: string): undefined {
    return this.report("SHOULD", message);
  }

  /** The items of a list that must be there and not be empty. */
  list(): Part[] | undefined {
    if (!this.exists) return this.must(`\`${this.#name}\` is missing`);
    if (!globalThis.Array.isArray(this.value)) return this.must(`\`${this.#name}\` MUST be a list`);
    if (this.value.length === 0) return this.must(`\`${this.#name}\` is empty`);
    return this.items;
  }

  /** True of an object; of anything else that is reported. */
  object(): boolean {
    if (!this.exists) this.must(`\`${this.#name}\` is missing`);
    else if (!this.isObject) this.must(`\`${this.#name}\` MUST be an object`);
    return this.isObject;
  }

  /** The text that must be there and not be empty. */
  name(): string | undefined {
    if (!this.exists) return this.must(`\`${this.#name}\` is missing`);
    return this.text || this.must(`\`${this.#name}\` MUST be a text that is not empty`);
  }

  /** The integer that must be there. One of 2^53 and more is not taken: a number would hold another. */
  index(least = Number.NEGATIVE_INFINITY): number | undefined {
    if (!this.exists) return this.must(`\`${this.#name}\` is missing`);
    const { number } = this;
    if (!Number.isInteger(number)) return this.must(`\`${this.#name}\` MUST be an integer`);
    const integer = (number as number) + 0; // of -0 too
    if (integer < least) return this.must(`\`${this.#name}\` MUST be at least ${least}`);
    if (Number.isSafeInteger(integer)) return integer;
    return this.report("warning", `\`${this.#name}\` has more than 53 bits, and is not read`);
  }

  /** Reports what is there but is not what `is` tells. */
  optional(is: boolean, expected: string): void {
    if (this.exists && !is) this.must(`\`${this.#name}\` MUST be ${expected}`);
  }

  /** The finite numbers of a list, as many as told. */
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

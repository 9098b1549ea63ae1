import { InvalidMetadataError, LimitError, UnsupportedError, ZarrError } from "../errors.js";
import { refuse } from "../refuse.js";
import { canonical, checkDepth, isList, isObject, type Json, type JsonObject, member, membersOf } from "./json.js";
import { Pattern } from "./pattern.js";
import { schemaV2, schemaV3 } from "./schemas.js";

/** What is wrong with a model. */
export interface Problem {
  /** Where in the model, as a JSON Pointer: `"/members/t/shape/0"`. */
  path: string;
  /** The keyword of the schema that does not hold. */
  keyword: string;
  /** Where in the schema, as a JSON Pointer. */
  schemaPath: string;
  /** What is wrong there. */
  message: string;
}

/** Settings of {@link validate}. */
export interface ValidateOptions {
  /** How many steps validation may take; 20,000,000 by default. More are a {@link LimitError}. */
  maxSteps?: number | undefined;
}

/** Problems that are reported. */
const maxProblems = 100;

/**
 * What is wrong with a model by a JSON Schema (draft 2020-12): nothing when it is valid. Without a schema it is that of the model's
 * version, {@link schemaV2} or {@link schemaV3}. Where no branch of an `anyOf` or `oneOf` holds, the problems are those of the branch with the
 * fewest. At most 100 are reported.
 *
 * All of a schema is read before. A keyword that is not known here, a reference to another document and a draft other than 2020-12 are an
 * {@link UnsupportedError}; a schema that is none, a reference to nothing or one that leads back to itself an {@link InvalidMetadataError}.
 * `format`, `default` and their like do not constrain.
 *
 * @example
 * const problems = validate(model);
 * if (problems.length > 0) console.log(problems[0].path, problems[0].message);
 */
export function validate(model: Json, schema?: Json, { maxSteps = 20_000_000 }: ValidateOptions = {}): Problem[] {
  const version = isObject(model) ? member(model, "zarr_format") : undefined;
  const own = schema === undefined ? (version === 2 ? schemaV2 : schemaV3) : schema;
  if (!isObject(own) && typeof own !== "boolean") refuse("validate: schema", schema, "a JSON Schema");
  const run = new Run(own, maxSteps);
  const problems: Problem[] = [];
  run.apply({ schema: own, at: "" }, model, undefined, problems);
  return problems;
}

/** A schema, and where it is in the document. */
interface At {
  schema: Json;
  at: string;
}

/** Where a value is in the model. */
interface Path {
  name: string | number;
  above: Path | undefined;
}

/** The references that were followed since the value was reached. */
interface Followed {
  schema: Json;
  before: Followed | undefined;
}

type Kind =
  | "schema"
  | "schemas"
  | "named"
  | "count"
  | "number"
  | "positive"
  | "names"
  | "namesBy"
  | "type"
  | "list"
  | "any"
  | "flag"
  | "text"
  | "ignored";

const kinds: Readonly<Record<Kind, readonly string[]>> = {
  schema: ["not", "if", "then", "else", "additionalProperties", "propertyNames", "items", "contains"],
  schemas: ["allOf", "anyOf", "oneOf", "prefixItems"],
  named: ["properties", "patternProperties", "dependentSchemas", "$defs", "definitions"],
  count: [
    "minLength",
    "maxLength",
    "minItems",
    "maxItems",
    "minContains",
    "maxContains",
    "minProperties",
    "maxProperties",
  ],
  number: ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"],
  positive: ["multipleOf"],
  names: ["required"],
  namesBy: ["dependentRequired"],
  type: ["type"],
  list: ["enum"],
  any: ["const"],
  flag: ["uniqueItems"],
  text: ["pattern", "$ref", "$schema", "$id"],
  ignored: [
    "$comment",
    "title",
    "description",
    "default",
    "examples",
    "deprecated",
    "readOnly",
    "writeOnly",
    "format",
    "contentEncoding",
    "contentMediaType",
    "contentSchema",
  ],
};
const kindOf: ReadonlyMap<string, Kind> = /* @__PURE__ */ new Map(
  /* @__PURE__ */ Object.entries(kinds).flatMap(([kind, names]) => names.map((name) => [name, kind as Kind] as const)),
);

const types = ["null", "boolean", "object", "array", "number", "string", "integer"];

const texts = (value: Json): boolean => isList(value) && value.every((one) => typeof one === "string");
const isNumber = (value: Json): value is number | bigint => typeof value === "bigint" || typeof value === "number";
const isInteger = (value: Json): boolean => typeof value === "bigint" || Number.isInteger(value);

/** What the value of a keyword has to be, and how a message says it. */
const wanted: Readonly<Record<Exclude<Kind, "ignored">, readonly [is: (value: Json) => boolean, expected: string]>> = {
  schema: [(value) => isObject(value) || typeof value === "boolean", "a schema"],
  schemas: [(value) => isList(value) && value.length > 0, "a list of schemas"],
  named: [isObject, "an object of schemas"],
  count: [(value) => isInteger(value) && (value as number) >= 0, "an integer, at least 0"],
  number: [(value) => isNumber(value) && !Number.isNaN(value), "a number"],
  positive: [(value) => isNumber(value) && value > 0 && value !== Number.POSITIVE_INFINITY, "a number above 0"],
  names: [texts, "a list of names"],
  namesBy: [(value) => isObject(value) && membersOf(value).every(([, names]) => texts(names)), "lists of names"],
  type: [
    (value) => {
      const names = isList(value) ? value : [value];
      return names.length > 0 && names.every((name) => types.includes(name as string));
    },
    "a type, or a list of types",
  ],
  list: [isList, "a list"],
  any: [() => true, ""],
  flag: [(value) => typeof value === "boolean", "true or false"],
  text: [(value) => typeof value === "string", "a text"],
};

class Run {
  readonly #root: JsonObject | boolean;
  readonly #max: number;
  readonly #patterns = new Map<string, Pattern>();
  readonly #references = new Map<string, At>();
  readonly #read = new Set<Json>();
  /** What values that schemas hold are compared by. */
  readonly #texts = new Map<Json, string>();
  #steps = 0;

  constructor(root: JsonObject | boolean, max: number) {
    this.#root = root;
    this.#max = max;
    this.#check({ schema: root, at: "" }, 0);
  }

  #count = (steps: number): void => {
    this.#steps += steps;
    if (this.#steps <= this.#max) return;
    throw new LimitError(`validation takes more than ${this.#max} steps`, { limit: "maxSteps", max: this.#max });
  };

  /** Reads a schema and what it holds and refers to. */
  #check({ schema, at }: At, depth: number): void {
    checkDepth(depth);
    this.#count(1);
    if (!isObject(schema)) {
      if (typeof schema !== "boolean") throw invalidSchema(at, "it is no schema");
      return;
    }
    if (this.#read.has(schema)) return;
    this.#read.add(schema);
    const below = (one: Json, ...names: (string | number)[]) =>
      this.#check({ schema: one, at: at + names.map(step).join("") }, depth + 1);
    for (const [name, value] of membersOf(schema)) {
      const kind = kindOf.get(name);
      if (kind === undefined) {
        if (name.startsWith("x-")) continue;
        throw unsupported(at, `the keyword ${name}`);
      }
      if (kind === "ignored") continue;
      const [is, expected] = wanted[kind];
      if (!is(value)) throw invalidSchema(at + step(name), `${expected} expected`);
      if (kind === "schema") below(value, name);
      else if (kind === "schemas") (value as Json[]).forEach((one, i) => void below(one, name, i));
      else if (kind === "named") for (const [key, one] of membersOf(value as JsonObject)) below(one, name, key);
      if (name === "pattern") this.#pattern(value as string, at);
      else if (name === "patternProperties") for (const key of Object.keys(value as object)) this.#pattern(key, at);
      else if (name === "$schema") {
        if (!/^https?:\/\/json-schema\.org\/draft\/2020-12\/schema#?$/.test(value as string)) {
          throw unsupported(at, `the draft ${value} of JSON Schema`);
        }
      } else if (name === "$id" && at !== "") throw unsupported(at, "a $id below the schema's root");
      else if (name === "$ref") this.#check(this.#target(value as string, at), depth + 1);
    }
  }

  #pattern(source: string, at: string): Pattern {
    let pattern = this.#patterns.get(source);
    if (pattern) return pattern;
    try {
      pattern = new Pattern(source);
    } catch (error) {
      if (error instanceof ZarrError) throw error;
      throw invalidSchema(at, (error as Error).message);
    }
    this.#patterns.set(source, pattern);
    return pattern;
  }

  /** What a reference leads to. */
  #target(reference: string, at: string): At {
    const known = this.#references.get(reference);
    if (known) return known;
    if (!reference.startsWith("#")) throw unsupported(at, `the reference ${reference}, to another document`);
    if (!/^#(?:\/|$)/.test(reference)) throw unsupported(at, `the reference ${reference}, which is no JSON Pointer`);
    let found: Json | undefined = this.#root;
    try {
      for (const part of decodeURIComponent(reference.slice(1)).split("/").slice(1)) {
        const name = part.replaceAll("~1", "/").replaceAll("~0", "~");
        found = isList(found) ? found[Number(name)] : isObject(found) ? member(found, name) : undefined;
      }
    } catch {
      found = undefined;
    }
    if (!isObject(found) && typeof found !== "boolean") {
      throw invalidSchema(at, `the reference ${reference} leads to no schema`);
    }
    const target = { schema: found, at: reference.slice(1) };
    this.#references.set(reference, target);
    return target;
  }

  #textOf(value: Json): string {
    if (typeof value !== "object" || value === null) return canonical(value);
    const known = this.#texts.get(value);
    if (known !== undefined) return known;
    const text = canonical(value);
    this.#count(text.length >> 4);
    this.#texts.set(value, text);
    return text;
  }

  /** Whether a value is valid. */
  #holds(schema: At, value: Json, path: Path | undefined, followed: Followed | undefined, depth: number): Problem[] {
    const problems: Problem[] = [];
    this.apply(schema, value, path, problems, followed, depth);
    return problems;
  }

  /** Adds what is wrong with a value. */
  apply(
    { schema, at }: At,
    value: Json,
    path: Path | undefined,
    problems: Problem[],
    followed?: Followed,
    depth = 0,
  ): void {
    checkDepth(depth);
    this.#count(1);
    const problem = (keyword: string, message: string) => {
      if (problems.length < maxProblems) {
        problems.push({ path: pointerOf(path), keyword, schemaPath: at + (keyword && step(keyword)), message });
      }
    };
    if (!isObject(schema)) {
      if (schema === false) problem("", "nothing may be here");
      return;
    }
    const has = (name: string) => member(schema, name);
    const below = (one: Json, ...names: (string | number)[]): At => ({
      schema: one,
      at: at + names.map(step).join(""),
    });
    const here = (one: At): Problem[] => this.#holds(one, value, path, followed, depth + 1);
    const child = (one: At, name: string | number, inner: Json) =>
      this.apply(one, inner, { name, above: path }, problems, undefined, depth + 1);

    const reference = has("$ref");
    if (reference !== undefined) {
      for (let one = followed; one; one = one.before) {
        if (one.schema === schema) throw invalidSchema(at, `the reference ${reference} leads back to itself`);
      }
      const target = this.#target(reference as string, at);
      this.apply(target, value, path, problems, { schema, before: followed }, depth + 1);
    }

    const type = has("type");
    if (type !== undefined) {
      const names = (isList(type) ? type : [type]) as string[];
      if (!names.some((name) => isOfType(value, name))) problem("type", `${names.join(" or ")} expected`);
    }
    const constant = has("const");
    if (constant !== undefined && this.#textOf(constant) !== this.#textOf(value)) {
      problem("const", `${short(constant)} expected, not ${short(value)}`);
    }
    const list = has("enum") as readonly Json[] | undefined;
    if (list) {
      const text = this.#textOf(value);
      this.#count(list.length);
      if (!list.some((one) => this.#textOf(one) === text)) {
        problem("enum", `one of ${list.slice(0, 8).map(short).join(", ")} expected, not ${short(value)}`);
      }
    }

    for (const [i, one] of ((has("allOf") ?? []) as readonly Json[]).entries()) {
      this.apply(below(one, "allOf", i), value, path, problems, followed, depth + 1);
    }
    for (const keyword of ["anyOf", "oneOf"]) {
      const branches = has(keyword) as readonly Json[] | undefined;
      if (!branches) continue;
      let [holding, best]: [number, Problem[] | undefined] = [0, undefined];
      for (const [i, one] of branches.entries()) {
        const wrong = here(below(one, keyword, i));
        if (wrong.length === 0) holding++;
        else if (!best || wrong.length < best.length) best = wrong;
        if (holding > (keyword === "anyOf" ? 0 : 1)) break;
      }
      if (holding > 1) problem(keyword, "more than one branch holds");
      else if (holding === 0 && best) problems.push(...best.slice(0, maxProblems - problems.length));
    }
    const not = has("not");
    if (not !== undefined && here(below(not, "not")).length === 0) problem("not", "what may not be is so");
    const condition = has("if");
    if (condition !== undefined) {
      const branch = here(below(condition, "if")).length === 0 ? "then" : "else";
      const one = has(branch);
      if (one !== undefined) this.apply(below(one, branch), value, path, problems, followed, depth + 1);
    }

    const bound = (keyword: string, holds: (limit: number | bigint) => boolean, what: string) => {
      const limit = has(keyword) as number | bigint | undefined;
      if (limit !== undefined && !holds(limit)) problem(keyword, `${what} ${limit}`);
    };
    const between = (of: string, size: number, things: string) => {
      bound(`min${of}`, (limit) => size >= limit, `${size} ${things}, fewer than`);
      bound(`max${of}`, (limit) => size <= limit, `${size} ${things}, more than`);
    };
    if (isNumber(value)) {
      bound("minimum", (limit) => value >= limit, `${value} is less than`);
      bound("maximum", (limit) => value <= limit, `${value} is more than`);
      bound("exclusiveMinimum", (limit) => value > limit, `${value} is not more than`);
      bound("exclusiveMaximum", (limit) => value < limit, `${value} is not less than`);
      bound("multipleOf", (limit) => isMultiple(value, limit), `${value} is no multiple of`);
    } else if (typeof value === "string") {
      if (has("minLength") !== undefined || has("maxLength") !== undefined) {
        this.#count(value.length >> 4);
        between("Length", Array.from(value).length, "characters");
      }
      const pattern = has("pattern") as string | undefined;
      if (pattern !== undefined && !this.#pattern(pattern, at).test(value, this.#count)) {
        problem("pattern", `${short(value)} does not match ${pattern}`);
      }
    } else if (isList(value)) {
      between("Items", value.length, "items");
      const first = (has("prefixItems") ?? []) as readonly Json[];
      const items = has("items");
      for (const [i, one] of value.entries()) {
        const schemaOf = i < first.length ? first[i] : items;
        if (schemaOf === undefined) continue;
        child(i < first.length ? below(schemaOf, "prefixItems", i) : below(schemaOf, "items"), i, one);
      }
      const contained = has("contains");
      if (contained !== undefined) {
        const [min, max] = [has("minContains") ?? 1, has("maxContains")] as [number, number | undefined];
        let found = 0;
        for (const [i, one] of value.entries()) {
          const wrong = this.#holds(below(contained, "contains"), one, { name: i, above: path }, undefined, depth + 1);
          if (wrong.length === 0) found++;
        }
        if (found < min) problem("contains", `${found} items are as they have to be, fewer than ${min}`);
        if (max !== undefined && found > max) problem("maxContains", `${found} items are so, more than ${max}`);
      }
      if (has("uniqueItems") === true && new Set(value.map((one) => this.#textOf(one))).size < value.length) {
        problem("uniqueItems", "two items are the same");
      }
    } else if (isObject(value)) {
      const members = membersOf(value);
      const names = new Set(members.map(([name]) => name));
      between("Properties", members.length, "members");
      const require = (keyword: string, wanted: readonly Json[]) => {
        this.#count(wanted.length);
        for (const name of wanted as readonly string[]) if (!names.has(name)) problem(keyword, `${name} is missing`);
      };
      require("required", (has("required") ?? []) as readonly Json[]);
      for (const [name, wanted] of membersOf((has("dependentRequired") ?? {}) as JsonObject)) {
        if (names.has(name)) require("dependentRequired", wanted as readonly Json[]);
      }
      for (const [name, one] of membersOf((has("dependentSchemas") ?? {}) as JsonObject)) {
        if (!names.has(name)) continue;
        this.apply(below(one, "dependentSchemas", name), value, path, problems, followed, depth + 1);
      }
      const properties = (has("properties") ?? {}) as JsonObject;
      const patterns = membersOf((has("patternProperties") ?? {}) as JsonObject);
      const additional = has("additionalProperties");
      const named = has("propertyNames");
      for (const [name, one] of members) {
        this.#count(1);
        let known = false;
        const property = member(properties, name);
        if (property !== undefined) {
          known = true;
          child(below(property, "properties", name), name, one);
        }
        for (const [source, schemaOf] of patterns) {
          if (!this.#pattern(source, at).test(name, this.#count)) continue;
          known = true;
          child(below(schemaOf, "patternProperties", source), name, one);
        }
        if (additional === false && !known) problem("additionalProperties", `${name} is not known`);
        else if (additional !== undefined && !known) child(below(additional, "additionalProperties"), name, one);
        if (named !== undefined) child(below(named, "propertyNames"), name, name);
      }
    }
  }
}

function isOfType(value: Json, name: string): boolean {
  switch (name) {
    case "null":
      return value === null;
    case "array":
      return isList(value);
    case "object":
      return isObject(value);
    case "integer":
      return isInteger(value);
    case "number":
      return isNumber(value);
    case "boolean":
      return typeof value === "boolean";
    default:
      return typeof value === "string";
  }
}

/** Whether a number is a multiple of another, both as they are written. */
function isMultiple(value: number | bigint, of: number | bigint): boolean {
  const [a, b] = [decimal(value), decimal(of)];
  if (!a || !b) return false;
  const exponent = Math.min(a.exponent, b.exponent);
  const scaled = ({ digits, exponent: own }: Decimal) => digits * 10n ** BigInt(own - exponent);
  return scaled(a) % scaled(b) === 0n;
}

interface Decimal {
  digits: bigint;
  exponent: number;
}

function decimal(value: number | bigint): Decimal | undefined {
  const [, integer = "", fraction = "", exponent = "0"] =
    /^(-?\d+)(?:\.(\d+))?(?:e([+-]\d+))?$/.exec(String(value)) ?? [];
  if (!integer) return undefined;
  return { digits: BigInt(integer + fraction), exponent: Number(exponent) - fraction.length };
}

function pointerOf(path: Path | undefined): string {
  const steps: string[] = [];
  for (let at = path; at; at = at.above) steps.push(step(at.name));
  return steps.reverse().join("");
}

/** A name of a JSON Pointer. */
function step(name: string | number): string {
  return `/${String(name).replaceAll("~", "~0").replaceAll("/", "~1")}`;
}

/** A value in a message. */
function short(value: Json): string {
  const text = canonical(value);
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}

function invalidSchema(at: string, why: string): InvalidMetadataError {
  return new InvalidMetadataError(`the schema at #${at}: ${why}`, { path: `#${at}` });
}

function unsupported(at: string, feature: string): UnsupportedError {
  return new UnsupportedError(`unsupported in the schema at #${at}: ${feature}`, { path: `#${at}`, feature });
}

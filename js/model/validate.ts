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
  const problems: Wrong[] = [];
  run.apply({ schema: own, above: "" }, model, undefined, problems);
  return problems.map(told);
}

/** A schema, and where it is in the document: at a pointer, or below a keyword of another one, or below a name or number there. */
interface At {
  schema: Json;
  above: At | string;
  keyword?: string;
  name?: string | number | undefined;
}

/** A problem whose places are not written yet: most are of branches that need not hold. */
interface Wrong {
  path: Path | undefined;
  at: At;
  keyword: string;
  message: string;
}

function told({ path, at, keyword, message }: Wrong): Problem {
  return { path: pointerOf(path), keyword, schemaPath: placeOf(at) + (keyword && step(keyword)), message };
}

function placeOf({ above, keyword, name }: At): string {
  if (typeof above === "string") return above;
  return placeOf(above) + step(keyword ?? "") + (name === undefined ? "" : step(name));
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

/** The keywords of a schema. */
interface Keywords {
  [name: string]: Json | undefined;
}

/** What one validation knows. */
class Run {
  readonly #root: JsonObject | boolean;
  readonly #max: number;
  readonly #patterns = new Map<string, Pattern>();
  readonly #found = new Map<Pattern, Map<string, boolean>>();
  readonly #references = new Map<string, At>();
  /** The keywords of the schemas that were read. */
  readonly #keywords = new Map<Json, Keywords>();
  /** What values that schemas hold are compared by. */
  readonly #texts = new Map<Json, string>();
  #steps = 0;

  constructor(root: JsonObject | boolean, max: number) {
    this.#root = root;
    this.#max = max;
    this.#check({ schema: root, above: "" }, 0);
  }

  /** Counts steps. */
  readonly count = (steps: number): void => {
    this.#steps += steps;
    if (this.#steps <= this.#max) return;
    throw new LimitError(`validation takes more than ${this.#max} steps`, { limit: "maxSteps", max: this.#max });
  };

  /** Reads a schema and what it holds and refers to. */
  #check(at: At, depth: number): void {
    const { schema } = at;
    checkDepth(depth);
    this.count(1);
    if (!isObject(schema)) {
      if (typeof schema !== "boolean") throw invalidSchema(placeOf(at), "it is no schema");
      return;
    }
    if (this.#keywords.has(schema)) return;
    this.#keywords.set(schema, Object.assign(Object.create(null), schema));
    const below = (one: Json, keyword: string, name?: string | number) =>
      this.#check({ schema: one, above: at, keyword, name }, depth + 1);
    for (const [name, value] of membersOf(schema)) {
      const kind = kindOf.get(name);
      if (kind === undefined) {
        if (name.startsWith("x-")) continue;
        throw unsupported(placeOf(at), `the keyword ${name}`);
      }
      if (kind === "ignored") continue;
      const [is, expected] = wanted[kind];
      if (!is(value)) throw invalidSchema(placeOf(at) + step(name), `${expected} expected`);
      if (kind === "schema") below(value, name);
      else if (kind === "schemas") (value as Json[]).forEach((one, i) => void below(one, name, i));
      else if (kind === "named") for (const [key, one] of membersOf(value as JsonObject)) below(one, name, key);
      if (name === "pattern") this.#pattern(value as string, at);
      else if (name === "patternProperties") for (const key of Object.keys(value as object)) this.#pattern(key, at);
      else if (name === "$schema") {
        if (!/^https?:\/\/json-schema\.org\/draft\/2020-12\/schema#?$/.test(value as string)) {
          throw unsupported(placeOf(at), `the draft ${value} of JSON Schema`);
        }
      } else if (name === "$id" && placeOf(at) !== "") throw unsupported(placeOf(at), "a $id below the schema's root");
      else if (name === "$ref") this.#check(this.target(value as string, at), depth + 1);
    }
  }

  #pattern(source: string, at: At): Pattern {
    let pattern = this.#patterns.get(source);
    if (pattern) return pattern;
    try {
      pattern = new Pattern(source);
    } catch (error) {
      if (error instanceof ZarrError) throw error;
      throw invalidSchema(placeOf(at), (error as Error).message);
    }
    this.#patterns.set(source, pattern);
    return pattern;
  }

  /** Whether a pattern matches. Names come again and again: what was found of short ones is kept. */
  matches(source: string, text: string, at: At): boolean {
    const pattern = this.#pattern(source, at);
    let found = this.#found.get(pattern);
    if (!found) {
      found = new Map();
      this.#found.set(pattern, found);
    }
    const known = found.get(text);
    if (known !== undefined) return known;
    const matches = pattern.test(text, this.count);
    if (text.length <= 64 && found.size < 1000) found.set(text, matches);
    return matches;
  }

  /** What a reference leads to. */
  target(reference: string, at: At): At {
    const known = this.#references.get(reference);
    if (known) return known;
    if (!reference.startsWith("#")) throw unsupported(placeOf(at), `the reference ${reference}, to another document`);
    if (!/^#(?:\/|$)/.test(reference))
      throw unsupported(placeOf(at), `the reference ${reference}, which is no JSON Pointer`);
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
      throw invalidSchema(placeOf(at), `the reference ${reference} leads to no schema`);
    }
    const target = { schema: found, above: decodeURIComponent(reference.slice(1)) };
    this.#references.set(reference, target);
    return target;
  }

  /** What values are compared by. */
  textOf(value: Json): string {
    if (typeof value !== "object" || value === null) return canonical(value);
    const known = this.#texts.get(value);
    if (known !== undefined) return known;
    const text = canonical(value);
    this.count(text.length >> 4);
    this.#texts.set(value, text);
    return text;
  }

  /** What is wrong with a value, apart from the problems that are reported. */
  wrong(at: At, value: Json, path: Path | undefined, followed: Followed | undefined, depth: number): Wrong[] {
    const problems: Wrong[] = [];
    this.apply(at, value, path, problems, followed, depth);
    return problems;
  }

  /** Adds what is wrong with a value. */
  apply(at: At, value: Json, path: Path | undefined, problems: Wrong[], followed?: Followed, depth = 0): void {
    checkDepth(depth);
    this.count(1);
    const keywords = this.#keywords.get(at.schema);
    if (keywords) new Call(this, at, keywords, value, path, problems, followed, depth).run();
    else if (at.schema === false && problems.length < maxProblems) {
      problems.push({ path, at, keyword: "", message: "nothing may be here" });
    }
  }
}

/** One schema at one value. */
class Call {
  readonly #run: Run;
  readonly #at: At;
  readonly #has: Keywords;
  readonly #value: Json;
  readonly #path: Path | undefined;
  readonly #problems: Wrong[];
  readonly #followed: Followed | undefined;
  readonly #depth: number;

  constructor(
    run: Run,
    at: At,
    has: Keywords,
    value: Json,
    path: Path | undefined,
    problems: Wrong[],
    followed: Followed | undefined,
    depth: number,
  ) {
    this.#run = run;
    this.#at = at;
    this.#has = has;
    this.#value = value;
    this.#path = path;
    this.#problems = problems;
    this.#followed = followed;
    this.#depth = depth;
  }

  run(): void {
    const value = this.#value;
    if (this.#has.$ref !== undefined) this.#reference(this.#has.$ref as string);
    this.#values();
    this.#branches();
    if (isNumber(value)) this.#numbers(value);
    else if (typeof value === "string") this.#texts(value);
    else if (isList(value)) this.#items(value);
    else if (isObject(value)) this.#members(value);
  }

  #problem(keyword: string, message: string): void {
    if (this.#problems.length < maxProblems) {
      this.#problems.push({ path: this.#path, at: this.#at, keyword, message });
    }
  }

  #below(schema: Json, keyword: string, name?: string | number): At {
    return { schema, above: this.#at, keyword, name };
  }

  /** Applies another schema to the value. */
  #here(at: At, followed = this.#followed): void {
    this.#run.apply(at, this.#value, this.#path, this.#problems, followed, this.#depth + 1);
  }

  /** What another schema has against the value. */
  #against(at: At): Wrong[] {
    return this.#run.wrong(at, this.#value, this.#path, this.#followed, this.#depth + 1);
  }

  /** Applies a schema to what the value holds. */
  #child(at: At, name: string | number, value: Json): void {
    this.#run.apply(at, value, { name, above: this.#path }, this.#problems, undefined, this.#depth + 1);
  }

  #reference(reference: string): void {
    const { schema } = this.#at;
    for (let one = this.#followed; one; one = one.before) {
      if (one.schema === schema) {
        throw invalidSchema(placeOf(this.#at), `the reference ${reference} leads back to itself`);
      }
    }
    this.#here(this.#run.target(reference, this.#at), { schema, before: this.#followed });
  }

  #values(): void {
    const { type, const: constant, enum: list } = this.#has;
    const value = this.#value;
    if (type !== undefined) {
      const names = (isList(type) ? type : [type]) as string[];
      if (!names.some((name) => isOfType(value, name))) this.#problem("type", `${names.join(" or ")} expected`);
    }
    if (constant !== undefined && this.#run.textOf(constant) !== this.#run.textOf(value)) {
      this.#problem("const", `${short(constant)} expected, not ${short(value)}`);
    }
    if (isList(list)) {
      const text = this.#run.textOf(value);
      this.#run.count(list.length);
      if (!list.some((one) => this.#run.textOf(one) === text)) {
        const known = list.slice(0, 8).map(short).join(", ");
        this.#problem("enum", `one of ${known} expected, not ${short(value)}`);
      }
    }
  }

  #branches(): void {
    const { allOf, anyOf, oneOf, not, if: condition } = this.#has;
    if (isList(allOf)) for (const [i, one] of allOf.entries()) this.#here(this.#below(one, "allOf", i));
    if (isList(anyOf)) this.#some("anyOf", anyOf, 0);
    if (isList(oneOf)) this.#some("oneOf", oneOf, 1);
    if (not !== undefined && this.#against(this.#below(not, "not")).length === 0) {
      this.#problem("not", "what may not be is so");
    }
    if (condition !== undefined) {
      const branch = this.#against(this.#below(condition, "if")).length === 0 ? "then" : "else";
      const one = this.#has[branch];
      if (one !== undefined) this.#here(this.#below(one, branch));
    }
  }

  /** Branches of which one has to hold; more are looked at than `enough` hold. */
  #some(keyword: string, branches: readonly Json[], enough: number): void {
    let holding = 0;
    let best: Wrong[] | undefined;
    for (const [i, one] of branches.entries()) {
      const wrong = this.#against(this.#below(one, keyword, i));
      if (wrong.length === 0) holding++;
      else if (!best || wrong.length < best.length) best = wrong;
      if (holding > enough) break;
    }
    if (holding > 1) this.#problem(keyword, "more than one branch holds");
    else if (holding === 0 && best) this.#problems.push(...best.slice(0, maxProblems - this.#problems.length));
  }

  #numbers(value: number | bigint): void {
    const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = this.#has as Record<string, Limit>;
    if (minimum !== undefined && !(value >= minimum)) this.#problem("minimum", `${value} is less than ${minimum}`);
    if (maximum !== undefined && !(value <= maximum)) this.#problem("maximum", `${value} is more than ${maximum}`);
    if (exclusiveMinimum !== undefined && !(value > exclusiveMinimum)) {
      this.#problem("exclusiveMinimum", `${value} is not more than ${exclusiveMinimum}`);
    }
    if (exclusiveMaximum !== undefined && !(value < exclusiveMaximum)) {
      this.#problem("exclusiveMaximum", `${value} is not less than ${exclusiveMaximum}`);
    }
    if (multipleOf !== undefined && !isMultiple(value, multipleOf)) {
      this.#problem("multipleOf", `${value} is no multiple of ${multipleOf}`);
    }
  }

  /** Checks a size. */
  #between(of: string, size: number, things: string): void {
    const [min, max] = [this.#has[`min${of}`], this.#has[`max${of}`]] as [Limit, Limit];
    if (min !== undefined && size < min) this.#problem(`min${of}`, `${size} ${things}, fewer than ${min}`);
    if (max !== undefined && size > max) this.#problem(`max${of}`, `${size} ${things}, more than ${max}`);
  }

  #texts(value: string): void {
    const { minLength, maxLength, pattern } = this.#has;
    if (minLength !== undefined || maxLength !== undefined) {
      this.#run.count(value.length >> 4);
      this.#between("Length", Array.from(value).length, "characters");
    }
    if (pattern !== undefined && !this.#run.matches(pattern as string, value, this.#at)) {
      this.#problem("pattern", `${short(value)} does not match ${pattern}`);
    }
  }

  #items(value: readonly Json[]): void {
    const { prefixItems = [], items, contains, uniqueItems } = this.#has;
    this.#between("Items", value.length, "items");
    const first = prefixItems as readonly Json[];
    for (const [i, one] of value.entries()) {
      const own = first[i];
      if (own !== undefined) this.#child(this.#below(own, "prefixItems", i), i, one);
      else if (items !== undefined) this.#child(this.#below(items, "items"), i, one);
    }
    if (contains !== undefined) this.#contained(value, this.#below(contains, "contains"));
    if (uniqueItems === true && new Set(value.map((one) => this.#run.textOf(one))).size < value.length) {
      this.#problem("uniqueItems", "two items are the same");
    }
  }

  #contained(value: readonly Json[], at: At): void {
    const { minContains = 1, maxContains } = this.#has as Record<string, Limit>;
    let found = 0;
    for (const [name, one] of value.entries()) {
      const wrong = this.#run.wrong(at, one, { name, above: this.#path }, undefined, this.#depth + 1);
      if (wrong.length === 0) found++;
    }
    if (found < minContains) {
      this.#problem("contains", `${found} items are as they have to be, fewer than ${minContains}`);
    }
    if (maxContains !== undefined && found > maxContains) {
      this.#problem("maxContains", `${found} items are so, more than ${maxContains}`);
    }
  }

  /** Reports names that the value does not have. */
  #require(keyword: string, wanted: readonly Json[], value: JsonObject): void {
    this.#run.count(wanted.length);
    for (const name of wanted as readonly string[]) {
      if (member(value, name) === undefined) this.#problem(keyword, `${name} is missing`);
    }
  }

  #members(value: JsonObject): void {
    const { required, dependentRequired, dependentSchemas } = this.#has;
    const { properties, patternProperties, additionalProperties, propertyNames } = this.#has;
    const members = membersOf(value);
    this.#between("Properties", members.length, "members");
    if (required !== undefined) this.#require("required", required as readonly Json[], value);
    for (const [name, wanted] of membersOf((dependentRequired ?? {}) as JsonObject)) {
      if (member(value, name) === undefined) continue;
      this.#require("dependentRequired", wanted as readonly Json[], value);
    }
    for (const [name, one] of membersOf((dependentSchemas ?? {}) as JsonObject)) {
      if (member(value, name) !== undefined) this.#here(this.#below(one, "dependentSchemas", name));
    }
    this.#run.count(members.length);
    const patterns = patternProperties === undefined ? [] : membersOf(patternProperties as JsonObject);
    for (const [name, one] of members) {
      const property = properties === undefined ? undefined : member(properties as JsonObject, name);
      let known = property !== undefined;
      if (property !== undefined) this.#child(this.#below(property, "properties", name), name, one);
      for (const [source, schema] of patterns) {
        if (!this.#run.matches(source, name, this.#at)) continue;
        known = true;
        this.#child(this.#below(schema, "patternProperties", source), name, one);
      }
      if (!known && additionalProperties === false) this.#problem("additionalProperties", `${name} is not known`);
      else if (!known && additionalProperties !== undefined) {
        this.#child(this.#below(additionalProperties, "additionalProperties"), name, one);
      }
      if (propertyNames !== undefined) this.#child(this.#below(propertyNames, "propertyNames"), name, name);
    }
  }
}

type Limit = number | bigint | undefined;

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

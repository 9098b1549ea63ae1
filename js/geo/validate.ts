import { isObject, items, member, number, numbers, shown, sizes, text } from "../shared/attributes.js";
import { type Affine, isInvertible, pixelSizeOf } from "./affine.js";
import { type KnownConvention, knownConvention } from "./conventions.js";
import { boundsOf } from "./facts.js";

/** A violation of a specification of the registry. */
export interface Violation {
  /** The specification: a convention, or `zarr_conventions` itself. */
  convention: "zarr_conventions" | KnownConvention;
  /** The attribute and the position in it: `"multiscales/layout/0/asset"`. */
  attribute: string;
  /** The section of the specification. */
  section: string;
  /**
   * `"error"` for a broken demand (MUST, "required", a type). `"warning"` for a broken
   * recommendation (SHOULD) or a contradiction.
   */
  level: "error" | "warning";
  /** The demand and the actual value. */
  message: string;
}

/**
 * Properties of a node for the validator, apart from its attributes. Arrays and groups of this
 * package have them.
 */
export interface NodeFacts {
  /** The kind of the node. */
  readonly kind?: "array" | "group" | undefined;
  /** The names of an array's dimensions. */
  readonly dimensionNames?: readonly (string | null)[] | undefined;
  /** The shape of an array. */
  readonly shape?: readonly number[] | undefined;
}

/**
 * Checks attributes against the Zarr Conventions Specification and the conventions `spatial`,
 * `proj` and `multiscales`. A convention is checked if `zarr_conventions` declares it or its
 * properties are present. Rules for arrays or groups only are checked if `node` states the kind.
 *
 * @example
 * for (const { attribute, message } of validate(array.attrs, array)) {
 *   console.log(attribute, message);
 * }
 */
export function validate(attributes: unknown, node: NodeFacts = {}): Violation[] {
  const found: Violation[] = [];
  const declared = conventions(attributes, reporter(found, "zarr_conventions"));
  const levels = items(member(member(attributes, "multiscales"), "layout"));
  const keys = [attributes, ...levels].flatMap((one) => (isObject(one) ? Object.keys(one) : []));
  const used: Record<KnownConvention, boolean> = {
    spatial: keys.some((key) => key.startsWith("spatial:")),
    proj: keys.some((key) => key.startsWith("proj:")),
    multiscales: member(member(attributes, "multiscales"), "layout") !== undefined,
  };
  const rules = { spatial, proj, multiscales: layout };
  for (const name of Object.keys(rules) as KnownConvention[]) {
    if (used[name] && !declared.has(name)) {
      const say = reporter(found, "zarr_conventions");
      say("zarr_conventions", "Requirements", `MUST declare ${name}, because its properties are present`);
    }
    if (used[name] || declared.has(name)) rules[name](attributes, node, reporter(found, name));
  }
  return found;
}

type Say = (attribute: string, section: string, message: string, level?: Violation["level"]) => void;

function reporter(found: Violation[], convention: Violation["convention"]): Say {
  return (attribute, section, message, level = "error") => {
    found.push({ convention, attribute, section, level, message });
  };
}

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Checks the Convention Metadata Objects. Returns the known conventions that they declare. */
function conventions(attributes: unknown, say: Say): Set<KnownConvention> {
  const declared = new Set<KnownConvention>();
  const list = member(attributes, "zarr_conventions");
  const section = "Convention Registration via zarr_conventions";
  if (list === undefined) return declared;
  if (!Array.isArray(list)) {
    say("zarr_conventions", section, `MUST be an array of Convention Metadata Objects, not ${shown(list)}`);
    return declared;
  }
  for (const [i, entry] of list.entries()) {
    const at = `zarr_conventions/${i}`;
    if (!isObject(entry)) {
      say(at, section, `MUST be an object, not ${shown(entry)}`);
      continue;
    }
    const { uuid: id, schema_url, spec_url, name, description, ...others } = entry;
    if (id === undefined && schema_url === undefined && spec_url === undefined) {
      say(at, section, "MUST have at least one of uuid, schema_url and spec_url");
    }
    for (const [field, value] of Object.entries({ uuid: id, schema_url, spec_url, name, description })) {
      if (value === undefined) continue;
      if (typeof value !== "string") say(`${at}/${field}`, section, `must be a string, not ${shown(value)}`);
      else if (field === "uuid" && !uuid.test(value)) say(`${at}/uuid`, section, `must be a UUID, not ${shown(value)}`);
    }
    for (const field of Object.keys(others))
      say(`${at}/${field}`, section, "MUST NOT be present: the object has no other fields");
    if (name === undefined) say(`${at}/name`, section, "SHOULD be present", "warning");
    const known = knownConvention(entry);
    if (known) declared.add(known);
  }
  return declared;
}

/** Checks the properties of spatial, and those in a layout. */
function spatial(attributes: unknown, { kind, dimensionNames, shape }: NodeFacts, say: Say): void {
  const get = (name: string) => member(attributes, `spatial:${name}`);
  const dimensions = get("dimensions");
  const names = items(dimensions).filter((name) => typeof name === "string");
  const section = "spatial:dimensions";
  if (dimensions === undefined) {
    if (kind === "array") say(section, section, "is required on arrays");
  } else if (!Array.isArray(dimensions) || dimensions.length !== 2 || names.length !== 2) {
    say(section, section, `must be the names of two dimensions, not ${shown(dimensions)}`);
  } else if (kind === "array") {
    for (const name of names) {
      if (!dimensionNames?.includes(name)) {
        say(
          section,
          section,
          `MUST match names of dimension_names: ${shown(name)} is not one of ${shown(dimensionNames ?? null)}`,
        );
      }
    }
  }
  const box = get("bbox");
  if (box !== undefined && !boundsOf(box)) {
    say("spatial:bbox", "spatial:bbox", `must be [xmin, ymin, xmax, ymax], not ${shown(box)}`);
  }
  const type = get("transform_type");
  if (type !== undefined && typeof type !== "string") {
    say("spatial:transform_type", "spatial:transform_type", `must be a string, not ${shown(type)}`);
  }
  const transform = get("transform");
  const affine = type === undefined || type === "affine";
  if (transform !== undefined) checkTransform("spatial:transform", transform, say);
  else if (affine && kind === "array") {
    say("spatial:transform", "spatial:transform", "is required if spatial:transform_type is affine or omitted");
  }
  const sized = get("shape");
  if (sized !== undefined) checkShape("spatial:shape", sized, say);
  const places = names.map((name) => dimensionNames?.indexOf(name as string) ?? -1);
  const own = places.map((i) => shape?.[i]);
  if (kind === "array" && sizes(sized) && names.length === 2 && !own.includes(undefined) && `${own}` !== `${sized}`) {
    say("spatial:shape", "spatial:shape", `is ${shown(sized)}, but the array has ${shown(own)}`);
  }
  const registration = get("registration");
  if (registration !== undefined && registration !== "pixel" && registration !== "node") {
    say("spatial:registration", "spatial:registration", `must be "node" or "pixel", not ${shown(registration)}`);
  }
  const levels = items(member(member(attributes, "multiscales"), "layout"));
  for (const [i, level] of levels.entries()) {
    const at = `multiscales/layout/${i}/spatial:`;
    const [transform, shape] = [member(level, "spatial:transform"), member(level, "spatial:shape")];
    if (transform !== undefined) checkTransform(`${at}transform`, transform, say);
    if (shape !== undefined) checkShape(`${at}shape`, shape, say);
  }
  checkSizes(levels, say);
}

function checkTransform(at: string, value: unknown, say: Say): void {
  const six = numbers(value, 6);
  if (!six) say(at, "spatial:transform", `must be six numbers [a, b, c, d, e, f], not ${shown(value)}`);
  else if (!isInvertible(six as unknown as Affine)) {
    say(at, "spatial:transform", `maps the plane to a line: ${shown(value)}`, "warning");
  }
}

function checkShape(at: string, value: unknown, say: Say): void {
  if (!sizes(value))
    say(at, "spatial:shape", `must be [height, width], two integers of at least 1, not ${shown(value)}`);
}

/**
 * Compares pixel sizes with scales: "If a level has scale [2, 2] relative to the base, its pixel
 * dimensions should be twice those of the base."
 */
function checkSizes(levels: readonly unknown[], say: Say): void {
  const sized = new Map(
    levels.flatMap((level): [unknown, readonly number[]][] => {
      const affine = numbers(member(level, "spatial:transform"), 6);
      const asset = text(member(level, "asset"));
      return affine && asset !== undefined ? [[asset, pixelSizeOf(affine as unknown as Affine)]] : [];
    }),
  );
  for (const [i, level] of levels.entries()) {
    const [size, source] = [sized.get(member(level, "asset")), sized.get(member(level, "derived_from"))];
    const scale = numbers(member(member(level, "transform"), "scale"))
      ?.slice(-2)
      .reverse();
    if (!size || !source || scale?.length !== 2) continue;
    const off = size.some((one, k) => !(Math.abs(one / (source[k] as number) / (scale[k] as number) - 1) < 0.01));
    if (off) {
      const message = `has pixels of ${shown(size)}, which is not the scale ${shown(scale)} of ${shown(source)}`;
      say(`multiscales/layout/${i}/spatial:transform`, "Usage with multiscales convention", message, "warning");
    }
  }
}

/** Checks the properties of proj. */
function proj(attributes: unknown, _: NodeFacts, say: Say): void {
  const get = (name: string) => member(attributes, `proj:${name}`) ?? undefined;
  const [code, wkt2, projjson] = [get("code"), get("wkt2"), get("projjson")];
  if (code === undefined && wkt2 === undefined && projjson === undefined) {
    say("proj:code", "Properties", "at least one of proj:code, proj:wkt2 and proj:projjson MUST be provided");
  }
  if (code !== undefined && !/^[A-Z]+:[0-9]+$/.test(text(code) ?? "")) {
    // The pattern excludes codes that the specification itself mentions: IAU_2015:30100, OGC:CRS84.
    const other = /^[A-Z][A-Za-z0-9_]*:[A-Za-z0-9_]+$/.test(text(code) ?? "");
    const message = `must match the pattern ^[A-Z]+:[0-9]+$, unlike ${shown(code)}`;
    say("proj:code", "proj:code", message, other ? "warning" : "error");
  }
  if (wkt2 !== undefined && typeof wkt2 !== "string")
    say("proj:wkt2", "proj:wkt2", `must be a string, not ${shown(wkt2)}`);
  if (projjson !== undefined && !isObject(projjson)) {
    say("proj:projjson", "proj:projjson", `must be an object, not ${shown(projjson)}`);
  }
}

/** Checks the syntax of a path in a layout ("Asset Path Syntax"). */
function isAssetPath(value: unknown): value is string {
  return typeof value === "string" && !value.includes("..") && value.split("/").every((name) => name !== "");
}

/** Checks the properties of multiscales. */
function layout(attributes: unknown, { kind }: NodeFacts, say: Say): void {
  const multiscales = member(attributes, "multiscales");
  if (kind === "array") say("multiscales", "Configuration", "is for groups, not for arrays");
  if (!isObject(multiscales)) {
    say("multiscales", "Configuration", `must be an object, not ${shown(multiscales)}`);
    return;
  }
  const method = (at: string, of: Record<string, unknown>) => {
    const value = member(of, "resampling_method");
    if (value !== undefined && typeof value !== "string") {
      say(`${at}/resampling_method`, "resampling_method", `must be a string, not ${shown(value)}`);
    }
  };
  method("multiscales", multiscales);
  const levels = member(multiscales, "layout");
  if (!Array.isArray(levels) || levels.length === 0) {
    say("multiscales/layout", "layout", `must be a list of at least one object, not ${shown(levels)}`);
    return;
  }
  const assets = levels.map((level) => member(level, "asset"));
  const first = new Map([...assets.entries()].reverse().map(([i, asset]) => [asset, i]));
  for (const [i, level] of levels.entries()) {
    const at = `multiscales/layout/${i}`;
    if (!isObject(level)) {
      say(at, "Layout Object", `must be an object, not ${shown(level)}`);
      continue;
    }
    method(at, level);
    const source = member(level, "derived_from");
    for (const [name, value] of Object.entries({ asset: assets[i], derived_from: source })) {
      if (value === undefined && name === "derived_from") continue;
      if (value === undefined) say(`${at}/asset`, "Layout Object", "is required");
      else if (!isAssetPath(value)) {
        const message = `must be a relative path of names separated by "/", without "..", not ${shown(value)}`;
        say(`${at}/${name}`, "Asset Path Syntax", message);
      }
    }
    if (first.get(assets[i]) !== i && typeof assets[i] === "string") {
      say(`${at}/asset`, "Validation Rules", `is ${shown(assets[i])}, which an earlier level also has`, "warning");
    }
    if (isAssetPath(source) && !first.has(source)) {
      say(`${at}/derived_from`, "Layout Object", `is ${shown(source)}, which is not the asset of a level`, "warning");
    }
    const transform = member(level, "transform");
    if (transform === undefined && source !== undefined) {
      say(`${at}/transform`, "Layout Object", "is required if derived_from is present");
    }
    if (transform !== undefined && !isObject(transform)) {
      say(`${at}/transform`, "Transform Object", `must be an object, not ${shown(transform)}`);
    }
    for (const name of ["scale", "translation"]) {
      const value = member(transform, name);
      if (value !== undefined && (!Array.isArray(value) || value.some((one) => number(one) === undefined))) {
        say(`${at}/transform/${name}`, "Transform Object", `must be a list of numbers, not ${shown(value)}`);
      }
    }
  }
}

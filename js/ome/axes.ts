import type { Version } from "./document.js";
import type { CheckedValue } from "./problems.js";
import { units } from "./units.js";

/** A dimension of an image, in the order of the array's dimensions (section "axes"). */
export interface Axis {
  /** The name, such as `"x"`. */
  name: string;
  /**
   * `"space"`, `"time"`, `"channel"` or a custom type; null if none is given. Before 0.4 it follows
   * from the name.
   */
  type: string | null;
  /** The unit of its physical coordinates, such as `"micrometer"`; null if none is given. */
  unit: string | null;
  /** Since 0.6: whether there are no positions between its indices. */
  discrete?: boolean;
  /** Since 0.6: a longer name or description. */
  longName?: string;
}

/** A coordinate system, since 0.6 (section "coordinateSystems"). */
export interface CoordinateSystem {
  /** The name, unique in its document. */
  name: string;
  /** The axes. */
  axes: Axis[];
}

const typeOfName: Readonly<Record<string, string>> = { t: "time", c: "channel", z: "space", y: "space", x: "space" };
const named = (name: string): Axis => ({ name, type: typeOfName[name] as string, unit: null });

/**
 * Reads the axes of a multiscale before 0.4: a list of names. Before 0.3 they are always the same
 * five.
 */
export function axesBefore04(part: CheckedValue, version: Version): Axis[] | undefined {
  if (version < "0.3") {
    if (part.exists) part.report("warning", `\`axes\` has no meaning in ${version}: the axes are t, c, z, y and x`);
    return ["t", "c", "z", "y", "x"].map(named);
  }
  const seen = new Set<string>();
  const axes = part.list()?.map((item) => {
    const name = item.text;
    if (name === undefined || !Object.hasOwn(typeOfName, name))
      return item.must("an axis MUST be one of t, c, z, y and x");
    if (seen.has(name)) return item.must("the names of axes MUST be unique");
    seen.add(name);
    return named(name);
  });
  return axes && complete(axes);
}

const complete = <T>(list: readonly (T | undefined)[]) =>
  list.every((one) => one !== undefined) ? (list as T[]) : undefined;

/** Reads the axes of a multiscale of 0.4 and 0.5, or of one of its coordinate systems. */
export function imageAxes(part: CheckedValue): Axis[] | undefined {
  const axes = axesOf(part);
  if (!axes) return undefined;
  if (axes.length < 2 || axes.length > 5) part.must(`there MUST be 2 to 5 axes, not ${axes.length}`);
  const types = axes.map(({ type }) => type);
  const count = (is: (type: string | null) => boolean) => types.filter(is).length;
  // A coordinate system of array indices (0.6).
  if (types.every((type) => type === "array")) return axes;
  const space = count((type) => type === "space");
  if (space < 2 || space > 3) part.must(`there MUST be 2 or 3 axes of type space, not ${space}`);
  if (count((type) => type === "time") > 1) part.must("there MUST be no more than one axis of type time");
  if (count((type) => type !== "time" && type !== "space") > 1) {
    part.must("there MUST be no more than one axis of type channel or of another type");
  }
  const rank = (type: string | null | undefined) => (type === "time" ? 0 : type === "space" ? 2 : 1);
  part.items.forEach((item, i) => {
    if (i > 0 && rank(types[i]) < rank(types[i - 1])) {
      item
        .get("type")
        .must("the axis of type time MUST come first, then that of a channel or another type, then those of space");
    }
  });
  const names = axes.filter(({ type }) => type === "space").map(({ name }) => name);
  if (names.join() !== "z,y,x" && [...names].sort().join() === "x,y,z") {
    part.should("the axes of space SHOULD be ordered z, y, x");
  }
  return axes;
}

/** Reads axes given as objects. */
function axesOf(part: CheckedValue): Axis[] | undefined {
  const seen = new Set<string>();
  const axes = part.list()?.map((item): Axis | undefined => {
    if (!item.isObject) return item.must("an axis MUST be an object");
    const [name, type, unit] = [item.get("name"), item.get("type"), item.get("unit")];
    const [discrete, longName] = [item.get("discrete"), item.get("longName")];
    if (!type.exists) type.should("an axis SHOULD have a `type`");
    else if (type.value !== null) type.optional(type.text !== undefined, "a string");
    const known = Object.hasOwn(units, type.text ?? "") ? units[type.text as string] : undefined;
    if (unit.exists && unit.value !== null) unit.optional(unit.text !== undefined, "a string");
    else if (known) unit.should(`an axis of type ${type.text} SHOULD have a \`unit\``);
    if (known && unit.text !== undefined && !known.has(unit.text)) {
      unit.should(
        `${JSON.stringify(unit.text)} SHOULD be a unit of UDUNITS-2 by its full name, such as micrometer or second`,
      );
    }
    discrete.optional(discrete.flag !== undefined, "true or false");
    longName.optional(longName.text !== undefined, "a string");
    const axis: Axis = { name: name.name() ?? "", type: type.text ?? null, unit: unit.text ?? null };
    if (discrete.flag !== undefined) axis.discrete = discrete.flag;
    if (longName.text !== undefined) axis.longName = longName.text;
    if (axis.name === "") return undefined;
    if (seen.has(axis.name)) return name.must("the names of axes MUST be unique");
    seen.add(axis.name);
    return axis;
  });
  return axes && complete(axes);
}

/**
 * Reads coordinate systems, since 0.6. The axes of a multiscale's systems follow the rules of
 * images; those of a scene do not.
 */
export function coordinateSystems(part: CheckedValue, ofImage: boolean): CoordinateSystem[] {
  const seen = new Set<string>();
  const systems: CoordinateSystem[] = [];
  for (const item of part.list() ?? []) {
    if (!item.isObject) {
      item.must("a coordinate system MUST be an object");
      continue;
    }
    const name = item.get("name").name();
    const axes = ofImage ? imageAxes(item.get("axes")) : axesOf(item.get("axes"));
    if (name === undefined) continue;
    if (seen.has(name)) item.get("name").must("the names of coordinate systems MUST be unique");
    else if (axes) systems.push({ name, axes });
    seen.add(name);
  }
  return systems;
}

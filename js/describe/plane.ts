// Chooses the two axes to draw.
import { type Fact, guessed, stated } from "./fact.js";
import type { Plane, Role } from "./field.js";

/** @internal An axis, as known when the plane is chosen. */
interface PlaneAxis {
  readonly length: number;
  /** The role; undefined if unknown. */
  readonly role: Fact<Role> | undefined;
}

/** The order of roles in which axes are chosen for the plane. */
const first: readonly Role[] = ["x", "y", "z", "other", "time", "channel", "colour"];

/** The order of roles in which an axis is drawn to the right. */
const right: readonly Role[] = ["x", "time", "other", "channel", "y", "z", "colour"];

/** @internal Chooses the axes to draw. An axis of length 1 is never chosen. */
export function planeOf(axes: readonly PlaneAxis[]): Fact<Pick<Plane, "x" | "y">> {
  const roleOf = (d: number): Role => axes[d]?.role?.value ?? "other";
  const long = axes.flatMap(({ length }, d) => (length !== 1 && roleOf(d) !== "colour" ? [d] : []));
  if (long.length === 0)
    return guessed({ x: null, y: null }, axes.length === 0 ? "it is one value" : "it has one element");
  if (long.length === 1) {
    const [x] = long as [number];
    return guessed(
      { x, y: null },
      axes.length === 1 ? "it has one dimension" : "the only dimension that is longer than 1",
    );
  }
  // If two axes have one role, prefer the later, which varies faster.
  const rank = (order: readonly Role[], d: number) => order.indexOf(roleOf(d));
  const wanted = [...long].sort((a, b) => rank(first, a) - rank(first, b) || b - a);
  // Two axes with the same role form a plane only if there is no other choice.
  const [one, two] = [
    wanted[0] as number,
    wanted.find((d) => d !== wanted[0] && (roleOf(d) === "other" || roleOf(d) !== roleOf(wanted[0] as number))) ??
      (wanted[1] as number),
  ];
  const [x, y] = [one, two].sort((a, b) => rank(right, a) - rank(right, b) || b - a) as [number, number];
  const facts = [axes[x]?.role, axes[y]?.role];
  if (facts.every((fact) => fact === undefined)) return guessed({ x, y }, "the last two dimensions");
  const why = [...new Set(facts.flatMap((fact) => (fact ? [fact.why] : [])))].join(", ");
  return facts.every((fact) => fact?.by === "stated") ? stated({ x, y }, why) : guessed({ x, y }, why);
}

/**
 * @internal The axis that holds red, green, blue and perhaps alpha: the last or the first of an
 * array of small integers.
 */
export function colourAxisOf(
  shape: readonly number[],
  names: readonly (string | null)[],
  dtype: string,
  roles: readonly (Fact<Role> | undefined)[],
): Fact<number> | null {
  const isSize = (d: number) => shape[d] === 3 || shape[d] === 4;
  const byName = roles.findIndex((role, d) => role?.value === "colour" && isSize(d));
  if (byName >= 0) return stated(byName, `the name ${names[byName]}`);
  if (shape.length < 3 || !/^uint(8|16)$/.test(dtype)) return null;
  const large = shape.filter((length) => length > 4).length >= 2;
  for (const d of [shape.length - 1, ...(shape.length === 3 ? [0] : [])]) {
    const role = roles[d]?.value;
    // Four values of two bytes are more often satellite bands than colours.
    const fits = isSize(d) && (shape[d] === 3 || dtype === "uint8");
    if (large && fits && (role === undefined || role === "channel")) {
      return guessed(d, `${shape[d]} values of ${dtype} for each pixel`);
    }
  }
  return null;
}

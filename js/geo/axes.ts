import type { AnyData } from "../data/types.js";
import { member, number, own, text } from "../shared/attributes.js";

/** @internal A spatial axis. */
export type Role = "x" | "y";

const names: Readonly<Record<string, Role>> = {
  x: "x",
  lon: "x",
  longitude: "x",
  easting: "x",
  eastings: "x",
  y: "y",
  lat: "y",
  latitude: "y",
  northing: "y",
  northings: "y",
};

const standardNames: Readonly<Record<string, Role>> = {
  projection_x_coordinate: "x",
  projection_x_angular_coordinate: "x",
  longitude: "x",
  grid_longitude: "x",
  projection_y_coordinate: "y",
  projection_y_angular_coordinate: "y",
  latitude: "y",
  grid_latitude: "y",
};

/** @internal The usual axis of a dimension with this name. */
export function roleOfName(name: string | null): Role | undefined {
  return own(names, (name ?? "").toLowerCase());
}

/**
 * @internal The axis that a coordinate's attributes state: by `axis`, the standard name, or the
 * units (CF Conventions 4.1, 4.2 and 4).
 */
export function roleOfCoordinate(attributes: Record<string, unknown>): Role | undefined {
  const axis = text(member(attributes, "axis"))?.toLowerCase();
  if (axis === "x" || axis === "y") return axis;
  const standard = own(standardNames, text(member(attributes, "standard_name")) ?? "");
  if (standard) return standard;
  const [, direction] = /^degrees?_?(e|east|n|north)$/i.exec(text(member(attributes, "units")) ?? "") ?? [];
  return direction ? (/^e/i.test(direction) ? "x" : "y") : undefined;
}

/** @internal A coordinate with evenly spaced values. */
export interface RegularAxis {
  /** The first value. */
  first: number;
  /** The difference between neighbouring values. */
  step: number;
}

/**
 * @internal The axis of a coordinate's values, or the reason why they form none. Packed values are
 * unpacked with `scale_factor` and `add_offset` (CF Conventions 8.1).
 */
export function regularAxis(data: AnyData, dtype: string, attributes: Record<string, unknown>): RegularAxis | string {
  const values = data as ArrayLike<unknown>;
  const { length } = values;
  if (!(length >= 2)) return `has ${length} values, too few for a step`;
  const at = (i: number) => number(values[i]) ?? Number.NaN;
  const span = at(length - 1) - at(0);
  const raw = span / (length - 1);
  if (!Number.isFinite(raw) || raw === 0) return "has values that do not form an axis";
  // The step is the mean over all values, because each value is rounded to its type.
  const precision = { float16: 2 ** -10, float32: 2 ** -23 }[dtype] ?? 2 ** -52;
  const slack = Math.abs(raw) * 1e-3 + precision * Math.max(Math.abs(at(0)), Math.abs(at(length - 1)));
  for (let i = 1; i < length; i++) {
    if (!(Math.abs(at(i) - (at(0) + i * raw)) <= slack)) return "has values that are not evenly spaced";
  }
  if (Math.abs(raw) <= 2 * precision * Math.abs(at(0))) return "has values that its type cannot distinguish";
  const scale = number(member(attributes, "scale_factor")) ?? 1;
  const offset = number(member(attributes, "add_offset")) ?? 0;
  const axis = { first: at(0) * scale + offset, step: raw * scale };
  return Number.isFinite(axis.first) && Number.isFinite(axis.step) && axis.step !== 0
    ? axis
    : "has values that do not form an axis";
}

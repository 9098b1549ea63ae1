// The role of an axis, from the attributes of its coordinate and from its name.
import { member, text } from "../shared/attributes.js";
import { type Fact, guessed, stated } from "./fact.js";
import type { Role } from "./field.js";

const words = (list: string, role: Role): [string, Role][] => list.split(" ").map((word) => [word, role]);

/** Roles by `standard_name`. */
const standardNames: ReadonlyMap<string, Role> = new Map([
  ...words("longitude grid_longitude projection_x_coordinate projection_x_angular_coordinate", "x"),
  ...words("latitude grid_latitude projection_y_coordinate projection_y_angular_coordinate", "y"),
  ...words("time forecast_reference_time forecast_period", "time"),
  ...words(
    "air_pressure altitude height depth height_above_mean_sea_level model_level_number geopotential_height",
    "z",
  ),
]);

/** Roles by common dimension names. */
const names: ReadonlyMap<string, Role> = new Map([
  ...words(
    "x lon longitude long nlon lons xc nx easting eastings rlon xt xu west_east west_east_stag col cols column columns width ni i xi_rho",
    "x",
  ),
  ...words(
    "y lat latitude nlat lats yc ny northing northings rlat yt yu south_north south_north_stag row rows nj j eta_rho",
    "y",
  ),
  ...words(
    "z lev level levels plev depth altitude alt pressure isobaric isobaricinhpa bottom_top bottom_top_stag layer elevation sigma st_ocean",
    "z",
  ),
  ...words("t time times date datetime valid_time init_time time_counter", "time"),
  ...words("c channel channels ch band bands wavelength", "channel"),
  ...words("rgb rgba colour color", "colour"),
]);

/** Roles by the attribute `axis`. */
const letters: Readonly<Record<string, Role>> = { x: "x", y: "y", z: "z", t: "time" };

/** Units of pressure make an axis vertical (CF 4.3). */
const pressure = /^(bars?|millibars?|mbar|mb|decibars?|dbar|atmospheres?|atm|h?pa|pascals?|hectopascals?)$/i;

/**
 * @internal The role of an axis according to its coordinate's attributes (CF 4); undefined if they
 * state none.
 */
export function roleStated(attrs: Readonly<Record<string, unknown>>): Fact<Role> | undefined {
  const of = (name: string) => text(member(attrs, name));
  const axis = of("axis")?.toLowerCase() ?? "";
  if (Object.hasOwn(letters, axis)) return stated(letters[axis] as Role, "the attribute axis");
  const standard = standardNames.get(of("standard_name") ?? "");
  if (standard) return stated(standard, "the attribute standard_name");
  if (/^(atmosphere|ocean)_\w*(coordinate|sigma)$/.test(of("standard_name") ?? "")) {
    return stated("z", "the attribute standard_name");
  }
  const units = of("units") ?? "";
  const [, direction] = /^degrees?_?(e|east|n|north)$/i.exec(units) ?? [];
  if (direction) return stated(/^e/i.test(direction) ? "x" : "y", "the attribute units");
  if (/^\s*\S+\s+since\s/i.test(units)) return stated("time", "the attribute units");
  if (pressure.test(units)) return stated("z", "the attribute units");
  if (/^(up|down)$/i.test(of("positive") ?? "")) return stated("z", "the attribute positive");
  return undefined;
}

/** @internal The usual role of an axis with this name. */
export function roleNamed(name: string | null | undefined): Fact<Role> | undefined {
  const role = names.get((name ?? "").toLowerCase());
  return role && guessed(role, `the name ${name}`);
}

/** @internal Reports whether a coordinate is a longitude or a latitude in degrees of the Earth. */
export function degreesOf(attrs: Readonly<Record<string, unknown>>, name: string | null): "x" | "y" | undefined {
  const standard = text(member(attrs, "standard_name"));
  if (standard === "longitude") return "x";
  if (standard === "latitude") return "y";
  const [, direction] = /^degrees?_?(e|east|n|north)$/i.exec(text(member(attrs, "units")) ?? "") ?? [];
  if (direction && !/^grid_/.test(standard ?? "") && !/^r(lat|lon)$/i.test(name ?? ""))
    return /^e/i.test(direction) ? "x" : "y";
  if (standard !== undefined || /^(m|km|metres?|meters?)$/.test(text(member(attrs, "units")) ?? "")) return undefined;
  if (/^(lon|longitude|lons)$/i.test(name ?? "")) return "x";
  return /^(lat|latitude|lats)$/i.test(name ?? "") ? "y" : undefined;
}

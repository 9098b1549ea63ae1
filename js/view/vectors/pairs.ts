// Variables that are the components of one vector, by CF's standard names or by common names.
import { member, text } from "../../shared/attributes.js";

/** The metadata of a variable. */
export interface Candidate {
  readonly path: string;
  readonly attrs: Readonly<Record<string, unknown>>;
  readonly shape: readonly number[];
  /** The names of its dimensions. */
  readonly names: readonly (string | null)[];
}

/** The two components of a vector. */
interface VectorPair {
  /** The path of the component along x or to the east. */
  readonly x: string;
  /** The path of the component along y or to the north. */
  readonly y: string;
  /** Whether the components point along the axes of the grid, and not to the east and north. */
  readonly gridwise: boolean;
}

const nameOf = (path: string): string => path.split("/").at(-1) ?? path;

/** Replaces one word of a standard name. Returns undefined if the name does not have it. */
function turned(standard: string, from: string, to: string): string | undefined {
  const words = standard.split("_");
  const at = words.indexOf(from);
  return at < 0 ? undefined : words.map((word, i) => (i === at ? to : word)).join("_");
}

/** A letter u that stands for a component: `u`, `u10`, `10u`, `uo`, `uas`, `water_u`, `ugrd`. */
const across = /(^|[^a-z])(u)(?=$|[\d_]|(?:o|a|as|wnd|gos|gosa|grd|vel|ice|bar|comp\w*)(?:$|[\d_]))/i;

/** Returns the name of the other component of a name; undefined if it is no component along x. */
export function partnerName(name: string): string | undefined {
  const standard = turned(name, "eastward", "northward") ?? turned(name, "x", "y");
  if (standard !== undefined) return standard;
  const found = across.exec(name);
  if (!found) return undefined;
  const at = found.index + (found[1] ?? "").length;
  return `${name.slice(0, at)}${name[at] === "U" ? "V" : "v"}${name.slice(at + 1)}`;
}

/** Returns the vectors whose components are among some variables of one grid. */
export function pairsOf(all: readonly Candidate[]): VectorPair[] {
  const of = (one: Candidate, name: string) => text(member(one.attrs, name)) ?? "";
  const fit = (a: Candidate, b: Candidate) =>
    a !== b &&
    String(a.shape) === String(b.shape) &&
    String(a.names) === String(b.names) &&
    of(a, "units") === of(b, "units");
  return all.flatMap((one): VectorPair[] => {
    const standard = of(one, "standard_name");
    const gridwise = turned(standard, "x", "y");
    const named = turned(standard, "eastward", "northward") ?? gridwise;
    const found =
      (named !== undefined && all.find((other) => of(other, "standard_name") === named && fit(one, other))) ||
      all.find((other) => nameOf(other.path) === partnerName(nameOf(one.path)) && fit(one, other));
    return found ? [{ x: one.path, y: found.path, gridwise: gridwise !== undefined }] : [];
  });
}

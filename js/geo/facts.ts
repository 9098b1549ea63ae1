import { isObject, items, member, numbers, shown, sizes, text } from "../shared/attributes.js";
import { type Affine, type Bounds, isInvertible } from "./affine.js";
import { type Crs, crsOf, crsOfGdal, epsgCodes } from "./crs.js";
import type { Registration } from "./grid.js";

/** An invalid or missing statement in the metadata. */
export interface Problem {
  /** The path of the node. */
  path: string;
  /** The attribute; undefined if the problem concerns the node. */
  attribute?: string;
  /** The problem, in words. */
  message: string;
}

/** The origin of a fact. */
export interface Statement {
  /** The path of the stating node. */
  path: string;
  /** The stating attribute; undefined for a fact from values, like those of a coordinate. */
  attribute?: string;
}

/** A fact of a georeference. */
export type Fact = "transform" | "bbox" | "shape" | "dimensions" | "registration" | "crs" | "gridMapping";

/** @internal Collects facts from nodes. The first statement of a fact counts. */
export class Facts {
  readonly problems: Problem[] = [];
  readonly stated: Partial<Record<Fact, Statement>> = {};
  transform: Affine | undefined;
  bbox: Bounds | undefined;
  shape: [height: number, width: number] | undefined;
  dimensions: [y: string, x: string] | undefined;
  registration: Registration | undefined;
  transformType: string | undefined;
  crs: Crs | undefined;

  /** Records a fact unless it is already known. Reports whether it did. */
  take<F extends "transform" | "bbox" | "shape" | "dimensions" | "registration" | "crs">(
    fact: F,
    value: Facts[F],
    path: string,
    attribute?: string,
  ): boolean {
    if (value === undefined || this[fact] !== undefined) return false;
    (this as Facts)[fact] = value as never;
    this.stated[fact] = attribute === undefined ? { path } : { path, attribute };
    return true;
  }

  problem(path: string, attribute: string | undefined, message: string): void {
    this.problems.push(attribute === undefined ? { path, message } : { path, attribute, message });
  }

  /**
   * Records the facts of a node's attributes: `spatial:`, `proj:`, earlier drafts of `proj:`, and
   * GDAL's `_CRS`.
   */
  attributes(path: string, attributes: Record<string, unknown>): void {
    this.spatial(path, attributes);
    this.proj(path, attributes);
  }

  /** Records the `spatial:` facts of attributes, or of a layout entry. */
  spatial(path: string, attributes: Record<string, unknown>): void {
    const type = member(attributes, "spatial:transform_type") ?? "";
    if (typeof type !== "string") {
      this.problem(path, "spatial:transform_type", `is ${shown(type)}, not a string`);
    }
    this.transformType ??= text(type) || undefined;
    this.#read("dimensions", path, attributes, ["spatial:dimensions", "proj:spatial_dimensions"], dimensionsOf);
    this.#read("bbox", path, attributes, ["spatial:bbox", "proj:bbox"], boundsOf);
    this.#read("shape", path, attributes, ["spatial:shape", "proj:shape"], sizes);
    this.#read("registration", path, attributes, ["spatial:registration"], registrationOf);
    if (this.transformType === undefined || this.transformType === "affine") {
      this.#read("transform", path, attributes, ["spatial:transform", "proj:transform"], affineOf);
    } else if (this.transform === undefined) {
      const message = `is ${shown(this.transformType)}: only transforms of type "affine" are read`;
      this.problem(path, "spatial:transform_type", message);
    }
  }

  /** Records the reference system stated by `proj:` or by GDAL's `_CRS`. */
  proj(path: string, attributes: Record<string, unknown>): void {
    const written: Pick<Crs, "code" | "wkt2" | "projjson"> = {};
    let first: string | undefined;
    const look = (of: unknown, name: string, field: "code" | "wkt2" | "projjson") => {
      const value = member(of, name);
      if (value === undefined || value === null || written[field] !== undefined) return;
      const attribute = of === attributes ? name : `geo/proj/${name}`;
      const fits = field === "projjson" ? isObject(value) : typeof value === "string" && value !== "";
      if (!fits) {
        this.problem(path, attribute, `is ${shown(value)}, not ${field === "projjson" ? "an object" : "a string"}`);
        return;
      }
      Object.assign(written, { [field]: value });
      first ??= attribute;
    };
    const earlier = member(member(attributes, "geo"), "proj");
    for (const field of ["code", "wkt2", "projjson"] as const) {
      look(attributes, `proj:${field}`, field);
      look(earlier, field, field);
    }
    const crs = crsOf(written);
    const [epsg, other] = crs ? epsgCodes(crs) : [];
    if (other !== undefined) this.problem(path, first, `states EPSG:${epsg} and EPSG:${other}, which differ`);
    this.take("crs", crs, path, first);
    if (!this.crs) this.take("crs", crsOfGdal(member(attributes, "_CRS")), path, "_CRS");
  }

  #read<F extends "transform" | "bbox" | "shape" | "dimensions" | "registration">(
    fact: F,
    path: string,
    attributes: Record<string, unknown>,
    names: readonly string[],
    read: (value: unknown) => Facts[F] | string,
  ): void {
    const earlier = member(member(attributes, "geo"), "proj");
    const drafts = names
      .slice(1)
      .map((name): [unknown, string] => [member(earlier, name.slice(5)), `geo/proj/${name.slice(5)}`]);
    for (const [value, name] of [
      ...names.map((name): [unknown, string] => [member(attributes, name), name]),
      ...drafts,
    ]) {
      if (value === undefined || value === null) continue;
      const found = read(value);
      if (typeof found === "object" || found === "pixel" || found === "node")
        this.take(fact, found as Facts[F], path, name);
      else this.problem(path, name, `is ${shown(value)}, not ${found ?? expected[fact]}`);
    }
  }
}

const expected = {
  transform: "six finite numbers of an affine that has an inverse",
  bbox: "[xmin, ymin, xmax, ymax]",
  shape: "[height, width], two integers of at least 1",
  dimensions: "the names of two dimensions",
  registration: '"pixel" or "node"',
};

function dimensionsOf(value: unknown): [y: string, x: string] | undefined {
  const names = items(value);
  const [y, x] = names;
  return names.length === 2 && typeof y === "string" && typeof x === "string" && y !== x ? [y, x] : undefined;
}

/** @internal Parses a box, and checks the order of its edges. */
export function boundsOf(value: unknown): Bounds | undefined {
  const box = numbers(value, 4);
  if (!box) return undefined;
  const [xmin, ymin, xmax, ymax] = box as unknown as Bounds;
  return xmin <= xmax && ymin <= ymax ? [xmin, ymin, xmax, ymax] : undefined;
}

/** Earlier drafts write all three rows of the matrix. */
function affineOf(value: unknown): Affine | undefined {
  const all = numbers(value);
  const last = all?.slice(6).join();
  if (!all || (all.length !== 6 && !(all.length === 9 && last === "0,0,1"))) return undefined;
  const affine = all.slice(0, 6) as unknown as Affine;
  return isInvertible(affine) ? affine : undefined;
}

function registrationOf(value: unknown): Registration | undefined {
  return value === "pixel" || value === "node" ? value : undefined;
}

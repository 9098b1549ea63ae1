import type { CheckedValue } from "./problems.js";

/**
 * An end of a transformation (0.6): a named coordinate system of this or another group, or an
 * array.
 */
export interface Reference {
  /** The name of the system; null for an array. */
  name: string | null;
  /**
   * The path of the group or array, relative to the document's group; null for the document's own
   * systems.
   */
  path: string | null;
}

/** The members common to all transformations. */
interface Base {
  /** The name. */
  name?: string;
  /** The input (0.6). */
  input?: Reference;
  /** The output (0.6). */
  output?: Reference;
}

/** Parameters in the document, or in an array at a path. */
type Stored<Name extends string, T> = { [K in Name]?: T } & {
  /** The array with the parameters. */
  path?: string;
};

/**
 * A transformation as stated in the document (section "coordinateTransformations"). `type`
 * determines the members.
 */
export type Transformation = Base &
  (
    | { type: "identity" }
    | ({ type: "scale" } & Stored<"scale", number[]>)
    | ({ type: "translation" } & Stored<"translation", number[]>)
    | ({ type: "affine" } & Stored<"affine", number[][]>)
    | ({ type: "rotation" } & Stored<"rotation", number[][]>)
    | { type: "mapAxis"; mapAxis: number[] }
    | { type: "projectAxis"; droppedInputs: number[]; createdOutputs: number[] }
    | { type: "sequence"; transformations: Transformation[] }
    | {
        type: "byDimension";
        transformations: { transformation: Transformation; inputAxes: number[]; outputAxes: number[] }[];
      }
    | { type: "bijection"; forward: Transformation; inverse: Transformation }
    | { type: "displacements" | "coordinates"; path: string; interpolation: string }
  );

/** The most axes accepted. The specification allows five. */
export const mostAxes = 32;

/** The deepest nesting of transformations. */
const deepest = 16;

/** Reads parameters that may be in an array. */
function stored(part: CheckedValue, name: string, read: (values: CheckedValue) => unknown): object | undefined {
  const [values, path] = [part.get(name), part.get("path")];
  if (!path.exists) {
    const found = read(values);
    return found === undefined ? undefined : { [name]: found };
  }
  if (values.exists) return path.must(`a transformation MUST have \`${name}\` or \`path\`, not both`);
  const text = path.name();
  return text === undefined ? undefined : { path: text };
}

/** Reads the rows of a matrix, all of one length. */
function matrix(part: CheckedValue, square: boolean): number[][] | undefined {
  const rows = part.list();
  if (!rows) return undefined;
  if (rows.length > mostAxes) return part.must(`a matrix of ${rows.length} rows: no image has that many axes`);
  const width = square ? rows.length : globalThis.Array.isArray(rows[0]?.value) ? rows[0].value.length : 0;
  const read = rows.map((row) => {
    const numbers = row.numbers();
    if (numbers && (numbers.length !== width || width === 0)) {
      return row.must(
        square ? "the matrix MUST have as many columns as rows" : "all rows of the matrix MUST have one length",
      );
    }
    return numbers;
  });
  return read.every((row) => row !== undefined) ? (read as number[][]) : undefined;
}

/** Reports whether the rows are orthonormal with determinant 1, up to rounding to seven digits. */
export function isRotation(rows: readonly number[][]): boolean {
  const near = (a: number, b: number) => Math.abs(a - b) <= 1e-6;
  const dot = (a: readonly number[], b: readonly number[]) => a.reduce((sum, v, i) => sum + v * (b[i] as number), 0);
  return rows.every((a, i) => rows.every((b, j) => near(dot(a, b), i === j ? 1 : 0))) && near(determinant(rows), 1);
}

function determinant(rows: readonly number[][]): number {
  const m = rows.map((row) => [...row]);
  let det = 1;
  for (let i = 0; i < m.length; i++) {
    let pivot = i;
    for (let r = i + 1; r < m.length; r++)
      if (Math.abs(m[r]?.[i] as number) > Math.abs(m[pivot]?.[i] as number)) pivot = r;
    const [a, b] = [m[i] as number[], m[pivot] as number[]];
    if (b[i] === 0) return 0;
    if (pivot !== i) [m[i], m[pivot], det] = [b, a, -det];
    const top = m[i] as number[];
    det *= top[i] as number;
    for (let r = i + 1; r < m.length; r++) {
      const row = m[r] as number[];
      const by = (row[i] as number) / (top[i] as number);
      for (let c = i; c < row.length; c++) row[c] = (row[c] as number) - by * (top[c] as number);
    }
  }
  return det;
}

/** Reads axis indices: distinct integers from 0. */
function indices(part: CheckedValue, needed = true): number[] | undefined {
  if (!part.exists && !needed) return [];
  const items = part.list();
  if (!items) return undefined;
  const seen = new Set<number>();
  for (const item of items) {
    const { value } = item;
    if (typeof value !== "number" || !Number.isInteger(value) || value < 0 || value >= 2 ** 31)
      return item.must("the index of an axis MUST be an integer of at least 0");
    if (seen.has(value)) return item.must("the indices of axes MUST be unique");
    seen.add(value);
  }
  return [...seen];
}

/**
 * Reads a transformation. With a number of axes, also checks the parameters against it. Returns
 * undefined, and reports the problem, if it is invalid.
 */
export function transformationOf(part: CheckedValue, axes?: number, depth = 0): Transformation | undefined {
  if (depth > deepest) return part.must(`transformations in transformations, more than ${deepest} deep`);
  if (!part.isObject) return part.must("a transformation MUST be an object");
  const type = part.get("type").name();
  if (type === undefined) return undefined;
  const own = parameters(part, type, axes, depth);
  const name = part.get("name");
  name.optional(name.text !== undefined, "a string");
  if (!own) return undefined;
  const base = name.text === undefined ? { type } : { type, name: name.text };
  return { ...base, ...own } as Transformation;
}

function parameters(part: CheckedValue, type: string, axes: number | undefined, depth: number): object | undefined {
  switch (type) {
    case "identity":
      return {};
    case "scale":
    case "translation":
      return stored(part, type, (values) => values.numbers(axes));
    case "affine":
      return stored(part, type, (values) => matrix(values, false));
    case "rotation":
      return stored(part, type, (values) => {
        const rows = matrix(values, true);
        if (!rows || isRotation(rows)) return rows;
        return values.must("a rotation MUST have orthonormal rows and the determinant 1");
      });
    case "mapAxis": {
      const mapAxis = indices(part.get(type));
      if (!mapAxis?.some((index) => index >= mapAxis.length)) return mapAxis && { mapAxis };
      return part.get(type).must("`mapAxis` MUST hold every index from 0 on once");
    }
    case "projectAxis": {
      const [droppedInputs, createdOutputs] = [part.get("droppedInputs"), part.get("createdOutputs")];
      if (!droppedInputs.exists && !createdOutputs.exists) {
        return part.must("a `projectAxis` MUST have `droppedInputs` or `createdOutputs`");
      }
      const [dropped, created] = [indices(droppedInputs, false), indices(createdOutputs, false)];
      return dropped && created && { droppedInputs: dropped, createdOutputs: created };
    }
    case "sequence": {
      const items = part.get("transformations").list();
      const read = items?.map((item) => transformationOf(item, undefined, depth + 1));
      return read?.every((one) => one !== undefined) ? { transformations: read } : undefined;
    }
    case "byDimension":
      return byDimension(part.get("transformations"), depth);
    case "bijection": {
      const [forward, inverse] = ["forward", "inverse"].map((name) => {
        const one = part.get(name);
        return one.exists ? transformationOf(one, undefined, depth + 1) : one.must(`\`${name}\` is missing`);
      });
      return forward && inverse && { forward, inverse };
    }
    case "displacements":
    case "coordinates": {
      const [path, interpolation] = [part.get("path").name(), part.get("interpolation")];
      const known = ["nearest", "linear", "cubic"].includes(interpolation.text ?? "linear");
      interpolation.optional(interpolation.text !== undefined && known, "nearest, linear or cubic");
      return path === undefined ? undefined : { path, interpolation: interpolation.text ?? "linear" };
    }
    default:
      return part.get("type").must(`${JSON.stringify(type)} is not a type of transformation`);
  }
}

function byDimension(part: CheckedValue, depth: number): object | undefined {
  const outputs = new Set<number>();
  const read = part.list()?.map((item) => {
    if (!item.object()) return undefined;
    const inner = item.get("transformation");
    const transformation = inner.exists
      ? transformationOf(inner, undefined, depth + 1)
      : inner.must("`transformation` is missing");
    const [inputAxes, outputAxes] = [indices(item.get("inputAxes")), indices(item.get("outputAxes"))];
    const twice = outputAxes?.some((axis) => outputs.has(axis));
    for (const axis of outputAxes ?? []) outputs.add(axis);
    if (twice) return item.get("outputAxes").must("an axis MUST be the output of one transformation only");
    return transformation && inputAxes && outputAxes && { transformation, inputAxes, outputAxes };
  });
  if (!read?.every((one) => one !== undefined)) return undefined;
  if ([...outputs].some((axis) => axis >= outputs.size)) {
    return part.must("every axis from 0 on MUST be the output of a transformation");
  }
  return { transformations: read };
}

/** Reads an end of a transformation. Drafts of 0.6 before its first candidate use a string. */
export function referenceOf(part: CheckedValue, draft: boolean): Reference | undefined {
  if (draft && part.text !== undefined) return { name: part.text, path: null };
  if (!part.object()) return undefined;
  const [name, path] = [part.get("name"), part.get("path")];
  if (name.value !== null) name.optional(name.text !== undefined, "a string");
  if (path.value !== null) path.optional(path.text !== undefined, "a string");
  return { name: name.text || null, path: path.text || null };
}

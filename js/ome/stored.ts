import type { ZarrArray } from "../api/array.js";
import type { Group } from "../api/group.js";
import { InvalidMetadataError } from "../errors.js";
import { isRotation, mostAxes, type Transformation } from "./transformation.js";

/** Options of functions that open nodes. */
export interface OmeOptions {
  /** Aborts the call. The promise rejects with the signal's reason. */
  signal?: AbortSignal | undefined;
}

/**
 * Returns a transformation with parameters from arrays at paths below the group. Opens and reads
 * each array.
 */
export async function withParameters(one: Transformation, group: Group, options: OmeOptions): Promise<Transformation> {
  const inner = (other: Transformation) => withParameters(other, group, options);
  switch (one.type) {
    case "scale":
    case "translation":
    case "affine":
    case "rotation": {
      if (one.path === undefined) return one;
      const flat = one.type === "scale" || one.type === "translation";
      const values = await parameters(await group.open(one.path, { ...options, kind: "array" }), flat ? 1 : 2, options);
      if (one.type === "rotation" && !isRotation(values)) {
        throw new InvalidMetadataError(`${one.path} is not a rotation matrix`, { path: one.path });
      }
      const { path, ...others } = one;
      return { ...others, [one.type]: flat ? values[0] : values };
    }
    case "sequence":
      return { ...one, transformations: await Promise.all(one.transformations.map(inner)) };
    case "byDimension": {
      const parts = one.transformations.map(async (part) => ({
        ...part,
        transformation: await inner(part.transformation),
      }));
      return { ...one, transformations: await Promise.all(parts) };
    }
    case "bijection": {
      const [forward, inverse] = await Promise.all([inner(one.forward), inner(one.inverse)]);
      return { ...one, forward, inverse };
    }
    default:
      return one;
  }
}

async function parameters(array: ZarrArray, rank: 1 | 2, options: OmeOptions): Promise<number[][]> {
  const { shape, path } = array;
  const wrong = (what: string) =>
    new InvalidMetadataError(`the parameters of a transformation at ${path} ${what}`, { path });
  if (shape.length !== rank || !shape.every((length) => length > 0 && length <= mostAxes + 1)) {
    throw wrong(`have the shape (${shape.join(", ")})`);
  }
  const { data } = (await array.get(null, options)) as { data: ArrayLike<unknown> };
  const values = Array.from(data, (value) => (typeof value === "bigint" ? Number(value) : value));
  if (!values.every((value) => typeof value === "number" && Number.isFinite(value)))
    throw wrong("are not finite numbers");
  const width = shape[rank - 1] as number;
  return Array.from({ length: values.length / width }, (_, i) => values.slice(i * width, (i + 1) * width) as number[]);
}

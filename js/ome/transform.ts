import { InvalidMetadataError, InvalidSelectionError, UnsupportedError } from "../errors.js";
import { mostAxes, type Transformation } from "./transformation.js";

/**
 * A matrix with one row per output coordinate. A row has one number per input coordinate and an
 * offset.
 */
type Matrix = readonly (readonly number[])[];

/**
 * An affine map of points (section "Matrix transformations"). All transformations are such maps,
 * except those by fields.
 */
export class Transform {
  /** One row per output coordinate: the factors of the input coordinates, then the offset. */
  readonly matrix: readonly (readonly number[])[];
  readonly #back: Matrix | undefined;

  constructor(matrix: readonly (readonly number[])[], back?: readonly (readonly number[])[]) {
    this.matrix = matrix;
    this.#back = back;
  }

  /** The number of coordinates of an input point. */
  get inputs(): number {
    return (this.matrix[0]?.length ?? 1) - 1;
  }

  /** Maps a point. Throws {@link InvalidSelectionError} for a point of another length. */
  apply(point: readonly number[]): number[] {
    const { inputs } = this;
    if (point.length !== inputs)
      throw new InvalidSelectionError(`expected a point of ${inputs} coordinates, not of ${point.length}`);
    return this.matrix.map((row) => {
      let sum = row[inputs] as number;
      for (let i = 0; i < inputs; i++) if (row[i] !== 0) sum += (row[i] as number) * (point[i] as number);
      return sum;
    });
  }

  /**
   * Returns the inverse map; for a bijection the stated one. Throws {@link UnsupportedError} if
   * there is none.
   */
  inverse(): Transform {
    return new Transform(this.#back ?? inverted(this.matrix), this.matrix);
  }

  /** Composes this map with a following one. */
  followedBy(next: Transform): Transform {
    if (next.inputs !== this.matrix.length) {
      throw new InvalidMetadataError(
        `a transformation of ${next.inputs} coordinates follows one that gives ${this.matrix.length}`,
      );
    }
    const known = this.#back || next.#back;
    const back = known && product(next.inverse().matrix, this.inverse().matrix);
    return new Transform(product(this.matrix, next.matrix), back);
  }
}

/** Composes two matrices; `first` is applied first. */
function product(first: Matrix, second: Matrix): number[][] {
  const width = first[0]?.length ?? 1;
  return second.map((row) =>
    Array.from({ length: width }, (_, c) => {
      let sum = c === width - 1 ? (row[first.length] as number) : 0;
      first.forEach((inner, i) => {
        if (row[i] !== 0) sum += (row[i] as number) * (inner[c] as number);
      });
      return sum;
    }),
  );
}

/** Inverts a matrix by Gaussian elimination with partial pivoting. */
function inverted(matrix: Matrix): number[][] {
  const n = matrix.length;
  const fail = () => {
    throw new UnsupportedError("a transformation without an inverse", {
      feature: "the inverse of a transformation",
    });
  };
  if (matrix.some((row) => row.length !== n + 1)) fail();
  const rows = matrix.map((row, i) => [
    ...row.slice(0, n),
    ...matrix.map((_, j) => (i === j ? 1 : 0)),
    -(row[n] as number),
  ]);
  const at = (r: number, c: number) => (rows[r] as number[])[c] as number;
  for (let i = 0; i < n; i++) {
    let pivot = i;
    for (let r = i + 1; r < n; r++) if (Math.abs(at(r, i)) > Math.abs(at(pivot, i))) pivot = r;
    [rows[i], rows[pivot]] = [rows[pivot] as number[], rows[i] as number[]];
    const by = at(i, i);
    if (by === 0 || !Number.isFinite(by)) fail();
    rows[i] = (rows[i] as number[]).map((v) => v / by);
    for (let r = 0; r < n; r++) {
      const times = at(r, i);
      if (r !== i && times !== 0) rows[r] = (rows[r] as number[]).map((v, c) => v - times * at(i, c));
    }
  }
  // Columns n to 2n hold the inverse factors. The last column holds the inverse offset.
  const back = rows.map((row) => [...row.slice(n, 2 * n), row[2 * n] as number]);
  if (!back.flat().every(Number.isFinite)) fail();
  return back;
}

const eye = (n: number, of: (i: number) => number = () => 1, add: (i: number) => number = () => 0) =>
  new Transform(
    Array.from({ length: n }, (_, i) => [...Array.from({ length: n }, (_, c) => (c === i ? of(i) : 0)), add(i)]),
  );

const wrong = (message: string): never => {
  throw new InvalidMetadataError(message);
};

/** Reports whether parameters of a transformation, or of a nested one, are in an array. */
export function needsArray(one: Transformation): boolean {
  switch (one.type) {
    case "sequence":
      return one.transformations.some(needsArray);
    case "byDimension":
      return one.transformations.some(({ transformation }) => needsArray(transformation));
    case "bijection":
      return needsArray(one.forward) || needsArray(one.inverse);
    default:
      return "path" in one && one.path !== undefined;
  }
}

/**
 * The reason why a transformation does not map `from` coordinates to `to` coordinates, if it does
 * not. Ignores transformations with parameters in arrays.
 */
export function misfit(one: Transformation, from: number, to: number): string | undefined {
  if (needsArray(one)) return undefined;
  try {
    const { length } = transformOf(one, from).matrix;
    return length === to ? undefined : `the transformation gives ${length} coordinates for ${to} axes`;
  } catch (error) {
    return (error as Error).message;
  }
}

const bounded = (n: number) => (n <= mostAxes ? n : wrong(`points of ${n} coordinates: no image has that many axes`));

/**
 * Returns the map of a transformation for points of n coordinates. All parameters must be present.
 */
export function transformOf(one: Transformation, n: number): Transform {
  const fits = (count: number) => {
    if (count !== n) wrong(`the ${one.type} has ${count} coordinates, but points have ${n}`);
  };
  bounded(n);
  switch (one.type) {
    case "identity":
      return eye(n);
    case "scale": {
      const scale = one.scale ?? [];
      fits(scale.length);
      return eye(n, (i) => scale[i] as number);
    }
    case "translation": {
      const translation = one.translation ?? [];
      fits(translation.length);
      return eye(n, undefined, (i) => translation[i] as number);
    }
    case "affine": {
      const affine = one.affine ?? [];
      fits((affine[0]?.length ?? 1) - 1);
      return new Transform(affine);
    }
    case "rotation": {
      const rotation = one.rotation ?? [];
      fits(rotation.length);
      return new Transform(rotation.map((row) => [...row, 0]));
    }
    case "mapAxis": {
      const { mapAxis } = one;
      fits(mapAxis.length);
      return picked(n, mapAxis);
    }
    case "projectAxis": {
      if (one.droppedInputs.some((axis) => axis >= n))
        wrong(`a projectAxis drops an axis that ${n} coordinates do not have`);
      const kept = Array.from({ length: n }, (_, i) => i).filter((axis) => !one.droppedInputs.includes(axis));
      const length = bounded(kept.length + one.createdOutputs.length);
      if (one.createdOutputs.some((axis) => axis >= length)) wrong(`a projectAxis makes an axis beyond its ${length}`);
      const from = kept.values();
      const axes = Array.from({ length }, (_, i) => (one.createdOutputs.includes(i) ? -1 : (from.next().value ?? -1)));
      return picked(n, axes);
    }
    case "sequence": {
      let all = eye(n);
      for (const next of one.transformations) all = all.followedBy(transformOf(next, all.matrix.length));
      return all;
    }
    case "byDimension": {
      const rows: number[][] = [];
      bounded(one.transformations.reduce((sum, { outputAxes }) => sum + outputAxes.length, 0));
      for (const { transformation, inputAxes, outputAxes } of one.transformations) {
        if (inputAxes.some((axis) => axis >= n)) wrong(`a byDimension takes an axis that ${n} coordinates do not have`);
        const { matrix } = transformOf(transformation, inputAxes.length);
        if (matrix.length !== outputAxes.length)
          wrong("a byDimension gives another number of coordinates than it has outputAxes");
        matrix.forEach((row, i) => {
          const wide: number[] = new Array(n + 1).fill(0);
          inputAxes.forEach((axis, c) => {
            wide[axis] = row[c] as number;
          });
          wide[n] = row[inputAxes.length] as number;
          rows[outputAxes[i] as number] = wide;
        });
      }
      return new Transform(rows);
    }
    case "bijection": {
      const forward = transformOf(one.forward, n);
      const back = transformOf(one.inverse, forward.matrix.length);
      if (back.matrix.length !== n) wrong("the inverse of a bijection has another number of coordinates");
      return new Transform(forward.matrix, back.matrix);
    }
    default:
      throw new UnsupportedError(`a transformation by a field of ${one.type}`, {
        feature: `transformations of type ${one.type}`,
      });
  }
}

/** Selects the coordinates with these indices. A negative index gives 0. */
function picked(n: number, axes: readonly number[]): Transform {
  return new Transform(axes.map((axis) => Array.from({ length: n + 1 }, (_, c) => (c === axis ? 1 : 0))));
}

/** Returns the number of elements of a shape. */
export function product(shape: readonly number[]): number {
  return shape.reduce((n, size) => n * size, 1);
}

/** Returns the distance between adjacent elements along each dimension, in C order. */
export function strides(shape: readonly number[]): number[] {
  const out = new Array<number>(shape.length);
  let step = 1;
  for (let d = shape.length - 1; d >= 0; d--) {
    out[d] = step;
    step *= shape[d] as number;
  }
  return out;
}

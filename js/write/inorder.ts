import { product, strides } from "../data/shape.js";
import type { TypeDescription } from "../engine/protocol/wire.js";
import { elementsOf, isCollection } from "./elements.js";
import { InvalidValueError } from "./errors.js";
import { checkClass, entriesOf } from "./numbers.js";

/** Reports whether elements with these strides are in C order. */
function isDense(shape: readonly number[], stride: readonly number[]): boolean {
  const own = strides(shape);
  return shape.every((length, d) => length < 2 || stride[d] === own[d]);
}

/** Returns the positions of a chunk's elements in its data, in C order. */
function positions(shape: readonly number[], stride: readonly number[]): Float64Array {
  const all = new Float64Array(product(shape));
  const at = shape.map(() => 0);
  let position = 0;
  for (let i = 0; i < all.length; i++) {
    all[i] = position;
    for (let d = shape.length - 1; d >= 0; d--) {
      const step = stride[d] as number;
      position += step;
      at[d] = (at[d] as number) + 1;
      if ((at[d] as number) < (shape[d] as number)) break;
      position -= step * (shape[d] as number);
      at[d] = 0;
    }
  }
  return all;
}

/** Returns a chunk's data in C order and without gaps. The chunk may have strides of its own. */
export function inOrder(
  type: TypeDescription,
  data: unknown,
  shape: readonly number[],
  stride: readonly number[] | undefined,
): unknown {
  const count = product(shape);
  if (stride && stride.length !== shape.length) {
    throw new InvalidValueError(`a chunk of ${shape.length} dimensions with steps for ${stride.length}`);
  }
  if (stride?.some((step) => !Number.isSafeInteger(step)))
    throw new InvalidValueError("a chunk whose steps are not integers");
  const dense = !stride || isDense(shape, stride);
  const where = dense ? undefined : positions(shape, stride);
  let end = count;
  for (const position of where ?? []) {
    if (position < 0) throw new InvalidValueError("a chunk with elements before its data");
    end = Math.max(end, position + 1);
  }
  return taken(type, data, where ?? count);
}

/** Returns the first elements of data, or those at some positions. */
function taken(type: TypeDescription, data: unknown, which: number | Float64Array): unknown {
  if (!isCollection(data)) {
    const columns = data as Record<string, unknown>;
    return Object.fromEntries(
      Object.keys(columns).map((name) => {
        const field = type.fields?.find((one) => one.name === name);
        return [name, field ? taken(field.type, columns[name], which) : columns[name]];
      }),
    );
  }
  const entries = ArrayBuffer.isView(data) ? entriesOf(type) : 1;
  const { length } = data;
  const has = (n: number) => {
    if (n * entries > length) throw new InvalidValueError(`${length} entries for ${n} elements of ${type.name}`);
  };
  if (typeof which === "number") {
    has(which);
    if (length === which * entries) return data;
    if (ArrayBuffer.isView(data)) return (data as unknown as Uint8Array).subarray(0, which * entries);
    const at = elementsOf(data);
    return Array.from({ length: which }, (_, i) => at(i));
  }
  let last = -1;
  for (const position of which) last = Math.max(last, position);
  has(last + 1);
  if (!ArrayBuffer.isView(data)) return Array.from(which, elementsOf(data));
  checkClass(type, data);
  const from = data as unknown as Uint8Array;
  const to = new (from.slice(0, 0).constructor as Uint8ArrayConstructor)(which.length * entries);
  for (let i = 0, out = 0; i < which.length; i++) {
    const begin = (which[i] as number) * entries;
    for (let k = 0; k < entries; k++) to[out++] = from[begin + k] as number;
  }
  return to;
}

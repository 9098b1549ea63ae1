import type { ZarrArray } from "../../api/array.js";
import { stated } from "../../describe/fact.js";
import type { Axis, Field, FieldLevel } from "../../describe/field.js";
import { roundText, withUnits } from "../../describe/text.js";
import { UnsupportedError } from "../../index.js";
import type { ViewState } from "../state.js";
import type { ViewWorker } from "../worker/viewworker.js";
import { differenceArray, type Side } from "./array.js";

type Minus = NonNullable<ViewState["minus"]>;

const refuse = (path: string, message: string) =>
  new UnsupportedError(message, { path, feature: "the difference of these" });

/** Throws if the elements of a field cannot be subtracted. */
function check({ path, values, colourAxis, plane }: Field): void {
  if (values !== "number" && values !== "boolean") throw refuse(path, `${path} has no numbers to subtract`);
  if (colourAxis !== null) throw refuse(path, `${path} has colours, which cannot be subtracted`);
  if (plane.value.x === null) throw refuse(path, `${path} is one value`);
}

/** Throws if two axes have different positions: their elements would not correspond. */
async function compare(path: string, axis: Axis, other: Axis, signal: AbortSignal): Promise<void> {
  const [a, b] = await Promise.all([axis.coordinate(signal), other.coordinate(signal)]);
  if (!a || !b) return;
  const same = (i: number) => {
    if (a.kind !== "number" || b.kind !== "number") return a.text(i) === b.text(i);
    const [p, q] = [a.number(i), b.number(i)];
    return Math.abs(p - q) <= 1e-5 * Math.max(1e-9, Math.abs(p), Math.abs(q)) || (Number.isNaN(p) && Number.isNaN(q));
  };
  for (let i = 0; i < axis.length; i++)
    if (!same(i))
      throw refuse(
        path,
        `${axis.name} has other positions in the subtracted variable: ${b.text(i)} is not ${a.text(i)}`,
      );
}

/** Returns how many chunks of the second array a chunk of the first one needs. */
function chunksOf(dimensions: Side["dimensions"], first: ZarrArray, second: ZarrArray): number {
  return dimensions.reduce(
    (count, one, d) =>
      "index" in one
        ? count
        : count * Math.max(1, Math.ceil((first.chunks[one.follows] ?? 1) / (second.chunks[d] || 1))),
    1,
  );
}

/**
 * Returns the level of a field with the same elements as another's level; undefined if there is
 * none.
 */
function levelLike(second: Field, dimensions: Side["dimensions"], { array }: FieldLevel): FieldLevel | undefined {
  return second.levels.find(({ array: other }) =>
    dimensions.every((one, d) => "index" in one || other.shape[d] === array.shape[one.follows]),
  );
}

/**
 * Returns the field of the first one's values minus the second's. Both are at the same indices,
 * except for given ones. Axes match by name; an axis that the second lacks is broadcast.
 */
export async function differenceOf(
  first: Field,
  second: Field,
  { index = {} }: Minus,
  workers: () => ViewWorker,
  signal: AbortSignal,
): Promise<Field> {
  check(first);
  check(second);
  const { path } = second;
  if (first.units !== second.units && first.units !== "" && second.units !== "")
    throw refuse(path, `${first.name} is in ${first.units}, ${second.name} in ${second.units}`);
  for (const name of Object.keys(index))
    if (!second.axes.some((axis) => axis.name === name)) throw refuse(path, `${path} has no axis ${name}`);
  const given = (axis: Axis) =>
    Object.hasOwn(index, axis.name) ? Math.min(index[axis.name] ?? 0, axis.length - 1) : undefined;
  const finest = second.axes.map((axis, d): Side["dimensions"][number] => {
    const at = given(axis);
    const follows = first.axes.findIndex(({ name }) => name === axis.name);
    return at === undefined && follows >= 0 ? { follows } : { index: at ?? second.indices[d] ?? 0 };
  });
  for (const [d, one] of finest.entries()) {
    if (!("follows" in one)) continue;
    const [axis, other] = [first.axes[one.follows] as Axis, second.axes[d] as Axis];
    if (axis.length !== other.length)
      throw refuse(
        path,
        `${axis.name} has ${other.length} elements in the subtracted variable, but ${axis.length} here`,
      );
    if (second !== first) await compare(path, axis, other, signal);
  }
  const levels = first.levels.flatMap((level): FieldLevel[] => {
    const other = levelLike(second, finest, level);
    if (!other) return [];
    const dimensions = finest.map((one, d) => {
      if ("follows" in one) return one;
      const at = Math.floor((one.index - (other.start[d] ?? 0)) / (other.factor[d] ?? 1));
      return { index: Math.max(0, Math.min((other.array.shape[d] ?? 1) - 1, at)) };
    });
    const own = {
      array: level.array,
      packing: first.packing,
      dimensions: level.array.shape.map((_, d) => ({ follows: d })),
    };
    const array = differenceArray(own, { array: other.array, packing: second.packing, dimensions }, workers);
    return [{ ...level, array, reads: 1 + chunksOf(dimensions, level.array, other.array) }];
  });
  if (levels[0]?.factor !== first.levels[0]?.factor)
    throw refuse(path, `no level of ${path} has the elements of ${first.path}`);
  const places = await Promise.all(
    second.axes.flatMap((axis) => {
      const at = given(axis);
      return at === undefined ? [] : [axis.coordinate(signal).then((found) => `${axis.name} ${found?.text(at) ?? at}`)];
    }),
  );
  const taken = [
    second.path === first.path ? "that" : second.title.value,
    places.length > 0 ? `at ${places.join(", ")}` : "",
  ];
  const units = first.units || second.units;
  return {
    ...first,
    name: `${first.name}-minus-${second.name}`,
    title: stated(`${first.title.value} − ${taken.filter(Boolean).join(" ")}`, "a subtraction is chosen"),
    units,
    values: "number",
    levels,
    channels: null,
    packing: { scale: 1, offset: 0, missing: [], valid: null },
    categories: [],
    labels: false,
    range: null,
    scale: stated("diverging" as const, "a difference is symmetric about 0"),
    members: [],
    text: (value) =>
      typeof value !== "number" || Number.isNaN(value) ? "missing" : withUnits(roundText(value), units),
  };
}

// The published types of zarr-wasm/geo: a page's typical code compiles against them.

import { open } from "zarr-wasm";
import {
  type Affine,
  type Georeference,
  georeference,
  type Level,
  openPyramid,
  selectionOf,
  validate,
} from "zarr-wasm/geo";

export async function page(): Promise<[Affine | undefined, string]> {
  const group = await open("https://example.org/a.zarr", { kind: "group" });
  const array = await group.open("b", { kind: "array" });
  const found: Georeference = await georeference(array, { group, signal: AbortSignal.timeout(5) });
  const pyramid = await openPyramid(group);
  const level: Level = pyramid.levelFor(found.pixelSize?.[0] ?? 1);
  const selection = selectionOf(level, [0, 1, 2, 3]);
  if (selection) await array.get(selection, { priority: 1 });
  // @ts-expect-error: an array is not a pyramid.
  await openPyramid(array);
  // @ts-expect-error: a box has four edges.
  selectionOf(level, [0, 1, 2]);
  const [violation] = validate(array.attrs, array);
  return [found.transform, violation?.message ?? ""];
}

// The physical values of a slice: unpacked, and NaN for missing ones.
import type { AnyData } from "../../data/types.js";
import { LimitError } from "../../index.js";
import { numbersOf, takenFor } from "../tiles/elements.js";
import type { Sampled, Samples } from "../worker/tasks.js";
import { ViewWorker } from "../worker/viewworker.js";
import { isPacked } from "./packed.js";
import type { Slice } from "./slice.js";

/** Converts the numbers of a slice in the view's worker. */
export async function converted(
  { field, rows, columns, parts }: Pick<Slice, "field" | "rows" | "columns" | "parts">,
  how: Pick<Samples, "source" | "form" | "flipX" | "flipY">,
): Promise<Sampled> {
  const meaning = { complex: null, time: false, packing: field.packing };
  const [width, height] = [columns?.length ?? 1, rows?.length ?? 1];
  const worker = new ViewWorker();
  try {
    return await worker.do({ task: "samples", meaning, width, height, parts, ...how });
  } finally {
    worker.close();
  }
}

/** Returns a slice with its physical values as float64. Slices of other elements are unchanged. */
export async function physical(slice: Slice): Promise<Slice> {
  const { field, type, data } = slice;
  const stored = isPacked(field) ? numbersOf(type, data, undefined) : undefined;
  if (!stored) return slice;
  const source = takenFor(stored, field.packing.type);
  const { numbers, lost } = await converted(slice, { source, form: "float64", flipX: false, flipY: false });
  if (lost !== null) throw new LimitError(`float64 cannot hold ${lost}`, { limit: "float64", max: 2 ** 53 });
  const float64 = { kind: "float", name: "float64", size: 8 } as const;
  return { ...slice, type: float64, data: numbers as AnyData, bytes: null };
}

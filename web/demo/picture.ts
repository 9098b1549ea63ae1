// Thumbnails of arrays and images in lists.

import type { Description } from "zarr-wasm/describe";
import { thumbnail } from "zarr-wasm/view";
import { sparkline } from "./sparkline.js";

/** The budget of a thumbnail: CSS pixels, chunks of each channel, and bytes. */
const BUDGET = { size: 72, chunks: 4, bytes: 8 * 2 ** 20 };

/**
 * Draws a node's thumbnail: an array of one dimension as a line. Returns false if it has none. The
 * size is in CSS pixels.
 */
export async function drawThumbnail(
  it: Description,
  canvas: HTMLCanvasElement,
  signal: AbortSignal,
  size = BUDGET.size,
): Promise<boolean> {
  if (it.kind !== "array" && it.kind !== "image") return false;
  const channels = it.field.channels?.list.filter(({ visible }) => visible).length ?? 1;
  const budget = { ...BUDGET, size, chunks: BUDGET.chunks * channels };
  if (it.field.axes.length === 1) return sparkline(it.field, canvas, budget, signal);
  return (await thumbnail(it.field, canvas, { ...budget, signal })) !== null;
}

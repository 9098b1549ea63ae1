// Small pictures of lines for lists.

import type { Field } from "zarr-wasm/describe";

/** The height of a line's picture, as a share of its width. */
const FLAT = 0.4;

/**
 * Draws the values of a field of one dimension as a line. Returns false if it has no numbers, or
 * takes more chunks or bytes than allowed.
 */
export async function sparkline(
  field: Field,
  canvas: HTMLCanvasElement,
  { size, chunks, bytes }: { readonly size: number; readonly chunks: number; readonly bytes: number },
  signal: AbortSignal,
): Promise<boolean> {
  const { array } = field.levels[0] ?? {};
  const length = array?.shape[0] ?? 0;
  if (!array || length < 2 || !["number", "time", "duration"].includes(field.values)) return false;
  if (Math.ceil(length / (array.chunks[0] ?? 1)) > chunks || length * array.type.size > bytes) return false;
  const { data } = await array.get(null, { signal });
  const { missing, scale } = field.packing;
  const numbers = data as ArrayLike<number | bigint>;
  const valueAt = (i: number): number =>
    missing.some((one) => one === numbers[i]) ? Number.NaN : Number(numbers[i]) * Math.sign(scale);
  const ratio = Math.min(2, devicePixelRatio || 1);
  [canvas.width, canvas.height] = [Math.round(size * ratio), Math.round(size * ratio * FLAT)];
  const pen = canvas.getContext("2d");
  if (!pen) return false;
  // The extremes of the values in each column of pixels.
  const extremes = Array.from({ length: Math.min(canvas.width, length) }, (_, column, columns = canvas.width) => {
    const count = Math.min(columns, length);
    let [least, most] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
    for (let i = Math.floor((column * length) / count); i < Math.ceil(((column + 1) * length) / count); i++) {
      const value = valueAt(i);
      if (value < least) least = value;
      if (value > most) most = value;
    }
    return { least, most };
  });
  const low = Math.min(...extremes.map(({ least }) => least));
  const high = Math.max(...extremes.map(({ most }) => most));
  if (!Number.isFinite(low) || !Number.isFinite(high)) return false;
  const margin = 2 * ratio;
  const y = (value: number): number =>
    high === low ? canvas.height / 2 : margin + ((high - value) / (high - low)) * (canvas.height - 2 * margin);
  pen.strokeStyle = getComputedStyle(canvas).color;
  pen.lineWidth = 1.25 * ratio;
  pen.lineJoin = "round";
  pen.beginPath();
  let drawing = false;
  for (const [column, { least, most }] of extremes.entries()) {
    const x = (column / (extremes.length - 1)) * (canvas.width - 2 * margin) + margin;
    // A column without values is a gap.
    if (least <= most) {
      if (drawing) pen.lineTo(x, y(most));
      else pen.moveTo(x, y(most));
      pen.lineTo(x, y(least));
    }
    drawing = least <= most;
  }
  pen.stroke();
  return true;
}

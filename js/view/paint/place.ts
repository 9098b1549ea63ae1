import type { Camera, Placed } from "./painter.js";

/**
 * Device pixels from `first` to before `last`. The one at `first + i` shows the pixel
 * `base + floor(from + i * step)` of a tile.
 */
export interface Run {
  readonly first: number;
  readonly last: number;
  readonly base: number;
  readonly from: number;
  readonly step: number;
}

/**
 * Returns the device pixels that a stretch of elements covers along one axis: those with their
 * middle in it. Neighbours compute a common edge by the same sum, so there is neither a gap nor an
 * overlap. The subtracted margin exceeds the rounding error.
 */
function along(origin: number, scale: number, start: number, end: number, size: number, limit: number): Run | null {
  const a = origin + scale * start;
  const b = origin + scale * end;
  const first = Math.max(0, Math.ceil(Math.min(a, b) - 0.5 - 1e-6));
  const last = Math.min(limit, Math.ceil(Math.max(a, b) - 0.5 - 1e-6));
  if (!(first < last)) return null;
  const perElement = size / (end - start);
  // The integer and the fraction are separate: single precision holds the fraction of a place, but
  // not a place in a large array.
  const at = ((first + 0.5 - origin) / scale - start) * perElement;
  const base = Math.floor(at);
  return { first, last, base, from: at - base, step: perElement / scale };
}

/** A part of a tile's pixels: all of them, or as many as one texture can hold. */
export interface Piece {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

/**
 * Returns the place of a part of a tile on a canvas; null if it is not visible. `width` and
 * `height` are the tile's pixels, `part` a piece of them.
 */
export function place(
  { scaleX, scaleY, originX, originY }: Camera,
  tile: Placed,
  { width, height }: { readonly width: number; readonly height: number },
  part: Piece,
  canvas: { readonly width: number; readonly height: number },
): { readonly columns: Run; readonly rows: Run } | null {
  const x = (at: number): number => tile.x + tile.width * (at / width);
  const y = (at: number): number => tile.y + tile.height * (at / height);
  const columns = along(originX, scaleX, x(part.left), x(part.left + part.width), part.width, canvas.width);
  const rows = along(originY, scaleY, y(part.top), y(part.top + part.height), part.height, canvas.height);
  return columns && rows && { columns, rows };
}

// A thumbnail of a field: its coarsest level, with contrast by statistics.
import type { Field } from "../../describe/index.js";
import { Contrast } from "../element/contrast.js";
import { TileLayer } from "../element/layer.js";
import { lookFromState } from "../element/look.js";
import { stylesOf } from "../element/styling.js";
import { createPainter } from "../paint/create.js";
import type { Wanted } from "../tiles/tiles.js";

/** Options of a thumbnail. */
export interface ThumbnailOptions {
  /** Aborts the work: the thumbnail rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /** The largest number of chunks to read. The default is 16. */
  readonly chunks?: number | undefined;
  /** The largest number of decoded bytes of these chunks. The default is 8 MiB. */
  readonly bytes?: number | undefined;
  /** The longer side in CSS pixels. The default is 128. */
  readonly size?: number | undefined;
}

/** The result of a drawing. */
export interface Thumbnail {
  /** The drawn level; the finest is 0. */
  readonly level: number;
  /**
   * The values with the first and the last colour. Null if the colours are stored, or belong to
   * categories or channels.
   */
  readonly range: readonly [low: number, high: number] | null;
}

/** A coarsest level with fewer elements along its longer side is too small to show. */
const enough = 32;

/**
 * Draws a thumbnail of a field on an unused canvas, and sets the canvas's size. It never reads more
 * chunks or bytes than allowed. Returns null if no level is small enough, or the field is not a
 * picture. Rejects like reads of the arrays.
 */
export async function thumbnail(
  field: Field,
  canvas: HTMLCanvasElement,
  options: ThumbnailOptions = {},
): Promise<Thumbnail | null> {
  const { signal, chunks = 16, bytes = 8 * 2 ** 20, size = 128 } = options;
  signal?.throwIfAborted();
  const look = lookFromState(field, {});
  const { x, y } = look;
  if (x === null || y === null || ["text", "struct", "bytes"].includes(field.values)) return null;
  const [width, height] = [field.axes[x]?.length ?? 0, field.axes[y]?.length ?? 0];
  if (width === 0 || height === 0) return null;
  const ratio = Math.min(2, globalThis.devicePixelRatio || 1);
  const scale = (size * ratio) / Math.max(width, height);
  canvas.width = Math.max(1, Math.round(width * scale));
  canvas.height = Math.max(1, Math.round(height * scale));
  let end: (error: unknown) => void = () => {};
  let again: () => void = () => {};
  const painter = createPainter(canvas, { webgl: false });
  const layer = new TileLayer(field, painter, { changed: () => again(), failed: (error) => end(error) }, { reads: 4 });
  const contrast = new Contrast(
    field,
    () => again(),
    () => {},
    (error) => end(error),
  );
  try {
    const whole: Wanted = {
      x,
      y,
      indices: look.indices,
      left: 0,
      top: 0,
      right: width,
      bottom: height,
      perPixelX: width / canvas.width,
      perPixelY: height / canvas.height,
      channels: look.read,
    };
    const level = levelWithin((level) => layer.cost({ ...whole, level }), field, [x, y], { chunks, bytes });
    if (level === null) return null;
    const wanted = { ...whole, level };
    return await new Promise<Thumbnail>((resolve, reject) => {
      const aborted = (): void => reject(signal?.reason);
      signal?.addEventListener("abort", aborted, { once: true });
      end = (error) => {
        signal?.removeEventListener("abort", aborted);
        reject(error);
      };
      again = () => {
        const { styles, unknown } = stylesOf(field, look, contrast, layer.tiles.packing);
        if (!layer.tiles.complete) return;
        if (unknown.length > 0) {
          contrast.want(layer.tiles, unknown, { slice: "", view: "" });
          return;
        }
        signal?.removeEventListener("abort", aborted);
        const camera = {
          scaleX: (look.left ? -1 : 1) * scale,
          scaleY: (look.up ? -1 : 1) * scale,
          originX: look.left ? canvas.width : 0,
          originY: look.up ? canvas.height : 0,
        };
        painter.paint({ camera, layers: layer.layers(styles, 1) });
        const style = styles[0]?.style;
        resolve({ level, range: style?.kind === "map" ? style.range : null });
      };
      layer.tiles.want(wanted);
      again();
    });
  } finally {
    again = () => {};
    end = () => {};
    contrast.close();
    layer.close();
    painter.close();
  }
}

/**
 * Returns the coarsest level within the budget that has enough elements to show, or else a coarser
 * one. Returns null if no level is within the budget.
 */
function levelWithin(
  cost: (level: number) => { readonly chunks: number; readonly bytes: number },
  { levels }: Field,
  plane: readonly number[],
  most: { readonly chunks: number; readonly bytes: number },
): number | null {
  let found: number | null = null;
  for (let level = levels.length - 1; level >= 0; level--) {
    const { chunks, bytes } = cost(level);
    if (chunks > most.chunks || bytes > most.bytes) break;
    found = level;
    const shape = levels[level]?.array.shape ?? [];
    if (Math.max(...plane.map((axis) => shape[axis] ?? 0)) >= enough) break;
  }
  return found;
}

import type { Layer } from "../paint/painter.js";
import { type Gaze, seen } from "./camera.js";

/** Returns layers with the repetitions of their tiles around the seam of a plane that repeats. */
export function repeated(layers: readonly Layer[], scene: Gaze): readonly Layer[] {
  if (scene.globe) return layers;
  const { period } = scene.ground;
  const { left, right } = seen(scene);
  if (!period || (left >= 0 && right <= period)) return layers;
  const copies = [-period, 0, period];
  return layers.map((layer) => ({
    ...layer,
    tiles: layer.tiles.flatMap((tile) =>
      copies.map((turn) => ({ ...tile, x: tile.x + turn })).filter(({ x, width }) => x < right && x + width > left),
    ),
  }));
}

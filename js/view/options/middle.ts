import { ASK_BYTES, ASK_CHUNKS, type Cost } from "../element/budget.js";
import { type Eye, fitted, type Ground, seen, type Viewport } from "../element/camera.js";
import type { Wanted } from "../tiles/tiles.js";

/** Returns the eye on a middle of the picture that is small enough to read without a question. */
export function middleOf(
  wanted: Wanted,
  cost: (wanted: Wanted) => Cost,
  ground: Ground,
  view: Viewport,
  ratio: number,
): Eye {
  let eye = fitted(ground, view);
  for (let i = 0; i < 40; i++) {
    eye = { ...eye, zoom: eye.zoom * 2 };
    const per = 1 / (eye.zoom * ratio);
    const { chunks, bytes } = cost({
      ...wanted,
      ...seen({ eye, ground, view }),
      perPixelX: per,
      perPixelY: per / ground.aspect,
    });
    if (chunks <= ASK_CHUNKS / 4 && bytes <= ASK_BYTES / 2) break;
  }
  return eye;
}

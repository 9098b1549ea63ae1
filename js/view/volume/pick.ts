// The element of a volume that a pixel shows.

import type { Packing } from "../../describe/field.js";
import { shareOf } from "../colour/curve.js";
import { type Numbers, numbersOf, sorted, validOf } from "../paint/numbers.js";
import type { Pixels } from "../paint/painter.js";
import { rayAt, walk } from "./camera.js";
import type { Frame } from "./painter.js";
import { density } from "./shader.js";
import { each, type Three } from "./solid.js";

/** A picked element of a grid, and its weight among those of other channels. */
export interface Picked {
  readonly cell: Three;
  readonly weight: number;
}

/** Returns the value of each stored number; NaN if it is missing. */
function valuesOf(data: Pixels["data"], numbers: Numbers, packing: Packing): (i: number) => number {
  const { scale, offset } = packing;
  const [least, most] = validOf(packing, numbers);
  const missing = new Set(sorted(packing.missing, numbers).map(([value]) => value));
  return (i) => {
    const stored = data[i] as number;
    return stored >= least && stored <= most && !missing.has(stored) ? stored * scale + offset : Number.NaN;
  };
}

/** Reports whether some stored numbers are not missing. */
export function hasValues(pixels: Pixels, packing: Packing): boolean {
  const value = valuesOf(pixels.data, numbersOf(pixels), packing);
  for (let i = 0; i < pixels.data.length; i++) if (!Number.isNaN(value(i))) return true;
  return false;
}

/** Returns the opacity of a length of a share, as the shader does. */
const opacity = (share: number, length: number) => 1 - Math.exp(-density * share * share * length);

/**
 * Returns the element that the pixel at x and y shows; null without a value. It has the largest
 * value along the ray, the largest part of the colour, or the nearest slice.
 */
export function picked(frame: Frame, { loaded, style }: Frame["layers"][number], x: number, y: number): Picked | null {
  const { mode, rays, part, slices } = frame;
  const from = rayAt(rays, x, y);
  const { shape } = loaded;
  const value = valuesOf(loaded.data, loaded.numbers, style.packing);
  const placeOf = ([i, j, k]: Three) => (k * shape[1] + j) * shape[0] + i;
  const share = (one: number) => shareOf(one, style.range, style.curve);
  if (mode === "slices") {
    const hits = ([0, 1, 2] as const).map((k) => ({ k, t: (slices[k] - from[k]) / rays.into[k] }));
    for (const { k, t } of hits.sort((a, b) => a.t - b.t)) {
      const at = each(from, (one, i) => (i === k ? slices[i] : one + rays.into[i] * t));
      if (at.some((one, i) => one < (part.low[i] as number) || one >= (part.high[i] as number))) continue;
      const cell = each(at, Math.floor);
      const found = value(placeOf(cell));
      if (!Number.isNaN(found)) return { cell, weight: share(found) };
    }
    return null;
  }
  let best: { cell: Three; most: number; value: number } | null = null;
  let left = 1;
  walk(from, rays.into, part, (i, j, k, length) => {
    const cell: Three = [i, j, k];
    const found = value(placeOf(cell));
    if (Number.isNaN(found)) return;
    let most = found;
    if (mode === "shaded") {
      most = left * opacity(share(found), length);
      left -= most;
    }
    if (!best || most > best.most) best = { cell, most, value: found };
  });
  // TypeScript does not see the assignment in the callback.
  const found = best as { cell: Three; most: number; value: number } | null;
  return found && { cell: found.cell, weight: mode === "shaded" ? found.most : share(found.value) };
}

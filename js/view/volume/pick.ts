// The element of a volume that a pixel shows.

import type { Packing } from "../../describe/field.js";
import { shareOf } from "../colour/curve.js";
import { type Numbers, sorted, validOf } from "../paint/numbers.js";
import type { Pixels, Style } from "../paint/painter.js";
import { rayAt, walk } from "./camera.js";
import type { Frame, Loaded } from "./painter.js";
import { density } from "./shader.js";
import { each, type Three } from "./solid.js";

type OwnStyle = Exclude<Style, { kind: "map" | "channel" }>;

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

/** Returns the opacity of each element with a colour of its own, as the shader computes it. */
function alphasOf({ data, numbers, parts }: Loaded, style: OwnStyle): (i: number) => number {
  const at = (i: number) => data[i] as number;
  switch (style.kind) {
    case "label": {
      const [chosen] = style.chosen === null ? [] : sorted([style.chosen], numbers);
      const others = style.chosen === null ? 1 : 0.3;
      return (i) => (at(i) === 0 || Number.isNaN(at(i)) ? 0 : at(i) === chosen?.[0] ? 1 : others);
    }
    case "category": {
      const alphas = new Map(sorted(style.values, numbers).map(([value, k]) => [value, style.colours[4 * k + 3]]));
      return (i) => (alphas.get(at(i)) ?? 0) / 255;
    }
    case "colour": {
      const full = numbers.kind === "float" ? 1 : 1 / numbers.most;
      return (i) => {
        for (let k = 0; k < parts; k++) if (Number.isNaN(at(parts * i + k))) return 0;
        return parts < 4 ? 1 : Math.max(0, Math.min(1, at(parts * i + 3) * full));
      };
    }
  }
}

/**
 * Returns the element with a colour of its own that the pixel at x and y shows. It is that of the
 * nearest slice, the brightest one, or the largest part of the colour.
 */
function pickedOwn(frame: Frame, loaded: Loaded, style: OwnStyle, x: number, y: number): Picked | null {
  const { mode, rays, part } = frame;
  const { data, parts } = loaded;
  const alpha = alphasOf(loaded, style);
  const from = rayAt(rays, x, y);
  if (mode === "slices") {
    for (const cell of slicedAt(frame, from)) {
      const weight = alpha(placeOf(loaded, cell));
      if (weight > 0) return { cell, weight };
    }
    return null;
  }
  let best: Picked | null = null;
  let left = 1;
  let last: number | undefined;
  walk(from, rays.into, part, (i, j, k, length) => {
    if (length <= 0) return;
    const cell: Three = [i, j, k];
    const at = placeOf(loaded, cell);
    const opacity = alpha(at);
    const body = style.kind === "colour" || opacity === 0 ? undefined : data[at];
    const same = body !== undefined && body === last;
    last = body;
    if (opacity === 0 || same) return;
    let weight = left * opacity;
    if (mode === "maximum") weight = [0, 1, 2].reduce((sum, c) => sum + (data[parts * at + c] ?? 0), 0);
    left -= left * opacity;
    if (!best || weight > best.weight) best = { cell, weight };
  });
  return best;
}

/** Returns the opacity of a length of a share, as the shader does. */
const opacity = (share: number, length: number) => 1 - Math.exp(-density * share * share * length);

const placeOf = ({ shape }: Loaded, [i, j, k]: Three) => (k * shape[1] + j) * shape[0] + i;

/** Returns the elements of the slices that a ray meets, the nearest first. */
function slicedAt({ slices, rays, part }: Frame, from: Three): Three[] {
  const hits = ([0, 1, 2] as const).map((k) => ({ k, t: (slices[k] - from[k]) / rays.into[k] }));
  return hits
    .sort((a, b) => a.t - b.t)
    .map(({ k, t }) => each(from, (one, i) => (i === k ? slices[i] : one + rays.into[i] * t)))
    .filter((at) => at.every((one, i) => one >= (part.low[i] as number) && one < (part.high[i] as number)))
    .map((at) => each(at, Math.floor));
}

/**
 * Returns the element that the pixel at x and y shows; null without a value. It has the largest
 * value along the ray, the largest part of the colour, or the nearest slice.
 */
export function picked(frame: Frame, { loaded, style }: Frame["layers"][number], x: number, y: number): Picked | null {
  if (style.kind !== "map" && style.kind !== "channel") return pickedOwn(frame, loaded, style, x, y);
  const { mode, rays, part } = frame;
  const from = rayAt(rays, x, y);
  const value = valuesOf(loaded.data, loaded.numbers, style.packing);
  const share = (one: number) => shareOf(one, style.range, style.curve);
  if (mode === "slices") {
    for (const cell of slicedAt(frame, from)) {
      const found = value(placeOf(loaded, cell));
      if (!Number.isNaN(found)) return { cell, weight: share(found) };
    }
    return null;
  }
  let best: { cell: Three; most: number; value: number } | null = null;
  let left = 1;
  walk(from, rays.into, part, (i, j, k, length) => {
    const cell: Three = [i, j, k];
    const found = value(placeOf(loaded, cell));
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

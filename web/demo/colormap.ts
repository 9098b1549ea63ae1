// Colour scales. Viridis and magma are the scales of Nathaniel Smith and Stéfan van der Walt, released under CC0;
// ten anchors each, joined in straight lines, differ from the originals by less than the eye can tell.

export type ColormapName = "viridis" | "magma" | "gray";

/** Anchors at equal distances, 0xRRGGBB. */
export const COLORMAPS: Readonly<Record<ColormapName, readonly number[]>> = {
  viridis: [0x440154, 0x482878, 0x3e4989, 0x31688e, 0x26828e, 0x1f9e89, 0x35b779, 0x6ece58, 0xb5de2b, 0xfde725],
  magma: [0x000004, 0x180f3e, 0x451077, 0x721f81, 0x9f2f7f, 0xcd4071, 0xf1605d, 0xfd9567, 0xfec98d, 0xfcfdbf],
  gray: [0x000000, 0xffffff],
};

export function isColormap(name: string): name is ColormapName {
  return Object.hasOwn(COLORMAPS, name);
}

/** The colour at position t of 0…1 as [red, green, blue] of 0…255; outside is clamped. */
export function colorAt(name: ColormapName, t: number): [number, number, number] {
  const anchors = COLORMAPS[name];
  const last = anchors.length - 1;
  const place = Math.min(Math.max(Number.isNaN(t) ? 0 : t, 0), 1) * last;
  const i = Math.min(Math.floor(place), last - 1);
  const a = anchors[i] ?? 0;
  const b = anchors[i + 1] ?? a;
  const mix = (shift: number): number => {
    const from = (a >> shift) & 0xff;
    const to = (b >> shift) & 0xff;
    return Math.round(from + (to - from) * (place - i));
  };
  return [mix(16), mix(8), mix(0)];
}

/** 256 opaque pixels as ImageData holds them (R, G, B, A in memory order). */
export function lookupTable(name: ColormapName): Uint32Array {
  const bytes = new Uint8ClampedArray(256 * 4);
  for (let i = 0; i < 256; i++) {
    const [r, g, b] = colorAt(name, i / 255);
    bytes.set([r, g, b, 255], i * 4);
  }
  return new Uint32Array(bytes.buffer);
}

/** The scale as a CSS gradient from left to right. */
export function cssGradient(name: ColormapName): string {
  const stops = COLORMAPS[name].map((c) => `#${c.toString(16).padStart(6, "0")}`);
  return `linear-gradient(to right, ${stops.join(", ")})`;
}

type Rgb = readonly [red: number, green: number, blue: number];

/** Colours of channels that state none: each far from the others, and from what the first ones add up to. */
const several: readonly Rgb[] = [
  [0, 120, 255],
  [0, 255, 60],
  [255, 40, 40],
  [255, 0, 255],
  [0, 255, 255],
  [255, 220, 0],
  [255, 140, 0],
  [160, 90, 255],
];

/** The colours of so many channels where none are stated: white for one, green and magenta for two. */
export function channelColours(count: number): Rgb[] {
  if (count === 1) return [[255, 255, 255]];
  if (count === 2) return [several[1] as Rgb, several[3] as Rgb];
  return Array.from({ length: count }, (_, i) => several[i % several.length] as Rgb);
}

/** A colour as `rrggbb`. */
export const hexOf = (colour: Rgb): string => colour.map((part) => part.toString(16).padStart(2, "0")).join("");

/** The colour that `rrggbb` or `#rrggbb` stands for; undefined where it stands for none. */
export function parseHex(text: string): Rgb | undefined {
  const [, red, green, blue] = /^#?([\da-f]{2})([\da-f]{2})([\da-f]{2})$/i.exec(text) ?? [];
  if (red === undefined || green === undefined || blue === undefined) return undefined;
  return [Number.parseInt(red, 16), Number.parseInt(green, 16), Number.parseInt(blue, 16)];
}

type Rgb = readonly [red: number, green: number, blue: number];

/** Formats a colour as `rrggbb`. */
export const hexOf = (colour: Rgb): string => colour.map((part) => part.toString(16).padStart(2, "0")).join("");

/** Parses `rrggbb` or `#rrggbb`. Returns undefined for other texts. */
export function parseHex(text: string): Rgb | undefined {
  const [, red, green, blue] = /^#?([\da-f]{2})([\da-f]{2})([\da-f]{2})$/i.exec(text) ?? [];
  if (red === undefined || green === undefined || blue === undefined) return undefined;
  return [Number.parseInt(red, 16), Number.parseInt(green, 16), Number.parseInt(blue, 16)];
}

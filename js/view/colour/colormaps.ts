import { fromOklch } from "./oklab.js";

/** The kind of a colour map. */
type ColormapKind = "sequential" | "diverging" | "cyclic" | "categorical";

/** A colour map. A name with `-r` at its end is the reversed map. */
interface Colormap {
  readonly name: string;
  readonly kind: ColormapKind;
}

type Colour = readonly [number, number, number];

/**
 * Colours at equal distances along a map, six digits each. Those up to plasma are sampled from maps
 * by N. Smith, S. van der Walt and E. Firing (CC0).
 */
const measured: Record<string, string> = {
  viridis: "44015448186a472d7b4240863b528b33638d2c728e26818e21908d1e9f8828ae803dbc745dc96381d34cabdc33d5e219fde725",
  magma: "000004140e363b10706519808c2a81b6367ade4968f76f5bfda06dfece91fcfdbf",
  inferno: "0000040a0723210c4a3c096557106d70196e89226aa32b61bb3755d14544e35932f1711ff98d09fcab0ff9c932f1e966fcffa4",
  plasma: "0d08873b049b5d01a67e03a89c179eb52f8ccb4778dd5f65ed7953f89441fdb32efbd426f0f921",
  cividis: "00224e09326c2b446d4d566e69696f7f7c75948f78ada476caba69ead158fee838",
  turbo: "30123b493fac4569ef3295f726bce129dcbc3ff39365fd6e95fb51c4ec3bedd12effad24ff821ef15616c92e0da614017a0403",
  gray: "000000ffffff",
};

const bytes = (digits: string): Colour[] =>
  (digits.match(/.{6}/g) ?? []).map((six) => {
    const colour = Number.parseInt(six, 16);
    return [colour >> 16, (colour >> 8) & 255, colour & 255];
  });

/** Returns a colour of a perceived lightness, chroma and hue in degrees. */
const seen = (lightness: number, chroma: number, degrees: number): Colour =>
  fromOklch(lightness, chroma, (degrees / 180) * Math.PI);

/** Returns colours from one hue over a light middle to another. Both ends are equally dark. */
const diverging = (low: number, high: number, chroma: number, middle: number, end: number): Colour[] => {
  const arm = (hue: number): Colour[] =>
    [0.75, 1, 0.75, 0.35].map((strength, i) =>
      seen(end + (middle - end) * (1 - (1 - i / 4) ** 1.4), chroma * strength, hue),
    );
  return [...arm(low), seen(middle, 0.004, 90), ...arm(high).reverse()];
};

/**
 * Returns the colours of a cyclic map. `colour` returns the colour at a share, 0 to 1, of the
 * circle.
 */
const around = (colour: (share: number) => Colour): Colour[] =>
  Array.from({ length: 17 }, (_, i) => colour((i % 16) / 16));

const category: readonly Colour[] = [
  [0.55, 0.15, 253],
  [0.74, 0.165, 60],
  [0.62, 0.16, 145],
  [0.57, 0.2, 25],
  [0.57, 0.15, 302],
  [0.47, 0.075, 48],
  [0.74, 0.14, 345],
  [0.52, 0, 0],
  [0.67, 0.135, 100],
  [0.72, 0.115, 208],
];

const strong = (): Colour[] => category.map((colour) => seen(...colour));

const made: Record<string, readonly [kind: ColormapKind, colours: () => Colour[]]> = {
  rdbu: ["diverging", () => diverging(24, 250, 0.16, 0.97, 0.37)],
  brbg: ["diverging", () => diverging(68, 190, 0.105, 0.97, 0.37)],
  coolwarm: ["diverging", () => diverging(266, 26, 0.17, 0.88, 0.48)],
  twilight: [
    "cyclic",
    () =>
      around((share) => {
        const dark = (1 - Math.cos(share * 2 * Math.PI)) / 2;
        const hue = share < 0.5 ? 235 + 70 * dark : 25 - 80 * dark;
        return seen(0.91 - 0.68 * dark, 0.02 + 0.13 * Math.sin(Math.PI * dark) ** 1.5 + 0.05 * dark, hue);
      }),
  ],
  phase: ["cyclic", () => around((share) => seen(0.68, 0.125, share * 360))],
  tab10: ["categorical", strong],
  tab20: ["categorical", () => category.flatMap(([l, c, hue]) => [seen(l, c, hue), seen(l + 0.17, c * 0.5, hue)])],
};

/** All colour maps, in the order of menus. */
export const colormaps: readonly Colormap[] = [
  ...Object.keys(measured).map((name): Colormap => ({ name, kind: "sequential" })),
  ...Object.entries(made).map(([name, [kind]]): Colormap => ({ name, kind })),
];

/** Returns the map's name without `-r`. */
const base = (name: string): string => name.replace(/-r$/, "");

/** Returns the kind of the map of this name, with or without `-r`; undefined if there is none. */
export const kindOf = (name: string): ColormapKind | undefined =>
  colormaps.find((map) => map.name === base(name))?.kind;

/** Reports whether there is a map of this name, with or without `-r`. */
export const isColormap = (name: string): boolean => kindOf(name) !== undefined;

/** Returns the map for a scale without a chosen map. */
export const defaultColormap = (scale: ColormapKind): string =>
  ({ sequential: "viridis", diverging: "rdbu-r", cyclic: "twilight", categorical: "tab20" })[scale];

/** Caches tables: painters identify a table by its object. */
const tables = new Map<string, Uint8Array>();

/**
 * Returns the 256 colours of a map, as red, green, blue and alpha bytes. Returns the same array on
 * each call. Throws a TypeError for an unknown name.
 */
export function tableOf(name: string): Uint8Array {
  const kind = kindOf(name);
  if (!kind) throw new TypeError(`There is no colour map "${name}".`);
  const known = tables.get(name);
  if (known) return known;
  const plain = base(name);
  const colours = made[plain]?.[1]() ?? bytes(measured[plain] as string);
  if (name !== plain) colours.reverse();
  const table = new Uint8Array(1024);
  for (let i = 0; i < 256; i++) {
    table.set(kind === "categorical" ? (colours[i % colours.length] as Colour) : between(colours, i / 255), i * 4);
    table[i * 4 + 3] = 255;
  }
  tables.set(name, table);
  return table;
}

/** Returns the colour at a share of the way through colours, by a curve through all of them. */
function between(colours: readonly Colour[], share: number): Colour {
  const last = colours.length - 1;
  const i = Math.min(last - 1, Math.floor(share * last));
  const f = share * last - i;
  const at = (place: number): Colour => colours[place] as Colour;
  const part = (k: 0 | 1 | 2): number => {
    const b = at(i)[k];
    const c = at(i + 1)[k];
    // The curve is extrapolated beyond its ends.
    const a = colours[i - 1]?.[k] ?? 2 * b - c;
    const d = colours[i + 2]?.[k] ?? 2 * c - b;
    const value = b + 0.5 * f * (c - a + f * (2 * a - 5 * b + 4 * c - d + f * (3 * (b - c) + d - a)));
    return Math.round(Math.min(255, Math.max(0, value)));
  };
  return [part(0), part(1), part(2)];
}

/** Formats a colour for CSS. */
const css = ([red, green, blue]: readonly [number, number, number] | Uint8Array): string =>
  `rgb(${red}, ${green}, ${blue})`;

/** Returns a map as a CSS image, in the direction `to`. */
export function gradientOf(name: string, to = "to right"): string {
  const table = tableOf(name);
  const stops = Array.from({ length: 33 }, (_, i) => css(table.subarray(Math.round((i / 32) * 255) * 4)));
  if (kindOf(name) !== "categorical") return `linear-gradient(${to}, ${stops.join(", ")})`;
  const bands = stops.slice(0, 20).map((_, i) => `${css(table.subarray(i * 4))} ${i * 5}% ${i * 5 + 5}%`);
  return `linear-gradient(${to}, ${bands.join(", ")})`;
}

/**
 * Returns colours of `count` categories, four bytes each: ten strong colours, then lighter ones,
 * then the same again.
 */
export function categoryColours(count: number): Uint8Array {
  const table = tableOf(count > 10 ? "tab20" : "tab10");
  return Uint8Array.from({ length: count * 4 }, (_, i) => table[i % 1024] as number);
}

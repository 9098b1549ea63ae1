import { fromOklch } from "./oklab.js";

/** How the colours of a map run. */
type ColormapKind = "sequential" | "diverging" | "cyclic" | "categorical";

/** A colour map: its name with `-r` at its end is the map reversed. */
interface Colormap {
  readonly name: string;
  readonly kind: ColormapKind;
}

type Colour = readonly [number, number, number];

/** Colours at equal distances along a map, six digits each. Those up to plasma are measured of maps by N. Smith, S. van der Walt and E. Firing (CC0). */
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

/** A colour by its lightness, its strength and its hue in degrees, as the eye sees them. */
const seen = (lightness: number, chroma: number, degrees: number): Colour =>
  fromOklch(lightness, chroma, (degrees / 180) * Math.PI);

/** From one hue over a light middle to another, both equally dark at the ends. */
const diverging = (low: number, high: number, chroma: number, middle: number, end: number): Colour[] => {
  const arm = (hue: number): Colour[] =>
    [0.75, 1, 0.75, 0.35].map((strength, i) =>
      seen(end + (middle - end) * (1 - (1 - i / 4) ** 1.4), chroma * strength, hue),
    );
  return [...arm(low), seen(middle, 0.004, 90), ...arm(high).reverse()];
};

/** Around a circle: `colour` of a share of it. */
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

/** All colour maps, those that a person meets first at the front. */
export const colormaps: readonly Colormap[] = [
  ...Object.keys(measured).map((name): Colormap => ({ name, kind: "sequential" })),
  ...Object.entries(made).map(([name, [kind]]): Colormap => ({ name, kind })),
];

/** The map's name without `-r`. */
const base = (name: string): string => name.replace(/-r$/, "");

/** The kind of a map by its name, perhaps with `-r`; undefined where there is no such map. */
export const kindOf = (name: string): ColormapKind | undefined =>
  colormaps.find((map) => map.name === base(name))?.kind;

/** Whether there is a map of this name, perhaps with `-r`. */
export const isColormap = (name: string): boolean => kindOf(name) !== undefined;

/** The map that is drawn where none is chosen. */
export const defaultColormap = (scale: ColormapKind): string =>
  ({ sequential: "viridis", diverging: "rdbu-r", cyclic: "twilight", categorical: "tab20" })[scale];

/** The same object each time: painters know a table by it. */
const tables = new Map<string, Uint8Array>();

/** The 256 colours of a map, red, green, blue and alpha each; the same array each time. Throws a TypeError where there is no such map. */
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

/** The colour at a share of a way through colours, by a curve through all of them. */
function between(colours: readonly Colour[], share: number): Colour {
  const last = colours.length - 1;
  const i = Math.min(last - 1, Math.floor(share * last));
  const f = share * last - i;
  const at = (place: number): Colour => colours[place] as Colour;
  const part = (k: 0 | 1 | 2): number => {
    const b = at(i)[k];
    const c = at(i + 1)[k];
    // Beyond the ends it goes on as it came.
    const a = colours[i - 1]?.[k] ?? 2 * b - c;
    const d = colours[i + 2]?.[k] ?? 2 * c - b;
    const value = b + 0.5 * f * (c - a + f * (2 * a - 5 * b + 4 * c - d + f * (3 * (b - c) + d - a)));
    return Math.round(Math.min(255, Math.max(0, value)));
  };
  return [part(0), part(1), part(2)];
}

/** A colour as CSS takes it. */
const css = ([red, green, blue]: readonly [number, number, number] | Uint8Array): string =>
  `rgb(${red}, ${green}, ${blue})`;

/** A map from left to right, as a CSS image; `to` is its direction. */
export function gradientOf(name: string, to = "to right"): string {
  const table = tableOf(name);
  const stops = Array.from({ length: 33 }, (_, i) => css(table.subarray(Math.round((i / 32) * 255) * 4)));
  if (kindOf(name) !== "categorical") return `linear-gradient(${to}, ${stops.join(", ")})`;
  const bands = stops.slice(0, 20).map((_, i) => `${css(table.subarray(i * 4))} ${i * 5}% ${i * 5 + 5}%`);
  return `linear-gradient(${to}, ${bands.join(", ")})`;
}

/** Colours for so many categories, four bytes each: ten strong ones, then lighter ones between them, then over again. */
export function categoryColours(count: number): Uint8Array {
  const table = tableOf(count > 10 ? "tab20" : "tab10");
  return Uint8Array.from({ length: count * 4 }, (_, i) => table[i % 1024] as number);
}

import { labelIndex, labelTable } from "../colour/labels.js";
import { lineThrough, type Numbers, numbersOf, sorted, validOf } from "./numbers.js";
import type { Painter, Pixels, Scene, Style, Texture } from "./painter.js";
import { place, type Run } from "./place.js";

/** Pixels, as they are. */
class Kept implements Texture {
  readonly bytes: number;
  readonly numbers: Numbers;
  constructor(readonly pixels: Pixels) {
    this.bytes = pixels.data.byteLength;
    this.numbers = numbersOf(pixels);
  }
}

/** Where a tile lies on the canvas. */
type Stretch = NonNullable<ReturnType<typeof place>>;

/** Draws on a canvas of two dimensions, pixel by pixel, what {@link WebGlPainter} draws. */
export class CanvasPainter implements Painter {
  readonly kind = "canvas";
  readonly #context: CanvasRenderingContext2D;
  readonly #kept = new Set<Kept>();
  #image: ImageData | null = null;
  #closed = false;

  constructor(
    readonly canvas: HTMLCanvasElement,
    context: CanvasRenderingContext2D,
  ) {
    this.#context = context;
  }

  load(pixels: Pixels): Texture {
    const kept = new Kept(pixels);
    this.#kept.add(kept);
    return kept;
  }

  free(texture: Texture): void {
    if (texture instanceof Kept) this.#kept.delete(texture);
  }

  paint({ camera, layers }: Scene): void {
    const { width, height } = this.canvas;
    if (this.#closed || width === 0 || height === 0) return;
    if (this.#image?.width !== width || this.#image.height !== height) {
      this.#image = this.#context.createImageData(width, height);
    }
    const out = new Uint32Array(this.#image.data.buffer);
    out.fill(0);
    const covered = new Uint8Array(out.length);
    for (const [n, { tiles, style, opacity }] of layers.entries()) {
      const shades = shader();
      const number = (n % 255) + 1;
      if (n > 0 && number === 1) covered.fill(0);
      const channel = style.kind === "channel";
      const seen = tiles.flatMap((tile) => {
        if (!(tile.texture instanceof Kept) || !this.#kept.has(tile.texture)) return [];
        const { pixels, numbers } = tile.texture;
        const at = place(camera, tile, pixels, { left: 0, top: 0, ...sizeOf(pixels) }, this.canvas);
        return at ? [{ ...at, pixels, numbers }] : [];
      });
      const shared = seen.some((one, i) => seen.some((other, j) => j < i && meet(one, other)));
      // Of tiles of one layer that overlap the last counts: it is drawn first, and keeps its pixels.
      for (const { columns, rows, pixels, numbers } of seen.reverse()) {
        const colourOf = shades(style, pixels, numbers, opacity);
        const count = columns.last - columns.first;
        const sources = Int32Array.from({ length: count }, (_, i) => at(columns, i, pixels.width));
        for (let y = rows.first; y < rows.last; y++) {
          const row = at(rows, y - rows.first, pixels.height) * pixels.width;
          let place = y * width + columns.first;
          let last = -1;
          let colour = 0;
          for (let i = 0; i < count; i++, place++) {
            if (shared) {
              if (covered[place] === number) continue;
              covered[place] = number;
            }
            // Enlarged, a pixel is asked for once a row.
            const column = sources[i] as number;
            if (column !== last) colour = colourOf(row + column);
            last = column;
            if (colour === 0) continue;
            if (channel) out[place] = added(out[place] as number, colour);
            else out[place] = opacity === 1 && colour >= opaque ? colour : over(out[place] as number, colour, opacity);
          }
        }
      }
    }
    straighten(out);
    this.#context.putImageData(this.#image, 0, 0);
  }

  close(): void {
    this.#closed = true;
    this.#kept.clear();
    this.#image = null;
  }
}

const sizeOf = ({ width, height }: Pixels): { width: number; height: number } => ({ width, height });

/**
 * Makes what gives the colour of a pixel by its place, for the tiles of one layer. Of numbers of at most 16 bits each that there can be is computed
 * once.
 */
function shader() {
  const known = new Map<number, Uint32Array>();
  return (style: Style, pixels: Pixels, numbers: Numbers, opacity: number): ((i: number) => number) => {
    if (style.kind === "colour") return storedColours(style, pixels, numbers);
    const { data, parts } = pixels;
    const { least, most } = numbers;
    if (!(most - least < 2 ** 16)) {
      const colours = coloursOf(style, numbers, opacity);
      return (i) => colours(data[i * parts] as number);
    }
    let all = known.get(most);
    if (!all) {
      const colours = coloursOf(style, numbers, opacity);
      all = Uint32Array.from({ length: most - least + 1 }, (_, i) => colours(i + least));
      known.set(most, all);
    }
    const table = all;
    return (i) => table[(data[i * parts] as number) - least] as number;
  };
}

/** The pixel that a device pixel shows. */
const at = ({ base, from, step }: Run, i: number, size: number): number =>
  Math.min(size - 1, Math.max(0, base + Math.floor(from + i * step)));

/** Whether two stretches of the canvas have pixels in common. */
const meet = (one: Stretch, other: Stretch): boolean =>
  one.columns.first < other.columns.last &&
  other.columns.first < one.columns.last &&
  one.rows.first < other.rows.last &&
  other.rows.first < one.rows.last;

/** Colours from this on are opaque. */
const opaque = 0xff000000;

/** A colour as ImageData hold it, rounded: red in the lowest byte. */
const packed = (red: number, green: number, blue: number, alpha: number): number =>
  ((red + 0.5) | ((green + 0.5) << 8) | ((blue + 0.5) << 16) | ((alpha + 0.5) << 24)) >>> 0;

/** The colours of a table. */
const packedTable = (table: Uint8Array): Uint32Array => Uint32Array.from({ length: 256 }, (_, i) => entry(table, i));

/** The colour at an entry of a table. */
const entry = (table: Uint8Array, i: number): number =>
  packed(table[i * 4] ?? 0, table[i * 4 + 1] ?? 0, table[i * 4 + 2] ?? 0, table[i * 4 + 3] ?? 0);

/** A colour laid over one that is multiplied by its alpha already. */
function over(below: number, colour: number, opacity: number): number {
  const alpha = ((colour >>> 24) / 255) * opacity;
  if (alpha >= 1) return colour;
  const rest = 1 - alpha;
  return packed(
    (colour & 255) * alpha + (below & 255) * rest,
    ((colour >>> 8) & 255) * alpha + ((below >>> 8) & 255) * rest,
    ((colour >>> 16) & 255) * alpha + ((below >>> 16) & 255) * rest,
    255 * alpha + (below >>> 24) * rest,
  );
}

/** The sum of two colours. */
function added(below: number, colour: number): number {
  const red = (below & 0xff) + (colour & 0xff);
  const green = (below & 0xff00) + (colour & 0xff00);
  const blue = (below & 0xff0000) + (colour & 0xff0000);
  const alpha = (below >>> 24) + (colour >>> 24);
  return (
    ((red > 0xff ? 0xff : red) |
      (green > 0xff00 ? 0xff00 : green) |
      (blue > 0xff0000 ? 0xff0000 : blue) |
      ((alpha > 0xff ? 0xff : alpha) << 24)) >>>
    0
  );
}

/** Divides colours by their alpha, as ImageData want them. */
function straighten(pixels: Uint32Array): void {
  for (let i = 0; i < pixels.length; i++) {
    const colour = pixels[i] as number;
    const alpha = colour >>> 24;
    if (alpha === 0 || alpha === 255) continue;
    const by = 255 / alpha;
    const part = (shift: number): number => Math.min(255, ((colour >>> shift) & 255) * by);
    pixels[i] = packed(part(0), part(8), part(16), alpha);
  }
}

/** The colour of a stored number, 0 where nothing is drawn. That of a channel is multiplied by the opacity. */
type Colours = (stored: number) => number;

function coloursOf(style: Exclude<Style, { kind: "colour" }>, numbers: Numbers, opacity: number): Colours {
  if (style.kind === "category") {
    const found = new Map(sorted(style.values, numbers).map(([value, i]) => [value, entry(style.colours, i)]));
    return (stored) => found.get(stored) ?? 0;
  }
  if (style.kind === "label") {
    const own = [...style.colours.values()];
    const found = new Map(
      sorted(style.colours.keys(), numbers).map(([value, i]) => [value, packed(...(own[i] ?? [0, 0, 0, 0]))]),
    );
    const table = packedTable(labelTable());
    const { chosen } = style;
    return (label) => {
      if (label === 0 || Number.isNaN(label)) return 0;
      const colour = found.get(label) ?? (table[labelIndex(label)] as number);
      if (chosen === null || chosen === label) return colour;
      return ((colour & 0xffffff) | (Math.round((colour >>> 24) * 0.3) << 24)) >>> 0;
    };
  }
  const { curve, packing } = style;
  const { from, by, plus } = lineThrough(style, numbers);
  const [least, most] = validOf(packing, numbers);
  const missing = sorted(packing.missing, numbers).map(([value]) => value);
  // Mostly there is one, or none: no number is NaN.
  const [only = Number.NaN] = missing;
  const others = missing.length > 1 ? new Set(missing) : null;
  const [logarithmic, power] = [curve.kind === "log", curve.kind === "power" ? curve.exponent : 1];
  const share = (stored: number): number => {
    const value = stored * packing.scale + packing.offset;
    const number = logarithmic ? (value > 0 ? Math.log2(value) : -1e30) : stored;
    const part = Math.min(1, Math.max(0, (number - from) * by + plus));
    return power === 1 ? part : part ** power;
  };
  const absent = (stored: number): boolean =>
    !(stored >= least && stored <= most) || stored === only || (others?.has(stored) ?? false);
  if (style.kind === "map") {
    const table = packedTable(style.table);
    return (stored) =>
      absent(stored) ? 0 : (table[Math.min(255, Math.floor(share(stored) * 256 + 1 / 1024))] as number);
  }
  const [red, green, blue] = style.colour;
  return (stored) => {
    if (absent(stored)) return 0;
    const light = share(stored) * opacity;
    return packed(red * light, green * light, blue * light, 255 * opacity);
  };
}

/** The colour of a pixel that is stored as colours, by its place. */
function storedColours(style: Style & { kind: "colour" }, { data, parts }: Pixels, numbers: Numbers): Colours {
  const { from, by, plus } = lineThrough(style, numbers);
  const full = numbers.kind === "float" ? 255 : 255 / numbers.most;
  return (i) => {
    const part = (k: number): number => data[i * parts + (parts > 1 ? k : 0)] as number;
    const light = (k: number): number => 255 * Math.min(1, Math.max(0, (part(k) - from) * by + plus));
    const alpha = parts > 3 ? Math.min(255, Math.max(0, part(3) * full)) : 255;
    return Number.isNaN(part(0) + part(1) + part(2) + alpha) ? 0 : packed(light(0), light(1), light(2), alpha);
  };
}

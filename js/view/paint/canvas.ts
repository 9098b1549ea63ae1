import type { Packing } from "../../describe/field.js";
import { labelIndex, labelTable } from "../colour/labels.js";
import { lineThrough, type Numbers, numbersOf, sorted, validOf } from "./numbers.js";
import type { Layer, Painter, Pixels, Reprojected, Scene, Style, Texture } from "./painter.js";
import { place, type Run } from "./place.js";

/** A texture that keeps its pixels. */
class Kept implements Texture {
  readonly bytes: number;
  readonly numbers: Numbers;
  constructor(readonly pixels: Pixels) {
    this.bytes = pixels.data.byteLength;
    this.numbers = numbersOf(pixels);
  }
}

/** The place of a tile on the canvas. */
type Stretch = NonNullable<ReturnType<typeof place>>;

/** A visible tile. */
type Seen = Stretch & Pick<Kept, "pixels" | "numbers">;

/** A range of rows of the canvas. */
type Rows = Pick<Run, "first" | "last">;

const noRows: Rows = { first: Number.POSITIVE_INFINITY, last: 0 };

/** Returns the smallest range of rows with both. */
const together = ({ first, last }: Rows, { rows }: { readonly rows: Rows }): Rows => ({
  first: Math.min(first, rows.first),
  last: Math.max(last, rows.last),
});

/** Draws pixel by pixel on a two-dimensional canvas, with the results of `WebGlPainter`. */
export class CanvasPainter implements Painter {
  readonly kind = "canvas";
  readonly #context: CanvasRenderingContext2D;
  readonly #kept = new Set<Kept>();
  #image: ImageData | null = null;
  /** The rows of the last drawing; others are transparent. */
  #drawn: Rows = noRows;
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

  paint({ camera, layers, globe }: Scene, whole = false): boolean {
    const { width, height } = this.canvas;
    if (this.#closed || width === 0 || height === 0) return true;
    const step = globe?.advance(this.canvas, whole) ?? "done";
    if (step === "busy") return false;
    if (this.#image?.width !== width || this.#image.height !== height) {
      this.#image = this.#context.createImageData(width, height);
      this.#drawn = noRows;
    }
    const seen = layers.map(({ tiles }) =>
      tiles.flatMap((tile) => {
        if (!(tile.texture instanceof Kept) || !this.#kept.has(tile.texture)) return [];
        const { pixels, numbers } = tile.texture;
        if (globe) return [];
        const at = place(camera, tile, pixels, { left: 0, top: 0, ...sizeOf(pixels) }, this.canvas);
        return at ? [{ ...at, pixels, numbers }] : [];
      }),
    );
    const drawn = globe ? { first: 0, last: height } : seen.flat().reduce(together, noRows);
    const { first, last } = together(this.#drawn, { rows: drawn });
    this.#drawn = drawn;
    if (first >= last) return true;
    const out = new Uint32Array(this.#image.data.buffer);
    out.fill(0, first * width, last * width);
    let covered: Uint8Array | undefined;
    let mixed = false;
    for (const [n, { style, opacity }] of layers.entries()) {
      const shades = shader();
      const number = (n % 255) + 1;
      if (n > 0 && number === 1) covered?.fill(0);
      mixed ||= opacity !== 1;
      if (globe) {
        if (
          this.#reproject(globe, layers[n] as Layer, {
            out,
            width,
            bottom: n === 0,
            number,
            covered: undefined,
            style,
            opacity,
          })
        )
          mixed = true;
        continue;
      }
      const tiles = seen[n] as Seen[];
      const shared = tiles.some((one, i) => tiles.some((other, j) => j < i && meet(one, other)));
      if (shared) covered ??= new Uint8Array(out.length);
      const layer = { out, width, bottom: n === 0, number, covered: shared ? covered : undefined, style, opacity };
      // In overlapping tiles of a layer the last one counts. It is drawn first, and later tiles
      // skip its pixels.
      for (const tile of tiles.reverse()) {
        if (drawTile(layer, tile, shades(style, tile.pixels, tile.numbers, opacity))) mixed = true;
      }
    }
    if (mixed) straighten(out.subarray(first * width, last * width));
    this.#context.putImageData(this.#image, 0, 0, 0, first, width, last - first);
    return step === "done";
  }

  /** Draws a layer of a map in a projection. Reports whether it mixed colours. */
  #reproject(globe: Reprojected, { tiles, style, opacity }: Layer, drawing: Drawing): boolean {
    const shades = shader();
    const kept = tiles.flatMap((tile) => {
      const { texture } = tile;
      if (!(texture instanceof Kept) || !this.#kept.has(texture)) return [];
      return [{ tile, pixels: texture.pixels, shade: shades(style, texture.pixels, texture.numbers, opacity) }];
    });
    const line = new Uint32Array(this.canvas.width);
    let mixed = false;
    globe.spans(this.canvas, kept, (number, first, sources) => {
      const part = line.subarray(0, sources.length);
      kept[number]?.shade(0, sources, part);
      if (blendLine(drawing, part, first)) mixed = true;
    });
    return mixed;
  }

  close(): void {
    this.#closed = true;
    this.#kept.clear();
    this.#image = null;
  }
}

/** The layer under way. */
interface Drawing {
  readonly out: Uint32Array;
  /** The columns of the canvas. */
  readonly width: number;
  /** Whether nothing lies below the layer. */
  readonly bottom: boolean;
  /** Marks the layer's pixels in `covered`, which is undefined if its tiles do not overlap. */
  readonly number: number;
  readonly covered: Uint8Array | undefined;
  readonly style: Style;
  readonly opacity: number;
}

/** Draws a tile's rows. Reports whether it mixed colours. */
function drawTile(layer: Drawing, { columns, rows, pixels }: Seen, shade: Shade): boolean {
  const { out, width, bottom, covered, style, opacity } = layer;
  const alone = bottom && covered === undefined;
  // Without anything below and without transparency, colours are written directly to the canvas.
  const plain = alone && (style.kind === "channel" || (style.kind === "map" && opacity === 1 && isOpaque(style.table)));
  const count = columns.last - columns.first;
  const aside = new Uint32Array(plain ? 0 : count);
  const sources = Int32Array.from({ length: count }, (_, i) => at(columns, i, pixels.width));
  let mixed = false;
  let before = -1;
  for (let y = rows.first; y < rows.last; y++) {
    const row = at(rows, y - rows.first, pixels.height) * pixels.width;
    const place = y * width + columns.first;
    // An enlarged row is a copy of the one above it, unless something lies below.
    if (row === before && alone) {
      out.copyWithin(place, place - width, place - width + count);
      continue;
    }
    before = row;
    const line = plain ? out.subarray(place, place + count) : aside;
    shade(row, sources, line);
    if (!plain && blendLine(layer, line, place)) mixed = true;
  }
  return mixed;
}

/** Blends a line of colours into the canvas. Reports whether any colours mixed. */
function blendLine({ out, number, covered, style, opacity }: Drawing, line: Uint32Array, first: number): boolean {
  const channel = style.kind === "channel";
  let mixed = false;
  for (let i = 0, place = first; i < line.length; i++, place++) {
    if (covered) {
      if (covered[place] === number) continue;
      covered[place] = number;
    }
    const colour = line[i] as number;
    if (colour === 0) continue;
    if (channel) out[place] = added(out[place] as number, colour);
    else if (opacity === 1 && colour >= opaque) out[place] = colour;
    else {
      out[place] = over(out[place] as number, colour, opacity);
      mixed = true;
    }
  }
  return mixed;
}

const sizeOf = ({ width, height }: Pixels): { width: number; height: number } => ({ width, height });

/**
 * Sets the colours of a line from the pixels of a row. `row` is the place of the row's first pixel.
 */
type Shade = (row: number, columns: Int32Array, line: Uint32Array) => void;

/**
 * Returns a shade that computes the colour of each pixel. An enlarged pixel is computed once per
 * row.
 */
const each =
  (colourOf: (i: number) => number): Shade =>
  (row, columns, line) => {
    let last = -1;
    let colour = 0;
    for (let i = 0; i < line.length; i++) {
      const column = columns[i] as number;
      if (column !== last) colour = colourOf(row + column);
      last = column;
      line[i] = colour;
    }
  };

/**
 * Returns a function that creates shades for the tiles of one layer. For numbers of at most 16
 * bits, it caches the colours of all values.
 */
function shader() {
  const known = new Map<number, Uint32Array>();
  return (style: Style, pixels: Pixels, numbers: Numbers, opacity: number): Shade => {
    if (style.kind === "colour") return each(storedColours(style, pixels, numbers));
    const { data, parts } = pixels;
    const { least, most } = numbers;
    if (!(most - least < 2 ** 16)) {
      if (style.kind === "map" && style.curve.kind !== "log") return mapped(style, pixels, numbers);
      const colours = coloursOf(style, numbers, opacity);
      return each((i) => colours(data[i * parts] as number));
    }
    let all = known.get(most);
    if (!all) {
      const colours = coloursOf(style, numbers, opacity);
      all = Uint32Array.from({ length: most - least + 1 }, (_, i) => colours(i + least));
      known.set(most, all);
    }
    const table = all;
    return each((i) => table[(data[i * parts] as number) - least] as number);
  };
}

/** Returns the pixel that a device pixel shows. */
const at = ({ base, from, step }: Run, i: number, size: number): number =>
  Math.min(size - 1, Math.max(0, base + Math.floor(from + i * step)));

/** Reports whether two stretches of the canvas overlap. */
const meet = (one: Stretch, other: Stretch): boolean =>
  one.columns.first < other.columns.last &&
  other.columns.first < one.columns.last &&
  one.rows.first < other.rows.last &&
  other.rows.first < one.rows.last;

/** Packed colours from this value on are opaque. */
const opaque = 0xff000000;

/** Reports whether all colours of a table are opaque. */
const isOpaque = (table: Uint8Array): boolean => table.every((part, i) => i % 4 < 3 || part === 255);

/** Packs a rounded colour for ImageData: red in the lowest byte. */
const packed = (red: number, green: number, blue: number, alpha: number): number =>
  ((red + 0.5) | ((green + 0.5) << 8) | ((blue + 0.5) << 16) | ((alpha + 0.5) << 24)) >>> 0;

/** Packs the colours of a table. */
const packedTable = (table: Uint8Array): Uint32Array => Uint32Array.from({ length: 256 }, (_, i) => entry(table, i));

/** Returns a packed entry of a table. */
const entry = (table: Uint8Array, i: number): number =>
  packed(table[i * 4] ?? 0, table[i * 4 + 1] ?? 0, table[i * 4 + 2] ?? 0, table[i * 4 + 3] ?? 0);

/** Blends a colour over a premultiplied one. */
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

/** Adds two colours. */
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

/** Divides colours by their alpha, as ImageData needs. */
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

/**
 * Returns the colour of a stored number; 0 if it is not drawn. The colour of a channel is
 * premultiplied by the opacity.
 */
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
  const { least, most, only, others } = absence(packing, numbers);
  const [logarithmic, power] = [curve.kind === "log", curve.kind === "power" ? curve.exponent : 1];
  const share = (stored: number): number => {
    let number = stored;
    if (logarithmic) {
      const value = stored * packing.scale + packing.offset;
      number = value > 0 ? Math.log2(value) : -1e30;
    }
    const part = (number - from) * by + plus;
    if (!(part > 0)) return 0;
    if (part >= 1) return 1;
    return power === 1 ? part : part ** power;
  };
  const absent = (stored: number): boolean =>
    !(stored >= least && stored <= most) || stored === only || (others?.has(stored) ?? false);
  if (style.kind === "map") {
    const table = packedTable(style.table);
    const last = table[255] as number;
    return (stored) => (absent(stored) ? 0 : (table[(share(stored) * 256 + 1 / 1024) | 0] ?? last));
  }
  const [red, green, blue] = style.colour;
  return (stored) => {
    if (absent(stored)) return 0;
    const light = share(stored) * opacity;
    return packed(red * light, green * light, blue * light, 255 * opacity);
  };
}

/** Returns the drawn numbers: those between the least and the most, except the missing values. */
function absence(packing: Packing, numbers: Numbers) {
  const [least, most] = validOf(packing, numbers);
  const missing = sorted(packing.missing, numbers).map(([value]) => value);
  // Most fields have at most one missing value; NaN equals no number.
  const [only = Number.NaN] = missing;
  return { least, most, only, others: missing.length > 1 ? new Set(missing) : null };
}

/** The resolution of precomputed powers. */
const bins = 4096;

/**
 * The fast path of {@link coloursOf} for most fields, in one loop. This loop takes most of the time
 * of a step.
 */
function mapped(style: Style & { kind: "map" }, { data, parts }: Pixels, numbers: Numbers): Shade {
  const { curve, packing } = style;
  const { from, by, plus } = lineThrough(style, numbers);
  const { least, most, only, others } = absence(packing, numbers);
  const table = packedTable(style.table);
  const power = curve.kind === "power" ? curve.exponent : 1;
  const entryOf = (part: number): number => Math.min(255, (part ** power * 256 + 1 / 1024) | 0);
  // Powers are slow. Colours at the ends of each bin are computed once; a number's own colour is
  // computed only if they differ.
  const ends = power === 1 ? null : Uint8Array.from({ length: bins + 1 }, (_, i) => entryOf(i / bins));
  return (row, columns, line) => {
    let last = -1;
    let colour = 0;
    for (let i = 0; i < line.length; i++) {
      const column = columns[i] as number;
      if (column !== last) {
        last = column;
        const stored = data[(row + column) * parts] as number;
        if (!(stored >= least && stored <= most) || stored === only || others?.has(stored)) colour = 0;
        else {
          const part = (stored - from) * by + plus;
          let entry = part >= 1 ? 255 : 0;
          if (part > 0 && part < 1) {
            const bin = ends ? (part * bins) | 0 : 0;
            if (!ends) entry = Math.min(255, (part * 256 + 1 / 1024) | 0);
            else entry = ends[bin] === ends[bin + 1] ? (ends[bin] as number) : entryOf(part);
          }
          colour = table[entry] as number;
        }
      }
      line[i] = colour;
    }
  };
}

/** Returns a function from a pixel's place to its stored colour. */
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

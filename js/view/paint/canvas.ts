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
    // Of tiles of one layer that overlap the last counts: it is drawn first, and keeps its pixels.
    const covered = new Uint8Array(out.length);
    for (const [n, { tiles, style, opacity }] of layers.entries()) {
      const number = (n % 255) + 1;
      if (n > 0 && number === 1) covered.fill(0);
      const blend = style.kind === "channel" ? added : over;
      for (const tile of [...tiles].reverse()) {
        if (!(tile.texture instanceof Kept) || !this.#kept.has(tile.texture)) continue;
        const { pixels, numbers } = tile.texture;
        const seen = place(camera, tile, pixels, { left: 0, top: 0, ...sizeOf(pixels) }, this.canvas);
        if (!seen) continue;
        const colourOf = shade(style, pixels, numbers, opacity);
        const share = style.kind === "channel" ? 1 : opacity;
        const { columns, rows } = seen;
        const sources = Int32Array.from({ length: columns.last - columns.first }, (_, i) =>
          at(columns, i, pixels.width),
        );
        for (let y = rows.first; y < rows.last; y++) {
          const row = at(rows, y - rows.first, pixels.height) * pixels.width;
          let place = y * width + columns.first;
          let last = -1;
          let colour = 0;
          for (const column of sources) {
            if (covered[place] !== number) {
              covered[place] = number;
              // Enlarged, a pixel is asked for once a row.
              if (column !== last) colour = colourOf(row + column);
              last = column;
              if (colour !== 0) out[place] = blend(out[place] as number, colour, share);
            }
            place++;
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

/** The pixel that a device pixel shows. */
const at = ({ base, from, step }: Run, i: number, size: number): number =>
  Math.min(size - 1, Math.max(0, base + Math.floor(from + i * step)));

/** A colour as ImageData hold it: red in the lowest byte. */
const packed = (red: number, green: number, blue: number, alpha: number): number =>
  (Math.round(red) | (Math.round(green) << 8) | (Math.round(blue) << 16) | (Math.round(alpha) << 24)) >>> 0;

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
  return packed(
    Math.min(255, (below & 255) + (colour & 255)),
    Math.min(255, ((below >>> 8) & 255) + ((colour >>> 8) & 255)),
    Math.min(255, ((below >>> 16) & 255) + ((colour >>> 16) & 255)),
    Math.min(255, (below >>> 24) + (colour >>> 24)),
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

/** The colour of a pixel by its place, 0 where nothing is drawn. That of a channel is multiplied by the opacity. */
function shade(style: Style, pixels: Pixels, numbers: Numbers, opacity: number): (i: number) => number {
  const { data, parts } = pixels;
  if (style.kind === "category") {
    const found = new Map(sorted(style.values, numbers).map(([value, i]) => [value, entry(style.colours, i)]));
    return (i) => found.get(data[i * parts] as number) ?? 0;
  }
  if (style.kind === "label") {
    const own = [...style.colours.values()];
    const found = new Map(
      sorted(style.colours.keys(), numbers).map(([value, i]) => [value, packed(...(own[i] ?? [0, 0, 0, 0]))]),
    );
    const table = labelTable();
    return (i) => {
      const label = data[i * parts] as number;
      if (label === 0 || Number.isNaN(label)) return 0;
      const colour = found.get(label) ?? entry(table, labelIndex(label));
      if (style.chosen === null || style.chosen === label) return colour;
      return ((colour & 0xffffff) | (Math.round((colour >>> 24) * 0.3) << 24)) >>> 0;
    };
  }
  const { from, by, plus } = lineThrough(style, numbers);
  const line = (value: number): number => Math.min(1, Math.max(0, (value - from) * by + plus));
  if (style.kind === "colour") {
    const full = numbers.kind === "float" ? 255 : 255 / numbers.most;
    return (i) => {
      const first = i * parts;
      const part = (k: number): number => data[first + (parts > 1 ? k : 0)] as number;
      const alpha = parts > 3 ? Math.min(255, Math.max(0, part(3) * full)) : 255;
      if (Number.isNaN(part(0) + part(1) + part(2) + alpha)) return 0;
      return packed(line(part(0)) * 255, line(part(1)) * 255, line(part(2)) * 255, alpha);
    };
  }
  const { curve, packing } = style;
  const [least, most] = validOf(packing, numbers);
  const missing = new Set(sorted(packing.missing, numbers).map(([value]) => value));
  const share = (stored: number): number => {
    if (curve.kind === "log") {
      const value = stored * packing.scale + packing.offset;
      return line(value > 0 ? Math.log2(value) : -1e30);
    }
    const part = line(stored);
    return curve.kind === "power" ? part ** curve.exponent : part;
  };
  const table = style.kind === "map" ? Uint32Array.from({ length: 256 }, (_, i) => entry(style.table, i)) : null;
  const [red, green, blue] = style.kind === "channel" ? style.colour : [0, 0, 0];
  return (i) => {
    const stored = data[i * parts] as number;
    if (!(stored >= least && stored <= most) || missing.has(stored)) return 0;
    const part = share(stored);
    if (table) return table[Math.min(255, Math.floor(part * 256 + 1 / 1024))] as number;
    const light = part * opacity;
    return packed(red * light, green * light, blue * light, 255 * opacity);
  };
}

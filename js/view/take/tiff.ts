// GeoTIFF: an image of one strip, with its place and its reference system.
import { UnsupportedError } from "../../index.js";
import { numbersOf, takenFor } from "../tiles/elements.js";
import type { Samples as Sampling } from "../worker/tasks.js";
import { isPlain } from "./packed.js";
import { converted } from "./physical.js";
import { indexOf, positionOf, type Slice, type SliceAxis } from "./slice.js";

/**
 * The transform from the column and row of an element's corner: x = a·column + b·row + c, y =
 * d·column + e·row + f.
 */
export interface Georeference {
  /** The six coefficients. */
  readonly transform: readonly [a: number, b: number, c: number, d: number, e: number, f: number];
  /** The reference system, such as `EPSG:4326`; `""` if unknown. */
  readonly crs: string;
  /** Whether x and y are degrees. */
  readonly geographic: boolean;
}

/**
 * Returns the first position and the distance of evenly spaced ones; null for others. A single
 * position has the distance of its neighbour, which need not be in the slice.
 */
function even(along: SliceAxis): { first: number; step: number } | null {
  const { length, coordinate } = along;
  if (coordinate?.kind !== "number" || length < 1) return null;
  const begin = length > 1 || indexOf(along, 1) < coordinate.length ? 0 : -1;
  if (indexOf(along, begin) < 0) return null;
  const first = positionOf(along, 0);
  const last = begin + Math.max(1, length - 1);
  const step = (positionOf(along, last) - positionOf(along, begin)) / (last - begin);
  if (!(Math.abs(step) > 0) || !Number.isFinite(step)) return null;
  // The tolerance is a hundredth of an element, or the resolution of single precision if that is
  // larger.
  const slack = Math.max(Math.abs(step) / 100, 2 ** -22 * Math.max(Math.abs(first), Math.abs(first + step * length)));
  for (let i = 1; i < length; i++) if (Math.abs(positionOf(along, i) - (first + i * step)) > slack) return null;
  return { first, step };
}

/**
 * Returns the georeference of a slice in its stored rows and columns; a sentence if it is unknown.
 */
export function georeferenceOf({
  field,
  rows,
  columns,
}: Pick<Slice, "field" | "rows" | "columns">): Georeference | string {
  const { place, plane } = field;
  if (!rows || !columns) return "It is not a picture.";
  if (!place) return "Its place on the Earth is unknown.";
  const own = (along: SliceAxis, d: number | null) => d !== null && along.axis === field.axes[d];
  if (!own(rows, plane.value.y) || !own(columns, plane.value.x)) return "The drawn axes are not those of the map.";
  if (place.transform?.length === 6) {
    const [a = 1, b = 0, c = 0, d = 0, e = 1, f = 0] = place.transform;
    const [x, y] = [columns.start + columns.first * columns.factor, rows.start + rows.first * rows.factor];
    const [h, v] = [columns.factor, rows.factor];
    const transform = [a * h, b * v, c + a * x + b * y, d * h, e * v, f + d * x + e * y] as const;
    const corners = [0, columns.length].flatMap((i) => [0, rows.length].map((j) => [i, j] as const));
    const geographic =
      place.lonLat ||
      (/^EPSG:4\d\d\d$/i.test(place.crs) &&
        corners.every(
          ([i, j]) =>
            Math.abs(transform[0] * i + transform[1] * j + transform[2]) <= 540 &&
            Math.abs(transform[3] * i + transform[4] * j + transform[5]) <= 91,
        ));
    return { transform, crs: place.crs, geographic };
  }
  if (!place.lonLat) return place.curvilinear ? "The grid is not straight." : "Its place on the Earth is unknown.";
  const [x, y] = [even(columns), even(rows)];
  if (!x || !y)
    return `The positions along ${(x ? rows : columns).axis.title} are not evenly spaced numbers, which GeoTIFF needs.`;
  return {
    transform: [x.step, 0, x.first - x.step / 2, 0, y.step, y.first - y.step / 2],
    crs: place.crs || "EPSG:4326",
    geographic: true,
  };
}

type Numbers =
  | Uint8Array
  | Int8Array
  | Uint16Array
  | Int16Array
  | Uint32Array
  | Int32Array
  | Float32Array
  | Float64Array;

/**
 * The numbers of an image, its missing value, and TIFF's sample format: 1 unsigned, 2 signed, 3
 * floating-point.
 */
interface Samples {
  readonly numbers: Numbers;
  readonly format: 1 | 2 | 3;
  readonly nodata: string | null;
}

/** Returns the conversion of an image's numbers, and their description in the file. */
function samplesOf({ field, type, data, array }: Slice): Omit<Samples, "numbers"> & Pick<Sampling, "source" | "form"> {
  const { packing } = field;
  const numeric = ["bool", "int", "uint", "float", "minifloat"].includes(type.kind);
  const source = numeric ? numbersOf(type, data, undefined) : undefined;
  if (!source)
    throw new UnsupportedError(`TIFF has no image of ${array.dtype}`, { feature: `${array.dtype} as GeoTIFF` });
  const width = source.BYTES_PER_ELEMENT;
  const plain = isPlain(packing);
  const floats = type.kind === "float" || type.kind === "minifloat";
  // The file can state one missing value, but neither several nor a scale.
  const stored =
    plain && !(width === 8 && !floats) && packing.valid === null && packing.missing.length <= (floats ? 0 : 1);
  if (stored && !(type.kind === "float" && type.size === 2)) {
    const missing = packing.missing[0];
    const format = floats ? 3 : type.kind === "int" ? 2 : 1;
    const nodata = floats ? "nan" : missing === undefined ? null : String(missing);
    return { source, form: "stored", format, nodata };
  }
  // Packed numbers of 16 bits fit single precision.
  const single = width < 4 || (floats && width === 4 && plain);
  return { source: takenFor(source, packing.type), form: single ? "float32" : "float64", format: 3, nodata: "nan" };
}

/** Converts the numbers of an image in the view's worker. */
async function sampled(slice: Slice, flipX: boolean, flipY: boolean): Promise<Samples> {
  const { source, form, format, nodata } = samplesOf(slice);
  const { numbers, lost } = await converted(slice, { source, form, flipX, flipY });
  if (lost !== null)
    throw new UnsupportedError(`TIFF's numbers cannot hold ${lost}`, { feature: "large int64 as GeoTIFF" });
  return { numbers: numbers as Numbers, format, nodata };
}

/** An entry of the directory: tag, type and values. */
type Entry = readonly [tag: number, type: 2 | 3 | 4 | 12, values: readonly number[]];

const ascii = (text: string) => [...new TextEncoder().encode(text), 0];

/** Returns the GeoTIFF keys of the reference system. */
function geoKeys({ crs, geographic }: Georeference): Entry[] {
  const code = Number(/^EPSG:(\d{1,5})$/i.exec(crs)?.[1] ?? 0);
  const keys: number[][] = [[1025, 0, 1, 1]];
  let citation = "";
  if (code > 0 && code < 65_535) {
    keys.unshift([1024, 0, 1, geographic ? 2 : 1]);
    keys.push([geographic ? 2048 : 3072, 0, 1, code]);
  } else if (crs !== "") {
    citation = `${crs}|`;
    keys.unshift([1024, 0, 1, 32_767]);
    keys.push([1026, 34_737, new TextEncoder().encode(citation).length, 0]);
  }
  keys.sort(([a = 0], [b = 0]) => a - b);
  const directory = [1, 1, 0, keys.length, ...keys.flat()];
  return [[34_735, 3, directory], ...(citation === "" ? [] : [[34_737, 2, ascii(citation)] as const])];
}

/**
 * Encodes a slice as a GeoTIFF. Flips it to north up and west left if that needs no rotation.
 * Compresses it if the platform can.
 */
export async function tiffOf(slice: Slice, where: Georeference): Promise<Uint8Array<ArrayBuffer>> {
  const { rows, columns, parts, names } = slice;
  const isColour = names === undefined && parts > 2;
  if (!rows || !columns) throw new UnsupportedError("a line is not an image", { feature: "a line as GeoTIFF" });
  const [width, height] = [columns.length, rows.length];
  let [a, b, c, d, e, f] = where.transform;
  const straight = b === 0 && d === 0;
  const flipX = straight && a < 0;
  const flipY = straight && e > 0;
  if (flipX) [c, a] = [c + a * width, -a];
  if (flipY) [f, e] = [f + e * height, -e];
  const { numbers, format, nodata } = await sampled(slice, flipX, flipY);
  const size = numbers.BYTES_PER_ELEMENT;
  const raw = littleEndian(numbers);
  const packed = await deflated(raw);
  const strip = packed && packed.length < raw.length ? packed : raw;
  const entries: Entry[] = [
    [256, 4, [width]],
    [257, 4, [height]],
    [258, 3, Array(parts).fill(8 * size)],
    [259, 3, [strip === raw ? 1 : 8]],
    [262, 3, [isColour ? 2 : 1]],
    [273, 4, [0]],
    [277, 3, [parts]],
    [278, 4, [height]],
    [279, 4, [strip.length]],
    [284, 3, [1]],
    ...(parts > (isColour ? 3 : 1)
      ? [[338, 3, Array(parts - (isColour ? 3 : 1)).fill(isColour ? 2 : 0)] as const]
      : []),
    [339, 3, Array(parts).fill(format)],
    ...(straight
      ? [[33_550, 12, [a, -e, 0]] as const, [33_922, 12, [0, 0, 0, c, f, 0]] as const]
      : [[34_264, 12, [a, b, 0, c, d, e, 0, f, 0, 0, 0, 0, 0, 0, 0, 1]] as const]),
    ...geoKeys(where),
    ...(nodata === null ? [] : [[42_113, 2, ascii(nodata)] as const]),
  ];
  return file(
    entries.sort(([x], [y]) => x - y),
    strip,
  );
}

/** Returns numbers as little-endian bytes. */
function littleEndian(numbers: Numbers): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(numbers.buffer as ArrayBuffer, numbers.byteOffset, numbers.byteLength);
  const size = numbers.BYTES_PER_ELEMENT;
  if (size === 1 || new Uint8Array(Uint16Array.of(1).buffer)[0] === 1) return bytes;
  for (let i = 0; i < bytes.length; i += size) bytes.subarray(i, i + size).reverse();
  return bytes;
}

/** Compresses bytes in zlib's format; null if the platform cannot. */
async function deflated(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array | null> {
  if (typeof CompressionStream === "undefined") return null;
  const stream = new Blob([bytes]).stream().pipeThrough(new CompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

const sizes = { 2: 1, 3: 2, 4: 4, 12: 8 } as const;

/** Writes the header, the directory, the values that do not fit its entries, and the strip. */
function file(entries: readonly Entry[], strip: Uint8Array): Uint8Array<ArrayBuffer> {
  const directory = 8;
  let after = directory + 2 + 12 * entries.length + 4;
  const places = entries.map(([, type, values]) => {
    const length = values.length * sizes[type];
    if (length <= 4) return 0;
    const place = after;
    after += length + (length % 2);
    return place;
  });
  after += -after & 7;
  const out = new Uint8Array(after + strip.length);
  const view = new DataView(out.buffer);
  out.set([0x49, 0x49, 42, 0]);
  view.setUint32(4, directory, true);
  view.setUint16(directory, entries.length, true);
  for (const [k, [tag, type, values]] of entries.entries()) {
    const at = directory + 2 + 12 * k;
    view.setUint16(at, tag, true);
    view.setUint16(at + 2, type, true);
    view.setUint32(at + 4, values.length, true);
    let to = at + 8;
    if (places[k]) {
      to = places[k] ?? 0;
      view.setUint32(at + 8, to, true);
    }
    for (const value of tag === 273 ? [after] : values) {
      if (type === 2) view.setUint8(to, value);
      else if (type === 3) view.setUint16(to, value, true);
      else if (type === 4) view.setUint32(to, value, true);
      else view.setFloat64(to, value, true);
      to += sizes[type];
    }
  }
  out.set(strip, after);
  return out;
}

// Draws an array and its division into chunks, in the style of dask and xarray.
import type { ChunkRun, ZarrArray } from "../api/array.js";
import { escaped } from "./escape.js";
import { lineText } from "./values.js";

/** The length of the longest edge in pixels, and the minimum of the others as a fraction of it. */
const longest = 130;
const shortest = 0.14;
/** The maximum number of lines along one edge. */
const maxLines = 32;

interface Edge {
  /** In pixels. */
  size: number;
  /** The boundaries between chunks, from 0 to 1. */
  cuts: number[];
  label: string;
}

/**
 * Returns the array's last three dimensions as SVG. Returns an empty text for an array without
 * elements or without dimensions.
 */
export function sketch(array: ZarrArray): string {
  const { shape, dimensionNames, chunkGrid } = array;
  const from = Math.max(shape.length - 3, 0);
  if (shape.length === 0 || shape.includes(0)) return "";
  const max = Math.max(...shape.slice(from));
  const edges = shape.slice(from).map((n, i): Edge => {
    const d = from + i;
    const name = dimensionNames?.[d];
    return {
      size: Math.round(longest * Math.max(shortest, (n / max) ** 0.6)),
      cuts: cutsOf(n, chunkGrid.shape[d] ?? 1, chunkGrid.chunkShapes[d] ?? n),
      label: name == null ? String(n) : `${lineText(name).slice(0, 20)}: ${n}`,
    };
  });
  const x = edges.at(-1) as Edge;
  const y = edges.at(-2) ?? { size: 18, cuts: [], label: "" };
  const z = edges.at(-3);
  const [dx, dy] = z ? [Math.round(z.size * 0.6), Math.round(z.size * 0.4)] : [0, 0];
  const face = (points: [number, number][], opacity: number) =>
    `<polygon points="${points.join(" ")}" fill="#4b8fd6" fill-opacity="${opacity}" stroke="currentColor" stroke-opacity="0.7"/>`;
  const lines: [number, number, number, number][] = [];
  for (const cut of x.cuts) {
    const at = dx + cut * x.size;
    lines.push([at, dy, at, dy + y.size]);
    if (z) lines.push([at - dx, 0, at, dy]);
  }
  for (const cut of y.cuts) {
    const at = dy + cut * y.size;
    lines.push([dx, at, dx + x.size, at]);
    if (z) lines.push([0, at - dy, dx, at]);
  }
  for (const cut of z?.cuts ?? []) {
    const [left, top] = [cut * dx, cut * dy];
    lines.push([left, top, left + x.size, top], [left, top, left, top + y.size]);
  }
  const [width, height] = [dx + x.size, dy + y.size];
  const text = (label: string, left: number, top: number, anchor: string) =>
    `<text x="${left}" y="${top}" text-anchor="${anchor}" font-size="11" fill="currentColor">${escaped(label)}</text>`;
  const others = shape.slice(0, from);
  const room = 14 + 6.5 * Math.max(y.label.length, z?.label.length ?? 0);
  return [
    `<svg role="img" aria-label="${escaped(`chunks of an array of ${shape.join(" × ")}`)}" width="${Math.ceil(width + room)}" height="${height + (others.length ? 52 : 36)}"`,
    ` style="display:block;max-width:100%;font-family:inherit"><g transform="translate(2 16)">`,
    face(
      [
        [dx, dy],
        [width, dy],
        [width, height],
        [dx, height],
      ],
      0.3,
    ),
    z
      ? face(
          [
            [0, 0],
            [x.size, 0],
            [width, dy],
            [dx, dy],
          ],
          0.45,
        ) +
        face(
          [
            [0, 0],
            [dx, dy],
            [dx, height],
            [0, y.size],
          ],
          0.15,
        )
      : "",
    `<path d="${lines.map(([a, b, c, d]) => `M${round(a)} ${round(b)}L${round(c)} ${round(d)}`).join("")}" stroke="currentColor" stroke-opacity="0.45" fill="none"/>`,
    text(x.label, dx + x.size / 2, height + 14, "middle"),
    y.label ? text(y.label, width + 5, dy + y.size / 2 + 4, "start") : "",
    z ? text(z.label, x.size + dx / 2 + 6, dy / 2, "start") : "",
    others.length ? text(`× ${others.join(" × ")}`, 0, height + 30, "start") : "",
    "</g></svg>",
  ].join("");
}

const round = (n: number) => Math.round(n * 10) / 10;

/**
 * Returns the boundaries between chunks along a dimension, as fractions of it. Leaves some out if
 * there are too many.
 */
function cutsOf(length: number, count: number, chunks: number | ChunkRun[]): number[] {
  const cuts: number[] = [];
  const every = Math.max(Math.ceil((count - 1) / maxLines), 1);
  const runs: ChunkRun[] = typeof chunks === "number" ? [[chunks, count]] : chunks;
  let [first, start] = [0, 0];
  for (const [size, n] of runs) {
    for (let i = Math.ceil(Math.max(first, 1) / every) * every; i < first + n; i += every) {
      const at = start + (i - first) * size;
      if (at > 0 && at < length) cuts.push(at / length);
    }
    first += n;
    start += n * size;
    if (cuts.length > 2 * maxLines) break;
  }
  return cuts;
}

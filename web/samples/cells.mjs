// A synthetic microscopy image of cells: OME-Zarr 0.5, four channels, four levels, labels of the
// cells.
import { normal, random, Writer } from "./write.mjs";

const SIZE = 1024;
const LEVELS = 4;
const CHUNK = 256;
const MICROMETRES = 0.325;
const channels = [
  { label: "nuclei", color: "4C7DFF", most: 3200 },
  { label: "actin", color: "FF8A3D", most: 2600 },
  { label: "microtubules", color: "3DDC84", most: 2400 },
  { label: "granules", color: "FF4FD8", most: 3600 },
];

/** Generates cells that do not overlap: place, size and shape. */
function grow(next) {
  const cells = [];
  for (let tries = 0; cells.length < 64 && tries < 6000; tries++) {
    const radius = 38 + 30 * next();
    const [x, y] = [next() * SIZE, next() * SIZE];
    if (cells.some((cell) => Math.hypot(cell.x - x, cell.y - y) < 0.86 * (cell.radius + radius))) continue;
    const bumps = Array.from({ length: 4 }, (_, i) => ({
      turns: i + 2,
      size: (0.16 * next()) / (i + 1),
      phase: 7 * next(),
    }));
    cells.push({ x, y, radius, bumps, turn: 7 * next(), long: 1 + 0.5 * next(), bright: 0.55 + 0.45 * next() });
  }
  return cells;
}

/** Returns a place's distance from the middle of a cell: 0 in the middle, 1 at the edge. */
function outness({ x, y, radius, bumps, turn, long }, px, py) {
  const [dx, dy] = [px - x, py - y];
  const u = (dx * Math.cos(turn) + dy * Math.sin(turn)) / Math.sqrt(long);
  const v = (-dx * Math.sin(turn) + dy * Math.cos(turn)) * Math.sqrt(long);
  const angle = Math.atan2(v, u);
  const edge = bumps.reduce((sum, bump) => sum + bump.size * Math.cos(bump.turns * angle + bump.phase), 1);
  return { out: Math.hypot(u, v) / (radius * edge), angle };
}

const bell = (x, middle, width) => Math.exp(-(((x - middle) / width) ** 2));

export async function cells(folder) {
  const next = random(7);
  const all = grow(next);
  const light = channels.map(() => new Float32Array(SIZE * SIZE));
  const labels = new Uint16Array(SIZE * SIZE);
  for (const [number, cell] of all.entries()) {
    const reach = cell.radius * 1.9;
    const grains = Array.from({ length: 26 }, () => ({
      x: normal(next) * 0.42,
      y: normal(next) * 0.42,
      size: 1.4 + 1.6 * next(),
    }));
    const [left, top] = [Math.max(0, Math.floor(cell.x - reach)), Math.max(0, Math.floor(cell.y - reach))];
    for (let y = top; y < Math.min(SIZE, cell.y + reach); y++) {
      for (let x = left; x < Math.min(SIZE, cell.x + reach); x++) {
        const { out, angle } = outness(cell, x, y);
        if (out > 1.15) continue;
        const at = y * SIZE + x;
        if (out <= 1 && labels[at] === 0) labels[at] = number + 1;
        const soft = 1 / (1 + Math.exp((out - 1) * 26));
        const speckle =
          0.82 + 0.18 * Math.sin(x * 0.55 + 3 * Math.sin(y * 0.31)) * Math.sin(y * 0.47 + 2 * Math.sin(x * 0.23));
        light[0][at] += (cell.bright * speckle) / (1 + Math.exp((out - 0.42) * 42));
        const fibres =
          Math.abs(Math.sin(cell.turn * 3 + (x * Math.cos(cell.turn) + y * Math.sin(cell.turn)) * 0.42)) ** 6;
        light[1][at] += soft * (0.12 + 0.35 * fibres * out) + 0.75 * bell(out, 0.97, 0.05);
        const rays = Math.abs(Math.sin(angle * 13 + 4 * out + cell.turn)) ** 4;
        light[2][at] += out > 0.36 ? soft * (0.14 + 0.7 * rays * (1.25 - out)) : 0.05 * soft;
        for (const grain of grains) {
          const [gx, gy] = [cell.x + grain.x * cell.radius, cell.y + grain.y * cell.radius];
          const far = (x - gx) ** 2 + (y - gy) ** 2;
          if (far < 60) light[3][at] += 0.9 * soft * Math.exp(-far / grain.size ** 2);
        }
      }
    }
  }

  const writer = new Writer(folder);
  const scale = (level) => MICROMETRES * 2 ** level;
  const datasets = (lead) =>
    Array.from({ length: LEVELS }, (_, level) => ({
      path: String(level),
      coordinateTransformations: [{ type: "scale", scale: [...lead, scale(level), scale(level)] }],
    }));
  const axes = ["y", "x"].map((name) => ({ name, type: "space", unit: "micrometer" }));
  writer.group("", {
    ome: {
      version: "0.5",
      multiscales: [
        {
          name: "cells",
          axes: [{ name: "c", type: "channel" }, ...axes],
          datasets: datasets([1]),
          type: "mean",
          metadata: { method: "the mean of two by two" },
        },
      ],
      omero: {
        name: "Made-up cells",
        channels: channels.map(({ label, color, most }) => ({
          label,
          color,
          active: true,
          window: { min: 0, max: 4095, start: 0, end: most },
        })),
      },
    },
  });
  // Values are multiples of 64, about a camera's noise.
  let planes = light.map((plane) => Uint16Array.from(plane, (value) => Math.min(4095, Math.round(value * 56) * 64)));
  for (let level = 0; level < LEVELS; level++) {
    const size = SIZE >> level;
    const data = new Uint16Array(channels.length * size * size);
    for (const [c, plane] of planes.entries()) data.set(plane, c * size * size);
    await writer.array(String(level), data, {
      shape: [channels.length, size, size],
      chunks: [1, Math.min(CHUNK, size), Math.min(CHUNK, size)],
      dimensions: ["c", "y", "x"],
    });
    planes = planes.map((plane) => half(plane, size));
  }
  writer.group("labels", { ome: { version: "0.5", labels: ["cells"] } });
  writer.group("labels/cells", {
    ome: {
      version: "0.5",
      multiscales: [
        { name: "cells", axes, datasets: datasets([]), type: "nearest", metadata: { method: "one of two by two" } },
      ],
      "image-label": {
        colors: all.map((_, i) => ({ "label-value": i + 1, rgba: [...hue(i * 0.381966), 255] })),
        properties: all.map(({ radius }, i) => ({
          "label-value": i + 1,
          radius: Math.round(radius * MICROMETRES * 10) / 10,
        })),
        source: { image: "../../" },
      },
    },
  });
  let picked = labels;
  for (let level = 0; level < LEVELS; level++) {
    const size = SIZE >> level;
    await writer.array(`labels/cells/${level}`, picked, {
      shape: [size, size],
      chunks: [Math.min(CHUNK, size), Math.min(CHUNK, size)],
      dimensions: ["y", "x"],
    });
    picked = Uint16Array.from(
      { length: (size / 2) ** 2 },
      (_, i) => picked[2 * Math.floor(i / (size / 2)) * size + 2 * (i % (size / 2))],
    );
  }
  writer.close();
}

/** Returns the means of blocks of two by two. */
function half(plane, size) {
  const to = size / 2;
  return Uint16Array.from({ length: to * to }, (_, i) => {
    const at = 2 * Math.floor(i / to) * size + 2 * (i % to);
    return Math.round((plane[at] + plane[at + 1] + plane[at + size] + plane[at + size + 1]) / 4 / 32) * 32;
  });
}

/** Returns red, green and blue of a hue from 0 to 1. */
const hue = (turn) => [0, 1 / 3, 2 / 3].map((shift) => Math.round(140 + 100 * Math.cos(2 * Math.PI * (turn + shift))));

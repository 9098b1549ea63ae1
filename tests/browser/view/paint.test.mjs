// The painter: each pixel of what it draws, by WebGL2 and without, beside a reference that computes one pixel at a time.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { bundled, viewing } from "../viewpage.mjs";

const script = `
import { createPainter } from "./view/paint/create.js";
import { tableOf } from "./view/colour/colormaps.js";
import { labelColour } from "./view/colour/labels.js";

export { createPainter, tableOf, labelColour };

/** What a canvas shows: four bytes a pixel. */
export function shown(canvas) {
  const copy = document.createElement("canvas");
  copy.width = canvas.width;
  copy.height = canvas.height;
  const context = copy.getContext("2d", { willReadFrequently: true });
  context.drawImage(canvas, 0, 0);
  return context.getImageData(0, 0, copy.width, copy.height).data;
}

export function painterOf(width, height, webgl) {
  const canvas = document.createElement("canvas");
  canvas.width = width;
  canvas.height = height;
  document.body.append(canvas);
  const painter = createPainter(canvas, { webgl });
  if (painter.kind !== (webgl ? "webgl2" : "canvas")) throw new Error("drawn by " + painter.kind);
  return painter;
}

/** Draws tiles ({pixels, x, y, width, height}) of layers, and gives what is shown. */
export function drawn({ camera, layers, width = 16, height = 8 }, webgl) {
  const painter = painterOf(width, height, webgl);
  const placed = ({ pixels, ...rest }) => ({ ...rest, texture: painter.load(pixels) });
  painter.paint({ camera, layers: layers.map((layer) => ({ ...layer, tiles: layer.tiles.map(placed) })) });
  const out = shown(painter.canvas);
  painter.close();
  painter.canvas.remove();
  return out;
}

export const plain = { scale: 1, offset: 0, missing: [], valid: null };
export const camera = (scaleX = 1, scaleY = scaleX, originX = 0, originY = 0) => ({ scaleX, scaleY, originX, originY });
export const tile = (data, width, height, { parts = 1, x = 0, y = 0, w = width, h = height } = {}) => ({
  pixels: { width, height, parts, data }, x, y, width: w, height: h,
});
export const map = (more = {}) => ({
  kind: "map", table: tableOf("gray"), range: [0, 255], curve: { kind: "linear" }, packing: plain, ...more,
});
export const both = (scene) => [true, false].map((webgl) => drawn(scene, webgl));
/** The first of each pixel's bytes, or all four where \`all\`. */
export const reds = (bytes) => Array.from(bytes).filter((_, i) => i % 4 === 0);
export const points = (bytes, n) => Array.from({ length: n }, (_, i) => Array.from(bytes.subarray(i * 4, i * 4 + 4)));

// ---- the reference ----

const clamp = (value) => Math.min(1, Math.max(0, value));

/** Where a value lies in a range. */
function share(stored, { range, curve, packing }) {
  const value = stored * packing.scale + packing.offset;
  let [low, high] = range;
  if (low === high) return value < low ? 0 : value > low ? 1 : 0.5;
  if (curve.kind === "log") return value <= 0 ? (low < high ? 0 : 1) : clamp(Math.log(value / low) / Math.log(high / low));
  const part = clamp((value - low) / (high - low));
  return curve.kind === "power" ? part ** curve.exponent : part;
}

/** The colours that a pixel may have: two where its value lies between two colours of a table. */
function colours(style, { data, parts }, i) {
  const v = data[i * parts];
  if (Number.isNaN(v)) return [[0, 0, 0, 0]];
  if (style.kind === "category") {
    const at = style.values.findIndex((value) => (data instanceof Float32Array ? Math.fround(value) : value) === v);
    return [at < 0 ? [0, 0, 0, 0] : Array.from(style.colours.subarray(at * 4, at * 4 + 4))];
  }
  if (style.kind === "label") {
    if (v === 0) return [[0, 0, 0, 0]];
    const [r, g, b, a] = style.colours.get(v) ?? [...labelColour(v), 255];
    return [[r, g, b, style.chosen === null || style.chosen === v ? a : a * 0.3]];
  }
  if (style.kind === "colour") {
    const own = Array.from(data.subarray(i * parts, i * parts + parts));
    if (own.some(Number.isNaN)) return [[0, 0, 0, 0]];
    const most = data instanceof Float32Array ? 1 : 2 ** (8 * data.BYTES_PER_ELEMENT - (/^Int/.test(data.constructor.name) ? 1 : 0)) - 1;
    const line = (value) => 255 * clamp((value - style.range[0]) / (style.range[1] - style.range[0]));
    const [r, g = r, b = r, a = most] = own;
    return [[line(r), line(g), line(b), 255 * clamp(a / most)]];
  }
  const { missing, valid } = style.packing;
  const held = (value) => (data instanceof Float32Array ? Math.fround(Number(value)) : Number(value));
  if (missing.some((value) => held(value) === v)) return [[0, 0, 0, 0]];
  if (valid && (v < held(valid[0]) || v > held(valid[1]))) return [[0, 0, 0, 0]];
  const part = share(v, style);
  if (style.kind === "channel") return [[...style.colour.map((c) => c * part), 255]];
  const entries = [-1e-5, 1e-5 + 1 / 256 / 1024].map((by) => Math.min(255, Math.floor(clamp(part + by) * 256)));
  return [...new Set([Math.min(255, Math.floor(part * 256)), ...entries])].map((e) => Array.from(style.table.subarray(e * 4, e * 4 + 4)));
}

/** Premultiplied colours that a device pixel may have; null at the edge between two elements. */
function reference({ camera, layers }, px, py) {
  const x = (px + 0.5 - camera.originX) / camera.scaleX;
  const y = (py + 0.5 - camera.originY) / camera.scaleY;
  const slack = 1e-4;
  let may = [[0, 0, 0, 0]];
  for (const { tiles, style, opacity } of layers) {
    for (const { pixels, ...t } of [...tiles].reverse()) {
      const near = Math.min(Math.abs(x - t.x), Math.abs(x - t.x - t.width), Math.abs(y - t.y), Math.abs(y - t.y - t.height));
      if (near < slack) return null;
      if (x < t.x || y < t.y || x > t.x + t.width || y > t.y + t.height) continue;
      const u = ((x - t.x) / t.width) * pixels.width;
      const v = ((y - t.y) / t.height) * pixels.height;
      if (Math.abs(u - Math.round(u)) < slack * 10 || Math.abs(v - Math.round(v)) < slack * 10) return null;
      const over = colours(style, pixels, Math.floor(v) * pixels.width + Math.floor(u));
      may = may.flatMap((below) =>
        over.map(([r, g, b, a]) => {
          const part = (a / 255) * opacity;
          const rgb = [r, g, b].map((c, k) =>
            style.kind === "channel" ? Math.min(255, below[k] + c * part) : c * part + below[k] * (1 - part),
          );
          return [...rgb, style.kind === "channel" ? Math.min(255, below[3] + 255 * part) : 255 * part + below[3] * (1 - part)];
        }),
      );
      break;
    }
  }
  return may;
}

/** The pixels of a scene that are not as the reference says; how many were compared. */
export function wrong(scene, bytes, slack = 1) {
  let compared = 0;
  const found = [];
  const { width = 16, height = 8 } = scene;
  for (let py = 0; py < height; py++) {
    for (let px = 0; px < width; px++) {
      const may = reference(scene, px, py);
      if (!may) continue;
      compared++;
      const i = (py * width + px) * 4;
      const is = Array.from(bytes.subarray(i, i + 4));
      // What the page reads is divided by its alpha again.
      const premultiplied = [...is.slice(0, 3).map((c) => (c * is[3]) / 255), is[3]];
      const right = may.some((one) => one.every((c, k) => Math.abs(c - premultiplied[k]) <= slack + 0.5 + (is[3] < 255 ? 0.5 : 0)));
      if (!right && found.length < 5) found.push({ px, py, is, premultiplied, may });
    }
  }
  return { compared, found };
}
`;

let host;
let page;
before(async () => {
  host = await viewing();
  const path = await bundled("paint", script);
  page = await host.page(`<script type="module">import * as t from "/${path}"; window.t = t;</script>`);
  await page.waitForFunction(() => window.t !== undefined);
});
after(async () => {
  assert.deepEqual(page?.wrong, []);
  await host?.close();
});

/** Runs in the page, twice: by WebGL2, and without. */
const each = async (run, ...args) => {
  for (const webgl of [true, false])
    await page
      .evaluate(`(${run})(window.t, ${webgl}, ...${JSON.stringify(args)})`)
      .then((problem) => assert.equal(problem ?? "", "", webgl ? "by WebGL2" : "without WebGL"));
};

test("values are drawn with the colours of the table, and missing ones are not drawn", async () => {
  await each((t, webgl) => {
    const scene = {
      camera: t.camera(),
      layers: [
        {
          opacity: 1,
          style: t.map({ packing: { ...t.plain, missing: [7, 1e20, -999n], valid: [0, 250] } }),
          tiles: [
            t.tile(Float32Array.of(0, 1, 100, 7, NaN, 255, 1e20, -999, 250, -1, Infinity, -Infinity, 254), 13, 1),
          ],
        },
      ],
    };
    const is = JSON.stringify(t.points(t.drawn(scene, webgl), 14));
    const gray = (v) => [v, v, v, 255];
    const none = [0, 0, 0, 0];
    const want = [0, 1, 100].map(gray).concat([none, none, none, none, none], [gray(250)], Array(5).fill(none));
    return is === JSON.stringify(want) ? "" : is;
  });
});

test("every type of numbers, at its ends", async () => {
  await each((t, webgl) => {
    const problems = [];
    for (const type of [Uint8Array, Int8Array, Uint16Array, Int16Array, Uint32Array, Int32Array, Float32Array]) {
      const bits = type.BYTES_PER_ELEMENT * 8;
      const float = type === Float32Array;
      const least = float ? -3.4e38 : type.name.startsWith("Int") ? -(2 ** (bits - 1)) : 0;
      const most = float ? 3.4e38 : type.name.startsWith("Int") ? 2 ** (bits - 1) - 1 : 2 ** bits - 1;
      const data = type.from([least, most, 0, 1, 5, most - 1, least + 1, most / 2]);
      for (const range of [
        [least, most],
        [most, least],
        [most - 7, most],
        [least, least + 7],
        [0, 0],
        [0, 5],
        [-1e9, 1e9],
      ]) {
        const scene = {
          camera: t.camera(2, 8),
          layers: [{ opacity: 1, style: t.map({ range }), tiles: [t.tile(data, 8, 1)] }],
        };
        const { compared, found } = t.wrong(scene, t.drawn(scene, webgl));
        if (found.length > 0 || compared < 100) problems.push([type.name, range, compared, found[0]]);
      }
    }
    return problems.length === 0 ? "" : JSON.stringify(problems.slice(0, 3));
  });
});

test("whole numbers above 2^24 are told apart", async () => {
  await each((t, webgl) => {
    const problems = [];
    const values = [2 ** 24 + 1, 2 ** 24, 2 ** 31 - 1, 2 ** 31 - 2];
    for (const type of [Uint32Array, Int32Array]) {
      const tiles = [t.tile(type.from(values), 4, 1)];
      const colours = Uint8Array.from({ length: 16 }, (_, i) => (i % 4 === 3 ? 255 : i * 10));
      const styles = [
        { kind: "category", values: values.slice(0, 3), colours },
        { kind: "label", chosen: null, colours: new Map([[values[1], [1, 2, 3, 255]]]) },
        { kind: "label", chosen: values[2], colours: new Map() },
        t.map({ range: [2 ** 24 - 2, 2 ** 24 + 2] }),
        t.map({ range: [2 ** 31 - 4, 2 ** 31], packing: { ...t.plain, missing: [2 ** 24] } }),
      ];
      for (const style of styles) {
        const scene = { camera: t.camera(4, 8), layers: [{ opacity: 1, style, tiles }] };
        const { compared, found } = t.wrong(scene, t.drawn(scene, webgl));
        if (found.length > 0 || compared === 0) problems.push([type.name, style.kind, found[0]]);
      }
    }
    return problems.length === 0 ? "" : JSON.stringify(problems[0]);
  });
});

test("random scenes are, pixel by pixel, what the reference says", async () => {
  const run = (t, webgl, rounds) => {
    let seed = 12345;
    const random = () => {
      seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
      return seed / 2 ** 32;
    };
    const one = (list) => list[Math.floor(random() * list.length)];
    const types = [Uint8Array, Int8Array, Uint16Array, Int16Array, Uint32Array, Int32Array, Float32Array];
    const number = () => one([1, 4, 200, 70000, 2 ** 31]) * (random() * 2 - 1);
    const numbers = (type, n) =>
      type.from({ length: n }, () =>
        type === Float32Array
          ? one([number, number, number, () => one([NaN, Infinity, -Infinity, 0])])()
          : Math.round(number()),
      );
    const range = () =>
      one([
        [0, 255],
        [-100, 100],
        [200, -5],
        [0, 70000],
        [-(2 ** 31), 2 ** 31],
        [3, 3],
        [number(), number()],
      ]);
    const curve = () =>
      one([{ kind: "linear" }, { kind: "linear" }, { kind: "log" }, { kind: "power", exponent: one([0.5, 2, 1.7]) }]);
    const packing = (data) => ({
      scale: one([1, 1, 0.1, -2]),
      offset: one([0, 0, 10, -273.15]),
      missing: one([[], [], [data[0]], Array.from(data.slice(0, 5)), [5n, 0]]),
      valid: one([null, null, [0, 100], [-1e30, 1e30]]),
    });
    const style = (data, parts) => {
      const kind = parts > 1 ? "colour" : one(["map", "map", "channel", "category", "label", "colour"]);
      if (kind === "colour")
        return {
          kind,
          range: one([
            [0, 255],
            [0, 1],
            [-10, 70000],
          ]),
        };
      if (kind === "category") {
        const values = [...new Set([0, 1, 2, ...data.slice(0, 4)])].filter((v) => !Number.isNaN(v));
        return {
          kind,
          values,
          colours: Uint8Array.from({ length: values.length * 4 }, (_, i) =>
            i % 4 === 3 ? one([255, 128]) : random() * 256,
          ),
        };
      }
      if (kind === "label") {
        const own = Array.from(data.slice(0, 3)).filter((v) => !Number.isNaN(v));
        return {
          kind,
          chosen: one([null, data[0]]),
          colours: new Map(own.map((v) => [v, [9, 99, 199, one([255, 70])]])),
        };
      }
      const chosen = curve();
      const ends =
        chosen.kind === "log"
          ? one([
              [1, 100],
              [0.5, 70000],
              [50, 2],
            ])
          : range();
      const common = { range: ends, curve: chosen, packing: packing(data) };
      if (kind === "channel")
        return {
          kind,
          colour: one([
            [255, 0, 0],
            [10, 200, 30],
            [255, 255, 255],
          ]),
          ...common,
        };
      return { kind, table: t.tableOf(one(["gray", "viridis", "rdbu-r"])), ...common };
    };
    const problems = [];
    let compared = 0;
    for (let round = 0; round < rounds; round++) {
      const width = 1 + Math.floor(random() * 40);
      const height = 1 + Math.floor(random() * 30);
      const zoom = one([0.01, 0.3, 1, 2, 2.7, 9, 128]);
      const sign = () => one([1, 1, -1]);
      const layers = Array.from({ length: one([1, 1, 2, 3]) }, () => {
        const type = one(types);
        const parts = one([1, 1, 1, 3, 4]);
        const all = [];
        for (let n = one([1, 2, 4]); n > 0; n--) {
          const w = one([1, 3, 17]);
          const h = one([1, 2, 9]);
          const factor = one([1, 1, 2, 0.5]);
          const where = {
            parts,
            x: Math.floor(random() * 20),
            y: Math.floor(random() * 9),
            w: w * factor,
            h: h * factor,
          };
          all.push(t.tile(numbers(type, w * h * parts), w, h, where));
        }
        return { tiles: all, style: style(all[0].pixels.data, parts), opacity: one([1, 1, 1, 0.5]) };
      });
      const camera = t.camera(zoom * sign(), zoom * one([1, 1, 0.7]) * sign(), random() * width, random() * height);
      if (random() < 0.5)
        Object.assign(camera, { originX: width / 2 - camera.scaleX * 10, originY: height / 2 - camera.scaleY * 4 });
      const scene = { camera, layers, width, height };
      // A rounding for each layer, and one when the page reads.
      const got = t.wrong(scene, t.drawn(scene, webgl), layers.length * 0.5 + 0.5);
      compared += got.compared;
      if (got.found.length > 0)
        problems.push([
          round,
          camera,
          got.found[0],
          layers.map(({ style, opacity, tiles }) => [
            style.kind,
            opacity,
            tiles.length,
            tiles[0].pixels.data.constructor.name,
            { ...style, table: 0, colours: 0 },
          ]),
        ]);
    }
    if (compared < rounds * 50) return `only ${compared} pixels were compared`;
    return problems.length === 0 ? "" : `${problems.length}: ${JSON.stringify(problems.slice(0, 3))}`;
  };
  await each(run, 250);
});

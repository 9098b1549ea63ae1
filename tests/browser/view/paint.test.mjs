// Compares each pixel of the painter, by WebGL2 and without, with a reference that computes one
// pixel at a time.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { bundled, viewing } from "../../lib/viewpage.mjs";

const script = `
import { createPainter } from "./view/paint/create.js";
import { tableOf } from "./view/colour/colormaps.js";
import { labelIndex, labelTable } from "./view/colour/labels.js";
import { random } from "../tests/lib/random.mjs";

export { createPainter, random, tableOf };

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

const painters = new Map();

/** Draws tiles ({pixels, x, y, width, height}) of layers, and gives what is shown; one painter draws all scenes. */
export function drawn({ camera, layers, width = 16, height = 8 }, webgl) {
  const painter = painters.get(webgl) ?? painterOf(width, height, webgl);
  painters.set(webgl, painter);
  Object.assign(painter.canvas, { width, height });
  const textures = [];
  const placed = ({ pixels, ...rest }) => {
    textures.push(painter.load(pixels));
    return { ...rest, texture: textures.at(-1) };
  };
  painter.paint({ camera, layers: layers.map((layer) => ({ ...layer, tiles: layer.tiles.map(placed) })) });
  const out = shown(painter.canvas);
  for (const texture of textures) painter.free(texture);
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
    const [r, g, b, a] = style.colours.get(v) ?? labelTable().subarray(4 * labelIndex(v));
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

const host = await viewing();
const path = await bundled("paint", script);
const page = await host.page(`<script type="module">import * as t from "/${path}"; window.t = t;</script>`);
await page.waitForFunction(() => window.t !== undefined);
after(async () => {
  assert.deepEqual(page?.wrong, []);
  await host.close();
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

test("whole numbers above 2^24 stay distinct", async () => {
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

test("random scenes equal the reference, pixel by pixel", async () => {
  const run = (t, webgl, rounds) => {
    const pick = t.random(12345);
    const one = pick.of;
    const types = [Uint8Array, Int8Array, Uint16Array, Int16Array, Uint32Array, Int32Array, Float32Array];
    const number = () => one([1, 4, 200, 70000, 2 ** 31]) * pick.real(-1, 1);
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
            i % 4 === 3 ? one([255, 128]) : pick(256),
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
      const width = 1 + pick(40);
      const height = 1 + pick(30);
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
            x: pick(20),
            y: pick(9),
            w: w * factor,
            h: h * factor,
          };
          all.push(t.tile(numbers(type, w * h * parts), w, h, where));
        }
        return { tiles: all, style: style(all[0].pixels.data, parts), opacity: one([1, 1, 1, 0.5]) };
      });
      const camera = t.camera(
        zoom * sign(),
        zoom * one([1, 1, 0.7]) * sign(),
        pick.real(0, width),
        pick.real(0, height),
      );
      if (pick.chance(0.5))
        Object.assign(camera, { originX: width / 2 - camera.scaleX * 10, originY: height / 2 - camera.scaleY * 4 });
      const scene = { camera, layers, width, height };
      // One rounding for each layer, and one when the page reads.
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

test("tiles meet without gaps and without overlaps, also mirrored and at any scale", async () => {
  await each((t, webgl) => {
    const problems = [];
    // Each layer has one value, half opaque: a gap would be 0, an overlap more than 128.
    const layer = (start, size) => ({
      opacity: 0.5,
      style: t.map({ range: [0, 1] }),
      tiles: Array.from({ length: 24 }, (_, i) =>
        t.tile(new Float32Array(4).fill(1), 2, 2, {
          x: start + (i % 6) * size,
          y: start + (i >> 2) * size,
          w: size,
          h: size,
        }),
      ).concat(
        Array.from({ length: 36 }, (_, i) =>
          t.tile(new Uint8Array(1).fill(1), 1, 1, {
            x: start + (i % 6) * size,
            y: start + Math.floor(i / 6) * size,
            w: size,
            h: size,
          }),
        ),
      ),
    });
    for (const scale of [0.01, 0.37, 1, 1.5, 2.3, 7.9, 128]) {
      for (const sign of [1, -1]) {
        for (const start of [0, 99_999 * 8]) {
          const size = 40 / scale / 6.7;
          const camera = t.camera(scale * sign, scale, 22.21 - sign * (start * scale + 18), 0.5 - start * scale);
          const scene = { camera, width: 60, height: 60, layers: [layer(start, size)] };
          const bytes = t.drawn(scene, webgl);
          const alphas = Array.from(
            { length: 34 * 33 },
            (_, i) => bytes[((3 + Math.floor(i / 34)) * 60 + 5 + (i % 34)) * 4 + 3],
          );
          const odd = alphas.filter((a) => Math.abs(a - 128) > 1);
          if (odd.length > 0) problems.push([scale, sign, start, odd.length, odd[0]]);
        }
      }
    }
    return problems.length === 0 ? "" : JSON.stringify(problems);
  });
});

test("a scene leaves nothing of the one before, wherever that was", async () => {
  await each((t, webgl) => {
    const painter = t.painterOf(24, 24, webgl);
    const texture = painter.load({ width: 2, height: 2, parts: 1, data: Float32Array.of(0.2, Number.NaN, 0.6, 1) });
    const wrong = [];
    const places = [0, 20, 9, -3, 30, 4, null, 11, 4];
    const sizes = [1, 5, 24, 30];
    for (const size of [...sizes, ...sizes.toReversed()]) {
      for (const at of places) {
        for (const opacity of [1, 0.5]) {
          const placed = { x: at ?? 0, y: at ?? 0, width: size, height: size };
          const layer = (tiles) => [{ tiles, style: t.map({ range: [0, 1] }), opacity }];
          const tiles = at === null ? [] : [placed];
          painter.paint({ camera: t.camera(), layers: layer(tiles.map((tile) => ({ ...tile, texture }))) });
          const alone = tiles.map((tile) => ({ ...tile, pixels: texture.pixels }));
          const want = t.drawn({ camera: t.camera(), layers: layer(alone), width: 24, height: 24 }, webgl);
          if (String(t.shown(painter.canvas)) !== String(want)) wrong.push([at, size, opacity]);
        }
      }
    }
    painter.close();
    painter.canvas.remove();
    return wrong.length === 0 ? "" : JSON.stringify(wrong);
  });
});

test("a fine tile takes the place of the coarse one below, also where channels are added and where values are missing", async () => {
  await each((t, webgl) => {
    const coarse = t.tile(Uint8Array.of(100), 1, 1, { w: 16, h: 8 });
    const fine = t.tile(Uint8Array.of(50, 0), 2, 1, { w: 8, h: 8 });
    const channel = (colour) => ({
      kind: "channel",
      colour,
      range: [0, 200],
      curve: { kind: "linear" },
      packing: { ...t.plain, missing: [0] },
    });
    const scene = {
      camera: t.camera(),
      layers: [
        [255, 0, 0],
        [0, 0, 255],
        [200, 0, 0],
      ].map((colour) => ({ opacity: 1, style: channel(colour), tiles: [coarse, fine] })),
    };
    const shown = t.points(t.drawn(scene, webgl), 16);
    const is = JSON.stringify([shown[0], shown[5], shown[12]]);
    const want = JSON.stringify([
      [114, 0, 64, 255],
      [0, 0, 0, 0],
      [228, 0, 128, 255],
    ]);
    return is === want ? "" : is;
  });
});

test("tiles that are larger than a texture may be", async () => {
  await each((t, webgl) => {
    const most = 16_384;
    const long = Uint16Array.from({ length: 2 * most + 5 }, (_, i) => i);
    const problems = [];
    for (const [width, height] of [
      [long.length, 1],
      [1, long.length],
    ]) {
      for (const at of [0, 8190, most - 8, 2 * most - 10]) {
        const camera = width > 1 ? t.camera(1, 8, -at) : t.camera(16, 1, 0, -at);
        const scene = {
          camera,
          layers: [{ opacity: 1, style: t.map({ range: [at, at + 20] }), tiles: [t.tile(long, width, height)] }],
        };
        const { compared, found } = t.wrong(scene, t.drawn(scene, webgl));
        if (found.length > 0 || compared < 64) problems.push([width, height, at, compared, found[0]]);
      }
    }
    return problems.length === 0 ? "" : JSON.stringify(problems);
  });
});

test("a large array is drawn at its exact elements", async () => {
  await each((t, webgl) => {
    const problems = [];
    const data = Uint8Array.from({ length: 64 * 64 }, (_, i) => (i * 7 + (i >> 6)) % 256);
    for (const scale of [0.01, 0.5, 1, 3.3, 128]) {
      const [x, y] = [99_936, 49_937];
      const factor = scale < 1 ? 1 / scale : 1;
      const camera = t.camera(scale, scale, 3.3 - (x + 31 * factor) * scale, 1.7 - (y + 20 * factor) * scale);
      const scene = {
        camera,
        width: 60,
        height: 40,
        layers: [
          { opacity: 1, style: t.map(), tiles: [t.tile(data, 64, 64, { x, y, w: 64 * factor, h: 64 * factor })] },
        ],
      };
      const { compared, found } = t.wrong(scene, t.drawn(scene, webgl));
      if (found.length > 0 || compared < 500) problems.push([scale, compared, found]);
    }
    return problems.length === 0 ? "" : JSON.stringify(problems);
  });
});

test("another style or camera uploads no numbers", async () => {
  const problem = await page.evaluate(() => {
    const t = window.t;
    const painter = t.painterOf(16, 8, true);
    let uploads = 0;
    const gl = painter.canvas.getContext("webgl2");
    for (const name of ["texImage2D", "texSubImage2D", "bufferData", "texStorage2D"]) {
      const before = gl[name].bind(gl);
      gl[name] = (...args) => {
        uploads++;
        return before(...args);
      };
    }
    const texture = painter.load({ width: 4, height: 2, parts: 1, data: Float32Array.from([0, 1, 2, 3, 4, 5, 6, 7]) });
    const packing = { ...t.plain, missing: [3] };
    const tiles = [{ texture, x: 0, y: 0, width: 4, height: 2 }];
    const paint = (more, camera) =>
      painter.paint({ camera, layers: [{ tiles, opacity: 1, style: t.map({ packing, ...more }) }] });
    paint({}, t.camera(4));
    const counts = [uploads];
    for (let i = 0; i < 50; i++) {
      paint(
        { range: [0, i + 1], curve: { kind: ["linear", "log", "power"][i % 3], exponent: 2 } },
        t.camera(4 + i, 4, i),
      );
      counts.push(uploads);
    }
    paint({ table: t.tableOf("magma") }, t.camera(4));
    const table = uploads;
    paint({ table: t.tableOf("magma-r") }, t.camera(4));
    paint({ table: t.tableOf("magma") }, t.camera(4));
    painter.close();
    if (new Set(counts).size !== 1) return `uploads: ${counts}`;
    return table === counts[0] + 1 && uploads === table + 1 ? "" : `tables: ${counts[0]}, ${table}, ${uploads}`;
  });
  assert.equal(problem, "");
});

test("styles that are made anew for each picture take no more memory", async () => {
  const problem = await page.evaluate(() => {
    const t = window.t;
    const painter = t.painterOf(16, 8, true);
    const gl = painter.canvas.getContext("webgl2");
    let alive = 0;
    for (const [name, by] of [
      ["createTexture", 1],
      ["deleteTexture", -1],
    ]) {
      const before = gl[name].bind(gl);
      gl[name] = (texture) => {
        if (texture !== null) alive += by;
        return before(texture);
      };
    }
    const texture = painter.load({ width: 4, height: 1, parts: 1, data: Uint8Array.of(0, 1, 2, 3) });
    const tiles = [{ texture, x: 0, y: 0, width: 4, height: 1 }];
    const odd = [];
    for (let i = 0; i < 500; i++) {
      const colours = Uint8Array.of(i % 256, 0, 0, 255, 0, 255, 0, 255);
      const styles = [
        { kind: "label", chosen: null, colours: new Map([[3, [i % 256, 1, 2, 255]]]) },
        { kind: "category", values: [1, 2], colours },
        t.map({ packing: { ...t.plain, missing: [0] }, table: new Uint8Array(1024) }),
      ];
      painter.paint({
        camera: t.camera(4, 8),
        layers: styles.map((style) => ({ tiles, style, opacity: style.kind === "map" ? 0 : 1 })),
      });
      const shown = t.points(t.shown(painter.canvas), 16);
      if (shown[4][0] !== i % 256 || shown[12][0] !== i % 256) odd.push(i);
    }
    const most = alive;
    painter.close();
    if (odd.length > 0) return `wrong colours: ${odd}`;
    return most < 200 && alive === 0 ? "" : `${most} textures, ${alive} after closing`;
  });
  assert.equal(problem, "");
});

test("a lost context is restored with its pixels", async () => {
  const problem = await page.evaluate(async () => {
    const t = window.t;
    const scene = {
      camera: t.camera(4),
      layers: [
        { style: t.map({ range: [0, 7], packing: { ...t.plain, missing: [3] } }), opacity: 1 },
        { style: { kind: "label", chosen: 2, colours: new Map([[5, [1, 2, 3, 255]]]) }, opacity: 0.5 },
      ],
    };
    const painter = t.painterOf(16, 8, true);
    const data = Uint8Array.from([0, 1, 2, 3, 4, 5, 6, 7]);
    const tileOf = () => ({
      texture: painter.load({ width: 4, height: 2, parts: 1, data }),
      x: 0,
      y: 0,
      width: 4,
      height: 2,
    });
    const tiles = [tileOf()];
    const full = { ...scene, layers: scene.layers.map((layer) => ({ ...layer, tiles })) };
    painter.paint(full);
    const before = t.shown(painter.canvas).join();
    const lose = painter.canvas.getContext("webgl2").getExtension("WEBGL_lose_context");
    const heard = (name) => new Promise((done) => painter.canvas.addEventListener(name, done, { once: true }));
    const problems = [];
    for (const during of ["nothing", "all"]) {
      const lost = heard("webglcontextlost");
      lose.loseContext();
      await lost;
      // A context may be restored once all have received its loss.
      await new Promise((done) => setTimeout(done));
      let late;
      if (during === "all") {
        painter.free(tileOf().texture);
        late = tileOf();
        painter.paint({ ...scene, layers: scene.layers.map((layer) => ({ ...layer, tiles: [late] })) });
      }
      const back = heard("webglcontextrestored");
      lose.restoreContext();
      await back;
      await new Promise((done) => setTimeout(done));
      if (t.shown(painter.canvas).join() !== before) problems.push(`after ${during}`);
      painter.paint(full);
      if (t.shown(painter.canvas).join() !== before) problems.push(`again after ${during}`);
    }
    painter.close();
    painter.canvas.remove();
    return problems.join();
  });
  assert.equal(problem, "");
});

test("freeing or closing, once or twice, ends drawing and does not affect others", async () => {
  await each((t, webgl) => {
    const [one, two] = [t.painterOf(4, 4, webgl), t.painterOf(4, 4, webgl)];
    const pixels = { width: 1, height: 1, parts: 1, data: Uint8Array.of(255) };
    const scene = (painter, texture) => {
      painter.paint({
        camera: t.camera(4),
        layers: [{ opacity: 1, style: t.map(), tiles: [{ texture, x: 0, y: 0, width: 1, height: 1 }] }],
      });
      return t.shown(painter.canvas)[0];
    };
    const [first, second] = [one.load(pixels), two.load(pixels)];
    const is = [first.bytes, scene(one, first), scene(two, second), scene(one, second)];
    one.free(second);
    is.push(scene(two, second));
    one.free(first);
    one.free(first);
    is.push(scene(one, first));
    one.close();
    one.close();
    one.free(second);
    is.push(scene(two, second));
    two.close();
    two.paint({ camera: t.camera(1), layers: [] });
    return is.join() === "1,255,255,0,255,0,255" ? "" : is.join();
  });
});

test("painters that were closed take nothing from those that draw", async () => {
  const problem = await page.evaluate(() => {
    const t = window.t;
    const pixels = { width: 1, height: 1, parts: 1, data: Uint8Array.of(200) };
    const first = t.painterOf(4, 4, true);
    const texture = first.load(pixels);
    for (let i = 0; i < 40; i++) {
      const painter = t.painterOf(4, 4, true);
      painter.load(pixels);
      painter.close();
      painter.canvas.remove();
    }
    first.paint({
      camera: t.camera(4),
      layers: [{ opacity: 1, style: t.map(), tiles: [{ texture, x: 0, y: 0, width: 1, height: 1 }] }],
    });
    const shown = t.shown(first.canvas)[0];
    first.close();
    return shown === 200 ? "" : `it shows ${shown}`;
  });
  assert.equal(problem, "");
});

test("software WebGL draws only on request", async () => {
  const kinds = () =>
    [{}, { webgl: undefined }, { webgl: true }, { webgl: false }].map((options) => {
      const painter = window.t.createPainter(document.createElement("canvas"), options);
      painter.close();
      return painter.kind;
    });
  // This page believes that there is a graphics processor; the other one uses what exists.
  assert.deepEqual(await page.evaluate(kinds), ["webgl2", "webgl2", "webgl2", "canvas"]);
  const other = await viewing({ processor: false });
  try {
    const plain = await other.page("");
    await plain.evaluate(async (module) => {
      window.t = await import(module);
    }, other.url + path);
    assert.deepEqual(await plain.evaluate(kinds), ["canvas", "canvas", "webgl2", "canvas"]);
  } finally {
    await other.close();
  }
});

test("pixels that are fewer than they should be are refused", async () => {
  await each((t, webgl) => {
    const painter = t.painterOf(4, 4, webgl);
    const data = new Uint8Array(5);
    const refused = [];
    for (const pixels of [
      { width: 2, height: 3, parts: 1, data },
      { width: 1, height: 2, parts: 3, data },
    ]) {
      try {
        painter.load(pixels);
      } catch (error) {
        refused.push(error.name);
      }
    }
    painter.load({ width: 5, height: 1, parts: 1, data });
    painter.load({ width: 0, height: 0, parts: 1, data: new Uint8Array(0) });
    painter.close();
    return refused.join() === "RangeError,RangeError" ? "" : refused.join();
  });
});

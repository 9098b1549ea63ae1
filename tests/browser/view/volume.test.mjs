// Volumes: the shader agrees with a plain reference renderer, and a person turns a volume, clips
// it, reads values and shares the view.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { after, before, test } from "node:test";
import { rounds, turns } from "../../lib/rounds.mjs";
import { bundled, screenshots, viewing } from "../../lib/viewpage.mjs";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

let host;
let plain;
before(async () => {
  [host, plain] = await Promise.all([viewing(), viewing({ webgl: false })]);
});
after(() => Promise.all([host?.close(), plain?.close()]));

const script = `
import { VolumePainter } from "./view/volume/painter.js";
import { raysOf } from "./view/volume/camera.js";
import { picked } from "./view/volume/pick.js";
import { labelIndex, labelTable } from "./view/colour/labels.js";
import { random } from "../tests/lib/random.mjs";

const arrays = { uint8: Uint8Array, int16: Int16Array, uint32: Uint32Array, float32: Float32Array };

/** A random volume with a camera and a clipped part, without elements. */
function box(roll, mode) {
  const axes = roll.of([[2, 1, 0], [0, 1, 2], [1, 2, 0]]);
  const roles = [0, 1, 2].sort((a, b) => axes[b] - axes[a]);
  const lengths = [0, 1, 2].map(() => roll.int(2, 8));
  const shape = roles.map((role) => lengths[role]);
  const longest = roll(3);
  const extents = [0, 1, 2].map((i) => (i === longest ? 1 : roll.real(0.2, 1)));
  const signs = [0, 1, 2].map(() => roll.of([1, -1]));
  const ends = lengths.map((length) => {
    const first = roll.chance(0.5) ? 0 : roll(length);
    return [first, roll.chance(0.5) ? length : roll.int(first + 1, length)];
  });
  const slices = lengths.map((length) => roll(length) + 0.5);
  const eye = { turn: roll.of([0, 90, roll.real(-180, 180)]), tilt: roll.of([0, 90, roll.real(-90, 90)]), zoom: 2 ** roll.real(-0.5, 1.5), x: roll.real(-0.2, 0.2), y: roll.real(-0.2, 0.2) };
  return { mode, roles, lengths, shape, extents, signs, ends, slices, eye, count: shape[0] * shape[1] * shape[2], parts: 1 };
}

/** Random elements with a colour of their own: premultiplied, null without one. */
function ownDrawn(roll, mode, kind) {
  const volume = box(roll, mode);
  const { count } = volume;
  const own = (numbers, style, colour, more) => ({ ...volume, numbers, style, own: colour, ...more });
  const solid = (colour, alpha) => [...colour.slice(0, 3).map((one) => one * alpha), 255 * alpha];
  if (kind === "colour") {
    const parts = roll.of([3, 4]);
    const float = roll.chance(0.3);
    const full = float ? 1 : 255;
    const range = roll.of([[0, full], [full * 0.2, full * 0.7]]);
    const numbers = (float ? Float32Array : Uint8Array).from({ length: parts * count }, (_, i) =>
      i % parts === 3 ? roll.of([0, 0.3, 1]) * full : float && roll.chance(0.05) ? NaN : roll.real(0, full));
    const colour = (i) => {
      const all = numbers.slice(parts * i, parts * i + parts);
      if (all.some(Number.isNaN)) return null;
      const alpha = parts < 4 ? 1 : all[3] / full;
      return alpha > 0 ? solid([...all].map((one) => 255 * Math.min(1, Math.max(0, (one - range[0]) / (range[1] - range[0])))), alpha) : null;
    };
    return own(numbers, { kind, range }, colour, { parts });
  }
  const values = [1, 2, 3, 77, 250];
  const stated = [[2, [200, 30, 40, 255]], [77, [10, 250, 90, 255]]];
  // Bodies of one element, and thick ones.
  const run = roll.of([1, 1, 8, count >> 1]);
  const each = Array.from({ length: count }, () => (roll.chance(0.5) ? 0 : roll.of(values)));
  const numbers = roll.of([Uint8Array, Int16Array, Uint32Array, Float32Array]).from({ length: count }, (_, i) => each[Math.floor(i / run)]);
  if (kind === "category") {
    const colours = Uint8Array.from({ length: 12 }, (_, i) => (i % 4 === 3 ? 255 : roll(256)));
    const listed = [3, 1, 0];
    const colour = (i) => (listed.includes(numbers[i]) ? solid([...colours.slice(4 * listed.indexOf(numbers[i]), 4 * listed.indexOf(numbers[i]) + 3)], 1) : null);
    return own(numbers, { kind, values: listed, colours }, colour);
  }
  const chosen = roll.of([null, null, 3, numbers[0] || null]);
  const colour = (i) => {
    const value = numbers[i];
    if (value === 0) return null;
    const known = stated.find(([label]) => label === value)?.[1] ?? [...labelTable().slice(4 * labelIndex(value), 4 * labelIndex(value) + 4)];
    return solid(known, chosen === null || chosen === value ? 1 : 0.3);
  };
  return own(numbers, { kind: "label", chosen, colours: new Map(stated) }, colour);
}

/** The colour of a ray through elements with colours of their own, as in \`reference\`. */
function ownReference(volume, ray) {
  const { mode, style, own, numbers } = volume;
  const straight = ([r, g, b, a]) => (a === 0 ? null : [(r * 255) / a, (g * 255) / a, (b * 255) / a, a]);
  if (mode === "slices") {
    for (const cell of sliced(volume, ray)) {
      const colour = own(placed(volume, cell));
      if (colour) return straight(colour);
    }
    return null;
  }
  const all = met(volume, ray).sort((a, b) => a.near - b.near).map((one) => ({ ...one, i: placed(volume, one.cell), colour: own(placed(volume, one.cell)) }));
  const drawn = all.filter(({ colour }) => colour);
  if (drawn.length === 0) return null;
  if (mode === "maximum") return straight([0, 1, 2, 3].map((k) => Math.max(...drawn.map(({ colour }) => colour[k]))));
  if (mode === "average") {
    const long = drawn.reduce((sum, { length }) => sum + length, 0);
    return straight([0, 1, 2, 3].map((k) => drawn.reduce((sum, { colour, length }) => sum + (colour[k] * length) / long, 0)));
  }
  const sum = [0, 0, 0, 0];
  let before = null;
  for (const { i, colour, face } of all) {
    const body = style.kind !== "colour" && colour && before !== null && numbers[i] === before;
    before = colour ? numbers[i] : null;
    if (!colour || body) continue;
    const lit = style.kind === "colour" ? 1 : 0.35 + 0.65 * Math.abs(ray.sight[face]);
    const left = 1 - sum[3] / 255;
    for (let k = 0; k < 4; k++) sum[k] += left * colour[k] * (k < 3 ? lit : 1);
    if (sum[3] / 255 > 0.99) break;
  }
  return straight(sum);
}

/** A random volume of numbers with a style. */
function drawn(roll, mode) {
  const type = roll.of(Object.keys(arrays));
  const volume = box(roll, mode);
  const { count } = volume;
  const span = { uint8: [0, 255], int16: [-30000, 30000], uint32: [4e9, 4.1e9], float32: [-1, 1] }[type];
  const data = Float64Array.from({ length: count }, () => roll.real(...span));
  const numbers = arrays[type].from(data);
  const gaps = roll.chance(0.6);
  const missing = gaps && type !== "float32" ? [numbers[roll(count)], numbers[roll(count)]] : [];
  if (gaps) for (let i = 0; i < count; i++) if (roll.chance(0.3)) numbers[i] = type === "float32" ? NaN : missing[0];
  const scale = roll.of([1, 0.5, -2]);
  const packing = { scale, offset: roll.of([0, 10]), missing, valid: null };
  const value = (i) => (Number.isNaN(numbers[i]) || missing.includes(numbers[i]) ? NaN : numbers[i] * scale + packing.offset);
  const values = span.map((end) => end * scale + packing.offset).sort((a, b) => a - b);
  const wide = values[1] - values[0];
  const range = [values[0] + roll.real(0, 0.3) * wide, values[1] - roll.real(0, 0.3) * wide];
  const curve = roll.of([{ kind: "linear" }, { kind: "power", exponent: 0.5 }]);
  const table = Uint8Array.from({ length: 1024 }, (_, i) => (i % 4 === 3 ? 255 : i % 4 === 0 ? i >> 2 : roll(256)));
  const style = roll.chance(0.5) ? { kind: "map", table, range, curve, packing } : { kind: "channel", colour: [255, roll(256), 40], range, curve, packing };
  return { ...volume, numbers, value, style };
}

const degree = Math.PI / 180;

/** The ray of a point of the view, in elements by role: its origin and its direction for the longest edge. */
function rayOf({ lengths, extents, signs, eye }, view, px, py) {
  const scale = (Math.min(view.width, view.height) * 0.95 * eye.zoom) / Math.hypot(...extents);
  const [u, v] = [eye.x + (px - view.width / 2) / scale, eye.y + (py - view.height / 2) / scale];
  const [s, c] = [Math.sin(eye.turn * degree), Math.cos(eye.turn * degree)];
  const [t, d] = [Math.sin(eye.tilt * degree), Math.cos(eye.tilt * degree)];
  // Turn about the vertical axis, then tilt: the inverse of both rotations.
  const unturn = ([x, y, z]) => [x * c - z * s, y, x * s + z * c];
  const untilt = ([x, y, z]) => [x, y * d + z * t, z * d - y * t];
  const box = (point) => unturn(untilt(point));
  const pace = lengths.map((length, i) => (signs[i] * length) / extents[i]);
  return {
    from: box([u, v, 0]).map((one, i) => lengths[i] / 2 + one * pace[i]),
    into: box([0, 0, 1]).map((one, i) => one * pace[i]),
    sight: box([0, 0, 1]),
    pace,
  };
}

const shareOf = ({ range, curve }, value) => {
  const share = Math.min(1, Math.max(0, (value - range[0]) / (range[1] - range[0])));
  return curve.kind === "power" ? share ** curve.exponent : share;
};

const colourOf = (style, share) => {
  if (style.kind === "channel") return [...style.colour.map((part) => part * share), 255];
  const at = 4 * Math.min(255, Math.floor(share * 256 + 1 / 1024));
  return [...style.table.subarray(at, at + 4)];
};

/** The place of an element among the numbers. */
function placed({ roles, shape }, cell) {
  const [a, b, c] = roles.map((role) => cell[role]);
  return (c * shape[1] + b) * shape[0] + a;
}

/** The elements of the slices that a ray meets in the part, the nearest first. */
function sliced({ slices, ends }, { from, into }) {
  const hits = [0, 1, 2].map((k) => ({ k, t: (slices[k] - from[k]) / (into[k] || 1e-12) })).sort((a, b) => a.t - b.t);
  const cells = hits.map(({ k, t }) => from.map((one, i) => Math.floor(i === k ? slices[i] : one + into[i] * t)));
  return cells.filter((cell) => cell.every((at, i) => at >= ends[i][0] && at < ends[i][1]));
}

/** The elements that a ray meets in the part, each tested by itself, with the length of the ray in it. */
function met(volume, { from, into }) {
  const { lengths, ends, value } = volume;
  const found = [];
  for (let z = 0; z < lengths[2]; z++)
    for (let y = 0; y < lengths[1]; y++)
      for (let x = 0; x < lengths[0]; x++) {
        const cell = [x, y, z];
        if (cell.some((at, i) => at < ends[i][0] || at >= ends[i][1])) continue;
        let [near, far, face] = [-Infinity, Infinity, 0];
        for (let i = 0; i < 3; i++) {
          const sides = [cell[i], cell[i] + 1].map((at) => (at - from[i]) / (into[i] || 1e-12)).sort((a, b) => a - b);
          if (sides[0] > near) [near, face] = [sides[0], i];
          far = Math.min(far, sides[1]);
        }
        if (!(far - near > 1e-9)) continue;
        found.push({ cell, near, face, length: far - near, value: value?.(placed(volume, cell)) });
      }
  return found;
}

/** The colour of a ray: red, green, blue and opacity; null if it is transparent. */
function reference(volume, ray) {
  const { mode, style, value } = volume;
  if (volume.own) return ownReference(volume, ray);
  if (mode === "shaded") return shaded(volume, ray);
  if (mode === "slices") {
    for (const cell of sliced(volume, ray)) {
      const found = value(placed(volume, cell));
      if (!Number.isNaN(found)) return colourOf(style, shareOf(style, found));
    }
    return null;
  }
  const all = met(volume, ray).filter((one) => !Number.isNaN(one.value));
  if (all.length === 0) return null;
  const long = all.reduce((sum, { length }) => sum + length, 0);
  const found = mode === "maximum" ? Math.max(...all.map(({ value }) => value)) : all.reduce((sum, one) => sum + one.value * (one.length / long), 0);
  return colourOf(style, shareOf(style, found));
}

/** Shares of a range as bytes, interpolated between the middles of elements, and their gradient. */
function shaded(volume, { from, into, sight, pace }) {
  const { lengths, roles, ends, value, style } = volume;
  const stored = (cell) => {
    const at = cell.map((one, i) => Math.max(0, Math.min(lengths[i] - 1, one)));
    const [a, b, c] = roles.map((role) => at[role]);
    const found = value((c * lengths[roles[1]] + b) * lengths[roles[0]] + a);
    return Number.isNaN(found) ? [0, 0] : [Math.round(255 * shareOf(style, found)) / 255, 1];
  };
  const near = (at) => {
    const low = at.map((one) => Math.floor(one - 0.5));
    const part = at.map((one, i) => one - 0.5 - low[i]);
    const sum = [0, 0];
    for (let k = 0; k < 8; k++) {
      const corner = [k & 1, (k >> 1) & 1, k >> 2];
      const weight = corner.reduce((w, one, i) => w * (one ? part[i] : 1 - part[i]), 1);
      const [share, there] = stored(low.map((one, i) => one + corner[i]));
      sum[0] += weight * share;
      sum[1] += weight * there;
    }
    return sum;
  };
  let [t, end] = [-Infinity, Infinity];
  for (let i = 0; i < 3; i++) {
    const sides = ends[i].map((at) => (at - from[i]) / (into[i] || 1e-12)).sort((a, b) => a - b);
    t = Math.max(t, sides[0]);
    end = Math.min(end, sides[1]);
  }
  if (!(t < end)) return null;
  const stride = 0.7 / Math.max(...into.map(Math.abs));
  const sum = [0, 0, 0, 0];
  for (t += stride / 2; t < end && sum[3] <= 0.99; t += stride) {
    const at = from.map((one, i) => one + into[i] * t);
    const [product, there] = near(at);
    const share = product / Math.max(there, 0.002);
    const alpha = there * (1 - Math.exp(-60 * share * share * stride));
    if (alpha < 0.0005) continue;
    const gradient = at.map((_, i) => near(at.map((one, k) => one + (k === i))) [0] - near(at.map((one, k) => one - (k === i)))[0]);
    const normal = gradient.map((one, i) => one * pace[i]);
    const steep = Math.hypot(...normal);
    const lit = steep > 0 ? 0.35 + 0.65 * Math.abs(normal.reduce((dot, one, i) => dot + one * sight[i], 0)) / steep : 1;
    const blend = Math.min(1, Math.hypot(...gradient) * 10);
    const colour = colourOf(style, Math.min(1, share));
    for (let i = 0; i < 4; i++) sum[i] += (1 - sum[3]) * alpha * (i < 3 ? colour[i] * (1 - blend + blend * lit) : 1);
  }
  return sum[3] === 0 ? null : [...sum.slice(0, 3).map((part) => part / sum[3]), 255 * sum[3]];
}

const canvas = document.createElement("canvas");
const view = { width: 44, height: 36 };
Object.assign(canvas, view);
const painter = VolumePainter.on(canvas, () => {});

/** Draws random volumes of a mode, and returns the pixels that differ from the reference. */
export function compared(mode, seed, kind) {
  const roll = random(seed, 7);
  const volume = kind ? ownDrawn(roll, mode, kind) : drawn(roll, mode);
  const { numbers, roles, lengths, shape, ends, slices, style, parts } = volume;
  const grid = { level: 0, steps: [1, 1, 1], shape: lengths, factors: [1, 1, 1], starts: [0, 0, 0], roles };
  const solid = { axes: [0, 1, 2], names: ["x", "y", "z"], lengths, extents: volume.extents, signs: volume.signs };
  const loaded = painter.load(shape, numbers, parts);
  const rays = raysOf(solid, grid, volume.eye, view, 1);
  const part = { low: roles.map((role) => ends[role][0]), high: roles.map((role) => ends[role][1]) };
  const frame = { mode, layers: [{ loaded, style }], rays, part, slices: roles.map((role) => slices[role]) };
  painter.paint(frame);
  const copy = document.createElement("canvas");
  Object.assign(copy, view);
  const context = copy.getContext("2d");
  context.drawImage(canvas, 0, 0);
  const { data } = context.getImageData(0, 0, view.width, view.height);
  const wrong = [];
  let [shown, near, off] = [0, 0, 0];
  const most = volume.own ? 4 : { maximum: 1, slices: 1, average: 3, shaded: 6 }[mode];
  const faint = mode === "shaded" || volume.own;
  for (let py = 0; py < view.height; py++)
    for (let px = 0; px < view.width; px++) {
      const [r, g, b, a] = data.subarray(4 * (py * view.width + px));
      // Colours of faint pixels are rounded, so they count by their opacity.
      const differs = (wanted) => {
        if (!wanted) return a === 0 ? 0 : a;
        const weight = faint ? wanted[3] / 255 : 1;
        return Math.max(Math.abs(a - wanted[3]), ...[r, g, b].map((one, i) => Math.abs(one * (faint ? a / 255 : 1) - wanted[i] * weight)));
      };
      const wanted = reference(volume, rayOf(volume, view, px + 0.5, py + 0.5));
      if (wanted) shown++;
      const difference = differs(wanted);
      off += difference;
      if (difference <= most) continue;
      // At the edges of elements single precision may choose the neighbour.
      const around = [[0.03, 0], [-0.03, 0], [0, 0.03], [0, -0.03]].map(([x, y]) => reference(volume, rayOf(volume, view, px + 0.5 + x, py + 0.5 + y)));
      const numeric = mode === "shaded" && !volume.own;
      if (!numeric && around.some((one) => differs(one) <= most)) near++;
      else if (numeric && difference <= 24) near++;
      else wrong.push([px, py, "is", [r, g, b, a], "not", wanted].join(" "));
    }
  // A click finds the element that the reference names.
  const unpicked = [];
  if (kind === "label" && mode === "shaded")
    for (let k = 0; k < 30; k++) {
      const [x, y] = [roll.real(0, view.width), roll.real(0, view.height)];
      // Each body covers those behind it once, however thick it is.
      let [nearest, left, most, before] = [null, 1, 0, null];
      for (const one of met(volume, rayOf(volume, view, x, y)).sort((a, b) => a.near - b.near)) {
        const at = placed(volume, one.cell);
        const opacity = (volume.own(at)?.[3] ?? 0) / 255;
        const same = opacity > 0 && volume.numbers[at] === before;
        before = opacity > 0 ? volume.numbers[at] : null;
        if (same || opacity === 0) continue;
        if (left * opacity > most) [nearest, most] = [one, left * opacity];
        left *= 1 - opacity;
      }
      const found = picked(frame, frame.layers[0], x, y);
      const cell = found && [0, 1, 2].map((role) => found.cell[roles.indexOf(role)]);
      if (cell?.join() !== nearest?.cell.join()) unpicked.push([x, y, cell, "not", nearest?.cell].join(" "));
    }
  if (mode === "maximum" && !volume.own)
    for (let k = 0; k < 30; k++) {
      const [x, y] = [roll.real(0, view.width), roll.real(0, view.height)];
      const all = met(volume, rayOf(volume, view, x, y)).filter(({ value }) => !Number.isNaN(value));
      const best = Math.max(...all.map(({ value }) => value));
      const found = picked(frame, frame.layers[0], x, y);
      const cell = found && [0, 1, 2].map((role) => found.cell[roles.indexOf(role)]);
      const right = found ? all.some((one) => one.value === best && one.cell.join() === cell.join()) : all.length === 0;
      if (!right) unpicked.push([x, y, cell].join(" "));
    }
  painter.free(loaded);
  return { wrong: wrong.slice(0, 4), count: wrong.length, shown, near, off: off / view.width / view.height, unpicked };
}
`;

let painted;
async function paintedPage() {
  if (painted) return painted;
  const address = await bundled("volume", script);
  painted = await host.page(`<script type="module">window.t = await import("${host.url}${address}");</script>`);
  await painted.waitForFunction(() => window.t);
  return painted;
}

for (const [mode, kind] of [
  ["maximum"],
  ["average"],
  ["slices"],
  ["shaded"],
  ...turns(
    ["shaded", "average", "slices"]
      .flatMap((mode) => ["label", "category", "colour"].map((kind) => [mode, kind]))
      .concat([["maximum", "colour"]]),
    3,
  ),
])
  test(`each pixel of a random volume equals the reference's: ${mode}${kind ? ` of a ${kind}` : ""}`, async () => {
    const page = await paintedPage();
    let [shown, near, off] = [0, 0, 0];
    const count = rounds(kind || mode === "shaded" ? 80 : 160);
    for (let seed = 1; seed <= count; seed++) {
      const found = await page.evaluate((args) => t.compared(...args), [mode, seed, kind]);
      assert.equal(
        found.count,
        0,
        `${mode}, seed ${seed}: ${found.count} of ${found.shown}: ${found.wrong.join("; ")}`,
      );
      assert.deepEqual(found.unpicked, [], `seed ${seed}`);
      shown += found.shown;
      near += found.near;
      off += found.off / count;
    }
    assert.ok(shown > (mode === "slices" ? 50 : 100) * count, `${shown} pixels`);
    assert.ok(near <= shown * 0.05, `${near} of ${shown} pixels at edges`);
    assert.ok(off < 2, `the mean difference is ${off} of 255`);
  });

const [depth, height, width] = [24, 20, 30];
/** The place of the only element with the largest value, in z, y and x. */
const bright = [17, 5, 22];

/** A view of an array in z, y and x. */
async function shown(on, attributes = "", more = {}) {
  const second = more.second ? "<zarr-view sync=a></zarr-view>" : "";
  const page = await on.page(
    `<style>:root { color-scheme: light dark } body { margin: 0 } zarr-view { height: ${second ? 50 : 100}vh; width: 100vw }</style><zarr-view ${attributes}></zarr-view>${second}
    <script type="module">
    import "zarr-wasm/view";
    window.view = document.querySelector("zarr-view");
    const [depth, height, width] = [${depth}, ${height}, ${width}];
    const text = (value) => new TextEncoder().encode(JSON.stringify(value));
    const array = text({
      zarr_format: 3, node_type: "array", shape: [depth, height, width], data_type: "uint16", fill_value: 0,
      dimension_names: ["z", "y", "x"], attributes: { units: "counts", long_name: "a bright element" },
      chunk_grid: { name: "regular", configuration: { chunk_shape: [6, height, width] } },
      chunk_key_encoding: { name: "default" }, codecs: [{ name: "bytes", configuration: { endian: "little" } }],
    });
    const store = new Map([["/zarr.json", array]]);
    for (let k = 0; k < depth / 6; k++) {
      const numbers = new Uint16Array(6 * height * width);
      for (let i = 0; i < numbers.length; i++) {
        const place = [k * 6 + Math.floor(i / height / width), Math.floor(i / width) % height, i % width];
        const near = Math.hypot(...place.map((at, d) => at - [12, 10, 15][d]));
        numbers[i] = place.join() === "${bright}" ? 1000 : Math.max(0, Math.round(600 - 70 * near));
      }
      store.set("/c/" + k + "/0/0", new Uint8Array(numbers.buffer));
    }
    window.read = [];
    for (const one of document.querySelectorAll("zarr-view"))
      one.source = { get: async (key) => { read.push(key); return store.get(key); } };
    </script>`,
    { width: 1280, height: 800, ...more },
  );
  await page.settled();
  return page;
}

const choose = async (page, label) => {
  const opener = page.getByRole("button", { name: "Controls" });
  const narrow = await opener.isVisible();
  if (narrow) await opener.click();
  await page.getByRole("combobox", { name: "Volume" }).selectOption({ label });
  if (narrow) await opener.click();
  await page.settled();
};

/** Returns the point of the page at which the middle of an element is drawn, in z, y and x. */
async function pointAt(page, [z, y, x]) {
  const address = await bundled("volumecamera", 'export { firstEye, pointOf } from "./view/volume/camera.js";');
  const { x: left, y: top, width: w, height: h } = await page.getByRole("application").first().boundingBox();
  const point = await page.evaluate(
    async ([address, place, view, lengths]) => {
      const { firstEye, pointOf } = await import(address);
      const [turn, tilt, zoom, x, y] = document.querySelector("zarr-view").volume.eye ?? [];
      const eye = turn === undefined ? firstEye : { turn, tilt, zoom, x, y };
      const most = Math.max(...lengths);
      const solid = { lengths, extents: lengths.map((one) => one / most), signs: [1, 1, 1] };
      return pointOf(solid, eye, view, place);
    },
    [host.url + address, [x + 0.5, y + 0.5, z + 0.5], { width: w, height: h }, [width, height, depth]],
  );
  return [left + point.x, top + point.y];
}

test("a person sees the maximum, turns it, and a click shows the element that is seen and moves the slices", async () => {
  const page = await shown(host);
  await choose(page, "Volume: maximum");
  assert.equal(await page.evaluate(() => view.getAttribute("volume")), "maximum");
  await page.screenshot({ path: `${screenshots}/volume-maximum.png` });
  for (const turn of [0, 1]) {
    if (turn === 1) {
      const { x, y, width: w, height: h } = await page.getByRole("application").boundingBox();
      await page.mouse.move(x + w / 2, y + h / 2);
      await page.mouse.down();
      await page.mouse.move(x + w / 2 + 120, y + h / 2 + 60, { steps: 4 });
      await page.mouse.up();
      await page.waitForFunction(() => view.volume.eye !== undefined);
      await page.settled();
    }
    await page.evaluate(() => Object.assign(pointing, { told: undefined }));
    await page.mouse.click(...(await pointAt(page, bright)));
    await page.waitForFunction(() => pointing.told?.value !== undefined);
    const told = await page.evaluate(() => pointing.told);
    assert.deepEqual([told.value, told.index], [1000, { z: bright[0], y: bright[1], x: bright[2] }]);
    assert.match(told.text, /1000.*counts/);
    assert.deepEqual(await page.evaluate(() => view.index), { z: bright[0], y: bright[1], x: bright[2] });
  }
  await page.settled();
  await page.screenshot({ path: `${screenshots}/volume-turned.png` });
  // The link opens the same view.
  const link = await page.evaluate(() => view.getAttribute("volume"));
  const again = await shown(host, `volume="${link}"`);
  assert.equal(await again.evaluate(() => view.getAttribute("volume")), link);
  await choose(again, "Slice");
  assert.equal(await again.evaluate(() => view.getAttribute("volume")), null);
  assert.ok(await again.pointed(0.5, 0.5), "the picture is back");
  for (const one of [page, again]) {
    assert.deepEqual(one.wrong, []);
    await one.context().close();
  }
});

test("without WebGL 2 a volume says so, and the slice is one choice away", async () => {
  const page = await shown(plain, "", {
    before: (page) =>
      page.addInitScript(() => {
        const { getContext } = HTMLCanvasElement.prototype;
        HTMLCanvasElement.prototype.getContext = function (name, ...more) {
          return name === "webgl2" ? null : getContext.call(this, name, ...more);
        };
      }),
  });
  await choose(page, "Volume: average");
  await page.getByText("Volumes need WebGL 2").waitFor();
  await choose(page, "Slice");
  assert.ok(await page.pointed(0.5, 0.5));
  assert.deepEqual(page.wrong, []);
  await page.context().close();
});

/** Returns the colour of the drawn volume at a point of the page: red, green, blue and opacity. */
const colourAt = (page, [x, y]) =>
  page.evaluate(
    ([x, y]) => {
      const source = view.shadowRoot.querySelector(".volume canvas");
      const box = source.getBoundingClientRect();
      const copy = document.createElement("canvas");
      Object.assign(copy, { width: source.width, height: source.height });
      const pen = copy.getContext("2d");
      pen.drawImage(source, 0, 0);
      const at = [((x - box.left) / box.width) * copy.width, ((y - box.top) / box.height) * copy.height];
      return [...pen.getImageData(...at.map(Math.floor), 1, 1).data];
    },
    [x, y],
  );

test("a person clips an axis, and an element outside is neither drawn nor found", async () => {
  const page = await shown(host, 'volume="maximum" range="0,1000" colormap="gray"');
  const point = await pointAt(page, bright);
  assert.deepEqual(await colourAt(page, point), [255, 255, 255, 255]);
  await page.getByText("Clip", { exact: true }).click();
  await page.getByRole("slider", { name: "Last z" }).focus();
  for (let k = depth - 1; k >= bright[0]; k--) await page.keyboard.press("ArrowLeft");
  await page.waitForFunction((last) => view.volume.clip?.z[1] === last, bright[0] - 1);
  await page.settled();
  const [red] = await colourAt(page, point);
  assert.ok(red < 255, "the bright element is not drawn");
  await page.mouse.click(...point);
  await page.waitForFunction(() => pointing.told?.value !== undefined);
  const told = await page.evaluate(() => pointing.told);
  assert.ok(told.value < 1000 && told.index.z < bright[0], JSON.stringify(told));
  await page.screenshot({ path: `${screenshots}/volume-clip.png` });
  await page.locator(".volume").getByRole("button", { name: "Show all" }).click();
  await page.waitForFunction(() => view.volume.clip === undefined);
  await page.settled();
  assert.deepEqual(await colourAt(page, point), [255, 255, 255, 255]);
  assert.deepEqual(page.wrong, []);
  await page.context().close();
});

test("controls that act on the covered picture are disabled in a volume, and enabled in the slice", async () => {
  const page = await shown(host);
  const names = ["Region", "Arrows", "Series"];
  const disabled = async () => {
    const buttons = names.map((name) => page.getByRole("button", { name, exact: true }).isDisabled());
    return [...(await Promise.all(buttons)), await page.getByLabel("Projection").isDisabled()];
  };
  for (const [label, off] of [
    ["Volume: maximum", true],
    ["Slice", false],
    ["Volume: slices", true],
  ]) {
    await choose(page, label);
    assert.deepEqual(await disabled(), [off, off, off, off], label);
  }
  // An open plot can be closed.
  await page.evaluate(() => view.setAttribute("series", "z,3:4"));
  await page.settled();
  await page.getByRole("button", { name: "Series", exact: true }).click();
  assert.equal(await page.evaluate(() => view.getAttribute("series")), null);
  assert.deepEqual(page.wrong, []);
  await page.context().close();
});

test("a click in a volume moves the slice of a linked view, and a slice of that view the volume's", async () => {
  const page = await shown(host, 'volume="slices" sync="a" range="0,1000" colormap="gray"', {
    second: true,
    height: 1000,
  });
  await page.evaluate(() => view.setAttribute("volume", "maximum"));
  await page.settled();
  await page.mouse.click(...(await pointAt(page, bright)));
  const other = () => page.evaluate(() => document.querySelectorAll("zarr-view")[1].index);
  await page.waitForFunction(() => document.querySelectorAll("zarr-view")[1].index?.x !== undefined);
  assert.deepEqual(await other(), { z: bright[0], y: bright[1], x: bright[2] });
  await page.evaluate(() => view.setAttribute("volume", "slices"));
  await page.settled();
  // The three slices meet in the bright element.
  assert.deepEqual(await colourAt(page, await pointAt(page, bright)), [255, 255, 255, 255]);
  await page.screenshot({ path: `${screenshots}/volume-linked.png` });
  await page.getByRole("button", { name: "Next z" }).last().click();
  await page.waitForFunction((z) => view.index.z === z, bright[0] + 1);
  assert.deepEqual(page.wrong, []);
  await page.context().close();
});

test("keys turn, move and zoom a volume, and 0 returns to the first view", async () => {
  const page = await shown(host, 'volume="average"');
  await page.getByRole("application").first().focus();
  const eye = () => page.evaluate(() => view.volume.eye);
  const press = async (key) => {
    const before = JSON.stringify(await eye());
    await page.keyboard.press(key);
    await page.waitForFunction((before) => JSON.stringify(view.volume.eye) !== before, before ?? null);
    await page.settled();
    return eye();
  };
  const [turn, tilt, zoom] = await press("ArrowRight");
  assert.deepEqual([turn > 30, tilt, zoom], [true, 25, 1]);
  const moved = await press("Shift+ArrowRight");
  assert.ok(moved[0] === turn && moved[3] > 0);
  assert.ok((await press("+"))[2] > 1);
  assert.equal(await press("0"), undefined);
  assert.deepEqual(page.wrong, []);
  await page.context().close();
});

test("a clip that a person moves while the volume waits for a frame stays where it is", async () => {
  const page = await shown(host, 'volume="average"');
  await page.getByText("Clip").click();
  const slider = await page.getByRole("slider", { name: "First z" }).elementHandle();
  const [at, moved] = await page.evaluate(async (slider) => {
    // The frames run one by one from here on.
    const frames = [];
    window.requestAnimationFrame = (run) => frames.push(run);
    view.shadowRoot
      .querySelector(".volume .surface")
      .dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowRight" }));
    slider.value = "5";
    slider.dispatchEvent(new Event("input", { bubbles: true }));
    await new Promise((resolve) => setTimeout(resolve));
    const seen = [];
    while (frames.length > 0) {
      frames.shift()(performance.now());
      seen.push(slider.value);
      await new Promise((resolve) => setTimeout(resolve));
    }
    return [seen, view.volume.clip];
  }, slider);
  assert.deepEqual([...new Set(at)], ["5"]);
  assert.ok(at.length > 1);
  assert.deepEqual(moved, { z: [5, depth - 1] });
  assert.deepEqual(page.wrong, []);
  await page.context().close();
});

test("a choice while a volume is being turned stays, and the turn stays with it", async () => {
  for (const [mode, left] of [
    ["slices", undefined],
    ["", "volume"],
  ]) {
    const page = await shown(host, 'volume="average"');
    const chooser = await page.getByRole("combobox", { name: "Volume" }).elementHandle();
    await page.getByRole("application").first().focus();
    // The movement ends between the choice and the frame that would show it.
    await page.evaluate(() => {
      const request = requestAnimationFrame;
      window.requestAnimationFrame = (run) => setTimeout(() => request(run), 400);
    });
    await page.keyboard.press("ArrowRight");
    await page.evaluate(
      ([chooser, mode]) => {
        chooser.value = mode;
        chooser.dispatchEvent(new Event("change", { bubbles: true }));
      },
      [chooser, mode],
    );
    await page.settled();
    await page.evaluate(() => new Promise((resolve) => setTimeout(resolve, 600)));
    const volume = await page.evaluate(() => view.volume);
    if (left) assert.equal(volume, undefined);
    else assert.deepEqual([volume.mode, volume.eye.length], [mode, 5]);
    assert.deepEqual(page.wrong, []);
    await page.context().close();
  }
});

/** An image of two levels and two channels, whose depth has twice the scale. */
const image = `
  const text = (value) => new TextEncoder().encode(JSON.stringify(value));
  const scales = [[1, 2, 1, 1], [1, 4, 2, 2]];
  const shapes = [[2, 8, 16, 24], [2, 4, 8, 12]];
  const store = new Map([["/zarr.json", text({ zarr_format: 3, node_type: "group", attributes: { ome: {
    version: "0.5",
    multiscales: [{
      name: "cells",
      axes: [{ name: "c", type: "channel" }, ...["z", "y", "x"].map((name) => ({ name, type: "space", unit: "micrometer" }))],
      datasets: scales.map((scale, level) => ({ path: String(level), coordinateTransformations: [{ type: "scale", scale }] })),
    }],
    omero: { channels: ["FF0000", "00FF00"].map((color, i) => ({ color, active: true, label: "dye " + i, window: { min: 0, max: 200, start: 0, end: 200 } })) },
  } } })]]);
  for (const [level, shape] of shapes.entries()) {
    store.set("/" + level + "/zarr.json", text({
      zarr_format: 3, node_type: "array", shape, data_type: "uint8", fill_value: 0, dimension_names: ["c", "z", "y", "x"],
      chunk_grid: { name: "regular", configuration: { chunk_shape: [1, ...shape.slice(1)] } },
      chunk_key_encoding: { name: "default" }, codecs: [{ name: "bytes" }], attributes: {},
    }));
    for (let c = 0; c < 2; c++) {
      const numbers = new Uint8Array(shape[1] * shape[2] * shape[3]);
      const set = (z, y, x) => (numbers[(z * shape[2] + y) * shape[3] + x] = 200);
      if (level === 0) set(...[[2, 4, 5], [5, 9, 18]][c]), set(6, 12, 8);
      store.set("/" + level + "/c/" + c + "/0/0/0", numbers);
    }
  }`;

for (const [name, more] of [
  ["desktop", {}],
  ["phone, dark", { width: 390, height: 844, colorScheme: "dark", hasTouch: true }],
])
  test(`channels of an image add their colours, in physical proportions, from the finest level: ${name}`, async () => {
    const page = await host.page(
      `<style>:root { color-scheme: light dark } body { margin: 0 } zarr-view { height: 100vh; width: 100vw }</style><zarr-view></zarr-view>
      <script type="module">
      import "zarr-wasm/view";
      window.view = document.querySelector("zarr-view");
      ${image}
      window.read = [];
      view.source = { get: async (key) => { read.push(key); return store.get(key); } };
      </script>`,
      { width: 1280, height: 800, ...more },
    );
    await page.settled();
    await choose(page, "Volume: maximum");
    assert.ok(await page.evaluate(() => read.includes("/1/c/0/0/0/0")), "the coarse level is read first");
    await page.getByText("level 1 of 2").last().waitFor();
    const address = await bundled("volumecamera", 'export { firstEye, pointOf } from "./view/volume/camera.js";');
    const box = await page.getByRole("application").boundingBox();
    const at = async ([z, y, x]) => {
      const point = await page.evaluate(
        async ([address, place, size]) => {
          const { firstEye, pointOf } = await import(address);
          // 24 columns, 16 rows, and 8 slices of twice the scale.
          const solid = { lengths: [24, 16, 8], extents: [1, 16 / 24, 16 / 24], signs: [1, 1, 1] };
          return pointOf(solid, firstEye, size, place);
        },
        [host.url + address, [x + 0.5, y + 0.5, z + 0.5], { width: box.width, height: box.height }],
      );
      return colourAt(page, [box.x + point.x, box.y + point.y]);
    };
    assert.deepEqual((await at([2, 4, 5])).slice(0, 3), [255, 0, 0]);
    assert.deepEqual((await at([5, 9, 18])).slice(0, 3), [0, 255, 0]);
    assert.deepEqual((await at([6, 12, 8])).slice(0, 3), [255, 255, 0]);
    // The image of the view has the same colours.
    const saved = await page.evaluate(() => {
      const { width, height } = view.figure();
      const { data } = view.figure().getContext("2d").getImageData(0, 0, width, height);
      const found = new Set();
      for (let i = 0; i < data.length; i += 4) found.add(data.slice(i, i + 3).join());
      return ["255,0,0", "0,255,0", "255,255,0"].map((colour) => found.has(colour));
    });
    assert.deepEqual(saved, [true, true, true]);
    await page.screenshot({ path: `${screenshots}/volume-channels-${name === "desktop" ? name : "phone"}.png` });
    await choose(page, "Volume: shaded");
    await page.screenshot({ path: `${screenshots}/volume-shaded-${name === "desktop" ? name : "phone"}.png` });
    assert.deepEqual(page.wrong, []);
    await page.context().close();
  });

/** Opens a volume of four chunks. `answer` may change the answers for keys. */
async function made(value, answer = "(key) => store.get(key)", attributes = "") {
  const page = await host.page(
    `<style>body { margin: 0 } zarr-view { height: 100vh }</style>
    <main><h1>A volume</h1><zarr-view controls="all" volume="maximum" ${attributes}></zarr-view></main>
    <script type="module">
    import "zarr-wasm/view";
    const document_ = {
      zarr_format: 3, node_type: "array", shape: [8, 6, 6], data_type: "float32", fill_value: 0, attributes: { units: "K" },
      chunk_grid: { name: "regular", configuration: { chunk_shape: [2, 6, 6] } }, dimension_names: ["z", "y", "x"],
      chunk_key_encoding: { name: "default" }, codecs: [{ name: "bytes", configuration: { endian: "little" } }],
    };
    const store = new Map([["/zarr.json", new TextEncoder().encode(JSON.stringify(document_))]]);
    for (let k = 0; k < 4; k++) {
      const data = Float32Array.from({ length: 72 }, (_, i) => (${value})(72 * k + i));
      store.set("/c/" + k + "/0/0", new Uint8Array(data.buffer));
    }
    window.broken = true;
    window.view = document.querySelector("zarr-view");
    view.source = { get: ${answer} };
    </script>`,
  );
  await page.waitForFunction(() => window.view?.shadowRoot.querySelector(".volume"));
  return page;
}

/** The axe rules hold in a page, whatever a volume shows. */
async function accessible(page, what) {
  await page.evaluate(axe);
  const violations = await page.evaluate(async () => {
    const { violations } = await globalThis.axe.run(document, { resultTypes: ["violations"] });
    return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join(" | ")}`);
  });
  assert.deepEqual(violations, [], what);
}

const sentence = (page) => page.evaluate(() => view.shadowRoot.querySelector(".volume .void").textContent);
const said = (page, text) =>
  page.waitForFunction((text) => view.shadowRoot.querySelector(".volume .void").textContent === text, text);
const drawnPixels = (page) =>
  page.evaluate(() => {
    const source = view.shadowRoot.querySelector(".volume canvas");
    const copy = Object.assign(document.createElement("canvas"), { width: source.width, height: source.height });
    const pen = copy.getContext("2d");
    pen.drawImage(source, 0, 0);
    return pen
      .getImageData(0, 0, copy.width, copy.height)
      .data.reduce((sum, part, i) => sum + (i % 4 === 3 && part > 0), 0);
  });

test("a volume whose values are all missing says so, like a picture", async () => {
  const page = await made("() => NaN");
  await page.settled();
  await said(page, "All values are missing");
  const label = await page.getByRole("application").first().getAttribute("aria-label");
  assert.match(label, /All values are missing$/);
  await page.screenshot({ path: `${screenshots}/volume-missing.png` });
  await accessible(page, "an empty volume");
  assert.deepEqual(page.wrong, []);
  await page.context().close();
});

test("a volume without violations of axe loses its graphics processor, says so, and returns with it", async () => {
  const page = await made("(i) => i");
  await page.settled();
  assert.equal(await sentence(page), "");
  await page.getByText("Clip", { exact: true }).click();
  await accessible(page, "a volume");
  const before = await drawnPixels(page);
  assert.ok(before > 1000);
  await page.evaluate(() => {
    const gl = view.shadowRoot.querySelector(".volume canvas").getContext("webgl2");
    window.losing = gl.getExtension("WEBGL_lose_context");
    losing.loseContext();
  });
  await said(page, "The graphics processor is lost; the volume returns with it");
  await page.evaluate(() => losing.restoreContext());
  await said(page, "");
  await page.settled();
  assert.equal(await drawnPixels(page), before);
  await page.context().close();
});

test("a volume without room in the graphics memory says so until Retry draws it", async () => {
  const page = await shown(host, "controls=all", {
    before: (page) =>
      page.addInitScript(() => {
        window.full = 0;
        const { prototype } = WebGL2RenderingContext;
        const before = prototype.getError;
        prototype.getError = function () {
          return window.full ? this.OUT_OF_MEMORY : before.call(this);
        };
      }),
  });
  await choose(page, "Volume: maximum");
  await page.evaluate(() => {
    window.full = 1;
    window.ready = 0;
    view.addEventListener("ready", () => window.ready++);
  });
  await choose(page, "Volume: shaded");
  const alert = page.getByRole("alert").filter({ hasText: "no room" });
  await alert.waitFor();
  // Neither a turn nor a change beside the volume is taken for its drawing.
  for (const change of [
    () => page.getByRole("application").press("ArrowRight"),
    () => page.evaluate(() => view.setAttribute("series", "z,3:4")),
  ]) {
    await change();
    await page.evaluate(() => new Promise((resolve) => setTimeout(resolve, 600)));
    await page.settled();
    assert.equal(await alert.count(), 1);
    assert.equal(await page.evaluate(() => window.ready), 0);
  }
  await page.evaluate(() => {
    window.full = 0;
  });
  await page.getByRole("button", { name: "Retry" }).click();
  await page.waitForFunction(() => window.ready > 0);
  assert.equal(await alert.count(), 0);
  assert.ok((await drawnPixels(page)) > 1000);
  assert.deepEqual(page.wrong, []);
  await page.context().close();
});

test("a volume whose chunk fails, or whose read is cancelled, says so, and Retry reads it", async () => {
  const failing = `async (key) => {
    if (broken && key === "/c/2/0/0") throw new TypeError("the network is gone");
    return store.get(key);
  }`;
  const page = await made("(i) => i", failing);
  await page.getByRole("alert").filter({ hasText: "the network is gone" }).waitFor();
  await said(page, "The volume is not read");
  await page.evaluate(() => {
    broken = false;
  });
  await page.getByRole("button", { name: "Retry" }).first().click();
  await page.settled();
  await said(page, "");
  assert.ok((await drawnPixels(page)) > 1000);
  await page.context().close();
  const hanging = `(key) => (broken && key === "/c/2/0/0" ? new Promise(() => {}) : Promise.resolve(store.get(key)))`;
  const other = await made("(i) => i", hanging);
  await said(other, "Reading the volume…");
  await other.evaluate(() => view.cancel());
  await said(other, "The volume is not read");
  await other.evaluate(() => {
    broken = false;
    view.retry();
  });
  await other.settled();
  await said(other, "");
  assert.ok((await drawnPixels(other)) > 1000);
  assert.deepEqual(other.wrong, []);
  await other.context().close();
});

/** Opens an array `/v` in z, y and x, or a group with `attributes`, with `order` of its axes. */
async function small({ type, order, values, attributes = {}, view = "", size = [4, 5, 6] }) {
  const page = await host.element(attributes.ome ? view : `node="/v" ${view}`, {
    width: 1000,
    height: 700,
    script: `
      const [lengths, order] = [${JSON.stringify(size)}, ${JSON.stringify(order)}];
      const all = { z: lengths[0], y: lengths[1], x: lengths[2], rgb: 3, t: 2 };
      const shape = order.map((name) => all[name]);
      const array = arrayV3(shape, "${type}", { dimension_names: order, attributes: { units: "counts" } });
      const files = new Map([["/zarr.json", json(groupV3(${JSON.stringify(attributes)}))], ["/v/zarr.json", json(array)]]);
      const typed = { uint8: Uint8Array, uint16: Uint16Array, float32: Float32Array }["${type}"];
      const value = ${values};
      const count = shape.reduce((a, b) => a * b, 1);
      const numbers = typed.from({ length: count }, (_, i) => {
        const at = {};
        for (let d = order.length - 1; d >= 0; d--) {
          at[order[d]] = i % shape[d];
          i = Math.floor(i / shape[d]);
        }
        return value(at);
      });
      files.set("/v/c/" + shape.map(() => 0).join("/"), new Uint8Array(numbers.buffer));
      view.source = { get: async (key) => files.get(key) };`,
  });
  page.setDefaultTimeout(30_000);
  return page;
}

/** Returns the point of the page at which the middle of an element of a small volume is drawn. */
async function smallPoint(page, [z, y, x], [depth, height, width] = [4, 5, 6]) {
  const address = await bundled("volumecamera", 'export { firstEye, pointOf } from "./view/volume/camera.js";');
  const box = await page.getByRole("application").first().boundingBox();
  const point = await page.evaluate(
    async ([address, place, size, lengths]) => {
      const { firstEye, pointOf } = await import(address);
      const most = Math.max(...lengths);
      const solid = { lengths, extents: lengths.map((one) => one / most), signs: [1, 1, 1] };
      return pointOf(solid, firstEye, size, place);
    },
    [host.url + address, [x + 0.5, y + 0.5, z + 0.5], { width: box.width, height: box.height }, [width, height, depth]],
  );
  return [box.x + point.x, box.y + point.y];
}

test("a volume of labels has their colours and no other ones, and a click names the nearest label", async () => {
  const scale = [{ type: "scale", scale: [1, 1, 1] }];
  const axes = ["z", "y", "x"].map((name) => ({ name, type: "space" }));
  const ome = {
    version: "0.5",
    multiscales: [{ axes, datasets: [{ path: "v", coordinateTransformations: scale }] }],
    "image-label": {
      colors: [
        { "label-value": 7, rgba: [0, 0, 255, 255] },
        { "label-value": 200, rgba: [255, 0, 0, 255] },
      ],
    },
  };
  const page = await small({
    type: "uint16",
    order: ["z", "y", "x"],
    values: "({ z, y, x }) => (z >= 2 ? 200 : x < 2 && y < 2 ? 7 : 0)",
    attributes: { ome },
  });
  await page.settled();
  const volume = page.getByRole("combobox", { name: "Volume" });
  assert.deepEqual(await volume.locator("option").allTextContents(), [
    "Slice",
    "Volume: average",
    "Volume: shaded",
    "Volume: slices",
  ]);
  await choose(page, "Volume: shaded");
  /** The shares of red, green and blue of each drawn pixel that is covered. */
  const hues = () =>
    page.evaluate(() => {
      const source = view.shadowRoot.querySelector(".volume canvas");
      const copy = Object.assign(document.createElement("canvas"), { width: source.width, height: source.height });
      const pen = copy.getContext("2d");
      pen.drawImage(source, 0, 0);
      const { data } = pen.getImageData(0, 0, copy.width, copy.height);
      const found = new Set();
      for (let i = 0; i < data.length; i += 4)
        if (data[i + 3] > 0) found.add([0, 1, 2].map((k) => (data[i + k] > 40 ? 1 : 0)).join(""));
      return [...found].sort();
    });
  assert.deepEqual(await hues(), ["001", "100"], "lit surfaces are blue or red");
  await page.screenshot({ path: `${screenshots}/volume-labels.png` });
  await page.mouse.click(...(await smallPoint(page, [0, 0, 0])));
  await page.waitForFunction(() => pointing.told?.value !== undefined);
  const told = await page.evaluate(() => pointing.told);
  assert.deepEqual([told.value, told.index.z < 2, told.index.x < 2], [7, true, true], JSON.stringify(told));
  await choose(page, "Volume: slices");
  assert.deepEqual(await hues(), ["001", "100"], "slices");
  // A link with a maximum, which labels do not have, shows the surfaces.
  await page.evaluate(() => view.setAttribute("volume", "maximum"));
  await page.settled();
  assert.equal(await volume.inputValue(), "shaded");
  assert.deepEqual(await hues(), ["001", "100"]);
  await page.end();
});

for (const order of turns(
  [
    ["z", "y", "x", "rgb"],
    ["z", "rgb", "y", "x"],
    ["rgb", "z", "y", "x"],
  ],
  3,
))
  test(`a volume of colours has its own ones, with the axes ${order.join(", ")}`, async () => {
    const page = await small({
      type: "uint8",
      order,
      values: "({ z, y, x, rgb }) => (z === 0 ? [250, 120, 10][rgb] : 10 * (z + y + x) + rgb)",
      view: 'volume="shaded"',
    });
    await page.settled();
    const point = await smallPoint(page, [0, 2, 3]);
    assert.deepEqual(await colourAt(page, point), [250, 120, 10, 255]);
    await page.mouse.click(...point);
    await page.waitForFunction(() => pointing.told?.value !== undefined);
    const told = await page.evaluate(() => ({ value: pointing.told.value, z: pointing.told.index.z }));
    assert.deepEqual(told, { value: [250, 120, 10], z: 0 });
    await page.screenshot({ path: `${screenshots}/volume-colours.png` });
    await choose(page, "Volume: maximum");
    const [red, green, blue] = await colourAt(page, point);
    assert.ok(red === 250 && green === 120 && blue > 10, `${[red, green, blue]}: the most of each colour`);
    await page.end();
  });

test("the range of a volume is that of its elements, as its control says, holds for its slices, and yields to a person", async () => {
  const page = await small({
    type: "float32",
    order: ["t", "z", "y", "x"],
    values: "({ t, z, y, x }) => 1000 * t + (z === 0 ? x : 100 * z + 10 * y + x)",
    view: 'index="t:0,z:0"',
  });
  await page.settled();
  const range = () => page.evaluate(() => view.fullState.range);
  const slice = await range();
  assert.ok(slice[1] <= 5, `the first slice has ${slice}`);
  const panel = page.getByRole("button", { name: "Colours and range" });
  const says = async (what) => {
    await panel.click();
    await page.getByText(`Auto, Full and the histogram use the values of ${what}.`).waitFor();
    await page.keyboard.press("Escape");
  };
  await says("the slice");
  await choose(page, "Volume: maximum");
  const all = [];
  for (let z = 0; z < 4; z++)
    for (let y = 0; y < 5; y++) for (let x = 0; x < 6; x++) all.push(z === 0 ? x : 100 * z + 10 * y + x);
  all.sort((a, b) => a - b);
  const [low, high] = [0.01, 0.99].map((share) => all[Math.round(share * (all.length - 1))]);
  const volume = await range();
  assert.ok(Math.abs(volume[0] - low) <= 2 && Math.abs(volume[1] - high) <= 2, `${volume}, not ${low} to ${high}`);
  await says("the volume");
  await page.screenshot({ path: `${screenshots}/volume-range.png` });
  await choose(page, "Slice");
  assert.deepEqual(await range(), volume, "the slice has the volume's range");
  await page.getByRole("button", { name: "Next z" }).click();
  await page.settled();
  assert.deepEqual(await range(), volume, "and so has the next one");
  await page.getByRole("button", { name: "Auto", exact: true }).click();
  await page.waitForFunction((high) => view.fullState.range[1] < high, volume[1]);
  await says("the slice");
  await choose(page, "Volume: average");
  assert.deepEqual(await range(), volume);
  await page.getByRole("button", { name: "Auto", exact: true }).click();
  await page.settled();
  assert.deepEqual(await range(), volume, "in a volume, Auto is that of the volume");
  await page.getByRole("button", { name: "Next t" }).click();
  await page.settled();
  assert.deepEqual(await range(), volume, "another volume keeps the range");
  await page.getByRole("button", { name: "Auto", exact: true }).click();
  await page.settled();
  assert.deepEqual(
    await range(),
    volume.map((end) => end + 1000),
    "until the person asks for its own",
  );
  await page.evaluate(() => view.setAttribute("range", "3,44"));
  await page.settled();
  for (const label of ["Slice", "Volume: shaded"]) {
    await choose(page, label);
    assert.deepEqual(await range(), [3, 44], label);
  }
  await page.end();
});

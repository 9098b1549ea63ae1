// Compares the element's pictures, pixel by pixel, with values computed here as numpy would, from
// the manifest's elements.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { arrayV3, typedArrays } from "../../lib/documents.mjs";
import { random } from "../../lib/random.mjs";
import { rounds } from "../../lib/rounds.mjs";
import { top } from "../../lib/serve.mjs";
import { viewing } from "../../lib/viewpage.mjs";

const host = await viewing();
const page = await host.page(`<style>body{margin:0}zarr-view{height:100vh}</style><zarr-view></zarr-view>
  <script type="module">
    import { open } from "zarr-wasm";
    import "zarr-wasm/view";
    window.view = document.querySelector("zarr-view");

    /** Shows a node of a hierarchy, or an array that is made of its metadata and its only chunk. */
    window.show = async (attributes, made) => {
      for (const { name } of [...view.attributes]) view.removeAttribute(name);
      view.source = null;
      await new Promise((resolve) => setTimeout(resolve));
      const ended = new Promise((resolve, reject) => {
        view.addEventListener("ready", resolve, { once: true });
        view.addEventListener("error", ({ detail }) => reject(detail.error), { once: true });
      });
      if (made) {
        const { document, bytes } = made;
        const chunk = Uint8Array.from(bytes);
        view.source = await open(new Map([["/zarr.json", new TextEncoder().encode(JSON.stringify(document))], [made.key, chunk]]));
      }
      for (const [name, value] of Object.entries(attributes)) view.setAttribute(name, value);
      await ended;
    };

    /** The colours of the middles of elements (x from 0 to width, y from 0 to height) by the camera: its middle and its zoom. */
    window.colours = (width, height, { x, y, zoom }, up = false, aspect = 1) => {
      view.figure();
      const drawn = view.shadowRoot.querySelector("canvas");
      const copy = document.createElement("canvas");
      [copy.width, copy.height] = [drawn.width, drawn.height];
      const context = copy.getContext("2d");
      context.drawImage(drawn, 0, 0);
      const { data } = context.getImageData(0, 0, copy.width, copy.height);
      const found = [];
      for (let row = 0; row < height; row++) {
        for (let column = 0; column < width; column++) {
          const px = Math.floor(copy.width / 2 + (column + 0.5 - x) * zoom);
          const py = Math.floor(copy.height / 2 + (up ? -1 : 1) * (row + 0.5 - y) * zoom * aspect);
          if (px < 0 || py < 0 || px >= copy.width || py >= copy.height) throw new Error("not on screen: " + [column, row]);
          found.push([...data.subarray((py * copy.width + px) * 4, (py * copy.width + px) * 4 + 4)]);
        }
      }
      return found;
    };

    /** All elements of an array, as numbers, and their bytes. */
    window.elements = async (url, path) => {
      const data = (await (await open(url + "/" + path)).get()).data;
      return { values: Array.from(data, Number), bytes: Array.from(new Uint8Array(data.buffer, data.byteOffset, data.byteLength)) };
    };
    window.set = true;
  </script>`);
await page.waitForFunction(() => window.set === true);
after(async () => {
  assert.deepEqual(page?.wrong, []);
  await host.close();
});

const manifest = JSON.parse(readFileSync(join(top, "build/fixtures/manifest.json"), "utf8"));
const entries = Array.isArray(manifest) ? manifest : Object.values(manifest).flat();

/** The elements of a fixture's array by the manifest. */
async function elements(store, array) {
  const entry = entries.find((one) => one.store === store && one.array === array);
  const { values, bytes } = await page.evaluate(
    ([url, path]) => elements(url, path),
    [`${host.url}build/fixtures/${store}`, array],
  );
  assert.equal(
    createHash("sha256").update(Uint8Array.from(bytes)).digest("hex"),
    entry.expected.sha256,
    `${store} ${array}`,
  );
  return { values, shape: entry.shape, entry };
}

const clamp = (value) => Math.min(1, Math.max(0, value));
const share = (value, [low, high]) => clamp((value - low) / (high - low));
const gray = (value, range) => {
  const level = Math.min(255, Math.floor(share(value, range) * 256));
  return [level, level, level, 255];
};
const none = [0, 0, 0, 0];

/** Fails if a colour differs from the expected one by more than 1. */
function same(found, wanted, what) {
  assert.equal(found.length, wanted.length);
  const wrong = wanted.flatMap((colour, i) =>
    colour.every((part, k) => Math.abs(part - found[i][k]) <= 1) ? [] : [i],
  );
  const [first] = wrong;
  assert.equal(
    wrong.length,
    0,
    `${what}: ${wrong.length} of ${wanted.length}; the first is ${first}: ${found[first]} for ${wanted[first]}`,
  );
}

for (const version of ["v2", "v3"]) {
  test(`a variable of xarray, packed and masked, in ${version}`, async () => {
    const store = `xarray/climate_${version}.zarr`;
    const { values, shape, entry } = await elements(store, "t2m");
    const { scale_factor: scale, add_offset: offset, missing_value: missing } = entry.cf_decoded;
    const [, height, width] = shape;
    assert.ok(values.includes(missing), "some are missing");
    const range = [268.5, 291.25];
    const masked = Math.floor(values.indexOf(missing) / (width * height));
    for (const [up, index] of version === "v2"
      ? [["true", masked]]
      : [
          ["true", masked],
          ["false", 20],
        ]) {
      const slice = values.slice(index * width * height, (index + 1) * width * height);
      const camera = { x: width / 2, y: height / 2, zoom: 14 };
      await page.evaluate((attributes) => show(attributes), {
        src: `${host.url}build/fixtures/${store}`,
        node: "/t2m",
        index: `time:${index}`,
        colormap: "gray",
        range: range.join(),
        camera: Object.values(camera).join(),
        up,
      });
      const found = await page.evaluate((args) => colours(...args), [width, height, camera, up === "true"]);
      same(
        found,
        slice.map((v) => (v === missing ? none : gray(v * scale + offset, range))),
        `time ${index}, up ${up}`,
      );
    }
  });
}

for (const version of ["v04", "v05"]) {
  test(`channels of an OME image with the colours and windows that it states, in ${version}`, async () => {
    const store = `ome/image_${version}.zarr`;
    const src = `${host.url}build/fixtures/${store}`;
    for (const level of version === "v04" ? [0, 2] : [1]) {
      const factor = 2 ** level;
      const { values, shape } = await elements(store, String(level));
      const [, height, width] = shape;
      const channel = (c) => values.slice(c * width * height, (c + 1) * width * height);
      const [dapi, gfp] = [channel(0), channel(1)];
      const camera = { x: 80, y: 64, zoom: 4 };
      await page.evaluate((attributes) => show(attributes), {
        src,
        camera: Object.values(camera).join(),
        level: String(level),
      });
      const at = [{ x: 80 / factor, y: 64 / factor, zoom: 4 * factor }];
      const seen = () => page.evaluate((args) => colours(...args), [width, height, ...at]);
      const blue = dapi.map((v) => 255 * share(v, [0, 5000]));
      const green = gfp.map((v) => 255 * share(v, [0, 4000]));
      same(
        await seen(),
        blue.map((b, i) => [0, green[i], b, 255]),
        `level ${level}`,
      );
      // Other colours and ranges: adding them gives at most white.
      await page.evaluate(async () => {
        view.setAttribute("channels", "1:ff8000:100:2000,0:40ff00:0:3000");
        while (view.loading) await new Promise((resolve) => requestAnimationFrame(resolve));
      });
      const orange = gfp.map((v) => share(v, [100, 2000]));
      const lime = dapi.map((v) => share(v, [0, 3000]));
      const sum = orange.map((o, i) =>
        [255 * o + 64 * lime[i], 128 * o + 255 * lime[i], 0].map((part) => Math.min(255, part)),
      );
      same(
        await seen(),
        sum.map((rgb) => [...rgb, 255]),
        `level ${level}, other colours`,
      );
    }
  });
}

test("labels over an image, with the colour that is stated of one", async () => {
  const store = "ome/image_v04.zarr";
  const labels = await elements(store, "labels/cells/0");
  const image = await elements(store, "0");
  const [height, width] = labels.shape;
  const camera = { x: 80, y: 64, zoom: 4 };
  const opacity = 0.75;
  await page.evaluate((attributes) => show(attributes), {
    src: `${host.url}build/fixtures/${store}`,
    camera: Object.values(camera).join(),
    level: "0",
    labels: `cells:${opacity}`,
  });
  const seen = () => page.evaluate((args) => colours(...args), [width, height, camera]);
  // The labels come after the image.
  const first = labels.values.indexOf(3);
  const only = { x: 80 - (first % width), y: 64 - Math.floor(first / width), zoom: 4 };
  await page.waitForFunction((only) => colours(1, 1, only)[0][0] > 20, only);
  const below = (i) => [
    0,
    255 * share(image.values[i + width * height], [0, 4000]),
    255 * share(image.values[i], [0, 5000]),
  ];
  const wanted = labels.values.map((label, i) => {
    const under = below(i);
    const over = label === 3 ? [255, 0, 0] : under;
    return [...over.map((part, k) => part * opacity + under[k] * (1 - opacity)), 255];
  });
  assert.deepEqual([...new Set(labels.values)].sort(), [0, 3]);
  same(await seen(), wanted, "labels");
});

test("every choice of channels, colour map, range and labels draws and reads its own picture", async () => {
  const store = "ome/image_v04.zarr";
  const labels = await elements(store, "labels/cells/0");
  const image = await elements(store, "0");
  const [height, width] = labels.shape;
  const stored = (channel, i) => image.values[i + channel * width * height];
  const defaults = [
    { index: 0, colour: [0, 0, 255], range: [0, 5000] },
    { index: 1, colour: [0, 255, 0], range: [0, 4000] },
  ];
  await page.evaluate((attributes) => show(attributes), { src: `${host.url}build/fixtures/${store}`, level: "0" });
  const roll = random(0x31c4);
  const hex = (colour) => colour.map((part) => part.toString(16).padStart(2, "0")).join("");
  let maps = 0;
  const count = rounds(32);
  for (let round = 0; round < count; round++) {
    const list = roll.chance(0.2) ? null : roll.of([[0], [1], [0], [1], [0, 1], [1, 0], []]);
    const shown = defaults.map((one) => ({
      ...one,
      ...(list &&
        roll.chance(0.5) && { colour: [roll(256), roll(256), roll(256)], range: [roll(500), 1000 + roll(4000)] }),
    }));
    const drawn = (list ?? [0, 1]).map((index) => shown[index]);
    const colormap = roll.of([null, "gray", "gray-r"]);
    const range = roll.chance(0.4) ? [roll(900), 1000 + roll(3000)] : null;
    const opacity = roll.of([null, 0.25, 0.75]);
    const state = {
      channels: list && drawn.map(({ index, colour, range }) => [index, hex(colour), ...range].join(":")).join(),
      colormap,
      range: range?.join() ?? null,
      labels: opacity && `cells:${opacity}`,
    };
    // The attributes of a state change in any order.
    const changes = Object.entries(state).sort(() => roll.next() - 0.5);
    await page.evaluate((changes) => {
      for (const [name, value] of changes) value === null ? view.removeAttribute(name) : view.setAttribute(name, value);
    }, changes);
    await page.settled();
    // The zoom follows the size of the stage, which the legends change.
    const camera = { x: 80 + (round % 2) / 4, y: 64, zoom: 4 };
    await page.evaluate((camera) => view.setAttribute("camera", camera), Object.values(camera).join());
    await page.settled();
    const mapped = colormap !== null && drawn.length === 1;
    if (mapped) maps++;
    const under = (i) => {
      if (mapped) {
        const [{ index, range: own }] = drawn;
        const [level, , , alpha] = gray(stored(index, i), range ?? own);
        const at = colormap === "gray" ? level : 255 - level;
        return [at, at, at, alpha];
      }
      if (drawn.length === 0) return none;
      const sum = [0, 1, 2].map((k) =>
        drawn.reduce((all, { index, colour, range }) => all + colour[k] * share(stored(index, i), range), 0),
      );
      return [...sum.map((part) => Math.min(255, part)), 255];
    };
    const wanted = labels.values.map((label, i) => {
      const below = under(i);
      if (opacity === null || label !== 3) return below;
      const red = [255, 0, 0, 255];
      if (below[3] === 0) return [255, 0, 0, 255 * opacity];
      return red.map((part, k) => part * opacity + below[k] * (1 - opacity));
    });
    const what = `round ${round}: ${JSON.stringify(state)}`;
    same(await page.evaluate((args) => colours(...args), [width, height, camera]), wanted, what);
    if (drawn.length === 0) continue;
    const [x, y] = [roll(width), roll(height)];
    const box = await page.getByRole("application").first().boundingBox();
    await page.pointedAt(
      box.x + box.width / 2 + (x + 0.5 - camera.x) * camera.zoom,
      box.y + box.height / 2 + (y + 0.5 - camera.y) * camera.zoom,
    );
    const { value } = await page.evaluate(() => pointing.told);
    const values = drawn.map(({ index }) => stored(index, x + y * width));
    assert.deepEqual([value].flat(), values, `the value at ${x}, ${y} of ${what}`);
  }
  assert.ok(maps > count / 8, `${maps} of ${count} rounds have a colour map`);
});

test("the slider of the channels steps through the channels of a colour map", async () => {
  const store = "ome/image_v04.zarr";
  const { values, shape } = await elements(store, "2");
  const [, height, width] = shape;
  const camera = { x: 80, y: 64, zoom: 4 };
  await page.evaluate((attributes) => show(attributes), {
    src: `${host.url}build/fixtures/${store}`,
    camera: Object.values(camera).join(),
    level: "2",
    channels: "0",
    colormap: "gray",
    range: "0,3000",
  });
  const at = { x: 20, y: 16, zoom: 16 };
  const drawn = async (channel) =>
    same(
      await page.evaluate((args) => colours(...args), [width, height, at]),
      values.slice(channel * width * height, (channel + 1) * width * height).map((v) => gray(v, [0, 3000])),
      `channel ${channel}`,
    );
  await page.settled();
  await drawn(0);
  const slider = page.getByRole("slider", { name: "c", exact: true });
  await slider.focus();
  await page.keyboard.press("ArrowRight");
  await page.settled();
  await drawn(1);
  assert.match(await page.evaluate(() => view.getAttribute("channels")), /^1/);
});

/**
 * Shows an array of one chunk, with a picture 4 elements wide, and returns the colours of its
 * elements. `names` locates an axis of colours.
 */
async function made(type, values, attributes, state = {}, names = ["row", "column"], parts = 1) {
  const data = typedArrays[type].from(values);
  const height = values.length / 4 / parts;
  const shape = names.map((name) => (name === "row" ? height : name === "column" ? 4 : parts));
  const document = arrayV3(shape, type, { attributes, dimension_names: names });
  const camera = { x: 2, y: height / 2, zoom: 40 };
  const one = { document, bytes: Array.from(new Uint8Array(data.buffer)), key: `/c${"/0".repeat(names.length)}` };
  const all = { colormap: "gray", camera: Object.values(camera).join(), up: "false", ...state };
  await page.evaluate(([attributes, one]) => show(attributes, one), [all, one]);
  return page.evaluate((args) => colours(...args), [4, height, camera]);
}

test("valid ranges, lists of missing values and unsigned numbers of signed types", async () => {
  const range = "0,255";
  const small = [1, 2, 250, 3, 100, -1, -56, 7];
  const drawn = (values, absent, of = (v) => v) => values.map((v) => (absent(v) ? none : gray(of(v), [0, 255])));
  const unsigned = (v) => v & 255;
  const int8 = [1, 2, 100, 3, 5, -1, -56, 7];
  for (const [type, values, attributes, absent, of] of [
    ["int16", small, { valid_range: [2, 100] }, (v) => v < 2 || v > 100],
    ["int16", small, { valid_min: 0, missing_value: [7, 100] }, (v) => v < 0 || v === 7 || v === 100],
    ["int16", small, { _FillValue: -1, scale_factor: 2, add_offset: 10 }, (v) => v === -1, (v) => v * 2 + 10],
    ["int8", int8, { _Unsigned: "true", _FillValue: -1 }, (v) => v === -1, unsigned],
    ["int8", int8, { _Unsigned: "true", valid_range: [5, -56] }, (v) => unsigned(v) < 5 || unsigned(v) > 200, unsigned],
    [
      "float32",
      [...small.slice(0, 6), Number.NaN, Infinity],
      { missing_value: 100 },
      (v) => v === 100 || Number.isNaN(v),
    ],
    ["float64", [...small.slice(0, 6), 1e300, -1e300], { _FillValue: 0.1, missing_value: 250 }, (v) => v === 250],
    ["int64", small, { _FillValue: -1 }, (v) => v === -1],
  ]) {
    const list = type === "int64" ? values.map(BigInt) : values;
    same(
      await made(type, list, attributes, { range }),
      drawn(values, absent, of),
      `${type} ${JSON.stringify(attributes)}`,
    );
  }
});

test("large whole numbers in a narrow range", async () => {
  for (const [type, base] of [
    ["uint32", 4_000_000_000n],
    ["int32", -2_000_000_000n],
    ["int64", 9_007_199_254_740_000n],
    ["uint64", 2n ** 40n],
  ]) {
    const values = [0n, 1n, 2n, 3n, 4n, 5n, 6n, 7n].map((v) => base + v);
    const range = [Number(base), Number(base + 8n)];
    const found = await made(type, /64/.test(type) ? values : values.map(Number), {}, { range: range.join() });
    same(
      found,
      values.map((v) => gray(Number(v - base), [0, 8])),
      type,
    );
  }
});

test("flags have their stated colours, other values are not drawn, and logarithms and powers are right", async () => {
  const values = [1, 2, 3, 4, 9, 1, 3, 2];
  const flags = { flag_values: [1, 2, 3], flag_meanings: "sea land ice", flag_colors: "#0000ff #00ff00 #f0f0f0" };
  const colours = { 1: [0, 0, 255, 255], 2: [0, 255, 0, 255], 3: [240, 240, 240, 255] };
  for (const type of ["uint8", "int16", "int32", "float32"]) {
    same(
      await made(type, values, flags),
      values.map((v) => colours[v] ?? none),
      type,
    );
  }
  const many = [1, 10, 100, 1000, 5, 50, 500, 0];
  const log = await made("uint16", many, {}, { range: "1,1000", curve: "log" });
  same(
    log,
    many.map((v) => gray(v > 0 ? Math.log10(v) / 3 + 1e-9 : 0, [0, 1])),
    "log",
  );
  const root = await made("uint16", many, {}, { range: "0,1000", curve: "power:0.5" });
  same(
    root,
    many.map((v) => gray(Math.sqrt(v / 1000), [0, 1])),
    "power",
  );
});

test("colours as they are stored, red, green and blue beside each other or one after the other, with and without alpha", async () => {
  const levels = Array.from({ length: 8 }, (_, i) => [i * 30, 255 - i * 20, (i * 77) % 256, 255 - i * 25]);
  for (const [type, full] of [
    ["uint8", 255],
    ["uint16", 65535],
    ["float32", 1],
  ]) {
    const stored = (level) => (type === "float32" ? level / 255 : Math.round((level / 255) * full));
    for (const parts of [3, 4]) {
      const of = levels.map((level) => level.slice(0, parts));
      const alpha = (level) => (parts === 4 ? level[3] : 255);
      const wanted = levels.map((level) => [...level.slice(0, 3), alpha(level)]);
      const last = await made(type, of.flat().map(stored), {}, {}, ["row", "column", "rgb"], parts);
      // The canvas premultiplies colours by alpha, so colours of low alpha are less precise.
      const close = (found) =>
        wanted.every((w, i) => w.every((part, k) => Math.abs(part - found[i][k]) <= Math.max(1, 200 / w[3])));
      assert.ok(close(last), `${type}, ${parts} last: ${JSON.stringify(last)}`);
      const first = Array.from({ length: parts }, (_, k) => of.map((level) => stored(level[k]))).flat();
      const found = await made(type, first, {}, {}, ["rgb", "row", "column"], parts);
      assert.ok(close(found), `${type}, ${parts} first: ${JSON.stringify(found)}`);
    }
  }
});

test("64-bit integers beyond 2^53 have the colours of their differences, and exact values under the pointer", async () => {
  for (const [type, base, step] of [
    ["int64", 2n ** 53n, 1n],
    ["uint64", 2n ** 53n, 1n],
    ["int64", -(2n ** 53n) - 8n, 1n],
    ["int64", 2n ** 62n, 1025n],
    ["uint64", 2n ** 63n, 2051n],
  ]) {
    const values = [0n, 1n, 2n, 3n, 4n, 5n, 6n, 7n].map((k) => base + k * step);
    const most = Number(base) + 8 * 2 ** Math.ceil(Math.log2(Number(step)));
    const range = [Number(base), most];
    const what = `${type} from ${base}`;
    same(
      await made(type, values, {}, { range: range.join() }),
      values.map((v) => gray(Number(v - base), [0, most - Number(base)])),
      what,
    );
    const box = await page.getByRole("application").first().boundingBox();
    for (const [i, value] of values.entries()) {
      const [x, y] = [(i % 4) - 1.5, Math.floor(i / 4) - 0.5].map((at) => at * 40);
      const told = await page.pointedAt(box.x + box.width / 2 + x, box.y + box.height / 2 + y);
      assert.equal(String(told.value), String(value), what);
      assert.equal(told.text, String(value), what);
    }
    if (step > 1n) continue;
    const found = await made(type, values, {});
    assert.equal(new Set(found.map(String)).size, values.length, `${what}: colours of its own range`);
  }
});

test("integers within one step of float64 get a sentence, and its expression shows their differences exactly", async () => {
  const steps = [0n, 1n, 2n, 1n, 0n, 2n, 2n, 1n];
  for (const [type, base, expression] of [
    ["int64", 2n ** 62n + 1n, "this - 4611686018427387905"],
    ["uint64", 2n ** 63n + 5n, "this - 9223372036854775813"],
    ["int64", -(2n ** 62n) - 3n, "this + 4611686018427387907"],
    // Float64 rounds some of these down and some up.
    ["int64", 2n ** 62n + 511n, "this - 4611686018427388415"],
  ]) {
    const values = steps.map((step) => base + step);
    const sentence = `Values from ${base} to ${base + 2n} are too close for float64. Calculate ${expression} to see them`;
    await made(type, values, {});
    await page.getByText(sentence, { exact: true }).waitFor();
    await page.getByRole("application", { name: sentence }).waitFor();
    await page.screenshot({ path: `${top}build/screenshots/close-${type}.png` });
    const found = await made(type, values, {}, { expression });
    same(
      found,
      steps.map((step) => gray(Number(step), [0, 2])),
      expression,
    );
    assert.equal(await page.getByText("too close for float64").count(), 0, "the differences are not close");
    const bar = page.getByRole("group", { name: /^Colours of/ });
    await bar.getByRole("img", { name: "gray, from 0 to 2, linear" }).waitFor();
    assert.equal(await page.evaluate(() => view.getAttribute("expression")), expression);
    const box = await page.getByRole("application").first().boundingBox();
    const told = await page.pointedAt(box.x + box.width / 2 + 20, box.y + box.height / 2 - 20);
    assert.equal(told.value, 2, `${expression} under the pointer`);
  }
});

test("a line of integers within one step of float64 gets the sentence, and its expression exact marks", async () => {
  const base = 2n ** 62n + 1n;
  const data = BigInt64Array.from([0n, 2n, 1n, 3n, -(2n ** 62n) - 1n], (step) => base + step);
  const document = arrayV3([5], "int64", { attributes: { missing_value: 0 }, dimension_names: ["x"] });
  const one = { document, bytes: Array.from(new Uint8Array(data.buffer)), key: "/c/0" };
  await page.evaluate((one) => show({}, one), one);
  const expression = `this - ${base}`;
  await page.getByText(`Values from ${base} to ${base + 3n} are too close for float64.`).waitFor();
  await page.screenshot({ path: `${top}build/screenshots/close-line.png` });
  await page.getByRole("button", { name: "Show their differences" }).click();
  await page.waitForFunction((text) => view.getAttribute("expression") === text, expression);
  const plot = page.getByRole("slider", { name: expression });
  await plot.waitFor();
  await page.settled();
  assert.equal(await page.getByText("too close for float64").count(), 0);
  await page.screenshot({ path: `${top}build/screenshots/close-line-differences.png` });
  const told = await page.pointed(0.5, 0.5, plot);
  assert.deepEqual([told.index.x, told.value], [2, 1]);
});

test("a series of integers within one step of float64 gets the sentence", async () => {
  const base = 2n ** 62n + 1n;
  const values = Array.from({ length: 24 }, (_, i) => base + BigInt(i % 3));
  await made("int64", values, {}, { series: "t,1:1" }, ["t", "row", "column"], 3);
  await page.getByText(`Values from ${base} to ${base + 2n} are too close for float64`, { exact: true }).waitFor();
});

test("a constant array has one colour, a bar with its one value, and a sentence", async () => {
  for (const [type, value, text] of [
    ["float32", 4.5, "4.5"],
    ["int16", -3, "−3"],
    ["uint8", 0, "0"],
  ]) {
    const found = await made(type, Array(8).fill(value), { units: "K" });
    assert.deepEqual(found, Array(8).fill([128, 128, 128, 255]), `${type} ${value}`);
    const bar = page.getByRole("group", { name: /^Colours of/ });
    await bar.getByRole("img", { name: `gray, only ${text}, linear` }).waitFor();
    assert.deepEqual(await bar.locator(".zc-ticks span").allTextContents(), [text]);
    assert.equal(await bar.getByRole("slider").count(), 0, "one value has no ends to move");
    await page.getByText(`All values are ${text} K`, { exact: true }).waitFor();
    assert.equal(await page.evaluate(() => view.getAttribute("range")), null);
    await page.screenshot({ path: `${top}build/screenshots/constant-${type}.png` });
  }
});

// Tiles compared with a model: ready tiles equal the elements, only visible data is read, and
// nothing is left behind.
import assert from "node:assert/strict";
import { mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { after, test } from "node:test";
import * as zarr from "zarr-wasm";
import { random } from "../lib/random.mjs";
import { serve, top } from "../lib/serve.mjs";
import { bundledModule } from "./bundledmodule.mjs";
import { elementOf, FormulaStore, fieldOf, formula } from "./viewfields.mjs";

const { createTiles } = await bundledModule("tiles", 'export { createTiles } from "./view/tiles/create.js";');
after(() => zarr.terminate());

const tick = () => new Promise((resolve) => setImmediate(resolve));

/** Tiles with their events. */
function tilesOf(field, options) {
  const told = { changes: 0, failures: [] };
  const tiles = createTiles(
    field,
    {
      changed: () => told.changes++,
      failed: (error) => told.failures.push(error),
    },
    options,
  );
  /** Waits until nothing wanted is pending. */
  const settled = async () => {
    for (const end = performance.now() + 60_000; performance.now() < end; ) {
      await tick();
      if (!tiles.busy && field.reads.every(({ ended }) => ended)) {
        await tick();
        if (field.reads.every(({ ended }) => ended)) return;
      }
    }
    assert.fail("it never ends");
  };
  return Object.assign(told, { tiles, settled });
}

/** The request for a whole field, with a number of elements per screen pixel. */
const all = (field, more = {}) => {
  const { x, y } = field.plane.value;
  const { perPixel = 1, ...rest } = more;
  return {
    x,
    y,
    indices: field.indices,
    left: 0,
    top: 0,
    right: field.axes[x].length,
    bottom: y === null ? 1 : field.axes[y].length,
    perPixelX: perPixel,
    perPixelY: perPixel,
    channels: [0],
    ...rest,
  };
};

/** The indices of a level for those of the finest. */
const indicesAt = ({ array, factor, start }, indices) =>
  indices.map((i, d) => Math.min(Math.max(Math.floor((i + 0.5 - start[d]) / factor[d]), 0), array.shape[d] - 1));

/** Checks all pixels of a tile, and some of its exact elements. */
function right(field, wanted, tile) {
  const level = field.levels[tile.level];
  const { x, y } = wanted;
  const at = indicesAt(level, wanted.indices);
  if (field.channels) at[field.channels.axis] = tile.channel;
  const column = Math.round((tile.x - level.start[x]) / level.factor[x]);
  const row = y === null ? 0 : Math.round((tile.y - level.start[y]) / level.factor[y]);
  const { width, height, parts, data } = tile.pixels;
  assert.equal(data.length, width * height * parts);
  for (let j = 0; j < height; j++) {
    for (let i = 0; i < width; i++) {
      for (let c = 0; c < parts; c++) {
        at[x] = column + i;
        if (y !== null) at[y] = row + j;
        if (parts > 1) at[field.colourAxis] = c;
        const expected = elementOf(tile.level, at);
        if (data[(j * width + i) * parts + c] !== expected) {
          assert.fail(`${tile.key}: ${data[(j * width + i) * parts + c]} at ${i}, ${j}, not ${expected}`);
        }
      }
    }
  }
}

/** Whether tiles of the level cover the whole wanted region. */
function covers(field, wanted, list, level) {
  const area = (tile) => {
    const w = Math.min(tile.x + tile.width, wanted.right) - Math.max(tile.x, wanted.left);
    const h = Math.min(tile.y + tile.height, wanted.bottom) - Math.max(tile.y, wanted.top);
    return Math.max(0, w) * Math.max(0, h);
  };
  const { shape } = field.levels[level].array;
  const { factor, start } = field.levels[level];
  const along = (axis, from, to) =>
    Math.max(0, Math.min(to, start[axis] + shape[axis] * factor[axis]) - Math.max(from, start[axis]));
  const whole = along(wanted.x, wanted.left, wanted.right) * along(wanted.y, wanted.top, wanted.bottom);
  const drawn = wanted.channels.length;
  const covered = list.filter((tile) => tile.level === level).reduce((sum, tile) => sum + area(tile), 0);
  return Math.abs(covered - whole * (field.channels ? drawn : 1)) <= 1e-6 * Math.max(1, whole);
}

const fields = {
  "a plane": async () => {
    return formula([{ shape: [301, 517], chunks: [64, 100], dtype: "int16" }]);
  },
  "levels with times, the plane's axes the other way about": async () => {
    return formula(
      [
        { shape: [400, 5, 600], chunks: [50, 2, 70], dtype: "uint8" },
        { shape: [200, 5, 300], chunks: [50, 2, 70], dtype: "uint8" },
        { shape: [100, 5, 150], chunks: [50, 2, 70], dtype: "uint8" },
      ],
      { plane: { value: { x: 0, y: 2, up: false, left: false } } },
    );
  },
  "channels, a third axis that is downsampled, and a start": async () => {
    const store = new FormulaStore([
      { shape: [3, 16, 260, 260], chunks: [1, 4, 128, 128], dtype: "float32" },
      { shape: [3, 8, 130, 130], chunks: [1, 4, 128, 128], dtype: "float32", start: [0, 1, 3, -2] },
      { shape: [3, 4, 65, 65], chunks: [1, 4, 128, 128], dtype: "float32" },
    ]);
    const channels = { axis: 0, list: [] };
    return { store, field: await fieldOf(store, { channels }) };
  },
  "64-bit numbers": async () => {
    return formula(
      [
        { shape: [6, 90, 80], chunks: [1, 32, 32], dtype: "float64" },
        { shape: [6, 45, 40], chunks: [1, 32, 32], dtype: "float64" },
      ],
      { plane: { value: { x: 1, y: 2, up: false, left: false } } },
    );
  },
  "chunks of several lengths": async () => {
    const edges = [
      [40, 8, 52],
      [[30, 3], 10],
    ];
    const bytes = ([j, i], level) => {
      const y = [0, 40, 48, 100];
      const x = [0, 30, 60, 90, 100];
      const out = [];
      for (let r = y[j]; r < y[j + 1]; r++) for (let c = x[i]; c < x[i + 1]; c++) out.push(elementOf(level, [r, c]));
      return Uint8Array.from(out);
    };
    return formula([{ shape: [100, 100], chunks: [52, 30], dtype: "uint8", edges, bytes }]);
  },
};

/** A random view. */
function anyWanted(field, below) {
  const { next, of } = below;
  const { x, y } = field.plane.value;
  const width = field.axes[x].length;
  const height = field.axes[y].length;
  const perPixel = 2 ** (next() * 4 - 1);
  const w = 1 + next() * width;
  const h = 1 + next() * height;
  const left = next() * (width * 1.4) - width * 0.2 - w / 4;
  const top = next() * (height * 1.4) - height * 0.2 - h / 4;
  const indices = field.axes.map(({ length }) => below(length));
  const others = field.axes.map((_, d) => d).filter((d) => d !== x && d !== y && d !== field.channels?.axis);
  const heading = others.length > 0 && below(2) ? { axis: of(others), step: of([-1, 1, 2]) } : undefined;
  const channels = field.channels ? [[0], [2, 0], [1], [0, 1, 2], []][below(5)] : [0];
  const level = below(6) === 0 ? below(field.levels.length) : undefined;
  return {
    x,
    y,
    indices,
    left,
    top,
    right: left + w,
    bottom: top + h,
    perPixelX: perPixel,
    perPixelY: perPixel,
    channels,
    heading,
    level,
  };
}

/** The chunks that may be requested. */
function chunksFor(field, wanted, level, into) {
  const it = field.levels[level];
  const { shape, chunkGrid } = it.array;
  const irregular = Array.isArray(chunkGrid.chunkShapes[0]);
  // Tiles of several chunks may include invisible ones: those of the same tile.
  const cut = (axis, from, to) => {
    const a = Math.max(0, Math.floor((from - it.start[axis]) / it.factor[axis] + 1e-6));
    const b = Math.min(shape[axis], Math.ceil((to - it.start[axis]) / it.factor[axis] - 1e-6));
    if (a >= b) return [];
    if (irregular) {
      const starts = [];
      let at = 0;
      for (const run of chunkGrid.chunkShapes[axis]) {
        for (let k = 0; k < run[1]; k++) {
          starts.push([at, at + run[0]]);
          at += run[0];
        }
      }
      return starts.flatMap(([s, e], k) => (s < b && e > a ? [k] : []));
    }
    const size = it.array.chunks[axis];
    const many = Math.max(1, Math.floor(256 / size));
    const first = Math.floor(a / (size * many)) * many;
    const last = Math.min(Math.ceil(shape[axis] / size), (Math.floor((b - 1) / (size * many)) + 1) * many);
    return Array.from({ length: last - first }, (_, k) => first + k);
  };
  const at = indicesAt(it, wanted.indices);
  for (const channel of field.channels ? wanted.channels : [0]) {
    if (field.channels) at[field.channels.axis] = channel;
    const own = at.map((i, d) => Math.floor(i / it.array.chunks[d]));
    for (const i of cut(wanted.x, wanted.left, wanted.right)) {
      for (const j of cut(wanted.y, wanted.top, wanted.bottom)) {
        own[wanted.x] = i;
        own[wanted.y] = j;
        into.add(`/${level}/c/${own.join("/")}`);
      }
    }
  }
}

for (const [name, make] of Object.entries(fields)) {
  test(`any sequence of wants shows the true elements and reads the visible tiles: ${name}`, async () => {
    for (const seed of [1, 2]) {
      const { store, field } = await make();
      const rnd = random(seed);
      const told = tilesOf(field, { bytes: rnd.of([2 ** 12, 2 ** 18, 2 ** 28]), reads: rnd.of([1, 4, 16]) });
      const { tiles, settled } = told;
      const allowed = new Set();
      let wanted;
      const look = () => {
        const keys = new Set();
        let drawn = [];
        for (const tile of tiles.ready()) {
          assert.ok(!keys.has(tile.key));
          keys.add(tile.key);
          right(field, wanted, tile);
          drawn.push(tile.level);
        }
        // The level's tiles are on top, and finer ones above coarser ones.
        while (drawn.at(-1) === tiles.level) drawn = drawn.slice(0, -1);
        assert.deepEqual(
          drawn,
          [...drawn].sort((a, b) => b - a),
        );
      };
      for (let k = 0; k < 30; k++) {
        wanted = anyWanted(field, rnd);
        store.delay = rnd.of([0, 0, 0, 1]);
        tiles.want(wanted);
        chunksFor(field, wanted, tiles.level, allowed);
        chunksFor(field, wanted, field.levels.length - 1, allowed);
        for (let s = 1; wanted.heading && s <= 4; s++) {
          const indices = [...wanted.indices];
          indices[wanted.heading.axis] += s * wanted.heading.step;
          const { length } = field.axes[wanted.heading.axis];
          if (indices[wanted.heading.axis] < 0 || indices[wanted.heading.axis] >= length) break;
          chunksFor(field, { ...wanted, indices }, tiles.level, allowed);
        }
        look();
        for (let turns = rnd(6); turns > 0; turns--) await tick();
        look();
        if (rnd(3) === 0) {
          await settled();
          look();
          assert.ok(tiles.complete);
          assert.ok(covers(field, wanted, tiles.ready(), tiles.level), "holes");
          assert.equal(tiles.progress.done, tiles.progress.total);
          assert.deepEqual(tiles.cost(wanted), { chunks: 0, bytes: 0, level: tiles.level });
        }
      }
      assert.deepEqual(
        store.asked.filter((key) => !allowed.has(key)),
        [],
      );
      tiles.close();
      const { changes } = told;
      for (let k = 0; k < 50; k++) await tick();
      assert.equal(told.changes, changes, "nothing is told after the end");
      assert.deepEqual(told.failures, []);
      assert.ok(field.reads.every(({ ended }) => ended));
      assert.deepEqual(tiles.ready(), []);
    }
  });
}

test("a pending or available tile is not requested again", async () => {
  const { store, field } = await formula([{ shape: [1000, 1000], chunks: [128, 128], dtype: "uint8" }]);
  store.delay = 5;
  const { tiles, settled } = tilesOf(field);
  for (let k = 0; k < 1000; k++) tiles.want(all(field, { left: k % 2, right: 500 + (k % 3) }));
  await settled();
  for (let k = 0; k < 100; k++) tiles.want(all(field, { left: k % 2, right: 500 + (k % 3) }));
  await settled();
  assert.equal(field.reads.length, 8, "two columns of 256 elements in four rows");
  assert.equal(new Set(store.asked).size, store.asked.length);
  tiles.close();
});

test("tiles that leave the screen are aborted, and the others continue", async () => {
  const { store, field } = await formula([{ shape: [2048, 2048], chunks: [256, 256], dtype: "uint8" }]);
  store.delay = 20;
  const { tiles, settled } = tilesOf(field);
  tiles.want(all(field, { right: 512, bottom: 512 }));
  const [...first] = field.reads;
  assert.equal(first.length, 4);
  tiles.want(all(field, { left: 256, right: 768, bottom: 512 }));
  assert.deepEqual(
    first.map(({ selection, options }) => [selection[1].start, options.signal.aborted]).sort(([a], [b]) => a - b),
    [
      [0, true],
      [0, true],
      [256, false],
      [256, false],
    ],
  );
  assert.equal(field.reads.length, 6);
  await settled();
  assert.ok(tiles.complete);
  tiles.close();
});

test("the end aborts pending reads, and waiting statistics reject", async () => {
  const { store, field } = await formula([{ shape: [512, 512], chunks: [256, 256], dtype: "uint8" }]);
  store.delay = 20;
  const told = tilesOf(field);
  told.tiles.want(all(field));
  const statistics = told.tiles.statistics(0);
  statistics.catch(() => {});
  await tick();
  const { changes } = told;
  told.tiles.close();
  told.tiles.close();
  assert.ok(field.reads.length > 0);
  assert.ok(field.reads.every(({ options }) => options.signal.aborted));
  await assert.rejects(statistics, { name: "AbortError" });
  await assert.rejects(told.tiles.statistics(0), { name: "AbortError" });
  told.tiles.want(all(field));
  await told.settled();
  assert.equal(told.changes, changes);
  assert.deepEqual(told.failures, []);
});

test("a failed tile is reported once, the others arrive, and a retry requests it again", async () => {
  const { store, field } = await formula([
    { shape: [512, 512], chunks: [256, 256], dtype: "uint8" },
    { shape: [256, 256], chunks: [256, 256], dtype: "uint8" },
  ]);
  const told = tilesOf(field);
  store.failing.add("/0/c/0/1");
  const wanted = all(field);
  for (let k = 0; k < 3; k++) {
    told.tiles.want(wanted);
    await told.settled();
  }
  assert.equal(told.failures.length, 1);
  assert.match(told.failures[0].message, /c\/0\/1/);
  assert.equal(told.tiles.complete, false);
  assert.equal(told.tiles.busy, false);
  const [coarse, ...fine] = told.tiles.ready();
  assert.equal(coarse.level, 1, "the coarser level fills the hole");
  assert.equal(fine.length, 3);
  assert.equal(told.tiles.cost(wanted).chunks, 1);
  store.failing.clear();
  told.tiles.retry();
  await told.settled();
  assert.equal(told.failures.length, 1);
  assert.ok(told.tiles.complete);
  assert.deepEqual(
    told.tiles.ready().map(({ level }) => level),
    [0, 0, 0, 0],
  );
  told.tiles.close();
});

test("the cache has a budget in bytes, and visible tiles stay", async () => {
  const { field } = await formula([{ shape: [20, 256, 256], chunks: [1, 256, 256], dtype: "uint8" }]);
  const { tiles, settled } = tilesOf(field, { bytes: 3 * 65536 });
  for (const at of [0, 1, 2, 3, 2, 3, 0]) {
    tiles.want(all(field, { indices: [at, 0, 0] }));
    await settled();
    assert.ok(tiles.complete);
  }
  // 0 was the oldest when 3 arrived.
  assert.deepEqual(
    field.reads.map(({ selection }) => selection[0]),
    [0, 1, 2, 3, 0],
  );
  const small = tilesOf(field, { bytes: 1 });
  small.tiles.want(all(field));
  await small.settled();
  assert.ok(small.tiles.complete);
  small.tiles.close();
  tiles.close();
});

test("the level is the coarsest whose elements are no larger than a pixel", async () => {
  const store = new FormulaStore(
    [1000, 500, 250, 125].map((n) => ({ shape: [n, n], chunks: [128, 128], dtype: "uint8" })),
  );
  const field = await fieldOf(store);
  const { tiles } = tilesOf(field);
  const at = (x, y, level) => tiles.cost({ ...all(field), perPixelX: x, perPixelY: y, level }).level;
  assert.deepEqual(
    [0.1, 1, 1.9, 2, 3.8, 4, 7.6, 8, 100].map((perPixel) => at(perPixel, perPixel)),
    [0, 0, 0, 1, 1, 2, 2, 3, 3],
  );
  assert.equal(at(8, 2), 1, "both axes count");
  assert.equal(at(8, 8, 1), 1);
  assert.equal(at(1, 1, 99), 3);
  tiles.close();
});

test("the cost is that of the requested tiles", async () => {
  const cases = [
    [[{ shape: [300, 300], chunks: [64, 64], dtype: "uint8" }], {}, {}],
    [
      [{ shape: [4, 300, 300], chunks: [2, 64, 64], dtype: "uint8" }],
      { channels: { axis: 0, list: [] } },
      { channels: [0, 1, 3] },
    ],
    [
      [{ shape: [300, 300, 3], chunks: [64, 64, 1], dtype: "uint8" }],
      { colourAxis: 2, plane: { value: { x: 1, y: 0 } } },
      {},
    ],
    [[{ shape: [3000, 3000], chunks: [3000, 3000], dtype: "uint8" }], {}, { right: 2000 }],
    [[{ shape: [5000, 200], chunks: [5000, 20], dtype: "uint8" }], {}, { right: 40, bottom: 1500 }],
  ];
  for (const [levels, more, part] of cases) {
    const store = new FormulaStore(levels);
    const field = await fieldOf(store, more);
    const { tiles, settled } = tilesOf(field);
    const wanted = all(field, part);
    const { chunks, bytes } = tiles.cost(wanted);
    assert.equal(store.asked.length, 0);
    tiles.want(wanted);
    await settled();
    assert.equal(chunks, new Set(store.asked).size);
    assert.equal(store.asked.length, chunks, "each once");
    assert.equal(bytes, chunks * levels[0].chunks.reduce((a, b) => a * b));
    tiles.close();
  }
});

test("a plane of many millions of chunks is reported without visiting each", async () => {
  const { field } = await formula([{ shape: [1e7, 1e7], chunks: [256, 256], dtype: "uint8" }]);
  const { tiles } = tilesOf(field);
  const wanted = all(field, { perPixel: 10000 });
  const began = process.cpuUsage();
  assert.equal(tiles.cost(wanted).chunks, Math.ceil(1e7 / 256) ** 2);
  tiles.want(wanted);
  const { user, system } = process.cpuUsage(began);
  assert.ok(user + system < 1e6);
  assert.equal(field.reads.length, 16);
  assert.equal(tiles.complete, false);
  tiles.close();
});

test("axes of length 0 and hidden parts are not read, and an axis of length 1 is drawn", async () => {
  for (const shape of [
    [0, 10],
    [10, 0],
    [0, 0],
  ]) {
    const { field } = await formula([{ shape, chunks: [4, 4], dtype: "uint8" }]);
    const { tiles, settled } = tilesOf(field);
    tiles.want(all(field, { right: 100, bottom: 100 }));
    await settled();
    assert.deepEqual([tiles.complete, tiles.ready().length, field.reads.length], [true, 0, 0]);
    tiles.close();
  }
  const { field } = await formula([{ shape: [1, 1], chunks: [4, 4], dtype: "uint8" }]);
  const { tiles, settled } = tilesOf(field);
  tiles.want(all(field, { left: 5, right: 9 }));
  assert.equal(field.reads.length, 0);
  tiles.want(all(field, { left: -5, right: 9 }));
  await settled();
  assert.deepEqual([...tiles.ready()[0].pixels.data], [elementOf(0, [0, 0])]);
  tiles.close();
});

test("colours are beside each other whatever the order of the axes", async () => {
  for (const [order, parts] of [
    ["yxc", 3],
    ["cyx", 4],
    ["ycx", 3],
    ["xyc", 3],
    ["cxy", 4],
    ["xcy", 3],
  ]) {
    const shape = [...order].map((axis) => ({ x: 50, y: 40, c: parts })[axis]);
    const store = new FormulaStore([{ shape, chunks: shape.map((n) => Math.ceil(n / 2)), dtype: "uint8" }]);
    const at = (axis) => order.indexOf(axis);
    const more = { colourAxis: at("c"), plane: { value: { x: at("x"), y: at("y"), up: false, left: false } } };
    const field = await fieldOf(store, more);
    const { tiles, settled } = tilesOf(field);
    const wanted = all(field);
    tiles.want(wanted);
    await settled();
    const [tile] = tiles.ready();
    assert.equal(tile.pixels.parts, parts);
    right(field, wanted, tile);
    const indices = [0, 0, 0];
    indices[at("x")] = 7;
    indices[at("y")] = 9;
    const expected = Array.from({ length: parts }, (_, c) => {
      indices[at("c")] = c;
      return elementOf(0, indices);
    });
    assert.deepEqual(tile.value(7, 9), expected);
    assert.deepEqual(tiles.value(7.5, 9.5, 0), { value: expected, level: 0 });
    tiles.close();
  }
});

test("the next steps are requested after visible tiles, in one direction only", async () => {
  const { field } = await formula([{ shape: [30, 256, 256], chunks: [1, 256, 256], dtype: "uint8" }]);
  const { tiles, settled } = tilesOf(field);
  tiles.want(all(field, { indices: [10, 0, 0], heading: { axis: 0, step: 1 } }));
  assert.deepEqual(
    field.reads.map(({ selection, options }) => [selection[0], options.priority]),
    [
      [10, 2],
      [11, -1],
      [12, -1],
      [13, -1],
      [14, -1],
    ],
  );
  tiles.want(all(field, { indices: [9, 0, 0], heading: { axis: 0, step: -1 } }));
  assert.deepEqual(
    field.reads.slice(0, 5).map(({ options }) => options.signal.aborted),
    [true, true, true, true, true],
  );
  await settled();
  assert.deepEqual(
    field.reads.slice(5).map(({ selection }) => selection[0]),
    [9, 8, 7, 6, 5],
  );
  tiles.close();
});

test("an unchanged want reports nothing", async () => {
  const { field } = await formula([{ shape: [512, 512], chunks: [256, 256], dtype: "uint8" }]);
  const told = tilesOf(field);
  told.tiles.want(all(field));
  await told.settled();
  const { changes } = told;
  for (let k = 0; k < 3; k++) {
    told.tiles.want(all(field));
    await tick();
  }
  assert.equal(told.changes, changes);
  told.tiles.want(all(field, { right: 100 }));
  await tick();
  assert.equal(told.changes, changes + 1);
  told.tiles.close();
});

/** The number to draw for an element: NaN if missing, undefined if not a number. */
function drawn(element, kind) {
  if (typeof element === "boolean") return Number(element);
  if (typeof element === "number") return element;
  if (typeof element === "bigint") return /time/.test(kind) && element === -(2n ** 63n) ? Number.NaN : Number(element);
  if (element instanceof Uint8Array) return element.length === 1 ? element[0] : undefined;
  if (typeof element?.re === "number") return Math.hypot(element.re, element.im);
  return undefined;
}

test("each type is drawn by its elements, by columns and by rows, and reports them exactly", async () => {
  const seen = new Set();
  for (const version of ["v2", "v3"]) {
    const dir = `${top}build/fixtures/${version}/dtype.zarr`;
    const root = zarr.root(new zarr.FileStore(dir));
    for (const name of readdirSync(dir).filter((name) => !/^[.]|zarr.json/.test(name))) {
      const array = await zarr.open(root.resolve(name), { kind: "array" });
      const members = array.type.kind === "struct" ? array.type.fields.map(({ name }) => name) : [undefined];
      const rank = array.shape.length;
      if (rank === 0) continue;
      const read = await array.get();
      const scalar = (data, i) => (typeof data.get === "function" ? data.get(i) : data[i]);
      for (const member of members) {
        const kind = (array.type.fields?.find(({ name }) => name === member)?.type ?? array.type).kind;
        const data = member === undefined ? read.data : read.data[member];
        for (const [x, y] of rank === 1
          ? [[0, null]]
          : [
              [rank - 1, rank - 2],
              [rank - 2, rank - 1],
            ]) {
          const get = (...args) => array.get(...args);
          const { shape, chunks, chunkGrid, type, dtype } = array;
          const level = {
            array: { shape, chunks, chunkGrid, type, dtype, get },
            factor: shape.map(() => 1),
            start: shape.map(() => 0),
          };
          const { field } = await formula([{ shape, chunks }], {
            levels: [level],
            plane: { value: { x, y, up: false, left: false } },
          });
          const told = tilesOf(field, { member });
          told.tiles.want(all(field));
          await told.settled();
          const first = scalar(data, 0);
          const label = `${version} ${name} ${member ?? ""} ${x}`;
          if (drawn(first, kind) === undefined) {
            assert.equal(told.failures[0]?.name, "UnsupportedError", label);
            told.tiles.close();
            continue;
          }
          assert.deepEqual(told.failures, [], label);
          assert.ok(told.tiles.complete, label);
          const width = shape[x];
          const height = y === null ? 1 : shape[y];
          const { scale, offset } = told.tiles.packing;
          const all_ = [];
          for (let j = 0; j < height; j++) {
            for (let i = 0; i < width; i++) {
              const at = i * read.stride[x] + (y === null ? 0 : j * read.stride[y]);
              all_.push([i, j, scalar(data, at), at]);
            }
          }
          const finite = all_.map(([, , element]) => drawn(element, kind)).filter(Number.isFinite);
          const span = Math.max(...finite) - Math.min(...finite);
          for (const [i, j, element, at] of all_) {
            const exact = told.tiles.value(i, j, 0);
            if (member === undefined) assert.deepEqual(exact, { value: plainOf(element), level: 0 }, label);
            else assert.deepEqual(exact.value[member], plainOf(scalar(read.data[member], at)), label);
            const tile = told.tiles
              .ready()
              .find((t) => i >= t.x && j >= t.y && i < t.x + t.width && j < t.y + t.height);
            const pixel = tile.pixels.data[(j - tile.y) * tile.width + i - tile.x] * scale + offset;
            const value = drawn(element, kind);
            // There is no larger float32.
            if (Number.isFinite(value) && Math.abs(value) < 3.4e38) {
              const off = Math.abs(pixel - value);
              assert.ok(
                off === 0 || off <= span * 2 ** -11 || off <= Math.abs(value) * 2 ** -23,
                `${label}: ${pixel} is not ${value}`,
              );
            } else assert.ok(Object.is(pixel, value) || !Number.isFinite(pixel), `${label}: ${pixel} is not ${value}`);
          }
          seen.add(kind + array.type.size);
          told.tiles.close();
        }
      }
    }
  }
  for (const kind of [
    "bool1",
    "int8",
    "uint8",
    "float2",
    "float4",
    "float8",
    "complex8",
    "complex16",
    "datetime8",
    "raw1",
  ]) {
    assert.ok(seen.has(kind), `${kind} among ${[...seen].join(" ")}`);
  }
});

/** The text of an element; bytes remain bytes. */
const plainOf = (element) => (element instanceof Uint8Array ? new Uint8Array(element) : element);

const near = { float64: [1.7e18, 1.7e18 + 4096], int64: [2n ** 60n, 2n ** 60n + 100_000n] };
for (const [dtype, [from, to]] of Object.entries(near)) {
  test(`numbers with small relative differences stay distinct: ${dtype}`, async () => {
    const big = typeof from === "bigint";
    const steps = Array.from({ length: 101 }, (_, i) =>
      big ? from + ((to - from) * BigInt(i)) / 100n : from + ((to - from) * i) / 100,
    );
    const bytes = ([, i]) => {
      const part = steps.slice(i * 20, i * 20 + 20);
      while (part.length < 20) part.push(part[0]);
      return new Uint8Array((big ? BigInt64Array : Float64Array).from(part).buffer);
    };
    const { field } = await formula([{ shape: [1, 101], chunks: [1, 20], dtype, bytes }]);
    const { tiles, settled } = tilesOf(field);
    tiles.want(all(field));
    await settled();
    const { scale, offset } = tiles.packing;
    const pixels = tiles.ready().flatMap((tile) => [...tile.pixels.data]);
    assert.equal(new Set(pixels).size, new Set(steps.map(Number)).size);
    for (const [i, pixel] of pixels.entries()) assert.ok(Math.abs(pixel * scale + offset - Number(steps[i])) <= 1024);
    assert.equal(tiles.value(3, 0, 0).value, steps[3]);
    tiles.close();
  });
}

test("labels of 64 bits stay distinct, and those of 32 bits are unchanged", async () => {
  const labels = [
    0n,
    1n,
    2n ** 31n - 1n,
    2n ** 31n,
    2n ** 32n - 1n,
    2n ** 32n,
    2n ** 33n,
    2n ** 53n + 1n,
    2n ** 63n,
    2n ** 64n - 1n,
  ];
  for (const [dtype, Of] of [
    ["uint64", BigUint64Array],
    ["int64", BigInt64Array],
  ]) {
    const own = Of.from(dtype === "int64" ? labels.map((label) => BigInt.asIntN(64, label) - 5n) : labels);
    const { field } = await formula(
      [{ shape: [1, 10], chunks: [1, 10], dtype, bytes: () => new Uint8Array(own.slice().buffer) }],
      { labels: true },
    );
    const { tiles, settled } = tilesOf(field);
    tiles.want(all(field));
    await settled();
    const { data } = tiles.ready()[0].pixels;
    assert.equal(data.constructor, dtype === "int64" ? Int32Array : Uint32Array);
    assert.equal(new Set(data).size, 10);
    for (const [i, label] of own.entries()) {
      const fits = (dtype === "int64" ? BigInt.asIntN(32, label) : BigInt.asUintN(32, label)) === label;
      assert.equal(BigInt(data[i]) === label, fits, `${label}`);
    }
    assert.deepEqual([...data].slice(0, 2), [...own].slice(0, 2).map(Number));
    assert.equal(tiles.value(7, 0, 0).value, own[7]);
    tiles.close();
  }
});

test("missing and invalid 64-bit numbers are NaN", async () => {
  const numbers = [1, -9999, 5, 1e20, 101, Number.NaN, 100];
  const store = new FormulaStore([
    { shape: [1, 7], chunks: [1, 7], dtype: "float64", bytes: () => new Uint8Array(Float64Array.from(numbers).buffer) },
  ]);
  const packing = { scale: 2, offset: 10, missing: [-9999, 1e20], valid: [0, 100] };
  const field = await fieldOf(store, { packing });
  const { tiles, settled } = tilesOf(field);
  tiles.want(all(field));
  await settled();
  assert.deepEqual([...tiles.ready()[0].pixels.data], [1, Number.NaN, 5, Number.NaN, Number.NaN, Number.NaN, 100]);
  assert.deepEqual(tiles.packing, { scale: 2, offset: 10, missing: [], valid: null });
  const { least, most, count, missing, whole } = await tiles.statistics(0);
  assert.deepEqual({ least, most, count, missing, whole }, { least: 12, most: 210, count: 7, missing: 4, whole: true });
  tiles.close();
});

test("statistics are those of the coarsest level, of each type", async () => {
  for (const dtype of ["uint8", "int16", "float32", "float64", "int64"]) {
    const store = new FormulaStore([
      { shape: [3, 200, 300], chunks: [1, 64, 64], dtype },
      { shape: [3, 100, 150], chunks: [1, 64, 64], dtype },
    ]);
    const packing = { scale: 0.5, offset: -3, missing: [7], valid: null };
    const field = await fieldOf(store, { packing });
    const { tiles } = tilesOf(field);
    tiles.want(all(field, { indices: [2, 0, 0], right: 10, bottom: 10 }));
    const found = await tiles.statistics(0);
    const values = [];
    let missing = 0;
    for (let j = 0; j < 100; j++) {
      for (let i = 0; i < 150; i++) {
        const stored = elementOf(1, [2, j, i]);
        if (stored === 7) missing++;
        else values.push(stored * 0.5 - 3);
      }
    }
    values.sort((a, b) => a - b);
    assert.equal(found.count, 15000);
    assert.equal(found.missing, missing);
    assert.equal(found.least, values[0]);
    assert.equal(found.most, values.at(-1));
    assert.equal(found.whole, true);
    assert.equal(
      found.histogram.reduce((a, b) => a + b, 0),
      values.length,
    );
    for (const share of [0, 0.02, 0.5, 0.98, 1]) {
      assert.ok(Math.abs(found.quantile(share) - values[Math.round(share * (values.length - 1))]) <= 1, `${share}`);
    }
    const width = (found.most - found.least) / 256;
    const expected = new Uint32Array(256);
    for (const value of values) expected[Math.min(255, Math.floor((value - found.least) / width))]++;
    assert.deepEqual(found.histogram, expected);
    tiles.close();
  }
});

test("statistics of colours use red, green and blue, and empty ones are NaN", async () => {
  const pixel = [10, 20, 30, 255];
  const bytes = () => Uint8Array.from({ length: 64 }, (_, i) => pixel[i % 4]);
  const { field } = await formula([{ shape: [4, 4, 4], chunks: [4, 4, 4], dtype: "uint8", bytes }], {
    colourAxis: 2,
    plane: { value: { x: 1, y: 0, up: false, left: false } },
  });
  const { tiles } = tilesOf(field);
  tiles.want(all(field));
  const { least, most, count } = await tiles.statistics(0);
  assert.deepEqual([least, most, count], [10, 30, 48]);
  tiles.close();
  const none = new FormulaStore([{ shape: [0, 4], chunks: [4, 4], dtype: "uint8" }]);
  const empty = tilesOf(await fieldOf(none)).tiles;
  empty.want(all(await fieldOf(none)));
  const nothing = await empty.statistics(0);
  assert.deepEqual(
    [nothing.least, nothing.most, nothing.count, nothing.quantile(0.5)],
    [Number.NaN, Number.NaN, 0, Number.NaN],
  );
  empty.close();
});

test("aborted statistics reject, and their own reads are aborted", async () => {
  const { store, field } = await formula([
    { shape: [2048, 2048], chunks: [256, 256], dtype: "uint8" },
    { shape: [1024, 1024], chunks: [256, 256], dtype: "uint8" },
  ]);
  store.delay = 20;
  const told = tilesOf(field);
  told.tiles.want(all(field, { level: 0, right: 10, bottom: 10 }));
  await told.settled();
  const one = new AbortController();
  const other = new AbortController();
  const before = field.reads.length;
  const first = told.tiles.statistics(0, one.signal);
  const second = told.tiles.statistics(0, other.signal);
  first.catch(() => {});
  await tick();
  const own = field.reads.slice(before);
  assert.equal(own.length > 0, true);
  const reason = new Error("enough");
  one.abort(reason);
  await assert.rejects(first, reason);
  assert.ok(own.every(({ options }) => !options.signal.aborted));
  other.abort(reason);
  await assert.rejects(second, reason);
  assert.ok(own.every(({ options }) => options.signal.aborted));
  const third = await told.tiles.statistics(0);
  assert.equal(third.count, 2 ** 20);
  told.tiles.close();
});

test("statistics of unreadable data reject with the error", async () => {
  const { store, field } = await formula([{ shape: [64, 64], chunks: [32, 32], dtype: "uint8" }]);
  const told = tilesOf(field);
  store.failing.add("/0/c/1/1");
  told.tiles.want(all(field));
  await assert.rejects(told.tiles.statistics(0), /c\/1\/1/);
  await assert.rejects(told.tiles.statistics(0), /c\/1\/1/);
  store.failing.clear();
  told.tiles.retry();
  assert.equal((await told.tiles.statistics(0)).count, 4096);
  told.tiles.close();
});

test("a line is reduced to the least and the largest of each stretch", async () => {
  const { ViewWorker } = await bundledModule("worker", 'export { ViewWorker } from "./view/worker/viewworker.js";');
  const worker = new ViewWorker();
  const values = Float32Array.from({ length: 100_003 }, (_, i) => (i % 1000 === 500 ? 99 + i : Math.sin(i)));
  values.fill(Number.NaN, 20_000, 40_000);
  const { least, most } = await worker.minmax(values, 97);
  for (let k = 0; k < 97; k++) {
    const part = values
      .subarray(Math.floor((k * 100_003) / 97), Math.floor(((k + 1) * 100_003) / 97))
      .filter((v) => !Number.isNaN(v));
    assert.equal(least[k], part.length ? part.reduce((a, b) => Math.min(a, b)) : Number.NaN);
    assert.equal(most[k], part.length ? part.reduce((a, b) => Math.max(a, b)) : Number.NaN);
  }
  assert.deepEqual([...(await worker.minmax([], 2)).least], [Number.NaN, Number.NaN]);
  worker.close();
  await assert.rejects(worker.minmax([1], 1), /closed/);
});

test("reinterpreted integers are drawn as the new type, and reported as stored", async () => {
  const stored = [0, 1, 127, -128, -1, -2];
  for (const [shape, x, y] of [
    [[1, 6], 1, 0],
    [[6, 1], 0, 1],
    [[2, 3], 0, 1],
  ]) {
    const store = new FormulaStore([
      { shape, chunks: shape, dtype: "int8", bytes: () => new Uint8Array(Int8Array.from(stored).buffer) },
    ]);
    const packing = { scale: 1, offset: 0, missing: [255], valid: null, type: "uint8" };
    const field = await fieldOf(store, { packing, plane: { value: { x, y, up: false, left: false } } });
    const { tiles, settled } = tilesOf(field);
    tiles.want(all(field));
    await settled();
    const { data } = tiles.ready()[0].pixels;
    assert.deepEqual(
      [...data].sort((a, b) => a - b),
      [0, 1, 127, 128, 254, 255],
    );
    assert.equal(tiles.packing.type, null);
    assert.equal(tiles.value(shape[x] - 1, shape[y] - 1, 0).value, -2);
    const { least, most, missing } = await tiles.statistics(0);
    assert.deepEqual([least, most, missing], [0, 254, 1]);
    tiles.close();
  }
});

test("panning and zooming over 100,000 x 100,000 requests the visible tiles, each once", async () => {
  const levels = Array.from({ length: 9 }, (_, k) => ({
    shape: [Math.ceil(1e5 / 2 ** k), Math.ceil(1e5 / 2 ** k)],
    chunks: [512, 512],
    dtype: "uint8",
    factor: [2 ** k, 2 ** k],
    bytes: () => new Uint8Array(512 * 512),
  }));
  const store = new FormulaStore(levels);
  const field = await fieldOf(store);
  const { tiles, settled } = tilesOf(field);
  const { next, of } = random(7);
  let [x, y, perPixel] = [5e4, 5e4, 128];
  let before = 0;
  for (let k = 0; k < 60; k++) {
    if (k % 3 === 0) perPixel = Math.min(128, Math.max(0.5, perPixel * of([0.25, 0.5, 0.7, 2, 4])));
    x = Math.min(1e5, Math.max(0, x + (next() - 0.5) * 1600 * perPixel));
    y = Math.min(1e5, Math.max(0, y + (next() - 0.5) * 1200 * perPixel));
    const at = {
      left: x - 640 * perPixel,
      right: x + 640 * perPixel,
      top: y - 400 * perPixel,
      bottom: y + 400 * perPixel,
    };
    const wanted = { ...all(field, { perPixel }), ...at };
    tiles.want(wanted);
    await settled();
    assert.ok(tiles.complete);
    const seen = new Set();
    chunksFor(field, wanted, tiles.level, seen);
    const own = seen.size;
    chunksFor(field, wanted, 8, seen);
    const asked = store.asked.slice(before);
    before = store.asked.length;
    assert.ok(asked.length <= seen.size && asked.every((key) => seen.has(key)));
    // A pixel covers at least one element and less than two, which bounds the number of tiles.
    assert.ok(own <= (Math.ceil((1280 * 2) / 512) + 1) * (Math.ceil((800 * 2) / 512) + 1), `${own} tiles`);
  }
  assert.equal(new Set(store.asked).size, store.asked.length);
  tiles.close();
});

test("statistics of many small chunks use the visible ones", async () => {
  const { store, field } = await formula([{ shape: [1024, 1024], chunks: [16, 16], dtype: "uint8" }]);
  const { tiles, settled } = tilesOf(field);
  tiles.want(all(field, { left: 300, right: 400, top: 300, bottom: 400 }));
  await settled();
  const { whole, count } = await tiles.statistics(0);
  assert.deepEqual([whole, count, store.asked.length], [false, 65536, 256]);
  tiles.close();
});

test("two views of one field request each chunk once, and closing one does not affect the other", async () => {
  for (const seed of [1, 2, 3]) {
    const rnd = random(seed);
    const { store, field } = await formula([{ shape: [900, 900], chunks: [128, 128], dtype: "uint16" }]);
    const one = tilesOf(field);
    const other = tilesOf(field);
    store.delay = 3;
    let wanted;
    for (let k = 0; k < 8; k++) {
      // Each shows what the previous one did, and more: nothing is aborted.
      const edge = 400 - 50 * k;
      wanted = all(field, { left: edge, top: edge, right: 500, bottom: 900 - edge });
      one.tiles.want(wanted);
      other.tiles.want(wanted);
      for (let turns = rnd(4); turns > 0; turns--) await tick();
    }
    // A tile that only the closed viewer was loading is requested again by the other.
    if (seed > 1) one.tiles.close();
    await other.settled();
    assert.ok(other.tiles.complete);
    assert.ok(covers(field, wanted, other.tiles.ready(), 0));
    for (const tile of other.tiles.ready()) right(field, wanted, tile);
    assert.deepEqual([...one.failures, ...other.failures], []);
    if (seed === 1) assert.equal(new Set(store.asked).size, store.asked.length, "each chunk once");
    one.tiles.close();
    other.tiles.close();
  }
});

test("absent chunks have the fill value", async () => {
  const bytes = ([j, i]) => ((i + j) % 2 ? undefined : new Uint8Array(64 * 64).fill(9));
  const { field } = await formula([{ shape: [256, 256], chunks: [64, 64], dtype: "uint8", fill: 3, bytes }]);
  const told = tilesOf(field);
  told.tiles.want(all(field));
  await told.settled();
  assert.deepEqual(told.failures, []);
  for (const { x, y, width, pixels } of told.tiles.ready()) {
    for (const [k, value] of pixels.data.entries()) {
      const odd = (((x + (k % width)) >> 6) + ((y + Math.floor(k / width)) >> 6)) % 2;
      assert.equal(value, odd ? 3 : 9);
    }
  }
  told.tiles.close();
});

test("over HTTP: hidden tiles are aborted, a failure is reported once by name, and a retry reads it", async () => {
  const dir = `${top}build/test/view-http`;
  rmSync(dir, { recursive: true, force: true });
  mkdirSync(`${dir}/c`, { recursive: true });
  const store = new FormulaStore([{ shape: [4, 512, 512], chunks: [1, 256, 256], dtype: "uint8" }]);
  writeFileSync(`${dir}/zarr.json`, await store.get("/0/zarr.json"));
  for (let t = 0; t < 4; t++) {
    for (const [j, i] of [
      [0, 0],
      [0, 1],
      [1, 0],
      [1, 1],
    ]) {
      mkdirSync(`${dir}/c/${t}/${j}`, { recursive: true });
      writeFileSync(`${dir}/c/${t}/${j}/${i}`, await store.get(`/0/c/${t}/${j}/${i}`));
    }
  }
  const server = await serve(dir, "-faults", "-latency", "20ms");
  try {
    const control = (method, body) => fetch(`${server.url}-/faults`, { method, body: body && JSON.stringify(body) });
    const array = await zarr.open(new zarr.FetchStore(server.url, { attempts: 1 }), { kind: "array" });
    const level = { array, factor: [1, 1, 1], start: [0, 0, 0] };
    const field = await fieldOf(store, { levels: [level] });
    const told = tilesOf(field);
    const until = async (done) => {
      for (const end = performance.now() + 60_000; !done() && performance.now() < end; ) await tick();
      assert.ok(done());
    };
    await control("POST", { key: "c/2/1/0", faults: [{ status: 500 }] });
    // Steps faster than answers: only the last one is painted.
    let wanted;
    for (const t of [0, 1, 3, 2]) {
      wanted = all(field, { indices: [t, 0, 0] });
      told.tiles.want(wanted);
      await tick();
      for (const tile of told.tiles.ready()) right(field, wanted, tile);
    }
    await until(() => !told.tiles.busy);
    assert.deepEqual(
      told.failures.map(({ name }) => name),
      ["HttpError"],
    );
    assert.equal(told.tiles.ready().length, 3);
    for (const tile of told.tiles.ready()) right(field, wanted, tile);
    await control("DELETE");
    told.tiles.retry();
    await until(() => told.tiles.complete);
    for (const tile of told.tiles.ready()) right(field, wanted, tile);
    const { requests } = await (await control("GET")).json();
    assert.deepEqual(
      requests.map(({ path }) => path),
      ["/c/2/1/0"],
    );
    told.tiles.want(all(field, { indices: [0, 0, 0] }));
    told.tiles.close();
    assert.equal(told.failures.length, 1);
  } finally {
    server.close();
  }
});

// Creates, writes, changes and reads random arrays through every entry, and compares with a model
// of plain lists. It needs only the platform: Node and pages run it.
import { random } from "../lib/random.mjs";

const texts = ["", "a", "é", "日本", "abc", "😀"];

/**
 * Types by name, with a function that makes an element. They belong to versions 2 and 3 unless
 * stated.
 */
const types = (r) => ({
  int8: () => r(256) - 128,
  uint8: () => r(256),
  int16: () => r(65536) - 32768,
  uint16: () => r(65536),
  int32: () => r(2 ** 32) - 2 ** 31,
  uint32: () => r(2 ** 32),
  int64: () => BigInt(r(2 ** 32)) * BigInt(r(2 ** 31)) - 2n ** 60n,
  uint64: () => BigInt(r(2 ** 32)) * BigInt(r(2 ** 32)),
  float16: () => r.of([0, -0.5, 1.5, 2048, Number.POSITIVE_INFINITY, r(2000)]),
  float32: () => r.of([0, Math.fround(0.1), Number.NaN, Math.fround(-1e30), r(1000) / 4]),
  float64: () => r.of([0.1, -0, Number.NaN, Number.NEGATIVE_INFINITY, r(1e9) / 7]),
  bool: () => r(2) === 1,
  complex64: () => ({ re: r(100) / 4, im: -r(100) }),
  complex128: () => ({ re: r(100) / 7, im: Number.NaN }),
  "datetime64[s]": () => BigInt(r(2 ** 32)),
  "<U3": () => r.of(["", "a", "éß", "日本語", "😀x"]),
  "|S4": () => r.of(["", "ab", "abcd", "é"]),
  "|V3": () => Uint8Array.from({ length: 3 }, () => r(256)),
  string: () => r.of(texts),
  bytes: () => Uint8Array.from({ length: r(4) }, () => r(256)),
});

const onlyV3 = new Set(["bytes"]);

/** An element as text: equal elements have equal texts. */
export function textOf(value) {
  if (typeof value === "bigint") return `${value}n`;
  if (typeof value === "number") return Object.is(value, -0) ? "-0" : String(value);
  if (ArrayBuffer.isView(value)) return `bytes ${[...value]}`;
  if (value !== null && typeof value === "object") return `${textOf(value.re)}+${textOf(value.im)}i`;
  return JSON.stringify(value);
}

/** The elements of a read's result, as texts. */
export function elementsOf({ data, shape }) {
  const count = shape.reduce((a, b) => a * b, 1);
  const at = typeof data.get === "function" ? (i) => data.get(i) : (i) => data[i];
  return Array.from({ length: count }, (_, i) => textOf(at(i)));
}

const range = (n) => Array.from({ length: n }, (_, i) => i);
const product = (shape) => shape.reduce((a, b) => a * b, 1);

/** An array of plain elements. */
class Model {
  constructor(shape, fill) {
    this.shape = shape;
    this.fill = fill;
    this.data = new Array(product(shape)).fill(fill);
  }

  at(coords) {
    return coords.reduce((sum, c, d) => sum * this.shape[d] + c, 0);
  }

  /** Another shape keeps the common elements, and fills the rest. */
  resized(shape) {
    const to = new Model(shape, this.fill);
    for (const coords of every(shape.map((n, d) => range(Math.min(n, this.shape[d]))))) {
      to.data[to.at(coords)] = this.data[this.at(coords)];
    }
    return to;
  }
}

/** All combinations of indices, the last one fastest. */
function every(lists) {
  return lists.reduce((all, list) => all.flatMap((before) => list.map((i) => [...before, i])), [[]]);
}

/**
 * A random selection of an array: the form that a program writes, the indices along each dimension,
 * and the kept dimensions.
 */
function selection(r, zarr, shape) {
  const selectors = shape.map((n) => {
    const kind = n === 0 ? "all" : r.of(["all", "index", "slice", "slice", "steps", "back", "list", "mask"]);
    const a = r(n);
    const b = a + r(n - a + 1);
    switch (kind) {
      case "index":
        return { given: r.of([a, a - n]), indices: [a], kept: false };
      case "slice":
        return { given: zarr.slice(a, b), indices: range(b - a).map((i) => a + i), kept: true };
      case "steps": {
        const step = 1 + r(3);
        return {
          given: zarr.slice(a, null, step),
          indices: range(n).filter((i) => i >= a && (i - a) % step === 0),
          kept: true,
        };
      }
      case "back":
        return { given: zarr.slice(null, null, -1), indices: range(n).reverse(), kept: true };
      case "list": {
        const list = range(1 + r(n)).map(() => r(n));
        return { given: list, indices: list, kept: true };
      }
      case "mask": {
        const mask = range(n).map(() => r(2) === 1);
        return { given: mask, indices: range(n).filter((i) => mask[i]), kept: true };
      }
      default:
        return { given: null, indices: range(n), kept: true };
    }
  });
  const lists = selectors.map(({ indices }) => indices);
  return {
    given: selectors.map(({ given }) => given),
    lists,
    coords: every(lists),
    shape: selectors.filter(({ kept }) => kept).map(({ indices }) => indices.length),
  };
}

/** Lists of lists. */
function nested(list, shape) {
  if (shape.length < 2) return list;
  const step = product(shape.slice(1));
  return range(shape[0]).map((i) => nested(list.slice(i * step, (i + 1) * step), shape.slice(1)));
}

/** Elements in one of the forms that a program may have. */
function valueLike(r, list, shape) {
  const chunk = { data: list, shape };
  if (shape.length === 0) return list[0];
  if (r(3) > 0) return list.length > 0 && r(2) ? nested(list, shape) : chunk;
  // Reversed: the first dimension is the fastest.
  const stride = shape.map((_, d) => product(shape.slice(0, d)));
  const data = new Array(list.length);
  for (const [i, coords] of every(shape.map(range)).entries()) {
    data[coords.reduce((sum, c, d) => sum + c * stride[d], 0)] = list[i];
  }
  return { data, shape, stride };
}

function same(what, got, want) {
  if (got.length !== want.length) throw new Error(`${what}: ${got.length} elements, not ${want.length}`);
  const i = got.findIndex((one, k) => one !== want[k]);
  if (i >= 0) throw new Error(`${what}: element ${i} is ${got[i]}, not ${want[i]}`);
}

/**
 * Lengths of a dimension's chunks, all multiples of a number: one that repeats, or a list of
 * lengths and runs.
 */
function irregular(r, n, inner) {
  const length = () => inner * (1 + r(4));
  if (r(4) === 0) return length();
  const list = [];
  for (let sum = 0; sum < n || list.length === 0 || r(3) === 0; ) {
    const [one, count] = [length(), 1 + r(3)];
    list.push(count === 1 ? one : [one, count]);
    sum += one * count;
  }
  return list;
}

/** The division of an array into blocks, by zarr-python's rules. */
export class Cuts {
  constructor({ shape, chunks, shards }) {
    this.irregular = (shards ?? chunks).some(Array.isArray);
    this.dims = (shards ?? chunks).map((one, d) => ({
      repeats: Array.isArray(one) ? 0 : one,
      list: Array.isArray(one) ? one.flatMap((n) => (Array.isArray(n) ? new Array(n[1]).fill(n[0]) : n)) : [],
      inner: shards ? chunks[d] : 1,
    }));
    this.cover(shape);
  }

  /** Adds blocks until they cover an array of this shape. */
  cover(shape) {
    for (const [d, { repeats, list, inner }] of this.dims.entries()) {
      let rest = shape[d] - list.reduce((a, b) => a + b, 0);
      for (; repeats > 0 && rest > 0; rest -= repeats) list.push(repeats);
      if (rest > 0) list.push(Math.ceil(rest / inner) * inner);
    }
  }

  /**
   * The blocks of a dimension as [start, length], without those beyond the array. The last has its
   * stored length.
   */
  blocks(d, n) {
    let at = 0;
    const all = [];
    for (const length of this.dims[d].list) {
      if (at >= n) break;
      all.push([at, length]);
      at += length;
    }
    return all;
  }

  /**
   * A random selection of blocks: the form that a program writes, and the indices of elements along
   * each dimension.
   */
  selection(r, zarr, shape) {
    const picked = shape.map((n, d) => {
      const blocks = this.blocks(d, n);
      const count = blocks.length;
      const end = (k) => (k < count ? blocks[k][0] : n);
      const kind = count === 0 ? "all" : r.of(["index", "slice", "all"]);
      let [given, from, to] = [null, 0, count];
      if (kind === "index") {
        from = r(count);
        to = from + 1;
        given = r.of([from, from - count]);
      } else if (kind === "slice") {
        from = r(count);
        to = from + r(count - from + 1);
        const stops = to === count ? [null, to, to + 7] : to === 0 ? [0] : [to, to - count];
        given = zarr.slice(r.of([from, from - count]), r.of(stops), r.of([null, 1]));
      }
      return { given, indices: from < to ? range(end(to) - end(from)).map((i) => end(from) + i) : [] };
    });
    const lists = picked.map(({ indices }) => indices);
    return { given: picked.map(({ given }) => given), coords: every(lists), shape: lists.map((list) => list.length) };
  }
}

/** The options of a random array, the function that makes its elements, and its first shape. */
export function randomArray(r, { simple = false } = {}) {
  const all = types(r);
  const format = r.of([2, 3, 3]);
  const names = Object.keys(all).filter((name) => format === 3 || !onlyV3.has(name));
  const dtype = r.of(simple ? names.filter((name) => /^(u?int|float32|float64|bool)/.test(name)) : names);
  const make = all[dtype];
  const rank = r(4);
  const shape = range(rank).map(() => r.of([1, 2, 3, 5, 8, r(20) === 0 ? 0 : 4]));
  const chunks = shape.map(() => 1 + r(5));
  const options = { format, shape, dtype, chunks };
  const variable = dtype === "string" || dtype === "bytes";
  if (format === 3) {
    if (rank > 0 && r(3) === 0) options.shards = chunks.map((n) => n * (1 + r(2)));
    if (rank > 0 && r(3) === 0) {
      const name = options.shards ? "shards" : "chunks";
      options[name] = shape.map((n, d) => irregular(r, n, options.shards ? chunks[d] : 1));
      const inner = options.shards ? chunks[0] : 1;
      if (!options[name].some(Array.isArray)) options[name][0] = [Math.ceil((shape[0] || 1) / inner) * inner];
    }
    const codecs = [
      [],
      [{ name: "gzip", configuration: { level: 1 } }],
      [{ name: "zstd", configuration: { level: 1, checksum: true } }, { name: "crc32c" }],
      ...(variable
        ? []
        : [
            [
              {
                name: "blosc",
                configuration: { cname: "lz4", clevel: 5, shuffle: "noshuffle", typesize: 1, blocksize: 0 },
              },
            ],
          ]),
    ];
    if (r(4) > 0) options.codecs = r.of(codecs);
    if (r(4) === 0) options.dimensionNames = shape.map((_, d) => `d${d}`);
  } else {
    options.compressor = r.of([
      undefined,
      null,
      { id: "zlib", level: 1 },
      { id: "zstd", level: 1 },
      { id: "gzip", level: 1 },
      { id: "lz4", acceleration: 1 },
    ]);
    if (!variable && r(4) === 0) options.filters = [{ id: "shuffle", elementsize: 4 }];
  }
  if (!variable && r(3) === 0) options.order = r.of(["C", "F"]);
  if (r(3) === 0) options.chunkSeparator = r.of(["/", "."]);
  // A fill value of bytes is written as in metadata.
  const fillable = !/^(bytes|\|V3)$/.test(dtype);
  if (fillable && r(2)) options.fillValue = make();
  return { options, make };
}

/** The value of elements that were never written, without a fill value. */
function zeroOf(dtype) {
  if (/64\[|^u?int64$/.test(dtype)) return 0n;
  if (dtype === "bool") return false;
  if (/^complex/.test(dtype)) return { re: 0, im: 0 };
  if (dtype === "|V3") return new Uint8Array(3);
  if (dtype === "bytes") return new Uint8Array();
  return /^(string|<U3|\|S4)$/.test(dtype) ? "" : 0;
}

/** Writes, changes, and reads one random array in every way. */
export async function writeProgram({ zarr, write, store = new Map() }, seed, settings = {}) {
  const r = random(seed);
  const { options, make } = randomArray(r, settings);
  const place = zarr.root(store).resolve(r.of(["a", "g/a", ""]));
  let array = await write.createArray(place, options);
  let model = new Model(options.shape, options.fillValue ?? zeroOf(options.dtype));
  const cuts = new Cuts(options);
  const skipEmpty = r(3) === 0;
  const steps = 1 + r(6);
  for (let step = 0; step < steps; step++) {
    const { shape } = model;
    const how = r.of(["set", "set", "set", "scalar", "points", "mask", "resize", "append", "whole", "blocks"]);
    if (how === "points" && product(shape) > 0 && shape.length > 0) {
      const points = range(1 + r(6)).map(() => shape.map((n) => r(n)));
      const values = points.map(make);
      await write.setPoints(
        array,
        shape.map((_, d) => points.map((p) => p[d])),
        values,
        { skipEmpty },
      );
      for (const [i, p] of points.entries()) model.data[model.at(p)] = values[i];
    } else if (how === "blocks" && shape.length > 0) {
      const { given, coords, shape: selected } = cuts.selection(r, zarr, shape);
      const values = coords.map(make);
      await write.setBlocks(array, given, valueLike(r, values, selected), { skipEmpty });
      for (const [i, c] of coords.entries()) model.data[model.at(c)] = values[i];
    } else if (how === "mask" && shape.length > 0) {
      const mask = model.data.map(() => r(2) === 1);
      const values = mask.filter(Boolean).map(make);
      await write.setMask(
        array,
        { data: new zarr.BoolArray(mask), shape },
        { data: values, shape: [values.length] },
        { skipEmpty },
      );
      let k = 0;
      for (const [i, on] of mask.entries()) if (on) model.data[i] = values[k++];
    } else if (how === "resize" && shape.length > 0) {
      const to = shape.map((n) => Math.max(0, n + r(5) - 2));
      array = await write.resize(array, to);
      model = model.resized(to);
      cuts.cover(to);
    } else if (how === "append" && shape.length > 0 && product(shape) > 0) {
      const d = r(shape.length);
      const part = shape.map((n, k) => (k === d ? 1 + r(4) : n));
      const values = range(product(part)).map(make);
      array = await write.append(array, { data: values, shape: part }, { dimension: d, skipEmpty });
      const longer = model.resized(shape.map((n, k) => n + (k === d ? part[k] : 0)));
      for (const [i, coords] of every(part.map(range)).entries()) {
        longer.data[longer.at(coords.map((c, k) => c + (k === d ? shape[d] : 0)))] = values[i];
      }
      model = longer;
      cuts.cover(longer.shape);
    } else if (how === "whole") {
      const values = model.data.map(make);
      await write.set(array, null, { data: values, shape }, { skipEmpty });
      model.data = values;
    } else {
      const { given, coords, shape: selected } = selection(r, zarr, shape);
      const one = make();
      const values = coords.map(() => (how === "scalar" ? one : make()));
      const value = how === "scalar" ? one : valueLike(r, values, selected);
      if (how === "scalar" || selected.length === shape.length || coords.length > 0) {
        await write.set(array, shape.length === 0 ? [] : given, value, { skipEmpty });
        for (const [i, c] of coords.entries()) model.data[model.at(c)] = values[i];
      }
    }
    await readEverywhere(r, zarr, array, model, cuts);
  }
  // Opening it again gives the same.
  const again = await zarr.open(place, { kind: "array" });
  await readEverywhere(r, zarr, again, model, cuts);
  // The elements that were read are written elsewhere, into the same grid.
  const other = await write.createLike(zarr.root(new Map()), array);
  await write.set(other, null, await array.get());
  await readEverywhere(r, zarr, other, model, cuts);
  // Copies have the same elements, in the same and in another grid.
  const copies = zarr.root(new Map());
  await write.copy(array, copies.resolve("same"));
  await readEverywhere(r, zarr, await zarr.open(copies.resolve("same"), { kind: "array" }), model, cuts);
  if (model.shape.length > 0) {
    const edges = array.shards || r(2);
    const chunks = model.shape.map((n) => (edges ? [[3, 2], n + 1] : 1 + r(4)));
    await write.copy(array, copies.resolve("other"), { format: 3, array: { chunks } });
    const copied = await zarr.open(copies.resolve("other"), { kind: "array" });
    await readEverywhere(r, zarr, copied, model, new Cuts({ shape: model.shape, chunks }));
  }
  return { array, model, options };
}

/** The whole array, also without dimensions. */
async function asChunk(array) {
  const all = await array.get(null);
  return all !== null && typeof all === "object" && "shape" in all ? all : { data: [all], shape: [] };
}

async function readEverywhere(r, zarr, array, model, cuts) {
  const { shape } = model;
  const want = model.data.map(textOf);
  same("shape", array.shape.map(String), shape.map(String));
  same("get", elementsOf(await asChunk(array)), want);
  if (want.length === 0 || shape.length === 0) return;
  const { given, coords, shape: selected } = selection(r, zarr, shape);
  if (selected.length > 0) {
    same(
      "get of a selection",
      elementsOf(await array.get(given)),
      coords.map((c) => want[model.at(c)]),
    );
  }
  const points = range(4).map(() => shape.map((n) => r(n)));
  const at = await array.vindex(shape.map((_, d) => points.map((p) => p[d])));
  same(
    "vindex",
    elementsOf(at),
    points.map((p) => want[model.at(p)]),
  );
  // The chunks of a sharded array are the inner ones.
  const grid = array.shards ? new Cuts({ shape, chunks: array.chunks }) : cuts;
  const chunk = shape.map((n, d) => r.of([...grid.blocks(d, n).entries()]));
  const whole = await array.getChunk(chunk.map(([k]) => k));
  same(
    "the shape of a chunk",
    whole.shape.map(String),
    chunk.map(([, [, length]]) => String(length)),
  );
  const inside = elementsOf(whole);
  for (const [i, c] of every(whole.shape.map(range)).entries()) {
    const position = c.map((k, d) => chunk[d][1][0] + k);
    if (position.every((k, d) => k < shape[d])) same("getChunk", [inside[i]], [want[model.at(position)]]);
  }
  same(
    "the grid",
    array.chunkGrid.shape.map(String),
    shape.map((n, d) => String(grid.blocks(d, n).length)),
  );
  same("its name", [array.chunkGrid.name], [cuts.irregular ? "rectilinear" : "regular"]);
  const blocks = cuts.selection(r, zarr, shape);
  const read = await array.blocks(blocks.given);
  same("the shape of blocks", read.shape.map(String), blocks.shape.map(String));
  same(
    "blocks",
    elementsOf(read),
    blocks.coords.map((c) => want[model.at(c)]),
  );
  for await (const part of array.chunksIn()) {
    const own = every(part.selection.map((s) => range(s.stop - s.start).map((i) => i + s.start)));
    same(
      "chunksIn",
      elementsOf(part),
      own.map((c) => want[model.at(c)]),
    );
  }
  if (array.dtype === "int64") {
    const viewed = await array.view("datetime64[ns]").get();
    same("view", elementsOf(viewed), want);
  }
}

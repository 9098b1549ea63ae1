// Tests handles against a model. It opens arrays and groups, replaces their documents and chunks,
// empties caches, and ends the engine in every possible way. Reads through any handle must match
// the model.
//
// HANDLES_STEPS sets the number of steps in memory; a ninth as many run over HTTP.
import assert from "node:assert/strict";
import { mkdirSync, readFileSync, renameSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { after, test } from "node:test";
import { Worker } from "node:worker_threads";
import { gzipSync } from "node:zlib";
import * as zarr from "../../dist/node.js";
import { crc32c } from "../lib/crc32c.mjs";
import { arrayV2, arrayV3, bytes, groupV3, sharding, typedArrays } from "../lib/documents.mjs";
import { random } from "../lib/random.mjs";
import { rounds } from "../lib/rounds.mjs";
import { serve, top } from "../lib/serve.mjs";

const seed = 20_261;
const steps = Number(process.env.HANDLES_STEPS ?? rounds(9000));
const paths = ["a", "b", "c/d"];
const formats = [2, 3];
// Names by version, and the bytes of an element.
const types = [
  { name: "uint8", v2: "|u1", size: 1 },
  { name: "int16", v2: "<i2", size: 2 },
  { name: "uint16", v2: "<u2", size: 2 },
  { name: "int32", v2: "<i4", size: 4 },
  { name: "float32", v2: "<f4", size: 4 },
  { name: "float64", v2: "<f8", size: 8 },
];
const budgets = { metadata: 64 * 2 ** 20, indexes: 32 * 2 ** 20, encoded: 64 * 2 ** 20, decoded: 128 * 2 ** 20 };
const bytesOf = (typed) => new Uint8Array(typed.buffer, typed.byteOffset, typed.byteLength);

/**
 * An object's content: bytes unique to this version. `inner` holds the chunks of a shard, null for
 * an absent one.
 */
class Version {
  constructor(number, doc, absent) {
    this.number = number;
    const one = (salt) => {
      const raw = new Uint8Array(doc.chunks[0] * doc.chunks[1] * doc.type.size);
      for (let k = 0; k < raw.length; k++) {
        raw[k] = Math.imul(Math.imul(number * 64 + salt + 1, 0x9e3779b1) + k, 0x85ebca6b) >>> 21;
      }
      return { raw, bytes: doc.gzip ? new Uint8Array(gzipSync(raw, { level: 1 })) : raw, gzip: doc.gzip };
    };
    if (!doc.perShard) {
      this.whole = one(0);
      this.bytes = this.whole.bytes;
      return;
    }
    this.inner = Array.from({ length: doc.perShard ** 2 }, (_, i) => (absent(i) ? null : one(i)));
    const index = new BigUint64Array(2 * this.inner.length).fill(2n ** 64n - 1n);
    let offset = 0;
    for (const [i, chunk] of this.inner.entries()) {
      if (!chunk) continue;
      index.set([BigInt(offset), BigInt(chunk.bytes.length)], 2 * i);
      offset += chunk.bytes.length;
    }
    const table = new Uint8Array(index.buffer);
    const parts = [...this.inner.flatMap((chunk) => chunk?.bytes ?? []), table];
    this.bytes = new Uint8Array(Buffer.concat([...parts, new Uint8Array(Uint32Array.of(crc32c(table)).buffer)]));
  }

  /**
   * The content under a document: the bytes of each chunk, null for an absent one, undefined for
   * one that does not decode. A compressed one of the wrong length decodes as far as the wanted
   * elements need.
   */
  chunksBy(doc, prefixes = false) {
    const size = doc.chunks[0] * doc.chunks[1] * doc.type.size;
    const decode = ({ raw, bytes, gzip }) => {
      // A document with gzip also accepts an uncompressed chunk of the decoded size.
      const payload = doc.gzip && gzip ? raw : bytes;
      if (doc.gzip && !gzip) return bytes.length === size ? bytes : undefined;
      return payload?.length === size || (prefixes && doc.gzip) ? payload : undefined;
    };
    if (!doc.perShard) return [decode(this.whole ?? { bytes: this.bytes })];
    const n = doc.perShard ** 2;
    if (this.inner?.length !== n) return Array(n).fill(undefined);
    return this.inner.map((chunk) => chunk && decode(chunk));
  }
}

/** A Map on the page. */
class InMemory {
  name = "memory";
  store = new Map();
  at(path) {
    return zarr.root(this.store).resolve(path);
  }
  set(key, bytes) {
    if (bytes) this.store.set(`/${key}`, bytes);
    else this.store.delete(`/${key}`);
  }
}

/**
 * A directory behind a server. Objects are replaced by renaming, each with its own time, from which
 * the server makes ETags.
 */
class OverHttp {
  name = "http";
  dir = `${top}build/test/handles`;
  #times = 0;
  #made = new Set();
  async start() {
    rmSync(this.dir, { recursive: true, force: true });
    mkdirSync(this.dir, { recursive: true });
    this.server = await serve(this.dir);
    this.store = new zarr.FetchStore(this.server.url);
  }
  at(path) {
    return zarr.root(this.store).resolve(path);
  }
  set(key, bytes) {
    const file = `${this.dir}/${key}`;
    if (!bytes) return rmSync(file, { force: true });
    const folder = dirname(file);
    if (!this.#made.has(folder)) mkdirSync(folder, { recursive: true });
    this.#made.add(folder);
    const time = 1_600_000_000 + ++this.#times;
    writeFileSync(`${this.dir}/.new`, bytes);
    utimesSync(`${this.dir}/.new`, time, time);
    renameSync(`${this.dir}/.new`, file);
  }
}

/**
 * The model's knowledge of one key or document: the present content, and every content that the
 * engine could have read.
 */
class Cell {
  now = undefined;
  seen = new Set();
  may() {
    return new Set([...this.seen, this.now]);
  }
}

class Model {
  counts = {};
  held = [];
  versions = [];
  log = [];
  docsByText = new Map();
  docs = new Map(); // by path and version
  chunks = new Map(); // by key
  latest = new Map(); // the documents of the last answer to open, in this engine
  generation = 0;
  full = false;

  constructor(backend, rare, seed) {
    this.backend = backend;
    this.rare = rare;
    this.random = random(seed);
  }

  count(what) {
    this.counts[what] = (this.counts[what] ?? 0) + 1;
  }
  pick(list) {
    return list[this.random(list.length)];
  }
  cell(map, key) {
    let cell = map.get(key);
    if (!cell) {
      cell = new Cell();
      map.set(key, cell);
    }
    return cell;
  }
  docCell(path, format) {
    return this.cell(this.docs, `${path} v${format}`);
  }

  /** Documents of an array or of a group. */
  makeDoc(format) {
    const { random } = this;
    if (random(8) === 0) {
      const note = { zarr_format: format, ...(format === 3 && { node_type: "group", attributes: { n: random(4) } }) };
      return { kind: "group", format, text: JSON.stringify(note) };
    }
    const type = this.pick(types);
    const shape = [1 + random(7), 1 + random(9)];
    const chunks = [1 + random(3), 1 + random(4)];
    const fill = random(100);
    const gzip = random(2) === 0;
    const perShard = format === 3 && random(3) === 0 ? 2 : 0;
    const grid = chunks.map((n) => n * (perShard || 1));
    let meta;
    if (format === 2) {
      const compressor = gzip ? { id: "gzip", level: 1 } : null;
      meta = arrayV2(shape, type.v2, { chunks, compressor, fill_value: fill });
    } else {
      let codecs = [bytes];
      if (gzip) codecs.push({ name: "gzip", configuration: { level: 1 } });
      if (perShard) {
        const index_codecs = [bytes, { name: "crc32c" }];
        codecs = [sharding(chunks, { codecs, index_codecs })];
      }
      meta = arrayV3(shape, type.name, { chunks: grid, codecs, fill_value: fill });
    }
    const fillBytes = bytesOf(typedArrays[type.name].of(fill));
    const text = JSON.stringify(meta);
    return { kind: "array", format, text, type, shape, chunks, grid, fill: fillBytes, gzip, perShard };
  }

  putDoc(path, format, doc) {
    const set = (name, text) => this.backend.set(`${path}/${name}`, text && Buffer.from(text));
    if (format === 3) set("zarr.json", doc?.text);
    else {
      set(".zarray", doc?.kind === "array" ? doc.text : undefined);
      set(".zgroup", doc?.kind === "group" ? doc.text : undefined);
    }
    if (doc) this.docsByText.set(doc.text, doc);
    this.docCell(path, format).now = doc?.text;
  }

  key(path, doc, [y, x]) {
    return doc.format === 3 ? `${path}/c/${y}/${x}` : `${path}/${y}.${x}`;
  }

  putChunk(path, doc, coords, there = true) {
    const version = there ? new Version(this.versions.length, doc, () => this.random(4) === 0) : undefined;
    if (version) this.versions.push(version);
    const key = this.key(path, doc, coords);
    this.backend.set(key, version?.bytes);
    this.cell(this.chunks, key).now = version;
  }

  replaceDocument() {
    const path = this.pick(paths);
    const format = this.pick(formats);
    const known = [...this.docsByText.values()].filter((doc) => doc.format === format);
    let doc;
    const how = this.random(10);
    if (how < 7) doc = this.makeDoc(format);
    else if (how < 9 && known.length > 0) doc = this.pick(known); // like an earlier version
    this.putDoc(path, format, doc);
    if (!doc) return this.count("document removed");
    this.count("document replaced");
    // Changes the version of Zarr, or adds the other one.
    if (this.random(2) === 0) this.putDoc(path, 5 - format, undefined);
    if (doc.kind === "array" && this.random(4) > 0) {
      for (let y = 0; y * doc.grid[0] < doc.shape[0]; y++) {
        for (let x = 0; x * doc.grid[1] < doc.shape[1]; x++) this.putChunk(path, doc, [y, x], this.random(6) > 0);
      }
    }
  }

  replaceChunk(there) {
    const path = this.pick(paths);
    const doc = this.docsByText.get(this.docCell(path, this.pick(formats)).now);
    if (doc?.kind !== "array") return;
    const coords = [0, 1].map((d) => this.random(Math.ceil(doc.shape[d] / doc.grid[d])));
    this.putChunk(path, doc, coords, there);
    this.count(there ? "chunk replaced" : "chunk removed");
  }

  forgetChunks() {
    for (const cell of this.chunks.values()) cell.seen.clear();
  }

  forgetAll() {
    this.forgetChunks();
    for (const cell of this.docs.values()) cell.seen.clear();
  }

  async evict() {
    const { metadata, ...data } = budgets;
    const which = this.random(2) === 0 ? data : { metadata, ...data };
    await zarr.caches(Object.fromEntries(Object.keys(which).map((name) => [name, 0])));
    await zarr.caches(which);
    if ("metadata" in which) this.forgetAll();
    else this.forgetChunks();
    this.count("evicted");
  }

  /** Another engine runs. Pending reads may have taught it the present documents. */
  another() {
    this.generation++;
    this.latest.clear();
    this.forgetAll();
    for (const cell of [...this.docs.values(), ...this.chunks.values()]) cell.seen.add(cell.now);
  }

  async end() {
    const reads = Array.from({ length: this.random(3) }, () => this.read(true, true));
    if (!this.full && this.random(2) === 0) {
      await zarr.memory();
      last.postMessage({ op: "crash", id: 0, why: "a test", trap: this.random(3) === 0 });
      await assert.rejects(zarr.caches(), { name: "EngineError" });
      this.count("crashed");
    } else {
      zarr.terminate();
      this.count("restarted");
    }
    await Promise.all(reads);
    this.full = false;
    this.another();
  }

  async takeOver() {
    const reads = Array.from({ length: this.random(3) }, () => this.read(true));
    const { store, values } = this.rare;
    const array = await zarr.open(store, { kind: "array" });
    assert.deepEqual((await array.get()).data, values);
    await Promise.all(reads);
    if (this.full) return;
    this.full = true;
    this.another();
    this.count("taken over");
  }

  async open() {
    const path = this.pick(paths);
    const format = this.pick([0, 2, 3]);
    const kind = this.pick([undefined, "array", "array", "group"]);
    const opener = { 0: zarr.open, 2: zarr.open.v2, 3: zarr.open.v3 }[format];
    const asked = format ? [format] : formats;
    for (const f of asked) {
      const cell = this.docCell(path, f);
      cell.seen.add(cell.now);
    }
    let node;
    try {
      node = await opener(this.backend.at(path), kind && { kind });
    } catch (error) {
      // Every requested version may be absent, or of another kind.
      const absent = (text) => text === undefined || (kind && this.docsByText.get(text).kind !== kind);
      const may = (f) => [...this.docCell(path, f).may()];
      const both = !format && kind && asked.some((f) => may(f).some((text) => text && absent(text)));
      const allowed = both || asked.every((f) => may(f).some(absent) || may(f).length > 1);
      if (error.name !== "NotFoundError" || !allowed) throw this.wrong(`open ${path} v${format} ${kind}`, error);
      return this.count("open: NotFoundError");
    }
    const [[name, bytes]] = Object.entries(node.documents).filter(([name]) => name !== ".zattrs");
    const text = Buffer.from(bytes).toString();
    const doc = this.docsByText.get(text);
    const what = `open ${path} v${format}: ${name} ${text}`;
    if (!doc || doc.format !== node.format || doc.kind !== node.kind || !asked.includes(doc.format)) {
      throw this.wrong(`${what}: a ${node.kind} of version ${node.format}`);
    }
    if (kind && kind !== node.kind) throw this.wrong(`${what}: asked for was a ${kind}`);
    if (!this.docCell(path, doc.format).may().has(text)) throw this.wrong(`${what}: it was not there`);
    this.latest.set(`${path} v${doc.format}`, text);
    this.count(`open: ${node.kind}`);
    if (doc.kind === "group") return;
    assert.deepEqual([node.dtype, node.shape, node.chunks], [doc.type.name, doc.shape, doc.chunks]);
    this.held.push({ node, path, doc, generation: this.generation, number: this.count("handles") });
    if (this.held.length > 16) this.held.splice(this.random(this.held.length), 1);
  }

  /** The selection of a read, and its elements in order. */
  request({ node, doc }) {
    const { random } = this;
    const all = (n) => Array.from({ length: n }, (_, i) => i);
    const [h, w] = doc.shape;
    const cross = (ys, xs) => ys.flatMap((y) => xs.map((x) => [y, x]));
    const some = (n) => {
      const start = random(n);
      const stop = start + 1 + random(n - start);
      const step = 1 + random(2);
      return [zarr.slice(start, stop, step), all(n).filter((i) => i >= start && i < stop && (i - start) % step === 0)];
    };
    const whole = async (promise, points, shape) => [{ ...(await promise), points, expected: shape }];
    switch (random(5)) {
      case 0:
        return { how: "get", points: cross(all(h), all(w)), run: (p) => whole(node.get(), p, [h, w]) };
      case 1: {
        const [[y, ys], [x, xs]] = [some(h), some(w)];
        return { how: "slices", points: cross(ys, xs), run: (p) => whole(node.get([y, x]), p, [ys.length, xs.length]) };
      }
      case 2: {
        const coords = [0, 1].map((d) => random(Math.ceil(doc.shape[d] / doc.chunks[d])));
        const [ys, xs] = coords.map((c, d) => all(doc.chunks[d]).map((i) => c * doc.chunks[d] + i));
        return { how: "getChunk", points: cross(ys, xs), run: (p) => whole(node.getChunk(coords), p, doc.chunks) };
      }
      case 3: {
        const points = Array.from({ length: 1 + random(6) }, () => [random(h), random(w)]);
        const lists = [0, 1].map((d) => points.map((point) => point[d]));
        return { how: "vindex", points, run: (p) => whole(node.vindex(lists), p, [p.length]) };
      }
      default: {
        const run = async () => {
          const parts = [];
          for await (const { data, shape, coords } of node.chunksIn()) {
            const [ys, xs] = coords.map((c, d) =>
              all(doc.chunks[d])
                .map((i) => c * doc.chunks[d] + i)
                .filter((i) => i < doc.shape[d]),
            );
            parts.push({ data, shape, points: cross(ys, xs), expected: [ys.length, xs.length] });
          }
          return parts;
        };
        return { how: "chunksIn", points: cross(all(h), all(w)), run };
      }
    }
  }

  /** The elements by object: index in the result, chunk in the object, place in that chunk. */
  byObject(path, doc, points) {
    const objects = new Map();
    for (const [i, point] of points.entries()) {
      const [cy, cx] = point.map((v, d) => Math.floor(v / doc.grid[d]));
      const [y, x] = point.map((v, d) => v % doc.grid[d]);
      const key = this.key(path, doc, [cy, cx]);
      const [iy, ix] = [Math.floor(y / doc.chunks[0]), Math.floor(x / doc.chunks[1])];
      const at = (y % doc.chunks[0]) * doc.chunks[1] + (x % doc.chunks[1]);
      if (!objects.has(key)) objects.set(key, []);
      objects.get(key).push({ i, inner: iy * (doc.perShard || 1) + ix, at });
    }
    return objects;
  }

  async read(moving = false, ending = false) {
    if (this.held.length === 0) return;
    const handle = this.pick(this.held);
    const { doc, path } = handle;
    const place = `${path} v${doc.format}`;
    const { how, points, run } = this.request(handle);
    const what = `${how} of ${place} ${doc.text}`;
    const cell = this.docCell(path, doc.format);
    cell.seen.add(cell.now);
    const objects = this.byObject(path, doc, points);
    for (const key of objects.keys()) {
      const chunk = this.cell(this.chunks, key);
      chunk.seen.add(chunk.now);
    }
    const stranger = handle.generation !== this.generation;
    if (moving) handle.moved = this.generation + 1; // the next engine may learn it
    if (stranger) this.latest.delete(place); // it is opened again
    const latest = this.latest.get(place);
    const may = cell.may();
    // The engine last received, or could only receive, other documents than the handle's.
    const gone = () =>
      !moving &&
      handle.moved !== this.generation &&
      (stranger
        ? !may.has(doc.text)
        : latest !== undefined && latest !== doc.text && this.latest.get(place) === latest);
    let parts;
    try {
      parts = await run(points);
    } catch (error) {
      if (error.name === "EngineError" && ending) return this.count("read: EngineError of an ordered end");
      if (error.name === "MetadataChangedError") {
        if (![...may].some((text) => text !== doc.text)) throw this.wrong(`${what}: nothing has changed`, error);
        this.latest.delete(place);
        // a page opens it again
        if (this.random(2) === 0) this.held = this.held.filter((other) => other !== handle);
        return this.count("read: MetadataChangedError");
      }
      if (error.name === "CodecPipelineError" && !gone()) {
        handle.generation = this.generation;
        const damaged = ([key]) =>
          [...this.cell(this.chunks, key).may()].some((version) => version?.chunksBy(doc).includes(undefined));
        if (![...objects].some(damaged)) throw this.wrong(`${what}: no chunk is damaged`, error);
        return this.count("read: CodecPipelineError of a chunk that other documents describe");
      }
      throw this.wrong(what, error);
    }
    if (gone()) throw this.wrong(`${what}: values, though the documents are others`);
    for (const part of parts) this.check(what, handle, part);
    if (stranger) handle.generation = this.generation;
    this.count(`read: values by ${how}`);
  }

  /** Compares elements with the objects' versions: all elements of one object have one version. */
  check(what, { doc, path }, { data, shape, points, expected }) {
    const { size, name } = doc.type;
    if (!(data instanceof typedArrays[name])) throw this.wrong(`${what}: the answer is a ${data.constructor.name}`);
    assert.deepEqual([...shape], [...expected], what);
    assert.equal(data.length, points.length, what);
    const bytes = bytesOf(data);
    const same = (i, from, at) => {
      for (let k = 0; k < size; k++) if (bytes[i * size + k] !== from[at * size + k]) return false;
      return true;
    };
    for (const [key, elements] of this.byObject(path, doc, points)) {
      const last = elements.find(({ at }) => at === doc.chunks[0] * doc.chunks[1] - 1);
      const fits = (version) => {
        const chunks = version?.chunksBy(doc, last === undefined);
        return elements.every(({ i, inner, at }) => {
          const chunk = chunks ? chunks[inner] : null;
          return chunk === null ? same(i, doc.fill, 0) : chunk !== undefined && same(i, chunk, at);
        });
      };
      const may = this.cell(this.chunks, key).may();
      if ([...may].some(fits)) continue;
      // The place in the chunk, and every version of any chunk that could hold the element.
      const holds = (chunk, i) => {
        for (let at = 0; at < (chunk?.raw?.length ?? 0) / size; at++) if (same(i, chunk.raw, at)) return true;
        return false;
      };
      const others = elements.map(({ i, at }) => {
        const from = this.versions.filter(({ whole, inner }) =>
          [whole, ...(inner ?? [])].some((chunk) => holds(chunk, i)),
        );
        return `${at}: ${from.map(({ number }) => number).join(" ")}`;
      });
      const found = elements.map(({ i }) => data[i]).join(" ");
      const allowed = [...may].map((version) => version?.number ?? "absent").join(", ");
      throw this.wrong(`${what}: ${key}: ${found} is of versions [${others.join(", ")}]; allowed are [${allowed}]`);
    }
  }

  wrong(what, error) {
    const said = error ? `: ${error.name}: ${error.message}` : "";
    return new assert.AssertionError({ message: `${what}${said}` });
  }

  async step() {
    const n = this.random(200);
    if (n < 30) await this.open();
    else if (n < 42) this.replaceDocument();
    else if (n < 60) this.replaceChunk(true);
    else if (n < 66) this.replaceChunk(false);
    else if (n < 72) await this.evict();
    else if (n < 74 && this.random(4) === 0) await this.end();
    else if (n < 75 && this.random(4) === 0) await this.takeOver();
    else if (n < 90) await Promise.all([this.read(), this.read(), this.read()]);
    else await this.read();
  }

  async run(steps) {
    for (let i = 0; i < steps; i++) {
      try {
        await this.step();
      } catch (error) {
        error.message = `step ${i}, ${this.backend.name}, : ${error.message}`;
        throw error;
      }
    }
  }
}

const rare = { store: new Map() };
let last;
const http = new OverHttp();

for (const name of [".zarray", "0", "1", "2"]) {
  rare.store.set(`/${name}`, readFileSync(`${top}build/fixtures/v2/compressor.zarr/bz2_1/${name}`));
}
rare.values = (await (await zarr.open(rare.store, { kind: "array" })).get()).data;
zarr.terminate();
await http.start();
after(() => {
  http.server?.close();
  zarr.terminate();
});

for (const backend of [new InMemory(), http]) {
  const many = backend === http ? Math.ceil(steps / 9) : steps;
  test(`a handle reads the opened node, or rejects: ${many} steps, ${backend.name}`, async (t) => {
    zarr.terminate();
    await zarr.init({
      workers: 1,
      url: new URL("../../build/zarr-crash.wasm", import.meta.url),
      worker: () => {
        last = new Worker(new URL("../../dist/worker-node.js", import.meta.url));
        return last;
      },
    });
    const model = new Model(backend, rare, seed);
    const began = performance.now();
    try {
      await model.run(many);
    } finally {
      t.diagnostic(`seed ${seed}, ${Math.round(performance.now() - began)} ms: ${JSON.stringify(model.counts)}`);
    }
    for (const what of ["MetadataChangedError", "values by chunksIn", "values by vindex"]) {
      assert.ok(model.counts[`read: ${what}`] > 0, `no read came to ${what}`);
    }
  });
}

function twoDocuments() {
  const model = new Model(new InMemory(), rare, 1);
  const made = () => {
    for (;;) {
      const doc = model.makeDoc(3);
      if (doc.kind === "array") return doc;
    }
  };
  return [model, made(), made()];
}

test("emptied caches have nothing of a node", async () => {
  const [model, before, after] = twoDocuments();
  for (const doc of [before, after, before]) {
    model.putDoc("a", 3, doc);
    await zarr.caches({ metadata: 0 });
    await zarr.caches({ metadata: budgets.metadata });
    for (const open of [zarr.open, zarr.open.v3]) {
      const { shape, dtype } = await open(model.backend.at("a"));
      assert.deepEqual([shape, dtype], [doc.shape, doc.type.name]);
    }
  }
});

test("a node that is gone, or of another kind, when the next engine looks for it has changed", async () => {
  const [model, doc] = twoDocuments();
  const group = { kind: "group", text: JSON.stringify(groupV3()) };
  for (const next of [undefined, group]) {
    model.putDoc("a", 3, doc);
    const array = await zarr.open(model.backend.at("a"), { kind: "array" });
    await array.get();
    zarr.terminate();
    model.putDoc("a", 3, next);
    for (let i = 0; i < 2; i++) await assert.rejects(array.get(), { name: "MetadataChangedError" });
    zarr.terminate();
    model.putDoc("a", 3, doc);
    await array.get();
  }
});

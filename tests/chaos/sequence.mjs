// Reads random selections through faulty servers, by a seed, in Node and in a page. Each read
// returns the right values or a named error. After an error the server has no faults, and the same
// read returns the right values without opening anything again.

import { elements, rootOf } from "../js/conformance.mjs";
import { random } from "../lib/random.mjs";
import { placesOf, selectionOf, Truth, textOf } from "./model.mjs";
import { describe, Hang, named, within } from "./oracle.mjs";

/** A read that takes longer than this, in milliseconds, hangs. */
const hung = 240_000;
/** The timeout of a request in milliseconds, when the server is silent now and then. */
const timeout = 3000;
/** How often to repeat a read that failed without a fault of the server. */
const patience = 20;
/**
 * The messages of such failures: a slow machine had no time, or Node reused a connection that the
 * previous answer had closed.
 */
const passing = /\(timeout\)|other side closed/;
/** The largest number of elements of an array to read. */
const most = 20_000;

const product = (shape) => shape.reduce((n, d) => n * d, 1);

/** The codecs that detect each flipped bit, at the end of a chain. */
const seals = new Set(["crc32c", "gzip", "zlib", "bz2", "crc32", "adler32", "fletcher32", "jenkins_lookup3"]);

/** Whether a checksum covers each byte of an array's chunks. */
function sealed(array) {
  const last = array.codecs.at(-1);
  if (!last) return false;
  const name = last.name.replace(/^numcodecs\./, "");
  if (name !== "sharding_indexed") return seals.has(name);
  const { codecs = [], index_codecs: index = [] } = last.configuration ?? {};
  const end = (list) => String(list.at(-1)?.name).replace(/^numcodecs\./, "");
  return seals.has(end(codecs)) && seals.has(end(index));
}

/**
 * Whether a truncated shard of the array may look complete: an index without a checksum begins
 * wherever its end is.
 */
function bare(codecs) {
  return codecs.some(({ name, configuration: { codecs = [], index_codecs: index = [] } = {} }) => {
    const sharded = name.endsWith("sharding_indexed");
    return sharded && (!seals.has(index.at(-1)?.name.replace(/^numcodecs\./, "")) || bare(codecs));
  });
}

/**
 * @param {object} o
 * @param {typeof import("zarr-wasm")} o.zarr the package
 * @param {string[]} o.servers addresses of servers of tests/chaos/faulty for this project's folder
 * @param {object} o.manifest the fixtures' manifest.json
 * @param {object} o.containers public/containers.json
 */
export class Sequences {
  constructor({ zarr, servers, manifest, containers, seed }) {
    Object.assign(this, { zarr, servers, seed });
    this.specs = [
      ...manifest.cases
        .filter((c) => !c.expect_error && !c.optional && product(c.shape) <= most)
        .map((c) => ({ ...c, folder: "build/fixtures/" })),
      ...containers.cases
        .filter((c) => c.array !== undefined && c.expected && !c.optional && product(c.shape ?? [1]) <= most)
        .map((c) => ({ ...c, folder: "build/fixtures/public/" })),
    ];
    this.groups = [
      ...manifest.groups.map((g) => ({ ...g, folder: "build/fixtures/" })),
      ...containers.cases
        .filter((c) => c.array && !c.optional)
        .map((c) => ({ ...c, group: "", folder: "build/fixtures/public/" })),
    ];
    this.truths = new Map();
    this.found = {
      selections: 0,
      right: 0,
      errors: {},
      again: 0,
      requests: 0,
      faults: 0,
      kinds: {},
      untold: 0,
      "wrong values": 0,
      hangs: 0,
      crashes: 0,
      "clean re-reads failed": 0,
      apart: 0,
      most: 0,
    };
    this.failures = [];
  }

  /** The settings of a case's store except its address. */
  #settings(spec, base) {
    const settings = { ...spec.ref };
    if (spec.class === "icechunk" || spec.class === "kerchunk")
      settings.endpoints = { "s3://": new URL("virtual/", base).href };
    return settings;
  }

  /** The root of a case's store, on a server without faults. */
  rootOf(spec) {
    const base = new URL(spec.folder, this.servers[0]).href;
    return rootOf(this.zarr, base, spec, this.#settings(spec, base));
  }

  /** The truth of a case: an array's elements, or a group's contents. */
  truthOf(spec, what, make) {
    const key = `${what} ${spec.id}`;
    if (!this.truths.has(key)) {
      this.truths.set(key, make(this.rootOf(spec)));
    }
    return this.truths.get(key);
  }

  arrayTruth(spec) {
    return this.truthOf(spec, "array", async (root) =>
      Truth.of(await this.zarr.open(root.resolve(spec.array), { kind: "array" })),
    );
  }

  /** The outcome of a call that may fail, as text. */
  async #told(call) {
    try {
      return await call();
    } catch (error) {
      if (!this.zarr.isZarrError(error)) throw error;
      return error.name;
    }
  }

  /** A store for the faults of one run, and the way to open it. */
  #storeOf(pick, number, spec, base) {
    const { zarr } = this;
    const way = ["engine", "engine", "page's fetch", "page's store"][pick(4)];
    const options = {
      // A browser that finds half of an answer in its cache may fail once by itself.
      retry: { attempts: (globalThis.document ? 2 : 1) + pick(3), delay: 1 },
      timeout: number % 8 > 0 ? 60_000 : timeout,
      useSuffixRequest: pick(4) === 0,
    };
    if (pick(5) === 0) options.cache = ["default", "no-store", "no-cache", "reload"][pick(4)];
    if (way === "page's fetch") options.fetch = (request) => fetch(request);
    const url = (path) => new URL(path.split("/").map(encodeURIComponent).join("/"), base).href;
    const of = (address) => {
      const store = new zarr.FetchStore(address, options);
      if (way !== "page's store") return store;
      return {
        get: (key, more) => store.get(key, more),
        getRange: (key, range, more) => store.getRange(key, range, more),
      };
    };
    const { store_kind: kind, store } = spec;
    if (kind === "dir") return [way, zarr.root(of(url(store)))];
    const name = kind.replace("-parquet", "");
    const settings = this.#settings(spec, base);
    if (kind === "zip" || kind === "reference") {
      const cut = store.lastIndexOf("/");
      // One object of a store: the folder that it is in.
      const folder = of(url(store.slice(0, cut)));
      return [way, zarr.root({ [name]: folder, key: store.slice(cut + 1), ...settings })];
    }
    return [way, zarr.root({ [name]: of(url(store)), ...settings })];
  }

  /** Runs the case of that number. */
  async one(number, tell = () => {}) {
    const pick = random(this.seed, number);
    const isGroup = pick(12) === 0;
    const list = isGroup ? this.groups : this.specs;
    const spec = list[pick(list.length)];
    const truth = isGroup ? undefined : await this.arrayTruth(spec);
    const codecs = truth?.array.codecs ?? [];
    const kinds = pick(7) === 0 ? "any" : bare(codecs) ? "bare" : truth && sealed(truth.array) ? "sealed" : "told";
    const percent = [20, 50, 70, 80, 90][pick(5)];
    const run = `${this.seed}.${number}.${percent}.${kinds}`;
    const server = this.servers[number % this.servers.length];
    const base = `${server}~${run}/${spec.folder}`;
    const [way, root] = this.#storeOf(pick, number, spec, base);
    const about = `${spec.id}, ${way}, ${run}`;
    const order = async (what) => {
      const res = await fetch(`${server}-/seeded?run=${run}`, { method: "POST", body: what });
      return res.status === 200 ? res.json() : undefined;
    };
    tell(about);
    const session = { number, about, tell, order, problems: [] };
    if (isGroup) await this.#group(session, pick, spec, root);
    else await this.#array(session, pick, spec, root, truth);
    const summary = await order("end");
    this.#count(session, summary);
    return { session, summary };
  }

  #count(session, summary) {
    const { found } = this;
    found.requests += summary.requests;
    found.untold += summary.untold;
    for (const [kind, n] of Object.entries(summary.faults)) {
      found.faults += n;
      found.kinds[kind] = (found.kinds[kind] ?? 0) + n;
    }
    const apart =
      summary.untold > 0 ? session.problems.filter(({ kind }) => kind !== "hangs" && kind !== "crashes") : [];
    found.apart += apart.length;
    const bad = session.problems.filter((problem) => !apart.includes(problem));
    for (const { kind } of bad) found[kind]++;
    if (bad.length > 0)
      this.failures.push({
        number: session.number,
        about: session.about,
        problems: bad.map(({ kind, text }) => `${kind}: ${text}`),
      });
  }

  /**
   * Reads concurrently, and repeats failed reads without faults.
   * @param {{ name: string, run: () => Promise<unknown>, check: (value: unknown) => Promise<string
   * | undefined> | string | undefined }[]} reads
   * @returns {Promise<unknown[]>} the results
   */
  async #reads(session, reads) {
    const first = await Promise.all(reads.map((read) => this.#read(session, read)));
    this.found.selections += reads.length;
    const failed = reads.filter((_, i) => first[i].error);
    if (failed.length === 0) return first.map(({ value }) => value);
    await session.order("calm");
    const second = await Promise.all(failed.map((read) => this.#again(session, read)));
    this.found.again += failed.length;
    await session.order("storm");
    for (const [i, { error }] of second.entries()) {
      if (error)
        session.problems.push({ kind: "clean re-reads failed", text: `${failed[i].name}: ${describe(error)}` });
    }
    return first.map(({ error, value }, i) => (error ? second[failed.indexOf(reads[i])].value : value));
  }

  async #again(session, read) {
    for (let times = 1; ; times++) {
      const came = await this.#read(session, read, true);
      if (times === patience || !passing.test(came.error?.message)) return came;
    }
  }

  async #read(session, { name, run, check }, again = false) {
    const began = performance.now();
    const shown = again ? `${name}, again` : name;
    try {
      const value = await within(hung, run);
      const wrong = await check(value);
      if (wrong) session.problems.push({ kind: "wrong values", text: `${shown}: ${wrong}` });
      else this.found.right++;
      session.tell(`  ${shown}: ${wrong ?? "right"}`);
      return { value };
    } catch (error) {
      session.tell(`  ${shown}: ${describe(error)}`);
      if (error instanceof Hang) session.problems.push({ kind: "hangs", text: `${shown}: ${error.message}` });
      else if (!named(this.zarr, error))
        session.problems.push({ kind: "crashes", text: `${shown}: ${describe(error)}\n${error?.stack}` });
      const { errors } = this.found;
      if (!again) errors[error?.name] = (errors[error?.name] ?? 0) + 1;
      return { error };
    } finally {
      this.found.most = Math.max(this.found.most, Math.round(performance.now() - began));
    }
  }

  async #array(session, pick, spec, root, truth) {
    const { zarr } = this;
    const open = { 1: zarr.open, 2: zarr.open.v2, 3: zarr.open.v3 }[pick(2) ? spec.format : 1] ?? zarr.open;
    const opening = {
      name: "open",
      run: () => open(root.resolve(spec.array), { kind: "array" }),
      check: (array) => sameNode(array, truth.array),
    };
    const [array] = await this.#reads(session, [opening]);
    if (!array) return;
    const reads = 3 + pick(8);
    for (let n = 0; n < reads; ) {
      const batch = Array.from({ length: 1 + pick(3) }, () => this.readOf(pick, array, truth));
      n += batch.length;
      await this.#reads(session, batch);
    }
  }

  /** A read of an array with these further options, and its expected result. */
  readOf(pick, array, truth, more = {}) {
    const { shape } = truth.array;
    const { size } = truth.array.type;
    const rank = shape.length;
    const some = product(shape) > 0;
    const { slice } = this.zarr;
    switch (rank > 0 && some ? pick(8) : 7) {
      case 0: {
        const coords = truth.array.chunkGrid.shape.map((n) => pick(n));
        const bytes = size > 0;
        return {
          name: `getChunk [${coords}]`,
          run: () => array.getChunk(coords, bytes ? { ...more, as: "bytes" } : more),
          check: async ({ data, shape }) =>
            textOf(bytes ? data : elements(data, product(shape))) === (await truth.chunk(coords))
              ? undefined
              : "other values",
        };
      }
      case 1: {
        const n = 1 + pick(5);
        const coords = shape.map((d) => Array.from({ length: n }, () => pick(d)));
        const places = coords[0].map((_, i) => coords.reduce((at, list, d) => at * shape[d] + list[i], 0));
        return {
          name: `vindex ${JSON.stringify(coords)}`,
          run: () => array.vindex(coords, more),
          check: (got) => truth.compare({ places, shape: [n] }, got, false),
        };
      }
      case 2: {
        const selection = selectionOf(pick, slice, shape);
        const expected = placesOf(selection, shape);
        return {
          name: `chunksIn ${JSON.stringify(selection)}`,
          run: async () => {
            const parts = [];
            for await (const part of array.chunksIn(selection, { ...more, ahead: 1 + (expected.places.length % 4) }))
              parts.push(part);
            return parts;
          },
          check: (parts) => {
            let count = 0;
            for (const part of parts) {
              const { places, shape: of } = placesOf(part.selection, shape);
              count += places.length;
              const wrong = truth.compare({ places, shape: of }, part, false);
              if (wrong) return `chunk [${part.coords}]: ${wrong}`;
            }
            return count === expected.places.length ? undefined : `${count} elements and not ${expected.places.length}`;
          },
        };
      }
      case 3: {
        if (!(size > 0)) break;
        const selection = selectionOf(pick, slice, shape);
        return {
          name: `view ${JSON.stringify(selection)}`,
          run: () => array.view(`r${8 * size}`).get(selection, { ...more, as: "bytes" }),
          check: (got) => truth.compare(placesOf(selection, shape), got, true),
        };
      }
    }
    const selection = rank === 0 ? null : selectionOf(pick, slice, shape);
    const expected = placesOf(selection, shape);
    const asBytes = size > 0 && pick(3) > 0;
    return {
      name: `get ${JSON.stringify(selection)}${asBytes ? " as bytes" : ""}`,
      run: () => array.get(selection, asBytes ? { ...more, as: "bytes" } : more),
      check: (got) => {
        if (asBytes) return truth.compare(expected, got, true);
        // Integers alone select an element. In an array without dimensions, every selection does.
        const scalar = rank === 0 || (selection?.length === rank && expected.shape.length === 0);
        return scalar ? truth.compareList(expected.places, [got]) : truth.compare(expected, got, false);
      },
    };
  }

  async #group(session, pick, spec, root) {
    const { zarr } = this;
    const truth = await this.truthOf(spec, "group", (clean) => zarr.open(clean.resolve(spec.group), { kind: "group" }));
    const opening = {
      name: "open",
      run: () => zarr.open(root.resolve(spec.group), { kind: "group" }),
      check: (group) => sameNode(group, truth),
    };
    const [group] = await this.#reads(session, [opening]);
    if (!group) return;
    // A member that could not be opened is an error of the read.
    const whole = (node) => {
      if (node.error) throw node.error;
      return node;
    };
    const walk = ({ node, children }) => {
      whole(node);
      children.forEach(walk);
    };
    const ways = {
      // Variables that attributes name are left out when they seem to be absent.
      members: async (of) => {
        const members = (await of.members()).map(whole);
        return textOf(
          members.filter(({ how }) => how !== "named" && how !== "probed").map(({ name, kind }) => [name, kind]),
        );
      },
      tree: async (of) => {
        const tree = await of.tree({ maxDepth: 2 });
        walk(tree);
        return String(tree);
      },
    };
    const all = await this.truthOf(spec, "all", async () => {
      const members = await truth.members().catch(() => []);
      return members.every(({ how }) => how !== "named" && how !== "probed");
    });
    const reads = 2 + pick(4);
    for (let n = 0; n < reads; n++) {
      const name = Object.keys(ways)[pick(all ? 2 : 1)];
      const want = await this.truthOf(spec, name, () => this.#told(() => ways[name](truth)));
      await this.#reads(session, [
        {
          name,
          run: async () => {
            try {
              return await ways[name](group);
            } catch (error) {
              if (error?.name === want) return want;
              throw error;
            }
          },
          check: (got) => (got === want ? undefined : `${got} and not ${want}`),
        },
      ]);
    }
  }

  /**
   * Runs the cases from a number on until `count` selections are read, or `minutes` have passed,
   * with `atOnce` concurrent cases.
   */
  async many(count, { from = 0, atOnce = 96, minutes = Number.POSITIVE_INFINITY } = {}) {
    let next = from;
    const end = performance.now() + 60_000 * minutes;
    const running = new Map();
    const late = setInterval(() => {
      if (performance.now() > end + 60_000)
        for (const [number, said] of running) console.log(`still under way: --only ${number} ${this.seed}: ${said}`);
    }, 30_000);
    const workers = Array.from({ length: atOnce }, async () => {
      while (this.found.selections < count && performance.now() < end) {
        const number = next++;
        try {
          await this.one(number, (said) => running.set(number, said));
        } catch (error) {
          this.found.crashes++;
          this.failures.push({ number, about: "the test itself", problems: [`${error?.stack ?? error}`] });
        }
        running.delete(number);
      }
    });
    await Promise.all(workers);
    clearInterval(late);
  }
}

/** The fault of a node that was read, compared with a correct one. */
function sameNode(got, want) {
  const of = (node) => textOf([node.kind, node.path, node.format, node.shape, node.dtype, node.chunks, node.attrs]);
  return of(got) === of(want) ? undefined : `${of(got).slice(0, 200)} and not ${of(want).slice(0, 200)}`;
}

/** The subject of the scenario, in Node or on a page. */
export async function make({ zarr, json, tell, servers, seed }) {
  const [manifest, containers] = await Promise.all([json("manifest.json"), json("public/containers.json")]);
  const sequences = new Sequences({ zarr, servers, manifest, containers, seed });
  return {
    async one(number) {
      const { summary, session } = await sequences.one(number, tell);
      const problems = session.problems.map(({ kind, text }) => `${kind}: ${text}`);
      return { summary, about: session.about, problems };
    },
    async many(count, options) {
      await sequences.many(count, options);
      return { found: sequences.found, failures: sequences.failures };
    },
  };
}

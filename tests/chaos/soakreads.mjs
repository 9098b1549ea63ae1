// Mixed reads over HTTP by a seed, many at once, in Node and in pages. Meanwhile reads are aborted,
// engines and helpers end, and the server is unreachable for a while. Each read returns the right
// values, or an error that one of these events explains. Repeated, it returns the right values.

import { checkValues } from "../js/engine-cases.mjs";
import { random } from "../lib/random.mjs";
import { Hang, within } from "./oracle.mjs";
import { Sequences } from "./sequence.mjs";

/** A read that takes longer than this, in milliseconds, hangs. */
const hung = 180_000;
/**
 * How long after a worker's end or an outage a read may still be affected, in milliseconds: it may
 * share another one's request.
 */
const aftermath = 15_000;
/** The number of open arrays and groups, and of concurrent reads. */
const open = 12;
const atOnce = 6;
/** After this many milliseconds of silence, a worker that starts another counts as dead. */
const silence = 10_000;

const later = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/**
 * `kills` ends a part of the engine by name. `interrupt(kind)` makes the server unreachable, or
 * hides the page, for a while, and settles afterwards. `common` leaves out cases that need
 * zarr-full.wasm. `loses`: the browser may lose a worker for good.
 */
class Soak {
  constructor({ zarr, server, big, manifest, containers, seed, kills, interrupt, common = false, loses = false }) {
    Object.assign(this, { zarr, seed, kills, interrupt, common, loses });
    this.lost = Number.NEGATIVE_INFINITY;
    this.sequences = new Sequences({ zarr, servers: [server], manifest, containers, seed });
    this.big = new URL(big, server).href;
    this.slots = new Map();
    this.running = new Set();
    /** The times of a worker's last end and of the last outage, and the number of outages now. */
    this.ended = Number.NEGATIVE_INFINITY;
    this.unreached = Number.NEGATIVE_INFINITY;
    this.cut = 0;
    this.found = { reads: 0, right: 0, aborted: 0, ended: 0, unreached: 0, again: 0, opened: 0 };
    this.happened = { terminate: 0, engine: 0, helper: 0, lost: 0, offline: 0, hidden: 0 };
    this.problems = [];
  }

  /** Reads the expected values, and sets small caches, so that reads always request and decode. */
  async begin() {
    const { zarr, sequences } = this;
    await zarr.caches({ encoded: 4 << 20, decoded: 4 << 20 });
    const pick = random(this.seed, -1);
    const { specs } = sequences;
    // A sample of all kinds, with their expected values.
    this.specs = [];
    for (let i = 0; i < 160; i++) {
      const spec = specs[pick(specs.length)];
      try {
        await sequences.arrayTruth(spec);
        this.specs.push(spec);
      } catch (error) {
        if (!this.common || !zarr.isZarrError(error, "UnknownCodecError", "UnsupportedError")) throw error;
      }
    }
  }

  /** Makes the reads of these numbers. With `endings` engines may end. */
  async lap(from, count, endings) {
    const waiting = [];
    for (let n = from; n < from + count; n++) {
      if (n % 100 === 50) this.#end("helper");
      if (endings && n % 500 === 250) this.#end("terminate");
      if (endings && n % 500 === 400) this.#end("engine");
      if (n % 250 === 125) waiting.push(this.#interrupt((n - 125) % 500 === 0 ? "offline" : "hidden"));
      while (this.running.size >= atOnce) await Promise.race(this.running);
      const run = this.#read(n).finally(() => this.running.delete(run));
      this.running.add(run);
    }
    await Promise.all([...this.running, ...waiting]);
  }

  #end(what) {
    this.happened[what]++;
    this.ended = performance.now();
    if (what === "terminate") this.zarr.terminate();
    else this.kills[what]();
  }

  async #interrupt(kind) {
    this.happened[kind]++;
    if (kind === "offline") this.cut++;
    await this.interrupt(kind);
    if (kind !== "offline") return;
    this.cut--;
    this.unreached = performance.now();
  }

  async #read(n) {
    const pick = random(~this.seed, n);
    const control = new AbortController();
    const abort = pick(4) === 0;
    const wait = pick(3) * pick(8);
    const read = this.#choose(random(this.seed, n), abort ? { signal: control.signal } : {});
    const first = this.#try(read);
    if (abort) {
      if (wait > 0) setTimeout(() => control.abort(), wait);
      else control.abort();
    }
    let came = await first;
    this.found.reads++;
    if (came === "right") this.found.right++;
    else if (came.aborted && abort) {
      this.found.aborted++;
      return;
    } else {
      // If another event happened meanwhile, the answer does not count.
      const again = this.#choose(random(this.seed, n), {});
      for (let i = 0; i < 20 && came !== "right" && (came.excused || i === 0); i++) {
        if (came.excused) this.found[came.excused]++;
        else break;
        while (this.cut > 0) await later(20);
        came = await this.#try(again);
        this.found.again++;
      }
      if (came !== "right") this.problems.push(`${n}, ${read.name}: ${came.text}`);
    }
  }

  /** Returns "right", or another outcome with its explanation. */
  async #try(read) {
    const began = performance.now();
    const { cut } = this;
    try {
      const wrong = await within(hung, read.run);
      return wrong === undefined ? "right" : { text: `wrong: ${wrong}` };
    } catch (error) {
      const text = `${error?.name}: ${error?.message}`;
      if (error?.name === "AbortError") return { aborted: true, text };
      if (error instanceof Hang || !this.zarr.isZarrError(error)) return { text: `${text}\n${error?.stack}` };
      if (error.name === "EngineError") {
        const waited = performance.now() - began;
        // An ended worker is noticed at once. When one is lost, all of its reads fail together.
        if (this.loses && waited > silence && error.message.endsWith("the browser has ended it")) {
          if (!(this.lost > began)) this.happened.lost++;
          this.lost = performance.now();
          return { excused: "ended", text };
        }
        return this.ended > began - aftermath ? { excused: "ended", text } : { text };
      }
      return cut > 0 || this.cut > 0 || this.unreached > began - aftermath ? { excused: "unreached", text } : { text };
    }
  }

  /** A random read. It returns a fault, or undefined. */
  #choose(pick, more) {
    switch (pick(14)) {
      case 0:
        return this.#members(pick);
      case 1:
      case 2:
        return this.#region(pick, more);
      case 3:
        return this.#left(pick);
      default:
        return this.#selection(pick, more);
    }
  }

  /** An open array, or one opened now in place of another that is no longer cached. */
  #open(slot, spec, anew) {
    const known = this.slots.get(slot);
    if (known && !anew) return known;
    this.found.opened++;
    const { sequences, zarr } = this;
    const opening = (async () => {
      const truth = await sequences.arrayTruth(spec);
      const array = await zarr.open(sequences.rootOf(spec).resolve(spec.array), { kind: "array" });
      return { array, truth };
    })();
    this.slots.set(slot, opening);
    opening.catch(() => {
      if (this.slots.get(slot) === opening) this.slots.delete(slot);
    });
    return opening;
  }

  #selection(pick, more) {
    const which = [pick(open), this.specs[pick(this.specs.length)], pick(8) === 0];
    const number = pick(1 << 30);
    return {
      name: "selection",
      run: async () => {
        const { array, truth } = await this.#open(...which);
        const read = this.sequences.readOf(random(this.seed, number), array, truth, more);
        return read.check(await read.run());
      },
    };
  }

  /** Reads some of the chunks of a selection, and abandons the rest. */
  #left(pick) {
    const which = [pick(open), this.specs[pick(this.specs.length)], false];
    return {
      name: "chunksIn, left",
      run: async () => {
        const { array } = await this.#open(...which);
        if (array.shape.length === 0 || array.shape.includes(0)) return;
        for await (const { data } of array.chunksIn(null)) {
          if (data === undefined) return "no data";
          break;
        }
      },
    };
  }

  /** A region of an array of large compressed chunks, which helpers decode. */
  #region(pick, more) {
    const { zarr } = this;
    const [y, x] = [pick(1800), pick(1800)];
    const [height, width] = [1 + pick(500), 1 + pick(500)];
    return {
      name: `region ${y}, ${x}`,
      run: async () => {
        this.array ??= zarr.open(this.big, { kind: "array" });
        const array = await this.array.catch((error) => {
          this.array = undefined;
          throw error;
        });
        const got = await array.get([zarr.slice(y, y + height), zarr.slice(x, x + width)], more);
        try {
          checkValues(got, y, x);
        } catch (error) {
          return error.message;
        }
      },
    };
  }

  #members(pick) {
    const { sequences, zarr } = this;
    const spec = sequences.groups[pick(sequences.groups.length)];
    const names = async () => {
      const group = await zarr.open(sequences.rootOf(spec).resolve(spec.group), { kind: "group" });
      return (await group.members()).map(({ name, kind }) => `${name}:${kind}`).join();
    };
    return {
      name: `members of ${spec.id}`,
      run: async () => {
        try {
          const now = await names();
          this.lists ??= new Map();
          const before = this.lists.get(spec.id) ?? now;
          this.lists.set(spec.id, before);
          return now === before ? undefined : `${now} and not ${before}`;
        } catch (error) {
          // A store that cannot list, or refuses, does so each time.
          if (error?.name !== "UnsupportedError" && error?.name !== "InvalidMetadataError") throw error;
        }
      },
    };
  }

  /** The number of live workers, by the locks that they hold; undefined without locks. */
  async #workers() {
    return (await globalThis.navigator?.locks?.query?.())?.held.length;
  }

  /**
   * The resources held while idle. With `end` the engine is ended first, and nothing of it may
   * remain.
   */
  async rest(end) {
    const memory = await this.zarr.memory();
    if (end) {
      this.zarr.terminate();
      this.array = undefined;
      this.slots.clear();
    }
    let workers = await this.#workers();
    const expected = async () => (end ? 0 : memory.engine === 0 ? 0 : 1 + (await this.zarr.memory()).helpers.length);
    // A lost worker keeps its lock, and the locks that were freed for it.
    const kept = 4 * this.happened.lost;
    for (const until = performance.now() + 30_000; workers !== undefined && workers !== (await expected()); ) {
      const more = workers - (await expected());
      if (more > 0 && more <= kept && performance.now() > until - 29_000) break;
      if (performance.now() > until) {
        this.problems.push(`${workers} workers where ${await expected()} are wanted`);
        break;
      }
      await later(50);
      workers = await this.#workers();
    }
    return { memory, workers };
  }

  get state() {
    return { found: this.found, happened: this.happened, problems: this.problems };
  }
}

/** Starts the engine with workers that can be ended: returns the functions that end them. */
async function mortal(zarr) {
  if (globalThis.document) {
    const channel = new BroadcastChannel("mortal");
    const worker = () => new Worker("/tests/browser/mortal-worker.js", { type: "module" });
    await zarr.init({ worker, workers: 3 });
    return { engine: () => channel.postMessage("engine"), helper: () => channel.postMessage("helper") };
  }
  const { Worker: Thread } = await import("node:worker_threads");
  let last;
  const worker = () => {
    last = new Thread(new URL("../../dist/worker-node.js", import.meta.url));
    return last;
  };
  const url = new URL("../../build/zarr-crash.wasm", import.meta.url);
  // The complete build has no message that ends it.
  await zarr.init({ worker, workers: 3, url, fullUrl: new URL("../../build/none.wasm", import.meta.url) });
  const crash = (how) => last.postMessage({ op: "crash", id: 0, why: "a test", ...how });
  return { engine: () => crash({}), helper: () => crash({ helpers: true }) };
}

/** The addresses of a page's objects that are not revoked. */
function objectUrls() {
  const urls = new Set();
  if (!globalThis.document) return urls;
  const { createObjectURL, revokeObjectURL } = URL;
  URL.createObjectURL = (blob) => {
    const url = createObjectURL(blob);
    urls.add(url);
    return url;
  };
  URL.revokeObjectURL = (url) => {
    urls.delete(url);
    revokeObjectURL(url);
  };
  return urls;
}

/** The subject of the scenario, in Node or on a page. */
export async function make({ zarr, json, tell, ...job }) {
  const urls = objectUrls();
  const kills = await mortal(zarr);
  const [manifest, containers] = await Promise.all([json("manifest.json"), json("public/containers.json")]);
  const soak = new Soak({ ...job, zarr, manifest, containers, kills, common: !globalThis.document });
  await soak.begin();
  return {
    lap: (...args) => soak.lap(...args),
    rest: async (end) => ({ ...(await soak.rest(end)), urls: urls.size }),
    state: async () => soak.state,
  };
}

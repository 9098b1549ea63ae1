// Random programs of writes through a server with seeded faults, before a write takes effect or
// after it, compared with a model. The engine in wasm runs them, like the Go test of
// tests/chaos/faulty.

import { random } from "../lib/random.mjs";
import { demand } from "./suite.mjs";

const steps = 15;
const fill = 7;

function equal(is, wanted, about) {
  demand(String(is) === String(wanted), `${about}: ${is}, not ${wanted}`);
}

/** An array that is written through faults, and its expected content. */
class Program {
  constructor({ zarr, write, server, seen }, seed) {
    Object.assign(this, { zarr, write, server, seen });
    // Every other program sends its requests by its own function on the page.
    this.own = seed % 2 === 1;
    this.r = random(seed + 1900);
    this.run = `20.${8 * seed + 1}.${10 + this.r(35)}.writes`;
    this.log = [];
    this.failures = 0;
  }

  store() {
    const options = { retry: { attempts: 1 + this.r(3), delay: 1 } };
    if (this.own) options.fetch = (request) => fetch(request);
    return new this.zarr.FetchStore(`${this.server}~${this.run}/a`, options);
  }

  async tell(order) {
    const response = await fetch(`${this.server}-/seeded?run=${this.run}`, { method: "POST", body: order });
    return response.text();
  }

  /** Opens the array like an unrelated program; undefined if it does not exist. */
  async opened() {
    return this.zarr.open(this.store(), { kind: "array" }).catch((error) => {
      if (error.name === "NotFoundError") return undefined;
      throw error;
    });
  }

  /**
   * Reloads after an error, since a browser may have cached the wrong answer. A success needs no
   * reload.
   */
  async refresh() {
    const keys = ["", "/", ...this.seen];
    await Promise.all(
      keys.map((key) => fetch(`${this.server}~${this.run}/a${key}`, { cache: "reload" }).catch(() => {})),
    );
  }

  /** Performs an action through faults, and then checks the result without faults. */
  async step(what, run, look) {
    let error;
    try {
      await run();
    } catch (thrown) {
      error = thrown;
      this.failures++;
    }
    this.log.push(`${what}: ${error ?? "done"}`);
    const names = [
      "WriteError",
      "HttpError",
      "InvalidMetadataError",
      "CodecPipelineError",
      "ExistsError",
      "NotFoundError",
    ];
    names.push("ConflictError", "StoreError", "UnsupportedError");
    demand(!error || names.includes(error.name), `${error?.stack}`);
    await this.tell("calm");
    if (error) await this.refresh();
    await look(error, await this.opened());
    this.array = await this.opened();
    await this.tell("storm");
  }

  async make() {
    this.shape = [1 + this.r(10), 1 + this.r(8)];
    const format = 2 + this.r(2);
    const chunks = [1 + this.r(4), 1 + this.r(4)];
    const shards = format === 3 && this.r(3) === 0 ? chunks.map((n) => 2 * n) : undefined;
    const options = { shape: this.shape, chunks, shards, dtype: "uint16", fillValue: fill, zarr_format: format };
    this.data = new Array(this.shape[0] * this.shape[1]).fill(fill);
    this.attrs = {};
    this.left = new Map();
    const store = this.store();
    await this.step(
      "create",
      () => this.write.createArray(store, options),
      async (error, now) => {
        if (!now) {
          demand(error, "there is no array after it was made");
          await this.write.createArray(this.store(), options);
          return;
        }
        equal(now.shape, this.shape, "the shape");
        equal(await this.read(now), this.data, "elements");
      },
    );
  }

  async remove() {
    await this.step(
      "delete",
      () => this.write.deleteNode(this.array),
      async (error, now) => {
        demand(error || !now, "the array is there after it was deleted");
        if (now) await this.write.deleteNode(now);
        const page = await fetch(`${this.server}~${this.run}/a/`, { cache: "no-store" });
        equal([page.status], [404], "what is left without metadata");
      },
    );
    await this.make();
  }

  async read(array) {
    return Array.from((await array.get()).data);
  }

  at(y, x) {
    return y * this.shape[1] + x;
  }

  async set() {
    const picks = this.shape.map((n) => {
      const from = this.r(n);
      return { from, to: from + 1 + this.r(n - from), step: 1 + this.r(2) };
    });
    const places = picks.map(({ from, to, step }) => {
      const list = [];
      for (let i = from; i < to; i += step) list.push(i);
      return list;
    });
    const wanted = [...this.data];
    const value = this.r(4) === 0 ? fill : this.r(60000);
    const values = [];
    for (const y of places[0]) {
      for (const x of places[1]) {
        values.push(value === fill ? fill : value + this.at(y, x));
        wanted[this.at(y, x)] = values.at(-1);
      }
    }
    const data = { data: Uint16Array.from(values), shape: places.map((list) => list.length) };
    data.stride = [data.shape[1], 1];
    const selection = picks.map(({ from, to, step }) => this.zarr.slice(from, to, step));
    const skipEmpty = this.r(3) === 0;
    await this.step(
      "set",
      () => this.write.set(this.array, selection, data, { skipEmpty }),
      async (error, now) => {
        const got = await this.read(now);
        const begun = !error || error.name === "WriteError";
        const chunks = now.shards ?? now.chunks;
        const states = new Map();
        got.forEach((is, i) => {
          const [y, x] = [Math.floor(i / this.shape[1]), i % this.shape[1]];
          const key = keyOf(now, [Math.floor(y / chunks[0]), Math.floor(x / chunks[1])]);
          const state = states.get(key) ?? { older: true, newer: true };
          states.set(key, state);
          state.older &&= is === this.data[i];
          state.newer &&= is === (begun ? wanted : this.data)[i];
        });
        for (const [key, { older, newer }] of states) {
          demand(newer || (error && older && !error.written?.includes(key)), `${key} is neither old nor new`);
        }
        for (const key of error?.written ?? []) demand(states.has(key), `${key} is not a chunk`);
        this.data = got;
      },
    );
  }

  async update() {
    const [name, value] = [`a${this.r(3)}`, this.r(1000)];
    await this.step(
      "attributes",
      () => this.write.updateAttributes(this.array, { [name]: value }),
      async (error, now) => {
        const wanted = { ...this.attrs, [name]: value };
        const is = JSON.stringify(now.attrs, Object.keys(now.attrs).sort());
        const text = (of) => JSON.stringify(of, Object.keys(of).sort());
        demand(is === text(wanted) || (error && is === text(this.attrs)), `${is}, not ${text(wanted)}`);
        this.attrs = { ...now.attrs };
        equal(await this.read(now), this.data, "elements");
      },
    );
  }

  async resize() {
    const to = [1 + this.r(10), 1 + this.r(8)];
    await this.step(
      `resize to ${to}`,
      () => this.write.resize(this.array, to),
      (error, now) => this.reshaped(error, now, to, []),
    );
  }

  async append() {
    const n = 1 + this.r(3);
    const values = Uint16Array.from({ length: n * this.shape[1] }, () => this.r(60000));
    const to = [this.shape[0] + n, this.shape[1]];
    await this.step(
      `append ${n}`,
      () => this.write.append(this.array, { data: values, shape: [n, to[1]], stride: [to[1], 1] }),
      (error, now) => this.reshaped(error, now, to, values),
    );
  }

  async reshaped(error, now, to, added) {
    const is = String(now.shape);
    demand(is === String(to) || (error && is === String(this.shape)), `the shape is ${is}, not ${to}`);
    const got = await this.read(now);
    got.forEach((value, i) => {
      const [y, x] = [Math.floor(i / now.shape[1]), i % now.shape[1]];
      if (y < this.shape[0] && x < this.shape[1]) {
        equal([value], [this.data[this.at(y, x)]], `element ${y}, ${x}`);
        return;
      }
      const kept = this.left.get(`${y} ${x}`);
      const wanted = added.length > 0 ? added[(y - this.shape[0]) * now.shape[1] + x] : fill;
      demand(value === wanted || (value === fill && error) || value === kept, `element ${y}, ${x} is ${value}`);
    });
    // A failed resize may leave chunks, which reappear.
    if (error || this.left.size > 0) {
      this.data.forEach((value, i) => {
        this.left.set(`${Math.floor(i / this.shape[1])} ${i % this.shape[1]}`, value);
      });
    }
    this.shape = [...now.shape];
    this.data = got;
  }
}

/** The key of a chunk. */
function keyOf({ chunkKeyEncoding: { name, separator }, format }, coords) {
  const text = coords.join(separator);
  return format === 3 && name !== "v2" ? `c${separator}${text}` : text;
}

/**
 * Runs programs by seed with the package and the module `write` on a server's address. Returns how
 * many steps succeeded, and how many failed.
 */
export async function runFaultyWrites({ first, count, ...place }) {
  const seen = new Set();
  await place.zarr.init({ onRequest: ({ key }) => seen.add(key) });
  let failures = 0;
  let done = 0;
  for (let seed = first; seed < first + count; seed++) {
    const program = new Program({ ...place, seen }, seed);
    try {
      await program.make();
      for (let step = 0; step < steps; step++) {
        const what = program.r.of(["set", "set", "set", "set", "resize", "append", "update", "remove"]);
        await program[what]();
      }
    } catch (error) {
      const summary = await program.tell("end");
      throw new Error(`seed ${seed}: ${error.stack}\n${program.log.join("\n")}\n${summary}`, { cause: error });
    }
    await program.tell("end");
    failures += program.failures;
    done += program.log.length;
  }
  return { failures, done };
}

// Random programs of writes through a server that fails by a seed, before a write is done or after, beside a model: as
// tests/faulty/writes_test.go, by the engine in wasm.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import * as zarr from "../../dist/node.js";
import * as write from "../../dist/write-node.js";
import { serve } from "./serve.mjs";
import { randomOf } from "./write-program.mjs";

const first = Number(process.env.WRITE_SEED ?? 0);
const count = Number(process.env.WRITE_COUNT ?? 12);
const steps = 15;
const fill = 7;

let server;
before(async () => {
  server = await serve(".", "-faults");
});
after(() => {
  server.close();
  zarr.terminate();
});

/** An array that is written through faults, and what it has. */
class Program {
  constructor(seed) {
    this.r = randomOf(seed + 1900);
    this.run = `20.${8 * seed + 1}.${10 + this.r.random(35)}.writes`;
    this.log = [];
    this.failures = 0;
  }

  store() {
    const retry = { attempts: 1 + this.r.random(3), delay: 1 };
    return new zarr.FetchStore(`${server.url}~${this.run}/a`, { retry });
  }

  async tell(order) {
    const response = await fetch(`${server.url}-/seeded?run=${this.run}`, { method: "POST", body: order });
    return response.text();
  }

  /** Opens the array as a program does that knows nothing of it; undefined where there is none. */
  async opened() {
    return zarr.open(this.store(), { kind: "array" }).catch((error) => {
      if (error.name === "NotFoundError") return undefined;
      throw error;
    });
  }

  /** Does something through faults, and then looks at what is there while there are none. */
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
    assert.ok(!error || names.includes(error.name), `${error?.stack}`);
    await this.tell("calm");
    await look(error, await this.opened());
    this.array = await this.opened();
    await this.tell("storm");
  }

  async make() {
    this.shape = [1 + this.r.random(10), 1 + this.r.random(8)];
    const format = 2 + this.r.random(2);
    const chunks = [1 + this.r.random(4), 1 + this.r.random(4)];
    const shards = format === 3 && this.r.random(3) === 0 ? chunks.map((n) => 2 * n) : undefined;
    const options = { shape: this.shape, chunks, shards, dtype: "uint16", fillValue: fill, zarr_format: format };
    this.data = new Array(this.shape[0] * this.shape[1]).fill(fill);
    this.attrs = {};
    this.left = new Map();
    const store = this.store();
    await this.step(
      "create",
      () => write.createArray(store, options),
      async (error, now) => {
        if (!now) {
          assert.ok(error, "there is no array after it was made");
          await write.createArray(this.store(), options);
          return;
        }
        assert.deepEqual(now.shape, this.shape);
        assert.deepEqual(await this.read(now), this.data);
      },
    );
  }

  async remove() {
    await this.step(
      "delete",
      () => write.deleteNode(this.array),
      async (error, now) => {
        assert.ok(error || !now, "the array is there after it was deleted");
        if (now) await write.deleteNode(now);
        const page = await fetch(`${server.url}~${this.run}/a/`);
        assert.equal(page.status, 404, "what is left without metadata");
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
      const from = this.r.random(n);
      return { from, to: from + 1 + this.r.random(n - from), step: 1 + this.r.random(2) };
    });
    const places = picks.map(({ from, to, step }) => {
      const list = [];
      for (let i = from; i < to; i += step) list.push(i);
      return list;
    });
    const wanted = [...this.data];
    const value = this.r.random(4) === 0 ? fill : this.r.random(60000);
    const values = [];
    for (const y of places[0]) {
      for (const x of places[1]) {
        values.push(value === fill ? fill : value + this.at(y, x));
        wanted[this.at(y, x)] = values.at(-1);
      }
    }
    const data = { data: Uint16Array.from(values), shape: places.map((list) => list.length) };
    data.stride = [data.shape[1], 1];
    const selection = picks.map(({ from, to, step }) => zarr.slice(from, to, step));
    const skipEmpty = this.r.random(3) === 0;
    await this.step(
      "set",
      () => write.set(this.array, selection, data, { skipEmpty }),
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
          assert.ok(newer || (error && older && !error.written?.includes(key)), `${key} is neither old nor new`);
        }
        for (const key of error?.written ?? []) assert.ok(states.has(key), `${key} is no chunk`);
        this.data = got;
      },
    );
  }

  async update() {
    const [name, value] = [`a${this.r.random(3)}`, this.r.random(1000)];
    await this.step(
      "attributes",
      () => write.updateAttributes(this.array, { [name]: value }),
      async (error, now) => {
        const wanted = { ...this.attrs, [name]: value };
        const is = JSON.stringify(now.attrs, Object.keys(now.attrs).sort());
        const text = (of) => JSON.stringify(of, Object.keys(of).sort());
        assert.ok(is === text(wanted) || (error && is === text(this.attrs)), `${is}, not ${text(wanted)}`);
        this.attrs = { ...now.attrs };
        assert.deepEqual(await this.read(now), this.data);
      },
    );
  }

  async resize() {
    const to = [1 + this.r.random(10), 1 + this.r.random(8)];
    await this.step(
      `resize to ${to}`,
      () => write.resize(this.array, to),
      (error, now) => this.reshaped(error, now, to, []),
    );
  }

  async append() {
    const n = 1 + this.r.random(3);
    const values = Uint16Array.from({ length: n * this.shape[1] }, () => this.r.random(60000));
    const to = [this.shape[0] + n, this.shape[1]];
    await this.step(
      `append ${n}`,
      () => write.append(this.array, { data: values, shape: [n, to[1]], stride: [to[1], 1] }),
      (error, now) => this.reshaped(error, now, to, values),
    );
  }

  async reshaped(error, now, to, added) {
    const is = String(now.shape);
    assert.ok(is === String(to) || (error && is === String(this.shape)), `the shape is ${is}`);
    const got = await this.read(now);
    got.forEach((value, i) => {
      const [y, x] = [Math.floor(i / now.shape[1]), i % now.shape[1]];
      if (y < this.shape[0] && x < this.shape[1]) {
        assert.equal(value, this.data[this.at(y, x)], `element ${y}, ${x}`);
        return;
      }
      const kept = this.left.get(`${y} ${x}`);
      const wanted = added.length > 0 ? added[(y - this.shape[0]) * now.shape[1] + x] : fill;
      assert.ok(value === wanted || (value === fill && error) || value === kept, `element ${y}, ${x} is ${value}`);
    });
    // What a resize that failed has left comes back.
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

test("random programs of writes through faults: each chunk and document is old or new", {
  timeout: 300_000,
}, async () => {
  let failures = 0;
  let done = 0;
  for (let seed = first; seed < first + count; seed++) {
    const program = new Program(seed);
    try {
      await program.make();
      for (let step = 0; step < steps; step++) {
        const what = program.r.pick(["set", "set", "set", "set", "resize", "append", "update", "remove"]);
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
  assert.ok(count < 12 || failures > done / 20, `${failures} of ${done} steps failed`);
});

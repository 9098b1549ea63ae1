// The engine's promises, tested alike wherever it runs: pages, workers, service workers, Node. The
// cases need only the platform: the arrays are made here.
import { arrayV3, bytes, json } from "../lib/documents.mjs";

const chunk = 256;
// The whole array exceeds the cache's share for one read, so each read decodes it again.
const size = 2304;

async function gzip(bytes) {
  const stream = new Blob([bytes]).stream().pipeThrough(new CompressionStream("gzip"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** Element (y, x) of the test's array. */
export const value = (y, x) => y * 5_000 + (x % 97);

let made;

/** A square array of float32 in chunks of 256 KiB, in a Map. */
export async function arrayInMemory() {
  made ??= (async () => {
    const store = new Map();
    const codecs = [bytes, { name: "gzip", configuration: { level: 1 } }];
    store.set("/zarr.json", json(arrayV3([size, size], "float32", { chunks: [chunk, chunk], codecs })));
    for (let cy = 0; cy < size / chunk; cy++) {
      for (let cx = 0; cx < size / chunk; cx++) {
        const block = new Float32Array(chunk * chunk);
        for (let y = 0, i = 0; y < chunk; y++) {
          for (let x = 0; x < chunk; x++, i++) block[i] = value(cy * chunk + y, cx * chunk + x);
        }
        store.set(`/c/${cy}/${cx}`, await gzip(block));
      }
    }
    return store;
  })();
  return new Map(await made);
}

function check(condition, what) {
  if (!condition) throw new Error(what);
}

async function rejection(promise, what) {
  try {
    await promise;
  } catch (error) {
    return error;
  }
  throw new Error(`${what}: it did not reject`);
}

/** Throws unless the elements are those of the rows and columns from y0 and x0 with these steps. */
export function checkValues({ data, shape }, y0 = 0, x0 = 0, dy = 1, dx = 1) {
  const [height, width] = shape;
  check(data.length === height * width, `${data.length} elements in a shape of ${shape}`);
  for (let y = 0, i = 0; y < height; y++) {
    for (let x = 0; x < width; x++, i++) {
      if (data[i] !== value(y0 + y * dy, x0 + x * dx)) {
        throw new Error(`element ${y}, ${x} is ${data[i]} and not ${value(y0 + y * dy, x0 + x * dx)}`);
      }
    }
  }
}

/** Reads until helpers run: they start beside the reads, so the number of reads varies. */
export async function helped(zarr, array) {
  for (const end = performance.now() + 60_000; performance.now() < end; await array.get())
    if ((await zarr.memory()).helpers.length > 0) return;
  throw new Error("no helper was started in a minute of reads");
}

const later = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** Waits for a condition. */
async function until(condition, what) {
  for (const end = performance.now() + 60_000; performance.now() < end; await later(5)) if (await condition()) return;
  throw new Error(`it never came: ${what}`);
}

/** The cases. `place.helpers`: helpers are available; `place.shared`: shared memory is. */
export const cases = {
  async "every selection, with and without helpers"(zarr, place) {
    const { slice } = zarr;
    for (const again of [false, true]) {
      const array = await zarr.open(await arrayInMemory(), { kind: "array" });
      if (again && place.helpers) await helped(zarr, array);
      for (const shared of place.shared ? [false, true] : [false]) {
        const options = { useSharedArrayBuffer: shared };
        const whole = await array.get(null, options);
        checkValues(whole);
        check(!shared || whole.data.buffer instanceof SharedArrayBuffer, "shared memory was asked for");
        checkValues(await array.get([slice(100, 1400), slice(3, 1501)], options), 100, 3);
        checkValues(await array.get([slice(1, null, 2), slice(null, null, 3)], options), 1, 0, 2, 3);
        checkValues(
          await array.get([slice(null, null, -1), slice(null, null, -2)], options),
          size - 1,
          size - 1,
          -1,
          -2,
        );
        checkValues(await array.get([slice(5, 1500), slice(700, 701)], options), 5, 700);
        const listed = await array.get([[3, 1200, 40], slice(0, 1000)], options);
        check(listed.data[1000] === value(1200, 0) && listed.data[2999] === value(40, 999), "a list of indices");
      }
    }
  },

  async "unavailable shared memory is a named error"(zarr, place) {
    if (place.shared) return;
    const array = await zarr.open(await arrayInMemory(), { kind: "array" });
    const error = await rejection(array.get(null, { useSharedArrayBuffer: true }), "shared memory");
    check(
      error.name === "UnsupportedError" && error.feature === "SharedArrayBuffer",
      `${error.name}: ${error.message}`,
    );
    checkValues(await array.get());
  },

  async "absent chunks"(zarr, place) {
    const store = await arrayInMemory();
    const meta = JSON.parse(new TextDecoder().decode(store.get("/zarr.json")));
    store.set("/zarr.json", json({ ...meta, fill_value: -7 }));
    store.delete("/c/1/2");
    const array = await zarr.open(store, { kind: "array" });
    for (const shared of place.shared ? [false, true] : [false]) {
      const { data } = await array.get(null, { useSharedArrayBuffer: shared });
      check(data[300 * size + 600] === -7 && data[300 * size + 500] === value(300, 500), "fill");
    }
  },

  async "parts and progress"(zarr) {
    const array = await zarr.open(await arrayInMemory(), { kind: "array" });
    const seen = new Float32Array(size * size).fill(-1);
    let last = 0;
    let total = 0;
    const result = await array.get([zarr.slice(null), zarr.slice(null)], {
      onProgress: (done, all) => {
        check(done > last, "progress goes forward");
        last = done;
        total = all;
      },
      onChunk: ({ data, shape, start, stride }) => {
        check(stride[0] === shape[1], "a part is in C order");
        for (let y = 0; y < shape[0]; y++) {
          seen.set(data.subarray(y * shape[1], (y + 1) * shape[1]), (start[0] + y) * size + start[1]);
        }
      },
    });
    check(last === 81 && total === 81, `${last} of ${total} chunks`);
    checkValues(result);
    checkValues({ data: seen, shape: [size, size] });
    const row = [];
    await array.get([700, null], { onChunk: (part) => row.push(part) });
    check(
      row.length === 9 && row.every(({ shape, start }) => shape.length === 1 && start.length === 1),
      "parts of a row",
    );
  },

  async "a signal reaches the store and ends the read"(zarr) {
    const store = await arrayInMemory();
    const signals = [];
    let held = true;
    const slow = {
      get: (key, { signal } = {}) => {
        if (key === "/zarr.json" || !held) return store.get(key);
        signals.push(signal);
        return new Promise((_, reject) => {
          signal.addEventListener("abort", () => reject(signal.reason));
        });
      },
    };
    const array = await zarr.open(slow, { kind: "array" });
    const controller = new AbortController();
    const reason = new Error("enough");
    const read = rejection(array.get(null, { signal: controller.signal }), "an aborted read");
    const other = new AbortController();
    const second = rejection(array.get([0, null], { signal: other.signal }), "the other read");
    await until(() => signals.length >= 10, "the store is asked");
    const asked = signals.length;
    controller.abort(reason);
    check((await read) === reason, "a read rejects with the signal's reason");
    await until(() => signals.filter((s) => s.aborted).length >= asked - 12, "the store is told");
    // It may not have started: a busy engine processes the abort first.
    await until(() => signals.some((s) => !s.aborted), "the other read goes on");
    other.abort();
    check((await second).name === "AbortError", "a read without a reason");
    await until(() => signals.every((s) => s.aborted), "the store is told of all");
    held = false;
    checkValues(await array.get());
    check(
      (await rejection(array.get(null, { signal: AbortSignal.abort(reason) }), "a signal aborted before")) === reason,
    );
  },

  async "a damaged chunk is named, and its neighbours can be read"(zarr, place) {
    const store = await arrayInMemory();
    const whole = store.get("/c/2/3");
    const broken = whole.slice();
    broken[broken.length >> 1] ^= 0x55;
    store.set("/c/2/3", broken);
    const array = await zarr.open(store, { kind: "array" });
    if (place.helpers) await helped(zarr, await zarr.open(await arrayInMemory(), { kind: "array" }));
    for (let i = 0; i < 3; i++) {
      const error = await rejection(array.get(), "a damaged chunk");
      check(
        error.name === "CodecPipelineError" && error.key === "c/2/3",
        `${error.name} of ${error.key}: ${error.message}`,
      );
    }
    checkValues(await array.get([zarr.slice(0, 512), null]));
  },

  async "memory stays bounded"(zarr, place) {
    if (place.brief) return; // slow, and the same everywhere
    const array = await zarr.open(await arrayInMemory(), { kind: "array" });
    const one = async (i) => {
      const controller = new AbortController();
      const read = array.get([zarr.slice((i * 37) % 2000, null), null], { signal: controller.signal });
      if (i % 3 !== 0) return read;
      setTimeout(() => controller.abort(), i % 10);
      return read.catch((error) => check(error.name === "AbortError", String(error)));
    };
    const run = async (n) => {
      for (let i = 0; i < n; i += 3) await Promise.all([one(i), one(i + 1), one(i + 2)]);
      return (await zarr.memory()).total;
    };
    const first = await run(210);
    const last = await run(90);
    check(first > 0 && last <= 1.25 * first, `${first} bytes after 210 reads, ${last} after 300`);
  },
};

/**
 * Cases in which parts of an engine with at most one helper die. `crash` sends a message to the
 * engine's worker.
 */
export const failures = {
  async "a helper that dies takes its calls with it, and no others"(zarr, _place, crash) {
    const array = await zarr.open(await arrayInMemory(), { kind: "array" });
    await helped(zarr, array);
    const running = await zarr.open(await arrayInMemory(), { kind: "array" });
    const before = performance.now();
    checkValues(await array.get());
    const long = performance.now() - before;
    let rejected = 0;
    let trapped = 0;
    for (let i = 0; i < 400 && (rejected === 0 || trapped === 0); i++) {
      const trap = rejected > 0;
      await helped(zarr, running);
      const read = array.get();
      // also after a read is over, however fast the machine is
      await later(((i % 20) / 10) * long);
      crash({ op: "crash", id: 0, why: "a test", helpers: true, trap });
      try {
        checkValues(await read);
      } catch (error) {
        check(
          error.name === "EngineError" && /worker that decoded/.test(error.message),
          `${error.name}: ${error.message}`,
        );
        check((trap ? /the engine crashed/ : /panic: a test/).test(error.message), error.message);
        if (trap) trapped++;
        else rejected++;
      }
      await until(async () => (await zarr.memory()).helpers.length === 0, "the helper's end");
      checkValues(await array.get());
    }
    check(rejected > 0 && trapped > 0, "no call was in the hands of a helper");
    await helped(zarr, array);
    checkValues(await array.get());
  },

  async "an engine that dies takes all calls with it; the next call has another"(zarr, _place, crash) {
    const array = await zarr.open(await arrayInMemory(), { kind: "array" });
    let asked = false;
    const never = await arrayInMemory();
    const held = {
      get: (key) => {
        if (key === "/zarr.json") return never.get(key);
        asked = true;
        return new Promise(() => {});
      },
    };
    const other = await zarr.open(held, { kind: "array" });
    for (const [how, said] of [
      [{}, /panic: a test of the engine/],
      [{}, /panic: a test of the engine/],
      [{ memory: true }, /out of memory/],
      [{ trap: true }, /the engine crashed: unreachable.* in main\.trap/i],
    ]) {
      asked = false;
      const reads = [other.get(), other.get([0, null])].map((read) => rejection(read, "a call that was held"));
      await until(() => asked, "the read is under way");
      crash({ op: "crash", id: 0, why: "a test of the engine", ...how });
      for (const error of await Promise.all(reads)) {
        check(error.name === "EngineError", `${error.name}: ${error.message}`);
        check(said.test(error.message), error.message);
        if (how.trap) check(error.cause?.name === "RuntimeError", `the cause is ${error.cause?.name}`);
        // The published wasm must not contain Go's own traceback, or the names of trapping
        // functions.
        else check(/^main\.crash\S*\(/m.test(error.cause?.message), `the cause is ${error.cause?.message}`);
      }
      checkValues(await array.get());
    }
  },
};

/** Runs a list of cases, and returns the failures by name. */
export async function run(list, zarr, place, ...more) {
  const results = [];
  for (const [name, test] of Object.entries(list)) {
    try {
      await test(zarr, place, ...more);
      results.push({ name });
    } catch (error) {
      results.push({ name, error: `${error?.name}: ${error?.message}\n${error?.stack}` });
    }
  }
  return results;
}

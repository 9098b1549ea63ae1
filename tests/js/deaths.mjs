// Ends workers without an event, as browsers do, at random moments. Every pending read ends with
// the right values or an EngineError, and afterwards everything works again.

import { random } from "../lib/random.mjs";
import { arrayInMemory, checkValues } from "./engine-cases.mjs";

/** Far longer than a read takes, or the detection of a dead worker. */
const patience = 120_000;

/** Settles as the promise does, or rejects when that takes too long. */
async function settled(promise, what) {
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`it never ended: ${what}`)), patience);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

const later = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** Returns "right", or the message of an EngineError. Throws for any other result. */
async function outcome(read, what) {
  try {
    const { data, shape, y, x } = await settled(read, what);
    checkValues({ data, shape }, y, x);
    return "right";
  } catch (error) {
    if (error.name !== "EngineError") throw error;
    return error.message;
  }
}

/**
 * In each of `rounds` rounds, reads several random regions at once, and ends a part of the engine
 * meanwhile. `kills` maps the parts to functions that end them. Returns how many reads were right,
 * and how many ended with an EngineError.
 */
export async function deaths(zarr, kills, { rounds, seed, helpers }) {
  const int = random(seed);
  const store = await arrayInMemory();
  const array = await zarr.open(store, { kind: "array" });
  const [size] = array.shape;
  const names = Object.keys(kills);
  const counts = { reads: 0, right: 0, ended: 0 };
  const messages = new Set();
  // If the rounds end before a death is noticed, there are more.
  for (let round = 0; round < rounds || (counts.ended === 0 && round < 10 * rounds); round++) {
    const name = names[int(names.length)];
    // The whole array, which is work for helpers.
    if (helpers && int(2)) await settled(array.get().catch(ignoreEngineError), "a read of all");
    const reads = Array.from({ length: 1 + int(4) }, async () => {
      const y = int(size);
      const x = int(size);
      const { data, shape } = await array.get([
        zarr.slice(y, y + 1 + int(size - y)),
        zarr.slice(x, x + 1 + int(size - x)),
      ]);
      return { data, shape, y, x };
    });
    const settling = reads.map((read, i) => outcome(read, `read ${i} of round ${round}, in which a ${name} ended`));
    // This includes moments when messages are in flight, and when another engine starts.
    const wait = int(3) * int(30);
    if (wait > 0) await later(wait);
    kills[name]();
    if (int(4) === 0) kills[names[int(names.length)]]();
    for (const word of await Promise.all(settling)) {
      counts.reads++;
      if (word === "right") counts.right++;
      else {
        counts.ended++;
        messages.add(word);
      }
    }
    // The next call may find the death before the page does; the one after it has another engine.
    const first = await outcome(
      array.get([0, null]).then((one) => ({ ...one, shape: [1, size], y: 0, x: 0 })),
      "the read after",
    );
    if (first !== "right") messages.add(first);
  }
  // A requested end may still be pending.
  for (let left = 10; ; left--) {
    const row = array.get([0, null]).then((one) => ({ ...one, shape: [1, size], y: 0, x: 0 }));
    const last = await outcome(row, "the last read");
    if (last === "right") break;
    if (left === 0) throw new Error(`no read was right in the end: ${last}`);
    messages.add(last);
  }
  return { ...counts, messages: [...messages] };
}

function ignoreEngineError(error) {
  if (error.name !== "EngineError") throw error;
}

/**
 * Repeats an action several times at once, while the page's workers end at random moments. Each
 * succeeds as usual, or ends with an EngineError.
 */
export async function endings(act, end, { rounds, seed }) {
  const int = random(seed);
  const before = performance.now();
  const expected = await settled(act(), "the first time");
  // Workers end during the action and after it, on fast and on slow machines.
  const long = 1 + Math.ceil(2 * (performance.now() - before));
  const counts = { runs: 0, right: 0, ended: 0 };
  const messages = new Set();
  // If all rounds end too early, there are more.
  for (let round = 0; round < rounds || (counts.right === 0 && round < 10 * rounds); round++) {
    const runs = Array.from({ length: 1 + int(3) }, () =>
      settled(act(), `round ${round}`).catch((error) => {
        if (error.name !== "EngineError") throw error;
        messages.add(error.message);
      }),
    );
    const wait = int(4) ? int(long) : 0;
    if (wait > 0) await later(wait);
    end();
    for (const found of await Promise.all(runs)) {
      counts.runs++;
      if (found === undefined) counts.ended++;
      else if (found === expected) counts.right++;
      else throw new Error(`wrong: ${found.slice(0, 100)}`);
    }
  }
  // A requested end may still be pending.
  for (let left = 10; ; left--) {
    const last = await settled(act(), "the last time").catch((error) => {
      if (left === 0) throw error;
      ignoreEngineError(error);
    });
    if (last === undefined) continue;
    if (last !== expected) throw new Error(`wrong at the end: ${last.slice(0, 100)}`);
    break;
  }
  return { ...counts, messages: [...messages] };
}

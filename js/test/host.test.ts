// Tests the page's answers to the engine's questions about keys, of stores of every kind in one
// message.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Host } from "../engine/host.js";
import { answerForStore } from "../engine/hoststore.js";
import type { ToEngine } from "../engine/protocol/wire.js";
import type { Readable } from "../stores/readable.js";
import { bytesOf, pick, random } from "./randomelements.js";

/** The answer to a question. */
interface Told {
  bytes?: Uint8Array | undefined;
  size?: number | undefined;
  error?: string;
}

/** Returns a host of one store, and its answers to each question, in order. */
function hostOf(store: Readable) {
  const told = new Map<number, Told[]>();
  const note = (ask: number, what: Told) => told.set(ask, [...(told.get(ask) ?? []), what]);
  const mark = { headers: {} };
  const host = new Host({
    store: () => store,
    read: (of, question, options) => answerForStore(of, undefined, question, options),
    marks: (id) => (id === 1 ? mark : undefined),
    send: (message: ToEngine) => {
      const answer = message as unknown as { ask: number; error?: string; bytes?: ArrayBuffer; length: number };
      const { answers, count } = message as unknown as { answers?: ArrayBuffer; count: number };
      if (answers) {
        const head = new Uint32Array(answers, 0, 5 * count);
        let at = 20 * count;
        for (let i = 0; i < count; i++) {
          const [ask, length, size] = head.subarray(5 * i) as unknown as [number, number, number];
          if (length === 0xffffffff) note(ask, {});
          else note(ask, { bytes: new Uint8Array(answers.slice(at, at + length)), size });
          if (length !== 0xffffffff) at += length;
        }
      } else if (answer.error !== undefined) note(answer.ask, { error: answer.error });
      else note(answer.ask, { bytes: answer.bytes && new Uint8Array(answer.bytes.slice(0, answer.length)) });
    },
  });
  return { host, told, mark };
}

/** A Map with its own `get`. */
class Own extends Map<string, unknown> {
  readonly asked: [string, unknown][] = [];
  override get(key: string, ...[options]: unknown[]): unknown {
    this.asked.push([key, options]);
    const found = super.get(key);
    if (found instanceof Error) throw found;
    return this.later ? Promise.resolve(found) : found;
  }
  constructor(readonly later: boolean) {
    super();
  }
}

test("each key of a message has one answer, whatever the Map is and has", async () => {
  for (let seed = 0; seed < 100; seed++) {
    const kind = random(3);
    const map = kind === 0 ? new Map<string, unknown>() : new Own(kind === 2);
    const { host, told, mark } = hostOf(map as unknown as Readable);
    const keys: string[] = [];
    const expected: (Told | "wrong")[] = [];
    for (let i = random(40) + 1; i > 0; i--) {
      const key = `c/${keys.length}`;
      keys.push(key);
      const what = random(8);
      if (what < 4) {
        const bytes = bytesOf(what === 0 ? (70 << 10) + random(9) : random(50));
        map.set(`/${key}`, bytes);
        expected.push({ bytes });
      } else if (what === 4) {
        map.set(`/${key}`, pick<unknown>(["a string", 7, {}, [1, 2], new ArrayBuffer(3), new Uint16Array(2)]));
        expected.push("wrong");
      } else if (what === 5 && kind > 0) {
        map.set(`/${key}`, new Error(`no ${key}`));
        expected.push({ error: `no ${key}` });
      } else {
        if (what === 6) map.set(`/${key}`, pick([null, undefined]));
        else map.set(key, bytesOf(3)); // keys begin with a slash
        expected.push({});
      }
    }
    await host.answer({ ask: 100, store: 5, keys: keys.join("\n"), count: keys.length, mark: 1, fresh: true });
    while (told.size < keys.length) await new Promise(setImmediate);
    for (const [i, want] of expected.entries()) {
      const answers = told.get(100 + i) ?? [];
      const at = `seed ${seed}, key ${i}`;
      assert.equal(answers.length, 1, at);
      const { bytes, error } = answers[0] as Told;
      if (want === "wrong") assert.match(error ?? "", /no Uint8Array/, at);
      else {
        assert.equal(error, want.error, at);
        assert.deepEqual(bytes, want.bytes, at);
      }
      if (want !== "wrong" && want.error) assert.equal((host.thrown(100 + i) as Error).message, want.error, at);
    }
    assert.equal(told.size, keys.length);
    if (!(map instanceof Own)) continue;
    // The own `get` is called once, with the options that other stores receive.
    assert.deepEqual(map.asked.map(([key]) => key).sort(), keys.map((key) => `/${key}`).sort());
    for (const [, options] of map.asked) {
      const { headers, cache, signal } = options as { headers: unknown; cache: string; signal: unknown };
      assert.ok(headers === mark.headers && cache === "reload" && signal instanceof AbortSignal);
    }
  }
});

test("answers of one task share a message, which waits for no timer", async () => {
  for (const stuck of [false, true]) {
    let messages = 0;
    let answers = 0;
    const store = {
      get: (key: string) => (stuck && key === "/7" ? new Promise<undefined>(() => {}) : Promise.resolve(bytesOf(9))),
    };
    const host = new Host({
      store: () => store as Readable,
      read: (of, question, options) => answerForStore(of, undefined, question, options),
      marks: () => undefined,
      send: (message: ToEngine) => {
        messages++;
        answers += (message as { count?: number }).count ?? 1;
      },
    });
    const keys = Array.from({ length: 50 }, (_, i) => i);
    await host.answer({ ask: 1, store: 1, keys: keys.join("\n"), count: 50 });
    // After the last key the task need not end. A timer would take at least a millisecond.
    for (let i = 0; i < 50; i++) await undefined;
    assert.equal(messages, stuck ? 0 : 1);
    const { port1, port2 } = new MessageChannel();
    for (let i = 0; i < 3; i++) {
      port2.postMessage(0);
      await new Promise((resolve) => {
        port1.onmessage = resolve;
      });
    }
    port1.close();
    assert.deepEqual([messages, answers], [1, stuck ? 49 : 50]);
    host.end();
  }
});

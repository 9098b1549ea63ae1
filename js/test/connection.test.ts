import assert from "node:assert/strict";
import { test } from "node:test";
import { Connection, type Transport } from "../engine/connection.js";
import type { WireHostAnswer, WireKeysAnswer, WireKeysAsk, WireRequest } from "../engine/protocol/wire.js";
import type { ToWorker } from "../engine/protocol/worker.js";
import { EngineError, HttpError } from "../errors.js";
import { FetchStore } from "../stores/fetchstore.js";

/**
 * Returns a connection whose engine is the test's function. Registrations of stores are answered
 * automatically.
 */
function connect(react: (message: ToWorker, connection: Connection) => void, more: Partial<Transport> = {}) {
  const sent: ToWorker[] = [];
  let closed = false;
  const connection = new Connection({
    post: (message) => {
      sent.push(message);
      if (message.op === "store") connection.receive({ id: message.id, ok: true, value: null });
      else react(message, connection);
    },
    close: () => {
      closed = true;
    },
    ...more,
  });
  return { connection, sent, closed: () => closed };
}

const open = { op: "stats" } as const;

test("requests and answers, in any order; a store is registered once", async () => {
  const requests: WireRequest[] = [];
  const { connection, sent } = connect((message) => requests.push(message as WireRequest));
  const store = new Map<string, Uint8Array>();
  const first = connection.call(store, open, {});
  const second = connection.call(store, open, {});
  await new Promise(setImmediate);
  assert.equal(requests.length, 2);
  connection.receive({ id: (requests[1] as WireRequest).id, ok: true, value: "second" });
  connection.receive({
    id: (requests[0] as WireRequest).id,
    ok: false,
    error: { name: "HttpError", message: "no", status: 500 },
  });
  assert.equal(await second, "second");
  await assert.rejects(first, (error) => error instanceof HttpError && error.status === 500);
  assert.equal(sent.filter((m) => m.op === "store").length, 1);
  const others = new Map<string, Uint8Array>();
  void connection.call(others, open, {});
  await new Promise(setImmediate);
  const stores = sent.filter((m) => m.op === "store");
  assert.deepEqual(
    stores.map((m) => (m as { store: number }).store),
    [1, 2],
  );
});

test("an aborted call is cancelled and rejects with the reason", async () => {
  const { connection, sent } = connect(() => {});
  const controller = new AbortController();
  const call = connection.call(new Map(), open, { signal: controller.signal });
  await new Promise(setImmediate);
  const reason = new Error("enough");
  controller.abort(reason);
  await assert.rejects(call, (error) => error === reason);
  const request = sent.find((m) => m.op === "stats") as WireRequest;
  assert.deepEqual(sent.at(-1), { op: "cancel", targets: [request.id] });
  // The engine's answer comes too late, and is ignored.
  connection.receive({ id: request.id, ok: false, error: { name: "AbortError", message: "" } });
});

test("calls that are aborted together are cancelled by one message", async () => {
  const { connection, sent } = connect(() => {});
  const controllers = [1, 2, 3].map(() => new AbortController());
  const store = new Map();
  const calls = controllers.map(({ signal }) => connection.call(store, open, { signal }));
  const settled = Promise.allSettled(calls);
  await new Promise(setImmediate);
  for (const controller of controllers) controller.abort();
  await settled;
  const ids = sent.filter((m) => m.op === "stats").map((m) => (m as WireRequest).id);
  assert.deepEqual(
    sent.filter((m) => m.op === "cancel"),
    [{ op: "cancel", targets: ids }],
  );
});

test("progress", async () => {
  const { connection } = connect((message, c) => {
    const { id } = message as WireRequest;
    c.receive({ id, progress: { done: 1, total: 2 } });
    c.receive({ id, progress: { done: 2, total: 2 } });
    c.receive({ id, ok: true, value: null });
  });
  const seen: number[][] = [];
  await connection.call(new Map(), open, { onProgress: (...p) => seen.push(p) });
  assert.deepEqual(seen, [
    [1, 2],
    [2, 2],
  ]);
  const failing = connection.call(new Map(), open, {
    onProgress: () => {
      throw new RangeError("mine");
    },
  });
  await assert.rejects(failing, RangeError);
});

test("a crash rejects all pending calls, each with its own error, and later calls", async () => {
  const { connection } = connect(() => {});
  const store = new Map();
  const calls = [connection.call(store, open, {}), connection.call(store, open, {})];
  const settled = Promise.allSettled(calls);
  await new Promise(setImmediate);
  connection.fail(new EngineError("crashed", { cause: "trap" }));
  const [a, b] = (await settled) as PromiseRejectedResult[];
  assert.ok(a?.reason instanceof EngineError && b?.reason instanceof EngineError);
  assert.notEqual(a.reason, b.reason);
  assert.equal(a.reason.cause, "trap");
  await assert.rejects(connection.call(store, open, {}), EngineError);
});

test("closing cancels running calls and ends the engine", async () => {
  const { connection, sent, closed } = connect(() => {});
  const call = connection.call(new Map(), open, {});
  call.catch(() => {});
  await new Promise(setImmediate);
  connection.close(new EngineError("bye"));
  await assert.rejects(call, /bye/);
  assert.equal(sent.at(-1)?.op, "cancel");
  assert.ok(closed());
});

interface Answered {
  ask: number;
  bytes?: Uint8Array;
  error?: string;
}

/** Returns the answers in a message of either form. */
function answersIn(message: WireHostAnswer | WireKeysAnswer): Answered[] {
  if (!("answers" in message)) {
    const { ask, bytes, length, error } = message;
    return [{ ask, ...(bytes && { bytes: new Uint8Array(bytes, 0, length) }), ...(error && { error }) }];
  }
  const head = new Uint32Array(message.answers, 0, 5 * message.count);
  let at = 20 * message.count;
  const answers = Array.from({ length: message.count }, (_, i) => {
    const [ask, size] = [head[5 * i] as number, head[5 * i + 1] as number];
    if (size === 0xffffffff) return { ask };
    at += size;
    return { ask, bytes: new Uint8Array(message.answers, at - size, size) };
  });
  assert.equal(at, message.length);
  return answers;
}

/** Returns a store's answers to the questions of a message, in the order of the questions. */
async function asking(store: object, question: Partial<WireKeysAsk>): Promise<Answered[]> {
  const count = question.count ?? 1;
  const answers: Answered[] = [];
  const { connection, sent } = connect((message, c) => {
    if (message.op === "stats") c.receive({ ask: 9, store: 1, keys: "a/c/0", count: 1, ...question });
    if (message.op === "answer") answers.push(...answersIn(message));
    if (answers.length === count) {
      c.receive({ id: (sent.find((m) => m.op === "stats") as WireRequest).id, ok: true, value: 0 });
    }
  });
  await connection.call(store as Map<string, Uint8Array>, open, {});
  return answers.sort((a, b) => a.ask - b.ask);
}

test("stores that live here are asked", async () => {
  const bytes = Uint8Array.of(1, 2, 3, 4, 5).subarray(1);
  const map = new Map([["/a/c/0", bytes]]);
  const [answer] = await asking(map, {});
  assert.deepEqual(answer, { ask: 9, bytes: Uint8Array.of(2, 3, 4, 5) });
  assert.notEqual(answer?.bytes?.buffer, bytes.buffer, "the store's own bytes are not given away");
  assert.deepEqual((await asking(map, { ranges: [1, 2] }))[0]?.bytes, Uint8Array.of(3, 4));
  assert.deepEqual((await asking(map, { ranges: [-1, 1] }))[0]?.bytes, Uint8Array.of(5));
  assert.deepEqual(await asking(new Map(), {}), [{ ask: 9 }]);
  const ranges = {
    get: () => undefined,
    getRange: async (key: string, range: object) => new TextEncoder().encode(key + JSON.stringify(range)),
  };
  const [ranged] = await asking(ranges, { ranges: [1, 2] });
  assert.equal(new TextDecoder().decode(ranged?.bytes), '/a/c/0{"offset":1,"length":2}');
  const broken = { get: () => Promise.reject(new Error("no disk")) };
  assert.equal((await asking(broken, {}))[0]?.error, "no disk");
  assert.match((await asking({ get: () => "text" }, {}))[0]?.error ?? "", /no Uint8Array/);
});

test("many questions are answered by one message, and large answers separately", async () => {
  const large = new Uint8Array(100_000).fill(7);
  const map = new Map([
    ["/a", Uint8Array.of(1)],
    ["/b", large],
    ["/d", new Uint8Array()],
  ]);
  const answers = await asking(map, { keys: "a\nb\nc\nd", count: 4, ranges: [0, -1, 2, 3] });
  assert.deepEqual(
    answers.map(({ bytes }) => bytes && [...bytes]),
    [[1], [7, 7, 7], undefined, []],
  );
  assert.deepEqual((await asking(map, { keys: "b" }))[0]?.bytes, large);
  assert.equal((await asking(new Map([["/x\ny", Uint8Array.of(3)]]), { keys: "x\ny" }))[0]?.bytes?.[0], 3);
});

test("an answer that is no longer wanted is aborted", async () => {
  let signal: AbortSignal | undefined;
  const store = {
    get: (_: string, options?: { signal?: AbortSignal }) => {
      signal = options?.signal;
      return new Promise<undefined>(() => {});
    },
  };
  const { connection } = connect((message, c) => {
    if (message.op === "stats") c.receive({ ask: 3, store: 1, keys: "k", count: 1 });
  });
  void connection.call(store, open, {});
  await new Promise(setImmediate);
  assert.equal(signal?.aborted, false);
  connection.receive({ aborted: 3 });
  await new Promise(setImmediate);
  assert.equal(signal?.aborted, true);
});

test("the listener of init() receives the requests of all stores", async () => {
  const told: [string, unknown][] = [];
  const { connection, sent } = connect(() => {}, {
    onRequest: ({ key }, store) => {
      told.push([key, store]);
    },
  });
  const store = new FetchStore("https://example.org/d");
  void connection.call(store, open, {}).catch(() => {});
  const { store: number, events } = sent[0] as { store: number; events: boolean };
  assert.equal(events, true);
  const event = { key: "/a", source: "request", method: "GET", status: 200, attempt: 0, bytes: 2, merged: 1 } as const;
  connection.receive({ event: { ...event, start: 1, ms: 2 }, store: number });
  connection.receive({ event: { ...event, key: "/b", start: 1, ms: 2 }, store: number + 1 });
  assert.deepEqual(told, [
    ["/a", store],
    ["/b", undefined],
  ]);
});

test("a store's listener receives its requests", async () => {
  const { connection, sent } = connect(() => {});
  const told: unknown[] = [];
  const store = new FetchStore("https://example.org/d", { onRequest: (event) => told.push(event.key) });
  void connection.call(store, open, {}).catch(() => {});
  const { store: number, events } = sent[0] as { store: number; events: boolean };
  assert.equal(events, true);
  const event = {
    key: "/zarr.json",
    source: "request",
    method: "GET",
    status: 200,
    attempt: 0,
    bytes: 2,
    merged: 1,
  } as const;
  connection.receive({ event: { ...event, start: 1, ms: 2 }, store: number });
  connection.receive({ event: { ...event, start: 1, ms: 2 }, store: number + 1 });
  assert.deepEqual(told, ["/zarr.json"]);
});

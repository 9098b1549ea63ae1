import assert from "node:assert/strict";
import { mock, test } from "node:test";
import type { StoreAnswer } from "../engine/protocol/page.js";
import type { WireFetch } from "../engine/protocol/wire.js";
import { sendOnPage } from "../stores/pagefetch.js";

const request: WireFetch = {
  method: "GET",
  url: "http://127.0.0.1/a",
  headers: {},
  redirect: "follow",
  limits: [2 ** 30, 2 ** 30],
};
const piece = new Uint8Array(256 << 10);

/** Sends a request by a fetch of the page, and returns its outcome. */
function send(own: (request: Request) => Promise<Response>, timeout?: number) {
  const outcome: { found?: StoreAnswer; error?: unknown } = {};
  const done = sendOnPage(request, { fetch: own, timeout }, {}).then(
    (found) => void Object.assign(outcome, { found }),
    (error) => void Object.assign(outcome, { error }),
  );
  return { outcome, done };
}

/** Returns a response whose body receives its pieces one by one. */
function fed(headers: Record<string, string> = {}) {
  let feed: ReadableStreamDefaultController<Uint8Array> | undefined;
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      feed = controller;
    },
  });
  const give = (bytes: Uint8Array) => feed?.enqueue(bytes);
  return { response: new Response(body, { headers }), give, end: () => feed?.close() };
}

/** Waits until pending promises and streams have continued. */
const settled = () => new Promise((resolve) => setImmediate(resolve));

test("a fetch of the page's has one timeout for its answer to begin, whatever becomes of the signal", async () => {
  mock.timers.enable({ apis: ["setTimeout"] });
  try {
    for (const [timeout, time] of [
      [undefined, 60_000],
      [2000, 2000],
    ] as const) {
      let asked: AbortSignal | undefined;
      const { outcome, done } = send((request) => {
        asked = request.signal;
        return new Promise(() => {});
      }, timeout);
      await settled();
      mock.timers.tick(time - 1);
      await settled();
      assert.deepEqual([outcome, asked?.aborted], [{}, false]);
      mock.timers.tick(1);
      await done;
      assert.deepEqual([outcome.found, asked?.aborted], [{ status: 0, type: "slow" }, true]);
    }
  } finally {
    mock.timers.reset();
  }
});

test("each further 256 KiB has one timeout: a dripping body fails, and a slow one does not", async () => {
  mock.timers.enable({ apis: ["setTimeout"] });
  try {
    const long = fed();
    const whole = send(async () => long.response);
    for (let i = 0; i < 100; i++) {
      await settled();
      mock.timers.tick(59_000);
      assert.deepEqual(whole.outcome, {}, `after ${i} pieces`);
      long.give(piece);
    }
    await settled();
    long.end();
    await whole.done;
    assert.equal(whole.outcome.found?.bytes?.length, 100 * piece.length);

    const drip = fed();
    const slow = send(async () => drip.response);
    await settled();
    for (let i = 0; i < 60; i++) {
      assert.deepEqual(slow.outcome, {}, `after ${i} bytes`);
      drip.give(piece.subarray(0, 1));
      mock.timers.tick(1000);
      await settled();
    }
    await slow.done;
    assert.deepEqual(slow.outcome.found, { status: 200, type: "slow" });
  } finally {
    mock.timers.reset();
  }
});

test("a body whose length is known has that time for all of it; without a timeout there is no end", async () => {
  mock.timers.enable({ apis: ["setTimeout"] });
  try {
    const known = fed({ "Content-Length": String(4 * piece.length) });
    const some = send(async () => known.response);
    await settled();
    mock.timers.tick(299_999);
    await settled();
    assert.deepEqual(some.outcome, {});
    mock.timers.tick(1);
    await some.done;
    assert.equal(some.outcome.found?.type, "slow");

    const patient = send(() => new Promise(() => {}), Number.POSITIVE_INFINITY);
    await settled();
    mock.timers.tick(2 ** 40);
    await settled();
    assert.deepEqual(patient.outcome, {});
  } finally {
    mock.timers.reset();
  }
});

test("a fetch that keeps a clone of each answer, and does not read it, holds no request", async () => {
  const kept: Response[] = [];
  for (const method of ["GET", "HEAD"] as const) {
    for (const status of [200, 206, 304, 404, 500]) {
      for (const limit of [1, 2 ** 30]) {
        const own = async () => {
          const answer = new Response(status === 304 ? null : new Uint8Array(100), { status });
          kept.push(answer.clone());
          return answer;
        };
        const found = await sendOnPage({ ...request, method, limits: [limit, limit] }, { fetch: own }, {});
        const read = method === "GET" && (status === 200 || status === 206);
        const { large, bytes } = found;
        const wanted = !read ? [undefined, undefined] : limit === 1 ? [-1, undefined] : [undefined, 100];
        assert.deepEqual([found.status, large, bytes?.length], [status, ...wanted], `${method} ${status} ${limit}`);
      }
    }
  }
  assert.equal(kept.length, 20);
});

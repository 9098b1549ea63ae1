import assert from "node:assert/strict";
import { test } from "node:test";
import { bodyOf } from "../platform/body.js";
import { Exchange } from "../worker/exchange.js";

/**
 * Returns an endless response whose headers give another length. To a page, a compressed response
 * of another origin looks like this.
 */
function endless(status: number, length: string | undefined, pieceBytes: number) {
  const sent = { bytes: 0, cancelled: false };
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      if (sent.bytes > 64 << 20) controller.close();
      else controller.enqueue(new Uint8Array(pieceBytes));
      sent.bytes += pieceBytes;
    },
    cancel() {
      sent.cancelled = true;
    },
  });
  const headers: Record<string, string> = length === undefined ? {} : { "Content-Length": length };
  return { response: new Response(body, { status, headers }), sent };
}

test("a body of unverified length is read in pieces, up to the limit", async () => {
  for (const length of [undefined, "10", "70000"]) {
    const { response, sent } = endless(200, length, 10_000);
    assert.equal(await bodyOf(response, 100_000), -1, length);
    assert.ok(sent.bytes <= 130_000 && sent.cancelled, `${sent.bytes} bytes of a body of ${length}`);
  }
});

test("a body that comes with its head has the same limit", async () => {
  for (const status of [200, 206, 404, 500]) {
    for (const length of [undefined, "10", "60000"]) {
      const { response, sent } = endless(status, length, 10_000);
      const told: unknown[] = [];
      const exchange = new Exchange(
        async () => response,
        (_, what, reason) => told.push(what, reason),
      );
      await exchange.send(1, "\nhttp://a/b", 90_000, 80_000);
      await exchange.read(1, status === 200 ? 90_000 : status === 206 ? 80_000 : 65_536);
      assert.ok(sent.bytes <= 130_000 && sent.cancelled, `${status}: ${sent.bytes} bytes of a body of ${length}`);
      const last = told.filter((what) => what !== undefined).at(-1);
      if (status < 300) assert.equal(last, -1, `${status}, ${length}: ${told}`);
    }
  }
});

test("for a body of unknown length, each further 256 KiB is reported", async () => {
  let told = 0;
  const bytes = new Uint8Array(1 << 20);
  const pieces = new ReadableStream({
    start(controller) {
      for (let at = 0; at < bytes.length; at += 1000) controller.enqueue(bytes.subarray(at, at + 1000));
      controller.close();
    },
  });
  const body = await bodyOf(new Response(pieces), 1 << 20, () => told++);
  assert.deepEqual([(body as Uint8Array).length, told], [1 << 20, 3]);
});

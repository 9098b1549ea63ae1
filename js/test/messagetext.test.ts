import assert from "node:assert/strict";
import { test } from "node:test";
import { decode, encode } from "../worker/messagetext.js";

test("a message that JSON can say is sent as text", () => {
  const message = {
    op: "read",
    id: 1,
    selection: [1, null, "...", { start: 0, stop: { bigint: "9223372036854775807" } }],
  };
  const [text, bytes] = encode(message);
  assert.deepEqual(bytes, []);
  assert.equal(typeof text, "string");
  assert.deepEqual(JSON.parse(text as string), message);
});

test("bytes go beside the text", () => {
  const [a, b] = [Uint8Array.of(1, 0), new Uint8Array(0)];
  const [text, bytes] = encode({ op: "points", id: 1, coords: [{ indices: a }, { indices: b }, a] } as never);
  const coords = [{ indices: { bytes: 0 } }, { indices: { bytes: 1 } }, { bytes: 2 }];
  assert.deepEqual(JSON.parse(text as string), { op: "points", id: 1, coords });
  assert.deepEqual(bytes, [a, b, a]);
});

test("messages that JSON cannot represent are names and values", () => {
  for (const message of [
    { op: "read", id: 1, selection: [Int32Array.of(1, 0)] },
    { op: "read", id: 1, priority: Number.POSITIVE_INFINITY },
    { op: "answer", ask: 1, bytes: new ArrayBuffer(2) },
  ]) {
    assert.deepEqual(encode(message), [Object.keys(message).join(","), Object.values(message)]);
  }
});

test("values come to their places", () => {
  const bytes = Uint8Array.of(1);
  const text =
    '[{"id":1,"value":{"a":{"b":null},"list":[1,null],"__proto__":null}},["value","a","b"],["value","list",1],["value","__proto__"]]';
  const message = decode(text, [bytes, 9n, Number.NaN]) as { value: { a: { b: unknown }; list: unknown[] } };
  assert.equal(message.value.a.b, bytes);
  assert.deepEqual(message.value.list, [1, 9n]);
  assert.ok(Object.is(Object.getOwnPropertyDescriptor(message.value, "__proto__")?.value, Number.NaN));
  assert.equal(Object.getPrototypeOf(message.value), Object.prototype);
  assert.deepEqual(decode('[{"tick":true}]'), { tick: true });
});

test("packed bytes share a buffer, behind the other values", () => {
  const all = Uint8Array.of(1, 2, 3);
  const text = '[{"a":null,"b":null,"list":[null]},[0,2,"a"],["b"],[2,2,"list",0]]';
  const message = decode(text, [9n, all]) as { a: Uint8Array; b: bigint; list: Uint8Array[] };
  assert.deepEqual(message, { a: Uint8Array.of(1, 2), b: 9n, list: [new Uint8Array(0)] });
  assert.equal(message.a.buffer, all.buffer);
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { decode, encode } from "../worker/messagetext.js";

test("a message that JSON can say is sent as text", () => {
  const message = {
    op: "read",
    id: 1,
    selection: [1, null, "...", { start: 0, stop: { bigint: "9223372036854775807" } }],
  };
  const text = encode(message);
  assert.equal(typeof text, "string");
  assert.deepEqual(JSON.parse(text as string), message);
});

test("what JSON cannot say stays as it is", () => {
  for (const message of [
    { op: "read", id: 1, selection: [Uint8Array.of(1, 0)] },
    { op: "read", id: 1, priority: Number.POSITIVE_INFINITY },
    { op: "answer", ask: 1, bytes: new ArrayBuffer(2) },
  ]) {
    assert.equal(encode(message), message);
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

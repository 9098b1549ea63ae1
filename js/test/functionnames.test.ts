import assert from "node:assert/strict";
import { test } from "node:test";
import { nameFunctions } from "../worker/functionnames.js";

/**
 * Returns memory with a table of functions in the layout of Go's linker, after bytes that begin
 * like a table.
 */
function memoryOf(functions: string[]): ArrayBuffer {
  const memory = new ArrayBuffer(4096);
  const view = new DataView(memory);
  const word = (at: number, v: number) => view.setUint32(at, v, true);
  word(8, 0xffff_fff1);
  const table = 64;
  const names = 256;
  const index = 1024;
  word(table, 0xffff_fff1);
  view.setUint8(table + 6, 1);
  view.setUint8(table + 7, 8);
  word(table + 8, functions.length);
  word(table + 32, names);
  word(table + 64, index);
  let name = 1;
  functions.forEach((text, k) => {
    const description = 512 + 44 * k;
    word(table + index + 8 * k + 4, description);
    word(table + index + description + 4, name);
    new Uint8Array(memory).set(new TextEncoder().encode(text), table + names + name);
    name += text.length + 1;
  });
  return memory;
}

test("functions of a stack are named", () => {
  const memory = memoryOf(["runtime.goexit", "main.(*T).call[...]"]);
  const imported = 3;
  for (const [stack, want] of [
    // Chromium and Node, Firefox, Safari
    [
      "RuntimeError: unreachable\n    at wasm://wasm/1a:wasm-function[4]:0x2a",
      "wasm-function[4] main.(*T).call[...]:0x2a",
    ],
    ["http://a/b.wasm:wasm-function[3]:0x2a", "wasm-function[3] runtime.goexit:0x2a"],
    ["<?>.wasm-function[4]@[wasm code]", "wasm-function[4] main.(*T).call[...]@[wasm code]"],
    // imports, and numbers without a function
    ["at wasm-function[2] wasm-function[5]", "at wasm-function[2] wasm-function[5]"],
  ] as const) {
    assert.ok(nameFunctions(stack, memory, imported).endsWith(want), nameFunctions(stack, memory, imported));
  }
});

test("a stack stays as it is where there is no table", () => {
  const stack = "at wasm://wasm/1a:wasm-function[4]:0x2a";
  assert.equal(nameFunctions(stack, new ArrayBuffer(64), 0), stack);
  assert.equal(nameFunctions(stack, new ArrayBuffer(0), 0), stack);
});

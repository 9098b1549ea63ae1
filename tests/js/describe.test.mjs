// What zarr-wasm/describe says of nodes: of all fixtures by the list tests/describe/golden.txt, which people have read, and what must hold of
// any node, whatever its attributes are.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, test } from "node:test";
import { describe } from "../../dist/describe-node.js";
import * as zarr from "../../dist/node.js";
import { golden } from "../describe/lines.mjs";
import { top } from "./serve.mjs";

after(() => zarr.terminate());

test("each node of the fixtures is what the golden list says", async () => {
  const is = (await golden(`${top}build/fixtures`, { open: zarr.open, describe })).split("\n");
  const expected = readFileSync(`${top}tests/describe/golden.txt`, "utf8").split("\n");
  assert.ok(expected.length > 2000, `only ${expected.length} lines`);
  assert.deepEqual(
    is.filter((line) => line.includes("FAULT")),
    [],
  );
  let at = "";
  const other = [];
  for (const [i, line] of expected.entries()) {
    if (line.startsWith("# ")) at = line;
    if (is[i] !== line) other.push(`${at}\n  expected ${line}\n  is       ${is[i]}`);
  }
  assert.equal(is.length, expected.length, other[0]);
  assert.deepEqual(other, [], `${other.length} lines differ: node tests/describe/write.mjs writes the list anew`);
});

// Compares the reports of exported names with this tree, so that a change must be committed on
// purpose.
import assert from "node:assert/strict";
import { test } from "node:test";
import { difference, kept, reports } from "../tools/api.mjs";

for (const [name, make] of Object.entries(reports)) {
  test(`docs/reports/${name} has every exported name, and no other`, () => {
    const changed = difference(kept(name), make());
    const hint = "the API differs from its report; where that is meant: node tests/tools/api.mjs --write";
    assert.deepEqual(changed, [], hint);
  });
}

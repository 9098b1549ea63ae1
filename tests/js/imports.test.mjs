// The page of the sizes of imports is that of this package.
import assert from "node:assert/strict";
import { test } from "node:test";
import { measured, written } from "../tools/imports.mjs";

test("docs/reports/imports.md has the size of each import, to a tenth: node tests/tools/imports.mjs --write", async () => {
  const [page, now] = [written(), await measured()];
  assert.ok(now.length > 8 && page.length === now.length, `${page.length} rows of ${now.length}`);
  for (const [i, [script, ...sizes]] of now.entries()) {
    assert.ok(script.startsWith(page[i][0]), page[i][0]);
    for (const [j, size] of sizes.entries()) {
      const said = page[i][1 + j] * 1000;
      assert.ok(Math.abs(size - said) <= 100 + said / 10, `${script}: ${size} bytes, not ${said}`);
    }
  }
});

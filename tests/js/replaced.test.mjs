// Objects replaced during reads, in Node. tests/chaos/replaced.mjs reads more of them, also in
// browsers.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import * as zarr from "../../dist/node.js";
import { serveReplaced } from "../chaos/replaced.mjs";
import { replacedReads } from "../chaos/replacedreads.mjs";

const server = await serveReplaced(7);

after(async () => {
  server.close();
  await zarr.terminate();
});

for (const [seed, kind] of ["strong", "weak", "modified", "size", "hidden"].entries()) {
  test(`a read takes one version of each object, or rejects: ${kind}`, async () => {
    const only = ["shards", "nested", "references", "zip", "consolidated"][seed];
    // On a loaded machine all reads of a round may meet a replacement and end in errors.
    let right = 0;
    for (let round = 0; right === 0 && round < 10; round++) {
      const found = await replacedReads({ zarr, url: server.url, kind, count: 96, seed: seed + 10 * round, only });
      assert.deepEqual(found.messages, []);
      assert.deepEqual([found.mixed, found.wrong, found.failed], [0, 0, 0]);
      assert.ok(found.reads >= 96, `${found.reads} reads`);
      right = found.right;
    }
    assert.ok(right > 0);
  });
}

test("indistinguishable versions are mixed, and the test detects it", async () => {
  const found = await replacedReads({ zarr, url: server.url, kind: "none", count: 96, seed: 9, only: "references" });
  assert.ok(found.mixed > 0 && found.wrong === 0, JSON.stringify(found));
});

// The suite of writable stores in Node.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import * as zarr from "../../dist/node.js";
import { ZipWriter } from "../../dist/zip.js";
import { runWriting } from "./writesuite.mjs";

const top = mkdtempSync(join(tmpdir(), "writing-"));
let number = 0;
after(() => {
  rmSync(top, { recursive: true, force: true });
  zarr.terminate();
});

/** @type {Record<string, () => unknown>} */
const kinds = {
  Map: () => {
    const store = new Map();
    return { store, other: store, any: true, aborts: false };
  },
  "a new zip archive": () => {
    const store = new ZipWriter();
    return { store, other: store };
  },
  "a directory": () => {
    const path = join(top, String(++number));
    return { store: new zarr.DirectoryStore(path), other: new zarr.DirectoryStore(path) };
  },
};

for (const [kind, make] of Object.entries(kinds)) {
  test(kind, { timeout: 120_000 }, async () => {
    const results = await runWriting(zarr, make, kind.length);
    assert.ok(results.length > 5);
    assert.deepEqual(
      results.filter(({ error }) => error).map(({ name, error }) => `${name}: ${error}`),
      [],
    );
  });
}

// The references that `zarr index` writes: the package opens an HDF5 file on a server by them, with
// ranges only.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { copyFileSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { open, terminate } from "../../dist/node.js";
import { top } from "../lib/serve.mjs";

const dir = mkdtempSync(join(tmpdir(), "zarr-index-"));
const asked = [];
const server = createServer((request, response) => {
  const name = request.url.slice(1);
  const range = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? "");
  asked.push({ name, range: range?.slice(1).map(Number) });
  let body;
  try {
    body = readFileSync(join(dir, name));
  } catch {
    return response.writeHead(404).end();
  }
  if (!range) return response.end(body);
  const [from, to] = [Number(range[1]), Math.min(Number(range[2]), body.length - 1)];
  response.writeHead(206, { "content-range": `bytes ${from}-${to}/${body.length}` });
  response.end(body.subarray(from, to + 1));
});
await new Promise((ready) => server.listen(0, "127.0.0.1", ready));
const base = `http://127.0.0.1:${server.address().port}/`;
after(() => {
  server.closeAllConnections();
  server.close();
  rmSync(dir, { recursive: true });
  return terminate();
});

const upTo = (n) => Array.from({ length: n }, (_, i) => i);

for (const name of ["earliest", "latest"]) {
  test(`an HDF5 file of the ${name} format opens by references with ranges only`, async () => {
    copyFileSync(`${top}zarr/prepare/hdf5/testdata/${name}.h5`, join(dir, `${name}.h5`));
    execFileSync(`${top}build/zarr`, ["index", join(dir, `${name}.h5`), "-o", join(dir, `${name}.json`)], {
      stdio: "pipe",
    });
    asked.length = 0;
    const group = await open(`${base}${name}.json`);
    const { data } = await (await open(group.resolve("g/c"), { kind: "array" })).get();
    assert.deepEqual(Array.from(data), upTo(40));
    assert.deepEqual(Array.from((await (await open(group.resolve("x"))).get()).data), upTo(4));
    assert.deepEqual((await (await open(group.resolve("s"))).get()).data, ["a", "bc"]);
    assert.deepEqual((await open(group.resolve("g/c"))).attrs._ARRAY_DIMENSIONS.slice(1), ["x"]);
    const ofFile = asked.filter((one) => one.name.endsWith(".h5"));
    assert.ok(ofFile.length >= 1 && ofFile.every((one) => one.range), JSON.stringify(asked));
    assert.ok(ofFile.length <= 4, `${ofFile.length} requests`);
    const bytes = ofFile.reduce((sum, { range: [from, to] }) => sum + to - from + 1, 0);
    assert.ok(bytes < 16_000, `${bytes} bytes`);
  });
}

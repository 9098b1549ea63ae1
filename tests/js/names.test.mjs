// The package exports all of zarrita's names, types included, so that a program's imports need no
// change. Omitted names are listed here with a reason.
import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { test } from "node:test";
import { build } from "esbuild";
import { API } from "typescript/unstable/sync";
import { top } from "../lib/serve.mjs";

const writable = "it is what Writable is here";
const storage = "a store of @zarrita/storage, whose stores work here: import it from there";
const internal = "zarrita's own parts";

const leftOut = {
  AsyncWritable: writable,
  SyncWritable: writable,
  AsyncMutable: writable,
  SyncMutable: writable,
  FileSystemStore: storage,
  _zarrita_internal_get: internal,
  _zarrita_internal_set: internal,
  _zarrita_internal_getStrides: internal,
  _zarrita_internal_sliceIndices: internal,
};

test("every name of zarrita's and its stores' is here, or left out for a reason", () => {
  const api = new API({ cwd: top });
  try {
    const [{ checker, program }] = api
      .updateSnapshot({ openProject: `${top}tests/types/zarrita/tsconfig.json` })
      .getProjects();
    const exported = (file) => {
      const source = program.getSourceFile(`${top}${file}`);
      return checker.getExportsOfModule(checker.getSymbolAtLocation(source)).map(({ name }) => name);
    };
    const theirs = new Set([
      ...exported("node_modules/zarrita/dist/src/index.d.ts"),
      ...exported("node_modules/@zarrita/storage/dist/src/index.d.ts"),
    ]);
    assert.ok(theirs.size > 70, `${theirs.size} names`);
    const ours = new Set(exported("dist/index.d.ts"));
    assert.deepEqual([...theirs].filter((name) => !ours.has(name)).sort(), Object.keys(leftOut).sort());
  } finally {
    api.close();
  }
});

test("a program's imports of zarrita and its FetchStore are replaced as the migration page says", async () => {
  const dir = `${top}build/names`;
  mkdirSync(dir, { recursive: true });
  writeFileSync(`${dir}/fetch-store.js`, 'export { FetchStore as default } from "zarr-wasm";\n');
  writeFileSync(
    `${dir}/program.js`,
    `import FetchStore from "@zarrita/storage/fetch";
import FileSystemStore from "@zarrita/storage/fs";
import * as zarr from "zarrita";
export const same = FetchStore === zarr.FetchStore;
export const read = async (path) => (await zarr.get(await zarr.open(new FileSystemStore(path), { kind: "array" }))).data;
export const { terminate } = zarr;
`,
  );
  await build({
    entryPoints: [`${dir}/program.js`],
    outfile: `${dir}/program.mjs`,
    bundle: true,
    format: "esm",
    platform: "node",
    alias: { zarrita: "zarr-wasm", "@zarrita/storage/fetch": `${dir}/fetch-store.js` },
    external: ["zarr-wasm"],
    absWorkingDir: top,
  });
  const { same, read, terminate } = await import(`${dir}/program.mjs`);
  try {
    assert.equal(same, true);
    const fixture = `${top}build/fixtures/public/manzt+zarrita.js/fixtures/v3/data.zarr/1d.chunked.i2`;
    assert.deepEqual(await read(fixture), Int16Array.of(1, 2, 3, 4));
  } finally {
    terminate();
  }
});

// Tests that tests/conventions cannot run: folders that list, and nodes of the package's other
// entries.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, test } from "node:test";
import { inspect } from "node:util";
import * as anndata from "../../dist/anndata.js";
import * as inline from "../../dist/inline.js";
import * as zarr from "../../dist/node.js";
import { judge } from "../conventions/anndata.mjs";
import { array, group, list, store } from "../conventions/written.mjs";
import { top } from "../lib/serve.mjs";

const dir = `${top}build/fixtures/conventions/`;
const expected = JSON.parse(readFileSync(`${dir}expected.json`, "utf8"));
const t = {
  zarr,
  anndata,
  lists: true,
  open: (store, path, options) => zarr.open(new URL(path ? `${store}/${path}` : store, `file://${dir}`), options),
  bytes: async (file) => new Uint8Array(readFileSync(`${dir}${file}`)),
};

after(() => Promise.all([zarr.terminate(), inline.terminate()]));

test("every case reads from folders with listings", async () => {
  const cases = expected.cases.filter(({ kind }) => kind === "anndata");
  assert.equal(cases.length, 28);
  for (const one of cases) await judge(t, one);
});

test("nodes of zarr-wasm/inline are as good as those of the package", async () => {
  const frame = (index) =>
    group(
      { "encoding-type": "dataframe", "encoding-version": "0.2.0", _index: "_index", "column-order": ["none"] },
      {
        _index: list("string", index),
      },
    );
  const objects = store(group({}, { obs: frame(["a", "b"]), var: frame(["g"]), X: array("bool", [2, 1], [1, 0]) }));
  // The store cannot list: contents are found by requests.
  const root = await inline.open({ get: async (key) => objects.get(key) }, { kind: "group" });
  const adata = await anndata.openAnnData(root);
  assert.deepEqual(adata.shape, [2, 1]);
  assert.equal(adata.raw, null);
  assert.deepEqual(Array.from((await adata.X.get()).data), [true, false]);
  // Errors belong to this entry, whichever entry made the node.
  await assert.rejects(adata.obs.column("none"), (error) => error instanceof zarr.InvalidMetadataError);
  await assert.rejects(adata.uns.open("none"), (error) => error.name === "NotFoundError");
  const sparse = await anndata.openElement(
    await inline.open(
      store(
        group(
          { "encoding-type": "csr_matrix", "encoding-version": "0.1.0", shape: [2, 2] },
          {
            data: list("bool", [1]),
            indices: list("int32", [1]),
            indptr: list("int32", [0, 1, 1]),
          },
        ),
      ),
      { kind: "group" },
    ),
  );
  const { data } = await sparse.get([new inline.BoolArray([1, 0]), null]);
  assert.ok(data instanceof inline.BoolArray);
  assert.deepEqual(Array.from(data), [false, true]);
  await assert.rejects(sparse.get([new inline.BoolArray(0), null]), { name: "InvalidSelectionError" });
});

test("Node's console prints readable objects", async () => {
  const root = await t.open("anndata/dense_f4.zarr", "", { kind: "group" });
  const adata = await anndata.openAnnData(root);
  assert.equal(
    inspect(adata),
    "AnnData object with n_obs × n_vars = 23 × 11\n    obs: 'cell_type'\n    var: 'biotype'\n    layers: 'counts'",
  );
  assert.match(
    inspect({ counts: await adata.layers.open("counts") }),
    /<SparseMatrix \/layers\/counts csr_matrix shape=\(23, 11\) dtype=uint16 nnz=73>/,
  );
});

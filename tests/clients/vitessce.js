// Reads by Vitessce's AnnData source: indices, columns, codes, embeddings, matrices. The package's
// main file bundles zarrita, so this imports its modules.
import AnnDataSource from "./node_modules/@vitessce/zarr/dist-tsc/AnnDataSource.js";
import { plain, tried } from "./plain.js";

const stores = {
  "csr_f4.zarr": {
    obs: ["cell_type", "grade", "batch", "name with space", "n_counts", "small", "frac", "f4", "flag"],
    var: ["biotype"],
    numeric: ["obsm/X_umap", "layers/raw dense", "X/data", "X/indices", "X/indptr", "obs/nint/values"],
  },
  "dense_f4.zarr": { obs: ["cell_type"], var: ["biotype"], numeric: ["X"] },
  "dense_i8.zarr": { obs: ["cell_type"], var: ["biotype"], numeric: ["X"] },
  "legacy.zarr": { obs: ["kind", "label", "depth"], var: ["gene"], numeric: ["X"] },
  "v3.zarr": {
    obs: ["cat", "ordcat", "f", "ns", "s", "u"],
    var: [],
    numeric: ["obsm/X_umap", "X/data", "layers/csc/indices"],
  },
};

export async function run(base) {
  const seen = [];
  for (const [name, { obs, var: genes, numeric }] of Object.entries(stores)) {
    const source = new AnnDataSource({ url: `${base}fixtures/conventions/anndata/${name}` });
    seen.push({ name, obs: plain(await source.loadObsIndex()), var: plain(await source.loadVarIndex()) });
    for (const column of obs) {
      seen.push({ name, column, values: await tried(source.loadObsColumns([`obs/${column}`])) });
      seen.push({ name, column, codes: await tried(source.loadObsColumnCodes(`obs/${column}`)) });
    }
    for (const column of genes)
      seen.push({ name, column, values: await tried(source.loadVarColumns([`var/${column}`])) });
    for (const path of numeric) seen.push({ name, path, values: await tried(source.loadNumeric(path)) });
    if (numeric.includes("obsm/X_umap")) {
      seen.push(plain(await source.loadNumericForDims("obsm/X_umap", [0, 1])));
      seen.push(plain(await source.loadNumericForDims("obsm/X_umap", [1, 0])));
    }
    seen.push(await tried(source.getJson("obs/.zattrs")));
    seen.push(await tried(source.getJson("nothing/.zattrs")));
  }
  return seen;
}

// Reads elements of every kind by anndata.js, whole and in part. It slices a sparse matrix by
// writing an array in memory, so those are only read in part.
import { get, readElem, readZarr } from "anndata.js";
import { FetchStore, open, slice } from "zarrita";
import { plain, tried } from "./plain.js";

const stores = {
  "csr_f4.zarr": {
    obs: ["cell_type", "grade", "batch", "name with space", "n_counts", "small", "frac", "f4", "flag", "nothing"],
    var: ["biotype"],
    obsm: ["X_umap"],
    layers: ["raw dense"],
  },
  "dense_f4.zarr": { obs: ["cell_type"], var: ["biotype"] },
  "dense_i8.zarr": { obs: ["cell_type"], var: ["biotype"] },
  "legacy.zarr": { obs: ["kind", "label", "depth"], var: ["gene"] },
};

export async function run(base) {
  const seen = [];
  for (const [name, axes] of Object.entries(stores)) {
    const store = new FetchStore(`${base}fixtures/conventions/anndata/${name}`);
    const root = await open(store, { kind: "group" });
    for (const [axis, keys] of Object.entries(axes)) {
      const elements = await readElem(root, axis);
      for (const key of keys) {
        seen.push({ name, axis, key, has: await tried(elements.has(key)) });
        const element = await elements.get(key).catch(() => undefined);
        if (!element) continue;
        const rest = (element.codes ?? element).shape.slice(1).map(() => null);
        for (const first of [null, slice(1, 3), 2]) {
          seen.push({ name, axis, key, first, values: await tried(get(element, [first, ...rest])) });
        }
      }
    }
    if (name === "legacy.zarr") continue; // it lacks elements that readZarr opens
    const data = await readZarr(store);
    for (const names of [await data.obsNames(), await data.varNames()]) {
      seen.push({ name, names: plain(await get(names, [null])) });
    }
    const { X } = data;
    if (X.indptr) {
      seen.push({ name, shape: X.shape, format: X.format, major: X.majorAxis });
      for (const part of [X.indptr, X.indices, X.data]) {
        seen.push({ name, dtype: part.dtype, values: plain(await get(part, [null])) });
      }
    } else {
      for (const selection of [
        [null, null],
        [0, slice(0, 2)],
        [1, 1],
      ]) {
        seen.push({ name, selection, values: await tried(get(X, selection)) });
      }
    }
  }
  return seen;
}

// Synthetic cells as a table: AnnData in Zarr v3, with a sparse matrix of counts, categories and an
// embedding.
import { normal, random, Writer } from "./write.mjs";

const CELLS = 1500;
const GENES = 80;
const types = [
  { name: "T cell", share: 0.3, x: -6, y: 3, wide: 1.5 },
  { name: "B cell", share: 0.18, x: 5, y: 6, wide: 1.1 },
  { name: "monocyte", share: 0.22, x: 4, y: -5, wide: 1.6 },
  { name: "NK cell", share: 0.14, x: -7, y: -2.5, wide: 1 },
  { name: "dendritic cell", share: 0.1, x: 7.5, y: -0.5, wide: 0.8 },
  { name: "platelet", share: 0.06, x: -1, y: -8, wide: 0.6 },
];

const version = (type, version = "0.2.0") => ({ "encoding-type": type, "encoding-version": version });
const round = (value, digits) => Math.round(value * 10 ** digits) / 10 ** digits;

export async function table(folder) {
  const next = random(11);
  const bounds = types.map((_, i) => types.slice(0, i + 1).reduce((sum, { share }) => sum + share, 0));
  const of = Array.from({ length: CELLS }, () => {
    const at = next();
    return Math.max(
      0,
      bounds.findIndex((bound) => at < bound),
    );
  });
  const umap = new Float32Array(2 * CELLS);
  const pca = new Float32Array(6 * CELLS);
  const codes = Int8Array.from(of);
  const batches = Int8Array.from({ length: CELLS }, () => Math.floor(next() * 3));
  const mito = new Float32Array(CELLS);
  const doublet = new Uint8Array(CELLS);
  const totals = new Int32Array(CELLS);
  const [data, indices, indptr] = [[], [], [0]];
  for (const [i, type] of of.entries()) {
    const { x, y, wide } = types[type];
    const [a, b] = [normal(next), normal(next)];
    umap[2 * i] = round(x + wide * (a + 0.35 * b * b), 3);
    umap[2 * i + 1] = round(y + wide * (b - 0.3 * a * b), 3);
    for (let k = 0; k < 6; k++)
      pca[6 * i + k] = round((10 / (k + 1)) * (Math.sin(type * (k + 1.3)) + 0.35 * normal(next)), 3);
    mito[i] = round(100 * 0.12 * next() ** 2, 2);
    doublet[i] = next() < 0.03 ? 1 : 0;
    for (let gene = 0; gene < GENES; gene++) {
      const marker = gene % types.length === type && gene < 48;
      const mean = (marker ? 9 : 0.5) * (0.4 + next()) * (doublet[i] ? 2 : 1);
      const count = Math.max(0, Math.round(mean + Math.sqrt(mean) * normal(next) - 0.4));
      if (count === 0) continue;
      data.push(count);
      indices.push(gene);
      totals[i] += count;
    }
    indptr.push(data.length);
  }

  const writer = new Writer(folder);
  const codec = (path, array, shape, attributes) => writer.array(path, array, { shape, attributes });
  const categories = async (path, codes, names, ordered = false) => {
    writer.group(path, { ...version("categorical"), ordered });
    await codec(`${path}/codes`, codes, [codes.length], version("array"));
    writer.strings(`${path}/categories`, names, { attributes: version("string-array") });
  };
  writer.group("", version("anndata", "0.1.0"));
  writer.group("obs", {
    ...version("dataframe"),
    _index: "_index",
    "column-order": ["cell_type", "batch", "total_counts", "percent_mito", "doublet"],
  });
  const barcode = () => Array.from({ length: 12 }, () => "ACGT"[Math.floor(next() * 4)]).join("");
  writer.strings(
    "obs/_index",
    Array.from({ length: CELLS }, () => `${barcode()}-1`),
    { attributes: version("string-array") },
  );
  await categories(
    "obs/cell_type",
    codes,
    types.map(({ name }) => name),
  );
  await categories("obs/batch", batches, ["donor 1", "donor 2", "donor 3"], true);
  await codec("obs/total_counts", totals, [CELLS], version("array"));
  await codec("obs/percent_mito", mito, [CELLS], version("array"));
  await codec("obs/doublet", doublet, [CELLS], version("array"));
  writer.group("var", { ...version("dataframe"), _index: "_index", "column-order": ["marker_of"] });
  writer.strings(
    "var/_index",
    Array.from({ length: GENES }, (_, i) => `GENE${i + 1}`),
    { attributes: version("string-array") },
  );
  const markers = Int8Array.from({ length: GENES }, (_, i) => (i < 48 ? i % types.length : -1));
  await categories(
    "var/marker_of",
    markers,
    types.map(({ name }) => name),
  );
  writer.group("X", { ...version("csr_matrix", "0.1.0"), shape: [CELLS, GENES] });
  await codec("X/data", Float32Array.from(data), [data.length], version("array"));
  await codec("X/indices", Int32Array.from(indices), [data.length], version("array"));
  await codec("X/indptr", Int32Array.from(indptr), [CELLS + 1], version("array"));
  writer.group("obsm", version("dict", "0.1.0"));
  await codec("obsm/X_umap", umap, [CELLS, 2], version("array"));
  await codec("obsm/X_pca", pca, [CELLS, 6], version("array"));
  for (const name of ["varm", "obsp", "varp", "layers", "uns"]) writer.group(name, version("dict", "0.1.0"));
  writer.close();
}

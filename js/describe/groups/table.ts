// Tables: AnnData, MuData, data frames, and the elements of SpatialData.

import type { AnnData, ColumnElement, DataFrame, Mapping } from "../../anndata/index.js";
import type { Group } from "../../api/group.js";
import { member, text } from "../../shared/attributes.js";
import type { Convention, Description, Problem, TableColumn, TableDescription } from "../description.js";
import { attempt, loadAnndata, messageOf } from "../load.js";
import { exactText } from "../text.js";
import { groupTitle } from "./title.js";

/** @internal The `encoding-type` of a group; empty if it has none. */
export const encodingOf = ({ attrs }: Group): string => text(member(attrs, "encoding-type")) ?? "";

/** The names of embeddings to try if the store does not list them. */
const usual = ["X_umap", "X_tsne", "X_pca", "spatial"];

/** The most columns whose kind is read in advance. */
const mostColumns = 256;

/**
 * @internal Describes a group in AnnData's format. Undefined if it has no description of its own.
 */
export async function tableOf(
  group: Group,
  names: readonly string[],
  signal: AbortSignal | undefined,
): Promise<Description | undefined> {
  const type = encodingOf(group);
  const { attrs } = group;
  const has = (...wanted: string[]) => wanted.every((name) => names.includes(name));
  const anndata = () => loadAnndata();
  const version = text(member(attrs, "encoding-version")) ?? "";
  if (type === "MuData" || (type === "" && has("mod", "obs", "var"))) {
    const data = await (await anndata()).openMuData(group, { signal });
    return described(group, data.obs, data.obsm, [{ name: "MuData", version }], signal);
  }
  if (
    type === "anndata" ||
    (type === "" && has("obs", "var") && names.some((name) => /^(X|uns|obsm|layers|raw)$/.test(name)))
  ) {
    const data: AnnData = await (await anndata()).openAnnData(group, { signal });
    return described(group, data.obs, data.obsm, [{ name: "AnnData", version }], signal);
  }
  if (type === "dataframe") {
    const frame = (await (await anndata()).openElement(group, { signal })) as DataFrame;
    return described(group, frame, undefined, [{ name: "AnnData", version }], signal);
  }
  const isSpatial =
    member(attrs, "spatialdata_attrs") !== undefined &&
    member(member(attrs, "spatialdata_attrs"), "version") !== undefined;
  const kinds = ["images", "labels", "points", "shapes", "tables"] as const;
  if (isSpatial && kinds.some((name) => has(name))) {
    const data = await (await anndata()).openSpatialData(group, { signal });
    const members = kinds.flatMap((kind) =>
      (data[kind] ?? []).map((name) => ({ path: group.resolve(`${kind}/${name}`).path, kind: "group" as const })),
    );
    const conventions = [{ name: "SpatialData", version: data.version ?? "" }];
    return {
      path: group.path,
      title: groupTitle(group),
      node: group,
      kind: "group",
      conventions,
      problems: [],
      members,
    };
  }
  if (type === "") return undefined;
  // The rest are parts of others: a matrix, a column, a mapping.
  const conventions = [{ name: "AnnData", version }];
  const members = names.map((name) => ({ path: group.resolve(name).path, kind: "unknown" as const }));
  return { path: group.path, title: groupTitle(group), node: group, kind: "group", conventions, problems: [], members };
}

async function described(
  node: Group,
  frame: DataFrame,
  mapping: Mapping | undefined,
  conventions: readonly Convention[],
  signal: AbortSignal | undefined,
): Promise<TableDescription> {
  const problems: Problem[] = [];
  const report = (error: unknown) => problems.push({ path: node.path, message: messageOf(error) });
  const indexName = frame.indexName === "_index" ? "index" : frame.indexName;
  const columns = await Promise.all(
    frame.columns.map(async (name, i): Promise<TableColumn> => {
      if (i >= mostColumns) return { name, kind: "other" };
      const column = await attempt(signal, () => frame.openColumn(name, { signal }), report);
      return { name, kind: column ? kindOf(column) : "other" };
    }),
  );
  const embeddings = await embeddingsOf(mapping, signal, report);
  const index: TableColumn = { name: indexName, kind: "text" };
  const column = (name: string, rows: { start: number; stop: number; step: null } | null, signal?: AbortSignal) =>
    name === indexName && !frame.columns.includes(name)
      ? frame.index(rows, { signal })
      : frame.column(name, rows, { signal });
  return {
    path: node.path,
    title: groupTitle(node),
    node,
    kind: "table",
    conventions,
    problems,
    length: frame.length,
    columns: [index, ...columns],
    embeddings: embeddings.map(({ name, dimensions }) => ({ name, dimensions })),
    rows: async (start, stop, wanted, signal) => {
      const from = Math.max(0, Math.min(start, frame.length));
      const to = Math.max(from, Math.min(stop, frame.length));
      if (from === to) return [];
      const read = await Promise.all(wanted.map((name) => column(name, { start: from, stop: to, step: null }, signal)));
      return Array.from({ length: to - from }, (_, i) => read.map((one) => wordsOf(one.get(i))));
    },
    numbers: async (name, signal) => {
      const read = await column(name, null, signal);
      const { categories, length } = read;
      if (categories) {
        const codes = read.data as ArrayLike<number>;
        const values = Float64Array.from({ length }, (_, i) =>
          (codes[i] as number) < 0 ? Number.NaN : (codes[i] as number),
        );
        return { values, labels: categories.values.map((one) => wordsOf(one) ?? "missing") };
      }
      const values = Float64Array.from({ length }, (_, i) => {
        const value = read.get(i);
        return value === null || typeof value === "string" ? Number.NaN : Number(value);
      });
      return { values, labels: null };
    },
    points: async (embedding, signal) => {
      const found = embeddings.find(({ name }) => name === embedding);
      const array = found && (await mapping?.open(embedding, { signal }));
      if (array?.kind !== "array")
        throw new TypeError(`points: expected one of the embeddings, not ${JSON.stringify(embedding)}`);
      const { data } = (await array.get([null, { start: 0, stop: 2, step: null }], { signal })) as {
        data: ArrayLike<number | bigint>;
      };
      const take = (part: 0 | 1) =>
        Float32Array.from({ length: array.shape[0] as number }, (_, i) => Number(data[2 * i + part]));
      return { x: take(0), y: take(1) };
    },
  };
}

/** The arrays of a mapping with at least two numbers per row. */
async function embeddingsOf(
  mapping: Mapping | undefined,
  signal: AbortSignal | undefined,
  report: (error: unknown) => void,
): Promise<{ name: string; dimensions: number }[]> {
  if (!mapping?.group) return [];
  const known = mapping.names !== null;
  const found = await Promise.all(
    (mapping.names ?? usual).slice(0, mostColumns).map(async (name) => {
      const element = await attempt(signal, () => mapping.open(name, { signal }), known ? report : undefined);
      if (element?.kind !== "array" || element.shape.length !== 2 || (element.shape[1] as number) < 2) return [];
      return /^(u?int|float|minifloat)$/.test(element.type.kind)
        ? [{ name, dimensions: element.shape[1] as number }]
        : [];
    }),
  );
  // Embeddings made for plotting rank before those made for computation.
  const rank = (name: string) => (/umap|tsne|spatial|draw_graph|phate|diffmap/i.test(name) ? 0 : 1);
  return found.flat().sort((a, b) => rank(a.name) - rank(b.name));
}

function kindOf(column: ColumnElement): TableColumn["kind"] {
  if (column.kind === "categorical") return "category";
  if (column.kind === "nullable-integer") return "number";
  if (column.kind === "nullable-boolean") return "boolean";
  if (column.kind !== "array") return "text";
  const { array, field } = column as ColumnElement & {
    array?: { type: { kind: string; fields?: { name: string; type: { kind: string } }[] } };
    field?: string;
  };
  const kind =
    field === undefined ? array?.type.kind : array?.type.fields?.find(({ name }) => name === field)?.type.kind;
  if (kind === "bool") return "boolean";
  if (/^(string|unicode|char)$/.test(kind ?? "")) return "text";
  return /^(u?int|float|minifloat)$/.test(kind ?? "") ? "number" : "other";
}

function wordsOf(value: unknown): string | null {
  if (value === null || value === undefined) return null;
  if (typeof value === "number") return Number.isNaN(value) ? null : exactText(value, Math.fround(value) === value);
  return String(value);
}

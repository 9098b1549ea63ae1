// OME-Zarr groups: images, plates, wells, series, lists of labels.
import type { Group } from "../../api/group.js";
import { items, member, text } from "../../shared/attributes.js";
import type { DescribeOptions } from "../describe.js";
import type { Convention, Description, GroupDescription, ImageDescription, PlateDescription } from "../description.js";
import { type Fact, guessed, stated } from "../fact.js";
import { multiscalesOf } from "../level.js";
import { attempt, loadOme } from "../load.js";
import { openIn } from "../parents.js";
import { imageOf } from "./image.js";

const kinds = ["plate", "well", "labels", "scene", "series", "bioformats2raw.layout"];

/** @internal Reports whether attributes are those of an OME-Zarr group. */
export function isOme(attrs: Readonly<Record<string, unknown>>): boolean {
  if (multiscalesOf(attrs).length > 0) return true;
  const root = member(attrs, "ome") ?? attrs;
  return kinds.some((name) => {
    const value = member(root, name);
    // Other formats use attributes with these names, too.
    if (root !== attrs || name.includes(".")) return value !== undefined;
    return name === "labels" || name === "series"
      ? isPaths(value)
      : items(member(value, name === "plate" ? "wells" : "images")).length > 0;
  });
}

const isPaths = (value: unknown) =>
  Array.isArray(value) && value.length > 0 && value.every((one) => typeof one === "string");

/**
 * @internal Describes an OME-Zarr group. If nothing of it can be shown, reports the problem and
 * returns undefined.
 */
export async function describeOme(
  node: Group,
  options: DescribeOptions,
  failed: (error: unknown) => void,
): Promise<Description | undefined> {
  const { signal } = options;
  const ome = await loadOme();
  const kind = ome.kindOf(node.attrs);
  const version = versionOf(node.attrs);
  const conventions: Convention[] = [{ name: "OME-Zarr", version }];
  switch (kind) {
    case "image":
    case "label":
      return attempt(signal, () => ofImage(node, options), failed);
    case "plate":
      return attempt(signal, () => ofPlate(node, conventions, signal), failed);
    case "well": {
      const well = await attempt(signal, () => ome.openWell(node), failed);
      const paths = well?.images.map(({ path }) => path) ?? [];
      const found = await attempt(signal, () => ofList(node, paths, options, conventions), failed);
      return found && { ...found, problems: [...problemsOf(node, well?.problems ?? []), ...found.problems] };
    }
    case "bioformats2raw": {
      const series = await attempt(signal, () => ome.openSeries(node, { signal }), failed);
      conventions.push({ name: "bioformats2raw", version: series?.layout === 3 ? "3" : "" });
      const found = series && (await attempt(signal, () => ofList(node, series.images, options, conventions), failed));
      return found && { ...found, problems: [...problemsOf(node, series?.problems ?? []), ...found.problems] };
    }
    default: {
      const root = member(node.attrs, "ome") ?? node.attrs;
      const listed = kind === "labels" ? items(member(root, "labels")) : [];
      const members = listed.flatMap(
        (path): NonNullable<GroupDescription["members"]> =>
          typeof path === "string" && path !== "" ? [{ path: node.resolve(path).path, kind: "group" }] : [],
      );
      const { problems } = ome.validate(node.attrs);
      if (members.length === 0) {
        // The caller lists the members from the store.
        for (const one of problemsOf(node, problems)) failed(new Error(one.message));
        return undefined;
      }
      const title = guessed(node.path.split("/").at(-1) || "/", "the group's path");
      return {
        path: node.path,
        title,
        node,
        kind: "group",
        conventions,
        problems: problemsOf(node, problems),
        members,
      };
    }
  }
}

/** @internal The OME-Zarr version that attributes state; empty if none. */
export function versionOf(attrs: Readonly<Record<string, unknown>>): string {
  const own = member(member(attrs, "ome"), "version");
  const places = [
    ...["plate", "well", "image-label"].map((name) => member(attrs, name)),
    items(member(attrs, "multiscales"))[0],
  ];
  return text(own) ?? places.map((one) => text(member(one, "version"))).find((one) => one !== undefined) ?? "";
}

/** The problems, without mere recommendations of the specification. */
function problemsOf(node: Group, problems: readonly { level: string; path: string; message: string }[]) {
  return problems.flatMap(({ level, path, message }) =>
    level === "SHOULD" ? [] : [{ path: node.path, message: path === "" ? message : `${path}: ${message}` }],
  );
}

async function ofImage(
  node: Group,
  { image, signal, labels: listed = true }: DescribeOptions,
): Promise<ImageDescription> {
  const multiscales = multiscalesOf(node.attrs);
  const named = multiscales.map((one, i) => text(member(one, "name")) || String(i));
  // Names that are not unique cannot identify an image.
  const names = new Set(named).size === named.length ? named : named.map((_, i) => String(i));
  const wanted = image === undefined ? 0 : Math.max(0, names.indexOf(image));
  const [found, { labels, problems: others }] = await Promise.all([
    imageOf(node, signal, { multiscale: wanted }),
    listed ? labelsIn(node, signal) : { labels: [], problems: [] },
  ]);
  const { field, conventions, problems } = found;
  return {
    path: node.path,
    title: field.title,
    node,
    kind: "image",
    conventions,
    problems: [...problems, ...others],
    field,
    labels,
    images: names.length > 1 ? names : [],
  };
}

/** @internal The label images of an image's group. */
export async function labelsIn(
  image: Group,
  signal: AbortSignal | undefined,
): Promise<Pick<ImageDescription, "labels" | "problems">> {
  const isLabel = member(member(image.attrs, "ome") ?? image.attrs, "image-label") !== undefined;
  const found = isLabel
    ? undefined
    : await attempt(signal, async () => {
        const { openLabels } = await loadOme();
        return openLabels(await openIn(image, "labels", { kind: "group", signal, sparing: true }));
      });
  return {
    labels: (found?.paths ?? []).map((name) => ({ name, path: found?.group?.resolve(name).path ?? name })),
    problems: problemsOf(image, found?.problems ?? []),
  };
}

/** Describes one image of a list, each in its own group. */
async function ofList(
  node: Group,
  paths: readonly string[],
  options: DescribeOptions,
  conventions: readonly Convention[],
): Promise<ImageDescription | undefined> {
  const { image, signal } = options;
  const wanted = image !== undefined && paths.includes(image) ? image : paths[0];
  if (wanted === undefined) return undefined;
  const found = await ofImage(await node.open(wanted, { kind: "group", signal }), { ...options, image: undefined });
  const version = found.conventions[0]?.version ?? "";
  return {
    ...found,
    path: node.path,
    node,
    conventions: conventions.map((one) => (one.name === "OME-Zarr" && one.version === "" ? { ...one, version } : one)),
    images: paths.length > 1 ? paths : [],
  };
}

async function ofPlate(
  node: Group,
  conventions: readonly Convention[],
  signal: AbortSignal | undefined,
): Promise<PlateDescription> {
  const plate = await (await loadOme()).openPlate(node);
  signal?.throwIfAborted();
  const title: Fact<string> = plate.name
    ? stated(plate.name, "the plate's name")
    : guessed(node.path.split("/").at(-1) || "/", "the group's path");
  return {
    path: node.path,
    title,
    node,
    kind: "plate",
    conventions,
    problems: problemsOf(node, plate.problems),
    rows: plate.rows,
    columns: plate.columns,
    wells: plate.wells.flatMap(({ path, rowIndex, columnIndex }) =>
      rowIndex >= 0 && columnIndex >= 0 ? [{ row: rowIndex, column: columnIndex, path: node.resolve(path).path }] : [],
    ),
    images: async (path, signal) => {
      const { openWell } = await loadOme();
      const group = await node.open(node.resolve(path).path, { kind: "group", signal });
      const well = await openWell(group);
      return well.images.map((one) => group.resolve(one.path).path);
    },
  };
}

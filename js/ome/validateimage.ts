import type { ZarrArray } from "../api/array.js";
import type { Group } from "../api/group.js";
import { isNamed } from "../errors.js";
import { type Document, documentOf } from "./document.js";
import { placement } from "./geometry.js";
import { checkGroup } from "./image.js";
import type { Multiscale } from "./multiscales.js";
import type { CheckedValue } from "./problems.js";
import { type OmeOptions, withParameters } from "./stored.js";
import { checkDocument, type Report, reportOf, type ValidateOptions } from "./validate.js";

/** The most level arrays that are checked. */
const mostLevels = 1000;

/**
 * Checks a group: its attributes like {@link validate}, and the arrays that they name.
 *
 * - Every level must exist, with one dimension per axis and a common data type.
 * - Levels must go from the largest to the smallest.
 * - Since 0.5, dimension names must equal axis names, and labels must be integers.
 * - The groups named by a plate, a well, or a list of labels or series must exist.
 * - A well's acquisitions must be those of its plate.
 *
 * Costs the requests of the metadata of the levels or groups, of a label's source image, and of a
 * well's plate. At most 1,000 are checked. Rejects on any other failure, such as a server error.
 */
export async function validateImage(group: Group, options: ValidateOptions & OmeOptions = {}): Promise<Report> {
  checkGroup("validateImage", group);
  const { version, ...others } = options;
  const document = documentOf(group.attrs, version);
  const { images } = checkDocument(document);
  const items = document.root.get("multiscales").items;
  let left = mostLevels;
  for (const [i, item] of items.entries()) {
    await levels(group, item, images[i], left, document, others);
    left = Math.max(left - item.get("datasets").items.length, 0);
  }
  if (document.kind === "label" && images[0]) await asManyAsTheSource(group, images[0], document, others);
  await namedGroups(group, document, others);
  return reportOf(document);
}

/** Checks that the groups exist that a plate, a well, or a list of labels or series names. */
async function namedGroups(group: Group, { root, version }: Document, options: OmeOptions): Promise<void> {
  const [wells, images] = [root.get("plate").get("wells"), root.get("well").get("images")];
  // The list of series is in a sibling group of the images.
  const lists: [CheckedValue[], Group | { resolve(path: string): { path: string } }][] = [
    [[...wells.items, ...images.items].map((item) => item.get("path")), group],
    [root.get("labels").items, group],
    [root.get("series").items, group.resolve("..")],
  ];
  let left = mostLevels;
  for (const [parts, at] of lists) {
    const looked = parts.filter(({ text }) => text).slice(0, left);
    left -= looked.length;
    const there = looked.map((part) => groupAt(group, at.resolve(part.text as string).path, options));
    for (const [i, found] of (await Promise.all(there)).entries()) {
      if (!found) looked[i]?.must(`there is no group ${JSON.stringify(looked[i]?.text)}`);
    }
  }
  if (images.items.length === 0) return;
  const plate = documentOf((await groupAt(group, group.resolve("../..").path, options))?.attrs).root.get("plate");
  const ids = new Set(plate.get("acquisitions").items.map((item) => item.get("id").integer));
  ids.delete(undefined);
  const level = version < "0.4" ? "warning" : "MUST";
  for (const item of ids.size > 0 ? images.items : []) {
    const at = item.get("acquisition");
    if (at.exists && !ids.has(at.integer)) at.report(level, "`acquisition` MUST be one of the plate's acquisitions");
    else if (!at.exists && ids.size > 1)
      at.report(level, "an image MUST have an `acquisition` if the plate has several");
  }
}

async function groupAt(group: Group, path: string, options: OmeOptions): Promise<Group | undefined> {
  try {
    return await group.open(path, { ...options, kind: "group" });
  } catch (error) {
    if (isNamed(error, "NotFoundError")) return undefined;
    throw error;
  }
}

/** Opens the array of a level, or returns its problem. */
async function levelAt(group: Group, path: string, options: OmeOptions): Promise<ZarrArray | string> {
  try {
    return await group.open(path, { ...options, kind: "array" });
  } catch (error) {
    if (isNamed(error, "NotFoundError")) return `there is no array ${JSON.stringify(path)}`;
    if (isNamed(error, "InvalidMetadataError", "UnknownCodecError", "UnsupportedError", "LimitError")) {
      return `the array ${JSON.stringify(path)} cannot be opened: ${error.message}`;
    }
    throw error;
  }
}

async function levels(
  group: Group,
  item: CheckedValue,
  image: Multiscale | undefined,
  most: number,
  document: Document,
  options: OmeOptions,
) {
  const { version, kind } = document;
  const paths = item.get("datasets").items.map((dataset) => dataset.get("path"));
  if (paths.length > mostLevels) {
    item
      .get("datasets")
      .report("warning", `${paths.length} levels: only the arrays of the first ${mostLevels} are checked`);
  }
  const looked = paths.slice(0, mostLevels);
  const found = await Promise.all(looked.map(({ text }) => (text ? levelAt(group, text, options) : undefined)));
  const arrays = found.map((one, i) => {
    if (typeof one !== "string") return one;
    looked[i]?.must(one);
    return undefined;
  });
  const first = arrays.find((array) => array !== undefined);
  const count = image?.axes.length ?? item.get("axes").items.length;
  let before: ZarrArray | undefined;
  for (const [i, array] of arrays.entries()) {
    const part = looked[i];
    if (!array || !first || !part) continue;
    const { shape, dtype } = array;
    if (count > 0 && shape.length !== count) part.must(`the array has ${shape.length} dimensions for ${count} axes`);
    if (dtype !== first.dtype) {
      // Only the text of 0.6 demands this.
      part.report(
        version >= "0.6" ? "MUST" : "warning",
        `the data type is ${dtype}, but another level has ${first.dtype}`,
      );
    }
    if (
      before?.shape.length === shape.length &&
      shape.some((length, axis) => length > (before?.shape[axis] as number))
    ) {
      part.must("the datasets MUST be ordered from the largest to the smallest");
    }
    if (kind === "label" && !/^u?int(8|16|32|64)$/.test(dtype)) {
      part.report(version >= "0.5" ? "MUST" : "warning", `labels MUST be integers, not ${dtype}`);
    }
    if (image && version === "0.5") {
      const names = array.dimensionNames;
      const axes = image.axes.map(({ name }) => name);
      if (names?.join() !== axes.join()) part.must(`\`dimension_names\` MUST be ${axes.join(", ")}, like the axes`);
    }
    before = array;
  }
  if (image) {
    sameExtents(image, looked, arrays, await placements(group, image, most, options));
    channelCount(image, first, document.root.get("omero").get("channels"));
  }
}

/** The placement of each level; undefined if it cannot be read. */
async function placements(group: Group, { datasets, axes }: Multiscale, most: number, options: OmeOptions) {
  const all = datasets.slice(0, most).map(async ({ path, transformations }) => {
    if (!transformations) return undefined;
    const known = await Promise.all(transformations.map((one) => withParameters(one, group, options)));
    return placement(known, axes.length, path);
  });
  const settled = await Promise.allSettled(all);
  return settled.map((one) => (one.status === "fulfilled" ? one.value : undefined));
}

/**
 * Checks that all levels cover the same extent. Their ends may differ by a pixel of the coarser
 * level.
 */
function sameExtents(
  image: Multiscale,
  paths: readonly CheckedValue[],
  arrays: readonly (ZarrArray | undefined)[],
  places: Awaited<ReturnType<typeof placements>>,
): void {
  const [first, base] = [arrays[0]?.shape, places[0]];
  if (!first || !base) return;
  arrays.forEach((array, i) => {
    const place = places[i];
    if (i === 0 || !array || !place || array.shape.length !== first.length || place.scale.length !== first.length)
      return;
    const off = array.shape.findIndex((length, axis) => {
      const [a, b] = [place.scale[axis] as number, base.scale[axis] as number];
      const most = Math.max(Math.abs(a), Math.abs(b)) * (1 + 1e-9);
      return Math.abs(length * a - (first[axis] as number) * b) > most;
    });
    const axis = image.axes[off];
    if (axis) paths[i]?.report("warning", `the extent along ${axis.name} differs from that of the first level`);
  });
}

function channelCount(image: Multiscale, array: ZarrArray | undefined, channels: CheckedValue): void {
  const axis = image.axes.findIndex(({ type }) => type === "channel");
  const length = axis < 0 ? 1 : array?.shape[axis];
  const { items } = channels;
  if (items.length > 0 && length !== undefined && items.length !== length) {
    channels.report("warning", `there are ${items.length} channels, but the channel axis has length ${length}`);
  }
}

/** Checks that a label image has as many levels as its source image, if that can be found. */
async function asManyAsTheSource(
  group: Group,
  image: Multiscale,
  { root }: Document,
  options: OmeOptions,
): Promise<void> {
  const source = root.get("image-label").get("source").get("image").text || "../../";
  const parent = group.resolve(source);
  if (parent.path === group.path) return;
  const found = await groupAt(group, parent.path, options);
  const { items } = documentOf(found?.attrs).root.get("multiscales").items[0]?.get("datasets") ?? { items: [] };
  const { length } = image.datasets;
  if (items.length > 0 && items.length !== length) {
    root
      .get("multiscales")
      .must(`a label image MUST have as many levels as its source: ${items.length}, not ${length}`);
  }
}

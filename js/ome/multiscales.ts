import { type Axis, axesBefore04, type CoordinateSystem, coordinateSystems, imageAxes } from "./axes.js";
import { checkVersion, type Document } from "./document.js";
import type { CheckedValue } from "./problems.js";
import { misfit } from "./transform.js";
import { type Reference, referenceOf, type Transformation, transformationOf } from "./transformation.js";

/** A resolution level as stated in the document. */
export interface Dataset {
  /** The path of the array, relative to the image. */
  path: string;
  /** The transformations from indices to physical coordinates, in order; undefined before 0.4. */
  transformations: Transformation[] | undefined;
}

/** An image as stated in the document (section "multiscales"). */
export interface Multiscale {
  name: string | null;
  type: string | null;
  metadata: unknown;
  axes: Axis[];
  datasets: Dataset[];
  /** Since 0.6: the coordinate system that the levels map to. */
  intrinsic: string | null;
  coordinateSystems: CoordinateSystem[];
  /** Since 0.6: the other transformations of the image. */
  transformations: Transformation[];
}

/** Reads an image. Undefined if the document leaves its pixel positions unclear. */
export function multiscaleOf(part: CheckedValue, document: Document): Multiscale | undefined {
  const { version, stated } = document;
  if (!part.isObject) return part.must("a multiscale MUST be an object");
  const [name, type, metadata] = [part.get("name"), part.get("type"), part.get("metadata")];
  for (const one of [name, type]) {
    if (one.exists && one.value !== null) one.optional(one.text !== undefined, "a string");
  }
  for (const [one, what] of [
    [name, "a `name`"],
    [type, "a `type`"],
    [metadata, "`metadata`"],
  ] as const) {
    if (version >= "0.2" && !one.exists) one.should(`a multiscale SHOULD have ${what}`);
  }
  checkVersion(part, document, "a multiscale");
  const common = { name: name.text ?? null, type: type.text ?? null, metadata: metadata.value };
  if (version >= "0.6") {
    const read = systemsAndDatasets(part, /dev/.test(stated));
    return read && { ...common, ...read };
  }
  const axes = version < "0.4" ? axesBefore04(part.get("axes"), version) : imageAxes(part.get("axes"));
  const items = part.get("datasets").list();
  const more = part.get("coordinateTransformations");
  const shared = version < "0.4" || !more.exists ? [] : scaleAndTranslation(more, axes?.length);
  const datasets = items?.map((item): Dataset | undefined => {
    const path = datasetPath(item);
    if (version < "0.4") return path === undefined ? undefined : { path, transformations: undefined };
    if (!item.isObject) return undefined;
    const own = scaleAndTranslation(item.get("coordinateTransformations"), axes?.length);
    return path === undefined || !own || !shared ? undefined : { path, transformations: [...own, ...shared] };
  });
  if (version >= "0.4") finestFirst(items ?? [], datasets ?? []);
  if (!axes || !datasets?.every((one) => one !== undefined)) return undefined;
  return { ...common, axes, datasets, intrinsic: null, coordinateSystems: [], transformations: [] };
}

function datasetPath(dataset: CheckedValue): string | undefined {
  if (!dataset.isObject) return dataset.must("a dataset MUST be an object");
  return dataset.get("path").name();
}

/**
 * Reads the transformations of one or of all levels, in 0.4 and 0.5: one scale, and perhaps one
 * translation after it.
 */
function scaleAndTranslation(part: CheckedValue, axes: number | undefined): Transformation[] | undefined {
  const items = part.list();
  if (!items) return undefined;
  const isScale = (item: CheckedValue) => item.get("type").text === "scale";
  const firstScale = items.findIndex(isScale);
  let [scales, translations, good] = [0, 0, true];
  const read: Transformation[] = [];
  for (const [i, item] of items.entries()) {
    const type = item.get("type");
    if (item.isObject && type.text !== undefined && type.text !== "scale" && type.text !== "translation") {
      type.must(`the type MUST be scale or translation, not ${type.text}`);
      good = false;
      continue;
    }
    const one = transformationOf(item, axes);
    if (one && read.push(one)) checkScale(item, one);
    good &&= one !== undefined && isScaled(one);
    if (isScale(item) && ++scales > 1) item.must("there MUST be exactly one scale");
    if (type.text !== "translation") continue;
    if (++translations > 1) item.must("there MUST be no more than one translation");
    else if (i < firstScale) item.must("a translation MUST come after the scale");
  }
  if (scales === 0) part.must("there MUST be exactly one scale");
  return good && scales > 0 ? read : undefined;
}

/** Reports whether no scale factor is zero. */
const isScaled = (one: Transformation) => one.type !== "scale" || !one.scale?.includes(0);

function checkScale(part: CheckedValue, one: Transformation): void {
  if (one.type !== "scale" || !one.scale) return;
  if (!isScaled(one)) part.get("scale").must("a scale of 0 is not the size of a pixel");
  else if (one.scale.some((size) => size < 0)) part.get("scale").report("warning", "a negative scale flips an axis");
}

/** Reports a level that is finer than the one before it, by the stated scales. */
function finestFirst(items: readonly CheckedValue[], datasets: readonly (Dataset | undefined)[]): void {
  let before: number[] | undefined;
  datasets.forEach((dataset, i) => {
    const scales = dataset?.transformations?.flatMap((one) => (one.type === "sequence" ? one.transformations : [one]));
    const first = scales?.find((one) => one.type === "scale");
    const scale = first?.type === "scale" ? first.scale : undefined;
    if (before && scale?.some((size, axis) => Math.abs(size) < Math.abs(before?.[axis] as number) * (1 - 1e-9))) {
      items[i]?.get("path").must("the datasets MUST be ordered from the highest resolution to the lowest");
    }
    before = scale ?? before;
  });
}

/** Reads the coordinate systems and levels of 0.6. All levels map to one of the systems. */
function systemsAndDatasets(
  part: CheckedValue,
  draft: boolean,
): Omit<Multiscale, "name" | "type" | "metadata"> | undefined {
  const systems = coordinateSystems(part.get("coordinateSystems"), true);
  const byName = new Map(systems.map((system) => [system.name, system]));
  const items = part.get("datasets").list();
  let intrinsic: string | undefined;
  const datasets = items?.map((item): Dataset | undefined => {
    const path = datasetPath(item);
    if (!item.isObject) return undefined;
    const list = item.get("coordinateTransformations");
    const [first, ...others] = list.list() ?? [];
    if (!first) return undefined;
    if (others.length > 0) list.must("there MUST be a single scale, identity or sequence of a scale and a translation");
    const output = first.get("output");
    const to = referenceOf(output, draft);
    const from = referenceOf(first.get("input"), draft);
    if (from && path !== undefined && (draft ? (from.path ?? from.name) : from.path) !== path) {
      first.get("input").must("the input MUST be the dataset's `path`");
    }
    if (!draft && from?.name != null)
      first.get("input").get("name").should("the input of a dataset SHOULD have no `name`");
    if (!draft && to?.path != null) output.get("path").should("the output of a dataset SHOULD have no `path`");
    const system = byName.get(to?.name ?? "");
    if (to && !system && systems.length > 0)
      output.must("the output MUST be the name of a coordinate system of this multiscale");
    if (system && intrinsic !== undefined && system.name !== intrinsic)
      output.must("the output MUST be the same for all datasets");
    else intrinsic ??= system?.name;
    const one = levelTransformation(first, system?.axes.length);
    if (others.length > 0 || !one || path === undefined || !from || !system || system.name !== intrinsic)
      return undefined;
    return {
      path,
      transformations: [{ ...one, input: { name: null, path }, output: { name: system.name, path: null } }],
    };
  });
  finestFirst(items ?? [], datasets ?? []);
  const transformations = furtherTransformations(part.get("coordinateTransformations"), byName, intrinsic, draft);
  if (intrinsic !== undefined) connected(part.get("coordinateSystems"), intrinsic, transformations);
  const axes = byName.get(intrinsic ?? "")?.axes;
  if (!axes || intrinsic === undefined || !datasets?.every((one) => one !== undefined)) return undefined;
  return { axes, datasets, intrinsic, coordinateSystems: systems, transformations };
}

/** Reads the transformation of a level in 0.6. */
function levelTransformation(part: CheckedValue, axes: number | undefined): Transformation | undefined {
  const type = part.get("type");
  const what =
    "the transformation of a dataset MUST be a scale, an identity or a sequence of a scale and a translation";
  if (type.text !== undefined && !["scale", "identity", "sequence"].includes(type.text)) return type.must(what);
  const one = transformationOf(part, axes);
  if (one?.type !== "sequence") {
    if (one) checkScale(part, one);
    return one && isScaled(one) ? one : undefined;
  }
  const list = part.get("transformations");
  if (one.transformations.map((inner) => inner.type).join() !== "scale,translation") return list.must(what);
  // Read again, to check the lengths of the sequence's parameters.
  const read = list.items.map((item) => transformationOf(item, axes));
  for (const [i, inner] of one.transformations.entries()) checkScale(list.items[i] as CheckedValue, inner);
  return read.every((inner) => inner && isScaled(inner)) ? one : undefined;
}

/** Reads the transformations of 0.6 between an image's systems, or to those of its labels. */
function furtherTransformations(
  part: CheckedValue,
  systems: ReadonlyMap<string, CoordinateSystem>,
  intrinsic: string | undefined,
  draft: boolean,
): Transformation[] {
  if (!part.exists) return [];
  const read: Transformation[] = [];
  for (const item of part.list() ?? []) {
    const one = referring(item, draft);
    if (!one) continue;
    const ends = [one.input, one.output] as Reference[];
    for (const [i, end] of ends.entries()) {
      const at = item.get(i === 0 ? "input" : "output");
      if (!end.name) at.get("name").must("`name` MUST name a coordinate system");
      else if (end.path === null && !systems.has(end.name)) {
        at.must(`there is no coordinate system ${JSON.stringify(end.name)} in this multiscale`);
      }
    }
    if (intrinsic !== undefined && !ends.some((end) => end.path === null && end.name === intrinsic)) {
      item.must(`the input or the output MUST be ${JSON.stringify(intrinsic)}, the output of the datasets`);
    }
    const away = ends.some((end) => end.path !== null);
    if (away && !["identity", "scale", "translation", "sequence"].includes(one.type)) {
      item
        .get("type")
        .must("to the coordinate system of a label image the type MUST be identity, scale or translation");
    }
    checkAxes(item, one, systems);
    read.push(one);
  }
  return read;
}

/**
 * Reports a transformation whose parameters do not fit the axes of its systems, if these are known.
 */
export function checkAxes(
  part: CheckedValue,
  one: Transformation,
  systems: ReadonlyMap<string, CoordinateSystem>,
): void {
  const [from, to] = [one.input, one.output].map((end) =>
    end?.path === null ? systems.get(end.name ?? "") : undefined,
  );
  // Systems with more axes are already reported. Multiplying their matrices may take long.
  const few = from && to && from.axes.length <= 8 && to.axes.length <= 8;
  const why = few && misfit(one, from.axes.length, to.axes.length);
  if (why) part.must(why);
}

/** Reads a transformation between two coordinate systems. */
export function referring(part: CheckedValue, draft: boolean): Transformation | undefined {
  const one = transformationOf(part);
  if (!part.isObject) return undefined;
  const [input, output] = [referenceOf(part.get("input"), draft), referenceOf(part.get("output"), draft)];
  return one && input && output && { ...one, input, output };
}

/** Reports the coordinate systems without a link to the intrinsic one. */
function connected(systems: CheckedValue, intrinsic: string, transformations: readonly Transformation[]): void {
  const linked = new Map<string, string[]>();
  for (const { input, output } of transformations) {
    if (!input?.name || !output?.name || input.path !== null || output.path !== null) continue;
    for (const [from, to] of [
      [input.name, output.name],
      [output.name, input.name],
    ] as const) {
      const others = linked.get(from);
      if (others) others.push(to);
      else linked.set(from, [to]);
    }
  }
  const reached = new Set([intrinsic]);
  // The loop also visits the names that it adds.
  for (const name of reached) for (const other of linked.get(name) ?? []) reached.add(other);
  for (const item of systems.items) {
    const { text } = item.get("name");
    if (text && !reached.has(text)) {
      item.must(`a transformation MUST link ${JSON.stringify(text)} with the other coordinate systems`);
    }
  }
}

import type { ZarrArray } from "../api/array.js";
import type { Group } from "../api/group.js";
import { refuse } from "../shared/arguments.js";
import { fieldOf, nameOf } from "./array.js";
import type { ArrayDescription, Description, ImageDescription, Problem } from "./description.js";
import { stated } from "./fact.js";
import { levelIn, multiscalesOf } from "./level.js";
import { attempt, loadGroups, loadOme, messageOf } from "./load.js";
import { besideOf, openIn, parentsOf, Surroundings } from "./parents.js";

/** Options of {@link describe}. */
export interface DescribeOptions {
  /**
   * For an array: a group above it in the same store, searched for coordinates. By default
   * `describe` opens the array's parent group, if `zarr-wasm` itself opened the array.
   */
  group?: Group | undefined;
  /**
   * For a group with several images or variables: the one to describe, as listed in
   * {@link ImageDescription.images}. The default is the first.
   */
  image?: string | undefined;
  /** For an image: `false` skips the labels. {@link labelsOf} reads them later. */
  labels?: boolean | undefined;
  /** Aborts the description. The promise rejects with the signal's reason. */
  signal?: AbortSignal | undefined;
}

/**
 * Describes a node. Violations of conventions are listed as problems and are no errors. Rejects
 * when the store cannot be read or the signal is aborted.
 */
export async function describe(node: ZarrArray | Group, options: DescribeOptions = {}): Promise<Description> {
  if (node?.kind !== "array" && node?.kind !== "group") refuse("describe", node, "an array or a group");
  if (options === null || typeof options !== "object") refuse("describe: options", options, "an object");
  options.signal?.throwIfAborted();
  // If the node is an image, load both modules in parallel.
  if (multiscalesOf(node.attrs).length > 0) loadOme().catch(() => {});
  const described = await (node.kind === "array"
    ? describeArray(node, options)
    : (await loadGroups()).describeGroup(node, options));
  options.signal?.throwIfAborted();
  return described;
}

/**
 * Lists the label images over an image and the problems of that list, for an image that was
 * described with `labels: false`.
 */
export async function labelsOf(
  { node, field }: ImageDescription,
  { signal }: { signal?: AbortSignal | undefined } = {},
): Promise<Pick<ImageDescription, "labels" | "problems">> {
  const { labelsIn } = await loadGroups();
  return labelsIn(field.path === node.path ? node : await openIn(node, field.path, { kind: "group", signal }), signal);
}

async function describeArray(node: ZarrArray, { group, signal }: DescribeOptions): Promise<ArrayDescription> {
  const beside = group ? undefined : await besideOf(node, signal);
  if (!beside) return arrayIn(node, await parentsOf(node, group, signal), signal);
  const { field, ...found } = await arrayIn(beside.array, beside.groups, signal);
  // Reads go to the array as it was opened.
  const levels = field.levels.map((level) => ({ ...level, array: node }));
  return { ...found, path: node.path, node, field: { ...field, path: node.path, levels } };
}

/** Describes an array with the given groups above it. */
async function arrayIn(
  node: ZarrArray,
  groups: readonly Group[],
  signal: AbortSignal | undefined,
): Promise<ArrayDescription> {
  const around = new Surroundings(groups, signal);
  const common = { path: node.path, kind: "array" as const, node };
  const problems: Problem[] = [];
  for (const above of groups) {
    const level = levelIn(above, node);
    if (!level) continue;
    const found = await attempt(
      signal,
      async () => {
        const { imageOf } = await loadGroups();
        return imageOf(above, signal, { multiscale: level.multiscale, only: level.path, level: node });
      },
      (error) => problems.push({ path: above.path, message: messageOf(error) }),
    );
    if (!found) continue;
    const title = stated(`${found.field.title.value}, level ${level.path}`, found.field.title.why);
    const field = { ...found.field, path: node.path, name: nameOf(node.path), title };
    return { ...common, title, conventions: found.conventions, problems: found.problems, field };
  }
  const { field, conventions, problems: more } = await fieldOf(node, around, signal);
  return { ...common, title: field.title, conventions, problems: [...problems, ...more], field };
}

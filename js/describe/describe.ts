import type { ZarrArray } from "../api/array.js";
import type { Group } from "../api/group.js";
import { refuse } from "../refuse.js";
import { fieldOf, nameOf } from "./array.js";
import type { ArrayDescription, Description, ImageDescription, Problem } from "./description.js";
import { stated } from "./fact.js";
import { levelIn, multiscalesOf } from "./level.js";
import { attempt, loadGroups, loadOme, messageOf } from "./load.js";
import { besideOf, openIn, parentsOf, Surroundings } from "./parents.js";

/** What {@link describe} may be told. */
export interface DescribeOptions {
  /**
   * Of an array: a group above it, of the same store: coordinates are looked for there. Without it, the group that the array is in is
   * opened, where the array was opened by `zarr-wasm` itself.
   */
  group?: Group | undefined;
  /** Of a group with several images or variables that are drawn: which one, as {@link ImageDescription.images} names it. The default is the first. */
  image?: string | undefined;
  /** Of an image: `false` does not ask for its labels, which {@link labelsOf} then does. */
  labels?: boolean | undefined;
  /** Ends the description: it rejects with the signal's reason. */
  signal?: AbortSignal | undefined;
}

/**
 * Says what a node is and what there is to look at. What the metadata violate is among the problems, and is no error; it rejects where the
 * store cannot be read, and where the signal is aborted.
 */
export async function describe(node: ZarrArray | Group, options: DescribeOptions = {}): Promise<Description> {
  if (node?.kind !== "array" && node?.kind !== "group") refuse("describe", node, "an array or a group");
  if (options === null || typeof options !== "object") refuse("describe: options", options, "an object");
  options.signal?.throwIfAborted();
  // Both modules are loaded at once where the second is known to be called for.
  if (multiscalesOf(node.attrs).length > 0) loadOme().catch(() => {});
  const described = await (node.kind === "array"
    ? describeArray(node, options)
    : (await loadGroups()).describeGroup(node, options));
  options.signal?.throwIfAborted();
  return described;
}

/** The images of labels over an image, and what is wrong with their list: what `describe` tells of them where it is to ask for them. */
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
  // It is read where it was opened.
  const levels = field.levels.map((level) => ({ ...level, array: node }));
  return { ...found, path: node.path, node, field: { ...field, path: node.path, levels } };
}

/** Describes an array with what is known of the groups that it is in. */
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

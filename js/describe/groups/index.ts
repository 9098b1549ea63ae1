import type { Group } from "../../api/group.js";
import { member, text } from "../../attributes/read.js";
import { nameOf } from "../array.js";
import type { DescribeOptions } from "../describe.js";
import type { Described, Description, GroupDescription, Problem } from "../description.js";
import { type Fact, guessed, stated } from "../fact.js";
import { attempt, messageOf } from "../load.js";
import { datasetOf } from "./dataset.js";
import { describeOme, isOme } from "./omegroup.js";

export { imageOf } from "./image.js";

/** @internal Says what a group is. */
export async function describeGroup(node: Group, options: DescribeOptions): Promise<Description> {
  const { signal } = options;
  const problems: Problem[] = [];
  const failed = (error: unknown) => problems.push({ path: node.path, message: messageOf(error) });
  if (isOme(node.attrs)) {
    const found = await describeOme(node, options, failed);
    if (found) return { ...found, problems: [...problems, ...found.problems] };
  }
  const common = { path: node.path, title: groupTitle(node), node };
  const dataset = await attempt(
    signal,
    () => datasetOf(node, signal),
    (error) => {
      if (!(error instanceof Error && error.name === "UnsupportedError")) failed(error);
    },
  );
  if (dataset) return { ...common, kind: "dataset", ...dataset, problems: [...problems, ...dataset.problems] };
  return { ...common, kind: "group", conventions: [], problems, members: await membersOf(node, signal) };
}

/** @internal What a group holds, where anything tells. */
export async function membersOf(group: Group, signal: AbortSignal | undefined): Promise<GroupDescription["members"]> {
  const members = await attempt(signal, () => group.members({ signal }));
  return members?.map(({ path, kind }) => ({ path, kind: kind === "implicit" ? "unknown" : kind })) ?? null;
}

/** @internal A title of a group. */
export function groupTitle({ attrs, path }: Group): Fact<string> {
  for (const name of ["title", "long_name", "name"]) {
    const written = text(member(attrs, name))?.trim();
    if (written) return stated(written, `the attribute ${name}`);
  }
  return guessed(nameOf(path), "the group's path");
}

/** @internal What a description has besides what it is about. */
export type About = Pick<Described, "path" | "title"> & { readonly node: Group };

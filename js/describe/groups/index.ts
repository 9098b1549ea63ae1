import type { Group, Member } from "../../api/group.js";
import type { DescribeOptions } from "../describe.js";
import type { Description, GroupDescription, Problem } from "../description.js";
import { multiscalesOf } from "../level.js";
import { attempt, messageOf } from "../load.js";
import { datasetOf, nestedOf } from "./dataset.js";
import { describeOme, isOme, versionOf } from "./omegroup.js";
import { isPyramid, pyramidOf } from "./pyramid.js";
import { encodingOf, tableOf } from "./table.js";
import { groupTitle } from "./title.js";

export { imageOf } from "./image.js";
export { labelsIn } from "./omegroup.js";

/** @internal Describes a group, by its attributes first and then by its members. */
export async function describeGroup(node: Group, options: DescribeOptions): Promise<Description> {
  const { signal, image } = options;
  const problems: Problem[] = [];
  const failed = (error: unknown) => problems.push({ path: node.path, message: messageOf(error) });
  const told = <D extends Description>(found: D): D => ({ ...found, problems: [...problems, ...found.problems] });
  if (isOme(node.attrs)) {
    const found = await describeOme(node, options, failed);
    if (found) return told(found);
  } else if (isPyramid(node.attrs) && multiscalesOf(node.attrs).length === 0) {
    const found = await attempt(signal, () => pyramidOf(node, image, signal), failed);
    if (found) return told(found);
  }
  const members = await attempt(
    signal,
    () => node.members({ signal }),
    (error) => {
      if (!(error instanceof Error && error.name === "UnsupportedError")) failed(error);
    },
  );
  const names = members?.map(({ name }) => name) ?? [];
  if (encodingOf(node) !== "" || names.some((name) => /^(obs|images|labels|points|shapes|tables)$/.test(name))) {
    const found = await attempt(signal, () => tableOf(node, names, signal), failed);
    if (found) return told(found);
  }
  const common = { path: node.path, title: groupTitle(node), node };
  // Unidentified levels are not variables.
  if (
    !isOme(node.attrs) &&
    (members?.some(({ kind }) => kind === "array") ?? Object.keys(node.attrs).some((key) => /^_nczarr_/i.test(key)))
  ) {
    const dataset = await attempt(signal, () => datasetOf(node, signal), failed);
    if (dataset) return told({ ...common, kind: "dataset", ...dataset });
  }
  const nested = members && (await attempt(signal, () => nestedOf(node, members, signal), failed));
  if (nested) return told({ ...common, kind: "dataset", ...nested });
  const conventions = isOme(node.attrs) ? [{ name: "OME-Zarr", version: versionOf(node.attrs) }] : [];
  return { ...common, kind: "group", conventions, problems, members: members ? linesOf(members) : null };
}

const linesOf = (members: readonly Member[]): GroupDescription["members"] =>
  members.map(({ path, kind }) => ({ path, kind: kind === "implicit" ? "unknown" : kind }));

import { CheckedValue, Problems } from "./problems.js";

/** The versions of OME-Zarr. 0.6 is a draft. */
export type Version = "0.1" | "0.2" | "0.3" | "0.4" | "0.5" | "0.6";

/** The kind of a group by its attributes; see {@link kindOf}. */
export type Kind = "image" | "label" | "labels" | "plate" | "well" | "scene" | "bioformats2raw" | "series";

/**
 * The members that identify an OME-Zarr group, and the kind of each. The first present one counts.
 */
const kinds: readonly (readonly [member: string, kind: Kind])[] = [
  ["plate", "plate"],
  ["well", "well"],
  ["multiscales", "image"],
  ["labels", "labels"],
  ["scene", "scene"],
  ["bioformats2raw.layout", "bioformats2raw"],
  ["series", "series"],
];

/** The attributes of a group as an OME-Zarr document. */
export interface Document {
  /** The version whose rules apply. */
  version: Version;
  /** The version as stated, such as `"0.6.dev3"`; equal to `version` if none is stated. */
  stated: string;
  /** The kind of the group. */
  kind: Kind | undefined;
  /** The object with the metadata: the attributes, or since 0.5 their member `ome`. */
  root: CheckedValue;
  /** Whether the caller chose the version. */
  asked: boolean;
  /** The problems found. */
  problems: Problems;
}

/** The document properties that readers of parts need. */
export type Rules = Pick<Document, "version" | "asked">;

/** The members that may state a version before 0.5. */
const versioned = ["multiscales", "plate", "well", "image-label", "omero"];

const versionOf = (text: unknown) => {
  const version = typeof text === "string" ? /^0\.[1-6](?![0-9])/.exec(text)?.[0] : undefined;
  return version as Version | undefined;
};

/** Checks the version of an object in a document. Objects need none since 0.5. */
export function checkVersion(part: CheckedValue, { version, asked }: Rules, what: string): void {
  const stated = part.get("version");
  if (version > "0.1" && version < "0.5" && !stated.exists) stated.should(`${what} SHOULD have a \`version\``);
  stated.optional(stated.text !== undefined, "a string");
  if (version >= "0.5" || stated.text === undefined) return;
  const own = versionOf(stated.text);
  if (!own) stated.must(`the version ${JSON.stringify(stated.text)} is unknown`);
  else if (own !== version && asked) stated.must(`the version is ${stated.text}, not ${version}`);
  else if (own !== version)
    stated.report("warning", `the version is ${stated.text}, and it is read by the rules of ${version}`);
}

/** The version that a document before 0.5 states, or else the version that its members suggest. */
function versionBefore05(root: CheckedValue): { stated: string | undefined; version: Version } {
  for (const name of versioned) {
    const member = root.get(name);
    for (const one of [member, ...member.items]) {
      const { text } = one.get("version");
      const version = versionOf(text);
      if (text !== undefined && version) return { stated: text, version };
    }
  }
  const [first] = root.get("multiscales").items;
  if (!first?.isObject) return { stated: undefined, version: "0.4" };
  const axes = first.get("axes");
  if (typeof axes.items[0]?.value === "string") return { stated: undefined, version: "0.3" };
  const scaled = first.get("datasets").items.some((dataset) => dataset.get("coordinateTransformations").exists);
  return { stated: undefined, version: axes.exists || scaled ? "0.4" : "0.1" };
}

/**
 * Finds the metadata and the version whose rules apply: the requested one, or else the document's.
 */
export function documentOf(attributes: unknown, wanted?: Version): Document {
  const problems = new Problems();
  const asked = versionOf(wanted);
  if (wanted !== undefined && !asked)
    problems.add("MUST", "", `the version ${JSON.stringify(wanted)}, which is requested, is unknown`);
  const all = new CheckedValue(attributes, "", problems);
  const ome = all.get("ome");
  const old = kinds.some(([name]) => all.get(name).exists);
  const nested = ome.isObject && !(old && asked !== undefined && asked < "0.5");
  const root = nested ? ome : all;
  let version: Version;
  let stated: string | undefined;
  if (nested) {
    const part = ome.get("version");
    stated = part.name();
    const own = versionOf(stated);
    if (stated !== undefined && !own) part.must(`the version ${JSON.stringify(stated)} is unknown`);
    version = asked ?? own ?? (ome.get("multiscales").items[0]?.get("coordinateSystems").exists ? "0.6" : "0.5");
    if (own && own !== version) part.must(`the version is ${stated}, not ${version}`);
    else if (version < "0.5") ome.must("before 0.5 the attributes themselves hold the metadata");
  } else {
    const found = versionBefore05(all);
    stated = found.stated;
    version = asked ?? found.version;
    if (version >= "0.5" && old) ome.must("`ome` is missing: since 0.5 it holds the metadata");
  }
  if (ome.exists && !ome.isObject && !old) ome.object();
  const [, named] = kinds.find(([name]) => root.get(name).exists) ?? [];
  const kind = named === "image" && root.get("image-label").exists ? "label" : named;
  return { version, stated: stated ?? version, kind, root, asked: asked !== undefined, problems };
}

/**
 * Returns the kind of a group by its attributes, for all versions (section "OME-Zarr Metadata").
 * Undefined if it has none of these kinds:
 *
 * - `"image"` has `multiscales`, and `"label"` also has `image-label`.
 * - `"labels"` has a list of label images.
 * - `"plate"`, `"well"` and `"scene"` have the members with these names.
 * - `"bioformats2raw"` has the layout that bioformats2raw writes, and `"series"` its list of images
 *   (the group `OME`).
 */
export function kindOf(attributes: unknown): Kind | undefined {
  return documentOf(attributes).kind;
}

/** The members that identify an OME-Zarr group, for messages. */
export const members: readonly string[] = kinds.map(([name]) => `\`${name}\``);

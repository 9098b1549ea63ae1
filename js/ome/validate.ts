import { type Document, documentOf, type Kind, members, type Version } from "./document.js";
import { type Images, imagesOf } from "./images.js";
import { pathsOf } from "./label.js";
import { plateOf, wellOf } from "./plate.js";
import type { Problem } from "./problems.js";
import { sceneOf } from "./scene.js";

/** What {@link validate} and {@link validateImage} found. */
export interface Report {
  /** What the group is. */
  kind: Kind | undefined;
  /** Whose rules it was held against. */
  version: Version;
  /** True when no problem is of level `"MUST"`. */
  valid: boolean;
  /** What is wrong, in the order of the document. */
  problems: Problem[];
}

/** Settings of {@link validate}. */
export interface ValidateOptions {
  /** The version whose rules count; by default the one that the document states. */
  version?: Version | undefined;
}

/** Checks all that attributes have of OME-Zarr, and gives what they have of images. */
export function checkDocument(document: Document): Images {
  const { root, version, kind, stated } = document;
  if (!kind && !root.get("image-label").exists)
    root.must(`there is no metadata of OME-Zarr: none of ${members.join(", ")}`);
  const images = imagesOf(document);
  const [labels, plate, well] = [root.get("labels"), root.get("plate"), root.get("well")];
  if (labels.exists) pathsOf(labels);
  if (plate.exists) plateOf(plate, document);
  if (well.exists) wellOf(well, document);
  const [layout, series, scene] = [root.get("bioformats2raw.layout"), root.get("series"), root.get("scene")];
  if (layout.exists && layout.value !== 3) layout.must("`bioformats2raw.layout` MUST be 3");
  if (series.exists) pathsOf(series);
  if (scene.exists && version >= "0.6") sceneOf(scene, /dev/.test(stated));
  return images;
}

/** The report of a document that was checked. */
export function reportOf({ kind, version, problems: { list } }: Document): Report {
  return { kind, version, valid: list.every(({ level }) => level !== "MUST"), problems: list };
}

/**
 * Says what is wrong with the attributes of a group by the specification of their version, or of the one that is asked for:
 * all of its sections on metadata. It reads nothing: what the arrays have to be is checked by {@link validateImage}.
 * It takes anything for attributes, and never throws.
 *
 * @example
 * const { valid, problems } = validate(group.attrs);
 * for (const { level, path, message } of problems) console.log(`${level} ${path}: ${message}`);
 */
export function validate(attributes: unknown, options: ValidateOptions = {}): Report {
  const document = documentOf(attributes, options.version);
  checkDocument(document);
  return reportOf(document);
}

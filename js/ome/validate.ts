import { type Document, documentOf, type Kind, members, type Version } from "./document.js";
import { type Images, imagesOf } from "./images.js";
import { pathsOf } from "./label.js";
import { plateOf, wellOf } from "./plate.js";
import type { Problem } from "./problems.js";
import { sceneOf } from "./scene.js";

/** The result of {@link validate} and {@link validateImage}. */
export interface Report {
  /** The kind of the group. */
  kind: Kind | undefined;
  /** The version whose rules applied. */
  version: Version;
  /** Whether no problem has level `"MUST"`. */
  valid: boolean;
  /** The problems, in document order. */
  problems: Problem[];
}

/** Options of {@link validate}. */
export interface ValidateOptions {
  /** The version whose rules apply; by default the one that the document states. */
  version?: Version | undefined;
}

/** Checks all OME-Zarr attributes, and returns the images among them. */
export function checkDocument(document: Document): Images {
  const { root, version, kind, stated } = document;
  if (!kind && !root.get("image-label").exists)
    root.must(`there is no OME-Zarr metadata: expected one of ${members.join(", ")}`);
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

/** The report of a checked document. */
export function reportOf({ kind, version, problems: { list } }: Document): Report {
  return { kind, version, valid: list.every(({ level }) => level !== "MUST"), problems: list };
}

/**
 * Checks the attributes of a group against the specification of their version, or of the requested
 * one. Covers all sections on metadata. Reads nothing; {@link validateImage} also checks the
 * arrays. Accepts any value and never throws.
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

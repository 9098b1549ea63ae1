import type { Document } from "./document.js";
import { type Label, labelOf } from "./label.js";
import { type Multiscale, multiscaleOf } from "./multiscales.js";
import { type Omero, omeroOf } from "./omero.js";

/** The images of a document. */
export interface Images {
  /** The multiscales; undefined for one with unclear pixel positions. */
  images: (Multiscale | undefined)[];
  omero: Omero | undefined;
  label: Label | undefined;
}

/** Reads and checks the images of a document. */
export function imagesOf(document: Document): Images {
  const { root, version } = document;
  const [multiscales, omero, label] = [root.get("multiscales"), root.get("omero"), root.get("image-label")];
  const images = multiscales.exists ? (multiscales.list() ?? []).map((item) => multiscaleOf(item, document)) : [];
  const shown = omero.exists && omero.object() ? omeroOf(omero, version) : undefined;
  const labelled = label.exists ? labelOf(label, document) : undefined;
  if (labelled && !multiscales.exists) multiscales.must("an `image-label` MUST have `multiscales` beside it");
  return { images, omero: shown, label: labelled };
}

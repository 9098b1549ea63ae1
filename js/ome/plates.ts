import type { Group } from "../api/group.js";
import { NotFoundError } from "../errors.js";
import { documentOf } from "./document.js";
import { checkGroup, type Image, openImage, unreadable } from "./image.js";
import { type Acquisition, type Field, type PlateWell, plateOf, wellOf } from "./plate.js";
import type { Problem } from "./problems.js";
import type { OmeOptions } from "./stored.js";

/** A plate of wells (section "plate"). */
export interface Plate {
  /** The group that it was opened of. */
  group: Group;
  /** Its name. */
  name: string | undefined;
  /** The most fields of view of a well. */
  fieldCount: number | undefined;
  /** The names of the rows. */
  rows: string[];
  /** The names of the columns. */
  columns: string[];
  /** The runs through the microscope. */
  acquisitions: Acquisition[];
  /** The wells that have images; an index that the document does not tell is -1. */
  wells: PlateWell[];
  /** What is wrong with the document. */
  problems: readonly Problem[];
  /** Opens a well by its path, or by its place in `wells`. It costs the requests of its group's metadata. */
  openWell(well: string | number, options?: OmeOptions): Promise<Well>;
}

/** A well of a plate (section "well"). */
export interface Well {
  /** The group that it was opened of. */
  group: Group;
  /** The fields of view. */
  images: Field[];
  /** What is wrong with the document. */
  problems: readonly Problem[];
  /** Opens an image by its path, or by its place in `images`. It costs the requests of its group's metadata. */
  openImage(image: string | number, options?: OmeOptions): Promise<Image>;
}

/** The item of that path, or at that place. */
function pick<T extends { path: string }>(items: readonly T[], which: string | number, group: Group): T {
  const found = typeof which === "string" ? items.find(({ path }) => path === which) : items[which];
  if (!found) throw new NotFoundError(`${JSON.stringify(which)} is not listed at ${group.path}`, { path: group.path });
  return found;
}

/**
 * Opens a plate of its group. It costs no request: the group's attributes have it all.
 * Rejects with {@link NotFoundError} where the group is no plate, and with `InvalidMetadataError` where it lists no well that can be found.
 *
 * @example
 * const plate = await openPlate(group);
 * const well = await plate.openWell("B/3");
 * const image = await well.openImage(0);
 */
export async function openPlate(group: Group): Promise<Plate> {
  checkGroup("openPlate", group);
  const document = documentOf(group.attrs);
  const { root, problems } = document;
  const part = root.get("plate");
  if (!part.exists) throw new NotFoundError(`no plate at ${group.path}`, { path: group.path });
  const plate = plateOf(part, document);
  if (plate.wells.length === 0) throw unreadable("no plate can be read", group.path, problems.list);
  return {
    ...plate,
    group,
    problems: problems.list,
    openWell: async (well, options = {}) => {
      const { path } = pick(plate.wells, well, group);
      return openWell(await group.open(path, { ...options, kind: "group" }));
    },
  };
}

/**
 * Opens a well of its group. It costs no request. Rejects with {@link NotFoundError} where the group is no well, and with
 * `InvalidMetadataError` where it lists no image.
 */
export async function openWell(group: Group): Promise<Well> {
  checkGroup("openWell", group);
  const document = documentOf(group.attrs);
  const { root, problems } = document;
  const part = root.get("well");
  if (!part.exists) throw new NotFoundError(`no well at ${group.path}`, { path: group.path });
  const images = wellOf(part, document);
  if (images.length === 0) throw unreadable("no well can be read", group.path, problems.list);
  return {
    group,
    images,
    problems: problems.list,
    openImage: async (image, options = {}) => {
      const { path } = pick(images, image, group);
      return openImage(await group.open(path, { ...options, kind: "group" }), options);
    },
  };
}

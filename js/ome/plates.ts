import type { Group } from "../api/group.js";
import { NotFoundError } from "../errors.js";
import { documentOf } from "./document.js";
import { checkGroup, type Image, openImage, unreadable } from "./image.js";
import { type Acquisition, type Field, type PlateWell, plateOf, wellOf } from "./plate.js";
import type { Problem } from "./problems.js";
import type { OmeOptions } from "./stored.js";

/** A plate of wells (section "plate"). */
export interface Plate {
  /** The group it was opened from. */
  group: Group;
  /** The name. */
  name: string | undefined;
  /** The largest number of fields of view of a well. */
  fieldCount: number | undefined;
  /** The names of the rows. */
  rows: string[];
  /** The names of the columns. */
  columns: string[];
  /** The imaging runs. */
  acquisitions: Acquisition[];
  /** The wells with images. An index missing in the document is -1. */
  wells: PlateWell[];
  /** The problems of the document. */
  problems: readonly Problem[];
  /**
   * Opens a well by its path or its index in `wells`. Costs the requests of its group's metadata.
   */
  openWell(well: string | number, options?: OmeOptions): Promise<Well>;
}

/** A well of a plate (section "well"). */
export interface Well {
  /** The group it was opened from. */
  group: Group;
  /** The fields of view. */
  images: Field[];
  /** The problems of the document. */
  problems: readonly Problem[];
  /**
   * Opens an image by its path or its index in `images`. Costs the requests of its group's
   * metadata.
   */
  openImage(image: string | number, options?: OmeOptions): Promise<Image>;
}

/** Returns the item with that path or index. */
function pick<T extends { path: string }>(items: readonly T[], which: string | number, group: Group): T {
  const found = typeof which === "string" ? items.find(({ path }) => path === which) : items[which];
  if (!found) throw new NotFoundError(`${JSON.stringify(which)} is not listed at ${group.path}`, { path: group.path });
  return found;
}

/**
 * Opens the plate of a group, without a request: the group's attributes suffice.
 *
 * @throws `NotFoundError` if the group is not a plate.
 * @throws `InvalidMetadataError` if it lists no well with a usable path.
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
 * Opens the well of a group, without a request.
 *
 * @throws `NotFoundError` if the group is not a well.
 * @throws `InvalidMetadataError` if it lists no image.
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

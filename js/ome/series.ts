import type { Group } from "../api/group.js";
import { isNamed, NotFoundError } from "../errors.js";
import { documentOf } from "./document.js";
import { checkGroup, type Image, openImage } from "./image.js";
import { pathsOf } from "./label.js";
import type { Problem } from "./problems.js";
import type { OmeOptions } from "./stored.js";

/** The images that bioformats2raw made from one file (section "bioformats2raw.layout"). */
export interface Series {
  /** The group it was opened from. */
  group: Group;
  /** The layout as stated: 3. */
  layout: unknown;
  /** The paths of the images, relative to the group, in order. */
  images: string[];
  /** The problems of the documents. */
  problems: readonly Problem[];
  /**
   * Opens an image by its path or its index in `images`. Costs the requests of its group's
   * metadata, unless they are already known.
   */
  openImage(image: string | number, options?: OmeOptions): Promise<Image>;
}

/** The most numbered groups that are searched. */
const mostImages = 10_000;

/**
 * Opens the images of a group with `bioformats2raw.layout`. Their paths come from `series` in the
 * group `OME`, at the cost of that group's metadata. Without it, the groups 0, 1, 2 and so on are
 * opened until one is missing. This costs the requests of each image, in batches that double, and
 * of some missing groups. The images of a plate are in wells: see {@link openPlate}.
 *
 * @throws `NotFoundError` if the group has no such layout.
 */
export async function openSeries(group: Group, options: OmeOptions = {}): Promise<Series> {
  checkGroup("openSeries", group);
  const { root, problems } = documentOf(group.attrs);
  const layout = root.get("bioformats2raw.layout");
  if (!layout.exists) throw new NotFoundError(`no bioformats2raw.layout at ${group.path}`, { path: group.path });
  if (layout.value !== 3) layout.must("`bioformats2raw.layout` MUST be 3");
  const ome = await groupAt(group, "OME", options);
  const listed = ome && documentOf(ome.attrs);
  const part = listed?.root.get("series");
  const images = part?.exists ? pathsOf(part) : await numbered(group, options);
  return {
    group,
    layout: layout.value,
    images,
    problems: [...problems.list, ...(part?.exists ? (listed?.problems.list ?? []) : [])],
    openImage: async (image, more = {}) => {
      const path = typeof image === "string" ? image : images[image];
      if (path === undefined || !images.includes(path)) {
        throw new NotFoundError(`${JSON.stringify(image)} is not an image of ${group.path}`, { path: group.path });
      }
      return openImage(await group.open(path, { ...more, kind: "group" }), more);
    },
  };
}

async function groupAt(group: Group, path: string, options: OmeOptions): Promise<Group | undefined> {
  try {
    return await group.open(path, { ...options, kind: "group" });
  } catch (error) {
    if (isNamed(error, "NotFoundError")) return undefined;
    throw error;
  }
}

/** The names of the existing groups 0, 1, 2 and so on. */
async function numbered(group: Group, options: OmeOptions): Promise<string[]> {
  const found: string[] = [];
  for (let step = 2; found.length < mostImages; step = Math.min(2 * step, 64)) {
    const names = Array.from({ length: step }, (_, i) => String(found.length + i));
    const groups = await Promise.all(names.map((name) => groupAt(group, name, options)));
    const missing = groups.indexOf(undefined);
    found.push(...(missing < 0 ? names : names.slice(0, missing)));
    if (missing >= 0) break;
  }
  return found;
}

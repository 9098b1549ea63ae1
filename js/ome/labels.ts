import type { Group } from "../api/group.js";
import { isNamed, NotFoundError } from "../errors.js";
import { documentOf } from "./document.js";
import { checkGroup, type Image, openImage } from "./image.js";
import { pathsOf } from "./label.js";
import type { Problem } from "./problems.js";
import type { OmeOptions } from "./stored.js";

/** The label images of an image (section "labels"). */
export interface Labels {
  /** The group `labels`; undefined if the image has none. */
  group: Group | undefined;
  /** The paths of the label images, relative to that group. */
  paths: string[];
  /** The problems of the list. */
  problems: readonly Problem[];
  /** Opens a label image, with {@link Image.label}. Costs the requests of its group's metadata. */
  open(path: string, options?: OmeOptions): Promise<Image>;
}

/**
 * Opens the list of label images of an image's group, or of its group `labels` itself. Costs the
 * requests of that group's metadata, or none with consolidated metadata. An image without such a
 * group has no labels.
 *
 * @example
 * const labels = await openLabels(group);
 * for (const path of labels.paths) {
 *   const image = await labels.open(path);
 *   console.log(path, image.label.colors.get(1));
 * }
 */
export async function openLabels(group: Group, options: OmeOptions = {}): Promise<Labels> {
  checkGroup("openLabels", group);
  let found: Group | undefined = group;
  if (!documentOf(group.attrs).root.get("labels").exists) {
    try {
      found = await group.open("labels", { ...options, kind: "group" });
    } catch (error) {
      if (!isNamed(error, "NotFoundError")) throw error;
      found = undefined;
    }
  }
  const { root, problems } = documentOf(found?.attrs);
  const paths = found ? pathsOf(root.get("labels")) : [];
  return {
    group: found,
    paths,
    problems: found ? problems.list : [],
    open: async (path, more = {}) => {
      if (!found || !paths.includes(path)) {
        throw new NotFoundError(`no label image ${JSON.stringify(path)} is listed at ${group.path}`, {
          path: group.path,
        });
      }
      return openImage(await found.open(path, { ...more, kind: "group" }), more);
    },
  };
}

/**
 * Returns the absolute path of the image that a label image belongs to (section "labels",
 * `source`).
 */
export function sourceOf(image: Image): string {
  return image.group.resolve(image.label?.source ?? "../../").path;
}

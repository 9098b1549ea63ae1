import type { Group } from "../api/group.js";
import { LimitError, NotFoundError } from "../errors.js";
import type { CoordinateSystem } from "./axes.js";
import { documentOf } from "./document.js";
import { checkGroup, type Image, openImage, unreadable } from "./image.js";
import type { Problem } from "./problems.js";
import { sceneOf } from "./scene.js";
import { type OmeOptions, withParameters } from "./stored.js";
import { type Edge, keyOf, route } from "./systems.js";
import type { Transform } from "./transform.js";
import type { Reference, Transformation } from "./transformation.js";

/** Images in a common space, since 0.6 (section "scene"). */
export interface Scene {
  /** The group it was opened from. */
  group: Group;
  /** The scene's own coordinate systems. */
  coordinateSystems: CoordinateSystem[];
  /** The transformations between the systems of the scene and of its images. */
  transformations: Transformation[];
  /** The images by their paths, relative to the group. */
  images: ReadonlyMap<string, Image>;
  /** The problems of the document. */
  problems: readonly Problem[];
  /**
   * Returns the map from one coordinate system to another. `{ path: "imageA", name: "physical" }`
   * is a system of an image; a name alone is one of the scene. Like {@link Image.transform} it
   * chains as many transformations as needed, including those of the images.
   */
  transform(
    from: string | Partial<Reference>,
    to: string | Partial<Reference>,
    options?: OmeOptions,
  ): Promise<Transform>;
}

/** The most images of a scene that can be opened. */
const mostImages = 1000;

/**
 * Opens the scene of a group, and in parallel the images that its transformations name. Costs the
 * requests of their groups' metadata.
 *
 * @throws `NotFoundError` if the group is not a scene or an image is missing.
 * @throws `InvalidMetadataError` if a document cannot be read.
 */
export async function openScene(group: Group, options: OmeOptions = {}): Promise<Scene> {
  checkGroup("openScene", group);
  const { root, stated, problems } = documentOf(group.attrs);
  const part = root.get("scene");
  if (!part.exists) throw new NotFoundError(`no scene at ${group.path}`, { path: group.path });
  const scene = sceneOf(part, /dev/.test(stated));
  if (scene.transformations.length === 0) throw unreadable("no scene can be read", group.path, problems.list);
  const ends = scene.transformations.flatMap(({ input, output }) => [input?.path, output?.path]);
  const paths = [...new Set(ends.filter((path) => path != null))];
  if (paths.length > mostImages) {
    throw new LimitError(`${paths.length} images at ${group.path}`, {
      path: group.path,
      limit: "images",
      max: mostImages,
    });
  }
  const opened = paths.map(async (path): Promise<[string, Image]> => {
    return [path, await openImage(await group.open(path, { ...options, kind: "group" }), options)];
  });
  const images = new Map(await Promise.all(opened));
  const axes = new Map(scene.coordinateSystems.map((system) => [keyOf(system.name), system.axes.length]));
  for (const [path, { coordinateSystems }] of images) {
    for (const system of coordinateSystems) axes.set(keyOf({ name: system.name, path }), system.axes.length);
  }
  const own = scene.transformations.map((transformation): Edge => {
    const [from, to] = [keyOf(transformation.input ?? ""), keyOf(transformation.output ?? "")];
    return { from, to, axes: axes.get(from) ?? 0, transformation, group };
  });
  const edges = [...own, ...[...images].flatMap(([path, image]) => image.edges(path))];
  return {
    ...scene,
    group,
    images,
    problems: problems.list,
    transform: (from, to, more = {}) => route(edges, from, to, (one, at) => withParameters(one, at, more)),
  };
}

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

/** Images in space together, since 0.6 (section "scene"). */
export interface Scene {
  /** The group that it was opened of. */
  group: Group;
  /** The scene's own systems of coordinates. */
  coordinateSystems: CoordinateSystem[];
  /** What links the systems of the scene and of its images. */
  transformations: Transformation[];
  /** The images by their paths, relative to the group. */
  images: ReadonlyMap<string, Image>;
  /** What is wrong with the document. */
  problems: readonly Problem[];
  /**
   * The map from one system of coordinates to another: `{ path: "imageA", name: "physical" }` is one of an image, a name alone one
   * of the scene. As {@link Image.transform} it goes by as many transformations as it takes, those of the images too.
   */
  transform(
    from: string | Partial<Reference>,
    to: string | Partial<Reference>,
    options?: OmeOptions,
  ): Promise<Transform>;
}

/** A scene of more images than these is not opened. */
const mostImages = 1000;

/**
 * Opens a scene of its group, and the images that its transformations name, at once: it costs the requests of their groups'
 * metadata. Rejects with {@link NotFoundError} where the group is no scene or an image is not there, and with
 * `InvalidMetadataError` where a document cannot be read.
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

import { type CoordinateSystem, coordinateSystems } from "./axes.js";
import { checkAxes, referring } from "./multiscales.js";
import type { CheckedValue } from "./problems.js";
import type { Reference, Transformation } from "./transformation.js";

/** A scene as stated in the document (section "scene"). */
interface SceneDocument {
  coordinateSystems: CoordinateSystem[];
  transformations: Transformation[];
}

/** Reads `scene`. */
export function sceneOf(part: CheckedValue, draft: boolean): SceneDocument {
  const scene: SceneDocument = { coordinateSystems: [], transformations: [] };
  if (!part.object()) return scene;
  const systems = part.get("coordinateSystems");
  if (systems.exists) scene.coordinateSystems = coordinateSystems(systems, false);
  const byName = new Map(scene.coordinateSystems.map((system) => [system.name, system]));
  for (const item of part.get("coordinateTransformations").list() ?? []) {
    const one = referring(item, draft);
    if (!one) continue;
    for (const side of ["input", "output"] as const) {
      const { name, path } = one[side] as Reference;
      if (!name) item.get(side).get("name").must("`name` MUST name a coordinate system");
      else if (path === null && !byName.has(name)) {
        item.get(side).must(`there is no coordinate system ${JSON.stringify(name)} in this scene`);
      }
    }
    checkAxes(item, one, byName);
    scene.transformations.push(one);
  }
  return scene;
}

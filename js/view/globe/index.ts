// Maps in a projection. This module is loaded when a person chooses one.
import type { Coordinate, Field } from "../../describe/field.js";
import type { Eye } from "../element/camera.js";
import type { Box, Globe } from "../element/scene.js";
import type { Projection } from "../state.js";
import { type Earth, earthOf } from "./earth.js";
import { ProjectedMap } from "./globe.js";

/** An axis with its positions. */
interface Positioned {
  readonly coordinate: Coordinate | null;
}

/** The last map of each grid, because one frame asks several times. */
const latest = new WeakMap<Earth, { readonly key: string; readonly map: ProjectedMap }>();

/** Returns a field's map in a projection; null if its coordinates form no grid of the Earth. */
export function projected(
  name: Projection,
  field: Field,
  plane: { readonly x: Positioned; readonly y: Positioned },
  eye: Eye | null,
  view: Box,
): Globe | null {
  const earth = earthOf(field, plane.x.coordinate, plane.y.coordinate);
  if (!earth) return null;
  const key = JSON.stringify([name, eye, view]);
  const last = latest.get(earth);
  if (last?.key === key) return last.map;
  const map = new ProjectedMap(name, earth, eye, view);
  latest.set(earth, { key, map });
  return map;
}

import type { RegionHost } from "../element/regional.js";
import type { RegionState } from "../state.js";

/** Returns the axes drawn downwards and to the right, by their names. */
export function axesOf({ field, wish }: RegionHost): RegionState["axes"] {
  const { x, y } = wish();
  return [field.axes[y ?? -1]?.name ?? "", field.axes[x ?? -1]?.name ?? ""];
}

/** Returns the region of the drawn plane; undefined if there is none, or it is of other axes. */
export function regionOf(host: RegionHost): RegionState | undefined {
  const { region } = host.state();
  const [y, x] = axesOf(host);
  return region?.axes[0] === y && region.axes[1] === x ? region : undefined;
}

// Recognizes arrays that are levels of images.
import type { ZarrArray } from "../api/array.js";
import type { Group } from "../api/group.js";
import { items, member, text } from "../shared/attributes.js";

/**
 * @internal The OME-Zarr multiscales among attributes. Multiscales of the zarr-conventions registry
 * and of ndpyramid have another form.
 */
export function multiscalesOf(attrs: Readonly<Record<string, unknown>>): readonly unknown[] {
  const own = member(member(attrs, "ome"), "multiscales");
  if (own !== undefined) return items(own);
  const all = items(member(attrs, "multiscales"));
  const isOme = all.some((one) => {
    const datasets = items(member(one, "datasets"));
    const stated = text(member(one, "version"));
    if (
      datasets.some(
        (dataset) => member(dataset, "pixels_per_tile") !== undefined || member(dataset, "level") !== undefined,
      )
    ) {
      return member(one, "axes") !== undefined;
    }
    return member(one, "axes") !== undefined || datasets.length > 0 || /^0\.[1-6]/.test(stated ?? "");
  });
  return isOme ? all : [];
}

/** @internal The level of a group's images that is this array. */
export function levelIn(group: Group, array: ZarrArray): { multiscale: number; path: string } | undefined {
  for (const [multiscale, one] of multiscalesOf(group.attrs).entries()) {
    for (const dataset of items(member(one, "datasets"))) {
      const path = text(member(dataset, "path"));
      if (path !== undefined && group.resolve(path).path === array.path) return { multiscale, path };
    }
  }
  return undefined;
}

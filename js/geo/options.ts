import type { Group } from "../api/group.js";
import type { ReadOptions } from "../data/readoptions.js";
import { aFunction, aNumber, aSignal, aText, checked, type Settings } from "../shared/arguments.js";
import { checkGroup } from "./nodes.js";

/**
 * Options of {@link georeference} and {@link openPyramid}, including those for reading coordinates.
 */
export interface GeoOptions extends Pick<ReadOptions, "signal" | "onProgress" | "priority" | "view"> {
  /**
   * For an array: its group, or one above, as opened from the same store. It is searched for
   * coordinates, grid mappings and attributes. For a group: a group above it whose attributes apply
   * to its arrays.
   */
  group?: Group | undefined;
}

const settings: Settings = { signal: [aSignal], onProgress: [aFunction], priority: [aNumber], view: [aText] };

/** @internal Throws for invalid options. */
export function checkOptions(what: string, options: GeoOptions): void {
  const { group } = checked(what, options, settings);
  if (group !== undefined) checkGroup(`${what}: group`, group);
}

/** @internal The options for reads. */
export function readOptionsOf({ signal, onProgress, priority, view }: GeoOptions): ReadOptions {
  return { signal, onProgress, priority, view };
}

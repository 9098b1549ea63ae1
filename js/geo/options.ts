import type { Group } from "../api/group.js";
import type { ReadOptions } from "../data/readoptions.js";
import { aFunction, aNumber, aSignal, aText, checked, type Settings } from "../refuse.js";
import { checkGroup } from "./nodes.js";

/** Settings of {@link georeference} and {@link openPyramid}: how coordinates are read. */
export interface GeoOptions extends Pick<ReadOptions, "signal" | "onProgress" | "priority" | "view"> {
  /**
   * Of an array: the group that it is in, or one above, of the same store: the one that opened it. Coordinates, grid mappings and what
   * groups state are looked for there. Of a group: one above it, where that states what holds for its arrays.
   */
  group?: Group | undefined;
}

const settings: Settings = { signal: [aSignal], onProgress: [aFunction], priority: [aNumber], view: [aText] };

/** @internal Refuses settings that are none. */
export function checkOptions(what: string, options: GeoOptions): void {
  const { group } = checked(what, options, settings);
  if (group !== undefined) checkGroup(`${what}: group`, group);
}

/** @internal What of the settings is a read's. */
export function readOptionsOf({ signal, onProgress, priority, view }: GeoOptions): ReadOptions {
  return { signal, onProgress, priority, view };
}
